/* SPDX-License-Identifier: MIT */
/* policy: options as text, integers and reals for each other, half-lives next to rates, and what is said about a key or a
 * name that does not exist. */
#include "cases.h"

#include "base/number_text.h"
#include "base/options.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tvgp_policy *policy;

static void open_policy(const char *name) {
    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
}

static double get(const char *key) {
    double value = NAN;
    ASSERT_OK(tvgp_policy_get_f64(policy, key, &value));
    return value;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* Another value than the default, in its bounds. */
static void choose(const tvgp_option_info *info, char *value, size_t size) {
    double lower = fmax(info->lower, -8), upper = fmin(info->upper, lower + 8), inside = lower + 0.375 * (upper - lower);
    if (info->type == TVGP_STR && !info->choices)
        snprintf(value, size, "%s", "2,3");
    else if (info->type == TVGP_STR)
        snprintf(value, size, "%s", info->choices[strcmp(info->choices[0], info->default_str) == 0]);
    else if (info->type == TVGP_I64)
        snprintf(value, size, "%.0f", info->default_num == info->upper ? info->lower : info->default_num + 1);
    else
        snprintf(value, size, "%.17g", inside == info->default_num ? inside / 2 : inside);
}

/* Every option of every policy, all in one text, is what the typed setters would have made of it. */
TEST_EACH(every_option, harness_policies()) {
    const char *name, *doc, *read;
    char text[4096] = "", value[64];
    size_t n, used = 0;
    tvgp_option_info info;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    open_policy(name);
    ASSERT_OK(tvgp_policy_option_count(policy, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_option_info(policy, i, &info));
        if (info.flags & TVGP_OPTION_DERIVED)
            continue;
        choose(&info, value, sizeof value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s%s", info.key, value, i % 3 ? " " : "\t\n ");
    }
    ck_assert_uint_lt(used, sizeof text);
    ASSERT_OK(tvgp_policy_set(policy, text));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_option_info(policy, i, &info));
        if (info.flags & TVGP_OPTION_DERIVED)
            continue;
        choose(&info, value, sizeof value);
        if (info.type == TVGP_STR) {
            ASSERT_OK(tvgp_policy_get_str(policy, info.key, &read));
            ck_assert_str_eq(read, value);
        } else {
            ck_assert_double_ne(get(info.key), info.default_num);
            ck_assert_double_eq(get(info.key), strtod(value, NULL));
        }
    }
}

TEST(text_forms) {
    open_policy("tv-gp-ucb");
    ASSERT_OK(tvgp_policy_set(policy, ""));
    ASSERT_OK(tvgp_policy_set(policy, " \n\t "));
    ASSERT_OK(tvgp_policy_set(policy, "noise=.5"));
    ck_assert_double_eq(get("noise"), 0.5);
    ASSERT_OK(tvgp_policy_set(policy, "  noise=3\r\nseed=1e3\tnoise=+2.5e-1 ")); /* the last word counts */
    ck_assert(get("noise") == 0.25 && get("seed") == 1000);
    ASSERT_OK(tvgp_policy_set(policy, "seed=9007199254740992"));
    ck_assert_double_eq(get("seed"), 0x1p53);
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "seed=9007199254740993"), "seed", "9007199254740993");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "seed=99999999999999999999999"), "seed", "[0");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "seed=1.5"), "seed", "1.5", "integer");
    static const char *const no_numbers[] = {"",         "+",   "-.",    "1e",  "0x10", "nan",
                                             "infinity", "1,5", "1.5.2", "--1", "1 ",   "e5"};
    char pair[96];
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        double number;
        ck_assert_msg(!tvgp__number_text_read(no_numbers[i], &number), "'%s' is no number", no_numbers[i]);
        snprintf(pair, sizeof pair, "noise=%s", no_numbers[i]);
        if (strcmp(no_numbers[i], "1 ") != 0)
            ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, pair), "noise", "not a number");
    }
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set(policy, "noise=inf"), "noise", "inf");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set(policy, "noise=1e999"), "noise", "inf");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "width.schedule=lug"), "width.schedule", "lug",
                 "choices: constant, log, finite");
    ck_assert(get("noise") == 0.25 && get("seed") == 0x1p53);
}

