/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb with default settings on categorical arms, compared with optimised hyperparameters and, on recorded tables, with
 * gp-ucb, tv-gp-ucb and et-gp-ucb. Prints a row for each game: the share of the regret of uniform play and processor time a step,
 * both with their ratio to the second policy, which in games with contexts is the first one without them, and the share of the best
 * constant arm. Then it prints means over games. */
#include "defaults_games.h"
#include "exp.h"
#include "experiment.h"
#include "zoo/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Games of one group, played one way. A suite without a group plays cells of the benchmark. If there are contexts, the second policy is the first one without them. */
typedef struct suite {
    const char *name, *group; /* group NULL: cells of the benchmark */
    double noise;             /* added to tables, in standard deviations of their values */
    size_t delay;             /* steps from a choice to its outcome */
    int others;               /* algorithms from 2 on play as well */
    int times;                /* the ratio is of processor time */
    const char *setting;      /* the third to the fifth algorithm play short runs, each compared with this setting */
} suite;

static const suite suites[] = {
    {.name = "tables", .group = "tables", .others = 1},
    {.name = "stocks", .group = "stocks", .others = 1},
    {.name = "noise of 1 sd", .group = "tables", .noise = 1},
    {.name = "problems", .group = "problems", .others = 1},
    {.name = "cells", .group = "cells", .others = 1},
    {.name = "late", .group = "cells", .delay = 20},
    {.name = "zoo"},
    {.name = "long", .group = "long", .others = 1},
    {.name = "step", .group = "step", .times = 1},
    {.name = "yes/no", .group = "answers"},
    {.name = "context: part of the day", .group = "day"},
    {.name = "context without meaning", .group = "no meaning"},
    {.name = "context: own day", .group = "own day"},
    {.name = "context: step", .group = "context step"},
    {.name = "short runs", .setting = "fit.max_evals=12"},
};
enum { SUITES = sizeof suites / sizeof *suites };

/* Cells of the benchmark, by family: those with categorical arms, in two sizes, and short runs. */
typedef struct cell {
    const char *family, *problem;
} cell;
static const cell zoo_cells[] = {{"recorded", "ozone"},        {"recorded", "grid-demand"}, {"recorded", "demand"},
                                 {"recorded", "sensors"},      {"recorded", "traffic"},     {"recorded", "stocks"},
                                 {"recorded", "temperatures"}, {"seasons", "day"},          {"seasons", "week"},
                                 {"seasons", "shifting"},      {"abrupt", "single"},        {"answers", "coin"},
                                 {"answers", "coins"},         {"answers", "counts"},       {"prior", "days"}};
static const cell short_cells[] = {{"prior", "hills"}, {"boxes", "cart-pole"}, {"boxes", "still"}};
static const char *const zoo_sizes[] = {"small", "middle"};
enum { ZOO_CELLS = 2 * sizeof zoo_cells / sizeof *zoo_cells, SHORT_RUNS = 3 * sizeof short_cells / sizeof *short_cells };
enum { RESULTS = 256 };

typedef struct task {
    const suite *suite;
    const game_kind *kind; /* NULL: a cell of the benchmark */
    size_t cell, players;
} task;

static const cell *cell_of(const task *job) {
    return job->suite->setting ? &short_cells[job->cell / 3] : &zoo_cells[job->cell / 2];
}

static const char *size_of(const task *job) {
    return job->suite->setting ? "small" : zoo_sizes[job->cell % 2];
}

/* The text of algorithm i of a cell of the benchmark. */
static void player_of(const experiment *e, const task *job, size_t i, char text[EXPERIMENT_TEXT]) {
    const char *setting = job->suite->setting;
    snprintf(text, EXPERIMENT_TEXT, "%s%s%s", e->players[setting ? 2 + job->cell % 3 : i].label, setting && i ? " " : "",
             setting && i ? setting : "");
}

/* Of one game: the mean share of the first algorithm, the logarithm of its ratio to the second one, and its ratio to the
 * best of the others, with errors. */
typedef struct result {
    const char *suite, *family, *name;
    double share, log_ratio, error, to_best, best_error, micro;
} result;

/* ---- playing ------------------------------------------------------------------------------------------------------ */

/* Regret of a step: of the arm, and of all on average. */
static void add_regret(const game *g, size_t t, size_t arm, double sum[2]) {
    const double *f = g->f + t * g->arms;
    double most = -INFINITY, mean = 0, n = 0;
    for (size_t i = 0; i < g->arms; i++)
        if (!isnan(f[i])) {
            most = fmax(most, f[i]);
            mean += f[i];
            n++;
        }
    sum[0] += most - f[arm];
    sum[1] += most - mean / n;
}

