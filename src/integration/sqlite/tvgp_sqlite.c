/* SPDX-License-Identifier: MIT */
/* Policies inside SQLite, as a loadable extension (docs/guide/sqlite.md): a store of the library (tvgp/store.h) whose three tables hold
 * descriptions, lines and snapshots. SQL functions pass their arguments to calls of the store. Every call is a savepoint, or a part of
 * the writing statement that encloses it. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>
#include <tvgp/store.h>

enum { MOST_BYTES = 256 << 20, MOST_ARMS = 1000000, MOST_ARGUMENTS = 9, FAILED = -1000 };

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS tvgp_policy(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
    " description TEXT NOT NULL, snapshot_every INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS tvgp_event(policy INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL,"
    " line TEXT NOT NULL, PRIMARY KEY(policy, n)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS tvgp_snapshot(policy INTEGER PRIMARY KEY, n INTEGER NOT NULL, chain INTEGER NOT NULL,"
    " state BLOB NOT NULL);";

enum { LOCK, READ, EVENTS, APPEND, ADVANCE, LOAD, SAVE, CREATE, TRIM, DROP, DROP_SNAPSHOT, POLL, STATEMENTS };
static const char *const texts[STATEMENTS] = {
    [LOCK] = "UPDATE tvgp_policy SET n = n WHERE name = ?1 RETURNING id, n, chain, snapshot_every, description",
    [READ] = "SELECT id, n, chain, snapshot_every, description FROM tvgp_policy WHERE name = ?1",
    [EVENTS] = "SELECT n, chain, line FROM tvgp_event WHERE policy = ?1 AND n BETWEEN ?2 AND ?3 ORDER BY n",
    [APPEND] = "INSERT OR REPLACE INTO tvgp_event(policy, n, chain, line) VALUES(?1, ?2, ?3, ?4)",
    [ADVANCE] = "UPDATE tvgp_policy SET n = ?2, chain = ?3 WHERE id = ?1",
    [LOAD] = "SELECT n, chain, state FROM tvgp_snapshot WHERE policy = ?1",
    [SAVE] = "INSERT OR REPLACE INTO tvgp_snapshot(policy, n, chain, state) VALUES(?1, ?2, ?3, ?4)",
    [CREATE] = "INSERT INTO tvgp_policy(n, chain, snapshot_every, name, description) VALUES(0, ?1, ?2, ?3, ?4)",
    [TRIM] = "DELETE FROM tvgp_event WHERE policy = ?1 AND n < ?2",
    [DROP] = "DELETE FROM tvgp_policy WHERE id = ?1",
    [DROP_SNAPSHOT] = "DELETE FROM tvgp_snapshot WHERE policy = ?1",
    /* Returns INTERRUPT if the connection was interrupted, and takes steps that its progress handler counts. */
    [POLL] = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 20) SELECT max(i) FROM c",
};

/* A function of SQL: its arguments behind the name of the policy, and what it returns: J JSON, I an integer, D a number, B bytes,
 * N nothing, L sets a limit. */
typedef struct function {
    const char *name;
    int least, most;
    const char *keys;
    char result;
} function;

static const function functions[] = {
    {"tvgp_create", 2, 3, "description snapshot_every", 'N'},
    {"tvgp_ask", 1, 3, "t", 'J'},
    {"tvgp_ask_slate", 2, 4, "slate t", 'J'},
    {"tvgp_tell", 3, 8, "id y t epoch exposure reference", 'I'},
    {"tvgp_observe", 3, 7, "x y t exposure reference", 'I'},
    {"tvgp_skip", 2, 4, "id epoch", 'I'},
    {"tvgp_fail", 2, 4, "id epoch", 'I'},
    {"tvgp_set_available", 2, 2, "arms", 'I'},
    {"tvgp_extend", 2, 3, "arms", 'I'},
    {"tvgp_set_budget", 4, 4, "budget period asks", 'I'},
    {"tvgp_set_costs", 2, 2, "costs", 'I'},
    {"tvgp_set_cost_weight", 2, 2, "weight", 'I'},
    {"tvgp_set_payoffs", 2, 2, "payoffs", 'I'},
    {"tvgp_fit", 1, 2, "pieces", 'I'},
    {"tvgp_charge", 3, 3, "id cost", 'I'},
    {"tvgp_best", 1, 2, "t", 'J'},
    {"tvgp_stat", 2, 2, "key", 'D'},
    {"tvgp_state", 1, 1, "", 'B'},
    {"tvgp_off_policy_value", 2, 3, "description half_life", 'J'},
    {"tvgp_trim", 2, 2, "before", 'I'},
    {"tvgp_drop", 1, 1, "", 'I'},
    {"tvgp_set_limit", 2, 2, "", 'L'},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, LONGEST_NUMBER = 32 };

