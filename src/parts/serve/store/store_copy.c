/* SPDX-License-Identifier: MIT */
/* Copies: the policies of a store that are in memory, each in the state after a line of its log (parts/serve/store/store_copy.h). */
#include "parts/serve/store/store_copy.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/quota.h"
#include "parts/serve/store/store_snapshot.h"

#include <string.h>

enum { USUAL_COPIES = 64 };

/* ---- one copy --------------------------------------------------------------------------------------------------- */

void tvgp__store_copy_free(tvgp_store *s, tvgp__store_copy *c) {
    if (!c)
        return;
    tvgp_policy_destroy(c->policy);
    tvgp_ctx_destroy(c->ctx);
    tvgp__store_metadata_free(s->ctx, &c->facts);
    tvgp__memory_free(s->ctx, c);
}

/* Quotas, interruption and log are those of the store now. */
static tvgp_status limit(const tvgp_store *s, const tvgp__store_copy *c) {
    const tvgp__quota none = {0}, *q = s->ctx->quota ? s->ctx->quota : &none;
    c->ctx->interrupt = s->ctx->interrupt;
    c->ctx->interrupt_user = s->ctx->interrupt_user;
    c->ctx->logger = s->ctx->logger;
    c->ctx->logger_user = s->ctx->logger_user;
    return tvgp_ctx_set_quota(c->ctx, q->bytes, q->arms, q->work);
}

static tvgp_status fill(tvgp_store *s, tvgp__store_copy *c) {
    const tvgp_status status = tvgp_ctx_create(&s->ctx->allocator, &c->ctx);
    if (status < 0)
        return tvgp__error_set(s->ctx, status, "out of memory");
    TVGP__TRY(limit(s, c));
    const tvgp_status made = tvgp_policy_create_described(c->ctx, s->row.description, &c->policy);
    if (made < 0)
        return tvgp__store_common_failed(s, c, made);
    return tvgp__store_metadata_describe(s->ctx, &c->facts, s->row.description);
}

tvgp_status tvgp__store_copy_new(tvgp_store *s, tvgp__store_copy **out) {
    tvgp__store_copy *c;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, 1, sizeof *c, &c));
    c->id = s->row.id;
    c->chain = tvgp__store_common_chain(0, s->row.description);
    const tvgp_status status = fill(s, c);
    if (status < 0) {
        tvgp__store_copy_free(s, c);
        return status;
    }
    *out = c;
    return TVGP_OK;
}

void tvgp__store_copy_discard(tvgp_store *s, tvgp__store_copy *c) {
    for (tvgp__store_copy **at = &s->copies; c && *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            tvgp__store_copy_free(s, c);
            break;
        }
    if (s->copy == c)
        s->copy = NULL;
}

void tvgp__store_copy_discard_all(tvgp_store *s) {
    while (s->copies)
        tvgp__store_copy_discard(s, s->copies);
}

/* The copy with this number becomes the first of the list; NULL: there is none. */
static tvgp__store_copy *use(tvgp_store *s, int64_t id) {
    for (tvgp__store_copy **at = &s->copies, *c; (c = *at) != NULL; at = &c->next)
        if (c->id == id) {
            *at = c->next;
            c->next = s->copies;
            return s->copies = c;
        }
    return NULL;
}

