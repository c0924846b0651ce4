/* SPDX-License-Identifier: MIT */
/* Contexts are independent: two of them in two threads at once, and in a child after fork, see what one alone sees, to the
 * last bit. Under ThreadSanitizer with the preset `tsan`. */
#define _DEFAULT_SOURCE /* signgam */
#include "cases.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 150, NAMES = 6, NUMBERS = NAMES * STEPS * 2 };
static const char *const names[NAMES] = {"gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "auto-gp-ucb", "w-sparq-gp-ucb", "bkb"};

struct run {
    double number[NUMBERS];
    size_t n;
    int failed;
};

static void step(struct run *run, tvgp_policy *p, double t) {
    tvgp_query q[CASES_ARMS + 1];
    size_t n = 0;
    run->failed |= tvgp_policy_ask(p, t, CASES_ARMS + 1, q, NULL, &n) < 0 || n == 0;
    run->number[run->n++] = (double)q[0].arm;
    run->number[run->n++] = q[0].score;
    for (size_t i = 0; i < n; i++)
        run->failed |= tvgp_policy_tell_value(p, q[i].id, sin(t + (double)q[i].arm)) != TVGP_OK;
}

/* Everything in a context of its own. */
static void *play(void *argument) {
    struct run *run = argument;
    tvgp_ctx *c = NULL;
    run->failed = tvgp_ctx_create(NULL, &c) != TVGP_OK;
    for (size_t i = 0; i < NAMES && !run->failed; i++) {
        tvgp_policy *p = NULL;
        run->failed |= cases_policy(c, names[i], cases_kernel_at(i), &p) != TVGP_OK;
        for (size_t k = 0; k < STEPS && !run->failed; k++)
            step(run, p, 0.5 * (double)k);
        tvgp_policy_destroy(p);
    }
    tvgp_ctx_destroy(c);
    return NULL;
}

static void assert_same(const struct run *a, const struct run *b) {
    ck_assert(!a->failed && !b->failed);
    ck_assert_uint_eq(a->n, NUMBERS);
    ck_assert_mem_eq(a->number, b->number, sizeof a->number);
}

TEST(two_contexts_in_two_threads) {
    static struct run alone, run[2];
    pthread_t thread[2];
    alone = run[0] = run[1] = (struct run){.n = 0};
    play(&alone);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, play, &run[i]), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    assert_same(&run[0], &alone);
    assert_same(&run[1], &alone);
}

/* Policies that fit kernels, and filters that learn a scale: what they compute with the gamma function. */
static tvgp_status open_learning(tvgp_ctx *c, size_t i, tvgp_policy **out) {
    double X[CASES_ARMS * REF_MAX_DIM];
    tvgp_domain *domain = NULL;
    tvgp_status status = cases_domain(c, cases_kernel_at(0), X, &domain);
    if (status == TVGP_OK)
        status = tvgp_policy_create(c, i ? "auto-gp-ucb" : "tv-gp-ucb", domain, NULL, out);
    if (status == TVGP_OK)
        status = tvgp_policy_set(*out, i ? "model.assume_misspecified=1 fit.every=5" : "fit.every=5");
    tvgp_domain_destroy(domain);
    return status;
}

static void *learn(void *argument) {
    struct run *run = argument;
    tvgp_ctx *c = NULL;
    run->failed = tvgp_ctx_create(NULL, &c) != TVGP_OK;
    for (size_t i = 0; i < 2 && !run->failed; i++) {
        tvgp_policy *p = NULL;
        double fits = 0;
        run->failed |= open_learning(c, i, &p) != TVGP_OK;
        for (size_t k = 0; k < 60 && !run->failed; k++)
            step(run, p, 0.5 * (double)k);
        run->failed |= tvgp_policy_stat(p, "fit.count", &fits) != TVGP_OK || fits < 2;
        tvgp_policy_destroy(p);
    }
    tvgp_ctx_destroy(c);
    return NULL;
}

/* They also leave alone the one variable that C libraries share between threads where mathematics is done: the sign of gamma. */
TEST(two_contexts_that_learn) {
    static struct run alone, run[2];
    pthread_t thread[2];
    signgam = 7;
    learn(&alone);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, learn, &run[i]), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert(!run[i].failed && !alone.failed);
        ck_assert_mem_eq(run[i].number, alone.number, sizeof alone.number);
    }
    ck_assert_int_eq(signgam, 7);
}

/* A context that one thread made and gave away is used by another. */
static void *go_on(void *argument) {
    tvgp_query q;
    double *score = argument;
    tvgp_policy *p = NULL;
    memcpy(&p, score, sizeof p);
    *score = tvgp_policy_ask_one(p, 2, &q, NULL) == TVGP_OK ? q.score : NAN;
    return NULL;
}

TEST(a_context_changes_threads) {
    tvgp_policy *p, *twin;
    pthread_t thread;
    double score = 0;
    ASSERT_OK(cases_policy(ctx, "tv-gp-ucb", cases_kernel_at(0), &p));
    ASSERT_OK(cases_policy(ctx, "tv-gp-ucb", cases_kernel_at(0), &twin));
    ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, 1).id, 0.5));
    ASSERT_OK(tvgp_policy_tell_value(twin, harness_ask(twin, 1).id, 0.5));
    memcpy(&score, &p, sizeof p);
    ck_assert_int_eq(pthread_create(&thread, NULL, go_on, &score), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_double_eq(score, harness_ask(twin, 2).score);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(twin);
}

/* The child's copy goes on where the parent was; neither sees the other. */
TEST(a_child_goes_on) {
    tvgp_policy *p;
    ASSERT_OK(cases_policy(ctx, "auto-gp-ucb", cases_kernel_at(0), &p));
    for (double t = 0; t < 40; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, sin(t)));
    int pipes[2];
    double theirs[40], ours[40];
    ck_assert_int_eq(pipe(pipes), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    for (size_t k = 0; k < 40; k++) {
        tvgp_query q = harness_ask(p, 40 + (double)k);
        ours[k] = q.score;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, cos((double)k)));
    }
    if (child == 0) {
        ssize_t written = write(pipes[1], ours, sizeof ours);
        _exit(written != (ssize_t)sizeof ours);
    }
    int status = 1;
    ck_assert_int_eq(read(pipes[0], theirs, sizeof theirs), sizeof theirs);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_mem_eq(ours, theirs, sizeof ours);
    close(pipes[0]);
    close(pipes[1]);
    tvgp_policy_destroy(p);
}

HARNESS_MAIN("threads")
