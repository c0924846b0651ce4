/* SPDX-License-Identifier: MIT */
/* libtvgp_mpi: the communicator of tvgp/comm.h over MPI, for arms that are shared over machines. A library of its own
 * (pkg-config: tvgp-mpi), so that libtvgp needs no MPI. */
#ifndef TVGP_MPI_H
#define TVGP_MPI_H

#include <mpi.h>
#include <tvgp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tvgp_mpi tvgp_mpi;

/* Duplicates the communicator, so that the library's messages meet no others; its errors are returned. MPI is initialised.
 * Collective. Errors: ARG (out is NULL), NOMEM, -1000 - the class of MPI's error; the same on all ranks. */
TVGP_API tvgp_status tvgp_mpi_create(MPI_Comm comm, tvgp_mpi **out);

/* Collective, before MPI_Finalize, after what was made with it. NULL does nothing. */
TVGP_API void tvgp_mpi_destroy(tvgp_mpi *mpi);

/* For tvgp_domain_arms_shared and tvgp_domain_grid_shared; owned by mpi. */
TVGP_API const tvgp_comm *tvgp_mpi_comm(const tvgp_mpi *mpi);

/** Reports on all ranks the outcomes that one rank has. Collective; one value of a query is one broadcast.
 *
 * @param mpi     The communicator.
 * @param root    The rank whose n, obs and x are read and sent to the others.
 * @param policy  The policy of this rank.
 * @param n       Number of outcomes.
 * @param dim     Number of coordinates.
 * @param obs     The outcomes (n).
 * @param x       Points, n x dim, as in tvgp_policy_tell, or NULL.
 * @retval TVGP_ERR_ARG    A pointer is NULL, or root is no rank.
 * @retval TVGP_ERR_NOMEM  Out of memory.
 * @return otherwise -1000 - the class of MPI's error, or as tvgp_policy_tell; the same on all ranks.
 */
TVGP_API tvgp_status tvgp_mpi_tell(tvgp_mpi *mpi, int32_t root, tvgp_policy *policy, size_t n, size_t dim,
                                   const tvgp_obs *obs, const double *x);

#ifdef __cplusplus
}
#endif
#endif
