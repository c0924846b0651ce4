/* SPDX-License-Identifier: MIT */
/* Boxes, in figures; policies next to each other are played by bench_experiments box.
 *   bench_box search D [N]   N problems: how often a search stays below the best of twelve and a long one, and its time; with
 *                            NLopt, next to 512 raw points and 20 L-BFGS on the same posterior
 *   bench_box given SCENE RUNS        the points that such runs are given
 *   bench_box check POLICY SCENE ASKS [RATE]  asks whose score is more than 1e-3 prior sd below the best of 40,000 random
 *                            points, by predictions, and by how much at most
 *   bench_box flat POLICY D EPSILON STEPS     the time of a step and the memory as a run goes on
 *   bench_box contexts ACTIONS [POLICY [none]]   an ask and an outcome with measured contexts as observations grow, and with 20
 *                            numbered ones; gp-ucb; none: created without a kernel
 * Times are CPU seconds. */
#include "box_world.h"
#include "multistart.h"
#include "samples.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

enum { MOST = 64, ROWS = 200, SEARCHES = 12, LOOKS = 40000 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status >= TVGP_OK)
        return;
    fprintf(stderr, "bench_box: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* CPU time: other programs on the machine do not count. */
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double uniform(uint64_t seed, uint64_t i) {
    double u;
    check(tvgp_random_uniform(seed, 1000, i, 1, &u));
    return u;
}

/* matern: 0 SE, 1 Matern 5/2, 2 no kernel at all */
static tvgp_policy *make(const char *name, size_t dim, const double *lower, const double *upper, int matern,
                         const double *length) {
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_box(ctx, dim, lower, upper, &domain));
    check(matern ? tvgp_kernel_matern(ctx, dim, 2.5, 1, dim, length, &kernel)
                 : tvgp_kernel_se(ctx, dim, 1, dim, length, &kernel));
    check(tvgp_policy_create(ctx, name, domain, matern == 2 ? NULL : kernel, &policy));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return policy;
}

/* ---- search ----------------------------------------------------------------------------------------------------- */

/* A problem: an upper bound of this width after n observations of a random function, half of them near its best so far. */
typedef struct {
    size_t dim, n;
    int matern;
    double length[MOST], X[ROWS * MOST], y[ROWS], width;
} problem;

static const double zeros[MOST] = {0};
static double ones[MOST];

static double bumps(const problem *p, uint64_t seed, const double *x) {
    double sum = 0;
    for (uint64_t b = 0; b < 8 + 4 * p->dim; b++) {
        double away = 0;
        for (size_t d = 0; d < p->dim; d++) {
            double e = (x[d] - uniform(seed, 1000 + b * MOST + d)) / p->length[d];
            away += e * e;
        }
        sum += 2 * (uniform(seed, b) - 0.5) * exp(-away / 2);
    }
    return sum;
}

static void make_problem(problem *p, size_t dim, uint64_t seed) {
    double length = 0.15 + 0.1 * (double)dim * uniform(seed, 1), best = -INFINITY;
    size_t at = 0;
    *p = (problem){.dim = dim, .matern = seed % 2 == 0, .width = 1 + 2 * uniform(seed, 2)};
    p->n = 8 + (size_t)(192 * uniform(seed, 3));
    for (size_t d = 0; d < dim; d++)
        p->length[d] = length;
    for (size_t i = 0; i < p->n; i++) {
        double *x = p->X + i * dim;
        for (size_t d = 0; d < dim; d++) {
            double u = uniform(seed, 10 + i * MOST + d);
            x[d] = i % 2 ? fmin(fmax(p->X[at * dim + d] + 0.4 * length * (u - 0.5), 0), 1) : u;
        }
        p->y[i] = bumps(p, seed + 7777, x);
        if (p->y[i] > best) {
            best = p->y[i];
            at = i;
        }
    }
}

static tvgp_policy *know(const problem *p, int64_t seed, double effort) {
    tvgp_policy *policy = make("gp-ucb", p->dim, zeros, ones, p->matern, p->length);
    tvgp_obs obs[ROWS];
    check(tvgp_policy_set_i64(policy, "seed", seed));
    check(tvgp_policy_set_f64(policy, "search.effort", effort));
    check(tvgp_policy_set_str(policy, "width.schedule", "constant"));
    check(tvgp_policy_set_f64(policy, "width.value", p->width));
    for (size_t i = 0; i < p->n; i++)
        obs[i] = (tvgp_obs){.y = p->y[i], .flags = TVGP_OBS_HAS_TIME};
    check(tvgp_policy_tell(policy, p->n, obs, p->X));
    return policy;
}

/* The score that a search finds, and its time. */
static double search(const problem *p, int64_t seed, double effort, double *seconds) {
    tvgp_policy *policy = know(p, seed, effort);
    tvgp_query q;
    double x[MOST], start = cpu_seconds();
    check(tvgp_policy_ask_one(policy, 0, &q, x));
    *seconds = cpu_seconds() - start;
    tvgp_policy_destroy(policy);
    return q.score;
}

