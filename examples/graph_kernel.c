/* SPDX-License-Identifier: MIT */
/* A kernel of one's own: the arms are the stations of a network, and near means few hops, not short distances. The diffusion
 * kernel K = exp(-beta L), L the Laplacian of the graph (Kondor, Lafferty 2002, "Diffusion kernels on graphs and other discrete
 * structures"), as a type registered from outside (tvgp/extend.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { LINES = 4, LENGTH = 10, STATIONS = LINES * LENGTH + 1, STEPS = 300 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "graph_kernel: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* ---- the kernel ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double K[STATIONS][STATIONS];
} graph;

static void multiply(double A[STATIONS][STATIONS], double B[STATIONS][STATIONS], double out[STATIONS][STATIONS]) {
    for (int i = 0; i < STATIONS; i++)
        for (int j = 0; j < STATIONS; j++) {
            out[i][j] = 0;
            for (int k = 0; k < STATIONS; k++)
                out[i][j] += A[i][k] * B[k][j];
        }
}

/* exp(-beta L) by its series at beta / 256, squared eight times. */
static void diffuse(double beta, double L[STATIONS][STATIONS], graph *g) {
    static double term[STATIONS][STATIONS], next[STATIONS][STATIONS];
    for (int i = 0; i < STATIONS; i++)
        for (int j = 0; j < STATIONS; j++) {
            L[i][j] *= -beta / 256;
            term[i][j] = g->K[i][j] = i == j;
        }
    for (int order = 1; order < 20; order++) {
        multiply(term, L, next);
        for (int i = 0; i < STATIONS; i++)
            for (int j = 0; j < STATIONS; j++)
                g->K[i][j] += term[i][j] = next[i][j] / order;
    }
    for (int square = 0; square < 8; square++) {
        multiply(g->K, g->K, next);
        memcpy(g->K, next, sizeof next);
    }
}

/* Lines of stations that meet at station 0. */
static graph *network(double beta) {
    static double L[STATIONS][STATIONS];
    graph *g = calloc(1, sizeof *g);
    memset(L, 0, sizeof L);
    for (int s = 1; s < STATIONS; s++) {
        const int before = (s - 1) % LENGTH ? s - 1 : 0;
        L[s][s] += 1;
        L[before][before] += 1;
        L[s][before] = L[before][s] = -1;
    }
    diffuse(beta, L, g);
    return g;
}

static int32_t block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    const graph *g = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = g->K[(size_t)X[i]][(size_t)Z[j]];
    return 0;
}

static int32_t save(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(graph);
    if (buffer)
        memcpy(buffer, data, sizeof(graph));
    return 0;
}

static int32_t load(void *user, size_t dim, const void *bytes, size_t n, void **data) {
    (void)user;
    if (dim != 1 || n != sizeof(graph) || !(*data = malloc(n)))
        return -1000;
    memcpy(*data, bytes, n);
    return 0;
}

static const tvgp_kernel_type diffusion = {
    .struct_size = sizeof diffusion, .name = "graph-diffusion", .block = block, .save = save, .load = load, .release = free};

/* ---- the game ------------------------------------------------------------------------------------------------------- */

/* A crowd that moves along the second line. */
static double crowd(int64_t station, double t) {
    const double at = LENGTH + 1 + 0.5 * (LENGTH - 1) * (1 - cos(t / 60)), away = ((double)station - at) / 2;
    return station > LENGTH && station <= 2 * LENGTH ? exp(-away * away) : 0;
}

int main(void) {
    tvgp_domain *stations;
    tvgp_kernel *kernel;
    tvgp_policy *policy, *again;
    static unsigned char file[1 << 18];
    size_t n = 0;
    double seen = 0, best = 0, chance = 0;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_ctx_register_kernel(ctx, &diffusion, NULL, NULL));
    check(tvgp_kernel_of_type(ctx, diffusion.name, 1, network(2), &kernel));
    check(tvgp_domain_indices(ctx, STATIONS, &stations));
    check(tvgp_policy_create(ctx, "tv-gp-ucb", stations, kernel, &policy));
    check(tvgp_policy_set(policy, "noise=.01 epsilon=.05"));
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double most = 0;
        if (t == STEPS / 2) { /* a new day: the policy comes back from a file, network and all */
            check(tvgp_policy_save_whole(policy, file, sizeof file, &n));
            check(tvgp_policy_create_from(ctx, file, n, NULL, NULL, &again));
            tvgp_policy_destroy(policy);
            policy = again;
        }
        check(tvgp_policy_ask_one(policy, t, &q, NULL));
        check(tvgp_policy_tell_value(policy, q.id, crowd(q.arm, t)));
        for (int s = 0; s < STATIONS; s++) {
            most = fmax(most, crowd(s, t));
            chance += crowd(s, t) / STATIONS;
        }
        seen += crowd(q.arm, t);
        best += most;
    }
    printf("%d stations, %d visits: %.0f %% of the crowd that the best station would have shown, chance %.0f %%\n", STATIONS,
           STEPS, 100 * seen / best, 100 * chance / best);
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(stations);
    tvgp_ctx_destroy(ctx);
    return seen > 0.4 * best ? EXIT_SUCCESS : EXIT_FAILURE;
}
