/* SPDX-License-Identifier: MIT */
/* Hyperparameter optimisation: finds the most probable hyperparameters given a window of observations (learn/hyper.h). */
#include "learn/hyper.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/sample_statistics.h"
#include "base/valid_range.h"
#include "space/kernel/constant.h"
#include "space/temporal/drift.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the prior: the sd of log lengthscales, the part that all dimensions share and the part of each; the sd of log g
 * below its centre, which is the width of the Cauchy tail above; the centre of rate x step and the sd of its logarithm.
 */
static const double shared_sd = 0.6, own_sd = 0.6, ratio_sd = 2, usual_rate = 0.01, rate_sd = 2;

enum { TIED = 32 }; /* lengthscales of one kernel with coordinates of their own */
enum { NONE, FROM_MODE, FROM_NOISE };

/* Bounds of g and of rate x step; where the second start begins. */
static const double least_ratio = 1e-6, most_ratio = 1e4, least_rate = 1e-5, most_rate = 0.25, much_noise = 10;

/* Share of a parameter's upper limit, unless more was given. At a correlation of 1 all categories would be equal: the
 * policy would repeat the first one, and no outcome could distinguish them again. */
static const double most_share = 0.9;

/* Of growing noise: the highest rate x step; the noise, in scales, above which an observation has no weight and noise
 * stops growing. */
static const double most_growth = 5, silent = 0x1p53;

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

static size_t add_coordinate(tvgp__hyper *h, double sd, double lower, double upper) {
    size_t k = h->p++;
    if (k < TVGP__BFGS_MOST) {
        h->centre[k] = 0;
        h->sd[k] = sd;
        h->lower[k] = lower;
        h->upper[k] = upper;
    }
    return k;
}

/* The mode of the gamma prior as a coordinate: of each lengthscale, or of the geometric mean of those that move together. */
static void centre_gamma(tvgp__hyper *h, size_t first, size_t end) {
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += h->base[i] / (double)(end - first);
    for (size_t i = first; i < end; i++)
        if (h->coordinate[i] < TVGP__BFGS_MOST)
            h->centre[h->coordinate[i]] =
                log(h->spec.gamma_shape / h->spec.gamma_rate) - (end - first > TIED ? sum : h->base[i]);
}

/* A run of lengthscales of one kernel: bounds of 5e-3 and 1e3 ranges, the value given being 0.3 d^(1/4) ranges. */
static size_t add_lengthscales(tvgp__hyper *h, size_t first, int32_t group) {
    size_t end = first;
    while (end < h->n_space && h->list[end].kind == TVGP_PARAM_LENGTHSCALE)
        end++;
    double usual = log(0.3 * pow((double)h->space->dim, 0.25)), lower = log(5e-3) - usual, upper = log(1e3) - usual;
    int tied = end - first > TIED;
    for (size_t i = first; i < end; i++) {
        h->coordinate[i] = tied && i > first ? h->coordinate[first] : add_coordinate(h, own_sd, lower, upper);
        if (h->coordinate[i] < TVGP__BFGS_MOST)
            h->group[h->coordinate[i]] = group;
    }
    if (tied || end == first + 1)
        h->sd[h->coordinate[first] % TVGP__BFGS_MOST] = 0; /* shared only */
    if (h->spec.gamma_shape > 0)
        centre_gamma(h, first, end);
    return end;
}

static void add_space(tvgp__hyper *h) {
    int32_t groups = 0;
    for (size_t i = 0; i < h->n_space;) {
        const tvgp__param *param = &h->list[i];
        if (h->spec.keep_shape) {
            h->coordinate[i++] = SIZE_MAX;
            continue;
        }
        if (param->kind == TVGP_PARAM_LENGTHSCALE) {
            i = add_lengthscales(h, i, ++groups);
            continue;
        }
        int period = param->kind == TVGP_PARAM_PERIOD;
        double most = fmin(7, fmax(tvgp__parameter_coordinate(param, most_share * param->upper) - h->base[i], 0));
        h->coordinate[i] = i == h->scale_param
                               ? SIZE_MAX
                               : add_coordinate(h, period ? 0.3 : 1, period ? -log(2) : -7, period ? log(2) : most);
        i++;
    }
}

