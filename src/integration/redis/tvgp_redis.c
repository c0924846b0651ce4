/* SPDX-License-Identifier: MIT */
/* Policies inside Redis, as a module (docs/guide/redis.md). A key holds a policy, its description and its log of events
 * (docs/reference/snapshot-format.md#event-log). Each call that changes the policy is replicated as TVGP.APPLY with the line of its event, to replicas and to
 * the append-only file, so they choose nothing themselves and notice it if they would choose otherwise. A snapshot of the key has the
 * state and the log. No package has the header redismodule.h: the functions in use are declared here. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tvgp.h>

/* ---- the interface of Redis that is used ------------------------------------------------------------------------ */

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleType RedisModuleType;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleDigest RedisModuleDigest;

typedef struct type_methods {
    uint64_t version;
    void *(*rdb_load)(RedisModuleIO *, int);
    void (*rdb_save)(RedisModuleIO *, void *);
    void (*aof_rewrite)(RedisModuleIO *, RedisModuleString *, void *);
    size_t (*mem_usage)(const void *);
    void (*digest)(RedisModuleDigest *, void *);
    void (*free)(void *);
} type_methods;

enum { OK = 0, READ = 1, WRITE = 2, EMPTY = 0, API = 1 };

typedef int command_fn(RedisModuleCtx *, RedisModuleString **, int);
static void *(*Alloc)(size_t);
static void (*Free)(void *);
static void (*SetModuleAttribs)(RedisModuleCtx *, const char *, int, int);
static int (*CreateCommand)(RedisModuleCtx *, const char *, command_fn *, const char *, int, int, int);
static RedisModuleType *(*CreateDataType)(RedisModuleCtx *, const char *, int, type_methods *);
static const char *(*StringPtrLen)(const RedisModuleString *, size_t *);
static int (*StringToDouble)(const RedisModuleString *, double *);
static int (*StringToLongLong)(const RedisModuleString *, long long *);
static RedisModuleKey *(*OpenKey)(RedisModuleCtx *, RedisModuleString *, int);
static void (*CloseKey)(RedisModuleKey *);
static int (*KeyType)(RedisModuleKey *);
static RedisModuleType *(*ModuleTypeGetType)(RedisModuleKey *);
static void *(*ModuleTypeGetValue)(RedisModuleKey *);
static int (*ModuleTypeSetValue)(RedisModuleKey *, RedisModuleType *, void *);
static int (*Replicate)(RedisModuleCtx *, const char *, const char *, ...);
static int (*ReplicateVerbatim)(RedisModuleCtx *);
static int (*ReplyWithError)(RedisModuleCtx *, const char *);
static int (*ReplyWithLongLong)(RedisModuleCtx *, long long);
static int (*ReplyWithDouble)(RedisModuleCtx *, double);
static int (*ReplyWithArray)(RedisModuleCtx *, long);
static int (*ReplyWithNull)(RedisModuleCtx *);
static int (*ReplyWithStringBuffer)(RedisModuleCtx *, const char *, size_t);
static int (*WrongArity)(RedisModuleCtx *);
static long long (*Milliseconds)(void);
static void (*GetRandomBytes)(unsigned char *, size_t);
static void (*SaveSigned)(RedisModuleIO *, int64_t);
static int64_t (*LoadSigned)(RedisModuleIO *);
static void (*SaveStringBuffer)(RedisModuleIO *, const char *, size_t);
static char *(*LoadStringBuffer)(RedisModuleIO *, size_t *);
static void (*EmitAOF)(RedisModuleIO *, const char *, const char *, ...);
static void (*LogIOError)(RedisModuleIO *, const char *, const char *, ...);

static const struct {
    const char *name;
    void *at;
} imports[] = {{"RedisModule_Alloc", &Alloc},
               {"RedisModule_Free", &Free},
               {"RedisModule_SetModuleAttribs", &SetModuleAttribs},
               {"RedisModule_CreateCommand", &CreateCommand},
               {"RedisModule_CreateDataType", &CreateDataType},
               {"RedisModule_StringPtrLen", &StringPtrLen},
               {"RedisModule_StringToDouble", &StringToDouble},
               {"RedisModule_StringToLongLong", &StringToLongLong},
               {"RedisModule_OpenKey", &OpenKey},
               {"RedisModule_CloseKey", &CloseKey},
               {"RedisModule_KeyType", &KeyType},
               {"RedisModule_ModuleTypeGetType", &ModuleTypeGetType},
               {"RedisModule_ModuleTypeGetValue", &ModuleTypeGetValue},
               {"RedisModule_ModuleTypeSetValue", &ModuleTypeSetValue},
               {"RedisModule_Replicate", &Replicate},
               {"RedisModule_ReplicateVerbatim", &ReplicateVerbatim},
               {"RedisModule_ReplyWithError", &ReplyWithError},
               {"RedisModule_ReplyWithLongLong", &ReplyWithLongLong},
               {"RedisModule_ReplyWithDouble", &ReplyWithDouble},
               {"RedisModule_ReplyWithArray", &ReplyWithArray},
               {"RedisModule_ReplyWithNull", &ReplyWithNull},
               {"RedisModule_ReplyWithStringBuffer", &ReplyWithStringBuffer},
               {"RedisModule_WrongArity", &WrongArity},
               {"RedisModule_Milliseconds", &Milliseconds},
               {"RedisModule_GetRandomBytes", &GetRandomBytes},
               {"RedisModule_SaveSigned", &SaveSigned},
               {"RedisModule_LoadSigned", &LoadSigned},
               {"RedisModule_SaveStringBuffer", &SaveStringBuffer},
               {"RedisModule_LoadStringBuffer", &LoadStringBuffer},
               {"RedisModule_EmitAOF", &EmitAOF},
               {"RedisModule_LogIOError", &LogIOError}};

