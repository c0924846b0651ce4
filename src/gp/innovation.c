/* SPDX-License-Identifier: MIT */
#include "gp/innovation.h"

#include "base/error.h"
#include "base/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/chol.h"

#include <math.h>
#include <string.h>

/* g' = (root g - a h) / root', h' = (h - (a / root) g) root / root' with root = sqrt(s). */
TVGP__SIMD_CLONES
static void rotate(size_t n, double a, double root, double after, double *restrict g, double *restrict h) {
    for (size_t i = 0; i < n; i++) {
        double old = g[i];
        g[i] = (root * old - a * h[i]) / after;
        h[i] = (root * h[i] - a * old) / after;
    }
}

static void forget(size_t n, double *g) {
    memset(g, 0, n * sizeof *g);
}

void tvgp__innovation_pass(tvgp__insertion *in, double a, tvgp__innovation *seen, double *g) {
    double before = seen->s, s = before - a * a, e = seen->e - a * in->eta;
    size_t helped = 0;
    if (isinf(before))
        return;
    const tvgp_status status = tvgp__chol_pivot(in->ctx, in->largest, &s, &helped); /* s >= 0 up to round-off, */
    if (status < 0) { /* unless time moved on since: the delayed observation has no effect from here on */
        tvgp__error_forget(in->ctx, status);
        forget(in->n, in->h);
        in->eta = 0;
        return;
    }
    in->log_marginal_likelihood -=
        0.5 * (log(s / before) + tvgp__valid_range_misfit(e, s) - tvgp__valid_range_misfit(seen->e, before));
    in->log_det_ratio += log(s / before);
    in->jitter += helped;
    if (helped) { /* both say the same: the late one says it first */
        forget(in->n, g);
        forget(in->n, in->h);
        in->eta = 0;
        seen->s = INFINITY;
    } else {
        rotate(in->n, a, sqrt(before), sqrt(s), g, in->h);
        in->eta = (in->eta * before - a * seen->e) / sqrt(before * s);
        seen->s = s;
    }
    seen->e = e;
}
