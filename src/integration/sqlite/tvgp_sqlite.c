/* SPDX-License-Identifier: MIT */
/* Policies inside SQLite, as a loadable extension (docs/guide/sqlite.md). Three tables hold a policy: its description, its events as
 * lines (docs/reference/snapshot-format.md#event-log) and its newest snapshot. A connection keeps a copy of each policy that it used. Events carry a chained
 * checksum: if the one of the copy's last event is not in the log, the copy saw a transaction that was rolled back, and is
 * discarded. Every call is one transaction, or a part of the one that encloses it. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

enum { MOST_BYTES = 256 << 20, MOST_ARMS = 1000000, SNAPSHOT_EVERY = 100 };

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS tvgp_policy(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
    " description TEXT NOT NULL, snapshot_every INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS tvgp_event(policy INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL,"
    " query INTEGER, epoch INTEGER, t REAL, line TEXT NOT NULL, PRIMARY KEY(policy, n)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS tvgp_query ON tvgp_event(policy, query) WHERE query IS NOT NULL;"
    "CREATE TABLE IF NOT EXISTS tvgp_snapshot(policy INTEGER PRIMARY KEY, n INTEGER NOT NULL, chain INTEGER NOT NULL,"
    " state BLOB NOT NULL);";

enum { LOCK, READ, EVENTS, EPOCH, APPEND, ADVANCE, LOAD, STORE, CREATE, TRIM, NUMBERS, TYPE, STATEMENTS };
static const char *const texts[STATEMENTS] = {
    [LOCK] = "UPDATE tvgp_policy SET n = n WHERE name = ?1 RETURNING id, description, snapshot_every, n, chain",
    [READ] = "SELECT id, description, snapshot_every, n, chain FROM tvgp_policy WHERE name = ?1",
    [EVENTS] = "SELECT n, chain, line FROM tvgp_event WHERE policy = ?1 AND n BETWEEN ?2 AND ?3 ORDER BY n",
    [EPOCH] =
        "SELECT epoch FROM tvgp_event WHERE policy = ?1 AND query <= ?2 ORDER BY query DESC LIMIT 1", /* a slate has several */
    [APPEND] = "INSERT INTO tvgp_event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [ADVANCE] = "UPDATE tvgp_policy SET n = ?2, chain = ?3 WHERE id = ?1",
    [LOAD] = "SELECT n, chain, state FROM tvgp_snapshot WHERE policy = ?1",
    [STORE] = "INSERT INTO tvgp_snapshot VALUES(?1, ?2, ?3, ?4)"
              " ON CONFLICT(policy) DO UPDATE SET n = excluded.n, chain = excluded.chain, state = excluded.state",
    [CREATE] = "INSERT INTO tvgp_policy(name, description, snapshot_every, n, chain) VALUES(?1, ?2, ?3, 0, 0)",
    [TRIM] = "DELETE FROM tvgp_event WHERE policy = ?1 AND n < (SELECT n FROM tvgp_snapshot WHERE policy = ?1) AND n <"
             " coalesce((SELECT min(n) FROM tvgp_event WHERE policy = ?1 AND t >= ?2), 9007199254740993)",
    [NUMBERS] = "SELECT value FROM json_tree(?1, ?2) WHERE type IN ('integer', 'real')",
    [TYPE] = "SELECT json_type(?1, ?2)",
};

/* A policy in memory, in the state after event n. */
typedef struct copy {
    struct copy *next;
    int64_t id, n, chain, every, since; /* since: events behind the snapshot that this copy knows of */
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    size_t dim, arms;
} copy;

/* What a connection has. */
typedef struct worker {
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
    copy *copies;
    int64_t epoch;
    int connected; /* the virtual tables are, so that closing the connection finalises the statements */
    int users;
} worker;

/* One call of a function. */
typedef struct call {
    worker *w;
    copy *c;
    int own;          /* the transaction is the call's */
    int64_t n, chain; /* of the row */
    char error[400];
} call;

/* ---- statements ------------------------------------------------------------------------------------------------- */

/* Copies the message, which the next statement replaces. Returns 0, for failures. */
static int fail(call *k, const char *format, const char *reason) {
    snprintf(k->error, sizeof k->error, format, reason);
    return 0;
}

static int fail_db(call *k) {
    return fail(k, "%s", sqlite3_errmsg(k->w->db));
}

static int fail_library(call *k, const copy *c, tvgp_status status) {
    return fail(k, "%s", c && c->ctx && *tvgp_ctx_errmsg(c->ctx) ? tvgp_ctx_errmsg(c->ctx) : tvgp_status_name(status));
}

