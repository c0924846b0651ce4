/* SPDX-License-Identifier: MIT */
/* k-DPP sampling: golden paths, the exact distribution on small cases, nearly singular kernels, repeated points, low rank. */
#include "cases.h"
#include "choose/dpp.h"
#include "golden/golden_dpp.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_N = 8, MAX_SETS = 70 };

/* ---- golden ----------------------------------------------------------------------------------------------------- */

static void indices(size_t n, double *X) {
    for (size_t i = 0; i < n; i++)
        X[i] = (double)i;
}

static void assert_greedy(const int *want, size_t k) {
    double X[6];
    size_t set[6], n;
    indices(6, X);
    ASSERT_OK(tvgp_kdpp_sample(ctx, MAKE_KERNEL(tvgp_kernel_table, ctx, 6, golden_dpp_k6), 6, X, k, 0, 1, set, &n));
    ck_assert_uint_eq(n, k);
    for (size_t i = 0; i < k; i++)
        ck_assert_uint_eq(set[i], (size_t)want[i]);
}

TEST(golden_greedy) {
    assert_greedy(golden_dpp_greedy6_3, 3);
    assert_greedy(golden_dpp_greedy6_5, 5);
}

TEST(golden_path) {
    double X[12];
    indices(12, X);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 12, golden_dpp_k12);
    tvgp__dpp d = {.factor = {.ctx = ctx}, .kernel = kernel};
    ASSERT_OK(tvgp__dpp_start(&d, 12, X, GOLDEN_DPP_M));
    for (size_t i = 0; i < GOLDEN_DPP_M; i++)
        ck_assert_uint_eq(d.member[i], (size_t)golden_dpp_start[i]);
    for (size_t step = 0; step < GOLDEN_DPP_DRAWS; step++) {
        const double *u = golden_dpp_draws[step];
        ASSERT_OK(tvgp__dpp_swap(&d, u[0], u[1], u[2]));
        for (size_t i = 0; i < GOLDEN_DPP_M; i++)
            ck_assert_uint_eq(d.member[d.order[i]], (size_t)golden_dpp_path[step][i]);
    }
    tvgp__dpp_free(&d);
}

/* ---- the exact distribution ---------------------------------------------------------------------------------------------- */

static const double law_variance = 1.3;

/* A case: SE kernel with this lengthscale over n equally spaced or uniform points of [0, 1]. */
struct law {
    size_t n, k, sets;
    double lengthscale, worst; /* the largest conditioning of a set whose inverse the chain may keep */
    double X[MAX_N], K[MAX_N * MAX_N];
    unsigned set[MAX_SETS]; /* as bits */
    double probability[MAX_SETS];
    tvgp_kernel *kernel;
};

/* By elimination; positive definite: no pivoting. */
static long double determinant_of(size_t k, long double A[MAX_N][MAX_N]) {
    long double det = 1;
    for (size_t i = 0; i < k; i++) {
        det *= A[i][i];
        for (size_t r = i + 1; r < k; r++)
            for (size_t c = k; c-- > i;)
                A[r][c] -= A[r][i] / A[i][i] * A[i][c];
    }
    return det;
}

/* Of the rows and columns in `set`. */
static long double determinant(const struct law *law, unsigned set) {
    long double A[MAX_N][MAX_N];
    size_t member[MAX_N], k = 0;
    for (size_t i = 0; i < law->n; i++)
        if (set >> i & 1)
            member[k++] = i;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            A[i][j] = law->K[member[i] * law->n + member[j]];
    return determinant_of(k, A);
}

/* variance tr K_Z^-1, by minors; the inverse's largest entry times the variance. */
static double conditioning(const struct law *law, unsigned set, double *largest) {
    long double sum = 0, det = determinant(law, set);
    *largest = 0;
    for (size_t i = 0; i < law->n; i++) {
        if (!(set >> i & 1))
            continue;
        long double entry = law_variance * determinant(law, set & ~(1u << i)) / det;
        *largest = fmax(*largest, (double)entry);
        sum += entry;
    }
    return (double)sum;
}

