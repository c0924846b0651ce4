/* SPDX-License-Identifier: MIT */
/* A bank of filters on a box: its mixture against dense posteriors, against the same bank on arms, pending points against
 * telling the mean, points that leave the atlas, batches, delayed feedback. */
#include "cases.h"
#include "model/kalman_mixture_box.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { LAWS = 5, AT = 25, SIDE = 6, ARMS = SIDE * SIDE };

static const struct ref_kernel space = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.25, 0.4}};
static const tvgp__drift drifts[LAWS] = {{TVGP__DRIFT_FORGETTING, 0, 0},
                                         {TVGP__DRIFT_FORGETTING, 0.03, 0},
                                         {TVGP__DRIFT_FORGETTING, 1, 0},
                                         {TVGP__DRIFT_MATERN32, 0.02, 0},
                                         {TVGP__DRIFT_MATERN32, 0.3, 0}};
static const double corners[] = {0, 0, 1, 1, 0.5, 0.5}, NOISE = 0.02;
static const double *const no_mean = NULL;

static tvgp__posterior *make(tvgp__kalman_mixture_spec spec, size_t n, const double *X) {
    tvgp__posterior *p = NULL;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &space);
    const tvgp_kernel *shared = kernel;
    spec.n_priors = 1;
    spec.kernels = &shared;
    spec.means = &no_mean;
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, NOISE, n, X, &p));
    return p;
}

static tvgp__posterior *on_box(tvgp__kalman_mixture_spec spec) {
    spec.no_arms = 1;
    return make(spec, 3, corners);
}

static void tell(tvgp__posterior *p, const double *x, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .X = x};
    ASSERT_OK(p->ops->prepare(p, &points));
    tvgp__posterior_observe(p, &points, 0, t, y, noise, 0);
}

/* Within `tolerance` prior sds. */
static void assert_near(size_t n, const double *mean, const double *var, const double *want_mean, const double *want_var,
                        double tolerance) {
    ASSERT_ALL_NEAR(n, mean, want_mean, tolerance);
    ASSERT_ALL_NEAR(n, var, want_var, tolerance);
}

/* ---- against dense posteriors ----------------------------------------------------------------------------------- */

static void mixture(size_t n, struct ref_gp *ref, double t, const double *Z, double *mean, double *var, double *evidence) {
    double each[LAWS], most = -INFINITY, sum = 0, m[AT], v[AT];
    for (size_t j = 0; j < n; j++)
        most = fmax(most, each[j] = ref_gp_log_evidence(&ref[j]));
    for (size_t j = 0; j < n; j++)
        sum += exp(each[j] - most);
    memset(mean, 0, AT * sizeof *mean);
    memset(var, 0, AT * sizeof *var);
    for (size_t j = 0; j < n; j++) {
        double weight = exp(each[j] - most) / sum;
        ref_gp_predict(&ref[j], AT, Z, t, m, v);
        for (size_t i = 0; i < AT; i++) {
            mean[i] += weight * m[i];
            var[i] += weight * (v[i] + m[i] * m[i]);
        }
    }
    for (size_t i = 0; i < AT; i++)
        var[i] -= mean[i] * mean[i];
    *evidence = most + log(sum / (double)n);
}

/* Each drift model by itself, and all together. Points anywhere, some again, irregular times: within 1e-5 of a standard
 * deviation. */
