/* SPDX-License-Identifier: MIT */
/* Dumps of the module for Redis: a key is played and dumped, bytes of the dump are changed, and the result is loaded. What was loaded
 * is asked, reports an outcome and is dumped again; calls may be refused. Redis is a key and a stream of bytes in this file. */
#include "../../src/integration/redis/tvgp_redis.c"
#include "fuzz/draw.h"
#include "fuzz/play.h"

struct RedisModuleString {
    const char *text;
    size_t n;
};
struct RedisModuleKey {
    value *held;
};
struct RedisModuleIO {
    unsigned char bytes[1 << 16];
    size_t n, at;
    int failed;
};
static RedisModuleKey cell;

static void *fake_alloc(size_t n) {
    void *memory = malloc(n ? n : 1);
    if (!memory)
        abort();
    return memory;
}

static void *fake_realloc(void *memory, size_t n) {
    memory = realloc(memory, n);
    return memory ? memory : (abort(), NULL);
}

static const char *string_text(const RedisModuleString *s, size_t *n) {
    if (n)
        *n = s->n;
    return s->text;
}

static RedisModuleKey *open_cell(RedisModuleCtx *ctx, RedisModuleString *name, int mode) {
    (void)ctx, (void)name, (void)mode;
    return &cell;
}

static void automatic(RedisModuleCtx *ctx) {
    (void)ctx;
}

static int cell_type(RedisModuleKey *key) {
    return key->held ? 1 : EMPTY;
}

static RedisModuleType *cell_module(RedisModuleKey *key) {
    (void)key;
    return type;
}

static void *cell_value(RedisModuleKey *key) {
    return key->held;
}

static int set_cell(RedisModuleKey *key, RedisModuleType *of, void *at) {
    (void)of;
    key->held = at;
    return OK;
}

static int empty_cell(RedisModuleKey *key) {
    free_value(key->held);
    key->held = NULL;
    return OK;
}

static int replicate(RedisModuleCtx *ctx, const char *command, const char *format, ...) {
    (void)ctx, (void)command, (void)format;
    return OK;
}

static int replicate_call(RedisModuleCtx *ctx) {
    (void)ctx;
    return OK;
}

static int reply_text_of(RedisModuleCtx *ctx, const char *text) {
    (void)ctx;
    return strpbrk(text, "\r\n") ? (abort(), 1) : OK;
}

static int reply_integer(RedisModuleCtx *ctx, long long x) {
    (void)ctx, (void)x;
    return OK;
}

static int reply_number(RedisModuleCtx *ctx, double x) {
    (void)ctx, (void)x;
    return OK;
}

static int reply_array(RedisModuleCtx *ctx, long n) {
    (void)ctx, (void)n;
    return OK;
}

static int reply_bytes(RedisModuleCtx *ctx, const char *bytes, size_t n) {
    unsigned sum = 0;
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        sum += (unsigned char)bytes[i];
    return sum ? OK : READ;
}

static long long clock_now(void) {
    static long long ms = 1000;
    return ms++;
}

static void random_bytes(unsigned char *bytes, size_t n) {
    memset(bytes, 7, n);
}

static void put(RedisModuleIO *io, const char *bytes, size_t n) {
    if (n + 2 > sizeof io->bytes - io->n || n > 0xffff)
        return;
    io->bytes[io->n++] = (unsigned char)(n >> 8);
    io->bytes[io->n++] = (unsigned char)n;
    memcpy(io->bytes + io->n, bytes, n);
    io->n += n;
}

static char *take(RedisModuleIO *io, size_t *n) {
    *n = io->n - io->at >= 2 ? (size_t)io->bytes[io->at] << 8 | io->bytes[io->at + 1] : 0;
    io->failed |= io->n - io->at < 2 + *n;
    if (io->failed)
        return NULL;
    char *text = fake_alloc(*n); /* as long as it is, so that a read beyond it is found */
    memcpy(text, io->bytes + io->at + 2, *n);
    io->at += 2 + *n;
    return text;
}

static void put_integer(RedisModuleIO *io, int64_t x) {
    char digits[24];
    put(io, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, x) + 1);
}

