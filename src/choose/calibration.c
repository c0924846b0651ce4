/* SPDX-License-Identifier: MIT */
/* Calibrates the exploration coefficient by outcomes: recorded rewards are often bounded above, and exploration then promises
 * more than it finds (choose/calibration.h). */
#include "choose/calibration.h"

#include <math.h>

static const double PRIOR = 20, MOST = 9;

double tvgp__calibration_factor(const tvgp__calibration *c) {
    return sqrt((PRIOR + c->found) / (PRIOR + c->promised));
}

void tvgp__calibration_note(tvgp__calibration *c, double behind, double e, double v, double noise) {
    const double all = v + noise, weight = v / all;
    if (!(behind > 1e-12 * sqrt(all)))
        return;
    c->promised += weight;
    if (e > 0)
        c->found += 2 * weight * fmin(e / all * e, MOST);
}

void tvgp__calibration_visit(tvgp__calibration *c, tvgp__visit *v) {
    tvgp__visit_real(v, &c->found, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &c->promised, 0, TVGP__VISIT_MOST);
}