/* Whichever pair fails, none has been set. */
TEST(all_or_none) {
    static const char *const good[] = {"noise=0.5", "seed=3", "width.schedule=igp"}, *const bad[] = {"noise=-1", "sed=3",
                                                                                                     "x"};
    for (size_t at = 0; at < 3; at++) {
        char text[128] = "";
        open_policy("tv-gp-ucb");
        for (size_t i = 0; i < 3; i++) {
            strcat(strcat(text, i == at ? bad[at] : good[i]), " ");
        }
        ASSERT_FAILS(at == 1 ? TVGP_ERR_NOTFOUND : TVGP_ERR_OPTION, tvgp_policy_set(policy, text),
                     at == 0   ? "'noise' = -1"
                     : at == 1 ? "'sed'"
                               : "'x'");
        const char *schedule;
        ASSERT_OK(tvgp_policy_get_str(policy, "width.schedule", &schedule));
        ck_assert_str_eq(schedule, "log");
        ck_assert(get("noise") == 0.01 && get("seed") == 0);
    }
}

/* The conversions of messages are the ones of printf. */
TEST(conversions) {
#define AS_PRINTF(...)                                                                                                      \
    do {                                                                                                                    \
        char wanted[128], text[128];                                                                                        \
        const int n = snprintf(wanted, sizeof wanted, __VA_ARGS__);                                                         \
        ck_assert_int_eq(tvgp__number_text_print(text, sizeof text, __VA_ARGS__), n);                                       \
        ck_assert_str_eq(text, wanted);                                                                                     \
    } while (0)
    AS_PRINTF("%d %i %u %x %c%%", -3, 7, 4000000000u, 0xabcu, 'z');
    AS_PRINTF("%ld %lu %lld %llu", -3L, ULONG_MAX, LLONG_MIN, ULLONG_MAX);
    AS_PRINTF("%zu %zx %td", SIZE_MAX, (size_t)255, (ptrdiff_t)-5);
    AS_PRINTF("[%5d] [%-6zu] [%08x] [%+lld] [%*d] [%.3s] [%.2e]", -3, (size_t)9, 0xffu, 1LL, 4, 2, "limit", 0.5);
#undef AS_PRINTF
}

/* Where numbers are written with a comma, the text form still has a point. */
TEST(locales) {
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8"};
    double number = 0;
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++)
        if (setlocale(LC_NUMERIC, comma[i])) {
            char half[8];
            snprintf(half, sizeof half, "%.1f", 0.5);
            ck_assert(tvgp__number_text_read("-12.5e1", &number));
            ck_assert(!tvgp__number_text_read(half, &number) || strcmp(half, "0.5") == 0);
            break;
        }
    setlocale(LC_NUMERIC, "C");
    ck_assert(tvgp__number_text_read("-12.5e1", &number) && number == -125);
}

/* Any text as a value: what lists are made of. */
TEST(free_text) {
    struct config {
        int64_t before;
        char levels[TVGP__OPTION_TEXT_SIZE];
        int64_t after;
    } c;
    static const char *const initial[] = {".01,1,10", NULL};
    static const tvgp__option table[] = {
        {"levels", TVGP_STR, TVGP__OPTION_TEXT, offsetof(struct config, levels), 0, 0, 0, initial, "a list"}};
    static const tvgp__option_group groups[] = {TVGP__OPTION_GROUP(table, 0)};
    char most[TVGP__OPTION_TEXT_SIZE], longer[TVGP__OPTION_TEXT_SIZE + 1];
    const char *read;
    tvgp_option_info info;
    memset(&c, 0xff, sizeof c);
    tvgp__option_defaults(groups, 1, &c);
    tvgp__option_describe(groups, 1, 0, &c, &info);
    ck_assert(info.type == TVGP_STR && !info.choices && info.flags == 0);
    ck_assert_str_eq(info.default_str, ".01,1,10");
    ck_assert_str_eq(c.levels, ".01,1,10");
    ASSERT_OK(tvgp__option_set_text(ctx, groups, 1, &c, "levels", "3,4"));
    ASSERT_OK(tvgp__option_get_str(ctx, groups, 1, &c, "levels", &read));
    ck_assert_str_eq(read, "3,4");
    memset(most, 'a', sizeof most);
    memset(longer, 'b', sizeof longer);
    most[sizeof most - 1] = longer[sizeof longer - 1] = '\0';
    ASSERT_OK(tvgp__option_set_str(ctx, groups, 1, &c, "levels", most));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_str(ctx, groups, 1, &c, "levels", longer), "levels", "128", "127");
    ck_assert_str_eq(c.levels, most);
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp__option_set_f64(ctx, groups, 1, &c, "levels", 1), "levels", "str", "f64");
    ck_assert(c.before == -1 && c.after == -1);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

