/* SPDX-License-Identifier: MIT */
/* The mixture of Kalman filters (model/kalman_mixture.h) on a box. The filters describe the function by weights of
 * inducing points (model/feature/inducing_points.h), a growing set of support points. On arms the mixture distinguishes
 * outcomes of another arm than the one that made the slot; here, of a point whose prior correlation with it is below
 * 0.9. */
#ifndef TVGP__MODEL_KALMAN_MIXTURE_BOX_H
#define TVGP__MODEL_KALMAN_MIXTURE_BOX_H

#include "model/feature/inducing_points.h"
#include "model/kalman_mixture.h"

typedef struct tvgp__kalman_mixture_box {
    tvgp__inducing_points atlas;
    double *slot;             /* dim: the point that made the slot */
    double slot_own, to_slot; /* prior variance at that point; its prior covariance with the point looked at now */
    double own, rest; /* of the point looked at now: prior variance, and the part of it that features do not explain */
    double *cross; /* prior covariances of the points prepared (rows) with support points, slot and each other; behind them
                       * rows of what a late one makes be repeated */
    double *variance;            /* prior variance of each of these points */
    size_t *origin, slot_origin; /* which column of `cross` belongs to each support point, and to the slot */
    size_t columns, first;       /* columns of cross; how many of them were support points when it was made */
    double *k, *b;               /* of the point looked at now: prior covariances with the support, and its features */
    size_t cross_slots, variance_slots;
} tvgp__kalman_mixture_box;

/* Gives a mixture what it needs on a box; at most `limit` support points, 0: no limit. NOMEM, LIMIT, the kernel's status. */
tvgp_status tvgp__kalman_mixture_box_new(tvgp__kalman_mixture *b, const tvgp__kalman_filters_spec *spec, size_t limit);
void tvgp__kalman_mixture_box_free(tvgp__kalman_mixture *b);

tvgp_status tvgp__kalman_mixture_box_prepare(tvgp__posterior *b, const tvgp__points *points); /* the op */

/* What a point is looked at for: its observation, and the filter that leads. */
typedef struct tvgp__kalman_mixture_answer {
    tvgp__kalman_filter *lead;
    double y, noise;
} tvgp__kalman_mixture_answer;

/* Makes prepared point i the current one. It becomes a support point if the present ones do not explain it; the variance
 * they leave unexplained counts as noise of its observation. Rows after the points are of repeated observations
 * (model/kalman_mixture_delayed.h), and never join. */
void tvgp__kalman_mixture_box_look(tvgp__kalman_mixture *b, const tvgp__points *points, size_t i,
                                   const tvgp__kalman_mixture_answer *o);
/* Remembers point i as the one whose observation made the slot. */
void tvgp__kalman_mixture_box_mark(tvgp__kalman_mixture *b, const tvgp__points *points, size_t i);
/* Tells whether the point looked at is another point than the slot's. */
int tvgp__kalman_mixture_box_elsewhere(const tvgp__kalman_mixture *b);
/* Forgets the support points, as at a reset. */
void tvgp__kalman_mixture_box_clear(tvgp__kalman_mixture *b);

tvgp_status tvgp__kalman_mixture_box_predictive(tvgp__posterior *b, double t, tvgp__predictive *out); /* the op */
/* Save and load (base/visit.h): the inducing points, before the filters, whose size they determine; the slot, after
 * them. */
void tvgp__kalman_mixture_box_visit(tvgp__kalman_mixture *b, tvgp__visit *v);
void tvgp__kalman_mixture_box_visit_slot(tvgp__kalman_mixture *b, tvgp__visit *v);

extern const tvgp__posterior_anywhere tvgp__kalman_mixture_anywhere;

#endif
