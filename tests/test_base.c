/* SPDX-License-Identifier: MIT */
/* base: random streams, option tables, nearest names, counted memory. */
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/numbers/random_stream.h"
#include "base/options.h"
#include "harness.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* philox4x32-10 lines of kat_vectors in the Random123 distribution (Salmon et al. 2011) */
TEST_EACH(philox_known_answers, 3) {
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } kat[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    uint32_t out[4];
    tvgp__random_stream_philox(kat[_i].key, kat[_i].counter, out);
    ck_assert_mem_eq(out, kat[_i].out, sizeof out);
}

/* The first draws of a stream are the blocks of the cipher at counters 0, 1, ..: what other languages have to do. */
TEST(stream_layout) {
    const uint64_t seed = 0x0123456789abcdefu, step = 0xfedcba9876543210u;
    const uint32_t key[2] = {0x89abcdef, 0x01234567};
    double drawn[6];
    ASSERT_OK(tvgp_random_uniform(seed, 1234, step, 6, drawn));
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t counter[4] = {i / 2, 1234, 0x76543210, 0xfedcba98};
        uint32_t out[4], *word = out + i % 2 * 2;
        tvgp__random_stream_philox(key, counter, out);
        ck_assert_double_eq(drawn[i], (double)(((uint64_t)word[1] << 32 | word[0]) >> 11) * 0x1p-53);
    }
}

/* Normal draws are pairs of Box and Muller (1958) from the same stream. */
TEST(normal_layout) {
    double u[4], z[4];
    ASSERT_OK(tvgp_random_uniform(9, 1234, 5, 4, u));
    ASSERT_OK(tvgp_random_normal(9, 1234, 5, 4, z));
    for (size_t i = 0; i < 4; i += 2) {
        double radius = sqrt(-2 * log(1 - u[i])), angle = 2 * 3.14159265358979323846 * u[i + 1];
        ASSERT_NEAR(z[i], radius * cos(angle), 1e-15);
        ASSERT_NEAR(z[i + 1], radius * sin(angle), 1e-15);
    }
}

enum { DRAWS = 200000, BINS = 50 };

/* sum (observed - expected)^2 / expected; about normal(df, 2 df) */
static double chi_square(size_t bins, const size_t *observed, double expected) {
    double sum = 0;
    for (size_t i = 0; i < bins; i++)
        sum += ((double)observed[i] - expected) * ((double)observed[i] - expected) / expected;
    return sum;
}

static void assert_chi_square(size_t bins, const size_t *observed, double expected) {
    double df = (double)(bins - 1), z = (chi_square(bins, observed, expected) - df) / sqrt(2 * df);
    ck_assert_msg(fabs(z) < 4, "chi-square is %.2f standard deviations off", z);
}

TEST_WHERE(uniform_distribution, 4, _i >= 1) {
    static double u[DRAWS];
    size_t observed[BINS] = {0}, pairs[BINS] = {0};
    ASSERT_OK(tvgp_random_uniform((uint64_t)_i, 1000, 17, DRAWS, u));
    double mean = 0, square = 0, lag = 0;
    int inside = 1;
    for (size_t i = 0; i < DRAWS; i++) {
        inside = inside && u[i] >= 0 && u[i] < 1;
        if (!inside)
            break;
        observed[(size_t)(u[i] * BINS)]++;
        mean += u[i] / DRAWS;
        square += u[i] * u[i] / DRAWS;
        lag += i > 0 ? (u[i] - 0.5) * (u[i - 1] - 0.5) / DRAWS : 0;
        if (i % 2 == 1)
            pairs[(size_t)(u[i] * 5) * 10 + (size_t)(u[i - 1] * 10)]++;
    }
    ck_assert(inside);
    const double sd = 1 / sqrt(DRAWS);
    ck_assert_double_le(fabs(mean - 0.5), 4 * sd * sqrt(1.0 / 12));
    ck_assert_double_le(fabs(square - 1.0 / 3), 4 * sd * sqrt(4.0 / 45));
    ck_assert_double_le(fabs(lag), 4 * sd / 12);
    assert_chi_square(BINS, observed, (double)DRAWS / BINS);
    assert_chi_square(BINS, pairs, (double)DRAWS / 2 / BINS);
}

