/* SPDX-License-Identifier: MIT */
/* Decides when to optimise, on which data, and whether to adopt the result (learn/learner.h). */
#include "learn/learner.h"

#include "base/error.h"
#include "base/numbers/sample_statistics.h"
#include "base/valid_range.h"
#include "space/temporal/median_gap.h"

#include <math.h>
#include <string.h>

/* What an ask may do of an adoption: observations that it shows, at least; pivots of the basis that it finds, after the first
 * adoption. A piece of tvgp_policy_fit is the part 1 / PIECES of it. */
enum { LEAST_ROWS = 32, PIVOTS = 64, PIECES = 16 };

/* Copies the newest outcomes into the hyper; returns 1 if they can be learned from. */
static int gather(tvgp__learner *l) {
    tvgp__hyper *h = l->hyper;
    const size_t dim = h->space->dim;
    const double now = l->log.n ? l->log.list[l->log.n - 1].t : 0, unit = l->unit;
    l->cells.measured = 1;
    tvgp__learner_put(l, tvgp__learner_oldest(l));
    l->cells.measured = 0;
    h->n = l->cells.n;
    h->unit = unit;
    h->given_step = unit > 0 ? tvgp__median_gap_units(l->cells.step, unit) : l->cells.step;
    for (size_t i = 0; i < h->n; i++) {
        const tvgp__cell *cell = &l->cells.list[i];
        memcpy(h->X + i * dim, tvgp__learner_point(l, cell->newest), dim * sizeof *h->X);
        h->t[i] = unit > 0 ? fmax(fmin(tvgp__median_gap_units(cell->t - now, unit), TVGP__VALID_RANGE_MOST),
                                  -TVGP__VALID_RANGE_MOST)
                           : cell->t;
        h->y[i] = cell->y;
        h->noise[i] = cell->noise;
        h->count[i] = cell->count;
        h->within[i] = cell->within;
        h->segment[i] = cell->segment;
    }
    l->cells.n = 0; /* they are for adoptions now */
    return tvgp__hyper_look(h);
}

static tvgp_status begin(tvgp__learner *l, int64_t *evals) {
    l->reference = l->in_use.point;
    tvgp__hyper_carry(l->hyper, &l->reference);
    TVGP__TRY(tvgp__hyper_evaluate(l->hyper, &l->reference));
    (*evals)++;
    l->fit_answers = l->answers;
    l->fit_cell = l->cells.width;
    tvgp__hyper_begin(l->hyper, l->fits ? &l->fit_point : NULL);
    l->fits++;
    return TVGP_OK;
}

/* Whether the fit that has ended is worth taking over. */
static void judge(tvgp__learner *l) {
    const tvgp__hyper_point *best = &l->hyper->best;
    if (!isfinite(best->objective)) {
        l->failures++;
        return;
    }
    l->fit_point = *best;
    double off = l->in_use.point.mean - l->reference.mean;
    double gain = best->compared - l->reference.compared + 0.5 * l->reference.precision * off * off;
    if (!l->fitted || !isfinite(l->reference.objective) || gain >= l->spec.rules.gain) {
        l->adoption = TVGP__LEARNER_DUE;
        l->remakes = 0; /* it is made in the unit of now */
    }
}

/* The prior knows no unit. Where no log is shown, the best parameters of a first fit that has not ended are used until it has. */
static void use_first(tvgp__learner *l) {
    if (l->fitted || !l->spec.fill || !isfinite(l->hyper->best.objective))
        return;
    l->fit_point = l->reference = l->hyper->best;
    l->adoption = TVGP__LEARNER_DUE;
    l->remakes = 0;
}

/* At most `budget` evaluations of the fit under way. */
static tvgp_status go_on(tvgp__learner *l, int64_t budget, int64_t *evals) {
    tvgp_status status = tvgp__hyper_run(l->hyper, budget, evals);
    if (status == TVGP_OK)
        judge(l);
    else if (status == TVGP_AGAIN)
        use_first(l);
    return status;
}

static int due(const tvgp__learner *l) {
    const int64_t every = l->spec.rules.every, window = tvgp__learner_window(l), since = l->answers - l->fit_answers;
    const int64_t fitted = l->fits ? (int64_t)l->hyper->answers : 0, n = window > fitted ? window : fitted;
    if (every < 0 || window < 2)
        return 0;
    return since >= (every ? every : n < 20 ? 1 : n / 10);
}

