/* SPDX-License-Identifier: MIT */
#include "frame/recall.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <math.h>
#include <string.h>

static const char *const found[] = {""};

#define MEMBER(name) offsetof(tvgp__recall_config, name)

const tvgp__option tvgp__recall_options[TVGP__RECALL_OPTIONS] = {
    {"log.period", TVGP_STR, TVGP__OPTION_TEXT | TVGP__OPTION_SHORT, MEMBER(period), 0, 0, 0, found,
     "periods of a log that is learned, in units of time with commas between: candidates; empty: they are found, 0: none"},
    {"log.refit", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(refit), 0, -1, TVGP__RANGE_MOST, NULL,
     "keeps what a log taught up to date: time until it is made anew from log and run; 0: the longest period, or a tenth of "
     "the "
     "log; below 0: never"},
    {"log.retell", TVGP_I64, TVGP_OPTION_ADVANCED, MEMBER(retell), 200, 0, 65536, NULL,
     "newest answers that the belief is told again when what a log taught is made anew"},
    {"log.width", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(width), 0.7, 0, TVGP__RANGE_MOST, NULL,
     "factor of the exploration width of a policy that was told a log and follows the rate; not where a width.* is set"},
};

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression, before)                                                                                      \
    static double name(const tvgp_policy *p) {                                                                              \
        const tvgp__recall *r = p->recall;                                                                                  \
        return r ? (double)(expression) : (double)(before);                                                                 \
    }
STAT(stat_records, r->past.records, 0)
STAT(stat_slot, r->past.scale.width, 0)
STAT(stat_level, r->past.structure.tau, 0)
STAT(stat_season, r->past.structure.s, 0)
STAT(stat_error, r->past.error, 1)
STAT(stat_refits, r->refits, 0)
STAT(stat_cautious, r->cautious, 0)

static double period(const tvgp__recall *r, size_t k) {
    return r && k < r->past.periods.n ? r->past.periods.cycle[k].slots * r->past.scale.width : 0;
}
static double stat_period(const tvgp_policy *p) {
    return period(p->recall, 0);
}
double tvgp__recall_period(const tvgp_policy *p, size_t k) {
    return period(p->recall, k);
}
size_t tvgp__recall_periods(const tvgp_policy *p) {
    return p->recall ? p->recall->past.periods.n : 0;
}

const tvgp__stat tvgp__recall_stats[TVGP__RECALL_STATS] = {
    {"log.records", "records of the log that was learned; 0: none", stat_records, TVGP_STAT_DIAGNOSTIC, ""},
    {"log.slot", "width of its slots of time", stat_slot, TVGP_STAT_LEARNED, "time"},
    {"log.period", "first period of the model from it; 0: none", stat_period, TVGP_STAT_LEARNED, "time"},
    {"log.level", "slots in which its levels forget to 1/e; inf when they never do, 0 without a log", stat_level,
     TVGP_STAT_LEARNED, "slots"},
    {"log.season", "periods in which its seasons forget to 1/e; inf when they never do, 0 without a log", stat_season,
     TVGP_STAT_LEARNED, "periods"},
    {"log.error", "squared error of its forecasts of the log over that of constant levels", stat_error, TVGP_STAT_LEARNED,
     ""},
    {"log.refits", "times it was made anew in the run", stat_refits, TVGP_STAT_DIAGNOSTIC, ""},
    {"log.cautious", "1: a replay of the log spoke for doubt = 1", stat_cautious, TVGP_STAT_LEARNED, ""},
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

void tvgp__recall_free(tvgp_ctx *ctx, tvgp__recall *r) {
    if (!r)
        return;
    tvgp__past_free(&r->past);
    tvgp__kernel_release(r->given);
    void *const blocks[] = {r->row, r->value, r->seen, r->answer, r->again, r->arm, r->moments};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(ctx, blocks[i]);
    tvgp__memory_free(ctx, r);
}

tvgp_kernel *tvgp__recall_kernel(const tvgp_policy *p) {
    return p->recall ? p->recall->given : p->kernel;
}

double tvgp__recall_width(const tvgp_policy *p) {
    return p->recall ? p->recall->width : 1;
}

/* ---- the prior mean --------------------------------------------------------------------------------------------- */

double tvgp__recall_mean(const tvgp_policy *p, size_t arm, double t) {
    return tvgp__policy_turn(p, tvgp__past_mean(&p->recall->past, arm, t));
}

/* The newest time the policy knows of. */
static double now(const tvgp_policy *p) {
    const tvgp__past *past = &p->recall->past;
    return p->clock > -INFINITY ? p->clock : past->scale.first + past->newest * past->scale.width;
}

void tvgp__recall_move(tvgp_policy *p, double t) {
    if (!p->recall)
        return;
    double *mean = p->mean.value;
    tvgp__past_means(&p->recall->past, t > -INFINITY ? t : now(p), mean);
    for (size_t a = 0; p->started && a < p->domain->n; a++)
        mean[a] = tvgp__policy_turn(p, mean[a]);
}

tvgp_status tvgp__recall_means(const tvgp_policy *p, double t, double *mean, size_t n) {
    TVGP__TRY(tvgp__range_value(p->ctx, "t", t));
    if (tvgp__domain_is(p->domain) != TVGP__ARMS)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior mean of arms, and the domain %s",
                               tvgp__domain_is(p->domain) == TVGP__BOX ? "is a box" : "has measured contexts");
    if (n != p->domain->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "n = %zu must be %zu, the number of arms", n, p->domain->n);
    if (p->recall)
        tvgp__past_means(&p->recall->past, t, mean);
    for (size_t a = 0; !p->recall && a < n; a++) {
        const double value = tvgp__mean_at(&p->mean, a);
        mean[a] = p->started ? tvgp__policy_turn(p, value) : value;
    }
    return TVGP_OK;
}

