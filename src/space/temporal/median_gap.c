/* SPDX-License-Identifier: MIT */
/* Finds the unit of time if the user set no rate, so that a policy behaves equally whether t counts seconds or days, and
 * wherever t begins (space/temporal/median_gap.h). */
#include "space/temporal/median_gap.h"

#include "base/numbers/sample_statistics.h"
#include "base/valid_range.h"

#include <math.h>

void tvgp__median_gap_start(tvgp__median_gap *c, double unit) {
    *c = (tvgp__median_gap){.n = unit > 0 ? TVGP__MEDIAN_GAP_MANY : 0};
    if (unit > 0)
        c->unit = fmax(unit, TVGP__VALID_RANGE_LEAST);
}

/* A relative change below this is no change. */
static int take(tvgp__median_gap *c, double unit) {
    if (fabs(unit - c->unit) <= 0.01 * c->unit)
        return 0;
    c->unit = fmin(fmax(unit, TVGP__VALID_RANGE_LEAST), TVGP__VALID_RANGE_MOST);
    return 1;
}

double tvgp__median_gap_units(double elapsed, double unit) {
    const double units = elapsed / unit, whole = rint(units);
    return fabs(units - whole) <= 1e-10 * fabs(whole) ? whole : units;
}

int tvgp__median_gap_see(tvgp__median_gap *c, double t) {
    double work[TVGP__MEDIAN_GAP_MANY];
    if (c->n == TVGP__MEDIAN_GAP_MANY || !isfinite(t) || (c->n && !(t > c->time[c->n - 1])))
        return 0;
    c->time[c->n++] = t;
    if (c->n < 2 || (c->n > TVGP__MEDIAN_GAP_FEW && c->n < TVGP__MEDIAN_GAP_MANY))
        return 0;
    return take(c, tvgp__sample_statistics_step(c->n, c->time, work));
}

int tvgp__median_gap_glimpse(tvgp__median_gap *c, double t) {
    return c->n == 1 && t > c->time[0] && take(c, t - c->time[0]);
}

int tvgp__median_gap_strange(tvgp__median_gap *c, double step) {
    const int usual = step <= 100 * c->unit && step >= c->unit / 100;
    if (c->n < TVGP__MEDIAN_GAP_FEW || !(step > 0))
        return 0;
    c->odd = c->odd >= TVGP__MEDIAN_GAP_ODD ? TVGP__MEDIAN_GAP_ODD + 1 : usual ? 0 : c->odd + 1;
    return c->odd == TVGP__MEDIAN_GAP_ODD;
}

void tvgp__median_gap_visit(tvgp__median_gap *c, tvgp__visit *v) {
    tvgp__visit_real(v, &c->unit, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_size(v, &c->n, 0, TVGP__MEDIAN_GAP_MANY);
    tvgp__visit_int(v, &c->odd, 0, TVGP__MEDIAN_GAP_ODD + 1);
    if (tvgp__visit_fine(v) && c->n < TVGP__MEDIAN_GAP_MANY)
        tvgp__visit_reals(v, c->n, c->time, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
}
