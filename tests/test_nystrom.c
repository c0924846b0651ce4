/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior against its formulas in weight-free form, one entry at a time: with A = K_S + K_SU D K_US,
 * D = diag(1 / noise): mean = k_S' A^-1 K_SU D y, var = k - k_S' K_S^-1 k_S + k_S' A^-1 k_S; and against golden numbers. */
#include "cases.h"
#include "golden/golden_bkb.h"
#include "model/nystrom.h"
#include "model/posterior/posterior.h"
#include "ref/ref_gp.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ARMS = 1500, MAX_PULLS = 120, MAX_MEMBERS = 80, DIM = 2 };

struct world {
    struct ref_kernel kernel;
    size_t arms;
    double X[MAX_ARMS * DIM];
    tvgp_kernel *shared;
    tvgp__nystrom *dtc;
    struct rnd rnd;
    size_t pulled[MAX_PULLS], n;
    double y[MAX_PULLS], noise[MAX_PULLS];
};

static void open_world(struct world *w, const struct ref_kernel *kernel, size_t arms) {
    *w = (struct world){.kernel = *kernel, .arms = arms, .rnd = {5}};
    rnd_fill(&w->rnd, arms * kernel->dim, w->X);
    if (kernel->kind == REF_TABLE)
        for (size_t i = 0; i < arms; i++)
            w->X[i] = (double)i;
    w->shared = MAKE_KERNEL(cases_kernel, ctx, kernel);
    ASSERT_OK(tvgp__nystrom_new(ctx, w->shared, 1, arms, w->X, &w->dtc));
    w->dtc->base.ops->advance(&w->dtc->base, 1);
}

static void close_world(struct world *w) {
    tvgp__posterior_free(&w->dtc->base);
}

static void pull(struct world *w, size_t arm, double y, double noise) {
    ASSERT_OK(w->dtc->base.ops->prepare(&w->dtc->base, &(tvgp__points){.n = 1, .arm = &arm}));
    tvgp__posterior_observe(&w->dtc->base, &(tvgp__points){.n = 1, .arm = &arm}, 0, 1, y, noise, 0);
    w->pulled[w->n] = arm;
    w->y[w->n] = y;
    w->noise[w->n++] = noise;
}

static void pull_some(struct world *w, size_t n) {
    for (size_t i = 0; i < n; i++) /* repeats of an arm are frequent; noises differ */
        pull(w, rnd_below(&w->rnd, w->arms) % 60, 2 * rnd_normal(&w->rnd), rnd_uniform(&w->rnd) < 0.3 ? 0.2 : 0.05);
}

static void fit(tvgp__nystrom *d, size_t oldest, size_t m, const size_t *arm) {
    ASSERT_OK(tvgp__nystrom_prepare(d, 0, m, arm));
    tvgp__nystrom_fit(d, oldest, m, arm);
}

/* ---- the formulas ----------------------------------------------------------------------------------------------- */

static double k(const struct world *w, const double *x, size_t arm) {
    return ref_kernel(&w->kernel, x, w->X + arm * w->kernel.dim);
}

static void cholesky(size_t n, double *A) { /* row-major, lower, in place */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (size_t l = 0; l < j; l++)
                sum -= A[i * n + l] * A[j * n + l];
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
}

static void forward(size_t n, const double *L, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            x[i] -= L[i * n + j] * x[j];
        x[i] /= L[i * n + i];
    }
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

struct formula {
    size_t m, arm[MAX_MEMBERS];
    double K[MAX_MEMBERS * MAX_MEMBERS], A[MAX_MEMBERS * MAX_MEMBERS], z[MAX_MEMBERS]; /* factors; L_A^-1 K_SU D y */
};