/* The scale, from the predictions made for the window. */
static void rescale(tvgp__learner *l) {
    const size_t n = (size_t)tvgp__learner_window(l), first = l->log.n - n;
    size_t measured = 0;
    double sum = 0;
    if (l->spec.own_scale || n < 2)
        return;
    for (size_t i = first; i < l->log.n; i++) {
        if (l->log.list[i].assumed)
            continue;
        l->hyper->evidence.rows[measured++] = l->log.list[i].y;
        sum += l->notes[i].ratio;
    }
    if (measured < 2)
        return;
    double b0 = tvgp__sample_statistics_variance(measured, l->hyper->evidence.rows);
    const double total = 1 + tvgp__hyper_ratio(l->hyper, &l->in_use.point); /* over the scale */
    double scale = (2 * b0 / total + sum) / (l->in_use.point.scale * (double)(measured + 1));
    l->scale = isfinite(scale) && scale > 0 ? fmin(scale, TVGP__VALID_RANGE_MOST / l->in_use.point.scale) : 1;
    tvgp__learner_show_moments(l);
}

/* Not after an adoption is wanted: one thing at a time. */
static tvgp_status fit(tvgp__learner *l, int64_t budget, int may_begin, int64_t *evals) {
    const int64_t before = *evals;
    if (!l->hyper->running) {
        if (!may_begin || !gather(l))
            return TVGP_OK;
        TVGP__TRY(begin(l, evals));
    }
    tvgp_status status = go_on(l, budget - (*evals - before), evals);
    return status < 0 ? status : TVGP_OK;
}

/* Where everything stood before a call that may fail. */
static void mark(tvgp__learner *l) {
    tvgp__hyper_mark(l->hyper);
    *l->before = *l;
}

/* Undoes a failed call. Outcomes on which the candidate was conditioned stay, and are not used again. */
static void undo(tvgp__learner *l) {
    const tvgp__learner *before = l->before;
    const int begun = before->candidate.posterior != NULL;
    const int64_t ahead =
        l->candidate_rows > l->candidate_ahead && l->segment == before->segment ? l->candidate_rows : l->candidate_ahead;
    if (l->exchanged)
        tvgp__learner_exchange(l);
    if (!begun)
        tvgp__learner_free_model(&l->candidate);
    tvgp__learner_model next = l->candidate;
    *l = *before;
    l->candidate = next;
    if (begun)
        l->candidate_ahead = ahead;
    tvgp__learner_show_moments(l);
    tvgp__hyper_undo(l->hyper);
}

/* Evaluations that an ask may spend: the work of `rules.evals` with FULL outcomes. An evaluation costs n^2 to n^3 (kernel, Cholesky), so
 * that a short run can afford more of them; at most MOST. Models with a scale of their own do not gain by more: mixtures learn from
 * ask to ask, and with side queries a longer search explains drift by noise. */
static int64_t evals_of_ask(const tvgp__learner *l) {
    enum { FULL = 200, MOST = 12 };
    const int64_t evals = l->fits ? l->spec.rules.evals : l->spec.rules.evals * 5 / 2;
    const double n = l->hyper->running ? (double)l->hyper->n : (double)tvgp__learner_window(l), times = FULL / fmax(n, 1);
    if (evals >= MOST || times <= 1 || l->spec.own_scale)
        return evals;
    return (int64_t)fmin((double)evals * times * times, MOST);
}