/* Of time: its variance is 1 for good, periods as in space, the rest are rates, bounds and centres of which the data give. */
static void add_time(tvgp__hyper *h) {
    for (size_t i = h->n_space; i < h->n_params; i++) {
        int32_t kind = h->list[i].kind;
        int fixed = h->spec.keep_rate || kind == TVGP_PARAM_VARIANCE;
        h->coordinate[i] = fixed                       ? SIZE_MAX
                           : kind == TVGP_PARAM_PERIOD ? add_coordinate(h, 0.3, -log(2), log(2))
                                                       : add_coordinate(h, rate_sd, 0, 0);
    }
}

static int is_rate(const tvgp__hyper *h, size_t i) {
    return i >= h->n_space && h->coordinate[i] != SIZE_MAX && h->list[i].kind != TVGP_PARAM_PERIOD;
}

static void add_coordinates(tvgp__hyper *h) {
    add_space(h);
    add_time(h);
    h->log_scale = add_coordinate(h, 1, 0, 0);
    h->log_noise = add_coordinate(h, ratio_sd, 0, 0);
    h->log_age = SIZE_MAX;
    if (h->spec.age.growth == TVGP__NOISE_AGE_POWER && !h->spec.keep_rate)
        h->log_age = add_coordinate(h, 1, -log(8), log(8));
    else if (h->spec.age.growth && !h->spec.keep_rate)
        h->log_age = add_coordinate(h, rate_sd, 0, 0);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static tvgp_status take_kernels(tvgp__hyper *h, const tvgp__hyper_spec *spec) {
    TVGP__TRY(tvgp__constant_scaled(spec->space, &h->space));
    if (spec->time)
        TVGP__TRY(tvgp__parameter_clone(spec->time, NULL, &h->time));
    h->n_space = tvgp__parameter_count(h->space);
    h->n_params = h->n_space + (h->time ? tvgp__parameter_count(h->time) : 0);
    TVGP__TRY(tvgp__memory_alloc(h->ctx, h->n_params, sizeof *h->list, &h->list));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, h->n_params, sizeof *h->coordinate, &h->coordinate));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, 3 * h->n_params + 1, sizeof *h->base, &h->base));
    h->values = h->base + h->n_params;
    h->raw = h->values + h->n_params;
    (void)tvgp__parameter_list(h->space, h->list);
    if (h->time)
        (void)tvgp__parameter_list(h->time, h->list + h->n_space);
    h->scale_param = SIZE_MAX;
    for (size_t i = 0; i < h->n_params; i++) {
        h->base[i] = tvgp__parameter_coordinate(&h->list[i], h->list[i].value);
        h->values[i] = h->list[i].value;
        if (i < h->n_space && (h->list[i].flags & TVGP_PARAM_SCALES) && h->scale_param == SIZE_MAX)
            h->scale_param = i;
    }
    return TVGP_OK;
}

static tvgp_status make_room(tvgp__hyper *h) {
    size_t n = h->spec.window, p = h->p;
    TVGP__TRY(tvgp__marginal_likelihood_reserve(&h->evidence, n));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, n, h->space->dim * sizeof *h->X, &h->X));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, n, 10 * sizeof *h->t, &h->t));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, n, sizeof *h->segment, &h->segment));
    h->y = h->t + n;
    h->noise = h->t + 2 * n;
    h->count = h->t + 3 * n;
    h->within = h->t + 4 * n;
    h->aged = h->t + 5 * n;
    h->by_aged = h->t + 6 * n;
    h->scaled = (tvgp__hyper_scaled){.y = h->t + 7 * n, .noise = h->t + 8 * n, .within = h->t + 9 * n};
    h->evidence.by_own = h->spec.age.growth ? h->by_aged : NULL;
    for (size_t i = 0; i < n; i++)
        h->count[i] = 1;
    TVGP__TRY(tvgp__memory_alloc(h->ctx, tvgp__bfgs_room(p), sizeof *h->search_memory, &h->search_memory));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, tvgp__memory_product(p, p), sizeof *h->curvature, &h->curvature));
    TVGP__TRY(tvgp__memory_alloc(h->ctx, 1, sizeof *h->marked, &h->marked));
    return tvgp__memory_alloc(h->ctx, tvgp__bfgs_room(p) + tvgp__memory_product(p, p), sizeof *h->marked_memory,
                              &h->marked_memory);
}