TEST_WHERE(normal_distribution, 4, _i >= 1) {
    static double z[DRAWS];
    size_t observed[BINS] = {0};
    ASSERT_OK(tvgp_random_normal((uint64_t)_i, 1001, 18, DRAWS, z));
    double moment[5] = {0}, lag = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double power = 1.0 / DRAWS;
        for (int p = 1; p <= 4; p++)
            moment[p] += power *= z[i];
        lag += i > 0 ? z[i] * z[i - 1] / DRAWS : 0;
        observed[(size_t)fmin(erfc(-z[i] / sqrt(2)) / 2 * BINS, BINS - 1)]++; /* equally likely bins */
    }
    const double sd = 1 / sqrt(DRAWS);
    ck_assert_double_le(fabs(moment[1]), 4 * sd);
    ck_assert_double_le(fabs(moment[2] - 1), 4 * sd * sqrt(2));
    ck_assert_double_le(fabs(moment[3]), 4 * sd * sqrt(15));
    ck_assert_double_le(fabs(moment[4] - 3), 4 * sd * sqrt(96));
    ck_assert_double_le(fabs(lag), 4 * sd);
    assert_chi_square(BINS, observed, (double)DRAWS / BINS);
}

TEST_EACH(bounded_integers, 6) {
    static const uint64_t bounds[] = {1, 2, 3, 7, 50, (uint64_t)3 << 62};
    const uint64_t n = bounds[_i];
    size_t observed[BINS] = {0};
    tvgp__random_stream stream = tvgp__random_stream_open(5, 1000, n);
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t drawn = tvgp__random_stream_below(&stream, n);
        if (drawn >= n)
            ck_abort_msg("%" PRIu64 " is not below %" PRIu64, drawn, n);
        observed[n <= BINS ? drawn : drawn / (n / 3 + 1)]++; /* modulo bias would favour the first third */
    }
    size_t bins = n <= BINS ? (size_t)n : 3;
    if (bins > 1)
        assert_chi_square(bins, observed, (double)DRAWS / (double)bins);
    else
        ck_assert_uint_eq(observed[0], DRAWS);
}

/* One number of a stream is the same with and without those before it. */
TEST(single_numbers) {
    tvgp__random_stream stream = tvgp__random_stream_open(7, 1000, 3);
    const tvgp__random_stream opened = stream;
    for (uint64_t k = 0; k < 9; k++)
        ck_assert_double_eq(tvgp__random_stream_uniform(&stream), tvgp__random_stream_uniform_at(&opened, k));
}

TEST(streams_are_independent) {
    double a[4], b[4];
    ASSERT_OK(tvgp_random_uniform(1, 1000, 1, 4, a));
    ASSERT_OK(tvgp_random_uniform(1, 1000, 1, 2, b));
    ck_assert_mem_eq(a, b, 2 * sizeof *a);
    static const uint64_t other[][3] = {{2, 1000, 1}, {1, 1001, 1}, {1, 1000, 2}, {(uint64_t)1 << 32 | 1, 1000, 1}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ASSERT_OK(tvgp_random_uniform(other[i][0], (uint32_t)other[i][1], other[i][2], 4, b));
        for (size_t j = 0; j < 4; j++)
            ck_assert_double_ne(a[j], b[j]);
    }
}

