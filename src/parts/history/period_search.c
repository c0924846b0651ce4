/* SPDX-License-Identifier: MIT */
/* Finds the periods of historical data (parts/history/period_search.h). */
#include "parts/history/period_search.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "base/quota.h"

#include <math.h>
#include <string.h>

enum { MANY_ROWS = 4096, PEAKS = 64, ARMS_OF_PEAKS = 8 };

/* Workspace of the search. */
typedef struct tvgp__period_search_work {
    const tvgp__history_table *s;
    double *rest;    /* n x arms: the values, less means of arms and the profiles found */
    double *mean;    /* 2 arms, then 2 phases: workspace of profiles */
    uint32_t *phase; /* n */
    double *sums;    /* phases x (arms + 1) x 4 */
    double *T;       /* phases x arms */
    size_t phases;   /* that there is room for */
    double *square;  /* n: sums of squares of rows, where the table has no blanks */
    int full;        /* it has none */
} work;

void tvgp__period_search_phases(const tvgp__history_table *s, const tvgp__cycle *c, uint32_t *phase) {
    for (size_t r = 0; r < s->n; r++) {
        const int64_t row = s->before + (int64_t)r;
        phase[r] = (uint32_t)tvgp__season_profile_phase(c, row, s->scale.first + (double)row * s->scale.width);
    }
}

/* ---- what a period explains ------------------------------------------------------------------------------------- */

TVGP__SIMD_CLONES
static void add_row(size_t arms, const double *y, const double *is, double *restrict n, double *restrict sum,
                    double *restrict squares) {
    for (size_t a = 0; a < arms; a++) {
        n[a] += is[a];
        sum[a] += y[a];
        squares[a] += y[a] * y[a];
    }
}

/* Squared errors left out, (N / (N - 1))^2 (sum y^2 - S^2 / N); of a single value its square. */
static double left_out(size_t n, const double *count, const double *sum, const double *squares) {
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        const double N = count[i], ratio = N > 1 ? N / (N - 1) : 1;
        all += N > 1 ? ratio * ratio * fmax(squares[i] - sum[i] * sum[i] / N, 0) : squares[i];
    }
    return all;
}

/* The same where nothing is blank. */
TVGP__SIMD_CLONES
static void add_full_row(size_t arms, const double *y, double *restrict sum) {
    for (size_t a = 0; a < arms; a++)
        sum[a] += y[a];
}

/* What a period leaves out of a table without blanks, of which square[r] is the sum of squares of row r. The rows of a phase are
 * as many for every arm, so that a phase needs one sum of squares. */
static double left_out_full(size_t P, const uint32_t *phase, size_t rows, size_t arms, const double *y, const double *square,
                            double *sums) {
    double *n = sums, *squares = n + P, *sum = squares + P, left = 0;
    memset(sums, 0, (2 + arms) * P * sizeof *sums);
    for (size_t r = 0; r < rows; r++) {
        n[phase[r]]++;
        squares[phase[r]] += square[r];
        add_full_row(arms, y + r * arms, sum + phase[r] * arms);
    }
    for (size_t p = 0; p < P; p++) {
        const double ratio = n[p] > 1 ? n[p] / (n[p] - 1) : 1;
        double of_sums = 0;
        for (size_t a = 0; n[p] > 1 && a < arms; a++)
            of_sums += sum[p * arms + a] * sum[p * arms + a];
        left += n[p] > 1 ? ratio * ratio * fmax(squares[p] - of_sums / n[p], 0) : squares[p];
    }
    return left;
}

double tvgp__period_search_explained(const tvgp__cycle *c, const uint32_t *phase, const tvgp__kernel_rows_of *rows,
                                     double *sums) {
    const size_t arms = rows->arms, cells = c->phases * arms;
    double *n = sums, *sum = n + cells, *squares = sum + cells, all = 0;
    memset(sums, 0, 3 * cells * sizeof *sums);
    for (size_t r = 0; r < rows->n; r++)
        add_row(arms, rows->y + r * arms, rows->is + r * arms, n + phase[r] * arms, sum + phase[r] * arms,
                squares + phase[r] * arms);
    for (size_t i = 0; i < cells; i++)
        all += squares[i];
    return all > 0 ? 1 - left_out(cells, n, sum, squares) / all : 0;
}