static tvgp_status build(tvgp__hyper *h, const tvgp__hyper_spec *spec) {
    TVGP__TRY(take_kernels(h, spec));
    add_coordinates(h);
    if (h->p > TVGP__BFGS_MOST)
        return tvgp__error_set(h->ctx, TVGP_ERR_LIMIT, "the kernel has %zu parameters to learn, at most %d", h->p - 2,
                               TVGP__BFGS_MOST - 2);
    return make_room(h);
}

tvgp_status tvgp__hyper_new(tvgp_ctx *ctx, const tvgp__hyper_spec *spec, tvgp__hyper **out) {
    tvgp__hyper *h = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *h, &h));
    h->ctx = h->evidence.ctx = ctx;
    h->spec = *spec;
    h->spec.space = h->spec.time = NULL; /* the clones are used */
    h->rules = (tvgp__bfgs_rules){.first_step = 0.7,
                                  .least_first = 1,
                                  .least_curved = 0.01,
                                  .cap_first = 2,
                                  .cap = 2,
                                  .damping = 0.2,
                                  .tries = 12,
                                  .tol_gain = spec->tolerance};
    tvgp_status status = build(h, spec);
    if (status < 0)
        tvgp__hyper_free(h);
    else
        *out = h;
    return status;
}

void tvgp__hyper_free(tvgp__hyper *h) {
    if (!h)
        return;
    void *blocks[] = {h->list,      h->coordinate, h->base,          h->X, h->t, h->segment, h->search_memory,
                      h->curvature, h->marked,     h->marked_memory, h};
    tvgp_ctx *ctx = h->ctx;
    tvgp__kernel_release(h->space);
    tvgp__kernel_release(h->time);
    tvgp__marginal_likelihood_free(&h->evidence);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(ctx, blocks[i]);
}

/* ---- the data --------------------------------------------------------------------------------------------------- */

/* A coordinate that the data place: centre and bounds; equal bounds hold it. */
static void set_range(tvgp__hyper *h, size_t k, double centre, double lower, double upper) {
    h->centre[k] = centre;
    h->lower[k] = lower;
    h->upper[k] = upper;
}

/* How far the coordinates of rates are shifted where times are in this unit. */
static double shift(const tvgp__hyper *h, double unit) {
    return unit > 0 && h->first > 0 ? log(unit / h->first) : 0;
}

/* The coordinate at theta = 0 of a parameter there. */
static double base_in(const tvgp__hyper *h, size_t i, double unit) {
    if (!is_rate(h, i))
        return h->base[i];
    return h->base[i] + tvgp__drift_sign(h->list[i].kind) * shift(h, unit);
}

static void set_rate(tvgp__hyper *h, size_t i) {
    const int32_t kind = h->list[i].kind;
    const double base = base_in(h, i, h->unit), sign = tvgp__drift_sign(kind), origin = tvgp__drift_origin(kind, h->step);
    double low = origin + sign * log(least_rate), high = origin + sign * log(most_rate);
    set_range(h, h->coordinate[i], origin + sign * log(usual_rate) - base, fmin(low, high) - base, fmax(low, high) - base);
}

/* The sample variance of the outcomes: their squares within the observations and the squares of the observations. */
static double total_variance(const tvgp__hyper *h) {
    double mean = 0, sum = 0, rest = 0;
    for (size_t i = 0; i < h->n; i++)
        mean += h->y[i] * (h->count[i] / h->answers);
    for (size_t i = 0; i < h->n; i++) {
        rest += h->count[i] * (h->y[i] - mean);
        sum += h->within[i] + h->count[i] * (h->y[i] - mean) * (h->y[i] - mean);
    }
    return h->answers > 1 ? (sum - rest * rest / h->answers) / (h->answers - 1) : 0;
}

/* The mean noise variance that outcomes declare, if most of them do. */
static double declared_noise(const tvgp__hyper *h) {
    double own = 0, sum = 0;
    for (size_t i = 0; i < h->n; i++)
        if (!isnan(h->noise[i])) {
            own += h->count[i];
            sum += h->count[i] * (h->count[i] * h->noise[i]); /* that of the mean of `count` */
        }
    const double declared = 2 * own > h->answers ? sum / own : h->spec.noise;
    return isnan(declared) ? NAN : fmin(declared, TVGP__VALID_RANGE_MOST);
}

