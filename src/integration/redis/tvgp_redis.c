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

typedef struct line {
    int64_t chain;
    char *text;
} line;

/* A policy after line n. */
typedef struct value {
    int64_t id, n, chain, every;
    char *description;
    line *log; /* lines n - count + 1 .. n */
    size_t count, room, bytes;
    int64_t shot_n, shot_chain; /* of the snapshot */
    char *shot;
    size_t shot_size;
} value;

static RedisModuleType *type;
static tvgp_ctx *library;
static tvgp_store *store;
static int64_t newest_id;
static long long deadline; /* of the call, in ms; 0: none */

/* The call under way: its key, value (NULL: there is none), and what it is replicated as. */
static struct {
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

static char *copy_of(const char *text, size_t n) {
    char *copy = Alloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static value *new_value(const char *description, size_t length) {
    value *v = Alloc(sizeof *v);
    *v = (value){.id = ++newest_id,
                 .every = 1,
                 .description = copy_of(description, length),
                 .log = Alloc(sizeof *v->log),
                 .room = 1,
                 .shot = Alloc(1)};
    return v;
}

static void drop_lines(value *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        v->bytes -= strlen(v->log[i].text) + 1 + sizeof *v->log;
        Free(v->log[i].text);
    }
    v->count -= n;
    memmove(v->log, v->log + n, v->count * sizeof *v->log);
}

static void free_value(void *at) {
    value *v = at;
    drop_lines(v, v->count);
    Free(v->log);
    Free(v->shot);
    Free(v->description);
    Free(v);
}

static void keep_line(value *v, int64_t chain, const char *text, size_t length) {
    if (v->count == v->room) {
        line *grown = Alloc(2 * v->room * sizeof *grown);
        memcpy(grown, v->log, v->count * sizeof *grown);
        Free(v->log);
        v->log = grown;
        v->room *= 2;
    }
    v->log[v->count++] = (line){chain, copy_of(text, length)};
    v->bytes += length + 1 + sizeof *v->log;
}

static void keep_snapshot(value *v, int64_t n, int64_t chain, const void *bytes, size_t size) {
    Free(v->shot);
    v->shot = copy_of(bytes, size);
    v->shot_size = size;
    v->shot_n = n;
    v->shot_chain = chain;
}

/* ---- the store -------------------------------------------------------------------------------------------------- */

/* Redis runs one command at a time, and nothing fails after the first change of a value. */
static int32_t lock(void *user, int32_t write_or_keep) {
    (void)user, (void)write_or_keep;
    return 0;
}

static int32_t read_description(void *user, const char *name, int32_t write, tvgp_store_row *row) {
    const value *v = now.v;
    (void)user, (void)name, (void)write;
    *row = v ? (tvgp_store_row){v->id, v->n, v->chain, v->every, v->description} : (tvgp_store_row){0};
    return 0;
}

static int32_t read_events(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *reader) {
    const value *v = now.v;
    const int64_t from = v->n - (int64_t)v->count + 1;
    int32_t status = 0;
    (void)user, (void)id;
    for (int64_t n = first > from ? first : from; status == 0 && n <= last && n <= v->n; n++)
        status = tvgp_store_take_event(reader, n, v->log[n - from].chain, v->log[n - from].text);
    return status < 0 ? status : 0;
}

static int32_t append(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                      const int64_t *chains) {
    (void)user, (void)name;
    if (row->id == 0) {
        now.v = new_value(row->description, strlen(row->description));
        now.v->every = row->snapshot_every;
        ModuleTypeSetValue(now.key, type, now.v);
        Replicate(now.ctx, "TVGP.CREATE", "sccl", now.name, row->description, "SNAPSHOT_EVERY",
                  (long long)row->snapshot_every);
    }
    for (size_t i = 0; i < n; i++) {
        keep_line(now.v, chains[i], lines[i], strlen(lines[i]));
        Replicate(now.ctx, "TVGP.APPLY", "sc", now.name, lines[i]);
    }
    now.v->n = row->n;
    now.v->chain = row->chain;
    return 0;
}

static int32_t read_snapshot(void *user, int64_t id, tvgp_store *reader) {
    const value *v = now.v;
    (void)user, (void)id;
    return v->shot_size ? tvgp_store_take_snapshot(reader, v->shot_n, v->shot_chain, v->shot, v->shot_size) : 0;
}

static int32_t write_snapshot(void *user, int64_t id, int64_t n, int64_t chain, const void *bytes, size_t size) {
    (void)user, (void)id;
    keep_snapshot(now.v, n, chain, bytes, size);
    return 0;
}

static int32_t remove_lines(void *user, int64_t id, int64_t first) {
    value *v = now.v;
    const int64_t from = v->n - (int64_t)v->count + 1;
    (void)user, (void)id;
    if (first == 0)
        return DeleteKey(now.key), Replicate(now.ctx, "DEL", "s", now.name), now.v = NULL, 0;
    if (first > from)
        drop_lines(v, first > v->n ? v->count : (size_t)(first - from));
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

static tvgp_status open_store(void) {
    const tvgp_allocator hooks = {sizeof hooks, NULL, allocate, release};
    tvgp_store_type functions = {sizeof functions,
                                 (size_t)limits[COPIES].value,
                                 0,
                                 lock,
                                 lock,
                                 read_description,
                                 read_events,
                                 append,
                                 read_snapshot,
                                 write_snapshot,
                                 remove_lines,
                                 seconds};
    GetRandomBytes((unsigned char *)&functions.epoch, sizeof functions.epoch);
    functions.epoch = (functions.epoch & INT64_C(0x1fffffffffffff)) | 1;
    tvgp_status status = tvgp_ctx_create(&hooks, &library);
    if (status == TVGP_OK)
        status = tvgp_ctx_set_quota(library, (size_t)limits[MOST_BYTES].value, (size_t)limits[MOST_ARMS].value,
                                    limits[WORK].value);
    if (status == TVGP_OK)
        status = tvgp_ctx_set_interrupt(library, interrupted, NULL, NULL);
    return status == TVGP_OK ? tvgp_store_open(library, &functions, NULL, NULL, &store) : status;
}

/* ---- persistence ------------------------------------------------------------------------------------------------ */

static const char HEAD[] = "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 "%n";

/* Numbers and lines as text: n, chain, every, then number and checksum of the snapshot; then each line behind its checksum. */
static char *pack(const value *v, size_t *size) {
    char *text = Alloc(v->bytes + (v->count + 5) * 24 + 1), *at = text;
    at += sprintf(at, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", v->n, v->chain, v->every, v->shot_n,
                  v->shot_chain);
    for (size_t i = 0; i < v->count; i++)
        at += sprintf(at, "%" PRId64 " %s\n", v->log[i].chain, v->log[i].text);
    *size = (size_t)(at - text);
    return text;
}

/* Reads what pack wrote; 0: the text is damaged. */
static int unpack(value *v, const char *text, size_t size) {
    const int64_t most = INT64_C(1) << 53;
    const char *end = text + size;
    int read = 0;
    if (!size || memchr(text, '\0', size) || end[-1] != '\n' ||
        sscanf(text, HEAD, &v->n, &v->chain, &v->every, &v->shot_n, &v->shot_chain, &read) != 5 || text[read] != '\n' ||
        v->n < 0 || v->n > most || v->every < 1 || v->every > most || v->shot_n < 0 || v->shot_n > v->n)
        return 0;
    for (const char *next, *at = text + read + 1; at < end; at = next + 1) {
        char *behind;
        next = memchr(at, '\n', (size_t)(end - at));
        const int64_t chain = strtoll(at, &behind, 10);
        if (behind == at || *behind != ' ')
            return 0;
        keep_line(v, chain, behind + 1, (size_t)(next - behind - 1));
    }
    return (int64_t)v->count <= v->n;
}

/* A value from its parts; NULL: they are damaged. Whether snapshot and lines belong to the description is checked at the first call. */
static value *assemble(const char *const text[3], const size_t size[3]) {
    if (memchr(text[0], '\0', size[0]))
        return NULL;
    value *v = new_value(text[0], size[0]);
    char *log = copy_of(text[2], size[2]); /* ends with a NUL */
    keep_snapshot(v, 0, 0, text[1], size[1]);
    const int whole = unpack(v, log, size[2]);
    Free(log);
    if (whole)
        return v;
    free_value(v);
    return NULL;
}

static void rdb_save(RedisModuleIO *io, void *at) {
    const value *v = at;
    size_t size;
    char *log = pack(v, &size);
    SaveStringBuffer(io, v->description, strlen(v->description));
    SaveStringBuffer(io, v->shot, v->shot_size);
    SaveStringBuffer(io, log, size);
    Free(log);
}

static void *rdb_load(RedisModuleIO *io, int version) {
    size_t size[3];
    char *text[3] = {NULL, NULL, NULL};
    int read = version == 1;
    for (int i = 0; read && i < 3; i++) {
        text[i] = LoadStringBuffer(io, &size[i]);
        read = text[i] && !IsIOError(io);
    }
    value *v = read ? assemble((const char *const *)text, size) : NULL;
    for (int i = 0; i < 3; i++)
        if (text[i])
            Free(text[i]);
    return v;
}

static void aof_rewrite(RedisModuleIO *io, RedisModuleString *key, void *at) {
    const value *v = at;
    size_t size;
    char *log = pack(v, &size);
    EmitAOF(io, "TVGP.RESTORE", "scbb", key, v->description, v->shot, v->shot_size, log, size);
    Free(log);
}

static size_t mem_usage(const void *at) {
    const value *v = at;
    return sizeof *v + v->bytes + v->shot_size + strlen(v->description);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* "ERR " and a text, in one line. */
static int refuse(RedisModuleCtx *ctx, const char *text) {
    char why[400];
    snprintf(why, sizeof why, "ERR %s", text);
    for (char *at = why; *at; at++)
        if (*at == '\r' || *at == '\n')
            *at = ' ';
    return ReplyWithError(ctx, why);
}

/* A command: the call of the store, its flags, the arguments that are always given, and its reply. */
enum { ARMS, QUERIES, TAKEN, VALUE, BYTES, ESTIMATE };
static const struct {
    const char *name, *call, *flags;
    int reply;
    size_t n;
    const char *argument[3];
} commands[] = {{"tvgp.create", "create", "write deny-oom", TAKEN, 1, {"description"}},
                {"tvgp.ask", "ask", "write deny-oom", QUERIES, 0, {NULL}},
                {"tvgp.ask_slate", "ask_slate", "write deny-oom", QUERIES, 1, {"slate"}},
                {"tvgp.tell", "tell", "write deny-oom", TAKEN, 2, {"id", "y"}},
                {"tvgp.observe", "observe", "write deny-oom", TAKEN, 2, {"x", "y"}},
                {"tvgp.skip", "skip", "write deny-oom", TAKEN, 1, {"id"}},
                {"tvgp.fail", "fail", "write deny-oom", TAKEN, 1, {"id"}},
                {"tvgp.available", "set_available", "write deny-oom", TAKEN, 1, {"arms"}},
                {"tvgp.extend", "extend", "write deny-oom", TAKEN, 1, {"arms"}},
                {"tvgp.budget", "set_budget", "write deny-oom", TAKEN, 3, {"budget", "period", "asks"}},
                {"tvgp.costs", "set_costs", "write deny-oom", TAKEN, 1, {"costs"}},
                {"tvgp.charge", "charge", "write deny-oom", TAKEN, 2, {"id", "cost"}},
                {"tvgp.trim", "trim", "write", TAKEN, 1, {"before"}},
                {"tvgp.drop", "drop", "write", TAKEN, 0, {NULL}},
                {"tvgp.apply", "apply", "write deny-oom admin", TAKEN, 1, {"line"}},
                {"tvgp.best", "best", "readonly", ARMS, 0, {NULL}},
                {"tvgp.arms", "arms", "readonly", ARMS, 0, {NULL}},
                {"tvgp.shares", "shares", "readonly", ARMS, 0, {NULL}},
                {"tvgp.stat", "stat", "readonly", VALUE, 1, {"key"}},
                {"tvgp.state", "state", "readonly", BYTES, 0, {NULL}},
                {"tvgp.estimate_policy_value", "estimate_policy_value", "readonly", ESTIMATE, 1, {"description"}}};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

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

static int reply_text(RedisModuleCtx *ctx) {
    size_t n = 0;
    (void)tvgp_store_text(store, NULL, 0, &n);
    char *text = Alloc(n);
    (void)tvgp_store_text(store, text, n, &n);
    ReplyWithStringBuffer(ctx, text, n - 1);
    Free(text);
    return OK;
}

static int reply(RedisModuleCtx *ctx, int kind, const tvgp_store_reply *r) {
    return kind == QUERIES || kind == ARMS ? reply_entries(ctx, r, kind == QUERIES)
           : kind == VALUE                 ? ReplyWithDouble(ctx, r->value)
           : kind == BYTES                 ? ReplyWithStringBuffer(ctx, r->bytes, r->size)
           : kind == ESTIMATE              ? reply_text(ctx)
                                           : ReplyWithLongLong(ctx, r->taken);
}

enum { MOST_ARGUMENTS = 32, NAME_SIZE = 32 };

/* Keys and values of a call. */
typedef struct arguments {
    size_t n;
    char name[MOST_ARGUMENTS][NAME_SIZE];
    const char *key[MOST_ARGUMENTS], *value[MOST_ARGUMENTS];
} arguments;

/* The words behind the key: `given` values, then names with their values. 0: the error was sent. */
static int read_arguments(RedisModuleCtx *ctx, RedisModuleString **word, size_t words, const char *const *given,
                          size_t n_given, arguments *a) {
    if (words < n_given || (words - n_given) % 2 || n_given + (words - n_given) / 2 > MOST_ARGUMENTS)
        return WrongArity(ctx), 0;
    for (size_t i = 0; i < words; i++) {
        size_t length;
        const char *text = StringPtrLen(word[i], &length);
        if (strlen(text) != length)
            return refuse(ctx, "an argument contains a NUL byte"), 0;
        if (i < n_given || (i - n_given) % 2) {
            a->key[a->n] = i < n_given ? given[i] : a->name[a->n];
            a->value[a->n++] = text;
            continue;
        }
        snprintf(a->name[a->n], NAME_SIZE, "%s", text);
        for (char *at = a->name[a->n]; *at; at++)
            *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at);
    }
    return 1;
}

static size_t command_named(const RedisModuleString *name) {
    size_t i = 0;
    while (i + 1 < N_COMMANDS && strcasecmp(StringPtrLen(name, NULL), commands[i].name) != 0)
        i++;
    return i;
}

/* Opens the key of a call; 0: the error was sent. */
static int open_key(RedisModuleCtx *ctx, RedisModuleString *name, int mode) {
    now.ctx = ctx;
    now.name = name;
    now.v = NULL;
    now.key = OpenKey(ctx, name, mode);
    if (!now.key || KeyType(now.key) == EMPTY)
        return 1;
    if (ModuleTypeGetType(now.key) != type)
        return CloseKey(now.key), ReplyWithError(ctx, "WRONGTYPE Operation against a key holding the wrong kind of value"),
               0;
    now.v = ModuleTypeGetValue(now.key);
    return 1;
}

static int run(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    const size_t c = command_named(argv[0]);
    const tvgp_store_reply *r;
    arguments a = {.n = 0};
    if (argc < 2)
        return WrongArity(ctx);
    if (!read_arguments(ctx, argv + 2, (size_t)argc - 2, commands[c].argument, commands[c].n, &a) ||
        !open_key(ctx, argv[1], strcmp(commands[c].flags, "readonly") == 0 ? READ : READ | WRITE))
        return OK;
    deadline = limits[TIME].value && strcmp(commands[c].call, "apply") != 0 ? Milliseconds() + limits[TIME].value : 0;
    const tvgp_status status =
        tvgp_store_call(store, commands[c].call, StringPtrLen(argv[1], NULL), a.n, a.key, a.value, &r);
    if (now.key)
        CloseKey(now.key);
    if (status == TVGP_ERR_INTERRUPTED)
        return refuse(ctx, "the call was ended after TIME of the module");
    if (status < 0)
        return refuse(ctx, *tvgp_ctx_errmsg(library) ? tvgp_ctx_errmsg(library) : tvgp_status_name(status));
    if (strcmp(commands[c].call, "trim") == 0)
        ReplicateVerbatim(ctx);
    return reply(ctx, commands[c].reply, r);
}

/* TVGP.EVENTS key [n]: lines of the log, from line n on. */
static int events(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    long long first = 1;
    if (argc < 2 || argc > 3 || (argc == 3 && StringToLongLong(argv[2], &first) != OK))
        return WrongArity(ctx);
    if (!open_key(ctx, argv[1], READ))
        return OK;
    const value *v = now.v;
    if (now.key)
        CloseKey(now.key);
    if (!v)
        return refuse(ctx, "there is no such policy");
    const int64_t begin = v->n - (int64_t)v->count + 1;
    const size_t skip = first <= begin ? 0 : first > v->n ? v->count : (size_t)(first - begin);
    ReplyWithArray(ctx, (long)(v->count - skip));
    for (size_t i = skip; i < v->count; i++)
        ReplyWithStringBuffer(ctx, v->log[i].text, strlen(v->log[i].text));
    return OK;
}

/* TVGP.RESTORE key description snapshot lines, of a rewritten append-only file. */
static int restore(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    size_t size[3];
    const char *text[3];
    if (argc != 5)
        return WrongArity(ctx);
    for (int i = 0; i < 3; i++)
        text[i] = StringPtrLen(argv[2 + i], &size[i]);
    if (!open_key(ctx, argv[1], READ | WRITE))
        return OK;
    value *v = now.v ? NULL : assemble(text, size);
    if (v)
        ModuleTypeSetValue(now.key, type, v);
    CloseKey(now.key);
    if (!v)
        return refuse(ctx, now.v ? "the key exists" : "the parts of the policy are damaged");
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

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    static type_methods methods = {.version = 1,
                                   .rdb_load = rdb_load,
                                   .rdb_save = rdb_save,
                                   .aof_rewrite = aof_rewrite,
                                   .mem_usage = mem_usage,
                                   .free = free_value};
    int (*get)(const char *, void *);
    memcpy(&get, ctx, sizeof get); /* a context begins with the function that finds the others */
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        if (get(imports[i].name, imports[i].at) != OK)
            return 1;
    SetModuleAttribs(ctx, "tvgp", 1, API);
    SetModuleOptions(ctx, HANDLE_IO_ERRORS);
    type = CreateDataType(ctx, "tvgp-log1", 1, &methods);
    if (!type || !read_options(argv, argc) || open_store() != TVGP_OK)
        return 1;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (CreateCommand(ctx, commands[i].name, run, commands[i].flags, 1, 1, 1) != OK)
            return 1;
    return CreateCommand(ctx, "tvgp.events", events, "readonly", 1, 1, 1) != OK ||
           CreateCommand(ctx, "tvgp.restore", restore, "write deny-oom admin", 1, 1, 1) != OK;
}