static void formula_fit(struct formula *f, const struct world *w, size_t m, const size_t *arm) {
    f->m = m;
    memcpy(f->arm, arm, m * sizeof *arm);
    memset(f->z, 0, sizeof f->z);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            f->K[i * m + j] = f->A[i * m + j] = k(w, w->X + arm[i] * w->kernel.dim, arm[j]);
    for (size_t p = 0; p < w->n; p++)
        for (size_t i = 0; i < m; i++) {
            double ki = k(w, w->X + arm[i] * w->kernel.dim, w->pulled[p]);
            f->z[i] += ki * w->y[p] / w->noise[p];
            for (size_t j = 0; j < m; j++)
                f->A[i * m + j] += ki * k(w, w->X + arm[j] * w->kernel.dim, w->pulled[p]) / w->noise[p];
        }
    cholesky(m, f->K);
    cholesky(m, f->A);
    forward(m, f->A, f->z);
}

/* Posterior mean at x and covariance of x and z. */
static double formula_at(const struct formula *f, const struct world *w, const double *x, const double *z, double *mean) {
    double bx[MAX_MEMBERS], bz[MAX_MEMBERS], cx[MAX_MEMBERS], cz[MAX_MEMBERS];
    for (size_t i = 0; i < f->m; i++) {
        bx[i] = cx[i] = k(w, x, f->arm[i]);
        bz[i] = cz[i] = k(w, z, f->arm[i]);
    }
    forward(f->m, f->K, bx);
    forward(f->m, f->K, bz);
    forward(f->m, f->A, cx);
    forward(f->m, f->A, cz);
    *mean = dot(f->m, cx, f->z);
    return ref_kernel(&w->kernel, x, z) - dot(f->m, bx, bz) + dot(f->m, cx, cz);
}

/* log N(y; 0, K_US K_S^-1 K_SU + Sigma), and log det of that covariance over that of Sigma */
static double formula_evidence(const struct formula *f, const struct world *w, double *ratio) {
    static double C[MAX_PULLS * MAX_PULLS], b[MAX_PULLS][MAX_MEMBERS];
    double y[MAX_PULLS], value = 0;
    for (size_t p = 0; p < w->n; p++) {
        for (size_t i = 0; i < f->m; i++)
            b[p][i] = k(w, w->X + w->pulled[p] * w->kernel.dim, f->arm[i]);
        forward(f->m, f->K, b[p]);
        y[p] = w->y[p];
    }
    for (size_t p = 0; p < w->n; p++)
        for (size_t q = 0; q < w->n; q++)
            C[p * w->n + q] = dot(f->m, b[p], b[q]) + (p == q ? w->noise[p] : 0);
    cholesky(w->n, C);
    forward(w->n, C, y);
    *ratio = 0;
    for (size_t p = 0; p < w->n; p++) {
        value -= 0.5 * y[p] * y[p] + log(C[p * w->n + p]) + 0.5 * log(2 * acos(-1.0));
        *ratio += 2 * log(C[p * w->n + p]) - log(w->noise[p]);
    }
    return value;
}

static void assert_matches(struct world *w, const struct formula *f, double tolerance) {
    static double column[MAX_ARMS];
    enum { POINTS = 70 }; /* more than one block of predictions */
    tvgp__posterior *p = &w->dtc->base;
    size_t arm = rnd_below(&w->rnd, w->arms);
    double mean, var, Z[POINTS * DIM], at_mean[POINTS], at_var[POINTS];
    ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = &arm}));
    p->ops->column(p, arm, column);
    for (size_t i = 0; i < w->arms; i++) {
        const double *x = w->X + i * w->kernel.dim;
        var = formula_at(f, w, x, x, &mean);
        ASSERT_NEAR(p->own.mean[i], mean, tolerance);
        ASSERT_NEAR(p->own.var[i], var, tolerance);
        ASSERT_NEAR(column[i], formula_at(f, w, w->X + arm * w->kernel.dim, x, &mean), tolerance);
    }
    double ratio, evidence = formula_evidence(f, w, &ratio);
    ASSERT_NEAR(p->log_marginal_likelihood, evidence, tolerance);
    ASSERT_NEAR(p->log_det_ratio, ratio, tolerance);
    ck_assert_uint_eq(p->counts.observations, w->n);
    if (w->kernel.kind == REF_TABLE)
        return;
    rnd_fill(&w->rnd, POINTS * w->kernel.dim, Z);
    ASSERT_OK(tvgp__posterior_predict(p, 1, POINTS, Z, at_mean, at_var));
    for (size_t i = 0; i < POINTS; i++) {
        const double *z = Z + i * w->kernel.dim;
        var = formula_at(f, w, z, z, &mean);
        ASSERT_NEAR(at_mean[i], mean, tolerance);
        ASSERT_NEAR(at_var[i], var, tolerance);
    }
}

