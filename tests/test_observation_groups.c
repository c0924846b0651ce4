/* SPDX-License-Identifier: MIT */
/* learn/observation_groups: which outcomes become one, compared with brute force; which must not. */
#include "harness.h"
#include "learn/observation_groups.h"

#include <math.h>
#include <string.h>

enum { MOST = 200, ANSWERS = 3000 };

static tvgp__observation answers[ANSWERS];
static int64_t segment[ANSWERS];

static tvgp__observation_groups *make(size_t most) {
    static tvgp__observation_groups c;
    c = (tvgp__observation_groups){.ctx = ctx};
    ASSERT_OK(tvgp__observation_groups_reserve(&c, most));
    return &c;
}

/* Outcomes at times 1, 2, .. to arms at random. */
static void steady(size_t n, size_t arms, uint64_t seed) {
    struct rnd r = {seed};
    for (size_t i = 0; i < n; i++) {
        answers[i] =
            (tvgp__observation){.arm = rnd_below(&r, arms), .t = (double)i + 1, .y = 5 + 3 * rnd_normal(&r), .noise = NAN};
        segment[i] = 0;
    }
}

/* Each cell is what a loop over all outcomes says of its arm, interval and segment. */
static void assert_true(const tvgp__observation_groups *c, size_t n) {
    size_t in = 0;
    for (size_t k = 0; k < c->n; k++) {
        const tvgp__cell *cell = &c->list[k];
        double t = 0, sum = 0, weight = 0, count = 0, squares = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = n - c->answers; i < n; i++) {
                const tvgp__observation *a = &answers[i];
                const double w = isnan(a->noise) ? 1 : 1 / a->noise;
                if (c->width > 0
                        ? a->arm != cell->arm || segment[i] != cell->segment || isnan(a->noise) != isnan(cell->noise) ||
                              (isfinite(c->width) &&
                               floor((a->t - c->origin) / c->width) != floor((cell->t - c->origin) / c->width))
                        : i != cell->newest)
                    continue;
                if (pass) {
                    squares += pow(a->y - sum / weight, 2);
                    continue;
                }
                count++;
                weight += w;
                t += a->t;
                sum += w * a->y;
            }
        ASSERT_NEAR(cell->count, count, 0);
        ASSERT_NEAR(cell->t, t / count, 1e-12);
        ASSERT_NEAR(cell->y, sum / weight, 1e-12);
        if (isnan(cell->noise))
            ASSERT_NEAR(cell->within, squares, 1e-11);
        else
            ASSERT_NEAR(cell->noise, 1 / weight, 1e-12);
        if (k)
            ck_assert(cell->segment >= c->list[k - 1].segment && cell->newest > c->list[k - 1].newest);
        in += (size_t)count;
    }
    ck_assert_uint_eq(in, c->answers);
    ck_assert_uint_le(c->n, c->most);
}

/* Where noise is small and change is seen, the newest outcomes singly. */
TEST(single) {
    tvgp__observation_groups *c = make(MOST);
    steady(1000, 21, 1);
    for (int way = 0; way < 4; way++) { /* the rule; nothing known yet; exact outcomes; no more than there is room for */
        const size_t n = way == 3 ? MOST : 1000;
        tvgp__observation_groups_put(c, n, answers, segment,
                                     way == 1   ? NAN
                                     : way == 3 ? 0
                                                : 0.005,
                                     way == 2   ? 0
                                     : way == 3 ? 100
                                                : 0.01);
        ck_assert_double_eq(c->width, 0);
        ck_assert_double_eq(c->step, 1);
        ck_assert_uint_eq(c->n, MOST);
        ck_assert_uint_eq(c->answers, MOST);
        for (size_t i = 0; i < MOST; i++) {
            ck_assert_uint_eq(c->list[i].newest, n - MOST + i);
            ck_assert_double_eq(c->list[i].y, answers[n - MOST + i].y);
            ck_assert_double_eq(c->list[i].within, 0);
        }
    }
    tvgp__observation_groups_free(c);
}

