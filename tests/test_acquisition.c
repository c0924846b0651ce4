/* SPDX-License-Identifier: MIT */
/* acquisition: width schedules against golden values, the choice rule and its ties. */
#include "choose/exploration_schedule.h"
#include "choose/rule.h"
#include "golden/golden_betas.h"
#include "harness.h"

#include <math.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static const tvgp__option_group group[] = {TVGP__OPTION_GROUP(tvgp__exploration_schedule_options, 0)};

static tvgp__exploration_schedule_config width(int schedule) {
    tvgp__exploration_schedule_config c;
    tvgp__option_defaults(group, 1, &c);
    ck_assert_int_eq(c.schedule, TVGP__EXPLORATION_SCHEDULE_LOG); /* the documented defaults */
    ck_assert(c.c1 == 0.8 && c.c2 == 4);
    c.schedule = schedule;
    return c;
}

/* golden betas stand under a square root */
static void assert_beta(const tvgp__exploration_schedule_config *c, const tvgp__exploration_schedule_inputs *in,
                        double beta) {
    ASSERT_NEAR(tvgp__exploration_schedule_at(c, in), sqrt(fmax(beta, 0)), 1e-14);
}

TEST(closed_schedules) {
    tvgp__exploration_schedule_config log = width(TVGP__EXPLORATION_SCHEDULE_LOG),
                                      finite = width(TVGP__EXPLORATION_SCHEDULE_FINITE);
    for (size_t i = 0; i < ROWS(golden_log_beta); i++) { /* t, c1, c2, v */
        const double *g = golden_log_beta[i];
        log.c1 = g[1];
        log.c2 = g[2];
        assert_beta(&log, &(tvgp__exploration_schedule_inputs){.t = g[0]}, g[3]);
    }
    for (size_t i = 0; i < ROWS(golden_srinivas_finite_beta); i++) { /* t, nD, delta, v */
        const double *g = golden_srinivas_finite_beta[i];
        finite.delta = g[2];
        assert_beta(&finite, &(tvgp__exploration_schedule_inputs){.t = g[0], .n = g[1]}, g[3]);
    }
    tvgp__exploration_schedule_config prior = width(TVGP__EXPLORATION_SCHEDULE_PRIOR_FINITE);
    for (size_t i = 0; i < ROWS(golden_pe_width_A); i++) { /* t, T, nX, delta, v (the width itself) */
        const double *g = golden_pe_width_A[i];
        prior.horizon = (int64_t)g[1];
        prior.delta = g[3];
        ASSERT_NEAR(tvgp__exploration_schedule_at(&prior, &(tvgp__exploration_schedule_inputs){.t = g[0], .n = g[2]}), g[4],
                    1e-14);
    }
    /* unknown: the actions so far */
    const tvgp__exploration_schedule_inputs in = {.t = 321, .n = 7};
    prior.horizon = 321;
    const double known = tvgp__exploration_schedule_at(&prior, &in);
    prior.horizon = 0;
    ck_assert_double_eq(tvgp__exploration_schedule_at(&prior, &in), known);
}

static void assert_smooth(int schedule, const double (*rows)[7], size_t n) { /* t, d, r, a, b, delta, v */
    tvgp__exploration_schedule_config c = width(schedule);
    for (size_t i = 0; i < n; i++) {
        const double *g = rows[i];
        c.a = g[3];
        c.b = g[4];
        c.delta = g[5];
        assert_beta(&c, &(tvgp__exploration_schedule_inputs){.t = g[0], .dim = g[1], .side = g[2]}, g[6]);
    }
}

TEST(continuous_schedules) {
    assert_smooth(TVGP__EXPLORATION_SCHEDULE_CONTINUOUS, golden_srinivas_cont_beta, ROWS(golden_srinivas_cont_beta));
    assert_smooth(TVGP__EXPLORATION_SCHEDULE_MARKOV, golden_et_thm1_beta, ROWS(golden_et_thm1_beta));
    tvgp__exploration_schedule_config c =
        width(TVGP__EXPLORATION_SCHEDULE_CONTINUOUS); /* constants other than 1, written out again */
    c.a = 2;
    c.b = 3;
    c.delta = 0.2;
    const double pi = 3.14159265358979323846;
    assert_beta(&c, &(tvgp__exploration_schedule_inputs){.t = 7, .dim = 3, .side = 5},
                2 * log(2 * pi * pi * 49 / 0.6) + 6 * log(49 * 3 * 3 * 5 * sqrt(log(4 * 3 * 2 / 0.2))));
    c.schedule = TVGP__EXPLORATION_SCHEDULE_MARKOV;
    assert_beta(&c, &(tvgp__exploration_schedule_inputs){.t = 7, .dim = 3, .side = 5},
                2 * log(4 * pi * pi * 49 / 0.6) + 6 * log(49 * 3 * 3 * 5 * sqrt(log(4 * 3 * 2 * pi * pi * 49 / 0.6))));
}