/* What a connection has. */
typedef struct worker {
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
    tvgp_ctx *ctx;
    tvgp_store *store;
    char *text;    /* a description */
    int connected; /* the virtual tables are, so that closing the connection finalises the statements */
    int creates;   /* the call under way may have to create the tables */
    int own;       /* it has a savepoint */
    int users;
    double polled;    /* time of the last poll, one a millisecond */
    int64_t limit[3]; /* bytes and arms of a policy, values of a call */
    struct entry {
        struct worker *w;
        const function *f;
    } entry[FUNCTIONS]; /* what functions of SQL get */
    int code;           /* of SQLite, with which a statement failed */
    char error[400];
} worker;

/* ---- statements ------------------------------------------------------------------------------------------------- */

/* Copies the message, which the next statement replaces. */
static int32_t fail(worker *w, int code) {
    w->code = code;
    sqlite3_snprintf(sizeof w->error, w->error, "%s", code == SQLITE_NOMEM ? "out of memory" : sqlite3_errmsg(w->db));
    return FAILED;
}

/* A statement with integers bound to its first parameters; NULL: failed. */
static sqlite3_stmt *prepare(worker *w, int which, int n, const int64_t *value) {
    sqlite3_stmt **s = &w->statement[which];
    const int code = *s ? SQLITE_OK : sqlite3_prepare_v3(w->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL);
    if (code != SQLITE_OK)
        return fail(w, code), NULL;
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(*s, i + 1, value[i]);
    return *s;
}

static int32_t finish(worker *w, sqlite3_stmt *s, int code) {
    const int32_t status = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : fail(w, code);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

static int32_t run(worker *w, sqlite3_stmt *s) {
    return s ? finish(w, s, sqlite3_step(s)) : FAILED;
}

static int32_t execute(worker *w, const char *text) {
    const int code = sqlite3_exec(w->db, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : fail(w, code);
}

/* ---- functions of the store ------------------------------------------------------------------------------------- */

/* A writing statement under way allows no savepoint: what it calls is a part of it. */
static int is_enclosed(const worker *w) {
    sqlite3_stmt *s = NULL;
    while ((s = sqlite3_next_stmt(w->db, s)) != NULL && (!sqlite3_stmt_busy(s) || sqlite3_stmt_readonly(s))) {
    }
    return s != NULL;
}

static int32_t store_unlock(void *user, int32_t keep) {
    worker *w = user;
    if (!w->own)
        return 0;
    w->own = 0;
    if (keep && execute(w, "RELEASE tvgp_call") == 0)
        return 0;
    sqlite3_exec(w->db, "ROLLBACK TO tvgp_call; RELEASE tvgp_call", NULL, NULL, NULL);
    return keep ? FAILED : 0;
}

static int32_t store_lock(void *user, int32_t write) {
    worker *w = user;
    (void)write;
    if (!w->connected) {
        sqlite3_stmt *s;
        const int code = sqlite3_prepare_v2(w->db, "SELECT 1 FROM tvgp_arms", -1, &s, NULL);
        if (code != SQLITE_OK)
            return fail(w, code);
        sqlite3_finalize(s);
        w->connected = 1;
    }
    w->own = !is_enclosed(w);
    if (w->own && execute(w, "SAVEPOINT tvgp_call") != 0)
        return w->own = 0, FAILED;
    if (!w->creates || execute(w, schema) == 0)
        return 0;
    store_unlock(w, 0);
    return FAILED;
}

/* Before the first policy is created: a statement may be older than that. */
static int32_t without_tables(const worker *w) {
    return strstr(w->error, "no such table: tvgp_policy") ? 0 : FAILED;
}

static int32_t store_read_description(void *user, const char *name, int32_t write, tvgp_store_row *row) {
    worker *w = user;
    sqlite3_stmt *s = prepare(w, write ? LOCK : READ, 0, NULL);
    if (!s)
        return without_tables(w);
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return finish(w, s, code) == 0 ? 0 : without_tables(w);
    sqlite3_free(w->text);
    w->text = sqlite3_mprintf("%s", sqlite3_column_text(s, 4));
    if (!w->text)
        return finish(w, s, SQLITE_NOMEM);
    *row = (tvgp_store_row){sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2),
                            sqlite3_column_int64(s, 3), w->text};
    return finish(w, s, write ? sqlite3_step(s) : code);
}

static int32_t store_read_events(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *store) {
    worker *w = user;
    int code = SQLITE_DONE;
    tvgp_status status = 0;
    sqlite3_stmt *s = prepare(w, EVENTS, 3, (const int64_t[]){id, first, last});
    while (s && status == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(s, 2);
        status = tvgp_store_take_event(store, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1), line ? line : "");
    }
    if (!s || finish(w, s, code) != 0)
        return FAILED;
    return status < 0 ? status : 0;
}

