/* SPDX-License-Identifier: MIT */
/* Switching costs (parts/features/switching_cost.h). */
#include "parts/features/switching_cost.h"

#include "base/error.h"
#include "protocol/query_points.h"
#include "space/domain/product.h"

typedef struct switching_cost {
    tvgp__guard base;
    tvgp__guard_leaving leaving;            /* on a whole box: from `anchor` */
    double anchor[TVGP__SEARCH_SPACE_MOST]; /* where to stay, within the bounds of now */
} switching_cost;

static const tvgp__guard_costs *costs_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->moving;
}

/* Ranks that share arms agree on whether a start failed, and not on whether an ask did: so the start reserves the offsets. */
static tvgp_status start(tvgp_policy *p) {
    const tvgp__guard_costs *costs = costs_of(p);
    double *offset;
    if (!(costs->jump > 0) && !(costs->way > 0)) {
        tvgp__guard_drop(p, &tvgp__switching_cost_ops);
        return TVGP_OK;
    }
    if (costs->way > 0 && p->domain->indices)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'switch.distance_cost' = %g: the arms are categorical and have no distances",
                               costs->way);
    TVGP__TRY(tvgp__guard_offset(p, &offset));
    p->terms.offsets = (tvgp__rule_offsets){0};
    return tvgp__guard_make(p, &tvgp__switching_cost_ops, &(switching_cost *){0});
}

/* ---- on arms ---------------------------------------------------------------------------------------------------- */

/* Whether the action may be asked again; if not, all that may be asked have moved, and their scores stay as they are. Ranks that share
 * arms do not ask each other about that. */
static int may_stay(const tvgp_policy *p, size_t action) {
    const uint8_t *mask = p->available.mask;
    const size_t contexts = tvgp__product_contexts(p->domain), each = contexts ? contexts : 1;
    int may = !mask || p->domain->shared;
    for (size_t k = 0; !may && k < each; k++)
        may = mask[action * each + k];
    return may;
}

static void charge_arms(const tvgp_policy *p, size_t last, double *offset) {
    const tvgp__guard_costs *costs = costs_of(p);
    const size_t action = tvgp__last_action_action(p, last), n = tvgp__domain_entries(p->domain);
    const double jump = may_stay(p, action) ? costs->jump : 0;
    for (size_t i = 0; i < n; i++) {
        const size_t arm = tvgp__domain_arm(p->domain, i);
        if (tvgp__last_action_action(p, arm) != action)
            offset[i] -= jump + (costs->way > 0 ? costs->way * tvgp__last_action_between(p, arm, last) : 0);
    }
}

/* ---- on a box --------------------------------------------------------------------------------------------------- */

/* Where staying is no candidate, all have moved, and what they all pay makes no difference. */
static void charge_candidates(const tvgp_policy *p, const tvgp__guard_leaving *leaving, double *offset) {
    for (size_t i = 0; i < tvgp__policy_choices(p); i++)
        offset[i] -= tvgp__guard_cost(leaving, p->domain->dim, tvgp__query_points_choice(p, i));
}

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    switching_cost *s = (switching_cost *)g;
    const int box = tvgp__domain_is_box(p->domain);
    double *offset;
    size_t last;
    (void)t;
    if (!asks || !tvgp__last_action_last(p, &last, s->anchor))
        return TVGP_OK;
    s->leaving = (tvgp__guard_leaving){.from = s->anchor, .costs = *costs_of(p)};
    if (!tvgp__policy_choices(p)) {
        p->terms.leaving = &s->leaving;
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__guard_offset(p, &offset));
    if (box)
        charge_candidates(p, &s->leaving, offset);
    else
        charge_arms(p, last, offset);
    return TVGP_OK;
}

const tvgp__guard_ops tvgp__switching_cost_ops = {
    .name = "SWCO", .size = sizeof(switching_cost), .start = start, .open = open_ask};
