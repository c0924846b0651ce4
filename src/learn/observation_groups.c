/* SPDX-License-Identifier: MIT */
/* Groups outcomes so that an optimisation can use more of them than it has rows (learn/observation_groups.h). */
#include "learn/observation_groups.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/sample_statistics.h"
#include "space/temporal/median_gap.h"

#include <math.h>
#include <string.h>

enum { WIDTHS = 12 };
static const double most_change = 0.2; /* within a cell */

tvgp_status tvgp__observation_groups_room(tvgp__observation_groups *c, size_t cells) {
    size_t slots = 4;
    if (cells <= c->room)
        return TVGP_OK;
    if (cells < 2 * c->room)
        cells = 2 * c->room;
    while (slots < 2 * cells)
        slots *= 2;
    TVGP__TRY(tvgp__memory_room(c->ctx, cells, sizeof *c->list, &c->list));
    TVGP__TRY(tvgp__memory_room(c->ctx, slots, sizeof *c->table, &c->table));
    c->room = cells;
    c->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__observation_groups_reserve(tvgp__observation_groups *c, size_t most) {
    c->most = most;
    TVGP__TRY(tvgp__observation_groups_room(c, most));
    return tvgp__memory_alloc(c->ctx, 2 * most, sizeof *c->times, &c->times);
}

void tvgp__observation_groups_free(tvgp__observation_groups *c) {
    tvgp__memory_free(c->ctx, c->list);
    tvgp__memory_free(c->ctx, c->table);
    tvgp__memory_free(c->ctx, c->times);
}

/* ---- the group of an outcome ------------------------------------------------------------------------------------ */

static int same(const tvgp__cell *a, const tvgp__cell *b) {
    return a->arm == b->arm && a->segment == b->segment && a->interval == b->interval &&
           isnan(a->noise) == isnan(b->noise) && a->assumed == b->assumed;
}

static size_t hash(const tvgp__cell *cell) {
    uint64_t bits, h = cell->arm * 0x9e3779b97f4a7c15u;
    memcpy(&bits, &cell->interval, sizeof bits);
    h = (h ^ (h >> 29) ^ bits) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ (uint64_t)cell->segment) * 0x94d049bb133111ebu;
    return (size_t)(h ^ (h >> 31)) + (size_t)isnan(cell->noise);
}

/* Where the cell stands, or would: the slot of its index. */
static uint32_t *slot_of(const tvgp__observation_groups *c, const tvgp__cell *cell) {
    size_t i = hash(cell) & (c->slots - 1);
    while (c->table[i] && !same(&c->list[c->table[i] - 1], cell))
        i = (i + 1) & (c->slots - 1);
    return &c->table[i];
}

/* Adds an outcome, given as a group of one. Means are weighted by 1 / noise if outcomes declare it. */
static void join(tvgp__cell *cell, const tvgp__cell *one) {
    const double all = isnan(cell->noise) ? cell->count + 1 : 1 / cell->noise + 1 / one->noise;
    const double share = isnan(cell->noise) ? 1 / all : 1 / one->noise / all, off = one->y - cell->y;
    cell->count++;
    cell->t += (one->t - cell->t) / cell->count;
    cell->y += off * share;
    cell->within += off * (one->y - cell->y);
    cell->noise = isnan(cell->noise) ? NAN : 1 / all;
}

/* ---- one width ---------------------------------------------------------------------------------------------------- */

/* How outcomes are grouped: intervals of this width; at most `most`; only those that declare no noise. */
typedef struct {
    double width;
    size_t most;
    int alike;
} way;

/* Says whether an outcome can join a group: an outcome that is almost exact cannot. */
static int joins(const tvgp__observation *r, const way *w) {
    return w->width > 0 && (isnan(r->noise) || (!w->alike && isfinite(1 / r->noise)));
}

static tvgp__cell cell_of(const tvgp__observation_groups *c, const tvgp__observation *r, size_t index, int64_t segment) {
    const int divides = c->width > 0 && isfinite(c->width);
    const double interval = divides ? floor(tvgp__median_gap_units(r->t - c->origin, c->width)) + 0.0 : 0; /* no -0 */
    return (tvgp__cell){.arm = r->arm,
                        .newest = index,
                        .segment = segment,
                        .t = r->t,
                        .y = r->y,
                        .noise = r->noise,
                        .count = 1,
                        .interval = interval,
                        .assumed = r->assumed};
}

/* The order of the log, which is that of segments. */
static void reverse(tvgp__observation_groups *c) {
    for (size_t i = 0; i < c->n / 2; i++) {
        const tvgp__cell cell = c->list[i];
        c->list[i] = c->list[c->n - 1 - i];
        c->list[c->n - 1 - i] = cell;
    }
}

static void put(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers, const int64_t *segment,
                const way *w) {
    memset(c->table, 0, c->slots * sizeof *c->table);
    c->n = c->answers = 0;
    c->width = w->width;
    for (size_t i = n; i-- > 0; c->answers++) {
        if (c->measured && answers[i].assumed)
            continue;
        const tvgp__cell one = cell_of(c, &answers[i], i, segment[i]);
        uint32_t *slot = joins(&answers[i], w) ? slot_of(c, &one) : NULL;
        if (slot && *slot) {
            join(&c->list[*slot - 1], &one);
            continue;
        }
        if (c->n == w->most)
            break;
        c->list[c->n++] = one;
        if (slot)
            *slot = (uint32_t)c->n;
    }
    reverse(c);
}

/* ---- all widths --------------------------------------------------------------------------------------------------- */

static double step_of(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers) {
    const size_t newest = n < c->most ? n : c->most;
    for (size_t i = 0; i < newest; i++)
        c->times[i] = answers[n - newest + i].t;
    return tvgp__sample_statistics_step(newest, c->times, c->times + c->most);
}

void tvgp__observation_groups_put(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment, double rate, double ratio) {
    const int widths = !(rate >= 0 && ratio > 0) ? 0 : rate > 0 ? WIDTHS : 1;
    size_t covered = c->most;
    double best = 0;
    c->step = step_of(c, n, answers);
    for (int k = 1; k <= widths && n > covered; k++) {
        const double width = rate > 0 ? ldexp(c->step, k) : INFINITY, change = rate > 0 ? rate * width : 0;
        if (change > most_change)
            break;
        put(c, n, answers, segment, &(way){.width = width, .most = c->most});
        if (change * ((double)c->answers / (double)c->n) > ratio)
            break;
        if (c->answers > covered) {
            covered = c->answers;
            best = width;
        }
    }
    if (best == 0 || c->width != best)
        put(c, n, answers, segment, &(way){.width = best, .most = c->most});
}

int tvgp__observation_groups_pool(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment) {
    put(c, n, answers, segment, &(way){.width = INFINITY, .most = c->room, .alike = 1});
    c->n = c->answers == n ? c->n : 0;
    return c->answers == n;
}

double tvgp__observation_groups_apart(const tvgp__cell *cell, double v) {
    return -0.5 * ((cell->count - 1) * (TVGP__LOG_TWO_PI + log(v)) + log(cell->count) + cell->within / v);
}

/* By their mean times, near which the order they have is. */
void tvgp__observation_groups_sort(tvgp__observation_groups *c) {
    for (size_t i = 1; i < c->n; i++) {
        const tvgp__cell cell = c->list[i];
        size_t j = i;
        for (; j && c->list[j - 1].t > cell.t; j--)
            c->list[j] = c->list[j - 1];
        c->list[j] = cell;
    }
}
