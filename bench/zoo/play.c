/* SPDX-License-Identifier: MIT */
#include "play.h"

#include "../experiment.h"
#include "player.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { POINTS = 200, QUERIES = 256, TEXT = 512 };

/* ---- the stage ---------------------------------------------------------------------------------------------------- */

/* Coordinate d of the i-th point of a Halton sequence (Halton 1960). */
static double halton(size_t i, size_t d) {
    static const size_t prime[] = {2, 3, 5, 7, 11, 13, 17, 19};
    double digit = 1, x = 0;
    for (i++; i; i /= prime[d])
        x += (double)(i % prime[d]) * (digit /= (double)prime[d]);
    return x;
}

static double range(const zoo_stage *s) {
    return s->info.high - s->info.low;
}

void zoo_stage_open(zoo_stage *s, tvgp_ctx *ctx, tvgp_zoo_problem *problem, uint64_t seed) {
    const tvgp_domain *domain;
    const tvgp_kernel *kernel;
    char options[TEXT];
    *s = (zoo_stage){.ctx = ctx, .problem = problem, .seed = seed};
    experiment_check(ctx, tvgp_zoo_info_of(problem, &s->info), "problem");
    experiment_check(ctx, tvgp_zoo_domain(problem, &domain), "domain");
    experiment_check(ctx, tvgp_zoo_known(problem, TVGP_ZOO_ALL, &kernel, options, sizeof options), "parameters");
    s->arms = s->info.arms ? s->info.arms : POINTS;
    s->X = experiment_allocate(s->arms * s->info.dim, sizeof *s->X);
    s->K = experiment_allocate(s->arms * s->arms, sizeof *s->K);
    for (size_t i = 0; i < s->arms; i++)
        for (size_t d = 0; d < s->info.dim; d++)
            s->X[i * s->info.dim + d] = halton(i, d % 8);
    for (size_t i = 0; i < s->info.arms; i++)
        experiment_check(ctx, tvgp_domain_point(domain, (int64_t)i, s->X + i * s->info.dim), "arm");
    experiment_check(ctx, tvgp_kernel_gram(kernel, s->arms, s->X, s->arms, s->X, s->K), "covariance");
    for (size_t k = 0; k < s->arms * s->arms; k++)
        s->K[k] /= range(s) * range(s);
}

void zoo_stage_close(zoo_stage *s) {
    free(s->X);
    free(s->K);
}

/* ---- a contestant: a policy, or an algorithm from outside ------------------------------------------------------------- */

typedef struct asked {
    int64_t id, arm;
    double probability, y;
    size_t due; /* SIZE_MAX: reported, or never */
} asked;

typedef struct contestant {
    zoo_stage *stage;
    tvgp_policy *policy; /* NULL: the algorithm */
    zoo_player player;
    zoo_chance chance;
    uint8_t *mask;
    asked *asked; /* one for each step */
    size_t oldest;
} contestant;

/* Sets those of the options, key=value between blanks, that the policy has; `strict`: all of them. */
static void set_options(tvgp_policy *policy, const char *options, int strict) {
    char word[TEXT];
    for (options += strspn(options, " "); *options; options += strspn(options, " ")) {
        const size_t length = strcspn(options, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, options);
        const tvgp_status status = tvgp_policy_set(policy, word);
        if (status != TVGP_ERR_NOTFOUND || strict)
            experiment_check(NULL, status, word);
        options += length;
    }
}

/* At ALL the true mean; at MODEL every prior where the policy weighs several, else their mean. */
static void tell_means(contestant *c, const tvgp_kernel *kernel, int level) {
    zoo_stage *s = c->stage;
    const size_t n = s->info.arms ? s->info.arms : 1;
    double *mean = experiment_allocate(2 * n, sizeof *mean), count = 0;
    for (size_t i = 0; tvgp_zoo_prior(s->problem, i, mean + n) == TVGP_OK && (i == 0 || level == TVGP_ZOO_MODEL); i++) {
        if (level == TVGP_ZOO_MODEL && s->info.flags & TVGP_ZOO_PRIORS)
            (void)tvgp_policy_add_prior(c->policy, kernel, n, mean + n, 0); /* where it takes them */
        count++;
        for (size_t k = 0; k < n; k++)
            mean[k] += (mean[n + k] - mean[k]) / count;
    }
    experiment_check(s->ctx, tvgp_policy_set_prior_mean(c->policy, n, mean), "mean");
    free(mean);
}

/* Whether what is given at ALL and not at MODEL is anything to this policy. */
static int takes_drift(const contestant *c) {
    double number;
    const char *text;
    const tvgp_zoo_info *info = &c->stage->info;
    return tvgp_policy_get_f64(c->policy, "epsilon", &number) == TVGP_OK ||
           tvgp_policy_get_f64(c->policy, "variation_budget", &number) == TVGP_OK || info->flags & TVGP_ZOO_PRIORS ||
           (info->period > 0 && tvgp_policy_get_str(c->policy, "season.period", &text) == TVGP_OK);
}

