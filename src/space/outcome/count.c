/* SPDX-License-Identifier: MIT */
/* A count y of exposure E has the log likelihood l(z) = y z - E A(z), with A = e^z (Poisson) or ln(1 + e^z) (binomial). It becomes
 * a normal observation by moment matching (Minka, 2001, one site): the prior of z is normal with mean m and variance v, and the
 * posterior has mean m1 and variance v1 < v because l is concave. The observation of noise variance r = 1/(1/v1 - 1/v) and value
 * m + r (m1 - m)/v1 leads to the same two moments. They are computed by Gauss-Hermite quadrature around the mode, scaled by the
 * curvature there; exponents are differences from the mode, so large counts lose no digits. */
#include "space/outcome/count.h"

#include "base/error.h"
#include "base/valid_range.h"

#include <math.h>

/* Nodes and weights (sum 1) of the 20-point Gauss-Hermite rule for the weight e^(-x^2); the other half is symmetric. */
enum { HALF = 10 };
static const double nodes[HALF][2] = {
    {0.24534070830090124, 0.26079306344955488},   {0.73747372854539439, 0.16173933398399995},
    {1.2340762153953231, 0.061506372063976904},   {1.7385377121165861, 0.013997837447101003},
    {2.2549740020892757, 0.0018301031310804928},  {2.7888060584281305, 0.00012882627996192944},
    {3.3478545673832163, 4.4021210902308527e-06}, {3.9447640401156252, 6.1274902599829478e-08},
    {4.6036824495507442, 2.4820623623151786e-10}, {5.3874808900112328, 1.2578006724379269e-13}};

/* The function A of a likelihood: A(z + d) - A(z), and the two derivatives. */
typedef struct likelihood {
    double (*rise)(double z, double d);
    double (*first)(double z);
    double (*second)(double z);
} likelihood;

static double exponential(double z) {
    return tvgp__valid_range_cap(exp(z));
}
static double exponential_rise(double z, double d) {
    return exponential(z) * expm1(d);
}
static double logistic(double z) {
    return 1 / (1 + exp(-z));
}
static double logistic_slope(double z) {
    return logistic(z) * logistic(-z);
}
static double softplus_rise(double z, double d) {
    return log1p(logistic(z) * expm1(d));
}
static const likelihood poisson = {exponential_rise, exponential, exponential};
static const likelihood binomial = {softplus_rise, logistic, logistic_slope};

/* ---- moment matching ---------------------------------------------------------------------------------------------- */

/* Newton's method with steps of at most 1: finds the mode of l(z) - (z - m)^2 / (2 v), which is concave. */
static double mode(const likelihood *l, double y, double exposure, double m, double v) {
    enum { STEPS = 1000 }; /* the range of doubles in logarithms, with room */
    double z = m;
    for (int i = 0; i < STEPS; i++) {
        const double slope = y - exposure * l->first(z) - (z - m) / v, curvature = exposure * l->second(z) + 1 / v;
        const double step = fmax(-1, fmin(1, slope / curvature));
        z += step;
        if (fabs(step) <= 1e-13 * (1 + fabs(z)))
            break;
    }
    return z;
}

/* Moments of the posterior, and the log of the integral of the prior times e^(l(z) - l(from)). */
static double posterior(const likelihood *l, double y, double exposure, double m, double v, double from, double *m1,
                        double *v1) {
    const double z = mode(l, y, exposure, m, v), s = 1 / sqrt(exposure * l->second(z) + 1 / v);
    double sum[3] = {0};
    for (int i = 0; i < 2 * HALF; i++) {
        const double x = (i % 2 ? -1 : 1) * nodes[i / 2][0], d = sqrt(2) * s * x;
        const double change = y * d - exposure * l->rise(z, d) - d * (2 * (z - m) + d) / (2 * v);
        const double weight = nodes[i / 2][1] * exp(x * x + change);
        sum[0] += weight;
        sum[1] += weight * d;
        sum[2] += weight * d * d;
    }
    const double off = sum[1] / sum[0];
    *m1 = z + off;
    *v1 = sum[2] / sum[0] - off * off;
    return y * (z - from) - exposure * l->rise(from, z - from) - (z - m) / v * (z - m) / 2 + log(s * s / v) / 2 +
           log(sum[0]);
}

/* Where the record says nothing of z, or z is known, it is an observation at the mean of next to no weight. */
static tvgp__outcome_site site(const likelihood *l, double y, double exposure, double m, double v, double from) {
    const double least = 1e-9; /* information of the record, as a part of the information of the prior */
    tvgp__outcome_site out = {.z = isfinite(m) ? m : 0, .noise = v > 0 ? tvgp__valid_range_cap(v / least) : 1};
    double m1, v1;
    if (!(v > 0)) {
        out.log_likelihood = y * (out.z - from) - exposure * l->rise(from, out.z - from);
        return out;
    }
    out.log_likelihood = posterior(l, y, exposure, m, v, from, &m1, &v1);
    const double r = 1 / (1 / v1 - 1 / v);
    if (!(r > 0 && r < v / least))
        return out;
    out.z = m + r * ((m1 - m) / v1);
    out.noise = fmax(r, TVGP__VALID_RANGE_LEAST);
    return out;
}

