/* SPDX-License-Identifier: MIT */
#include "gp/filter_core.h"

#include "linalg/blas.h"

#include <string.h>

enum { FF, UU, UF };

static double *block(const tvgp__filter_core *core, size_t r, size_t which) {
    return core->R + which * r * r;
}

void tvgp__filter_core_transform(const tvgp__filter_core *from, size_t r, const double N[2][2], size_t states,
                                 tvgp__filter_core *to) {
    int two = from->states == 2;
    double a = N[0][0], b = two ? N[0][1] : 0, c = N[1][0], d = two ? N[1][1] : 0;
    const double *F = block(from, r, FF), *Y = two ? block(from, r, UU) : F, *X = two ? block(from, r, UF) : F;
    double *F1 = block(to, r, FF), *Y1 = block(to, r, UU), *X1 = block(to, r, UF);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++) {
            size_t low = j * r + i, high = i * r + j;
            double f = F[low], y = Y[low], x = X[low], x2 = two ? X[high] : 0;
            F1[low] = a * a * f + a * b * (x + x2) + b * b * y;
            if (states == 1)
                continue;
            X1[low] = a * c * f + b * c * x2 + a * d * x + b * d * y;
            X1[high] = a * c * f + b * c * x + a * d * x2 + b * d * y;
            Y1[low] = c * c * f + c * d * (x + x2) + d * d * y;
        }
    to->states = states;
}

void tvgp__filter_core_clear(tvgp__filter_core *core, size_t r, size_t states) {
    core->states = states;
    memset(core->R, 0, (states == 2 ? 3 : 1) * r * r * sizeof *core->R);
}

void tvgp__filter_core_add(tvgp__filter_core *core, size_t r, size_t count, const double *U) {
    tvgp__blas_syrk(TVGP__NO_TRANS, r, count, 1, U, 2 * r, 1, block(core, r, FF), r);
    if (core->states == 1)
        return;
    tvgp__blas_syrk(TVGP__NO_TRANS, r, count, 1, U + r, 2 * r, 1, block(core, r, UU), r);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__TRANS, r, r, count, 1, U + r, 2 * r, U, 2 * r, 1, block(core, r, UF), r);
}

void tvgp__filter_core_multiply(tvgp__filter_core *core, size_t r, const double *phi) {
    if (core->multiplied)
        return;
    core->multiplied = 1;
    tvgp__blas_symv(r, 1, block(core, r, FF), r, phi, 0, core->z);
    if (core->states == 1)
        return;
    tvgp__blas_gemv(TVGP__NO_TRANS, r, r, 1, block(core, r, UF), r, phi, 0, core->z + r);
    tvgp__blas_gemv(TVGP__TRANS, r, r, 1, block(core, r, UF), r, phi, 0, core->z + 2 * r);
    tvgp__blas_symv(r, 1, block(core, r, UU), r, phi, 0, core->z + 3 * r);
}

void tvgp__filter_core_gather(const tvgp__filter_core *core, size_t r, double share, const double q[2], double *S) {
    int two = core->states == 2;
    double a = share * q[0] * q[0], b = share * q[0] * q[1], c = share * q[1] * q[1];
    const double *F = block(core, r, FF), *Y = two ? block(core, r, UU) : F, *X = two ? block(core, r, UF) : F;
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++) {
            size_t low = j * r + i, high = i * r + j;
            S[low] += a * F[low] + (two ? b * (X[low] + X[high]) + c * Y[low] : 0);
        }
}
