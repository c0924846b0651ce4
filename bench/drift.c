/* SPDX-License-Identifier: MIT */
/* What a step costs where the function drifts: an SE field (l = 0.2 of the side, 400 random Fourier features, weights that
 * forget at `epsilon` a step) on a grid of the unit square or cube, or anywhere in it, noise variance 0.01. Prints for each
 * policy and block of steps mean, median, the value below which 99 of 100 are, and the longest step (microseconds of the
 * processor's time), the bytes held, the rank, the median of a dgemv of 1000 x 300 in turn with the steps, and the ratio of
 * the steps' median to it: machines differ. After the last block also the bytes of a snapshot, and what it takes to load it
 * into a new handle.
 *
 * usage: bench_drift [--policy NAME]... [--side N] [--dim D] [--steps T] [--block N] [--epsilon E] [--kernel none|se]
 *                    [--set KEY=VALUE]...
 * --side 0 is the box. Defaults: auto-gp-ucb without a kernel on 32 x 32 arms, 300 steps in one block, epsilon 0.01.
 *   bench_drift --steps 2000 --block 100          does a step grow?
 *   bench_drift --side 100 --steps 300            10,000 arms
 *   bench_drift --side 0 --policy tv-gp-ucb --kernel se --steps 1000 --block 100 */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEATURES = 400, MOST = 8, ROWS = 1000, COLUMNS = 300, PURPOSE = 1201 };
static const double LENGTHSCALE = 0.2, NOISE = 0.01;

typedef struct arguments {
    const char *policy[MOST];
    size_t n_policies, side, dim, steps, block;
    double epsilon;
    int defaults;
    settings sets;
} arguments;

typedef struct drift {
    problem p; /* its context, domain and kernel */
    size_t arms, dim;
    double *x, *cosine; /* of the arms: arms x dim; FEATURES x arms */
    double omega[FEATURES * 3], phase[FEATURES], weight[FEATURES];
    double matrix[ROWS * COLUMNS], in[COLUMNS], out[ROWS];
} drift;

static double processor(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void usage(const char *what, const char *value) {
    fprintf(stderr, "bench_drift: cannot take %s %s\n", what, value);
    exit(2);
}

static void parse(int argc, char **argv, arguments *a) {
    *a = (arguments){.side = 32, .dim = 2, .steps = 300, .epsilon = 0.01, .defaults = 1};
    for (int i = 1; i < argc; i += 2) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        size_t *counts[] = {&a->side, &a->dim, &a->steps, &a->block};
        const char *names[] = {"--side", "--dim", "--steps", "--block"};
        size_t k = 0;
        while (k < 4 && strcmp(option, names[k]) != 0)
            k++;
        if (k < 4)
            *counts[k] = (size_t)strtoull(value, NULL, 10);
        else if (strcmp(option, "--epsilon") == 0)
            a->epsilon = strtod(value, NULL);
        else if (strcmp(option, "--kernel") == 0)
            a->defaults = strcmp(value, "none") == 0;
        else if (strcmp(option, "--policy") == 0 && a->n_policies < MOST)
            a->policy[a->n_policies++] = value;
        else if (strcmp(option, "--set") != 0 || settings_add(&a->sets, value))
            usage(option, value);
    }
    if (!a->n_policies)
        a->policy[a->n_policies++] = "auto-gp-ucb";
    if (!a->block)
        a->block = a->steps;
    if (!a->steps || a->dim < 1 || a->dim > 3)
        usage("--steps or --dim", "");
}

static double feature(const drift *d, size_t j, const double *x) {
    double angle = d->phase[j];
    for (size_t k = 0; k < d->dim; k++)
        angle += d->omega[j * 3 + k] * x[k];
    return sqrt(2.0 / FEATURES) * cos(angle);
}

static double value_at(const drift *d, size_t arm, const double *x) {
    double f = 0;
    for (size_t j = 0; j < FEATURES; j++)
        f += d->weight[j] * (d->arms ? d->cosine[arm * FEATURES + j] : feature(d, j, x));
    return f;
}

static void make_domain(drift *d, const arguments *a) {
    const double lower[3] = {0}, upper[3] = {1, 1, 1};
    const size_t points[3] = {a->side, a->side, a->side};
    if (!a->side) {
        problem_check(&d->p, tvgp_domain_box(d->p.ctx, a->dim, lower, upper, &d->p.domain), "domain");
        return;
    }
    problem_check(&d->p, tvgp_domain_grid(d->p.ctx, a->dim, lower, upper, points, &d->p.domain), "domain");
    d->arms = 1;
    for (size_t k = 0; k < a->dim; k++)
        d->arms *= a->side;
    d->cosine = malloc(d->arms * FEATURES * sizeof *d->cosine);
    if (!d->cosine)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < d->arms; i++) {
        double x[3];
        size_t rest = i;
        for (size_t k = a->dim; k-- > 0; rest /= a->side)
            x[k] = (double)(rest % a->side) / (double)(a->side - 1);
        for (size_t j = 0; j < FEATURES; j++)
            d->cosine[i * FEATURES + j] = feature(d, j, x);
    }
}

static void create(drift *d, const arguments *a) {
    const double lengthscale = LENGTHSCALE;
    problem_check(&d->p, tvgp_ctx_create(NULL, &d->p.ctx), "context");
    problem_check(&d->p, tvgp_random_normal(1, PURPOSE, 0, FEATURES * 3, d->omega), "features");
    problem_check(&d->p, tvgp_random_uniform(1, PURPOSE + 1, 0, FEATURES, d->phase), "features");
    for (size_t j = 0; j < FEATURES; j++) {
        d->phase[j] *= 2 * acos(-1);
        for (size_t k = 0; k < 3; k++)
            d->omega[j * 3 + k] /= lengthscale;
    }
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        d->matrix[i] = 1.0 / (double)(i % 97 + 1);
    make_domain(d, a);
    problem_check(&d->p, tvgp_kernel_se(d->p.ctx, a->dim, 1, 1, &lengthscale, &d->p.kernel), "kernel");
}