static tvgp__outcome_site site_poisson(double y, double exposure, double m, double v, double from) {
    return site(&poisson, y, exposure, m, v, from);
}
static tvgp__outcome_site site_binomial(double y, double exposure, double m, double v, double from) {
    return site(&binomial, y, exposure, m, v, from);
}
static double log_density_poisson(double y, double exposure, double z) {
    return y * z - exposure * exponential(z);
}
static double log_density_binomial(double y, double exposure, double z) {
    return y * z - exposure * (fmax(z, 0) + log1p(exp(-fabs(z))));
}
static double first_poisson(double y, double exposure) {
    return log((y + 0.5) / exposure);
}
static double first_binomial(double y, double exposure) {
    return log((y + 0.5) / (exposure - y + 0.5));
}
static const tvgp__outcome_count poisson_counts = {site_poisson, log_density_poisson, exponential, first_poisson};
static const tvgp__outcome_count binomial_counts = {site_binomial, log_density_binomial, logistic_slope, first_binomial};

/* ---- records ------------------------------------------------------------------------------------------------------ */

static tvgp_status read_record(tvgp_ctx *ctx, const char *type, const tvgp_obs *o, size_t i, double *exposure) {
    *exposure = o->flags & TVGP_OBS_HAS_EXPOSURE ? o->exposure : 1;
    TVGP__TRY(tvgp__valid_range_entry(ctx, "obs[%zu].exposure", i, 0, *exposure));
    if (!(*exposure > 0))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].exposure = %g must be > 0", i, *exposure);
    if (!(o->flags & TVGP_OBS_HAS_EXPOSURE) && o->y != floor(o->y))
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "obs[%zu].y = %g must be a whole number with outcome.type = %s, unless exposure is set: "
                               "of a rate, report the count and its exposure",
                               i, o->y, type);
    if (!(o->y >= 0))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].y = %g must be a count >= 0 with outcome.type = %s", i, o->y,
                               type);
    return TVGP_OK;
}

static tvgp_status match_poisson(tvgp_ctx *ctx, const tvgp_obs *o, size_t i, double m, double v, double *z, double *noise) {
    double exposure;
    TVGP__TRY(read_record(ctx, "poisson", o, i, &exposure));
    const tvgp__outcome_site of = site_poisson(o->y, exposure, m, v, m);
    *z = of.z;
    *noise = of.noise;
    return TVGP_OK;
}

static tvgp_status match_binomial(tvgp_ctx *ctx, const tvgp_obs *o, size_t i, double m, double v, double *z, double *noise) {
    double exposure;
    TVGP__TRY(read_record(ctx, "binomial", o, i, &exposure));
    if (o->y > exposure)
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "obs[%zu].y = %g must be at most the exposure %g with outcome.type = binomial", i, o->y,
                               exposure);
    const tvgp__outcome_site of = site_binomial(o->y, exposure, m, v, m);
    *z = of.z;
    *noise = of.noise;
    return TVGP_OK;
}

/* ---- the rate ----------------------------------------------------------------------------------------------------- */

static double logit(double u) {
    return u > 0 && u < 1 ? log(u / (1 - u)) : -INFINITY;
}

/* Derivatives by v are half of the second derivatives by m (heat equation). */
static void rate_moments(double m, double v, tvgp__outcome_moments *out) {
    double square = 0;
    *out = (tvgp__outcome_moments){0};
    for (int i = 0; i < 2 * HALF; i++) {
        const double p = logistic(m + (i % 2 ? -1 : 1) * sqrt(2 * v) * nodes[i / 2][0]), w = nodes[i / 2][1];
        const double first = p * (1 - p), second = first * (1 - 2 * p);
        out->mean += w * p;
        square += w * p * p;
        out->mean_by[0] += w * first;
        out->mean_by[1] += w * second / 2;
        out->var_by[0] += w * 2 * p * first;
        out->var_by[1] += w * (first * first + p * second);
    }
    out->var = fmax(square - out->mean * out->mean, 0);
    for (int k = 0; k < 2; k++)
        out->var_by[k] -= 2 * out->mean * out->mean_by[k];
}

const tvgp__outcome_ops tvgp__count_poisson = {.name = "poisson",
                                               .takes = TVGP_OBS_HAS_EXPOSURE,
                                               .counts = &poisson_counts,
                                               .link = tvgp__outcome_log,
                                               .inverse = tvgp__outcome_exp,
                                               .slope = tvgp__outcome_exp,
                                               .moments = tvgp__outcome_log_moments,
                                               .match = match_poisson};
const tvgp__outcome_ops tvgp__count_binomial = {.name = "binomial",
                                                .takes = TVGP_OBS_HAS_EXPOSURE,
                                                .counts = &binomial_counts,
                                                .link = logit,
                                                .inverse = logistic,
                                                .slope = logistic_slope,
                                                .moments = rate_moments,
                                                .match = match_binomial};