TEST(integers_and_reals) {
    int64_t integer = 0;
    open_policy("tv-gp-ucb");
    ASSERT_OK(tvgp_policy_set_i64(policy, "noise", 4));
    ck_assert_double_eq(get("noise"), 4);
    ASSERT_OK(tvgp_policy_get_i64(policy, "noise", &integer));
    ck_assert_int_eq(integer, 4);
    ASSERT_OK(tvgp_policy_set_f64(policy, "seed", 0x1p53));
    ASSERT_OK(tvgp_policy_get_i64(policy, "seed", &integer));
    ck_assert_int_eq(integer, (int64_t)1 << 53);
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_i64(policy, "noise", ((int64_t)1 << 53) + 1), "noise", "9007199254740993");
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", 0.5));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_get_i64(policy, "noise", &integer), "'noise' = 0.5", "f64");
    ck_assert_int_eq(integer, (int64_t)1 << 53);
}

/* ---- half-lives ------------------------------------------------------------------------------------------------- */

/* What halves is the correlation: an exact observation, one half-life later, pulls the mean half as far. */
TEST(half_life_of_the_function) {
    static const double lives[] = {0.1, 1, 45.5, 1e5};
    static const char *const drifts[] = {"forgetting", "matern32"};
    double X[2 * CASES_ARMS], now, later;
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (int i = 0; i < 8; i++) {
        const double life = lives[i / 2];
        open_policy("tv-gp-ucb");
        ASSERT_OK(tvgp_policy_set_str(policy, "time.kernel", drifts[i % 2]));
        ASSERT_OK(tvgp_policy_set_f64(policy, "half_life", life));
        ASSERT_NEAR(get("epsilon"), 1 - pow(0.25, 1 / life), 1e-12);
        ASSERT_NEAR(get("half_life"), life, 1e-9);
        const tvgp_obs exact = {.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .y = 2, .t = 7};
        ASSERT_OK(tvgp_policy_tell(policy, 1, &exact, X));
        ASSERT_OK(tvgp_policy_predict(policy, 7, 1, X, &now, NULL));
        ASSERT_OK(tvgp_policy_predict(policy, 7 + life, 1, X, &later, NULL));
        ASSERT_NEAR(now, 2, 1e-6);
        ASSERT_NEAR(later, 1, 1e-6);
    }
}

/* In w-gp-ucb it is the weight of an observation. */
TEST(half_life_of_a_weight) {
    double X[2 * CASES_ARMS];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    open_policy("w-gp-ucb");
    ck_assert_double_eq(get("half_life"), 0); /* by the rule, as decay 0 */
    ASSERT_OK(tvgp_policy_set(policy, "half_life=12.5"));
    ASSERT_NEAR(get("decay"), pow(0.5, 1 / 12.5), 1e-15);
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_tell(policy, 1, (const tvgp_obs[]){tvgp_obs_unsolicited(12.5 * i, 1)}, X));
    ASSERT_NEAR(harness_stat(policy, "observations.effective"), 1.5, 1e-12);
}

