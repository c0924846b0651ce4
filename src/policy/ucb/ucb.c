/* SPDX-License-Identifier: MIT */
/* The common part of the policies that choose by an upper confidence bound: the action with the highest prior mean + mean +
 * width sd wins (policy/ucb/ucb.h). */
#include "policy/ucb/ucb.h"

#include "base/error.h"
#include "base/memory.h"
#include "policy/ucb/maximise.h"
#include "protocol/before_start.h"
#include "protocol/policy_options.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

const tvgp__option tvgp__ucb_options[TVGP__UCB_OPTIONS] = {
    {"noise", TVGP_F64, 0, offsetof(tvgp__ucb_config, noise), 0.01, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Noise variance of an observation, in units of the reward squared.")},
    {"outlier.sd", TVGP_F64, 0, offsetof(tvgp__ucb_config, outlier_sd), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Distance from its prediction beyond which an outcome counts as if it were there, in predictive standard "
                "deviations. "
                "0: no limit.")},
};

const tvgp__option tvgp__ucb_late_options[TVGP__UCB_LATE_OPTIONS] = {
    {"delay.exact_observations", TVGP_I64, 0, offsetof(tvgp__ucb_late, limit), 64, 0, 65536, NULL,
     TVGP__TEXT("Number of later observations up to which a delayed outcome is processed exactly; beyond, it counts as an "
                "observation "
                "of the present with more noise.")},
};

const tvgp__option tvgp__ucb_rank_options[TVGP__UCB_RANK_OPTIONS] = {
    {"rank.tolerance", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(tvgp__ucb_rank, tolerance), 0.01, 0, 1, NULL,
     TVGP__TEXT("Variance of an arm that the features may leave out and that counts as noise, in noise variances; at most a "
                "thousandth "
                "of the largest variance (arms). 0: round-off only.")},
    {"rank.limit", TVGP_I64, TVGP_OPTION_ADVANCED, offsetof(tvgp__ucb_rank, limit), 256, 0, 0x1p31, NULL,
     TVGP__TEXT("Number of features beyond which they may leave out a hundredth of the largest variance; on a box the "
                "support points "
                "of a learned static kernel are limited to three quarters of it. 0: no limit.")},
};

const tvgp__option tvgp__box_options[TVGP__BOX_OPTIONS] = {
    {"forget.tolerance", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(tvgp__box_config, tolerance), 1e-3, 0, 1, NULL,
     TVGP__TEXT("Change of mean and sd, in noise standard deviations, below which an old observation is removed (boxes). 0: "
                "never.")},
    {"rows.limit", TVGP_I64, 0, offsetof(tvgp__box_config, limit), 2048, 0, 0x1p31, NULL,
     TVGP__TEXT("Largest number of observations (auto-gp-ucb: support points) held on a box; beyond it the oldest is "
                "forgotten. 0: no "
                "limit.")},
};

static const char *const rules[] = {"ucb", "thompson", NULL};

const tvgp__option tvgp__choice_options[TVGP__CHOICE_OPTIONS] = {
    {"choice", TVGP_STR, 0, offsetof(tvgp__choice_config, rule), TVGP__CHOICE_UCB, 0, 0, rules,
     TVGP__TEXT(
         "Rule of choice: ucb: highest mean + exploration coefficient x sd; thompson: best arm of one joint posterior draw, "
         "limited to that coefficient if a width.* is set.")},
    {"propensity.draws", TVGP_I64, TVGP_OPTION_ADVANCED, offsetof(tvgp__choice_config, draws), 256, 0, 0x1p20, NULL,
     TVGP__TEXT(
         "Number of further draws that estimate the propensity of a choice with choice=thompson. 0: unknown propensity.")},
};

tvgp__posterior_spec tvgp__ucb_spec(const tvgp_policy *p, const tvgp_kernel *kernel, double noise) {
    const tvgp__ucb_config *c = p->config;
    return (tvgp__posterior_spec){.ctx = p->ctx,
                                  .policy = p->ops->name,
                                  .domain = p->domain,
                                  .kernel = kernel,
                                  .noise = noise,
                                  .rank = {.tolerance = c->rank.tolerance, .limit = (size_t)c->rank.limit},
                                  .rows = (size_t)c->box.limit,
                                  .learned = c->learn.fit != 0};
}