static double explained(const work *w, const tvgp__cycle *c) {
    const tvgp__kernel_rows_of rows = {w->s->n, w->s->arms, w->rest, w->s->is};
    tvgp__period_search_phases(w->s, c, w->phase);
    if (w->full) {
        double all = 0;
        for (size_t r = 0; r < rows.n; r++)
            all += w->square[r];
        return all > 0 ? 1 - left_out_full(c->phases, w->phase, rows.n, rows.arms, w->rest, w->square, w->sums) / all : 0;
    }
    return tvgp__period_search_explained(c, w->phase, &rows, w->sums);
}

/* ---- which are looked at ---------------------------------------------------------------------------------------- */

/* The autocorrelation of x at each lag below `lags`, added to out. */
static void correlate(size_t n, const double *x, size_t lags, double *out) {
    double square = 0;
    for (size_t r = 0; r < n; r++)
        square += x[r] * x[r];
    for (size_t lag = 2; square > 0 && lag < lags; lag++) {
        double sum = 0;
        for (size_t r = lag; r < n; r++)
            sum += x[r] * x[r - lag];
        out[lag] += sum / square;
    }
}

/* The arm of the largest sum of squares, which is then taken out of the list. */
static size_t take_largest(size_t arms, double *squares) {
    size_t best = 0;
    for (size_t a = 1; a < arms; a++)
        best = squares[a] > squares[best] ? a : best;
    squares[best] = -1;
    return best;
}

static void sum_lags(const work *w, size_t lags, double *series, double *out) {
    const size_t n = w->s->n, arms = w->s->arms;
    double *squares = w->mean;
    memset(squares, 0, arms * sizeof *squares);
    for (size_t r = 0; r < n; r++) {
        series[r] = 0;
        for (size_t a = 0; a < arms; a++) {
            const double y = w->rest[r * arms + a];
            squares[a] += y * y;
            series[r] += y;
        }
    }
    correlate(n, series, lags, out);
    for (size_t k = 0; k < ARMS_OF_PEAKS && k < arms; k++) {
        const size_t a = take_largest(arms, squares);
        for (size_t r = 0; r < n; r++)
            series[r] = w->rest[r * arms + a];
        correlate(n, series, lags, out);
    }
}