/* Puts a copy in front and drops the last one if there are too many. */
static void keep(tvgp_store *s, tvgp__store_copy *c) {
    size_t n = 0;
    c->next = s->copies;
    s->copies = c;
    for (tvgp__store_copy *at = c, *next; at; at = next) {
        next = at->next;
        if (++n > (s->type.copies ? s->type.copies : USUAL_COPIES))
            tvgp__store_copy_discard(s, at);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static tvgp_status bad_line(tvgp_store *s, int64_t n, const char *what) {
    return tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "event %" PRId64 " %s", n, what);
}

/* A replay under way. */
typedef struct replay {
    tvgp__store_copy *copy;
    int64_t wrong; /* number of a line that is missing (negative) or does not follow; 0: none */
} replay;

/* Counts a line that the copy now contains. */
static tvgp_status contain(tvgp_store *s, tvgp__store_copy *c, int64_t chain, const tvgp_event *e, const double *x,
                           const char *line) {
    c->n++;
    c->chain = chain;
    c->since++;
    c->fitted &= e->kind == TVGP_EVENT_FIT;
    return tvgp__store_metadata_take(s->ctx, &c->facts, e, x, line);
}

static tvgp_status replay_line(tvgp_store *s, int64_t n, int64_t chain, const char *line) {
    replay *r = s->taker;
    tvgp__store_copy *c = r->copy;
    tvgp_event e;
    TVGP__TRY(tvgp__error_interrupted(s->ctx));
    if (n != c->n + 1 || tvgp__store_common_chain(c->chain, line) != chain) {
        r->wrong = n == c->n + 1 ? n : -(c->n + 1);
        return TVGP_DONE;
    }
    tvgp_status status = tvgp__store_common_parse(s, c, line, &e);
    if (status == TVGP_OK && e.n != n)
        return bad_line(s, n, "has another number in its line");
    if (status == TVGP_OK)
        status = tvgp_policy_apply(c->policy, 1, &e, (size_t)e.size, e.size ? s->x : NULL);
    if (status < 0)
        return tvgp__store_common_failed(s, c, status);
    return contain(s, c, chain, &e, s->x, line);
}

/* Replays the lines behind the copy. r->wrong says that one is missing or is not of its chain. */
static tvgp_status catch_up(tvgp_store *s, replay *r) {
    TVGP__TRY(tvgp__store_common_read(s, r->copy->n + 1, s->row.n, replay_line, r));
    if (!r->wrong && r->copy->n != s->row.n)
        r->wrong = -(r->copy->n + 1);
    return TVGP_OK;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* A new copy in the state of the row. */
static tvgp_status restore(tvgp_store *s, tvgp__store_copy *c) {
    replay r = {.copy = c};
    TVGP__TRY(tvgp__store_snapshot_read(s, c));
    TVGP__TRY(catch_up(s, &r));
    if (r.wrong < 0)
        return bad_line(s, -r.wrong, "is missing in the log");
    if (r.wrong)
        return bad_line(s, r.wrong, "is damaged: its checksum does not match");
    if (c->chain != s->row.chain)
        return tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "the snapshot does not belong to the log");
    return TVGP_OK;
}

static tvgp_status restore_new(tvgp_store *s) {
    tvgp__store_copy *c;
    TVGP__TRY(tvgp__store_copy_new(s, &c));
    const tvgp_status status = restore(s, c);
    if (status < 0) {
        tvgp__store_copy_free(s, c);
        return status;
    }
    keep(s, c);
    s->copy = c;
    return TVGP_OK;
}

tvgp_status tvgp__store_copy_open(tvgp_store *s) {
    tvgp__store_copy *c = use(s, s->row.id);
    replay r = {.copy = c};
    if (c && c->n <= s->row.n) {
        TVGP__TRY(limit(s, c));
        const tvgp_status status = catch_up(s, &r);
        if (status < 0) {
            tvgp__store_copy_discard(s, c);
            return status;
        }
        if (!r.wrong && c->chain == s->row.chain) {
            s->copy = c;
            return TVGP_OK;
        }
    }
    tvgp__store_copy_discard(s, c);
    return restore_new(s);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__store_copy_append_line(tvgp_store *s, const tvgp_event *e, const double *x, const char *line) {
    tvgp__store_copy *c = s->copy;
    const size_t size = strlen(line) + 1;
    s->ahead = 1;
    TVGP__TRY(tvgp__memory_reserve(s->ctx, s->n_lines + 1, sizeof *s->line, &s->line, &s->line_room));
    TVGP__TRY(tvgp__memory_reserve(s->ctx, s->n_lines + 1, sizeof *s->chain, &s->chain, &s->chain_room));
    s->line[s->n_lines] = NULL;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, size, 1, &s->line[s->n_lines]));
    memcpy(s->line[s->n_lines], line, size);
    const int64_t chain = s->chain[s->n_lines++] = tvgp__store_common_chain(c->chain, line);
    return contain(s, c, chain, e, x, line);
}

tvgp_status tvgp__store_copy_append(tvgp_store *s, tvgp_event e, const double *x) {
    const tvgp__store_copy *c = s->copy;
    size_t needed;
    s->ahead = 1;
    e.n = c->n + 1;
    tvgp_status status = tvgp_event_format(c->ctx, &e, (size_t)e.size, x, 0, NULL, &needed);
    if (status < 0)
        return tvgp__store_common_failed(s, c, status);
    TVGP__TRY(tvgp__memory_reserve(s->ctx, needed, 1, &s->bytes, &s->bytes_room));
    status = tvgp_event_format(c->ctx, &e, (size_t)e.size, x, needed, s->bytes, &needed);
    return status < 0 ? tvgp__store_common_failed(s, c, status) : tvgp__store_copy_append_line(s, &e, x, s->bytes);
}

tvgp_status tvgp__store_copy_write(tvgp_store *s, int snapshot) {
    tvgp__store_copy *c = s->copy;
    if (s->n_lines) {
        s->row.n = c->n;
        s->row.chain = c->chain;
        TVGP__TRY(tvgp__store_common_append(s));
    }
    return snapshot || (s->n_lines && c->since >= s->row.snapshot_every) ? tvgp__store_snapshot_write(s, c) : TVGP_OK;
}