TEST_EACH(mixture_equals_dense, LAWS + 1) {
    enum { STEPS = 300 };
    const tvgp__drift *law = _i < LAWS ? &drifts[_i] : drifts;
    const size_t n = _i < LAWS ? 1 : LAWS;
    struct rnd rnd = {11};
    struct ref_gp ref[LAWS];
    double Z[2 * AT], x[2] = {0.5, 0.5}, mean[AT], var[AT], want_mean[AT], want_var[AT], evidence, t = 1000;
    tvgp__posterior *p = on_box((tvgp__kalman_mixture_spec){.n_drifts = n, .drifts = law});
    rnd_fill(&rnd, 2 * AT, Z);
    for (size_t j = 0; j < n; j++) {
        ref_gp_init(&ref[j], &space, law[j].kind == TVGP__DRIFT_FORGETTING ? law[j].rate : 0, STEPS);
        ref[j].lambda = law[j].kind == TVGP__DRIFT_MATERN32 ? law[j].rate : 0;
    }
    for (size_t step = 1; step <= STEPS; step++) {
        double noise = rnd_uniform(&rnd) < 0.2 ? 4 * NOISE : NOISE, y;
        if (step % 4)
            rnd_fill(&rnd, 2, x);
        t += step % 3 ? 2 * rnd_uniform(&rnd) : 0;
        y = 1.5 * sin(5 * x[0] + 0.02 * t) * cos(4 * x[1] - 0.03 * t) + sqrt(noise) * rnd_normal(&rnd);
        tell(p, x, t, y, noise);
        for (size_t j = 0; j < n; j++)
            ref_gp_add(&ref[j], x, t, y, noise);
        if (step > 3 && step % 60)
            continue;
        for (int later = 0; later < 2; later++) {
            ASSERT_OK(tvgp__posterior_predict(p, t + 1.7 * later, AT, Z, mean, var));
            mixture(n, ref, t + 1.7 * later, Z, want_mean, want_var, &evidence);
            assert_near(AT, mean, var, want_mean, want_var, 1e-5);
        }
        ASSERT_NEAR(p->log_marginal_likelihood, evidence, 1e-5);
    }
    ck_assert(p->counts.rank > 40 && p->counts.rank < 225); /* the kernel is smooth: not every point joins */
    for (size_t j = 0; j < n; j++)
        ref_gp_free(&ref[j]);
    tvgp__posterior_free(p);
}

/* ---- against arms ----------------------------------------------------------------------------------------------- */

/* Everything at once: abrupt changes, recycling, levels of noise, a constant, a common factor, jumps; the arms are so far
 * apart that another arm is another place. Two worlds, one after the other. */
