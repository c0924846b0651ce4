/* SPDX-License-Identifier: MIT */
/* Policies inside Redis, as a module (docs/guide/redis.md): a store (tvgp/store.h) whose policies are keys. A value holds the
 * description, the lines of the log with their checksums, and the newest snapshot; it is saved and loaded without a policy. Each line
 * of a call is replicated as TVGP.APPLY, to replicas and to the append-only file, so they choose nothing themselves and notice it if
 * they would choose otherwise. */
#include "redis_api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tvgp.h>
#include <tvgp/store.h>

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Bounds of a policy and of a call, options of the module. TIME is in ms; 0: none. */
enum { MOST_BYTES, MOST_ARMS, WORK, TIME, COPIES, N_LIMITS };
static struct {
    const char *name;
    long long value;
} limits[N_LIMITS] = {{"BYTES", 256 << 20}, {"ARMS", 1000000}, {"WORK", 1LL << 32}, {"TIME", 2000}, {"COPIES", 64}};

/* Bytes that grow, with a NUL behind them. */
typedef struct block {
    char *at;
    size_t n, room;
} block;

/* A policy after line n. The log has lines n - count + 1 .. n, each its checksum, a blank and a text that ends with a NUL. */
enum { DESCRIPTION, SNAPSHOT, LOG, PARTS };
enum { N, CHAIN, EVERY, SHOT_N, SHOT_CHAIN, NUMBERS }; /* SHOT: of the snapshot */
typedef struct value {
    int64_t id, count, number[NUMBERS];
    block part[PARTS];
} value;

static RedisModuleType *type;
static tvgp_ctx *library;
static tvgp_store *store;
static int64_t newest_id, deadline; /* deadline: of the call, in ms; 0: none */

/* The call under way: its key, value (NULL: there is none), and what it is replicated as. */
static struct call {
    RedisModuleCtx *ctx;
    RedisModuleString *name;
    RedisModuleKey *key;
    value *v;
} now;

static void *allocate(void *user, size_t size) {
    (void)user;
    return Alloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    Free(memory);
}

static void add(block *b, const void *bytes, size_t n) {
    if (b->room <= b->n + n)
        b->at = Realloc(b->at, b->room = 2 * b->n + n + 1);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    b->at[b->n] = '\0';
}

static value *new_value(void) {
    value *v = Alloc(sizeof *v);
    *v = (value){.id = ++newest_id};
    for (int i = 0; i < PARTS; i++)
        add(&v->part[i], "", 0);
    return v;
}

static void free_value(void *at) {
    value *v = at;
    for (int i = 0; i < PARTS; i++)
        Free(v->part[i].at);
    Free(v);
}

/* Line `first` of the log, or the oldest one; where it ends, if that is beyond. */
static char *line_from(const value *v, int64_t first) {
    char *const begin = v->part[LOG].at, *at = begin + v->part[LOG].n;
    for (int64_t n = v->number[N]; n >= first && at > begin; n--)
        for (at--; at > begin && at[-1]; at--) {
        }
    return at;
}

static int64_t count_from(const value *v, int64_t first) {
    return first > v->number[N] ? 0 : first > v->number[N] - v->count ? v->number[N] - first + 1 : v->count;
}

/* ---- the store -------------------------------------------------------------------------------------------------- */

/* Redis runs one command at a time, and nothing fails after the first change of a value. */
static int32_t read_description(void *user, const char *name, int32_t write, tvgp_store_row *row) {
    (void)user, (void)name, (void)write;
    const int64_t *x = now.v ? now.v->number : NULL;
    *row = x ? (tvgp_store_row){now.v->id, x[N], x[CHAIN], x[EVERY], now.v->part[DESCRIPTION].at} : (tvgp_store_row){0};
    return 0;
}

static int32_t read_events(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *reader) {
    const value *v = now.v;
    int32_t status = 0;
    char *at = line_from(v, first);
    (void)user, (void)id;
    for (int64_t n = v->number[N] + 1 - count_from(v, first); status == 0 && n <= last && n <= v->number[N]; n++) {
        const int64_t chain = strtoll(at, &at, 10);
        status = tvgp_store_take_event(reader, n, chain, at + 1);
        at += strlen(at) + 1;
    }
    return status < 0 ? status : 0;
}