static int32_t store_append(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                            const int64_t *chains) {
    sqlite3_stmt *s = row->id ? NULL : prepare(user, CREATE, 2, (const int64_t[]){row->chain, row->snapshot_every});
    if (s) {
        sqlite3_bind_text(s, 3, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 4, row->description, -1, SQLITE_STATIC);
    }
    if (!row->id)
        return run(user, s);
    for (size_t i = 0; i < n; i++) {
        s = prepare(user, APPEND, 3, (const int64_t[]){row->id, row->n - (int64_t)(n - i) + 1, chains[i]});
        if (s)
            sqlite3_bind_text(s, 4, lines[i], -1, SQLITE_STATIC);
        if (run(user, s) != 0)
            return FAILED;
    }
    return run(user, prepare(user, ADVANCE, 3, (const int64_t[]){row->id, row->n, row->chain}));
}

static int32_t store_read_snapshot(void *user, int64_t id, tvgp_store *store) {
    worker *w = user;
    tvgp_status status = 0;
    sqlite3_stmt *s = prepare(w, LOAD, 1, &id);
    const int code = s ? sqlite3_step(s) : SQLITE_ERROR;
    if (code == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(s, 2);
        status = tvgp_store_take_snapshot(store, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
                                          (size_t)sqlite3_column_bytes(s, 2), bytes ? bytes : "");
    }
    return !s || finish(w, s, code) != 0 ? FAILED : status;
}

static int32_t store_write_snapshot(void *user, int64_t id, int64_t n, int64_t chain, size_t size, const void *bytes) {
    sqlite3_stmt *s = prepare(user, SAVE, 3, (const int64_t[]){id, n, chain});
    if (s)
        sqlite3_bind_blob64(s, 4, bytes, size, SQLITE_STATIC);
    return run(user, s);
}

static int32_t store_remove(void *user, int64_t id, int64_t first) {
    if (!first && (run(user, prepare(user, DROP_SNAPSHOT, 1, &id)) != 0 || run(user, prepare(user, DROP, 1, &id)) != 0))
        return FAILED;
    return run(user, prepare(user, TRIM, 2, (const int64_t[]){id, first ? first : INT64_MAX}));
}

