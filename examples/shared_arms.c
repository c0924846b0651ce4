/* SPDX-License-Identifier: MIT */
/* One bandit whose arms are shared over processes by MPI, on a function that drifts:
 *   mpirun -np 4 shared_arms --arms 1000000 --steps 300
 * With --csv one line a step: the step, the arm (its number among all), the outcome; the same for any number of processes.
 * Without, what it found and what a step took. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp/mpi.h>

enum { DIM = 3 };

struct settings {
    size_t arms, steps;
    int csv;
};

static int parse(int argc, char **argv, struct settings *s) {
    for (int i = 1; i < argc; i++) {
        size_t *number = !strcmp(argv[i], "--arms") ? &s->arms : !strcmp(argv[i], "--steps") ? &s->steps : NULL;
        if (!strcmp(argv[i], "--csv"))
            s->csv = 1;
        else if (number && i + 1 < argc && atoll(argv[i + 1]) > 0)
            *number = (size_t)atoll(argv[++i]);
        else
            return 0;
    }
    return 1;
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "shared_arms: %s\n", ctx ? tvgp_ctx_errmsg(ctx) : tvgp_status_name(status));
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* The unknown: a hill whose top moves in a circle. */
static double truth(const double *x, double t) {
    double away = pow(x[0] - 0.5 - 0.3 * cos(t / 100), 2) + pow(x[1] - 0.5 - 0.3 * sin(t / 100), 2) + pow(x[2] - 0.5, 2);
    return exp(-away / 0.08);
}

/* The arms first .. first + n - 1 of all: the same points in every process (Halton's sequence in bases 2, 3, 5). */
static void make_arms(size_t first, size_t n, double *X) {
    static const size_t base[DIM] = {2, 3, 5};
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < DIM; d++) {
            double x = 0, digit = 1;
            for (size_t k = first + i + 1; k; k /= base[d])
                x += (double)(k % base[d]) * (digit /= (double)base[d]);
            X[i * DIM + d] = x;
        }
}

/* Rank 0 asks the world what it gave, and all ranks tell it. */
static double play(tvgp_mpi *mpi, tvgp_policy *policy, const tvgp_ctx *ctx, const struct settings *s, int rank) {
    double noise, sum = 0;
    for (size_t step = 1; step <= s->steps; step++) {
        tvgp_query query;
        tvgp_obs obs = {0};
        double x[DIM], t = (double)step;
        check(tvgp_policy_ask_one(policy, t, &query, x), ctx);
        if (rank == 0) {
            check(tvgp_random_normal(1, 1000, step, 1, &noise), ctx);
            obs = tvgp_obs_value(query.id, truth(x, t) + 0.1 * noise);
            if (s->csv)
                printf("%zu,%lld,%.6f\n", step, (long long)query.arm, obs.y);
        }
        sum += truth(x, t);
        check(tvgp_mpi_tell(mpi, 0, policy, 1, DIM, &obs, NULL), ctx);
    }
    return sum / (double)s->steps;
}

int main(int argc, char **argv) {
    struct settings s = {.arms = 20000, .steps = 200};
    const double lengthscale = 0.3;
    int rank = 0, size = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!parse(argc, argv, &s)) {
        if (rank == 0)
            fprintf(stderr, "usage: shared_arms [--arms N] [--steps T] [--csv]\n");
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    const size_t first = s.arms * (size_t)rank / (size_t)size, n = s.arms * ((size_t)rank + 1) / (size_t)size - first;
    double *X = malloc(sizeof *X * DIM * (n ? n : 1));
    tvgp_mpi *mpi = NULL;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    check(X ? tvgp_ctx_create(NULL, &ctx) : TVGP_ERR_NOMEM, NULL);
    check(tvgp_mpi_create(MPI_COMM_WORLD, &mpi), NULL);
    make_arms(first, n, X);
    check(tvgp_domain_arms_shared(ctx, tvgp_mpi_comm(mpi), n, DIM, X, &domain), ctx);
    free(X);
    check(tvgp_kernel_se(ctx, DIM, 1, 1, &lengthscale, &kernel), ctx);
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy), ctx);
    check(tvgp_policy_set(policy, "epsilon=0.02 noise=0.01"), ctx);

    double began = MPI_Wtime(), mean = play(mpi, policy, ctx, &s, rank), took = MPI_Wtime() - began;
    if (rank == 0 && !s.csv)
        printf("%zu arms on %d ranks, %zu steps: mean reward %.3f of 1; %.3f ms a step\n", s.arms, size, s.steps, mean,
               1e3 * took / (double)s.steps);

    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    tvgp_mpi_destroy(mpi);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
