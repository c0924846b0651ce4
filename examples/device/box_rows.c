/* SPDX-License-Identifier: MIT */
/* Memory and longest step of tv-gp-ucb on a box, by rows.limit, with and without a constraint. Prints a table. Time is read from a
 * timer of the board mps2-an500; under qemu -icount shift=0 an instruction takes a nanosecond. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { STEPS = 150 };

/* ---- a timer that counts down at 25 MHz --------------------------------------------------------------------------- */

static volatile uint32_t *const timer = (volatile uint32_t *)0x40000000; /* control, value, reload */

static void timer_start(void) {
    timer[2] = timer[1] = UINT32_MAX;
    timer[0] = 1;
}

static double timer_nanoseconds(void) {
    return 40. * (UINT32_MAX - timer[1]);
}

/* ---- memory, with its peak ---------------------------------------------------------------------------------------- */

typedef union {
    size_t size;
    max_align_t align;
} head;
static size_t used, most;

static void *take(void *user, size_t size) {
    head *h = malloc(sizeof *h + size);
    (void)user;
    if (!h)
        return NULL;
    h->size = size;
    used += size;
    most = used > most ? used : most;
    return h + 1;
}

static void give(void *user, void *memory) {
    head *h = (head *)memory - 1;
    (void)user;
    used -= h->size;
    free(h);
}

/* ---- a run -------------------------------------------------------------------------------------------------------- */

static void check(const tvgp_ctx *ctx, tvgp_status status) {
    if (status != TVGP_OK) {
        printf("%s\n", tvgp_ctx_errmsg(ctx));
        exit(1);
    }
}

static tvgp_policy *create(tvgp_ctx *ctx, int rows, int constrained) {
    static const char described[] = "tv-gp-ucb box=0:1,0:1 se=.3 noise=.01 half_life=50";
    const double corner[2] = {0, 0};
    tvgp_policy *policy, *model;
    check(ctx, tvgp_policy_create_described(ctx, described, &policy));
    check(ctx, tvgp_policy_set_i64(policy, "rows.limit", rows)); /* of the model as well */
    if (!constrained)
        return policy;
    check(ctx, tvgp_policy_create_described(ctx, described, &model));
    check(ctx, tvgp_policy_add_constraint(policy, model, TVGP_AT_MOST, 1));
    check(ctx, tvgp_policy_set_safe(policy, 1, corner));
    tvgp_policy_destroy(model);
    return policy;
}

static void run(int rows, int constrained) {
    const tvgp_allocator memory = {sizeof memory, NULL, take, give};
    double longest = 0, x[2];
    tvgp_ctx *ctx;
    tvgp_query q;
    used = most = 0;
    if (tvgp_ctx_create(&memory, &ctx) != TVGP_OK)
        exit(1);
    tvgp_policy *policy = create(ctx, rows, constrained);
    for (int t = 0; t < STEPS; t++) {
        timer_start();
        check(ctx, tvgp_policy_ask_one(policy, t, &q, x));
        const double y[2] = {sin(5 * x[0] + .03 * t) + cos(3 * x[1]), x[0] + x[1] + .2 * sin(.05 * t)};
        check(ctx, tvgp_policy_tell_values(policy, q.id, constrained ? 2 : 1, y));
        longest = fmax(longest, timer_nanoseconds());
    }
    printf("%4d  %-10s  %6.0f kB  %5.1f million instructions\n", rows, constrained ? "1" : "none", (double)most / 1e3,
           longest / 1e6);
    tvgp_policy_destroy(policy);
    tvgp_ctx_destroy(ctx);
}

int main(void) {
    printf("rows  constraints  memory  longest step\n");
    for (int rows = 16; rows <= 64; rows *= 2)
        for (int constrained = 0; constrained < 2; constrained++)
            run(rows, constrained);
    return 0;
}