static int32_t append(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                      const int64_t *chains) {
    (void)user, (void)name;
    if (row->id == 0) {
        now.v = new_value();
        add(&now.v->part[DESCRIPTION], row->description, strlen(row->description));
        now.v->number[EVERY] = row->snapshot_every;
        ModuleTypeSetValue(now.key, type, now.v);
        Replicate(now.ctx, "TVGP.CREATE", "sccl", now.name, row->description, "SNAPSHOT_EVERY",
                  (long long)row->snapshot_every);
    }
    for (size_t i = 0; i < n; i++) {
        char digits[24];
        add(&now.v->part[LOG], digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64 " ", chains[i]));
        add(&now.v->part[LOG], lines[i], strlen(lines[i]) + 1);
        Replicate(now.ctx, "TVGP.APPLY", "sc", now.name, lines[i]);
    }
    now.v->number[N] = row->n;
    now.v->number[CHAIN] = row->chain;
    now.v->count += (int64_t)n;
    return 0;
}

static int32_t read_snapshot(void *user, int64_t id, tvgp_store *reader) {
    const value *v = now.v;
    (void)user, (void)id;
    const block *b = &v->part[SNAPSHOT];
    return b->n ? tvgp_store_take_snapshot(reader, v->number[SHOT_N], v->number[SHOT_CHAIN], b->n, b->at) : 0;
}

static int32_t write_snapshot(void *user, int64_t id, int64_t n, int64_t chain, size_t size, const void *bytes) {
    (void)user, (void)id;
    now.v->number[SHOT_N] = n;
    now.v->number[SHOT_CHAIN] = chain;
    now.v->part[SNAPSHOT].n = 0;
    add(&now.v->part[SNAPSHOT], bytes, size);
    return 0;
}

static int32_t remove_lines(void *user, int64_t id, int64_t first) {
    value *v = now.v;
    (void)user, (void)id;
    if (first == 0)
        return DeleteKey(now.key), Replicate(now.ctx, "DEL", "s", now.name), now.v = NULL, 0;
    block *log = &v->part[LOG];
    const char *at = line_from(v, first);
    v->count = count_from(v, first);
    log->n -= (size_t)(at - log->at);
    memmove(log->at, at, log->n);
    log->at = Realloc(log->at, log->room = log->n + 1);
    return 0;
}

static double seconds(void *user) {
    (void)user;
    return (double)Milliseconds() / 1000;
}

static int32_t interrupted(void *user) {
    (void)user;
    return deadline && Milliseconds() > deadline;
}

static int open_store(void) {
    const tvgp_allocator hooks = {sizeof hooks, NULL, allocate, release};
    tvgp_store_type functions = {.struct_size = sizeof functions,
                                 .copies = (size_t)limits[COPIES].value,
                                 .read_description = read_description,
                                 .read_events = read_events,
                                 .append = append,
                                 .read_snapshot = read_snapshot,
                                 .write_snapshot = write_snapshot,
                                 .remove = remove_lines,
                                 .now = seconds};
    GetRandomBytes((unsigned char *)&functions.epoch, sizeof functions.epoch);
    functions.epoch = (functions.epoch & INT64_C(0x1fffffffffffff)) | 1;
    return tvgp_ctx_create(&hooks, &library) == TVGP_OK &&
           tvgp_ctx_set_quota(library, (size_t)limits[MOST_BYTES].value, (size_t)limits[MOST_ARMS].value,
                              limits[WORK].value) == TVGP_OK &&
           tvgp_ctx_set_interrupt(library, interrupted, NULL, NULL) == TVGP_OK &&
           tvgp_store_open(library, &functions, NULL, NULL, &store) == TVGP_OK;
}

/* ---- persistence ------------------------------------------------------------------------------------------------ */

/* Whether its parts may belong together. Whether they belong to the description is checked at the first call. */
static int is_whole(value *v) {
    const int64_t most = INT64_C(1) << 53;
    const block *text = &v->part[DESCRIPTION], *log = &v->part[LOG];
    if (v->number[N] < 0 || v->number[N] > most || v->number[EVERY] < 1 || v->number[EVERY] > most ||
        v->number[SHOT_N] < 0 || v->number[SHOT_N] > v->number[N] || strlen(text->at) != text->n ||
        (log->n && log->at[log->n - 1]))
        return 0;
    for (const char *at = log->at; at < log->at + log->n; at += strlen(at) + 1, v->count++) {
        char *behind;
        (void)strtoll(at, &behind, 10);
        if (behind == at || *behind != ' ')
            return 0;
    }
    return v->count <= v->number[N];
}

static void rdb_save(RedisModuleIO *io, void *at) {
    const value *v = at;
    for (int i = 0; i < NUMBERS; i++)
        SaveSigned(io, v->number[i]);
    for (int i = 0; i < PARTS; i++)
        SaveStringBuffer(io, v->part[i].at, v->part[i].n);
}

/* After an error of Redis a text is NULL. */
static void *rdb_load(RedisModuleIO *io, int version) {
    value *v = new_value();
    for (int i = 0; i < NUMBERS; i++)
        v->number[i] = LoadSigned(io);
    for (int i = 0; i < PARTS; i++) {
        size_t n;
        char *text = LoadStringBuffer(io, &n);
        if (text)
            add(&v->part[i], text, n), Free(text);
    }
    if (version == 1 && !IsIOError(io) && is_whole(v))
        return v;
    free_value(v);
    return NULL;
}

