/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int outside_released;
int32_t outside_params_fail;

static double se(const struct outside_se *o, size_t dim, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (x[d] - z[d]) / o->lengthscale * ((x[d] - z[d]) / o->lengthscale);
    return o->variance * exp(-0.5 * sum);
}

static int32_t block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    struct outside_se *o = data;
    if (++o->calls == o->fail_at)
        return o->fails_with;
    if (o->self)
        return tvgp_kernel_gram(o->self, n, X, m, Z, K) == TVGP_ERR_REENTRANT ? -1015 : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = o->nan ? NAN : se(o, 2, X + 2 * i, Z + 2 * j);
    return 0;
}

static int32_t gradient(void *data, size_t n, const double *Z, size_t m, const double *X, const double *C, double *G) {
    const struct outside_se *o = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t d = 0; d < 2; d++)
                G[2 * i + d] += C[i * m + j] * se(o, 2, Z + 2 * i, X + 2 * j) * (X[2 * j + d] - Z[2 * i + d]) /
                                (o->lengthscale * o->lengthscale);
    return 0;
}

static void reach(void *data, double *lengthscale) {
    lengthscale[0] = lengthscale[1] = ((struct outside_se *)data)->lengthscale;
}

static int32_t save(void *data, void *buffer, size_t *needed) {
    *needed = 2 * sizeof(double);
    if (buffer)
        memcpy(buffer, data, 2 * sizeof(double));
    return 0;
}

static int32_t load(void *user, size_t dim, size_t n, const void *bytes, void **data) {
    struct outside_se *o = calloc(1, sizeof *o);
    if (dim != 2 || n != 2 * sizeof(double) || !user) {
        free(o);
        return -1007;
    }
    memcpy(o, bytes, n);
    *data = o;
    return 0;
}

static void release(void *data) {
    outside_released++;
    free(data);
}

void outside_destroy(void *user) {
    ++*(int *)user;
}

tvgp_param_info outside_params;

static int32_t params(void *data, size_t *n, tvgp_param_info *list) {
    const struct outside_se *o = data;
    static const char name[] = "variance";
    *n = 2;
    if (!list)
        return 0;
    list[0].name = name;
    list[0].value = o->variance;
    list[0].flags = TVGP_PARAM_SCALES;
    list[1] = (tvgp_param_info){
        .name = "lengthscale.0", .value = o->lengthscale, .lower = 1e-3, .upper = 1e3, .kind = TVGP_PARAM_LENGTHSCALE};
    if (outside_params.name)
        list[1] = outside_params;
    return outside_params_fail;
}

static int32_t clone(void *data, const double *values, void **copy) {
    struct outside_se *o = malloc(sizeof *o);
    memcpy(o, data, sizeof *o);
    o->variance = values[0];
    o->lengthscale = values[1];
    *copy = o;
    return 0;
}

/* dk/dlog variance = k, dk/dlog l = k r^2 / l^2 */
int32_t outside_se_contract(void *data, size_t n, const double *X, size_t m, const double *Z, const double *W, size_t ldw,
                            double *gradient) {
    const struct outside_se *o = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double k = se(o, 2, X + 2 * i, Z + 2 * j);
            gradient[0] += W[i * ldw + j] * k;
            gradient[1] += k > 0 ? W[i * ldw + j] * k * -2 * log(k / o->variance) : 0;
        }
    return 0;
}

const tvgp_kernel_type outside_se = {.struct_size = sizeof outside_se,
                                     .name = "outside-se",
                                     .block = block,
                                     .gradient = gradient,
                                     .lengthscale = reach,
                                     .save = save,
                                     .load = load,
                                     .release = release,
                                     .params = params,
                                     .with_params = clone};
