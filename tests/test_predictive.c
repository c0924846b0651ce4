/* SPDX-License-Identifier: MIT */
/* Posteriors as functions of the point: golden gradients, gradients against differences for every kernel, and the parts that
 * a public call does not reach (the inverse factor, S, a later time, the score). */
#include "cases.h"
#include "choose/rule.h"
#include "golden/golden_box.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { AT = 6, ROWS = 40 };

static tvgp_gp *gp_of(const struct golden_box *g) {
    tvgp_kernel *time = NULL;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &g->kernel);
    if (g->law == GOLDEN_FORGETTING)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, g->rate);
    if (g->law == GOLDEN_WIENER)
        time = MAKE_KERNEL(tvgp_kernel_wiener, ctx, g->rate, 0);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, kernel, time, 0.01);
    ASSERT_OK(tvgp_gp_add(gp, 9, g->x, time ? g->t : NULL, g->y, g->noise));
    return gp;
}

TEST_EACH(golden_gradients, GOLDEN_BOXES) {
    const struct golden_box *g = &golden_boxes[_i];
    size_t dim = g->kernel.dim;
    double mean[AT], var[AT], dmean[AT * 3], dvar[AT * 3];
    tvgp_gp *gp = gp_of(g);
    ASSERT_OK(tvgp_gp_predict_gradient(gp, AT, g->z, g->now, mean, var, dmean, dvar));
    for (size_t i = 0; i < AT; i++) {
        double sd = sqrt(var[i]);
        ASSERT_NEAR(mean[i], g->mean[i], 1e-9);
        ASSERT_NEAR(var[i], g->var[i], 1e-9);
        ASSERT_NEAR(mean[i] + g->width * sd, g->score[i], 1e-9);
        for (size_t d = i * dim; d < (i + 1) * dim; d++) {
            ASSERT_NEAR(dmean[d], g->dmean[d], 1e-9);
            ASSERT_NEAR(dvar[d], g->dvar[d], 1e-9);
            ASSERT_NEAR(dmean[d] + g->width * dvar[d] / (2 * sd), g->dscore[d], 1e-9);
        }
    }
}

/* ---- against differences ---------------------------------------------------------------------------------------- */

/* |got - (f(z + h) - f(z - h)) / 2h| of mean and var in every coordinate; the error of a difference is about 1e-16 / h. */
static void assert_gradient(tvgp_gp *gp, size_t dim, const double *z, double t, double tolerance) {
    double dmean[3], dvar[3], mean[2], var[2], moved[3];
    const double h = 1e-5;
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 1, z, t, NULL, NULL, dmean, dvar));
    for (size_t d = 0; d < dim; d++) {
        for (int side = 0; side < 2; side++) {
            memcpy(moved, z, dim * sizeof *z);
            moved[d] += side ? h : -h;
            ASSERT_OK(tvgp_gp_predict(gp, 1, moved, t, &mean[side], &var[side]));
        }
        ASSERT_NEAR(dmean[d], (mean[1] - mean[0]) / (2 * h), tolerance);
        ASSERT_NEAR(dvar[d], (var[1] - var[0]) / (2 * h), tolerance);
    }
}

/* To the nearest of the rows: next to the kink of Matern 1/2 a difference is no gradient. */
static double distance(const double *z, const double *X) {
    double nearest = INFINITY;
    for (size_t i = 0; i < ROWS; i++)
        nearest = fmin(nearest, hypot(z[0] - X[2 * i], z[1] - X[2 * i + 1]));
    return nearest;
}

