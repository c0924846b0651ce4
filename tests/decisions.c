/* SPDX-License-Identifier: MIT */
/* Every policy plays arms and a box, with a kernel and without: a line has the last action and a hash of all actions and of the state at the
 * end. Rewards are sums, products and quotients of uniform draws, so that no function of the C library takes part but the library's own
 * calls. tests/musl.sh compares two C libraries. */
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { STEPS = 300, STEPS_ON_BOX = 80 };

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status < 0) {
        fprintf(stderr, "decisions: %s\n", tvgp_ctx_errmsg(ctx));
        exit(EXIT_FAILURE);
    }
}

/* FNV-1a. */
static void add(uint64_t *hash, const void *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
}

static double reward(double x, int t, double draw) {
    const double phase = t % 100 / 50.0, away = x - (0.1 + 0.8 * (phase < 1 ? phase : 2 - phase));
    return 1 / (1 + 30 * away * away) + 0.35 * (draw - 0.5);
}

static void play(tvgp_ctx *ctx, const char *name, const char *what) {
    char line[96];
    double draws[STEPS], x = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    tvgp_policy *policy;
    size_t n = 0;
    snprintf(line, sizeof line, "%s seed=5 %s", name, what);
    const tvgp_status status = tvgp_policy_create_described(ctx, line, &policy);
    printf("%s: ", line);
    if (status < 0) {
        printf("%s\n", tvgp_status_name(status));
        return;
    }
    check(tvgp_random_uniform(7, 1000, 0, STEPS, draws), ctx);
    for (int t = 0; t < (what[0] == 'b' ? STEPS_ON_BOX : STEPS); t++) {
        tvgp_query query;
        for (query.kind = TVGP_SIDE; query.kind == TVGP_SIDE;) {
            check(tvgp_policy_ask_one(policy, t, &query, &x), ctx);
            add(&hash, &x, sizeof x);
            check(tvgp_policy_tell_value(policy, query.id, reward(x, t, draws[t])), ctx);
        }
    }
    check(tvgp_policy_save(policy, 0, NULL, &n), ctx);
    unsigned char *state = malloc(n);
    if (!state)
        exit(EXIT_FAILURE);
    check(tvgp_policy_save(policy, n, state, &n), ctx);
    add(&hash, state, n);
    printf("%.17g %016llx\n", x, (unsigned long long)hash);
    free(state);
    tvgp_policy_destroy(policy);
}

int main(void) {
    static const char *const games[] = {"grid=0:1:51 se=.2", "grid=0:1:51", "box=0:1 se=.2", "box=0:1"};
    tvgp_ctx *ctx;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        return EXIT_FAILURE;
    const char *name, *doc;
    for (size_t i = 0; tvgp_policy_name_at(ctx, i, &name, &doc) == TVGP_OK; i++)
        for (size_t k = 0; k < sizeof games / sizeof *games; k++)
            play(ctx, name, games[k]);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
