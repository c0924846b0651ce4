/* SPDX-License-Identifier: MIT */
/* Conditions a mixture of Kalman filters on observations (model/kalman_mixture.h). */
#include "model/kalman_mixture_box.h"
#include "model/kalman_mixture_delayed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/gamma.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol.h"
#include "model/kalman/kalman_season.h"
#include "model/posterior/posterior.h"
#include "space/temporal/median_gap.h"

#include <math.h>
#include <string.h>

enum { STRIP = 128 };             /* arms that are mixed at a time */
static const double LEVEL = 1e-9; /* log weights closer than this count as equal */

/* ---- mixture ---------------------------------------------------------------------------------------------------- */

/* log sum exp of the log weights of the first n members */
static double total(const tvgp__kalman_mixture *b, size_t n) {
    double most = tvgp__kalman_mixture_heaviest(b, n), sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += exp(b->member[j].log_weight - most);
    return most + log(sum);
}

/* Among those with a season (1), without (0) or all (-1). The lowest index among equals, because copies of one state
 * stay equal up to round-off. */
static size_t leader_of(const tvgp__kalman_mixture *b, int season) {
    double most = -INFINITY;
    size_t best = 0;
    for (size_t j = 0; j < b->J; j++)
        if (season < 0 || (b->set.filter[j].w != NULL) == season)
            most = fmax(most, b->member[j].log_weight);
    while ((season >= 0 && (b->set.filter[best].w != NULL) != season) || b->member[best].log_weight < most - LEVEL)
        best++;
    return best;
}

static void weigh(tvgp__kalman_mixture *b) {
    double sum = 0, most = tvgp__kalman_mixture_heaviest(b, b->J + 1);
    for (size_t j = 0; j <= b->J; j++)
        sum += b->weight[j] = exp(b->member[j].log_weight - most);
    for (size_t j = 0; j <= b->J; j++)
        b->weight[j] /= sum;
}

TVGP__SIMD_CLONES
static void add_mean(size_t n, double weight, const double *mean, double k, double *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] += weight * (mean[i] + k);
}

/* Of arms from `first` on. The square is kept in the range, as by tvgp__valid_range_product. */
TVGP__SIMD_CLONES
static void add_var(size_t n, size_t first, double weight, double scale, const tvgp__kalman_filter *f, const double *mean,
                    double *restrict out) {
    const double *own = f->mean + first, *var = f->var + first, *fk = f->fk + first, k = f->k, kk = f->kk;
    for (size_t i = 0; i < n; i++) {
        double off = own[i] + k - mean[i], square = off * off;
        out[i] += weight * (scale * (var[i] + 2 * fk[i] + kk) + (square < 1e280 ? square : 1e280));
    }
}

/* mean = sum w m, var = sum w (v + (m - mean)^2) of n arms from `first` on, in blocks whose data stay in the cache. */
static void mix(tvgp__kalman_mixture *b, size_t first, size_t arms) {
    tvgp__posterior *p = &b->base;
    size_t count = tvgp__kalman_mixture_active(b);
    memset(p->own.mean + first, 0, arms * sizeof *p->own.mean);
    memset(p->own.var + first, 0, arms * sizeof *p->own.var);
    for (size_t i = first; i < first + arms; i += STRIP) {
        size_t n = first + arms - i < STRIP ? first + arms - i : STRIP;
        double *m = p->own.mean + i, *v = p->own.var + i;
        for (size_t j = 0; j < count; j++)
            add_mean(n, b->weight[j], tvgp__kalman_filter_state(b->active[j])->mean + i, b->active[j]->k, m);
        for (size_t j = 0; j < count; j++)
            if (b->weight[j] > 0)
                add_var(n, i, b->weight[j], tvgp__kalman_mixture_member_factor(b, j),
                        tvgp__kalman_filter_state(b->active[j]), m, v);
    }
}

static void finish(tvgp__posterior *base) {
    if (base->own.stale)
        mix((tvgp__kalman_mixture *)base, 0, base->n);
    base->own.stale = 0;
}

static void refine(tvgp__posterior *base, size_t n, const size_t *arm) {
    for (size_t i = 0; base->own.stale && i < n; i++)
        mix((tvgp__kalman_mixture *)base, arm ? arm[i] : i, 1);
}