tvgp_status tvgp__ucb_make(void *policy, const tvgp_kernel *kernel, double rate, double noise,
                           tvgp__basis_progress *progress, tvgp__posterior **out) {
    (void)progress;
    const tvgp_policy *p = policy;
    tvgp__posterior_spec spec = tvgp__ucb_spec(p, kernel, noise);
    TVGP__TRY(TVGP__POLICY_OP(p->ops, spec)(p, rate, &spec));
    return tvgp__posterior_make(&spec, out);
}

/* A width option that the schedule does not read is an error. */
static tvgp_status check_width(const tvgp_policy *p) {
    const tvgp__ucb_config *c = p->config;
    const char *schedule = "";
    if (c->width.schedule == TVGP__EXPLORATION_SCHEDULE_CONSTANT || !tvgp__policy_options_was_set(p, "width.value"))
        return TVGP_OK;
    TVGP__TRY(tvgp__option_get_str(p->ctx, p->ops->groups, p->ops->n_groups, c, "width.schedule", &schedule));
    return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                           "option 'width.value' = %g needs width.schedule=constant, but that is '%s'", c->width.value,
                           schedule);
}

tvgp_status tvgp__ucb_start(tvgp_policy *p, tvgp__posterior *posterior) {
    tvgp__ucb *u = p->state;
    u->posterior = posterior;
    TVGP__TRY(check_width(p));
    if (tvgp__product_measured(p->domain) && tvgp__ucb_draws(p))
        return tvgp__error_set(
            p->ctx, TVGP_ERR_UNSUPPORTED,
            "option 'choice' = thompson draws from the arms of a finite set, and this domain has measured contexts");
    u->reset_time = u->monitor.asked = -INFINITY;
    if (!tvgp__domain_has_arms(p->domain))
        return tvgp__maximise_room(p);
    return tvgp__memory_alloc(p->ctx, p->domain->n, sizeof *u->score, &u->score);
}

void tvgp__ucb_release(tvgp_policy *p) {
    tvgp__ucb *u = p->state;
    if (u->learner)
        tvgp__learner_free(u->learner);
    else
        tvgp__posterior_free(u->posterior);
    tvgp__time_unit_free(p->ctx, u->time_unit);
    tvgp__memory_free(p->ctx, u->score);
    tvgp__maximise_release(p);
    tvgp__thompson_free(p->ctx, u->thompson);
    tvgp__memory_free(p->ctx, u->columns);
    tvgp__memory_free(p->ctx, u->shrunk);
    tvgp__memory_free(p->ctx, u->pending_arm);
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__ucb_reach(tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    TVGP__TRY(tvgp__maximise_open(p));
    return u->pending.n ? tvgp__posterior_reach(u->posterior, &u->pending) : TVGP_OK;
}

static tvgp__posterior *posterior(const tvgp_policy *p, size_t prior) {
    (void)prior;
    return ((const tvgp__ucb *)p->state)->posterior;
}

/* Its posterior is all that counts. */
static void fill_in(const tvgp_policy *p, tvgp__rule_term *term) {
    term->posterior = ((const tvgp__ucb *)p->state)->posterior;
    term->mean = &p->mean;
    term->weight = 1;
}

/* To time t, where an ask may begin with a reset. */
static void move(tvgp_policy *p, double t) {
    const tvgp__ucb *u = p->state;
    tvgp__outlier_monitor_ask(p, t);
    if (u->every)
        tvgp__ucb_restart(p, t);
    u->posterior->ops->advance(u->posterior, t);
}

/* On arms nothing can fail any more, and all goes on to time t before it is scored; elsewhere the unit of time stays only if the
 * search comes to an end. */
static tvgp_status look(tvgp_policy *p, double t, tvgp__chosen *chosen) {
    const tvgp__ucb *u = p->state;
    const int marks = u->box_search && u->time_unit;
    tvgp__time_unit_mark before;
    if (!u->box_search) {
        if (u->time_unit)
            tvgp__time_unit_ask(p, t);
        move(p, t);
    }
    if (marks)
        TVGP__TRY(tvgp__time_unit_open(p, t, &before));
    tvgp__rule_term term;
    fill_in(p, &term);
    tvgp_status status = tvgp__maximise_choose(p, t, 1, &term, 0, 0, chosen);
    if (marks)
        tvgp__time_unit_close(p, t, &before, status);
    return status;
}

/* Learns, then chooses; what was learned stays only if the choice comes to an end. */
static tvgp_status choose(tvgp_policy *p, double t, tvgp__chosen *chosen) {
    const tvgp__ucb *u = p->state;
    tvgp__learner *learner = u->learner;
    TVGP__TRY(tvgp__ucb_reach(p));
    if (!learner)
        return look(p, t, chosen);
    TVGP__TRY(tvgp__learner_step(learner, p->counts.asked, tvgp__ucb_restarts(p), &u->pending));
    const tvgp_status status = look(p, t, chosen);
    tvgp__learner_end(learner, status);
    return status;
}

tvgp_status tvgp__ucb_ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__ucb *u = p->state;
    (void)cap;
    out->x = NULL;
    TVGP__TRY(choose(p, t, out));
    tvgp__maximise_agree(p, out, posterior);
    tvgp__maximise_complete(p, out);
    if (u->box_search) {
        move(p, t);
        if (p->counts.asked % TVGP__UCB_PRUNE_EVERY == 0)
            tvgp__posterior_prune_quietly(u->posterior, c->box.tolerance, out->noise / out->spread);
    }
    *n = 1;
    return TVGP_OK;
}

