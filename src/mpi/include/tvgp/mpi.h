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

/* What one rank measured, told by all: obs, n and x (n x dim, as in tvgp_policy_tell, or NULL) are read on rank `root` and sent
 * to the others. One value of a query is one broadcast. Collective. Errors: ARG (a NULL, or root is no rank), NOMEM, MPI's as
 * above, those of tvgp_policy_tell; the same on all ranks. */
TVGP_API tvgp_status tvgp_mpi_tell(tvgp_mpi *mpi, int32_t root, tvgp_policy *policy, const tvgp_obs *obs, size_t n,
                                   const double *x, size_t dim);

#ifdef __cplusplus
}
#endif
#endif
