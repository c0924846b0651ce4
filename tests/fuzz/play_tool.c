/* SPDX-License-Identifier: MIT */
/* Files of the program tvgp. A state and its log were written by the program; bytes of one of them, or of a CSV file, are changed, and
 * one command runs on them. It ends with a code of its own, and one that refuses leaves the state as it was. The sources of the program are
 * compiled with other names for main, exit and what gives memory (tests/CMakeLists.txt), so that a run ends here and its memory and files
 * are given back. */
#define _XOPEN_SOURCE 700 /* mkdtemp, dup2 */
#include "fuzz/draw.h"
#include "fuzz/play.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>
#include <unistd.h>

enum { BASES = 7, FILES = 3, MOST = 1 << 17, WORDS = 8, DESCRIPTORS = 64 };
enum { STATE, LOG, TABLE };

/* ---- a run of the program ------------------------------------------------------------------------------------------- */

typedef struct block {
    struct block *next, **link; /* link: what points to it */
    max_align_t bytes[];
} block;
static block *blocks;
static jmp_buf left;

int fuzz_main(int argc, char **argv);
void tool_exit_at(const char *path, size_t line);
void fuzz_exit(int code) __attribute__((noreturn));
void *fuzz_malloc(size_t n), *fuzz_calloc(size_t n, size_t size), *fuzz_realloc(void *memory, size_t n);
void fuzz_free(void *memory);
char *fuzz_strdup(const char *text), *fuzz_realpath(const char *name, char *out);
int fuzz_fsync(int file);
tvgp_status fuzz_ctx_create(const tvgp_allocator *hooks, tvgp_ctx **out);

void fuzz_exit(int code) {
    longjmp(left, code + 1);
}

int fuzz_fsync(int file) {
    return file < 0 ? -1 : 0;
}

void *fuzz_malloc(size_t n) {
    block *b = n > SIZE_MAX / 2 ? NULL : malloc(sizeof *b + n);
    if (!b)
        return NULL;
    *b = (block){blocks, &blocks};
    if (blocks)
        blocks->link = &b->next;
    blocks = b;
    return b->bytes;
}

static block *block_of(void *memory) {
    return (block *)((char *)memory - offsetof(block, bytes));
}

void fuzz_free(void *memory) {
    if (!memory)
        return;
    block *b = block_of(memory);
    *b->link = b->next;
    if (b->next)
        b->next->link = b->link;
    free(b);
}

void *fuzz_calloc(size_t n, size_t size) {
    void *memory = size && n > SIZE_MAX / 2 / size ? NULL : fuzz_malloc(n * size);
    return memory ? memset(memory, 0, n * size) : NULL;
}

void *fuzz_realloc(void *memory, size_t n) {
    if (!memory)
        return fuzz_malloc(n);
    block *b = n > SIZE_MAX / 2 ? NULL : realloc(block_of(memory), sizeof *b + n);
    if (!b)
        return NULL;
    *b->link = b;
    if (b->next)
        b->next->link = &b->next;
    return b->bytes;
}

char *fuzz_strdup(const char *text) {
    char *copy = fuzz_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

char *fuzz_realpath(const char *name, char *out) {
    char *real = realpath(name, out), *copy = real && !out ? fuzz_strdup(real) : real;
    if (!out)
        free(real);
    return copy;
}

static void *give(void *user, size_t n) {
    (void)user;
    return fuzz_malloc(n);
}

static void take(void *user, void *memory) {
    (void)user;
    fuzz_free(memory);
}

/* As in the program, with bounds for what a forged file may ask for. */
tvgp_status fuzz_ctx_create(const tvgp_allocator *hooks, tvgp_ctx **out) {
    const tvgp_allocator own = {sizeof own, NULL, give, take};
    (void)hooks;
    tvgp_status status = tvgp_ctx_create(&own, out);
    return status == TVGP_OK ? tvgp_ctx_set_quota(*out, 1 << 26, 10000, 20000000) : status;
}

/* The code that the program ends with. */
static int run(int words, char **word) {
    static int code;
    tool_exit_at(NULL, 0);
    code = setjmp(left);
    code = code ? code - 1 : fuzz_main(words, word);
    while (blocks)
        fuzz_free(blocks->bytes);
    for (int i = 4; i < DESCRIPTORS; i++)
        close(i); /* of files that a run that exits leaves open, with their locks */
    return code;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

typedef struct content {
    char bytes[MOST];
    size_t n;
} content;
static char folder[] = "/tmp/tvgp_fuzz_XXXXXX", path[FILES][64];
static content base[BASES][FILES], now, before;

static void write_file(const char *name, const content *c) {
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(c->bytes, 1, c->n, file) != c->n || fclose(file) != 0)
        abort();
}

/* Nothing where it does not exist. */
static void read_file(const char *name, content *c) {
    FILE *file = fopen(name, "rb");
    c->n = file ? fread(c->bytes, 1, MOST, file) : 0;
    if (file)
        fclose(file);
}

static void clean(void) {
    static const char *const ending[] = {"", ".log", ".lock", ".csv"};
    char name[80];
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        snprintf(name, sizeof name, "%s/s%s", folder, ending[i]);
        unlink(name);
    }
    rmdir(folder);
}

