/* SPDX-License-Identifier: MIT */
/* Plays the benchmark. Results as CSV on standard output.
 *
 * usage: bench_zoo list                     problems, with what makes them hard
 *        bench_zoo algorithms               with their sources
 *        bench_zoo play --problem NAME [--settings TEXT] [--policy TEXT].. [--known LEVEL] [--runs N] [--seed N]
 *
 * LEVEL: 0 all, 1 the model, 2 nothing; without it all three. Without --policy: those of the leaderboards. Run r has seed + r, and the
 * same truth, noise and delays for all algorithms. */
#include "experiment.h"
#include "zoo/play.h"
#include "zoo/player.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The algorithms of the leaderboards, except auto-gp-ucb model.assume_misspecified=1, which plays with default settings only (bench/zoo.sh). What has settings here
 * is a row of a grid, of which the tables show the best in hindsight. */
static const char *const roster[] = {
    "auto-gp-ucb",
    "tv-gp-ucb",
    "r-gp-ucb",
    "sw-gp-ucb",
    "w-gp-ucb",
    "br-gp-ucb",
    "ui-gp-ucb",
    "et-gp-ucb",
    "gp-ucb",
    "igp-ucb",
    "pe-gp-ucb",
    "fb-gp-ucb",
    "mle-gp-ucb",
    "rb-gp-ucb",
    "sparq-gp-ucb side.round_exponent=1",
    "w-sparq-gp-ucb side.round_exponent=1",
    "uniform",
    "best-constant-arm",
    "best-arm-of-the-hour",
    "eps-greedy",
    "last-value",
    "d-ucb",
    "sw-ucb",
    "d-ts-beta",
    "d-ts",
    "exp3.s",
    "rexp3",
    "glr-klucb",
    "m-ucb",
    "cusum-ucb",
    "d-linucb",
    "master-ucb",
    "master-ucb loose=1",
    "master-gp",
    "master-gp loose=1",
    "dal",
    "r-perp",
    "kalman-arms",
    "eps-greedy step=.03",
    "eps-greedy step=.3",
    "d-ucb gamma=.9",
    "d-ucb gamma=.98",
    "d-ucb gamma=.995",
    "sw-ucb tau=25",
    "sw-ucb tau=100",
    "sw-ucb tau=400",
    "d-ts gamma=.9",
    "d-ts gamma=.98",
    "d-ts-beta gamma=.9",
    "d-linucb scale=.1",
};
enum { ROSTER = sizeof roster / sizeof *roster };

typedef struct game {
    const char *problem, *set, *algorithm[ROSTER];
    size_t algorithms, runs;
    uint64_t seed;
    int first, last; /* levels */
} game;

static const char *const levels[] = {"all", "model", "nothing"};

static _Noreturn void refuse(const char *what, const char *word) {
    fprintf(stderr, "bench_zoo: %s %s\n", what, word);
    exit(2);
}

