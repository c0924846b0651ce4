/* SPDX-License-Identifier: MIT */
/* Arms shared out over processes: one bandit with more arms than a machine holds. The library sees two collective calls, which
 * the user (or libtvgp_mpi, tvgp/mpi.h) provides. Every rank creates the same policy with the same options and makes the same
 * calls in the same order; only its arms differ. docs/many-machines.md says which policies can, and what happens when a rank
 * fails. */
#ifndef TVGP_COMM_H
#define TVGP_COMM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the ranks 0 .. size - 1 talk to each other. Both calls return 0, or -1000..-1999 (anything else counts as CALLBACK):
 * that status comes back from the call of the library in which it happened and from every later one on the policies of the
 * domain, of which then only destroying is of use. So does CALLBACK where their numbers cannot be so: a maximum or a number of an arm
 * that is NaN, counts and numbers of arms that are none. Beyond that they are trusted. */
typedef struct tvgp_comm {
    size_t struct_size; /* sizeof(tvgp_comm) */
    void *user;         /* handed to the calls */
    int32_t rank, size; /* 0 <= rank < size */
    /* The bytes of rank `root` are copied to all ranks. */
    int32_t (*bcast)(void *user, void *data, size_t bytes, int32_t root);
    /* Each of n values becomes its maximum over the ranks; none is NaN, -infinity may be. The same bits on all ranks. */
    int32_t (*max)(void *user, double *values, size_t n);
} tvgp_comm;

/* This rank's n >= 1 arms, after those of the lower ranks: arm numbers everywhere are among all of them. X is n x dim, dim the
 * same on all ranks. `comm` is copied; what its user pointer leads to must outlive the domain and its policies. Masks and
 * means with one entry per arm (tvgp_policy_set_available, set_mean, add_prior) are those of this rank's arms; queries, best
 * and predictions are the same on all ranks.
 *
 * Collective. Errors: as tvgp_domain_arms, the same on all ranks; ARG (the table), DIM (the ranks differ), LIMIT (more than
 * 2^32 - 1 arms in all), UNSUPPORTED (the ranks calculate differently: other processors or other libraries), what a
 * collective call returned. */
TVGP_API tvgp_status tvgp_domain_arms_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, const double *X,
                                             tvgp_domain **out);

/* The grid of tvgp_domain_grid, the same arguments on all ranks; each rank holds a part of the first coordinate's points, of
 * which there must be as many as ranks at least (ARG). Collective; errors as above. */
TVGP_API tvgp_status tvgp_domain_grid_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t dim, const double *lower,
                                             const double *upper, const size_t *points, tvgp_domain **out);

/* The arms this rank holds are first .. first + n - 1 of n_total; each may be NULL. Any domain: first is 0 and n is n_total
 * where nothing is shared. */
TVGP_API tvgp_status tvgp_domain_owned_arms(const tvgp_domain *domain, size_t *first, size_t *n, size_t *n_total);

#ifdef __cplusplus
}
#endif
#endif
