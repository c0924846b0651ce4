/* SPDX-License-Identifier: MIT */
/* What do queries that fail cost, by option failed.width? One row for each policy and width, averaged over seeds. Default settings.
 *
 * Without FILE: a region of settings that fail moves. The value of x in [0, 1] at time t = 0 .. 599 is exp(-((x - c) / .2)^2), c = .5 +
 * .35 sin(t / 60), with noise of standard deviation .05; x fails, and is worth 0, where |x - g| < .2, g = .5 + .35 sin(t / 40 + 1).
 * A row has the share of asks that failed and the mean value. The best settings that work have the mean .894. Policies auto-gp-ucb and
 * tv-gp-ucb on 21 arms, and auto-gp-ucb on the box. Seeds 1 .. 5.
 *
 * With FILE: measured times of 5120 combinations of six settings of a program, some of which cannot run. FILE is CSV with a header and the
 * columns block_size_x, block_size_y, tile_size_x, tile_size_y, read_only, use_padding, time_ms; combinations without a row fail. Arms
 * are log2 of the block sizes and the other four numbers, the outcome is the logarithm of the time, which is minimised. One setting that
 * works, drawn by the seed, is known at first; then there are 150 asks. A row has the share of asks that failed and the mean over
 * seeds of the least time. Policies gp-ucb and auto-gp-ucb. Seeds 1 .. 3.
 *
 * usage: bench_failures [--width W]... [FILE]      widths: 0 and 2 unless given */
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { STEPS = 600, SEEDS = 5, ASKS = 150, TUNED_SEEDS = 3, ARMS = 21, SETTINGS = 6, COMBINATIONS = 5120, WIDTHS = 8 };

static const char *const columns[SETTINGS + 1] = {"block_size_x", "block_size_y", "tile_size_x", "tile_size_y",
                                                  "read_only",    "use_padding",  "time_ms"};

typedef struct played {
    double failed, value; /* share of asks; mean value, or least time */
} played;

/* ---- numbers and errors ------------------------------------------------------------------------------------------- */

static void need(const tvgp_ctx *ctx, tvgp_status status) {
    if (status >= 0)
        return;
    fprintf(stderr, "bench_failures: %s\n", tvgp_ctx_errmsg(ctx));
    exit(1);
}

/* splitmix64 */
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
    const double r = sqrt(-2 * log(uniform(state)));
    return r * cos(6.283185307179586 * uniform(state));
}

static tvgp_policy *create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, double width, uint64_t seed) {
    tvgp_policy *policy;
    need(ctx, tvgp_policy_create(ctx, name, domain, NULL, &policy));
    need(ctx, tvgp_policy_set_f64(policy, "failed.width", width));
    need(ctx, tvgp_policy_set_i64(policy, "seed", (int64_t)seed));
    return policy;
}

/* ---- the region that moves ---------------------------------------------------------------------------------------- */

static double value_at(double x, int t) {
    const double off = (x - .5 - .35 * sin(t / 60.)) / .2;
    return exp(-off * off);
}

static int fails_at(double x, int t) {
    return fabs(x - .5 - .35 * sin(t / 40. + 1)) < .2;
}

static played play_region(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, double width, uint64_t seed) {
    tvgp_policy *policy = create(ctx, name, domain, width, seed);
    uint64_t state = seed;
    played sum = {0, 0};
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double x;
        need(ctx, tvgp_policy_ask_one(policy, t, &q, &x));
        const double noise = .05 * normal(&state);
        const int fails = fails_at(x, t);
        const tvgp_obs obs = fails ? tvgp_obs_outcome(q.id, TVGP_FAILED) : tvgp_obs_value(q.id, value_at(x, t) + noise);
        need(ctx, tvgp_policy_tell(policy, 1, &obs, NULL));
        sum.failed += fails / (double)STEPS;
        sum.value += fails ? 0 : value_at(x, t) / STEPS;
    }
    tvgp_policy_destroy(policy);
    return sum;
}

static void region(tvgp_ctx *ctx, size_t n, const double *width) {
    const double low = 0, high = 1;
    const char *const names[] = {"auto-gp-ucb", "tv-gp-ucb", "auto-gp-ucb"};
    tvgp_domain *domains[2];
    double X[ARMS];
    for (int i = 0; i < ARMS; i++)
        X[i] = i / (double)(ARMS - 1);
    need(ctx, tvgp_domain_arms(ctx, ARMS, 1, X, &domains[0]));
    need(ctx, tvgp_domain_box(ctx, 1, &low, &high, &domains[1]));
    printf("policy,domain,width,failed,value\n");
    for (size_t game = 0; game < 3; game++)
        for (size_t w = 0; w < n; w++) {
            played mean = {0, 0};
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                const played one = play_region(ctx, names[game], domains[game == 2], width[w], seed);
                mean.failed += one.failed / SEEDS;
                mean.value += one.value / SEEDS;
            }
            printf("%s,%s,%g,%.3f,%.3f\n", names[game], game == 2 ? "box" : "arms", width[w], mean.failed, mean.value);
            fflush(stdout);
        }
    tvgp_domain_destroy(domains[0]);
    tvgp_domain_destroy(domains[1]);
}

/* ---- settings of a program ---------------------------------------------------------------------------------------- */

typedef struct record {
    double X[COMBINATIONS * SETTINGS];
    double ms[COMBINATIONS]; /* 0: it fails */
    size_t working;
} record;

