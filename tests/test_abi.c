/* SPDX-License-Identifier: MIT */
/* What may never change: sizes and offsets of the public structs, values of the codes. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define ASSERT_MEMBER(type, member, at, size)                                                                               \
    do {                                                                                                                    \
        ck_assert_uint_eq(offsetof(type, member), (at));                                                                    \
        ck_assert_uint_eq(sizeof((type *)NULL)->member, (size));                                                            \
    } while (0)

TEST(records) {
    ck_assert_uint_eq(sizeof(tvgp_query), 64);
    ASSERT_MEMBER(tvgp_query, id, 0, 8);
    ASSERT_MEMBER(tvgp_query, kind, 8, 4);
    ASSERT_MEMBER(tvgp_query, flags, 12, 4);
    ASSERT_MEMBER(tvgp_query, arm, 16, 8);
    ASSERT_MEMBER(tvgp_query, t, 24, 8);
    ASSERT_MEMBER(tvgp_query, noise_var, 32, 8);
    ASSERT_MEMBER(tvgp_query, score, 40, 8);
    ASSERT_MEMBER(tvgp_query, propensity, 48, 8);
    ASSERT_MEMBER(tvgp_query, risk, 56, 8);
    ck_assert_uint_eq(sizeof(tvgp_obs), 96);
    ASSERT_MEMBER(tvgp_obs, id, 0, 8);
    ASSERT_MEMBER(tvgp_obs, outcome, 8, 4);
    ASSERT_MEMBER(tvgp_obs, flags, 12, 4);
    ASSERT_MEMBER(tvgp_obs, y, 16, 8);
    ASSERT_MEMBER(tvgp_obs, noise_var, 24, 8);
    ASSERT_MEMBER(tvgp_obs, t, 32, 8);
    ASSERT_MEMBER(tvgp_obs, exposure, 40, 8);
    ASSERT_MEMBER(tvgp_obs, reference, 48, 8);
    ASSERT_MEMBER(tvgp_obs, output, 56, 4);
    ASSERT_MEMBER(tvgp_obs, reserved, 60, 36);
    ck_assert_uint_eq(sizeof(tvgp_event), 128);
    ASSERT_MEMBER(tvgp_event, n, 0, 8);
    ASSERT_MEMBER(tvgp_event, kind, 8, 4);
    ASSERT_MEMBER(tvgp_event, flags, 12, 4);
    ASSERT_MEMBER(tvgp_event, id, 16, 8);
    ASSERT_MEMBER(tvgp_event, epoch, 24, 8);
    ASSERT_MEMBER(tvgp_event, arm, 32, 8);
    ASSERT_MEMBER(tvgp_event, t, 40, 8);
    ASSERT_MEMBER(tvgp_event, outcome, 48, 4);
    ASSERT_MEMBER(tvgp_event, output, 52, 4);
    ASSERT_MEMBER(tvgp_event, y, 56, 8);
    ASSERT_MEMBER(tvgp_event, noise_var, 64, 8);
    ASSERT_MEMBER(tvgp_event, propensity, 72, 8);
    ASSERT_MEMBER(tvgp_event, exposure, 80, 8);
    ASSERT_MEMBER(tvgp_event, reference, 88, 8);
    ASSERT_MEMBER(tvgp_event, charge, 96, 8);
    ASSERT_MEMBER(tvgp_event, slate, 104, 4);
    ASSERT_MEMBER(tvgp_event, outputs, 108, 4);
    ASSERT_MEMBER(tvgp_event, size, 112, 8);
    ASSERT_MEMBER(tvgp_event, reserved, 120, 8);
    ck_assert_uint_eq(sizeof(tvgp_status), 4);
}

TEST(structs_with_pointers) {
    const size_t p = sizeof(void *);
    ck_assert_uint_eq(sizeof(tvgp_allocator), 4 * p);
    ASSERT_MEMBER(tvgp_allocator, struct_size, 0, p);
    ASSERT_MEMBER(tvgp_allocator, user, p, p);
    ASSERT_MEMBER(tvgp_allocator, allocate, 2 * p, p);
    ASSERT_MEMBER(tvgp_allocator, release, 3 * p, p);
    ck_assert_uint_eq(sizeof(tvgp_option_info), 4 * p + 32);
    ASSERT_MEMBER(tvgp_option_info, key, 0, p);
    ASSERT_MEMBER(tvgp_option_info, doc, p, p);
    ASSERT_MEMBER(tvgp_option_info, choices, 2 * p, p);
    ASSERT_MEMBER(tvgp_option_info, default_str, 3 * p, p);
    ASSERT_MEMBER(tvgp_option_info, default_num, 4 * p, 8);
    ASSERT_MEMBER(tvgp_option_info, lower, 4 * p + 8, 8);
    ASSERT_MEMBER(tvgp_option_info, upper, 4 * p + 16, 8);
    ASSERT_MEMBER(tvgp_option_info, type, 4 * p + 24, 4);
    ASSERT_MEMBER(tvgp_option_info, flags, 4 * p + 28, 4);
    ck_assert_uint_eq(sizeof(tvgp_param_info), p == 8 ? 64 : sizeof(tvgp_param_info));
    ASSERT_MEMBER(tvgp_param_info, name, 0, p);
    ASSERT_MEMBER(tvgp_param_info, value, 8, 8);
    ASSERT_MEMBER(tvgp_param_info, lower, 16, 8);
    ASSERT_MEMBER(tvgp_param_info, upper, 24, 8);
    ASSERT_MEMBER(tvgp_param_info, kind, 32, 4);
    ASSERT_MEMBER(tvgp_param_info, flags, 36, 4);
    ASSERT_MEMBER(tvgp_param_info, reserved, 40, 24);
}

static const struct {
    tvgp_status status, value;
    const char *name;
} codes[] = {
    {TVGP_OK, 0, "TVGP_OK"},
    {TVGP_AGAIN, 1, "TVGP_AGAIN"},
    {TVGP_DONE, 2, "TVGP_DONE"},
    {TVGP_ERR_ARG, -1, "TVGP_ERR_ARG"},
    {TVGP_ERR_NOMEM, -2, "TVGP_ERR_NOMEM"},
    {TVGP_ERR_STATE, -3, "TVGP_ERR_STATE"},
    {TVGP_ERR_DIM, -4, "TVGP_ERR_DIM"},
    {TVGP_ERR_NOTFOUND, -5, "TVGP_ERR_NOTFOUND"},
    {TVGP_ERR_OPTION, -6, "TVGP_ERR_OPTION"},
    {TVGP_ERR_TICKET, -7, "TVGP_ERR_TICKET"},
    {TVGP_ERR_UNSUPPORTED, -8, "TVGP_ERR_UNSUPPORTED"},
    {TVGP_ERR_VERSION, -9, "TVGP_ERR_VERSION"},
    {TVGP_ERR_FORMAT, -10, "TVGP_ERR_FORMAT"},
    {TVGP_ERR_BUFFER, -11, "TVGP_ERR_BUFFER"},
    {TVGP_ERR_NUMERIC, -12, "TVGP_ERR_NUMERIC"},
    {TVGP_ERR_NONFINITE, -13, "TVGP_ERR_NONFINITE"},
    {TVGP_ERR_CALLBACK, -14, "TVGP_ERR_CALLBACK"},
    {TVGP_ERR_REENTRANT, -15, "TVGP_ERR_REENTRANT"},
    {TVGP_ERR_INTERRUPTED, -16, "TVGP_ERR_INTERRUPTED"},
    {TVGP_ERR_LIMIT, -17, "TVGP_ERR_LIMIT"},
    {TVGP_ERR_INTERNAL, -18, "TVGP_ERR_INTERNAL"},
    {-1000, -1000, "TVGP_ERR_CALLBACK"},
    {-1999, -1999, "TVGP_ERR_CALLBACK"},
    {-19, -19, "unknown status"},
    {-999, -999, "unknown status"},
    {-2000, -2000, "unknown status"},
    {3, 3, "unknown status"},
    {INT32_MIN, INT32_MIN, "unknown status"},
    {INT32_MAX, INT32_MAX, "unknown status"},
};

TEST(status_codes) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        ck_assert_int_eq(codes[i].status, codes[i].value);
        ck_assert_str_eq(tvgp_status_name(codes[i].value), codes[i].name);
    }
}

/* With those above every constant of the headers; tests/signatures.py looks whether one is missing. */
static const int32_t constants[][2] = {
    {TVGP_ACTION, 0},
    {TVGP_SIDE, 1},
    {TVGP_INIT, 2},
    {TVGP_VALUE, 0},
    {TVGP_SKIPPED, 1},
    {TVGP_FAILED, 2},
    {TVGP_CANCELLED, 3},
    {TVGP_OBS_HAS_NOISE, 1},
    {TVGP_OBS_HAS_TIME, 2},
    {TVGP_OBS_HAS_EXPOSURE, 4},
    {TVGP_OBS_HAS_REFERENCE, 8},
    {TVGP_OBS_PARTIAL, 16},
    {TVGP_OBS_RIGHT_CENSORED, 32},
    {TVGP_OBS_LEFT_CENSORED, 64},
    {TVGP_AT_LEAST, 0},
    {TVGP_AT_MOST, 1},
    {TVGP_OF_MEAN, 2},
    {TVGP_EVENT_ASK, 1},
    {TVGP_EVENT_TELL, 2},
    {TVGP_EVENT_AVAILABLE, 3},
    {TVGP_EVENT_CONTEXT, 4},
    {TVGP_EVENT_CONTEXT_POINT, 5},
    {TVGP_EVENT_CANDIDATES, 6},
    {TVGP_EVENT_BOUNDS, 7},
    {TVGP_EVENT_PRIOR_MEAN, 8},
    {TVGP_EVENT_CONSTRAINT, 9},
    {TVGP_EVENT_SAFE, 10},
    {TVGP_EVENT_INCUMBENT, 11},
    {TVGP_EVENT_FIT, 12},
    {TVGP_EVENT_BUDGET, 13},
    {TVGP_EVENT_COSTS, 14},
    {TVGP_EVENT_CHARGE, 15},
    {TVGP_EVENT_EXTEND, 16},
    {TVGP_EVENT_PAYOFFS, 17},
    {TVGP_EVENT_COST_WEIGHT, 18},
    {TVGP_EVENT_MEANS, 1},
    {TVGP_F64, 0},
    {TVGP_I64, 1},
    {TVGP_STR, 2},
    {TVGP_OPTION_OPEN_LOWER, 1},
    {TVGP_OPTION_OPEN_UPPER, 2},
    {TVGP_OPTION_INFINITE, 4},
    {TVGP_OPTION_DERIVED, 8},
    {TVGP_OPTION_ADVANCED, 16},
    {TVGP_STAT_HEADLINE, 1},
    {TVGP_STAT_LEARNED, 2},
    {TVGP_STAT_COUNTER, 4},
    {TVGP_STAT_DIAGNOSTIC, 8},
    {TVGP_PARAM_VARIANCE, 0},
    {TVGP_PARAM_LENGTHSCALE, 1},
    {TVGP_PARAM_SHAPE, 2},
    {TVGP_PARAM_PERIOD, 3},
    {TVGP_PARAM_RATE, 4},
    {TVGP_PARAM_EPSILON, 1},
    {TVGP_PARAM_SCALES, 2},
};

TEST(enumerations) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        ck_assert_int_eq(constants[i][0], constants[i][1]);
}

TEST(version) {
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", TVGP_VERSION_MAJOR, TVGP_VERSION_MINOR, TVGP_VERSION_PATCH);
    ck_assert_str_eq(tvgp_version(), want);
}

HARNESS_MAIN("abi")