/* The unit of an evaluation is 2^e with 1 <= b0 / 4^e < 4, so that outcomes times a power of two give the same bits. Returns e; 0
 * where the caller sets bounds in a unit of its own. */
static int exponent(const tvgp__hyper *h) {
    const int e = h->b0 > 0 && !h->spec.likelihood ? ilogb(h->b0) : 0;
    return (e - (e % 2 != 0 && e < 0)) / 2;
}

/* A variance in that unit. */
static double scaled(const tvgp__hyper *h, double variance) {
    return ldexp(variance, -2 * exponent(h));
}

/* Where the coordinates of s and g are, and how far they may go. */
static void set_scale_and_noise(tvgp__hyper *h) {
    const tvgp__hyper_spec *spec = &h->spec;
    double log_b0 = h->b0 > 0 ? log(scaled(h, h->b0)) : 0, around = h->plain ? 14 : 0;
    set_range(h, h->log_scale, log_b0, log_b0 - around, log_b0 + around);
    set_range(h, h->log_noise, log(spec->usual_ratio), log(least_ratio), log(most_ratio));
    if (!isnan(spec->noise))
        set_range(h, h->log_noise, 0, 0, 0);
    if (spec->likelihood) { /* begin with what was given; the caller sets the bounds */
        set_range(h, h->log_scale, h->base[h->scale_param], -50, 50);
        set_range(h, h->log_noise, log(fmax(spec->noise, DBL_MIN)), -50, 50);
    }
}

static void set_growth(tvgp__hyper *h) {
    const double step = h->step, base = shift(h, h->unit);
    if (h->log_age != SIZE_MAX && h->spec.age.growth != TVGP__NOISE_AGE_POWER)
        set_range(h, h->log_age, log(usual_rate / step) - base, log(least_rate / step) - base,
                  log(most_growth / step) - base);
}

int tvgp__hyper_look(tvgp__hyper *h) {
    const tvgp__noise_age *age = &h->spec.age;
    h->first = h->first > 0 ? h->first : h->unit;
    h->answers = 0;
    h->plain = h->spec.likelihood || !isnan(h->spec.noise) || (age->growth == TVGP__NOISE_AGE_LINEAR && h->spec.keep_rate);
    for (size_t i = 0; i < h->n; i++) {
        h->answers += h->count[i];
        h->plain |= !isnan(h->noise[i]);
    }
    const double b0 = total_variance(h);
    h->b0 = fmin(b0, TVGP__VALID_RANGE_MOST);
    h->declared = declared_noise(h);
    h->step = !h->time && !age->growth ? 1
              : h->given_step > 0      ? h->given_step
                                       : tvgp__sample_statistics_step(h->n, h->t, h->evidence.rows);
    for (size_t i = h->n_space; i < h->n_params; i++)
        if (is_rate(h, i))
            set_rate(h, i);
    set_growth(h);
    set_scale_and_noise(h);
    return h->answers >= 2 && b0 > 0 && isfinite(b0);
}

void tvgp__hyper_bound(tvgp__hyper *h, const double *lower, const double *upper) {
    for (size_t i = 0; i <= h->n_params; i++) {
        size_t k = i == h->n_params ? h->log_noise : i == h->scale_param ? h->log_scale : h->coordinate[i];
        if (k == SIZE_MAX)
            continue;
        double base = i == h->n_params || i == h->scale_param ? 0 : h->base[i];
        int noise = i == h->n_params;
        h->lower[k] = (noise ? log(lower[i]) : tvgp__parameter_coordinate(&h->list[i], lower[i])) - base;
        h->upper[k] = (noise ? log(upper[i]) : tvgp__parameter_coordinate(&h->list[i], upper[i])) - base;
    }
}

void tvgp__hyper_mode(const tvgp__hyper *h, tvgp__hyper_point *out) {
    *out = (tvgp__hyper_point){.objective = -INFINITY, .compared = -INFINITY, .unit = h->unit};
    for (size_t k = 0; k < h->p; k++)
        out->theta[k] = fmin(fmax(h->centre[k], h->lower[k]), h->upper[k]);
}

