/* SPDX-License-Identifier: MIT */
/* Functions for readers of a posterior (model/posterior/posterior.h), with the defaults of optional operations, and the steps that
 * methods share: conditioning, transitions, the prior (model/posterior/posterior_ops.h). */
#include "model/posterior/posterior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol.h"
#include "space/domain/domain_ops.h"

#include <math.h>
#include <string.h>

enum { MOMENTS = 3 }; /* of one arm: mean, variance, prior variance */
/* ---- what a method may leave out -------------------------------------------------------------------------------- */

static void nothing(tvgp__posterior *p) {
    (void)p;
}

static void no_refine(tvgp__posterior *p, size_t n, const size_t *arm) {
    (void)p, (void)n, (void)arm;
}

static tvgp_status reach_rows(tvgp__posterior *p, const tvgp__points *points) {
    return p->rows.ctx ? tvgp__kernel_rows_replace(&p->rows, TVGP__KERNEL_ROWS_PENDING, points->n, points->arm) : TVGP_OK;
}

static void no_unit(tvgp__posterior *p, double unit) {
    (void)p, (void)unit;
}

static tvgp_status no_extend(const tvgp__posterior *p, size_t n, const double *X, tvgp__posterior **out) {
    (void)n, (void)X, (void)out;
    return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the posterior keeps the arms it has");
}

