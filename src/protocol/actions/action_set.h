/* SPDX-License-Identifier: MIT */
/* Where on a box a policy may ask now: bounds inside the domain's, a set given as a function, and candidates. With
 * measured contexts (space/domain/product.h): the actions, in the present context. */
#ifndef TVGP__PROTOCOL_ACTIONS_ACTION_SET_H
#define TVGP__PROTOCOL_ACTIONS_ACTION_SET_H

#include "choose/search_space.h"
#include "protocol/actions/candidates.h"
#include "space/domain/domain_ops.h"
#include "tvgp/actions.h"

typedef struct tvgp__action_set {
    tvgp_feasible_fn feasible;
    void *user;
    tvgp__context_user *owned; /* NULL: `user` is not to be freed */
    double *pending;           /* points of the tickets */
    double *points;            /* of the outcomes being reported, point_slots x dim */
    size_t point_slots;
    tvgp__candidates *among; /* candidates; NULL: there never were any */
    double *actions;         /* measured contexts: a point for each arm, in the context that holds; otherwise NULL */
    int in_context;          /* one holds */
    int lost_feasible;       /* the loaded snapshot had such a function, and it was not set again */
    double *side;            /* of the domain, dim */
    double *last_x;          /* dim: on a box, of the newest action whose fate is known (protocol/last_action.h) */
    double bounds[];         /* lower, upper: dim each; in a context both are its coordinates */
} tvgp__action_set;

/* Of a domain without points of its own; otherwise NULL. NOMEM. */
tvgp_status tvgp__action_set_new(const tvgp_domain *, tvgp__action_set **out);
void tvgp__action_set_free(tvgp_ctx *, tvgp__action_set *);

/* lower, upper NULL: the domain's. NONFINITE, ARG (outside the domain, lower above upper, no whole number between), UNSUPPORTED (arms). */
tvgp_status tvgp__action_set_set_bounds(tvgp__action_set *, const tvgp_domain *, const double *lower, const double *upper);
tvgp_status tvgp__action_set_set_feasible(tvgp__action_set *, const tvgp_domain *, tvgp_feasible_fn, void *user,
                                          tvgp__context_user *);

/* From now on these are the candidates, n 0: none. UNSUPPORTED (arms), and as tvgp__candidates_set; nothing changed. w NULL: the domain has
 * points. */
tvgp_status tvgp__action_set_set_candidates(tvgp__action_set *, const tvgp_domain *, size_t n, const double *X,
                                            const double *mean);

/* Returns the number of candidates (0: the whole box), and the mean of one as the caller gave it. w NULL: the domain has
 * points. */
static inline size_t tvgp__action_set_candidates(const tvgp__action_set *w) {
    return w ? tvgp__candidates_count(w->among) : 0;
}
static inline double tvgp__action_set_extra(const tvgp__action_set *w, size_t row) {
    return w ? tvgp__candidates_mean(w->among, row) : 0;
}

/* Which of the candidates may be asked now, as bounds and feasible set say: one byte each in *ok, NULL where there are none. Fails as
 * the function does. */
tvgp_status tvgp__action_set_admit(tvgp__action_set *, const tvgp_domain *, uint8_t **ok);

/* Whether x lies between the bounds. */
int tvgp__action_set_bounds(const tvgp__action_set *, size_t dim, const double *x);

/* From now on n coordinates z are those of the context. clamped: counts contexts outside the box, which are moved to the border;
 * NULL: they are refused. UNSUPPORTED (they are not measured), DIM, NONFINITE, LIMIT, ARG; nothing changed. w NULL: the domain has
 * points. */
tvgp_status tvgp__action_set_set_context(tvgp__action_set *, const tvgp_domain *, const double *z, size_t n,
                                         int64_t *clamped);

/* Bounds or context, and whether there is a function (base/visit.h). */
void tvgp__action_set_visit(tvgp__action_set *, const tvgp_domain *, tvgp__visit *);

/* After loading: the feasible set is that of `before`, held by both until one gives it up. */
void tvgp__action_set_adopt(tvgp__action_set *, const tvgp__action_set *before);
void tvgp__action_set_give_up(tvgp__action_set *, tvgp_ctx *);

/* STATE where the function has to be set again, or no context holds. */
tvgp_status tvgp__action_set_check(const tvgp__action_set *, tvgp_ctx *);

/* Where a search goes; `reach` (dim) is filled from the kernel, at most the side, which it is without one (NULL). Valid until one
 * of them changes. */
tvgp__search_space tvgp__action_set_space(const tvgp__action_set *, const tvgp_domain *, const tvgp_kernel *, double *reach);

#endif