tvgp_status tvgp__ucb_best(tvgp_policy *p, double t, double *x) {
    const tvgp__ucb_config *c = p->config;
    if (!p->state)
        return tvgp__before_start_best(p, &c->box.search, (uint64_t)c->common.seed, x);
    tvgp__rule_term term;
    fill_in(p, &term);
    return tvgp__maximise_best(p, t, 1, &term, x);
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__ucb_prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    const tvgp__ucb *u = p->state;
    tvgp__posterior *post = u->posterior;
    (void)answers;
    if (u->time_unit)
        TVGP__TRY(tvgp__time_unit_prepare(p, n));
    return u->learner ? tvgp__learner_prepare(u->learner, &p->work.batch) : post->ops->prepare(post, &p->work.batch);
}

int tvgp__ucb_observes(const tvgp__ucb *u, const tvgp__answer *a) {
    return a->outcome == TVGP_VALUE && (!a->step || a->step > u->reset_step);
}

void tvgp__ucb_learn(tvgp_policy *p, const tvgp__answer *a, double y, double noise) {
    const tvgp__observation o = {.t = a->t, .y = y, .noise = noise, .assumed = a->assumed};
    tvgp__learner_observe(tvgp__ucb_learner(p), &p->work.batch, a->index, &o);
}

/* Whether an outcome was predicted, and as what (policy/ucb/outlier_monitor.h). Reads since the last ask make no difference.
 */
static int predicted(const tvgp_policy *p, const tvgp__answer *a, double *mean, double *var) {
    const tvgp__ucb *u = p->state;
    tvgp__posterior *post = u->posterior;
    const int anywhere = u->box_search != NULL, at_ask = anywhere || tvgp__posterior_waits(post);
    if (at_ask && a->step) {
        *mean = a->mean;
        *var = a->sd * a->sd;
        return tvgp__ucb_predicts(p, a->step);
    }
    if (anywhere || (tvgp__posterior_waits(post) && !tvgp__outlier_monitor_limits(p)) || !tvgp__ucb_predicts(p, 0))
        return 0;
    tvgp__posterior_finish(post);
    tvgp__posterior_arm(post, a->arm, mean, var);
    *mean += post->origin;
    return 1;
}

/* How far an arm that has this mean is below the largest of those that may be asked, in its context. */
static double behind(const tvgp_policy *p, tvgp__posterior *post, size_t arm, double mean) {
    const uint8_t *mask = p->available.allowed;
    const size_t contexts = p->available.contexts ? p->available.contexts : 1;
    const double *of_arm;
    double most = -INFINITY;
    tvgp__posterior_bounds(post, &of_arm, NULL, NULL);
    for (size_t i = arm % contexts; i < post->n; i += contexts)
        if (!mask || mask[i])
            most = fmax(most, of_arm[i] + tvgp__mean_function_at(&p->mean, i));
    return most - mean;
}

