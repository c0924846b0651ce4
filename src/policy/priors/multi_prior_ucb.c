/* SPDX-License-Identifier: MIT */
/* The common part of the policies with several priors (Ziomek, Adachi, Osborne, "Time-varying Gaussian process bandits with
 * unknown prior") (policy/priors/multi_prior_ucb.h). */
#include "policy/priors/multi_prior_ucb.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "policy/ucb/maximise.h"
#include "protocol/across_ranks.h"
#include "protocol/prior.h"

#include <math.h>

static const char *const equal_weights[] = {"1"};

const tvgp__option tvgp__multi_prior_ucb_options[TVGP__MULTI_PRIOR_UCB_OPTIONS] = {
    {"prior.weights", TVGP_STR, TVGP_OPTION_ADVANCED | TVGP__OPTION_TEXT, offsetof(tvgp__multi_prior_ucb_config, weights), 0,
     0, 0, equal_weights,
     TVGP__TEXT(
         "Weights of the priors before any data, in order of adding, up to 64 separated by commas. Further ones: 1.")},
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

void tvgp__multi_prior_ucb_defaults(void *config) {
    ((tvgp__ucb_config *)config)->width.schedule = TVGP__EXPLORATION_SCHEDULE_PRIOR_FINITE;
}

/* The posterior of prior i, the next one, and room for its model. */
static tvgp_status make(tvgp_policy *p, size_t i, tvgp__posterior **out) {
    tvgp__multi_prior_ucb *s = p->state;
    const tvgp__prior *prior = &p->priors.items[i];
    const tvgp__multi_prior_ucb_config *c = p->config;
    tvgp__posterior_spec spec = tvgp__ucb_spec(p, prior->kernel, c->ucb.noise);
    spec.drift = (tvgp__drift){.kind = TVGP__DRIFT_FORGETTING, .rate = prior->epsilon};
    spec.late = (size_t)c->late.limit;
    spec.compared = 1;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, i + 1, sizeof *s->record, &s->record, &s->record_slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, i + 1, sizeof *s->weight, &s->weight, &s->weight_slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, i + 1, sizeof *s->term, &s->term, &s->term_slots));
    TVGP__TRY(tvgp__models_reserve(&s->models));
    return tvgp__posterior_make(&spec, out);
}

static tvgp_status add(tvgp_policy *p, size_t i) {
    tvgp__multi_prior_ucb *s = p->state;
    tvgp__posterior *posterior = NULL;
    tvgp_status status = make(p, i, &posterior);
    if (p->started && p->domain->shared) /* before, join does this for all */
        status = tvgp__domain_agree(p->domain, status);
    if (p->started && p->domain->shared && status == TVGP_OK)
        status = tvgp__posterior_share(posterior, p->domain, p->ops->name);
    if (status < 0) {
        tvgp__posterior_free(posterior);
        return status;
    }
    TVGP__TRY(tvgp__models_add(&s->models, posterior));
    s->models.list[i].log_weight = log(tvgp__prior_weight(p, i));
    s->record[i].end_time = INFINITY;
    tvgp__models_weights(&s->models, s->weight);
    return TVGP_OK;
}

tvgp_status tvgp__multi_prior_ucb_add(tvgp_policy *p) {
    return add(p, p->priors.n - 1);
}

tvgp_status tvgp__multi_prior_ucb_start(tvgp_policy *p) {
    tvgp__multi_prior_ucb *s = p->state;
    TVGP__TRY(tvgp__prior_check_weights(p));
    tvgp__models_init(&s->models, p, TVGP__MULTI_PRIOR_UCB_REPLAYED);
    for (size_t i = 0; i < p->priors.n; i++)
        TVGP__TRY(add(p, i));
    return tvgp__ucb_start(p, s->models.list[0].posterior);
}

