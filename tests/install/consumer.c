/* SPDX-License-Identifier: MIT */
/* The version is the one asked for and a call that reaches BLAS or LAPACK works. */
#include <string.h>
#include <tvgp.h>

int main(int argc, char **argv) {
    const double identity[4] = {1, 0, 0, 1};
    tvgp_ctx *ctx = NULL;
    tvgp_kernel *kernel = NULL;
    int ok = argc == 2 && strcmp(tvgp_version(), argv[1]) == 0;
    ok = ok && tvgp_ctx_create(NULL, &ctx) == TVGP_OK && tvgp_kernel_table(ctx, 2, identity, &kernel) == TVGP_OK;
    tvgp_kernel_destroy(kernel);
    tvgp_ctx_destroy(ctx);
    return ok ? 0 : 1;
}