/* Every kernel of coordinates, 100 points with a mean that has a slope; mean alone and var alone give the same. */
TEST_WHERE(gradients_are_differences, CASES_KERNELS, cases_kernel_at((size_t)_i)->kind != REF_TABLE) {
    const struct ref_kernel *k = cases_kernel_at((size_t)_i);
    const double slope[] = {0.7, -2};
    struct rnd r = {(uint64_t)_i};
    double X[ROWS * 2], t[ROWS], y[ROWS], z[200], dmean[200], dvar[200], alone[200];
    rnd_fill(&r, ROWS * 2, X);
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = (double)i / 3;
        y[i] = rnd_normal(&r);
    }
    rnd_fill(&r, 200, z);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, kernel, MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.02), 0.01);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 3, slope));
    assert_gradient(gp, 2, z, 20, 1e-8); /* the prior's */
    ASSERT_OK(tvgp_gp_add(gp, ROWS, X, t, y, NULL));
    for (size_t i = 0; i < 100; i++)
        if (k->kind != REF_MATERN12 || distance(z + 2 * i, X) > 0.03)
            assert_gradient(gp, 2, z + 2 * i, 20, 1e-6);
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 100, z, 20, NULL, NULL, dmean, dvar));
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 100, z, 20, NULL, NULL, alone, NULL));
    ck_assert_mem_eq(alone, dmean, sizeof alone);
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 100, z, 20, NULL, NULL, NULL, alone));
    ck_assert_mem_eq(alone, dvar, sizeof alone);
    if (k->kind != REF_MATERN12)
        assert_gradient(gp, 2, X, 20, 1e-6); /* at an observed point */
}

/* A kernel that only has values: differenced, in sums and products too. */
static tvgp_status values_only(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                               size_t ldk) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double a = X[i * kernel->dim] - Z[j * kernel->dim], b = X[i * kernel->dim + 1] - Z[j * kernel->dim + 1];
            K[i * ldk + j] = exp(-3 * a * a - 5 * b * b) * (1 + X[i * kernel->dim] * Z[j * kernel->dim]);
        }
    return TVGP_OK;
}

static tvgp_status values_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    for (size_t i = 0; i < n; i++)
        d[i] = 1 + X[i * kernel->dim] * X[i * kernel->dim];
    return TVGP_OK;
}

TEST_EACH(a_kernel_without_gradient_is_differenced, 2) {
    static const tvgp__kernel_ops ops = {.block = values_only, .diag = values_diag};
    const struct ref_kernel *se = cases_kernel_at(0);
    struct rnd r = {4};
    double X[ROWS * 2], y[ROWS], z[40];
    tvgp_kernel *own;
    rnd_fill(&r, ROWS * 2, X);
    rnd_fill(&r, ROWS, y);
    rnd_fill(&r, 40, z);
    ASSERT_OK(tvgp__kernel_new(ctx, &ops, 2, sizeof *own, &own));
    tvgp_kernel *other = MAKE_KERNEL(cases_kernel, ctx, se);
    tvgp_kernel *product =
        _i ? MAKE_KERNEL(tvgp_kernel_product, ctx, other, own) : MAKE_KERNEL(tvgp_kernel_sum, ctx, own, other);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, product, NULL, 0.05);
    ASSERT_OK(tvgp_gp_add(gp, ROWS, X, NULL, y, NULL));
    for (size_t i = 0; i < 20; i++)
        assert_gradient(gp, 2, z + 2 * i, 0, 1e-5);
    memory.fail_in = 2; /* the workspace of a prediction, then that of the differences */
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_gp_predict_gradient(gp, 1, z, 0, NULL, NULL, y, NULL), "out of memory");
    tvgp_gp_destroy(gp);
    tvgp__kernel_release(own);
}

TEST(a_table_has_no_gradient) {
    const struct ref_kernel *k = cases_kernel_at(7);
    const double x = 3, y = 1;
    double mean = -7, var, d;
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, MAKE_KERNEL(cases_kernel, ctx, k), NULL, 0.05);
    ASSERT_OK(tvgp_gp_add(gp, 1, &x, NULL, &y, NULL));
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 1, &x, 0, &mean, &var, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_gp_predict_gradient(gp, 1, &x, 0, NULL, NULL, &d, NULL),
                 "tvgp_gp_predict_gradient", "table", "gradient");
    ASSERT_OK(tvgp_gp_predict_gradient(gp, 0, NULL, 0, NULL, NULL, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict_gradient(gp, 1, NULL, 0, NULL, NULL, NULL, NULL), "X is NULL");
}