static void aof_rewrite(RedisModuleIO *io, RedisModuleString *key, void *at) {
    const block *b = ((const value *)at)->part;
    const int64_t *x = ((const value *)at)->number;
    EmitAOF(io, "TVGP.RESTORE", "sbbblllll", key, b[0].at, b[0].n, b[1].at, b[1].n, b[2].at, b[2].n, (long long)x[0],
            (long long)x[1], (long long)x[2], (long long)x[3], (long long)x[4]);
}

static size_t mem_usage(const void *at) {
    const value *v = at;
    return sizeof *v + v->part[0].room + v->part[1].room + v->part[2].room;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* "ERR " and a text, in one line. */
static int refuse(RedisModuleCtx *ctx, const char *text) {
    char why[400];
    snprintf(why, sizeof why, "ERR %s", text);
    for (char *at; (at = strpbrk(why, "\r\n")) != NULL;)
        *at = ' ';
    return ReplyWithError(ctx, why);
}

/* Of each entry: id, epoch, arm, name, propensity, x.. of a query; arm, name, two numbers, x.. of an arm. */
static int reply_entries(RedisModuleCtx *ctx, const tvgp_store_reply *r, int queries) {
    if (!r->list && !r->n)
        return ReplyWithNull(ctx);
    if (r->list)
        ReplyWithArray(ctx, (long)r->n);
    for (size_t i = 0; i < r->n; i++) {
        ReplyWithArray(ctx, (long)((queries ? 5 : 4) + r->dim));
        if (queries) {
            ReplyWithLongLong(ctx, r->id[i]);
            ReplyWithLongLong(ctx, r->epoch);
        }
        ReplyWithLongLong(ctx, r->arm[i]);
        r->name ? ReplyWithStringBuffer(ctx, r->name[i], strlen(r->name[i])) : ReplyWithNull(ctx);
        ReplyWithDouble(ctx, r->first[i]);
        if (!queries)
            ReplyWithDouble(ctx, r->second[i]);
        for (size_t d = 0; d < r->dim; d++)
            ReplyWithDouble(ctx, r->x[i * r->dim + d]);
    }
    return OK;
}

static int reply(RedisModuleCtx *ctx, const tvgp_store_reply *r) {
    char text[2048];
    size_t n;
    switch (r->kind) {
    case TVGP_STORE_TAKEN:
        return ReplyWithLongLong(ctx, r->taken);
    case TVGP_STORE_VALUE:
        return ReplyWithDouble(ctx, r->value);
    case TVGP_STORE_BYTES:
        return ReplyWithStringBuffer(ctx, r->bytes, r->size);
    case TVGP_STORE_ESTIMATE:
        return tvgp_store_text(store, sizeof text, text, &n) == TVGP_OK ? ReplyWithStringBuffer(ctx, text, n - 1)
                                                                        : refuse(ctx, "the estimates are too long");
    default:
        return reply_entries(ctx, r, r->kind == TVGP_STORE_QUERIES);
    }
}

/* Opens the key of a call; 0: the error was sent. */
static int open_key(RedisModuleCtx *ctx, RedisModuleString *name, int mode) {
    AutoMemory(ctx); /* closes it */
    now = (struct call){ctx, name, OpenKey(ctx, name, mode), NULL};
    if (!now.key || KeyType(now.key) == EMPTY)
        return 1;
    if (ModuleTypeGetType(now.key) != type)
        return ReplyWithError(ctx, "WRONGTYPE Operation against a key holding the wrong kind of value"), 0;
    now.v = ModuleTypeGetValue(now.key);
    return 1;
}

static int run(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, int mode) {
    enum { MOST_WORDS = 64 };
    const char *word[MOST_WORDS] = {NULL}, *call = StringPtrLen(argv[0], NULL) + strlen("tvgp.");
    const tvgp_store_reply *r;
    if (argc < 2 || argc > MOST_WORDS)
        return WrongArity(ctx);
    for (int i = 1; i < argc; i++) {
        size_t length;
        word[i] = StringPtrLen(argv[i], &length);
        if (strlen(word[i]) != length)
            return refuse(ctx, "an argument contains a NUL byte");
    }
    if (!open_key(ctx, argv[1], mode))
        return OK;
    deadline = limits[TIME].value && strcasecmp(call, "apply") != 0 ? Milliseconds() + limits[TIME].value : 0;
    const tvgp_status status = tvgp_store_call_words(store, call, word[1], (size_t)argc - 2, word + 2, &r);
    if (status == TVGP_ERR_INTERRUPTED)
        return refuse(ctx, "the call was ended after TIME of the module");
    if (status < 0)
        return refuse(ctx, *tvgp_ctx_errmsg(library) ? tvgp_ctx_errmsg(library) : tvgp_status_name(status));
    if (strcasecmp(call, "trim") == 0)
        ReplicateVerbatim(ctx);
    return reply(ctx, r);
}

static int read_key(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    return run(ctx, argv, argc, READ);
}

static int write_key(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    return run(ctx, argv, argc, READ | WRITE);
}

/* TVGP.EVENTS key [n]: lines of the log, from line n on. */
static int events(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    long long first = 1;
    if (argc < 2 || argc > 3 || (argc == 3 && StringToLongLong(argv[2], &first) != OK))
        return WrongArity(ctx);
    if (!open_key(ctx, argv[1], READ))
        return OK;
    if (!now.v)
        return refuse(ctx, "there is no such policy");
    const block *log = &now.v->part[LOG];
    ReplyWithArray(ctx, (long)count_from(now.v, first));
    for (const char *at = line_from(now.v, first); at < log->at + log->n; at += strlen(at) + 1) {
        at = strchr(at, ' ') + 1;
        ReplyWithStringBuffer(ctx, at, strlen(at));
    }
    return OK;
}

/* TVGP.RESTORE key, then parts and numbers of a rewritten append-only file. */
static int restore(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc != 2 + PARTS + NUMBERS)
        return WrongArity(ctx);
    if (!open_key(ctx, argv[1], READ | WRITE))
        return OK;
    if (now.v)
        return refuse(ctx, "the key exists");
    value *v = new_value();
    size_t read = 0, n;
    for (int i = 0; i < PARTS; i++) {
        const char *text = StringPtrLen(argv[2 + i], &n);
        add(&v->part[i], text, n);
    }
    for (long long number; read < NUMBERS && StringToLongLong(argv[2 + PARTS + read], &number) == OK; read++)
        v->number[read] = number;
    if (read < NUMBERS || !is_whole(v))
        return free_value(v), refuse(ctx, "the parts of the policy are damaged");
    ModuleTypeSetValue(now.key, type, v);
    ReplicateVerbatim(ctx);
    return ReplyWithLongLong(ctx, 1);
}

