/* SPDX-License-Identifier: MIT */
/* Off-policy estimates of a target policy's value, from logged decisions with propensities (Dudik, Langford, Li 2011;
 * Swaminathan, Joachims 2015) (parts/serve/value.h). */
#include "parts/serve/value.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/valid_range.h"

#include <math.h>

/* ---- arguments ---------------------------------------------------------------------------------------------------- */

static tvgp_status check_target(tvgp_ctx *ctx, const tvgp__value_log *log, size_t i) {
    double sum = 0;
    for (size_t a = 0; a < log->arms; a++) {
        const double target = log->target[i * log->arms + a];
        if (!(target >= 0 && target <= 1))
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "target[%zu,%zu] = %g must be in [0, 1]", i, a, target);
        sum += target;
    }
    return fabs(sum - 1) <= 1e-9
               ? TVGP_OK
               : tvgp__error_set(ctx, TVGP_ERR_ARG, "target[%zu] sums to %.12g, must sum to 1 within 1e-9", i, sum);
}

static tvgp_status check_record(tvgp_ctx *ctx, const tvgp__value_log *log, size_t i) {
    const double p = log->propensity[i];
    if (!(p > 0 && p <= 1))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "propensity[%zu] = %g must be in (0, 1]%s", i, p,
                               p == 0 ? ", 0 says that it is not known" : "");
    if (log->arm[i] < 0 || (uint64_t)log->arm[i] >= log->arms)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "arm[%zu] = %" PRId64 " is outside 0..%zu", i, log->arm[i], log->arms - 1);
    TVGP__TRY(tvgp__valid_range_entry(ctx, "t[%zu]", i, 0, log->t[i]));
    if (log->t[i] > log->now)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "t[%zu] = %.17g is after now = %.17g", i, log->t[i], log->now);
    if (!isnan(log->y[i]))
        TVGP__TRY(tvgp__valid_range_entry(ctx, "y[%zu]", i, 0, log->y[i]));
    for (size_t a = 0; log->model && a < log->arms; a++)
        TVGP__TRY(tvgp__valid_range_entry(ctx, "model[%zu,%zu]", i, a, log->model[i * log->arms + a]));
    return check_target(ctx, log, i);
}

tvgp_status tvgp__value_check(tvgp_ctx *ctx, const tvgp__value_log *log) {
    size_t used = 0;
    if (!log->n || !log->arms)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s = 0 must be >= 1", log->n ? "arms" : "n");
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", log->n));
    TVGP__TRY(tvgp__valid_range_count(ctx, "arms", log->arms));
    TVGP__TRY(tvgp__valid_range_value(ctx, "now", log->now));
    if (!(log->half_life > 0))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "half_life = %g must be > 0 (infinite: no decay)", log->half_life);
    for (size_t i = 0; i < log->n; i++) {
        TVGP__TRY(check_record(ctx, log, i));
        used += isnan(log->y[i]) ? 0 : 1;
    }
    if (!used)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "y: none of the %zu records has an outcome", log->n);
    return TVGP_OK;
}

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

/* What the estimates need of one record with an outcome. */
typedef struct record {
    double k, w;
    double direct;            /* sum_a target(a) model(a) */
    double outcome, residual; /* w y, w (y - model(arm)) */
} record;

/* Weights by age are relative to the newest record, so that not all of them vanish. */
static record read(const tvgp__value_log *log, size_t i, double newest) {
    const double *target = log->target + i * log->arms, *model = log->model ? log->model + i * log->arms : NULL;
    const size_t arm = (size_t)log->arm[i];
    record r = {
        .k = exp2(-(newest - log->t[i]) / log->half_life),
        .w = fmin(target[arm] / log->propensity[i], TVGP__VALID_RANGE_MOST),
    };
    r.outcome = tvgp__valid_range_product(r.w, log->y[i]);
    r.residual = tvgp__valid_range_product(r.w, log->y[i] - (model ? model[arm] : 0));
    for (size_t a = 0; model && a < log->arms; a++)
        r.direct += target[a] * model[a];
    return r;
}

static double newest_of(const tvgp__value_log *log) {
    double newest = -INFINITY;
    for (size_t i = 0; i < log->n; i++)
        newest = isnan(log->y[i]) ? newest : fmax(newest, log->t[i]);
    return newest;
}

/* Sums with k not yet scaled; `total` is the sum of k. */
static void add_means(const tvgp__value_log *log, double newest, tvgp_value_estimate *e, double *total) {
    double all = 0, square = 0, weighted = 0, weighted_square = 0, rarest = 1;
    for (size_t i = 0; i < log->n; i++) {
        if (isnan(log->y[i])) {
            e->missing++;
            continue;
        }
        const record r = read(log, i, newest);
        e->used++;
        all += r.k;
        square += r.k * r.k;
        weighted += r.k * r.w;
        weighted_square += tvgp__valid_range_misfit(r.k * r.w, 1);
        e->dm += r.k * r.direct;
        e->ips += r.k * r.outcome;
        e->dr += r.k * (r.direct + r.residual);
        rarest = fmin(rarest, log->propensity[i]);
    }
    e->snips = weighted > 0 ? e->ips / weighted : 0;
    e->ess = weighted_square > 0 ? weighted * weighted / weighted_square : 0;
    e->dm /= all;
    e->ips /= all;
    e->dr /= all;
    e->mean_weight = weighted / all;
    e->expected = rarest * all * all / square;
    *total = all;
}

static void add_errors(const tvgp__value_log *log, double newest, double total, tvgp_value_estimate *e) {
    double square = 0, ips = 0, snips = 0, dr = 0;
    for (size_t i = 0; i < log->n; i++) {
        if (isnan(log->y[i]))
            continue;
        const record r = read(log, i, newest);
        const double k = r.k / total;
        square += k * k;
        ips += tvgp__valid_range_misfit(k * (r.outcome - e->ips), 1);
        snips += tvgp__valid_range_misfit(k * tvgp__valid_range_product(r.w, log->y[i] - e->snips), 1);
        dr += tvgp__valid_range_misfit(k * (r.direct + r.residual - e->dr), 1);
    }
    const int one = e->used < 2 || !(square < 1);
    e->ips_se = one ? INFINITY : sqrt(ips / (1 - square));
    e->dr_se = one ? INFINITY : sqrt(dr / (1 - square));
    e->snips_se = one || !(e->mean_weight > 0) ? INFINITY : sqrt(snips) / e->mean_weight;
}

tvgp_value_estimate tvgp__value_estimate(const tvgp__value_log *log) {
    enum { ENOUGH = 10 };
    tvgp_value_estimate e = {.struct_size = sizeof e};
    const double newest = newest_of(log);
    double total;
    add_means(log, newest, &e, &total);
    add_errors(log, newest, total, &e);
    e.reliable = e.expected >= ENOUGH;
    return e;
}