static void no_visit(tvgp__posterior *p, tvgp__visit *v) {
    tvgp__visit_try(v, tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the posterior cannot be saved"));
}

static tvgp_status no_prune(tvgp__posterior *p, double tolerance, double noise) {
    (void)p, (void)tolerance, (void)noise;
    return TVGP_OK;
}

/* Under a drift model, earlier observations are ignored if together they explain less than this share of any variance at
 * `now`. */
static const double FADED = 0.01;

static int faded(const tvgp__posterior *p, double noise, double t, double now) {
    const double c = tvgp__posterior_correlation(p, t, now);
    (void)noise;
    return c >= 0 && c * c < FADED;
}

static const tvgp__posterior_anywhere on_arms = {.prune = no_prune, .faded = faded};
static const tvgp__posterior_ops defaults = {.refine = no_refine,
                                             .reach = reach_rows,
                                             .set_unit = no_unit,
                                             .rescale = no_unit,
                                             .extend = no_extend,
                                             .visit = no_visit,
                                             .release = nothing,
                                             .anywhere = &on_arms};

#define OP(p, name) ((p)->ops->name ? (p)->ops->name : defaults.name)

/* A predictive may lie in what finishing or another predictive writes to. It stays, without a predictive, for the next time. */
typedef struct tvgp__posterior_frozen {
    int open;
    double t, *work, *condensed;
    size_t slots, condensed_slots;
    tvgp__predictive predictive;
} frozen;

static tvgp_status condense(tvgp_ctx *ctx, frozen *h) {
    const size_t size = tvgp__predictive_condensed(&h->predictive);
    TVGP__TRY(tvgp__memory_reserve(ctx, size, sizeof *h->condensed, &h->condensed, &h->condensed_slots));
    if (size)
        tvgp__predictive_condense(&h->predictive, h->condensed);
    return TVGP_OK;
}

tvgp_status tvgp__posterior_freeze(tvgp__posterior *p, double t) {
    tvgp__posterior_thaw(p);
    TVGP__TRY(tvgp__memory_room(p->ctx, 1, sizeof *p->own.frozen, &p->own.frozen));
    frozen *h = p->own.frozen;
    TVGP__TRY(tvgp__posterior_predictive(p, t, &h->predictive));
    h->t = t;
    h->open = 1;
    const tvgp_status status = condense(p->ctx, h);
    if (status < 0)
        tvgp__posterior_thaw(p);
    return status;
}

void tvgp__posterior_thaw(tvgp__posterior *p) {
    if (!p->own.frozen || !p->own.frozen->open)
        return;
    tvgp__predictive_free(&p->own.frozen->predictive);
    p->own.frozen->open = 0;
}

static void free_frozen(tvgp__posterior *p) {
    tvgp__posterior_thaw(p);
    if (!p->own.frozen)
        return;
    tvgp__memory_free(p->ctx, p->own.frozen->work);
    tvgp__memory_free(p->ctx, p->own.frozen->condensed);
    tvgp__memory_free(p->ctx, p->own.frozen);
}

void tvgp__posterior_finish(tvgp__posterior *p) {
    if (p->own.frozen)
        tvgp__posterior_thaw(p);
    if (p->ops->finish)
        p->ops->finish(p);
}

void tvgp__posterior_attend(tvgp__posterior *p, int64_t context) {
    if (p->contexts < 2)
        return;
    p->own.stale |= p->attended >= 0 && p->attended != context;
    p->attended = (int32_t)context;
}

void tvgp__posterior_refine(tvgp__posterior *p, size_t n, const size_t *arm) {
    OP(p, refine)(p, n, arm);
}

/* For a reader of the posterior of a learner. */
static void show(tvgp__posterior *p, size_t n, const size_t *arm) {
    for (size_t k = 0; k < n; k++) {
        const size_t i = arm ? arm[k] : k;
        p->shown[i] = p->shift + p->own.mean[i];
        p->shown[p->n + i] = p->factor * p->own.var[i];
    }
}

static void show_these(const tvgp__posterior *p, size_t n, double *mean, double *var) {
    for (size_t i = 0; i < n; i++) {
        mean[i] += p->shift;
        var[i] *= p->factor;
    }
}

tvgp__slack tvgp__posterior_slack(const tvgp__posterior *p) {
    tvgp__slack slack = p->own.off;
    if (!p->shown)
        return slack;
    slack.mean += slack.mean > 0 ? 0x1p-50 * fabs(p->shift) : 0; /* roundings of `show` */
    slack.var *= p->factor;
    slack.column *= p->factor;
    return slack;
}

void tvgp__posterior_bounds(tvgp__posterior *p, const double **mean, const double **var, tvgp__slack *slack) {
    if (p->own.frozen || p->ops->finish)
        tvgp__posterior_finish(p);
    if (p->shown)
        show(p, p->n, NULL);
    if (mean)
        *mean = p->shown ? p->shown : p->own.mean;
    if (var)
        *var = p->shown ? p->shown + p->n : p->own.var;
    if (slack)
        *slack = p->shown ? tvgp__posterior_slack(p) : p->own.off;
}

void tvgp__posterior_exact(tvgp__posterior *p, size_t n, const size_t *arm, double *mean, double *var) {
    const double *means = p->shown ? p->shown : p->own.mean, *vars = p->shown ? p->shown + p->n : p->own.var;
    tvgp__posterior_refine(p, n, arm);
    if (p->shown)
        show(p, n, arm);
    for (size_t i = 0; mean && i < n; i++)
        mean[i] = means[arm ? arm[i] : i];
    for (size_t i = 0; var && i < n; i++)
        var[i] = vars[arm ? arm[i] : i];
}

void tvgp__posterior_arm(tvgp__posterior *p, size_t arm, double *mean, double *var) {
    tvgp__posterior_moments(p, arm, mean, var);
    if (p->shown)
        show_these(p, 1, mean, var);
}

void tvgp__posterior_at(tvgp__posterior *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    p->ops->at(p, t, n, arm, mean, var);
    if (p->shown)
        show_these(p, n, mean, var);
}

tvgp_status tvgp__posterior_predictive(tvgp__posterior *p, double t, tvgp__predictive *out) {
    TVGP__TRY(p->ops->predictive(p, t, out));
    if (p->shown) {
        out->shift += p->shift;
        out->spread *= p->factor;
    }
    return TVGP_OK;
}

void tvgp__posterior_column(tvgp__posterior *p, size_t arm, double *out) {
    p->ops->column(p, arm, out);
    for (size_t i = 0; p->shown && i < p->n; i++)
        out[i] *= p->factor;
}

void tvgp__posterior_count_late(tvgp__posterior *p) {
    enum { MANY = 10 };
    if (++p->counts.widened == MANY)
        tvgp__context_log(p->ctx,
                          "%d outcomes approximated: each came after later ones; report a log in one call or in the order "
                          "of its times",
                          MANY);
}

int tvgp__posterior_waits(const tvgp__posterior *p) {
    return p->own.deferred;
}

tvgp_status tvgp__posterior_reach(tvgp__posterior *p, const tvgp__points *points) {
    return OP(p, reach)(p, points);
}

void tvgp__posterior_set_unit(tvgp__posterior *p, double unit) {
    OP(p, set_unit)(p, unit);
}

void tvgp__posterior_rescale(tvgp__posterior *p, double factor) {
    OP(p, rescale)(p, factor);
}

double tvgp__posterior_correlation(const tvgp__posterior *p, double from, double to) {
    return p->ops->correlation ? p->ops->correlation(p, from, to) : -1;
}

tvgp_status tvgp__posterior_covariance(tvgp__posterior *p, double t, size_t m, const size_t *arm, double *out) {
    tvgp__predictive predictive = {.ctx = p->ctx};
    tvgp__posterior_finish(p);
    if (p->ops->covariance && !p->shown)
        return p->ops->covariance(p, t, m, arm, out);
    TVGP__TRY(tvgp__posterior_predictive(p, t, &predictive));
    const tvgp_status status = tvgp__predictive_covariance(&predictive, p->n, p->X, m, arm, out);
    tvgp__predictive_free(&predictive);
    return status;
}

tvgp_status tvgp__posterior_extend(const tvgp__posterior *p, size_t n, const double *X, tvgp__posterior **out) {
    return OP(p, extend)(p, n, X, out);
}

double tvgp__posterior_square(tvgp__posterior *p) {
    tvgp__posterior_finish(p);
    return p->square;
}

int tvgp__posterior_faded(const tvgp__posterior *p, double noise, double t, double now) {
    const tvgp__posterior_anywhere *anywhere = OP(p, anywhere);
    return (anywhere->faded ? anywhere->faded : faded)(p, noise, t, now);
}

tvgp_status tvgp__posterior_prune(tvgp__posterior *p, double tolerance, double noise) {
    const tvgp__posterior_anywhere *anywhere = OP(p, anywhere);
    return (anywhere->prune ? anywhere->prune : no_prune)(p, tolerance, noise);
}

void tvgp__posterior_prune_quietly(tvgp__posterior *p, double tolerance, double noise) {
    tvgp__error_forget(p->ctx, tvgp__posterior_prune(p, tolerance, noise));
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static double largest(size_t n, const double *prior) {
    double most = TVGP__VALID_RANGE_LEAST; /* products may be smaller */
    for (size_t i = 0; i < n; i++)
        most = fmax(most, prior[i]);
    return most;
}

tvgp_status tvgp__posterior_new(tvgp_ctx *ctx, const tvgp__posterior_ops *ops, const tvgp_kernel *kernel, size_t n,
                                const double *X, size_t size, void *out) {
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "arms", n, X));
    tvgp__posterior *p = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, size, &p));
    p->ops = ops;
    p->ctx = ctx;
    p->kernel = tvgp__kernel_retain(kernel);
    p->X = X;
    p->n = n;
    tvgp__kernel_rows_init(&p->rows, ctx, p->kernel, n, X);
    p->now = -INFINITY;
    p->unit = 1;
    p->attended = -1;
    p->learned.noise = p->learned.scale = NAN;
    tvgp_status status = tvgp__memory_alloc(ctx, 3 * n, sizeof *p->own.mean, &p->own.mean);
    if (status == TVGP_OK)
        status = tvgp__kernel_diag(kernel, n, X, p->own.mean + 2 * n);
    if (status < 0) {
        tvgp__posterior_free(p);
        return status;
    }
    p->own.var = p->own.mean + n;
    p->prior = p->own.mean + 2 * n;
    p->largest = p->most = largest(n, p->prior);
    memcpy(out, &p, sizeof p);
    return TVGP_OK;
}

