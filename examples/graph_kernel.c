/* SPDX-License-Identifier: MIT */
/* A domain and a kernel of one's own (tvgp/extend.h): the arms are the stations of a network, and near means few hops, not short
 * distances. The diffusion kernel K = exp(-beta L), L the Laplacian of the graph (Kondor, Lafferty 2002, "Diffusion kernels on graphs
 * and other discrete structures"), comes from the eigenvectors of L; both come back from one file. */
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

/* ---- the stations: a domain ------------------------------------------------------------------------------------------- */

typedef struct {
    int32_t before
        [STATIONS]; /* the station before each on its line; before the first ones it is station 0, where the lines meet */
} network;

static network *lines(void) {
    network *g = calloc(1, sizeof *g);
    for (int32_t s = 1; g && s < STATIONS; s++)
        g->before[s] = (s - 1) % LENGTH ? s - 1 : 0;
    return g;
}

static int32_t stations(void *data, size_t n, size_t dim, double *X) {
    (void)data;
    for (size_t i = 0; i < n; i++)
        X[i] = (double)i;
    return n == STATIONS && dim == 1 ? 0 : -1000;
}

static int32_t save_network(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(network);
    if (buffer)
        memcpy(buffer, data, sizeof(network));
    return 0;
}

static int32_t load_network(void *user, size_t n, size_t dim, size_t size, const void *bytes, void **data) {
    (void)user;
    if (n != STATIONS || dim != 1 || size != sizeof(network) || !(*data = malloc(size)))
        return -1000;
    memcpy(*data, bytes, size);
    return 0;
}

static const tvgp_domain_type stations_type = {.struct_size = sizeof stations_type,
                                               .name = "stations",
                                               .points = stations,
                                               .categorical = 1,
                                               .save = save_network,
                                               .load = load_network,
                                               .release = free};

/* ---- the kernel ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double K[STATIONS][STATIONS];
} diffusion;

/* One rotation of Jacobi's method: A[p][q] becomes 0. */
static void rotate(double A[STATIONS][STATIONS], double U[STATIONS][STATIONS], int p, int q) {
    if (A[p][q] == 0)
        return;
    const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]), sign = theta < 0 ? -1 : 1;
    const double t = sign / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < STATIONS; k++) {
        const double kp = A[k][p], kq = A[k][q], up = U[k][p], uq = U[k][q];
        A[k][p] = c * kp - s * kq;
        A[k][q] = s * kp + c * kq;
        U[k][p] = c * up - s * uq;
        U[k][q] = s * up + c * uq;
    }
    for (int k = 0; k < STATIONS; k++) {
        const double pk = A[p][k], qk = A[q][k];
        A[p][k] = c * pk - s * qk;
        A[q][k] = s * pk + c * qk;
    }
}

static diffusion *spread_over(const network *g, double beta) {
    static double L[STATIONS][STATIONS], U[STATIONS][STATIONS];
    diffusion *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    memset(L, 0, sizeof L);
    memset(U, 0, sizeof U);
    for (int s = 0; s < STATIONS; s++) {
        const int before = g->before[s];
        U[s][s] = 1;
        if (!s)
            continue;
        L[s][s] += 1;
        L[before][before] += 1;
        L[s][before] = L[before][s] = -1;
    }
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < STATIONS; p++)
            for (int q = p + 1; q < STATIONS; q++)
                rotate(L, U, p, q);
    for (int k = 0; k < STATIONS; k++) { /* L_kk: its eigenvalues now */
        const double share = exp(-beta * L[k][k]);
        for (int i = 0; i < STATIONS; i++)
            for (int j = 0; j < STATIONS; j++)
                d->K[i][j] += share * U[i][k] * U[j][k];
    }
    return d;
}

static int is_station(double x) {
    return x >= 0 && x < STATIONS && x == floor(x);
}

static int32_t block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    const diffusion *d = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            if (!is_station(X[i]) || !is_station(Z[j]))
                return -1001;
            K[i * ldk + j] = d->K[(size_t)X[i]][(size_t)Z[j]];
        }
    return 0;
}

static int32_t save(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(diffusion);
    if (buffer)
        memcpy(buffer, data, sizeof(diffusion));
    return 0;
}

static int32_t load(void *user, size_t dim, size_t n, const void *bytes, void **data) {
    (void)user;
    if (dim != 1 || n != sizeof(diffusion) || !(*data = malloc(n)))
        return -1000;
    memcpy(*data, bytes, n);
    return 0;
}

static const tvgp_kernel_type diffusion_type = {.struct_size = sizeof diffusion_type,
                                                .name = "graph-diffusion",
                                                .block = block,
                                                .save = save,
                                                .load = load,
                                                .release = free};

/* ---- the game ------------------------------------------------------------------------------------------------------- */

/* A crowd that moves along the second line. */
static double crowd(int64_t station, double t) {
    const double at = LENGTH + 1 + 0.5 * (LENGTH - 1) * (1 - cos(t / 60)), away = ((double)station - at) / 2;
    return station > LENGTH && station <= 2 * LENGTH ? exp(-away * away) : 0;
}

int main(void) {
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy, *again;
    static unsigned char file[1 << 18];
    size_t n = 0;
    double seen = 0, best = 0, chance = 0;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_ctx_register_domain(ctx, &stations_type, NULL, NULL));
    check(tvgp_ctx_register_kernel(ctx, &diffusion_type, NULL, NULL));
    network *g = lines();
    check(tvgp_kernel_of_type(ctx, diffusion_type.name, 1, spread_over(g, 2), &kernel));
    check(tvgp_domain_of_type(ctx, stations_type.name, STATIONS, 1, g, &domain));
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    check(tvgp_policy_set(policy, "noise=.01 epsilon=.05"));
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double most = 0;
        if (t == STEPS / 2) { /* a new day: the policy comes back from a file, network and all */
            check(tvgp_policy_save_full(policy, sizeof file, file, &n));
            check(tvgp_policy_restore(ctx, n, file, NULL, NULL, &again));
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
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return seen > 0.4 * best ? EXIT_SUCCESS : EXIT_FAILURE;
}
