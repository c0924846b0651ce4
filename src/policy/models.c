/* SPDX-License-Identifier: MIT */
#include "policy/models.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <math.h>

void tvgp__models_init(tvgp__models *m, tvgp_ctx *ctx, size_t limit) {
    *m = (tvgp__models){.ctx = ctx, .now = -INFINITY, .log = {.ctx = ctx}, .limit = limit};
}

void tvgp__models_free(tvgp__models *m) {
    for (size_t i = 0; i < m->count; i++)
        tvgp__belief_free(m->list[i].posterior);
    tvgp__memory_free(m->ctx, m->list);
    tvgp__log_free(&m->log);
}

static void show(const tvgp__model *model, const tvgp__points *points, size_t i, const tvgp__record *d) {
    tvgp__shard *shard = model->posterior->shard;
    const double mean = model->mean.n ? tvgp__mean_known(&model->mean, shard, d->arm) : d->mean;
    model->posterior->ops->observe(model->posterior, points, i, d->t, d->y - mean, d->noise);
}

/* The data so far, a block at a time. */
static tvgp_status replay(const tvgp__models *m, const tvgp__model *model) {
    enum { BLOCK = 64 };
    size_t arm[BLOCK];
    for (size_t first = 0; first < m->log.n; first += BLOCK) {
        const tvgp__record *d = m->log.list + first;
        tvgp__points points = {.n = m->log.n - first < BLOCK ? m->log.n - first : BLOCK, .arm = arm};
        for (size_t i = 0; i < points.n; i++)
            arm[i] = d[i].arm;
        TVGP__TRY(tvgp__belief_ready(model->posterior, &points));
        for (size_t i = 0; i < points.n; i++)
            show(model, &points, i, &d[i]);
    }
    if (m->now > model->posterior->now)
        model->posterior->ops->advance(model->posterior, m->now);
    return TVGP_OK;
}

tvgp_status tvgp__models_reserve(tvgp__models *m) {
    return tvgp__memory_reserve(m->ctx, m->count + 1, sizeof *m->list, &m->list, &m->slots);
}

static tvgp_status add(tvgp__models *m, const tvgp__model *model) {
    if (m->given_up)
        return tvgp__error_set(m->ctx, TVGP_ERR_LIMIT,
                               "more than replay.limit = %zu observations came: no prior can be added any more", m->limit);
    TVGP__TRY(replay(m, model));
    m->list[m->count++] = *model;
    m->living++;
    return TVGP_OK;
}

tvgp_status tvgp__models_add(tvgp__models *m, tvgp__belief *posterior, tvgp__mean mean) {
    tvgp_status status = add(m, &(tvgp__model){.posterior = posterior, .mean = mean});
    if (status < 0)
        tvgp__belief_free(posterior);
    return status;
}

tvgp_status tvgp__models_extend(const tvgp__models *m, size_t n, const double *X, tvgp__belief **fresh) {
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < m->count; i++) {
        const tvgp__belief *old = m->list[i].posterior;
        fresh[i] = NULL;
        if (old && status == TVGP_OK)
            status = old->ops->extend(old, n, X, &fresh[i]);
    }
    for (size_t i = 0; status < 0 && i < m->count; i++)
        tvgp__belief_free(fresh[i]);
    return status;
}

void tvgp__models_drop(tvgp__models *m, size_t i) {
    tvgp__model *model = &m->list[i];
    model->log_evidence = model->posterior->log_evidence;
    tvgp__belief_free(model->posterior);
    model->posterior = NULL;
    m->living--;
}

tvgp_status tvgp__models_prepare(tvgp__models *m, const tvgp__points *points) {
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            TVGP__TRY(m->list[i].posterior->ops->prepare(m->list[i].posterior, points));
    size_t room = m->limit - m->log.n;
    return m->given_up ? TVGP_OK : tvgp__log_reserve(&m->log, points->n < room ? points->n : room);
}

void tvgp__models_advance(tvgp__models *m, double t) {
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            m->list[i].posterior->ops->advance(m->list[i].posterior, t);
    m->now = t;
}

static void keep(tvgp__models *m, const tvgp__record *d) {
    m->given_up = m->log.n == m->limit;
    if (m->given_up)
        tvgp__log_free(&m->log);
    else
        tvgp__log_add(&m->log, d);
}

void tvgp__models_observe(tvgp__models *m, const tvgp__points *points, size_t place, const tvgp__record *d) {
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            show(&m->list[i], points, place, d);
    m->now = fmax(m->now, d->t);
    if (!m->given_up)
        keep(m, d);
}

static void visit_model(tvgp__models *m, size_t i, tvgp__visit *v) {
    tvgp__model *model = &m->list[i];
    int lives = model->posterior != NULL;
    tvgp__visit_flag(v, &lives);
    tvgp__visit_real(v, &model->log_evidence, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    if (tvgp__visit_loads(v) && lives && !model->posterior)
        tvgp__visit_refuse(v, "a prior lives that cannot");
    if (tvgp__visit_fine(v) && lives)
        tvgp__belief_visit(model->posterior, v);
    else if (tvgp__visit_loads(v) && model->posterior) {
        double evidence = model->log_evidence;
        tvgp__models_drop(m, i);
        model->log_evidence = evidence;
    }
}

void tvgp__models_visit(tvgp__models *m, size_t arms, tvgp__visit *v) {
    tvgp__visit_real(v, &m->now, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_flag(v, &m->given_up);
    tvgp__log_visit(&m->log, arms, v);
    for (size_t i = 0; tvgp__visit_fine(v) && i < m->count; i++)
        visit_model(m, i, v);
    if (tvgp__visit_loads(v) && !m->living)
        tvgp__visit_refuse(v, "no prior lives");
}

double tvgp__models_log_evidence(const tvgp__models *m, size_t i) {
    return m->list[i].posterior ? m->list[i].posterior->log_evidence : m->list[i].log_evidence;
}

void tvgp__models_weights(const tvgp__models *m, double *weight) {
    double best = -INFINITY, sum = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior && m->list[i].posterior->log_evidence > best)
            best = m->list[i].posterior->log_evidence;
    for (size_t i = 0; i < m->count; i++) {
        const tvgp__belief *post = m->list[i].posterior;
        weight[i] = !post ? 0 : best == -INFINITY ? 1 : post->log_evidence > -INFINITY ? exp(post->log_evidence - best) : 0;
        sum += weight[i];
    }
    for (size_t i = 0; i < m->count; i++)
        weight[i] /= sum;
}