static double store_now(void *user) {
    struct timespec at = {0};
    (void)user;
    clock_gettime(CLOCK_REALTIME, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static int32_t is_interrupted(void *user) {
    worker *w = user;
    const double now = store_now(user);
    sqlite3_stmt *s = fabs(now - w->polled) < .001 ? NULL : prepare(w, POLL, 0, NULL);
    if (s)
        w->polled = now;
    return s && (sqlite3_step(s), sqlite3_reset(s)) == SQLITE_INTERRUPT;
}

/* ---- functions of SQL ------------------------------------------------------------------------------------------- */

/* Arguments of a call as texts. */
typedef struct arguments {
    size_t n;
    const char *key[MOST_ARGUMENTS], *value[MOST_ARGUMENTS];
    char keys[MOST_ARGUMENTS][24], number[MOST_ARGUMENTS][LONGEST_NUMBER];
} arguments;

static int refuse(worker *w, const char *of, const char *key, const char *what) {
    sqlite3_snprintf(sizeof w->error, w->error, "%s: %s %s", of, key, what);
    w->code = SQLITE_ERROR;
    return 0;
}

/* The next word of a list, "" where it ends. */
static const char *next_word(const char **list, char out[24]) {
    const size_t n = strcspn(*list, " ");
    memcpy(out, *list, n);
    out[n] = '\0';
    *list += n + ((*list)[n] == ' ');
    return out;
}

/* A text without NUL; NULL: it is none. */
static const char *text_of(sqlite3_value *value) {
    const char *text = sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
    return text && strlen(text) == (size_t)sqlite3_value_bytes(value) ? text : NULL;
}

/* Integers, numbers and texts pass; the store reads texts. */
static int add(worker *w, const char *of, arguments *a, const char *key, sqlite3_value *value) {
    const int type = sqlite3_value_type(value);
    const double number = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
    char *out = a->number[a->n];
    a->key[a->n] = key;
    a->value[a->n] = type == SQLITE_TEXT ? text_of(value) : out;
    if (type == SQLITE_NULL)
        return 1;
    if (type == SQLITE_BLOB || !a->value[a->n])
        return refuse(w, of, key, type == SQLITE_BLOB ? "is a blob, must be a number or a text" : "must have no NUL");
    if (type == SQLITE_INTEGER)
        sqlite3_snprintf(LONGEST_NUMBER, out, "%lld", sqlite3_value_int64(value));
    else if (type == SQLITE_FLOAT)
        sqlite3_snprintf(LONGEST_NUMBER, out, isinf(number) ? number > 0 ? "inf" : "-inf" : "%!.17g", number);
    a->n++;
    return 1;
}

static const char *name_of(worker *w, const char *of, sqlite3_value *value) {
    const char *name = text_of(value);
    return name || refuse(w, of, "name", "must be a text without NUL") ? name : NULL;
}

/* The last argument may be a JSON object of further ones. */
static int take_arguments(worker *w, const function *f, int argc, sqlite3_value **argv, arguments *a) {
    const char *keys = f->keys;
    for (int i = 1; i < argc; i++) {
        const char *key = next_word(&keys, a->keys[i]);
        const char *text = i == argc - 1 ? text_of(argv[i]) : NULL;
        if (text && *text == '{')
            key = NULL;
        else if (!*key && sqlite3_value_type(argv[i]) != SQLITE_NULL)
            return refuse(w, f->name, "the last argument", "must be a JSON object");
        if (!add(w, f->name, a, key, argv[i]))
            return 0;
    }
    return 1;
}

/* Makes the call `name` of the store; NULL: failed, with the message in w->error. */
static const tvgp_store_reply *make_call(worker *w, const char *name, const char *policy, const arguments *a) {
    const tvgp_store_reply *reply;
    w->creates = strcmp(name, "create") == 0;
    const tvgp_status status = tvgp_store_call(w->store, name, policy, a->n, a->key, a->value, &reply);
    if (status == TVGP_OK)
        return reply;
    if (status == FAILED)
        return NULL;
    const char *text = tvgp_ctx_errmsg(w->ctx);
    w->code = status == TVGP_ERR_INTERRUPTED ? SQLITE_INTERRUPT : SQLITE_ERROR;
    sqlite3_snprintf(sizeof w->error, w->error, "%s%s", strncmp(text, "tvgp_", 5) == 0 ? "" : "tvgp_", text);
    return NULL;
}

static void result_text(sqlite3_context *ctx, worker *w) {
    size_t needed = 1;
    (void)tvgp_store_text(w->store, 0, NULL, &needed);
    char *text = sqlite3_malloc64(needed);
    if (!text || tvgp_store_text(w->store, needed, text, &needed) != TVGP_OK) {
        sqlite3_free(text);
        sqlite3_result_error_nomem(ctx);
        return;
    }
    sqlite3_result_text64(ctx, text, needed - 1, sqlite3_free, SQLITE_UTF8);
    sqlite3_result_subtype(ctx, 'J');
}

/* tvgp_set_limit('work', values of a call), 'bytes' or 'arms' of a policy; 0: none. */
static int set_limit(worker *w, sqlite3_value **argv) {
    static const char *const keys[] = {"bytes", "arms", "work"};
    const char *key = text_of(argv[0]);
    const double value = sqlite3_value_double(argv[1]);
    for (size_t i = 0; key && i < 3; i++)
        if (strcmp(key, keys[i]) == 0 && sqlite3_value_numeric_type(argv[1]) != SQLITE_TEXT && value >= 0 && value <= 1e15) {
            w->limit[i] = (int64_t)value;
            return tvgp_ctx_set_quota(w->ctx, (size_t)w->limit[0], (size_t)w->limit[1], w->limit[2]) == TVGP_OK;
        }
    return refuse(w, "tvgp_set_limit", "key", "must be bytes, arms or work, and the value a number in 0..1e15");
}

static void run_function(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
    const struct entry *e = sqlite3_user_data(ctx);
    worker *w = e->w;
    arguments a = {0};
    const char *name = name_of(w, e->f->name, argv[0]);
    if (name && e->f->result == 'L' && set_limit(w, argv))
        return;
    const tvgp_store_reply *r = name && e->f->result != 'L' && take_arguments(w, e->f, argc, argv, &a)
                                    ? make_call(w, e->f->name + strlen("tvgp_"), name, &a)
                                    : NULL;
    if (!r) {
        sqlite3_result_error(ctx, w->error, -1);
        sqlite3_result_error_code(ctx, w->code);
    } else if (e->f->result == 'I') {
        sqlite3_result_int64(ctx, r->taken);
    } else if (e->f->result == 'D') {
        sqlite3_result_double(ctx, r->value);
    } else if (e->f->result == 'B') {
        sqlite3_result_blob64(ctx, r->bytes, r->size, SQLITE_TRANSIENT);
    } else if (e->f->result == 'J' && (r->n || r->estimate.struct_size)) {
        result_text(ctx, w);
    }
}

/* ---- the tables tvgp_arms(policy, t) and tvgp_shares(policy, draws, power, floor, t) ------------------------------ */

enum { SHOWN = 5, HIDDEN = 5 }; /* columns; tvgp_arms has fewer hidden ones */

static const struct shape {
    const char *name, *declaration, *keys;
} shapes[] = {
    {"tvgp_arms", "CREATE TABLE x(arm INTEGER, name TEXT, x TEXT, mean REAL, sd REAL, policy HIDDEN, t HIDDEN)", "t"},
    {"tvgp_shares",
     "CREATE TABLE x(arm INTEGER, name TEXT, x TEXT, probability REAL, share REAL, policy HIDDEN, draws HIDDEN, power "
     "HIDDEN,"
     " floor HIDDEN, t HIDDEN)",
     "draws power floor t"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct table {
    sqlite3_vtab base;
    worker *w;
    const struct shape *shape;
} table;

/* Rows: for each arm its numbers (the point, then first and second), and its name behind the others. */
typedef struct cursor {
    sqlite3_vtab_cursor base;
    size_t n, at, dim;
    double *x;
    char **name;
} cursor;

static void forget(worker *w) {
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(w->statement[i]);
        w->statement[i] = NULL;
    }
    w->connected = 0;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
    const struct shape *shape = &shapes[strcmp(argv[0], shapes[0].name) != 0];
    (void)argc, (void)error;
    const int code = sqlite3_declare_vtab(db, shape->declaration);
    table *made = calloc(1, sizeof *made);
    if (code != SQLITE_OK || !made)
        return free(made), code != SQLITE_OK ? code : SQLITE_NOMEM;
    *made = (table){.w = aux, .shape = shape};
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    *out = &made->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base) {
    forget(((table *)base)->w);
    free(base);
    return SQLITE_OK;
}

/* policy = .. and the others become arguments of the filter, those with a bit in idxNum; without a policy there is no plan. */
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
    cursor *made = calloc(1, sizeof *made);
    (void)base;
    *out = &made->base;
    return made ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    sqlite3_free(((cursor *)base)->x);
    free(base);
    return SQLITE_OK;
}

/* Copies the reply, which the next call replaces, into one block. */
static int copy_rows(cursor *c, const tvgp_store_reply *r) {
    const size_t each = r->dim + 2;
    size_t size = 1;
    for (size_t i = 0; r->name && i < r->n; i++)
        size += strlen(r->name[i]) + 1;
    c->x = sqlite3_malloc64(r->n * (each * sizeof *c->x + sizeof *c->name) + size);
    if (!c->x)
        return SQLITE_NOMEM;
    c->name = (char **)(c->x + r->n * each);
    char *text = (char *)(c->name + r->n);
    for (size_t i = 0; i < r->n; i++) {
        memcpy(c->x + i * each, r->x + i * r->dim, r->dim * sizeof *c->x);
        c->x[i * each + r->dim] = r->first[i];
        c->x[i * each + r->dim + 1] = r->second[i];
        c->name[i] = r->name ? strcpy(text, r->name[i]) : NULL;
        text += r->name ? strlen(text) + 1 : 0;
    }
    c->n = r->n, c->dim = r->dim;
    return SQLITE_OK;
}

static int take_filter(const table *from, int given, sqlite3_value **argv, arguments *a) {
    const char *keys = from->shape->keys;
    for (int column = 1, i = 1; column < HIDDEN && *keys; column++) {
        const char *key = next_word(&keys, a->keys[column]);
        if (given & 1 << column && !add(from->w, from->shape->name, a, key, argv[i++]))
            return 0;
    }
    return 1;
}

static int filter(sqlite3_vtab_cursor *base, int given, const char *text, int argc, sqlite3_value **argv) {
    cursor *c = (cursor *)base;
    const table *from = (const table *)base->pVtab;
    const char *of = from->shape->name;
    arguments a = {0};
    (void)text, (void)argc;
    sqlite3_free(c->x);
    *c = (cursor){.base = c->base};
    const char *name = given & 1 ? name_of(from->w, of, argv[0]) : (refuse(from->w, of, "name", "is missing"), NULL);
    const tvgp_store_reply *r =
        name && take_filter(from, given, argv, &a) ? make_call(from->w, of + strlen("tvgp_"), name, &a) : NULL;
    if (r)
        return copy_rows(c, r);
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", from->w->error);
    return from->w->code;
}

static int next(sqlite3_vtab_cursor *base) {
    ((cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base) {
    return ((cursor *)base)->at >= ((cursor *)base)->n;
}

static void result_point(sqlite3_context *ctx, size_t dim, const double *x) {
    sqlite3_str *out = sqlite3_str_new(NULL);
    for (size_t d = 0; d < dim; d++)
        sqlite3_str_appendf(out, "%s%!.17g", d ? "," : "[", x[d]);
    sqlite3_str_appendall(out, "]");
    sqlite3_result_text(ctx, sqlite3_str_value(out), -1, SQLITE_TRANSIENT);
    sqlite3_result_subtype(ctx, 'J');
    sqlite3_free(sqlite3_str_finish(out));
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i) {
    const cursor *c = (cursor *)base;
    const double *x = c->x + c->at * (c->dim + 2);
    if (i == 0)
        sqlite3_result_int64(ctx, (sqlite3_int64)c->at);
    else if (i == 1)
        sqlite3_result_text(ctx, c->name[c->at], -1, SQLITE_TRANSIENT);
    else if (i == 2)
        result_point(ctx, c->dim, x);
    else if (i == 3 || i == 4)
        sqlite3_result_double(ctx, x[c->dim + (size_t)i - 3]);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    *out = (sqlite3_int64)((cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module rows_module = {.xConnect = connect,
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
    tvgp_store_close(w->store);
    tvgp_ctx_destroy(w->ctx);
    forget(w);
    sqlite3_free(w->text);
    free(w);
}

static void leave_entry(void *user) {
    leave(((struct entry *)user)->w);
}

/* Users are given up by leave, which SQLite calls also where a function fails. */
static int add_all(worker *w) {
    int code = SQLITE_OK;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        w->entry[i] = (struct entry){w, &functions[i]};
        for (int n = functions[i].least; code == SQLITE_OK && n <= functions[i].most; n++)
            w->users++, code = sqlite3_create_function_v2(w->db, functions[i].name, n, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                                          &w->entry[i], run_function, NULL, NULL, leave_entry);
    }
    for (size_t i = 0; code == SQLITE_OK && i < SHAPES; i++)
        w->users++, code = sqlite3_create_module_v2(w->db, shapes[i].name, &rows_module, w, leave);
    return code;
}

static int open_store(worker *w) {
    tvgp_store_type type = {.struct_size = sizeof type,
                            .lock = store_lock,
                            .unlock = store_unlock,
                            .read_description = store_read_description,
                            .read_events = store_read_events,
                            .append = store_append,
                            .read_snapshot = store_read_snapshot,
                            .write_snapshot = store_write_snapshot,
                            .remove = store_remove,
                            .now = store_now};
    sqlite3_randomness(sizeof type.epoch, &type.epoch);
    type.epoch = (type.epoch & ((INT64_C(1) << 53) - 1)) | 1;
    return tvgp_ctx_create(NULL, &w->ctx) == TVGP_OK &&
           tvgp_ctx_set_quota(w->ctx, (size_t)w->limit[0], (size_t)w->limit[1], w->limit[2]) == TVGP_OK &&
           tvgp_ctx_set_interrupt(w->ctx, is_interrupted, w, NULL) == TVGP_OK &&
           tvgp_store_open(w->ctx, &type, w, NULL, &w->store) == TVGP_OK;
}

int sqlite3_tvgp_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
    SQLITE_EXTENSION_INIT2(api);
    (void)error;
    worker *w = calloc(1, sizeof *w);
    if (!w)
        return SQLITE_NOMEM;
    *w = (worker){.db = db, .users = 1, .limit = {MOST_BYTES, MOST_ARMS, INT64_C(1) << 32}};
    const int code = open_store(w) ? add_all(w) : SQLITE_NOMEM;
    leave(w);
    return code;
}
