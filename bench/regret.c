/* SPDX-License-Identifier: MIT */
/* Regret of a described policy per step and seed, as CSV, to compare two builds seed by seed.
 *
 * The reward on a grid of G x G arms is f_t(x) = sqrt(2 / 60) sum_k a_k(t) cos(w_k' x + b_k) with 60 random features of an SE
 * kernel (length scale .2); its weights follow a_k(t) = sqrt(.97) a_k(t - 1) + sqrt(.03) N(0, 1). An outcome adds noise of
 * standard deviation .1.
 *
 * usage: bench_regret G STEPS SEEDS WORD ..   e.g. bench_regret 32 300 60 tv-gp-ucb se=.2 noise=.01 epsilon=.03
 * WORD ..: the description without its grid. Seeds are 1 .. SEEDS. */
#include <tvgp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 60, TEXT = 1024 };

typedef struct field {
    uint64_t state;
    double w[FEATURES][2], b[FEATURES], a[FEATURES];
} field;

static double uniform(field *f) {
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return ((double)(f->state >> 11) + .5) / 9007199254740992.0;
}

static double normal(field *f) {
    const double u = uniform(f);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(f));
}

static void field_begin(field *f, size_t seed) {
    f->state = 88172645463325252u ^ (seed * 0x9E3779B97F4A7C15u);
    for (int i = 0; i < 20; i++)
        uniform(f);
    for (int k = 0; k < FEATURES; k++) {
        f->w[k][0] = normal(f) / .2;
        f->w[k][1] = normal(f) / .2;
        f->b[k] = 6.283185307179586 * uniform(f);
        f->a[k] = normal(f);
    }
}

static void field_step(field *f) {
    for (int k = 0; k < FEATURES; k++)
        f->a[k] = sqrt(.97) * f->a[k] + sqrt(.03) * normal(f);
}

static double field_at(const field *f, double x, double y) {
    double sum = 0;
    for (int k = 0; k < FEATURES; k++)
        sum += f->a[k] * cos(f->w[k][0] * x + f->w[k][1] * y + f->b[k]);
    return sum * sqrt(2. / FEATURES);
}

static double field_best(const field *f, size_t g) {
    double best = -INFINITY;
    for (size_t i = 0; i < g * g; i++)
        best = fmax(best, field_at(f, (double)(i / g) / (double)(g - 1), (double)(i % g) / (double)(g - 1)));
    return best;
}

static int failed(tvgp_ctx *ctx) {
    fprintf(stderr, "bench_regret: %s\n", tvgp_ctx_errmsg(ctx));
    return 1;
}

/* Prints a line of one seed; returns 1 after an error. */
static int play(tvgp_ctx *ctx, const char *description, size_t g, size_t steps, size_t seed) {
    static field f;
    tvgp_policy *policy;
    if (tvgp_policy_create_described(ctx, description, &policy) < 0)
        return failed(ctx);
    field_begin(&f, seed);
    double regret = 0;
    for (size_t t = 1; t <= steps; t++) {
        if (t > 1)
            field_step(&f);
        tvgp_query q;
        size_t n;
        double x[2];
        if (tvgp_policy_ask(policy, (double)t, 1, &q, x, &n) < 0)
            return failed(ctx);
        const double value = field_at(&f, x[0], x[1]);
        regret += field_best(&f, g) - value;
        const tvgp_obs obs = {.id = q.id, .outcome = TVGP_VALUE, .y = value + .1 * normal(&f)};
        if (tvgp_policy_tell(policy, 1, &obs, NULL) < 0)
            return failed(ctx);
    }
    printf("%zu,%.6f\n", seed, regret / (double)steps);
    tvgp_policy_destroy(policy);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 5 || atoi(argv[1]) < 2 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1) {
        fprintf(stderr, "usage: bench_regret G STEPS SEEDS WORD ..\n");
        return 2;
    }
    const size_t g = (size_t)atoi(argv[1]), steps = (size_t)atoi(argv[2]), seeds = (size_t)atoi(argv[3]);
    char description[TEXT];
    int length = snprintf(description, TEXT, "%s grid=0:1:%zu,0:1:%zu", argv[4], g, g);
    for (int i = 5; i < argc && length < TEXT; i++)
        length += snprintf(description + length, (size_t)(TEXT - length), " %s", argv[i]);
    if (length >= TEXT) {
        fprintf(stderr, "bench_regret: the description is longer than %d characters\n", TEXT - 1);
        return 2;
    }
    tvgp_ctx *ctx;
    if (tvgp_ctx_create(NULL, &ctx) < 0)
        return 1;
    int status = 0;
    printf("seed,regret\n");
    for (size_t seed = 1; seed <= seeds && !status; seed++)
        status = play(ctx, description, g, steps, seed);
    tvgp_ctx_destroy(ctx);
    return status;
}
