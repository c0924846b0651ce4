/* SPDX-License-Identifier: MIT */
/* Boxes, in figures:
 *   bench_box search D [N]   N problems: how often a search stays below the best of twelve and a long one, and its time; with
 *                            NLopt, beside 512 raw points and 20 L-BFGS on the same posterior
 *   bench_box play NAME STEPS POLICY [RUNS] [learn]   simple regret and time of a run on branin, hartmann3, hartmann6,
 *                            ackley5; learn: without kernel and noise
 *   bench_box starts NAME RUNS                the first points of such runs
 *   bench_box flat POLICY D EPSILON STEPS     the time of a step and the memory as a run goes on
 *   bench_box contexts ACTIONS   an ask and an answer with measured contexts as observations grow, and with 20 numbered ones
 * Times are CPU seconds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>
#ifdef HAVE_NLOPT
#include <nlopt.h>
#endif

enum { MOST = 64, ROWS = 200, SEARCHES = 12, FIRST = 10 };

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
    check(matern ? tvgp_kernel_matern(ctx, dim, 2.5, 1, length, dim, &kernel)
                 : tvgp_kernel_se(ctx, dim, 1, length, dim, &kernel));
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
        obs[i] = (tvgp_obs){.y = p->y[i], .flags = TVGP_OBS_TIME};
    check(tvgp_policy_tell(policy, obs, p->X, p->n));
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
typedef struct {
    tvgp_policy *policy;
    size_t dim;
    double width;
} climber;

static double climb(unsigned n, const double *x, double *gradient, void *user) {
    const climber *c = user;
    double mean, var, dmean[MOST], dvar[MOST];
    check(tvgp_policy_predict_gradient(c->policy, 0, 1, x, &mean, &var, gradient ? dmean : NULL, gradient ? dvar : NULL));
    double sd = sqrt(fmax(var, 1e-14));
    for (unsigned d = 0; gradient && d < n; d++)
        gradient[d] = dmean[d] + c->width * dvar[d] / (2 * sd);
    return mean + c->width * sd;
}

/* The usual multistart: 512 random points in one block, L-BFGS from the best 20. */
static double multistart(const problem *p, uint64_t seed, double *seconds) {
    enum { RAW = 512, STARTS = 20 };
    static double X[RAW * MOST], mean[RAW], var[RAW];
    climber c = {know(p, 0, 1), p->dim, p->width};
    double found = -INFINITY, start = cpu_seconds();
    check(tvgp_random_uniform(seed, 1001, 0, RAW * p->dim, X));
    check(tvgp_policy_predict(c.policy, 0, RAW, X, mean, var));
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)p->dim);
    nlopt_set_lower_bounds1(opt, 0);
    nlopt_set_upper_bounds1(opt, 1);
    nlopt_set_max_objective(opt, climb, &c);
    nlopt_set_maxeval(opt, 200);
    nlopt_set_ftol_rel(opt, 1e-10);
    for (int s = 0; s < STARTS; s++) {
        size_t best = 0;
        double value;
        for (size_t i = 1; i < RAW; i++)
            if (mean[i] + p->width * sqrt(var[i]) > mean[best] + p->width * sqrt(var[best]))
                best = i;
        mean[best] = -INFINITY;
        if (nlopt_optimize(opt, X + best * p->dim, &value) > 0 && value > found)
            found = value;
    }
    *seconds = cpu_seconds() - start;
    nlopt_destroy(opt);
    tvgp_policy_destroy(c.policy);
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
        found[1] = multistart(&p, (uint64_t)i, &seconds);
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

/* ---- functions that others use ---------------------------------------------------------------------------------- */

static double branin(const double *u) { /* as a reward, 0 at best */
    const double pi = 3.14159265358979323846, x = 15 * u[0] - 5, y = 15 * u[1];
    const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
    return -(a * a + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10 - 0.397887357729738) / 50;
}

static double hartmann(size_t dim, const double *u, const double *A, const double *P, double best) {
    static const double alpha[] = {1, 1.2, 3, 3.2};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double inner = 0;
        for (size_t d = 0; d < dim; d++) {
            double e = u[d] - 1e-4 * P[i * dim + d];
            inner += A[i * dim + d] * e * e;
        }
        sum += alpha[i] * exp(-inner);
    }
    return sum - best;
}

