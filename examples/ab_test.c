/* SPDX-License-Identifier: MIT */
/* An A/B/n test whose variants come and go and whose conversion rates drift: usage: ab_test [--csv].
 *
 * Ten positions each hold a text of an advertisement, or are empty (not available). A text starts and ends at its own times, and its
 * rate wanders. Every hour one text is displayed to 200 visitors. The share of buyers is reported with its noise variance,
 * share (1 - share) / visitors. Texts have no coordinates, so the domain is one of indices. The policy learns level, spread and rate
 * of change. A new text gets a new index. Compared with displaying every text equally often, and with a split test of 200 hours that
 * then keeps the best text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { PLACES = 10, HOURS = 1500, VISITORS = 200, RUNS = 5, SPLIT = 200 };

static const struct {
    int start, end;
} life[PLACES] = {{0, 1500},   {0, 600},    {0, 1500},   {0, 900},     {300, 1500},
                  {500, 1200}, {700, 1500}, {900, 1500}, {1000, 1400}, {1200, 1500}};

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "ab_test: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* Rates of one run: slow waves around 5 %, of each text its own. */
static double rate(uint64_t seed, int place, int hour) {
    double u[4];
    check(tvgp_random_uniform(seed, 1000, (uint64_t)place, 4, u));
    return 0.05 + 0.015 * (u[0] - 0.5) + 0.012 * sin(6.28 * (u[1] + hour / (500 + 700 * u[2])));
}

static int exists(int place, int hour) {
    return life[place].start <= hour && hour < life[place].end;
}

/* Visitors that buy, nearly binomial. */
static double share_of(uint64_t seed, int hour, double p) {
    double z;
    check(tvgp_random_normal(seed, 1001, (uint64_t)hour, 1, &z));
    const double buyers = floor(VISITORS * p + z * sqrt(VISITORS * p * (1 - p)) + 0.5);
    return fmin(fmax(buyers, 0), VISITORS) / VISITORS;
}

static tvgp_policy *create(void) {
    tvgp_domain *domain;
    tvgp_policy *policy;
    check(tvgp_domain_indices(ctx, PLACES, &domain));
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy));
    tvgp_domain_destroy(domain);
    return policy;
}

static int choose(tvgp_policy *policy, uint64_t seed, int hour) {
    uint8_t mask[PLACES];
    tvgp_query q;
    for (int i = 0; i < PLACES; i++)
        mask[i] = (uint8_t)exists(i, hour);
    check(tvgp_policy_set_available(policy, PLACES, mask));
    check(tvgp_policy_ask_one(policy, hour, &q, NULL));
    tvgp_obs obs = tvgp_obs_value(q.id, share_of(seed, hour, rate(seed, (int)q.arm, hour)));
    const double p = (VISITORS * obs.y + 1) / (VISITORS + 2); /* never 0 */
    obs.flags = TVGP_OBS_HAS_NOISE;
    obs.noise_var = p * (1 - p) / VISITORS;
    check(tvgp_policy_tell(policy, 1, &obs, NULL));
    return (int)q.arm;
}

/* The n-th of the texts that exist. */
static int nth(int hour, int n) {
    int place = 0;
    for (int seen = 0;; place = (place + 1) % PLACES)
        if (exists(place, hour) && seen++ == n)
            return place;
}

int main(int argc, char **argv) {
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    double sold[4] = {0};
    check(tvgp_ctx_create(NULL, &ctx));
    if (csv)
        printf("hour,shown,best,rate_shown,rate_best\n");
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        tvgp_policy *policy = create();
        double shares[PLACES] = {0};
        int shown[PLACES] = {0}, winner = 0;
        for (int hour = 0; hour < HOURS; hour++) {
            int best = nth(hour, 0);
            for (int i = 0; i < PLACES; i++)
                if (exists(i, hour) && rate(seed, i, hour) > rate(seed, best, hour))
                    best = i;
            const int arm = choose(policy, seed, hour), turn = nth(hour, hour % PLACES);
            if (hour < SPLIT) {
                shares[turn] += share_of(seed, hour, rate(seed, turn, hour));
                shown[turn]++;
            }
            for (int i = 0; hour == SPLIT && i < PLACES; i++)
                if (shown[i] && life[i].end == HOURS && shares[i] / shown[i] * shown[winner] > shares[winner])
                    winner = i;
            sold[0] += VISITORS * rate(seed, best, hour) / RUNS;
            sold[1] += VISITORS * rate(seed, arm, hour) / RUNS;
            sold[2] += VISITORS * rate(seed, turn, hour) / RUNS;
            sold[3] += VISITORS * rate(seed, hour < SPLIT ? turn : winner, hour) / RUNS;
            if (csv && seed == 1)
                printf("%d,%d,%d,%.5f,%.5f\n", hour, arm, best, rate(seed, arm, hour), rate(seed, best, hour));
        }
        tvgp_policy_destroy(policy);
    }
    tvgp_ctx_destroy(ctx);
    if (!csv)
        printf("sold to %d visitors: %.0f by the policy, %.0f by all texts in turn, %.0f by a split test of %d hours, %.0f "
               "possible\n",
               HOURS * VISITORS, sold[1], sold[2], sold[3], SPLIT, sold[0]);
    return sold[1] > sold[2] && sold[1] > sold[3] ? EXIT_SUCCESS : EXIT_FAILURE;
}
