/* SPDX-License-Identifier: MIT */
/* The candidates of a policy on a box: the points among which it chooses in place of the whole box (the decision sets X_t of Ziomek,
 * Adachi, Osborne, section 2; action-dependent features of Li et al. 2010, alg. 1). Each may have a mean of its own, a price for
 * one, which is added to its score and taken off its answer. */
#ifndef TVGP__FRAME_AMONG_H
#define TVGP__FRAME_AMONG_H

#include "domain/domain_ops.h"

enum { TVGP__AMONG_MOST = 65536 };

/* One block of memory, used again by the next list: n (dim + 2) doubles. */
typedef struct tvgp__among {
    size_t n, slots; /* n 0: the whole box */
    int with_means;
    double *X;    /* n x dim */
    double *mean; /* n, as they were told; 0 without means */
    uint8_t *ok;  /* n: workspace for who asks which may be asked */
} tvgp__among;

/* Makes *a (NULL: a new one) hold n points and their means (NULL: 0); n 0: none. ARG, NONFINITE, LIMIT, NOMEM; unchanged then. */
tvgp_status tvgp__among_set(tvgp__among **a, const tvgp_domain *, size_t n, const double *X, const double *mean);
void tvgp__among_free(tvgp_ctx *, tvgp__among *);

/* How many; 0: the whole box. `a` may be NULL, as below. */
static inline size_t tvgp__among_count(const tvgp__among *a) {
    return a ? a->n : 0;
}

/* The mean of a candidate, as it was told; 0 where there are no candidates. */
static inline double tvgp__among_mean(const tvgp__among *a, size_t row) {
    return a && a->with_means && row < a->n ? a->mean[row] : 0;
}

/* Points and means (base/visit.h), of which there is at least one when they are saved. */
void tvgp__among_visit(tvgp__among **a, const tvgp_domain *, tvgp__visit *);

#endif