/* Words with blanks between, of which `@` is the state and `%` the table. */
static int command(const char *text) {
    char words[256], *word[WORDS + 1] = {"tvgp"};
    int n = 1;
    snprintf(words, sizeof words, "%s", text);
    for (char *at = strtok(words, " "); at && n < WORDS; at = strtok(NULL, " "))
        word[n++] = strcmp(at, "@") == 0 ? path[STATE] : strcmp(at, "%") == 0 ? path[TABLE] : at;
    return run(n, word);
}

/* Reports of sanitizers go to the standard error that the program had. */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Standard output and error of the program go nowhere. */
static void silence(int on) {
    static int kept[3], nowhere;
    fflush(stdout);
    if (!nowhere) {
        nowhere = fcntl(open("/dev/null", O_WRONLY), F_DUPFD, DESCRIPTORS);
        kept[1] = fcntl(1, F_DUPFD, DESCRIPTORS);
        kept[2] = fcntl(2, F_DUPFD, DESCRIPTORS);
        if (__sanitizer_set_report_fd)
            __sanitizer_set_report_fd((void *)(intptr_t)kept[2]);
    }
    dup2(on ? nowhere : kept[1], 1);
    dup2(on ? nowhere : kept[2], 2);
}

static void fail(const char *label, const char *text, int code, const char *why) {
    silence(0);
    fprintf(stderr, "\n%s: tvgp %s: code %d, %s\n", label, text, code, why);
    abort();
}

/* ---- honest states --------------------------------------------------------------------------------------------------- */

static const char *const created[BASES] = {"names=red,green,blue seed=1",     "box=0:1,0:3:integer",
                                           "grid=0:1:5 at_most=1 safe=0",     "box=0:1 policy=sparq-gp-ucb",
                                           "names=a,b outcome.type=binomial", "names=a,b clock=seconds",
                                           "indices=3 pending.timeout=2"};

static void make_bases(void) {
    for (int i = 0; i < BASES; i++) {
        char text[128];
        unlink(path[STATE]);
        unlink(path[LOG]);
        snprintf(text, sizeof text, "create @ %s", created[i]);
        if (command(text) != 0)
            fail("make_bases", text, 0, "no state");
        for (int t = 1; t <= 4; t++) {
            (void)command("ask @ --t 1700000000");
            snprintf(text, sizeof text, "tell @ %d %s", t, i == 4 ? "1/3" : i == 2 ? "0.5 0.3" : "0.5");
            (void)command(text);
        }
        read_file(path[STATE], &base[i][STATE]);
        read_file(path[LOG], &base[i][LOG]);
        if (!base[i][STATE].n || base[i][STATE].n == MOST || !base[i][LOG].n)
            fail("make_bases", text, 0, "the state has another size");
    }
}

static void begin(void) {
    if (!mkdtemp(folder) || atexit(clean) != 0)
        abort();
    snprintf(path[STATE], sizeof path[STATE], "%s/s", folder);
    snprintf(path[LOG], sizeof path[LOG], "%s/s.log", folder);
    snprintf(path[TABLE], sizeof path[TABLE], "%s/s.csv", folder);
}

/* ---- forgeries ------------------------------------------------------------------------------------------------------- */

static const char *const tables[] = {"name,x,mean\na,0.1,1\nb,0.5,2\n",
                                     "x,y\n0.1,0.2\n0.3,1\n",
                                     "t,x,y\n1,0.1,0.2\n2,0.3,1\n",
                                     "time,red,green,blue\n1,2,3,4\n2,3,4,5\n",
                                     "red,green,blue\n1,2,3\n2,,5\n",
                                     "x1,x2,mean\n0.5,1,0\n",
                                     "date,arm,sales,visits\n2024-01-01,red,3,10\n2024-01-02,blue,4,12\n"};

static const char *const tokens[] = {"",
                                     "\"",
                                     "\n",
                                     "\r\n",
                                     ",",
                                     "-1",
                                     "1e400",
                                     "nan",
                                     "inf",
                                     "99999999999999999999",
                                     "\xff\xfe",
                                     "\xef\xbb\xbf",
                                     "{\"n\":1",
                                     "\\u0000",
                                     "\\",
                                     "\xc3",
                                     "9007199254740993",
                                     "-9223372036854775808",
                                     "[",
                                     "{",
                                     "}",
                                     " ",
                                     "\t",
                                     "names ",
                                     "calls ",
                                     "snapshot 0",
                                     "0x1p3",
                                     ";",
                                     "clock seconds\n",
                                     "available 101\n",
                                     "max_step 1e-9\n",
                                     "\"\"\"\"\"\"\"\"\"\"",
                                     "2024-02-30",
                                     "red"};

