/* SPDX-License-Identifier: MIT */
/* Tables of policies from outside that are wrong, and memory that fails while one is registered. */
#include "cases.h"
#include "outside.h"

#include <math.h>
#include <stddef.h>

static int destroyed;

static void setup(void) {
    harness_setup();
    destroyed = 0;
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &destroyed, outside_destroy));
}

static void teardown(void) {
    harness_teardown();
    ck_assert_int_eq(destroyed, 1);
}

static const char *const choices[] = {"one", "two", NULL}, *const no_choices[] = {NULL};

TEST(options_and_statistics_are_checked) {
    static const struct {
        tvgp_option_info option;
        tvgp_status status;
    } wrong[] = {
        {{.key = NULL}, TVGP_ERR_ARG},
        {{.key = "two words"}, TVGP_ERR_ARG},
        {{.key = "a=b"}, TVGP_ERR_ARG},
        {{.key = "seed", .type = TVGP_I64}, TVGP_ERR_ARG},
        {{.key = "x", .type = 3}, TVGP_ERR_ARG},
        {{.key = "x", .flags = TVGP_OPTION_DERIVED}, TVGP_ERR_ARG},
        {{.key = "x", .type = TVGP_STR}, TVGP_ERR_ARG},
        {{.key = "x", .type = TVGP_STR, .choices = no_choices}, TVGP_ERR_ARG},
        {{.key = "x", .type = TVGP_STR, .choices = choices, .default_str = "three"}, TVGP_ERR_OPTION},
        {{.key = "x", .lower = 1, .upper = 0}, TVGP_ERR_ARG},
        {{.key = "x", .lower = NAN, .upper = 0}, TVGP_ERR_ARG},
        {{.key = "x", .type = TVGP_I64, .upper = 1e300}, TVGP_ERR_ARG},
        {{.key = "x", .lower = 1, .upper = 2}, TVGP_ERR_OPTION},
        {{.key = "x", .type = TVGP_I64, .default_num = 1.5, .upper = 2}, TVGP_ERR_OPTION},
        {{.key = "x", .default_num = NAN, .upper = 2}, TVGP_ERR_NONFINITE},
    };
    static const tvgp_option_info twice[] = {{.key = "x", .upper = 1}, {.key = "x", .upper = 1}};
    static const tvgp_stat_info stats[][2] = {{{.key = "s"}, {.key = "s"}},
                                              {{.key = "asked"}},
                                              {{.key = ""}},
                                              {{.key = "s", .kind = 16}, {.key = "r"}},
                                              {{.key = "s", .type = TVGP_I64}, {.key = "r"}}};
    tvgp_policy_type type = outside_ucb;
    type.name = "wrong";
    type.n_options = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        type.options = &wrong[i].option;
        ck_assert_msg(tvgp_ctx_register_policy(ctx, &type, NULL, NULL) == wrong[i].status, "option %zu: %s", i,
                      tvgp_ctx_errmsg(ctx));
    }
    type.options = twice;
    type.n_options = 2;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "options[1]", "'x' is taken");
    type.n_options = 61;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "n_options = 61");
    type.options = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "options is NULL");
    type.n_options = 0;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        type.stats = stats[i];
        type.n_stats = 2;
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "stats[");
    }
    type.stat_size--;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "stat_size");
    type.stat_size++;
    type.options = twice;
    type.n_options = 1;
    type.option_size--;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "option_size");
    type.stat = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "stat is NULL");
}

/* The records of a newer header are longer: what this version does not know is skipped. */
TEST(longer_records) {
    static const struct {
        tvgp_option_info option;
        double later;
    } options[] = {{{.key = "first", .default_num = 1, .upper = 9}, NAN},
                   {{.key = "second", .default_num = 2, .upper = 9}, NAN}};
    static const struct {
        tvgp_stat_info stat;
        double later;
    } stats[] = {{{.key = "one"}, NAN}, {{.key = "two", .unit = "time", .kind = TVGP_STAT_COUNTER}, NAN}};
    tvgp_policy_type type = outside_ucb;
    size_t n;
    uint32_t seen = 0;
    tvgp_stat_info info;
    double second = 0;
    type.name = "longer";
    type.options = &options[0].option;
    type.n_options = 2;
    type.option_size = sizeof *options;
    type.stats = &stats[0].stat;
    type.n_stats = 2;
    type.stat_size = sizeof *stats;
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &type, NULL, NULL));
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "longer", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_get_f64(p, "second", &second));
    ck_assert_double_eq(second, 2);
    ASSERT_OK(tvgp_policy_stat_count(p, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_stat_info(p, i, &info));
        if (strcmp(info.key, "two") == 0 && strcmp(info.unit, "time") == 0 && info.type == TVGP_F64)
            seen = info.kind;
    }
    ck_assert_uint_eq(seen, TVGP_STAT_COUNTER);
}

TEST(registering) {
    tvgp_policy_type type = outside_ucb;
    size_t n = 0, m = 0, held, now, k = 1;
    const char *name, *doc;
    ck_assert_int_eq(tvgp_ctx_register_policy(NULL, &type, NULL, NULL), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, NULL, NULL, NULL), "type is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "'outside-ucb' is taken");
    type.name = "gp-ucb";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "'gp-ucb' is taken");
    type.name = "";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "type->name");
    type.name = "other";
    type.struct_size = offsetof(tvgp_policy_type, doc) - 1;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "struct_size");
    type.struct_size = sizeof type;
    type.load = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "save and type->load");
    type.load = outside_ucb.load;
    type.ask = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_policy(ctx, &type, NULL, NULL), "ask is NULL");
    type.ask = outside_ucb.ask;
    ASSERT_OK(tvgp_policy_count(ctx, &n));
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    for (;; k++) { /* every allocation fails in turn: nothing was registered, nothing is held */
        memory.fail_in = k;
        tvgp_status status = tvgp_ctx_register_policy(ctx, &type, &destroyed, NULL);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ASSERT_OK(tvgp_policy_count(ctx, &m));
        ASSERT_OK(tvgp_ctx_memory(ctx, &now));
        ck_assert(m == n && now == held);
    }
    ck_assert_uint_gt(k, 3);
    ASSERT_OK(tvgp_policy_count(ctx, &m));
    ck_assert_uint_eq(m, n + 1);
    ASSERT_OK(tvgp_policy_name_at(ctx, n, &name, &doc));
    ck_assert_str_eq(name, "other");
    ck_assert_str_eq(doc, outside_ucb.doc);
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "other", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set(p, "rule=mean"));
    const char *rule;
    ASSERT_OK(tvgp_policy_get_str(p, "rule", &rule));
    ck_assert_str_eq(rule, "mean");
    (void)harness_ask(p, 0);
}

int main(void) {
    return HARNESS_RUN("foreign register", setup, teardown);
}
