/* SPDX-License-Identifier: MIT */
/* Policies on a box in a field that drifts by their own model, or (EPSILON 0) of peaks that wander:
 *   bench_box_field arms POLICY D SIDE EPSILON STEPS RUNS   mean regret to the maximum over the box, on the box and on SIDE^D
 *                       arms: the same fields and noises for both. Prints both, their ratio, its standard error over runs, and
 *                       CPU milliseconds of a step
 *   bench_box_field untold D EPSILON STEPS RUNS   mean regret over that of random points: tv-gp-ucb told kernel and rate, and
 *                       policies told nothing; the same fields and noises for all
 *   bench_box_field check POLICY D ASKS   asks whose score is more than 1e-3 prior sd below the best of 40,000 random points, by
 *                       predictions, and by how much at most
 *   bench_box_field play POLICY D EPSILON STEPS   every point asked, for comparing builds and numbers of threads
 * POLICY `tv-gp-ucb` is told the rate; with `+` behind its name a policy is told nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

/* f_t(x) = sqrt(2 / M) sum_m a_m(t) cos(w_m'x + b_m), a_m stationary with variance 1 and correlation (1 - epsilon)^(dt/2): a
 * draw of the model with an SE kernel, on M features. */
enum { FEATURES = 400, LOOKS = 40000, MOST = 8, PEAKS = 6 };

static tvgp_ctx *ctx;
static const double zeros[MOST] = {0}, ones[MOST] = {1, 1, 1, 1, 1, 1, 1, 1};

typedef struct {
    size_t dim;
    uint64_t seed, draws;
    double epsilon, w[FEATURES * MOST], b[FEATURES], a[FEATURES], looks[LOOKS * MOST]; /* peaks: w centres, a heights */
} field;

