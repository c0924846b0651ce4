/* SPDX-License-Identifier: MIT */
/* The model fitted to historical data (parts/history/fitted_history.h). */
#include "parts/history/fitted_history.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/sample_statistics.h"
#include "base/valid_range.h"
#include "parts/history/forecast_error_covariance.h"
#include "parts/history/level_changes.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-120; /* a scale below it is put into the sums */

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static size_t phases_of(const tvgp__fitted_history *p, size_t k) {
    return p->periods.cycle[k].phases;
}

static size_t most_phases(const tvgp__fitted_history *p) {
    size_t most = 1;
    for (size_t k = 0; k < p->structure.periods; k++)
        most = phases_of(p, k) > most ? phases_of(p, k) : most;
    return most;
}

static double bytes_of(const tvgp__fitted_history *p) {
    const double arms = (double)p->arms;
    double doubles = arms * arms + 12 * arms;
    for (size_t k = 0; k < p->structure.periods; k++)
        doubles += (double)phases_of(p, k) * (7 * arms + 4);
    return doubles * (double)sizeof(double);
}

static size_t least_common(size_t a, size_t b) {
    size_t x = a, y = b;
    while (y) {
        const size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* How many combinations of phases can come: of periods that were found, whole numbers of slots, as many as come before all of
 * them begin again. */
static size_t combinations(const tvgp__fitted_history *p) {
    size_t product = 1, common = 1;
    int found = 1;
    for (size_t k = 0; k < p->structure.periods; k++) {
        found &= !(p->periods.cycle[k].time > 0);
        product *= phases_of(p, k); /* at most 8192 each */
        common = least_common(common, phases_of(p, k));
    }
    return found ? common : product;
}

static size_t joint_slots(const tvgp__fitted_history *p) {
    if (p->structure.periods < 2)
        return 0;
    const size_t bytes = (p->structure.periods - 1) * (p->arms + 1) * sizeof(tvgp__fitted_history_pair),
                 room = TVGP__FITTED_HISTORY_PAIR_BYTES / bytes, all = combinations(p);
    const size_t most = room < TVGP__FITTED_HISTORY_COMBINATIONS ? room : TVGP__FITTED_HISTORY_COMBINATIONS;
    return all < most ? all : most;
}

static tvgp_status make_joint(tvgp__fitted_history *p) {
    tvgp__fitted_history_joint *j = &p->joint;
    const size_t periods = p->structure.periods, width = p->arms + 1;
    size_t most = 0;
    for (size_t k = 1; k < periods; k++) {
        most = phases_of(p, k) > most ? phases_of(p, k) : most;
        TVGP__TRY(tvgp__memory_room(p->ctx, tvgp__memory_product(j->slots, width), sizeof *j->pair[k], &j->pair[k]));
    }
    TVGP__TRY(tvgp__memory_room(p->ctx, tvgp__memory_product(most, width), sizeof *j->sums, &j->sums));
    return tvgp__memory_room(p->ctx, tvgp__memory_product(j->slots, periods), sizeof *j->phase, &j->phase);
}

/* Of the arms and the structure that are set. LIMIT. */
static tvgp_status check_bytes(const tvgp__fitted_history *p, double limit) {
    const double bytes = bytes_of(p),
                 most = limit > 0 ? fmin(limit, TVGP__FITTED_HISTORY_BYTES) : TVGP__FITTED_HISTORY_BYTES;
    if (bytes > most)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT,
                               "the prior of %zu arms from historical data takes %.0f bytes, at most %.0f", p->arms, bytes,
                               most);
    return TVGP_OK;
}

tvgp_status tvgp__fitted_history_fits(tvgp_ctx *ctx, const tvgp__fitted_history_spec *spec) {
    return check_bytes(&(tvgp__fitted_history){.ctx = ctx, .arms = spec->arms}, spec->bytes);
}

/* Everything but the numbers in it, for the arms and the structure that are set. */
static tvgp_status make_room(tvgp__fitted_history *p, double limit) {
    const size_t arms = p->arms;
    TVGP__TRY(check_bytes(p, limit));
    TVGP__TRY(tvgp__memory_room(p->ctx, tvgp__memory_product(arms, arms), sizeof *p->K, &p->K));
    TVGP__TRY(tvgp__memory_room(p->ctx, 8 * arms, sizeof *p->level, &p->level));
    TVGP__TRY(tvgp__memory_room(p->ctx, 2 * (arms + most_phases(p)), sizeof *p->work, &p->work));
    double **const vectors[] = {&p->own_n, &p->own_q, &p->own_y, &p->own_scale, &p->plain_n, &p->plain_y, &p->last};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = p->level + (i + 1) * arms;
    TVGP__TRY(tvgp__memory_room(p->ctx, tvgp__model_selection_size(&p->periods, &p->structure, arms), sizeof *p->T, &p->T));
    for (size_t k = 0; k < p->structure.periods; k++) {
        tvgp__fitted_history_season *s = &p->season[k];
        const size_t phases = phases_of(p, k);
        TVGP__TRY(tvgp__memory_room(p->ctx, tvgp__memory_product(phases, arms + 1), sizeof *s->sums, &s->sums));
        TVGP__TRY(tvgp__memory_room(p->ctx, 2 * tvgp__memory_product(phases, arms), sizeof *s->own, &s->own));
        s->all = s->own + phases * arms;
    }
    return p->structure.periods > 1 ? make_joint(p) : TVGP_OK;
}

void tvgp__fitted_history_free(tvgp__fitted_history *p) {
    void *const blocks[] = {p->K, p->level, p->work, p->T, p->joint.phase, p->joint.sums};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(p->ctx, blocks[i]);
    for (size_t k = 0; k < TVGP__PERIODS_MOST; k++) {
        tvgp__memory_free(p->ctx, p->season[k].sums);
        tvgp__memory_free(p->ctx, p->season[k].own);
        tvgp__memory_free(p->ctx, p->joint.pair[k]);
    }
    *p = (tvgp__fitted_history){.ctx = p->ctx};
}

/* ---- the mean --------------------------------------------------------------------------------------------------- */

/* A number that stays in the range, whatever was reported or read from a snapshot. */
static double kept(double x) {
    return fmin(fmax(x, -TVGP__VALID_RANGE_MOST), TVGP__VALID_RANGE_MOST);
}

static size_t phase_at(const tvgp__fitted_history *p, size_t k, double t) {
    const tvgp__cycle *c = &p->periods.cycle[k];
    const double row = tvgp__history_table_row(&p->scale, t);
    return tvgp__season_profile_phase(c, fabs(row) < 0x1p53 ? (int64_t)row : 0, t);
}

void tvgp__fitted_history_means(const tvgp__fitted_history *p, double t, double *mean) {
    const double *T = p->T;
    memcpy(mean, p->level, p->arms * sizeof *mean);
    for (size_t k = 0; k < p->structure.periods; k++) {
        const double *season = T + phase_at(p, k, t) * p->arms;
        for (size_t a = 0; a < p->arms; a++)
            mean[a] += season[a];
        T += phases_of(p, k) * p->arms;
    }
    for (size_t a = 0; a < p->arms; a++)
        mean[a] = kept(mean[a]);
}

double tvgp__fitted_history_mean(const tvgp__fitted_history *p, size_t arm, double t) {
    const double *T = p->T;
    double mean = p->level[arm];
    for (size_t k = 0; k < p->structure.periods; k++) {
        mean += T[phase_at(p, k, t) * p->arms + arm];
        T += phases_of(p, k) * p->arms;
    }
    return kept(mean);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void scale_sums(size_t n, tvgp__season_profile_sums *s, double by) {
    for (size_t i = 0; i < n; i++)
        s[i] = (tvgp__season_profile_sums){s[i].n * by, s[i].q * by * by, s[i].y * by, s[i].yy * by};
}

static void finish_season(tvgp__fitted_history *p, size_t k) {
    const double by = p->season[k].scale;
    scale_sums(phases_of(p, k) * (p->arms + 1), p->season[k].sums, by);
    for (size_t i = 0; k > 0 && i < p->joint.n * (p->arms + 1); i++) {
        p->joint.pair[k][i].n *= by;
        p->joint.pair[k][i].y *= by;
    }
    p->season[k].scale = 1;
}

static void finish_arm(tvgp__fitted_history *p, size_t a) {
    const double by = p->own_scale[a];
    p->own_n[a] *= by;
    p->own_q[a] *= by * by;
    p->own_y[a] *= by;
    for (size_t k = 0; k < p->structure.periods; k++)
        for (size_t phase = 0; phase < phases_of(p, k); phase++)
            p->season[k].own[phase * p->arms + a] *= by;
    p->own_scale[a] = 1;
}

static void finish_all(tvgp__fitted_history *p) {
    p->all_n *= p->all_scale;
    p->all_y *= p->all_scale;
    for (size_t k = 0; k < p->structure.periods; k++)
        for (size_t i = 0; i < phases_of(p, k) * p->arms; i++)
            p->season[k].all[i] *= p->all_scale;
    p->all_scale = 1;
}

/* Time passes until this row, for what ages with all. */
static void age(tvgp__fitted_history *p, double row) {
    const double rows = p->newest > -INFINITY ? row - p->newest : 0;
    for (size_t k = 0; k < p->structure.periods; k++) {
        p->season[k].scale *= exp(-rows / (p->structure.s * p->periods.cycle[k].slots));
        if (p->season[k].scale < SMALL)
            finish_season(p, k);
    }
    p->all_scale *= exp(-rows / p->structure.tau);
    if (p->all_scale < SMALL)
        finish_all(p);
    p->newest = row;
}

static void join_level(tvgp__fitted_history *p, double row, const size_t *phase, size_t a, double y) {
    const double rows = p->last[a] > -INFINITY ? row - p->last[a] : 0;
    p->own_scale[a] *= exp(-rows / p->structure.tau);
    if (p->own_scale[a] < SMALL)
        finish_arm(p, a);
    const double own = 1 / p->own_scale[a], all = 1 / p->all_scale;
    p->own_n[a] += own;
    p->own_q[a] += own * own;
    p->own_y[a] += own * y;
    p->all_n += all;
    p->all_y += all * y;
    p->plain_n[a]++;
    p->plain_y[a] += y;
    p->last[a] = row;
    for (size_t k = 0; k < p->structure.periods; k++) {
        p->season[k].own[phase[k] * p->arms + a] += own;
        p->season[k].all[phase[k] * p->arms + a] += all;
    }
}

static int is_combination(const tvgp__fitted_history *p, size_t i, const size_t *phase) {
    size_t k = 0;
    while (k < p->structure.periods && p->joint.phase[k * p->joint.slots + i] == phase[k])
        k++;
    return k == p->structure.periods;
}

/* The number of a combination, which is mostly that after the newest; `slots`: there is no room for it. */
static size_t combination(tvgp__fitted_history *p, const size_t *phase) {
    tvgp__fitted_history_joint *j = &p->joint;
    for (size_t steps = 0; steps < j->n; steps++) {
        const size_t i = (j->newest + 1 + steps) % j->n;
        if (is_combination(p, i, phase))
            return j->newest = i;
    }
    if (j->n == j->slots)
        return j->slots;
    for (size_t k = 0; k < p->structure.periods; k++)
        j->phase[k * j->slots + j->n] = phase[k];
    return j->newest = j->n++;
}

static void add_pair(tvgp__season_profile_sums *sums, tvgp__fitted_history_pair *pair, double w, double y) {
    tvgp__season_profile_add(sums, w, y);
    if (pair) {
        pair->n += w;
        pair->y += w * y;
    }
}

/* A row of the standardised unit, of which `is` (NULL: all) says what is there. rest: what is left for the period of the row's values. `mean` and
 * `of_all` are the plain means of arms and theirs, which the mean of a row with blanks is completed by. pair (NULL: none), of its
 * combination: `before`, the seasons of the periods before, is part of what joins. */
static void join_season(tvgp__fitted_history *p, size_t k, size_t phase, const double *rest, const double *is,
                        const double *mean, double of_all, const double *before, tvgp__fitted_history_pair *pair) {
    const size_t arms = p->arms;
    const double w = 1 / p->season[k].scale;
    tvgp__season_profile_sums *at = p->season[k].sums + phase * (arms + 1);
    double sum = 0, offset = 0, n = 0, seasons = 0;
    for (size_t a = 0; a < arms; a++) {
        seasons += pair ? before[a] / (double)arms : 0;
        if (!is || is[a] > 0) {
            add_pair(&at[a], pair ? &pair[a] : NULL, w, pair ? rest[a] + before[a] : rest[a]);
            sum += rest[a];
            offset += is ? mean[a] : 0;
            n++;
        }
    }
    if (n > 0)
        add_pair(&at[arms], pair ? &pair[arms] : NULL, w, (is ? (sum - offset) / n + of_all : sum / n) + seasons);
}

/* ---- the fit from sums ------------------------------------------------------------------------------------------ */

/* Plain means of the arms (of one without records that of the others) and their mean. */
static double plain_means(const tvgp__fitted_history *p, double *mean) {
    double sum = 0, seen = 0;
    for (size_t a = 0; a < p->arms; a++)
        if (p->plain_n[a] > 0) {
            mean[a] = p->plain_y[a] / p->plain_n[a];
            sum += mean[a];
            seen++;
        }
    for (size_t a = 0; a < p->arms; a++)
        if (!(p->plain_n[a] > 0))
            mean[a] = seen > 0 ? sum / seen : 0;
    return seen > 0 ? sum / seen : 0;
}

/* Levels of what the seasons (T, standardised) leave. */
static void solve_levels(tvgp__fitted_history *p) {
    double sum = p->all_y;
    const double *T = p->T;
    for (size_t a = 0; a < p->arms; a++)
        p->level[a] = p->own_y[a];
    for (size_t k = 0; k < p->structure.periods; k++, T += phases_of(p, k - 1) * p->arms)
        for (size_t i = 0; i < phases_of(p, k) * p->arms; i++) {
            p->level[i % p->arms] -= p->season[k].own[i] * T[i];
            sum -= p->season[k].all[i] * T[i];
        }
    const double g = p->all_n > 0 ? sum / p->all_n : 0;
    for (size_t a = 0; a < p->arms; a++)
        p->level[a] =
            tvgp__season_profile_drawn(g, p->own_n[a] * p->own_scale[a], p->own_q[a] * p->own_scale[a] * p->own_scale[a],
                                       p->level[a] * p->own_scale[a]);
}

/* Into the user's unit. */
static void show(tvgp__fitted_history *p) {
    const size_t size = tvgp__model_selection_size(&p->periods, &p->structure, p->arms);
    for (size_t a = 0; a < p->arms; a++)
        p->level[a] = kept(p->mean + p->sd * p->level[a]);
    for (size_t i = 0; i < size; i++)
        p->T[i] = kept(p->T[i] * p->sd);
}

/* The seasons of the periods before k, of an arm in a combination. */
static double seasons_before(const tvgp__fitted_history *p, size_t k, size_t i, size_t a) {
    const double *T = p->T;
    double sum = 0;
    for (size_t before = 0; before < k; before++) {
        sum += T[p->joint.phase[before * p->joint.slots + i] * p->arms + a];
        T += phases_of(p, before) * p->arms;
    }
    return sum;
}

/* What the sums are of values less f, of those in the pair. */
static void take_off(tvgp__season_profile_sums *s, const tvgp__fitted_history_pair *pair, double f) {
    s->y -= f * pair->n;
    s->yy += f * (f * pair->n - 2 * pair->y);
}

/* The sums of a period less the seasons before it, which are those of now. */
static const tvgp__season_profile_sums *sums_of(const tvgp__fitted_history *p, size_t k) {
    const tvgp__fitted_history_joint *j = &p->joint;
    const size_t arms = p->arms;
    if (k == 0)
        return p->season[k].sums;
    memcpy(j->sums, p->season[k].sums, phases_of(p, k) * (arms + 1) * sizeof *j->sums);
    for (size_t i = 0; i < j->n; i++) {
        tvgp__season_profile_sums *at = j->sums + j->phase[k * j->slots + i] * (arms + 1);
        const tvgp__fitted_history_pair *pair = j->pair[k] + i * (arms + 1);
        double row = 0;
        for (size_t a = 0; a < arms; a++) {
            const double f = seasons_before(p, k, i, a);
            take_off(&at[a], &pair[a], f);
            row += f / (double)arms;
        }
        take_off(&at[arms], &pair[arms], row);
    }
    return j->sums;
}

void tvgp__fitted_history_refit(tvgp__fitted_history *p) {
    double *mean = p->work, *work = mean + p->arms, *T = p->T;
    const double of_all = plain_means(p, mean);
    for (size_t k = 0; k < p->structure.periods; k++) {
        finish_season(p, k);
        tvgp__season_profile_solve(phases_of(p, k), p->arms, sums_of(p, k), mean, of_all, work, T);
        T += phases_of(p, k) * p->arms;
    }
    solve_levels(p);
    show(p);
}

/* A row of the standardised unit joins: y is written over, and what is blank (`is`; NULL: nothing is) left out. */
static void join(tvgp__fitted_history *p, double row, double t, double *y, const double *is, const double *mean,
                 double of_all) {
    size_t phase[TVGP__PERIODS_MOST] = {0};
    const double *T = p->T;
    double *before = p->work + p->arms;
    memset(before, 0, p->arms * sizeof *before);
    age(p, row);
    for (size_t k = 0; k < p->structure.periods; k++)
        phase[k] = phase_at(p, k, t);
    for (size_t a = 0; a < p->arms; a++)
        if (!is || is[a] > 0)
            join_level(p, row, phase, a, y[a]);
    const size_t u = p->structure.periods > 1 ? combination(p, phase) : 0;
    for (size_t k = 0; k < p->structure.periods; k++) {
        tvgp__fitted_history_pair *pair = k > 0 && u < p->joint.slots ? p->joint.pair[k] + u * (p->arms + 1) : NULL;
        join_season(p, k, phase[k], y, is, mean, of_all, before, pair);
        for (size_t a = 0; a < p->arms; a++) {
            before[a] += T[phase[k] * p->arms + a] / p->sd;
            y[a] -= T[phase[k] * p->arms + a] / p->sd;
        }
        T += phases_of(p, k) * p->arms;
    }
}

void tvgp__fitted_history_join(tvgp__fitted_history *p, double row, const double *y) {
    for (size_t a = 0; a < p->arms; a++)
        p->work[a] = (y[a] - p->mean) / p->sd;
    join(p, row, p->scale.first + row * p->scale.width, p->work, NULL, NULL, 0);
}

/* ---- more arms -------------------------------------------------------------------------------------------------- */

/* Median of the diagonal of K and the variance of the levels, in the standardised unit. */
static double variance_of_new(const tvgp__fitted_history *p, double *work) {
    double mean = 0, square = 0;
    for (size_t a = 0; a < p->arms; a++) {
        work[a] = p->K[a * (p->arms + 1)];
        const double off = (p->level[a] - p->mean) / p->sd - mean;
        mean += off / (double)(a + 1);
        square += off * ((p->level[a] - p->mean) / p->sd - mean);
    }
    return tvgp__sample_statistics_median(p->arms, work) + square / (double)p->arms;
}

/* Rows of `width` numbers of `size` bytes, the last `tail` of which stand behind those of the new arms. */
static void spread_rows(size_t rows, size_t size, size_t from_arms, size_t to_arms, size_t tail, const void *from,
                        void *to) {
    for (size_t r = 0; r < rows; r++) {
        const char *source = (const char *)from + r * (from_arms + tail) * size;
        char *target = (char *)to + r * (to_arms + tail) * size;
        memcpy(target, source, from_arms * size);
        memcpy(target + to_arms * size, source + from_arms * size, tail * size);
    }
}

static void copy_sums(const tvgp__fitted_history *p, tvgp__fitted_history *q) {
    const size_t old = p->arms, n = q->arms;
    double *const from[] = {p->own_n, p->own_q, p->own_y, p->own_scale, p->plain_n, p->plain_y, p->last};
    double *const to[] = {q->own_n, q->own_q, q->own_y, q->own_scale, q->plain_n, q->plain_y, q->last};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        memcpy(to[i], from[i], old * sizeof *p->last);
    for (size_t k = 0; k < p->structure.periods; k++) {
        const size_t phases = phases_of(p, k);
        spread_rows(phases, sizeof(tvgp__season_profile_sums), old, n, 1, p->season[k].sums, q->season[k].sums);
        spread_rows(phases, sizeof(double), old, n, 0, p->season[k].own, q->season[k].own);
        spread_rows(phases, sizeof(double), old, n, 0, p->season[k].all, q->season[k].all);
        if (k > 0)
            spread_rows(p->joint.n, sizeof(tvgp__fitted_history_pair), old, n, 1, p->joint.pair[k], q->joint.pair[k]);
    }
    for (size_t a = old; a < n; a++) {
        q->own_scale[a] = 1;
        q->last[a] = -INFINITY;
    }
}

tvgp_status tvgp__fitted_history_extend(const tvgp__fitted_history *p, size_t arms, tvgp__fitted_history *out) {
    tvgp__fitted_history q = *p;
    q.arms = arms;
    q.K = q.level = q.T = q.work = NULL;
    for (size_t k = 0; k < TVGP__PERIODS_MOST; k++)
        q.season[k] = (tvgp__fitted_history_season){.scale = p->season[k].scale};
    q.joint = (tvgp__fitted_history_joint){.n = p->joint.n, .slots = p->joint.slots, .newest = p->joint.newest};
    const tvgp_status status = make_room(&q, 0);
    if (status < 0) {
        tvgp__fitted_history_free(&q);
        return status;
    }
    if (q.joint.slots)
        memcpy(q.joint.phase, p->joint.phase, q.structure.periods * q.joint.slots * sizeof *q.joint.phase);
    copy_sums(p, &q);
    const double variance = variance_of_new(p, q.work);
    spread_rows(p->arms, sizeof *q.K, p->arms, arms, 0, p->K, q.K);
    for (size_t a = p->arms; a < arms; a++)
        q.K[a * (arms + 1)] = variance;
    tvgp__fitted_history_refit(&q);
    *out = q;
    return TVGP_OK;
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void visit_structure(tvgp__fitted_history *p, tvgp__visit *v) {
    tvgp__visit_tally_size(v, &p->records);
    tvgp__visit_flag(v, &p->dense);
    tvgp__visit_flag(v, &p->known);
    tvgp__visit_flag(v, &p->unsteady);
    tvgp__visit_real(v, &p->scale.first, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->scale.width, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->mean, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->sd, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->error, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &p->longest, TVGP__VALID_RANGE_LEAST, TVGP__VISIT_MOST);
    tvgp__visit_size(v, &p->structure.periods, 0, TVGP__PERIODS_MOST);
    tvgp__visit_real(v, &p->structure.s, TVGP__VALID_RANGE_LEAST, INFINITY);
    tvgp__visit_real(v, &p->structure.tau, TVGP__VALID_RANGE_LEAST, INFINITY);
    p->periods.n = p->structure.periods;
    for (size_t k = 0; tvgp__visit_fine(v) && k < p->structure.periods; k++) {
        tvgp__visit_size(v, &p->periods.cycle[k].phases, 2, TVGP__HISTORY_TABLE_MOST);
        tvgp__visit_real(v, &p->periods.cycle[k].time, 0, TVGP__VALID_RANGE_MOST);
        if (tvgp__visit_loads(v) && p->periods.cycle[k].time > 0 && p->periods.cycle[k].time < TVGP__VALID_RANGE_LEAST)
            tvgp__visit_refuse(v, "a period of a log is too short");
        tvgp__visit_real(v, &p->periods.cycle[k].slots, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    }
    tvgp__visit_size(v, &p->joint.slots, 0, p->structure.periods > 1 ? TVGP__FITTED_HISTORY_COMBINATIONS : 0);
}

static void visit_joint(tvgp__fitted_history *p, tvgp__visit *v) {
    tvgp__fitted_history_joint *j = &p->joint;
    const size_t periods = p->structure.periods, bytes = 4 * periods + 16 * (periods - 1) * (p->arms + 1);
    if (!tvgp__visit_fine(v) || periods < 2)
        return;
    size_t n = j->n;
    tvgp__visit_count(v, &n, j->slots, bytes);
    j->n = tvgp__visit_loads(v) ? n : j->n;
    for (size_t k = 0; tvgp__visit_fine(v) && k < periods; k++) {
        tvgp__visit_indices(v, n, j->phase + k * j->slots, phases_of(p, k));
        if (k > 0)
            tvgp__visit_reals(v, 2 * n * (p->arms + 1), &j->pair[k]->n, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
}

static void visit_seasons(tvgp__fitted_history *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    for (size_t k = 0; tvgp__visit_fine(v) && k < p->structure.periods; k++) {
        const size_t phases = phases_of(p, k);
        tvgp__visit_real(v, &p->season[k].scale, SMALL, 1);
        tvgp__visit_reals(v, phases * (p->arms + 1) * 4, &p->season[k].sums->n, -most, most);
        tvgp__visit_reals(v, 2 * phases * p->arms, p->season[k].own, 0, most);
    }
}

void tvgp__fitted_history_visit(tvgp__fitted_history *p, tvgp_ctx *ctx, size_t arms, tvgp__visit *v) {
    const double most = TVGP__VALID_RANGE_MOST;
    p->ctx = ctx;
    p->arms = arms;
    visit_structure(p, v);
    if (tvgp__visit_loads(v) && bytes_of(p) > 2 * (double)(v->end - v->at))
        tvgp__visit_refuse(v, "there are more sums than bytes for them");
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, make_room(p, 0)))
        return;
    tvgp__visit_reals(v, arms * arms, p->K, -most, most);
    tvgp__visit_reals(v, arms, p->level, -most, most);
    tvgp__visit_reals(v, tvgp__model_selection_size(&p->periods, &p->structure, arms), p->T, -most, most);
    tvgp__visit_reals(v, 3 * arms, p->own_n, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, arms, p->own_scale, SMALL, 1);
    tvgp__visit_reals(v, 2 * arms, p->plain_n, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, arms, p->last, -INFINITY, 0x1p53);
    tvgp__visit_real(v, &p->all_n, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &p->all_y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &p->all_scale, SMALL, 1);
    tvgp__visit_real(v, &p->newest, 0, 0x1p53); /* a log has a row */
    visit_seasons(p, v);
    visit_joint(p, v);
}

/* ---- learning --------------------------------------------------------------------------------------------------- */

static void begin(tvgp__fitted_history *p) {
    for (size_t k = 0; k < p->structure.periods; k++)
        p->season[k].scale = 1;
    for (size_t a = 0; a < p->arms; a++) {
        p->own_scale[a] = 1;
        p->last[a] = -INFINITY;
    }
    p->all_scale = 1;
    p->newest = -INFINITY;
}

/* All rows of the table join, which is written over; the mean of the fit is in the user's unit by then. */
static void join_table(tvgp__fitted_history *p, tvgp__history_table *s) {
    double *mean = p->work;
    for (size_t i = 0; i < s->n * s->arms; i++) {
        p->plain_n[i % s->arms] += s->is[i];
        p->plain_y[i % s->arms] += s->y[i];
    }
    const double of_all = plain_means(p, mean);
    memset(p->plain_n, 0, 2 * s->arms * sizeof *p->plain_n); /* and plain_y: joining counts again */
    for (size_t r = 0; r < s->n; r++) {
        const double row = (double)(s->before + (int64_t)r);
        int any = 0;
        for (size_t a = 0; a < s->arms && !any; a++)
            any = s->is[r * s->arms + a] > 0;
        if (any)
            join(p, row, s->scale.first + row * s->scale.width, s->y + r * s->arms, s->is + r * s->arms, mean, of_all);
    }
}

/* The longest of the periods there are, or a tenth of the log, in time. */
static double longest(const tvgp__history_table *s, const tvgp__period_search *periods) {
    double most = periods->n ? 0 : fmax(1, floor((double)s->n / 10));
    for (size_t k = 0; k < periods->n; k++)
        most = fmax(most, periods->cycle[k].slots);
    return most * s->scale.width;
}

/* K, from the errors of the forecasts; `level` in the standardised unit. */
static tvgp_status covariance(tvgp__fitted_history *p, const tvgp__fitted_history_spec *spec, const tvgp__history_table *s,
                              const tvgp__period_search *periods) {
    double *E = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 2 * tvgp__memory_product(s->n, s->arms), sizeof *E, &E));
    double *is = E + s->n * s->arms;
    tvgp_status status = tvgp__model_selection_errors(s, periods, &p->structure, E, is);
    if (status == TVGP_OK)
        status = tvgp__forecast_error_covariance(s, E, is, p->level, spec->correlation, p->K, &p->known);
    tvgp__memory_free(p->ctx, E);
    return status;
}

/* Levels count as changed if their blocks vary this many times as much as noise explains; noise alone stays below 2. */
static const double UNSTEADY = 3;

static tvgp_status find_changes(const tvgp__history_table *s, tvgp__fitted_history *p) {
    double ratio = 0;
    if (p->dense && !p->structure.periods && isinf(p->structure.tau))
        TVGP__TRY(tvgp__level_changes_ratio(s, &ratio));
    p->unsteady = ratio > UNSTEADY;
    return TVGP_OK;
}

static tvgp_status learn_structure(tvgp__fitted_history *p, const tvgp__fitted_history_spec *spec, tvgp__history_table *s) {
    tvgp__model_selection forecast;
    tvgp__period_search found = {0};
    if (!spec->still)
        TVGP__TRY(tvgp__period_search_find(s, spec->n_given, spec->given, &found));
    TVGP__TRY(tvgp__model_selection_choose(s, &found, &forecast));
    p->structure = forecast.candidate[forecast.chosen];
    p->periods = found;
    p->periods.n = p->structure.periods;
    p->error = forecast.error;
    TVGP__TRY(find_changes(s, p));
    p->longest = longest(s, &found);
    p->joint.slots = joint_slots(p);
    TVGP__TRY(make_room(p, spec->bytes));
    begin(p);
    TVGP__TRY(tvgp__model_selection_fit(s, &found, &p->structure, p->level, p->T));
    TVGP__TRY(covariance(p, spec, s, &found));
    show(p);
    join_table(p, s);
    return TVGP_OK;
}

tvgp_status tvgp__fitted_history_learn(tvgp_ctx *ctx, const tvgp__fitted_history_spec *spec, size_t n,
                                       const tvgp__history_table_record *record, tvgp__fitted_history *out) {
    tvgp__fitted_history p = {.ctx = ctx, .arms = spec->arms};
    tvgp__history_table s;
    TVGP__TRY(tvgp__history_table_new(ctx, spec->arms, n, record, &s));
    p.scale = s.scale;
    p.mean = s.mean;
    p.sd = s.sd;
    p.records = s.records;
    p.dense = tvgp__history_table_dense(&s);
    const tvgp_status status = learn_structure(&p, spec, &s);
    tvgp__history_table_free(&s);
    if (status < 0)
        tvgp__fitted_history_free(&p);
    else
        *out = p;
    return status;
}