/* The share of the regret of uniform play; *micro: processor time of a step. contexts 0: the policy has none. */
static double play(const game *g, size_t contexts, size_t delay, tvgp_ctx *ctx, tvgp_policy *p, double *micro) {
    const size_t each = contexts ? contexts : 1; /* arms of an action */
    double sum[2] = {0, 0};
    uint8_t mask[GAME_MOST_ARMS];
    tvgp_query *asked = experiment_allocate(g->steps, sizeof *asked);
    const clock_t start = clock();
    for (size_t t = 0; t < g->steps; t++) {
        size_t n;
        for (size_t i = 0; i < g->arms * each; i++)
            mask[i] = (uint8_t)!isnan(g->f[t * g->arms + i / each]);
        experiment_check(ctx, tvgp_policy_set_available(p, g->arms * each, mask), "available");
        if (contexts)
            experiment_check(ctx, tvgp_policy_set_context(p, (int64_t)g->context[t]), "context");
        experiment_check(ctx, tvgp_policy_ask(p, (double)(t + 1), 1, &asked[t], NULL, &n), "ask");
        add_regret(g, t, (size_t)asked[t].arm / each, sum);
        if (t < delay)
            continue;
        const tvgp_query *q = &asked[t - delay];
        experiment_check(ctx, tvgp_policy_tell_value(p, q->id, g->y[(t - delay) * g->arms + (size_t)q->arm / each]), "tell");
    }
    *micro = (double)(clock() - start) / CLOCKS_PER_SEC * 1e6 / (double)g->steps;
    free(asked);
    return sum[0] / sum[1];
}