/* m distinct arms, pulled ones and others */
static void choose(struct world *w, size_t m, size_t *arm) {
    uint8_t taken[MAX_ARMS] = {0};
    for (size_t i = 0; i < m;) {
        size_t a = rnd_below(&w->rnd, w->arms < 90 ? w->arms : 90);
        if (taken[a])
            continue;
        taken[a] = 1;
        arm[i++] = a;
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static const struct ref_kernel rough = {.kind = REF_MATERN32, .dim = 2, .variance = 1.4, .l = {0.3, 0.3}};

static void assert_prior(const struct world *w) {
    const tvgp__posterior *p = &w->dtc->base;
    for (size_t i = 0; i < w->arms; i++) {
        ck_assert_double_eq(p->own.mean[i], 0);
        ASSERT_NEAR(p->own.var[i], ref_kernel(&w->kernel, w->X + i * w->kernel.dim, w->X + i * w->kernel.dim), 1e-15);
    }
    ck_assert_uint_eq(p->counts.observations, 0);
    ck_assert_double_eq(tvgp__nystrom_dimension(w->dtc), 0);
}

/* Dictionaries of changing size and members, some of them of before. Observations come, as fits and with the dictionary as it is, and
 * the oldest go. With every kernel, and where arms and dictionaries need several blocks of a solve. */
TEST_EACH(equals_formula, CASES_KERNELS + 2) {
    static struct world w;
    static struct formula f;
    const int large = _i >= CASES_KERNELS;
    const size_t forgotten = large ? 10 : 2;
    size_t arm[MAX_MEMBERS], given = 0;
    open_world(&w, large ? &rough : cases_kernel_at((size_t)_i), _i > CASES_KERNELS ? MAX_ARMS : large ? 200 : CASES_ARMS);
    for (size_t round = 0; round < (large ? 4 : 8); round++) {
        const size_t m = large ? 2 + 26 * round : 1 + rnd_below(&w.rnd, w.kernel.kind == REF_LINEAR ? 3 : 6);
        pull_some(&w, large ? 25 : 10);
        choose(&w, m, arm);
        fit(w.dtc, 0, m, arm);
        given += m;
        for (int then = 0; then < 3; then++) {
            formula_fit(&f, &w, m, arm);
            assert_matches(&w, &f, 1e-9);
            ck_assert(w.dtc->members == m && w.dtc->base.counts.rank == m);
            if (then == 0) {
                pull_some(&w, 4);
                tvgp__nystrom_condition(w.dtc);
            } else if (then == 1) {
                fit(w.dtc, forgotten, m, arm);
                w.n -= forgotten;
                for (size_t i = 0; i < w.n; i++) { /* not memmove, which valgrind takes for memcpy where it is fortified */
                    w.pulled[i] = w.pulled[i + forgotten];
                    w.y[i] = w.y[i + forgotten];
                    w.noise[i] = w.noise[i + forgotten];
                }
            }
        }
    }
    if (large) {
        ck_assert_uint_ge(w.dtc->base.rows.evaluated, MAX_MEMBERS);
        ck_assert_uint_lt(w.dtc->base.rows.evaluated, given); /* kept columns were used again */
    }
    w.dtc->base.ops->reset(&w.dtc->base);
    assert_prior(&w);
    close_world(&w);
}

/* Every pulled arm in the dictionary: the exact posterior. The dictionary has members that add nothing: arms at the same
 * point, and a smooth kernel on a short line, where 40 points span far fewer directions. */
TEST_EACH(full_dictionary_is_exact, 2) {
    static const struct ref_kernel kernels[] = {{.kind = REF_MATERN32, .dim = 2, .variance = 1.4, .l = {0.3, 0.3}},
                                                {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.7}}};
    static struct world w;
    struct ref_gp exact;
    open_world(&w, &kernels[_i], 40);
    memcpy(w.X + w.kernel.dim, w.X, w.kernel.dim * sizeof *w.X); /* arm 1 = arm 0; the posterior borrows X */
    ref_gp_init(&exact, &w.kernel, 0, MAX_PULLS);
    size_t arm[40];
    for (size_t i = 0; i < 40; i++) {
        arm[i] = i;
        pull(&w, i, 2 * rnd_normal(&w.rnd), 0.01);
        ref_gp_add(&exact, w.X + i * w.kernel.dim, 1, w.y[i], 0.01);
    }
    fit(w.dtc, 0, 40, arm);
    for (size_t i = 0; i < 40; i++) {
        double mean, var;
        ref_gp_predict(&exact, 1, w.X + i * w.kernel.dim, 1, &mean, &var);
        ASSERT_NEAR(w.dtc->base.own.mean[i], mean, 1e-8);
        ASSERT_NEAR(w.dtc->base.own.var[i], var, 1e-8);
    }
    ck_assert_uint_ge(w.dtc->dropped, _i ? 20 : 1);
    ck_assert_uint_eq(w.dtc->dropped, 40 - w.dtc->base.counts.rank);
    ASSERT_NEAR(w.dtc->base.log_marginal_likelihood, ref_gp_log_evidence(&exact), 1e-6);
    ref_gp_free(&exact);
    close_world(&w);
}

/* How far the n pulls of a full dictionary may be from the exact variance at a point, both known. Members with a residual
 * variance of at most d are left out of the span. With A = sum phi phi' / noise over the pulls, B the same of their
 * projections, E the residuals and k(x,x) = |phi_x|^2 = 1:
 *   var~ - var = phi_x' (I + B)^-1 (A - B) (I + A)^-1 phi_x,   A - B = ((Phi - E)' E + E' Phi) / noise,
 * and by Cauchy and Schwarz |E (I + A)^-1 phi_x|^2 <= n d var, |Phi (I + A)^-1 phi_x|^2 / noise <= min(var, 1 - var), so too
 * with B. What is added is the round-off of a reference whose matrix has condition 1 + n / noise at most. */
static double apart(size_t n, double d, double noise, double a, double b) {
    const double more = sqrt(a * fmax(fmin(b, 1 - b), 0)) + sqrt(b * fmax(fmin(a, 1 - a), 0));
    return sqrt((double)n * d / noise) * more + DBL_EPSILON * (1 + (double)n / noise);
}

/* Calandriello et al. 2019, sec. 3.2: observations on the left half of [0, 1] only. On the right the prior variance stays,
 * whatever the dictionary; the subset of regressors, var = c'c, loses it. */
TEST_EACH(no_variance_starvation, 3) {
    static const size_t pulls[] = {6, 63, 215};
    static const struct ref_kernel smooth = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.03}};
    enum { LINE = 201 };
    double X[LINE];
    tvgp__nystrom *d;
    struct ref_gp exact;
    struct rnd rnd = {9};
    for (size_t i = 0; i < LINE; i++)
        X[i] = (double)i / (LINE - 1);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    ASSERT_OK(tvgp__nystrom_new(ctx, kernel, 1, LINE, X, &d));
    d->base.ops->advance(&d->base, 1);
    ref_gp_init(&exact, &smooth, 0, 300);
    size_t distinct[LINE];
    for (size_t i = 0; i < pulls[_i]; i++) {
        size_t arm = rnd_below(&rnd, LINE / 2);
        ASSERT_OK(d->base.ops->prepare(&d->base, &(tvgp__points){.n = 1, .arm = &arm}));
        tvgp__posterior_observe(&d->base, &(tvgp__points){.n = 1, .arm = &arm}, 0, 1, rnd_normal(&rnd), 0.01, 0);
        ref_gp_add(&exact, &X[arm], 1, 0, 0.01);
    }
    for (size_t i = 0; i < d->distinct; i++)
        distinct[i] = d->arms[i].arm;
    fit(d, 0, d->distinct, distinct);
    const double left_out =
        1e-15 + DBL_EPSILON * (double)d->distinct; /* the tolerance, and round-off of n_arms subtractions */
    for (size_t i = 0; i < LINE; i++) {
        double mean, var, regressors = 0;
        ref_gp_predict(&exact, 1, &X[i], 1, &mean, &var);
        ck_assert_double_lt(fabs(d->base.own.var[i] - var), apart(pulls[_i], left_out, 0.01, d->base.own.var[i], var));
        if (X[i] < 0.9)
            continue;
        ck_assert_double_ge(sqrt(d->base.own.var[i]), 0.9995);
        for (size_t j = 0; j < d->features.basis.r; j++) /* c'c = b'b - b'R b <= b'b */
            regressors += d->features.basis.Phi[j * LINE + i] * d->features.basis.Phi[j * LINE + i];
        ck_assert_double_lt(sqrt(regressors), 1e-2);
    }
    ref_gp_free(&exact);
    tvgp__posterior_free(&d->base);
}

