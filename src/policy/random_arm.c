/* SPDX-License-Identifier: MIT */
/* Uniform choice among the available arms, actions or candidates, or on a whole box: the baseline of every table of
 * regrets. */
#include "policy/random_arm.h"
#include "base/error.h"
#include "base/numbers/random_stream.h"
#include "policy/builtin.h"
#include "protocol/feature_options.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

enum { TRIES = 1000 };

typedef struct {
    double x[TVGP__SEARCH_SPACE_MOST + 1], reach[TVGP__SEARCH_SPACE_MOST]; /* on a box */
} state;

size_t tvgp__random_arm_draw(const tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    tvgp__random_stream stream =
        tvgp__random_stream_open((uint64_t)c->seed, TVGP__RANDOM_STREAM_ARM, (uint64_t)p->counts.asked);
    size_t left = (size_t)tvgp__random_stream_below(&stream, p->available.count), arm = 0;
    if (!p->available.mask)
        return left;
    while (!p->available.mask[arm] || left-- > 0)
        arm++;
    return arm;
}

/* On a box uniform within the bounds, drawn again while it is not feasible; in the end a point declared safe. */
static tvgp_status draw_point(tvgp_policy *p, tvgp__chosen *out) {
    const tvgp__policy_config *c = p->config;
    state *s = p->state;
    const tvgp__search_space space = tvgp__query_points_space(p, NULL, s->reach);
    tvgp__random_stream stream =
        tvgp__random_stream_open((uint64_t)c->seed, TVGP__RANDOM_STREAM_ARM, (uint64_t)p->counts.asked);
    uint8_t ok = 0;
    for (int tried = 0; tried < TRIES && !ok; tried++) {
        for (size_t d = 0; d < space.dim; d++) {
            double u = tvgp__random_stream_uniform(&stream), side = space.upper[d] - space.lower[d];
            s->x[d] =
                tvgp__search_space_whole(&space, d) ? space.lower[d] + floor(u * (side + 1)) : space.lower[d] + u * side;
        }
        TVGP__TRY(tvgp__search_space_test(&space, 1, s->x, &ok));
    }
    for (size_t k = 0; k < space.safe.n_known && !ok; k++) {
        memcpy(s->x, space.safe.known + k * space.dim, space.dim * sizeof *s->x);
        tvgp__search_space_clip(&space, s->x);
        TVGP__TRY(tvgp__search_space_test(&space, 1, s->x, &ok));
    }
    if (!ok)
        return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "none of %d random points is feasible", TRIES);
    *out = (tvgp__chosen){.kind = TVGP_ACTION, .x = s->x};
    return tvgp__policy_mean_points(p, 1, s->x, &s->x[space.dim], NULL);
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    (void)t;
    (void)cap;
    *n = 1;
    if (!tvgp__policy_choices(p))
        return draw_point(p, out);
    *out =
        (tvgp__chosen){.kind = TVGP_ACTION, .index = tvgp__random_arm_draw(p), .propensity = 1 / (double)p->available.count};
    if (tvgp__domain_has_arms(p->domain))
        return TVGP_OK;
    out->x = ((state *)p->state)->x;
    return tvgp__policy_point(p, out->index, ((state *)p->state)->x);
}

/* Each draw has a stream of its own. */
static void visit(tvgp_policy *p, tvgp__visit *v) {
    (void)p;
    (void)v;
}

static const tvgp__option_group groups[] = {{tvgp__policy_options, TVGP__POLICY_OPTIONS, 0},
                                            TVGP__FEATURE_OPTIONS_CONSTRAINED};

const tvgp__policy_ops tvgp__random_arm = {
    .name = "random",
    .doc = TVGP__TEXT("uniform over the available arms; the baseline of every comparison"),
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    TVGP__POLICY_SIZES(tvgp__policy_config, state),
    .on_boxes = 1,
    .without_kernel = 1,
    .ask = ask,
    .visit = visit};