/* Marks the lags to look at: all, or of many rows the highest peaks. NOMEM, LIMIT (a quota). */
static tvgp_status choose_lags(const work *w, size_t lags, uint8_t *look) {
    const size_t n = w->s->n;
    double *series = NULL;
    memset(look, n <= MANY_ROWS, lags);
    if (n <= MANY_ROWS)
        return TVGP_OK;
    TVGP__TRY(tvgp__quota_work(w->s->ctx, n * (ARMS_OF_PEAKS + 1), lags));
    TVGP__TRY(tvgp__memory_alloc(w->s->ctx, n + lags + 1, sizeof *series, &series));
    double *height = series + n;
    sum_lags(w, lags, series, height);
    for (size_t k = 0; k < PEAKS; k++) {
        size_t best = 0;
        for (size_t lag = 3; lag + 1 < lags; lag++)
            if (!look[lag] && height[lag] > height[lag - 1] && height[lag] >= height[lag + 1] &&
                (!best || height[lag] > height[best]))
                best = lag;
        if (best)
            look[best] = 1;
    }
    tvgp__memory_free(w->s->ctx, series);
    return TVGP_OK;
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void sum_squares(const work *w) {
    const size_t arms = w->s->arms;
    for (size_t r = 0; w->full && r < w->s->n; r++) {
        w->square[r] = 0;
        for (size_t a = 0; a < arms; a++)
            w->square[r] += w->rest[r * arms + a] * w->rest[r * arms + a];
    }
}

/* The period joins the list, and what it explains by its profile is gone. */
static void take(const work *w, const tvgp__cycle *c, tvgp__period_search *out) {
    const tvgp__history_table *s = w->s;
    const tvgp__kernel_rows_of rows = {s->n, s->arms, w->rest, s->is};
    tvgp__period_search_phases(s, c, w->phase);
    tvgp__season_profile_fit(c, w->phase, &rows, INFINITY, (tvgp__season_profile_sums *)w->sums, w->mean + 2 * s->arms,
                             w->T);
    tvgp__season_profile_subtract(s->n, s->arms, w->T, w->phase, s->is, w->rest);
    sum_squares(w);
    out->cycle[out->n++] = *c;
}

static void take_given(const work *w, size_t given, const double *time, tvgp__period_search *out) {
    const double n = (double)w->s->n, width = w->s->scale.width;
    for (size_t i = 0; i < given && out->n < TVGP__PERIODS_MOST; i++) {
        const double slots = time[i] / width;
        const tvgp__cycle c = {
            .phases = (size_t)fmin(TVGP__PERIODS_BINS, fmax(1, round(slots))), .time = time[i], .slots = slots};
        if (c.phases >= 2 && c.phases <= w->phases && n >= 2 * slots && explained(w, &c) > 0.02)
            take(w, &c, out);
    }
}

/* The best period that is left; phases 0: none. INTERRUPTED, LIMIT (a quota). */
static tvgp_status best_of(const work *w, size_t lags, const uint8_t *look, tvgp__cycle *best) {
    double most = 0.05;
    *best = (tvgp__cycle){0};
    for (size_t P = 2; P < lags; P++) {
        const tvgp__cycle c = {.phases = P, .slots = (double)P};
        TVGP__TRY(tvgp__error_interrupted(w->s->ctx));
        if (look[P])
            TVGP__TRY(tvgp__quota_work(w->s->ctx, w->s->n, w->s->arms));
        const double share = look[P] ? explained(w, &c) : 0;
        if (share > most + (best->phases ? 0.002 : 0)) {
            most = share;
            *best = c;
        }
    }
    return TVGP_OK;
}

static tvgp_status seek(const work *w, tvgp__period_search *out) {
    const size_t lags = w->s->n / 3 + 1;
    uint8_t *look = NULL;
    tvgp__cycle best = {.phases = 1};
    TVGP__TRY(tvgp__memory_alloc(w->s->ctx, lags, 1, &look));
    tvgp_status status = TVGP_OK;
    while (status == TVGP_OK && best.phases && out->n < TVGP__PERIODS_MOST) {
        status = choose_lags(w, lags, look);
        if (status == TVGP_OK)
            status = best_of(w, lags, look, &best);
        if (status == TVGP_OK && best.phases)
            take(w, &best, out);
    }
    tvgp__memory_free(w->s->ctx, look);
    return status;
}

static tvgp_status make_room(work *w) {
    const tvgp__history_table *s = w->s;
    const size_t arms = s->arms, p = w->phases;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, tvgp__memory_product(s->n, arms), sizeof *w->rest, &w->rest));
    TVGP__TRY(tvgp__memory_alloc(s->ctx, 2 * (arms + p), sizeof *w->mean, &w->mean));
    TVGP__TRY(tvgp__memory_alloc(s->ctx, s->n, sizeof *w->phase, &w->phase));
    TVGP__TRY(tvgp__memory_alloc(s->ctx, tvgp__memory_product(p, arms + 1), sizeof(tvgp__season_profile_sums), &w->sums));
    TVGP__TRY(tvgp__memory_alloc(s->ctx, s->n, sizeof *w->square, &w->square));
    return tvgp__memory_alloc(s->ctx, tvgp__memory_product(p, arms), sizeof *w->T, &w->T);
}

tvgp_status tvgp__period_search_find(const tvgp__history_table *s, size_t given, const double *time,
                                     tvgp__period_search *out) {
    const size_t most = s->n / 3 > TVGP__PERIODS_BINS ? s->n / 3 : TVGP__PERIODS_BINS;
    work w = {.s = s, .phases = given ? most : s->n / 3 + 1, .full = s->cells == s->n * s->arms};
    out->n = 0;
    tvgp_status status = make_room(&w);
    if (status == TVGP_OK) {
        tvgp__season_profile_centre(&(tvgp__kernel_rows_of){s->n, s->arms, s->y, s->is}, w.mean, w.rest);
        sum_squares(&w);
        take_given(&w, given, time, out);
        if (!out->n && s->n >= 6)
            status = seek(&w, out);
    }
    void *const blocks[] = {w.rest, w.mean, w.phase, w.sums, w.T, w.square};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(s->ctx, blocks[i]);
    return status;
}
