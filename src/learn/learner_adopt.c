/* SPDX-License-Identifier: MIT */
/* Adoption of new hyperparameters (learn/learner.h): the data of a new posterior, and its exchange for
 * the one in use. */
#include "learn/learner.h"

#include "base/error.h"

#include <math.h>

enum { BLOCK = TVGP__POSTERIOR_BLOCK };

static tvgp__learner_note *note_of(const tvgp__learner *l, int64_t i) {
    return &l->notes[tvgp__learner_index(l, i)];
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Shows the candidate an observation; notes how well it was predicted where the scale may be taken from that. */
static void show_again(void *user, tvgp__posterior *posterior, const tvgp__points *points, size_t i,
                       const tvgp__observation *r) {
    tvgp__learner *l = user;
    const size_t index = (size_t)(r - l->log.list);
    const int ages = l->spec.age.growth != TVGP__NOISE_AGE_NONE,
              counts = l->log.n - index <= (size_t)tvgp__learner_window(l);
    if (r->t > posterior->now)
        posterior->ops->advance(posterior, r->t);
    const double ratio = tvgp__learner_show(l, &l->candidate, points, i, r, counts && !ages);
    l->notes[index].candidate_ratio = counts && !ages ? ratio : l->notes[index].ratio;
}

/* If a group has the same information as its outcomes, all of them count. */
static void count_all(const tvgp__learner *l, const tvgp__cell *cell) {
    tvgp__posterior *posterior = l->candidate.posterior;
    if (cell->count == 1)
        return;
    posterior->counts.observations += (size_t)cell->count - 1;
    if (!cell->assumed)
        posterior->log_marginal_likelihood +=
            tvgp__observation_groups_apart(cell, tvgp__posterior_noise(posterior, l->candidate.point.noise));
}

/* Shows the candidate cells from `first` on. */
static tvgp_status show_cells(tvgp__learner *l, int64_t first, int64_t count) {
    const tvgp__cell *cell = l->cells.list + first;
    tvgp__posterior *posterior = l->candidate.posterior;
    size_t arm[BLOCK];
    const tvgp__points points = {.n = (size_t)count, .arm = arm};
    for (size_t i = 0; i < points.n; i++)
        arm[i] = cell[i].arm;
    TVGP__TRY(posterior->ops->prepare(posterior, &points));
    for (size_t i = 0; i < points.n; i++) {
        const tvgp__observation r = {.arm = arm[i],
                                     .t = fmax(cell[i].t, posterior->now),
                                     .y = cell[i].y,
                                     .noise =
                                         isnan(cell[i].noise) ? l->candidate.point.noise / cell[i].count : cell[i].noise,
                                     .assumed = cell[i].assumed};
        if (r.t > posterior->now)
            posterior->ops->advance(posterior, r.t);
        (void)tvgp__learner_show(l, &l->candidate, &points, i, &r, 0);
        if (!l->spec.put_together)
            count_all(l, &cell[i]);
    }
    return TVGP_OK;
}

/* Groups and then single outcomes, until both are exhausted or the budget of an ask is. */
static tvgp_status show_some(tvgp__learner *l, int64_t most, int64_t *count) {
    const int64_t cells = (int64_t)l->cells.n,
                  left = (l->candidate_rows < cells ? cells : tvgp__learner_candidate_end(l)) - l->candidate_rows;
    *count = smaller(smaller(left, most), BLOCK);
    if (l->candidate_rows < l->candidate_ahead)
        return TVGP_OK;
    return l->candidate_rows < cells
               ? show_cells(l, l->candidate_rows, *count)
               : tvgp__posterior_replay(l->candidate.posterior, &l->log,
                                        tvgp__learner_index(l, l->candidate_first + l->candidate_rows - cells),
                                        (size_t)*count, show_again, l);
}

/* Shows the candidate at most `most` observations of the present segment. */
static tvgp_status catch_up(tvgp__learner *l, int64_t most) {
    while (l->candidate_rows < tvgp__learner_candidate_end(l) && most > 0) {
        int64_t count = 0;
        TVGP__TRY(show_some(l, most, &count));
        l->candidate_rows += count;
        most -= count;
        l->left.rows -= count;
    }
    return TVGP_OK;
}

/* The first observation of the present segment that is still in the log. */
static int64_t segment_start(const tvgp__learner *l) {
    int64_t i = l->answers;
    while (i > tvgp__learner_oldest(l) && l->segments[tvgp__learner_index(l, i - 1)] == l->segment)
        i--;
    return i;
}

/* The first outcome from number i on that still carries information for a model, or from which the scale is computed. */
static int64_t first_unfaded(const tvgp__learner *l, const tvgp__learner_model *m, int64_t i) {
    const int64_t window = l->answers - tvgp__learner_window(l), newest = window - l->spec.newest;
    if (l->spec.own_scale)
        return i;
    if (l->spec.newest && newest > i)
        i = newest;
    while (i < window && tvgp__posterior_faded(m->posterior, m->point.noise, l->log.list[tvgp__learner_index(l, i)].t,
                                               l->in_use.posterior->now))
        i++;
    return i;
}

/* If weights on a box have dropped support points, earlier outcomes matter little. Returns the first of the newest
 * outcomes to use: the window, and before it two for each support point. 0: no point was dropped. */
static int64_t newest_held(const tvgp__learner *l) {
    const tvgp__posterior *posterior = l->in_use.posterior;
    const tvgp__posterior_anywhere *anywhere = posterior->ops->anywhere;
    if (l->spec.own_scale || !anywhere || anywhere->rows || !posterior->counts.dropped)
        return 0;
    return l->answers - tvgp__learner_window(l) - 2 * (int64_t)posterior->counts.rank;
}

/* The first outcome of the candidate. Earlier ones keep the note of how well they were predicted. */
static int64_t first_shown(const tvgp__learner *l) {
    const int64_t start = segment_start(l), unfaded = first_unfaded(l, &l->candidate, start), held = newest_held(l);
    const int64_t first = held > unfaded ? held : unfaded;
    for (int64_t i = start; i < first; i++)
        note_of(l, i)->candidate_ratio = note_of(l, i)->ratio;
    return first;
}

int tvgp__learner_carries(tvgp__learner *l) {
    const int64_t oldest = tvgp__learner_oldest(l);
    if (l->spec.own_scale || l->spec.newest)
        return 0;
    l->unfaded = first_unfaded(l, &l->in_use, l->unfaded > oldest ? l->unfaded : oldest);
    return l->unfaded - l->first > l->answers - l->unfaded;
}

void tvgp__learner_put(tvgp__learner *l, int64_t first) {
    const size_t index = tvgp__learner_index(l, first);
    /* points of a box hardly come twice, and where noise grows with age nothing says what an older cell is worth */
    const int known = l->fits > 0 && l->fit_point.scale > 0 && !l->log.dim && !l->spec.age.growth;
    tvgp__observation_groups_put(&l->cells, l->log.n - index, l->log.list + index, l->segments + index,
                                 known ? tvgp__hyper_rate(l->hyper, &l->fit_point) : NAN,
                                 known ? tvgp__hyper_ratio(l->hyper, &l->fit_point) : NAN);
    for (size_t i = 0; i < l->cells.n; i++)
        l->cells.list[i].newest += index;
}

/* Groups the outcomes before the window into one for each arm. */
static void pool(tvgp__learner *l) {
    const int64_t first = l->candidate_first, end = l->answers - tvgp__learner_window(l);
    const size_t index = tvgp__learner_index(l, first);
    if (end <= first ||
        tvgp__posterior_correlation(l->candidate.posterior, l->in_use.posterior->now, l->in_use.posterior->now + 1) >= 0)
        return;
    if (!tvgp__observation_groups_pool(&l->cells, (size_t)(end - first), l->log.list + index, l->segments + index))
        return;
    for (int64_t i = first; i < end; i++)
        note_of(l, i)->candidate_ratio = note_of(l, i)->ratio;
    l->candidate_first = end;
}

/* What the candidate is to be shown. */
static void plan(tvgp__learner *l) {
    l->cells.n = 0;
    l->candidate_rows = l->candidate_ahead = 0;
    l->candidate_first = l->spec.fill ? l->answers : first_shown(l);
    if (tvgp__learner_pools(l))
        pool(l);
    if (l->spec.fill || !l->spec.put_together || l->answers - l->candidate_first <= l->spec.rules.window)
        return;
    tvgp__learner_put(l, l->candidate_first);
    l->candidate_first = l->answers;
    if (l->cells.width > 0) {
        tvgp__observation_groups_sort(&l->cells);
        return;
    }
    l->candidate_first -= (int64_t)l->cells.n; /* single outcomes */
    l->cells.n = 0;
}

void tvgp__learner_exchange(tvgp__learner *l) {
    const tvgp__learner_model before = l->in_use;
    for (int64_t i = segment_start(l); i < l->answers; i++)
        *note_of(l, i) = (tvgp__learner_note){note_of(l, i)->candidate_ratio, note_of(l, i)->ratio};
    l->in_use = l->candidate;
    l->candidate = before;
    tvgp__posterior_thaw(before.posterior);
    if (before.posterior->now > l->in_use.posterior->now)
        l->in_use.posterior->ops->advance(l->in_use.posterior, before.posterior->now);
    tvgp__learner_take_over(l);
}

static void swap_in(tvgp__learner *l) {
    tvgp__learner_exchange(l);
    l->exchanged = 1;
    l->first = l->unfaded = l->candidate_first;
    if (!l->remakes) {
        l->fit_ask = l->fitted ? l->fit_ask : l->ask;
        l->fitted = 1;
        l->adoptions++;
    }
    l->adoption = l->remakes = 0;
    l->left = (tvgp__learner_work){0}; /* an ask does no more than this */
}

/* Makes the candidate, or finds `pivots` more of its basis. AGAIN: it is not complete. */
static tvgp_status make_candidate(tvgp__learner *l, size_t pivots) {
    if (!l->pivots)
        tvgp__basis_search_end(&l->progress->search);
    l->pivots = pivots < SIZE_MAX - l->pivots ? l->pivots + pivots : SIZE_MAX;
    l->left.pivots -= l->left.pivots < SIZE_MAX ? pivots : 0;
    l->progress->usual = l->in_use.posterior->counts.rank;
    l->progress->pivots = l->pivots;
    const tvgp_status status =
        tvgp__learner_make(l, l->remakes ? &l->in_use.point : &l->fit_point, l->progress, &l->candidate);
    if (status != TVGP_AGAIN)
        l->pivots = 0;
    return status;
}

tvgp_status tvgp__learner_adopt(tvgp__learner *l, int64_t most, size_t pivots, const tvgp__points *pending) {
    tvgp_status status = TVGP_OK;
    if (l->adoption == TVGP__LEARNER_DUE) {
        status = make_candidate(l, pivots);
        if (status == TVGP_OK && l->spec.fill)
            status = l->spec.fill(l->spec.arg, l->candidate.posterior, &l->candidate.point);
        if (status == TVGP_OK) {
            l->adoption = TVGP__LEARNER_SHOWING;
            plan(l);
            if (tvgp__learner_candidate_end(l) > l->left.rows)
                l->left.rows = 0; /* making it was work enough for one ask */
        }
    }
    if (l->adoption == TVGP__LEARNER_SHOWING) {
        const int64_t gone = tvgp__learner_oldest(l) - l->candidate_first; /* no longer kept */
        if (gone > 0 && l->candidate_rows >= (int64_t)l->cells.n)
            l->candidate_rows =
                l->candidate_rows > gone + (int64_t)l->cells.n ? l->candidate_rows : gone + (int64_t)l->cells.n;
        status = catch_up(l, smaller(most, l->left.rows));
    }
    const int complete =
        status == TVGP_OK && l->adoption == TVGP__LEARNER_SHOWING && l->candidate_rows == tvgp__learner_candidate_end(l);
    if (complete)
        status = tvgp__posterior_reach(l->candidate.posterior, pending);
    if (status < 0) {
        if (tvgp__error_passes(l->ctx, status))
            return status;
        tvgp__error_forget(l->ctx, status);
        tvgp__learner_free_model(&l->candidate);
        l->adoption = l->remakes = 0;
        l->failures++;
    }
    if (complete && status == TVGP_OK)
        swap_in(l);
    return TVGP_OK;
}