void tvgp__hyper_carry(const tvgp__hyper *h, tvgp__hyper_point *point) {
    if (h->plain && !h->spec.likelihood && point->scale > 0)
        point->theta[h->log_scale] = log(scaled(h, point->scale));
}

/* ---- the objective ---------------------------------------------------------------------------------------------- */

/* Of log g: Gaussian below its centre, Cauchy above; adds its derivative by log g. */
static double ratio_prior(const tvgp__hyper *h, double log_ratio, double *by) {
    const double z = (log_ratio - log(h->spec.usual_ratio)) / ratio_sd;
    *by -= (z > 0 ? 2 * z / (1 + z * z) : z) / ratio_sd;
    return z > 0 ? -log1p(z * z) : -0.5 * z * z;
}

/* Of the scale where it is a coordinate: the total variance is about b0, and declared noise is as learned noise would be; less than
 * could be learned says no more. */
static double scale_prior(const tvgp__hyper *h, const double *theta, double *gradient) {
    const int declared = !isnan(h->declared);
    const double s = exp(theta[h->log_scale]), b0 = scaled(h, h->b0),
                 v = declared ? fmax(scaled(h, h->declared), least_ratio * b0) : s * exp(theta[h->log_noise]),
                 off = log((s + v) / b0);
    double by_ratio = 0, total = -0.5 * off * off;
    gradient[h->log_scale] -= off * (declared ? s / (s + v) : 1);
    if (!declared) {
        gradient[h->log_noise] -= off * v / (s + v);
        return total;
    }
    total += ratio_prior(h, log(v) - theta[h->log_scale], &by_ratio);
    gradient[h->log_scale] -= by_ratio;
    return total;
}

/* Of coordinate k of the kernels. A lengthscale with a gamma prior: its density by log l, relative to the mode. Lengthscales of a
 * group: precision (I - sd^2 11' / (own^2 + d sd^2)) / own^2, or 1 / sd^2 for one
 * alone. */
static double kernel_prior(const tvgp__hyper *h, const double *theta, size_t k, double *gradient) {
    const double shared = shared_sd * shared_sd;
    double own = h->sd[k] * h->sd[k], value = theta[k] - h->centre[k], sum = 0, size = 0;
    if (h->group[k] && h->spec.gamma_shape > 0) {
        gradient[k] -= h->spec.gamma_shape * expm1(value);
        return h->spec.gamma_shape * (value - expm1(value));
    }
    for (size_t j = 0; h->group[k] && j < h->p; j++)
        if (h->group[j] == h->group[k]) {
            sum += theta[j];
            size += 1;
        }
    double slope = own == 0 ? value / shared : (value - shared * sum / (own + size * shared)) / own;
    gradient[k] -= slope;
    return -0.5 * value * slope;
}

/* Log prior without its constants; adds its derivative. Coordinates that are held have none. */
static double log_prior(const tvgp__hyper *h, const double *theta, double *gradient) {
    double total = 0;
    for (size_t k = 0; k < h->p; k++)
        if (h->lower[k] < h->upper[k])
            total += k == h->log_scale   ? scale_prior(h, theta, gradient)
                     : k == h->log_noise ? ratio_prior(h, theta[k], &gradient[k])
                                         : kernel_prior(h, theta, k, gradient);
    return total;
}

/* Values of the kernels' parameters where the factor of the kernel is `scale` and times are in this unit. */
static void set_values(tvgp__hyper *h, const double *theta, double scale, double unit) {
    for (size_t i = 0; i < h->n_params; i++) {
        const tvgp__param *param = &h->list[i];
        if (i == h->scale_param)
            h->values[i] = scale;
        else if (h->coordinate[i] != SIZE_MAX)
            h->values[i] = tvgp__parameter_value(param, base_in(h, i, unit) + theta[h->coordinate[i]]);
        else
            h->values[i] = i >= h->n_space && param->kind == TVGP_PARAM_VARIANCE && !h->spec.likelihood ? 1 : param->value;
    }
}

static double noise_of(const tvgp__hyper *h, const double *theta, double scale) {
    if (h->spec.likelihood)
        return exp(theta[h->log_noise]);
    return isnan(h->spec.noise) ? exp(theta[h->log_noise]) * scale : scaled(h, h->spec.noise);
}