TEST(nearest_names) {
    static const struct {
        const char *a, *b;
        size_t distance;
    } known[] = {{"", "", 0},           {"", "abc", 3},        {"kitten", "sitting", 3},
                 {"noise", "noise", 0}, {"nosie", "noise", 1}, {"epsilom", "epsilon", 1},
                 {"widht", "width", 1}, {"abc", "", 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_uint_eq(tvgp__nearest_name_distance(known[i].a, known[i].b), known[i].distance);
        ck_assert_uint_eq(tvgp__nearest_name_distance(known[i].b, known[i].a), known[i].distance);
    }
    tvgp__nearest_name near = {.typed = "GP_ucv"};
    tvgp__nearest_name_offer(&near, "random");
    ck_assert_uint_eq(near.n, 0);
    tvgp__nearest_name_offer(&near, "igp-ucb");
    tvgp__nearest_name_offer(&near, "gp-ucb");
    ck_assert_str_eq(near.name[0], "gp-ucb");
    ck_assert_uint_eq(near.n, 2);
    ck_assert_uint_eq(tvgp__nearest_name_distance("Half-Life", "half_life"), 0);
    near = (tvgp__nearest_name){.typed = "ucb"};
    static const char *const parts[] = {"w-gp-ucb", "bkb",         "tv-gp-ucb", "random",
                                        "sucb",     "auto-gp-ucb", "gp-ucb",    "r-gp-ucb"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        tvgp__nearest_name_offer(&near, parts[i]);
    ck_assert_str_eq(near.name[0], "sucb"); /* one letter, then by length */
    ck_assert_str_eq(near.name[1], "gp-ucb");
    ck_assert_str_eq(near.name[3], "r-gp-ucb");
    ck_assert_uint_eq(near.n, 6);
    char endless[5000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    ck_assert_uint_ge(tvgp__nearest_name_distance(endless, "x"), 1);
}

/* Two groups in one configuration, as policies have them. */
struct width_part {
    double bound;
    int32_t schedule;
};
struct config {
    double noise;
    int64_t every;
    struct width_part width;
};
static const char *const schedules[] = {"log", "constant", NULL};
static const tvgp__option first[] = {
    {"noise", TVGP_F64, TVGP_OPTION_OPEN_LOWER, offsetof(struct config, noise), 0.01, 0, 10, NULL, "noise variance"},
    {"every", TVGP_I64, 0, offsetof(struct config, every), 5, 0, 0x1p53, NULL, "a count"},
};
static const tvgp__option second[] = {
    {"width.bound", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(struct width_part, bound), 1, 0, 2, NULL, "a bound"},
    {"width.schedule", TVGP_STR, 0, offsetof(struct width_part, schedule), 1, 0, 0, schedules, "a choice"},
};
static const tvgp__option_group groups[] = {TVGP__OPTION_GROUP(first, 0),
                                            TVGP__OPTION_GROUP(second, offsetof(struct config, width))};

TEST(option_values) {
    struct config c;
    memset(&c, 0xff, sizeof c);
    tvgp__option_defaults(groups, 2, &c);
    ck_assert(c.noise == 0.01 && c.every == 5 && c.width.bound == 1 && c.width.schedule == 1);
    ASSERT_OK(tvgp__option_set_f64(ctx, groups, 2, &c, "noise", 10));
    ASSERT_OK(tvgp__option_set_i64(ctx, groups, 2, &c, "every", (int64_t)1 << 53));
    ASSERT_OK(tvgp__option_set_f64(ctx, groups, 2, &c, "width.bound", 0));
    ASSERT_OK(tvgp__option_set_str(ctx, groups, 2, &c, "width.schedule", "log"));
    ck_assert(c.noise == 10 && c.every == (int64_t)1 << 53 && c.width.bound == 0 && c.width.schedule == 0);
    double f = 0;
    int64_t i = 0;
    const char *s = NULL;
    ASSERT_OK(tvgp__option_get_f64(ctx, groups, 2, &c, "width.bound", &f));
    ASSERT_OK(tvgp__option_get_i64(ctx, groups, 2, &c, "every", &i));
    ASSERT_OK(tvgp__option_get_str(ctx, groups, 2, &c, "width.schedule", &s));
    ck_assert(f == 0 && i == (int64_t)1 << 53);
    ck_assert_str_eq(s, "log");
}

TEST(option_failures_change_nothing) {
    struct config c, before;
    memset(&c, 0, sizeof c);
    tvgp__option_defaults(groups, 2, &c);
    before = c;
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 2, &c, "noise", 0), "noise", "(0", "10]");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 2, &c, "noise", 10.5), "noise", "10.5", "10]");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 2, &c, "width.bound", 2), "2", "[0", "2)");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp__option_set_f64(ctx, groups, 2, &c, "noise", NAN), "noise", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp__option_set_f64(ctx, groups, 2, &c, "noise", -INFINITY), "noise", "inf");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_i64(ctx, groups, 2, &c, "every", -1), "every", "-1", "[0");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_i64(ctx, groups, 2, &c, "noise", 11), "noise", "11", "10]");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_i64(ctx, groups, 2, &c, "noise", INT64_MAX), "noise",
                 "9223372036854775807");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 2, &c, "every", 1.5), "every", "1.5", "integer");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 2, &c, "width.schedule", 1), "str", "f64");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_str(ctx, groups, 2, &c, "every", "1"), "every", "i64", "str");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_str(ctx, groups, 2, &c, "width.schedule", "lug"), "lug", "log");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp__option_set_f64(ctx, groups, 2, &c, "nois", 1), "nois", "noise");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp__option_set_f64(ctx, groups, 2, &c, "width.bnd", 1), "width.bound");
    ck_assert_mem_eq(&c, &before, sizeof c);
}

