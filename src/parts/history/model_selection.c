/* SPDX-License-Identifier: MIT */
/* Chooses the structure of a model of historical data: the one with the best forecasts of the data themselves
 * (parts/history/model_selection.h). */
#include "parts/history/model_selection.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"

#include <math.h>
#include <string.h>

/* Workspace of the fits. */
typedef struct fitter {
    const tvgp__history_table *s;
    const tvgp__period_search *periods;
    uint32_t *phase[TVGP__PERIODS_MOST]; /* of every row */
    double *T[TVGP__PERIODS_MOST];       /* phases x arms */
    double *centred, *rest;              /* n x arms: less means of arms and profiles; less profiles only */
    tvgp__season_profile_sums *sums;     /* of the period with the most phases */
    double *work, *level;
} fitter;

static void close_fitter(fitter *f) {
    void *const blocks[] = {f->centred, f->rest, f->sums, f->work, f->level};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(f->s->ctx, blocks[i]);
    for (size_t k = 0; k < f->periods->n; k++) {
        tvgp__memory_free(f->s->ctx, f->phase[k]);
        tvgp__memory_free(f->s->ctx, f->T[k]);
    }
}

static tvgp_status make_periods(fitter *f) {
    const size_t arms = f->s->arms;
    tvgp_ctx *ctx = f->s->ctx;
    for (size_t k = 0; k < f->periods->n; k++) {
        TVGP__TRY(tvgp__memory_alloc(ctx, f->s->n, sizeof *f->phase[k], &f->phase[k]));
        TVGP__TRY(
            tvgp__memory_alloc(ctx, tvgp__memory_product(f->periods->cycle[k].phases, arms), sizeof *f->T[k], &f->T[k]));
        tvgp__period_search_phases(f->s, &f->periods->cycle[k], f->phase[k]);
    }
    return TVGP_OK;
}

static tvgp_status make_rows(fitter *f) {
    const size_t n = f->s->n, arms = f->s->arms;
    tvgp_ctx *ctx = f->s->ctx;
    size_t most = 1;
    for (size_t k = 0; k < f->periods->n; k++)
        most = f->periods->cycle[k].phases > most ? f->periods->cycle[k].phases : most;
    TVGP__TRY(tvgp__memory_alloc(ctx, tvgp__memory_product(n, arms), sizeof *f->centred, &f->centred));
    TVGP__TRY(tvgp__memory_alloc(ctx, tvgp__memory_product(n, arms), sizeof *f->rest, &f->rest));
    TVGP__TRY(tvgp__memory_alloc(ctx, tvgp__memory_product(most, arms + 1), sizeof *f->sums, &f->sums));
    TVGP__TRY(tvgp__memory_alloc(ctx, 4 * arms + n + 2 * most, sizeof *f->work, &f->work));
    return tvgp__memory_alloc(ctx, 2 * arms, sizeof *f->level, &f->level); /* and a row of errors */
}

/* On failure there is nothing to close. */
static tvgp_status open_fitter(const tvgp__history_table *s, const tvgp__period_search *periods, fitter *f) {
    *f = (fitter){.s = s, .periods = periods};
    tvgp_status status = make_periods(f);
    if (status == TVGP_OK)
        status = make_rows(f);
    if (status < 0)
        close_fitter(f);
    return status;
}

/* ---- fits to the rows before an origin -------------------------------------------------------------------------- */

static void begin(fitter *f, size_t origin) {
    const tvgp__kernel_rows_of rows = {origin, f->s->arms, f->s->y, f->s->is};
    memcpy(f->rest, f->s->y, origin * rows.arms * sizeof *f->rest);
    tvgp__season_profile_centre(&rows, f->work, f->centred);
}

/* The profile of period k of what the periods before it left. */
static void fit_profile(fitter *f, size_t origin, size_t k, double s) {
    const tvgp__kernel_rows_of rows = {origin, f->s->arms, f->centred, f->s->is};
    tvgp__season_profile_fit(&f->periods->cycle[k], f->phase[k], &rows, s, f->sums, f->work, f->T[k]);
    tvgp__season_profile_subtract(origin, rows.arms, f->T[k], f->phase[k], f->s->is, f->centred);
    tvgp__season_profile_subtract(origin, rows.arms, f->T[k], f->phase[k], f->s->is, f->rest);
}

static void fit_level(fitter *f, size_t origin, double tau) {
    const tvgp__kernel_rows_of rows = {origin, f->s->arms, f->rest, f->s->is};
    tvgp__season_profile_level(&rows, tau, f->work, f->level);
}

