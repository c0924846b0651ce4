/* SPDX-License-Identifier: MIT */
#include "multistart.h"

#include "experiment.h"
#include <math.h>
#include <nlopt.h>
#include <string.h>

typedef struct climber {
    const tvgp_ctx *ctx;
    tvgp_policy *policy;
    double width, t;
} climber;

static double climb(unsigned n, const double *x, double *gradient, void *user) {
    const climber *c = user;
    double mean, var, dmean[MULTISTART_DIM], dvar[MULTISTART_DIM];
    const tvgp_prediction values = {.struct_size = sizeof values,
                                    .mean = &mean,
                                    .var = &var,
                                    .dmean = gradient ? dmean : NULL,
                                    .dvar = gradient ? dvar : NULL};
    experiment_check(c->ctx, tvgp_policy_evaluate(c->policy, c->t, 1, x, &values), "evaluate");
    const double sd = sqrt(fmax(var, 1e-14));
    for (unsigned d = 0; gradient && d < n; d++)
        gradient[d] = dmean[d] + c->width * dvar[d] / (2 * sd);
    return mean + c->width * sd;
}

double multistart(const tvgp_ctx *ctx, tvgp_policy *policy, size_t dim, double width, double t, uint64_t seed, double *x) {
    enum { RAW = 512, STARTS = 20 };
    static double X[RAW * MULTISTART_DIM], mean[RAW], var[RAW];
    climber c = {ctx, policy, width, t};
    double found = -INFINITY;
    experiment_check(ctx, tvgp_random_uniform(seed, 1001, 0, RAW * dim, X), "points");
    experiment_check(ctx, tvgp_policy_predict(policy, t, RAW, X, mean, var), "predict");
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)dim);
    nlopt_set_lower_bounds1(opt, 0);
    nlopt_set_upper_bounds1(opt, 1);
    nlopt_set_max_objective(opt, climb, &c);
    nlopt_set_maxeval(opt, 200);
    nlopt_set_ftol_rel(opt, 1e-10);
    for (int s = 0; s < STARTS; s++) {
        size_t best = 0;
        double value;
        for (size_t i = 1; i < RAW; i++)
            if (mean[i] + width * sqrt(var[i]) > mean[best] + width * sqrt(var[best]))
                best = i;
        mean[best] = -INFINITY;
        if (nlopt_optimize(opt, X + best * dim, &value) > 0 && value > found) {
            found = value;
            memcpy(x, X + best * dim, dim * sizeof *x);
        }
    }
    nlopt_destroy(opt);
    return found;
}
