/* SPDX-License-Identifier: MIT */
/* Several models of one function, which learn from the same data (policy/priors/models.h). */
#include "policy/priors/models.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "policy/ucb/ucb.h"
#include "protocol/prior.h"

#include <math.h>
#include <string.h>

void tvgp__models_init(tvgp__models *m, tvgp_policy *p, size_t limit) {
    *m = (tvgp__models){.policy = p, .ctx = p->ctx, .now = -INFINITY, .limit = limit};
    m->log = (tvgp__observations){.ctx = p->ctx, .dim = tvgp__domain_stored(p->domain)};
}

void tvgp__models_free(tvgp__models *m) {
    for (size_t i = 0; i < m->count; i++)
        tvgp__posterior_free(m->list[i].posterior);
    tvgp__memory_free(m->ctx, m->list);
    tvgp__memory_free(m->ctx, m->mean);
    tvgp__observations_free(&m->log);
}

/* The prior mean of model i for an outcome of action `step` (0: unsolicited) at an arm, or on a box the one computed for
 * the point; `own`: the policy's. */
static double mean_for(const tvgp__models *m, size_t i, const double *at_point, size_t arm, int64_t step, double own) {
    const tvgp__mean_function *mean = &m->policy->priors.items[i].mean;
    const double *then = tvgp__prior_mean_then(m->policy, i, step);
    if (then)
        return *then;
    if (!tvgp__mean_function_is(mean))
        return own;
    return at_point ? *at_point : tvgp__mean_function_known(mean, arm);
}

/* On a box: the means of model i at the points of the batch. */
static double *means_of(const tvgp__models *m, size_t i) {
    return m->log.dim ? m->mean + i * m->policy->work.batch.n : NULL;
}

/* On a box: fills in the means of model i at these points. */
static tvgp_status find_means(const tvgp__models *m, size_t i, const tvgp__points *points, double *mean) {
    const tvgp_policy *p = m->policy;
    if (!tvgp__domain_stored(p->domain) || !tvgp__mean_function_is(&p->priors.items[i].mean))
        return TVGP_OK;
    return tvgp__prior_means(p, &p->priors.items[i].mean, points->n, points->X, mean, NULL);
}

/* Shows model i an observation: point k, with the means of the model at the points. */
static void show(const tvgp__models *m, size_t i, tvgp__posterior *posterior, const tvgp__points *points, size_t k,
                 const double *mean, const tvgp__observation *d) {
    const double y = d->y - mean_for(m, i, mean ? mean + k : NULL, d->arm, d->step, d->mean);
    tvgp__posterior_observe(posterior, points, k, d->t, y, d->noise, d->assumed);
}

/* A replay to the model that is added next. */
typedef struct {
    const tvgp__models *models;
    double mean[TVGP__POSTERIOR_BLOCK]; /* on a box: its prior means at the points */
} shown;

static void show_next(void *user, tvgp__posterior *posterior, const tvgp__points *points, size_t i,
                      const tvgp__observation *d) {
    const shown *to = user;
    show(to->models, to->models->count, posterior, points, i, to->models->log.dim ? to->mean : NULL, d);
}

static tvgp_status replay(const tvgp__models *m, tvgp__posterior *posterior) {
    const size_t block = m->log.dim ? TVGP__UCB_PRUNE_EVERY : TVGP__POSTERIOR_BLOCK;
    const tvgp__ucb_config *c = m->policy->config;
    shown to = {.models = m};
    for (size_t first = 0, n; first < m->log.n; first += n) {
        n = m->log.n - first < block ? m->log.n - first : block;
        if (m->log.dim)
            TVGP__TRY(find_means(m, m->count, &(tvgp__points){.n = n, .X = m->log.X + first * m->log.dim}, to.mean));
        TVGP__TRY(tvgp__posterior_replay(posterior, &m->log, first, n, show_next, &to));
        TVGP__TRY(tvgp__posterior_prune(posterior, c->box.tolerance, c->noise));
    }
    if (m->now > posterior->now)
        posterior->ops->advance(posterior, m->now);
    return TVGP_OK;
}

tvgp_status tvgp__models_reserve(tvgp__models *m) {
    return tvgp__memory_reserve(m->ctx, m->count + 1, sizeof *m->list, &m->list, &m->slots);
}

static tvgp_status add(tvgp__models *m, tvgp__posterior *posterior) {
    if (m->given_up)
        return tvgp__error_set(m->ctx, TVGP_ERR_LIMIT, "more than %zu observations came: no prior can be added any more",
                               m->limit);
    TVGP__TRY(replay(m, posterior));
    m->list[m->count++] = (tvgp__model){.posterior = posterior};
    m->living++;
    return TVGP_OK;
}

tvgp_status tvgp__models_add(tvgp__models *m, tvgp__posterior *posterior) {
    tvgp_status status = add(m, posterior);
    if (status < 0)
        tvgp__posterior_free(posterior);
    return status;
}

