/* SPDX-License-Identifier: MIT */
/* Growing noise (space/temporal/noise_age.h). */
#include "space/temporal/noise_age.h"

#include "space/temporal/median_gap.h"

#include <math.h>

void tvgp__noise_age_set_unit(tvgp__noise_age *model, double unit) {
    if (model->unit > 0)
        model->unit = unit > 0 ? unit : 1;
}

double tvgp__noise_age_noise(const tvgp__noise_age *model, double noise, double elapsed) {
    const double age = model->unit > 0 ? tvgp__median_gap_units(elapsed, model->unit) : elapsed;
    if (!(age > 0))
        return noise;
    switch (model->growth) {
    case TVGP__NOISE_AGE_NONE:
        return noise;
    case TVGP__NOISE_AGE_LINEAR:
        return noise + model->rate * age;
    case TVGP__NOISE_AGE_POWER:
        return noise * (1 + pow(age, model->alpha));
    default: /* TVGP__NOISE_AGE_EXPONENTIAL */
        return noise > 0 ? noise * exp(model->rate * age) : 0;
    }
}

double tvgp__noise_age_slope(const tvgp__noise_age *model, double noise, double age) {
    if (!(age > 0) || model->growth == TVGP__NOISE_AGE_NONE)
        return 0;
    if (model->growth == TVGP__NOISE_AGE_LINEAR)
        return model->rate * age;
    if (model->growth == TVGP__NOISE_AGE_POWER)
        return noise * model->alpha * log(age) * pow(age, model->alpha);
    return model->rate * age * tvgp__noise_age_noise(model, noise, age);
}

double tvgp__noise_age_slope_by_noise(const tvgp__noise_age *model, double noise, double age) {
    return model->growth == TVGP__NOISE_AGE_LINEAR ? noise : tvgp__noise_age_noise(model, noise, age);
}

double tvgp__noise_age_correlation(const tvgp__noise_age *model, double variance, double age) {
    if (model->growth != TVGP__NOISE_AGE_POWER && !(model->rate > 0))
        return -1;
    return sqrt(variance / tvgp__noise_age_noise(model, variance, age));
}
