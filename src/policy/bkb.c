/* SPDX-License-Identifier: MIT */
/* BKB (Calandriello, Carratino, Lazaric, Valko, Rosasco 2019, "Gaussian process optimization with adaptive sketching",
 * fig. 1): an upper confidence bound on the Nystrom posterior (model/nystrom.h). After each choice every earlier
 * play enters the next dictionary with probability min(1, qbar sd^2(x_s)), by the standard deviations used for the
 * choice, sd^2 = var / lambda. The coefficient multiplies that sd; here it is divided by sqrt(lambda) instead, so that score =
 * mean + coefficient sqrt(var):
 *   2 xi sqrt(alpha ln(kappa^2 t) sum_s sd^2(x_s) + ln(1/delta)) + (1 + 1/sqrt(1-accuracy)) sqrt(lambda) F
 * with alpha = (1 + accuracy) / (1 - accuracy), t plays and kappa^2 the largest prior variance.
 * Lazy variant (Calandriello et al. 2020, "Near-linear time Gaussian process optimization with adaptive batching and resparsification"): the
 * dictionary stays while 1 + sum of sd^2 at later plays, by the posterior it was drawn for, is below `update.growth`.
 * A dictionary of all plays gives the exact posterior (model/arm_columns.h), which is kept until a dictionary costs less.
 */
#include "policy/bkb.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/random_stream.h"
#include "base/valid_range.h"
#include "model/nystrom.h"
#include "policy/builtin.h"
#include "policy/random_arm.h"
#include "policy/ucb/ucb.h"
#include "space/kernel/time.h"

#include <math.h>
#include <string.h>

enum { WIDTH_BKB = TVGP__EXPLORATION_SCHEDULE_SCHEDULES }; /* one more schedule than the family has */

typedef struct {
    tvgp__ucb_config ucb;
    double lambda, qbar, accuracy, growth;
    int64_t window, every;
    int32_t exact;
    tvgp__bkb_uniform uniform; /* NULL: the library's stream */
    void *user;
} config;

typedef struct {
    tvgp__ucb ucb;
    tvgp__nystrom *dict; /* its posterior */
    double lambda;
    uint64_t drawn; /* dictionaries so far */
    double growth;  /* 1 + sum of variances since the last */
    struct plan {
        size_t forgotten, members; /* oldest pulls that go; size of the next dictionary, 0: the present one stays */
        double growth;
    } plan;          /* of the batch being reported */
    size_t *members; /* planned; room for one per distinct arm */
    size_t member_slots;
    uint8_t *marked; /* of each point: already among the members */
    size_t marked_slots;
} state;

enum { EXACT_AUTO, EXACT_OFF };
static const char *const exacts[] = {"auto", "off", NULL};
static const char *const schedules[] = {TVGP__EXPLORATION_SCHEDULE_SCHEDULE_NAMES, "bkb", NULL};

static const tvgp__option own[] = {
    {"width.schedule", TVGP_STR, 0, offsetof(config, ucb.width.schedule), WIDTH_BKB, 0, 0, schedules,
     TVGP__TEXT("Schedule of the exploration coefficient; bkb: from width.bound, width.subgauss, width.delta and "
                "dictionary.accuracy.")},
    {"lambda", TVGP_F64, 0, offsetof(config, lambda), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Regularisation: noise variance that the posterior assumes. 0: the option noise.")},
    {"qbar", TVGP_F64, 0, offsetof(config, qbar), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Oversampling of the dictionary, in practice 5 to 20. 0: 6 alpha ln(4 horizon / width.delta) / "
                "dictionary.accuracy^2.")},
    {"dictionary.accuracy", TVGP_F64, TVGP_OPTION_OPEN_LOWER | TVGP_OPTION_OPEN_UPPER, offsetof(config, accuracy), 0.5, 0, 1,
     NULL, TVGP__TEXT("Accuracy of the dictionary for the schedule bkb and for qbar=0.")},
    {"update.growth", TVGP_F64, 0, offsetof(config, growth), 1, 1, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Value of 1 + sum of the variances of the pulls since the last draw up to which a dictionary is kept. 1: "
                "drawn after "
                "every outcome.")},
    {"dictionary.exact", TVGP_STR, 0, offsetof(config, exact), EXACT_AUTO, 0, 0, exacts,
     TVGP__TEXT("Use of the exact posterior: auto: until a dictionary would be cheaper (not with window); off: never.")},
    {"window", TVGP_I64, 0, offsetof(config, window), 0, 0, 0x1p31, NULL,
     TVGP__TEXT("Number of newest observations kept. 0: all.")},
    {"reset.every", TVGP_I64, 0, offsetof(config, every), 0, 0, 0x1p53, NULL,
     TVGP__TEXT("Number of actions between resets. 0: no resets.")},
};

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static double qbar(const tvgp_policy *p) {
    const config *c = p->config;
    if (c->qbar > 0)
        return c->qbar;
    double horizon = c->ucb.width.horizon ? (double)c->ucb.width.horizon : fmax((double)p->counts.asked, 1);
    double alpha = (1 + c->accuracy) / (1 - c->accuracy);
    return 6 * alpha * log(4 * horizon / c->ucb.width.delta) / (c->accuracy * c->accuracy);
}

