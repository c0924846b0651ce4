/* SPDX-License-Identifier: MIT */
/* The reduction of the prior covariance by observations in weight space, where it has constant size. With f = Phi w and
 * w ~ N(0, kappa I), the posterior covariance is P = Phi (kappa I - R) Phi'. A column of P is Phi c with c = kappa phi -
 * R phi. An observation adds u u' to R, u = c / sqrt(s). The last few u are buffered and added in one pass over R. */
#ifndef TVGP__GP_WEIGHT_SPACE_H
#define TVGP__GP_WEIGHT_SPACE_H

#include "feature/arm_bounds.h"
#include "feature/basis.h"
#include "gp/columns.h"
#include "gp/predictive.h"

typedef struct tvgp__weight_space {
    tvgp__basis basis;
    double *R;           /* lower triangle, packed by columns; the true R is scale times the sum of this and what waits */
    double scale;        /* m^2 accumulated since it was last 1 */
    double *phi, *z, *c; /* r each: features of the last arm looked at, R phi without scale, and the weights of its column */
    double *mean;     /* r: of the weights, kept by the caller; NULL where the caller fills Phi itself, as are those below */
    double *waiting;  /* r each */
    size_t n_waiting; /* always 0 for few weights */
    tvgp__arm_bounds screen; /* of many arms */
} tvgp__weight_space;

static inline size_t tvgp__weight_space_triangle(size_t r) {
    return r * (r + 1) / 2;
}

/* Begins with R = 0, mean 0 and the basis of a complete search. NOMEM. */
tvgp_status tvgp__weight_space_new(tvgp__basis_search *search, tvgp__weight_space *w);

/* Says whether Phi has enough entries for bounds that rule out arms to pay. */
int tvgp__weight_space_large(const tvgp__weight_space *w);
/* Makes the screen then, unless arms are shared. NOMEM. */
tvgp_status tvgp__weight_space_screen(tvgp__weight_space *w);
void tvgp__weight_space_free(tvgp__weight_space *w);

/* Saves R, what waits, mean, and the pivots (base/visit.h). */
void tvgp__weight_space_visit(tvgp__weight_space *w, tvgp__visit *v);

/* Makes room for `slots` features, of which *held have room now (updated); contents stay. For a caller that fills Phi
 * itself. */
tvgp_status tvgp__weight_space_reserve(tvgp__weight_space *w, size_t slots, size_t *held);

/* Looks at an arm: fills phi, z and c. */
void tvgp__weight_space_look(tvgp__weight_space *w, size_t arm, double kappa);
/* Fills c at another time, as long as nothing was observed since an arm was looked at. */
void tvgp__weight_space_look_again(tvgp__weight_space *w, double kappa);
/* Makes a column of what was looked at: p = Phi c. */
void tvgp__weight_space_apply(const tvgp__weight_space *w, double *p);
/* Looks at an arm and makes its column, p = P[:, arm]. */
void tvgp__weight_space_column(tvgp__weight_space *w, size_t arm, double kappa, double *p);
/* Observes the arm last looked at, with s its variance and noise; c becomes u = c / sqrt(s). */
void tvgp__weight_space_observe(tvgp__weight_space *w, double s);
/* Adds what an observation takes: R += u u'. */
void tvgp__weight_space_add(tvgp__weight_space *w, const double *u);
/* Takes over columns from .. to - 1: R gains them, and mean what they give to the weights. U: r x (to - from) of
 * workspace. */
void tvgp__weight_space_absorb(tvgp__weight_space *w, const tvgp__columns *c, size_t from, size_t to, double *U);
void tvgp__weight_space_decay(tvgp__weight_space *w, double m2);
void tvgp__weight_space_clear(tvgp__weight_space *w);

/* Copies R of now, without scale: the lower triangle of a square of which `ld` entries are between columns, packed for 0. */
void tvgp__weight_space_copy(const tvgp__weight_space *w, size_t ld, double *out);

/* Makes the posterior a function of the point; arm_mean: posterior mean of all arms, for weights without one. The form
 * owns the points of the pivots, the mean of the weights and R as a square. NOMEM. */
tvgp_status tvgp__weight_space_form(const tvgp__weight_space *w, const tvgp_kernel *kernel, const double *X,
                                    const double *arm_mean, tvgp__predictive *out);

#endif