static void move(drift *d, const arguments *a, size_t t) {
    double fresh[FEATURES];
    problem_check(&d->p, tvgp_random_normal(1, PURPOSE + 2, t * FEATURES, FEATURES, fresh), "drift");
    for (size_t j = 0; j < FEATURES; j++)
        d->weight[j] = t > 1 ? sqrt(1 - a->epsilon) * d->weight[j] + sqrt(a->epsilon) * fresh[j] : fresh[j];
}

static double step(drift *d, tvgp_policy *policy, size_t t) {
    tvgp_query query;
    double x[3], noise;
    const double start = processor();
    problem_check(&d->p, tvgp_policy_ask_one(policy, (double)t, &query, x), "ask");
    const double asked = processor() - start;
    problem_check(&d->p, tvgp_random_normal(1, PURPOSE + 3, t, 1, &noise), "noise");
    const double y = value_at(d, (size_t)query.arm, x) + sqrt(NOISE) * noise, again = processor();
    problem_check(&d->p, tvgp_policy_tell_value(policy, query.id, y), "tell");
    return asked + processor() - again;
}

static double dgemv(drift *d) {
    const double start = processor();
    cblas_dgemv(CblasColMajor, CblasNoTrans, ROWS, COLUMNS, 1, d->matrix, ROWS, d->in, 1, 0, d->out, 1);
    return processor() - start;
}

static tvgp_policy *policy_of(drift *d, arguments *a, const char *name) {
    tvgp_policy *policy = NULL;
    problem_check(&d->p, tvgp_policy_create(d->p.ctx, name, d->p.domain, a->defaults ? NULL : d->p.kernel, &policy), name);
    problem_check(&d->p, settings_apply(&a->sets, policy), name);
    return policy;
}

/* How long a new handle takes to load what this one holds. */
static double reload(drift *d, arguments *a, const char *name, const tvgp_policy *policy, size_t *bytes) {
    problem_check(&d->p, tvgp_policy_save(policy, 0, NULL, bytes), "save");
    void *snapshot = malloc(*bytes);
    if (!snapshot)
        exit(EXIT_FAILURE);
    problem_check(&d->p, tvgp_policy_save(policy, *bytes, snapshot, bytes), "save");
    tvgp_policy *again = policy_of(d, a, name);
    const double start = processor();
    problem_check(&d->p, tvgp_policy_load(again, *bytes, snapshot), "load");
    const double taken = processor() - start;
    tvgp_policy_destroy(again);
    free(snapshot);
    return taken;
}

static void report(const drift *d, const tvgp_policy *policy, const char *name, size_t t, size_t n, double *seconds,
                   double *beside) {
    double sum = 0, rank;
    size_t bytes;
    problem_check(&d->p, tvgp_ctx_memory(d->p.ctx, &bytes), "memory");
    problem_check(&d->p, tvgp_policy_stat(policy, "rank", &rank), "rank");
    for (size_t i = 0; i < n; i++)
        sum += seconds[i];
    samples_sort(seconds, n);
    samples_sort(beside, n);
    printf("%s,%zu,%zu,%zu,%.1f,%.1f,%.1f,%.1f,%zu,%.0f,%.1f,%.2f", name, d->arms, d->dim, t, 1e6 * sum / (double)n,
           1e6 * seconds[n / 2], 1e6 * seconds[99 * n / 100], 1e6 * seconds[n - 1], bytes, rank, 1e6 * beside[n / 2],
           seconds[n / 2] / beside[n / 2]);
}

static void play(drift *d, arguments *a, const char *name, double *seconds) {
    tvgp_policy *policy = policy_of(d, a, name);
    double *beside = seconds + a->block;
    size_t bytes;
    for (size_t t = 1, n = 0; t <= a->steps; t++) {
        move(d, a, t);
        beside[n] = dgemv(d);
        seconds[n++] = step(d, policy, t);
        if (n == a->block || t == a->steps) {
            report(d, policy, name, t, n, seconds, beside);
            if (t < a->steps) {
                printf(",,\n");
            } else {
                const double taken = reload(d, a, name, policy, &bytes);
                printf(",%zu,%.1f\n", bytes, 1e6 * taken);
            }
            fflush(stdout);
            n = 0;
        }
    }
    tvgp_policy_destroy(policy);
}

int main(int argc, char **argv) {
    arguments a;
    parse(argc, argv, &a);
    drift *d = calloc(1, sizeof *d);
    double *seconds = malloc(2 * a.block * sizeof *seconds);
    if (!d || !seconds)
        return EXIT_FAILURE;
    d->dim = a.dim;
    create(d, &a);
    printf(
        "policy,arms,dim,t,us_mean,us_median,us_p99,us_max,bytes,rank,dgemv_us,median_over_dgemv,snapshot_bytes,load_us\n");
    for (size_t i = 0; i < a.n_policies; i++)
        play(d, &a, a.policy[i], seconds);
    tvgp_kernel_destroy(d->p.kernel);
    tvgp_domain_destroy(d->p.domain);
    tvgp_ctx_destroy(d->p.ctx);
    free(d->cosine);
    free(seconds);
    free(d);
    return EXIT_SUCCESS;
}
