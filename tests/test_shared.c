/* SPDX-License-Identifier: MIT */
/* Arms shared over ranks: every decision is that of one process, scores and predictions to 1e-10. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "comm_fork.h"
#include "harness.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_STEPS = 400, MOST_ARMS = 700, DIM = 2, PREDICTED = 6 };

/* One run, as all ranks play it. */
struct scenario {
    const char *policy, *options;
    size_t arms, steps;
    size_t grid;   /* points of each side; 0: scattered arms */
    double length; /* of the kernel */
    int late;      /* some outcomes come several asks late, some are never given */
    int masks;     /* the arms available change, down to those of one rank */
    int means;     /* one prior mean for each arm; several priors where the policy takes them */
    int told;      /* unsolicited observations, in batches */
    int saved;     /* saved and loaded now and then */
    int uneven;    /* steps of time of any length, around a minute */
};

/* What was seen. */
struct trace {
    int64_t arm[MOST_STEPS], best[MOST_STEPS];
    double score[MOST_STEPS], prediction[MOST_STEPS][2 * PREDICTED];
    double resets, rank, columns, widened; /* statistics; columns: the most there were */
};

struct play {
    const struct scenario *s;
    const struct trace *want; /* NULL: nothing to compare with */
};

static double X[MOST_ARMS * DIM], mean[MOST_ARMS];

static size_t arms_of(const struct scenario *s) {
    return s->grid ? s->grid * s->grid : s->arms;
}

static void fill_arms(const struct scenario *s) {
    struct rnd r = {.state = 11};
    rnd_fill(&r, MOST_ARMS * DIM, X);
    for (size_t i = 0; s->grid && i < arms_of(s); i++) {
        X[DIM * i] = (double)(i / s->grid) / (double)(s->grid - 1);
        X[DIM * i + 1] = (double)(i % s->grid) / (double)(s->grid - 1);
    }
    for (size_t i = 0; i < MOST_ARMS; i++)
        mean[i] = 0.3 * cos((double)i);
}