/* The moments of all arms are computed when they are read; on shared arms at once, because an owner answers for its
 * arms. */
static void changed(tvgp__kalman_mixture *b) {
    tvgp__posterior *p = &b->base;
    weigh(b);
    p->unit = tvgp__kalman_mixture_unit(b);
    p->own.off.column = b->set.left * tvgp__kalman_mixture_factor(b);
    p->own.moments.valid = 0;
    p->own.stale = 1;
    if (b->box)
        p->counts.dropped = b->box->atlas.left;
    if (p->shard)
        finish(p);
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Half the squared innovation over its variance; with a factor to learn, finite also times a variance and a width. */
static double misfit(const tvgp__kalman_mixture *b, double S, double e) {
    double half = 0.5 * tvgp__valid_range_misfit(e, S);
    return b->scale ? fmin(half, 1e150) : half;
}

/* Densities are per square root of this power of two, so that weights do not depend on the unit of outcomes. */
static int exponent(const tvgp__kalman_mixture *b) {
    return ilogb(b->set.largest) + ilogb(b->usual);
}

/* Log density of an innovation of variance S, times the member's factor. */
static double density(const tvgp__kalman_mixture *b, const tvgp__kalman_mixture_member *m, double S, double half) {
    const double a = m->a, variance = ldexp(S, -ilogb(b->set.largest)), factor = ldexp(m->b, -ilogb(b->usual));
    if (!b->scale)
        return -0.5 * log(TVGP__TWO_PI * variance) - half;
    return tvgp__gamma_log(a + 0.5) - tvgp__gamma_log(a) - 0.5 * log(fmin(TVGP__TWO_PI * factor * variance, 1e300)) -
           (a + 0.5) * log1p(half / m->b);
}

/* Bayes' rule; `redrawn` is the log density of the observation if its arm had been redrawn. The factor learns from its
 * share. */
static void learn(const tvgp__kalman_mixture *b, tvgp__kalman_mixture_member *m, double S, double e, double jump,
                  double redrawn) {
    double half = misfit(b, S, e), own = density(b, m, S, half), all = own;
    m->stayed = 1;
    if (jump > 0) {
        double stays = log1p(-jump) + own, jumps = log(jump) + redrawn;
        all = fmax(stays, jumps) + log1p(exp(-fabs(stays - jumps)));
        m->stayed = exp(stays - all);
    }
    m->log_weight += all;
    if (b->scale) {
        m->a += 0.5 * m->stayed;
        m->b += m->stayed * half;
    }
}

typedef struct {
    size_t arm, lead; /* lead: the leader before it; fresh: what the prior says of it, with the leader's noise and factor */
    double t, y, noise;
    struct {
        double S, e, density;
    } fresh;
    double redrawn;                     /* log weight of a redraw just before it */
    int elsewhere;                      /* at another arm than the one that made the slot */
    int redraws;                        /* that redraw beats the slot */
    tvgp__kalman_mixture_member leader; /* before it */
    struct {
        double weight, e, var;
    } mixture; /* on a box: the prediction of the mixture */
} observation;

/* The log probability that everything was redrawn since the observation before o; one unit before the first. */
static double redraw_probability(tvgp__kalman_mixture *b, const observation *o) {
    const double elapsed = b->newest == -INFINITY ? 1 : fmax(o->t - b->newest, 0);
    b->first = b->first == -INFINITY ? o->t : b->first;
    if (b->hazard_given)
        return log(-expm1(elapsed * log1p(-b->hazard)));
    const double since = tvgp__median_gap_units(fmax(o->t - b->first, 0), b->time_unit);
    const double units = b->newest == -INFINITY ? 1 : tvgp__median_gap_units(elapsed, b->time_unit);
    const double hazard = fmin((1 + (double)b->resets) / (1 / b->hazard + since), 0.5);
    return log(-expm1(units * log1p(-hazard)));
}

static void compare_prior(tvgp__kalman_mixture *b, observation *o, double old) {
    const tvgp__kalman_filter *from = &b->set.filter[o->lead];
    const double *at = b->set.at + 2 * from->prior;
    size_t helped = 0;
    o->fresh.S = at[0] + b->set.constant[from->prior] + from->level * o->noise;
    o->fresh.e = o->y - at[1];
    tvgp__error_forget(b->base.ctx, tvgp__chol_pivot(b->base.ctx, b->set.largest, &o->fresh.S, &helped)); /* S >= 0 */
    o->fresh.density = density(b, &b->member[o->lead], o->fresh.S, misfit(b, o->fresh.S, o->fresh.e));
    o->redrawn = b->hazard > 0 ? redraw_probability(b, o) + old + o->fresh.density : -INFINITY;
}

static void hear_witness(tvgp__kalman_mixture *b, const observation *o) {
    tvgp__kalman_mixture_member *w = &b->witness, *m = &b->member[b->J];
    tvgp__kalman_filter_innovation(&b->set, &b->set.filter[b->J], o->y, o->noise, &m->S, &m->e);
    b->earned += density(b, m, m->S, misfit(b, m->S, m->e));
    tvgp__kalman_filter_innovation(&b->set, &b->set.filter[b->J + 1], o->y, o->noise, &w->S, &w->e);
    b->earned -= density(b, w, w->S, misfit(b, w->S, w->e));
    learn(b, w, w->S, w->e, 0, 0);
}

/* The prior, at the arm; its witness is the leader as it was before. */
static void fill_slot(tvgp__kalman_mixture *b, const observation *o) {
    tvgp__kalman_filter *from = &b->set.filter[o->lead], *slot = &b->set.filter[b->J];
    if (b->earn) {
        tvgp__kalman_filter_start(&b->set, slot + 1, &from->drift, from->prior, from->level);
        tvgp__kalman_filter_copy(&b->set, slot + 1, from);
        b->witness = o->leader;
    }
    tvgp__kalman_filter_start(&b->set, slot, &from->drift, from->prior, from->level);
    tvgp__kalman_filters_columns(&b->set, 1, &slot, 0);
    tvgp__kalman_filter_innovation(&b->set, slot, o->y, o->noise, &b->member[b->J].S, &b->member[b->J].e);
    b->rate[b->J] = b->rate[o->lead];
    b->slot_on = 1;
    b->confirmed = 0;
    b->earned = 0;
    b->slot_arm = o->arm;
    b->slot_made = b->base.counts.observations;
    b->slot_time = o->t;
}

/* Takes in the innovation of a member, of whose variance noise and blur are no news (West 1979). */
static void know(const tvgp__kalman_mixture *b, size_t j, double S, double e, observation *o) {
    const tvgp__kalman_filter *f = b->active[j];
    const double weight = b->weight[j], off = e - o->mixture.e;
    if (weight == 0)
        return;
    const double var = S - tvgp__kalman_filter_blur(&b->set, f) - f->level * o->noise;
    o->mixture.weight += weight;
    o->mixture.e += weight / o->mixture.weight * off;
    o->mixture.var +=
        weight * (tvgp__kalman_mixture_member_factor(b, j) * var + tvgp__valid_range_product(off, e - o->mixture.e));
}

static void judge(tvgp__kalman_mixture *b) {
    double floor = b->member[leader_of(b, -1)].log_weight + log(b->recycle / (double)b->J);
    for (size_t j = 0; j < b->J; j++)
        b->member[j].spoilt = b->member[j].log_weight < floor - LEVEL;
}

/* Who gives a spoilt filter its state. */
static size_t donor_of(const tvgp__kalman_mixture *b, size_t j) {
    return leader_of(b, b->set.filter[j].w != NULL);
}

/* Step 1. Filters that will take another's state, that of their donor or of the slot, need not be conditioned before. */
static void condition(tvgp__kalman_mixture *b, observation *o) {
    size_t count = tvgp__kalman_mixture_active(b), kept = 0;
    int heard = b->earn && b->slot_on && o->elsewhere;
    b->active[count] = &b->set.filter[b->J + (size_t)b->earn];
    tvgp__kalman_filters_columns(&b->set, count + (size_t)heard, b->active, fmax(b->base.now - o->t, 0));
    if (heard)
        hear_witness(b, o);
    for (size_t j = 0; j < count; j++) {
        tvgp__kalman_mixture_member *m = &b->member[j];
        tvgp__kalman_filter_innovation(&b->set, b->active[j], o->y, o->noise, &m->S, &m->e);
        if (b->box)
            know(b, j, m->S, m->e, o);
        learn(b, m, m->S, m->e, b->jump, o->fresh.density);
    }
    judge(b);
    o->redraws = b->hazard > 0 && o->redrawn > b->member[b->J].log_weight;
    if (o->redraws)
        fill_slot(b, o);
    for (size_t j = 0; j < b->J + (size_t)b->slot_on; j++)
        if (j == b->J || !b->member[j].spoilt || donor_of(b, j) == j)
            b->active[kept++] = &b->set.filter[j];
    if (heard && !o->redraws)
        b->active[kept++] = &b->set.filter[b->J + 1];
    tvgp__kalman_filters_spread(&b->set, kept, b->active);
    for (size_t i = 0; i < kept; i++) {
        size_t j = (size_t)(b->active[i] - b->set.filter);
        const tvgp__kalman_mixture_member *m = j > b->J ? &b->witness : &b->member[j];
        tvgp__kalman_filter_condition(&b->set, b->active[i], m->S, m->e);
    }
}

static void clear_slot(tvgp__kalman_mixture *b) {
    b->slot_on = b->confirmed = 0;
    b->member[b->J].log_weight = -INFINITY;
}

/* Step 2; `old`: all weights before the observation. */
static void consider_redraw(tvgp__kalman_mixture *b, const observation *o, double old) {
    if (!o->redraws) {
        if (b->slot_on && o->elsewhere)
            b->confirmed = !b->earn || b->earned > 0;
        return;
    }
    b->member[b->J] = o->leader;
    learn(b, &b->member[b->J], o->fresh.S, o->fresh.e, 0, 0);
    b->member[b->J].log_weight = o->redrawn;
    for (size_t j = 0; j < b->J; j++)
        b->member[j].spawn = b->member[j].before - old;
}

static void take_state(tvgp__kalman_mixture *b, size_t j, size_t from, double log_weight) {
    if (from != j)
        tvgp__kalman_filter_copy(&b->set, &b->set.filter[j], &b->set.filter[from]);
    b->member[j].a = b->member[from].a;
    b->member[j].b = b->member[from].b;
    b->member[j].log_weight = log_weight;
}

/* Step 3. */
static void reset_to_slot(tvgp__kalman_mixture *b) {
    if (!b->confirmed || !(b->member[b->J].log_weight > b->member[leader_of(b, -1)].log_weight))
        return;
    for (size_t j = 0; j < b->J; j++)
        take_state(b, j, b->J, b->member[j].spawn);
    judge(b);
    clear_slot(b);
    b->resets++;
    b->reset_time = b->base.now;
    b->redraw_time = b->slot_time;
}

/* Step 4. */
static void recycle(tvgp__kalman_mixture *b) {
    size_t best = leader_of(b, -1);
    double most = fmax(b->member[best].log_weight, b->member[b->J].log_weight);
    double floor = b->member[best].log_weight - most + log(b->recycle / (double)b->J);
    for (size_t j = 0; j <= b->J; j++)
        b->member[j].log_weight -= most;
    for (size_t j = 0; j < b->J; j++)
        if (b->member[j].spoilt)
            take_state(b, j, donor_of(b, j), floor);
}

/* An assumed observation: states and weights follow; factors, and the hypothesis that everything was redrawn, learn nothing: its
 * weight keeps its share. */
static void assume(tvgp__kalman_mixture *b, observation *o) {
    size_t count = tvgp__kalman_mixture_active(b);
    const size_t all = count + (size_t)(b->earn && b->slot_on && o->elsewhere);
    const double old = total(b, b->J);
    b->active[count] = &b->set.filter[b->J + (size_t)b->earn];
    tvgp__kalman_filters_columns(&b->set, all, b->active, fmax(b->base.now - o->t, 0));
    for (size_t j = 0; j < all; j++) {
        tvgp__kalman_mixture_member *m = j < count ? &b->member[j] : &b->witness;
        tvgp__kalman_filter_innovation(&b->set, b->active[j], o->y, o->noise, &m->S, &m->e);
        if (b->box && j < count)
            know(b, j, m->S, m->e, o);
        if (j < b->J)
            m->log_weight += density(b, m, m->S, misfit(b, m->S, m->e));
    }
    b->member[b->J].log_weight += total(b, b->J) - old;
    judge(b);
    tvgp__kalman_filters_spread(&b->set, all, b->active);
    for (size_t j = 0; j < all; j++) {
        const tvgp__kalman_mixture_member *m = j < count ? &b->member[j] : &b->witness;
        tvgp__kalman_filter_condition(&b->set, b->active[j], m->S, m->e);
    }
    recycle(b);
}

/* All steps of one that was measured. */
static void learn_from(tvgp__kalman_mixture *b, const tvgp__points *points, size_t i, observation *o) {
    const size_t made = b->slot_made;
    const double old = total(b, b->J), all = total(b, b->J + 1);
    compare_prior(b, o, old);
    for (size_t j = 0; j < b->J; j++)
        b->member[j].before = b->member[j].log_weight;
    condition(b, o);
    b->base.log_marginal_likelihood += total(b, b->J + 1) - all - 0.5 * log(2) * exponent(b);
    consider_redraw(b, o, old);
    if (b->box && b->slot_made != made)
        tvgp__kalman_mixture_box_mark(b, points, i);
    reset_to_slot(b);
    recycle(b);
    b->newest = fmax(b->newest, o->t);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static void advance_filter(tvgp__kalman_mixture *b, tvgp__kalman_filter *f, double t) {
    tvgp__kalman_filter_advance(&b->set, f, tvgp__drift_elapsed(&f->drift, b->base.now, t));
}

static void advance(tvgp__posterior *base, double t) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    size_t count = tvgp__kalman_mixture_active(b);
    tvgp__kalman_season_clock(&b->set, t);
    for (size_t j = 0; j < count; j++)
        advance_filter(b, b->active[j], t);
    if (b->earn && b->slot_on)
        advance_filter(b, &b->set.filter[b->J + 1], t);
    base->largest = base->most * tvgp__drift_kappa(&b->set.filter[0].drift, t);
    base->now = t;
    changed(b);
}

/* At its own time, or as a blurred look at the present. */
static void take_in(tvgp__posterior *base, const tvgp__points *points, size_t i, double t, double y, double noise) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    const size_t arm = b->box ? 0 : points->arm[i], lead = leader_of(b, -1);
    double mean, var;
    if (t > base->now)
        advance(base, t);
    if (b->box) {
        tvgp__kalman_mixture_box_look(b, points, i,
                                      &(tvgp__kalman_mixture_answer){.lead = &b->set.filter[lead], .y = y, .noise = noise});
    } else {
        tvgp__posterior_moments(base, arm, &mean, &var);
        tvgp__kalman_filters_look(&b->set, arm);
    }
    base->counts.observations++;
    if (t < base->now && tvgp__kalman_mixture_correlation(base, t, base->now) >= 0)
        tvgp__posterior_count_late(base);
    observation o = {.arm = arm, .lead = lead, .leader = b->member[lead], .t = t, .y = y, .noise = noise};
    o.elsewhere = b->box ? tvgp__kalman_mixture_box_elsewhere(b) : arm != b->slot_arm;
    if (base->assumes)
        assume(b, &o);
    else
        learn_from(b, points, i, &o);
    var = b->box ? o.mixture.var : var;
    if (b->box)
        base->square =
            tvgp__valid_range_cap(o.mixture.e / (fmax(var, 0) + tvgp__posterior_noise(base, noise)) * o.mixture.e);
    base->log_det_ratio += log1p(tvgp__valid_range_cap(fmax(var, 0) / (base->unit * tvgp__posterior_noise(base, noise))));
    tvgp__kalman_filter_turns(&b->set);
    base->counts.jitter = b->set.jitter;
    changed(b);
}