/* The share of the arm with the highest sum of values, of those that are always available; NaN: there is none. */
static double constant(const game *g) {
    double most = -INFINITY, regret[2] = {0, 0};
    size_t best = g->arms;
    for (size_t i = 0; i < g->arms; i++) {
        double sum = 0;
        for (size_t t = 0; t < g->steps; t++)
            sum += g->f[t * g->arms + i];
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    for (size_t t = 0; t < g->steps && best < g->arms; t++)
        add_regret(g, t, best, regret);
    return regret[0] / regret[1];
}

static tvgp_domain *domain_of(tvgp_ctx *ctx, size_t arms, size_t contexts) {
    tvgp_domain *actions, *named, *both;
    experiment_check(ctx, tvgp_domain_indices(ctx, arms, &actions), "domain");
    if (!contexts)
        return actions;
    experiment_check(ctx, tvgp_domain_indices(ctx, contexts, &named), "domain");
    experiment_check(ctx, tvgp_domain_product(ctx, actions, named, &both), "domain");
    tvgp_domain_destroy(actions);
    tvgp_domain_destroy(named);
    return both;
}

static void run_game(experiment *e, const task *job, size_t r, tvgp_ctx *ctx, double *values) {
    game g;
    game_open(&g, job->kind, e->seed + r, r == 0, job->suite->noise);
    for (size_t i = 0; i < job->players; i++) {
        const size_t contexts = i ? 0 : job->kind->contexts;
        tvgp_domain *domain = domain_of(ctx, g.arms, contexts);
        tvgp_policy *policy = experiment_policy(e, job->kind->contexts ? 0 : i, ctx, domain, NULL, r);
        values[i] = play(&g, contexts, job->suite->delay, ctx, policy, &values[job->players + i]);
        tvgp_policy_destroy(policy);
        tvgp_domain_destroy(domain);
    }
    values[2 * job->players] = constant(&g);
    game_close(&g);
}

static void run_zoo(experiment *e, const task *job, size_t r, tvgp_ctx *ctx, double *values) {
    char message[1024] = "";
    tvgp_zoo_problem *problem;
    zoo_stage stage;
    zoo_score score;
    experiment_check(ctx,
                     tvgp_zoo_open(ctx, cell_of(job)->problem, size_of(job), e->seed + r, &problem, message, sizeof message),
                     message);
    zoo_stage_open(&stage, ctx, problem, e->seed + r);
    for (size_t i = 0; i < job->players; i++) {
        char text[EXPERIMENT_TEXT];
        player_of(e, job, i, text);
        if (zoo_play(&stage, text, TVGP_ZOO_NOTHING, &score))
            exit(EXIT_FAILURE);
        values[i] = score.regret / score.uniform;
        values[job->players + i] = score.microseconds;
    }
    values[2 * job->players] = NAN;
    zoo_stage_close(&stage);
    tvgp_zoo_close(problem);
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const task *job = user;
    tvgp_ctx *ctx;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    (job->kind ? run_game : run_zoo)(e, job, r, ctx, values);
    tvgp_ctx_destroy(ctx);
}

/* ---- a game's row ------------------------------------------------------------------------------------------------- */

static void report(const experiment *e, const task *job, const double *values, result *out) {
    const size_t n = job->players, width = 2 * n + 1;
    size_t best = 2;
    printf("%s,%s,%s", out->suite, out->family, out->name);
    for (size_t i = 0; i < e->n_players; i++) {
        const experiment_mean m = i < n ? experiment_mean_of(values, e->runs, width, i) : (experiment_mean){NAN, NAN};
        if (i < n)
            printf(",%.3f,%.3f", m.mean, m.error);
        else
            printf(",,");
        best = i > 1 && i < n && m.mean < experiment_mean_of(values, e->runs, width, best).mean ? i : best;
    }
    const experiment_mean fixed = experiment_mean_of(values, e->runs, width, 2 * n);
    if (isnan(fixed.mean))
        printf(",,");
    else
        printf(",%.3f,%.3f", fixed.mean, fixed.error);
    const experiment_mean to = experiment_ratio_of(values, e->runs, width, 0, n > 1),
                          time = experiment_ratio_of(values, e->runs, width, n, n + (n > 1));
    const experiment_mean other = n > 2 ? experiment_ratio_of(values, e->runs, width, 0, best) : (experiment_mean){NAN, NAN};
    printf(",%.3f,%.3f", to.mean, to.error);
    if (n > 2)
        printf(",%.3f,%.3f", other.mean, other.error);
    else
        printf(",,");
    printf(",%.4g,%.3g\n", experiment_mean_of(values, e->runs, width, n).mean, time.mean);
    fflush(stdout);
    const experiment_mean judged = job->suite->times ? time : to;
    out->share = experiment_mean_of(values, e->runs, width, 0).mean;
    out->log_ratio = log(judged.mean);
    out->error = judged.error / judged.mean;
    out->micro = experiment_mean_of(values, e->runs, width, n).mean;
    out->to_best = other.mean;
    out->best_error = other.error;
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

enum { SHARE, RATIO, EACH, LOST, MICRO };

/* SHARE: geometric mean of shares of uniform play. RATIO: geometric mean of ratios to the second algorithm. EACH: the
 * largest of these. MICRO: the largest processor time of a step, in microseconds. LOST: games with more than 1.05 of the
 * best of the others and more than two errors above it. */
static const struct {
    const char *suite, *family, *name; /* NULL: all; name: how it begins */
    int kind;
    const char *text;
} means[] = {
    {"tables", NULL, NULL, SHARE, "recorded tables but stocks: share of uniform play"},
    {"tables", NULL, NULL, LOST, "recorded tables lost to the best of gp-ucb, tv-gp-ucb and et-gp-ucb"},
    {"stocks", NULL, NULL, LOST, "stocks lost to the best of these"},
    {"noise of 1 sd", NULL, NULL, RATIO, "the tables with noise of 1 sd"},
    {"problems", NULL, NULL, RATIO, "drawn problems"},
    {"long", NULL, "coins", RATIO, "long runs: coins"},
    {"long", NULL, "segments", RATIO, "long runs: segments"},
    {"long", NULL, "clicks", RATIO, "long runs: clicks"},
    {"cells", NULL, NULL, RATIO, "cells where the assumptions of optimised hyperparameters hold"},
    {"cells", NULL, "redrawn", EACH, "abrupt changes of all arms, the worse of two"},
    {"zoo", NULL, NULL, RATIO, "the zoo's categorical cells"},
    {"zoo", "recorded", NULL, RATIO, "zoo: recorded"},
    {"zoo", "seasons", NULL, RATIO, "zoo: seasons"},
    {"zoo", "abrupt", NULL, RATIO, "zoo: abrupt"},
    {"zoo", "answers", NULL, RATIO, "zoo: answers"},
    {"zoo", "prior", NULL, RATIO, "zoo: prior"},
    {"late", NULL, NULL, RATIO, "outcomes 20 steps late"},
    {"yes/no", NULL, NULL, SHARE, "yes/no outcomes as numbers: share of uniform play"},
    {"context: part of the day", NULL, NULL, RATIO, "the part of the day as context: ratio to none, four recorded cases"},
    {"context: part of the day", NULL, NULL, EACH, "the worst of these"},
    {"context without meaning", NULL, NULL, EACH, "a context without meaning: ratio to none, the worse of two tables"},
    {"context: own day", NULL, NULL, RATIO, "own day in 8 parts as context: ratio to none"},
    {"short runs", NULL, NULL, RATIO, "runs of 100 steps, learned hyperparameters: ratio to fit.max_evals=12"},
    {"short runs", NULL, NULL, EACH, "the worst of these nine"},
    {"context: step", NULL, NULL, MICRO, "processor time of a step with 20 arms and 4 contexts, microseconds"},
    {"step", NULL, NULL, EACH, "processor time of a step, the worst of three numbers of arms"},
};

static int matches(const result *r, const char *of, const char *family, const char *name) {
    return !strcmp(r->suite, of) && (!family || !strcmp(r->family, family)) &&
           (!name || !strncmp(r->name, name, strlen(name)));
}

static experiment_mean measure(const result *results, size_t n, size_t b, size_t *games) {
    double sum = 0, variance = 0, most = -INFINITY, error = 0, lost = 0, micro = 0;
    *games = 0;
    for (size_t i = 0; i < n; i++) {
        const result *r = &results[i];
        if (!matches(r, means[b].suite, means[b].family, means[b].name))
            continue;
        ++*games;
        sum += means[b].kind == SHARE ? log(r->share) : r->log_ratio;
        variance += r->error * r->error;
        error = r->log_ratio > most ? r->error : error;
        most = fmax(most, r->log_ratio);
        micro = fmax(micro, r->micro);
        lost += r->to_best > 1.05 && r->to_best - 1 > 2 * r->best_error;
    }
    const double mean = exp(sum / (double)*games);
    if (means[b].kind == LOST || means[b].kind == MICRO)
        return (experiment_mean){means[b].kind == LOST ? lost : micro, 0};
    if (means[b].kind == EACH)
        return (experiment_mean){exp(most), exp(most) * error};
    return (experiment_mean){mean, means[b].kind == SHARE ? NAN : mean * sqrt(variance) / (double)*games};
}

static void report_means(const result *results, size_t n) {
    printf("\nmean,measured,error,games\n");
    for (size_t b = 0; b < sizeof means / sizeof *means; b++) {
        size_t games;
        const experiment_mean m = measure(results, n, b, &games);
        if (!games)
            continue;
        printf("\"%s\",%.3f,", means[b].text, m.mean);
        printf(isnan(m.error) ? "" : "%.3f", m.error);
        printf(",%zu\n", games);
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void play_game(experiment *e, const task *job, result *results, size_t *n) {
    result *out = &results[*n];
    *out = (result){.suite = job->suite->name, .family = job->suite->group, .name = job->kind ? job->kind->name : NULL};
    char name[64 + EXPERIMENT_TEXT], player[EXPERIMENT_TEXT] = "";
    if (!job->kind) {
        if (job->suite->setting)
            player_of(e, job, 0, player);
        snprintf(name, sizeof name, "%s %s%s%s", cell_of(job)->problem, size_of(job), *player ? ": " : "", player);
        out->family = cell_of(job)->family;
        out->name = name;
    }
    double *values = experiment_runs(e, run, job, 2 * job->players + 1);
    report(e, job, values, out);
    free(values);
    out->name = job->kind ? job->kind->name : cell_of(job)->problem;
    ++*n;
}

void exp_defaults(int argc, char **argv) {
    static const char *const players[] = {
        "auto-gp-ucb",       "auto-gp-ucb fit=map changepoint.hazard=0.005 changepoint.confirm_by=other_arm",
        "gp-ucb fit=map",    "tv-gp-ucb fit=map",
        "et-gp-ucb fit=map", NULL};
    static result results[RESULTS];
    experiment e = {.name = "defaults", .runs = 9, .processes = 2, .seed = 1};
    double only = -1, one = -1;
    size_t n = 0;
    const experiment_number own[] = {{"--only", "play only this suite, from 0; negative: all", &only},
                                     {"--game", "play only this game of a suite, from 0; negative: all", &one}};
    experiment_read(&e, argc, argv, players, own, 2);
    printf("suite,group,game");
    for (size_t i = 0; i < e.n_players; i++)
        printf(",%s,%s error", e.players[i].label, e.players[i].label);
    printf(",best constant arm,best constant arm error,to the second,error,to the best from the third on,best "
           "error,microseconds,time to the "
           "second\n");
    for (size_t s = 0; s < SUITES; s++) {
        task job = {.suite = &suites[s], .players = suites[s].others || e.n_players < 2 ? e.n_players : 2};
        const game_kind *kind = game_kinds;
        size_t met = 0;
        if (only >= 0 && only != (double)s)
            continue;
        for (; suites[s].group && kind->name; kind++) {
            job.kind = kind;
            if (!strcmp(kind->group, suites[s].group) && game_there(kind) && (one < 0 || one == (double)met++))
                play_game(&e, &job, results, &n);
        }
        const size_t cells = suites[s].group ? 0 : suites[s].setting ? SHORT_RUNS : ZOO_CELLS;
        for (job.kind = NULL; job.cell < cells; job.cell++)
            if (one < 0 || one == (double)job.cell)
                play_game(&e, &job, results, &n);
    }
    report_means(results, n);
}