/* ---- values ----------------------------------------------------------------------------------------------------- */

enum { MOST_BYTES = 256 << 20, MOST_ARMS = 1000000 };

/* An event of the log that was not deleted. */
typedef struct event {
    int64_t query, epoch; /* of an ask, the first query of a slate; 0: none */
    double t;
    char *line;
} event;

/* A policy in the state after event n. */
typedef struct value {
    char *description;
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    size_t dim, arms;
    int64_t n;
    event *log; /* events n - count + 1 .. n */
    size_t count, room, bytes;
} value;

static RedisModuleType *type;
static int64_t epoch;

static void *allocate(void *user, size_t size) {
    (void)user;
    return Alloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    Free(memory);
}

static void free_value(void *at) {
    value *v = at;
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++)
        Free(v->log[i].line);
    Free(v->log);
    tvgp_policy_destroy(v->policy);
    tvgp_ctx_destroy(v->ctx);
    Free(v->description);
    Free(v);
}

static const char *message(const value *v, tvgp_status status) {
    return v->ctx && *tvgp_ctx_errmsg(v->ctx) ? tvgp_ctx_errmsg(v->ctx) : tvgp_status_name(status);
}

static char *copy_of(const char *text, size_t n) {
    char *copy = Alloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

/* A value before the first event; NULL: `why` says why not. */
static value *make(const char *description, size_t length, char *why, size_t size) {
    const tvgp_allocator hooks = {sizeof hooks, NULL, allocate, release};
    tvgp_domain *domain = NULL;
    value *v = Alloc(sizeof *v);
    *v = (value){.description = copy_of(description, length), .log = Alloc(1)};
    tvgp_status status = tvgp_ctx_create(&hooks, &v->ctx);
    if (status == TVGP_OK)
        status = tvgp_ctx_set_quota(v->ctx, MOST_BYTES, MOST_ARMS, 0);
    if (status == TVGP_OK)
        status = tvgp_policy_create_described(v->ctx, v->description, &v->policy);
    if (status == TVGP_OK)
        status = tvgp_policy_domain(v->policy, &domain);
    if (status == TVGP_OK)
        status = tvgp_domain_size(domain, &v->arms);
    if (status == TVGP_OK)
        status = tvgp_domain_dim(domain, &v->dim);
    tvgp_domain_destroy(domain);
    if (status == TVGP_OK)
        return v;
    snprintf(why, size, "ERR %s", message(v, status));
    free_value(v);
    return NULL;
}

/* Adds the line of event n, of which these are the members that calls look for. */
static void keep(value *v, const tvgp_event *e, char *line) {
    if (v->count == v->room) {
        const size_t room = 2 * v->room + 64;
        event *grown = Alloc(room * sizeof *grown);
        memcpy(grown, v->log, v->count * sizeof *grown);
        Free(v->log);
        v->log = grown;
        v->room = room;
    }
    const int ask = e->kind == TVGP_EVENT_ASK;
    v->log[v->count++] =
        (event){.query = ask ? e->id : 0, .epoch = ask ? e->epoch : 0, .t = ask ? e->t : INFINITY, .line = line};
    v->bytes += strlen(line) + 1 + sizeof(event);
    v->n = e->n;
}

/* Reads a line whose numbers go to memory that is to be given back. */
static tvgp_status parse(const value *v, const char *line, tvgp_event *e, double **x) {
    size_t n_x;
    *x = NULL;
    tvgp_status status = tvgp_event_parse(v->ctx, line, 0, e, NULL, &n_x);
    if (status != TVGP_OK)
        return status;
    *x = Alloc((n_x + 1) * sizeof **x);
    return tvgp_event_parse(v->ctx, line, n_x, e, *x, &n_x);
}

static tvgp_status apply_line(value *v, const char *line, size_t length) {
    tvgp_event e;
    double *x;
    char *own = copy_of(line, length);
    tvgp_status status = parse(v, own, &e, &x);
    if (status == TVGP_OK)
        status = tvgp_policy_apply(v->policy, &e, 1, e.size ? x : NULL, (size_t)e.size);
    Free(x);
    if (status >= 0)
        keep(v, &e, own);
    else
        Free(own);
    return status;
}

/* ---- persistence ------------------------------------------------------------------------------------------------ */

static char *state_of(const value *v, size_t *n) {
    *n = 0;
    if (tvgp_policy_save(v->policy, NULL, 0, n) != TVGP_OK)
        return NULL;
    char *bytes = Alloc(*n);
    if (tvgp_policy_save(v->policy, bytes, *n, n) == TVGP_OK)
        return bytes;
    Free(bytes);
    return NULL;
}

static void rdb_save(RedisModuleIO *io, void *at) {
    const value *v = at;
    size_t n;
    char *bytes = state_of(v, &n);
    SaveStringBuffer(io, v->description, strlen(v->description));
    SaveSigned(io, v->n);
    SaveStringBuffer(io, bytes ? bytes : "", bytes ? n : 0);
    SaveSigned(io, (int64_t)v->count);
    for (size_t i = 0; i < v->count; i++)
        SaveStringBuffer(io, v->log[i].line, strlen(v->log[i].line));
    Free(bytes);
}

/* Takes a state and the number of its last event. */
static tvgp_status take_state(value *v, int64_t n, const char *bytes, size_t size) {
    const tvgp_status status = tvgp_policy_load(v->policy, bytes, size);
    v->n = n;
    return status;
}

/* Takes a line of the log that the state already contains. */
static tvgp_status take_line(value *v, const char *line, size_t length) {
    tvgp_event e;
    double *x;
    const int64_t n = v->n;
    char *own = copy_of(line, length);
    const tvgp_status status = parse(v, own, &e, &x);
    Free(x);
    if (status == TVGP_OK)
        keep(v, &e, own);
    else
        Free(own);
    v->n = n;
    return status;
}

static void *rdb_load(RedisModuleIO *io, int version) {
    char why[400] = "";
    size_t length, size;
    if (version != 1)
        return NULL;
    char *description = LoadStringBuffer(io, &length);
    value *v = make(description, length, why, sizeof why);
    const int64_t n = LoadSigned(io);
    char *bytes = LoadStringBuffer(io, &size);
    tvgp_status status = v ? take_state(v, n, bytes, size) : TVGP_ERR_FORMAT;
    const int64_t lines = LoadSigned(io);
    for (int64_t i = 0; i < lines; i++) {
        char *line = LoadStringBuffer(io, &size);
        if (status == TVGP_OK)
            status = take_line(v, line, size);
        Free(line);
    }
    Free(description);
    Free(bytes);
    if (status == TVGP_OK)
        return v;
    LogIOError(io, "warning", "tvgp: %s", v ? message(v, status) : why);
    free_value(v);
    return NULL;
}

static void aof_rewrite(RedisModuleIO *io, RedisModuleString *key, void *at) {
    const value *v = at;
    size_t n;
    char *bytes = state_of(v, &n);
    EmitAOF(io, "TVGP.RESTORE", "sclb", key, v->description, (long long)v->n, bytes ? bytes : "", bytes ? n : (size_t)0);
    for (size_t i = 0; i < v->count; i++)
        EmitAOF(io, "TVGP.APPLY", "sc", key, v->log[i].line);
    Free(bytes);
}

static size_t mem_usage(const void *at) {
    const value *v = at;
    size_t bytes = 0;
    (void)tvgp_ctx_memory(v->ctx, &bytes);
    return sizeof *v + bytes + v->bytes + strlen(v->description);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static int refuse(RedisModuleCtx *ctx, const value *v, tvgp_status status) {
    char text[400];
    snprintf(text, sizeof text, "ERR %s", message(v, status));
    return ReplyWithError(ctx, text);
}

/* The value of a key; NULL: the error was sent. */
static value *value_of(RedisModuleCtx *ctx, RedisModuleString *name, int mode) {
    RedisModuleKey *key = OpenKey(ctx, name, mode);
    value *v = NULL;
    if (!key || KeyType(key) == EMPTY)
        ReplyWithError(ctx, "ERR no such policy");
    else if (ModuleTypeGetType(key) != type)
        ReplyWithError(ctx, "WRONGTYPE Operation against a key holding the wrong kind of value");
    else
        v = ModuleTypeGetValue(key);
    if (key)
        CloseKey(key);
    return v;
}

/* Appends an event that the policy has made, and passes it on. */
static void append(RedisModuleCtx *ctx, RedisModuleString *key, value *v, tvgp_event e, const double *x) {
    size_t needed = 0;
    e.n = v->n + 1;
    if (tvgp_event_format(v->ctx, &e, x, (size_t)e.size, NULL, 0, &needed) != TVGP_OK)
        return;
    char *line = Alloc(needed);
    (void)tvgp_event_format(v->ctx, &e, x, (size_t)e.size, line, needed, &needed);
    keep(v, &e, line);
    Replicate(ctx, "TVGP.APPLY", "sc", key, line);
}

static int is(const RedisModuleString *word, const char *wanted) {
    size_t n;
    const char *text = StringPtrLen(word, &n);
    return n == strlen(wanted) && strncasecmp(text, wanted, n) == 0;
}

/* Numbers among the arguments; 0: the error was sent. */
static int numbers(RedisModuleCtx *ctx, RedisModuleString **word, size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        if (StringToDouble(word[i], &x[i]) != OK)
            return ReplyWithError(ctx, "ERR an argument is not a number"), 0;
    return 1;
}

static int create(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    char why[400], *full = NULL;
    size_t n;
    if (argc != 3)
        return WrongArity(ctx);
    const char *text = StringPtrLen(argv[2], &n);
    full = Alloc(n + 16);
    memcpy(full, text, n);
    full[n] = '\0';
    if (!strstr(full, "time.clamp="))
        strcpy(full + n, " time.clamp=1");
    RedisModuleKey *key = OpenKey(ctx, argv[1], READ | WRITE);
    if (KeyType(key) != EMPTY)
        return Free(full), CloseKey(key), ReplyWithError(ctx, "ERR the key exists");
    value *v = make(full, strlen(full), why, sizeof why);
    Free(full);
    if (!v)
        return CloseKey(key), ReplyWithError(ctx, why);
    ModuleTypeSetValue(key, type, v);
    CloseKey(key);
    ReplicateVerbatim(ctx);
    return ReplyWithLongLong(ctx, 1);
}

/* What an ask was given besides its time. */
typedef struct request {
    double t, *x;
    size_t context, rows, n; /* numbers of the context, candidates, numbers in all */
    size_t slate;            /* items; 0: one query, and no slate */
} request;

enum { SLATE_MOST = 32, DIM_MOST = 64 };

/* [t] [SLATE k] [CONTEXT n z..] [CANDIDATES n x..]; 0: the error was sent. x is to be given back. */
static int read_request(RedisModuleCtx *ctx, const value *v, RedisModuleString **argv, int argc, request *r) {
    int i = 2;
    long long rows;
    *r = (request){.t = (double)Milliseconds() / 1000, .x = Alloc(((size_t)argc + 1) * sizeof(double))};
    if (i < argc && StringToDouble(argv[i], &r->t) == OK)
        i++;
    while (i < argc) {
        const int context = is(argv[i], "CONTEXT");
        if (is(argv[i], "SLATE") && i + 1 < argc && StringToLongLong(argv[i + 1], &rows) == OK && rows >= 1 &&
            rows <= SLATE_MOST) {
            r->slate = (size_t)rows;
            i += 2;
            continue;
        }
        if ((!context && !is(argv[i], "CANDIDATES")) || i + 1 >= argc || StringToLongLong(argv[i + 1], &rows) != OK ||
            rows < 1 || rows > argc || r->rows || (context && r->context))
            return ReplyWithError(ctx, "ERR syntax: TVGP.ASK key [t] [SLATE 1..32] [CONTEXT n z..] [CANDIDATES n x..]"), 0;
        const size_t n = (size_t)rows * (context ? 1 : v->dim);
        if (n > (size_t)(argc - i - 2))
            return ReplyWithError(ctx, "ERR CONTEXT or CANDIDATES has too few numbers"), 0;
        if (!numbers(ctx, argv + i + 2, n, r->x + r->n))
            return 0;
        *(context ? &r->context : &r->rows) = (size_t)rows;
        r->n += n;
        i += 2 + (int)n;
    }
    return 1;
}

/* A number among numbered contexts, or a measured context. */
static tvgp_status set_context(RedisModuleCtx *ctx, RedisModuleString *key, value *v, const request *r) {
    tvgp_event e = {.kind = TVGP_EVENT_CONTEXT_POINT, .size = (int64_t)r->context};
    tvgp_status status = tvgp_policy_set_context_point(v->policy, r->x, r->context);
    if (status == TVGP_ERR_UNSUPPORTED && r->context == 1 && r->x[0] == floor(r->x[0]) && fabs(r->x[0]) < 1e9) {
        e = (tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = (int64_t)r->x[0]};
        status = tvgp_policy_set_context(v->policy, e.arm);
    }
    if (status == TVGP_OK)
        append(ctx, key, v, e, r->x);
    return status;
}

static tvgp_status set_candidates(RedisModuleCtx *ctx, RedisModuleString *key, value *v, size_t n, const double *x) {
    const tvgp_status status = tvgp_policy_set_candidates(v->policy, n, n ? x : NULL, NULL);
    if (status == TVGP_OK)
        append(ctx, key, v, (tvgp_event){.kind = TVGP_EVENT_CANDIDATES, .arm = (int64_t)n, .size = (int64_t)(n * v->dim)},
               x);
    return status;
}

static int reply_query(RedisModuleCtx *ctx, const value *v, const tvgp_query *q, const double *x) {
    ReplyWithArray(ctx, (long)(4 + v->dim));
    ReplyWithLongLong(ctx, q->id);
    ReplyWithLongLong(ctx, epoch);
    ReplyWithLongLong(ctx, q->arm);
    ReplyWithDouble(ctx, q->propensity);
    for (size_t d = 0; d < v->dim; d++)
        ReplyWithDouble(ctx, x[d]);
    return OK;
}

/* What an ask gave: n queries of those wanted, 0: nothing to ask. */
typedef struct asked {
    size_t n;
    tvgp_query q[SLATE_MOST];
    double x[SLATE_MOST * DIM_MOST];
} asked;

static void append_ask(RedisModuleCtx *ctx, RedisModuleString *key, value *v, const request *r, const asked *a) {
    const size_t dim = v->dim, each = dim + 2;
    double items[SLATE_MOST * (DIM_MOST + 2)];
    tvgp_event e = {.kind = TVGP_EVENT_ASK, .arm = -1, .t = r->t, .slate = (int32_t)r->slate};
    if (a->n) {
        e.id = a->q[0].id;
        e.epoch = epoch;
        e.arm = a->q[0].arm;
        e.t = a->q[0].t;
        e.propensity = a->q[0].propensity;
        e.size = (int64_t)(r->slate ? a->n * each : dim);
    }
    for (size_t i = 0; r->slate && i < a->n; i++) {
        items[i * each] = (double)a->q[i].arm;
        items[i * each + 1] = a->q[i].propensity;
        memcpy(items + i * each + 2, a->x + i * dim, dim * sizeof *items);
    }
    append(ctx, key, v, e, r->slate ? items : a->x);
}

static int reply_asked(RedisModuleCtx *ctx, const value *v, const request *r, const asked *a) {
    if (!a->n)
        return ReplyWithNull(ctx);
    if (r->slate)
        ReplyWithArray(ctx, (long)a->n);
    for (size_t i = 0; i < a->n; i++)
        reply_query(ctx, v, &a->q[i], a->x + i * v->dim);
    return OK;
}

static int ask(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    asked a = {0};
    request r;
    if (argc < 2)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v)
        return OK;
    if (!read_request(ctx, v, argv, argc, &r))
        return Free(r.x), OK;
    tvgp_status status = r.context ? set_context(ctx, argv[1], v, &r) : TVGP_OK;
    const int listed = status == TVGP_OK && r.rows;
    if (listed)
        status = set_candidates(ctx, argv[1], v, r.rows, r.x + r.context);
    const int set = status == TVGP_OK;
    if (set)
        status = r.slate ? tvgp_policy_ask_slate(v->policy, r.t, r.slate, a.q, a.x, &a.n)
                         : tvgp_policy_ask_one(v->policy, r.t, a.q, a.x);
    a.n = status != TVGP_OK ? 0 : r.slate ? a.n : 1;
    char why[400] = "";
    if (status < 0)
        snprintf(why, sizeof why, "ERR %s", message(v, status)); /* before other calls replace the message */
    if (set && status >= 0)
        append_ask(ctx, argv[1], v, &r, &a);
    if (listed && set)
        (void)set_candidates(ctx, argv[1], v, 0, NULL);
    Free(r.x);
    return status < 0 ? ReplyWithError(ctx, why) : reply_asked(ctx, v, &r, &a);
}

/* Whether the query was asked in this epoch; also if its event was deleted. */
static int in_epoch(const value *v, int64_t query, int64_t of) {
    for (size_t i = v->count; i-- > 0;)
        if (v->log[i].query && v->log[i].query <= query)
            return v->log[i].epoch == of;
    return 1;
}

/* Replies whether the policy took it. */
static int tell_event(RedisModuleCtx *ctx, RedisModuleString *key, value *v, tvgp_event e, const double *x) {
    const tvgp_obs obs = {.id = e.id,
                          .outcome = e.outcome,
                          .flags = e.flags,
                          .y = e.y,
                          .t = e.t,
                          .exposure = e.exposure,
                          .reference = e.reference};
    const tvgp_status status = tvgp_policy_tell(v->policy, &obs, x, 1);
    if (status == TVGP_ERR_TICKET)
        return ReplyWithLongLong(ctx, 0);
    if (status < 0)
        return refuse(ctx, v, status);
    append(ctx, key, v, e, x);
    return ReplyWithLongLong(ctx, 1);
}

static int tell(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    tvgp_event e = {.kind = TVGP_EVENT_TELL};
    long long id, of = 0;
    int checked = 0;
    if (argc < 4 || argc % 2)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v)
        return OK;
    if (StringToLongLong(argv[2], &id) != OK)
        return ReplyWithError(ctx, "ERR the id is not an integer");
    if (is(argv[3], "SKIP"))
        e.outcome = TVGP_SKIPPED;
    else if (!numbers(ctx, argv + 3, 1, &e.y))
        return OK;
    for (int i = 4; i + 1 < argc; i += 2) {
        if (is(argv[i], "T") && StringToDouble(argv[i + 1], &e.t) == OK)
            e.flags |= TVGP_OBS_HAS_TIME;
        else if (is(argv[i], "EPOCH") && StringToLongLong(argv[i + 1], &of) == OK)
            checked = 1;
        else if (is(argv[i], "EXPOSURE") && StringToDouble(argv[i + 1], &e.exposure) == OK)
            e.flags |= TVGP_OBS_HAS_EXPOSURE;
        else if (is(argv[i], "REFERENCE") && StringToDouble(argv[i + 1], &e.reference) == OK)
            e.flags |= TVGP_OBS_HAS_REFERENCE;
        else
            return ReplyWithError(ctx, "ERR syntax: TVGP.TELL key id y|SKIP [T t] [EPOCH e] [EXPOSURE e] [REFERENCE r]");
    }
    e.id = id;
    if (id < 1 || (checked && !in_epoch(v, id, of)))
        return ReplyWithLongLong(ctx, 0);
    return tell_event(ctx, argv[1], v, e, NULL);
}

