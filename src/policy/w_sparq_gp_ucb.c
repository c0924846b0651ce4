/* SPDX-License-Identifier: MIT */
/* W-SparQ-GP-UCB (Mauduit, Berthier, Simonetto, alg. 2): windows of growing length. After the outcome of the action at
 * the start of a window there is a round of side queries, and the posterior restarts from their values; inside the
 * window own observations are added. The noise of both is noise (1 + age^noise_growth.exponent), age counted from the
 * newest own observation. Without any value, own observations of the window serve, including the one at its start. Outcomes
 * of queries of an earlier window are counted (`ignored`) and otherwise ignored. The windows bound the noise of own
 * observations by noise (1 + t_j^alpha_tilde) (eq. 32), so there is no option side.action_outcomes. */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/ucb/growing_windows.h"
#include "policy/ucb/side_queries.h"

#include <math.h>

typedef struct {
    tvgp__side_queries_config expert;
    double alpha, alpha_tilde, growth;
} config;

typedef struct {
    tvgp__side_queries expert;
    int64_t index, next; /* number of the window; action at which the next one starts */
} state;

static const tvgp__option own[] = {
    {"alpha", TVGP_F64, 0, offsetof(config, alpha), 1, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Exponent of the growth of noise and of windows: t + floor(t^(alpha_tilde / alpha)) + 1. 0: learned, in "
                "[1/3, 3], from "
                "pairs of outcomes at one point.")},
    {"alpha_tilde", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, alpha_tilde), 0.25, 0, 1.0 / 3, NULL,
     TVGP__TEXT("Exponent of the growth of windows: t + floor(t^(alpha_tilde / alpha)) + 1.")},
    {"noise_growth.exponent", TVGP_F64, 0, offsetof(config, growth), -1, -1, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Exponent of noise growth: noise (1 + age^exponent). 0: constant; negative: alpha.")},
};

/* The observation at the start of a window is not younger than the values: it serves in their absence only. */
static int uses(const tvgp_policy *p, const tvgp__observation *datum) {
    const state *s = p->state;
    return s->expert.answers == 0 || datum->step == 0 || datum->step > s->expert.window_start;
}

static double alpha_of(const tvgp_policy *p) {
    const config *c = p->config;
    const state *s = p->state;
    return c->alpha > 0 ? c->alpha : s ? s->expert.exponent.estimate : 1;
}

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    state *s = p->state;
    if (!(c->alpha > 0) && c->growth >= 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                               "alpha = 0 learns the exponent that noise_growth.exponent = %g sets: set one of them",
                               c->growth);
    double growth = c->growth >= 0 ? c->growth : c->alpha > 0 ? c->alpha : 1;
    tvgp__noise_age age = {.growth = growth > 0 ? TVGP__NOISE_AGE_POWER : TVGP__NOISE_AGE_NONE, .alpha = growth};
    s->next = 1;
    return tvgp__side_queries_start(p, age, !(c->alpha > 0), uses);
}

static void start_window(tvgp_policy *p, int64_t step, double t) {
    state *s = p->state;
    tvgp__side_queries *e = &s->expert;
    const tvgp__growing_windows windows = tvgp__growing_windows_make(alpha_of(p), ((const config *)p->config)->alpha_tilde);
    for (; s->next <= step; s->index++) {
        e->window_start = s->next;
        s->next = tvgp__growing_windows_next(&windows, e->window_start);
    }
    if (s->index > 1)
        tvgp__ucb_reset(p, t, "a window of the side queries starts");
    e->ucb.reset_step = e->window_start;
    tvgp__side_queries_restart(p);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    state *s = p->state;
    tvgp__side_queries *e = &s->expert;
    tvgp__side_queries_count(p, a);
    if (a->kind == TVGP_ACTION && a->step >= s->next)
        start_window(p, a->step, a->t);
    int old = a->kind == TVGP_SIDE ? a->step != e->round_step : a->step > 0 && a->step < e->window_start;
    if (a->outcome == TVGP_VALUE && old)
        e->ucb.ignored++;
    else if (a->outcome == TVGP_VALUE)
        tvgp__side_queries_take(p, a);
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    state *s = p->state;
    tvgp__side_queries_visit(p, v);
    tvgp__visit_tally(v, &s->index);
    tvgp__visit_tally(v, &s->expert.window_start);
    tvgp__visit_int(v, &s->next, 1, TVGP__VISIT_TALLY);
    if (tvgp__visit_loads(v) && p->counts.asked - s->next > (int64_t)1 << 22) /* each window between is walked through */
        tvgp__visit_refuse(v, "the window is far behind the actions");
    tvgp__side_queries_loaded(p, v);
}

static double window(const tvgp_policy *p) {
    const state *s = p->state;
    return s ? (double)s->index : 0;
}
static double window_start(const tvgp_policy *p) {
    const state *s = p->state;
    return s ? (double)s->expert.window_start : 0;
}

static const tvgp__stat own_stats[] = {
    {"alpha", TVGP__TEXT("Exponent of the growth of noise and of windows."), alpha_of, TVGP_STAT_LEARNED, ""},
    {"window", TVGP__TEXT("Number of the window, from 1. 0 before the first outcome."), window, TVGP_STAT_DIAGNOSTIC, ""},
    {"window.start", TVGP__TEXT("Action at which the window started."), window_start, TVGP_STAT_DIAGNOSTIC, ""},
};
static const tvgp__stat_group stats[] = {TVGP__SIDE_QUERIES_STAT_GROUPS, {own_stats, sizeof own_stats / sizeof *own_stats}};
static const tvgp__option_group groups[] = {TVGP__SIDE_QUERIES_GROUPS, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__w_sparq_gp_ucb = {TVGP__SIDE_QUERIES_OPS,
                                               .name = "w-sparq-gp-ucb",
                                               .doc =
                                                   TVGP__TEXT("side queries at the start of growing windows; fewer of them"),
                                               TVGP__POLICY_TABLES(groups, stats),
                                               TVGP__POLICY_SIZES(config, state),
                                               .defaults = tvgp__side_queries_defaults,
                                               .start = start,
                                               .take = take,
                                               .visit = visit};