static void law_open(struct law *law, size_t n, size_t k, double lengthscale, int spaced) {
    struct rnd r = {17};
    long double det[MAX_SETS], sum = 0;
    *law = (struct law){.n = n, .k = k, .lengthscale = lengthscale};
    for (size_t i = 0; i < n; i++)
        law->X[i] = spaced ? (double)i / (double)(n - 1) : rnd_uniform(&r);
    law->kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, law_variance, 1, &lengthscale);
    ASSERT_OK(tvgp_kernel_gram(law->kernel, n, law->X, n, law->X, law->K));
    for (unsigned set = 0; set < 1u << n; set++) {
        size_t size = 0;
        for (size_t i = 0; i < n; i++)
            size += set >> i & 1;
        if (size != k)
            continue;
        law->set[law->sets] = set;
        det[law->sets] = determinant(law, set);
        sum += det[law->sets++];
    }
    for (size_t i = 0; i < law->sets; i++) {
        double largest, t = conditioning(law, law->set[i], &largest);
        law->probability[i] = (double)(det[i] / sum);
        if (largest <= 1e5) /* where the chain trusts the inverse (dpp.c) */
            law->worst = fmax(law->worst, t);
    }
}

static size_t law_find(const struct law *law, size_t n, const size_t *member) {
    unsigned set = 0;
    for (size_t i = 0; i < n; i++)
        set |= 1u << member[i];
    for (size_t i = 0; i < law->sets; i++)
        if (law->set[i] == set)
            return i;
    ck_abort_msg("not a set of %zu points", law->k);
}

/* Pearson's test at the level 1e-4 (Wilson, Hilferty 1931), sets of expectation below 5 in one cell. */
static void assert_frequencies(const struct law *law, const size_t *observed, size_t samples) {
    double sum = 0, rare = 0, rare_observed = 0, df = -1, z = 3.719;
    for (size_t i = 0; i < law->sets; i++) {
        double expected = law->probability[i] * (double)samples, seen = (double)observed[i];
        if (expected < 5) {
            rare += expected;
            rare_observed += seen;
            continue;
        }
        sum += (seen - expected) * (seen - expected) / expected;
        df++;
    }
    if (rare >= 1) {
        sum += (rare_observed - rare) * (rare_observed - rare) / rare;
        df++;
    } else {
        ck_assert_double_le(rare_observed, 10);
    }
    if (df < 1)
        return;
    double bound = df * pow(1 - 2 / (9 * df) + z * sqrt(2 / (9 * df)), 3);
    ck_assert_msg(sum < bound, "n = %zu, k = %zu, lengthscale %g: chi-square %g with %g degrees of freedom, bound %g",
                  law->n, law->k, law->lengthscale, sum, df, bound);
}

/* Of the set, by what the chain keeps of it. */
static double kept_log_det(const tvgp__dpp *d) {
    if (d->kept == TVGP__DPP_FACTOR)
        return tvgp__chol_log_det(&d->factor);
    long double A[MAX_N][MAX_N];
    for (size_t i = 0; i < d->k; i++)
        for (size_t j = 0; j < d->k; j++)
            A[i][j] = d->inverse[i * d->stride + j];
    return -(double)logl(determinant_of(d->k, A));
}

/* What is kept belongs to the set. The factor is that of K + E with |E| <= c k eps variance whatever was swapped before
 * (rotations are backward stable: Higham 2002, thm. 10.3, sec. 19.6), and log det (K + E) - log det K = tr K^-1 E + ..: at most
 * c k eps T, T = variance tr K^-1. The kept inverse also brings along relative errors c eps W of the sets that it has been
 * the inverse of: c k eps W T with the largest W that it is kept for. c = 4: sums of rounding errors seldom reach c = 1. */
static void assert_kept(const struct law *law, const tvgp__dpp *d) {
    unsigned set = law->set[law_find(law, d->k, d->member)];
    int factor = d->kept == TVGP__DPP_FACTOR;
    double largest, T = conditioning(law, set, &largest), W = factor ? 1 : fmax(T, law->worst);
    double apart = fabs(kept_log_det(d) - (double)logl(determinant(law, set)));
    double bound = 4 * (double)law->k * DBL_EPSILON * W * T;
    ck_assert_msg(apart <= bound, "n = %zu, k = %zu, lengthscale %g: log det of the kept %s is off by %g, bound %g (T = %g)",
                  law->n, law->k, law->lengthscale, factor ? "factor" : "inverse", apart, bound, T);
}

/* Long enough apart to be independent. */
static void assert_chain(const struct law *law, tvgp__dpp *d, tvgp__random_stream *stream, size_t samples) {
    size_t observed[MAX_SETS] = {0};
    for (size_t i = 0; i < samples; i++) {
        ASSERT_OK(tvgp__dpp_run(d, (int64_t)(8 * law->n * law->k), stream));
        observed[law_find(law, law->k, d->member)]++;
    }
    assert_frequencies(law, observed, samples);
}