static int observe(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    tvgp_event e = {.kind = TVGP_EVENT_TELL, .flags = TVGP_OBS_HAS_TIME};
    double x[66];
    if (argc < 5 || argc > 68)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v || !numbers(ctx, argv + 2, (size_t)argc - 2, x))
        return OK;
    if ((size_t)argc - 4 != v->dim)
        return ReplyWithError(ctx, "ERR the point has another number of coordinates");
    e.t = x[0];
    e.y = x[1];
    e.size = (int64_t)v->dim;
    return tell_event(ctx, argv[1], v, e, x + 2);
}

/* ---- a budget ----------------------------------------------------------------------------------------------------- */

/* Appends the event of a call that came to this status. */
static int done(RedisModuleCtx *ctx, RedisModuleString *key, value *v, tvgp_status status, tvgp_event e, const double *x) {
    if (status < 0)
        return refuse(ctx, v, status);
    append(ctx, key, v, e, x);
    return ReplyWithLongLong(ctx, 1);
}

static int budget(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    double b[3];
    if (argc != 5)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v || !numbers(ctx, argv + 2, 3, b))
        return OK;
    return done(ctx, argv[1], v, tvgp_policy_set_budget(v->policy, b[0], b[1], b[2]),
                (tvgp_event){.kind = TVGP_EVENT_BUDGET, .size = 3}, b);
}