static double width(const tvgp_policy *p) {
    const config *c = p->config;
    const state *s = p->state;
    double alpha = (1 + c->accuracy) / (1 - c->accuracy), t = fmax((double)s->dict->pulls.n, 1);
    double xi = c->ucb.width.subgauss > 0 ? c->ucb.width.subgauss : sqrt(c->ucb.noise);
    double learned = alpha * log(s->dict->base.largest * t) * tvgp__nystrom_dimension(s->dict) - log(c->ucb.width.delta);
    return 2 * xi * sqrt(fmax(learned, 0) / s->lambda) + (1 + 1 / sqrt(1 - c->accuracy)) * c->ucb.width.bound;
}

/* ---- dictionary ------------------------------------------------------------------------------------------------- */

/* Whether the k-th draw is below this; a number is drawn only where it can tell. */
static int enters(const config *c, const tvgp__random_stream *stream, uint64_t dictionary, size_t k, double probability) {
    if (probability >= 1 || !(probability > 0))
        return probability >= 1;
    return (c->uniform ? c->uniform(c->user, dictionary, k) : tvgp__random_stream_uniform_at(stream, k)) < probability;
}

/* Draws the next dictionary for n pulls by the present variances, leaving out the `forgotten` oldest pulls. */
static size_t draw(tvgp_policy *p, size_t n, size_t forgotten) {
    const config *c = p->config;
    state *s = p->state;
    const tvgp__nystrom *d = s->dict;
    const tvgp__random_stream stream =
        tvgp__random_stream_open((uint64_t)c->ucb.common.seed, TVGP__RANDOM_STREAM_DICTIONARY, s->drawn);
    const double q = qbar(p);
    size_t m = 0;
    for (size_t i = forgotten; i < n; i++) {
        size_t arm = d->pulls.list[i].arm;
        double precision = 1 / d->pulls.list[i].noise;
        if (s->marked[arm] || !enters(c, &stream, s->drawn, i, q * precision * tvgp__nystrom_variance(d, arm, 0)))
            continue;
        s->marked[arm] = 1;
        s->members[m++] = arm;
    }
    if (!m && n)
        s->members[m++] = d->pulls.list[n - 1].arm;
    for (size_t i = 0; i < m; i++)
        s->marked[s->members[i]] = 0;
    return m;
}

/* Whether the exact posterior costs more columns a step than a dictionary drawn now would: m of them when it is kept, up to
 * m^2 when it is fitted, for the m that are to be expected. */
static int outgrown(const tvgp_policy *p) {
    const config *c = p->config;
    const state *s = p->state;
    const tvgp__nystrom *d = s->dict;
    const double *var;
    double q = qbar(p), m = 0;
    tvgp__posterior_bounds(&s->dict->base, NULL, &var, NULL);
    for (size_t i = 0; i < d->distinct; i++)
        m += fmin(1, q * d->arms[i].precision * fmax(var[d->arms[i].arm], 0));
    m = fmax(m, 1);
    return (double)d->base.counts.rank > (c->growth > 1 ? 2 * m : m * m);
}