enum { CASES = 1 + 2 + 3 + 4 + 5 + 6 + 7 }; /* of n <= 8 and k < n */

/* Every n <= 8 and k < n, with a rough kernel, where the chain keeps the inverse, and with a smooth one, where it keeps the
 * factor of larger sets. */
TEST_TURNS(exact_law, 2 * CASES, 0) {
    const int smooth = _i >= CASES;
    size_t n = 2, k = (size_t)(_i % CASES);
    while (k >= n - 1)
        k -= n++ - 1;
    struct law law;
    law_open(&law, n, k + 1, smooth ? 0.5 : 0.1, 0);
    tvgp__random_stream stream = tvgp__random_stream_open(5, TVGP__RANDOM_STREAM_DPP, (uint64_t)_i);
    tvgp__dpp d = {.factor = {.ctx = ctx}, .kernel = law.kernel};
    ASSERT_OK(tvgp__dpp_start(&d, n, law.X, k + 1));
    ck_assert_uint_eq(d.k, k + 1);
    assert_chain(&law, &d, &stream, 6000);
    assert_kept(&law, &d);
    if (!smooth)
        ck_assert_int_eq(d.kept, TVGP__DPP_INVERSE);
    else if (d.k >= 5)
        ck_assert_int_eq(d.kept, TVGP__DPP_FACTOR);
    tvgp__dpp_free(&d);
}

/* Against the golden probabilities, one fresh chain of n k (10 + k ln k) swaps for each sample: the total variation equals the one of
 * 50,000 exact draws, .006. */
TEST(golden_probabilities) {
    enum { SAMPLES = 50000, SWAPS = 240 };
    double apart = 0;
    struct law law = {.n = 6, .k = 3, .sets = 20};
    double X[6];
    size_t observed[20] = {0}, set[3], n;
    indices(6, X);
    for (size_t i = 0; i < 20; i++) {
        law.probability[i] = golden_dpp_probs[i];
        for (size_t j = 0; j < 3; j++)
            law.set[i] |= 1u << golden_dpp_subsets[i][j];
    }
    law.kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 6, golden_dpp_k6);
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        ASSERT_OK(tvgp_kdpp_sample(ctx, law.kernel, 6, X, 3, SWAPS, seed, set, &n));
        observed[law_find(&law, n, set)]++;
    }
    assert_frequencies(&law, observed, SAMPLES);
    for (size_t i = 0; i < 20; i++)
        apart += fabs((double)observed[i] / SAMPLES - law.probability[i]) / 2;
    ck_assert_msg(apart < 0.02, "total variation %g", apart);
}

/* How far the distribution after 1000 swaps from the greedy set is from the limit, by powers of the transition matrix: for
 * smooth and rough kernels, every n <= 8 and k. */
TEST_EACH(default_steps, CASES) {
    static const double lengthscales[] = {0.05, 0.3, 1, 2};
    static double law_now[MAX_SETS], next[MAX_SETS], move[MAX_SETS][MAX_SETS];
    size_t n = 2, k = (size_t)_i;
    while (k >= n - 1)
        k -= n++ - 1;
    for (size_t l = 0; l < 4; l++) {
        struct law law;
        size_t greedy[MAX_N], found;
        law_open(&law, n, k + 1, lengthscales[l], 0);
        for (size_t i = 0; i < law.sets; i++) {
            move[i][i] = 1;
            for (size_t j = 0; j < law.sets; j++) {
                unsigned apart = law.set[i] ^ law.set[j];
                size_t bits = 0;
                for (; apart; apart &= apart - 1)
                    bits++;
                if (bits != 2)
                    continue;
                double ratio = law.probability[j] / law.probability[i];
                move[i][j] = 0.5 * fmin(1, ratio) / (double)((k + 1) * (n - k - 1));
                move[i][i] -= move[i][j];
            }
        }
        ASSERT_OK(tvgp_kdpp_sample(ctx, law.kernel, n, law.X, k + 1, 0, 0, greedy, &found));
        tvgp_kernel_destroy(law.kernel);
        if (found <= k) /* the rank is too low: there is nothing to draw */
            continue;
        memset(law_now, 0, sizeof law_now);
        law_now[law_find(&law, found, greedy)] = 1;
        for (int step = 0; step < 1000; step++) {
            memset(next, 0, sizeof next);
            for (size_t i = 0; i < law.sets; i++)
                for (size_t j = 0; j < law.sets; j++)
                    next[j] += law_now[i] * move[i][j];
            memcpy(law_now, next, sizeof next);
        }
        double apart = 0;
        for (size_t i = 0; i < law.sets; i++)
            apart += 0.5 * fabs(law_now[i] - law.probability[i]);
        ck_assert_msg(apart < 0.01, "n = %zu, k = %zu, lengthscale %g: total variation %g", n, k + 1, lengthscales[l],
                      apart);
        memset(move, 0, sizeof move);
    }
}

