/* SPDX-License-Identifier: MIT */
#include "frame/switch.h"

#include "base/error.h"
#include "base/range.h"
#include "domain/product.h"
#include "frame/where.h"

#include <math.h>
#include <string.h>

const tvgp__option tvgp__switch_options[TVGP__SWITCH_OPTIONS] = {
    {"switch.cost", TVGP_F64, 0, offsetof(tvgp__policy_config, moving.cost), 0, 0, TVGP__RANGE_MOST, NULL,
     "what an action costs that is not the last one, in units of the reward: the highest score less this wins"},
    {"switch.way", TVGP_F64, 0, offsetof(tvgp__policy_config, moving.way), 0, 0, TVGP__RANGE_MOST, NULL,
     "what the way from the last action costs, for each unit of the coordinates"},
};

static const tvgp__switch_config *config_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->moving;
}

static int costs(const tvgp_policy *p) {
    return config_of(p)->cost > 0 || config_of(p)->way > 0;
}

tvgp_status tvgp__switch_check(const tvgp_policy *p) {
    if (config_of(p)->way > 0 && p->domain->indices)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'switch.way' = %g: the arms are names, and there is no way between them",
                               config_of(p)->way);
    return TVGP_OK;
}

/* ---- the last action -------------------------------------------------------------------------------------------- */

/* The newest action that may still be told as failed; those that time out do not fail. */
static const tvgp__ticket *newest(const tvgp_policy *p) {
    for (size_t i = p->tickets.first + p->tickets.count; i > p->tickets.first; i--)
        if (p->tickets.list[i - 1].kind == TVGP_ACTION && tvgp__tickets_open_still(&p->tickets.list[i - 1]))
            return &p->tickets.list[i - 1];
    return NULL;
}

/* The arm, or on a box the point; 0: there is none. */
static int last_of(const tvgp_policy *p, size_t *arm, const double **x) {
    const tvgp__ticket *ticket = newest(p);
    const int pends = ticket && ticket->step > p->position.step;
    if (!pends && !p->position.step)
        return 0;
    *arm = pends ? ticket->arm : p->last_arm;
    if (tvgp__domain_is(p->domain) == TVGP__BOX)
        *x = pends ? tvgp__where_ticket(p, ticket) : p->within->place;
    return 1;
}

void tvgp__switch_settle(tvgp_policy *p, const tvgp__ticket *ticket) {
    tvgp__switch *s = &p->position;
    if (ticket->kind != TVGP_ACTION || ticket->step <= s->step)
        return;
    s->step = ticket->step;
    p->last_arm = (uint32_t)ticket->arm;
    if (tvgp__domain_is(p->domain) == TVGP__BOX)
        memcpy(p->within->place, tvgp__where_ticket(p, ticket), p->domain->dim * sizeof(double));
}

/* On a box the last point, with what is fixed now as it is now. */
static void carry(const tvgp_policy *p, const double *last, double *x) {
    const double *lower = p->within->bounds, *upper = lower + p->domain->dim;
    for (size_t d = 0; d < p->domain->dim; d++)
        x[d] = lower[d] == upper[d] ? lower[d] : last[d];
}

/* ---- distances -------------------------------------------------------------------------------------------------- */

static double distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sqrt(sum);
}

/* Which action an arm is. */
static size_t action_of(const tvgp_policy *p, size_t arm) {
    const size_t contexts = tvgp__product_contexts(p->domain);
    return contexts ? arm / contexts : arm;
}

static double way_between(const tvgp_policy *p, size_t a, size_t b) {
    return p->domain->indices || action_of(p, a) == action_of(p, b)
               ? 0
               : distance(tvgp__product_action_dim(p->domain), tvgp__where_choice(p, a), tvgp__where_choice(p, b));
}

/* ---- on arms ---------------------------------------------------------------------------------------------------- */

/* Whether the action may be asked again; if not, all that may be asked have moved, and their scores stay as they are. Ranks that share
 * arms do not ask each other about that. */
static int may_stay(const tvgp_policy *p, size_t action) {
    const uint8_t *mask = p->available.mask;
    const size_t contexts = tvgp__product_contexts(p->domain), each = contexts ? contexts : 1;
    int may = !mask || p->domain->shard;
    for (size_t k = 0; !may && k < each; k++)
        may = mask[action * each + k];
    return may;
}

