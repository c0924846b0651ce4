/* SPDX-License-Identifier: MIT */
#include "law/age.h"

#include "law/clock.h"

#include <math.h>

void tvgp__age_pace(tvgp__age *law, double unit) {
    if (law->unit > 0)
        law->unit = unit > 0 ? unit : 1;
}

double tvgp__age_noise(const tvgp__age *law, double noise, double elapsed) {
    const double age = law->unit > 0 ? tvgp__clock_units(elapsed, law->unit) : elapsed;
    if (!(age > 0))
        return noise;
    switch (law->growth) {
    case TVGP__AGE_NONE:
        return noise;
    case TVGP__AGE_LINEAR:
        return noise + law->rate * age;
    case TVGP__AGE_POWER:
        return noise * (1 + pow(age, law->alpha));
    default: /* TVGP__AGE_EXPONENTIAL */
        return noise > 0 ? noise * exp(law->rate * age) : 0;
    }
}

double tvgp__age_slope(const tvgp__age *law, double noise, double age) {
    if (!(age > 0) || law->growth == TVGP__AGE_NONE)
        return 0;
    if (law->growth == TVGP__AGE_LINEAR)
        return law->rate * age;
    if (law->growth == TVGP__AGE_POWER)
        return noise * law->alpha * log(age) * pow(age, law->alpha);
    return law->rate * age * tvgp__age_noise(law, noise, age);
}

double tvgp__age_slope_by_noise(const tvgp__age *law, double noise, double age) {
    return law->growth == TVGP__AGE_LINEAR ? noise : tvgp__age_noise(law, noise, age);
}

double tvgp__age_correlation(const tvgp__age *law, double variance, double age) {
    if (law->growth != TVGP__AGE_POWER && !(law->rate > 0))
        return -1;
    return sqrt(variance / tvgp__age_noise(law, variance, age));
}