static int costs(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc < 3)
        return WrongArity(ctx);
    const size_t n = (size_t)argc - 2;
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v)
        return OK;
    double *cost = Alloc(n * sizeof *cost);
    if (numbers(ctx, argv + 2, n, cost))
        done(ctx, argv[1], v, tvgp_policy_set_costs(v->policy, n, cost),
             (tvgp_event){.kind = TVGP_EVENT_COSTS, .size = (int64_t)n}, cost);
    Free(cost);
    return OK;
}

static int charge(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    tvgp_event e = {.kind = TVGP_EVENT_CHARGE};
    long long id;
    if (argc != 4)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v)
        return OK;
    if (StringToLongLong(argv[2], &id) != OK)
        return ReplyWithError(ctx, "ERR the id is not an integer");
    if (!numbers(ctx, argv + 3, 1, &e.charge))
        return OK;
    e.id = id;
    const tvgp_status status = tvgp_policy_charge(v->policy, e.id, e.charge);
    return status == TVGP_ERR_TICKET ? ReplyWithLongLong(ctx, 0) : done(ctx, argv[1], v, status, e, NULL);
}

/* TVGP.APPLY key line: an event of another server. Lines that the state already contains are kept for the log. */
static int apply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    size_t n;
    tvgp_event e;
    double *x;
    if (argc != 3)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v)
        return OK;
    const char *line = StringPtrLen(argv[2], &n);
    char *own = copy_of(line, n);
    tvgp_status status = parse(v, own, &e, &x);
    Free(own);
    Free(x);
    if (status == TVGP_OK && e.n > v->n + 1)
        return ReplyWithError(ctx, "ERR an event is missing in the log");
    if (status == TVGP_OK)
        status = e.n <= v->n ? take_line(v, line, n) : apply_line(v, line, n);
    if (status < 0)
        return refuse(ctx, v, status);
    ReplicateVerbatim(ctx);
    return ReplyWithLongLong(ctx, 1);
}