/* In a static world they are arms. */
TEST(still) {
    tvgp__observation_groups *c = make(MOST);
    steady(1000, 5, 2);
    tvgp__observation_groups_put(c, 1000, answers, segment, 0, 0.01);
    ck_assert(isinf(c->width));
    ck_assert_uint_eq(c->n, 5);
    ck_assert_uint_eq(c->answers, 1000);
    assert_true(c, 1000);
    tvgp__observation_groups_free(c);
}

/* Under a static model all outcomes to an arm become one that says the same: log N(y; f, v I) is the density of the mean plus
 * a constant. */
TEST(pooled) {
    tvgp__observation_groups *c = make(8);
    steady(1000, 50, 3);
    answers[500].noise = 0.1;
    ck_assert_int_eq(tvgp__observation_groups_pool(c, 1000, answers, segment), 0); /* 8 cells are too few */
    ck_assert_uint_eq(c->n, 0);
    ASSERT_OK(tvgp__observation_groups_room(c, 51));
    ck_assert_int_eq(tvgp__observation_groups_pool(c, 1000, answers, segment), 1);
    ck_assert_uint_eq(c->n, 51); /* who says his noise stays single */
    ck_assert_uint_eq(c->most, 8);
    for (size_t k = 0; k < c->n; k++) {
        const tvgp__cell *cell = &c->list[k];
        const double f = 4.3, v = 0.7, off = cell->y - f, tau = 8 * atan(1);
        double density = 0, own = -0.5 * (log(tau * v / cell->count) + off * off * cell->count / v), count = 0;
        for (size_t i = 0; i < 1000; i++) {
            const double e = answers[i].y - f;
            if (answers[i].arm != cell->arm || isnan(answers[i].noise) != isnan(cell->noise))
                continue;
            density -= 0.5 * (log(tau * v) + e * e / v);
            count++;
        }
        ck_assert_double_eq(cell->count, count);
        ASSERT_NEAR(own + tvgp__observation_groups_apart(cell, v), density, 1e-9);
    }
    tvgp__observation_groups_free(c);
}

/* The width is that of the rule, found again by trying all of them. */
TEST_EACH(rule, 20) {
    struct rnd r = {300 + (uint64_t)_i};
    const double ratio = exp(3 * rnd_normal(&r)), rate = 0.02 * exp(-4 * rnd_uniform(&r));
    const size_t arms = 1 + rnd_below(&r, 20);
    tvgp__observation_groups *c = make(MOST);
    double best = 0, covered = MOST;
    steady(ANSWERS, arms, 400 + (uint64_t)_i);
    for (double width = 2; rate * width <= 0.2 && width <= 4096; width *= 2) {
        size_t seen = 0, n = 0;
        for (size_t i = ANSWERS; i-- > 0; n++) { /* back to where the 201st would begin */
            int known = 0;
            for (size_t j = i + 1; j < ANSWERS && floor(answers[j].t / width) == floor(answers[i].t / width) && !known; j++)
                known = answers[j].arm == answers[i].arm;
            if (!known && seen == MOST)
                break;
            seen += !known;
        }
        if (rate * width * (double)n / (double)seen > ratio)
            break;
        best = (double)n > covered ? width : best;
        covered = fmax(covered, (double)n);
        if (n == ANSWERS)
            break;
    }
    tvgp__observation_groups_put(c, ANSWERS, answers, segment, rate, ratio);
    ck_assert_double_eq(c->width, best);
    ck_assert_double_eq((double)c->answers, covered);
    assert_true(c, ANSWERS);
    tvgp__observation_groups_free(c);
}