void tvgp__posterior_free(tvgp__posterior *p) {
    if (!p)
        return;
    free_frozen(p);
    OP(p, release)(p);
    tvgp_ctx *ctx = p->ctx;
    if (p->rows.ctx)
        tvgp__kernel_rows_free(&p->rows);
    tvgp__kernel_release(p->kernel);
    tvgp__memory_free(ctx, p->own.mean);
    tvgp__memory_free(ctx, p);
}

void tvgp__posterior_visit(tvgp__posterior *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    if (p->own.stale && !tvgp__visit_loads(v))
        tvgp__posterior_finish(p);
    if (p->own.off.together && !tvgp__visit_loads(v))
        tvgp__posterior_refine(p, p->n, NULL);
    p->own.off.together = tvgp__visit_loads(v) ? 0 : p->own.off.together;
    p->own.stale = 0;
    p->own.moments.valid = 0;
    if (p->n) {
        tvgp__visit_arms(v, p->n, p->own.mean, -most, most);
        tvgp__visit_arms(v, p->n, p->own.var, -most, most);
    }
    tvgp__visit_real(v, &p->own.off.mean, 0, most);
    tvgp__visit_real(v, &p->own.off.var, 0, most);
    tvgp__visit_real(v, &p->largest, TVGP__VALID_RANGE_LEAST, most);
    tvgp__visit_real(v, &p->unit, 0, most);
    tvgp__visit_real(v, &p->now, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->log_marginal_likelihood, -most, most);
    tvgp__visit_real(v, &p->log_det_ratio, -most, most);
    tvgp__visit_tally_size(v, &p->counts.observations);
    tvgp__visit_real(v, &p->counts.effective, 0, most);
    tvgp__visit_tally_size(v, &p->counts.jitter);
    tvgp__visit_tally_size(v, &p->counts.widened);
    tvgp__visit_tally_size(v, &p->counts.rank);
    tvgp__visit_tally_size(v, &p->counts.logged);
    OP(p, visit)(p, v);
}

