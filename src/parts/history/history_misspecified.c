/* SPDX-License-Identifier: MIT */
/* Decides by replay whether to assume a misspecified model of historical data (parts/history/history_misspecified.h). */
#include "parts/history/history_misspecified.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "parts/history/history_prior.h"
#include "protocol/policy_options.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 60, MOST_ROWS = 1000, SUBSETS = 10, BLOCKS = 10, FEWEST_RUNS = 4 };

typedef struct rehearsal {
    const tvgp_policy *policy; /* to be conditioned on the data */
    tvgp__history_table slots;
    size_t split;             /* rows before it teach, the others are played */
    tvgp_policy *teacher;     /* knows the earlier rows, and is not played */
    uint8_t *mask;            /* arms */
    double regret[2][BLOCKS]; /* of both settings, over all subsets */
} rehearsal;

/* A policy with the options of the one that learns, and no model yet. */
static tvgp_status open_policy(const rehearsal *r, tvgp_policy **out) {
    const tvgp_policy *p = r->policy;
    tvgp_policy *fresh = NULL;
    TVGP__TRY(tvgp__policy_new(p->ctx, p->ops, p->domain, p->given.kernel ? p->created : NULL, &fresh));
    memcpy(fresh->config, p->config, p->ops->config_size);
    ((tvgp__policy_config *)fresh->config)->max_step = 0; /* the log has gaps */
    ((tvgp__policy_config *)fresh->config)->outcome = 0;  /* its values belong to the process */
    fresh->given.options = p->given.options;
    *out = fresh;
    return TVGP_OK;
}

/* The arms of a subset that have a value in a row; the best of them in the policy's sense. 0: none. */
static int available(const rehearsal *r, size_t subset, size_t row, double *best) {
    const size_t arms = r->slots.arms;
    int any = 0;
    *best = -INFINITY;
    for (size_t a = 0; a < arms; a++) {
        r->mask[a] = r->slots.is[row * arms + a] > 0 && (!subset || (7 * a + 3 * subset) % 10 < 7);
        any |= r->mask[a];
        if (r->mask[a])
            *best = fmax(*best, tvgp__policy_turn(r->policy, r->slots.y[row * arms + a]));
    }
    return any;
}

/* One row: its regret, in the standardised unit. */
static tvgp_status play_row(rehearsal *r, tvgp_policy *q, size_t subset, size_t row, double *regret) {
    const tvgp__history_table *s = &r->slots;
    const double t = s->scale.first + (double)(s->before + (int64_t)row) * s->scale.width;
    double best;
    tvgp_query query;
    size_t n;
    *regret = 0;
    TVGP__TRY(tvgp__quota_work(q->ctx, s->arms, s->arms));
    if (!available(r, subset, row, &best))
        return TVGP_OK;
    TVGP__TRY(tvgp__available_set(&q->available, q->domain, r->mask, s->arms));
    TVGP__TRY(tvgp__policy_ask(q, t, 1, &query, NULL, &n));
    const double y = s->y[row * s->arms + (size_t)query.arm];
    *regret = best - tvgp__policy_turn(q, y);
    return tvgp__policy_tell(q, &(tvgp_obs){.id = query.id, .y = s->mean + s->sd * y}, NULL, 1);
}

static tvgp_status play(rehearsal *r, tvgp_policy *q, int doubt, size_t subset) {
    const size_t rows = r->slots.n - r->split;
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < rows && status == TVGP_OK; i++) {
        double regret = 0;
        status = tvgp__error_interrupted(q->ctx);
        if (status == TVGP_OK)
            status = play_row(r, q, subset, r->split + i, &regret);
        r->regret[doubt][i * BLOCKS / rows] += regret;
    }
    return status;
}

/* One setting on one subset, by a policy with a copy of the teacher's model. */
static tvgp_status run(rehearsal *r, int doubt, size_t subset) {
    tvgp_policy *q = NULL;
    tvgp__history_prior *copy = NULL;
    tvgp_kernel *kernel = NULL;
    TVGP__TRY(open_policy(r, &q));
    const tvgp__history_prior *taught = tvgp__history_prior_of(r->teacher);
    tvgp_status status = tvgp__history_prior_extend(r->teacher, q->domain, r->teacher->created, &kernel, &copy);
    if (status == TVGP_OK) {
        copy->cautious = doubt;
        copy->width = doubt ? TVGP__HISTORY_REPLAY_WIDTH : taught->width;
        status = tvgp__history_prior_install(q, copy, kernel);
    }
    if (status == TVGP_OK)
        status = play(r, q, doubt, subset);
    tvgp__policy_free(q);
    return status;
}

