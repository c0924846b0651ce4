/* SPDX-License-Identifier: MIT */
#include "law/law.h"

#include "base/range.h"
#include "law/clock.h"

#include <math.h>

/* Time a Wiener process has moved by time t: it stands still before its origin, and where kappa would leave the range. */
static double moved(const tvgp__law *law, double t) {
    return fmin(fmax(t - law->origin, 0), TVGP__RANGE_MOST / law->rate);
}

int tvgp__law_equal(const tvgp__law *a, const tvgp__law *b) {
    return a->kind == b->kind && a->rate == b->rate && a->origin == b->origin;
}

void tvgp__law_pace(tvgp__law *law, double unit) {
    if (law->kind != TVGP__LAW_WIENER && law->unit > 0)
        law->unit = unit > 0 ? unit : 1;
}

/* Time in units of the law, which is not Wiener. */
static double units(const tvgp__law *law, double elapsed) {
    return law->unit > 0 ? tvgp__clock_units(elapsed, law->unit) : elapsed;
}

tvgp__law_step tvgp__law_between(const tvgp__law *law, double from, double to) {
    double dt = to - from;
    if (law->kind == TVGP__LAW_FORGETTING && law->rate > 0 && dt != 0) {
        double log_m2 = units(law, dt) * log1p(-law->rate);
        return (tvgp__law_step){.m = exp(0.5 * log_m2), .q = -expm1(log_m2)};
    }
    return (tvgp__law_step){.m = 1,
                            .q = law->kind == TVGP__LAW_WIENER ? law->rate * (moved(law, to) - moved(law, from)) : 0};
}

double tvgp__law_kappa(const tvgp__law *law, double t) {
    return law->kind == TVGP__LAW_WIENER ? 1 + law->rate * moved(law, t) : 1;
}

double tvgp__law_correlation(const tvgp__law *law, double from, double to) {
    if (law->kind == TVGP__LAW_STATIC || !(law->rate > 0))
        return -1;
    if (law->kind == TVGP__LAW_WIENER)
        return 1 / sqrt(1 + tvgp__law_between(law, from, to).q);
    return tvgp__law_transition_over(law, to - from).M[0][0];
}

double tvgp__law_covariance(const tvgp__law *law, double s, double t) {
    const double apart = units(law, fabs(t - s)), x = law->rate * apart; /* not read where it is Wiener */
    switch (law->kind) {
    case TVGP__LAW_FORGETTING:
        return exp(0.5 * apart * log1p(-law->rate));
    case TVGP__LAW_MATERN32:
        return (1 + x) * exp(-x);
    default:
        return tvgp__law_kappa(law, fmin(s, t));
    }
}

size_t tvgp__law_states(const tvgp__law *law) {
    return law->kind == TVGP__LAW_MATERN32 ? 2 : 1;
}

tvgp__law_transition tvgp__law_transition_over(const tvgp__law *law, double elapsed) {
    if (law->kind != TVGP__LAW_MATERN32) {
        tvgp__law_step step = tvgp__law_between(law, 0, elapsed);
        return (tvgp__law_transition){.M = {{step.m}}, .Q = {{step.q}}};
    }
    double x = law->rate * units(law, elapsed), decay = exp(-x);
    double a = decay * (1 + x), b = decay * x, d = decay * (1 - x);
    return (tvgp__law_transition){.M = {{a, b}, {-b, d}},
                                  .Q = {{1 - a * a - b * b, a * b - b * d}, {a * b - b * d, 1 - b * b - d * d}}};
}

double tvgp__law_epsilon(const tvgp__law *law) {
    if (law->kind == TVGP__LAW_MATERN32)
        return fmin(1, 0.825 * law->rate);
    return law->kind == TVGP__LAW_FORGETTING ? law->rate : 0;
}