/* Actions that are pending were asked about another mean: what was foretold of them stays, and their answers count relative to
 * the mean of now. */
static void retune(tvgp_policy *p) {
    const tvgp__tickets *t = &p->tickets;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        tvgp__ticket *ticket = &t->list[i];
        const double mean = tvgp__recall_mean(p, ticket->arm, ticket->t);
        ticket->mean += ticket->prior_mean - mean;
        ticket->prior_mean = mean;
    }
}

/* ---- the belief anew -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__recall_prepare(tvgp_policy *p) {
    tvgp__recall *r = p->recall;
    for (size_t i = 0; i < r->n_answers; i++) {
        const tvgp__recall_answer *a = &r->answer[(r->first + i) % r->answer_slots];
        r->arm[i] = a->arm;
        r->again[i] = (tvgp__answer){
            .kind = TVGP_ACTION, .outcome = TVGP_VALUE, .arm = a->arm, .place = i, .t = a->t, .y = a->y, .noise = a->noise};
    }
    p->batch = (tvgp__points){.n = r->n_answers, .arm = r->arm};
    return TVGP__POLICY_OP(p->ops, prepare)(p, r->n_answers, r->again);
}

void tvgp__recall_retell(tvgp_policy *p) {
    tvgp__recall *r = p->recall;
    for (size_t i = 0; i < r->n_answers; i++)
        r->again[i].prior_mean = tvgp__recall_mean(p, r->again[i].arm, r->again[i].t);
    p->ops->learns->rebuild(p, r->n_answers, r->again);
    retune(p);
}

/* Rows that are complete join the sums; how many there were. */
static void join(tvgp__recall *r, size_t n) {
    const size_t arms = r->past.arms;
    for (size_t i = 0; i < n; i++)
        tvgp__past_join(&r->past, r->row[i], r->value + i * arms);
    r->n_rows -= n;
    memmove(r->row, r->row + n, r->n_rows * sizeof *r->row);
    memmove(r->value, r->value + n * arms, r->n_rows * arms * sizeof *r->value);
    memmove(r->seen, r->seen + n * arms, r->n_rows * arms);
}

static size_t rows_before(const tvgp__recall *r, double row) {
    size_t n = 0;
    while (n < r->n_rows && r->row[n] < row)
        n++;
    return n;
}

/* Rows that a refit at time t would join; 0: none is due. */
static size_t rows_due(const tvgp__recall *r, double t) {
    return r->every > 0 && t >= r->due ? rows_before(r, tvgp__slots_row(&r->past.scale, t)) : 0;
}

/* The refit of an ask at time t, if one is due then. */
static tvgp_status refit(tvgp_policy *p, double t) {
    tvgp__recall *r = p->recall;
    const size_t rows = rows_due(r, t);
    if (!rows)
        return TVGP_OK;
    TVGP__TRY(p->ops->shared->reach(p));
    TVGP__TRY(tvgp__recall_prepare(p));
    join(r, rows);
    tvgp__past_refit(&r->past);
    tvgp__recall_retell(p);
    r->refits++;
    r->due = t + r->every;
    return TVGP_OK;
}