/* Theorem 4.1 (B) of Ziomek et al. by the numbers of an implementation of its own, and written out at settings spread over all
 * it depends on. Its delta_A is half of delta. */
TEST(prior_finite_of_a_box) {
    tvgp__exploration_schedule_config c = width(TVGP__EXPLORATION_SCHEDULE_PRIOR_FINITE);
    for (size_t i = 0; i < ROWS(golden_pe_width_B); i++) { /* t, T, d, r, a, b, delta_A, v (the width itself) */
        const double *g = golden_pe_width_B[i];
        c.horizon = (int64_t)g[1];
        c.a = g[4];
        c.b = g[5];
        c.delta = 2 * g[6];
        ASSERT_NEAR(
            tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = g[0], .dim = g[2], .side = g[3]}),
            g[7], 1e-12);
    }
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < 20; i++) {
        const double t = 1 + 7 * i * i, d = 1 + i % 6, T = 50 * (1 + i % 7), half = 0.4 / (1 + i % 5), r = 0.5 + i % 4;
        c.horizon = (int64_t)T;
        c.a = 1 + i % 3;
        c.b = 0.7 + i % 2;
        c.delta = 2 * half;
        const double cover = T * d * t * t * c.b * r * sqrt(log(2 * d * c.a / half));
        const double beta = 2 * log(pi * pi * t * t / (3 * half)) + 2 * d * log(cover);
        ASSERT_NEAR(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = t, .dim = d, .side = r}),
                    sqrt(beta), 1e-12);
        /* seven arms in a context of which d coordinates are measured */
        ASSERT_NEAR(tvgp__exploration_schedule_at(
                        &c, &(tvgp__exploration_schedule_inputs){.t = t, .n = 7, .measured = d, .side = r}),
                    sqrt(beta + 2 * log(7)), 1e-12);
    }
}

/* R-GP-UCB's beta (Brunzema et al., eq. 45) is markov with twice its delta. */
TEST(markov_at_twice_delta) {
    tvgp__exploration_schedule_config c = width(TVGP__EXPLORATION_SCHEDULE_MARKOV);
    for (size_t i = 0; i < ROWS(golden_rgp_thm2_beta); i++) { /* t, d, r, a1, b1, delta, v */
        const double *g = golden_rgp_thm2_beta[i];
        c.a = g[3];
        c.b = g[4];
        c.delta = 2 * g[5];
        assert_beta(&c, &(tvgp__exploration_schedule_inputs){.t = g[0], .dim = g[1], .side = g[2]}, g[6]);
    }
}

/* log det of a Gram matrix by the triple loop */
static double log_det(size_t n, const double *A) {
    double L[49], sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double s = A[i * n + j];
            for (size_t k = 0; k < j; k++)
                s -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
        }
    for (size_t i = 0; i < n; i++)
        sum += 2 * log(L[i * n + i]);
    return sum;
}

TEST(information_schedules) {
    tvgp__exploration_schedule_config c = width(TVGP__EXPLORATION_SCHEDULE_IGP);
    for (size_t i = 0; i < ROWS(golden_igp_width); i++) { /* gamma, B, R, delta, v */
        const double *g = golden_igp_width[i];
        c.bound = g[1];
        c.subgauss = g[2];
        c.delta = g[3];
        ASSERT_NEAR(
            tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 5, .log_det_ratio = 2 * g[0]}), g[4],
            1e-14);
    }
    c.subgauss = 0; /* from the noise */
    ASSERT_NEAR(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 5, .noise = 0.01}),
                golden_igp_width[0][4], 1e-14);
    c = width(TVGP__EXPLORATION_SCHEDULE_LOGDET);
    c.bound = 3;
    c.delta = 0.05;
    double A[49], ratio = 0;
    for (size_t i = 0; i < 49; i++)
        A[i] = golden_logdet_k[i / 7][i % 7] + (i / 7 == i % 7 ? golden_logdet_sigma[i / 7] : 0);
    for (size_t i = 0; i < 7; i++)
        ratio -= log(golden_logdet_sigma[i]);
    ratio += log_det(7, A);
    ASSERT_NEAR(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 1, .log_det_ratio = ratio}),
                golden_logdet_width[0], 1e-13);
    ASSERT_NEAR(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 1}), golden_logdet_width[1],
                1e-14);
}