/* Observations that a new posterior may be shown in one ask. */
static int64_t rows_of_ask(const tvgp__learner *l) {
    const int64_t rows = tvgp__learner_window(l) / 8;
    return l->spec.rows ? l->spec.rows(l->in_use.posterior) : rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

/* The posterior is created again once most of what it carries has faded. */
static void wish_remake(tvgp__learner *l) {
    l->remakes |= l->fitted && !l->adoption && tvgp__learner_carries(l);
    if (l->remakes && !l->adoption && !l->hyper->running)
        l->adoption = TVGP__LEARNER_DUE;
}

/* What an ask may spend, once for each. */
static void allow(tvgp__learner *l, int64_t ask) {
    if (ask == l->ask)
        return;
    l->ask = ask;
    l->left = (tvgp__learner_work){evals_of_ask(l), rows_of_ask(l), l->fitted ? PIVOTS : SIZE_MAX};
}

/* Whether the adoption under way may go on at this ask. */
static int may_adopt(const tvgp__learner *l) {
    return l->adoption == TVGP__LEARNER_DUE ? l->left.pivots > 0 : l->adoption && l->left.rows > 0;
}

static tvgp_status step(tvgp__learner *l, int64_t ask, const tvgp__points *pending) {
    const tvgp__learner_rules *rules = &l->spec.rules;
    allow(l, ask);
    if (rules->every >= 0 && !l->adoption && l->left.evals > 0) {
        int64_t spent = 0;
        tvgp_status status = fit(l, l->left.evals, due(l), &spent);
        l->left.evals -= spent;
        l->evals += spent;
        TVGP__TRY(status);
    }
    wish_remake(l);
    if (may_adopt(l) && (rules->every >= 0 || l->remakes)) /* otherwise it waits for tvgp_policy_fit */
        TVGP__TRY(tvgp__learner_adopt(l, l->left.rows, l->left.pivots, pending));
    rescale(l);
    return TVGP_OK;
}

tvgp_status tvgp__learner_step(tvgp__learner *l, int64_t ask, int restarts, const tvgp__points *pending) {
    mark(l);
    if (restarts) { /* earlier outcomes are of no use to a posterior created now */
        l->segment++;
        l->candidate_rows = tvgp__learner_candidate_end(l);
    }
    tvgp_status status = step(l, ask, pending);
    if (status < 0)
        undo(l);
    return status;
}

void tvgp__learner_end(tvgp__learner *l, tvgp_status status) {
    if (status < 0)
        undo(l);
    else if (l->exchanged)
        tvgp__learner_free_model(&l->candidate);
    l->exchanged = 0;
}

/* At most `budget` pieces: an evaluation, or a part of an adoption. */
static tvgp_status fit_pieces(tvgp__learner *l, int64_t budget, int64_t *evals) {
    static const tvgp__points none;
    while (budget > 0) {
        const int64_t before = *evals;
        if (!l->adoption && l->left.evals > 0)
            TVGP__TRY(fit(l, budget < l->left.evals ? budget : l->left.evals,
                          l->spec.rules.every < 0 ? l->answers > l->fit_answers : due(l), evals));
        const int64_t spent = *evals - before;
        l->left.evals = spent && !l->hyper->running ? 0 : l->left.evals - spent; /* an ask begins no second one */
        budget -= spent;
        if (l->left.evals > 0 || l->left.rows > 0)
            wish_remake(l);
        if (budget > 0 && may_adopt(l)) {
            const int64_t rows = (rows_of_ask(l) + PIECES - 1) / PIECES;
            TVGP__TRY(tvgp__learner_adopt(l, rows, PIVOTS / PIECES, &none));
            budget--;
        }
        if (!may_adopt(l)) /* another one would forget the posterior to which a failure leads back */
            return TVGP_OK;
    }
    return TVGP_OK;
}

tvgp_status tvgp__learner_fit(tvgp__learner *l, int64_t ask, int64_t max_evals, int64_t *evals) {
    int64_t spent = 0;
    const int all = l->spec.rules.every < 0 || ask <= 0;
    mark(l);
    if (all)
        l->left = (tvgp__learner_work){INT64_MAX, INT64_MAX, SIZE_MAX};
    else
        allow(l, ask);
    const tvgp_status status = fit_pieces(l, max_evals, &spent);
    tvgp__learner_end(l, status);
    TVGP__TRY(status);
    l->evals += spent;
    *evals += spent;
    rescale(l);
    const int more = (l->hyper->running && l->left.evals > 0) || may_adopt(l);
    if (all) /* the next ask spends what it may */
        l->left = l->before->left;
    return more ? TVGP_AGAIN : TVGP_OK;
}

void tvgp__learner_again(tvgp__learner *l) {
    if (l->spec.takes_rate)
        return;
    if (l->adoption == TVGP__LEARNER_SHOWING)
        tvgp__learner_free_model(&l->candidate);
    l->remakes |= !l->adoption;
    l->adoption = l->adoption == TVGP__LEARNER_SHOWING ? TVGP__LEARNER_DUE : l->adoption;
}

double tvgp__learner_rate(const tvgp__learner *l) {
    const double unit = l->in_use.point.unit > 0 ? l->in_use.point.unit : l->in_use.unit, rate = l->in_use.rate;
    if (isnan(rate) || !(unit > 0) || unit == 1)
        return rate;
    if (l->spec.age.growth)
        return l->spec.age.growth == TVGP__NOISE_AGE_POWER ? rate : rate / unit;
    const int smooth = l->hyper->list[l->hyper->n_params - 1].kind == TVGP_PARAM_LENGTHSCALE;
    return smooth ? rate / unit : -expm1(log1p(-rate) / unit);
}