/* What was observed since goes, and comes again behind the late one. */
static void insert(tvgp__kalman_mixture *b, const tvgp__points *points, const tvgp__observation *seen) {
    tvgp__posterior *base = &b->base;
    const double now = base->now;
    const size_t widened = base->counts.widened,
                 k = tvgp__kalman_mixture_delayed_add(b, seen, b->box ? points->X + seen->arm * base->kernel->dim : NULL);
    double square = 0;
    for (size_t i = tvgp__kalman_mixture_delayed_back(b, k); i < b->late->kept.n; i++) {
        const tvgp__observation *again = &b->late->kept.list[i];
        if (again->reported > base->now)
            advance(base, again->reported);
        const tvgp__points one = {.n = 1, .arm = &again->arm};
        base->assumes = again->assumed;
        take_in(base, b->box ? points : &one, b->box ? again->arm : 0, again->t, again->y, again->noise);
        square = b->box && i == k ? base->square : square;
        tvgp__kalman_mixture_delayed_repeated(b, i);
    }
    base->assumes = seen->assumed;
    advance(base, now);
    tvgp__kalman_mixture_delayed_end(b);
    if (b->box)
        base->square = square;
    base->counts.widened = widened;
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    tvgp__observation seen = {
        .arm = b->box ? i : points->arm[i], .t = t, .y = y, .noise = noise, .reported = t, .assumed = base->assumes};
    if (!b->late) {
        take_in(base, points, i, t, y, noise);
        return;
    }
    if (t < base->now && tvgp__kalman_mixture_delayed_reaches(b, t)) {
        insert(b, points, &seen);
        return;
    }
    seen.reported = fmax(t, base->now);
    take_in(base, points, i, t, y, noise);
    (void)tvgp__kalman_mixture_delayed_add(b, &seen, b->box ? points->X + i * base->kernel->dim : NULL);
    tvgp__kalman_mixture_delayed_keep(b);
}

