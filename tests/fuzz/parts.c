/* SPDX-License-Identifier: MIT */
#include "fuzz/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 2 };

struct parts_fault parts_fault;

/* ---- saves ------------------------------------------------------------------------------------------------------ */

typedef int32_t (*saver)(void *data, void *buffer_or_null, size_t *needed);

/* What `honest` saves, except the lie; no more is ever written than the room there is. */
static int32_t save_by(saver honest, void *data, void *buffer, size_t *needed) {
    const struct parts_fault *f = &parts_fault;
    const size_t room = *needed;
    size_t size = 0;
    int32_t status = honest(data, NULL, &size);
    if (status)
        return status;
    if (f->lie == A_FAILURE && !(f->size % 2 && !buffer))
        return f->status;
    if (f->lie == ANOTHER_SIZE && !(f->size % 3 && buffer))
        size = f->size;
    size += f->lie == A_SIZE_THAT_GROWS && buffer;
    if (buffer && f->lie == OTHER_BYTES)
        memset(buffer, f->bytes, room < size ? room : size);
    else if (buffer && f->lie == HONEST)
        return honest(data, buffer, needed);
    else if (buffer)
        memset(buffer, f->bytes, room);
    *needed = size;
    return 0;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static int fails(void) {
    return parts_fault.fail_in && --parts_fault.fail_in == 0;
}

static int32_t block_se(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    return fails() ? PARTS_FAILED : outside_se.block(data, n, X, m, Z, K, ldk);
}

static int32_t save_se(void *data, void *buffer, size_t *needed) {
    return save_by(outside_se.save, data, buffer, needed);
}

/* 1 within a square, which is no covariance. */
static int32_t boxcar(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    (void)data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = fabs(X[DIM * i] - Z[DIM * j]) < 0.7 && fabs(X[DIM * i + 1] - Z[DIM * j + 1]) < 0.7;
    return fails() ? PARTS_FAILED : 0;
}

tvgp_status parts_se(tvgp_ctx *context, double lengthscale, tvgp_kernel **out) {
    struct outside_se *o = calloc(1, sizeof *o);
    *o = (struct outside_se){.lengthscale = lengthscale, .variance = 1};
    tvgp_status status = tvgp_kernel_of_type(context, outside_se.name, DIM, o, out);
    if (status != TVGP_OK)
        free(o);
    return status;
}

tvgp_status parts_boxcar(tvgp_ctx *context, tvgp_kernel **out) {
    return tvgp_kernel_of_type(context, "boxcar", DIM, NULL, out);
}

/* ---- arms ------------------------------------------------------------------------------------------------------- */

struct arms {
    size_t n;
    double X[DIM * PARTS_ARMS];
};

static int32_t points(void *data, size_t n, size_t dim, double *X) {
    const struct arms *arms = data;
    if (n != arms->n || dim != DIM)
        return -1236;
    memcpy(X, arms->X, n * dim * sizeof *X);
    return 0;
}

static int32_t save_points(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(struct arms);
    if (buffer)
        memcpy(buffer, data, sizeof(struct arms));
    return 0;
}

static int32_t save_arms(void *data, void *buffer, size_t *needed) {
    return save_by(save_points, data, buffer, needed);
}

/* Assumes the numbers, as many would. */
static int32_t load_arms(void *user, size_t n, size_t dim, size_t n_bytes, const void *bytes, void **data) {
    struct arms *arms;
    if (!user || dim != DIM || n_bytes != sizeof *arms)
        return -1237;
    arms = malloc(sizeof *arms);
    memcpy(arms, bytes, n_bytes);
    if (arms->n != n) {
        free(arms);
        return -1238;
    }
    *data = arms;
    return 0;
}

static const tvgp_domain_type arms_type = {.struct_size = sizeof arms_type,
                                           .name = "fuzz-arms",
                                           .points = points,
                                           .save = save_arms,
                                           .load = load_arms,
                                           .release = free};

tvgp_status parts_arms(tvgp_ctx *context, size_t n, const double *X, tvgp_domain **out) {
    struct arms *arms = calloc(1, sizeof *arms);
    arms->n = n;
    memcpy(arms->X, X, n * DIM * sizeof *X);
    tvgp_status status = tvgp_domain_of_type(context, arms_type.name, n, DIM, arms, out);
    if (status != TVGP_OK)
        free(arms);
    return status;
}

/* ---- the policy ------------------------------------------------------------------------------------------------- */

static int32_t save_ucb(void *state, void *buffer, size_t *needed) {
    return save_by(outside_ucb.save, state, buffer, needed);
}

tvgp_status parts_register(tvgp_ctx *context) {
    static int users;
    const tvgp_kernel_type none = {.struct_size = sizeof none, .name = "boxcar", .block = boxcar};
    tvgp_kernel_type se = outside_se;
    tvgp_policy_type ucb = outside_ucb;
    se.block = block_se;
    se.save = save_se;
    ucb.save = save_ucb;
    tvgp_status status = tvgp_ctx_register_kernel(context, &se, &users, outside_destroy);
    if (status == TVGP_OK)
        status = tvgp_ctx_register_kernel(context, &none, NULL, NULL);
    if (status == TVGP_OK)
        status = tvgp_ctx_register_domain(context, &arms_type, &users, NULL);
    return status == TVGP_OK ? tvgp_ctx_register_policy(context, &ucb, &users, outside_destroy) : status;
}
