/* SPDX-License-Identifier: MIT */
/* Creates a set of filters (model/kalman/kalman_filter.h) with all its memory, and computes what an observation needs from all
 * of them at once. */
#ifndef TVGP__MODEL_KALMAN_KALMAN_FILTERS_H
#define TVGP__MODEL_KALMAN_KALMAN_FILTERS_H

#include "model/kalman/kalman_filter.h"

#include <stdint.h>

/* What a set of filters is made for. */
typedef struct tvgp__kalman_filters_spec {
    size_t priors; /* how many kernels there are, each with its prior mean */
    const tvgp_kernel *const *kernels;
    const double *const *means; /* of n arms each; an entry may be NULL: zero */
    double constant; /* prior variance of the constant, over the mean prior variance of the kernel; 0: no constant */
    size_t n;        /* arms, and their points */
    const double *X;
    double noise;          /* the smallest noise variance of any observation: the rank depends on it */
    tvgp__basis_rule rule; /* accuracy of the features: the variance left out of an arm is noise of its observations */
    size_t ones, twos;     /* filters that have one state; filters that may have two */
    /* Which filters have a season: the last `seasonal` of every `every` among the first `kinds`, none where the season
     * has no period. There must be one kernel, and arms that are not shared. */
    tvgp__season season;
    size_t kinds, every, seasonal;
    const tvgp_domain *domain;      /* OPTIONAL: says which rank has which arms; n and X are those here */
    tvgp__basis_progress *progress; /* OPTIONAL: a search for the basis that earlier calls have begun */
    int64_t limit;                  /* bytes that may be held at any moment; 0: no limit */
    const char *name; /* the policy that the logger names when this will cost much; NULL: the logger gets no line */
} tvgp__kalman_filters_spec;

/* Makes the basis, and room for ones + twos filters, none of which is started. NOMEM, a kernel's status; LIMIT before
 * more is allocated than `limit`. AGAIN: the search of `progress` has its pivots and is not complete. Of shared arms it is
 * collective: a rank that fails continues with the others, which receive its status at the next agreement of the caller. */
tvgp_status tvgp__kalman_filters_new(tvgp_ctx *ctx, const tvgp__kalman_filters_spec *spec, tvgp__kalman_filters *out);

void tvgp__kalman_filters_free(tvgp__kalman_filters *set);

/* Counts the bytes of such filters at rank r. */
double tvgp__kalman_filters_bytes(const tvgp__kalman_filters *set, size_t r);
/* Says whether filter i has a season. */
int tvgp__kalman_filters_seasonal(const tvgp__kalman_filters_spec *spec, size_t i);
/* Allocates the memory of a set for the rank of its basis. NOMEM. */
tvgp_status tvgp__kalman_filters_allocate(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec);
/* Points the members of a set to their places in that memory, at a rank of at most `room`. */
void tvgp__kalman_filters_lay_out(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec);

/* Transfers the state of `from` to `set`, which was created like `from` except for additional arms (X, the old ones
 * first), and has not started. Requires one kernel and prior mean zero. Errors: NOMEM, the kernel's status. */
tvgp_status tvgp__kalman_filters_extend(const tvgp__kalman_filters *from, const tvgp_kernel *kernel, const double *X,
                                        tvgp__kalman_filters *set);

/* Saves or loads everything that changes (base/visit.h). The first `kinds` filters keep drift model, kernel and noise
 * factor permanently; each of the others has those of one of them. */
void tvgp__kalman_filters_snapshot(tvgp__kalman_filters *set, size_t kinds, tvgp__visit *v);

/* Looks at an arm: gathers phi, the priors and the means of all filters there. Collective on shared arms. */
void tvgp__kalman_filters_look(tvgp__kalman_filters *set, size_t arm);

/* Works out, for n filters listed in the order of the set, the columns of P at the arm looked at, as it was `age` ago:
 * in weights, and their entries at the arm, which is all that an innovation needs. An observation with age > 0 counts as
 * one of the present, of E[f_(now - age) | state now] = h'(f, u), with the rest of the prior variance as noise. */
void tvgp__kalman_filters_columns(tvgp__kalman_filters *set, size_t n, tvgp__kalman_filter *const *list, double age);

/* Spreads these columns over all arms, into f->g, as conditioning needs them. The columns in weights are overwritten. */
void tvgp__kalman_filters_spread(tvgp__kalman_filters *set, size_t n, tvgp__kalman_filter *const *list);

#endif