TEST_EACH(like_arms, 4) {
    static const double levels[] = {1, 0.01, 10};
    const tvgp__kalman_mixture_spec specs[] = {
        {.n_drifts = LAWS, .drifts = drifts, .recycle = 0.01, .hazard = 0.005},
        {.n_drifts = LAWS, .drifts = drifts, .recycle = 0.01, .hazard = 0.02, .earn = 1},
        {.n_drifts = LAWS, .drifts = drifts, .recycle = 0.01, .hazard = 0.005, .constant = 0.25, .scale = 1},
        {.n_drifts = LAWS,
         .drifts = drifts,
         .n_levels = 3,
         .levels = levels,
         .recycle = 0.01,
         .hazard = 0.02,
         .earn = 1,
         .constant = 0.25,
         .jump = 0.02,
         .scale = 1}};
    const double step = 0.3;
    double X[2 * ARMS], mean[ARMS], var[ARMS], want_var[ARMS], t = 3;
    struct rnd rnd = {(uint64_t)_i};
    for (size_t i = 0; i < ARMS; i++) {
        X[2 * i] = step * (double)(i / SIDE);
        X[2 * i + 1] = step * (double)(i % SIDE);
    }
    tvgp__posterior *p = on_box(specs[_i]), *q = make(specs[_i], ARMS, X);
    const tvgp__kalman_mixture *box = (tvgp__kalman_mixture *)p, *arms = (tvgp__kalman_mixture *)q;
    for (size_t k = 0; k < 400; k++) {
        size_t arm = rnd_below(&rnd, ARMS);
        int world = k > 150;
        double y = sin(4 * X[2 * arm] + 3 * world) * cos(5 * X[2 * arm + 1] - 2 * world) + 0.1 * rnd_normal(&rnd);
        double at = t - (k > 200 && k % 11 == 7 ? 2.5 : 0), noise = k % 5 ? NOISE : 5 * NOISE;
        tell(p, X + 2 * arm, at, k % 50 == 49 ? 4 : y, noise);
        tvgp__posterior_observe(q, &(tvgp__points){.n = 1, .arm = &arm}, 0, at, k % 50 == 49 ? 4 : y, noise, 0);
        t += rnd_uniform(&rnd);
        if (k % 20 != 19)
            continue;
        p->ops->advance(p, t);
        q->ops->advance(q, t);
        tvgp__posterior_finish(q);
        ASSERT_OK(tvgp__posterior_predict(p, t, ARMS, X, mean, var));
        for (size_t i = 0; i < ARMS; i++)
            want_var[i] = fmax(q->own.var[i], 0);
        assert_near(ARMS, mean, var, q->own.mean, want_var, 1e-5);
        for (size_t j = 0; j <= box->J; j++)
            ASSERT_NEAR(box->weight[j], arms->weight[j], 1e-5);
        ASSERT_NEAR(p->log_marginal_likelihood, q->log_marginal_likelihood, 1e-5);
        if (k <= 200) /* on arms the blur of delayed outcomes counts as known */
            ASSERT_NEAR(p->log_det_ratio, q->log_det_ratio, 1e-5);
        ASSERT_NEAR(p->unit, q->unit, 1e-5);
        ck_assert(box->slot_on == arms->slot_on && box->confirmed == arms->confirmed && box->resets == arms->resets);
        ck_assert(box->slot_made == arms->slot_made && box->slot_time == arms->slot_time);
    }
    ck_assert_int_gt(arms->resets, 0);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* ---- pending points --------------------------------------------------------------------------------------------- */

/* A point that is pending counts as observed at its mean: of one Gaussian filter, whether a constant is unknown or not. */
TEST_EACH(pending_is_the_mean_told, 2 * LAWS) {
    const tvgp__kalman_mixture_spec spec = {.n_drifts = 1, .drifts = &drifts[_i / 2], .constant = _i % 2 ? 0.5 : 0};
    struct rnd rnd = {3};
    double Z[2 * AT], x[2], mean[AT], var[AT], want_mean[AT], want_var[AT], told, pending[6], times[3] = {5, 5, 5}, t = 0;
    tvgp__posterior *p = on_box(spec);
    tvgp__predictive form;
    rnd_fill(&rnd, 2 * AT, Z);
    rnd_fill(&rnd, 6, pending);
    for (size_t k = 0; k < 20; k++) {
        rnd_fill(&rnd, 2, x);
        tell(p, x, t += 0.25, sin(4 * x[0]) + 0.1 * rnd_normal(&rnd), NOISE);
    }
    memcpy(pending + 4, x, sizeof x); /* one where something is known already */
    ASSERT_OK(p->ops->predictive(p, t, &form));
    const size_t rows = form.r;
    ASSERT_OK(p->ops->anywhere->pend(p, &form, t, 3, pending, times, NOISE));
    ck_assert_uint_eq(form.r, rows + 3);
    ASSERT_OK(tvgp__predictive_predict(&form, AT, Z, &(tvgp__predictive_values){.mean = mean, .var = var}));
    tvgp__predictive_free(&form);
    for (size_t k = 0; k < 3; k++) {
        ASSERT_OK(tvgp__posterior_predict(p, t, 1, pending + 2 * k, &told, want_var));
        tell(p, pending + 2 * k, t, told, NOISE);
    }
    ASSERT_OK(tvgp__posterior_predict(p, t, AT, Z, want_mean, want_var));
    assert_near(AT, mean, var, want_mean, want_var, 1e-9);
    tvgp__posterior_free(p);
}

/* ---- what leaves ------------------------------------------------------------------------------------------------ */

/* Moments at the support that stays are what they were; nothing is above the limit; what is far away is the prior again. */
TEST_EACH(a_point_leaves, 2) {
    enum { LIMIT = 33 }; /* the oldest is the first */
    const tvgp__kalman_mixture_spec spec = {.n_drifts = LAWS, .drifts = drifts, .rows = LIMIT, .constant = _i ? 0.3 : 0};
    struct rnd rnd = {7};
    double X[2 * LIMIT], mean[LIMIT], var[LIMIT], want_mean[LIMIT], want_var[LIMIT], t = 0;
    const double far[] = {40, 40};
    tvgp__posterior *p = on_box(spec);
    for (size_t k = 0; k < LIMIT; k++) {
        X[2 * k] = 0.35 * (double)(k % 6) + 0.05 * rnd_uniform(&rnd);
        X[2 * k + 1] = 0.35 * (double)(k / 6) + 0.05 * rnd_uniform(&rnd);
        tell(p, X + 2 * k, t += 0.1, sin(4 * X[2 * k]) + cos(3 * X[2 * k + 1]) + 0.1 * rnd_normal(&rnd), NOISE);
    }
    ck_assert_uint_eq(p->counts.rank, LIMIT);
    for (size_t k = 5; k < 8; k++)
        tell(p, X + 2 * k, t, rnd_normal(&rnd), NOISE); /* visited again */
    tell(p, X, t, 1, NOISE);
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, X, want_mean, want_var));
    for (int round = 0; round < 3; round++) { /* outcomes that say nothing: points 1, 2, 3 leave */
        const double other[] = {far[0] + 3 * round, far[1]};
        tell(p, other, t, 0, 1e12);
        ck_assert_uint_eq(p->counts.rank, LIMIT);
        ck_assert_uint_eq(p->counts.dropped, (size_t)round + 1);
    }
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, X, mean, var));
    for (size_t k = 0; k < LIMIT; k++) {
        if (k >= 1 && k <= 3) {
            ck_assert_double_gt(var[k], want_var[k] + 1e-4); /* lost, except what its neighbours know */
            continue;
        }
        ASSERT_NEAR(mean[k], want_mean[k], 1e-8);
        ASSERT_NEAR(var[k], want_var[k], 1e-8);
    }
    for (size_t k = 0; k < 500; k++) { /* and many more, in batches that overflow the limit */
        double Y[2 * 40];
        const tvgp__points points = {.n = 40, .X = Y};
        rnd_fill(&rnd, 2 * 40, Y);
        ASSERT_OK(p->ops->prepare(p, &points));
        for (size_t i = 0; i < 40; i += k % 3 + 1)
            tvgp__posterior_observe(p, &points, i, t += 0.01, sin(5 * Y[2 * i]), NOISE, 0);
    }
    ck_assert_uint_le(p->counts.rank, LIMIT);
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, X, mean, var));
    for (size_t k = 0; k < LIMIT; k++)
        ck_assert(isfinite(mean[k]) && var[k] >= 0 && var[k] <= 1.3 * (1 + (_i ? 0.3 : 0)) + 1 && fabs(mean[k]) < 3);
    const tvgp__inducing_points *a = &((tvgp__kalman_mixture *)p)->box->atlas;
    for (size_t i = 0; i < a->factor.n; i++) /* W L = I after all of these deletions */
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = j; k <= i; k++)
                sum += a->W[k * tvgp__inducing_points_ld(a) + i] * a->factor.L[j * a->factor.capacity + k];
            ASSERT_NEAR(sum, i == j, 1e-8);
        }
    tvgp__posterior_free(p);
}