/* Two views of one value; infinite is never; what the rate cannot hold is refused. */
TEST(half_life_and_rate) {
    static const struct {
        const char *name, *rate;
        double still, value, life;
    } rows[] = {{"tv-gp-ucb", "epsilon", 0, 0.75, 1}, {"r-gp-ucb", "epsilon", 0, 0.5, 2}, {"w-gp-ucb", "decay", 1, 0.5, 1}};
    for (size_t i = 0; i < 3; i++) {
        open_policy(rows[i].name);
        ASSERT_OK(tvgp_policy_set_f64(policy, rows[i].rate, rows[i].value));
        ASSERT_NEAR(get("half_life"), rows[i].life, 1e-14);
        ASSERT_OK(tvgp_policy_set_f64(policy, "half_life", INFINITY));
        ck_assert_double_eq(get(rows[i].rate), rows[i].still);
        ck_assert(isinf(get("half_life")));
        ASSERT_OK(tvgp_policy_set(policy, "half_life=3"));
        ck_assert_double_ne(get(rows[i].rate), rows[i].still);
        ASSERT_OK(tvgp_policy_set(policy, "half_life=inf"));
        ck_assert_double_eq(get(rows[i].rate), rows[i].still);
        ck_assert_int_eq(tvgp_policy_set_f64(policy, "half_life", -1), TVGP_ERR_OPTION);
        ck_assert_int_eq(tvgp_policy_set_f64(policy, "half_life", -INFINITY), TVGP_ERR_OPTION);
        ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "half_life", 1e-4), "0.0001", "unit of time");
        ck_assert_double_eq(get(rows[i].rate), rows[i].still);
    }
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* The nearest is named where something is near, otherwise where to look. */
TEST(unknown_names) {
    double X[2 * CASES_ARMS], value;
    tvgp_domain *domain = MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    policy = NULL;
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "ucb", domain, kernel, &policy), "'ucb'", "nearest are 'gp-ucb'",
                 ", ..");
    ck_assert(!strstr(tvgp_ctx_errmsg(ctx), "bkb"));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "auto", domain, kernel, &policy), "nearest is 'auto-gp-ucb'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "Auto-GP-UCB", domain, kernel, &policy),
                 "nearest is 'auto-gp-ucb'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "lucky", domain, kernel, &policy), "tvgp_policy_name_at");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "sparq-ucb", domain, kernel, &policy),
                 "nearest is 'sparq-gp-ucb'");
    ck_assert(!policy);
    open_policy("gp-ucb");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(policy, "epsilon", 0.1), "'gp-ucb'", "'epsilon'",
                 "tv-gp-ucb, r-gp-ucb");
    ck_assert(!strstr(tvgp_ctx_errmsg(ctx), "horizon"));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set(policy, "reset.every=3"), "r-gp-ucb, br-gp-ucb, bkb");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_get_f64(policy, "epsilon", &value), "tv-gp-ucb, r-gp-ucb");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(policy, "nosie", 0.1), "nearest is 'noise'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set(policy, "maximize=1"), "nearest is 'sense=max'");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "sense=maximize"), "choices: max, min");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set(policy, "kernal=se"), "tvgp_policy_option_info");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_stat(policy, "quadratic error", &value), "tvgp_policy_stat_info");
    tvgp_policy_destroy(policy);
    open_policy("random");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(policy, "noise", 0.1), "gp-ucb, igp-ucb, tv-gp-ucb, ..");
    tvgp_policy_destroy(policy);
}

/* A width that no schedule reads is refused at the first ask, and can still be mended. */
TEST_EACH(width_without_schedule, harness_policies()) {
    const char *name, *doc;
    tvgp_query q;
    double value;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    for (int typed = 0; typed < 2; typed++) {
        open_policy(name);
        if (tvgp_policy_get_f64(policy, "width.value", &value) == TVGP_OK) {
            ASSERT_OK(typed ? tvgp_policy_set_f64(policy, "width.value", value) : tvgp_policy_set(policy, "width.value=3"));
            ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 1, &q, NULL), "width.value",
                         "width.schedule=constant");
            ASSERT_OK(tvgp_policy_set_str(policy, "width.schedule", "constant"));
        }
        ASSERT_OK(tvgp_policy_ask_one(policy, 1, &q, NULL));
    }
}

/* What every statistic is for: the four of the guide are headlines, a counter never falls, and all have a kind and a unit. */
TEST_EACH(kinds_of_statistics, harness_policies()) {
    const char *name;
    tvgp_stat_info info;
    double before[128] = {0}, noise, value;
    size_t n, headlines = 0;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    open_policy(name);
    ASSERT_OK(tvgp_policy_stat_count(policy, &n));
    ck_assert_uint_le(n, 128);
    for (int t = 0; t < 120; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_random_normal(5, 6, (uint64_t)t, 1, &noise));
        if (t % 7)
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, noise + (t > 60 ? 30 : 0)));
        for (size_t i = 0; i < n; i++) {
            ASSERT_OK(tvgp_policy_stat_info(policy, i, &info));
            const char *const key = info.key;
            const uint32_t kind = info.kind;
            ASSERT_OK(tvgp_policy_stat(policy, key, &value));
            ck_assert_msg(kind && kind < 16 && info.unit, "%s of %s has no kind", key, name);
            ck_assert_msg(!(kind & TVGP_STAT_COUNTER) || value >= before[i], "%s of %s fell to %g", key, name, value);
            before[i] = value;
            if (t || !(kind & TVGP_STAT_HEADLINE))
                continue;
            headlines++;
            ck_assert_msg(strstr("surprise pending clock resets", key) != NULL, "%s", key);
        }
    }
    ck_assert_uint_eq(headlines, tvgp_policy_stat(policy, "surprise", &value) == TVGP_OK ? 4 : 2);
}

HARNESS_MAIN("setting")
