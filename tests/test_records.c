/* SPDX-License-Identifier: MIT */
/* Members of records: one that is not 0 without its flag, or reserved, is refused by name in tvgp_obs and tvgp_event; nothing has
 * changed then. */
#include "harness.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct member {
    size_t at;
    uint32_t flag;
    const char *name, *flag_name;
} members[] = {
    {offsetof(tvgp_obs, noise_var), TVGP_OBS_HAS_NOISE, "noise_var", "TVGP_OBS_HAS_NOISE (1)"},
    {offsetof(tvgp_obs, t), TVGP_OBS_HAS_TIME, "].t", "TVGP_OBS_HAS_TIME (2)"},
    {offsetof(tvgp_obs, exposure), TVGP_OBS_HAS_EXPOSURE, "exposure", "TVGP_OBS_HAS_EXPOSURE (4)"},
    {offsetof(tvgp_obs, reference), TVGP_OBS_HAS_REFERENCE, "reference", "TVGP_OBS_HAS_REFERENCE (8)"},
    {offsetof(tvgp_obs, reserved), 0, "reserved[0]", ""},
    {offsetof(tvgp_obs, reserved) + 16, 0, "reserved[4]", ""},
    {offsetof(tvgp_obs, reserved) + 32, 0, "reserved[8]", ""},
};
enum { MEMBERS = sizeof members / sizeof *members };

static const char *const types[] = {"normal", "lognormal", "ratio", "poisson", "binomial"};
enum { TYPES = sizeof types / sizeof *types };

static tvgp_policy *open_policy(const char *type) {
    const double l = 0.2, low = 0, high = 1;
    const size_t n = 11;
    tvgp_kernel *kernel = harness_se(1, 1, &l);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", harness_grid(1, &low, &high, &n), kernel);
    ASSERT_OK(tvgp_policy_set_str(policy, "outcome.type", type));
    return policy;
}

/* A record that this type accepts. */
static tvgp_obs right(const char *type, int64_t id) {
    tvgp_obs o = id ? tvgp_obs_value(id, 1) : tvgp_obs_unsolicited(5, 1);
    if (strcmp(type, "ratio") == 0) {
        o.flags |= TVGP_OBS_HAS_REFERENCE;
        o.reference = 2;
    }
    return o;
}

static void put(tvgp_obs *o, const struct member *m, double value) {
    const int32_t bits = value != 0;
    memcpy((char *)o + m->at, m->flag ? (const void *)&value : (const void *)&bits, m->flag ? sizeof value : sizeof bits);
}

/* As a value of a query, as an unsolicited one, and where there is no value; the other record of the call is right. */
TEST_EACH(needs_its_flag, TYPES) {
    const char *type = types[_i];
    const double values[] = {4, -1e-300, NAN, INFINITY};
    tvgp_policy *p = open_policy(type), *twin = open_policy(type);
    for (size_t k = 0; k < 4 * 3 * MEMBERS; k++) {
        const struct member *m = &members[k % MEMBERS];
        const size_t kind = k / MEMBERS % 3;
        const double t = (double)k, x[] = {0.2, 0.4};
        const tvgp_query q = harness_ask(p, t), same = harness_ask(twin, t);
        ck_assert_mem_eq(&q, &same, sizeof q);
        tvgp_obs o[2] = {right(type, 0), right(type, kind == 1 ? 0 : q.id)};
        o[0].t = t;
        if (kind == 2)
            o[1] = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        if (!m->flag || !(o[1].flags & m->flag)) {
            put(&o[1], m, values[k / MEMBERS / 3]);
            ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 2, o, x), "obs[1]", m->name, "must be 0", m->flag_name);
            put(&o[1], m, -0.0); /* is 0 */
        }
        ASSERT_OK(tvgp_policy_tell(p, 2, o, x));
        ASSERT_OK(tvgp_policy_tell(twin, 2, o, x));
    }
}

/* Events: when they are applied, and when they are written. */
TEST(of_events) {
    static const struct {
        size_t at;
        const char *name;
    } parts[] = {{offsetof(tvgp_event, noise_var), "noise"},
                 {offsetof(tvgp_event, t), "t"},
                 {offsetof(tvgp_event, exposure), "exposure"},
                 {offsetof(tvgp_event, reference), "reference"},
                 {offsetof(tvgp_event, reserved), "reserved"}};
    tvgp_policy *p = open_policy("normal");
    const tvgp_query q = harness_ask(p, 0);
    char line[200];
    size_t needed;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        tvgp_event e = {.n = 7, .kind = TVGP_EVENT_TELL, .id = q.id, .y = 1};
        const double value = 3;
        memcpy((char *)&e + parts[k].at, &value, sizeof value);
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_apply(p, 1, &e, 0, NULL), "event 7", parts[k].name, "must be 0");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_format(ctx, &e, 0, NULL, sizeof line, line, &needed), parts[k].name,
                     "must be 0");
    }
    ck_assert(harness_stat(p, "pending") == 1);
    const tvgp_event ask = {.n = 7, .kind = TVGP_EVENT_ASK, .id = 2, .t = 1, .reserved = NAN};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_apply(p, 1, &ask, 0, NULL), "event 7", "reserved");
}

HARNESS_MAIN("records")