/* A batch in any order, across growth, is the same as one at a time; after a reset nothing is known. */
TEST(batches) {
    const tvgp__kalman_mixture_spec spec = {.n_drifts = LAWS, .drifts = drifts, .recycle = 0.01, .hazard = 0.01};
    struct rnd rnd = {5};
    double X[2 * 90], Z[2 * AT], mean[AT], var[AT], want_mean[AT], want_var[AT];
    const tvgp__points points = {.n = 90, .X = X};
    tvgp__posterior *p = on_box(spec), *q = on_box(spec);
    rnd_fill(&rnd, 2 * AT, Z);
    for (size_t round = 0; round < 3; round++) {
        rnd_fill(&rnd, 180, X);
        ASSERT_OK(p->ops->prepare(p, &points));
        for (size_t k = 0; k < 80; k++) {
            size_t i = k * 7 % 90;
            double t = 10 * (double)round + 0.1 * (double)k, y = sin((double)(i + 3 * round));
            tvgp__posterior_observe(p, &points, i, t, y, NOISE, 0);
            tell(q, X + 2 * i, t, y, NOISE);
        }
        ASSERT_OK(tvgp__posterior_predict(p, p->now, AT, Z, mean, var));
        ASSERT_OK(tvgp__posterior_predict(q, p->now, AT, Z, want_mean, want_var));
        assert_near(AT, mean, var, want_mean, want_var, 1e-9);
    }
    p->ops->reset(p);
    ASSERT_OK(tvgp__posterior_predict(p, p->now, AT, Z, mean, var));
    for (size_t i = 0; i < AT; i++)
        ck_assert(mean[i] == 0 && fabs(var[i] - 1.3) < 1e-12);
    ck_assert(p->counts.observations == 0 && p->log_marginal_likelihood == 0 && p->counts.rank == 0);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* ---- the policy ------------------------------------------------------------------------------------------------- */

static tvgp_policy *policy_on_box(void) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    tvgp_domain *box = harness_box(2, lower, upper);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", box, MAKE_KERNEL(cases_kernel, ctx, &space));
    ASSERT_OK(tvgp_policy_set_f64(p, "search.effort", 0.2));
    return p;
}

