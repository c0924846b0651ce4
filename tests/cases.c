/* SPDX-License-Identifier: MIT */
#include "cases.h"
#include "outside.h"

#include <math.h>
#include <stdlib.h>

static const struct ref_kernel se = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.3, 0.5}};
static const struct ref_kernel linear = {.kind = REF_LINEAR, .dim = 2, .variance = 0.8, .bias = 0.3, .l = {0.5, 2}};
static double covariance[CASES_ARMS * CASES_ARMS], diffusion[CASES_ARMS * CASES_ARMS];
static const struct ref_kernel kernels[CASES_ALL] = {
    {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
    {.kind = REF_MATERN12, .dim = 2, .variance = 0.7, .l = {0.4, 0.8}},
    {.kind = REF_MATERN32, .dim = 2, .variance = 1.7, .l = {0.4, 0.4}},
    {.kind = REF_MATERN52, .dim = 2, .variance = 1, .l = {0.3, 0.6}},
    {.kind = REF_RATIONAL_QUADRATIC, .dim = 2, .variance = 1.3, .alpha = 0.75, .l = {0.4, 0.8}},
    {.kind = REF_PERIODIC, .dim = 2, .variance = 1.2, .l = {0.6, 1.1}, .period = {0.9, 1.4}},
    {.kind = REF_LINEAR, .dim = 2, .variance = 0.8, .bias = 0.3, .l = {0.5, 2}},
    {.kind = REF_TABLE, .dim = 1, .n = CASES_ARMS, .table = covariance},
    {.kind = REF_SUM, .dim = 2, .a = &se, .b = &linear},
    {.kind = REF_PRODUCT, .dim = 2, .a = &se, .b = &linear},
    {.kind = REF_SE, .dim = 2, .variance = 0.9, .l = {0.35, 0.35}},
    {.kind = REF_TABLE, .dim = 1, .n = CASES_ARMS, .table = diffusion},
};
static const struct ref_kernel *const outside = &kernels[CASES_KERNELS], *const ring = &kernels[CASES_KERNELS + 1];
static const double beta = 1.5;

const struct ref_kernel *cases_kernel_at(size_t i) {
    for (size_t j = 0; &kernels[i] == ring && j < CASES_ARMS * CASES_ARMS; j++)
        diffusion[j] = outside_ring_kernel(CASES_ARMS, beta, j / CASES_ARMS, j % CASES_ARMS);
    if (kernels[i].kind == REF_TABLE) /* a random walk pulled back to its mean, with different variances */
        for (size_t j = 0; j < CASES_ARMS * CASES_ARMS; j++) {
            double a = (double)(j / CASES_ARMS), b = (double)(j % CASES_ARMS);
            covariance[j] = (1 + a / 20) * (1 + b / 20) * pow(0.8, fabs(a - b));
        }
    return &kernels[i];
}

int cases_combined(size_t row, size_t kernel, size_t n) {
    const size_t turn = (kernel + 7 * row) % n;
    return harness_all() || turn == 0 || turn == 3 || turn == 7;
}

const char *cases_kernel_name(size_t i) {
    static const char *const names[CASES_ALL] = {"se",         "matern12",    "matern32", "matern52", "rational quadratic",
                                                 "periodic",   "linear",      "table",    "sum",      "product",
                                                 "outside se", "outside ring"};
    return names[i];
}

static tvgp_status combine(tvgp_ctx *c, const struct ref_kernel *k, tvgp_kernel **out) {
    tvgp_kernel *a = NULL, *b = NULL;
    tvgp_status status = cases_kernel(c, k->a, &a);
    if (status == TVGP_OK)
        status = cases_kernel(c, k->b, &b);
    if (status == TVGP_OK)
        status = k->kind == REF_SUM ? tvgp_kernel_sum(c, a, b, out) : tvgp_kernel_product(c, a, b, out);
    tvgp_kernel_destroy(a);
    tvgp_kernel_destroy(b);
    return status;
}

static int registered;

/* Registered where that is not so yet. */
static tvgp_status from_outside(tvgp_ctx *c, const struct ref_kernel *k, tvgp_kernel **out) {
    tvgp_status status = tvgp_ctx_register_kernel(c, k == ring ? &outside_diffusion : &outside_se, &registered, NULL);
    if (status == TVGP_ERR_NOMEM)
        return status;
    if (k == ring) {
        struct outside_ring *data = outside_ring_new(CASES_ARMS, beta);
        status = tvgp_kernel_of_type(c, outside_diffusion.name, 1, data, out);
        if (status != TVGP_OK)
            outside_diffusion.release(data);
        return status;
    }
    struct outside_se *data = calloc(1, sizeof *data);
    *data = (struct outside_se){.variance = k->variance, .lengthscale = k->l[0]};
    status = tvgp_kernel_of_type(c, outside_se.name, 2, data, out);
    if (status != TVGP_OK)
        outside_se.release(data);
    return status;
}

tvgp_status cases_kernel(tvgp_ctx *c, const struct ref_kernel *k, tvgp_kernel **out) {
    size_t dim = k->dim;
    if (k == outside || k == ring)
        return from_outside(c, k, out);
    switch (k->kind) {
    case REF_SE:
        return tvgp_kernel_se(c, dim, k->variance, dim, k->l, out);
    case REF_MATERN12:
        return tvgp_kernel_matern(c, dim, 0.5, k->variance, dim, k->l, out);
    case REF_MATERN32:
        return tvgp_kernel_matern(c, dim, 1.5, k->variance, dim, k->l, out);
    case REF_MATERN52:
        return tvgp_kernel_matern(c, dim, 2.5, k->variance, dim, k->l, out);
    case REF_RATIONAL_QUADRATIC:
        return tvgp_kernel_rational_quadratic(c, dim, k->alpha, k->variance, dim, k->l, out);
    case REF_PERIODIC:
        return tvgp_kernel_periodic(c, dim, k->variance, dim, k->l, dim, k->period, out);
    case REF_LINEAR:
        return tvgp_kernel_linear(c, dim, k->variance, dim, k->l, k->bias, out);
    case REF_TABLE:
        return tvgp_kernel_table(c, k->n, k->table, out);
    case REF_SUM:
    case REF_PRODUCT:
        return combine(c, k, out);
    }
    return TVGP_ERR_INTERNAL;
}

tvgp_status cases_domain(tvgp_ctx *c, const struct ref_kernel *k, double *X, tvgp_domain **out) {
    if (k->kind == REF_TABLE)
        for (size_t i = 0; i < CASES_ARMS; i++)
            X[i] = (double)i;
    if (k == ring) {
        tvgp_status status = tvgp_ctx_register_domain(c, &outside_vertices, &registered, NULL);
        struct outside_ring *data = outside_ring_new(CASES_ARMS, beta);
        if (status != TVGP_ERR_NOMEM)
            status = tvgp_domain_of_type(c, outside_vertices.name, CASES_ARMS, 1, data, out);
        if (status != TVGP_OK)
            outside_vertices.release(data);
        return status;
    }
    if (k->kind == REF_TABLE)
        return tvgp_domain_indices(c, CASES_ARMS, out);
    rnd_fill(&(struct rnd){7}, CASES_ARMS * k->dim, X);
    return tvgp_domain_arms(c, CASES_ARMS, k->dim, X, out);
}

tvgp_domain *cases_square(int box) {
    double X[2 * CASES_ARMS];
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    rnd_fill(&(struct rnd){7}, 2 * CASES_ARMS, X);
    return box ? MAKE_DOMAIN(tvgp_domain_box, ctx, 2, lower, upper) : MAKE_DOMAIN(tvgp_domain_arms, ctx, CASES_ARMS, 2, X);
}

tvgp_status cases_policy(tvgp_ctx *c, const char *name, const struct ref_kernel *k, tvgp_policy **out) {
    double X[CASES_ARMS * REF_MAX_DIM];
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_status status = cases_domain(c, k, X, &domain);
    if (status == TVGP_OK)
        status = cases_kernel(c, k, &kernel);
    if (status == TVGP_OK)
        status = tvgp_policy_create(c, name, domain, kernel, out);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return status;
}

/* ---- what every policy must do ----------------------------------------------------------------------------------- */

void cases_set(tvgp_policy *p, const char *option, double value) {
    if (harness_has(p, option))
        ck_assert(tvgp_policy_set_f64(p, option, value) == TVGP_OK ||
                  tvgp_policy_set_i64(p, option, (int64_t)value) == TVGP_OK);
}

int cases_has_model(const tvgp_policy *p) {
    return harness_has(p, "noise");
}

/* Where there is no model and no arm that is given, and in the draw of a dictionary. */
int cases_is_random(const tvgp_policy *p) {
    return (!cases_has_model(p) && !harness_has(p, "arm")) || harness_has(p, "qbar");
}

/* Without what any of these options is about: noise that ages, outcomes that are replaced, a dictionary, several drift
 * models, resets by what is given. */
int cases_has_reference(const tvgp_policy *p) {
    static const char *const others[] = {"decay", "noise_growth", "side.noise", "qbar", "drift.models", "trigger.delta"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (harness_has(p, others[i]))
            return 0;
    return cases_has_model(p);
}

void cases_reference(const tvgp_policy *p, const struct ref_kernel *k, size_t most, struct ref_gp *out) {
    double epsilon = 0;
    if (harness_has(p, "time.kernel"))
        ASSERT_OK(tvgp_policy_get_f64(p, "epsilon", &epsilon));
    ref_gp_init(out, k, epsilon, harness_has(p, "window") ? CASES_WINDOW : most);
}

void cases_observe(struct ref_gp *ref, const double *x, double t, double y, double noise) {
    if (ref->n == ref->capacity)
        ref_gp_drop(ref, 1);
    ref_gp_add(ref, x, t, y, noise);
}

static void destroy_in_order(int order, tvgp_ctx *c, tvgp_domain *d, tvgp_kernel *k, tvgp_policy *p) {
    int left[4] = {0, 1, 2, 3}, alive = 1;
    double x[REF_MAX_DIM];
    tvgp_query q;
    ck_assert_int_eq(tvgp_policy_ask_one(p, 1, &q, x), TVGP_OK);
    for (int n = 4; n > 0; n--) {
        int pick = order % n, which = left[pick];
        order /= n;
        left[pick] = left[n - 1];
        if (which == 0)
            tvgp_ctx_destroy(c);
        else if (which == 1)
            tvgp_domain_destroy(d);
        else if (which == 2)
            tvgp_kernel_destroy(k);
        else
            tvgp_policy_destroy(p);
        alive = alive && which != 3;
        if (!alive)
            continue;
        ck_assert_int_eq(tvgp_policy_tell_value(p, q.id, 1), TVGP_OK);
        ck_assert_int_eq(tvgp_policy_ask_one(p, 6 - n, &q, x), TVGP_OK);
        ck_assert_int_eq(tvgp_policy_tell_value(p, 999, 1), TVGP_ERR_TICKET);
    }
}

void cases_destroy_in_any_order(cases_maker make) {
    for (int order = 0; order < 24; order++) {
        struct memory m = {0};
        tvgp_allocator hooks = memory_hooks(&m);
        tvgp_ctx *own = NULL;
        tvgp_domain *d = NULL;
        tvgp_kernel *k = NULL;
        tvgp_policy *p = NULL;
        ck_assert_int_eq(tvgp_ctx_create(&hooks, &own), TVGP_OK);
        ck_assert_int_eq(make(own, &d, &k, &p), TVGP_OK);
        destroy_in_order(order, own, d, k, p);
        ck_assert_uint_eq(m.allocated, m.released);
    }
}