static size_t combination(const double *v) {
    const size_t digit[SETTINGS] = {(size_t)(v[0] / 16) - 1, (size_t)log2(v[1]), (size_t)v[2] - 1,
                                    (size_t)v[3] - 1,        (size_t)v[4],       (size_t)v[5]};
    const size_t base[SETTINGS] = {16, 5, 4, 4, 2, 2};
    size_t at = 0;
    for (size_t d = 0; d < SETTINGS; d++)
        at = at * base[d] + digit[d];
    return at;
}

static void fill_settings(record *r) {
    for (size_t i = 0; i < COMBINATIONS; i++) {
        double *x = r->X + i * SETTINGS;
        x[0] = log2(16 * (double)(i / 320 + 1));
        x[1] = (double)(i / 64 % 5);
        x[2] = (double)(i / 16 % 4 + 1);
        x[3] = (double)(i / 4 % 4 + 1);
        x[4] = (double)(i / 2 % 2);
        x[5] = (double)(i % 2);
    }
}

static void read_record(const char *path, record *r) {
    csv_table table;
    if (csv_table_read(path, &table) < 0)
        goto wrong;
    for (size_t row = 0; row < table.rows; row++) {
        double value[SETTINGS + 1];
        for (size_t d = 0; d <= SETTINGS; d++) {
            const size_t column = csv_table_column(&table, columns[d]);
            if (column == table.columns) {
                snprintf(table.error, sizeof table.error, "%s: there is no column %s", path, columns[d]);
                goto wrong;
            }
            if (csv_table_number(&table, row, column, &value[d]) < 0)
                goto wrong;
        }
        const size_t at = combination(value);
        if (at >= COMBINATIONS || !(value[SETTINGS] > 0)) {
            snprintf(table.error, sizeof table.error, "%s: line %zu has a setting outside its range", path, table.line[row]);
            goto wrong;
        }
        r->ms[at] = value[SETTINGS];
        r->working++;
    }
    csv_table_free(&table);
    return;
wrong:
    fprintf(stderr, "bench_failures: %s\n", table.error);
    exit(1);
}

/* The k-th combination that works. */
static size_t working(const record *r, size_t k) {
    size_t i = 0;
    while (!(r->ms[i] > 0) || k-- > 0)
        i++;
    return i;
}

static played tune(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, const record *r, double width,
                   uint64_t seed) {
    tvgp_policy *policy = create(ctx, name, domain, width, seed);
    uint64_t state = seed;
    const size_t start = working(r, (size_t)(uniform(&state) * (double)r->working));
    const tvgp_obs known = tvgp_obs_unsolicited(0, log(r->ms[start]));
    played p = {0, r->ms[start]};
    need(ctx, tvgp_policy_set_str(policy, "sense", "min"));
    need(ctx, tvgp_policy_tell(policy, 1, &known, r->X + start * SETTINGS));
    for (int t = 1; t <= ASKS; t++) {
        tvgp_query q;
        need(ctx, tvgp_policy_ask_one(policy, t, &q, NULL));
        const double ms = r->ms[q.arm];
        const tvgp_obs obs = ms > 0 ? tvgp_obs_value(q.id, log(ms)) : tvgp_obs_outcome(q.id, TVGP_FAILED);
        need(ctx, tvgp_policy_tell(policy, 1, &obs, NULL));
        p.failed += !(ms > 0) / (double)ASKS;
        p.value = ms > 0 ? fmin(p.value, ms) : p.value;
    }
    tvgp_policy_destroy(policy);
    return p;
}

static void tune_all(tvgp_ctx *ctx, const char *path, size_t n, const double *width) {
    const char *const names[] = {"gp-ucb", "auto-gp-ucb"};
    record *r = calloc(1, sizeof *r);
    tvgp_domain *domain;
    if (!r)
        exit(1);
    fill_settings(r);
    read_record(path, r);
    need(ctx, tvgp_domain_arms(ctx, COMBINATIONS, SETTINGS, r->X, &domain));
    printf("policy,width,failed,least_ms,least_ms_of_worst_seed   (%zu of %d work)\n", r->working, COMBINATIONS);
    for (size_t game = 0; game < 2; game++)
        for (size_t w = 0; w < n; w++) {
            played mean = {0, 0};
            double worst = 0;
            for (uint64_t seed = 1; seed <= TUNED_SEEDS; seed++) {
                const played one = tune(ctx, names[game], domain, r, width[w], seed);
                mean.failed += one.failed / TUNED_SEEDS;
                mean.value += one.value / TUNED_SEEDS;
                worst = fmax(worst, one.value);
            }
            printf("%s,%g,%.3f,%.3f,%.3f\n", names[game], width[w], mean.failed, mean.value, worst);
            fflush(stdout);
        }
    tvgp_domain_destroy(domain);
    free(r);
}

int main(int argc, char **argv) {
    double width[WIDTHS] = {0, 2};
    size_t n = 0;
    const char *path = NULL;
    tvgp_ctx *ctx;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--width") && i + 1 < argc && n < WIDTHS)
            width[n++] = atof(argv[++i]);
        else if (argv[i][0] != '-')
            path = argv[i];
        else
            return fprintf(stderr, "usage: bench_failures [--width W]... [FILE]\n"), 2;
    }
    n = n ? n : 2;
    if (tvgp_ctx_create(NULL, &ctx) < 0)
        return 1;
    if (path)
        tune_all(ctx, path, n, width);
    else
        region(ctx, n, width);
    tvgp_ctx_destroy(ctx);
    return 0;
}