/* TVGP.RESTORE key description n state, of a rewritten append-only file. */
static int restore(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    char why[400];
    size_t length, size;
    long long n;
    if (argc != 5)
        return WrongArity(ctx);
    const char *description = StringPtrLen(argv[2], &length), *bytes = StringPtrLen(argv[4], &size);
    if (StringToLongLong(argv[3], &n) != OK || n < 0)
        return ReplyWithError(ctx, "ERR the number of the event is not an integer >= 0");
    RedisModuleKey *key = OpenKey(ctx, argv[1], READ | WRITE);
    if (KeyType(key) != EMPTY)
        return CloseKey(key), ReplyWithError(ctx, "ERR the key exists");
    value *v = make(description, length, why, sizeof why);
    if (!v)
        return CloseKey(key), ReplyWithError(ctx, why);
    const tvgp_status status = take_state(v, n, bytes, size);
    if (status != TVGP_OK) {
        CloseKey(key);
        refuse(ctx, v, status);
        return free_value(v), OK;
    }
    ModuleTypeSetValue(key, type, v);
    CloseKey(key);
    ReplicateVerbatim(ctx);
    return ReplyWithLongLong(ctx, 1);
}

/* ---- questions: they are put to a twin, because a prediction at another time moves the state by rounding ----------- */