/* Takes in the pulls that the posterior does not know yet, as planned. */
static void end_batch(tvgp_policy *p) {
    state *s = p->state;
    tvgp__nystrom *d = s->dict;
    if (d->pulls_known == d->pulls.n)
        return;
    s->growth = s->plan.growth;
    if (!s->plan.members) {
        tvgp__nystrom_condition(d);
        return;
    }
    tvgp__nystrom_fit(d, s->plan.forgotten, s->plan.members, s->members);
    s->drawn++;
    s->growth = 1;
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    state *s = p->state;
    tvgp__posterior_spec spec = tvgp__ucb_spec(p, p->kernel, c->ucb.noise);
    tvgp__posterior *posterior = NULL;
    if (tvgp__time_is(p->kernel))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "bkb does not move in time: a kernel over time needs tv-gp-ucb or ui-gp-ucb; "
                               "under drift use bkb with window or reset.every");
    spec.sketched = 1;
    TVGP__TRY(tvgp__posterior_make(&spec, &posterior));
    s->dict = (tvgp__nystrom *)posterior;
    TVGP__TRY(tvgp__ucb_start(p, posterior));
    s->lambda = tvgp__posterior_noise(posterior, c->lambda > 0 ? c->lambda : c->ucb.noise);
    s->growth = 1;
    s->ucb.every = c->every;
    if (s->dict->fixed && c->exact == EXACT_AUTO && !c->window)
        TVGP__TRY(tvgp__nystrom_begin_exact(s->dict));
    if (c->ucb.width.schedule == WIDTH_BKB)
        s->ucb.own_width = width;
    s->dict->keeps = c->growth > 1;
    return TVGP_OK;
}

static void release(tvgp_policy *p) {
    state *s = p->state;
    tvgp__ucb_release(p);
    tvgp__memory_free(p->ctx, s->members);
    tvgp__memory_free(p->ctx, s->marked);
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    state *s = p->state;
    int64_t drawn = (int64_t)s->drawn;
    tvgp__ucb_visit(p, v);
    tvgp__visit_tally(v, &drawn);
    s->drawn = (uint64_t)drawn;
    tvgp__visit_real(v, &s->growth, 0, INFINITY);
}

/* On arms the first one is drawn uniformly: before any observation all are equal, except for the switching cost. */
static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    state *s = p->state;
    TVGP__TRY(tvgp__ucb_ask(p, t, cap, out, n));
    if (!s->dict->fixed || s->dict->pulls.n || tvgp__guard_shifted(&p->terms, tvgp__random_arm_draw(p)) < 0)
        return TVGP_OK;
    out->index = tvgp__random_arm_draw(p);
    out->score = s->ucb.score[out->index];
    out->score = tvgp__rule_unshift(&p->terms.offsets, 0, out->score, 0, out->index);
    out->propensity = 1 / (double)p->available.count;
    tvgp__posterior_exact(&s->dict->base, 1, &out->index, NULL, &s->ucb.sd);
    out->sd = s->ucb.sd = sqrt(s->ucb.sd);
    return TVGP_OK;
}

static double noise_of(const state *s, const tvgp__answer *a) {
    return isnan(a->noise) ? s->lambda : a->noise;
}

/* Notes the pulls of a batch behind those there are; their number in all. */
static tvgp_status foresee(const tvgp_policy *p, size_t n, const tvgp__answer *answers, size_t *pulls) {
    const state *s = p->state;
    tvgp__nystrom *d = s->dict;
    *pulls = d->pulls.n;
    for (size_t i = 0; i < n; i++) {
        if (!tvgp__ucb_observes(&s->ucb, &answers[i]))
            continue;
        const double *x = d->fixed ? NULL : p->work.batch.X + answers[i].index * p->domain->dim;
        const size_t point = d->fixed ? answers[i].arm : *pulls;
        TVGP__TRY(tvgp__nystrom_note(d, *pulls, point, answers[i].y, noise_of(s, &answers[i]), x));
        ++*pulls;
    }
    return TVGP_OK;
}

/* Room for a draw among this many pulls. */
static tvgp_status make_room(tvgp_policy *p, size_t pulls) {
    state *s = p->state;
    const size_t points = s->dict->fixed ? p->domain->n : pulls,
                 distinct = s->dict->fixed ? s->dict->distinct + pulls - s->dict->pulls.n : pulls;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, points, sizeof *s->marked, &s->marked, &s->marked_slots));
    return tvgp__memory_reserve(p->ctx, distinct, sizeof *s->members, &s->members, &s->member_slots);
}