/* memory.limit lowers the number of support points to what it leaves room for, or refuses the first ask. */
TEST(memory_limit) {
    enum { BYTES = 3000000 };
    size_t before, after;
    double rank = 0, dropped = 0, x[2];
    tvgp_query q;
    struct rnd rnd = {4};
    tvgp_policy *p = policy_on_box();
    ASSERT_OK(tvgp_policy_set(p, "rank.tolerance=0 memory.limit=20000"));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, x), TVGP_ERR_LIMIT);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "memory.limit = 20000") != NULL);
    ASSERT_OK(tvgp_policy_set_i64(p, "memory.limit", BYTES));
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    for (size_t k = 0; k < 150; k++) {
        const tvgp_obs o = {.y = rnd_normal(&rnd), .flags = TVGP_OBS_HAS_TIME, .t = (double)k};
        rnd_fill(&rnd, 2, x);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, x));
        ASSERT_OK(tvgp_ctx_memory(ctx, &after));
        ck_assert_uint_le(after - before, BYTES);
    }
    ASSERT_OK(tvgp_policy_stat(p, "rank", &rank));
    ASSERT_OK(tvgp_policy_stat(p, "rows.dropped", &dropped));
    ck_assert(rank >= 32 && rank < 100 && dropped > 0);
}

TEST(refused_on_boxes) {
    static const struct {
        const char *option, *says;
    } refused[] = {{"season.period=24", "a season"}, {"choice=thompson", "a box"}};
    double x[2], mean = 0.5;
    tvgp_query q;
    tvgp_policy *p;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        p = policy_on_box();
        ASSERT_OK(tvgp_policy_set(p, refused[i].option));
        ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, x), TVGP_ERR_UNSUPPORTED);
        ck_assert_msg(strstr(tvgp_ctx_errmsg(ctx), refused[i].says) != NULL, "%s", tvgp_ctx_errmsg(ctx));
    }
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &space);
    for (size_t priors = 1; priors < 4; priors++) { /* one; one with a mean; two */
        p = policy_on_box();
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, priors == 2, priors == 2 ? &mean : NULL, 0));
        if (priors == 3)
            ASSERT_OK(tvgp_policy_add_prior(p, kernel, 0, NULL, 0));
        tvgp_status status = tvgp_policy_ask_one(p, 0, &q, x);
        ck_assert_int_eq(status, priors == 1 ? TVGP_OK : TVGP_ERR_UNSUPPORTED);
        if (priors > 1)
            ck_assert_msg(strstr(tvgp_ctx_errmsg(ctx), "one kernel on a box") != NULL, "%s", tvgp_ctx_errmsg(ctx));
    }
}