tvgp_status tvgp__multi_prior_ucb_extend(tvgp_policy *p, const tvgp_domain *larger) {
    tvgp__multi_prior_ucb *s = p->state;
    tvgp__models *m = &s->models;
    tvgp__posterior **fresh = NULL;
    double *score = NULL;
    tvgp_status status = tvgp__memory_alloc(p->ctx, m->count, sizeof *fresh, &fresh);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(p->ctx, larger->n, sizeof *score, &score);
    if (status == TVGP_OK)
        status = tvgp__models_extend(m, larger->n, larger->X, fresh);
    for (size_t i = 0; i < m->count && status == TVGP_OK; i++) {
        tvgp__posterior *old = m->list[i].posterior;
        if (old && s->ucb.posterior == old)
            s->ucb.posterior = fresh[i];
        m->list[i].posterior = fresh[i];
        tvgp__posterior_free(old);
    }
    if (status == TVGP_OK)
        tvgp__ucb_rescore(p, score);
    else
        tvgp__memory_free(p->ctx, score);
    tvgp__memory_free(p->ctx, fresh);
    return status;
}

void tvgp__multi_prior_ucb_release(tvgp_policy *p) {
    tvgp__multi_prior_ucb *s = p->state;
    s->ucb.posterior = NULL;
    tvgp__ucb_release(p);
    tvgp__models_free(&s->models);
    tvgp__memory_free(p->ctx, s->record);
    tvgp__memory_free(p->ctx, s->weight);
    tvgp__memory_free(p->ctx, s->term);
}

static void visit_record(tvgp__prior_record *r, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_tally(v, &r->chosen);
    tvgp__visit_real(v, &r->answered, 0, most);
    tvgp__visit_real(v, &r->error, -most, most);
    tvgp__visit_real(v, &r->bonus, -INFINITY, INFINITY);
    tvgp__visit_real(v, &r->reward, -most, most);
    tvgp__visit_real(v, &r->statistic, -INFINITY, INFINITY);
    tvgp__visit_real(v, &r->threshold, -INFINITY, INFINITY);
    tvgp__visit_tally(v, &r->end_step);
    tvgp__visit_real(v, &r->end_time, -TVGP__VALID_RANGE_MOST, INFINITY);
}

void tvgp__multi_prior_ucb_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__multi_prior_ucb *s = p->state;
    size_t spoke = 0;
    tvgp__ucb_visit_choices(p, v);
    tvgp__models_visit(&s->models, p->domain->total, v);
    while (v->purpose != TVGP__VISIT_LOAD && s->models.list[spoke].posterior != s->ucb.posterior)
        spoke++;
    tvgp__visit_indices(v, 1, &spoke, s->models.count);
    if (tvgp__visit_loads(v) && !tvgp__multi_prior_ucb_alive(s, spoke))
        tvgp__visit_refuse(v, "the prior that spoke last is dead");
    if (tvgp__visit_loads(v))
        s->ucb.posterior = s->models.list[spoke].posterior;
    tvgp__visit_indices(v, 1, &s->spoke, s->models.count);
    tvgp__visit_tally(v, &s->spared);
    for (size_t i = 0; tvgp__visit_fine(v) && i < s->models.count; i++)
        visit_record(&s->record[i], v);
    if (tvgp__visit_loads(v))
        tvgp__models_weights(&s->models, s->weight);
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__multi_prior_ucb_prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    (void)n;
    (void)answers;
    return tvgp__models_prepare(&((tvgp__multi_prior_ucb *)p->state)->models);
}

/* The noise to take it with. On a box only what was asked was predicted, by the prior that chose it. */
static double monitor(tvgp_policy *p, const tvgp__answer *a, double noise) {
    const tvgp__multi_prior_ucb *s = p->state;
    double mean = s->next.mean, var = s->next.var;
    if (s->ucb.box_search)
        return a->step ? tvgp__outlier_monitor_answer(p, a->y - tvgp__models_mean(&s->models, a->prior, a), a->mean,
                                                      a->sd * a->sd, noise)
                       : noise;
    if (!s->next.is)
        (void)tvgp__across_ranks_at(p, fmax(a->t, s->models.now), a->arm, &mean, &var);
    return tvgp__outlier_monitor_answer(p, a->y - a->prior_mean, mean, var, noise);
}

/* The prediction of a query is relative to the mean of the prior that chose it. */
static double assumed(const tvgp__multi_prior_ucb *s, const tvgp__answer *a) {
    return a->y + tvgp__models_mean(&s->models, a->prior, a) - a->prior_mean;
}

