/* SPDX-License-Identifier: MIT */
/* Creates the first method of a table that meets a specification (model/posterior_make.h). */
#include "model/posterior_make.h"

#include "base/error.h"
#include "model/aging_noise.h"
#include "model/arm_columns.h"
#include "model/arm_covariance.h"
#include "model/exact.h"
#include "model/nystrom.h"
#include "model/refit.h"

#include <stdio.h>

typedef tvgp__posterior_spec spec;
enum { LEARNED_ARMS = 256 }; /* arms that growing noise remembers at most if the model is learned: slow growth drops none */

/* ---- needs ------------------------------------------------------------------------------------------------------ */

/* A need is a bit, and has a name for messages. */
#define NEEDS(NEED)                                                                                                         \
    NEED(ARMS, "arms")                                                                                                      \
    NEED(BOX, "a box")                                                                                                      \
    NEED(DRIFT, "a drift model")                                                                                            \
    NEED(SMOOTH, "a smooth drift model")                                                                                    \
    NEED(AGE, "aging noise")                                                                                                \
    NEED(WINDOW, "a window")                                                                                                \
    NEED(MIXTURE, "several drift models or kernels")                                                                        \
    NEED(REPLACED, "observations replaced as a whole")                                                                      \
    NEED(SKETCHED, "a dictionary")                                                                                          \
    NEED(SEASON, "a season")                                                                                                \
    NEED(SHARED, "shared arms")                                                                                             \
    NEED(FIXED, "a fixed mixture")
#define NUMBER(need, name) need##_NUMBER,
#define BIT(need, name)    need = 1 << need##_NUMBER,
#define NAME(need, name)   [need##_NUMBER] = name,
enum { NEEDS(NUMBER) };
enum { NEEDS(BIT) };
static const char *const names[] = {NEEDS(NAME)};

static unsigned needs(const spec *s) {
    static const unsigned drifts[] = {[TVGP__DRIFT_STATIC] = 0,
                                      [TVGP__DRIFT_FORGETTING] = DRIFT,
                                      [TVGP__DRIFT_WIENER] = DRIFT,
                                      [TVGP__DRIFT_MATERN32] = SMOOTH};
    _Static_assert(sizeof drifts / sizeof *drifts == TVGP__DRIFT_KINDS, "every kind of drift model has its need");
    return (s->domain->n ? ARMS : BOX) | drifts[s->drift.kind] | (s->age.growth ? AGE : 0) | (s->window ? WINDOW : 0) |
           (s->several ? MIXTURE : 0) | (s->replaced ? REPLACED : 0) | (s->sketched ? SKETCHED : 0) |
           (s->season.n_periods ? SEASON : 0) | (s->domain->shared ? SHARED : 0) | (s->mixed ? FIXED : 0);
}

/* ---- methods ---------------------------------------------------------------------------------------------------- */

enum { FEW = 128 };

static tvgp_status mixture(const spec *s, tvgp__posterior **out);

/* Few arms have a covariance matrix; more of them, and a Wiener process, features. */
static tvgp_status one_drift(const spec *s, tvgp__posterior **out) {
    if (s->drift.kind == TVGP__DRIFT_STATIC || s->drift.rate == 0)
        return tvgp__arm_columns_new(s->ctx, s->kernel, 0, s->domain->n, s->domain->X, out);
    if (!s->domain->shared && s->drift.kind == TVGP__DRIFT_FORGETTING && s->domain->n <= FEW)
        return tvgp__arm_covariance_new(s->ctx, s->kernel, &s->drift, s->noise, s->late, s->domain->n, s->domain->X, out);
    return mixture(s, out);
}

static tvgp_status window(const spec *s, tvgp__posterior **out) {
    return tvgp__arm_columns_new(s->ctx, s->kernel, s->window, s->domain->n, s->domain->X, out);
}

static tvgp_status aged(const spec *s, tvgp__posterior **out) {
    const size_t arms = s->learned ? LEARNED_ARMS : 0;
    return tvgp__aging_noise_new(s->ctx, s->kernel, &s->age, arms, s->domain->n, s->domain->X, out);
}

static tvgp__kalman_mixture_spec single(const spec *s) {
    static const double *const no_mean = NULL;
    return (tvgp__kalman_mixture_spec){.n_drifts = 1,
                                       .n_priors = 1,
                                       .drifts = &s->drift,
                                       .seasonal = s->season.n_periods > 0,
                                       .season = s->season,
                                       .kernels = &s->kernel,
                                       .means = &no_mean};
}

static tvgp_status mixture(const spec *s, tvgp__posterior **out) {
    tvgp__kalman_mixture_spec own = s->several ? *s->several : single(s);
    own.domain = s->domain;
    own.rule = !s->several && (s->domain->n ? s->domain->total : 0) <= FEW ? (tvgp__basis_rule){0} : s->rank;
    if (!s->several && !s->season.n_periods &&
        (s->drift.kind == TVGP__DRIFT_FORGETTING || s->drift.kind == TVGP__DRIFT_WIENER))
        own.late = s->late;
    own.alone = !s->several;
    return tvgp__kalman_mixture_new(s->ctx, &own, s->noise, s->domain->n, s->domain->X, out);
}