static double hartmann3(const double *u) {
    static const double A[] = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
    static const double P[] = {3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828};
    return hartmann(3, u, A, P, 3.86278214782076);
}

static double hartmann6(const double *u) {
    static const double A[] = {10, 3,   17,  3.5, 1.7, 8, 0.05, 10, 17,   0.1, 8,   14,
                               3,  3.5, 1.7, 10,  17,  8, 17,   8,  0.05, 10,  0.1, 14};
    static const double P[] = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991,
                               2348, 1451, 3522, 2883, 3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};
    return hartmann(6, u, A, P, 3.32236801141551);
}

static double ackley5(const double *u) { /* on [-5, 10]^5 */
    double squares = 0, waves = 0;
    for (size_t d = 0; d < 5; d++) {
        double x = 15 * u[d] - 5;
        squares += x * x / 5;
        waves += cos(6.283185307179586476925 * x) / 5;
    }
    return 20 * exp(-0.2 * sqrt(squares)) - 20 + exp(waves) - exp(1);
}

typedef struct {
    const char *name;
    size_t dim;
    double (*at)(const double *);
    double variance_scale, length, most; /* most: the maximum, which is taken off in `at` */
} function;

static const function functions[] = {{"branin", 2, branin, 1, 0.25, 0},
                                     {"hartmann3", 3, hartmann3, 1, 0.3, 3.86278214782076},
                                     {"hartmann6", 6, hartmann6, 1, 0.4, 3.32236801141551},
                                     {"ackley5", 5, ackley5, 4, 0.4, 0}};

/* The same for all. */
static void first_point(const function *f, uint64_t run, int i, double *x) {
    for (size_t d = 0; d < f->dim; d++)
        x[d] = uniform(run, 100 * (uint64_t)i + d);
}

static double play(const function *f, const char *name, int learn, int steps, uint64_t run, double *seconds) {
    double length[MOST], x[MOST], best = -INFINITY, spent = 0;
    for (size_t d = 0; d < f->dim; d++)
        length[d] = f->length;
    tvgp_policy *policy = make(name, f->dim, zeros, ones, learn ? 2 : 1, length);
    check(tvgp_policy_set_i64(policy, "seed", (int64_t)run));
    if (strcmp(name, "random") && !learn)
        check(tvgp_policy_set(policy, "noise=1e-4 width.schedule=constant width.value=2"));
    for (int i = 0; i < FIRST; i++) {
        first_point(f, run, i, x);
        const tvgp_obs o = {.y = (f->at(x) + f->most) / f->variance_scale, .flags = TVGP_OBS_TIME};
        check(tvgp_policy_tell(policy, &o, x, 1));
        best = fmax(best, o.y);
    }
    for (int i = 0; i < steps; i++) {
        tvgp_query q;
        double start = cpu_seconds();
        check(tvgp_policy_ask_one(policy, 1 + i, &q, x));
        spent += cpu_seconds() - start;
        double y = (f->at(x) + f->most) / f->variance_scale;
        best = fmax(best, y);
        start = cpu_seconds();
        check(tvgp_policy_tell_value(policy, q.id, y));
        spent += cpu_seconds() - start;
    }
    tvgp_policy_destroy(policy);
    *seconds += spent;
    return f->most - best * f->variance_scale;
}

static void print_starts(const char *name, int runs) {
    double x[MOST];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        for (int i = 0; i < runs * FIRST && !strcmp(functions[k].name, name); i++) {
            first_point(&functions[k], (uint64_t)(i / FIRST) + 1, i % FIRST, x);
            for (size_t d = 0; d < functions[k].dim; d++)
                printf("%.17g%c", x[d], d + 1 < functions[k].dim ? ',' : '\n');
        }
}

static void bench_play(const char *name, int steps, const char *policy, int runs, int learn) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        double sum = 0, squares = 0, seconds = 0;
        if (strcmp(functions[i].name, name))
            continue;
        for (int run = 0; run < runs; run++) {
            double regret = play(&functions[i], policy, learn, steps, (uint64_t)run + 1, &seconds);
            sum += regret / runs;
            squares += regret * regret / runs;
        }
        printf("%s,%s%s,%d,%.4g,%.2g,%.3f\n", name, policy, learn ? " told nothing" : "", steps, sum,
               sqrt(fmax(squares - sum * sum, 0) / runs), seconds / runs);
        return;
    }
    fprintf(stderr, "bench_box: no function '%s'\n", name);
    exit(EXIT_FAILURE);
}

