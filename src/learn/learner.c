/* SPDX-License-Identifier: MIT */
/* The log of outcomes, the posterior in use with the offset c and the factor f of its moments, and snapshots
 * (learn/learner.h). */
#include "learn/learner.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/temporal/drift.h"

#include <math.h>
#include <string.h>

size_t tvgp__learner_index(const tvgp__learner *l, int64_t i) {
    return l->log.n - (size_t)(l->answers - i);
}

const double *tvgp__learner_point(const tvgp__learner *l, size_t index) {
    const size_t dim = l->hyper->space->dim;
    return l->log.dim ? l->log.X + index * dim : l->X + l->log.list[index].arm * dim;
}

int64_t tvgp__learner_oldest(const tvgp__learner *l) {
    return l->answers > l->spec.rules.keep ? l->answers - l->spec.rules.keep : 0;
}

int64_t tvgp__learner_candidate_end(const tvgp__learner *l) {
    return (int64_t)l->cells.n + l->answers - l->candidate_first;
}

size_t tvgp__learner_logged(const tvgp__learner *l) {
    return (size_t)(l->answers - tvgp__learner_oldest(l));
}

int64_t tvgp__learner_window(const tvgp__learner *l) {
    const int64_t kept = (int64_t)tvgp__learner_logged(l);
    return kept < l->spec.rules.window ? kept : l->spec.rules.window;
}

double tvgp__learner_noise(const tvgp__learner *l) {
    const double learned = l->scale * l->in_use.point.noise;
    return l->spec.rules.noise ? fmin(fmax(learned, TVGP__VALID_RANGE_LEAST), TVGP__VALID_RANGE_MOST) : l->spec.noise;
}

/* ---- the model in use ---------------------------------------------------------------------------------------------- */

void tvgp__learner_show_moments(tvgp__learner *l) {
    tvgp__posterior *model = l->in_use.posterior;
    model->shift = l->in_use.point.mean;
    model->factor = l->scale;
}

