/* SPDX-License-Identifier: MIT */
/* The observation with the posterior moments of an outcome of which only a bound is known (space/outcome/censored.h). */
#include "space/outcome/censored.h"

#include "base/numbers/constants.h"
#include "base/numbers/normal.h"
#include "base/valid_range.h"

#include <math.h>

/* lambda = phi(z) / Phi(z), and gap = z + lambda > 0. Far below 0 by the continued fraction of Mills' ratio of x = -z,
 * lambda = x + 1 / (x + 2 / (x + 3 / ..)), whose remainder is the gap: no digits cancel. */
static void hazard(double z, double *lambda, double *gap) {
    enum { TERMS = 120 };
    if (z > -4) {
        *lambda = exp(-0.5 * z * z) / sqrt(TVGP__TWO_PI) / tvgp__normal_tail(-z);
        *gap = z + *lambda;
        return;
    }
    double rest = 0;
    for (int k = TERMS; k > 0; k--)
        rest = k / (-z + rest);
    *gap = rest;
    *lambda = rest - z;
}

void tvgp__censored_match(double bound, double m, double v, double w, double *y, double *noise) {
    const double least = 1e-9, s = sqrt(v + w); /* information of the record, as a part of the information of the prior */
    double lambda, gap;
    *y = m;
    *noise = v > 0 ? tvgp__valid_range_cap(v / least) : 1;
    if (!(v > 0))
        return;
    hazard((m - bound) / s, &lambda, &gap);
    const double delta = lambda * gap, r = s / delta * s - v;
    if (!(delta > 0 && r < v / least))
        return;
    *y = m + s / gap;
    *noise = fmax(fmax(r, w), TVGP__VALID_RANGE_LEAST);
}
