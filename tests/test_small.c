/* SPDX-License-Identifier: MIT */
/* Small places: every policy plays on a stack of 64 kB with guard pages below it, of which it uses at most 32 kB (48 kB
 * with OpenBLAS), without BLAS in a thread of 64 kB too, and asks for memory as rarely as docs/reference/guarantees.md says. `test_small
 * --table` prints the table that stands there. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "cases.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 64 * 1024, GUARD = 64 * 1024, MOST = TVGP_STACK, STEPS = 200, WARM = STEPS / 2, FILL = 0xa5 };

/* ---- a game -------------------------------------------------------------------------------------------------------- */

struct game {
    const char *name;
    int box, told, reads; /* reads: asks for best and a prediction in every step */
    tvgp_status status;   /* of the call that failed; otherwise OK, or UNSUPPORTED: the policy does not play there */
    size_t early, late;   /* allocations in steps 1 .. WARM, and after them */
    char message[256];
};

static tvgp_status make(const struct game *g, tvgp_ctx *c, tvgp_policy **p) {
    const double lower[] = {0, 0}, upper[] = {1, 2}, lengthscale[] = {0.3, 0.5};
    const size_t points[] = {6, 5};
    tvgp_domain *d = NULL;
    tvgp_kernel *k = NULL;
    tvgp_status status = g->box ? tvgp_domain_box(c, 2, lower, upper, &d) : tvgp_domain_grid(c, 2, lower, upper, points, &d);
    if (status == TVGP_OK && g->told)
        status = tvgp_kernel_matern(c, 2, 2.5, 1, 2, lengthscale, &k);
    if (status == TVGP_OK)
        status = tvgp_policy_create(c, g->name, d, k, p);
    tvgp_kernel_destroy(k);
    tvgp_domain_destroy(d);
    return status;
}

static tvgp_status step(tvgp_policy *p, int reads, int t) {
    tvgp_query q = {.kind = TVGP_SIDE};
    double x[2], mean, var;
    int64_t arm;
    while (q.kind == TVGP_SIDE) {
        const tvgp_status status = tvgp_policy_ask_one(p, t, &q, x);
        const double y = sin(5 * x[0] + 0.03 * t) + cos(3 * x[1]);
        if (status != TVGP_OK)
            return status;
        const tvgp_status told = tvgp_policy_tell_value(p, q.id, y);
        if (told != TVGP_OK)
            return told;
    }
    tvgp_status status = reads ? tvgp_policy_best(p, t, &arm, x) : TVGP_OK;
    if (reads && status == TVGP_OK)
        status = tvgp_policy_predict(p, t, 1, x, &mean, &var);
    return status == TVGP_ERR_UNSUPPORTED ? TVGP_OK : status;
}

static void play(struct game *g) {
    struct memory counted = {0};
    const tvgp_allocator hooks = memory_hooks(&counted);
    tvgp_ctx *c = NULL;
    tvgp_policy *p = NULL;
    g->status = tvgp_ctx_create(&hooks, &c);
    if (g->status == TVGP_OK)
        g->status = make(g, c, &p);
    for (int t = 1; t <= STEPS && g->status == TVGP_OK; t++) {
        g->status = step(p, g->reads, t);
        if (t == WARM)
            g->early = counted.allocated;
    }
    g->late = counted.allocated - g->early;
    snprintf(g->message, sizeof g->message, "%s", tvgp_ctx_errmsg(c));
    tvgp_policy_destroy(p);
    tvgp_ctx_destroy(c);
}

/* ---- a small stack -------------------------------------------------------------------------------------------------- */

/* How much of the stack has been written to. */
static size_t used(const unsigned char *stack) {
    size_t untouched = 0;
    while (untouched < STACK && stack[untouched] == FILL)
        untouched++;
    return STACK - untouched;
}

static struct game *on_stack;
static void enter(void) {
    play(on_stack);
}