static sqlite3_stmt *prepare(call *k, int which) {
    sqlite3_stmt **s = &k->w->statement[which];
    if (!*s && sqlite3_prepare_v3(k->w->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
        return fail_db(k), NULL;
    return *s;
}

/* Ends a statement; 0: it failed. */
static int finish(call *k, sqlite3_stmt *s, int code) {
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        fail_db(k);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

/* A writing statement under way whose transaction the call joins. */
static int enclosed(const worker *w) {
    if (!sqlite3_get_autocommit(w->db))
        return 1;
    for (sqlite3_stmt *s = NULL; (s = sqlite3_next_stmt(w->db, s)) != NULL;)
        if (sqlite3_stmt_busy(s) && !sqlite3_stmt_readonly(s))
            return 1;
    return 0;
}

static int begin(call *k) {
    if (!k->w->connected) {
        sqlite3_stmt *s;
        if (sqlite3_prepare_v2(k->w->db, "SELECT 1 FROM tvgp_arms", -1, &s, NULL) != SQLITE_OK)
            return fail_db(k);
        sqlite3_finalize(s);
        k->w->connected = 1;
    }
    k->own = !enclosed(k->w);
    return !k->own || sqlite3_exec(k->w->db, "SAVEPOINT tvgp_call", NULL, NULL, NULL) == SQLITE_OK || fail_db(k);
}

/* Commits or undoes the call's own transaction. */
static int end(call *k, int ok) {
    if (!k->own)
        return ok;
    if (ok && sqlite3_exec(k->w->db, "RELEASE tvgp_call", NULL, NULL, NULL) == SQLITE_OK)
        return 1;
    if (ok)
        fail_db(k);
    sqlite3_exec(k->w->db, "ROLLBACK TO tvgp_call; RELEASE tvgp_call", NULL, NULL, NULL);
    return 0;
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static void release(copy *c) {
    if (c) {
        tvgp_policy_destroy(c->policy);
        tvgp_ctx_destroy(c->ctx);
        free(c);
    }
}

static void discard(worker *w, const copy *c) {
    for (copy **at = &w->copies; *at; at = &(*at)->next)
        if (*at == c) {
            copy *gone = *at;
            *at = gone->next;
            release(gone);
            return;
        }
}

static int64_t chained(int64_t chain, const char *line) {
    uint64_t h = (uint64_t)chain ^ UINT64_C(0xcbf29ce484222325);
    for (; *line; line++)
        h = (h ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
    return (int64_t)h;
}

/* A copy in the state before the first event. */
static copy *make(call *k, int64_t id, const char *description, int64_t every) {
    copy *c = calloc(1, sizeof *c);
    tvgp_domain *domain = NULL;
    if (!c || tvgp_ctx_create(NULL, &c->ctx) != TVGP_OK)
        return release(c), fail(k, "%s", "out of memory"), NULL;
    tvgp_ctx_set_quota(c->ctx, MOST_BYTES, MOST_ARMS, 0);
    tvgp_status status = tvgp_policy_create_described(c->ctx, description, &c->policy);
    if (status == TVGP_OK)
        status = tvgp_policy_domain(c->policy, &domain);
    if (status == TVGP_OK)
        status = tvgp_domain_size(domain, &c->arms);
    if (status == TVGP_OK)
        status = tvgp_domain_dim(domain, &c->dim);
    tvgp_domain_destroy(domain);
    if (status != TVGP_OK)
        return fail_library(k, c, status), release(c), NULL;
    c->id = id;
    c->every = every;
    return c;
}

/* The newest snapshot of at most event n into a new copy. */
static int load(call *k, copy *c) {
    sqlite3_stmt *s = prepare(k, LOAD);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, c->id);
    const int code = sqlite3_step(s);
    int ok = code == SQLITE_DONE || code == SQLITE_ROW;
    if (code == SQLITE_ROW && sqlite3_column_int64(s, 0) <= k->n) {
        const tvgp_status status =
            tvgp_policy_load(c->policy, sqlite3_column_blob(s, 2), (size_t)sqlite3_column_bytes(s, 2));
        c->n = sqlite3_column_int64(s, 0);
        c->chain = sqlite3_column_int64(s, 1);
        ok = status == TVGP_OK || fail_library(k, c, status);
    }
    return finish(k, s, ok ? SQLITE_DONE : code) && ok;
}

static int replay_line(call *k, copy *c, const char *line) {
    tvgp_event e;
    size_t n_x;
    tvgp_status status = tvgp_event_parse(c->ctx, line, 0, &e, NULL, &n_x);
    double *x = malloc((n_x + 1) * sizeof *x);
    if (status == TVGP_OK && x)
        status = tvgp_event_parse(c->ctx, line, n_x, &e, x, &n_x);
    if (status == TVGP_OK && x)
        status = tvgp_policy_apply(c->policy, &e, 1, n_x ? x : NULL, n_x);
    free(x);
    return x && status == TVGP_OK ? 1 : x ? fail_library(k, c, status) : fail(k, "%s", "out of memory");
}

static int fail_log(call *k, int64_t n, const char *what) {
    snprintf(k->error, sizeof k->error, "tvgp: event %" PRId64 " %s", n, what);
    return 0;
}

/* Replays the events behind the copy. *stale: the copy's own last event is not in the log. */
static int replay(call *k, copy *c, int *stale) {
    const int64_t first = c->n;
    sqlite3_stmt *s = prepare(k, EVENTS);
    int code = SQLITE_DONE, ok = s != NULL, seen = first == 0;
    *stale = 0;
    if (!ok)
        return 0;
    sqlite3_bind_int64(s, 1, c->id);
    sqlite3_bind_int64(s, 2, first);
    sqlite3_bind_int64(s, 3, k->n);
    while (ok && !*stale && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const int64_t n = sqlite3_column_int64(s, 0), chain = sqlite3_column_int64(s, 1);
        const char *line = (const char *)sqlite3_column_text(s, 2);
        if (n == first && !seen) {
            seen = 1;
            *stale = chain != c->chain;
            continue;
        }
        if (n != c->n + 1)
            ok = fail_log(k, c->n + 1, "is missing in the log");
        else if (!line || chained(c->chain, line) != chain)
            ok = fail_log(k, n, "is damaged: its checksum does not match");
        else
            ok = replay_line(k, c, line);
        c->n = n;
        c->chain = chain;
        c->since++;
    }
    ok = finish(k, s, ok ? code : SQLITE_DONE) && ok;
    if (ok && !*stale && c->n != k->n)
        ok = fail_log(k, c->n + 1, "is missing in the log");
    return ok;
}

static int restore(call *k, int64_t id, const char *description, int64_t every) {
    int stale = 0;
    copy *c = make(k, id, description, every);
    if (!c)
        return 0;
    c->next = k->w->copies;
    k->w->copies = c;
    k->c = c;
    if (!load(k, c) || !replay(k, c, &stale))
        return discard(k->w, c), 0;
    if (stale || c->chain != k->chain)
        return discard(k->w, c), fail(k, "%s", "tvgp: the snapshot does not belong to the log");
    return 1;
}

/* The copy of a policy in the newest state. The row is locked if `write`. */
static int open_policy(call *k, const char *name, int write) {
    int stale = 0;
    sqlite3_stmt *s = prepare(k, write ? LOCK : READ);
    if (!s)
        return 0;
    sqlite3_bind_text(s, 1, name ? name : "", -1, SQLITE_STATIC);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return finish(k, s, code), code == SQLITE_DONE ? fail(k, "tvgp: no policy '%.60s'", name ? name : "") : 0;
    const int64_t id = sqlite3_column_int64(s, 0), every = sqlite3_column_int64(s, 2);
    k->n = sqlite3_column_int64(s, 3);
    k->chain = sqlite3_column_int64(s, 4);
    char *description = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(s, 1));
    int ok = description != NULL && finish(k, s, write ? sqlite3_step(s) : code);
    copy *c = k->w->copies;
    while (c && c->id != id)
        c = c->next;
    k->c = c;
    if (ok && c && c->n <= k->n) {
        ok = c->n == k->n ? 1 : replay(k, c, &stale);
        if (!ok)
            discard(k->w, c);
    }
    if (ok && (!c || stale || c->n > k->n || c->chain != k->chain)) {
        discard(k->w, c);
        ok = restore(k, id, description, every);
    }
    sqlite3_free(description);
    return ok;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* Appends an event that the copy has made. */
static int append(call *k, tvgp_event e, const double *x) {
    copy *c = k->c;
    size_t needed;
    e.n = c->n + 1;
    tvgp_status status = tvgp_event_format(c->ctx, &e, x, (size_t)e.size, NULL, 0, &needed);
    char *line = status == TVGP_OK ? malloc(needed) : NULL;
    if (line)
        status = tvgp_event_format(c->ctx, &e, x, (size_t)e.size, line, needed, &needed);
    sqlite3_stmt *s = line ? prepare(k, APPEND) : NULL;
    if (!s)
        return free(line), fail_library(k, c, status);
    c->n++;
    c->chain = chained(c->chain, line);
    c->since++;
    sqlite3_bind_int64(s, 1, c->id);
    sqlite3_bind_int64(s, 2, c->n);
    sqlite3_bind_int64(s, 3, c->chain);
    if (e.kind == TVGP_EVENT_ASK && e.id)
        sqlite3_bind_int64(s, 4, e.id), sqlite3_bind_int64(s, 5, e.epoch);
    if (e.kind == TVGP_EVENT_ASK)
        sqlite3_bind_double(s, 6, e.t);
    sqlite3_bind_text(s, 7, line, -1, SQLITE_TRANSIENT);
    free(line);
    return finish(k, s, sqlite3_step(s));
}

static int store(call *k) {
    copy *c = k->c;
    size_t n = 0;
    tvgp_status status = tvgp_policy_save(c->policy, NULL, 0, &n);
    char *bytes = status == TVGP_OK ? sqlite3_malloc64(n) : NULL;
    if (bytes)
        status = tvgp_policy_save(c->policy, bytes, n, &n);
    sqlite3_stmt *s = bytes && status == TVGP_OK ? prepare(k, STORE) : NULL;
    if (!s)
        return sqlite3_free(bytes), status == TVGP_OK ? 0 : fail_library(k, c, status);
    sqlite3_bind_int64(s, 1, c->id);
    sqlite3_bind_int64(s, 2, c->n);
    sqlite3_bind_int64(s, 3, c->chain);
    sqlite3_bind_blob64(s, 4, bytes, n, sqlite3_free);
    c->since = 0;
    return finish(k, s, sqlite3_step(s));
}

/* Ends a call that changed the policy: the row gets the number of the newest event, and every so often a snapshot. */
static int advance(call *k) {
    const copy *c = k->c;
    sqlite3_stmt *s = prepare(k, ADVANCE);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, c->id);
    sqlite3_bind_int64(s, 2, c->n);
    sqlite3_bind_int64(s, 3, c->chain);
    return finish(k, s, sqlite3_step(s)) && (c->since < c->every || store(k));
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec at = {0};
    clock_gettime(CLOCK_REALTIME, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static double time_of(int argc, sqlite3_value **argv, int i) {
    return i < argc && sqlite3_value_type(argv[i]) != SQLITE_NULL ? sqlite3_value_double(argv[i]) : now();
}

/* Time for questions that change nothing: not before the newest one. */
static double look(const copy *c, double t) {
    double newest = -INFINITY;
    (void)tvgp_policy_stat(c->policy, "clock", &newest);
    return t > newest ? t : newest;
}

static const char *name_of(sqlite3_value **argv) {
    return (const char *)sqlite3_value_text(argv[0]);
}

/* Questions are put to a twin, because a prediction at another time moves the copy's state by rounding; NULL: failed. */
static tvgp_policy *twin_of(call *k) {
    tvgp_policy *twin = NULL;
    const tvgp_status status = tvgp_policy_clone(k->c->policy, &twin);
    if (status != TVGP_OK)
        fail_library(k, k->c, status);
    return twin;
}

/* A result as JSON. */
static void add_point(sqlite3_str *out, size_t dim, const double *x) {
    sqlite3_str_appendall(out, "\"x\":[");
    for (size_t d = 0; d < dim; d++)
        sqlite3_str_appendf(out, "%s%!.17g", d ? "," : "", x[d]);
    sqlite3_str_appendall(out, "]");
}

static void result_json(sqlite3_context *ctx, sqlite3_str *out) {
    char *text = sqlite3_str_finish(out);
    sqlite3_result_text(ctx, text ? text : "", -1, SQLITE_TRANSIENT);
    sqlite3_result_subtype(ctx, 'J');
    sqlite3_free(text);
}

static void result_error(sqlite3_context *ctx, const call *k) {
    sqlite3_result_error(ctx, *k->error ? k->error : "tvgp: failed", -1);
}

static void create(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    const char *name = name_of(argv), *text = (const char *)sqlite3_value_text(argv[1]);
    const int64_t every = argc > 2 ? sqlite3_value_int64(argv[2]) : SNAPSHOT_EVERY;
    char *description = sqlite3_mprintf("%s%s", text, text && strstr(text, "time.clamp=") ? "" : " time.clamp=1");
    copy *made = NULL;
    sqlite3_stmt *s;
    int ok = name && *name && text && every >= 1 && description;
    if (!ok)
        fail(&k, "%s", "tvgp_create(name, description [, snapshot_every >= 1])");
    if (ok && (made = make(&k, 0, description, every)) == NULL)
        ok = 0;
    if (ok && begin(&k)) {
        ok = sqlite3_exec(k.w->db, schema, NULL, NULL, NULL) == SQLITE_OK || fail_db(&k);
        s = ok ? prepare(&k, CREATE) : NULL;
        if (s) {
            sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
            sqlite3_bind_text(s, 2, description, -1, SQLITE_STATIC);
            sqlite3_bind_int64(s, 3, every);
            ok = finish(&k, s, sqlite3_step(s));
        }
        ok = end(&k, ok && s);
    } else {
        ok = 0;
    }
    release(made);
    sqlite3_free(description);
    if (!ok)
        result_error(ctx, &k);
}

/* The numbers of a member of a JSON text, in order; to be freed. n 0 and NULL: it is not there. */
static double *numbers(call *k, sqlite3_value *json, const char *path, size_t *n) {
    sqlite3_stmt *s = prepare(k, NUMBERS);
    double *list = NULL;
    size_t room = 0;
    int code = SQLITE_DONE;
    *n = 0;
    if (!s)
        return NULL;
    sqlite3_bind_value(s, 1, json);
    sqlite3_bind_text(s, 2, path, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (*n == room) {
            double *grown = realloc(list, (room = 2 * room + 16) * sizeof *list);
            if (!grown) {
                code = SQLITE_NOMEM;
                break;
            }
            list = grown;
        }
        list[(*n)++] = sqlite3_column_double(s, 0);
    }
    finish(k, s, code);
    return list;
}

/* Makes a call of the library and appends its event. */
static int set(call *k, tvgp_status status, tvgp_event e, const double *x) {
    return status >= 0 ? append(k, e, x) : fail_library(k, k->c, status);
}

static int set_candidates(call *k, size_t size, const double *x, size_t means, const double *mean) {
    const copy *c = k->c;
    const size_t n = size / c->dim;
    double *both = malloc((size + means + 1) * sizeof *both);
    if (!both || n * c->dim != size || (means && means != n))
        return free(both), fail(k, "%s", "tvgp_ask: candidates and means have sizes that do not fit");
    if (size)
        memcpy(both, x, size * sizeof *x);
    if (means)
        memcpy(both + size, mean, means * sizeof *mean);
    const int ok = set(k, tvgp_policy_set_candidates(c->policy, n, n ? both : NULL, means ? both + size : NULL),
                       (tvgp_event){.kind = TVGP_EVENT_CANDIDATES,
                                    .arm = (int64_t)n,
                                    .flags = means ? TVGP_EVENT_MEANS : 0,
                                    .size = (int64_t)(size + means)},
                       both);
    free(both);
    return ok;
}

enum { SLATE_MOST = 32, DIM_MOST = 64 };

/* What an ask gave. */
typedef struct asked {
    int64_t slate; /* items wanted; 0: one query, and no slate */
    size_t n;      /* 0: nothing to ask */
    tvgp_query q[SLATE_MOST];
    double x[SLATE_MOST * DIM_MOST];
} asked;

static int take_slate(call *k, sqlite3_value *json, asked *a) {
    size_t n;
    double *wanted = numbers(k, json, "$.slate", &n);
    if (n)
        a->slate = wanted[0] >= 1 && wanted[0] <= SLATE_MOST ? (int64_t)wanted[0] : -1;
    free(wanted);
    return a->slate >= 0 || fail(k, "%s", "tvgp_ask: slate must be in 1..32");
}

/* {"context":3}, {"context":[..]}, {"candidates":[[..],..],"means":[..]}, {"slate":3}. *candidates: they are to be removed after the
 * ask. */
static int take_arguments(call *k, sqlite3_value *json, int *candidates) {
    size_t n, n_means;
    int ok = 1;
    sqlite3_stmt *s = prepare(k, TYPE);
    if (!s)
        return 0;
    sqlite3_bind_value(s, 1, json);
    sqlite3_bind_text(s, 2, "$.context", -1, SQLITE_STATIC);
    int code = sqlite3_step(s);
    const char *type = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    const int point = type && strcmp(type, "array") == 0;
    if (!finish(k, s, code))
        return 0;
    double *z = numbers(k, json, "$.context", &n);
    if (n && point)
        ok = set(k, tvgp_policy_set_context_point(k->c->policy, z, n),
                 (tvgp_event){.kind = TVGP_EVENT_CONTEXT_POINT, .size = (int64_t)n}, z);
    else if (n)
        ok = set(k, tvgp_policy_set_context(k->c->policy, (int64_t)z[0]),
                 (tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = (int64_t)z[0]}, NULL);
    free(z);
    double *x = ok ? numbers(k, json, "$.candidates", &n) : NULL, *mean = ok ? numbers(k, json, "$.means", &n_means) : NULL;
    if (ok && x)
        ok = *candidates = set_candidates(k, n, x, n_means, mean);
    free(x);
    free(mean);
    return ok && !*k->error;
}

static int append_ask(call *k, double t, const asked *a) {
    const size_t dim = k->c->dim, each = dim + 2;
    double items[SLATE_MOST * (DIM_MOST + 2)];
    tvgp_event e = {.kind = TVGP_EVENT_ASK, .arm = -1, .t = t, .slate = (int32_t)a->slate};
    if (a->n) {
        e.id = a->q[0].id;
        e.epoch = k->w->epoch;
        e.arm = a->q[0].arm;
        e.t = a->q[0].t;
        e.propensity = a->q[0].propensity;
        e.size = (int64_t)(a->slate ? a->n * each : dim);
    }
    for (size_t i = 0; a->slate && i < a->n; i++) {
        items[i * each] = (double)a->q[i].arm;
        items[i * each + 1] = a->q[i].propensity;
        memcpy(items + i * each + 2, a->x + i * dim, dim * sizeof *items);
    }
    return append(k, e, a->slate ? items : a->x);
}

static int ask_open(call *k, double t, sqlite3_value *json, asked *a) {
    int candidates = 0;
    if (json && (!take_slate(k, json, a) || !take_arguments(k, json, &candidates)))
        return 0;
    tvgp_policy *policy = k->c->policy;
    const tvgp_status status = a->slate ? tvgp_policy_ask_slate(policy, t, (size_t)a->slate, a->q, a->x, &a->n)
                                        : tvgp_policy_ask_one(policy, t, a->q, a->x);
    if (status < 0)
        return fail_library(k, k->c, status);
    a->n = status > 0 ? 0 : a->slate ? a->n : 1;
    return append_ask(k, t, a) && (!candidates || set_candidates(k, 0, NULL, 0, NULL)) && advance(k);
}

static void add_query(sqlite3_str *out, const call *k, const tvgp_query *q, const double *x) {
    sqlite3_str_appendf(out, "{\"id\":%lld,\"epoch\":%lld,\"arm\":%lld,", (long long)q->id, (long long)k->w->epoch,
                        (long long)q->arm);
    add_point(out, k->c->dim, x);
    sqlite3_str_appendf(out, ",\"propensity\":%!.17g}", q->propensity);
}

static void ask(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    asked a = {0};
    int ok = begin(&k);
    if (ok) {
        sqlite3_value *json = argc > 2 && sqlite3_value_type(argv[2]) != SQLITE_NULL ? argv[2] : NULL;
        ok = open_policy(&k, name_of(argv), 1) && ask_open(&k, time_of(argc, argv, 1), json, &a);
        if (!ok && k.c)
            discard(k.w, k.c); /* it may be ahead of the log */
        ok = end(&k, ok);
    }
    if (!ok) {
        result_error(ctx, &k);
    } else if (a.n) {
        sqlite3_str *out = sqlite3_str_new(k.w->db);
        for (size_t i = 0; i < a.n; i++) {
            sqlite3_str_appendall(out, i ? "," : a.slate ? "[" : "");
            add_query(out, &k, &a.q[i], a.x + i * k.c->dim);
        }
        sqlite3_str_appendall(out, a.slate ? "]" : "");
        result_json(ctx, out);
    }
}

/* Whether the query was asked in this epoch; also if its event was deleted. */
static int in_epoch(call *k, int64_t id, int64_t epoch, int *same) {
    sqlite3_stmt *s = prepare(k, EPOCH);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, k->c->id);
    sqlite3_bind_int64(s, 2, id);
    const int code = sqlite3_step(s);
    *same = code != SQLITE_ROW || sqlite3_column_int64(s, 0) == epoch;
    return finish(k, s, code);
}

static int tell_open(call *k, const tvgp_event *e, const double *x, int check, int64_t epoch, int *taken) {
    *taken = 1;
    if (check && !in_epoch(k, e->id, epoch, taken))
        return 0;
    if (!*taken)
        return 1;
    const tvgp_obs obs = {.id = e->id,
                          .outcome = e->outcome,
                          .flags = e->flags,
                          .y = e->y,
                          .t = e->t,
                          .exposure = e->exposure,
                          .reference = e->reference};
    const tvgp_status status = tvgp_policy_tell(k->c->policy, &obs, x, 1);
    *taken = status == TVGP_OK;
    if (status == TVGP_ERR_TICKET && e->id > 0)
        return 1;
    return status == TVGP_OK ? append(k, *e, x) && advance(k) : fail_library(k, k->c, status);
}

static void tell_event(sqlite3_context *ctx, call *k, const char *name, const tvgp_event *e, const double *x, int check,
                       int64_t epoch) {
    int taken = 0, ok = begin(k);
    if (ok) {
        ok = open_policy(k, name, 1);
        if (ok && x && e->size != (int64_t)k->c->dim)
            ok = fail(k, "%s", "tvgp_observe: the point has another number of coordinates");
        ok = ok && tell_open(k, e, x, check, epoch, &taken);
        if (!ok && k->c)
            discard(k->w, k->c);
        ok = end(k, ok);
    }
    if (ok)
        sqlite3_result_int(ctx, taken);
    else
        result_error(ctx, k);
}

static int is_null(sqlite3_value **argv, int argc, int i) {
    return i >= argc || sqlite3_value_type(argv[i]) == SQLITE_NULL;
}

/* An argument that may be NULL, a member of the outcome with this flag. */
static void take_member(int argc, sqlite3_value **argv, int i, uint32_t flag, double *member, tvgp_event *e) {
    if (is_null(argv, argc, i))
        return;
    e->flags |= flag;
    *member = sqlite3_value_double(argv[i]);
}

static void tell(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    const int lost = is_null(argv, argc, 2), timed = !is_null(argv, argc, 3), check = !is_null(argv, argc, 4);
    tvgp_event e = {.kind = TVGP_EVENT_TELL,
                    .id = sqlite3_value_int64(argv[1]),
                    .outcome = lost ? TVGP_SKIPPED : TVGP_VALUE,
                    .flags = timed ? TVGP_OBS_HAS_TIME : 0,
                    .y = lost ? 0 : sqlite3_value_double(argv[2]),
                    .t = timed ? sqlite3_value_double(argv[3]) : 0};
    take_member(argc, argv, 5, TVGP_OBS_HAS_EXPOSURE, &e.exposure, &e);
    take_member(argc, argv, 6, TVGP_OBS_HAS_REFERENCE, &e.reference, &e);
    if (e.id < 1)
        sqlite3_result_int(ctx, 0);
    else
        tell_event(ctx, &k, name_of(argv), &e, NULL, check, check ? sqlite3_value_int64(argv[4]) : 0);
}

static void observe(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    size_t n;
    double *x = numbers(&k, argv[1], "$", &n);
    tvgp_event e = {.kind = TVGP_EVENT_TELL,
                    .flags = TVGP_OBS_HAS_TIME,
                    .y = sqlite3_value_double(argv[2]),
                    .t = time_of(argc, argv, 3),
                    .size = (int64_t)n};
    take_member(argc, argv, 4, TVGP_OBS_HAS_EXPOSURE, &e.exposure, &e);
    take_member(argc, argv, 5, TVGP_OBS_HAS_REFERENCE, &e.reference, &e);
    if (x)
        tell_event(ctx, &k, name_of(argv), &e, x, 0, 0);
    else
        fail(&k, "%s", "tvgp_observe: the point is not a JSON array of numbers"), result_error(ctx, &k);
    free(x);
}

/* ---- a budget ----------------------------------------------------------------------------------------------------- */

/* A call that changes the policy and returns 1, or 0 if the query is not open. */
static void change(sqlite3_context *ctx, int argc, sqlite3_value **argv, int (*make_call)(call *, sqlite3_value **, int *)) {
    call k = {.w = sqlite3_user_data(ctx)};
    int taken = 1, ok = begin(&k);
    (void)argc;
    if (ok) {
        ok = open_policy(&k, name_of(argv), 1) && make_call(&k, argv, &taken) && (!taken || advance(&k));
        if (!ok && k.c)
            discard(k.w, k.c);
        ok = end(&k, ok);
    }
    if (ok)
        sqlite3_result_int(ctx, taken);
    else
        result_error(ctx, &k);
}

static int budget_call(call *k, sqlite3_value **argv, int *taken) {
    double b[3];
    (void)taken;
    for (int i = 0; i < 3; i++)
        b[i] = sqlite3_value_double(argv[1 + i]);
    return set(k, tvgp_policy_set_budget(k->c->policy, b[0], b[1], b[2]), (tvgp_event){.kind = TVGP_EVENT_BUDGET, .size = 3},
               b);
}

static int costs_call(call *k, sqlite3_value **argv, int *taken) {
    size_t n;
    double *cost = numbers(k, argv[1], "$", &n);
    (void)taken;
    const int ok = cost ? set(k, tvgp_policy_set_costs(k->c->policy, n, cost),
                              (tvgp_event){.kind = TVGP_EVENT_COSTS, .size = (int64_t)n}, cost)
                        : fail(k, "%s", "tvgp_set_costs: the costs are not a JSON array of numbers");
    free(cost);
    return ok;
}

static int charge_call(call *k, sqlite3_value **argv, int *taken) {
    const tvgp_event e = {
        .kind = TVGP_EVENT_CHARGE, .id = sqlite3_value_int64(argv[1]), .charge = sqlite3_value_double(argv[2])};
    const tvgp_status status = tvgp_policy_charge(k->c->policy, e.id, e.charge);
    *taken = status != TVGP_ERR_TICKET;
    return !*taken || set(k, status, e, NULL);
}

static void set_budget(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    change(ctx, argc, argv, budget_call);
}
static void set_costs(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    change(ctx, argc, argv, costs_call);
}
static void charge(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    change(ctx, argc, argv, charge_call);
}

/* ---- questions ---------------------------------------------------------------------------------------------------- */

/* Events of a log with their numbers. */
typedef struct journal {
    tvgp_event *e;
    double *x;
    size_t n, room, n_x, x_room;
} journal;

static int add_event(call *k, tvgp_ctx *ctx, journal *j, const char *line) {
    size_t needed = 0;
    if (j->n == j->room) {
        tvgp_event *grown = realloc(j->e, (2 * j->room + 64) * sizeof *grown);
        if (!grown)
            return fail(k, "%s", "out of memory");
        j->e = grown;
        j->room = 2 * j->room + 64;
    }
    if (tvgp_event_parse(ctx, line, 0, &j->e[j->n], NULL, &needed) != TVGP_OK)
        return fail(k, "%s", tvgp_ctx_errmsg(ctx));
    if (j->n_x + needed >= j->x_room) {
        const size_t room = 2 * j->x_room + needed + 64;
        double *grown = realloc(j->x, room * sizeof *grown);
        if (!grown)
            return fail(k, "%s", "out of memory");
        j->x = grown;
        j->x_room = room;
    }
    (void)tvgp_event_parse(ctx, line, needed, &j->e[j->n++], j->x + j->n_x, &needed);
    j->n_x += needed;
    return 1;
}

/* All events of a policy from the first on. */
static int read_events(call *k, tvgp_ctx *ctx, int64_t id, journal *j) {
    sqlite3_stmt *s = prepare(k, EVENTS);
    int code = SQLITE_DONE, ok = s != NULL;
    if (!ok)
        return 0;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, 1);
    sqlite3_bind_int64(s, 3, k->n);
    while (ok && (code = sqlite3_step(s)) == SQLITE_ROW) {
        ok = add_event(k, ctx, j, (const char *)sqlite3_column_text(s, 2));
        if (ok && j->e[j->n - 1].n != (int64_t)j->n)
            ok = fail_log(k, (int64_t)j->n, "is missing in the log");
    }
    return finish(k, s, ok ? code : SQLITE_DONE) && ok;
}

/* uniform, arm=3, or the description of a policy. */
static tvgp_status target_of(tvgp_ctx *ctx, const char *text, tvgp_policy **target, int64_t *arm) {
    *arm = -1;
    if (strcmp(text, "uniform") == 0)
        return TVGP_OK;
    if (strncmp(text, "arm=", 4) == 0)
        return *arm = strtoll(text + 4, NULL, 10), TVGP_OK;
    return tvgp_policy_create_described(ctx, text, target);
}

static int estimate_open(call *k, sqlite3_value **argv, double half_life, tvgp_value_estimate *out) {
    const char *text = (const char *)sqlite3_value_text(argv[1]);
    tvgp_policy *target = NULL;
    journal j = {0};
    int64_t arm;
    if (!open_policy(k, name_of(argv), 0) || !text)
        return 0;
    sqlite3_stmt *s = prepare(k, READ);
    if (!s)
        return 0;
    sqlite3_bind_text(s, 1, name_of(argv), -1, SQLITE_STATIC);
    const int code = sqlite3_step(s);
    copy *fresh = code == SQLITE_ROW ? make(k, k->c->id, (const char *)sqlite3_column_text(s, 1), 1) : NULL;
    int ok = finish(k, s, code) && fresh && read_events(k, fresh->ctx, fresh->id, &j);
    tvgp_status status = ok ? target_of(fresh->ctx, text, &target, &arm) : TVGP_OK;
    if (ok && status == TVGP_OK)
        status = tvgp_estimate_events(fresh->policy, target, arm, j.e, j.n, j.x, j.n_x, half_life, out);
    ok = ok && (status == TVGP_OK || fail_library(k, fresh, status));
    tvgp_policy_destroy(target);
    release(fresh);
    free(j.e);
    free(j.x);
    return ok;
}

static void estimate(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    tvgp_value_estimate v = {.struct_size = sizeof v};
    const double half_life = is_null(argv, argc, 2) ? INFINITY : sqlite3_value_double(argv[2]);
    int ok = begin(&k);
    if (ok)
        ok = end(&k, estimate_open(&k, argv, half_life, &v));
    if (!ok) {
        result_error(ctx, &k);
        return;
    }
    sqlite3_str *out = sqlite3_str_new(k.w->db);
    sqlite3_str_appendf(out, "{\"used\":%lld,\"missing\":%lld,\"dm\":%!.17g,\"dr\":%!.17g,\"dr_se\":%!.17g,",
                        (long long)v.used, (long long)v.missing, v.dm, v.dr, v.dr_se);
    sqlite3_str_appendf(out, "\"ips\":%!.17g,\"ips_se\":%!.17g,\"snips\":%!.17g,\"snips_se\":%!.17g,", v.ips, v.ips_se,
                        v.snips, v.snips_se);
    sqlite3_str_appendf(out, "\"ess\":%!.17g,\"mean_weight\":%!.17g,\"expected\":%!.17g,\"reliable\":%d}", v.ess,
                        v.mean_weight, v.expected, v.reliable);
    result_json(ctx, out);
}

static void best(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    double x[64] = {0}, mean = 0, var = 0;
    int64_t arm = -1;
    int ok = begin(&k);
    if (ok) {
        tvgp_policy *twin = open_policy(&k, name_of(argv), 0) ? twin_of(&k) : NULL;
        const double t = twin ? look(k.c, time_of(argc, argv, 1)) : 0;
        tvgp_status status = twin ? tvgp_policy_best(twin, t, &arm, x) : TVGP_OK;
        if (twin && status == TVGP_OK)
            status = tvgp_policy_predict(twin, t, 1, x, &mean, &var);
        ok = twin && (status == TVGP_OK || fail_library(&k, k.c, status));
        tvgp_policy_destroy(twin);
        ok = end(&k, ok);
    }
    if (!ok) {
        result_error(ctx, &k);
        return;
    }
    sqlite3_str *out = sqlite3_str_new(k.w->db);
    sqlite3_str_appendf(out, "{\"arm\":%lld,", (long long)arm);
    add_point(out, k.c->dim, x);
    sqlite3_str_appendf(out, ",\"mean\":%!.17g,\"sd\":%!.17g}", mean, sqrt(var));
    result_json(ctx, out);
}

static void stat(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    const char *key = (const char *)sqlite3_value_text(argv[1]);
    double value = 0;
    int ok = begin(&k);
    (void)argc;
    if (ok) {
        ok = open_policy(&k, name_of(argv), 0);
        const tvgp_status status = ok ? tvgp_policy_stat(k.c->policy, key ? key : "", &value) : TVGP_OK;
        ok = ok && (status == TVGP_OK || fail_library(&k, k.c, status));
        ok = end(&k, ok);
    }
    if (ok)
        sqlite3_result_double(ctx, value);
    else
        result_error(ctx, &k);
}

/* The bytes of the state, for backups and comparisons. */
static void state(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    char *bytes = NULL;
    size_t n = 0;
    int ok = begin(&k);
    (void)argc;
    if (ok) {
        ok = open_policy(&k, name_of(argv), 0) && tvgp_policy_save(k.c->policy, NULL, 0, &n) == TVGP_OK &&
             (bytes = sqlite3_malloc64(n)) != NULL && tvgp_policy_save(k.c->policy, bytes, n, &n) == TVGP_OK;
        ok = end(&k, ok);
    }
    if (ok)
        sqlite3_result_blob64(ctx, bytes, n, SQLITE_TRANSIENT);
    else
        result_error(ctx, &k);
    sqlite3_free(bytes);
}

static void trim(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    call k = {.w = sqlite3_user_data(ctx)};
    int ok = begin(&k), changed = 0;
    (void)argc;
    if (ok) {
        ok = open_policy(&k, name_of(argv), 1);
        sqlite3_stmt *s = ok ? prepare(&k, TRIM) : NULL;
        if (s) {
            sqlite3_bind_int64(s, 1, k.c->id);
            sqlite3_bind_double(s, 2, sqlite3_value_double(argv[1]));
            ok = finish(&k, s, sqlite3_step(s));
            changed = sqlite3_changes(k.w->db);
        }
        ok = end(&k, ok && s);
    }
    if (ok)
        sqlite3_result_int(ctx, changed);
    else
        result_error(ctx, &k);
}

/* ---- the tables tvgp_arms(name, t) and tvgp_shares(name, draws, power, floor, t) ---------------------------------- */

enum { SHOWN = 4, HIDDEN = 5 }; /* columns; tvgp_arms has fewer hidden ones */

typedef struct table {
    sqlite3_vtab base;
    worker *w;
    int shares; /* 1: tvgp_shares */
} table;

/* Rows of arms: their mean and standard deviation, or their probability and share. */
typedef struct cursor {
    sqlite3_vtab_cursor base;
    size_t n, at, dim;
    double *x, *first, *second;
} cursor;

static void forget(worker *w) {
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(w->statement[i]);
        w->statement[i] = NULL;
    }
    w->connected = 0;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
    const int shares = strcmp(argv[0], "tvgp_shares") == 0;
    (void)argc, (void)error;
    const int code = sqlite3_declare_vtab(
        db, shares ? "CREATE TABLE x(arm INTEGER, x TEXT, probability REAL, share REAL, name HIDDEN, draws HIDDEN,"
                     " power HIDDEN, floor HIDDEN, t HIDDEN)"
                   : "CREATE TABLE x(arm INTEGER, x TEXT, mean REAL, sd REAL, name HIDDEN, t HIDDEN)");
    table *made = code == SQLITE_OK ? sqlite3_malloc(sizeof *made) : NULL;
    if (!made)
        return code == SQLITE_OK ? SQLITE_NOMEM : code;
    memset(made, 0, sizeof *made);
    made->w = aux;
    made->shares = shares;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    *out = &made->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base) {
    forget(((table *)base)->w);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* name = .. and the others become arguments of the filter, those with a bit in idxNum; without a name there is no plan. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    int given[HIDDEN] = {-1, -1, -1, -1, -1};
    (void)base;
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].iColumn >= SHOWN && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
            if (!info->aConstraint[i].usable)
                return SQLITE_CONSTRAINT;
            given[info->aConstraint[i].iColumn - SHOWN] = i;
        }
    for (int column = 0, n = 0; column < HIDDEN; column++)
        if (given[column] >= 0) {
            info->aConstraintUsage[given[column]].argvIndex = ++n;
            info->aConstraintUsage[given[column]].omit = 1;
            info->idxNum |= 1 << column;
        }
    info->estimatedCost = info->idxNum & 1 ? 100 : 1e9;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
    cursor *made = sqlite3_malloc(sizeof *made);
    (void)base;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *out = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    sqlite3_free(((cursor *)base)->x);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* The arguments of the filter by column; NULL: not given. */
typedef struct arguments {
    sqlite3_value *of[HIDDEN];
} arguments;

static double argument(const arguments *a, int column, double otherwise) {
    return a->of[column] && sqlite3_value_type(a->of[column]) != SQLITE_NULL ? sqlite3_value_double(a->of[column])
                                                                             : otherwise;
}

static tvgp_status find_shares(const copy *c, const arguments *a, cursor *at) {
    const double power = argument(a, 2, 1), floor_ = argument(a, 3, 0);
    const int64_t draws = (int64_t)argument(a, 1, 1024);
    const double t = look(c, argument(a, 4, now()));
    const tvgp_status status = tvgp_policy_best_probability(c->policy, t, at->n, NULL, draws, at->first);
    return status == TVGP_OK ? tvgp_shares(at->n, at->first, power, floor_, at->second) : status;
}

static tvgp_status find_moments(const copy *c, const arguments *a, tvgp_policy *twin, cursor *at) {
    const tvgp_status status = tvgp_policy_predict(twin, look(c, argument(a, 1, now())), at->n, NULL, at->first, at->second);
    for (size_t i = 0; status == TVGP_OK && i < at->n; i++)
        at->second[i] = sqrt(at->second[i]);
    return status;
}

static int fill(call *k, cursor *at, const arguments *a, int shares) {
    const copy *c = k->c;
    tvgp_domain *domain = NULL;
    at->n = c->arms;
    at->dim = c->dim;
    at->x = sqlite3_malloc64((at->n * (c->dim + 2) + 1) * sizeof *at->x);
    if (!at->x)
        return fail(k, "%s", "out of memory");
    at->first = at->x + at->n * c->dim;
    at->second = at->first + at->n;
    tvgp_policy *twin = twin_of(k);
    tvgp_status status = twin ? tvgp_policy_domain(twin, &domain) : TVGP_OK;
    for (size_t i = 0; domain && status == TVGP_OK && i < at->n; i++)
        status = tvgp_domain_point(domain, (int64_t)i, at->x + i * c->dim);
    tvgp_domain_destroy(domain);
    if (twin && status == TVGP_OK)
        status = shares ? find_shares(c, a, at) : find_moments(c, a, twin, at);
    tvgp_policy_destroy(twin);
    return twin && (status == TVGP_OK || fail_library(k, c, status));
}

static int filter(sqlite3_vtab_cursor *base, int given, const char *text, int argc, sqlite3_value **argv) {
    cursor *at = (cursor *)base;
    const table *from = (const table *)base->pVtab;
    call k = {.w = from->w};
    arguments a = {{NULL}};
    (void)text;
    for (int column = 0, i = 0; column < HIDDEN && i < argc; column++)
        if (given & 1 << column)
            a.of[column] = argv[i++];
    sqlite3_free(at->x);
    at->x = NULL;
    at->n = at->at = 0;
    int ok = given & 1 ? begin(&k) : fail(&k, "tvgp_%s: the name is missing", from->shares ? "shares" : "arms");
    if (ok) {
        ok = open_policy(&k, name_of(argv), 0) && fill(&k, at, &a, from->shares);
        ok = end(&k, ok);
    }
    if (ok)
        return SQLITE_OK;
    at->n = 0;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", k.error);
    return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base) {
    ((cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base) {
    return ((cursor *)base)->at >= ((cursor *)base)->n;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i) {
    const cursor *c = (cursor *)base;
    if (i == 0)
        sqlite3_result_int64(ctx, (sqlite3_int64)c->at);
    if (i == 1) {
        sqlite3_str *out = sqlite3_str_new(NULL);
        sqlite3_str_appendall(out, "[");
        for (size_t d = 0; d < c->dim; d++)
            sqlite3_str_appendf(out, "%s%!.17g", d ? "," : "", c->x[c->at * c->dim + d]);
        sqlite3_str_appendall(out, "]");
        result_json(ctx, out);
    }
    if (i == 2)
        sqlite3_result_double(ctx, c->first[c->at]);
    if (i == 3)
        sqlite3_result_double(ctx, c->second[c->at]);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    *out = (sqlite3_int64)((cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module arms_module = {.xConnect = connect,
                                           .xBestIndex = best_index,
                                           .xDisconnect = disconnect,
                                           .xOpen = open_cursor,
                                           .xClose = close_cursor,
                                           .xFilter = filter,
                                           .xNext = next,
                                           .xEof = at_end,
                                           .xColumn = column,
                                           .xRowid = rowid};

/* ---- entry ------------------------------------------------------------------------------------------------------ */

static void leave(void *user) {
    worker *w = user;
    if (--w->users)
        return;
    while (w->copies)
        discard(w, w->copies);
    forget(w);
    free(w);
}

int sqlite3_tvgp_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
int sqlite3_tvgp_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
    static const struct {
        const char *name;
        int least, most;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"tvgp_create", 2, 3, create},
                     {"tvgp_ask", 1, 3, ask},
                     {"tvgp_tell", 3, 7, tell},
                     {"tvgp_observe", 3, 6, observe},
                     {"tvgp_set_budget", 4, 4, set_budget},
                     {"tvgp_set_costs", 2, 2, set_costs},
                     {"tvgp_charge", 3, 3, charge},
                     {"tvgp_estimate_policy_value", 2, 3, estimate},
                     {"tvgp_best", 1, 2, best},
                     {"tvgp_stat", 2, 2, stat},
                     {"tvgp_state", 1, 1, state},
                     {"tvgp_trim", 2, 2, trim}};
    static const char *const tables[] = {"tvgp_arms", "tvgp_shares"};
    SQLITE_EXTENSION_INIT2(api);
    (void)error;
    worker *w = calloc(1, sizeof *w);
    if (!w)
        return SQLITE_NOMEM;
    w->db = db;
    w->users = 1;
    sqlite3_randomness(sizeof w->epoch, &w->epoch);
    w->epoch &= INT64_MAX;
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int n = functions[i].least; code == SQLITE_OK && n <= functions[i].most; n++) {
            w->users++; /* given up by leave, which SQLite calls also where this fails */
            code = sqlite3_create_function_v2(db, functions[i].name, n, SQLITE_UTF8 | SQLITE_DIRECTONLY, w, functions[i].run,
                                              NULL, NULL, leave);
        }
    for (size_t i = 0; code == SQLITE_OK && i < sizeof tables / sizeof *tables; i++) {
        w->users++;
        code = sqlite3_create_module_v2(db, tables[i], &arms_module, w, leave);
    }
    leave(w);
    return code;
}
