/* SPDX-License-Identifier: MIT */
/* Rules of the policies with side queries (choose/side_query_rules.h). */
#include "choose/side_query_rules.h"

#include <math.h>

enum { SWAPS_LOG2 = 53 }; /* the range of the option kdpp.steps */

double tvgp__side_query_rules_points(double scale, double power, double t, tvgp__side_query_rules d) {
    const double argument = d.eta > 0 ? 4 * t / (d.delta * d.eta) : t;
    return fmax(1, ceil(scale * pow(log(argument), power)));
}

int64_t tvgp__side_query_rules_swaps(size_t n, size_t k, double t, double noise, double variance, tvgp__side_query_rules d) {
    const double eta = d.eta > 0 ? d.eta : 0.2;
    const double eps = noise * (d.delta * eta / 4) / (4 * t * variance);
    const double rounds = log(log(fmax((double)n, 3))) + log((double)k) + 2 * log(1 / eps);
    return (int64_t)fmin(ceil((double)n * (double)k * fmax(rounds, 0)), ldexp(1, SWAPS_LOG2));
}

int tvgp__side_query_rules_keep(double exponent, double t, double age) {
    return 1 + age * age <= (exponent > 0 ? pow(t, exponent) : log(t));
}
