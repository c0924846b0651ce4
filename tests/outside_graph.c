/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int outside_rings;

static int32_t fault(const char *op) {
    if (!outside_fault.op || strcmp(outside_fault.op, op) != 0)
        return 0;
    return outside_fault.after-- > 0 ? 0 : outside_fault.status;
}

struct outside_ring *outside_ring_new(size_t n, double beta) {
    struct outside_ring *ring = calloc(1, sizeof *ring);
    *ring = (struct outside_ring){n, beta};
    outside_rings++;
    return ring;
}

static void release(void *data) {
    free(data);
    outside_rings--;
}

static int32_t save(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(struct outside_ring);
    if (buffer)
        memcpy(buffer, data, sizeof(struct outside_ring));
    if (buffer && outside_fault.op && strcmp(outside_fault.op, "save.more") == 0)
        ++*needed;
    return fault("save");
}

static int32_t load(size_t n, const void *bytes, void **data) {
    struct outside_ring ring;
    int32_t status = fault("load");
    if (status || n != sizeof ring)
        return status ? status : -1011;
    memcpy(&ring, bytes, n);
    if (!(ring.beta > 0 && ring.beta < 1e6) || ring.n == 0 || ring.n > 1000)
        return -1011;
    *data = outside_ring_new(ring.n, ring.beta);
    return 0;
}

/* ---- the domain --------------------------------------------------------------------------------------------------- */

static int32_t points(void *data, size_t n, size_t dim, double *X) {
    const struct outside_ring *ring = data;
    if (dim != 1 || n != ring->n)
        return -1012;
    for (size_t i = 0; i < n; i++)
        X[i] = (double)i;
    if (outside_fault.mean != 0)
        X[0] = outside_fault.mean;
    return fault("points");
}

static int32_t load_vertices(void *user, size_t n, size_t dim, size_t n_bytes, const void *bytes, void **data) {
    if (!user || dim != 1)
        return -1013;
    int32_t status = load(n_bytes, bytes, data);
    if (!status && ((struct outside_ring *)*data)->n != n) {
        release(*data);
        return -1013;
    }
    return status;
}

const tvgp_domain_type outside_vertices = {.struct_size = sizeof outside_vertices,
                                           .name = "outside-vertices",
                                           .points = points,
                                           .categorical = 1,
                                           .save = save,
                                           .load = load_vertices,
                                           .release = release};

/* ---- the kernel --------------------------------------------------------------------------------------------------- */

double outside_ring_kernel(size_t n, double beta, size_t i, size_t j) {
    const double turn = 2 * 3.14159265358979323846 / (double)n;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += exp(-2 * beta * (1 - cos(turn * (double)k))) * cos(turn * (double)(k * (i > j ? i - j : j - i)));
    return sum / (double)n;
}

static int32_t block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    const struct outside_ring *ring = data;
    const double end = (double)ring->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            if (!(X[i] >= 0 && X[i] < end && Z[j] >= 0 && Z[j] < end) || X[i] != floor(X[i]) || Z[j] != floor(Z[j]))
                return -1014; /* no vertex */
            K[i * ldk + j] = outside_ring_kernel(ring->n, ring->beta, (size_t)X[i], (size_t)Z[j]);
        }
    return fault("block");
}

static int32_t params(void *data, size_t *n, tvgp_param_info *list) {
    *n = 1;
    if (list)
        *list = (tvgp_param_info){.name = "beta",
                                  .value = ((struct outside_ring *)data)->beta,
                                  .lower = 0.01,
                                  .upper = 100,
                                  .kind = TVGP_PARAM_RATE};
    return fault("params");
}

static int32_t clone(void *data, const double *values, void **copy) {
    int32_t status = fault("clone");
    if (!status)
        *copy = outside_ring_new(((struct outside_ring *)data)->n, values[0]);
    return status;
}

static int32_t load_kernel(void *user, size_t dim, size_t n, const void *bytes, void **data) {
    (void)user;
    return dim == 1 ? load(n, bytes, data) : -1013;
}

const tvgp_kernel_type outside_diffusion = {.struct_size = sizeof outside_diffusion,
                                            .name = "outside-diffusion",
                                            .block = block,
                                            .save = save,
                                            .load = load_kernel,
                                            .release = release,
                                            .params = params,
                                            .with_params = clone};
