/* SPDX-License-Identifier: MIT */
/* What outcomes at a sample of the k-DPP leave unknown, by the number of swaps: in W-SparQ's problem with all 101 points to
 * choose from and 37 outcomes, the largest posterior standard deviation anywhere, and the mean one. */
#include "exp.h"
#include "experiment.h"
#include <math.h>
#include <stdio.h>

enum { POINTS = 101, ANSWERS = 37 };

void exp_gaps(int argc, char **argv) {
    static const size_t swaps[] = {0, 10, 20, 100, 1000, 10000};
    static const char *const nobody[] = {NULL};
    const double lengthscale = 3, variance = 0.5, noise = 0.01;
    experiment e = {.name = "gaps", .runs = 200, .processes = 1, .seed = 1};
    double X[POINTS], Z[ANSWERS], y[ANSWERS] = {0}, mean[POINTS], var[POINTS];
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    for (size_t i = 0; i < POINTS; i++)
        X[i] = (double)i - 50;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_kernel_se(ctx, 1, variance, 1, &lengthscale, &kernel), "kernel");
    printf("swaps,runs,largest_sd,mean_sd\n");
    for (size_t s = 0; s < sizeof swaps / sizeof *swaps; s++) {
        double largest = 0, average = 0;
        for (size_t r = 0; r < e.runs; r++) {
            size_t index[ANSWERS], n;
            tvgp_gp *gp;
            experiment_check(ctx, tvgp_kdpp_sample(ctx, kernel, POINTS, X, ANSWERS, swaps[s], e.seed + r, index, &n), "set");
            for (size_t i = 0; i < n; i++)
                Z[i] = X[index[i]];
            experiment_check(ctx, tvgp_gp_create(ctx, kernel, NULL, noise, &gp), "posterior");
            experiment_check(ctx, tvgp_gp_add(gp, n, Z, NULL, y, NULL), "answers");
            experiment_check(ctx, tvgp_gp_predict(gp, POINTS, X, 0, mean, var), "prediction");
            double top = 0;
            for (size_t i = 0; i < POINTS; i++) {
                top = fmax(top, sqrt(var[i]));
                average += sqrt(var[i]) / POINTS;
            }
            largest += top;
            tvgp_gp_destroy(gp);
        }
        printf("%lld,%zu,%.4f,%.4f\n", (long long)swaps[s], e.runs, largest / (double)e.runs, average / (double)e.runs);
    }
    tvgp_kernel_destroy(kernel);
    tvgp_ctx_destroy(ctx);
}