static size_t place(struct draw *d, size_t n) {
    return n ? (below(d, 256) << 8 | below(d, 256)) % n : 0;
}

static void insert(content *c, size_t at, const char *bytes, size_t n) {
    if (c->n + n > MOST)
        return;
    memmove(c->bytes + at + n, c->bytes + at, c->n - at);
    memcpy(c->bytes + at, bytes, n);
    c->n += n;
}

static void erase(content *c, size_t at, size_t n) {
    n = n > c->n - at ? c->n - at : n;
    memmove(c->bytes + at, c->bytes + at + n, c->n - at - n);
    c->n -= n;
}

/* One change in the first `most` bytes. */
static void forge(struct draw *d, content *c, size_t most) {
    const size_t at = place(d, most < c->n ? most : c->n), left_over = c->n - at;
    const char *token = tokens[below(d, sizeof tokens / sizeof *tokens)];
    char copy[256];
    size_t n = 1 + below(d, 255);
    switch (below(d, 6)) {
    case 0:
        if (c->n)
            c->bytes[at] = (char)below(d, 256);
        break;
    case 1:
        erase(c, at, n % 20 + 1);
        break;
    case 2:
        insert(c, at, token, *token ? strlen(token) : 1);
        break;
    case 3: /* a copy of what stands there */
        n = n < left_over ? n : left_over;
        memcpy(copy, c->bytes + at, n);
        insert(c, at, copy, n);
        break;
    case 4: /* instead of a word or a number */
        while (n && at < c->n && !strchr(" ,:\n", c->bytes[at]) && --n)
            erase(c, at, 1);
        insert(c, at, token, strlen(token));
        break;
    default:
        c->n = at;
    }
}

static size_t head_of(const content *c) {
    static const char last[] = "\nsnapshot ";
    for (size_t i = 0; i + sizeof last < c->n; i++)
        if (memcmp(c->bytes + i, last, sizeof last - 1) == 0)
            return i + sizeof last + 6;
    return c->n;
}

static const char *const commands[] = {"ask @",
                                       "ask @ --t 1800000000",
                                       "tell @ 5 0.2",
                                       "skip @ 5",
                                       "best @",
                                       "show @",
                                       "why @",
                                       "why @ 3",
                                       "log @",
                                       "log @ 3 --csv",
                                       "metrics @",
                                       "shares @ --draws 10",
                                       "ranking @ --draws 10",
                                       "observe @ 0.5 1",
                                       "observe @ red 1",
                                       "charge @ 5 1",
                                       "estimate @ --uniform",
                                       "estimate @ --arm red",
                                       "show @ --html",
                                       "ask @ --slate 2",
                                       "available @ red",
                                       "extend @ white",
                                       "options @",
                                       "payoffs @ 1 2 3",
                                       "cost-weight @ 0.5",
                                       "ask @ --json",
                                       "log @ --json",
                                       "ask @ --candidates %",
                                       "observe @ --csv %",
                                       "learn @ %",
                                       "replay %"};
enum { COMMANDS = sizeof commands / sizeof *commands, WITH_TABLE = 4 };

static void play_files(const char *label, struct draw *d) {
    const content *from = base[below(d, BASES)];
    const size_t what = below(d, FILES),
                 which = what == TABLE ? COMMANDS - WITH_TABLE + below(d, WITH_TABLE) : below(d, COMMANDS);
    for (size_t i = 0; i < FILES; i++) {
        if (i == TABLE) {
            const char *text = tables[below(d, sizeof tables / sizeof *tables)];
            now.n = strlen(text);
            memcpy(now.bytes, text, now.n);
        } else {
            now.n = from[i].n;
            memcpy(now.bytes, from[i].bytes, now.n);
        }
        for (size_t k = i == what ? 1 + below(d, 4) : 0; k; k--)
            forge(d, &now, i == STATE && !once_in(d, 8) ? head_of(&now) : now.n);
        if (i == STATE)
            before = now;
        write_file(path[i], &now);
    }
    const int code = command(commands[which]);
    read_file(path[STATE], &now);
    if (code < 0 || code > 3)
        fail(label, commands[which], code, "which is none of the program's");
    if (code && (now.n != before.n || memcmp(now.bytes, before.bytes, now.n) != 0))
        fail(label, commands[which], code, "and it changed the state");
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    struct draw d = {bytes, n, 0};
    silence(1);
    if (!*path[STATE]) {
        begin();
        make_bases();
    }
    play_files(label, &d);
    silence(0);
}