/* ---- long runs -------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

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
        qsort(took, BLOCK, sizeof *took, by_value);
        check(tvgp_policy_stat(policy, "observations", &rows));
        check(tvgp_ctx_memory(ctx, &bytes));
        printf("%d,%.2f,%.0f,%zu\n", i + 1, 1e3 * took[BLOCK / 2], rows, bytes);
        fflush(stdout);
    }
    tvgp_policy_destroy(policy);
}

/* ---- contexts --------------------------------------------------------------------------------------------------- */

enum { CONTEXTS = 20 };

static tvgp_policy *make_contextual(size_t actions, int measured) {
    const double lower = 0, upper = 1, length[] = {0.2, 0.2};
    const size_t contexts = CONTEXTS;
    tvgp_domain *arms, *loads, *both;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &actions, &arms));
    check(measured ? tvgp_domain_box(ctx, 1, &lower, &upper, &loads)
                   : tvgp_domain_grid(ctx, 1, &lower, &upper, &contexts, &loads));
    check(tvgp_domain_product(ctx, arms, loads, &both));
    check(tvgp_kernel_matern(ctx, 2, 2.5, 1, length, 2, &kernel));
    check(tvgp_policy_create(ctx, "gp-ucb", both, kernel, &policy));
    tvgp_domain_destroy(arms);
    tvgp_domain_destroy(loads);
    tvgp_domain_destroy(both);
    tvgp_kernel_destroy(kernel);
    return policy;
}

static void bench_contexts(size_t actions) {
    enum { BLOCK = 100, STEPS = 1000 };
    double asked[2][BLOCK], told[2][BLOCK], x[2];
    tvgp_policy *policy[2] = {make_contextual(actions, 0), make_contextual(actions, 1)};
    printf("observations,numbered_ask_us,numbered_tell_us,measured_ask_us,measured_tell_us\n");
    for (int i = 0; i < STEPS; i++) {
        const int context = (int)(uniform(5, (uint64_t)i) * CONTEXTS);
        const double z = (double)context / (CONTEXTS - 1);
        for (int k = 0; k < 2; k++) {
            tvgp_query q;
            check(k ? tvgp_policy_set_context_x(policy[k], &z, 1) : tvgp_policy_set_context(policy[k], context));
            double start = cpu_seconds();
            check(tvgp_policy_ask_one(policy[k], i, &q, x));
            double middle = cpu_seconds();
            check(tvgp_policy_tell_value(policy[k], q.id, sin(6 * x[0] + 3 * z) + 0.1 * (uniform(6, (uint64_t)i) - 0.5)));
            asked[k][i % BLOCK] = middle - start;
            told[k][i % BLOCK] = cpu_seconds() - middle;
        }
        if (i % BLOCK != BLOCK - 1)
            continue;
        for (int k = 0; k < 2; k++) {
            qsort(asked[k], BLOCK, sizeof *asked[k], by_value);
            qsort(told[k], BLOCK, sizeof *told[k], by_value);
        }
        printf("%d,%.0f,%.0f,%.0f,%.0f\n", i + 1, 1e6 * asked[0][BLOCK / 2], 1e6 * told[0][BLOCK / 2],
               1e6 * asked[1][BLOCK / 2], 1e6 * told[1][BLOCK / 2]);
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
    else if (argc >= 5 && !strcmp(argv[1], "play"))
        bench_play(argv[2], atoi(argv[3]), argv[4], argc > 5 ? atoi(argv[5]) : 10, argc > 6);
    else if (argc == 4 && !strcmp(argv[1], "starts"))
        print_starts(argv[2], atoi(argv[3]));
    else if (argc >= 6 && !strcmp(argv[1], "flat"))
        bench_flat(argv[2], (size_t)atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    else if (argc == 3 && !strcmp(argv[1], "contexts"))
        bench_contexts((size_t)atoi(argv[2]));
    else
        fprintf(stderr,
                "usage: bench_box search D [N] | play NAME STEPS POLICY [RUNS] [learn] | flat POLICY D EPSILON STEPS | "
                "contexts ACTIONS\n");
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
