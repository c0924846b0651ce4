/* SPDX-License-Identifier: MIT */
/* Weight space, where a step costs r^2 instead of the square of the number of arms: K = Phi Phi' over the arms (pivoted
 * Cholesky, numerical rank r), f = Phi w with w ~ N(0, I_r). With several kernels Phi spans the sum of their K's. */
#ifndef TVGP__MODEL_FEATURE_BASIS_H
#define TVGP__MODEL_FEATURE_BASIS_H

#include "base/shard.h"
#include "space/kernel/kernel_ops.h"

typedef struct tvgp__basis {
    tvgp_ctx *ctx;
    tvgp__shard *shard; /* the arms are shared; or NULL */
    size_t n, r;        /* r >= 1 */
    double *Phi;        /* n x r, column-major */
    size_t *pivot;      /* r arms; rows pivot of Phi are lower triangular */
    double *L;          /* r x r: those rows */
    struct tvgp__basis_block
        *block; /* NULL: the arrays are its own; otherwise a hold on them, and they are not written to */
} tvgp__basis;

/* Gives the residual variance at which the rank is complete. An error d of K moves the posterior by about d / noise, so
 * smaller noise asks for a smaller residual, down to round-off. `largest` is the largest prior variance. */
double tvgp__basis_tolerance(double largest, double noise);

/* How much of an arm's variance a basis may leave out, if its owner counts that as noise of the arm's observations (the
 * fully independent training conditional, Snelson and Ghahramani 2006). The bound is `tolerance` noise variances, and at
 * most a thousandth of the largest variance; 0: round-off, whatever the limit. From `limit` features on the bound is a
 * hundredth of the largest variance; 0: there is no limit. Features of a sum of kernels approximate each single kernel:
 * if they leave d of the sum's variance, they err by at most 2 sqrt(d k(x, x)) in that of one. `tolerance` then bounds
 * this error, and there is no limit. */
typedef struct tvgp__basis_rule {
    double tolerance;
    size_t limit;
} tvgp__basis_rule;
double tvgp__basis_leaves(const tvgp__basis_rule *rule, size_t kernels, double largest, double noise);
double tvgp__basis_coarse(double largest);

/* A search for the rank of the sum of the kernels' Gram matrices, which goes on where it stopped. */
typedef struct tvgp__basis_search {
    tvgp__basis basis; /* ctx and n; the pivots so far and their features, without L */
    size_t n_kernels;
    const tvgp_kernel *const *kernels; /* borrowed, as is X */
    const double *X;
    double tolerance;
    size_t limit; /* features from which on `coarse` is the tolerance; 0: none */
    double coarse;
    double *residual; /* n, and workspace; NULL: not begun */
    double *work;     /* slots */
    size_t slots;     /* features there is room for */
    size_t usual;     /* features to make room for at first; 0: as many as are wanted */
    double half;      /* largest residual variance when there were half as many pivots (a power of two) */
    double outlook;   /* the rank to expect if the residual went on falling so fast; too low, as it slows down. 0: unknown */
    int complete;     /* no residual variance is above the tolerance: basis.r is the rank */
} tvgp__basis_search;

tvgp__basis_search tvgp__basis_search_of(tvgp_ctx *ctx, size_t n_kernels, const tvgp_kernel *const *kernels, size_t n,
                                         const double *X, double tolerance);

/* Continues the search until it is complete or has max_rank pivots. NOMEM, a kernel's status: it begins again next time.
 * On shared arms all ranks call it together, and get the same status. */
tvgp_status tvgp__basis_search_on(tvgp__basis_search *s, size_t max_rank);
void tvgp__basis_search_end(tvgp__basis_search *s);

/* A search that is spread over several calls, each with the same kernels and arms. */
typedef struct tvgp__basis_progress {
    tvgp__basis_search search; /* not begun if search.residual is NULL */
    size_t pivots;             /* how many it may have found when a call returns */
    size_t usual;              /* the rank of an earlier basis, for which there is room at first; 0: there is none */
} tvgp__basis_progress;

/* Completes a search that has begun from the whole Gram matrix, n^2 numbers, by blocks: faster where the rank is a good part
 * of n. NOMEM, a kernel's status: what was found stays. */
tvgp_status tvgp__basis_search_whole(tvgp__basis_search *s);

/* Makes a basis of what a complete search has found. If the context has one already that is the same to the last bit, the
 * two share their arrays; otherwise the arrays are a copy, or those of the search itself, which must then end or begin
 * again. NOMEM. */
tvgp_status tvgp__basis_of(tvgp__basis_search *s, tvgp__basis *out);

void tvgp__basis_free(tvgp__basis *b);

/* Saves the pivots; when loading they must be those of the snapshot. */
void tvgp__basis_visit(tvgp__basis *b, tvgp__visit *v);

/* Copies the features of an arm, row `arm` of Phi. Collective. */
void tvgp__basis_row(const tvgp__basis *b, size_t arm, double *phi);

/* Finds the weights of a function given at all arms, from its values at the pivots: w = L^-1 f[pivot]. Collective. */
void tvgp__basis_weights(const tvgp__basis *b, const double *f, double *w);

/* Copies the points of the pivots, r x dim, from those of the arms. */
void tvgp__basis_points(const tvgp__basis *b, size_t dim, const double *X, double *out);

#endif