void tvgp__posterior_inherit(tvgp__posterior *p, const tvgp__posterior *from) {
    memcpy(p->own.mean, from->own.mean, from->n * sizeof *p->own.mean);
    memcpy(p->own.var, from->own.var, from->n * sizeof *p->own.var);
    p->own.off.mean = from->own.off.mean;
    p->own.off.var = from->own.off.var;
    p->largest = largest(p->n, p->prior) * (from->largest / largest(from->n, from->prior)); /* by kappa of now */
    p->unit = from->unit;
    p->now = from->now;
    p->log_marginal_likelihood = from->log_marginal_likelihood;
    p->log_det_ratio = from->log_det_ratio;
    p->counts = from->counts;
}

static tvgp_status frozen_values(frozen *f, size_t n, const double *X, const tvgp__predictive_values *out) {
    TVGP__TRY(tvgp__memory_reserve(f->predictive.ctx, tvgp__predictive_work(&f->predictive, n), sizeof *f->work, &f->work,
                                   &f->slots));
    if (f->predictive.condensed.M && n > 1 && !out->dmean && !out->dvar && out->mean && out->var)
        return tvgp__predictive_moments(&f->predictive, n, X, f->work, out->mean, out->var);
    return tvgp__predictive_evaluate(&f->predictive, n, X, f->work, out);
}

tvgp_status tvgp__posterior_values(tvgp__posterior *p, double t, size_t n, const double *X,
                                   const tvgp__predictive_values *out) {
    tvgp__predictive predictive;
    if (p->own.frozen && p->own.frozen->open && p->own.frozen->t == t)
        return frozen_values(p->own.frozen, n, X, out);
    tvgp__posterior_thaw(p);
    TVGP__TRY(tvgp__posterior_predictive(p, t, &predictive));
    tvgp_status status = tvgp__predictive_predict(&predictive, n, X, out);
    tvgp__predictive_free(&predictive);
    return tvgp__shard_agree(p->shard, status);
}

tvgp_status tvgp__posterior_predict(tvgp__posterior *p, double t, size_t n, const double *X, double *mean, double *var) {
    return tvgp__posterior_values(p, t, n, X, &(tvgp__predictive_values){.mean = mean, .var = var});
}