/* -1: there is no such policy, or it does not play here, or is given no more at ALL than at MODEL. */
static int enter_policy(contestant *c, const char *text, int level) {
    zoo_stage *s = c->stage;
    char name[64], options[TEXT];
    const tvgp_domain *domain;
    const tvgp_kernel *kernel;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    experiment_check(s->ctx, tvgp_zoo_domain(s->problem, &domain), "domain");
    experiment_check(s->ctx, tvgp_zoo_known(s->problem, level, &kernel, options, sizeof options), "parameters");
    const tvgp_status status = tvgp_policy_create(s->ctx, name, domain, kernel, &c->policy);
    if (status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_ARG || status == TVGP_ERR_NOTFOUND)
        return -1;
    experiment_check(s->ctx, status, name);
    if (level == TVGP_ZOO_ALL && !takes_drift(c)) {
        tvgp_policy_destroy(c->policy);
        return -1;
    }
    experiment_check(s->ctx, tvgp_policy_set_i64(c->policy, "seed", (int64_t)s->seed), "seed");
    set_options(c->policy, options, 0);
    set_options(c->policy, text + strcspn(text, " "), 1);
    if (level != TVGP_ZOO_NOTHING)
        tell_means(c, kernel, level);
    return 0;
}

static int enter_player(contestant *c, const char *text, int level) {
    zoo_stage *s = c->stage;
    const double unit = range(s), noise = s->info.noise / unit / unit;
    const zoo_player_type *type = zoo_player_type_of(text);
    const int drift = level == TVGP_ZOO_ALL;
    if (!(type->levels >> level & 1))
        return -1;
    const zoo_facts facts = {.arms = s->arms,
                             .steps = s->info.steps,
                             .changes = drift ? s->info.changes : 1,
                             .variation = drift ? fmax(s->info.variation / unit, 1e-3) : 1,
                             .epsilon = drift ? fmin(s->info.epsilon, 0.999) : 0,
                             .K = level == TVGP_ZOO_NOTHING ? NULL : s->K,
                             .mean = (s->info.mean - s->info.low) / unit,
                             .noise = fmax(noise, 1e-4 * s->K[0])};
    if (zoo_player_create(text, &facts, &c->player)) {
        fprintf(stderr, "zoo: %s: no such setting\n", text);
        exit(2);
    }
    zoo_chance_open(&c->chance, s->seed);
    return 0;
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

/* Reports outcomes of the side queries of a batch; those without an outcome were skipped. */
static void answer_sides(contestant *c, size_t step, size_t *number, const tvgp_query *q, const double *x, size_t n) {
    zoo_stage *s = c->stage;
    for (size_t i = 0; i < n; i++) {
        int known = 0;
        double y = 0;
        if (q[i].kind == TVGP_ACTION)
            continue;
        (void)tvgp_zoo_expert(s->problem, step, (*number)++, q[i].arm, x + i * s->info.dim, &y, &known);
        const tvgp_obs answer = known ? tvgp_obs_value(q[i].id, y) : tvgp_obs_outcome(q[i].id, TVGP_SKIPPED);
        experiment_check(s->ctx, tvgp_policy_tell(c->policy, 1, &answer, NULL), "side query");
    }
}

/* Asks until the action has been asked and, where there is an expert, no side query is due. */
static int64_t ask_policy(contestant *c, size_t step, double t, int64_t *arm, double *x) {
    zoo_stage *s = c->stage;
    static tvgp_query q[QUERIES];
    static double points[QUERIES * 16];
    int64_t id = 0;
    const int expert = (s->info.flags & TVGP_ZOO_EXPERT) != 0;
    size_t number = 0, n;
    if (s->info.flags & TVGP_ZOO_MASKED)
        experiment_check(s->ctx, tvgp_policy_set_available(c->policy, s->info.arms, c->mask), "mask");
    for (size_t batch = 0; batch < s->arms + 2 && (!id || (expert && experiment_stat(c->policy, "side.due") > 0)); batch++) {
        experiment_check(s->ctx, tvgp_policy_ask(c->policy, t, QUERIES, q, points, &n), "ask");
        for (size_t i = 0; i < n; i++) {
            if (q[i].kind != TVGP_ACTION)
                continue;
            id = q[i].id;
            *arm = q[i].arm;
            memcpy(x, points + i * s->info.dim, s->info.dim * sizeof *x);
            if (s->look)
                s->look(s->user, c->policy, step, &q[i]);
        }
        answer_sides(c, step, &number, q, points, n);
    }
    return id;
}

static void choose(contestant *c, size_t step, double t, asked *a, double *x) {
    zoo_stage *s = c->stage;
    if (c->policy) {
        a->id = ask_policy(c, step, t, &a->arm, x);
        return;
    }
    const uint8_t *mask = s->info.flags & TVGP_ZOO_MASKED ? c->mask : NULL;
    const zoo_choice choice = c->player.type->choose(c->player.self, mask, &c->chance);
    a->arm = (int64_t)choice.arm;
    a->probability = choice.probability;
    memcpy(x, s->X + choice.arm * s->info.dim, s->info.dim * sizeof *x);
}

static void tell(contestant *c, const asked *a) {
    const tvgp_zoo_info *info = &c->stage->info;
    if (c->policy) {
        experiment_check(c->stage->ctx, tvgp_policy_tell_value(c->policy, a->id, a->y), "tell");
        return;
    }
    const double r = fmin(1, fmax(0, (a->y - info->low) / range(c->stage)));
    c->player.type->tell(c->player.self, (size_t)a->arm, r, a->probability);
}

/* Tells what comes at the end of a step, in the order it was asked. */
static void tell_due(contestant *c, size_t step) {
    for (size_t i = c->oldest; i <= step; i++)
        if (c->asked[i].due == step) {
            tell(c, &c->asked[i]);
            c->asked[i].due = SIZE_MAX;
        }
    while (c->oldest <= step && c->asked[c->oldest].due == SIZE_MAX)
        c->oldest++;
}

static void play_step(contestant *c, size_t step, zoo_score *score) {
    zoo_stage *s = c->stage;
    double t, x[16], value, best, uniform;
    asked *a = &c->asked[step];
    experiment_check(s->ctx, tvgp_zoo_step(s->problem, step, &t, c->mask), "step");
    choose(c, step, t, a, x);
    const clock_t paused = clock();
    experiment_check(s->ctx, tvgp_zoo_answer(s->problem, step, a->arm, x, &a->y, &a->due), "answer");
    experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, a->arm, x, &value, &best, &uniform), "value");
    score->microseconds -= (double)(clock() - paused) / CLOCKS_PER_SEC * 1e6;
    score->regret += best - value;
    score->uniform += best - uniform;
    tell_due(c, step);
    if (c->policy && s->look)
        s->look(s->user, c->policy, step, NULL);
}