/* log with c2 = 0.4 is negative at t = 1, 2; nothing is ever NaN or negative. */
TEST(small_arguments) {
    for (int schedule = TVGP__EXPLORATION_SCHEDULE_CONSTANT; schedule <= TVGP__EXPLORATION_SCHEDULE_LOGDET; schedule++)
        for (double scale = 1e-12; scale < 1e13; scale *= 10)
            for (double t = 1; t <= 1e15; t *= 10) {
                tvgp__exploration_schedule_config c = width(schedule);
                c.c2 = c.a = c.b = scale;
                c.delta = 0.999999;
                double w = tvgp__exploration_schedule_at(
                    &c, &(tvgp__exploration_schedule_inputs){.t = t, .n = 1, .dim = 1, .side = scale, .noise = 0.01});
                ck_assert_msg(isfinite(w) && w >= 0, "schedule %d, scale %g, t %g: %g", schedule, scale, t, w);
            }
    tvgp__exploration_schedule_config c = width(TVGP__EXPLORATION_SCHEDULE_LOG);
    c.c2 = 0.4;
    ck_assert_double_eq(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 1}), 0);
    ck_assert_double_eq(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 2}), 0);
    ck_assert_double_gt(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 3}), 0);
    c = width(TVGP__EXPLORATION_SCHEDULE_CONSTANT);
    c.value = 1.25;
    ck_assert_double_eq(tvgp__exploration_schedule_at(&c, &(tvgp__exploration_schedule_inputs){.t = 3}), 1.25);
}

TEST(upper_bounds) {
    const double mean[] = {0.5, 2, -3}, var[] = {4, 0, -1e-18}; /* round-off below zero counts as zero */
    const double prior[] = {0, 1, 0};
    double score[] = {0, 0, 1};
    tvgp__rule_add(&(tvgp__rule_term){.weight = 2, .width = 1.5}, 3, mean, var, prior, score);
    ck_assert(score[0] == 7 && score[1] == 6 && score[2] == -5);
    ck_assert(tvgp__rule_score(0.5, 2, 1.5) == 3.5 && tvgp__rule_score(0.5, 2, INFINITY) == 0.5);
}

TEST(ties) {
    const double scores[] = {1, 3, 3, 2, 3};
    const uint8_t not_1[] = {1, 0, 1, 1, 1}, only_last[] = {0, 0, 0, 0, 9};
    ck_assert_uint_eq(tvgp__rule_highest(5, scores, NULL, INFINITY), 1);
    ck_assert_uint_eq(tvgp__rule_highest(5, scores, not_1, INFINITY), 2);
    ck_assert_uint_eq(tvgp__rule_highest(5, scores, only_last, INFINITY), 4);
    const double base[] = {1e-3, 1, -7, 1e6};
    for (size_t i = 0; i < 4; i++) { /* a relative 1e-12 is a tie, ten times that is not */
        double near[] = {base[i] - 0.5e-12 * fabs(base[i]), base[i]}, far[] = {base[i] - 1e-11 * fabs(base[i]), base[i]};
        ck_assert_uint_eq(tvgp__rule_highest(2, near, NULL, INFINITY), 0);
        ck_assert_uint_eq(tvgp__rule_highest(2, far, NULL, INFINITY), 1);
    }
    const double zeros[] = {-1e-300, 0, 0};
    ck_assert_uint_eq(tvgp__rule_highest(3, zeros, NULL, INFINITY), 1);
    const double masked_best[] = {5, 4, 4};
    const uint8_t without_0[] = {0, 1, 1};
    ck_assert_uint_eq(tvgp__rule_highest(3, masked_best, without_0, INFINITY), 1);
}

/* Whatever the scores are, the arm chosen is one that may be. */
TEST(choice_is_available) {
    static const struct {
        double score[4];
        uint8_t mask[4];
        size_t best;
    } rows[] = {
        {{INFINITY, 1, INFINITY, 2}, {0, 1, 1, 1}, 2},
        {{INFINITY, INFINITY, 0, 0}, {0, 0, 1, 1}, 2},
        {{9, INFINITY, INFINITY, 3}, {1, 1, 1, 1}, 1},
        {{NAN, NAN, NAN, NAN}, {0, 0, 1, 1}, 2},
        {{NAN, NAN, -5, NAN}, {0, 1, 1, 1}, 2},
        {{3, NAN, NAN, 7}, {0, 1, 1, 0}, 1},
        {{0, -INFINITY, -INFINITY, -INFINITY}, {0, 0, 1, 1}, 2},
        {{NAN, 0, -INFINITY, NAN}, {0, 0, 1, 1}, 2},
        {{NAN, 1, 1, 1}, {1, 0, 1, 1}, 2},
        {{2, -1.7e308, 1.7e308, 1.7e308}, {0, 1, 1, 1}, 2},
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        ck_assert_msg(tvgp__rule_highest(4, rows[i].score, rows[i].mask, INFINITY) == rows[i].best, "row %zu", i);
}

int main(void) {
    golden_read_betas();
    return HARNESS_RUN("acquisition", harness_setup, harness_teardown);
}
