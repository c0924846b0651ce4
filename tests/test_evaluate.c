/* SPDX-License-Identifier: MIT */
/* tvgp_policy_evaluate: every quantity alone is what it is together with all others, at points and without them; and a call that
 * fails writes nothing. What scores and risks mean is tested in test_score.c and test_constraints.c. */
#include "harness.h"

#include <math.h>
#include <string.h>

enum { SIDE = 5, ARMS = SIDE * SIDE, DIM = 2, KINDS = 6 };

struct arrays {
    double mean[ARMS], var[ARMS], dmean[DIM * ARMS], dvar[DIM * ARMS], score[ARMS], risk[ARMS];
};

/* Which of the arrays are wanted, as bits in the order of the record. */
static tvgp_prediction wanted(struct arrays *a, unsigned which) {
    return (tvgp_prediction){.struct_size = sizeof(tvgp_prediction),
                             .mean = which & 1 ? a->mean : NULL,
                             .var = which & 2 ? a->var : NULL,
                             .dmean = which & 4 ? a->dmean : NULL,
                             .dvar = which & 8 ? a->dvar : NULL,
                             .score = which & 16 ? a->score : NULL,
                             .risk = which & 32 ? a->risk : NULL};
}

static const struct {
    size_t from, size;
} parts[KINDS] = {{offsetof(struct arrays, mean), ARMS},       {offsetof(struct arrays, var), ARMS},
                  {offsetof(struct arrays, dmean), DIM *ARMS}, {offsetof(struct arrays, dvar), DIM *ARMS},
                  {offsetof(struct arrays, score), ARMS},      {offsetof(struct arrays, risk), ARMS}};

static const double *part(const struct arrays *a, int kind) {
    return (const double *)((const char *)a + parts[kind].from);
}

static void fill(struct arrays *a) {
    double *const all = (double *)a;
    for (size_t i = 0; i < sizeof *a / sizeof *all; i++)
        all[i] = 77;
}

static void same(const struct arrays *a, const struct arrays *b, unsigned which) {
    for (int k = 0; k < KINDS; k++)
        for (size_t i = 0; i < parts[k].size; i++)
            if (which >> k & 1)
                ASSERT_NEAR(part(a, k)[i], part(b, k)[i], 1e-9);
            else
                ck_assert_msg(part(a, k)[i] == 77, "part %d was written and not wanted", k);
}

static tvgp_domain *domain;
static tvgp_kernel *kernel;
static double X[DIM * ARMS];

static tvgp_policy *play(const char *name, const tvgp_domain *on, int constrained) {
    tvgp_policy *model;
    double x[DIM];
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, on, kernel);
    if (constrained) {
        model = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", on, kernel);
        ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 1));
        ASSERT_OK(tvgp_policy_set_safe(p, 1, X));
    }
    for (int t = 1; t <= 12; t++) {
        tvgp_query q = harness_ask_at(p, t, x);
        const double y[] = {sin(3 * x[0] + 0.1 * t) + x[1], 0.2 * x[0]};
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, constrained ? 2 : 1, y));
    }
    return p;
}

static void setup(void) {
    const double lower[] = {0, 0}, upper[] = {1, 1}, lengthscale = 0.4;
    const size_t points[] = {SIDE, SIDE};
    harness_setup();
    domain = harness_grid(DIM, lower, upper, points);
    kernel = harness_se(DIM, 1, &lengthscale);
    for (size_t i = 0; i < ARMS; i++)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, X + DIM * i));
}

static void teardown(void) {
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    harness_teardown();
}

/* Any set of quantities, at all arms and at their points. */
TEST(any_set) {
    tvgp_policy *p = play("tv-gp-ucb", domain, 1);
    struct arrays all, some;
    fill(&all);
    const tvgp_prediction every = wanted(&all, 63);
    ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, NULL, &every));
    for (unsigned which = 0; which < 64; which++)
        for (int points = 0; points < 2; points++) {
            const tvgp_prediction few = wanted(&some, which);
            fill(&some);
            ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, points ? X : NULL, &few));
            same(&some, &all, which);
        }
    ASSERT_OK(tvgp_policy_predict(p, 13, ARMS, NULL, some.mean, some.var));
    same(&some, &all, 3 | (part(&some, 2)[0] == 77 ? 0 : 60));
}