static int64_t take_integer(RedisModuleIO *io) {
    size_t n;
    char *text = take(io, &n);
    const int64_t x = text && n && !text[n - 1] ? strtoll(text, NULL, 10) : 0;
    free(text);
    return x;
}

static int failed(RedisModuleIO *io) {
    return io->failed;
}

static void begin(void) {
    Alloc = fake_alloc, Realloc = fake_realloc, Free = free, StringPtrLen = string_text, OpenKey = open_cell,
    AutoMemory = automatic, KeyType = cell_type;
    ModuleTypeGetType = cell_module, ModuleTypeGetValue = cell_value, ModuleTypeSetValue = set_cell, DeleteKey = empty_cell;
    Replicate = replicate, ReplicateVerbatim = replicate_call, ReplyWithError = reply_text_of,
    ReplyWithLongLong = reply_integer;
    ReplyWithDouble = reply_number, ReplyWithArray = reply_array, ReplyWithNull = replicate_call,
    WrongArity = replicate_call;
    ReplyWithStringBuffer = reply_bytes, Milliseconds = clock_now, GetRandomBytes = random_bytes, SaveStringBuffer = put;
    SaveSigned = put_integer, LoadSigned = take_integer, LoadStringBuffer = take, IsIOError = failed;
    limits[MOST_BYTES].value = 1 << 24, limits[MOST_ARMS].value = 4096, limits[WORK].value = 1 << 20,
    limits[COPIES].value = 2;
    if (!open_store())
        abort();
}

static void call(const char *first, const char *second, const char *third, const char *fourth, const char *fifth) {
    const char *const word[] = {first, "k", second, third, fourth, fifth};
    RedisModuleString string[6], *argv[6];
    int n = 0;
    for (size_t i = 0; i < 6; i++)
        if (word[i]) {
            string[n] = (RedisModuleString){word[i], strlen(word[i])};
            argv[n] = &string[n];
            n++;
        }
    write_key(NULL, argv, n);
}

static void drop(void) {
    if (cell.held)
        empty_cell(&cell);
}

/* One of the first n bytes, half of the time of the first 256. */
static size_t place(struct draw *d, size_t n) {
    const size_t low = below(d, 256);
    return (once_in(d, 2) ? low : below(d, 256) << 8 | low) % n;
}

static void play_key(struct draw *d) {
    static const char *const description[] = {"gp-ucb indices=3", "auto-gp-ucb grid=0:1:5 se=.3",
                                              "gp-ucb box=0:1 at_most=5 se=.3", "tv-gp-ucb names=a,b contexts=2"};
    static RedisModuleIO io;
    io.n = io.at = 0, io.failed = 0;
    call("tvgp.create", description[below(d, 4)], "snapshot_every", below(d, 2) ? "2" : "9", NULL);
    for (size_t i = below(d, 8); i-- > 0;) {
        char id[24];
        snprintf(id, sizeof id, "%zu", i);
        call("tvgp.ask", NULL, NULL, NULL, NULL);
        call("tvgp.tell", id, ".5", NULL, NULL);
    }
    if (cell.held)
        rdb_save(&io, cell.held);
    drop();
    for (size_t i = below(d, 4); io.n && i-- > 0;)
        io.bytes[place(d, io.n)] = (unsigned char)below(d, 256);
    if (io.n && once_in(d, 4))
        io.n = place(d, io.n);
    cell.held = rdb_load(&io, 1);
    if (!cell.held)
        return;
    call("tvgp.ask", NULL, NULL, NULL, NULL);
    call("tvgp.tell", "1", "1", NULL, NULL);
    call("tvgp.arms", NULL, NULL, NULL, NULL);
    call("tvgp.state", NULL, NULL, NULL, NULL);
    call("tvgp.off_policy_value", "uniform", NULL, NULL, NULL);
    if (cell.held) {
        io.n = 0;
        rdb_save(&io, cell.held);
        (void)mem_usage(cell.held);
    }
    drop();
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    struct draw d = {bytes, n, 0};
    (void)label;
    begin();
    play_key(&d);
    tvgp_store_close(store);
    tvgp_ctx_destroy(library);
}