/* ---- the form itself -------------------------------------------------------------------------------------------- */

/* ROWS points, an arbitrary lower factor in a larger array, arbitrary u and c, S positive semi-definite with norm < 1. */
struct parts {
    double X[ROWS * 2], c[ROWS], L[ROWS * 50], W[ROWS * 50], u[ROWS], S[ROWS * ROWS];
    tvgp__predictive form;
};

static void make_parts(struct parts *p, const tvgp_kernel *kernel, struct rnd *r) {
    memset(p, 0, sizeof *p);
    rnd_fill(r, ROWS * 2, p->X);
    rnd_fill(r, ROWS, p->u);
    for (size_t j = 0; j < ROWS; j++) {
        p->c[j] = 0.2 + 0.5 * rnd_uniform(r);
        for (size_t i = j; i < ROWS; i++) {
            p->L[j * 50 + i] = i == j ? 6 : 0.3 * (rnd_uniform(r) - 0.5);
            p->S[j * ROWS + i] = i == j ? 0.5 : 0.02 * (rnd_uniform(r) - 0.5);
        }
    }
    memcpy(p->W, p->L, sizeof p->L);
    tvgp__blas_trtri(ROWS, p->W, 50);
    p->form = tvgp__predictive_of(ctx, kernel, ROWS, p->X, p->L, 50, p->u);
}

