/* SPDX-License-Identifier: MIT */
/* A bank of filters on a box: there are no arms, the filters are in the weights of an atlas (feature/atlas.h), and what an arm was
 * is the point that is looked at. Another arm than the one that made the slot is a point whose prior correlation with the
 * point that made it is below 0.9. */
#ifndef TVGP__BELIEF_BANK_BOX_H
#define TVGP__BELIEF_BANK_BOX_H

#include "belief/bank.h"
#include "feature/atlas.h"

typedef struct tvgp__bank_box {
    tvgp__atlas atlas;
    double *slot;                /* dim: the point that made the slot */
    double slot_own, to_slot;    /* its prior variance; prior covariance of the point looked at with it */
    double own, rest;            /* of the point looked at: prior variance, what its features leave of it */
    double *cross;               /* points prepared x (support then, slot, points prepared) */
    double *variance;            /* of the points prepared */
    size_t *origin, slot_origin; /* columns of `cross` of the support and of the slot */
    size_t columns, first;       /* of cross; support when it was made */
    double *k, *b;               /* k(S, x) and features */
    size_t cross_slots, variance_slots;
} tvgp__bank_box;

/* The part of a bank that has no arms; limit: support points at most, 0: none. NOMEM, LIMIT, the kernel's status. */
tvgp_status tvgp__bank_box_new(tvgp__bank *b, const tvgp__filters_spec *spec, size_t limit);
void tvgp__bank_box_free(tvgp__bank *b);

tvgp_status tvgp__bank_box_prepare(tvgp__belief *b, const tvgp__points *points); /* the op */

/* Looks at point i of those prepared, which joins the atlas if it is new to it; returns the variance that counts as noise. */
double tvgp__bank_box_look(tvgp__bank *b, const tvgp__points *points, size_t i);
void tvgp__bank_box_mark(tvgp__bank *b, const tvgp__points *points, size_t i); /* it made the slot */
int tvgp__bank_box_elsewhere(const tvgp__bank *b); /* whether the point looked at is another place than the slot's */
void tvgp__bank_box_clear(tvgp__bank *b);

tvgp_status tvgp__bank_box_form(tvgp__belief *b, double t, tvgp__form *out); /* the op */
void tvgp__bank_box_visit(tvgp__bank *b, tvgp__visit *v);                    /* atlas and rank, before the filters */
void tvgp__bank_box_visit_slot(tvgp__bank *b, tvgp__visit *v);

extern const tvgp__belief_anywhere tvgp__bank_anywhere;

#endif
