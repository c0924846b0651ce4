/* SPDX-License-Identifier: MIT */
/* The communicator of shared arms over MPI (tvgp/mpi.h), and outcomes that one rank reports to all. */
#include "tvgp/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct tvgp_mpi {
    MPI_Comm comm;
    tvgp_comm table;
};

/* MPI's error as a status of a callback. */
static int32_t status_of(int error) {
    int kind = 0;
    if (error == MPI_SUCCESS)
        return 0;
    if (MPI_Error_class(error, &kind) != MPI_SUCCESS || kind < 0 || kind > 999)
        kind = 999;
    return -1000 - kind;
}

/* MPI counts with int. */
static int part(size_t left) {
    return left < INT_MAX ? (int)left : INT_MAX;
}

static int32_t bcast(void *user, size_t bytes, void *data, int32_t root) {
    const tvgp_mpi *m = user;
    int error = MPI_SUCCESS;
    for (char *at = data; bytes && error == MPI_SUCCESS;) {
        int count = part(bytes);
        error = MPI_Bcast(at, count, MPI_BYTE, root, m->comm);
        at += count;
        bytes -= (size_t)count;
    }
    return status_of(error);
}

static int32_t max(void *user, size_t n, double *values) {
    const tvgp_mpi *m = user;
    int error = MPI_SUCCESS;
    while (n && error == MPI_SUCCESS) {
        int count = part(n);
        error = MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, m->comm);
        values += count;
        n -= (size_t)count;
    }
    return status_of(error);
}

/* Whether all ranks have what they asked for. */
static tvgp_status all_have(MPI_Comm comm, const void *memory) {
    int here = memory != NULL, all = 0;
    int error = MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm);
    return error != MPI_SUCCESS ? status_of(error) : all ? TVGP_OK : TVGP_ERR_NOMEM;
}

tvgp_status tvgp_mpi_create(MPI_Comm comm, tvgp_mpi **out) {
    if (!out)
        return TVGP_ERR_ARG;
    MPI_Comm own = MPI_COMM_NULL;
    int rank = 0, size = 0, error = MPI_Comm_dup(comm, &own);
    if (error != MPI_SUCCESS)
        return status_of(error);
    (void)MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(own, &rank);
    (void)MPI_Comm_size(own, &size);
    tvgp_mpi *m = malloc(sizeof *m);
    tvgp_status status = all_have(own, m);
    if (status < 0) {
        free(m);
        (void)MPI_Comm_free(&own);
        return status;
    }
    *m = (tvgp_mpi){
        .comm = own,
        .table = {.struct_size = sizeof(tvgp_comm), .user = m, .rank = rank, .size = size, .bcast = bcast, .max = max}};
    *out = m;
    return TVGP_OK;
}

void tvgp_mpi_destroy(tvgp_mpi *mpi) {
    if (!mpi)
        return;
    (void)MPI_Comm_free(&mpi->comm);
    free(mpi);
}

const tvgp_comm *tvgp_mpi_comm(const tvgp_mpi *mpi) {
    return mpi ? &mpi->table : NULL;
}

/* What every tell sends first, and nothing else when it is one record without a point. */
struct head {
    uint64_t n, point; /* records; bytes of their points, 0: none */
    int64_t wrong;     /* the root was called with nothing to tell */
    tvgp_obs first;
};

/* The records and points of a batch, on all ranks. */
static tvgp_status share_batch(tvgp_mpi *mpi, int32_t root, const struct head *h, const tvgp_obs *obs, const double *x,
                               char **out) {
    const size_t records = (size_t)h->n * sizeof *obs;
    char *all = malloc(records + (size_t)h->point);
    tvgp_status status = all_have(mpi->comm, all);
    if (status == TVGP_OK && mpi->table.rank == root) {
        memcpy(all, obs, records);
        if (h->point)
            memcpy(all + records, x, (size_t)h->point);
    }
    if (status == TVGP_OK)
        status = bcast(mpi, records + (size_t)h->point, all, root);
    if (status < 0)
        free(all);
    else
        *out = all;
    return status;
}

tvgp_status tvgp_mpi_tell(tvgp_mpi *mpi, int32_t root, tvgp_policy *policy, size_t n, size_t dim, const tvgp_obs *obs,
                          const double *x) {
    struct head h = {0};
    if (!mpi || !policy || root < 0 || root >= mpi->table.size)
        return TVGP_ERR_ARG;
    if (mpi->table.rank == root) {
        h.wrong = n && !obs;
        h.n = h.wrong ? 0 : n;
        h.point = x ? n * dim * sizeof *x : 0;
        if (h.n)
            h.first = *obs;
    }
    tvgp_status status = bcast(mpi, sizeof h, &h, root);
    if (status == TVGP_OK && h.wrong)
        status = TVGP_ERR_ARG;
    if (status < 0 || h.n == 0)
        return status;
    if (h.n == 1 && !h.point)
        return tvgp_policy_tell(policy, 1, &h.first, NULL);
    char *all = NULL;
    status = share_batch(mpi, root, &h, obs, x, &all);
    if (status == TVGP_OK)
        status = tvgp_policy_tell(policy, (size_t)h.n, (const tvgp_obs *)(void *)all,
                                  h.point ? (const double *)(void *)(all + h.n * sizeof *obs) : NULL);
    free(all);
    return status;
}
