/* SPDX-License-Identifier: MIT */
/* Every option and statistic of every registered policy: names, types, defaults, bounds, choices, when they may be set. */
#include "cases.h"

#include <math.h>
#include <string.h>

static tvgp_policy *policy;

static const char *open_policy(int i) {
    const char *name, *doc;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)i, &name, &doc));
    ck_assert_msg(name[0] != 0 && doc[0] != 0 && strchr(doc, '\n') == NULL, "%s needs one line of doc", name);
    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    return name;
}

TEST(registry) {
    static const char *const needed[] = {"gp-ucb", "igp-ucb", "tv-gp-ucb", "r-gp-ucb", "random", "constant-arm"};
    size_t n, found = 0;
    const char *name, *doc;
    ASSERT_OK(tvgp_policy_count(ctx, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_name_at(ctx, i, &name, &doc));
        for (size_t j = 0; j < 6; j++)
            found += strcmp(name, needed[j]) == 0;
        for (size_t j = 0; j < i; j++) { /* no name twice */
            const char *other;
            ASSERT_OK(tvgp_policy_name_at(ctx, j, &other, &doc));
            ck_assert_str_ne(name, other);
        }
    }
    ck_assert_uint_eq(found, 6);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_name_at(ctx, n, &name, &doc), "i = ");
}

static void check_f64(const tvgp_option_info *info) {
    double value = NAN;
    const char *key = info->key;
    ASSERT_OK(tvgp_policy_get_f64(policy, key, &value));
    ck_assert_double_eq(value, info->default_num);
    int infinite = (info->flags & TVGP_OPTION_INFINITE) != 0;
    ck_assert_int_eq(tvgp_policy_set_f64(policy, key, NAN), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_set_f64(policy, key, INFINITY), infinite ? TVGP_OK : TVGP_ERR_NONFINITE);
    for (int up = 0; up < 2; up++) {
        double bound = up ? info->upper : info->lower;
        int open = (info->flags & (up ? TVGP_OPTION_OPEN_UPPER : TVGP_OPTION_OPEN_LOWER)) != 0;
        if (infinite && isinf(bound))
            continue;
        ck_assert_double_le(fabs(bound), 1e100);
        ck_assert_int_eq(tvgp_policy_set_f64(policy, key, nextafter(bound, up ? INFINITY : -INFINITY)), TVGP_ERR_OPTION);
        ck_assert_int_eq(tvgp_policy_set_f64(policy, key, bound), open ? TVGP_ERR_OPTION : TVGP_OK);
        if (bound == 0) /* apart from 0 the range begins at 1e-100 */
            ck_assert_int_eq(tvgp_policy_set_f64(policy, key, up ? -9e-101 : 9e-101), TVGP_ERR_OPTION);
        double inside = bound == 0 ? (up ? -1e-100 : 1e-100) : nextafter(bound, up ? -INFINITY : INFINITY);
        if (!(info->flags & TVGP_OPTION_DERIVED)) /* which the other option may not be able to hold */
            ASSERT_OK(tvgp_policy_set_f64(policy, key, inside));
    }
    for (int64_t integer = -1; integer <= 2; integer++)
        ck_assert_int_eq(tvgp_policy_set_i64(policy, key, integer), tvgp_policy_set_f64(policy, key, (double)integer));
    ck_assert_int_eq(tvgp_policy_set_str(policy, key, "1"), TVGP_ERR_OPTION);
    ASSERT_OK(tvgp_policy_set_f64(policy, key, info->default_num));
}

static void check_i64(const tvgp_option_info *info) {
    int64_t value = -1;
    const char *key = info->key;
    ck_assert_double_le(fmax(fabs(info->lower), fabs(info->upper)), 0x1p53); /* exact in double */
    ASSERT_OK(tvgp_policy_get_i64(policy, key, &value));
    ck_assert_int_eq(value, (int64_t)info->default_num);
    ck_assert_int_eq(tvgp_policy_set_i64(policy, key, (int64_t)info->lower - 1), TVGP_ERR_OPTION);
    ck_assert_int_eq(tvgp_policy_set_i64(policy, key, (int64_t)info->upper + 1), TVGP_ERR_OPTION);
    ck_assert_int_eq(tvgp_policy_set_i64(policy, key, INT64_MIN), TVGP_ERR_OPTION);
    ck_assert_int_eq(tvgp_policy_set_i64(policy, key, INT64_MAX), TVGP_ERR_OPTION);
    ASSERT_OK(tvgp_policy_set_i64(policy, key, (int64_t)info->lower));
    ASSERT_OK(tvgp_policy_set_i64(policy, key, (int64_t)info->upper));
    ck_assert_int_eq(tvgp_policy_set_f64(policy, key, 0.5), TVGP_ERR_OPTION);
    ck_assert_int_eq(tvgp_policy_set_f64(policy, key, info->upper + 2), TVGP_ERR_OPTION);
    ASSERT_OK(tvgp_policy_set_f64(policy, key, info->lower));
    ASSERT_OK(tvgp_policy_set_f64(policy, key, info->upper));
    double real = 0;
    ASSERT_OK(tvgp_policy_get_f64(policy, key, &real));
    ck_assert_double_eq(real, info->upper);
    ASSERT_OK(tvgp_policy_set_i64(policy, key, value));
}