/* Everything doubted: an offset of 20 and a tenth of the noise told, and it finds the peak all the same. */
TEST(doubts_on_a_box) {
    double x[2], constant, level, late = 0;
    struct rnd rnd = {9};
    tvgp_policy *p = policy_on_box();
    ASSERT_OK(tvgp_policy_set(p, "model.assume_misspecified=1 noise=0.1"));
    for (int k = 0; k < 60; k++) {
        tvgp_query q = harness_ask_at(p, k, x);
        double f = exp(-8 * ((x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.6) * (x[1] - 0.6)));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 20 + f + 0.01 * rnd_normal(&rnd)));
        late += k >= 40 ? f / 20 : 0;
    }
    ASSERT_OK(tvgp_policy_stat(p, "offset", &constant));
    ASSERT_OK(tvgp_policy_stat(p, "noise.factor", &level));
    ck_assert_msg(late > 0.8 && constant > 5 && level < 0.5, "%g, constant %g, level %g", late, constant, level);
}

/* ---- delayed feedback ----------------------------------------------------------------------------------------------- */

/* Tells n observations in order, `together` of them at each time, then one of time t and two more; a bank that can go back over
 * `limit` observations takes the delayed one exactly if at most that many are newer, and otherwise widens its noise. */
static void answer_late(size_t limit, size_t n, size_t together, double t) {
    struct rnd rnd = {n + 7 * limit};
    struct ref_gp ref;
    double Z[2 * AT], x[2], mean[AT], var[AT], want_mean[AT], want_var[AT];
    tvgp__posterior *p = on_box((tvgp__kalman_mixture_spec){.n_drifts = 1, .drifts = &drifts[1], .late = limit});
    const double newest = (double)((n - 1) / together);
    size_t later = 0;
    ref_gp_init(&ref, &space, drifts[1].rate, n + 3);
    rnd_fill(&rnd, 2 * AT, Z);
    for (size_t i = 0; i < n + 3; i++) {
        const double when = i < n ? (double)(i / together) : i == n ? t : newest + 1, y = rnd_normal(&rnd);
        later += i < n && when > t;
        rnd_fill(&rnd, 2, x);
        tell(p, x, when, y, NOISE);
        ref_gp_add(&ref, x, when, y, NOISE);
    }
    ck_assert_uint_eq(p->counts.widened, later > limit);
    if (later <= limit) {
        ASSERT_OK(tvgp__posterior_predict(p, newest + 2, AT, Z, mean, var));
        ref_gp_predict(&ref, AT, Z, newest + 2, want_mean, want_var);
        assert_near(AT, mean, var, want_mean, want_var, 1e-5);
    }
    ref_gp_free(&ref);
    tvgp__posterior_free(p);
}

/* Whatever has been saved of the past by then: from before the older saved state nothing is exact. */
TEST_EACH(late_up_to_the_limit, 4) {
    const size_t limit = 1 + (size_t)_i;
    for (size_t n = 3 * limit; n < 6 * limit + 2; n++)
        for (size_t later = 0; later < limit + 2; later++)
            answer_late(limit, n, 1, (double)(n - 1 - later) + 0.5);
}

/* Observations of one time may lie on both sides of a saved state, and a delayed one at the time of that state. */
TEST_EACH(late_among_equal_times, 4) {
    const size_t limit = 2 + (size_t)_i;
    for (size_t n = 2 * limit; n < 4 * limit + 3; n++)
        for (size_t back = 1; back < limit; back++)
            answer_late(limit, n, 3, (double)(n - 1 - back) / 3 - (back % 2 ? 0 : 0.2));
}

HARNESS_MAIN("bank of filters on a box")