/* mean and variance by their definition, in plain loops. */
static void plain(const struct parts *p, const struct ref_kernel *k, const double *z, double *mean, double *var) {
    const tvgp__predictive *f = &p->form;
    double v[ROWS];
    *mean = f->shift;
    *var = f->kappa * ref_kernel(k, z, z) + f->extra;
    for (size_t i = 0; i < ROWS; i++) {
        v[i] = f->fade * (f->c ? p->c[i] : 1) * ref_kernel(k, z, p->X + 2 * i);
        for (size_t j = 0; j < i; j++)
            v[i] -= p->L[j * 50 + i] * v[j];
        v[i] /= p->L[i * 51];
        *mean += p->u[i] * v[i];
        *var += f->cross ? 2 * f->cross[i] * v[i] : 0;
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            *var -= v[i] * v[j] * (f->S ? f->scale * p->S[i < j ? i * ROWS + j : j * ROWS + i] : (i == j ? 1.0 : 0.0));
    *var *= f->spread;
}

/* Bits: the inverse factor, S, c, and with S an unknown constant. */
static void set_form(struct parts *p, int bits, const double *cross) {
    tvgp__predictive *f = &p->form;
    f->fade = 0.9;
    f->kappa = 1.2;
    f->inverse = bits & 1;
    f->factor = bits & 1 ? p->W : p->L;
    f->S = bits & 2 ? p->S : NULL;
    f->scale = bits & 2 ? 0.8 : f->scale;
    f->c = bits & 4 ? p->c : NULL;
    f->cross = bits & 8 ? cross : NULL;
    f->extra = bits & 8 ? 0.3 : 0;
    f->shift = bits & 8 ? 0.1 : 0;
    f->spread = bits & 8 ? 1.5 : 1;
}

/* Where there is one, the form for many scores is the same. */
static void assert_condensed(struct parts *p, size_t n, const double *z, double *work, const double *mean, const double *var,
                             const double *score, const double *dscore) {
    enum { M = TVGP__PREDICTIVE_BLOCK };
    static double room[50 * 52], got_mean[2 * M], got_var[2 * M], got[M], slope[2 * M];
    const int fits = p->form.S && p->form.inverse && !p->form.c;
    ck_assert_uint_eq(tvgp__predictive_condensed(&p->form), fits ? sizeof room / sizeof *room : 0);
    if (!fits)
        return;
    tvgp__predictive_condense(&p->form, room);
    ASSERT_OK(tvgp__predictive_moments(&p->form, n, z, work, got_mean, got_var));
    ASSERT_OK(tvgp__rule_points_ucb(&p->form, 1.7, M, z, work, got, slope));
    ASSERT_ALL_NEAR(n, got_mean, mean, 1e-13);
    ASSERT_ALL_NEAR(n, got_var, var, 1e-13);
    ASSERT_ALL_NEAR(M, got, score, 1e-13);
    ASSERT_ALL_NEAR(2 * M, slope, dscore, 1e-12);
    p->W[51 * (ROWS - 1)] *= 2e3; /* a pivot so small that digits would be lost */
    ck_assert_uint_eq(tvgp__predictive_condensed(&p->form), 0);
}

/* For a kernel whose variance has no slope, and with a constant for one whose variance has; 300 points are two blocks. */
TEST_WHERE(form_by_its_definition, 16, !(_i & 8) || (_i & 2)) {
    enum { N = 300, M = TVGP__PREDICTIVE_BLOCK };
    static const struct ref_kernel flat = {.kind = REF_SE, .dim = 2, .variance = 1.4, .l = {0.3, 0.6}};
    static struct parts p;
    static double z[N * 2], mean[N], var[N], dmean[N * 2], dvar[N * 2], work[(4 * ROWS + 3) * M];
    const struct ref_kernel *k = _i & 8 ? cases_kernel_at(9) : &flat;
    double score[M], dscore[M * 2], want_mean, want_var, cross[ROWS];
    struct rnd r = {(uint64_t)_i + 20};
    make_parts(&p, MAKE_KERNEL(cases_kernel, ctx, k), &r);
    rnd_fill(&r, N * 2, z);
    rnd_fill(&r, ROWS, cross);
    set_form(&p, _i, cross);
    ASSERT_OK(tvgp__predictive_evaluate(&p.form, N, z, work, &(tvgp__predictive_values){mean, var, dmean, dvar}));
    for (size_t i = 0; i < N; i++) {
        plain(&p, k, z + 2 * i, &want_mean, &want_var);
        ASSERT_NEAR(mean[i], want_mean, 1e-12);
        ASSERT_NEAR(var[i], want_var, 1e-12);
        ck_assert(want_var > 0.01);
    }
    ASSERT_OK(tvgp__rule_points_ucb(&p.form, 1.7, M, z, work, score, dscore));
    for (size_t i = 0; i < M; i++) {
        ASSERT_NEAR(score[i], mean[i] + 1.7 * sqrt(var[i]), 1e-13);
        for (size_t d = 2 * i; d < 2 * i + 2; d++)
            ASSERT_NEAR(dscore[d], dmean[d] + 1.7 * dvar[d] / (2 * sqrt(var[i])), 1e-11);
    }
    for (size_t i = 0; i < M; i += 7) /* one at a time, and differences */
        for (size_t d = 0; d < 2; d++) {
            double at[2] = {z[2 * i], z[2 * i + 1]}, low, high, one, gradient[2];
            ASSERT_OK(tvgp__rule_points_ucb(&p.form, 1.7, 1, at, work, &one, gradient));
            ASSERT_NEAR(one, score[i], 1e-12);
            at[d] -= 1e-5;
            ASSERT_OK(tvgp__rule_points_ucb(&p.form, 1.7, 1, at, work, &low, NULL));
            at[d] += 2e-5;
            ASSERT_OK(tvgp__rule_points_ucb(&p.form, 1.7, 1, at, work, &high, NULL));
            ASSERT_NEAR(dscore[2 * i + d], (high - low) / 2e-5, 1e-7);
            ASSERT_NEAR(gradient[d], dscore[2 * i + d], 1e-11);
        }
    assert_condensed(&p, N, z, work, mean, var, score, dscore);
}

/* No points: the prior. A variance of 0: the score has the gradient of the mean. */
TEST(prior_and_certainty) {
    static const struct ref_kernel se = {.kind = REF_SE, .dim = 2, .variance = 2, .l = {0.3, 0.6}};
    const double z[] = {0.3, 0.4}, x[] = {0.35, 0.4}, L = 1, u = 0.5;
    double work[8], mean, var, score, dscore[2], dmean[2];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &se);
    tvgp__predictive form = tvgp__predictive_of(ctx, kernel, 0, NULL, NULL, 1, NULL);
    form.kappa = 3;
    ASSERT_OK(tvgp__predictive_predict(&form, 1, z, &(tvgp__predictive_values){.mean = &mean, .var = &var}));
    ck_assert_double_eq(mean, 0);
    ck_assert_double_eq(var, 6);
    ASSERT_OK(tvgp__rule_points_ucb(&form, 2, 1, z, work, &score, dscore));
    ASSERT_NEAR(score, 2 * sqrt(6), 1e-15);
    ck_assert(dscore[0] == 0 && dscore[1] == 0);
    form = tvgp__predictive_of(ctx, kernel, 1, x, &L, 1, &u); /* k / 1 explains more than there is */
    ASSERT_OK(tvgp__predictive_predict(&form, 1, z, &(tvgp__predictive_values){.mean = &mean, .var = &var, .dmean = dmean}));
    ck_assert_double_eq(var, 0);
    ASSERT_OK(tvgp__rule_points_ucb(&form, 2, 1, z, work, &score, dscore));
    ASSERT_NEAR(score, mean + 2 * sqrt(2e-14), 1e-15);
    ASSERT_NEAR(dscore[0], dmean[0], 1e-15);
}