void tvgp__posterior_observe(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double y, double noise,
                             int assumed) {
    p->assumes = assumed;
    p->ops->observe(p, points, i, &(tvgp__posterior_outcome){.t = t, .y = y, .noise = noise});
    p->assumes = 0;
}

void tvgp__posterior_observe_count(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double count,
                                   double exposure, double prior_mean) {
    p->ops->observe(p, points, i,
                    &(tvgp__posterior_outcome){.t = t, .y = count, .exposure = exposure, .prior_mean = prior_mean});
}

tvgp_status tvgp__posterior_share(tvgp__posterior *p, const tvgp_domain *domain, const char *policy) {
    if (!p->ops->share)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' with these options does not play on shared arms",
                               policy);
    p->shard = domain->shard;
    tvgp__kernel_rows_share(&p->rows, p->shard);
    TVGP__TRY(tvgp__posterior_agree(p, p->ops->share(p)));
    tvgp__shard_max(p->shard, &p->most, 1);
    p->largest = p->most;
    return tvgp__shard_heard(p->shard);
}

tvgp_status tvgp__posterior_agree(const tvgp__posterior *p, tvgp_status own) {
    return tvgp__shard_agree(p->shard, own);
}

void tvgp__posterior_entries(const tvgp__posterior *p, size_t arm, size_t k, const double *V, double *out) {
    tvgp__shard_row(p->shard, arm, k, V, p->n, out);
}

tvgp_status tvgp__posterior_offer_room(tvgp__posterior *p) {
    return tvgp__shard_ride_room(p->shard, MOMENTS);
}

void tvgp__posterior_offer(tvgp__posterior *p, size_t arm) {
    p->own.offered = arm < SIZE_MAX ? tvgp__shard_ride(p->shard, MOMENTS) : NULL;
    if (p->own.offered && tvgp__shard_owns(p->shard, arm))
        tvgp__posterior_here(p, tvgp__shard_local(p->shard, arm), p->own.offered);
}

void tvgp__posterior_given(tvgp__posterior *p, size_t arm) {
    if (p->own.offered)
        tvgp__posterior_know(p, arm, p->own.offered);
}

tvgp_status tvgp__posterior_ready(tvgp__posterior *p, const tvgp__points *points) {
    return tvgp__shard_agree(p->shard, p->ops->prepare(p, points));
}

tvgp__points tvgp__posterior_points(const tvgp__observations *kept, size_t first, size_t n, size_t *arm) {
    tvgp__points points = {.n = n, .arm = arm};
    for (size_t i = 0; i < n; i++)
        arm[i] = kept->list[first + i].arm;
    if (kept->dim)
        points.X = kept->X + first * kept->dim;
    return points;
}

tvgp_status tvgp__posterior_replay(tvgp__posterior *p, const tvgp__observations *kept, size_t first, size_t n,
                                   tvgp__posterior_each *each, void *user) {
    size_t arm[TVGP__POSTERIOR_BLOCK];
    for (const size_t end = first + n; first < end; first += n) {
        const tvgp__observation *o = kept->list + first;
        n = end - first < TVGP__POSTERIOR_BLOCK ? end - first : TVGP__POSTERIOR_BLOCK;
        tvgp__points points = tvgp__posterior_points(kept, first, n, arm);
        points.in_order = o->t >= p->now;
        for (size_t i = 1; i < n; i++)
            points.in_order &= o[i].t >= o[i - 1].t;
        TVGP__TRY(tvgp__posterior_ready(p, &points));
        for (size_t i = 0; i < n; i++)
            each(user, p, &points, i, &o[i]);
    }
    return TVGP_OK;
}

void tvgp__posterior_here(const tvgp__posterior *p, size_t index, double moments[3]) {
    moments[0] = p->own.mean[index];
    moments[1] = p->own.var[index];
    moments[2] = p->prior[index];
}

void tvgp__posterior_know(tvgp__posterior *p, size_t arm, const double moments[3]) {
    p->own.moments.valid = 1;
    p->own.moments.arm = arm;
    p->own.moments.mean = moments[0];
    p->own.moments.var = moments[1];
    p->own.moments.prior = moments[2];
}