/* The growth of noise at theta, where the factor of the kernel is `scale` and times are in this unit. A trusted rate is in the
 * caller's unit. */
static tvgp__noise_age growth_of(const tvgp__hyper *h, const double *theta, double scale, double unit) {
    tvgp__noise_age age = h->spec.age;
    if (h->log_age == SIZE_MAX)
        return age;
    if (age.growth == TVGP__NOISE_AGE_POWER)
        age.alpha *= exp(theta[h->log_age]);
    else
        age.rate = exp(shift(h, unit) + theta[h->log_age]) * (age.growth == TVGP__NOISE_AGE_LINEAR ? scale : 1);
    return age;
}

double tvgp__hyper_growth(const tvgp__hyper *h, const tvgp__hyper_point *point) {
    const tvgp__noise_age age = growth_of(h, point->theta, point->scale, point->unit);
    return age.growth == TVGP__NOISE_AGE_NONE ? NAN : age.growth == TVGP__NOISE_AGE_POWER ? age.alpha : age.rate;
}

static double newest(const tvgp__hyper *h) {
    double t = h->t[0];
    for (size_t i = 1; i < h->n; i++)
        t = fmax(t, h->t[i]);
    return t;
}

/* Noise of observation i when it arrived. A factor leaves 0 unchanged, hence the lower bound, as in a posterior. */
static double fresh(const tvgp__hyper *h, size_t i, double noise, double scale) {
    return fmax(isnan(h->noise[i]) ? noise : h->scaled.noise[i], 1e-10 * scale);
}

static void grow(tvgp__hyper *h, const tvgp__noise_age *age, double noise, double scale) {
    const double now = newest(h);
    for (size_t i = 0; i < h->n; i++)
        h->aged[i] = fmin(tvgp__noise_age_noise(age, fresh(h, i, noise, scale), now - h->t[i]), silent * scale);
}

/* Converts derivatives by the grown noises into those by log noise, added to the present ones, and by the growth. */
static double chain_growth(tvgp__hyper *h, const tvgp__noise_age *age, double noise, double scale) {
    const double now = newest(h);
    double by_age = 0;
    for (size_t i = 0; i < h->n; i++) {
        const double v = fresh(h, i, noise, scale), old = now - h->t[i];
        if (!(h->aged[i] < silent * scale))
            continue;
        by_age += h->by_aged[i] * tvgp__noise_age_slope(age, v, old);
        if (isnan(h->noise[i]))
            h->raw[h->n_params] += h->by_aged[i] * tvgp__noise_age_slope_by_noise(age, v, old);
    }
    return by_age;
}

/* The derivative by coordinates from that by parameters, noise and its growth. */
static void chain(const tvgp__hyper *h, double by_age, double *gradient) {
    const double by_noise = h->raw[h->n_params];
    int ratio = isnan(h->spec.noise) && !h->spec.likelihood;
    memset(gradient, 0, h->p * sizeof *gradient);
    for (size_t i = 0; i < h->n_params; i++)
        if (h->coordinate[i] != SIZE_MAX)
            gradient[h->coordinate[i]] += h->raw[i];
    if (h->log_age != SIZE_MAX)
        gradient[h->log_age] = by_age;
    int linear = h->log_age != SIZE_MAX && h->spec.age.growth == TVGP__NOISE_AGE_LINEAR; /* in scales */
    gradient[h->log_scale] = h->plain ? h->raw[h->scale_param] + (ratio ? by_noise : 0) + (linear ? by_age : 0) : 0;
    gradient[h->log_noise] = ratio || h->spec.likelihood ? by_noise : 0;
}

/* Scales the data to the unit of an evaluation; returns the number of contrasts of the outcomes. */
static double scale_data(tvgp__hyper *h) {
    const int e = exponent(h);
    double contrasts = -1;
    for (size_t i = 0; i < h->n; i++) {
        h->scaled.y[i] = ldexp(h->y[i], -e);
        h->scaled.noise[i] = ldexp(h->noise[i], -2 * e);
        h->scaled.within[i] = ldexp(h->within[i], -2 * e);
        contrasts += isnan(h->noise[i]) ? h->count[i] : 1;
    }
    return contrasts;
}