/* ---- in hindsight ------------------------------------------------------------------------------------------------- */

/* What the arm of highest mean value over steps of the same phase, of `phases`, would have lost. */
static int play_hindsight(zoo_stage *s, size_t phases, zoo_score *score) {
    const size_t n = s->info.arms;
    if (!n || (phases > 1 && s->info.period <= 0))
        return -1;
    double *sum = experiment_allocate(n * phases, sizeof *sum), value, best, uniform, t;
    uint8_t *mask = experiment_allocate(n, 1);
    for (int pass = 0; pass < 2; pass++)
        for (size_t step = 0; step < s->info.steps; step++) {
            const double phase = s->info.period > 0 ? fmod((double)step, s->info.period) / s->info.period : 0;
            double *own = sum + (size_t)(phase * (double)phases) * n;
            size_t top = n;
            experiment_check(s->ctx, tvgp_zoo_step(s->problem, step, &t, mask), "step");
            for (size_t i = 0; i < n; i++) {
                if (!mask[i])
                    continue;
                experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, (int64_t)i, NULL, &value, &best, &uniform),
                                 "value");
                own[i] += pass ? 0 : value - uniform;
                top = top == n || own[i] > own[top] ? i : top;
            }
            experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, (int64_t)top, NULL, &value, &best, &uniform), "value");
            score->regret += pass ? best - value : 0;
            score->uniform += pass ? best - uniform : 0;
        }
    free(mask);
    free(sum);
    return 0;
}

/* ---- a run -------------------------------------------------------------------------------------------------------- */

int zoo_play_is_ours(const char *player) {
    return !zoo_player_type_of(player) && strncmp(player, "best-", 5) != 0;
}

static double held(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return (double)mallinfo2().uordblks / 1024;
#else
    return 0;
#endif
}

int zoo_play(zoo_stage *s, const char *player, int level, zoo_score *score) {
    contestant c = {.stage = s};
    *score = (zoo_score){0};
    if (!strncmp(player, "best-", 5))
        return level == TVGP_ZOO_NOTHING ? play_hindsight(s, strstr(player, "hour") ? 24 : 1, score) : -1;
    const double before = held();
    if (zoo_play_is_ours(player) ? enter_policy(&c, player, level) : enter_player(&c, player, level))
        return -1;
    c.mask = experiment_allocate(s->arms, 1);
    c.asked = experiment_allocate(s->info.steps, sizeof *c.asked);
    const clock_t start = clock();
    for (size_t step = 0; step < s->info.steps; step++)
        play_step(&c, step, score);
    score->microseconds += (double)(clock() - start) / CLOCKS_PER_SEC * 1e6;
    score->microseconds /= (double)s->info.steps;
    free(c.asked);
    free(c.mask);
    score->kilobytes = held() - before;
    score->restarts = c.policy ? experiment_stat(c.policy, "resets") : c.player.type->number(c.player.self, 0);
    if (c.policy)
        tvgp_policy_destroy(c.policy);
    else
        zoo_player_destroy(&c.player);
    return 0;
}
