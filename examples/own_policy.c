/* SPDX-License-Identifier: MIT */
/* A policy that is registered from outside (tvgp/extend.h) and compared with the library's: the sliding-window UCB of Garivier and
 * Moulines (2011, "On upper-confidence bound policies for switching bandit problems"), which has no kernel. With N_i and m_i the number
 * and mean of the last tau outcomes of arm i, it plays the arm of largest m_i + range sqrt(xi log(min(t, tau)) / N_i). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

/* ---- the policy ----------------------------------------------------------------------------------------------------- */

enum { TAU, XI, RANGE };
static const tvgp_option_info options[] = {
    {.key = "tau", .doc = "answers remembered", .type = TVGP_I64, .default_num = 200, .lower = 1, .upper = 100000},
    {.key = "xi", .doc = "exploration", .default_num = 0.6, .lower = 0, .upper = 100},
    {.key = "range", .doc = "largest less smallest reward", .default_num = 1, .lower = 0, .upper = 1e6},
};

typedef struct {
    int64_t arm;
    double y;
} answer;

typedef struct {
    size_t n, tau;
    answer last[]; /* newest at last[(n - 1) % tau] */
} window;

static int32_t start(void *user, const tvgp_policy_view *view, void **state) {
    (void)user;
    const size_t tau = (size_t)view->options[TAU];
    window *w = calloc(1, sizeof *w + tau * sizeof *w->last);
    if (!w)
        return -1000;
    w->tau = tau;
    *state = w;
    return 0;
}

/* Number and mean of an arm's outcomes in the window. */
static double mean_of(const window *w, int64_t arm, size_t *n) {
    double sum = 0;
    *n = 0;
    for (size_t i = 0; i < w->n && i < w->tau; i++)
        if (w->last[i].arm == arm) {
            sum += w->last[i].y;
            ++*n;
        }
    return *n ? sum / (double)*n : 0;
}

static int32_t ask(void *state, const tvgp_policy_view *view, double t, tvgp_query *q) {
    const window *w = state;
    const double known = (double)(w->n < w->tau ? w->n : w->tau);
    double best = -INFINITY;
    (void)t;
    for (int64_t i = 0; i < (int64_t)view->n; i++) {
        size_t n;
        if (view->available && !view->available[i])
            continue;
        double score = mean_of(w, i, &n);
        for (size_t k = 0; k < view->n_pending; k++) /* pending actions count as if their mean had been observed */
            n += view->pending[k] == i;
        score +=
            n ? view->options[RANGE] * sqrt(view->options[XI] * log(fmax(known, 1)) / (double)n) : 1e6; /* at least once */
        if (score + (view->mean ? view->mean[i] : 0) > best) {
            best = score + (view->mean ? view->mean[i] : 0);
            q->arm = i;
            q->score = score;
        }
    }
    q->propensity = 1; /* no chance in it */
    return 0;
}

static int32_t tell(void *state, const tvgp_policy_view *view, size_t n, const tvgp_obs *obs, const int64_t *arm) {
    window *w = state;
    (void)view;
    for (size_t i = 0; i < n; i++)
        if (obs[i].outcome == TVGP_VALUE)
            w->last[w->n++ % w->tau] = (answer){arm[i], obs[i].y};
    return 0;
}

/* Used by tvgp_policy_best; the variance of a mean of n rewards within the range is at most range^2 / 4n. */
static int32_t predict(void *state, const tvgp_policy_view *view, double t, size_t n, const int64_t *arm, double *mean,
                       double *var) {
    (void)t;
    for (size_t i = 0; i < n; i++) {
        size_t count;
        mean[i] = mean_of(state, arm ? arm[i] : (int64_t)i, &count);
        var[i] = view->options[RANGE] * view->options[RANGE] / (4 * fmax((double)count, 0.25));
    }
    return 0;
}

static int32_t save(void *state, void *buffer, size_t *needed) {
    const window *w = state;
    *needed = sizeof *w + w->tau * sizeof *w->last;
    if (buffer)
        memcpy(buffer, w, *needed);
    return 0;
}

