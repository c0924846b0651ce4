#include "gp/law.h"

#include <math.h>

/* Time a Wiener process has moved by time t: it stands still before its origin. */
static double moved(const tvgp__law *law, double t) {
    return fmax(t - law->origin, 0);
}

tvgp__law_step tvgp__law_between(const tvgp__law *law, double from, double to) {
    double dt = to - from;
    if (law->kind == TVGP__LAW_FORGETTING && law->rate > 0 && dt != 0) {
        double log_m2 = dt * log1p(-law->rate);
        return (tvgp__law_step){.m = exp(0.5 * log_m2), .q = -expm1(log_m2)};
    }
    return (tvgp__law_step){.m = 1,
                            .q = law->kind == TVGP__LAW_WIENER ? law->rate * (moved(law, to) - moved(law, from)) : 0};
}

double tvgp__law_kappa(const tvgp__law *law, double t) {
    return law->kind == TVGP__LAW_WIENER ? 1 + law->rate * moved(law, t) : 1;
}
