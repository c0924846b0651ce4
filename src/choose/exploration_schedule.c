/* SPDX-License-Identifier: MIT */
/* The exploration coefficient: score = mean + coefficient sd (choose/exploration_schedule.h). */
#include "choose/exploration_schedule.h"
#include "base/numbers/constants.h"

#include <math.h>

static const char *const schedules[] = {TVGP__EXPLORATION_SCHEDULE_SCHEDULE_NAMES, NULL};

#define MEMBER(name) offsetof(tvgp__exploration_schedule_config, name)

const tvgp__option tvgp__exploration_schedule_options[TVGP__EXPLORATION_SCHEDULE_OPTIONS] = {
    {"width.schedule", TVGP_STR, 0, MEMBER(schedule), TVGP__EXPLORATION_SCHEDULE_LOG, 0, 0, schedules,
     TVGP__TEXT("Schedule of the exploration coefficient.")},
    {"width.value", TVGP_F64, 0, MEMBER(value), 2, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Exploration coefficient of the schedule constant.")},
    {"width.c1", TVGP_F64, 0, MEMBER(c1), 0.8, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Constant c1 of the schedule log: exploration coefficient sqrt(c1 ln(c2 t)).")},
    {"width.c2", TVGP_F64, 0, MEMBER(c2), 4, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Constant c2 of the schedule log: exploration coefficient sqrt(c1 ln(c2 t)).")},
    {"width.delta", TVGP_F64, TVGP_OPTION_OPEN_UPPER, MEMBER(delta), 0.1, TVGP__VALID_RANGE_LEAST, 1, NULL,
     TVGP__TEXT("Probability with which the confidence bound may fail.")},
    {"width.a", TVGP_F64, 0, MEMBER(a), 1, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Tail constant a of the schedules continuous and markov.")},
    {"width.b", TVGP_F64, 0, MEMBER(b), 1, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Tail constant b of the schedules continuous and markov.")},
    {"width.bound", TVGP_F64, 0, MEMBER(bound), 1, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Bound B on the RKHS norm of the function (schedules igp, logdet and bkb).")},
    {"width.subgauss", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(subgauss), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Sub-Gaussian constant R of the noise for the schedule igp. 0: sqrt(noise).")},
    {"horizon", TVGP_I64, 0, MEMBER(horizon), 0, 0, 0x1p53, NULL,
     TVGP__TEXT(
         "Number of actions in the whole run, for schedules and rules that use it. 0: unknown (schedule prior-finite: the "
         "number asked so far).")},
};

static const double pi = TVGP__PI;

/* 2 d ln(t^2 d b r sqrt(ln(x))) */
static double lipschitz_term(const tvgp__exploration_schedule_config *c, const tvgp__exploration_schedule_inputs *in,
                             double d, double x) {
    return 2 * d * log(in->t * in->t * d * c->b * in->side * sqrt(fmax(log(x), 0)));
}

/* dimensions of what has no number of points and is covered: a box, or measured contexts in addition to arms */
static double covered(const tvgp__exploration_schedule_inputs *in) {
    return in->n > 0 ? in->measured : in->dim;
}

/* ln n, and of what is measured ln of the points that cover it finely enough */
static double log_arms(const tvgp__exploration_schedule_config *c, const tvgp__exploration_schedule_inputs *in) {
    const double d = covered(in), arms = in->n > 0 ? log(in->n) : 0;
    return d > 0 ? arms + 0.5 * lipschitz_term(c, in, d, 4 * d * c->a / c->delta) : arms;
}

/* thm 4.1 (A); (B) takes T times as many points in each dimension of the cover, which takes half of delta too. */
static double prior_finite(const tvgp__exploration_schedule_config *c, const tvgp__exploration_schedule_inputs *in) {
    const double T = c->horizon ? (double)c->horizon : in->t, d = covered(in);
    const double finite = log_arms(c, in) + log(T * pi * pi * (in->t * in->t) / (3 * c->delta));
    return 2 * (d > 0 ? finite + (d - 1) * log(T) + log(2) : finite);
}

static double beta(const tvgp__exploration_schedule_config *c, const tvgp__exploration_schedule_inputs *in) {
    double t2 = in->t * in->t;
    switch (c->schedule) {
    case TVGP__EXPLORATION_SCHEDULE_LOG:
        return c->c1 * log(c->c2 * in->t);
    case TVGP__EXPLORATION_SCHEDULE_FINITE:
        return 2 * (log_arms(c, in) + log(t2 * pi * pi / (6 * c->delta)));
    case TVGP__EXPLORATION_SCHEDULE_CONTINUOUS:
        return 2 * log(2 * pi * pi * t2 / (3 * c->delta)) + lipschitz_term(c, in, in->dim, 4 * in->dim * c->a / c->delta);
    case TVGP__EXPLORATION_SCHEDULE_PRIOR_FINITE:
        return prior_finite(c, in);
    default: /* TVGP__EXPLORATION_SCHEDULE_MARKOV */
        return 2 * log(4 * pi * pi * t2 / (3 * c->delta)) +
               lipschitz_term(c, in, in->dim, 4 * in->dim * c->a * pi * pi * t2 / (3 * c->delta));
    }
}

/* The schedule rate: the mean of the widths of the rates that are held possible. */
static double rate_width(const tvgp__exploration_schedule_inputs *in) {
    const double c0 = 0.8, c1 = 0.5, t0 = 100;
    const double still = 0, sure = 1;
    const double *rate = in->n_rates ? in->rate : &still, *weight = in->n_rates ? in->rate_weight : &sure;
    double width = 0, floor = 1 / (in->observations + 1 + t0);
    for (size_t j = 0; j < (in->n_rates ? in->n_rates : 1); j++)
        width += weight[j] * sqrt(fmax(c0 - c1 * log(rate[j] + floor), 0));
    return width;
}

double tvgp__exploration_schedule_at(const tvgp__exploration_schedule_config *c,
                                     const tvgp__exploration_schedule_inputs *in) {
    double ratio = fmax(in->log_det_ratio, 0);
    switch (c->schedule) {
    case TVGP__EXPLORATION_SCHEDULE_CONSTANT:
        return c->value;
    case TVGP__EXPLORATION_SCHEDULE_IGP:
        return c->bound + (c->subgauss > 0 ? c->subgauss : sqrt(in->noise)) * sqrt(2 * (0.5 * ratio + 1 - log(c->delta)));
    case TVGP__EXPLORATION_SCHEDULE_RATE:
        return rate_width(in);
    case TVGP__EXPLORATION_SCHEDULE_LOGDET:
        return c->bound + sqrt(2 * log(2 / c->delta) + ratio);
    default:
        return sqrt(fmax(beta(c, in), 0));
    }
}