static int32_t load(void *state, size_t n, const void *bytes) {
    window *w = state, head;
    if (n != sizeof *w + w->tau * sizeof *w->last)
        return -1001;
    memcpy(&head, bytes, sizeof head);
    if (head.tau != w->tau)
        return -1001;
    memcpy(w, bytes, n);
    return 0;
}

static const tvgp_policy_type sw_ucb = {.struct_size = sizeof sw_ucb,
                                        .name = "sw-ucb",
                                        .start = start,
                                        .ask = ask,
                                        .doc = "sliding-window UCB, arms that know nothing of each other",
                                        .tell = tell,
                                        .release = free,
                                        .predict = predict,
                                        .options = options,
                                        .n_options = sizeof options / sizeof *options,
                                        .option_size = sizeof *options,
                                        .save = save,
                                        .load = load};

/* ---- the game ------------------------------------------------------------------------------------------------------- */

enum { ARMS = 12, STEPS = 1200, SWITCH = 300 };

/* Click rates of twelve banners: a hill over the arms, whose place jumps. */
static double rate(int64_t arm, int t) {
    static const int top[] = {2, 9, 5, 11};
    const double away = ((double)arm - top[t / SWITCH]) / 2;
    return 0.1 + 0.7 * exp(-away * away / 2);
}

static double play(tvgp_ctx *ctx, const char *name, const char *text) {
    const double lower = 0, upper = ARMS - 1, lengthscale = 2;
    const size_t points = ARMS;
    tvgp_domain *banners;
    tvgp_kernel *kernel;
    tvgp_policy *policy, *again;
    static unsigned char file[1 << 18];
    double regret = 0;
    size_t n;
    int ok = tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &banners) == TVGP_OK &&
             tvgp_kernel_se(ctx, 1, 0.1, 1, &lengthscale, &kernel) == TVGP_OK &&
             tvgp_policy_create(ctx, name, banners, kernel, &policy) == TVGP_OK && tvgp_policy_set(policy, text) == TVGP_OK;
    for (int t = 0; ok && t < STEPS; t++) {
        tvgp_query q;
        double draw = 0, best = 0;
        if (t == STEPS / 2) { /* a new day: the policy comes back from a file */
            ok = tvgp_policy_save_full(policy, sizeof file, file, &n) == TVGP_OK &&
                 tvgp_policy_restore(ctx, n, file, NULL, NULL, &again) == TVGP_OK;
            if (!ok)
                break;
            tvgp_policy_destroy(policy);
            policy = again;
        }
        tvgp_random_uniform(7, 1000, (uint64_t)t, 1, &draw);
        ok = tvgp_policy_ask_one(policy, t, &q, NULL) == TVGP_OK &&
             tvgp_policy_tell_value(policy, q.id, draw < rate(q.arm, t)) == TVGP_OK;
        for (int64_t arm = 0; arm < ARMS; arm++)
            best = fmax(best, rate(arm, t));
        regret += best - rate(q.arm, t);
    }
    if (!ok) {
        fprintf(stderr, "own_policy: %s\n", tvgp_ctx_errmsg(ctx));
        exit(EXIT_FAILURE);
    }
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(banners);
    printf("%-10s %6.1f clicks less than the best banner of the hour\n", name, regret);
    return regret;
}

int main(void) {
    tvgp_ctx *ctx;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK || tvgp_ctx_register_policy(ctx, &sw_ucb, NULL, NULL) != TVGP_OK)
        return EXIT_FAILURE;
    printf("%d steps, %d banners\n", STEPS, ARMS);
    double chance = play(ctx, "random", ""), own = play(ctx, "sw-ucb", "tau=150 xi=.2");
    play(ctx, "sw-gp-ucb", "window=150 noise=.2");
    tvgp_ctx_destroy(ctx);
    return own < 0.7 * chance ? EXIT_SUCCESS : EXIT_FAILURE;
}