tvgp_status tvgp__models_extend(const tvgp__models *m, size_t n, const double *X, tvgp__posterior **fresh) {
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < m->count; i++) {
        const tvgp__posterior *old = m->list[i].posterior;
        fresh[i] = NULL;
        if (old && status == TVGP_OK)
            status = tvgp__posterior_extend(old, n, X, &fresh[i]);
    }
    for (size_t i = 0; status < 0 && i < m->count; i++)
        tvgp__posterior_free(fresh[i]);
    return status;
}

void tvgp__models_drop(tvgp__models *m, size_t i) {
    tvgp__model *model = &m->list[i];
    model->log_marginal_likelihood = model->posterior->log_marginal_likelihood;
    tvgp__posterior_free(model->posterior);
    model->posterior = NULL;
    m->living--;
}

tvgp_status tvgp__models_prepare(tvgp__models *m) {
    const tvgp__points *points = &m->policy->work.batch;
    if (m->log.dim)
        TVGP__TRY(tvgp__memory_reserve(m->ctx, tvgp__memory_product(m->count, points->n), sizeof *m->mean, &m->mean,
                                       &m->mean_slots));
    for (size_t i = 0; i < m->count; i++) {
        TVGP__TRY(find_means(m, i, points, means_of(m, i)));
        if (m->list[i].posterior)
            TVGP__TRY(m->list[i].posterior->ops->prepare(m->list[i].posterior, points));
    }
    size_t room = m->limit - m->log.n;
    return m->given_up ? TVGP_OK : tvgp__observations_reserve(&m->log, points->n < room ? points->n : room);
}

void tvgp__models_advance(tvgp__models *m, double t) {
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            m->list[i].posterior->ops->advance(m->list[i].posterior, t);
    m->now = t;
}

static void keep(tvgp__models *m, size_t index, const tvgp__observation *d) {
    const size_t dim = m->log.dim;
    m->given_up = m->log.n == m->limit;
    if (m->given_up) {
        tvgp__observations_free(&m->log);
        return;
    }
    tvgp__observations_add(&m->log, d, dim ? m->policy->work.batch.X + index * dim : NULL);
}

void tvgp__models_observe(tvgp__models *m, size_t index, const tvgp__observation *d) {
    const tvgp__points *points = &m->policy->work.batch;
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            show(m, i, m->list[i].posterior, points, index, means_of(m, i), d);
    m->now = fmax(m->now, d->t);
    if (!m->given_up)
        keep(m, index, d);
}

double tvgp__models_mean(const tvgp__models *m, size_t i, const tvgp__answer *a) {
    const double *mean = means_of(m, i);
    return mean_for(m, i, mean ? mean + a->index : NULL, a->arm, a->step, a->prior_mean);
}

void tvgp__models_prune(const tvgp__models *m) {
    const tvgp__ucb_config *c = m->policy->config;
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            tvgp__posterior_prune_quietly(m->list[i].posterior, c->box.tolerance, c->noise);
}

static void visit_model(tvgp__models *m, size_t i, tvgp__visit *v) {
    tvgp__model *model = &m->list[i];
    int lives = model->posterior != NULL;
    tvgp__visit_flag(v, &lives);
    tvgp__visit_real(v, &model->log_marginal_likelihood, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    if (tvgp__visit_loads(v) && lives && !model->posterior)
        tvgp__visit_refuse(v, "a prior lives that cannot");
    if (tvgp__visit_fine(v) && lives)
        tvgp__posterior_visit(model->posterior, v);
    else if (tvgp__visit_loads(v) && model->posterior) {
        double evidence = model->log_marginal_likelihood;
        tvgp__models_drop(m, i);
        model->log_marginal_likelihood = evidence;
    }
}

void tvgp__models_visit(tvgp__models *m, size_t arms, tvgp__visit *v) {
    tvgp__visit_real(v, &m->now, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &m->given_up);
    tvgp__observations_visit(&m->log, arms, v);
    for (size_t i = 0; tvgp__visit_fine(v) && i < m->count; i++)
        visit_model(m, i, v);
    if (tvgp__visit_loads(v) && !m->living)
        tvgp__visit_refuse(v, "no prior lives");
}

double tvgp__models_log_evidence(const tvgp__models *m, size_t i) {
    return m->list[i].posterior ? m->list[i].posterior->log_marginal_likelihood : m->list[i].log_marginal_likelihood;
}

double tvgp__models_log_posterior(const tvgp__models *m, size_t i) {
    return tvgp__models_log_evidence(m, i) + m->list[i].log_weight;
}

void tvgp__models_weights(const tvgp__models *m, double *weight) {
    double best = -INFINITY, sum = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior && tvgp__models_log_posterior(m, i) > best)
            best = tvgp__models_log_posterior(m, i);
    for (size_t i = 0; i < m->count; i++) {
        const double own = tvgp__models_log_posterior(m, i);
        weight[i] = !m->list[i].posterior ? 0 : best == -INFINITY ? 1 : own > -INFINITY ? exp(own - best) : 0;
        sum += weight[i];
    }
    for (size_t i = 0; i < m->count; i++)
        weight[i] /= sum;
}
