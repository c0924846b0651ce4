/* SPDX-License-Identifier: MIT */
#include "temporal/noise_age.h"

#include "temporal/median_gap.h"

#include <math.h>

void tvgp__noise_age_pace(tvgp__noise_age *law, double unit) {
    if (law->unit > 0)
        law->unit = unit > 0 ? unit : 1;
}

double tvgp__noise_age_noise(const tvgp__noise_age *law, double noise, double elapsed) {
    const double age = law->unit > 0 ? tvgp__median_gap_units(elapsed, law->unit) : elapsed;
    if (!(age > 0))
        return noise;
    switch (law->growth) {
    case TVGP__NOISE_AGE_NONE:
        return noise;
    case TVGP__NOISE_AGE_LINEAR:
        return noise + law->rate * age;
    case TVGP__NOISE_AGE_POWER:
        return noise * (1 + pow(age, law->alpha));
    default: /* TVGP__NOISE_AGE_EXPONENTIAL */
        return noise > 0 ? noise * exp(law->rate * age) : 0;
    }
}

double tvgp__noise_age_slope(const tvgp__noise_age *law, double noise, double age) {
    if (!(age > 0) || law->growth == TVGP__NOISE_AGE_NONE)
        return 0;
    if (law->growth == TVGP__NOISE_AGE_LINEAR)
        return law->rate * age;
    if (law->growth == TVGP__NOISE_AGE_POWER)
        return noise * law->alpha * log(age) * pow(age, law->alpha);
    return law->rate * age * tvgp__noise_age_noise(law, noise, age);
}

double tvgp__noise_age_slope_by_noise(const tvgp__noise_age *law, double noise, double age) {
    return law->growth == TVGP__NOISE_AGE_LINEAR ? noise : tvgp__noise_age_noise(law, noise, age);
}

double tvgp__noise_age_correlation(const tvgp__noise_age *law, double variance, double age) {
    if (law->growth != TVGP__NOISE_AGE_POWER && !(law->rate > 0))
        return -1;
    return sqrt(variance / tvgp__noise_age_noise(law, variance, age));
}