/* Noise of their own, exact outcomes, segments, delayed outcomes; cells of old outcomes do not change when new ones come. */
TEST(kept_apart) {
    tvgp__observation_groups *c = make(MOST);
    struct rnd r = {7};
    c->origin = 17.3;
    steady(2000, 3, 8);
    for (size_t i = 0; i < 2000; i++) {
        if (rnd_below(&r, 3) == 0)
            answers[i].noise = rnd_below(&r, 40) ? 1 + rnd_uniform(&r) : 0;
        segment[i] = (int64_t)(i / 700);
        if (rnd_below(&r, 5) == 0)
            answers[i].t -= 30 * rnd_uniform(&r);
    }
    tvgp__observation_groups_put(c, 2000, answers, segment, 1e-4, 50);
    ck_assert_double_gt(c->width, 2);
    size_t exact = 0, own = 0;
    for (size_t i = 0; i < c->n; i++) {
        exact += c->list[i].noise == 0;
        own += c->list[i].noise > 0 && c->list[i].count > 1;
        ck_assert(c->list[i].noise != 0 || c->list[i].count == 1);
    }
    ck_assert_uint_gt(exact, 0);
    ck_assert_uint_gt(own, 0);
    for (size_t i = 0; i < 2000; i++) /* the exact ones are no cell of the brute force below */
        answers[i].noise = answers[i].noise == 0 ? 1 : answers[i].noise;
    tvgp__observation_groups_put(c, 2000, answers, segment, 1e-4, 50);
    assert_true(c, 2000);
    const double width = c->width;
    tvgp__cell before[MOST];
    const size_t n = c->n;
    memcpy(before, c->list, n * sizeof *before);
    answers[2000] = (tvgp__observation){.arm = 1, .t = 2001, .y = 5, .noise = NAN};
    segment[2000] = 2;
    tvgp__observation_groups_put(c, 2001, answers, segment, 1e-4, 50);
    ck_assert_double_eq(c->width, width);
    for (size_t i = 0; i < n; i++) {
        int found = 0;
        for (size_t j = 0; j < c->n && !found; j++)
            found = memcmp(&before[i], &c->list[j], sizeof *before) == 0;
        ck_assert_msg(found || before[i].interval >= floor((1970 - c->origin) / width) || i < 4, "cell %zu has changed", i);
    }
    tvgp__observation_groups_free(c);
}

/* Whatever the times: equal ones, gaps of 1e9, huge ones, one arm, more arms than there is room for. */
TEST(any_times) {
    static const double rates[] = {0, 1e-9, 1e-3, 1}, ratios[] = {1e-9, 1, 1e9};
    tvgp__observation_groups *c = make(16);
    struct rnd r = {9};
    for (int kind = 0; kind < 6; kind++)
        for (size_t k = 0; k < 12; k++) {
            double t = kind == 4 ? -1e99 : 0;
            for (size_t i = 0; i < 500; i++) {
                t += kind == 0 ? 0 : kind == 1 ? 1e9 * (double)rnd_below(&r, 2) : kind == 2 ? 1e-9 : kind == 4 ? 1e97 : 1;
                answers[i] = (tvgp__observation){
                    .arm = kind == 3 ? 0 : rnd_below(&r, kind == 5 ? 400 : 4), .t = t, .y = rnd_normal(&r), .noise = NAN};
                segment[i] = 0;
            }
            tvgp__observation_groups_put(c, 500, answers, segment, rates[k % 4], ratios[k / 4]);
            ck_assert_uint_le(c->n, 16);
            ck_assert_uint_gt(c->n, 0);
            ck_assert(c->step > 0 && c->width >= 0);
            for (size_t i = 0; i < c->n; i++)
                ck_assert(isfinite(c->list[i].t) && isfinite(c->list[i].y) && c->list[i].within >= 0);
        }
    tvgp__observation_groups_free(c);
}

TEST(lack_of_memory) {
    tvgp__observation_groups c = {.ctx = ctx};
    for (size_t fail = 1; fail <= 3; fail++) {
        memory.fail_in = fail;
        ck_assert_int_eq(tvgp__observation_groups_reserve(&c, 50), TVGP_ERR_NOMEM);
        tvgp__observation_groups_free(&c);
        c = (tvgp__observation_groups){.ctx = ctx};
    }
}

HARNESS_MAIN("cells")