void tvgp__multi_prior_ucb_take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__multi_prior_ucb *s = p->state;
    const double noise = ((const tvgp__ucb_config *)p->config)->noise;
    if (a->outcome != TVGP_VALUE) {
        s->next.is = 0;
        return;
    }
    const double own = isnan(a->noise) ? noise : a->noise;
    const tvgp__observation datum = {.arm = a->arm,
                                     .t = a->t,
                                     .y = a->assumed ? assumed(s, a) : a->y,
                                     .noise = a->assumed ? own : monitor(p, a, own),
                                     .assumed = a->assumed,
                                     .mean = a->prior_mean,
                                     .step = a->step};
    s->next.is = 0;
    tvgp__models_observe(&s->models, a->index, &datum);
    s->ucb.kept = s->models.log.n;
    tvgp__models_weights(&s->models, s->weight);
}

size_t tvgp__multi_prior_ucb_living(const tvgp__multi_prior_ucb *s, size_t i) {
    for (size_t k = 0; !tvgp__multi_prior_ucb_alive(s, i); k++)
        i = k;
    return i;
}

tvgp__prior_record *tvgp__multi_prior_ucb_credit(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__multi_prior_ucb *s = p->state;
    if (a->outcome != TVGP_VALUE || a->assumed || !a->step || !tvgp__multi_prior_ucb_alive(s, a->prior))
        return NULL;
    tvgp__prior_record *r = &s->record[a->prior];
    double noise = isnan(a->noise) ? ((const tvgp__ucb_config *)p->config)->noise : a->noise;
    double e = a->y - tvgp__models_mean(&s->models, a->prior, a) - a->mean;
    double beyond = e - tvgp__outlier_monitor_clip(p, e, a->sd * a->sd, noise); /* what an outlier must not count for */
    r->answered++;
    r->error += e - beyond;
    r->bonus += a->coefficient * a->sd;
    r->reward += a->y - beyond;
    return r;
}

double tvgp__multi_prior_ucb_xi(const tvgp_policy *p, const tvgp__answer *a) {
    const tvgp__ucb_config *c = p->config;
    const double t = (double)a->step;
    return 2 * c->noise * log((double)p->priors.n * TVGP__PI * TVGP__PI * t * t / (3 * c->width.delta));
}

/* Of a test, as the user sees it. */
static double shown(const tvgp_policy *p, double x) {
    return ((const tvgp__multi_prior_ucb *)p->state)->of_rewards ? tvgp__policy_turn(p, x) : x;
}