/* What a batch leads to does not depend on the values: points, noises and present variances decide it. */
static tvgp_status prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    const config *c = p->config;
    state *s = p->state;
    tvgp__nystrom *d = s->dict;
    size_t pulls;
    TVGP__TRY(tvgp__ucb_prepare(p, n, answers));
    TVGP__TRY(foresee(p, n, answers, &pulls));
    s->plan = (struct plan){.forgotten = c->window && pulls > (size_t)c->window ? pulls - (size_t)c->window : 0,
                            .growth = s->growth};
    for (size_t i = d->pulls_known; c->growth > 1 && i < pulls; i++)
        s->plan.growth += fmax(tvgp__nystrom_variance(d, d->pulls.list[i].arm, 1), 0) / d->pulls.list[i].noise;
    if (!pulls)
        return TVGP_OK;
    if (d->exact ? !outgrown(p) : d->members && !s->plan.forgotten && s->plan.growth < c->growth)
        return TVGP_OK;
    TVGP__TRY(make_room(p, pulls));
    s->plan.members = draw(p, pulls, s->plan.forgotten);
    return tvgp__nystrom_prepare(d, pulls - d->pulls.n, s->plan.members, s->members);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__answer regularised = *a;
    regularised.noise = noise_of(p->state, a);
    tvgp__ucb_take(p, &regularised);
}

void tvgp__bkb_feed(tvgp_policy *p, tvgp__bkb_uniform uniform, void *user) {
    config *c = p->config;
    c->uniform = uniform;
    c->user = user;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression) TVGP__POLICY_STAT(name, state, s, expression, 0)
STAT(stat_dictionary, s->dict->exact ? s->dict->distinct : s->dict->members)
STAT(stat_exact, s->dict->exact != NULL)
STAT(stat_drawn, s->drawn)
STAT(stat_distinct, s->dict->distinct)
STAT(stat_dimension, tvgp__nystrom_dimension(s->dict))

static const tvgp__stat own_stats[] = {
    {"dictionary.size", TVGP__TEXT("Number of arms in the dictionary; of the exact posterior all arms observed."),
     stat_dictionary, TVGP_STAT_DIAGNOSTIC, ""},
    {"posterior.exact", TVGP__TEXT("Whether the posterior is exact. 1: yes; 0: with a dictionary."), stat_exact,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"dictionary.draws", TVGP__TEXT("Number of dictionaries drawn."), stat_drawn, TVGP_STAT_COUNTER, ""},
    {"distinct", TVGP__TEXT("Number of distinct arms among the observations in use."), stat_distinct, TVGP_STAT_DIAGNOSTIC,
     ""},
    {"effective_dimension",
     TVGP__TEXT("Effective dimension: sum over the observations in use of their variance over their noise."), stat_dimension,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"qbar", TVGP__TEXT("Oversampling of the dictionary."), qbar, TVGP_STAT_DIAGNOSTIC, ""},
};

static const tvgp__stat_group stats[] = {TVGP__UCB_STAT_GROUPS, {own_stats, sizeof own_stats / sizeof *own_stats}};
static const tvgp__option_group groups[] = {
    {tvgp__policy_options, TVGP__POLICY_OPTIONS, 0},
    TVGP__FEATURE_OPTIONS_CONSTRAINED,
    TVGP__FEATURE_OPTIONS_SCORES,
    {tvgp__ucb_options, TVGP__UCB_OPTIONS, 0},
    TVGP__UCB_CHOICE,
    TVGP__OPTION_GROUP(own, 0),
    {tvgp__exploration_schedule_options + 1, TVGP__EXPLORATION_SCHEDULE_OPTIONS - 1,
     offsetof(tvgp__ucb_config, width)}, /* without the schedule */
    {tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)},
};

const tvgp__policy_ops tvgp__bkb = {.name = "bkb",
                                    .doc = TVGP__TEXT("a dictionary of pulls instead of all; for many arms and long runs"),
                                    TVGP__POLICY_TABLES(groups, stats),
                                    TVGP__POLICY_SIZES(config, state),
                                    .start = start,
                                    .ask = ask,
                                    .prepare = prepare,
                                    .take = take,
                                    .end_batch = end_batch,
                                    .at = tvgp__ucb_at,
                                    .predict = tvgp__ucb_predict,
                                    .gradients = 1,
                                    .best = tvgp__ucb_best,
                                    .on_boxes = 1,
                                    .release = release,
                                    .visit = visit};