static tvgp_status mixed(const spec *s, tvgp__posterior **out) {
    return tvgp__arm_mixture_new(s->ctx, s->mixed, s->domain->n, s->domain->X, out);
}

static tvgp_status refit(const spec *s, tvgp__posterior **out) {
    return tvgp__refit_new(s->ctx, s->kernel, s->domain->n, s->domain->X, out);
}

static tvgp_status nystrom(const spec *s, tvgp__posterior **out) {
    const tvgp_domain *domain = s->domain;
    tvgp__nystrom *d = NULL;
    TVGP__TRY(tvgp__nystrom_new(s->ctx, s->kernel, domain->n > 0, domain->n ? domain->n : domain->n_scale,
                                domain->n ? domain->X : domain->scale, &d));
    *out = &d->base;
    return TVGP_OK;
}

static tvgp_status exact(const spec *s, tvgp__posterior **out) {
    const tvgp__exact_spec own = {.drift = s->drift,
                                  .age = s->age.growth ? &s->age : NULL,
                                  .limit = s->window ? s->window : s->rows,
                                  .compared = s->compared,
                                  .window = s->window > 0};
    return tvgp__exact_new(s->ctx, s->kernel, &own, s->domain->n_scale, s->domain->scale, out);
}

static tvgp_status mixture_on_box(const spec *s, tvgp__posterior **out) {
    tvgp__kalman_mixture_spec own = *s->several;
    if (own.n_priors > 1 || own.means[0])
        return tvgp__error_set(s->ctx, TVGP_ERR_UNSUPPORTED,
                               "policy '%s' takes one kernel on a box, without a mean of its own: %zu priors were added",
                               s->policy, own.n_priors);
    own.no_arms = 1;
    own.rule = s->rank;
    own.rows = s->rows;
    own.late = s->several->late;
    return tvgp__kalman_mixture_new(s->ctx, &own, s->noise, s->domain->n_scale, s->domain->scale, out);
}

enum { MOST_LATE = 256 }; /* observations kept for late answers beside weights: more are as well rows */

/* Whether a single drift model on a box may be in the weights of the points visited. In more dimensions every point is
 * far from all others. */
static int lives_in_weights(const spec *s) {
    const int few = s->rank.tolerance > 0 && s->kernel->dim <= 3, whole = !s->window && !s->compared;
    return few && whole && s->drift.kind != TVGP__DRIFT_WIENER &&
           (s->drift.kind == TVGP__DRIFT_STATIC || s->late <= MOST_LATE);
}

/* A learned kernel may be so rough that every point is far from all others. The search of an ask costs some 2000 flops
 * for each pair of points, whereas features of arms cost their number: hence three quarters as many points as features.
 */
static tvgp_status weights_on_box(const spec *s, tvgp__posterior **out) {
    tvgp__kalman_mixture_spec one = single(s);
    one.late = s->drift.kind == TVGP__DRIFT_STATIC ? 0 : s->late;
    const size_t points = s->rank.limit - s->rank.limit / 4;
    spec with_mixture = *s;
    with_mixture.several = &one;
    if (s->learned && s->rank.limit && (!s->rows || s->rows > points))
        with_mixture.rows = with_mixture.rank.limit = points;
    return mixture_on_box(&with_mixture, out);
}

static tvgp_status one_drift_on_box(const spec *s, tvgp__posterior **out) {
    return lives_in_weights(s) ? weights_on_box(s, out) : exact(s, out);
}

static const struct method {
    unsigned can; /* the first that can do all that is needed is taken */
    tvgp_status (*make)(const spec *, tvgp__posterior **out);
} methods[] = {
    {ARMS | DRIFT | SHARED, one_drift},
    {ARMS | WINDOW | SHARED, window},
    {ARMS | AGE | SHARED, aged},
    {ARMS | DRIFT | SMOOTH | MIXTURE | SHARED, mixture},
    {ARMS | DRIFT | SEASON, mixture},
    {ARMS | MIXTURE | SEASON, mixture},
    {ARMS | FIXED, mixed},
    {ARMS | REPLACED, refit},
    {BOX | DRIFT | SMOOTH | WINDOW, one_drift_on_box},
    {BOX | AGE | WINDOW, exact},
    {BOX | REPLACED, exact},
    {BOX | DRIFT | SMOOTH | MIXTURE, mixture_on_box},
    {ARMS | BOX | SKETCHED, nystrom},
};

static tvgp_status refuse(const spec *s, unsigned needed) {
    char list[256];
    size_t at = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (needed & 1u << i)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", names[i]);
    return tvgp__error_set(s->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' needs a posterior with %s: there is none", s->policy,
                           list);
}

tvgp_status tvgp__posterior_make(const spec *s, tvgp__posterior **out) {
    const unsigned needed = needs(s);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!(needed & ~methods[i].can))
            return methods[i].make(s, out);
    return refuse(s, needed);
}
