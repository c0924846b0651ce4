/* SPDX-License-Identifier: MIT */
/* The candidates of a policy on a box: the points among which it chooses instead of the whole box (the decision sets X_t
 * of Ziomek, Adachi, Osborne, section 2; action-dependent features of Li et al. 2010, alg. 1). Each may have a mean of
 * its own, such as a price, which is added to its score and subtracted from its outcome. */
#ifndef TVGP__PROTOCOL_ACTIONS_CANDIDATES_H
#define TVGP__PROTOCOL_ACTIONS_CANDIDATES_H

#include "space/domain/domain_ops.h"

enum { TVGP__CANDIDATES_MOST = 65536 };

/* One block of memory, used again by the next list: n (dim + 2) doubles. */
typedef struct tvgp__candidates {
    size_t n, slots; /* n 0: the whole box */
    int with_means;
    double *X;    /* n x dim */
    double *mean; /* n, as the caller gave them; 0 without means */
    uint8_t *ok;  /* n: workspace for who asks which may be asked */
} tvgp__candidates;

/* Makes *a (NULL: a new one) hold n points and their means (NULL: 0); n 0: none. ARG, NONFINITE, LIMIT, NOMEM; unchanged then. */
tvgp_status tvgp__candidates_set(tvgp__candidates **a, const tvgp_domain *, size_t n, const double *X, const double *mean);
void tvgp__candidates_free(tvgp_ctx *, tvgp__candidates *);

/* How many; 0: the whole box. `a` may be NULL, as below. */
static inline size_t tvgp__candidates_count(const tvgp__candidates *a) {
    return a ? a->n : 0;
}

/* Returns the mean of a candidate, as the caller gave it; 0 without candidates. */
static inline double tvgp__candidates_mean(const tvgp__candidates *a, size_t row) {
    return a && a->with_means && row < a->n ? a->mean[row] : 0;
}

/* Points and means (base/visit.h), of which there is at least one when they are saved. */
void tvgp__candidates_visit(tvgp__candidates **a, const tvgp_domain *, tvgp__visit *);

#endif
