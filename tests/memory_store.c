/* SPDX-License-Identifier: MIT */
#include "memory_store.h"

#include <stdlib.h>
#include <string.h>

static char *copied(const char *bytes, size_t n) {
    char *copy = malloc(n + 1);
    memcpy(copy, bytes, n);
    copy[n] = '\0';
    return copy;
}

static void clear(struct memory_policy *p) {
    for (size_t i = 0; i < p->lines; i++)
        free(p->line[i].text);
    free(p->line);
    free(p->name);
    free(p->description);
    free(p->snapshot);
    *p = (struct memory_policy){0};
}

static void clear_all(struct memory_content *c) {
    for (int i = 0; i < MEMORY_STORE_POLICIES; i++)
        clear(&c->policy[i]);
    c->last_id = 0;
}

static void copy_all(struct memory_content *to, const struct memory_content *from) {
    clear_all(to);
    *to = *from;
    for (int i = 0; i < MEMORY_STORE_POLICIES; i++) {
        struct memory_policy *p = &to->policy[i];
        const struct memory_policy *q = &from->policy[i];
        if (!q->name)
            continue;
        p->name = copied(q->name, strlen(q->name));
        p->description = copied(q->description, strlen(q->description));
        p->snapshot = q->snapshot ? copied(q->snapshot, q->snapshot_size) : NULL;
        p->line = malloc((q->lines + 1) * sizeof *p->line);
        p->room = q->lines + 1;
        for (size_t k = 0; k < q->lines; k++) {
            p->line[k] = q->line[k];
            p->line[k].text = copied(q->line[k].text, strlen(q->line[k].text));
        }
    }
}

void memory_store_begin(struct memory_store *m) {
    copy_all(&m->before, &m->now);
    m->in_transaction = 1;
}

void memory_store_commit(struct memory_store *m) {
    m->in_transaction = 0;
}

void memory_store_rollback(struct memory_store *m) {
    copy_all(&m->now, &m->before);
    m->in_transaction = 0;
}

void memory_store_free(struct memory_store *m) {
    clear_all(&m->now);
    clear_all(&m->before);
    clear_all(&m->savepoint);
}

struct memory_policy *memory_store_find(struct memory_store *m, const char *name) {
    for (int i = 0; i < MEMORY_STORE_POLICIES; i++)
        if (m->now.policy[i].name && strcmp(m->now.policy[i].name, name) == 0)
            return &m->now.policy[i];
    return NULL;
}

static struct memory_policy *numbered(struct memory_store *m, int64_t id) {
    for (int i = 0; i < MEMORY_STORE_POLICIES; i++)
        if (m->now.policy[i].name && m->now.policy[i].id == id)
            return &m->now.policy[i];
    return NULL;
}

static int fails(struct memory_store *m) {
    m->calls++;
    return m->fail_in && --m->fail_in == 0;
}

#define FUNCTION(user)                                                                                                      \
    struct memory_store *m = (user);                                                                                        \
    if (fails(m))                                                                                                           \
    return -1000

/* Inside a transaction of the caller a call undoes nothing, as in a database without nested transactions. */
static int32_t lock(void *user, int32_t write) {
    FUNCTION(user);
    if (!m->in_transaction && write)
        copy_all(&m->savepoint, &m->now);
    m->in_call = 1;
    return 0;
}

static int32_t unlock(void *user, int32_t keep) {
    struct memory_store *m = user;
    const int failed = fails(m);
    if ((!keep || failed) && !m->in_transaction && m->savepoint.last_id)
        copy_all(&m->now, &m->savepoint);
    clear_all(&m->savepoint);
    m->in_call = 0;
    return failed ? -1000 : 0;
}

static int32_t read_description(void *user, const char *name, int32_t write, tvgp_store_row *row) {
    FUNCTION(user);
    const struct memory_policy *p = memory_store_find(m, name);
    (void)write;
    if (m->returned)
        return m->returned;
    if (p)
        *row = (tvgp_store_row){p->id, p->n, p->chain, p->every, p->description};
    return 0;
}