/* What the data say, in the caller's unit. */
static void tell_caller(const tvgp__hyper *h, const tvgp__marginal_likelihood_value *value, double scale, double noise,
                        double contrasts, tvgp__hyper_point *point) {
    const int e = exponent(h);
    point->evidence = value->log_marginal_likelihood - e * log(2) * contrasts;
    point->objective = point->compared - e * log(2) * contrasts;
    point->mean = ldexp(value->mean, e);
    point->scale = fmin(ldexp(h->plain ? scale : value->scale, 2 * e), TVGP__VALID_RANGE_MOST);
    point->noise = fmin(ldexp(h->plain ? noise : noise * value->scale, 2 * e), TVGP__VALID_RANGE_MOST);
    point->precision = ldexp(value->precision / value->scale, -2 * e);
}

static tvgp_status evaluate(tvgp__hyper *h, tvgp__hyper_point *point, double *gradient) {
    const double contrasts = scale_data(h);
    double scale = h->plain ? exp(point->theta[h->log_scale]) : 1;
    tvgp__marginal_likelihood_value value = {.log_marginal_likelihood = NAN};
    set_values(h, point->theta, scale, h->unit);
    TVGP__TRY(tvgp__parameter_write(&h->space, h->values));
    if (h->time)
        TVGP__TRY(tvgp__parameter_write(&h->time, h->values + h->n_space));
    const tvgp__marginal_likelihood_model model = {.space = h->space,
                                                   .time = h->time,
                                                   .noise = noise_of(h, point->theta, scale),
                                                   .form = h->spec.likelihood ? TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN
                                                           : h->plain         ? TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN
                                                                              : TVGP__MARGINAL_LIKELIHOOD_COLLAPSED,
                                                   .a0 = 1,
                                                   .b0 = scaled(h, h->b0)};
    tvgp__noise_age age = growth_of(h, point->theta, scale, h->unit);
    if (age.growth == TVGP__NOISE_AGE_LINEAR && h->log_age == SIZE_MAX)
        age.rate = scaled(h, age.rate);
    if (age.growth)
        grow(h, &age, model.noise, scale);
    const tvgp__marginal_likelihood_data data = {.n = h->n,
                                                 .X = h->X,
                                                 .t = h->t,
                                                 .y = h->scaled.y,
                                                 .noise = age.growth ? h->aged : h->scaled.noise,
                                                 .count = h->count,
                                                 .within = h->scaled.within,
                                                 .segment = h->segment};
    TVGP__TRY(tvgp__marginal_likelihood_at(&h->evidence, &model, &data, &value, gradient ? h->raw : NULL));
    double prior[TVGP__BFGS_MOST] = {0};
    if (gradient)
        chain(h, age.growth ? chain_growth(h, &age, model.noise, scale) : 0, gradient);
    point->compared =
        value.log_marginal_likelihood + (h->spec.likelihood ? 0 : log_prior(h, point->theta, gradient ? gradient : prior));
    if (!isfinite(point->compared)) {
        point->evidence = value.log_marginal_likelihood;
        point->objective = point->compared = -INFINITY;
        return TVGP_OK;
    }
    tell_caller(h, &value, scale, model.noise, contrasts, point);
    return TVGP_OK;
}

tvgp_status tvgp__hyper_evaluate(tvgp__hyper *h, tvgp__hyper_point *point) {
    return evaluate(h, point, NULL);
}

/* ---- a fit ------------------------------------------------------------------------------------------------------ */

static void open_search(tvgp__hyper *h, const double *theta, const double *curvature) {
    tvgp__bfgs_open(&h->search, h->p, h->search_memory, &h->rules, h->lower, h->upper, theta, curvature);
    h->running = 1;
}

static size_t answers_of(const tvgp__hyper *h) {
    return (size_t)h->answers;
}

/* From the prior's mode, or (FROM_NOISE) from there with much noise, where it is learned. */
static void start_cold(tvgp__hyper *h, int from) {
    const int learned = isnan(h->declared) && !h->spec.likelihood;
    tvgp__hyper_point mode;
    tvgp__hyper_mode(h, &mode);
    if (from == FROM_NOISE)
        mode.theta[h->log_noise] = log(much_noise);
    h->cold_next = from == FROM_MODE && learned ? FROM_NOISE : NONE;
    h->cold_n = answers_of(h);
    open_search(h, mode.theta, NULL);
}