/* What one arm costs, from arm `last`, of which the jump is `cost`. */
static double charge(const tvgp_policy *p, size_t last, double cost, size_t arm) {
    const double way = config_of(p)->way;
    if (action_of(p, arm) == action_of(p, last))
        return 0;
    return cost + (way > 0 ? way * way_between(p, arm, last) : 0);
}

/* On a box, from point `last`: where staying is no candidate, all have moved, and what they all pay makes no difference. */
static double charge_candidate(const tvgp_policy *p, const double *last, size_t row) {
    double from[TVGP__SPACE_MOST];
    carry(p, last, from);
    return tvgp__switch_cost(p, from, tvgp__where_choice(p, row));
}

static void charge_candidates(const tvgp_policy *p, const double *last, double *score) {
    for (size_t i = 0; i < tvgp__policy_choices(p); i++)
        score[i] -= charge_candidate(p, last, i);
}

void tvgp__switch_charge(const tvgp_policy *p, double *score) {
    const double *x = NULL;
    size_t last;
    if (!costs(p) || !last_of(p, &last, &x))
        return;
    if (x) {
        charge_candidates(p, x, score);
        return;
    }
    const double cost = may_stay(p, action_of(p, last)) ? config_of(p)->cost : 0;
    const size_t first = p->domain->shard ? p->domain->shard->first : 0, n = tvgp__domain_entries(p->domain);
    for (size_t i = 0; i < n; i++)
        score[i] -= charge(p, last, cost, first + i);
}

double tvgp__switch_charged(const tvgp_policy *p, size_t arm) {
    const double *x = NULL;
    size_t last;
    if (!costs(p) || !last_of(p, &last, &x))
        return 0;
    if (x)
        return charge_candidate(p, x, arm);
    return charge(p, last, may_stay(p, action_of(p, last)) ? config_of(p)->cost : 0, arm);
}

/* ---- on a box --------------------------------------------------------------------------------------------------- */

int tvgp__switch_anchor(const tvgp_policy *p, double *x) {
    const double *last = NULL;
    size_t arm;
    if (!costs(p) || !last_of(p, &arm, &last))
        return 0;
    carry(p, last, x);
    return 1;
}

void tvgp__switch_way(const tvgp_policy *p, const double *anchor, size_t m, const double *Z, double *value,
                      double *gradient) {
    const double way = config_of(p)->way;
    const size_t dim = p->domain->dim;
    for (size_t i = 0; way > 0 && i < m; i++) {
        const double *z = Z + i * dim, far = distance(dim, z, anchor);
        value[i] -= way * far;
        for (size_t d = 0; gradient && far > 0 && d < dim; d++)
            gradient[i * dim + d] -= way * (z[d] - anchor[d]) / far;
    }
}

double tvgp__switch_cost(const tvgp_policy *p, const double *anchor, const double *x) {
    const double far = distance(p->domain->dim, x, anchor);
    return far > 0 ? config_of(p)->cost + config_of(p)->way * far : 0;
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

void tvgp__switch_ask(tvgp_policy *p, size_t arm, const double *x) {
    const double *last = NULL;
    double from[TVGP__SPACE_MOST], far = 0;
    size_t before;
    if (!last_of(p, &before, &last))
        return;
    if (tvgp__domain_is(p->domain) != TVGP__BOX) {
        far = way_between(p, arm, before);
        p->position.moves += action_of(p, arm) != action_of(p, before);
    } else {
        carry(p, last, from);
        far = distance(p->domain->dim, x, from);
        p->position.moves += far > 0;
    }
    p->position.way = fmin(p->position.way + far, TVGP__VISIT_MOST);
}

void tvgp__switch_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__switch *s = &p->position;
    size_t arm = tvgp__visit_loads(v) ? 0 : p->last_arm;
    if (tvgp__visit_loads(v))
        *s = (tvgp__switch){0};
    tvgp__visit_int(v, &s->step, 0, p->asked);
    if (tvgp__domain_is(p->domain) != TVGP__BOX)
        tvgp__visit_indices(v, 1, &arm, p->domain->total);
    else
        tvgp__visit_reals(v, p->domain->dim, p->within->place, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    p->last_arm = (uint32_t)arm;
    tvgp__visit_tally(v, &s->moves);
    tvgp__visit_real(v, &s->way, 0, TVGP__VISIT_MOST);
}