static tvgp_zoo_problem *open_problem(tvgp_ctx *ctx, const char *name, const char *set, uint64_t seed) {
    char message[1024] = "";
    tvgp_zoo_problem *problem;
    if (tvgp_zoo_open(ctx, name, set, seed, &problem, message, sizeof message) != TVGP_OK)
        refuse(message, "");
    return problem;
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

/* What cannot be opened (recorded data that are not here) is left out, with a line on standard error. */
static void list_one(tvgp_ctx *ctx, const char *name, const char *size) {
    char message[1024] = "";
    tvgp_zoo_info i;
    tvgp_zoo_problem *problem;
    if (tvgp_zoo_open(ctx, name, size, 1, &problem, message, sizeof message) != TVGP_OK) {
        fprintf(stderr, "left out: %s\n", message);
        return;
    }
    experiment_check(ctx, tvgp_zoo_info_of(problem, &i), name);
    printf("%s,%s,%s,\"%s\",%zu,%zu,%zu,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g\n", i.family, i.name, i.level, i.doc,
           i.steps, i.arms, i.dim, i.sd, i.noise > 0 ? i.sd * i.sd / i.noise : 0, i.variation / i.sd, i.changes, i.path,
           i.half, i.epsilon, i.period);
    fflush(stdout);
    tvgp_zoo_close(problem);
}

static void list_problems(tvgp_ctx *ctx) {
    static const char *const sizes[] = {"small", "middle", "hard"};
    const char *name, *family, *doc;
    printf("family,problem,size,what,steps,arms,dim,sd,signal_over_noise,variation_over_sd,changes,best_arm_moves,half,"
           "epsilon,period\n");
    for (size_t i = 0; tvgp_zoo_name_at(i, &name, &family, &doc) == TVGP_OK; i++)
        for (size_t s = 0; s < 3; s++)
            list_one(ctx, name, sizes[s]);
}

static void list_algorithms(void) {
    for (size_t i = 0; zoo_player_types[i]; i++)
        printf("%-12s %s\n", zoo_player_types[i]->name, zoo_player_types[i]->source);
}

/* ---- playing ------------------------------------------------------------------------------------------------------ */

/* Policies with an expert or several priors play where there is one, or are some. */
static int suits(const char *player, const tvgp_zoo_info *info) {
    static const char *const priors[] = {"pe-gp", "fb-gp", "mle-gp", "rb-gp"};
    for (size_t i = 0; i < 4; i++)
        if (!strncmp(player, priors[i], strlen(priors[i])))
            return (info->flags & TVGP_ZOO_PRIORS) != 0;
    return !strstr(player, "sparq") || info->flags & TVGP_ZOO_EXPERT;
}

static void play_run(const game *g, tvgp_ctx *ctx, uint64_t seed) {
    zoo_stage stage;
    zoo_score score;
    tvgp_zoo_problem *problem = open_problem(ctx, g->problem, g->set, seed);
    zoo_stage_open(&stage, ctx, problem, seed);
    for (size_t i = 0; i < g->algorithms; i++)
        for (int level = g->first; level <= g->last; level++) {
            if (!suits(g->algorithm[i], &stage.info) || zoo_play(&stage, g->algorithm[i], level, &score))
                continue;
            printf("%s,%s,\"%s\",\"%s\",%s,%llu,%.6g,%.6g,%.6g,%g,%.3g,%.4g\n", stage.info.family, stage.info.name,
                   g->set ? g->set : stage.info.level, g->algorithm[i], levels[level], (unsigned long long)seed,
                   score.regret / score.uniform, score.regret, score.uniform, score.restarts, score.microseconds,
                   score.kilobytes);
            fflush(stdout);
        }
    zoo_stage_close(&stage);
    tvgp_zoo_close(problem);
}

static double number(const char *option, const char *text, double least) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value < 1e15))
        refuse(option, text);
    return value;
}

static void read_option(game *g, const char *option, const char *value) {
    if (!strcmp(option, "--problem"))
        g->problem = value;
    else if (!strcmp(option, "--settings"))
        g->set = value;
    else if (!strcmp(option, "--policy") && g->algorithms < ROSTER)
        g->algorithm[g->algorithms++] = value;
    else if (!strcmp(option, "--known") && number(option, value, 0) < TVGP_ZOO_LEVELS)
        g->first = g->last = (int)number(option, value, 0);
    else if (!strcmp(option, "--runs"))
        g->runs = (size_t)number(option, value, 1);
    else if (!strcmp(option, "--seed"))
        g->seed = (uint64_t)number(option, value, 0);
    else
        refuse(option, value);
}

static void play(tvgp_ctx *ctx, int argc, char **argv) {
    game g = {.runs = 1, .seed = 1, .last = TVGP_ZOO_NOTHING};
    for (int i = 0; i + 1 < argc; i += 2)
        read_option(&g, argv[i], argv[i + 1]);
    if (!g.problem || argc % 2)
        refuse("--problem NAME is missing, or a value of", argc ? argv[argc - 1] : "");
    for (size_t i = 0; !g.algorithms && i < ROSTER; i++)
        g.algorithm[i] = roster[i];
    g.algorithms = g.algorithms ? g.algorithms : ROSTER;
    printf("family,problem,size,player,known,seed,share,regret,uniform,restarts,microseconds,kilobytes\n");
    for (size_t r = 0; r < g.runs; r++)
        play_run(&g, ctx, g.seed + r);
}

int main(int argc, char **argv) {
    tvgp_ctx *ctx;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    if (argc > 1 && !strcmp(argv[1], "list"))
        list_problems(ctx);
    else if (argc > 1 && !strcmp(argv[1], "algorithms"))
        list_algorithms();
    else if (argc > 1 && !strcmp(argv[1], "play"))
        play(ctx, argc - 2, argv + 2);
    else
        refuse("usage: bench_zoo list | algorithms | play --problem NAME ..;", argc > 1 ? argv[1] : "");
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