static void reset(tvgp__posterior *base) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    for (size_t j = 0; j < b->J; j++) {
        tvgp__kalman_filter *f = &b->set.filter[j];
        tvgp__kalman_filter_start(&b->set, f, &f->drift, f->prior, f->level);
        tvgp__kalman_filter_advance(&b->set, f, tvgp__drift_elapsed(&f->drift, -INFINITY, base->now));
        b->member[j] =
            (tvgp__kalman_mixture_member){.log_weight = -log((double)b->J), .a = 0.5, .b = 0.5 * b->usual, .stayed = 1};
    }
    clear_slot(b);
    if (b->box)
        tvgp__kalman_mixture_box_clear(b);
    if (b->late)
        tvgp__kalman_mixture_delayed_clear(b);
    b->newest = b->first = -INFINITY;
    b->resets = 0;
    base->log_marginal_likelihood = base->log_det_ratio = 0;
    base->counts.observations = 0;
    changed(b);
}

/* An outcome of 0 says nothing of the factor, and of the filters the same in every unit. */
static void rescale(tvgp__posterior *base, double factor) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    if (!b->scale)
        return;
    b->usual *= factor;
    for (size_t j = 0; j <= b->J; j++)
        b->member[j].b *= factor;
    b->witness.b *= factor;
    base->log_marginal_likelihood -= 0.5 * log(factor) * (double)base->counts.observations;
    changed(b);
}