void tvgp__hyper_begin(tvgp__hyper *h, const tvgp__hyper_point *warm) {
    tvgp__hyper_point from;
    h->best.objective = h->best.compared = -INFINITY;
    if (!warm) {
        start_cold(h, FROM_MODE);
        return;
    }
    h->cold_next = answers_of(h) >= 2 * h->cold_n ? FROM_MODE : NONE;
    for (size_t i = 0; h->curvature_n && i < h->p * h->p; i++)
        h->curvature[i] *= h->answers / (double)h->curvature_n;
    from = *warm;
    tvgp__hyper_carry(h, &from);
    open_search(h, from.theta, h->curvature_n ? h->curvature : NULL);
    h->curvature_n = 0;
}

/* One evaluation for the search. */
static tvgp_status step(tvgp__hyper *h, int *end) {
    double g[TVGP__BFGS_MOST];
    tvgp__hyper_point point = {.unit = h->unit};
    memcpy(point.theta, h->search.trial, h->p * sizeof *g);
    TVGP__TRY(tvgp__error_interrupted(h->ctx));
    TVGP__TRY(evaluate(h, &point, g));
    for (size_t k = 0; k < h->p; k++)
        g[k] = -g[k];
    if (point.compared > h->best.compared)
        h->best = point;
    *end = tvgp__bfgs_take(&h->search, -point.compared, g);
    return TVGP_OK;
}

/* A run has ended: the other start, where one is due or this one could not be evaluated; else the end of the fit. */
static void finish(tvgp__hyper *h) {
    int failed = !isfinite(h->search.f);
    if (!failed && -h->search.f >= h->best.compared) {
        memcpy(h->curvature, h->search.B, h->p * h->p * sizeof *h->curvature);
        h->curvature_n = answers_of(h);
    }
    h->running = 0;
    if (h->cold_next)
        start_cold(h, h->cold_next);
    else if (failed && h->cold_n != answers_of(h))
        start_cold(h, FROM_MODE);
}

tvgp_status tvgp__hyper_run(tvgp__hyper *h, int64_t budget, int64_t *evaluations) {
    for (; h->running && budget > 0; budget--) {
        int end = TVGP__BFGS_EVALUATE;
        TVGP__TRY(step(h, &end));
        (*evaluations)++;
        if (end != TVGP__BFGS_EVALUATE)
            finish(h);
    }
    return h->running ? TVGP_AGAIN : TVGP_OK;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__hyper_kernels(tvgp__hyper *h, const tvgp__hyper_point *point, tvgp_kernel **space, tvgp_kernel **time) {
    set_values(h, point->theta, point->scale, point->unit);
    TVGP__TRY(tvgp__parameter_clone(h->space, h->values, space));
    if (!h->time)
        return TVGP_OK;
    tvgp_status status = tvgp__parameter_clone(h->time, h->values + h->n_space, time);
    if (status < 0) {
        tvgp__kernel_release(*space);
        *space = NULL;
    }
    return status;
}

double tvgp__hyper_ratio(const tvgp__hyper *h, const tvgp__hyper_point *point) {
    return (isnan(h->declared) ? point->noise : h->declared) / point->scale;
}

double tvgp__hyper_rate(const tvgp__hyper *h, const tvgp__hyper_point *point) {
    if (h->n_params == h->n_space)
        return 0;
    const size_t i = h->n_params - 1; /* forgetting has no other, Matern its variance before */
    const int declared = h->coordinate[i] == SIZE_MAX;
    const double u = h->base[i] + (declared ? 0 : point->theta[h->coordinate[i]]),
                 first = declared || !(h->first > 0) ? 1 : h->first;
    return tvgp__drift_rate_at(h->list[i].kind, u) / first;
}

size_t tvgp__hyper_at_bound(const tvgp__hyper *h, const tvgp__hyper_point *point) {
    size_t count = 0;
    for (size_t k = 0; k < h->p; k++)
        if (h->lower[k] < h->upper[k])
            count += point->theta[k] <= h->lower[k] || point->theta[k] >= h->upper[k];
    return count;
}
