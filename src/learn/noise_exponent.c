/* SPDX-License-Identifier: MIT */
/* The exponent alpha of noise that grows as v (1 + age^alpha), from pairs of values at one point (learn/noise_exponent.h). */
#include "learn/noise_exponent.h"

#include "base/valid_range.h"

#include <math.h>
#include <string.h>

static double exponent_at(size_t k) {
    const double share = (double)k / (TVGP__NOISE_EXPONENT_GRID - 1);
    return fmin(TVGP__NOISE_EXPONENT_LEAST * pow(TVGP__NOISE_EXPONENT_MOST / TVGP__NOISE_EXPONENT_LEAST, share),
                TVGP__NOISE_EXPONENT_MOST);
}

void tvgp__noise_exponent_start(tvgp__noise_exponent *e, tvgp_ctx *ctx, size_t dim) {
    *e = (tvgp__noise_exponent){.estimate = 1, .values = {.ctx = ctx, .dim = dim}};
}

void tvgp__noise_exponent_free(tvgp__noise_exponent *e) {
    tvgp__observations_free(&e->values);
}

tvgp_status tvgp__noise_exponent_reserve(tvgp__noise_exponent *e) {
    return tvgp__observations_reserve(&e->values, TVGP__NOISE_EXPONENT_VALUES);
}

/* The first value at this point from number i on; NULL: there is none. */
static tvgp__observation *value_at(const tvgp__observations *values, size_t i, size_t arm, const double *x) {
    const size_t dim = values->dim;
    for (; i < values->n; i++)
        if (dim ? !memcmp(values->X + i * dim, x, dim * sizeof *x) : values->list[i].arm == arm)
            return &values->list[i];
    return NULL;
}

static void add_pair(tvgp__noise_exponent *e, double age, double d) {
    for (size_t k = 0; k < TVGP__NOISE_EXPONENT_GRID; k++) {
        const double growth = 2 + pow(age, exponent_at(k));
        e->log_sum[k] += log(growth);
        e->square_sum[k] += d * d / growth;
    }
    e->pairs++;
}

void tvgp__noise_exponent_take(tvgp__noise_exponent *e, size_t arm, const double *x, double t, double y, double unit) {
    enum { PAIRS = 16 };
    tvgp__observations *values = &e->values;
    tvgp__observation *older = value_at(values, 0, arm, x), *newest = NULL;
    const double per = unit > 0 ? 1 / unit : 1;
    if (older) {
        newest = value_at(values, (size_t)(older - values->list) + 1, arm, x);
        add_pair(e, per * fabs(t - older->t), y - older->y);
    }
    if (newest) {
        add_pair(e, per * fabs(t - newest->t), y - newest->y);
        if (++older->step >= PAIRS)
            *older = *newest, older->step = 0;
        newest->t = t, newest->y = y;
        return;
    }
    if (values->n == TVGP__NOISE_EXPONENT_VALUES)
        tvgp__observations_drop(values, 1);
    tvgp__observations_add(values, &(tvgp__observation){.arm = arm, .t = t, .y = y}, x);
}

void tvgp__noise_exponent_update(tvgp__noise_exponent *e, double noise) {
    const double v = fmax(noise, TVGP__VALID_RANGE_LEAST);
    double least = INFINITY;
    for (size_t k = 0; k < TVGP__NOISE_EXPONENT_GRID && e->pairs > 0; k++) {
        const double alpha = exponent_at(k), prior = log(alpha) * log(alpha);
        const double cost = e->log_sum[k] + e->square_sum[k] / v + prior;
        if (cost < least)
            least = cost, e->estimate = alpha;
    }
}

void tvgp__noise_exponent_visit(tvgp__noise_exponent *e, size_t n, tvgp__visit *v) {
    tvgp__visit_real(v, &e->estimate, TVGP__NOISE_EXPONENT_LEAST, TVGP__NOISE_EXPONENT_MOST);
    tvgp__observations_visit(&e->values, n, v);
    if (tvgp__visit_loads(v) && e->values.n > TVGP__NOISE_EXPONENT_VALUES)
        tvgp__visit_refuse(v, "there are too many values for pairs");
    tvgp__visit_real(v, &e->pairs, 0, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, TVGP__NOISE_EXPONENT_GRID, e->log_sum, 0, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, TVGP__NOISE_EXPONENT_GRID, e->square_sum, 0, TVGP__VISIT_MOST);
}
