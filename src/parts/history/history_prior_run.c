/* SPDX-License-Identifier: MIT */
/* Historical data during the run: the mean at the present time, refits, the rows of the run. */
#include "parts/history/history_prior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

void tvgp__history_prior_free(tvgp_ctx *ctx, tvgp__history_prior *r) {
    if (!r)
        return;
    tvgp__fitted_history_free(&r->past);
    tvgp__observations_free(&r->kept);
    void *const blocks[] = {r->row, r->value, r->seen, r->again, r->arm, r->moments};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(ctx, blocks[i]);
    tvgp__memory_free(ctx, r);
}

/* ---- the prior mean --------------------------------------------------------------------------------------------- */

static double mean_at(const tvgp_policy *p, const tvgp__history_prior *r, size_t arm, double t) {
    return tvgp__policy_turn(p, tvgp__fitted_history_mean(&r->past, arm, t));
}

/* The newest time the policy knows of. */
static double now(const tvgp_policy *p, const tvgp__fitted_history *past) {
    return p->clock > -INFINITY ? p->clock : past->scale.first + past->newest * past->scale.width;
}

void tvgp__history_prior_move(tvgp_policy *p, tvgp__history_prior *r, double t) {
    tvgp__policy_forecast(p, t > -INFINITY ? t : now(p, &r->past));
}

/* Pending actions were asked under another mean: their predictions stay, and their outcomes count relative to the
 * present mean. */
static void retune(tvgp_policy *p, const tvgp__history_prior *r) {
    const tvgp__tickets *t = &p->tickets;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        tvgp__ticket *ticket = &t->list[i];
        const double mean = mean_at(p, r, ticket->arm, ticket->t);
        ticket->mean += ticket->prior_mean - mean;
        ticket->prior_mean = mean;
    }
}

/* ---- restart of the posterior ------------------------------------------------------------------------------------- */

tvgp_status tvgp__history_prior_prepare(tvgp_policy *p, tvgp__history_prior *r) {
    const size_t n = tvgp__history_prior_kept(r);
    for (size_t i = 0; i < n; i++) {
        const tvgp__observation *a = &r->kept.list[r->kept.n - n + i];
        r->arm[i] = a->arm;
        r->again[i] = (tvgp__answer){.kind = TVGP_ACTION,
                                     .outcome = TVGP_VALUE,
                                     .arm = a->arm,
                                     .index = i,
                                     .t = a->t,
                                     .y = a->y,
                                     .noise = a->noise,
                                     .assumed = a->assumed};
    }
    p->work.batch = (tvgp__points){.n = n, .arm = r->arm};
    return TVGP__POLICY_OP(p->ops, prepare)(p, n, r->again);
}

void tvgp__history_prior_retell(tvgp_policy *p, tvgp__history_prior *r) {
    const size_t n = tvgp__history_prior_kept(r);
    for (size_t i = 0; i < n; i++)
        r->again[i].prior_mean = mean_at(p, r, r->again[i].arm, r->again[i].t);
    p->ops->learns->rebuild(p, n, r->again);
    retune(p, r);
}

/* Rows that are complete join the sums; how many there were. */
static void join(tvgp__history_prior *r, size_t n) {
    const size_t arms = r->past.arms;
    for (size_t i = 0; i < n; i++)
        tvgp__fitted_history_join(&r->past, r->row[i], r->value + i * arms);
    r->n_rows -= n;
    memmove(r->row, r->row + n, r->n_rows * sizeof *r->row);
    memmove(r->value, r->value + n * arms, r->n_rows * arms * sizeof *r->value);
    memmove(r->seen, r->seen + n * arms, r->n_rows * arms);
}

static size_t rows_before(const tvgp__history_prior *r, double row) {
    size_t n = 0;
    while (n < r->n_rows && r->row[n] < row)
        n++;
    return n;
}

/* Rows that a refit at time t would join; 0: none is due. */
static size_t rows_due(const tvgp__history_prior *r, double t) {
    return r->every > 0 && t >= r->due ? rows_before(r, tvgp__history_table_row(&r->past.scale, t)) : 0;
}