/* Rank 0 has one arm, the others ever more. */
static size_t first_of(size_t arms, int rank, int size) {
    if (rank <= 1 || size == 1)
        return (size_t)rank * (size == 1 ? arms : 1);
    size_t parts = (size_t)size * ((size_t)size - 1) / 2, before = (size_t)rank * ((size_t)rank - 1) / 2;
    return 1 + (arms - 1) * before / parts;
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

struct world {
    const struct scenario *s;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    const tvgp_comm *comm;
    size_t first, n;
};

/* For want of memory a call is made once more: every rank does, when it is a call they make together. */
static size_t refused;

#define TRY_COUNTED(call, counter)                                                                                          \
    do {                                                                                                                    \
        tvgp_status try_ = (call);                                                                                          \
        if (try_ == TVGP_ERR_NOMEM) {                                                                                       \
            counter++;                                                                                                      \
            try_ = (call);                                                                                                  \
        }                                                                                                                   \
        if (try_ < 0)                                                                                                       \
            return try_;                                                                                                    \
    } while (0)
#define TRY(call) TRY_COUNTED(call, refused)
#define TRY_ONCE(call)                                                                                                      \
    do {                                                                                                                    \
        tvgp_status try_ = (call);                                                                                          \
        if (try_ < 0)                                                                                                       \
            return try_;                                                                                                    \
    } while (0)

static tvgp_status open_domain(struct world *w, const tvgp_comm *comm) {
    const struct scenario *s = w->s;
    const double lower[DIM] = {0, 0}, upper[DIM] = {1, 1};
    const size_t points[DIM] = {s->grid, s->grid};
    size_t total = 0;
    w->comm = comm;
    if (!comm)
        TRY(s->grid ? tvgp_domain_grid(ctx, DIM, lower, upper, points, &w->domain)
                    : tvgp_domain_arms(ctx, s->arms, DIM, X, &w->domain));
    else if (s->grid)
        TRY(tvgp_domain_grid_shared(ctx, comm, DIM, lower, upper, points, &w->domain));
    else {
        size_t first = first_of(s->arms, comm->rank, comm->size), end = first_of(s->arms, comm->rank + 1, comm->size);
        TRY(tvgp_domain_arms_shared(ctx, comm, end - first, DIM, X + DIM * first, &w->domain));
    }
    TRY(tvgp_domain_shard_range(w->domain, &w->first, &w->n, &total));
    return total == arms_of(s) ? TVGP_OK : TVGP_ERR_INTERNAL;
}

static tvgp_status open_policy(struct world *w) {
    const struct scenario *s = w->s;
    const double length[DIM] = {s->length, s->length};
    size_t alone = 0;
    TRY_COUNTED(tvgp_kernel_se(ctx, DIM, 1, DIM, length, &w->kernel), alone);
    TRY(tvgp_policy_create(ctx, s->policy, w->domain, w->kernel, &w->policy));
    TRY_COUNTED(tvgp_policy_set(w->policy, s->options), alone);
    if (!s->means)
        return TVGP_OK;
    TRY(tvgp_policy_set_prior_mean(w->policy, w->n, mean + w->first));
    double value;
    if (tvgp_policy_stat(w->policy, "priors.alive", &value) != TVGP_OK)
        return TVGP_OK;
    TRY(tvgp_policy_add_prior(w->policy, w->kernel, 0, NULL, 0.01));
    TRY(tvgp_policy_add_prior(w->policy, w->kernel, w->n, mean + w->first, 0.1));
    return TVGP_OK;
}

static tvgp_status open_world(struct world *w, const tvgp_comm *comm) {
    const tvgp_status status = open_domain(w, comm);
    return status == TVGP_OK ? open_policy(w) : status;
}

static void close_world(struct world *w) {
    tvgp_policy_destroy(w->policy);
    tvgp_kernel_destroy(w->kernel);
    tvgp_domain_destroy(w->domain);
}

static double answer(const double *x, double t, struct rnd *r) {
    return sin(5 * x[0] + 0.05 * t) * cos(3 * x[1]) + 0.1 * rnd_normal(r) + (t > 120 && t < 121 ? 3 : 0);
}

static tvgp_status set_mask(struct world *w, size_t step) {
    uint8_t mask[MOST_ARMS];
    size_t arms = arms_of(w->s);
    for (size_t i = 0; i < arms; i++)
        mask[i] = step % 40 == 0 ? i % 3 != 0 : step % 40 == 20 ? i >= arms - 2 : i == 0;
    TRY(tvgp_policy_set_available(w->policy, w->n, step % 60 == 50 ? NULL : mask + w->first));
    return TVGP_OK;
}

static tvgp_status tell_unasked(struct world *w, double t, struct rnd *r) {
    tvgp_obs obs[3];
    double x[3 * DIM];
    for (size_t i = 0; i < 3; i++) {
        size_t arm = rnd_below(r, arms_of(w->s));
        memcpy(x + DIM * i, X + DIM * arm, DIM * sizeof *x);
        obs[i] = tvgp_obs_unsolicited(t, answer(x + DIM * i, t, r));
    }
    TRY(tvgp_policy_tell(w->policy, 3, obs, x));
    return TVGP_OK;
}

static tvgp_status look(struct world *w, double t, size_t step, struct trace *out) {
    double at[PREDICTED * DIM], x[DIM], own[MOST_ARMS];
    for (size_t i = 0; i < PREDICTED; i++) /* arms, and points that are none */
        for (size_t d = 0; d < DIM; d++)
            at[DIM * i + d] = i % 2 && !w->s->means ? 0.1 + 0.013 * (double)(i + step) / MOST_STEPS
                                                    : X[DIM * ((7 * step + 31 * i) % arms_of(w->s)) + d];
    TRY(tvgp_policy_predict(w->policy, t, PREDICTED, at, out->prediction[step], out->prediction[step] + PREDICTED));
    TRY(tvgp_policy_best(w->policy, t, &out->best[step], x));
    TRY(tvgp_policy_predict(w->policy, t, w->n, NULL, own, NULL)); /* each rank its own arms, in order */
    for (size_t i = 0; i < PREDICTED; i += w->s->means ? 1 : 2) {
        const size_t arm = (7 * step + 31 * i) % arms_of(w->s) - w->first;
        if (arm < w->n && !(fabs(own[arm] - out->prediction[step][i]) <= 1e-10))
            return TVGP_ERR_INTERNAL;
    }
    return TVGP_OK;
}

/* Every rank's part goes to all, which load what they saved. */
static tvgp_status save_and_load(struct world *w) {
    enum { PART = 1 << 18 };
    static unsigned char all[2 * PART];
    size_t n = 0;
    for (int32_t r = 0; r < (w->comm ? w->comm->size : 1); r++) {
        size_t bytes = 0;
        TRY(tvgp_policy_save(w->policy, PART, all + PART, &bytes)); /* the same each time */
        if (w->comm &&
            (w->comm->bcast(w->comm->user, sizeof bytes, &bytes, r) || w->comm->bcast(w->comm->user, bytes, all + PART, r)))
            return COMM_FORK_FAILED;
        if (n + bytes > PART)
            return TVGP_ERR_BUFFER;
        memcpy(all + n, all + PART, bytes);
        n += bytes;
    }
    TRY(tvgp_policy_load(w->policy, n, all));
    return TVGP_OK;
}

static tvgp_status step_once(struct world *w, size_t step, int64_t waiting[4], struct rnd *r, struct trace *out) {
    const struct scenario *s = w->s;
    double t = 1 + (double)step + 2.5 * (double)(step / 50), x[DIM];
    if (s->uneven)
        t = 60 * (t + 0.45 * sin((double)(step * step)));
    tvgp_query q;
    if (s->masks && step % 10 == 0)
        TRY(set_mask(w, step));
    if (s->saved && step % 8 == 5)
        TRY_ONCE(save_and_load(w));
    if (s->told && step % 16 == 3)
        TRY(tell_unasked(w, t, r));
    TRY(tvgp_policy_ask_one(w->policy, t, &q, x));
    (void)tvgp_policy_stat(w->policy, "rank", &out->rank);
    (void)tvgp_policy_stat(w->policy, "resets", &out->resets);
    (void)tvgp_policy_stat(w->policy, "delay.approximated", &out->widened);
    out->columns = fmax(out->columns, out->rank);
    out->arm[step] = q.arm;
    out->score[step] = q.score;
    double y = answer(x, t, r);
    if (memcmp(x, X + DIM * (size_t)q.arm, sizeof x) != 0)
        return TVGP_ERR_INTERNAL;
    int64_t id = q.id;
    if (s->late && step % 3 != 0) { /* out of order; one in eight is lost */
        id = waiting[step % 4];
        waiting[step % 4] = step % 8 == 7 ? 0 : q.id;
    }
    if (id)
        TRY(tvgp_policy_tell_value(w->policy, id, y));
    return step % 25 == 13 ? look(w, t, step, out) : TVGP_OK;
}

static tvgp_status run(const struct scenario *s, const tvgp_comm *comm, struct trace *out) {
    struct world w = {.s = s};
    struct rnd r = {.state = 5};
    int64_t waiting[4] = {0};
    memset(out, 0, sizeof *out);
    tvgp_status status = open_world(&w, comm);
    if (status == TVGP_OK)
        status = look(&w, 0.5, s->steps, out); /* the prior */
    for (size_t step = 0; status == TVGP_OK && step < s->steps; step++)
        status = step_once(&w, step, waiting, &r, out);
    close_world(&w);
    return status;
}

/* ---- comparison ------------------------------------------------------------------------------------------------- */

static int differs(const struct scenario *s, int size, const struct trace *got, const struct trace *want) {
    double apart = 0;
    for (size_t step = 0; step <= s->steps; step++) {
        if (got->arm[step] != want->arm[step] || got->best[step] != want->best[step]) {
            fprintf(stderr, "%s, %d ranks, step %zu: arm %lld, best %lld; of one process %lld, %lld\n", s->policy, size,
                    step, (long long)got->arm[step], (long long)got->best[step], (long long)want->arm[step],
                    (long long)want->best[step]);
            return 1;
        }
        apart = fmax(apart, fabs(got->score[step] - want->score[step]));
        for (size_t i = 0; i < 2 * PREDICTED; i++)
            apart = fmax(apart, fabs(got->prediction[step][i] - want->prediction[step][i]));
    }
    const int covariance =
        want->rank == (double)s->arms; /* of few arms, that one process keeps, where ranks have features */
    if ((!covariance && (got->rank != want->rank || got->columns != want->columns)) || got->resets != want->resets ||
        got->widened != want->widened) {
        fprintf(stderr, "%s, %d ranks: rank %g after %g, %g resets, %g widened; of one process %g, %g, %g, %g\n", s->policy,
                size, got->rank, got->columns, got->resets, got->widened, want->rank, want->columns, want->resets,
                want->widened);
        return 1;
    }
    if (getenv("TVGP_TEST_ALL_RANKS"))
        fprintf(stderr, "%s, %d ranks: %g apart\n", s->policy, size, apart);
    if (apart <= 1e-10)
        return 0;
    fprintf(stderr, "%s, %d ranks: %g apart\n", s->policy, size, apart);
    return 1;
}

static int play_rank(struct comm_fork *c, void *arg) {
    const struct play *p = arg;
    static struct trace got;
    harness_setup();
    tvgp_comm comm = comm_fork_table(c);
    tvgp_status status = run(p->s, &comm, &got);
    if (status != TVGP_OK)
        fprintf(stderr, "%s, rank %d of %d: %s (%s)\n", p->s->policy, c->rank, c->size, tvgp_status_name(status),
                tvgp_ctx_errmsg(ctx));
    tvgp_ctx_destroy(ctx);
    int leaks = memory.allocated != memory.released;
    if (leaks)
        fprintf(stderr, "%s, rank %d: %zu allocated, %zu released\n", p->s->policy, c->rank, memory.allocated,
                memory.released);
    return status != TVGP_OK || leaks || differs(p->s, c->size, &got, p->want);
}

static const struct scenario scenarios[] = {
    {"gp-ucb", "", .arms = 60, .steps = 300, .length = 0.2},
    {"gp-ucb", "", .arms = 60, .steps = 150, .length = 0.1, .late = 1, .masks = 1, .told = 1},
    {"gp-ucb", "width.schedule=finite", .grid = 12, .steps = 300, .length = 0.3},
    {"igp-ucb", "outlier.sd=3", .arms = 80, .steps = 200, .length = 0.4, .means = 1},
    {"tv-gp-ucb", "epsilon=0.03", .arms = 600, .steps = 300, .length = 0.7, .late = 1, .told = 1},
    {"tv-gp-ucb", "epsilon=0.1 delay.exact_observations=2", .arms = 90, .steps = 300, .length = 0.6, .late = 1},
    {"tv-gp-ucb", "epsilon=0.02", .grid = 15, .steps = 300, .length = 0.4, .masks = 1},
    {"tv-gp-ucb", "epsilon=0.3", .arms = 60, .steps = 200, .length = 0.2, .means = 1, .late = 1},
    {"r-gp-ucb", "reset.every=80", .arms = 300, .steps = 300, .length = 0.8, .late = 1},
    {"br-gp-ucb", "reset.every=33", .arms = 60, .steps = 150, .length = 0.3},
    {"et-gp-ucb", "trigger.delta=0.5", .grid = 12, .steps = 300, .length = 0.4, .late = 1},
    {"ui-gp-ucb", "noise_growth=wiener-kernel", .arms = 60, .steps = 300, .length = 0.7, .late = 1},
    {"pe-gp-ucb", "", .arms = 60, .steps = 300, .length = 0.3, .means = 1, .late = 1},
    {"mle-gp-ucb", "", .arms = 60, .steps = 200, .length = 0.6, .means = 1},
    {"fb-gp-ucb", "", .arms = 60, .steps = 200, .length = 0.3, .means = 1, .masks = 1},
    {"rb-gp-ucb", "", .arms = 60, .steps = 200, .length = 0.3, .means = 1, .told = 1},
    {"auto-gp-ucb", "", .arms = 90, .steps = 300, .length = 0.3, .late = 1, .told = 1},
    {"auto-gp-ucb", "", .grid = 12, .steps = 200, .length = 0.4, .masks = 1},
    {"auto-gp-ucb", "", .arms = 60, .steps = 100, .length = 0.4, .late = 1, .told = 1, .uneven = 1},
    {"auto-gp-ucb", "changepoint.hazard=0.1 drift.models=ou", .arms = 60, .steps = 200, .length = 0.5, .means = 1},
    {"auto-gp-ucb", "model.assume_misspecified=1 changepoint.confirm_by=likelihood", .arms = 60, .steps = 100, .length = 0.5,
     .late = 1},
    {"sw-gp-ucb", "window=40", .arms = 90, .steps = 300, .length = 0.3, .late = 1, .told = 1},
    {"sw-gp-ucb", "window=25", .grid = 12, .steps = 150, .length = 0.5, .masks = 1, .means = 1},
    {"w-gp-ucb", "decay=0.97", .arms = 60, .steps = 150, .length = 0.3, .late = 1, .told = 1},
    {"w-gp-ucb", "decay=0.9", .grid = 9, .steps = 150, .length = 0.5, .masks = 1},
    {"ui-gp-ucb", "", .arms = 60, .steps = 120, .length = 0.4, .means = 1, .late = 1},
    {"tv-gp-ucb", "time.kernel=matern32", .arms = 90, .steps = 300, .length = 0.5, .late = 1, .told = 1},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* ---- failures --------------------------------------------------------------------------------------------------- */

static const struct scenario short_ones[] = {
    {"tv-gp-ucb", "epsilon=0.03", .arms = 8, .steps = 24, .length = 2, .late = 1, .masks = 1, .told = 1},
    {"gp-ucb", "", .arms = 8, .steps = 16, .length = 0.5, .late = 1, .told = 1},
    {"pe-gp-ucb", "", .arms = 8, .steps = 22, .length = 0.5, .means = 1, .late = 1},
    {"tv-gp-ucb", "", .arms = 8, .steps = 14, .length = 2, .late = 1, .masks = 1, .saved = 1},
    {"sw-gp-ucb", "window=6", .arms = 8, .steps = 16, .length = 0.5, .late = 1, .told = 1},
    {"w-gp-ucb", "", .arms = 8, .steps = 16, .length = 0.5, .late = 1, .masks = 1},
    {"auto-gp-ucb", "drift.models=ou", .arms = 8, .steps = 18, .length = 0.5, .means = 1, .late = 1, .told = 1},
};
enum { SHORT = sizeof short_ones / sizeof *short_ones };

/* The communicator fails at call k, for every k: its status comes back, the policy refuses further calls with it, and nothing
 * leaks. */
static int play_broken(struct comm_fork *c, void *arg) {
    const struct play *p = arg;
    static struct trace got;
    tvgp_comm comm = comm_fork_table(c);
    for (size_t k = 1;; k = harness_next(k)) {
        struct world w = {.s = p->s};
        struct rnd r = {.state = 5};
        int64_t waiting[4] = {0}, arm;
        harness_setup();
        c->calls = 0;
        c->fail_at = k;
        tvgp_status status = open_world(&w, &comm), again = COMM_FORK_FAILED;
        for (size_t step = 0; status == TVGP_OK && step < p->s->steps; step++)
            status = step_once(&w, step, waiting, &r, &got);
        if (status != TVGP_OK && w.policy)
            again = tvgp_policy_best(w.policy, 1e6, &arm, NULL);
        close_world(&w);
        tvgp_ctx_destroy(ctx);
        int leaks = memory.allocated != memory.released;
        if (status == TVGP_OK)
            return leaks || c->calls >= k || k < 100;
        if (status != COMM_FORK_FAILED || again != COMM_FORK_FAILED || leaks) {
            fprintf(stderr, "%s, rank %d, call %zu: %d, then %d, leaks %d\n", p->s->policy, c->rank, k, (int)status,
                    (int)again, leaks);
            return 1;
        }
    }
}

TEST_TURNS(communicator_fails, SHORT, 0) {
    fill_arms(&short_ones[_i]);
    struct play play = {.s = &short_ones[_i]};
    ck_assert_int_eq(comm_fork_run(2, play_broken, &play), 0);
}

/* One rank's allocation k fails, for every k: all ranks are informed, and go on as if nothing had happened. */
static int play_starved(struct comm_fork *c, void *arg) {
    const struct play *p = arg;
    static struct trace got;
    tvgp_comm comm = comm_fork_table(c);
    for (size_t k = 1;; k = harness_next(k)) {
        harness_setup();
        refused = 0;
        memory.fail_in = c->rank == c->size - 1 ? k : 0;
        tvgp_status status = run(p->s, &comm, &got);
        tvgp_ctx_destroy(ctx);
        double counts[3] = {(double)refused, -(double)refused, (double)memory.failed};
        if (status != TVGP_OK || memory.allocated != memory.released || comm.max(comm.user, 3, counts) ||
            counts[0] != -counts[1] || differs(p->s, c->size, &got, p->want)) {
            fprintf(stderr, "%s, rank %d, allocation %zu: %s, %zu refused\n", p->s->policy, c->rank, k,
                    tvgp_status_name(status), refused);
            return 1;
        }
        if (!(counts[2] > 0))
            return k < 50;
    }
}

TEST_TURNS(rank_out_of_memory, SHORT, 1) {
    static struct trace want;
    fill_arms(&short_ones[_i]);
    ASSERT_OK(run(&short_ones[_i], NULL, &want));
    struct play play = {.s = &short_ones[_i], .want = &want};
    ck_assert_int_eq(comm_fork_run(2, play_starved, &play), 0);
}

/* ---- collective calls ------------------------------------------------------------------------------------------- */

/* Every policy, asked and told in turn; `most` calls a step, the broadcast by which ranks hear of an outcome among them. */
static const struct counted {
    struct scenario s;
    size_t most;
} counted[] = {
    {{"gp-ucb", "", .arms = 60, .steps = 300, .length = 0.2}, 4},
    {{"gp-ucb", "", .arms = 60, .steps = 150, .length = 0.2, .means = 1}, 4},
    {{"igp-ucb", "", .grid = 8, .steps = 200, .length = 0.5}, 4},
    {{"tv-gp-ucb", "epsilon=0.03", .arms = 600, .steps = 500, .length = 0.7}, 4},
    {{"tv-gp-ucb", "epsilon=0.3", .arms = 60, .steps = 200, .length = 0.2, .means = 1}, 4},
    {{"tv-gp-ucb", "time.kernel=matern32", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"r-gp-ucb", "reset.every=80", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"br-gp-ucb", "reset.every=33", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"et-gp-ucb", "", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"ui-gp-ucb", "noise_growth=wiener-kernel", .arms = 60, .steps = 300, .length = 0.4}, 4},
    {{"ui-gp-ucb", "", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"auto-gp-ucb", "", .arms = 60, .steps = 150, .length = 0.4}, 4},
    {{"sw-gp-ucb", "window=30", .arms = 60, .steps = 150, .length = 0.4}, 7}, /* one leaves */
    {{"w-gp-ucb", "", .arms = 60, .steps = 150, .length = 0.4, .means = 1}, 4},
    {{"pe-gp-ucb", "", .arms = 60, .steps = 300, .length = 0.4, .means = 1}, 5},
    {{"mle-gp-ucb", "", .arms = 60, .steps = 300, .length = 0.4, .means = 1}, 5},
    {{"fb-gp-ucb", "", .arms = 60, .steps = 300, .length = 0.4, .means = 1}, 5},
    {{"rb-gp-ucb", "", .arms = 60, .steps = 300, .length = 0.4, .means = 1}, 5},
};
enum { COUNTED = sizeof counted / sizeof *counted };

static int play_counted(struct comm_fork *c, void *arg) {
    const struct counted *p = arg;
    struct world w = {.s = &p->s};
    struct rnd r = {.state = 5};
    size_t beyond = 0, times[64] = {0};
    harness_setup();
    tvgp_comm comm = comm_fork_table(c);
    tvgp_status status = open_world(&w, &comm);
    for (size_t step = 0; status == TVGP_OK && step < p->s.steps; step++) {
        double t = (double)step, x[DIM];
        tvgp_query q;
        size_t before = c->calls;
        status = tvgp_policy_ask_one(w.policy, t, &q, x);
        tvgp_obs obs = tvgp_obs_value(q.id, answer(x, t, &r));
        if (status == TVGP_OK)
            status = comm.bcast(comm.user, sizeof obs, &obs, 0);
        if (status == TVGP_OK)
            status = tvgp_policy_tell(w.policy, 1, &obs, NULL);
        beyond += step >= p->s.steps / 2 && c->calls - before > p->most;
        times[c->calls - before < 63 ? c->calls - before : 63] += step >= p->s.steps / 2;
    }
    close_world(&w);
    tvgp_ctx_destroy(ctx);
    if (c->rank == 0 && getenv("TVGP_TEST_ALL_RANKS"))
        for (size_t k = 0; k < 64; k++)
            if (times[k])
                fprintf(stderr, "%s: %zu collective calls in %zu steps\n", p->s.policy, k, times[k]);
    return status != TVGP_OK || beyond > p->s.steps / 20; /* the rank is found in a few steps */
}

TEST_TURNS(few_collective_calls, COUNTED, 1) {
    struct counted play = counted[_i];
    fill_arms(&play.s);
    ck_assert_int_eq(comm_fork_run(2, play_counted, &play), 0);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

enum { GENERATIONS = 2, PART = 1 << 20, SAVED_EVERY = 20 };

/* What survives: the parts of the last two snapshots, each good once rank 0 has said so, and the outcomes still to come. */
struct store {
    size_t whole; /* 1 + the generation that is good */
    struct {
        size_t step, ranks, bytes[COMM_FORK_RANKS];
        int64_t waiting[4];
        unsigned char part[COMM_FORK_RANKS][PART];
    } of[GENERATIONS];
};

struct resumed {
    const struct scenario *s;
    const struct trace *want;
    struct store *store;
    int killed; /* a rank dies at this step; 0: none does */
};

/* All ranks have written before rank 0 says so. */
static tvgp_status save_parts(const struct world *w, const tvgp_comm *comm, struct store *store, size_t step,
                              const int64_t waiting[4]) {
    size_t g = store->whole % GENERATIONS, needed = 0;
    double done = 0;
    TRY(tvgp_policy_save(w->policy, 0, NULL, &needed));
    if (needed > PART)
        return TVGP_ERR_BUFFER;
    TRY(tvgp_policy_save(w->policy, needed, store->of[g].part[comm->rank], &store->of[g].bytes[comm->rank]));
    if (comm->max(comm->user, 1, &done))
        return COMM_FORK_FAILED;
    if (comm->rank == 0) {
        store->of[g].step = step;
        store->of[g].ranks = (size_t)comm->size;
        memcpy(store->of[g].waiting, waiting, sizeof store->of[g].waiting);
        store->whole = 1 + g;
    }
    return comm->max(comm->user, 1, &done) ? COMM_FORK_FAILED : TVGP_OK;
}

static tvgp_status load_parts(const struct world *w, const struct store *store, size_t *step, int64_t waiting[4]) {
    size_t g = store->whole - 1, n = 0;
    static unsigned char all[COMM_FORK_RANKS * PART];
    for (size_t r = store->of[g].ranks; r-- > 0; n += store->of[g].bytes[r]) /* in any order */
        memcpy(all + n, store->of[g].part[r], store->of[g].bytes[r]);
    *step = store->of[g].step;
    memcpy(waiting, store->of[g].waiting, sizeof store->of[g].waiting);
    all[n / 2] ^= 1;
    tvgp_status broken = tvgp_policy_load(w->policy, n, all);
    all[n / 2] ^= 1;
    if (broken != TVGP_ERR_FORMAT && broken != TVGP_ERR_STATE)
        return TVGP_ERR_INTERNAL;
    if (store->of[g].ranks > 1 && tvgp_policy_load(w->policy, n - store->of[g].bytes[0], all) != TVGP_ERR_STATE)
        return TVGP_ERR_INTERNAL; /* without the manifest */
    return tvgp_policy_load(w->policy, n, all);
}

static int play_resumed(struct comm_fork *c, void *arg) {
    const struct resumed *p = arg;
    struct world w = {.s = p->s};
    int64_t waiting[4] = {0};
    size_t step = 0;
    static struct trace got;
    harness_setup();
    tvgp_comm comm = comm_fork_table(c);
    tvgp_status status = open_world(&w, &comm);
    if (status == TVGP_OK && p->store->whole)
        status = load_parts(&w, p->store, &step, waiting);
    size_t first = step;
    for (; status == TVGP_OK && step < p->s->steps; step++) {
        struct rnd r = {.state = 77 + step};
        if (p->killed && (size_t)p->killed == step && c->rank == c->size - 1)
            (void)raise(SIGKILL);
        status = step_once(&w, step, waiting, &r, &got);
        if (status == TVGP_OK && step % SAVED_EVERY == SAVED_EVERY - 1)
            status = save_parts(&w, &comm, p->store, step + 1, waiting);
    }
    if (status != TVGP_OK && !p->killed)
        fprintf(stderr, "%s, rank %d of %d from step %zu: %s at step %zu\n", p->s->policy, c->rank, c->size, first,
                tvgp_ctx_errmsg(ctx), step);
    close_world(&w);
    tvgp_ctx_destroy(ctx);
    if (p->killed)
        return status != COMM_FORK_BROKEN;
    int wrong = status != TVGP_OK || memory.allocated != memory.released;
    for (size_t k = first; !wrong && k < p->s->steps; k++) {
        wrong = got.arm[k] != p->want->arm[k] || got.best[k] != p->want->best[k] ||
                fabs(got.score[k] - p->want->score[k]) > 1e-10;
        if (wrong)
            fprintf(stderr, "%s, %d ranks from step %zu: step %zu differs\n", p->s->policy, c->size, first, k);
    }
    return wrong;
}

static tvgp_status run_undisturbed(const struct scenario *s, struct trace *out) {
    struct world w = {.s = s};
    int64_t waiting[4] = {0};
    memset(out, 0, sizeof *out);
    tvgp_status status = open_world(&w, NULL);
    for (size_t step = 0; status == TVGP_OK && step < s->steps; step++) {
        struct rnd r = {.state = 77 + step};
        status = step_once(&w, step, waiting, &r, out);
    }
    close_world(&w);
    return status;
}

static const struct scenario long_ones[] = {
    {"gp-ucb", "", .arms = 60, .steps = 110, .length = 0.2, .told = 1, .masks = 1},
    {"tv-gp-ucb", "epsilon=0.03", .arms = 200, .steps = 150, .length = 0.8, .late = 1, .means = 1},
    {"et-gp-ucb", "trigger.delta=0.5", .grid = 12, .steps = 130, .length = 0.4},
    {"auto-gp-ucb", "", .arms = 60, .steps = 90, .length = 0.4, .late = 1},
    {"sw-gp-ucb", "window=30", .arms = 60, .steps = 90, .length = 0.4, .late = 1},
    {"w-gp-ucb", "", .arms = 60, .steps = 90, .length = 0.4, .told = 1},
    {"pe-gp-ucb", "", .arms = 60, .steps = 90, .length = 0.3, .means = 1, .late = 1},
};
enum { LONG = sizeof long_ones / sizeof *long_ones };

/* A rank is killed; the others find that out; another number of ranks goes on from the last snapshot. */
TEST_TURNS(killed_and_resumed, LONG, 0) {
    static struct trace want;
    const struct scenario *s = &long_ones[_i];
    struct store *store = mmap(NULL, sizeof *store, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(store, MAP_FAILED);
    fill_arms(s);
    ASSERT_OK(run_undisturbed(s, &want));
    struct resumed play = {.s = s, .want = &want, .store = store, .killed = (int)s->steps / 2 + 5};
    ck_assert_int_eq(comm_fork_run(3, play_resumed, &play), 1); /* the dead one */
    ck_assert_uint_ge(store->of[store->whole - 1].step, SAVED_EVERY);
    const size_t whole = store->whole;
    play.killed = 0;
    const int ranks[] = {2, 5, 1};
    for (int k = 0; k < 3; k++) {
        struct store *copy = mmap(NULL, sizeof *copy, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ck_assert_ptr_ne(copy, MAP_FAILED);
        memcpy(copy, store, sizeof *copy);
        play.store = copy;
        ck_assert_int_eq(comm_fork_run(ranks[k], play_resumed, &play), 0);
        munmap(copy, sizeof *copy);
    }
    ck_assert_uint_eq(store->whole, whole);
    munmap(store, sizeof *store);
}

/* Three ranks saved and two went on: the third part of then has the last arms too, as they were, and says of itself that
 * there are three ranks, which the manifest of now does not know. */
static int play_stale(struct comm_fork *c, void *arg) {
    const struct resumed *p = arg;
    const struct store *store = p->store;
    struct world w = {.s = p->s};
    static unsigned char all[3 * PART];
    size_t n = 0;
    harness_setup();
    tvgp_comm comm = comm_fork_table(c);
    tvgp_status status = open_world(&w, &comm);
    for (size_t r = 0; r < 3; r++) {
        const size_t g = r == 2 ? 0 : 1;
        memcpy(all + n, store->of[g].part[r], store->of[g].bytes[r]);
        n += store->of[g].bytes[r];
    }
    int wrong = status != TVGP_OK || tvgp_policy_load(w.policy, n, all) != TVGP_ERR_STATE;
    wrong |= tvgp_policy_load(w.policy, n - store->of[0].bytes[2], all) != TVGP_OK;
    close_world(&w);
    tvgp_ctx_destroy(ctx);
    return wrong;
}

TEST(stale_part_of_more_ranks) {
    static struct trace want;
    struct scenario then = long_ones[0], now = long_ones[0];
    struct store *store = mmap(NULL, sizeof *store, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(store, MAP_FAILED);
    then.steps = SAVED_EVERY;
    now.steps = 2 * SAVED_EVERY;
    fill_arms(&now);
    ASSERT_OK(run_undisturbed(&now, &want));
    struct resumed play = {.s = &then, .want = &want, .store = store};
    ck_assert_int_eq(comm_fork_run(3, play_resumed, &play), 0);
    play.s = &now;
    ck_assert_int_eq(comm_fork_run(2, play_resumed, &play), 0);
    ck_assert_uint_eq(store->of[0].ranks, 3);
    ck_assert_uint_eq(store->of[1].ranks, 2);
    ck_assert_int_eq(comm_fork_run(2, play_stale, &play), 0);
    munmap(store, sizeof *store);
}

/* ---- numbers that cannot be so ----------------------------------------------------------------------------------- */

/* The end of rank 0 where rank 1 holds one arm and has nothing to say; the k-th maximum or broadcast tells a lie instead. */
struct liar {
    size_t calls, at;
    int maximum; /* whether the lie was one */
    double lie;
};

static void lie(struct liar *l, double *values, size_t n, int maximum) {
    if (++l->calls != l->at)
        return;
    l->maximum = maximum;
    for (size_t i = 0; i < n; i++)
        values[i] = l->lie;
}

static int32_t lying_max(void *user, size_t n, double *values) {
    if (n == 2 && !(values[1] > 0) && values[0] >= 0 && values[1] != -values[0]) /* of each rank: how many arms, bytes, .. */
        values[1] = values[1] < 0 ? 0 : 1;
    lie(user, values, n, 1);
    return 0;
}

static int32_t lying_bcast(void *user, size_t bytes, void *data, int32_t root) {
    (void)root;
    lie(user, data, bytes / sizeof(double), 0);
    return 0;
}

/* A game with everything in it that is a collective call, until one fails. */
static tvgp_status play_liar(struct world *w, const tvgp_comm *comm) {
    static unsigned char part[PART];
    size_t needed = 0;
    int64_t arm;
    double x[DIM], at, var;
    TRY_ONCE(tvgp_domain_arms_shared(ctx, comm, w->s->arms - 1, DIM, X, &w->domain));
    TRY_ONCE(open_policy(w));
    for (int t = 0; t < 6; t++) {
        tvgp_query q;
        TRY_ONCE(tvgp_policy_ask_one(w->policy, t, &q, x));
        TRY_ONCE(tvgp_policy_tell_value(w->policy, q.id, sin(t)));
        TRY_ONCE(
            tvgp_policy_tell(w->policy, 1, &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = t}, X + DIM * (size_t)t));
    }
    TRY_ONCE(tvgp_policy_predict(w->policy, 9, 1, X, &at, &var));
    TRY_ONCE(tvgp_policy_best(w->policy, 9, &arm, x));
    return tvgp_policy_save(w->policy, sizeof part, part, &needed);
}

/* Whatever one of the collective calls gives, nothing is read or written elsewhere and every call ends; where a maximum is NaN
 * with CALLBACK, and so where counts and numbers of arms are none. */
TEST_EACH(wrong_numbers, 40) {
    static const double lies[] = {NAN, -3, 0.5, 1e300, INFINITY, -INFINITY, 2, -1};
    enum { LIES = sizeof lies / sizeof *lies };
    static const struct scenario worlds[] = {{"gp-ucb", "", .arms = 12, .length = 0.3},
                                             {"tv-gp-ucb", "", .arms = 12, .length = 0.3},
                                             {"w-gp-ucb", "", .arms = 12, .length = 0.3},
                                             {"pe-gp-ucb", "", .arms = 12, .length = 0.3},
                                             {"auto-gp-ucb", "", .arms = 12, .length = 0.3}};
    const struct scenario *s = &worlds[_i / LIES];
    struct liar user = {.lie = lies[_i % LIES], .at = SIZE_MAX};
    const tvgp_comm comm = {.struct_size = sizeof comm, .user = &user, .size = 2, .bcast = lying_bcast, .max = lying_max};
    fill_arms(s);
    alarm(120); /* instead of a loop without end */
    for (size_t last = SIZE_MAX, at = 0; at <= last; at++) {
        struct world w = {.s = s};
        user = (struct liar){.lie = lies[_i % LIES], .at = at};
        const tvgp_status status = play_liar(&w, &comm);
        if (!at)
            ASSERT_OK(status);
        if (!at)
            last = user.calls;
        if (at && user.maximum && isnan(user.lie))
            ck_assert_int_eq(status, TVGP_ERR_CALLBACK);
        if (at == 2) /* how many arms each rank has */
            ck_assert_int_eq(status, TVGP_ERR_CALLBACK);
        close_world(&w);
    }
    alarm(0);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

/* All ranks are informed, and which policy it is. */
static int play_refusals(struct comm_fork *c, void *arg) {
    static const char *const at_create[] = {"sparq-gp-ucb", "w-sparq-gp-ucb", "bkb", "random", "constant-arm"};
    static const char *const at_ask[] = {"gp-ucb fit=map", "tv-gp-ucb choice=thompson", "tv-gp-ucb season.period=24"};
    const struct play *p = arg;
    tvgp_comm comm = comm_fork_table(c);
    int wrong = 0;
    struct world w = {.s = p->s};
    harness_setup();
    size_t needed;
    wrong += open_world(&w, &comm) != TVGP_OK;
    wrong += tvgp_policy_save_full(w.policy, 0, NULL, &needed) != TVGP_ERR_UNSUPPORTED;
    for (size_t i = 0; i < sizeof at_create / sizeof *at_create; i++) {
        tvgp_policy *policy = NULL;
        wrong += tvgp_policy_create(ctx, at_create[i], w.domain, w.kernel, &policy) != TVGP_ERR_UNSUPPORTED || policy ||
                 !strstr(tvgp_ctx_errmsg(ctx), at_create[i]);
    }
    for (size_t i = 0; i < sizeof at_ask / sizeof *at_ask; i++) {
        char name[32];
        const char *options = strchr(at_ask[i], ' ');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at_ask[i], " "), at_ask[i]);
        tvgp_policy *policy = NULL;
        tvgp_query q;
        wrong += tvgp_policy_create(ctx, name, w.domain, w.kernel, &policy) != TVGP_OK ||
                 (options && tvgp_policy_set(policy, options + 1) != TVGP_OK) ||
                 tvgp_policy_ask_one(policy, 1, &q, NULL) != TVGP_ERR_UNSUPPORTED || !strstr(tvgp_ctx_errmsg(ctx), name);
        tvgp_policy_destroy(policy);
    }
    close_world(&w);
    tvgp_ctx_destroy(ctx);
    return wrong + (memory.allocated != memory.released);
}

TEST(refused_by_name) {
    struct play play = {.s = &short_ones[0]};
    fill_arms(play.s);
    ck_assert_int_eq(comm_fork_run(2, play_refusals, &play), 0);
}

/* ---- decisions -------------------------------------------------------------------------------------------------- */

TEST_TURNS(decisions_of_one_process, SCENARIOS, 0) {
    static struct trace want;
    const int all = getenv("TVGP_TEST_ALL_RANKS") != NULL; /* and 300 steps of each: some minutes */
    static const int ranks[] = {1, 2, 3, 5};
    struct scenario s = scenarios[_i];
    s.steps = all ? 300 : harness_all() ? s.steps : s.steps / 2;
    fill_arms(&s);
    ASSERT_OK(run(&s, NULL, &want));
    struct play play = {.s = &s, .want = &want};
    for (int k = 0; k < 4; k++)
        if (_i / 2 % 4 == k || all)
            ck_assert_int_eq(comm_fork_run(ranks[k], play_rank, &play), 0);
}

HARNESS_MAIN("shared")