/* Plays it on so little stack; how much it used. */
static size_t on_small_stack(struct game *g) {
    unsigned char *memory_of = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ucontext_t here, there;
    ck_assert(memory_of != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory_of, GUARD, PROT_NONE), 0);
    memset(memory_of + GUARD, FILL, STACK);
    ck_assert_int_eq(getcontext(&there), 0);
    there.uc_stack = (stack_t){.ss_sp = memory_of + GUARD, .ss_size = STACK};
    there.uc_link = &here;
    on_stack = g;
    makecontext(&there, enter, 0);
    ck_assert_int_eq(swapcontext(&here, &there), 0);
    const size_t depth = used(memory_of + GUARD);
    munmap(memory_of, GUARD + STACK);
    return depth;
}

static struct game way_of(int policy, int way) {
    return (struct game){.name = harness_policy_at(policy), .box = way & 1, .told = way & 2, .reads = 1};
}

/* It went well, or the policy does not play there. */
static void check_status(const struct game *g) {
    ck_assert_msg(g->status == TVGP_OK ||
                      ((g->box || !g->told) && (g->status == TVGP_ERR_UNSUPPORTED || g->status == TVGP_ERR_ARG)),
                  "%s, %s, %s: %s", g->name, g->box ? "box" : "arms", g->told ? "told" : "learned", g->message);
}

TEST_EACH(little_stack, harness_policies()) {
    for (int way = 0; way < 4; way++) {
        struct game g = way_of(_i, way);
        const size_t depth = on_small_stack(&g);
        check_status(&g);
        ck_assert_msg(depth <= MOST, "%s, %s, %s: %zu bytes of stack, at most %d", g.name, g.box ? "box" : "arms",
                      g.told ? "told" : "learned", depth, MOST);
        if (getenv("TVGP_SHOW"))
            printf("%s box %d told %d: %zu\n", g.name, g.box, g.told != 0, depth);
    }
}

static void *play_all(void *policy) {
    for (int way = 0; way < 4; way++) {
        struct game g = way_of(*(int *)policy, way);
        play(&g);
        check_status(&g);
    }
    return NULL;
}

/* Of the 64 kB the C library takes its guard page and what it keeps for each thread. OpenBLAS keeps more than such a thread has. */
TEST_WHERE(small_thread, harness_policies(), MOST <= STACK / 2) {
    pthread_attr_t attr;
    pthread_t thread;
    int policy = _i;
    ck_assert_int_eq(pthread_attr_init(&attr), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attr, play_all, &policy), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

static const char *often(size_t allocations) {
    const size_t steps = STEPS - WARM;
    return allocations == 0 ? "none" : allocations < steps ? "< 1" : allocations < 10 * steps ? "< 10" : "< 100";
}

/* A row of the table: allocations a step after step WARM, on arms and boxes, with a kernel and without. */
static void row_of(const char *name, char *row, size_t size) {
    int n = snprintf(row, size, "| %s |", name);
    for (int way = 0; way < 4; way++) {
        struct game g = {.name = name, .box = way / 2, .told = way % 2 == 0};
        play(&g);
        n += snprintf(row + n, size - (size_t)n, " %s |", g.status == TVGP_OK ? often(g.late) : "-");
    }
}

#define HEAD                                                                                                                \
    "| allocations a step, steps 101 to 200 | arms, kernel supplied | arms, learned | box, kernel supplied | box, learned " \
    "|\n"

static void print_table(void) {
    char row[256];
    printf(HEAD "| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < harness_policies(); i++) {
        row_of(harness_policy_at(i), row, sizeof row);
        printf("%s\n", row);
    }
}

static char *read_page(void) {
    FILE *file = fopen(TVGP_PAGE, "rb");
    char *text = calloc(1, 1 << 17);
    ck_assert(file && text && fread(text, 1, (1 << 17) - 1, file) > 0);
    fclose(file);
    return text;
}

TEST_EACH(as_the_page_says, harness_policies()) {
    char row[256], *page = read_page();
    row_of(harness_policy_at(_i), row, sizeof row);
    ck_assert_msg(strstr(page, row) != NULL, "docs/reference/guarantees.md does not say %s (test_small --table)", row);
    free(page);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        print_table();
        return EXIT_SUCCESS;
    }
    return HARNESS_RUN("small", harness_setup, harness_teardown);
}