/* The gradients are derivatives of the moments. */
TEST(gradients) {
    tvgp_policy *p = play("gp-ucb", domain, 0);
    const double h = 1e-5;
    struct arrays at, shifted[2];
    const tvgp_prediction all = wanted(&at, 15), two[] = {wanted(&shifted[0], 3), wanted(&shifted[1], 3)};
    ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, NULL, &all));
    for (int d = 0; d < DIM; d++) {
        for (int side = 0; side < 2; side++) {
            double there[DIM * ARMS];
            memcpy(there, X, sizeof X);
            for (size_t i = 0; i < ARMS; i++)
                there[DIM * i + (size_t)d] += side ? h : -h;
            ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, there, &two[side]));
        }
        for (size_t i = 0; i < ARMS; i++) {
            ASSERT_NEAR(at.dmean[DIM * i + (size_t)d], (shifted[1].mean[i] - shifted[0].mean[i]) / (2 * h), 1e-5);
            ASSERT_NEAR(at.dvar[DIM * i + (size_t)d], (shifted[1].var[i] - shifted[0].var[i]) / (2 * h), 1e-5);
        }
    }
}

/* On a box points or candidates are needed, and risks then belong to the candidates too. */
TEST(on_a_box) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    tvgp_policy *p = play("gp-ucb", harness_box(DIM, lower, upper), 1);
    struct arrays all, given;
    const tvgp_prediction every = wanted(&all, 63), those = wanted(&given, 63);
    fill(&all);
    for (unsigned kind = 1; kind < 64; kind *= 2) {
        const tvgp_prediction one = wanted(&all, kind);
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_evaluate(p, 13, ARMS, NULL, &one), "X is NULL");
    }
    ck_assert(all.mean[0] == 77 && all.risk[0] == 77);
    ASSERT_OK(tvgp_policy_set_candidates(p, ARMS, X, NULL));
    ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, NULL, &every));
    ASSERT_OK(tvgp_policy_evaluate(p, 13, ARMS, X, &those));
    same(&all, &given, 63);
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_evaluate(p, 13, 3, NULL, &those), "n = 3");
}

TEST(refusals) {
    const double lower = 0, upper = 1, nan_at[DIM] = {0, NAN}, far[DIM] = {0, 1e200}, lengthscale[] = {1, 1, 1};
    tvgp_policy *p = play("gp-ucb", domain, 0);
    struct arrays all;
    fill(&all);
    tvgp_prediction every = wanted(&all, 63), risk = wanted(&all, 32), score = wanted(&all, 16), slopes = wanted(&all, 12);
    every.struct_size--;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_evaluate(p, 13, ARMS, NULL, &every), "struct_size");
    every.struct_size++;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_evaluate(p, 13, ARMS, NULL, NULL), "out is NULL");
    for (unsigned kind = 0; kind < 64; kind = kind ? 2 * kind : 1) {
        const tvgp_prediction one = wanted(&all, kind);
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_evaluate(p, 11.5, 1, X, &one), "t");
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_evaluate(p, NAN, 1, X, &one), "t");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_evaluate(p, 13, (size_t)1 << 40, X, &one), "n");
        if (!kind)
            continue;
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_evaluate(p, 13, 1, nan_at, &one), "X");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_evaluate(p, 13, 1, far, &one), "X");
        ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_evaluate(p, 13, 3, NULL, &one), "n = 3");
        ASSERT_OK(tvgp_policy_evaluate(p, 13, 0, NULL, &one));
    }
    tvgp_policy *random = MAKE_POLICY(tvgp_policy_create, ctx, "random", domain, NULL);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_evaluate(random, 1, ARMS, NULL, &score), "random");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_evaluate(random, 1, ARMS, NULL, &slopes), "random");
    ASSERT_OK(tvgp_policy_evaluate(random, 1, ARMS, NULL, &risk));
    ck_assert(all.risk[0] == 0 && all.score[0] == 77 && all.mean[0] == 77 && all.dvar[0] == 77);

    tvgp_domain *product = MAKE_DOMAIN(tvgp_domain_product, ctx, domain, harness_box(1, &lower, &upper));
    tvgp_policy *contexts = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", product, harness_se(3, 3, lengthscale));
    const tvgp_prediction moments = wanted(&all, 3);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_evaluate(contexts, 1, ARMS, NULL, &moments), "context");
    ck_assert(all.mean[0] == 77);
}

int main(void) {
    return HARNESS_RUN("evaluate", setup, teardown);
}
