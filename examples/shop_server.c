/* SPDX-License-Identifier: MIT */
/* A policy as a service on standard input and output, one request and one answer a line; the prices of docs/guide/tutorial.md.
 *
 *   ask T           -> ID PRICE      which price at time T? Keep the ID with the order.
 *   tell ID PROFIT  -> ok            what came of it, in any order, at any time
 *   lost ID         -> ok            nothing will come
 *   saw T P PROFIT  -> ok            what nobody asked for: a log, a colleague
 *   best T          -> PRICE MEAN SD what is believed best
 *   stat KEY        -> VALUE         such as pending, surprise, timed_out
 *
 * usage: shop_server [OPTIONS], text as for tvgp_policy_set. A request that makes no sense is answered by what is wrong with it,
 * and has changed nothing. Queries older than 30 units of time are closed by the policy itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

static tvgp_ctx *ctx;

/* Prints what is wrong; nonzero when something is. */
static int refused(tvgp_status status) {
    if (status == TVGP_OK)
        return 0;
    printf("error %s\n", status < 0 ? tvgp_ctx_errmsg(ctx) : "nothing can be asked before answers come");
    return 1;
}

static void ask(tvgp_policy *policy, double t) {
    tvgp_query q;
    double price;
    if (!refused(tvgp_policy_ask_one(policy, t, &q, &price)))
        printf("%lld %.1f\n", (long long)q.id, price);
}

static void tell(tvgp_policy *policy, const tvgp_obs *obs, const double *price) {
    if (!refused(tvgp_policy_tell(policy, obs, price, 1)))
        printf("ok\n");
}

static void best(tvgp_policy *policy, double t) {
    int64_t arm;
    double price, mean, variance;
    if (!refused(tvgp_policy_best(policy, t, &arm, &price)) &&
        !refused(tvgp_policy_predict(policy, t, 1, &price, &mean, &variance)))
        printf("%.1f %.1f %.1f\n", price, mean, sqrt(variance));
}

static void answer(tvgp_policy *policy, const char *line) {
    long long id;
    double t, price, value;
    char key[64];
    if (sscanf(line, "ask %lf", &t) == 1) {
        ask(policy, t);
    } else if (sscanf(line, "tell %lld %lf", &id, &value) == 2) {
        const tvgp_obs obs = tvgp_obs_value(id, value);
        tell(policy, &obs, NULL);
    } else if (sscanf(line, "lost %lld", &id) == 1) {
        const tvgp_obs obs = tvgp_obs_outcome(id, TVGP_SKIPPED);
        tell(policy, &obs, NULL);
    } else if (sscanf(line, "saw %lf %lf %lf", &t, &price, &value) == 3) {
        const tvgp_obs obs = tvgp_obs_unasked(t, value);
        tell(policy, &obs, &price);
    } else if (sscanf(line, "best %lf", &t) == 1) {
        best(policy, t);
    } else if (sscanf(line, "stat %63s", key) == 1) {
        if (!refused(tvgp_policy_stat(policy, key, &value)))
            printf("%g\n", value);
    } else {
        printf("error no request: %.40s\n", line);
    }
}

int main(int argc, char **argv) {
    const double lower = 5, upper = 25;
    const size_t points = 41;
    tvgp_domain *domain = NULL;
    tvgp_policy *policy = NULL;
    char line[256];
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        return EXIT_FAILURE;
    int failed = refused(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain)) ||
                 refused(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy)) ||
                 refused(tvgp_policy_set(policy, "pending.timeout=30")) ||
                 (argc > 1 && refused(tvgp_policy_set(policy, argv[1])));
    while (!failed && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        answer(policy, line);
        fflush(stdout);
    }
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