/* Errors of row r after the level and the first `periods` profiles, 0 in blanks; returns the number of blanks. */
static double errors_of(const fitter *f, size_t periods, size_t r, double *error) {
    const size_t arms = f->s->arms;
    const double *y = f->s->y + r * arms, *is = f->s->is + r * arms;
    double cells = 0;
    for (size_t a = 0; a < arms; a++) {
        error[a] = y[a] - f->level[a];
        cells += is[a];
    }
    for (size_t k = 0; k < periods; k++)
        for (size_t a = 0; a < arms; a++)
            error[a] -= f->T[k][f->phase[k][r] * arms + a];
    for (size_t a = 0; a < arms; a++)
        error[a] *= is[a];
    return cells;
}

static void score_block(fitter *f, size_t periods, size_t origin, size_t h, tvgp__model_selection_score *score) {
    const size_t arms = f->s->arms;
    double *error = f->level + arms;
    for (size_t r = origin; r < origin + h; r++) {
        const double cells = errors_of(f, periods, r, error);
        double sum = 0, square = 0;
        for (size_t a = 0; a < arms; a++) {
            sum += error[a];
            square += error[a] * error[a];
        }
        score->plain += square;
        for (size_t a = 0; a < arms; a++) {
            const double apart = (error[a] - sum / cells) * f->s->is[r * arms + a];
            score->apart += cells > 0 ? apart * apart : 0;
        }
    }
}

/* ---- origins and candidates ------------------------------------------------------------------------------------- */

typedef struct blocks {
    size_t h, first, last; /* rows of a block; origins */
} blocks;

/* h = clamp(H, 1, n / 4), H the longest period or n / 10; from max(0.4 n, min(2 H, n - h)) on. */
static blocks blocks_of(size_t n, const tvgp__period_search *periods) {
    double H = periods->n ? 0 : floor((double)n / 10);
    for (size_t k = 0; k < periods->n; k++)
        H = fmax(H, ceil(periods->cycle[k].slots));
    const double h = fmax(1, fmin(H, (double)(n / 4)));
    const double first = fmax(floor(0.4 * (double)n), fmin(2 * H, (double)n - h));
    return (blocks){(size_t)h, first >= 1 ? (size_t)first : 1, n - (size_t)h};
}

/* Distance between origins: a number of `origins`, or consecutive blocks. */
static size_t step_of(size_t n, const blocks *b, size_t origins) {
    const size_t step = (n - b->first + origins - 1) / origins;
    return step < 1 ? 1 : step < b->h ? step : b->h;
}

static const double seasons_forget[] = {INFINITY, 8, 3};
enum { FORGETS = 3, TAUS = TVGP__MODEL_SELECTION_SEASONS / FORGETS };

static void list_candidates(size_t n, const tvgp__period_search *periods, tvgp__model_selection *out) {
    const double rows = (double)n, L = periods->n ? periods->cycle[0].slots : 0;
    const double tau[TVGP__MODEL_SELECTION_LEVELS] = {INFINITY, rows / 2, rows / 8, rows / 32, 4, 1};
    const double of_season[TAUS] = {INFINITY, 3 * L, L, L / 6};
    out->n = 0;
    for (size_t i = 0; i < TVGP__MODEL_SELECTION_LEVELS; i++)
        out->candidate[out->n++] = (tvgp__structure){0, INFINITY, tau[i]};
    for (size_t k = 1; k <= periods->n; k++)
        for (size_t i = 0; i < TVGP__MODEL_SELECTION_SEASONS; i++)
            out->candidate[out->n++] = (tvgp__structure){k, seasons_forget[i / TAUS], of_season[i % TAUS]};
}

/* Scores the candidates with the same profiles: all levels with the first `periods` periods. INTERRUPTED. */
static tvgp_status score_levels(fitter *f, size_t periods, size_t origin, size_t h, size_t first, size_t n,
                                tvgp__model_selection *out) {
    for (size_t i = first; i < first + n; i++) {
        TVGP__TRY(tvgp__error_interrupted(f->s->ctx));
        fit_level(f, origin, out->candidate[i].tau);
        score_block(f, periods, origin, h, &out->score[i]);
    }
    return TVGP_OK;
}

/* Every candidate reads the rows up to the end of the block once, and so does every profile. LIMIT (a quota), INTERRUPTED. */
static tvgp_status score_origin(fitter *f, size_t origin, size_t h, tvgp__model_selection *out) {
    const size_t readings = out->n + FORGETS * f->periods->n;
    TVGP__TRY(tvgp__quota_work(f->s->ctx, origin + h, readings * f->s->arms));
    begin(f, origin);
    TVGP__TRY(score_levels(f, 0, origin, h, 0, TVGP__MODEL_SELECTION_LEVELS, out));
    for (size_t j = 0; j < FORGETS && f->periods->n; j++) {
        begin(f, origin);
        for (size_t k = 0; k < f->periods->n; k++) {
            const size_t first = TVGP__MODEL_SELECTION_LEVELS + TVGP__MODEL_SELECTION_SEASONS * k + TAUS * j;
            fit_profile(f, origin, k, seasons_forget[j]);
            TVGP__TRY(score_levels(f, k + 1, origin, h, first, TAUS, out));
        }
    }
    return TVGP_OK;
}