static void check(tvgp_status status) {
    if (status >= TVGP_OK)
        return;
    fprintf(stderr, "bench_box_field: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double normal(field *f) {
    double z;
    check(tvgp_random_normal(f->seed, 2000, f->draws++, 1, &z));
    return z;
}

static double length_of(size_t dim) {
    return 0.2 * sqrt((double)dim / 2);
}

static void open_field(field *f, size_t dim, double epsilon, uint64_t seed) {
    f->dim = dim;
    f->epsilon = epsilon;
    f->seed = seed;
    f->draws = 0;
    for (size_t i = 0; i < FEATURES * dim; i++)
        f->w[i] = normal(f) / length_of(dim);
    check(tvgp_random_uniform(seed, 2003, 0, FEATURES, f->b));
    for (size_t m = 0; m < FEATURES; m++) {
        f->b[m] *= 6.283185307179586476925;
        f->a[m] = normal(f);
    }
    check(tvgp_random_uniform(seed, 2001, 0, LOOKS * dim, f->looks));
    if (epsilon > 0)
        return;
    check(tvgp_random_uniform(seed, 2005, 0, PEAKS * dim, f->w));
    for (size_t m = 0; m < PEAKS; m++)
        f->a[m] = 1.5 + 0.5 * f->a[m];
}

/* Centres walk at random and are reflected, heights return to 1.5: a model that no policy here has. */
static void step_peaks(field *f) {
    for (size_t m = 0; m < PEAKS; m++)
        f->a[m] = 1.5 + 0.99 * (f->a[m] - 1.5) + 0.1 * normal(f);
    for (size_t i = 0; i < PEAKS * f->dim; i++) {
        double at = fabs(f->w[i] + 0.01 * normal(f));
        f->w[i] = at > 1 ? 2 - at : at;
    }
}

static double peaks_at(const field *f, const double *x) {
    const double length = length_of(f->dim);
    double most = 0;
    for (size_t m = 0; m < PEAKS; m++) {
        double away = 0;
        for (size_t d = 0; d < f->dim; d++)
            away += (x[d] - f->w[m * f->dim + d]) * (x[d] - f->w[m * f->dim + d]) / (length * length);
        most = fmax(most, f->a[m] * exp(-away / 2));
    }
    return most;
}

static void step_field(field *f) {
    if (!(f->epsilon > 0)) {
        step_peaks(f);
        return;
    }
    double keep = sqrt(1 - f->epsilon), fresh = sqrt(f->epsilon);
    for (size_t m = 0; m < FEATURES; m++)
        f->a[m] = keep * f->a[m] + fresh * normal(f);
}

static double field_at(const field *f, const double *x) {
    double sum = 0;
    if (!(f->epsilon > 0))
        return peaks_at(f, x);
    for (size_t m = 0; m < FEATURES; m++) {
        double phase = f->b[m];
        for (size_t d = 0; d < f->dim; d++)
            phase += f->w[m * f->dim + d] * x[d];
        sum += f->a[m] * cos(phase);
    }
    return sum * sqrt(2.0 / FEATURES);
}

/* The maximum over the box: the best of `looks` points and of those that were asked, improved by shrinking random steps. */
static double field_most(const field *f, size_t looks, size_t given, const double *asked) {
    double at[MOST], best = -INFINITY, trial[MOST], u[200 * MOST], h = 0.05;
    for (size_t i = 0; i < looks + given; i++) {
        const double *x = i < looks ? f->looks + i * f->dim : asked + (i - looks) * f->dim;
        double y = field_at(f, x);
        if (y > best) {
            best = y;
            memcpy(at, x, f->dim * sizeof *at);
        }
    }
    check(tvgp_random_uniform(f->seed, 2004, 0, 200 * f->dim, u));
    for (size_t i = 0; i < 200; i++) {
        for (size_t d = 0; d < f->dim; d++)
            trial[d] = fmin(fmax(at[d] + h * (2 * u[i * f->dim + d] - 1), 0), 1);
        double y = field_at(f, trial);
        h *= y > best ? 1.1 : 0.96;
        if (y > best) {
            best = y;
            memcpy(at, trial, f->dim * sizeof *at);
        }
    }
    return best;
}

/* side 0: on the box. */
static tvgp_policy *on_field(const char *name, size_t dim, size_t side, double epsilon) {
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    const double length = length_of(dim);
    size_t points[MOST], untold = strlen(name);
    char own[64] = "";
    memcpy(own, name, untold < sizeof own ? untold : 0);
    untold = untold > 0 && own[untold - 1] == '+' ? untold - 1 : 0;
    if (untold)
        own[untold] = 0;
    for (size_t d = 0; d < dim; d++)
        points[d] = side;
    check(side ? tvgp_domain_grid(ctx, dim, zeros, ones, points, &domain) : tvgp_domain_box(ctx, dim, zeros, ones, &domain));
    check(tvgp_kernel_se(ctx, dim, 1, &length, 1, &kernel));
    check(tvgp_policy_create(ctx, own, domain, untold ? NULL : kernel, &policy));
    if (!strcmp(name, "tv-gp-ucb") && epsilon > 0)
        check(tvgp_policy_set_f64(policy, "epsilon", epsilon));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return policy;
}

static void bench_arms(const char *name, size_t dim, size_t side, double epsilon, int steps, int runs) {
    static field f;
    double sum[2] = {0}, ratios = 0, squares = 0, seconds[2] = {0};
    for (int run = 0; run < runs; run++) {
        tvgp_policy *policy[2] = {on_field(name, dim, 0, epsilon), on_field(name, dim, side, epsilon)};
        double regret[2] = {0}, x[2 * MOST], y[2];
        open_field(&f, dim, epsilon, (uint64_t)(100 + run));
        for (int t = 1; t <= steps; t++, step_field(&f)) {
            double noise = 0.1 * normal(&f);
            for (size_t k = 0; k < 2; k++) {
                tvgp_query q;
                double start = cpu_seconds();
                check(tvgp_policy_ask_one(policy[k], t, &q, x + k * dim));
                y[k] = field_at(&f, x + k * dim);
                check(tvgp_policy_tell_value(policy[k], q.id, y[k] + noise));
                seconds[k] += cpu_seconds() - start;
            }
            double most = field_most(&f, dim < 3 ? 700 : 2500, 2, x);
            for (int k = 0; k < 2; k++)
                regret[k] += (most - y[k]) / steps;
        }
        for (int k = 0; k < 2; k++) {
            sum[k] += regret[k] / runs;
            tvgp_policy_destroy(policy[k]);
        }
        ratios += regret[0] / regret[1] / runs;
        squares += regret[0] / regret[1] * regret[0] / regret[1] / runs;
    }
    printf("policy,dim,epsilon,steps,runs,box,arms,ratio,se,box_ms,arms_ms\n%s,%zu,%g,%d,%d,%.4f,%.4f,%.3f,%.3f,%.2f,%.2f\n",
           name, dim, epsilon, steps, runs, sum[0], sum[1], sum[0] / sum[1], sqrt(fmax(squares - ratios * ratios, 0) / runs),
           1e3 * seconds[0] / runs / steps, 1e3 * seconds[1] / runs / steps);
}

static void bench_untold(size_t dim, double epsilon, int steps, int runs) {
    enum { PLAYERS = 7 };
    static const char *const names[PLAYERS] = {"random",       "tv-gp-ucb",  "auto-gp-ucb", "tv-gp-ucb+",
                                               "auto-gp-ucb+", "sw-gp-ucb+", "gp-ucb+"};
    static field f;
    double sum[PLAYERS] = {0}, ratios[PLAYERS] = {0}, squares[PLAYERS] = {0}, seconds[PLAYERS] = {0};
    for (int run = 0; run < runs; run++) {
        double regret[PLAYERS] = {0}, x[PLAYERS * MOST], y[PLAYERS];
        tvgp_policy *policy[PLAYERS];
        for (int k = 0; k < PLAYERS; k++)
            policy[k] = on_field(names[k], dim, 0, epsilon);
        open_field(&f, dim, epsilon, (uint64_t)(300 + run));
        for (int t = 1; t <= steps; t++, step_field(&f)) {
            double noise = 0.1 * normal(&f);
            for (size_t k = 0; k < PLAYERS; k++) {
                tvgp_query q;
                double start = cpu_seconds();
                check(tvgp_policy_ask_one(policy[k], t, &q, x + k * dim));
                y[k] = field_at(&f, x + k * dim);
                check(tvgp_policy_tell_value(policy[k], q.id, y[k] + noise));
                seconds[k] += cpu_seconds() - start;
            }
            double most = field_most(&f, dim < 3 ? 700 : 2500, PLAYERS, x);
            for (int k = 0; k < PLAYERS; k++)
                regret[k] += (most - y[k]) / steps;
        }
        for (int k = 0; k < PLAYERS; k++) {
            tvgp_policy_destroy(policy[k]);
            sum[k] += regret[k] / runs;
            ratios[k] += regret[k] / regret[0] / runs;
            squares[k] += regret[k] / regret[0] * regret[k] / regret[0] / runs;
        }
    }
    printf("policy,dim,epsilon,steps,runs,regret,ratio,se,ms\n");
    for (int k = 0; k < PLAYERS; k++)
        printf("%s,%zu,%g,%d,%d,%.4f,%.3f,%.3f,%.2f\n", names[k], dim, epsilon, steps, runs, sum[k], ratios[k],
               sqrt(fmax(squares[k] - ratios[k] * ratios[k], 0) / runs), 1e3 * seconds[k] / runs / steps);
}

static void bench_check(const char *name, size_t dim, int asks) {
    static field f;
    static double mean[LOOKS], var[LOOKS];
    double worst = 0, x[MOST], width;
    int missed = 0;
    tvgp_policy *policy = on_field(name, dim, 0, 0.03);
    open_field(&f, dim, 0.03, 9);
    for (int t = 1; t <= asks; t++, step_field(&f)) {
        tvgp_query q;
        double best = -INFINITY;
        check(tvgp_policy_ask_one(policy, t, &q, x));
        check(tvgp_policy_stat(policy, "width", &width));
        check(tvgp_random_uniform((uint64_t)t, 2002, 0, LOOKS * dim, f.looks));
        check(tvgp_policy_predict(policy, t, LOOKS, f.looks, mean, var));
        for (size_t i = 0; i < LOOKS; i++)
            best = fmax(best, mean[i] + width * sqrt(var[i]));
        missed += q.score < best - 1e-3;
        worst = fmax(worst, best - q.score);
        check(tvgp_policy_tell_value(policy, q.id, field_at(&f, x) + 0.1 * normal(&f)));
    }
    printf("policy,dim,asks,missed,worst\n%s,%zu,%d,%d,%.4f\n", name, dim, asks, missed, worst);
    tvgp_policy_destroy(policy);
}

static void bench_play(const char *name, size_t dim, double epsilon, int steps) {
    static field f;
    double x[MOST];
    tvgp_policy *policy = on_field(name, dim, 0, epsilon);
    open_field(&f, dim, epsilon, 9);
    for (int t = 1; t <= steps; t++, step_field(&f)) {
        tvgp_query q;
        check(tvgp_policy_ask_one(policy, t, &q, x));
        for (size_t d = 0; d < dim; d++)
            printf("%.9f%c", x[d], d + 1 < dim ? ',' : '\n');
        check(tvgp_policy_tell_value(policy, q.id, field_at(&f, x) + 0.1 * normal(&f)));
    }
    tvgp_policy_destroy(policy);
}

int main(int argc, char **argv) {
    check(tvgp_ctx_create(NULL, &ctx));
    if (argc == 8 && !strcmp(argv[1], "arms"))
        bench_arms(argv[2], (size_t)atoi(argv[3]), (size_t)atoi(argv[4]), atof(argv[5]), atoi(argv[6]), atoi(argv[7]));
    else if (argc == 6 && !strcmp(argv[1], "untold"))
        bench_untold((size_t)atoi(argv[2]), atof(argv[3]), atoi(argv[4]), atoi(argv[5]));
    else if (argc == 5 && !strcmp(argv[1], "check"))
        bench_check(argv[2], (size_t)atoi(argv[3]), atoi(argv[4]));
    else if (argc == 6 && !strcmp(argv[1], "play"))
        bench_play(argv[2], (size_t)atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    else
        fprintf(stderr, "usage: bench_box_field arms POLICY D SIDE EPSILON STEPS RUNS | untold D EPSILON STEPS RUNS | check "
                        "POLICY D ASKS | play POLICY D EPSILON STEPS\n");
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