TEST(golden) {
    tvgp__nystrom *d;
    double X[GOLDEN_BKB_ARMS];
    size_t dictionary[GOLDEN_DTC_PULLS], m = 0;
    for (size_t i = 0; i < GOLDEN_BKB_ARMS; i++)
        X[i] = (double)i;
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, GOLDEN_BKB_ARMS, golden_bkb_k);
    ASSERT_OK(tvgp__nystrom_new(ctx, kernel, 1, GOLDEN_BKB_ARMS, X, &d));
    d->base.ops->advance(&d->base, 1);
    size_t pulled[GOLDEN_DTC_PULLS];
    const tvgp__points points = {.n = GOLDEN_DTC_PULLS, .arm = pulled};
    for (size_t i = 0; i < GOLDEN_DTC_PULLS; i++)
        pulled[i] = (size_t)golden_dtc_x[i];
    ASSERT_OK(d->base.ops->prepare(&d->base, &points));
    for (size_t i = 0; i < GOLDEN_DTC_PULLS; i++)
        tvgp__posterior_observe(&d->base, &points, i, 1, golden_dtc_y[i], golden_dtc_lambda, 0);
    for (size_t i = 0; i < GOLDEN_DTC_MEMBERS; i++)
        dictionary[m++] = (size_t)golden_dtc_s[i];
    fit(d, 0, m, dictionary);
    for (size_t i = 0; i < GOLDEN_BKB_ARMS; i++) {
        ASSERT_NEAR(d->base.own.mean[i], golden_dtc_mean[i], 1e-9);
        ASSERT_NEAR(d->base.own.var[i] / golden_dtc_lambda, golden_dtc_var[i], 1e-9);
    }
    for (m = 0; m < d->distinct; m++)
        dictionary[m] = d->arms[m].arm;
    fit(d, 0, m, dictionary);
    for (size_t i = 0; i < GOLDEN_BKB_ARMS; i++)
        ASSERT_NEAR(d->base.own.var[i] / golden_dtc_lambda, golden_dtc_exact_var[i], 1e-9);
    ASSERT_NEAR(tvgp__nystrom_dimension(d), golden_dtc_dimension, 1e-9);
    tvgp__posterior_free(&d->base);
}

int main(void) {
    golden_read_bkb();
    return HARNESS_RUN("Nystrom posterior", harness_setup, harness_teardown);
}