static double time_of(RedisModuleString **argv, int argc, const value *v) {
    double t = (double)Milliseconds() / 1000, newest = -INFINITY;
    if (argc > 2)
        (void)StringToDouble(argv[2], &t);
    (void)tvgp_policy_stat(v->policy, "clock", &newest);
    return t > newest ? t : newest;
}

static int best(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    double x[64] = {0}, mean = 0, var = 0;
    int64_t arm = -1;
    tvgp_policy *twin = NULL;
    if (argc < 2 || argc > 3)
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    const double t = time_of(argv, argc, v);
    tvgp_status status = tvgp_policy_clone(v->policy, &twin);
    if (status == TVGP_OK)
        status = tvgp_policy_best(twin, t, &arm, x);
    if (status == TVGP_OK)
        status = tvgp_policy_predict(twin, t, 1, x, &mean, &var);
    tvgp_policy_destroy(twin);
    if (status < 0)
        return refuse(ctx, v, status);
    ReplyWithArray(ctx, (long)(3 + v->dim));
    ReplyWithLongLong(ctx, arm);
    ReplyWithDouble(ctx, mean);
    ReplyWithDouble(ctx, sqrt(var));
    for (size_t d = 0; d < v->dim; d++)
        ReplyWithDouble(ctx, x[d]);
    return OK;
}