/* ---- numerics --------------------------------------------------------------------------------------------------- */

/* Nearly dependent points: after 1e5 accepted swaps the kept log det equals the set's, and the distribution is still right. */
TEST(nearly_singular) {
    struct law law;
    law_open(&law, 8, 4, 2, 1);
    tvgp__random_stream stream = tvgp__random_stream_open(6, TVGP__RANDOM_STREAM_DPP, 0);
    tvgp__dpp d = {.factor = {.ctx = ctx}, .kernel = law.kernel};
    ASSERT_OK(tvgp__dpp_start(&d, 8, law.X, 4));
    double smallest = 0;
    int rounds = 0, factors = 0;
    while (d.accepted < 100000) {
        ASSERT_OK(tvgp__dpp_run(&d, 1000, &stream));
        unsigned set = 0;
        for (size_t i = 0; i < 4; i++)
            set |= 1u << d.member[i];
        assert_kept(&law, &d);
        factors += d.kept == TVGP__DPP_FACTOR;
        rounds++;
        smallest = fmin(smallest, (double)logl(determinant(&law, set)));
    }
    ck_assert_double_lt(smallest, -20); /* the determinants are small indeed */
    ck_assert_int_ge(d.refreshes, 1000);
    ck_assert_int_ge(factors, rounds / 2); /* few sets are well-conditioned */
    assert_chain(&law, &d, &stream, 20000);
    tvgp__dpp_free(&d);
}

/* A large set: what is kept stays that of the members, in order: their inverse Gram matrix to the 1e-4 that is promised, or,
 * when the kernel is smoother, their factor to round-off. */
TEST_EACH(large_set, 2) {
    enum { N = 400, K = 37 };
    static double X[2 * N], Z[2 * K], G[K * K];
    const double lengthscale = _i ? 0.4 : 0.2;
    struct rnd r = {3};
    rnd_fill(&r, 2 * N, X);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    tvgp__random_stream stream = tvgp__random_stream_open(7, TVGP__RANDOM_STREAM_DPP, 0);
    tvgp__dpp d = {.factor = {.ctx = ctx}, .kernel = kernel};
    ASSERT_OK(tvgp__dpp_start(&d, N, X, K));
    for (int round = 0; round < 50; round++) {
        ASSERT_OK(tvgp__dpp_run(&d, 500, &stream));
        for (size_t i = 0; i < K; i++) {
            memcpy(Z + 2 * i, X + 2 * d.member[i], 2 * sizeof *Z);
            ck_assert(i == 0 || d.member[d.order[i - 1]] < d.member[d.order[i]]);
        }
        ck_assert_mem_eq(d.Z, Z, sizeof Z);
        ASSERT_OK(tvgp_kernel_gram(kernel, K, Z, K, Z, G));
        ck_assert_int_eq(d.kept, _i ? TVGP__DPP_FACTOR : TVGP__DPP_INVERSE);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t c = 0; c < K; c++)
                    sum += _i == 0  ? d.inverse[i * d.stride + c] * G[c * K + j]
                           : c <= j ? d.factor.L[c * d.factor.capacity + i] * d.factor.L[c * d.factor.capacity + j]
                                    : 0;
                double apart = fabs(sum - (_i ? G[i * K + j] : i == j));
                ck_assert_msg(apart <= (_i ? 1e-12 : 1e-4), "n = %d, k = %d, lengthscale %g, seed 7, round %d: off by %g", N,
                              K, lengthscale, round, apart);
            }
    }
    ck_assert_int_gt(d.accepted, 1000);
    tvgp__dpp_free(&d);
}

/* ---- what points there are -------------------------------------------------------------------------------------- */