/* The difference over blocks, and its standard error. */
typedef struct verdict {
    double sum[2], mean, error;
} verdict;

static verdict compare(double regret[2][BLOCKS]) {
    verdict v = {{0}, 0, 0};
    double square = 0;
    for (size_t b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 2; k++)
            v.sum[k] += regret[k][b];
    v.mean = (v.sum[0] - v.sum[1]) / BLOCKS;
    for (size_t b = 0; b < BLOCKS; b++) {
        const double off = regret[0][b] - regret[1][b] - v.mean;
        square += off * off;
    }
    v.error = sqrt(square / (BLOCKS - 1) / BLOCKS);
    return v;
}

/* The misspecified setting loses at most this share, by this many standard errors. */
static int saves(const verdict *v, double share, double errors) {
    return v->sum[1] <= share * v->sum[0] && v->mean > 0 && v->mean >= errors * v->error;
}

static int speaks_for_doubt(double regret[2][BLOCKS]) {
    const verdict v = compare(regret);
    return saves(&v, 0.85, 2);
}

/* Whether further subsets will hardly change the choice. */
static int is_clear(double regret[2][BLOCKS]) {
    const verdict v = compare(regret);
    return v.sum[1] > 0.92 * v.sum[0] || saves(&v, 0.75, 3);
}

/* The model of the rows before the split. */
static tvgp_status teach(rehearsal *r, size_t n, const tvgp__history_table_record *record) {
    tvgp__history_table_record *early = NULL;
    tvgp__history_prior *learned = NULL;
    tvgp_kernel *kernel = NULL;
    size_t used = 0;
    TVGP__TRY(tvgp__memory_alloc(r->policy->ctx, n, sizeof *early, &early));
    for (size_t i = 0; i < n; i++)
        if (tvgp__history_table_row(&r->slots.scale, record[i].t) - (double)r->slots.before < (double)r->split)
            early[used++] = record[i];
    tvgp_status status = open_policy(r, &r->teacher);
    if (status == TVGP_OK)
        status = tvgp__history_prior_make(r->teacher, used, early, &kernel, &learned);
    if (status == TVGP_OK)
        status = tvgp__history_prior_install(r->teacher, learned, kernel);
    tvgp__memory_free(r->policy->ctx, early);
    return status;
}

static tvgp_status rehearse(rehearsal *r, size_t n, const tvgp__history_table_record *record) {
    TVGP__TRY(tvgp__memory_alloc(r->policy->ctx, r->slots.arms, 1, &r->mask));
    TVGP__TRY(teach(r, n, record));
    for (size_t subset = 0; subset <= SUBSETS && !(subset >= FEWEST_RUNS && is_clear(r->regret)); subset++)
        for (int doubt = 0; doubt < 2; doubt++)
            TVGP__TRY(run(r, doubt, subset));
    return TVGP_OK;
}

static int can_decide(const tvgp_policy *p) {
    const size_t known = tvgp__option_count(p->ops->groups, p->ops->n_groups);
    return tvgp__option_index(p->ops->groups, p->ops->n_groups, "model.assume_misspecified") < known &&
           !tvgp__policy_options_was_set(p, "model.assume_misspecified");
}

tvgp_status tvgp__history_misspecified_doubt(const tvgp_policy *p, size_t n, const tvgp__history_table_record *record,
                                             int *cautious) {
    rehearsal r = {.policy = p};
    const tvgp_logger logger = p->ctx->logger;
    *cautious = 0;
    if (!can_decide(p))
        return TVGP_OK;
    TVGP__TRY(tvgp__history_table_new(p->ctx, p->domain->n, n, record, &r.slots));
    const size_t third = r.slots.n / 3;
    r.split = r.slots.n - (third < MOST_ROWS ? third : MOST_ROWS);
    tvgp_status status = TVGP_OK;
    if (r.slots.n >= FEWEST && tvgp__history_table_dense(&r.slots)) {
        p->ctx->logger = NULL; /* what is said here has not happened */
        status = rehearse(&r, n, record);
        p->ctx->logger = logger;
        *cautious = status == TVGP_OK && speaks_for_doubt(r.regret);
    }
    tvgp__history_table_free(&r.slots);
    if (r.teacher)
        tvgp__policy_free(r.teacher);
    tvgp__memory_free(p->ctx, r.mask);
    return status;
}