static void calibrate(tvgp_policy *p, const tvgp__answer *a, double y) {
    tvgp__ucb *u = p->state;
    tvgp__posterior *post = u->posterior;
    double mean, var;
    tvgp__posterior_finish(post);
    tvgp__posterior_arm(post, a->arm, &mean, &var);
    tvgp__calibration_note(&u->calibration, behind(p, post, a->arm, mean + a->prior_mean), y - post->origin - mean,
                           fmax(var, 0), tvgp__ucb_noise(p));
}

void tvgp__ucb_take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__ucb *u = p->state;
    tvgp__posterior *post = u->posterior;
    if (!tvgp__ucb_observes(u, a)) {
        u->ignored += a->outcome == TVGP_VALUE;
        return;
    }
    if (u->time_unit)
        tvgp__time_unit_take(p, a);
    if (a->t > post->now)
        post->ops->advance(post, a->t);
    const size_t contexts = p->available.contexts;
    if (contexts)
        tvgp__posterior_attend(post, (int64_t)(a->arm % contexts));
    double y = a->y - a->prior_mean, noise = isnan(a->noise) ? tvgp__ucb_noise(p) : a->noise, mean, var;
    double taken =
        !a->assumed && predicted(p, a, &mean, &var) ? tvgp__outlier_monitor_answer(p, y, mean, var, noise) : noise;
    if ((u->learner || !isnan(post->learned.noise)) && isnan(a->noise) && taken == noise)
        taken = NAN; /* the learned one, whatever it will be */
    if (u->calibration.on && !post->learned.vague && !a->assumed)
        calibrate(p, a, y);
    if (contexts)
        tvgp__posterior_attend(post, -1);
    if (a->exposure > 0 && tvgp__ucb_counts(p, a))
        tvgp__posterior_observe_count(post, &p->work.batch, a->index, a->t, a->count, a->exposure, a->prior_mean);
    else if (u->learner)
        tvgp__ucb_learn(p, a, y, taken);
    else
        tvgp__posterior_observe(post, &p->work.batch, a->index, a->t, y, taken, a->assumed);
    if (u->time_unit)
        tvgp__time_unit_note(p, a, y, taken);
    if (p->guards)
        tvgp__history_prior_note(p, a, isnan(a->noise) && taken == noise ? NAN : taken);
}

/* The unit of time may still change: it then tells these. */
void tvgp__ucb_rebuild(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    const tvgp__ucb *u = p->state;
    tvgp__posterior *post = u->posterior;
    post->ops->reset(post);
    post->now = -INFINITY;
    tvgp__time_unit_forget(p);
    for (size_t i = 0; i < n; i++) {
        const tvgp__answer *a = &answers[i];
        const double y = a->y - a->prior_mean, noise = isnan(a->noise) ? tvgp__ucb_noise(p) : a->noise;
        if (a->t > post->now)
            post->ops->advance(post, a->t);
        tvgp__posterior_observe(post, &p->work.batch, i, a->t, y, noise, a->assumed);
        if (u->time_unit)
            tvgp__time_unit_note(p, a, y, noise);
    }
}

/* ---- predictions and statistics --------------------------------------------------------------------------------- */

tvgp_status tvgp__ucb_at(const tvgp_policy *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    tvgp__posterior *post = ((const tvgp__ucb *)p->state)->posterior;
    tvgp__posterior_at(post, t, n, arm, mean, var);
    return TVGP_OK;
}

tvgp_status tvgp__ucb_predict(tvgp_policy *p, double t, size_t n, const double *X, const tvgp__predictive_values *out) {
    tvgp__posterior *post = ((tvgp__ucb *)p->state)->posterior;
    if (out->dmean && !post->ops->predictive)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the posterior of policy '%s' gives no gradients",
                               p->ops->name);
    return tvgp__posterior_values(post, t, n, X, out);
}

static const tvgp__posterior *finished(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    if (u->fitted)
        u->fitted->finish(p);
    tvgp__posterior_finish(u->posterior);
    return u->posterior;
}

