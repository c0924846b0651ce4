/* SPDX-License-Identifier: MIT */
/* Types of outcomes (option outcome.type): the link between an outcome in the user's unit and the Gaussian process
 * (space/outcome/outcome.h). */
#include "space/outcome/outcome.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

double tvgp__outcome_log(double u) {
    return u > 0 ? log(u) : -INFINITY;
}

double tvgp__outcome_exp(double z) {
    return tvgp__valid_range_cap(exp(z));
}

/* The variance stays in the range, also where little is known. */
void tvgp__outcome_log_moments(double m, double v, tvgp__outcome_moments *out) {
    const double mean = tvgp__outcome_exp(m + v / 2), square = tvgp__valid_range_cap(exp(2 * m + v));
    const double var = tvgp__valid_range_cap(expm1(v) * square);
    *out = (tvgp__outcome_moments){.mean = mean,
                                   .var = var,
                                   .mean_by = {mean, mean / 2},
                                   .var_by = {2 * var, tvgp__valid_range_cap(exp(v) * square + var)}};
}

/* A member of a record that has a logarithm. */
static tvgp_status check_positive(tvgp_ctx *ctx, const char *member, size_t i, double value, const char *type) {
    if (value > 0)
        return TVGP_OK;
    return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].%s = %g must be > 0 with outcome.type = %s", i, member, value, type);
}

static double noise_of(const tvgp_obs *o) {
    if (!(o->flags & TVGP_OBS_HAS_NOISE))
        return NAN;
    const double noise = log1p(o->noise_var / o->y / o->y);
    return noise > 0 && noise < TVGP__VALID_RANGE_LEAST ? 0 : fmin(noise, TVGP__VALID_RANGE_MOST);
}

static tvgp_status match_lognormal(tvgp_ctx *ctx, const tvgp_obs *o, size_t i, double m, double v, double *z,
                                   double *noise) {
    (void)m, (void)v;
    TVGP__TRY(check_positive(ctx, "y", i, o->y, "lognormal"));
    *z = log(o->y);
    *noise = noise_of(o);
    return TVGP_OK;
}

static tvgp_status match_ratio(tvgp_ctx *ctx, const tvgp_obs *o, size_t i, double m, double v, double *z, double *noise) {
    (void)m, (void)v;
    TVGP__TRY(check_positive(ctx, "y", i, o->y, "ratio"));
    TVGP__TRY(tvgp__valid_range_entry(ctx, "obs[%zu].reference", i, 0, o->reference));
    TVGP__TRY(check_positive(ctx, "reference", i, o->reference, "ratio"));
    *z = log(o->y) - log(o->reference);
    *noise = noise_of(o);
    return TVGP_OK;
}

const tvgp__outcome_ops tvgp__outcome_lognormal = {.name = "lognormal",
                                                   .takes = TVGP_OBS_HAS_NOISE,
                                                   .link = tvgp__outcome_log,
                                                   .inverse = tvgp__outcome_exp,
                                                   .slope = tvgp__outcome_exp,
                                                   .moments = tvgp__outcome_log_moments,
                                                   .match = match_lognormal};
const tvgp__outcome_ops tvgp__outcome_ratio = {.name = "ratio",
                                               .takes = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_REFERENCE,
                                               .needs = TVGP_OBS_HAS_REFERENCE,
                                               .doubted = 1,
                                               .link = tvgp__outcome_log,
                                               .inverse = tvgp__outcome_exp,
                                               .slope = tvgp__outcome_exp,
                                               .moments = tvgp__outcome_log_moments,
                                               .match = match_ratio};

/* Members of a record with a flag each; `what` NULL: every type reads it. */
static const struct {
    size_t at;
    uint32_t flag;
    const char *name, *flag_name, *what, *types;
} members[] = {{offsetof(tvgp_obs, t), TVGP_OBS_HAS_TIME, "t", "TVGP_OBS_HAS_TIME (2)", NULL, NULL},
               {offsetof(tvgp_obs, noise_var), TVGP_OBS_HAS_NOISE, "noise_var", "TVGP_OBS_HAS_NOISE (1)",
                "a noise variance (1)", "normal, lognormal or ratio"},
               {offsetof(tvgp_obs, exposure), TVGP_OBS_HAS_EXPOSURE, "exposure", "TVGP_OBS_HAS_EXPOSURE (4)",
                "an exposure (4)", "poisson or binomial"},
               {offsetof(tvgp_obs, reference), TVGP_OBS_HAS_REFERENCE, "reference", "TVGP_OBS_HAS_REFERENCE (8)",
                "a reference (8)", "ratio"}};