tvgp_status tvgp__recall_ask(tvgp_policy *p, double t) {
    if (!p->recall)
        return TVGP_OK;
    TVGP__TRY(refit(p, t));
    tvgp__recall_move(p, t);
    return TVGP_OK;
}

tvgp_status tvgp__recall_fit(tvgp_policy *p, int64_t max_evals, int64_t *evals) {
    if (!p->ops->learns)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' learns no hyper-parameters", p->ops->name);
    if (!p->recall)
        return p->ops->learns->fit(p, max_evals, evals);
    return p->started && p->clock > -INFINITY ? refit(p, p->clock + p->recall->past.scale.width) : TVGP_OK;
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

void tvgp__recall_note(tvgp_policy *p, const tvgp__answer *a, double noise) {
    tvgp__recall *r = p->recall;
    if (!r || !r->answer_slots)
        return;
    const size_t at = (r->first + r->n_answers) % r->answer_slots;
    r->answer[at] = (tvgp__recall_answer){.arm = a->arm, .t = a->t, .y = a->y, .noise = noise};
    if (r->n_answers < r->answer_slots)
        r->n_answers++;
    else
        r->first = (r->first + 1) % r->answer_slots;
}

void tvgp__recall_forget(tvgp_policy *p, double t) {
    tvgp__recall *r = p->recall;
    size_t kept = 0;
    if (!r || !r->answer_slots)
        return;
    while (kept < r->n_answers && r->answer[(r->first + r->n_answers - 1 - kept) % r->answer_slots].t >= t)
        kept++;
    r->first = (r->first + r->n_answers - kept) % r->answer_slots;
    r->n_answers = kept;
}

/* The place of a row that is kept, made if it is newer than all; row_slots: it is too old. */
static size_t place_of(tvgp__recall *r, double row) {
    const size_t arms = r->past.arms;
    for (size_t i = r->n_rows; i-- > 0;)
        if (r->row[i] == row)
            return i;
    if (row <= (r->n_rows ? r->row[r->n_rows - 1] : r->past.newest) || !(row < 0x1p53))
        return r->row_slots;
    if (r->n_rows == r->row_slots)
        join(r, 1);
    r->row[r->n_rows] = row;
    memset(r->seen + r->n_rows * arms, 0, arms);
    return r->n_rows++;
}

/* A second answer in a cell makes it their mean. */
static void see(tvgp__recall *r, size_t place, size_t arm, double y) {
    const size_t cell = place * r->past.arms + arm;
    r->seen[cell] = (uint8_t)(r->seen[cell] + (r->seen[cell] < UINT8_MAX));
    if (r->seen[cell] == 1)
        r->value[cell] = y;
    else
        r->value[cell] += (y - r->value[cell]) / r->seen[cell];
}

/* What was not seen of a row counts as believed. */
static void believe(tvgp_policy *p, size_t place) {
    tvgp__recall *r = p->recall;
    const size_t arms = r->past.arms;
    const double t = r->past.scale.first + r->row[place] * r->past.scale.width;
    for (size_t a = 0; a < arms; a++)
        if (!r->seen[place * arms + a]) {
            const double value = tvgp__past_mean(&r->past, a, t) + tvgp__policy_turn(p, r->moments[a]);
            r->value[place * arms + a] = fmin(fmax(value, -TVGP__RANGE_MOST), TVGP__RANGE_MOST);
        }
}

/* A value joins its row, of which the rest is as believed now. */
static void keep(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__recall *r = p->recall;
    const size_t place = place_of(r, tvgp__slots_row(&r->past.scale, a->t));
    if (place == r->row_slots)
        return;
    believe(p, place);
    see(r, place, a->arm, tvgp__policy_turn(p, a->y));
}

void tvgp__recall_told(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    tvgp__recall *r = p->recall;
    const size_t arms = p->domain->n;
    if (!r)
        return;
    const int rows = r->row_slots && p->ops->at(p, p->clock, arms, NULL, r->moments, r->moments + arms) >= 0;
    for (size_t i = 0; i < n; i++)
        if (answers[i].outcome == TVGP_VALUE && rows)
            keep(p, &answers[i]);
}