/* Statistics read the state, which exists from the first ask or tell on; before that they are 0. */
#define STAT(name, expression) TVGP__POLICY_STAT(name, tvgp__ucb, u, expression, 0)
STAT(stat_width, u->width)
STAT(stat_mean, tvgp__policy_out(p, u->mean))
STAT(stat_sd, u->sd)
STAT(stat_observations, finished(p)->counts.observations)
STAT(stat_rank, finished(p)->counts.rank)
STAT(stat_log_evidence, finished(p)->log_marginal_likelihood)
STAT(stat_information_gain, 0.5 * finished(p)->log_det_ratio)
STAT(stat_jitter, finished(p)->counts.jitter)
STAT(stat_resets, u->resets)
STAT(stat_reset_step, u->reset_step)
STAT(stat_ignored, u->ignored)
STAT(stat_surprise, tvgp__outlier_monitor_surprise(&u->monitor))
STAT(stat_outliers, u->monitor.outliers)
STAT(stat_widened, u->posterior->counts.widened)
STAT(stat_log, (u->learner ? tvgp__learner_logged(u->learner) : finished(p)->counts.logged) + u->kept +
                   (u->time_unit ? u->time_unit->log.n : 0))

TVGP__POLICY_STAT(stat_reset_time, tvgp__ucb, u, u->reset_time, -INFINITY)

const tvgp__stat tvgp__ucb_stats[TVGP__UCB_STATS] = {
    {"width", TVGP__TEXT("Exploration coefficient of the last choice."), stat_width, TVGP_STAT_DIAGNOSTIC, ""},
    {"mean", TVGP__TEXT("Posterior mean of the last choice, relative to the prior mean."), stat_mean, TVGP_STAT_DIAGNOSTIC,
     "reward"},
    {"sd", TVGP__TEXT("Posterior standard deviation of the last choice."), stat_sd, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"observations", TVGP__TEXT("Number of observations in use."), stat_observations, TVGP_STAT_DIAGNOSTIC, ""},
    {"rank", TVGP__TEXT("Number of columns or features on which the cost of a step depends."), stat_rank,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"log_marginal_likelihood", TVGP__TEXT("Log marginal likelihood of the observations in use."), stat_log_evidence,
     TVGP_STAT_DIAGNOSTIC, "nats"},
    {"information_gain", TVGP__TEXT("Information gain of the observations in use, 1/2 log det(I + Sigma^-1 K)."),
     stat_information_gain, TVGP_STAT_DIAGNOSTIC, "nats"},
    {"jitter", TVGP__TEXT("Number of times that jitter was added to a singular system."), stat_jitter, TVGP_STAT_COUNTER,
     ""},
    {"resets", TVGP__TEXT("Number of times that all observations were forgotten."), stat_resets,
     TVGP_STAT_HEADLINE | TVGP_STAT_COUNTER, ""},
    {"reset.step", TVGP__TEXT("Number of actions asked before the last reset."), stat_reset_step, TVGP_STAT_DIAGNOSTIC, ""},
    {"reset.time", TVGP__TEXT("Time of the last reset. -inf before the first."), stat_reset_time, TVGP_STAT_DIAGNOSTIC,
     "time"},
    {"ignored", TVGP__TEXT("Number of outcomes of queries asked before a reset."), stat_ignored, TVGP_STAT_COUNTER, ""},
    {"surprise",
     TVGP__TEXT("Mean of the last 32 squared standardised residuals (normalised innovation squared); about 1 if the model "
                "is right."),
     stat_surprise, TVGP_STAT_HEADLINE, ""},
    {"observations.stored", TVGP__TEXT("Number of observations kept unchanged so that the posterior can be computed again."),
     stat_log, TVGP_STAT_DIAGNOSTIC, ""},
    {"outliers", TVGP__TEXT("Number of outcomes whose noise was raised because of outlier.sd."), stat_outliers,
     TVGP_STAT_COUNTER, ""},
};

static double dropped(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    return u && u->box_search && u->posterior ? (double)u->posterior->counts.dropped : 0;
}

const tvgp__stat tvgp__box_stats[TVGP__BOX_STATS] = {
    {"rows.dropped",
     TVGP__TEXT("Number of observations removed one by one on a box, by forget.tolerance, rows.limit or a window."), dropped,
     TVGP_STAT_DIAGNOSTIC, ""},
};

const tvgp__stat_series tvgp__ucb_series[TVGP__UCB_SERIES] = {TVGP__LEARN_SERIES_ENTRY, TVGP__HISTORY_PRIOR_SERIES_ENTRY};

const tvgp__stat tvgp__ucb_late_stats[TVGP__UCB_LATE_STATS] = {
    {"delay.approximated",
     TVGP__TEXT("Number of outcomes delayed by more than delay.exact_observations; their noise was raised."), stat_widened,
     TVGP_STAT_DIAGNOSTIC, ""},
};