static int32_t read_events(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *store) {
    FUNCTION(user);
    const struct memory_policy *p = numbered(m, id);
    for (size_t i = 0; i < p->lines; i++)
        if (p->line[i].n >= first && p->line[i].n <= last) {
            const tvgp_status status = tvgp_store_take_event(store, p->line[i].n, p->line[i].chain, p->line[i].text);
            if (status)
                return status < 0 ? status : 0;
        }
    return 0;
}

static int32_t create(struct memory_store *m, const char *name, const tvgp_store_row *row) {
    for (int i = 0; i < MEMORY_STORE_POLICIES; i++)
        if (!m->now.policy[i].name) {
            m->now.policy[i] = (struct memory_policy){.id = ++m->now.last_id,
                                                      .chain = row->chain,
                                                      .every = row->snapshot_every,
                                                      .name = copied(name, strlen(name)),
                                                      .description = copied(row->description, strlen(row->description))};
            return 0;
        }
    return -1001;
}

static void put_line(struct memory_policy *p, int64_t n, int64_t chain, const char *text) {
    while (p->lines && p->line[p->lines - 1].n >= n)
        free(p->line[--p->lines].text);
    if (p->lines == p->room) {
        p->room = 2 * p->room + 16;
        p->line = realloc(p->line, p->room * sizeof *p->line);
    }
    p->line[p->lines++] = (struct memory_line){n, chain, copied(text, strlen(text))};
}

/* Each line may fail by itself: those before it are stored then. */
static int32_t append(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                      const int64_t *chains) {
    FUNCTION(user);
    if (m->nested) {
        const tvgp_store_reply *reply;
        m->nested_status = tvgp_store_call(m->nesting, "state", name, 0, NULL, NULL, &reply);
    }
    if (!row->id)
        return create(m, name, row);
    struct memory_policy *p = numbered(m, row->id);
    for (size_t i = 0; i < n; i++) {
        if (i && fails(m))
            return -1000;
        put_line(p, row->n - (int64_t)(n - i) + 1, chains[i], lines[i]);
    }
    p->n = row->n;
    p->chain = row->chain;
    return 0;
}

static int32_t read_snapshot(void *user, int64_t id, tvgp_store *store) {
    FUNCTION(user);
    const struct memory_policy *p = numbered(m, id);
    return p->snapshot ? tvgp_store_take_snapshot(store, p->snapshot_n, p->snapshot_chain, p->snapshot_size, p->snapshot)
                       : 0;
}

static int32_t write_snapshot(void *user, int64_t id, int64_t n, int64_t chain, size_t size, const void *bytes) {
    FUNCTION(user);
    struct memory_policy *p = numbered(m, id);
    free(p->snapshot);
    p->snapshot = copied(bytes, size);
    p->snapshot_size = size;
    p->snapshot_n = n;
    p->snapshot_chain = chain;
    return 0;
}

static int32_t remove_lines(void *user, int64_t id, int64_t first) {
    FUNCTION(user);
    struct memory_policy *p = numbered(m, id);
    size_t kept = 0;
    if (!first) {
        clear(p);
        return 0;
    }
    for (size_t i = 0; i < p->lines; i++)
        if (p->line[i].n < first)
            free(p->line[i].text);
        else
            p->line[kept++] = p->line[i];
    p->lines = kept;
    return 0;
}

static double now(void *user) {
    return ((struct memory_store *)user)->clock;
}

const tvgp_store_type *memory_store_type(int64_t epoch, size_t copies) {
    static tvgp_store_type type;
    type = (tvgp_store_type){.struct_size = sizeof type,
                             .copies = copies,
                             .epoch = epoch,
                             .lock = lock,
                             .unlock = unlock,
                             .read_description = read_description,
                             .read_events = read_events,
                             .append = append,
                             .read_snapshot = read_snapshot,
                             .write_snapshot = write_snapshot,
                             .remove = remove_lines,
                             .now = now};
    return &type;
}