enum { MEMBERS = sizeof members / sizeof *members };

static double member_of(const tvgp_obs *o, size_t k) {
    double value;
    memcpy(&value, (const char *)o + members[k].at, sizeof value);
    return value;
}

/* A bound of one side, on a value, which a part is not. */
static tvgp_status check_censored(tvgp_ctx *ctx, const tvgp__outcome_ops *ops, const tvgp_obs *o, size_t i) {
    const uint32_t sides = o->flags & TVGP__OUTCOME_CENSORED;
    if (!sides)
        return TVGP_OK;
    if (ops && ops->counts)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].flags = %" PRIu32 " must not be censored with outcome.type = %s",
                               i, o->flags, ops->name);
    if (sides == TVGP__OUTCOME_CENSORED || o->outcome != TVGP_VALUE || o->flags & TVGP_OBS_PARTIAL)
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "obs[%zu].flags = %" PRIu32
                               " must censor a value that is not partial, on one side (right 32, left 64)",
                               i, o->flags);
    return TVGP_OK;
}

/* A member without its flag would be ignored. */
static tvgp_status refuse_unflagged(tvgp_ctx *ctx, const tvgp_obs *o, size_t i) {
    for (size_t k = 0; k < MEMBERS; k++)
        if (!(o->flags & members[k].flag) && member_of(o, k) != 0)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].%s = %g must be 0 without the flag %s", i, members[k].name,
                                   member_of(o, k), members[k].flag_name);
    for (size_t k = 0; k < sizeof o->reserved / sizeof *o->reserved; k++)
        if (o->reserved[k] != 0)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].reserved[%zu] = %" PRId32 " must be 0", i, k,
                                   o->reserved[k]);
    return TVGP_OK;
}

tvgp_status tvgp__outcome_check(tvgp_ctx *ctx, const tvgp__outcome_ops *ops, const tvgp_obs *o, size_t i) {
    const uint32_t takes = TVGP_OBS_HAS_TIME | TVGP_OBS_PARTIAL | TVGP__OUTCOME_CENSORED |
                           (ops ? ops->takes : TVGP_OBS_HAS_NOISE),
                   needs = ops ? ops->needs : 0;
    for (size_t k = 0; k < MEMBERS; k++)
        if (o->flags & members[k].flag & ~takes)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "obs[%zu].flags = %" PRIu32 " has %s, and outcome.type is %s, not %s",
                                   i, o->flags, members[k].what, ops ? ops->name : "normal", members[k].types);
    if (o->flags & ~(takes | TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_EXPOSURE | TVGP_OBS_HAS_REFERENCE))
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "obs[%zu].flags = %" PRIu32
                               " has bits beyond 127 (noise 1, time 2, exposure 4, reference 8, partial "
                               "16, right-censored 32, left-censored 64)",
                               i, o->flags);
    TVGP__TRY(refuse_unflagged(ctx, o, i));
    TVGP__TRY(check_censored(ctx, ops, o, i));
    if (needs & ~o->flags && o->outcome == TVGP_VALUE)
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "obs[%zu] has no reference: with outcome.type = ratio set reference and the flag "
                               "TVGP_OBS_HAS_REFERENCE (8)",
                               i);
    return TVGP_OK;
}

tvgp_status tvgp__outcome_link_all(tvgp_ctx *ctx, const tvgp__outcome_ops *ops, const char *what, size_t n, double *u) {
    for (size_t i = 0; ops && i < n; i++) {
        const double z = ops->link(u[i]);
        if (!isfinite(z))
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s[%zu] = %g is no outcome with outcome.type = %s", what, i, u[i],
                                   ops->name);
        u[i] = z;
    }
    return TVGP_OK;
}

void tvgp__outcome_show(const tvgp__outcome_ops *ops, size_t n, double *mean, double *var) {
    for (size_t i = 0; ops && i < n; i++) {
        tvgp__outcome_moments moments;
        ops->moments(mean[i], fmax(var[i], 0), &moments);
        mean[i] = moments.mean;
        var[i] = moments.var;
    }
}
