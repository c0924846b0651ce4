/* SPDX-License-Identifier: MIT */
/* Drift models: how a function on the arms changes between two times, in Markov form (space/temporal/drift.h). */
#include "space/temporal/drift.h"

#include "base/valid_range.h"
#include "space/kernel/parameter.h"
#include "space/kernel/stationary.h"
#include "space/kernel/time.h"
#include "space/temporal/median_gap.h"

#include <math.h>

/* Of each kind: states of a filter, whether time changes f, whether its variance grows, whether a box drops old observations (only where
 * one step in time says what is left of them), and epsilon over the rate. */
static const struct {
    size_t states;
    int moves, grows, fades;
    double epsilon;
} kinds[] = {[TVGP__DRIFT_STATIC] = {1, 0, 0, 0, 0},
             [TVGP__DRIFT_FORGETTING] = {1, 1, 0, 1, 1},
             [TVGP__DRIFT_WIENER] = {1, 1, 1, 0, 0},
             [TVGP__DRIFT_MATERN32] = {2, 1, 0, 0, 0.825}};
_Static_assert(sizeof kinds / sizeof *kinds == TVGP__DRIFT_KINDS, "every kind has a row, and a case of each switch");

/* Time by which a Wiener process has moved at t: it stops before 0, and where kappa would leave the range. */
static double moved(const tvgp__drift *drift, double t) {
    return fmin(fmax(t, 0), TVGP__VALID_RANGE_MOST / drift->rate);
}

int tvgp__drift_equal(const tvgp__drift *a, const tvgp__drift *b) {
    return a->kind == b->kind && a->rate == b->rate && a->unit == b->unit;
}

void tvgp__drift_set_unit(tvgp__drift *drift, double unit) {
    if (!kinds[drift->kind].grows && drift->unit > 0)
        drift->unit = unit > 0 ? unit : 1;
}

/* Time in units of a drift model other than Wiener. */
static double units(const tvgp__drift *drift, double elapsed) {
    return drift->unit > 0 ? tvgp__median_gap_units(elapsed, drift->unit) : elapsed;
}

tvgp__drift_step tvgp__drift_between(const tvgp__drift *drift, double from, double to) {
    double dt = to - from, log_m2;
    switch (drift->kind) {
    case TVGP__DRIFT_FORGETTING:
        if (!(drift->rate > 0) || dt == 0)
            break;
        log_m2 = units(drift, dt) * log1p(-drift->rate);
        return (tvgp__drift_step){.m = exp(0.5 * log_m2), .q = -expm1(log_m2)};
    case TVGP__DRIFT_WIENER:
        return (tvgp__drift_step){.m = 1, .q = drift->rate * (moved(drift, to) - moved(drift, from))};
    case TVGP__DRIFT_STATIC:
    case TVGP__DRIFT_MATERN32: /* not called */
        break;
    }
    return (tvgp__drift_step){.m = 1, .q = 0};
}

double tvgp__drift_kappa(const tvgp__drift *drift, double t) {
    return kinds[drift->kind].grows ? 1 + drift->rate * moved(drift, t) : 1;
}

double tvgp__drift_correlation(const tvgp__drift *drift, double from, double to) {
    if (!kinds[drift->kind].moves || !(drift->rate > 0))
        return -1;
    if (kinds[drift->kind].grows)
        return 1 / sqrt(1 + tvgp__drift_between(drift, from, to).q);
    return tvgp__drift_transition_over(drift, to - from).M[0][0];
}

double tvgp__drift_covariance(const tvgp__drift *drift, double s, double t) {
    const double apart = units(drift, fabs(t - s)), x = drift->rate * apart; /* not read where it is Wiener */
    switch (drift->kind) {
    case TVGP__DRIFT_FORGETTING:
        return exp(0.5 * apart * log1p(-drift->rate));
    case TVGP__DRIFT_MATERN32:
        return (1 + x) * exp(-x);
    case TVGP__DRIFT_STATIC:
    case TVGP__DRIFT_WIENER:
        break;
    }
    return tvgp__drift_kappa(drift, fmin(s, t));
}

int tvgp__drift_grows(const tvgp__drift *drift) {
    return kinds[drift->kind].grows;
}

int tvgp__drift_fades(const tvgp__drift *drift) {
    return kinds[drift->kind].fades && drift->rate > 0;
}

size_t tvgp__drift_states(const tvgp__drift *drift) {
    return kinds[drift->kind].states;
}

double tvgp__drift_elapsed(const tvgp__drift *drift, double from, double to) {
    if (kinds[drift->kind].grows)
        return moved(drift, to) - moved(drift, from);
    return from == -INFINITY ? 0 : to - from;
}

static tvgp__drift_transition matern32_over(double x) {
    double decay = exp(-x), a = decay * (1 + x), b = decay * x, d = decay * (1 - x);
    return (tvgp__drift_transition){.M = {{a, b}, {-b, d}},
                                    .Q = {{1 - a * a - b * b, a * b - b * d}, {a * b - b * d, 1 - b * b - d * d}}};
}

tvgp__drift_transition tvgp__drift_transition_over(const tvgp__drift *drift, double elapsed) {
    switch (drift->kind) {
    case TVGP__DRIFT_WIENER:
        return (tvgp__drift_transition){.M = {{1}}, .Q = {{drift->rate * elapsed}}};
    case TVGP__DRIFT_MATERN32:
        return matern32_over(drift->rate * units(drift, elapsed));
    case TVGP__DRIFT_STATIC:
    case TVGP__DRIFT_FORGETTING:
        break;
    }
    const tvgp__drift_step step = tvgp__drift_between(drift, 0, elapsed);
    return (tvgp__drift_transition){.M = {{step.m}}, .Q = {{step.q}}};
}

double tvgp__drift_epsilon(const tvgp__drift *drift) {
    return fmin(1, kinds[drift->kind].epsilon * drift->rate);
}

/* ---- the kernel in time -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__drift_kernel(tvgp_ctx *ctx, tvgp__drift_kind kind, double rate, tvgp_kernel **out) {
    const int known = !isnan(rate);
    const double length = known && rate > 0 ? sqrt(3) / rate : 100;
    *out = NULL;
    switch (kind) {
    case TVGP__DRIFT_STATIC:
        break;
    case TVGP__DRIFT_FORGETTING:
        return tvgp__time_forgetting_new(ctx, known ? rate : 0.01, out);
    case TVGP__DRIFT_WIENER:
        return tvgp__time_wiener_new(ctx, known ? rate : 0.01, 0, out);
    case TVGP__DRIFT_MATERN32:
        return tvgp__stationary_new(ctx, TVGP__MATERN32, 1, 1, 1, &length, 1, out);
    }
    return TVGP_OK;
}

static int is_length(int32_t kind) {
    return kind == TVGP_PARAM_LENGTHSCALE;
}

double tvgp__drift_rate(const tvgp_kernel *time) {
    tvgp__param list[2];
    const size_t n = time ? tvgp__parameter_list(time, list) : 0;
    if (!n)
        return NAN;
    return is_length(list[n - 1].kind) ? sqrt(3) / list[n - 1].value : list[n - 1].value;
}

double tvgp__drift_rate_at(int32_t kind, double u) {
    return is_length(kind) ? sqrt(3) * exp(-u) : exp(u);
}

double tvgp__drift_origin(int32_t kind, double step) {
    return is_length(kind) ? log(sqrt(3) * step) : -log(step);
}

double tvgp__drift_sign(int32_t kind) {
    return is_length(kind) ? -1 : 1;
}