#ifdef HAVE_NLOPT
static double search_nlopt(const problem *p, uint64_t seed, double *seconds) {
    tvgp_policy *policy = know(p, 0, 1);
    double x[MOST], start = cpu_seconds(), found = multistart(ctx, policy, p->dim, p->width, 0, seed, x);
    *seconds = cpu_seconds() - start;
    tvgp_policy_destroy(policy);
    return found;
}
#endif

static void bench_search(size_t dim, int problems) {
    static problem p;
    int missed[2][2] = {{0}};
    double total[2] = {0}, seconds;
    for (int i = 0; i < problems; i++) {
        double found[2] = {0}, best;
        make_problem(&p, dim, (uint64_t)(1000 * dim) + (uint64_t)i);
        best = search(&p, 99, 8, &seconds);
        for (int s = 1; s < SEARCHES; s++)
            best = fmax(best, search(&p, s, 1, &seconds));
        found[0] = search(&p, 0, 1, &seconds);
        total[0] += seconds;
#ifdef HAVE_NLOPT
        found[1] = search_nlopt(&p, (uint64_t)i, &seconds);
        total[1] += seconds;
#endif
        best = fmax(best, fmax(found[0], found[1]));
        for (int k = 0; k < 2; k++) {
            missed[k][0] += found[k] < best - 1e-6;
            missed[k][1] += found[k] < best - 1e-2;
        }
    }
    double n = problems;
    printf("%zu,search,%.3f,%.3f,%.3f\n", dim, missed[0][0] / n, missed[0][1] / n, 1e3 * total[0] / n);
#ifdef HAVE_NLOPT
    printf("%zu,nlopt,%.3f,%.3f,%.3f\n", dim, missed[1][0] / n, missed[1][1] / n, 1e3 * total[1] / n);
#endif
}

/* ---- scenes ----------------------------------------------------------------------------------------------------- */

static tvgp_policy *on_scene(const char *name, const box_scene *scene) {
    double length[MOST];
    for (size_t d = 0; d < scene->dim; d++)
        length[d] = scene->length;
    tvgp_policy *policy = make(name, scene->dim, zeros, ones, scene->at != NULL, length);
    check(tvgp_policy_set_f64(policy, "noise", scene->noise));
    return policy;
}

static void bench_given(const char *name, int runs) {
    static box_world w;
    double x[MOST];
    for (int i = 0; i < runs * BOX_GIVEN; i++) {
        if (i % BOX_GIVEN == 0)
            box_world_open(&w, box_scene_of(name), (uint64_t)(i / BOX_GIVEN) + 1);
        box_world_given(&w, (size_t)(i % BOX_GIVEN), x);
        for (size_t d = 0; d < w.scene->dim; d++)
            printf("%.17g%c", x[d], d + 1 < w.scene->dim ? ',' : '\n');
    }
}

static void bench_check(const char *name, const char *scene_name, int asks, double rate) {
    static box_world w;
    static double looks[LOOKS * MOST], mean[LOOKS], var[LOOKS];
    box_scene scene = *box_scene_of(scene_name);
    double worst = 0, x[MOST], width;
    int missed = 0;
    scene.epsilon = rate > 0 ? rate : scene.epsilon;
    tvgp_policy *policy = on_scene(name, &scene);
    if (!strcmp(name, "tv-gp-ucb"))
        check(tvgp_policy_set_f64(policy, "epsilon", scene.epsilon));
    box_world_open(&w, &scene, 9);
    for (int t = 1; t <= asks; t++, box_world_step(&w)) {
        tvgp_query q;
        double best = -INFINITY;
        check(tvgp_policy_ask_one(policy, t, &q, x));
        check(tvgp_policy_stat(policy, "width", &width));
        check(tvgp_random_uniform((uint64_t)t, 2002, 0, LOOKS * scene.dim, looks));
        check(tvgp_policy_predict(policy, t, LOOKS, looks, mean, var));
        for (size_t i = 0; i < LOOKS; i++)
            best = fmax(best, mean[i] + width * sqrt(var[i]));
        missed += q.score < best - 1e-3;
        worst = fmax(worst, best - q.score);
        check(tvgp_policy_tell_value(policy, q.id, box_world_at(&w, x) + box_world_noise(&w)));
    }
    printf("policy,scene,epsilon,asks,missed,worst\n%s,%s,%g,%d,%d,%.4f\n", name, scene.name, scene.epsilon, asks, missed,
           worst);
    tvgp_policy_destroy(policy);
}

/* ---- long runs -------------------------------------------------------------------------------------------------- */