TEST(repeated_points) {
    const double X[] = {0.5, 0.1, 0.5, 0.9, 0.1, -0.0, 0.0}, lengthscale = 0.2;
    size_t set[7], n;
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    for (uint64_t seed = 0; seed < 200; seed++) {
        ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 7, X, 7, 50, seed, set, &n));
        ck_assert_uint_eq(n, 4); /* all distinct points, each under its lowest index */
        size_t bits = 0;
        for (size_t i = 0; i < n; i++)
            bits |= (size_t)1 << set[i];
        ck_assert_uint_eq(bits, 1 | 2 | 8 | 32);
        ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 7, X, 2, 50, seed, set, &n));
        ck_assert_uint_eq(n, 2);
        ck_assert(((1u << set[0] | 1u << set[1]) & ~(1u | 2u | 8u | 32u)) == 0 && set[0] != set[1]);
    }
}

/* A linear kernel in two dimensions has rank 2, 3 with a bias: no more points than that, the greedy ones. */
TEST(low_rank) {
    static double X[2 * 30];
    const double lengthscale = 1;
    struct rnd r = {11};
    rnd_fill(&r, 60, X);
    for (size_t rank = 2; rank <= 3; rank++) {
        size_t set[10], greedy[10], n, n_greedy;
        tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_linear, ctx, 2, 1, 1, &lengthscale, rank == 3 ? 0.5 : 0);
        ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 30, X, 10, 0, 1, greedy, &n_greedy));
        ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 30, X, 10, 1000, 1, set, &n));
        ck_assert_uint_eq(n, rank);
        ck_assert_uint_eq(n_greedy, rank);
        ck_assert_mem_eq(set, greedy, rank * sizeof *set);
        int others = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 30, X, rank, 1000, seed, set, &n)); /* k = rank: swaps */
            ck_assert_uint_eq(n, rank);
            others += memcmp(set, greedy, rank * sizeof *set) != 0;
        }
        ck_assert_int_ge(others, 15);
    }
    const double zero[9] = {0};
    size_t set[1], n = 7;
    tvgp_kernel *nothing = MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, 1, 1, &lengthscale, 0);
    ASSERT_OK(tvgp_kdpp_sample(ctx, nothing, 1, zero, 1, 10, 1, set, &n));
    ck_assert_uint_eq(n, 0); /* k(0, 0) = 0 */
}

TEST(seeds) {
    static double X[2 * 100];
    const double lengthscale = 0.3;
    struct rnd r = {13};
    size_t a[10], b[10], n;
    rnd_fill(&r, 200, X);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 100, X, 10, 5000, 1, a, &n));
    ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 100, X, 10, 5000, 1, b, &n));
    ck_assert_mem_eq(a, b, sizeof a);
    ASSERT_OK(tvgp_kdpp_sample(ctx, kernel, 100, X, 10, 5000, 2, b, &n));
    ck_assert(memcmp(a, b, sizeof a) != 0);
}

/* ---- bad input -------------------------------------------------------------------------------------------------- */

TEST(bad_input) {
    const double X[] = {0.1, 0.5, NAN}, lengthscale = 0.2, K[] = {1, 0, 0, 1};
    size_t set[3] = {77, 77, 77}, n = 55;
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, K);
    ck_assert_int_eq(tvgp_kdpp_sample(NULL, kernel, 2, X, 1, 0, 0, set, &n), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, NULL, 2, X, 1, 0, 0, set, &n), "tvgp_kdpp_sample", "kernel");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 2, NULL, 1, 0, 0, set, &n), "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 2, X, 1, 0, 0, NULL, &n), "index");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 2, X, 1, 0, 0, set, NULL), "n_index");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 2, X, 0, 0, 0, set, &n), "k = 0", "1..n = 2");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 2, X, 3, 0, 0, set, &n), "k = 3", "1..n = 2");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, kernel, 0, X, 0, 0, 0, set, &n), "k = 0");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kdpp_sample(ctx, kernel, 3, X, 1, 0, 0, set, &n), "X[2]");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, table, 2, X, 1, 0, 0, set, &n), "X[0]");
    ck_assert(set[0] == 77 && set[1] == 77 && set[2] == 77 && n == 55);
}

TEST(no_memory) {
    const double X[] = {0.1, 0.5, 0.7, 0.9}, lengthscale = 0.2;
    size_t set[2] = {77, 77}, n = 55, k = 1;
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    for (;; k++) {
        memory.fail_in = k;
        tvgp_status status = tvgp_kdpp_sample(ctx, kernel, 4, X, 2, 10, 0, set, &n);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ck_assert(set[0] == 77 && n == 55);
    }
    ck_assert_uint_gt(k, 5);
    ck_assert_uint_eq(n, 2);
}

int main(void) {
    golden_read_dpp();
    return HARNESS_RUN("dpp", harness_setup, harness_teardown);
}