static int arms(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    tvgp_policy *twin = NULL;
    tvgp_domain *domain = NULL;
    double x[64];
    if (argc < 2 || argc > 3)
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    double *mean = Alloc((2 * v->arms + 1) * sizeof *mean), *var = mean + v->arms;
    tvgp_status status = tvgp_policy_clone(v->policy, &twin);
    if (status == TVGP_OK)
        status = tvgp_policy_predict(twin, time_of(argv, argc, v), v->arms, NULL, mean, var);
    if (status == TVGP_OK)
        status = tvgp_policy_domain(twin, &domain);
    if (status < 0)
        refuse(ctx, v, status);
    else
        ReplyWithArray(ctx, (long)v->arms);
    for (size_t i = 0; status == TVGP_OK && i < v->arms; i++) {
        tvgp_domain_point(domain, (int64_t)i, x);
        ReplyWithArray(ctx, (long)(3 + v->dim));
        ReplyWithLongLong(ctx, (long long)i);
        ReplyWithDouble(ctx, mean[i]);
        ReplyWithDouble(ctx, sqrt(var[i]));
        for (size_t d = 0; d < v->dim; d++)
            ReplyWithDouble(ctx, x[d]);
    }
    tvgp_domain_destroy(domain);
    tvgp_policy_destroy(twin);
    Free(mean);
    return OK;
}

static void reply_shares(RedisModuleCtx *ctx, size_t n, const double *p, const double *share) {
    ReplyWithArray(ctx, (long)n);
    for (size_t i = 0; i < n; i++) {
        ReplyWithArray(ctx, 3);
        ReplyWithLongLong(ctx, (long long)i);
        ReplyWithDouble(ctx, p[i]);
        ReplyWithDouble(ctx, share[i]);
    }
}

/* TVGP.SHARES key [DRAWS n] [POWER k] [FLOOR f] [T t]: arm, probability and share of each. */
static int shares(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    double power = 1, floor_ = 0, t = (double)Milliseconds() / 1000, newest = -INFINITY;
    long long draws = 1024;
    if (argc < 2 || argc % 2)
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    for (int i = 2; i + 1 < argc; i += 2)
        if (!(is(argv[i], "DRAWS") && StringToLongLong(argv[i + 1], &draws) == OK) &&
            !(is(argv[i], "POWER") && StringToDouble(argv[i + 1], &power) == OK) &&
            !(is(argv[i], "FLOOR") && StringToDouble(argv[i + 1], &floor_) == OK) &&
            !(is(argv[i], "T") && StringToDouble(argv[i + 1], &t) == OK))
            return ReplyWithError(ctx, "ERR syntax: TVGP.SHARES key [DRAWS n] [POWER k] [FLOOR f] [T t]");
    double *p = Alloc((2 * v->arms + 1) * sizeof *p), *share = p + v->arms;
    (void)tvgp_policy_stat(v->policy, "clock", &newest);
    const tvgp_status status = tvgp_policy_best_probability(v->policy, t > newest ? t : newest, v->arms, NULL, draws, p);
    if (status < 0)
        refuse(ctx, v, status);
    else if (tvgp_shares(v->arms, p, power, floor_, share) != TVGP_OK)
        ReplyWithError(ctx, "ERR POWER must be in [0.1, 100], FLOOR in [0, 1]");
    else
        reply_shares(ctx, v->arms, p, share);
    Free(p);
    return OK;
}