static void bench_flat(const char *name, size_t dim, double epsilon, int steps) {
    enum { BLOCK = 500 };
    double length[MOST], x[MOST], took[BLOCK], rows;
    size_t bytes;
    for (size_t d = 0; d < dim; d++)
        length[d] = 0.15 * sqrt((double)dim);
    tvgp_policy *policy = make(name, dim, zeros, ones, 0, length);
    if (epsilon > 0)
        check(tvgp_policy_set_f64(policy, "epsilon", epsilon));
    printf("steps,median_ms,rows,bytes\n");
    for (int i = 0; i < steps; i++) {
        tvgp_query q;
        double start = cpu_seconds(), y = 0;
        check(tvgp_policy_ask_one(policy, i, &q, x));
        for (size_t d = 0; d < dim; d++)
            y += sin(6 * x[d] + 0.02 * i + (double)d);
        check(tvgp_policy_tell_value(policy, q.id, y / sqrt((double)dim) + 0.1 * (uniform(3, (uint64_t)i) - 0.5)));
        took[i % BLOCK] = cpu_seconds() - start;
        if (i % BLOCK != BLOCK - 1)
            continue;
        samples_sort(took, BLOCK);
        check(tvgp_policy_stat(policy, "observations", &rows));
        check(tvgp_ctx_memory(ctx, &bytes));
        printf("%d,%.2f,%.0f,%zu\n", i + 1, 1e3 * took[BLOCK / 2], rows, bytes);
        fflush(stdout);
    }
    tvgp_policy_destroy(policy);
}

/* ---- contexts --------------------------------------------------------------------------------------------------- */

enum { CONTEXTS = 20 };

static tvgp_policy *make_contextual(const char *name, int defaults, size_t actions, int measured) {
    const double lower = 0, upper = 1, length[] = {0.2, 0.2};
    const size_t contexts = CONTEXTS;
    tvgp_domain *arms, *loads, *both;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &actions, &arms));
    check(measured ? tvgp_domain_box(ctx, 1, &lower, &upper, &loads)
                   : tvgp_domain_grid(ctx, 1, &lower, &upper, &contexts, &loads));
    check(tvgp_domain_product(ctx, arms, loads, &both));
    check(tvgp_kernel_matern(ctx, 2, 2.5, 1, 2, length, &kernel));
    check(tvgp_policy_create(ctx, name, both, defaults ? NULL : kernel, &policy));
    tvgp_domain_destroy(arms);
    tvgp_domain_destroy(loads);
    tvgp_domain_destroy(both);
    tvgp_kernel_destroy(kernel);
    return policy;
}

static void bench_contexts(size_t actions, const char *name, int defaults) {
    enum { BLOCK = 100, STEPS = 1000 };
    double asked[2][BLOCK], answered[2][BLOCK], x[2];
    tvgp_policy *policy[2] = {make_contextual(name, defaults, actions, 0), make_contextual(name, defaults, actions, 1)};
    printf("observations,numbered_ask_us,numbered_tell_us,measured_ask_us,measured_tell_us\n");
    for (int i = 0; i < STEPS; i++) {
        const int context = (int)(uniform(5, (uint64_t)i) * CONTEXTS);
        const double z = (double)context / (CONTEXTS - 1);
        for (int k = 0; k < 2; k++) {
            tvgp_query q;
            check(k ? tvgp_policy_set_context_point(policy[k], 1, &z) : tvgp_policy_set_context(policy[k], context));
            double start = cpu_seconds();
            check(tvgp_policy_ask_one(policy[k], i, &q, x));
            double middle = cpu_seconds();
            check(tvgp_policy_tell_value(policy[k], q.id, sin(6 * x[0] + 3 * z) + 0.1 * (uniform(6, (uint64_t)i) - 0.5)));
            asked[k][i % BLOCK] = middle - start;
            answered[k][i % BLOCK] = cpu_seconds() - middle;
        }
        if (i % BLOCK != BLOCK - 1)
            continue;
        for (int k = 0; k < 2; k++) {
            samples_sort(asked[k], BLOCK);
            samples_sort(answered[k], BLOCK);
        }
        printf("%d,%.0f,%.0f,%.0f,%.0f\n", i + 1, 1e6 * asked[0][BLOCK / 2], 1e6 * answered[0][BLOCK / 2],
               1e6 * asked[1][BLOCK / 2], 1e6 * answered[1][BLOCK / 2]);
    }
    tvgp_policy_destroy(policy[0]);
    tvgp_policy_destroy(policy[1]);
}

int main(int argc, char **argv) {
    for (size_t d = 0; d < MOST; d++)
        ones[d] = 1;
    check(tvgp_ctx_create(NULL, &ctx));
    if (argc >= 3 && !strcmp(argv[1], "search"))
        bench_search((size_t)atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 200);
    else if (argc == 4 && !strcmp(argv[1], "given"))
        bench_given(argv[2], atoi(argv[3]));
    else if (argc >= 5 && !strcmp(argv[1], "check"))
        bench_check(argv[2], argv[3], atoi(argv[4]), argc > 5 ? atof(argv[5]) : 0);
    else if (argc >= 6 && !strcmp(argv[1], "flat"))
        bench_flat(argv[2], (size_t)atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    else if (argc >= 3 && !strcmp(argv[1], "contexts"))
        bench_contexts((size_t)atoi(argv[2]), argc > 3 ? argv[3] : "gp-ucb", argc > 4 && !strcmp(argv[4], "none"));
    else
        fprintf(stderr, "usage: bench_box search D [N] | given SCENE RUNS | check POLICY SCENE "
                        "ASKS [RATE] | flat POLICY D EPSILON STEPS | contexts ACTIONS [POLICY [none]]\n");
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