static void release(tvgp__posterior *base) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    tvgp__kalman_filters_free(&b->set);
    tvgp__kalman_mixture_box_free(b);
    tvgp__kalman_mixture_delayed_free(b);
    tvgp__memory_free(base->ctx, b->member);
    tvgp__memory_free(base->ctx, b->active);
    tvgp__memory_free(base->ctx, b->rate);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_member(tvgp__kalman_mixture_member *m, tvgp__visit *v) {
    tvgp__visit_real(v, &m->log_weight, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &m->a, 0.5, 1e18);
    tvgp__visit_real(v, &m->b, 1e-300, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &m->stayed, 0, 1);
    tvgp__visit_real(v, &m->spawn, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    if (b->box)
        tvgp__kalman_mixture_box_visit(b, v);
    tvgp__kalman_filters_snapshot(&b->set, b->J, v);
    tvgp__visit_real(v, &b->usual, 1e-101, 1e101);
    tvgp__visit_flag(v, &b->slot_on);
    for (size_t j = 0; tvgp__visit_fine(v) && j < b->J + (size_t)b->slot_on; j++)
        visit_member(&b->member[j], v);
    tvgp__visit_reals(v, b->J + 1, b->weight, 0, 1);
    if (b->earn && b->slot_on) {
        tvgp__visit_real(v, &b->earned, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
        visit_member(&b->witness, v);
    }
    tvgp__visit_flag(v, &b->confirmed);
    if (b->box)
        tvgp__kalman_mixture_box_visit_slot(b, v);
    else
        tvgp__visit_indices(v, 1, &b->slot_arm, tvgp__posterior_arms(base));
    tvgp__visit_tally_size(v, &b->slot_made);
    tvgp__visit_real(v, &b->slot_time, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->newest, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally(v, &b->resets);
    tvgp__visit_real(v, &b->first, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->reset_time, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &b->redraw_time, -INFINITY, TVGP__VALID_RANGE_MOST);
    if (b->late)
        tvgp__kalman_mixture_delayed_visit(b, v);
    if (!tvgp__visit_loads(v))
        return;
    const tvgp__kalman_filter *slot = &b->set.filter[b->J];
    if (base->now != -INFINITY)
        tvgp__kalman_season_clock(&b->set, base->now);
    if (b->slot_on && (!slot->states || (b->earn && !b->set.filter[b->J + 1].states)))
        tvgp__visit_refuse(v, "the change-point hypothesis has no filter");
    if (!b->slot_on)
        b->member[b->J].log_weight = -INFINITY;
    b->rate[b->J] = slot->states ? tvgp__drift_epsilon(&slot->drift) : 0;
}

/* ---- more arms ---------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__kalman_mixture_extend(const tvgp__posterior *base, tvgp__posterior *fresh) {
    const tvgp__kalman_mixture *from = (const tvgp__kalman_mixture *)base;
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)fresh, own = *b;
    if (from->set.seasons)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED, "with a season (season.period) no arms can come");
    if (!from->anywhere)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED,
                               "with several priors or the mean of one no arms can come: nothing is known there");
    TVGP__TRY(tvgp__kalman_filters_extend(&from->set, base->kernel, fresh->X, &b->set));
    own.set = b->set;
    *b = *from;
    b->base = own.base;
    b->set = own.set;
    b->member = own.member;
    b->active = own.active;
    b->rate = own.rate;
    b->weight = own.weight;
    b->late = own.late;
    if (b->late)
        tvgp__kalman_mixture_delayed_copy(from->late, b->late);
    memcpy(b->member, from->member, (b->J + 1) * sizeof *b->member);
    memcpy(b->rate, from->rate, 2 * (b->J + 1) * sizeof *b->rate); /* and the weights */
    tvgp__posterior_inherit(fresh, base);
    fresh->counts.rank = b->set.basis.r;
    fresh->own.stale = 1;
    return TVGP_OK;
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const tvgp__kalman_mixture *from = (const tvgp__kalman_mixture *)base;
    if (from->again)
        return from->again(base, n, X, out);
    return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED, "the posterior keeps the arms it has");
}

/* The filters were created with the shared arms. */
static tvgp_status share(tvgp__posterior *base) {
    (void)base;
    return TVGP_OK;
}

const tvgp__posterior_ops tvgp__kalman_mixture_ops = {.prepare = tvgp__posterior_hold, /* of which it needs none */
                                                      .observe = observe,
                                                      .advance = advance,
                                                      .finish = finish,
                                                      .refine = refine,
                                                      .at = tvgp__kalman_mixture_at,
                                                      .column = tvgp__kalman_mixture_column,
                                                      .predictive = tvgp__kalman_mixture_predictive,
                                                      .share = share,
                                                      .reset = reset,
                                                      .correlation = tvgp__kalman_mixture_correlation,
                                                      .set_unit = tvgp__kalman_mixture_set_unit,
                                                      .rescale = rescale,
                                                      .extend = extend,
                                                      .release = release,
                                                      .visit = visit};

const tvgp__posterior_ops tvgp__kalman_mixture_on_box = {.prepare = tvgp__kalman_mixture_box_prepare,
                                                         .observe = observe,
                                                         .advance = advance,
                                                         .predictive = tvgp__kalman_mixture_box_predictive,
                                                         .reset = reset,
                                                         .correlation = tvgp__kalman_mixture_correlation,
                                                         .set_unit = tvgp__kalman_mixture_set_unit,
                                                         .rescale = rescale,
                                                         .anywhere = &tvgp__kalman_mixture_anywhere,
                                                         .release = release,
                                                         .visit = visit};