void tvgp__posterior_moments(tvgp__posterior *p, size_t arm, double *mean, double *var) {
    double moments[MOMENTS] = {0};
    if (!p->shard) {
        if (p->ops->refine)
            p->ops->refine(p, 1, &arm);
        *mean = p->own.mean[arm];
        *var = p->own.var[arm];
        return;
    }
    if (!p->own.moments.valid || p->own.moments.arm != arm) {
        if (tvgp__shard_owns(p->shard, arm))
            tvgp__posterior_here(p, tvgp__shard_local(p->shard, arm), moments);
        tvgp__shard_give(p->shard, arm, moments, MOMENTS);
        tvgp__posterior_know(p, arm, moments);
    }
    *mean = p->own.moments.mean;
    *var = p->own.moments.var;
}

tvgp_status tvgp__posterior_hold(tvgp__posterior *p, const tvgp__points *points) {
    return p->rows.ctx ? tvgp__kernel_rows_replace(&p->rows, TVGP__KERNEL_ROWS_OBSERVED, points->n, points->arm) : TVGP_OK;
}

void tvgp__posterior_still(tvgp__posterior *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    (void)t;
    for (size_t i = 0; i < n; i++) {
        mean[i] = p->own.mean[arm ? arm[i] : i];
        var[i] = fmax(p->own.var[arm ? arm[i] : i], 0);
    }
}

void tvgp__posterior_prior(tvgp__posterior *p, double kappa) {
    for (size_t i = 0; i < p->n; i++) {
        p->own.mean[i] = 0;
        p->own.var[i] = kappa * p->prior[i];
    }
    p->own.off.mean = p->own.off.var = 0;
    p->largest = kappa * p->most;
    p->own.moments.valid = 0;
    p->log_marginal_likelihood = p->log_det_ratio = 0;
    p->counts.observations = 0;
}

TVGP__SIMD_CLONES
static void transit(size_t n, double m, double q, const double *restrict prior, double *restrict mean,
                    double *restrict var) {
    double m2 = m * m;
    for (size_t i = 0; i < n; i++) {
        mean[i] *= m;
        var[i] = m2 * var[i] + q * prior[i];
    }
}

void tvgp__posterior_transit(tvgp__posterior *p, double m, double q) {
    transit(p->n, m, q, p->prior, p->own.mean, p->own.var);
    p->own.off.mean *= m;
    p->own.off.var *= m * m;
}

double tvgp__posterior_surprise(tvgp__posterior *p, double e, double variance, double noise) {
    double s = fmax(variance, 0) + noise;
    size_t helped = variance < tvgp__posterior_lack(p);
    tvgp__error_forget(p->ctx, tvgp__chol_pivot(p->ctx, p->largest, &s, &helped)); /* s >= 0 */
    if (!p->assumes)
        p->log_marginal_likelihood -= 0.5 * (log(TVGP__TWO_PI * s) + tvgp__valid_range_misfit(e, s));
    p->log_det_ratio += log(s / tvgp__posterior_noise(p, noise));
    p->counts.observations++;
    p->counts.jitter += helped;
    return helped ? INFINITY : s;
}

/* g = col / root, in its place; mean += gain g, var -= g^2. */
TVGP__SIMD_CLONES
static void take(size_t n, double root, double gain, double *restrict col, double *restrict mean, double *restrict var) {
    for (size_t i = 0; i < n; i++) {
        double g = col[i] / root;
        col[i] = g;
        mean[i] += gain * g;
        var[i] -= g * g;
    }
}

double tvgp__posterior_condition(tvgp__posterior *p, size_t arm, double y, double noise, double variance, double *col,
                                 double *e) {
    double mean, var;
    tvgp__posterior_moments(p, arm, &mean, &var);
    *e = y - mean;
    double s = tvgp__posterior_surprise(p, *e, isnan(variance) ? col[arm] : variance, noise), root = sqrt(s);
    take(p->n, root, *e / root, col, p->own.mean, p->own.var);
    p->own.moments.valid = 0;
    return s;
}