static int stat(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    double found;
    if (argc != 3)
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    const tvgp_status status = tvgp_policy_stat(v->policy, StringPtrLen(argv[2], NULL), &found);
    return status < 0 ? refuse(ctx, v, status) : ReplyWithDouble(ctx, found);
}

static int state(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    size_t n;
    if (argc != 2)
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    char *bytes = state_of(v, &n);
    if (bytes)
        ReplyWithStringBuffer(ctx, bytes, n);
    else
        refuse(ctx, v, TVGP_ERR_NOMEM);
    Free(bytes);
    return OK;
}

/* ---- the log ---------------------------------------------------------------------------------------------------- */

static int events(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    long long first = 1;
    if (argc < 2 || argc > 3 || (argc == 3 && StringToLongLong(argv[2], &first) != OK))
        return WrongArity(ctx);
    const value *v = value_of(ctx, argv[1], READ);
    if (!v)
        return OK;
    const int64_t begin = v->n - (int64_t)v->count + 1;
    const size_t skip = first <= begin ? 0 : first > v->n ? v->count : (size_t)(first - begin);
    ReplyWithArray(ctx, (long)(v->count - skip));
    for (size_t i = skip; i < v->count; i++)
        ReplyWithStringBuffer(ctx, v->log[i].line, strlen(v->log[i].line));
    return OK;
}

static int trim(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    double before;
    size_t n = 0;
    if (argc != 3)
        return WrongArity(ctx);
    value *v = value_of(ctx, argv[1], READ | WRITE);
    if (!v || !numbers(ctx, argv + 2, 1, &before))
        return OK;
    for (size_t i = 0; i < v->count && !(v->log[i].t >= before && isfinite(v->log[i].t)); i++)
        n = i + 1;
    for (size_t i = 0; i < n; i++) {
        v->bytes -= strlen(v->log[i].line) + 1 + sizeof(event);
        Free(v->log[i].line);
    }
    v->count -= n;
    memmove(v->log, v->log + n, v->count * sizeof *v->log);
    ReplicateVerbatim(ctx);
    return ReplyWithLongLong(ctx, (long long)n);
}

/* ---- entry ------------------------------------------------------------------------------------------------------ */

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    static const struct {
        const char *name;
        command_fn *run;
        const char *flags;
    } commands[] = {{"tvgp.create", create, "write deny-oom"},
                    {"tvgp.ask", ask, "write deny-oom"},
                    {"tvgp.tell", tell, "write deny-oom"},
                    {"tvgp.observe", observe, "write deny-oom"},
                    {"tvgp.budget", budget, "write deny-oom"},
                    {"tvgp.costs", costs, "write deny-oom"},
                    {"tvgp.charge", charge, "write deny-oom"},
                    {"tvgp.shares", shares, "readonly"},
                    {"tvgp.apply", apply, "write deny-oom"},
                    {"tvgp.restore", restore, "write deny-oom"},
                    {"tvgp.trim", trim, "write"},
                    {"tvgp.best", best, "readonly"},
                    {"tvgp.arms", arms, "readonly"},
                    {"tvgp.stat", stat, "readonly"},
                    {"tvgp.state", state, "readonly"},
                    {"tvgp.events", events, "readonly"}};
    static type_methods methods = {.version = 1,
                                   .rdb_load = rdb_load,
                                   .rdb_save = rdb_save,
                                   .aof_rewrite = aof_rewrite,
                                   .mem_usage = mem_usage,
                                   .free = free_value};
    int (*get)(const char *, void *);
    (void)argv, (void)argc;
    memcpy(&get, ctx, sizeof get); /* a context begins with the function that finds the others */
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        if (get(imports[i].name, imports[i].at) != OK)
            return 1;
    SetModuleAttribs(ctx, "tvgp", 1, API);
    GetRandomBytes((unsigned char *)&epoch, sizeof epoch);
    epoch &= INT64_MAX;
    type = CreateDataType(ctx, "tvgp-log1", 1, &methods);
    for (size_t i = 0; type && i < sizeof commands / sizeof *commands; i++)
        if (CreateCommand(ctx, commands[i].name, commands[i].run, commands[i].flags, 1, 1, 1) != OK)
            return 1;
    return type ? OK : 1;
}