/* What decides, and the other one. */
static double deciding(const tvgp__model_selection *f, size_t i, int dense) {
    return dense ? f->score[i].apart : f->score[i].plain;
}

static void choose(tvgp__model_selection *f, int dense) {
    size_t best = 0, common = 0;
    for (size_t i = 0; i < f->n; i++) {
        const tvgp__structure *c = &f->candidate[i];
        best = deciding(f, i, dense) < deciding(f, best, dense) ? i : best;
        if (c->periods && isinf(c->s) && isinf(c->tau) && (!common || f->score[i].plain < f->score[common].plain))
            common = i;
    }
    const double constant = deciding(f, 0, dense);
    if (deciding(f, best, dense) < 0.95 * constant)
        f->chosen = best;
    else if (common && f->score[common].plain < 0.95 * f->score[0].plain && deciding(f, common, dense) <= 1.01 * constant)
        f->chosen = common;
    f->error = constant > 0 ? deciding(f, f->chosen, dense) / constant : 1;
}

tvgp_status tvgp__model_selection_choose(const tvgp__history_table *s, const tvgp__period_search *periods,
                                         tvgp__model_selection *out) {
    fitter f;
    *out = (tvgp__model_selection){.error = 1};
    list_candidates(s->n, periods, out);
    if (s->n < 4)
        return TVGP_OK;
    const blocks b = blocks_of(s->n, periods);
    TVGP__TRY(open_fitter(s, periods, &f));
    tvgp_status status = TVGP_OK;
    for (size_t origin = b.first; origin <= b.last && status == TVGP_OK; origin += step_of(s->n, &b, 10))
        status = score_origin(&f, origin, b.h, out);
    close_fitter(&f);
    if (status == TVGP_OK)
        choose(out, tvgp__history_table_dense(s));
    return status;
}

static void fit(fitter *f, size_t origin, const tvgp__structure *structure) {
    begin(f, origin);
    for (size_t k = 0; k < structure->periods; k++)
        fit_profile(f, origin, k, structure->s);
    fit_level(f, origin, structure->tau);
}

tvgp_status tvgp__model_selection_errors(const tvgp__history_table *s, const tvgp__period_search *periods,
                                         const tvgp__structure *structure, double *E, double *is) {
    const size_t arms = s->arms;
    fitter f;
    memset(E, 0, s->n * arms * sizeof *E);
    memset(is, 0, s->n * arms * sizeof *is);
    if (s->n < 4)
        return TVGP_OK;
    const blocks b = blocks_of(s->n, periods);
    TVGP__TRY(open_fitter(s, periods, &f));
    tvgp_status status = TVGP_OK;
    for (size_t origin = b.first; origin <= b.last && status == TVGP_OK; origin += step_of(s->n, &b, 12)) {
        status = tvgp__quota_work(s->ctx, origin + b.h, (structure->periods + 1) * arms);
        if (status == TVGP_OK)
            status = tvgp__error_interrupted(s->ctx);
        if (status < 0)
            break;
        fit(&f, origin, structure);
        for (size_t r = origin; r < origin + b.h; r++) {
            (void)errors_of(&f, structure->periods, r, E + r * arms);
            memcpy(is + r * arms, s->is + r * arms, arms * sizeof *is);
        }
    }
    close_fitter(&f);
    return status;
}

tvgp_status tvgp__model_selection_fit(const tvgp__history_table *s, const tvgp__period_search *periods,
                                      const tvgp__structure *structure, double *level, double *T) {
    fitter f;
    TVGP__TRY(open_fitter(s, periods, &f));
    fit(&f, s->n, structure);
    memcpy(level, f.level, s->arms * sizeof *level);
    for (size_t k = 0; k < structure->periods; k++) {
        const size_t size = periods->cycle[k].phases * s->arms;
        memcpy(T, f.T[k], size * sizeof *T);
        T += size;
    }
    close_fitter(&f);
    return TVGP_OK;
}

size_t tvgp__model_selection_size(const tvgp__period_search *periods, const tvgp__structure *structure, size_t arms) {
    size_t size = 0;
    for (size_t k = 0; k < structure->periods; k++)
        size += periods->cycle[k].phases * arms;
    return size;
}