void tvgp__multi_prior_ucb_test(tvgp_policy *p, size_t i, double statistic, double threshold, double t) {
    tvgp__multi_prior_ucb *s = p->state;
    tvgp__prior_record *r = &s->record[i];
    r->statistic = statistic;
    r->threshold = threshold;
    if (!(statistic > threshold))
        return;
    if (s->models.living == 1) {
        s->spared++;
        return;
    }
    int spoke = s->ucb.posterior == s->models.list[i].posterior;
    tvgp__models_drop(&s->models, i);
    tvgp__models_weights(&s->models, s->weight);
    r->end_step = p->counts.asked;
    r->end_time = t;
    s->next.is = 0;
    if (spoke)
        s->ucb.posterior = s->models.list[tvgp__multi_prior_ucb_living(s, i)].posterior;
    tvgp__context_log(p->ctx, "%s: prior %zu eliminated after %lld actions, t = %g: %g against %g", p->ops->name, i,
                      (long long)p->counts.asked, t, shown(p, statistic), shown(p, threshold));
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

size_t tvgp__multi_prior_ucb_size(const tvgp_policy *p) {
    return p->priors.n ? p->priors.n : 1; /* without added ones its own */
}

static size_t widened(const tvgp__posterior *b) {
    return b->counts.widened;
}

static size_t dropped(const tvgp__posterior *b) {
    return b->counts.dropped;
}

/* By the living prior that changes most: a static one takes everything exactly. */
static size_t most(const tvgp__multi_prior_ucb *s, size_t (*of)(const tvgp__posterior *)) {
    size_t found = 0;
    for (size_t i = 0; i < s->models.count; i++)
        if (tvgp__multi_prior_ucb_alive(s, i) && of(s->models.list[i].posterior) > found)
            found = of(s->models.list[i].posterior);
    return found;
}

#define STAT(name, expression, before) TVGP__POLICY_STAT(name, tvgp__multi_prior_ucb, s, expression, before)
STAT(stat_living, s->models.living, tvgp__multi_prior_ucb_size(p))
STAT(stat_spoke, p->counts.asked ? (double)s->spoke : -1, -1)
STAT(stat_spared, s->spared, 0)
STAT(stat_widened, most(s, widened), 0)
STAT(stat_dropped, most(s, dropped), 0)

const tvgp__stat tvgp__multi_prior_ucb_stats[TVGP__MULTI_PRIOR_UCB_STATS] = {
    {"priors.alive", TVGP__TEXT("Number of priors in use."), stat_living, TVGP_STAT_LEARNED, ""},
    {"prior.last", TVGP__TEXT("Prior that chose the last action. -1 before the first."), stat_spoke, TVGP_STAT_LEARNED, ""},
    {"prior.waived_rejections", TVGP__TEXT("Number of tests that the last remaining prior failed; it stays in use."),
     stat_spared, TVGP_STAT_COUNTER, ""},
    {"delay.approximated",
     TVGP__TEXT(
         "Number of outcomes delayed by more than delay.exact_observations, of the prior in use with most; their noise was "
         "raised."),
     stat_widened, TVGP_STAT_DIAGNOSTIC, ""},
    {"rows.dropped", TVGP__TEXT("Number of observations removed one by one on a box, of the prior in use with most."),
     stat_dropped, TVGP_STAT_DIAGNOSTIC, ""},
};

#define SERIES(name, expression, before)                                                                                    \
    static double name(const tvgp_policy *p, size_t i) {                                                                    \
        const tvgp__multi_prior_ucb *s = p->state;                                                                          \
        return s ? (double)(expression) : (double)(before);                                                                 \
    }
/* Before there are data. */
static double first_share(const tvgp_policy *p, size_t i) {
    return tvgp__prior_weight(p, i) / tvgp__prior_total_weight(p);
}

SERIES(series_weight, s->weight[i], first_share(p, i))
SERIES(series_evidence, tvgp__models_log_evidence(&s->models, i), 0)
SERIES(series_chosen, s->record[i].chosen, 0)
SERIES(series_alive, tvgp__multi_prior_ucb_alive(s, i), 1)
SERIES(series_statistic, shown(p, s->record[i].statistic), 0)
SERIES(series_threshold, shown(p, s->record[i].threshold), 0)
SERIES(series_end_step, s->record[i].end_step, 0)
SERIES(series_end_time, s->record[i].end_time, INFINITY)

const tvgp__stat_series tvgp__multi_prior_ucb_series[TVGP__MULTI_PRIOR_UCB_SERIES] = {
    {"prior.alive.0", TVGP__TEXT("Whether prior i is in use. 1: yes."), series_alive, tvgp__multi_prior_ucb_size,
     TVGP_STAT_LEARNED, ""},
    {"prior.weight.0", TVGP__TEXT("Posterior probability of prior i among those in use."), series_weight,
     tvgp__multi_prior_ucb_size, TVGP_STAT_LEARNED, ""},
    {"prior.log_marginal_likelihood.0", TVGP__TEXT("Log marginal likelihood of prior i; if it was rejected, at that time."),
     series_evidence, tvgp__multi_prior_ucb_size, TVGP_STAT_DIAGNOSTIC, "nats"},
    {"prior.chosen.0", TVGP__TEXT("Number of actions that prior i chose."), series_chosen, tvgp__multi_prior_ucb_size,
     TVGP_STAT_COUNTER, ""},
    {"prior.statistic.0", TVGP__TEXT("Statistic of the last test of prior i."), series_statistic, tvgp__multi_prior_ucb_size,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"prior.threshold.0", TVGP__TEXT("Threshold of prior.statistic beyond which prior i is rejected."), series_threshold,
     tvgp__multi_prior_ucb_size, TVGP_STAT_DIAGNOSTIC, ""},
    {"prior.end_step.0", TVGP__TEXT("Number of actions asked when prior i was rejected. 0: in use."), series_end_step,
     tvgp__multi_prior_ucb_size, TVGP_STAT_DIAGNOSTIC, ""},
    {"prior.end_time.0", TVGP__TEXT("Time at which prior i was rejected. inf: in use."), series_end_time,
     tvgp__multi_prior_ucb_size, TVGP_STAT_DIAGNOSTIC, "time"},
};

const tvgp__policy_priors tvgp__multi_prior_ucb_priors = {
    .add = tvgp__multi_prior_ucb_add, .follow = 1, .weights = offsetof(tvgp__multi_prior_ucb_config, weights)};
