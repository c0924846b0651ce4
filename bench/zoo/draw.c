/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include "../experiment.h"
#include <math.h>
#include <stdlib.h>

void zoo_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *z) {
    experiment_check(NULL, tvgp_random_normal(seed, purpose, step, n, z), "random numbers");
}

void zoo_uniforms(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *u) {
    experiment_check(NULL, tvgp_random_uniform(seed, purpose, step, n, u), "random numbers");
}

double zoo_uniform_of(uint64_t seed, uint32_t purpose, uint64_t step) {
    double u;
    zoo_uniforms(seed, purpose, step, 1, &u);
    return u;
}

void zoo_factor(size_t n, double *A) {
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < n; i++)
                A[i * n + j] -= A[i * n + k] * A[j * n + k];
        const double pivot = A[j * n + j] > 1e-14 ? sqrt(A[j * n + j]) : 0;
        for (size_t i = j; i < n; i++)
            A[i * n + j] = i == j ? pivot : pivot > 0 ? A[i * n + j] / pivot : 0;
        for (size_t i = 0; i < j; i++)
            A[i * n + j] = 0;
    }
}

void zoo_field_open(zoo_field *field, size_t side, size_t dim, double lengthscale) {
    *field = (zoo_field){side, dim, dim == 2 ? side * side : side, experiment_allocate(side * side, sizeof(double))};
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            const double apart = ((double)i - (double)j) / (double)(side - 1) / lengthscale;
            field->L[i * side + j] = exp(-0.5 * apart * apart);
        }
    zoo_factor(side, field->L);
}

void zoo_field_close(zoo_field *field) {
    free(field->L);
}

/* x (n, a stride apart) becomes L x. */
static void times(size_t n, const double *L, double *x, size_t stride) {
    for (size_t i = n; i-- > 0;) {
        double sum = 0;
        for (size_t k = 0; k <= i; k++)
            sum += L[i * n + k] * x[k * stride];
        x[i * stride] = sum;
    }
}

/* g = L Z L', or L z. */
void zoo_field_sample(const zoo_field *field, uint64_t seed, uint64_t step, double *g) {
    const size_t n = field->side;
    zoo_normal(seed, ZOO_TRUTH, step, field->arms, g);
    for (size_t i = 0; field->dim == 2 && i < n; i++)
        times(n, field->L, g + i * n, 1);
    for (size_t i = 0; i < field->arms / n; i++)
        times(n, field->L, g + i, field->dim == 2 ? n : 1);
}