TEST(option_introspection) {
    struct config defaults;
    tvgp__option_defaults(groups, 2, &defaults);
    ck_assert_uint_eq(tvgp__option_count(groups, 2), 4);
    tvgp_option_info info;
    tvgp__option_describe(groups, 2, 0, &defaults, &info);
    ck_assert_str_eq(info.key, "noise");
    ck_assert(info.type == TVGP_F64 && info.default_num == 0.01 && info.lower == 0 && info.upper == 10);
    ck_assert_uint_eq(info.flags, TVGP_OPTION_OPEN_LOWER);
    tvgp__option_describe(groups, 2, 3, &defaults, &info);
    ck_assert_str_eq(info.key, "width.schedule");
    ck_assert_str_eq(info.default_str, "constant");
    ck_assert_str_eq(info.doc, "a choice");
}

TEST(memory_is_counted) {
    size_t before, during, after;
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    double *block = NULL;
    size_t capacity = 0;
    ASSERT_OK(tvgp__memory_reserve(ctx, 3, sizeof *block, &block, &capacity));
    ck_assert_uint_ge(capacity, 3);
    block[0] = 4;
    ASSERT_OK(tvgp__memory_reserve(ctx, 1000, sizeof *block, &block, &capacity));
    ck_assert(block[0] == 4 && block[999] == 0);
    ASSERT_OK(tvgp_ctx_memory(ctx, &during));
    ck_assert_uint_ge(during, before + 8000);
    size_t calls = memory.allocated;
    ck_assert_int_eq(tvgp__memory_reserve(ctx, SIZE_MAX / 4, sizeof *block, &block, &capacity), TVGP_ERR_NOMEM);
    ck_assert_uint_eq(memory.allocated, calls);
    memory.fail_in = 1;
    ck_assert_int_eq(tvgp__memory_reserve(ctx, 100000, sizeof *block, &block, &capacity), TVGP_ERR_NOMEM);
    ck_assert(block[0] == 4 && capacity < 100000);
    tvgp__memory_free(ctx, block);
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_uint_eq(before, after);
}

TEST(kept_blocks) {
    double *a = NULL, *b = NULL;
    size_t before, held;
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    ASSERT_OK(tvgp__memory_alloc(ctx, 100, sizeof *a, &a));
    a[99] = 1;
    ctx->keeping = 1;
    tvgp__memory_free(ctx, a);
    const size_t calls = memory.allocated;
    ASSERT_OK(tvgp__memory_alloc(ctx, 90, sizeof *b, &b)); /* in the same block, as zeros to its end */
    ck_assert(b == a && b[89] == 0 && b[99] == 0);
    ck_assert_uint_eq(memory.allocated, calls);
    tvgp__memory_free(ctx, b);
    ASSERT_OK(tvgp__memory_alloc(ctx, 20, sizeof *a, &a)); /* less than half of it */
    ck_assert_uint_eq(memory.allocated, calls + 1);
    memory.fail_in = 1; /* what is kept is released before a call fails */
    ASSERT_OK(tvgp__memory_alloc(ctx, 400, sizeof *b, &b));
    ck_assert_uint_eq(memory.failed, 1);
    tvgp__memory_free(ctx, a);
    tvgp__memory_free(ctx, b);
    ctx->keeping = 0;
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    ck_assert_uint_gt(held, before);
    tvgp__memory_trim(ctx);
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    ck_assert_uint_eq(held, before);
}

HARNESS_MAIN("base")
