/* SPDX-License-Identifier: MIT */
/* What the collective calls of a step cost: arms shared over the ranks of MPI, or over processes forked off this one that talk
 * through sockets (tests/comm_fork.h). The calls are timed where the library makes them, the broadcast of the outcome with
 * them; so a rank that comes early waits in them for the others. Prints calls, microseconds in them and microseconds in all,
 * a step: the quietest block and the median, on rank 0.
 *
 * usage: mpirun -np N bench_shared [POLICY ARMS STEPS BLOCK]      bench_shared --fork N [POLICY ARMS STEPS BLOCK]
 * Default: tv-gp-ucb 64 20000 100. Policies next to it: any that plays on shared arms; those with several priors get three. */
#include "comm_fork.h"
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"
#ifdef HAVE_MPI
#include <tvgp/mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct game {
    const char *policy;
    size_t arms, steps, block;
} game;

/* Of the calls that were made. */
typedef struct timed {
    const tvgp_comm *comm;
    size_t calls;
    double seconds;
} timed;

static int32_t bcast(void *user, size_t bytes, void *data, int32_t root) {
    timed *w = user;
    const double start = stopwatch_seconds();
    const int32_t status = w->comm->bcast(w->comm->user, bytes, data, root);
    w->seconds += stopwatch_seconds() - start;
    w->calls++;
    return status;
}

static int32_t max(void *user, size_t n, double *values) {
    timed *w = user;
    const double start = stopwatch_seconds();
    const int32_t status = w->comm->max(w->comm->user, n, values);
    w->seconds += stopwatch_seconds() - start;
    w->calls++;
    return status;
}

/* The problem with this rank's part of its arms. */
static void share(problem *p, const tvgp_comm *comm) {
    const size_t first = p->arms * (size_t)comm->rank / (size_t)comm->size;
    const size_t end = p->arms * ((size_t)comm->rank + 1) / (size_t)comm->size;
    tvgp_domain_destroy(p->domain);
    problem_check(p, tvgp_domain_arms_shared(p->ctx, comm, end - first, 2, p->X + 2 * first, &p->domain), "arms");
}

static tvgp_policy *make_policy(problem *p, const char *name) {
    tvgp_policy *policy = problem_policy(p, name, NULL);
    double alive;
    if (tvgp_policy_stat(policy, "priors.alive", &alive) != TVGP_OK)
        return policy;
    for (int i = 0; i < 3; i++)
        problem_check(p, tvgp_policy_add_prior(policy, p->kernel, 0, NULL, 0.01 * (i + 1)), "prior");
    return policy;
}

static void step(const problem *p, tvgp_policy *policy, const tvgp_comm *comm, size_t t) {
    tvgp_query q;
    problem_check(p, tvgp_policy_ask_one(policy, (double)t, &q, NULL), "ask");
    tvgp_obs obs = tvgp_obs_value(q.id, p->value[q.arm] + p->noise[t - 1]);
    problem_check(p, comm->bcast(comm->user, sizeof obs, &obs, 0), "answer");
    problem_check(p, tvgp_policy_tell(policy, 1, &obs, NULL), "tell");
}

static void report(const game *g, const tvgp_comm *comm, size_t blocks, double *calls, double *in, double *all) {
    samples_sort(calls, blocks);
    samples_sort(in, blocks);
    samples_sort(all, blocks);
    printf(
        "%s, %zu arms on %d ranks: %.2f collective calls a step (most in a block %.2f); in them %.2f us (median %.2f), of "
        "%.2f (%.2f)\n",
        g->policy, g->arms, (int)comm->size, calls[blocks / 2], calls[blocks - 1], in[0], in[blocks / 2], all[0],
        all[blocks / 2]);
}

static void play(const game *g, const tvgp_comm *inner) {
    problem p;
    problem_create(&p, g->arms, g->steps);
    timed wrap = {.comm = inner};
    const tvgp_comm comm = {sizeof comm, &wrap, inner->rank, inner->size, bcast, max};
    share(&p, &comm);
    tvgp_policy *policy = make_policy(&p, g->policy);
    const size_t blocks = g->steps / g->block;
    double *calls = malloc(3 * blocks * sizeof *calls), *in = calls + blocks, *all = in + blocks;
    problem_check(&p, calls ? TVGP_OK : TVGP_ERR_NOMEM, "blocks");
    for (size_t b = 0, t = 1; b < blocks; b++) {
        const double start = stopwatch_seconds(), steps = (double)g->block;
        wrap.calls = 0;
        wrap.seconds = 0;
        for (size_t i = 0; i < g->block; i++)
            step(&p, policy, &comm, t++);
        calls[b] = (double)wrap.calls / steps;
        in[b] = 1e6 * wrap.seconds / steps;
        all[b] = 1e6 * (stopwatch_seconds() - start) / steps;
    }
    if (comm.rank == 0)
        report(g, &comm, blocks, calls, in, all);
    free(calls);
    tvgp_policy_destroy(policy);
    problem_destroy(&p);
}

static int play_forked(struct comm_fork *c, void *arg) {
    const tvgp_comm comm = comm_fork_table(c);
    play(arg, &comm);
    fflush(stdout); /* the process ends without it */
    return 0;
}

/* What stands on the command line from here on. */
static game read_game(int argc, char **argv) {
    game g = {"tv-gp-ucb", 64, 20000, 100};
    size_t *const number[] = {&g.arms, &g.steps, &g.block};
    if (argc > 0)
        g.policy = argv[0];
    for (int i = 1; i < argc && i < 4; i++)
        *number[i - 1] = strtoul(argv[i], NULL, 10);
    if (g.arms && g.block && g.steps >= g.block)
        return g;
    fprintf(stderr, "bench_shared: ARMS, BLOCK >= 1 and STEPS >= BLOCK\n");
    exit(2);
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "--fork") == 0) {
        game g = read_game(argc - 3, argv + 3);
        const int ranks = atoi(argv[2]);
        return ranks < 1 || ranks > COMM_FORK_RANKS ? 2 : comm_fork_run(ranks, play_forked, &g) != 0;
    }
#ifdef HAVE_MPI
    MPI_Init(&argc, &argv);
    const game g = read_game(argc - 1, argv + 1);
    tvgp_mpi *mpi = NULL;
    if (tvgp_mpi_create(MPI_COMM_WORLD, &mpi) == TVGP_OK)
        play(&g, tvgp_mpi_comm(mpi));
    tvgp_mpi_destroy(mpi);
    MPI_Finalize();
    return EXIT_SUCCESS;
#else
    fprintf(stderr, "bench_shared: built without MPI: --fork N\n");
    return 2;
#endif
}