void tvgp__learner_set_exponent(tvgp__learner *l, double alpha) {
    l->spec.age.alpha = l->hyper->spec.age.alpha = l->in_use.rate = l->candidate.rate = alpha;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

int tvgp__learner_pools(const tvgp__learner *l) {
    return !l->log.dim && !l->spec.own_scale && !l->spec.newest && !l->spec.age.growth;
}

/* Room for the outcomes that an adoption may group by arm, so that it cannot fail for lack of it. */
static tvgp_status pool_room(tvgp__learner *l) {
    const size_t kept = tvgp__learner_logged(l);
    return tvgp__learner_pools(l) ? tvgp__observation_groups_room(&l->cells, kept < l->n ? kept : l->n) : TVGP_OK;
}

/* Room for `more` records in the log; records that are too old are removed now and then, many at once. */
static tvgp_status reserve(tvgp__learner *l, size_t more) {
    const size_t kept = tvgp__learner_logged(l), old = l->log.n - kept;
    if (old > kept / 64) {
        tvgp__observations_drop(&l->log, old);
        memmove(l->notes, l->notes + old, kept * sizeof *l->notes);
        memmove(l->segments, l->segments + old, kept * sizeof *l->segments);
    }
    TVGP__TRY(tvgp__observations_reserve(&l->log, more));
    TVGP__TRY(pool_room(l));
    TVGP__TRY(tvgp__memory_reserve(l->ctx, l->log.n + more, sizeof *l->segments, &l->segments, &l->segment_slots));
    return tvgp__memory_reserve(l->ctx, l->log.n + more, sizeof *l->notes, &l->notes, &l->note_slots);
}

tvgp_status tvgp__learner_prepare(tvgp__learner *l, const tvgp__points *points) {
    TVGP__TRY(reserve(l, points->n));
    return l->in_use.posterior->ops->prepare(l->in_use.posterior, points);
}

/* s z of an outcome, before the model is conditioned on it. */
static double ratio(const tvgp__learner_model *m, const tvgp__observation *r, double noise) {
    double mean, var, e;
    m->posterior->ops->at(m->posterior, fmax(m->posterior->now, r->t), 1, &r->arm, &mean, &var);
    e = r->y - m->point.mean - mean;
    double square = e / (fmax(var, 0) + noise) * e * m->point.scale;
    return isfinite(square) ? square : 0;
}

double tvgp__learner_show(const tvgp__learner *l, tvgp__learner_model *m, const tvgp__points *points, size_t i,
                          const tvgp__observation *r, int wanted) {
    if (l->spec.fill)
        return 0;
    double noise = isnan(r->noise) ? m->point.noise : r->noise;
    wanted = wanted && !r->assumed;
    double square = !wanted || l->spec.own_scale || l->spec.square ? 0 : ratio(m, r, noise);
    tvgp__posterior_observe(m->posterior, points, i, r->t, r->y - m->point.mean, noise, r->assumed);
    return wanted && l->spec.square ? tvgp__posterior_square(m->posterior) * m->point.scale : square;
}

/* A model of the prior's mode, created before two values differed: all its observations are 0. */
static void give_unit(const tvgp__learner *l, tvgp__learner_model *m) {
    if (m->posterior && m->point.objective == -INFINITY && l->apart > 0)
        tvgp__posterior_rescale(m->posterior, l->apart * l->apart);
}

/* The square stays in the range. */
static void find_unit(tvgp__learner *l, double y) {
    const double off = fabs(y - l->in_use.point.mean);
    if (l->apart > 0 || !(off > 0))
        return;
    l->apart = fmin(fmax(off, 1e-50), 1e50);
    l->in_use.posterior->learned.vague = 0;
    give_unit(l, &l->in_use);
    give_unit(l, &l->candidate);
}

void tvgp__learner_observe(tvgp__learner *l, const tvgp__points *points, size_t i, const tvgp__observation *o) {
    const size_t index = l->log.n, dim = l->log.dim;
    const tvgp__observation r = {
        .arm = dim ? 0 : points->arm[i], .t = o->t, .y = o->y, .noise = o->noise, .assumed = o->assumed};
    if (!l->answers && !l->fitted)
        l->in_use.point.mean = r.y; /* all that is known of c */
    if (!l->answers)
        l->cells.origin = r.t;
    if (!r.assumed)
        find_unit(l, r.y);
    l->notes[index] = (tvgp__learner_note){.ratio = tvgp__learner_show(l, &l->in_use, points, i, &r, 1)};
    l->segments[index] = l->segment;
    tvgp__observations_add(&l->log, &r, dim ? points->X + i * dim : NULL);
    l->answers++;
    tvgp__learner_show_moments(l);
}

void tvgp__learner_free_model(tvgp__learner_model *m) {
    tvgp__posterior_free(m->posterior);
    m->posterior = NULL;
}

/* The posterior before the first fit has the rate of the prior, for a step: it may take another unit while no time has passed. */
static void follow(tvgp__learner *l, tvgp__learner_model *m) {
    const int still = !l->log.n || l->log.list[0].t >= l->in_use.posterior->now;
    const int has_its_own = m->point.unit > 0 || (m->unit > 0 && !still);
    if (!m->posterior || (l->spec.takes_rate && has_its_own))
        return;
    m->unit = l->unit;
    tvgp__posterior_set_unit(m->posterior, m->unit);
}

void tvgp__learner_set_unit(tvgp__learner *l, double unit) {
    l->unit = unit;
    follow(l, &l->in_use);
    follow(l, &l->candidate);
}

void tvgp__learner_reset(tvgp__learner *l) {
    l->in_use.posterior->ops->reset(l->in_use.posterior);
    l->first = l->unfaded = l->answers;
    l->segment++;
    if (l->candidate.posterior)
        l->candidate.posterior->ops->reset(l->candidate.posterior);
    l->candidate_rows = tvgp__learner_candidate_end(l);
}

void tvgp__learner_split(tvgp__learner *l, double t) {
    int64_t segment = ++l->segment;
    for (int64_t i = l->answers; i-- > tvgp__learner_oldest(l) && l->log.list[tvgp__learner_index(l, i)].t >= t;)
        l->segments[tvgp__learner_index(l, i)] = segment;
    tvgp__learner_free_model(&l->candidate); /* it was shown what no longer counts */
    l->adoption = l->adoption == TVGP__LEARNER_SHOWING ? TVGP__LEARNER_DUE : l->adoption;
}

void tvgp__learner_free(tvgp__learner *l) {
    if (!l)
        return;
    tvgp_ctx *ctx = l->ctx;
    tvgp__learner_free_model(&l->in_use);
    tvgp__learner_free_model(&l->candidate);
    tvgp__memory_free(ctx, l->before);
    if (l->progress)
        tvgp__basis_search_end(&l->progress->search);
    tvgp__memory_free(ctx, l->progress);
    tvgp__hyper_free(l->hyper);
    tvgp__observations_free(&l->log);
    tvgp__memory_free(ctx, l->notes);
    tvgp__memory_free(ctx, l->segments);
    tvgp__observation_groups_free(&l->cells);
    tvgp__memory_free(ctx, l->moments);
    tvgp__memory_free(ctx, l);
}

/* ---- taking parameters over --------------------------------------------------------------------------------------- */

/* A posterior for these parameters. */
tvgp_status tvgp__learner_make(tvgp__learner *l, const tvgp__hyper_point *point, tvgp__basis_progress *progress,
                               tvgp__learner_model *out) {
    tvgp_kernel *kernel = NULL, *time = NULL;
    tvgp__learner_model m = {.point = *point};
    TVGP__TRY(tvgp__hyper_kernels(l->hyper, point, &kernel, &time));
    m.rate = l->spec.age.growth ? tvgp__hyper_growth(l->hyper, point) : tvgp__drift_rate(time);
    tvgp__kernel_release(time);
    tvgp_status status =
        l->spec.make(l->spec.arg, kernel, l->spec.takes_rate ? m.rate : NAN, point->noise, progress, &m.posterior);
    tvgp__kernel_release(kernel);
    if (status != TVGP_OK)
        return status;
    m.unit = l->spec.takes_rate && point->unit > 0 ? point->unit : l->unit;
    tvgp__posterior_set_unit(m.posterior, m.unit);
    give_unit(l, &m);
    *out = m;
    return TVGP_OK;
}

void tvgp__learner_take_over(tvgp__learner *l) {
    tvgp__posterior *model = l->in_use.posterior;
    model->shown = l->moments;
    model->learned.vague = !(l->apart > 0);
    tvgp__learner_show_moments(l);
    l->spec.adopted(l->spec.arg, model, l->in_use.rate);
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Creates posteriors and kernels from their parameters, unless the handle already holds such ones. */

/* The posterior of a model, for the parameters it has, which stand in `point`. */
static void remake(tvgp__learner *l, tvgp__learner_model *m, const tvgp__hyper_point *point, tvgp__visit *v) {
    int same = m->posterior && memcmp(point->theta, m->point.theta, l->hyper->p * sizeof *point->theta) == 0 &&
               point->scale == m->point.scale && point->noise == m->point.noise && point->unit == m->point.unit;
    if (!same) {
        tvgp__learner_model fresh = {0};
        if (!tvgp__visit_made(v, tvgp__learner_make(l, point, NULL, &fresh), "the parameters before this make no posterior"))
            return;
        tvgp__learner_free_model(m);
        *m = fresh;
        if (m == &l->in_use)
            tvgp__learner_take_over(l);
    }
    m->point = *point;
}

static void visit_model(tvgp__learner *l, tvgp__learner_model *m, tvgp__visit *v) {
    tvgp__hyper_point point = m->point;
    tvgp__hyper_visit_point(l->hyper, &point, v);
    if (tvgp__visit_loads(v))
        remake(l, m, &point, v);
    tvgp__visit_real(v, &m->unit, 0, TVGP__VISIT_MOST);
    if (tvgp__visit_loads(v))
        tvgp__posterior_set_unit(m->posterior, m->unit);
    if (tvgp__visit_fine(v) && !l->spec.fill) /* otherwise its owner fills it again */
        tvgp__posterior_visit(m->posterior, v);
}

/* Members of an observation that follow from the one before, and are not saved: bits of a byte. */
enum { SAME_STEP = 1, SAME_NOISE = 2, NO_RATIOS = 4, SAME_SEGMENT = 8, ALL_SAME = 15, ASSUMED = 16 };

static int same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* An arm, in one byte where that is enough. */
static void visit_arm(size_t *arm, size_t n, tvgp__visit *v) {
    uint8_t byte = (uint8_t)*arm;
    if (n > 256) {
        tvgp__visit_indices(v, 1, arm, n);
        return;
    }
    tvgp__visit_bytes(v, 1, &byte);
    if (tvgp__visit_loads(v)) {
        *arm = byte < n ? byte : 0;
        if (byte >= n)
            tvgp__visit_refuse(v, "there is no such arm");
    }
}

/* Observation i of those from `first` on. Times at equal steps, the noise and the segment are mostly those of the one before, so that
 * an observation takes 10 bytes instead of 52. */
static void visit_entry(tvgp__learner *l, size_t i, size_t first, tvgp__visit *v) {
    const tvgp__observation none = {.noise = NAN}, *before = i > first ? &l->log.list[i - 1] : &none;
    const double t = before->t + (before->t - (i > first + 1 ? l->log.list[i - 2].t : before->t));
    const int64_t segment = i > first ? l->segments[i - 1] : 0;
    tvgp__observation *r = &l->log.list[i];
    tvgp__learner_note *note = &l->notes[i];
    if (tvgp__visit_loads(v))
        *r = (tvgp__observation){.t = t, .noise = before->noise}, *note = (tvgp__learner_note){0}, l->segments[i] = segment;
    uint8_t same = (uint8_t)((same_bits(r->t, t) ? SAME_STEP : 0) | (same_bits(r->noise, before->noise) ? SAME_NOISE : 0) |
                             (note->ratio == 0 && note->candidate_ratio == 0 ? NO_RATIOS : 0) |
                             (l->segments[i] == segment ? SAME_SEGMENT : 0) | (r->assumed ? ASSUMED : 0));
    tvgp__visit_bytes(v, 1, &same);
    if (tvgp__visit_loads(v))
        r->assumed = (same & ASSUMED) > 0;
    if (tvgp__visit_loads(v) &&
        (same > (ALL_SAME | ASSUMED) || ((same & SAME_STEP) && !(fabs(t) <= TVGP__VALID_RANGE_MOST))))
        tvgp__visit_refuse(v, "an observation has marks that do not hold");
    if (l->log.dim)
        tvgp__visit_reals(v, l->log.dim, l->log.X + i * l->log.dim, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    else
        visit_arm(&r->arm, l->n, v);
    if (!(same & SAME_STEP))
        tvgp__visit_real(v, &r->t, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &r->y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    if (!(same & SAME_NOISE))
        tvgp__visit_maybe(v, 1, &r->noise, 0, TVGP__VISIT_MOST);
    if (!(same & NO_RATIOS)) {
        tvgp__visit_real(v, &note->ratio, 0, INFINITY);
        tvgp__visit_real(v, &note->candidate_ratio, 0, INFINITY);
    }
    if (!(same & SAME_SEGMENT))
        tvgp__visit_int(v, &l->segments[i], segment, TVGP__VISIT_TALLY); /* they do not fall */
}

static void visit_log(tvgp__learner *l, tvgp__visit *v) {
    int64_t keep = l->spec.rules.keep, answers = l->answers;
    tvgp__visit_tally(v, &answers);
    size_t kept = (size_t)(answers < keep ? answers : keep);
    tvgp__visit_count(v, &kept, kept, 10);
    if (tvgp__visit_loads(v)) {
        if (kept != (size_t)(answers < keep ? answers : keep))
            tvgp__visit_refuse(v, "the log has another length");
        l->log.n = 0;
        l->answers = 0;
        if (tvgp__visit_fine(v) && tvgp__visit_try(v, reserve(l, kept))) {
            l->log.n = kept;
            l->answers = answers;
            tvgp__visit_try(v, pool_room(l));
        }
    }
    const size_t first = l->log.n - kept;
    for (size_t i = first; tvgp__visit_fine(v) && i < l->log.n; i++)
        visit_entry(l, i, first, v);
}

/* Groups on which the candidate is conditioned before the later outcomes. */
static void visit_cells(tvgp__learner *l, tvgp__visit *v) {
    const double range = TVGP__VALID_RANGE_MOST, most = TVGP__VISIT_MOST;
    tvgp__visit_count(v, &l->cells.n, (size_t)l->spec.rules.keep, 44);
    if (tvgp__visit_loads(v) && tvgp__visit_fine(v) &&
        !tvgp__visit_try(v, tvgp__observation_groups_room(&l->cells, l->cells.n)))
        l->cells.n = 0;
    for (size_t i = 0; tvgp__visit_fine(v) && i < l->cells.n; i++) {
        tvgp__cell *cell = &l->cells.list[i];
        tvgp__visit_indices(v, 1, &cell->arm, l->n);
        tvgp__visit_real(v, &cell->t, -range, range);
        tvgp__visit_real(v, &cell->y, -most, most);
        tvgp__visit_maybe(v, 1, &cell->noise, 0, most);
        tvgp__visit_flag(v, &cell->assumed);
        tvgp__visit_real(v, &cell->count, 1, most);
        tvgp__visit_real(v, &cell->within, 0, most);
    }
}

/* How far the search for a basis may have come. What it had found is found again, at the next ask. */
static void visit_search(tvgp__learner *l, int due, tvgp__visit *v) {
    if (tvgp__visit_loads(v)) {
        tvgp__basis_search_end(&l->progress->search);
        l->pivots = 0;
    }
    if (due)
        tvgp__visit_size(v, &l->pivots, 0, SIZE_MAX);
}

/* The observations on which the candidate is conditioned (of use while there is one), and how many were processed. */
static void visit_shown(tvgp__learner *l, int showing, tvgp__visit *v) {
    if (tvgp__visit_loads(v)) {
        l->fit_cell = 0;
        l->first = l->unfaded = 0;
        l->candidate_first = l->candidate_rows = l->candidate_ahead = 0;
        l->cells.n = 0;
    }
    tvgp__visit_real(v, &l->fit_cell, 0, INFINITY);
    tvgp__visit_int(v, &l->first, 0, l->answers);
    tvgp__visit_int(v, &l->unfaded, l->first, l->answers);
    if (!showing)
        return;
    tvgp__visit_int(v, &l->candidate_first, 0, l->answers);
    visit_cells(l, v);
    const int64_t end = tvgp__visit_fine(v) ? tvgp__learner_candidate_end(l) : 0;
    tvgp__visit_int(v, &l->candidate_rows, 0, end);
    tvgp__visit_int(v, &l->candidate_ahead, 0, end);
}

static void visit_counts(tvgp__learner *l, tvgp__visit *v) {
    int64_t adoption = l->adoption;
    tvgp__visit_int(v, &l->segment, l->log.n ? l->segments[l->log.n - 1] : 0, TVGP__VISIT_TALLY);
    tvgp__visit_int(v, &l->fit_ask, -1, TVGP__VISIT_TALLY);
    tvgp__visit_flag(v, &l->fitted);
    tvgp__visit_int(v, &adoption, TVGP__LEARNER_NONE, TVGP__LEARNER_SHOWING);
    visit_search(l, adoption == TVGP__LEARNER_DUE, v);
    tvgp__visit_real(v, &l->scale, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &l->apart, 0, 1.1e50);
    l->in_use.posterior->learned.vague = !(l->apart > 0);
    tvgp__visit_int(v, &l->fit_answers, 0, l->answers);
    visit_shown(l, adoption == TVGP__LEARNER_SHOWING, v);
    tvgp__visit_int(v, &l->ask, -1, TVGP__VISIT_TALLY);
    tvgp__visit_int(v, &l->left.evals, -TVGP__VISIT_TALLY, TVGP__VISIT_TALLY);
    tvgp__visit_int(v, &l->left.rows, -TVGP__VISIT_TALLY, TVGP__VISIT_TALLY);
    tvgp__visit_size(v, &l->left.pivots, 0, SIZE_MAX);
    tvgp__visit_tally(v, &l->fits);
    tvgp__visit_tally(v, &l->evals);
    tvgp__visit_tally(v, &l->adoptions);
    tvgp__visit_tally(v, &l->failures);
    tvgp__hyper_visit_point(l->hyper, &l->fit_point, v);
    tvgp__hyper_visit_point(l->hyper, &l->reference, v);
    l->adoption = (tvgp__learner_adoption)adoption;
}

static void visit_units(tvgp__learner *l, tvgp__visit *v) {
    tvgp__visit_real(v, &l->unit, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &l->hyper->unit, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &l->hyper->first, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &l->cells.origin, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &l->remakes);
}

static void nothing(tvgp__posterior *p, tvgp__visit *v) {
    (void)p, (void)v;
}

/* The moments as they are read, which a load computes again; of deferred work those that were read last. Returns their time. */
static double visit_moments(tvgp__learner *l, tvgp__visit *v) {
    static const tvgp__posterior_ops none = {.visit = nothing};
    tvgp__posterior *model = l->in_use.posterior;
    if (!tvgp__visit_loads(v) && (!model->own.deferred || model->own.off.together)) {
        tvgp__posterior_bounds(model, NULL, NULL, NULL);
        tvgp__posterior_exact(model, model->own.off.together ? model->n : 0, NULL, NULL, NULL);
    }
    tvgp__posterior head = *model;
    head.ops = &none;
    head.own.mean = l->moments;
    head.own.var = l->moments + l->n;
    head.own.off = tvgp__posterior_slack(model);
    head.counts.logged = tvgp__learner_logged(l);
    tvgp__posterior_visit(&head, v);
    return head.now;
}

void tvgp__learner_visit(tvgp__learner *l, tvgp__visit *v) {
    const double now = visit_moments(l, v);
    int next = l->candidate.posterior != NULL;
    visit_units(l, v);
    visit_model(l, &l->in_use, v);
    tvgp__visit_flag(v, &next);
    if (next && tvgp__visit_fine(v))
        visit_model(l, &l->candidate, v);
    else if (tvgp__visit_loads(v))
        tvgp__learner_free_model(&l->candidate);
    visit_log(l, v);
    visit_counts(l, v);
    if (tvgp__visit_loads(v) && (l->adoption == TVGP__LEARNER_SHOWING) != next)
        tvgp__visit_refuse(v, "snapshot is inconsistent: replay in progress, no posterior");
    if (tvgp__visit_fine(v))
        tvgp__hyper_visit(l->hyper, v);
    if (tvgp__visit_loads(v) && l->spec.fill)
        l->in_use.posterior->now = now;
    tvgp__learner_show_moments(l);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

#define TOLERANCE 1e-3 /* nats of the log posterior below which an optimisation ends */

static tvgp_status open_hyper(tvgp_ctx *ctx, const tvgp__learner_spec *spec, size_t window, tvgp__hyper **out) {
    const int gamma = spec->rules.lengthscales == TVGP__LEARNER_GAMMA;
    const tvgp__hyper_spec hyper = {.space = spec->kernel,
                                    .time = spec->time,
                                    .window = window,
                                    .noise = spec->rules.noise ? NAN : spec->noise,
                                    .age = spec->age,
                                    .keep_rate = !spec->rules.epsilon,
                                    .keep_shape = spec->keep_shape,
                                    .tolerance = TOLERANCE,
                                    .usual_ratio = spec->rules.usual_ratio,
                                    .gamma_shape = gamma ? spec->rules.gamma_shape : 0,
                                    .gamma_rate = spec->rules.gamma_rate};
    return tvgp__hyper_new(ctx, &hyper, out);
}

/* Before any data: the prior's mode, scale 1. */
static void look_first(tvgp__hyper *h, tvgp__hyper_point *mode) {
    (void)tvgp__hyper_look(h);
    tvgp__hyper_mode(h, mode);
    mode->scale = 1;
}

tvgp_status tvgp__learner_prior(tvgp_ctx *ctx, const tvgp__learner_spec *spec, tvgp_kernel **out) {
    tvgp__hyper *h = NULL;
    tvgp__hyper_point mode;
    tvgp_kernel *time = NULL;
    TVGP__TRY(open_hyper(ctx, spec, 1, &h)); /* it fits nothing */
    look_first(h, &mode);
    tvgp_status status = tvgp__hyper_kernels(h, &mode, out, &time);
    tvgp__kernel_release(time);
    tvgp__hyper_free(h);
    return status;
}

static tvgp_status make_first(tvgp__learner *l) {
    tvgp__hyper_point mode;
    look_first(l->hyper, &mode);
    mode.noise = l->spec.rules.noise ? l->spec.rules.usual_ratio : l->spec.noise;
    TVGP__TRY(tvgp__learner_make(l, &mode, NULL, &l->in_use));
    tvgp__learner_take_over(l);
    return TVGP_OK;
}

tvgp_status tvgp__learner_new(tvgp_ctx *ctx, const tvgp__learner_spec *spec, size_t n, const double *X,
                              tvgp__learner **out) {
    tvgp__learner *l = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *l, &l));
    *l = (tvgp__learner){.ctx = ctx, .n = n, .X = X, .spec = *spec, .scale = 1, .ask = -1};
    l->log = (tvgp__observations){.ctx = ctx, .dim = n ? 0 : spec->kernel->dim};
    l->cells.ctx = ctx;
    tvgp_status status = open_hyper(ctx, spec, (size_t)spec->rules.window, &l->hyper);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 1, sizeof *l->progress, &l->progress);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 1, sizeof *l->before, &l->before);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 2 * n, sizeof *l->moments, &l->moments);
    if (status == TVGP_OK)
        status = tvgp__observation_groups_reserve(&l->cells, (size_t)spec->rules.window);
    if (status == TVGP_OK)
        status = make_first(l);
    if (status < 0)
        tvgp__learner_free(l);
    else
        *out = l;
    return status;
}