/* ---- entry ------------------------------------------------------------------------------------------------------ */

/* NAME value.. behind the name of the module. */
static int read_options(RedisModuleString **argv, int argc) {
    for (int i = 0; i < argc; i += 2) {
        size_t k = 0;
        while (k < N_LIMITS && strcasecmp(StringPtrLen(argv[i], NULL), limits[k].name) != 0)
            k++;
        if (k == N_LIMITS || i + 1 == argc || StringToLongLong(argv[i + 1], &limits[k].value) != OK || limits[k].value < 0)
            return 0;
    }
    return 1;
}

/* Calls of the store, and two that are none. */
static const struct {
    const char *flags;
    command_fn *function;
    const char *name[16];
} commands[] = {
    {"write deny-oom",
     write_key,
     {"tvgp.create", "tvgp.ask", "tvgp.ask_slate", "tvgp.tell", "tvgp.observe", "tvgp.skip", "tvgp.fail",
      "tvgp.set_available", "tvgp.extend", "tvgp.set_budget", "tvgp.set_costs", "tvgp.set_cost_weight", "tvgp.set_payoffs",
      "tvgp.charge", "tvgp.fit"}},
    {"write", write_key, {"tvgp.trim", "tvgp.drop"}},
    {"write deny-oom admin", write_key, {"tvgp.apply"}},
    {"write deny-oom admin", restore, {"tvgp.restore"}},
    {"readonly", read_key, {"tvgp.best", "tvgp.arms", "tvgp.shares", "tvgp.stat", "tvgp.state", "tvgp.off_policy_value"}},
    {"readonly", events, {"tvgp.events"}}};

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    static type_methods methods = {1, rdb_load, rdb_save, aof_rewrite, mem_usage, NULL, free_value};
    int (*get)(const char *, void *);
    memcpy(&get, ctx, sizeof get); /* a context begins with the function that finds the others */
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        if (get(imports[i].name, imports[i].at) != OK)
            return 1;
    SetModuleAttribs(ctx, "tvgp", 1, API);
    SetModuleOptions(ctx, HANDLE_IO_ERRORS);
    type = CreateDataType(ctx, "tvgp-log1", 1, &methods);
    if (!type || !read_options(argv, argc) || !open_store())
        return 1;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (const char *const *name = commands[i].name; *name; name++)
            if (CreateCommand(ctx, *name, commands[i].function, commands[i].flags, 1, 1, 1) != OK)
                return 1;
    return 0;
}