/* ---- the pull of kernels of a distance -------------------------------------------------------------------------- */

enum { MANY = 300, FEW = 11, MOST = 21 };

static tvgp_kernel *of_distance(size_t dim, int family) {
    double length[MOST];
    tvgp_kernel *kernel = NULL;
    for (size_t d = 0; d < dim; d++)
        length[d] = 0.8 + 0.1 * (double)d;
    if (family == 0)
        kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, dim, 1.3, dim, length);
    else if (family == 1)
        kernel = MAKE_KERNEL(tvgp_kernel_rational_quadratic, ctx, dim, 1.7, 1.3, dim, length);
    else
        kernel = MAKE_KERNEL(tvgp_kernel_matern, ctx, dim, family - 0.5, 1.3, dim, length);
    return kernel;
}

/* sum_j c_j k(z, x_j), z moved by h along d */
static double moved_sum(const tvgp_kernel *kernel, const double *z, size_t dim, size_t d, double h, const double *X,
                        const double *c) {
    double at[MOST], K[MANY], sum = 0;
    memcpy(at, z, dim * sizeof *z);
    at[d] += h;
    ASSERT_OK(tvgp_kernel_gram(kernel, 1, at, MANY, X, K));
    for (size_t j = 0; j < MANY; j++)
        sum += c[j] * K[j];
    return sum;
}

/* More points and more coordinates than are worked on at a time, against differences. */
TEST_WHERE(pull_in_many_dimensions, MOST + 1, _i >= 1) {
    static double X[MANY * MOST], Z[FEW * MOST], K[FEW * MANY], C[FEW * MANY], used[FEW * MANY], G[FEW * MOST];
    const size_t dim = (size_t)_i;
    struct rnd r = {(uint64_t)_i};
    rnd_fill(&r, MANY * dim, X);
    rnd_fill(&r, FEW * dim, Z);
    rnd_fill(&r, FEW * MANY, C);
    for (int family = 0; family < 4; family++) {
        tvgp_kernel *kernel = of_distance(dim, family);
        ASSERT_OK(tvgp_kernel_gram(kernel, FEW, Z, MANY, X, K));
        memcpy(used, C, sizeof used);
        memset(G, 0, sizeof G);
        ASSERT_OK(tvgp__kernel_pull(kernel, FEW, Z, MANY, X, K, used, G));
        for (size_t i = 0; i < FEW; i++)
            for (size_t d = 0; d < dim; d++) {
                double high = moved_sum(kernel, Z + i * dim, dim, d, 1e-5, X, C + i * MANY);
                double low = moved_sum(kernel, Z + i * dim, dim, d, -1e-5, X, C + i * MANY);
                ASSERT_NEAR(G[i * dim + d], (high - low) / 2e-5, 1e-7);
            }
    }
}

int main(void) {
    golden_read_box();
    return HARNESS_RUN("form", harness_setup, harness_teardown);
}