static void check_str(const tvgp_option_info *info) {
    const char *value = NULL;
    const char *key = info->key;
    ASSERT_OK(tvgp_policy_get_str(policy, key, &value));
    ck_assert_str_eq(value, info->default_str);
    ck_assert_int_eq(tvgp_policy_set_str(policy, key, NULL), TVGP_ERR_ARG);
    if (!info->choices) { /* free text */
        ASSERT_OK(tvgp_policy_set_str(policy, key, "2,3"));
        ASSERT_OK(tvgp_policy_get_str(policy, key, &value));
        ck_assert_str_eq(value, "2,3");
        ASSERT_OK(tvgp_policy_set_str(policy, key, info->default_str));
        return;
    }
    size_t n = 0, is_default = 0;
    for (const char *const *choice = info->choices; *choice != NULL; choice++, n++) {
        ASSERT_OK(tvgp_policy_set_str(policy, key, *choice));
        ASSERT_OK(tvgp_policy_get_str(policy, key, &value));
        ck_assert_str_eq(value, *choice);
        is_default += strcmp(*choice, info->default_str) == 0;
    }
    ck_assert(n >= 2 && is_default == 1);
    ck_assert_int_eq(tvgp_policy_set_str(policy, key, "no such choice"), TVGP_ERR_OPTION);
    ASSERT_OK(tvgp_policy_set_str(policy, key, info->default_str));
}

TEST_EACH(options, harness_policies()) {
    open_policy(_i);
    size_t n;
    int has_seed = 0;
    tvgp_option_info info;
    ASSERT_OK(tvgp_policy_option_count(policy, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_option_info(policy, i, &info));
        ck_assert_msg(info.doc[0] != 0 && strchr(info.doc, '\n') == NULL, "%s needs one line of doc", info.key);
        has_seed |= strcmp(info.key, "seed") == 0 && info.type == TVGP_I64;
        for (size_t j = 0; j < i; j++) { /* no key twice: the second could not be set */
            tvgp_option_info other;
            ASSERT_OK(tvgp_policy_option_info(policy, j, &other));
            ck_assert_str_ne(info.key, other.key);
        }
        if (info.type == TVGP_F64)
            check_f64(&info);
        else if (info.type == TVGP_I64)
            check_i64(&info);
        else
            check_str(&info);
        char typo[64] = "x"; /* one letter too many: the right key is the nearest */
        strncat(typo, info.key, sizeof typo - 2);
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(policy, typo, 1), typo, info.key);
    }
    ck_assert(has_seed);
    ck_assert_int_eq(tvgp_policy_option_info(policy, n, &info), TVGP_ERR_ARG);
}

/* Asking what a policy knows does not fix its options; the first ask does, and so does the first tell. */
TEST_EACH(when_options_are_fixed, harness_policies()) {
    const char *name = open_policy(_i);
    double mean;
    const double x[2] = {0.5, 0.5};
    int64_t arm;
    tvgp_query q;
    tvgp_status status = tvgp_policy_predict(policy, 0, 1, x, &mean, NULL);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    ck_assert_int_eq(tvgp_policy_best(policy, 0, &arm, NULL), status);
    ck_assert_int_eq(tvgp_policy_ask_one(policy, NAN, &q, NULL), TVGP_ERR_NONFINITE);
    ASSERT_OK(tvgp_policy_set_i64(policy, "seed", 3));
    ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_i64(policy, "seed", 4), "tvgp_policy_set_i64");
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 0, NULL)); /* not an option */
    int64_t seed;
    ASSERT_OK(tvgp_policy_get_i64(policy, "seed", &seed));
    ck_assert_int_eq(seed, 3);

    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    double X[CASES_ARMS * 2];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 1}, X));
    ck_assert_int_eq(tvgp_policy_set_i64(policy, "seed", 4), TVGP_ERR_STATE);
}

TEST_EACH(statistics, harness_policies()) {
    open_policy(_i);
    tvgp_stat_info info;
    double before, value;
    size_t n;
    ASSERT_OK(tvgp_policy_stat_count(policy, &n));
    for (int started = 0; started < 2; started++) {
        for (size_t i = 0; i < n; i++) {
            ASSERT_OK(tvgp_policy_stat_info(policy, i, &info));
            ck_assert(info.key[0] != 0 && info.doc[0] != 0 && info.type == TVGP_F64);
            ASSERT_OK(tvgp_policy_stat(policy, info.key, &value));
            ck_assert_msg(!isnan(value), "%s is NaN", info.key);
        }
        ASSERT_OK(tvgp_policy_ask_one(policy, 1, &(tvgp_query){0}, NULL));
    }
    ASSERT_OK(tvgp_policy_stat(policy, "asked", &value));
    ck_assert_double_eq(value, 2);
    ASSERT_OK(tvgp_policy_stat(policy, "pending", &before));
    ASSERT_OK(tvgp_policy_tell_value(policy, 1, 0.5));
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = 2, .outcome = TVGP_SKIPPED}, NULL));
    ASSERT_OK(tvgp_policy_stat(policy, "pending", &value));
    ck_assert(before == 2 && value == 0);
    ASSERT_OK(tvgp_policy_stat(policy, "skipped", &value));
    ck_assert_double_eq(value, 1);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_stat_info(policy, n, &info), "i = ");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_stat_info(policy, 0, NULL), "info is NULL");
    value = 77;
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_stat(policy, "skiped", &value), "skiped", "'skipped'");
    ck_assert_double_eq(value, 77);
}

HARNESS_MAIN("policy options")
