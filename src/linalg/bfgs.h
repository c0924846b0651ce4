/* SPDX-License-Identifier: MIT */
/* Minimises a smooth function on a box by projected BFGS (Nocedal and Wright 2006, sec. 6.1; damping after Powell, sec.
 * 18.3) with a backtracking line search. Reverse communication: the caller evaluates f and its gradient at `trial` and
 * passes them in, so that several searches share one batch of evaluations. A step costs O(p^3 / 3) flops, p <= 64. No
 * allocation. */
#ifndef TVGP__LINALG_BFGS_H
#define TVGP__LINALG_BFGS_H

#include <stddef.h>

enum { TVGP__BFGS_MOST = 64 };

/* What differs between uses. Lengths are in the units of x; coordinates should be of comparable scale. */
typedef struct tvgp__bfgs_rules {
    double first_step;   /* longest coordinate of the gradient step that the first curvature is made for */
    double least_first;  /* bound from below on the first curvature, before and */
    double least_curved; /* after the first step */
    double cap_first;    /* longest coordinate of the first step */
    double cap;          /* and of later ones */
    double damping;      /* in (0, 1): y is mixed with B s when s'y < damping s'B s */
    double flat;         /* |change of f| up to this is round-off: then the slope decides */
    int tries;           /* points tried in a line search */
    double tol_gain;     /* converged: the quadratic model promises less than this, */
    double tol_gradient; /* or no free coordinate has a larger gradient, */
    double tol_step;     /* or the last step was shorter in every coordinate */
} tvgp__bfgs_rules;

enum {
    TVGP__BFGS_EVALUATE, /* f and g at `trial`, please */
    TVGP__BFGS_CONVERGED,
    TVGP__BFGS_STUCK /* no better point along the direction, or nothing finite at the start: x is the best known */
};

typedef struct tvgp__bfgs {
    size_t p;
    const tvgp__bfgs_rules *rules;
    const double *lower, *upper; /* p each, borrowed as the rules are */
    double f;                    /* of x; infinite before the first evaluation */
    double *x, *g;               /* best point so far and its gradient */
    double *B;                   /* p x p, symmetric: the model of the second derivative */
    double *trial;               /* the point to evaluate */
    double *d, *factor;          /* direction; p x p work */
    double a;                    /* fraction of d in trial */
    int tried, fresh;            /* points of this line search; B is still the multiple of I of the start */
    int iterations;              /* steps accepted */
} tvgp__bfgs;

/* How many doubles of memory a search over p coordinates needs. */
size_t tvgp__bfgs_room(size_t p);

/* Begins at x, moved into the bounds (finite, lower <= upper; equal: the coordinate is fixed); evaluate `trial` first. B_or_null: the
 * curvature to begin with, p x p, positive definite; NULL: a multiple of I found from the gradients. */
void tvgp__bfgs_open(tvgp__bfgs *b, size_t p, double *memory, const tvgp__bfgs_rules *rules, const double *lower,
                     const double *upper, const double *x, const double *B_or_null);

/* Takes f and g (p) at `trial` and returns what to do next. f not finite: the point is refused and g is not
 * read; so it is when an entry of g is not finite. */
int tvgp__bfgs_take(tvgp__bfgs *b, double f, const double *g);

#endif