/* The refit of an ask at time t, if one is due then. */
tvgp_status tvgp__history_prior_refit(tvgp_policy *p, tvgp__history_prior *r, double t) {
    const size_t rows = rows_due(r, t);
    if (!rows)
        return TVGP_OK;
    TVGP__TRY(p->ops->shared->reach(p));
    TVGP__TRY(tvgp__history_prior_prepare(p, r));
    join(r, rows);
    tvgp__fitted_history_refit(&r->past);
    tvgp__history_prior_retell(p, r);
    r->refits++;
    r->due = t + r->every;
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_ask(tvgp_policy *p, tvgp__history_prior *r, double t) {
    TVGP__TRY(tvgp__history_prior_refit(p, r, t));
    tvgp__history_prior_move(p, r, t);
    return TVGP_OK;
}

/* ---- outcomes ----------------------------------------------------------------------------------------------------- */

/* The index of a row that is kept, made if it is newer than all; row_slots: it is too old. */
static size_t index_of(tvgp__history_prior *r, double row) {
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

/* A second outcome in a cell makes it their mean. */
static void see(tvgp__history_prior *r, size_t index, size_t arm, double y) {
    const size_t cell = index * r->past.arms + arm;
    r->seen[cell] = (uint8_t)(r->seen[cell] + (r->seen[cell] < UINT8_MAX));
    if (r->seen[cell] == 1)
        r->value[cell] = y;
    else
        r->value[cell] += (y - r->value[cell]) / r->seen[cell];
}

/* Cells of a row without a value have the posterior mean. */
static void fill_with_mean(const tvgp_policy *p, tvgp__history_prior *r, size_t index) {
    const size_t arms = r->past.arms;
    const double t = r->past.scale.first + r->row[index] * r->past.scale.width;
    for (size_t a = 0; a < arms; a++)
        if (!r->seen[index * arms + a]) {
            const double value = tvgp__fitted_history_mean(&r->past, a, t) + tvgp__policy_turn(p, r->moments[a]);
            r->value[index * arms + a] = fmin(fmax(value, -TVGP__VALID_RANGE_MOST), TVGP__VALID_RANGE_MOST);
        }
}

/* Adds a value to its row, whose other cells have the present posterior mean. */
static void keep(const tvgp_policy *p, tvgp__history_prior *r, const tvgp__answer *a) {
    const size_t index = index_of(r, tvgp__history_table_row(&r->past.scale, a->t));
    if (index == r->row_slots)
        return;
    fill_with_mean(p, r, index);
    see(r, index, a->arm, tvgp__policy_turn(p, a->y));
}

/* Another unit shows as another order of magnitude, far beyond what the history scatters. */
static void compare_unit(const tvgp_policy *p, tvgp__history_prior *r, double y) {
    enum { FIRST = 5 };
    const double past = r->past.mean;
    if (r->first.n == FIRST)
        return;
    r->first.n++;
    r->first.mean += (y - r->first.mean) / r->first.n;
    const double now = r->first.mean, size = fmax(fabs(past), fabs(now));
    if (r->first.n < FIRST || fabs(past - now) < 5 * r->past.sd || fmin(fabs(past), fabs(now)) > 0.1 * size)
        return;
    tvgp__context_log(p->ctx, "%s: the history has mean %.4g, the first outcomes %.4g: another unit?", p->ops->name,
                      tvgp__outcome_inverse(tvgp__policy_outcome(p), past),
                      tvgp__outcome_inverse(tvgp__policy_outcome(p), now));
}

void tvgp__history_prior_observe(tvgp_policy *p, tvgp__history_prior *r, size_t n, const tvgp__answer *answers) {
    const size_t arms = p->domain->n;
    const int rows = r->row_slots && p->ops->at(p, p->clock, arms, NULL, r->moments, r->moments + arms) >= 0;
    for (size_t i = 0; i < n; i++)
        if (tvgp__policy_reported(&answers[i]) == TVGP_VALUE) {
            compare_unit(p, r, tvgp__policy_turn(p, answers[i].y));
            if (rows)
                keep(p, r, &answers[i]);
        }
}
