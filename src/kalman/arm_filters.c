/* SPDX-License-Identifier: MIT */
/* Memory of a set of arm filters (kalman/arm_filter.h): one block of vectors and one of triangles, whose pages the
 * system allocates when they are first written. The blocks grow by a quarter as arms are observed. */
#include "kalman/arm_filter.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { TURN = TVGP__ARM_FILTER_TURN };

static size_t entries(const tvgp__arm_filter *f, size_t room) {
    return 1 + f->states * room;
}

static size_t own_entries(const tvgp__arm_filter *f, size_t n) {
    return (f->states == 1 ? 1 : 3) * n;
}

static size_t vectors(const tvgp__arm_filters *set, size_t room) {
    size_t sum = 2 * (1 + 2 * room); /* workspace */
    for (size_t j = 0; j < set->count; j++)
        sum += (2 + TURN) * entries(&set->filter[j], room) + own_entries(&set->filter[j], room);
    return sum;
}

static size_t with_states(const tvgp__arm_filters *set, size_t states) {
    size_t n = 0;
    for (size_t j = 0; j < set->count; j++)
        n += set->filter[j].states == states;
    return n;
}

/* Size for filters with this many states: two triangles share a rectangle of one row more than columns. */
static size_t triangles(const tvgp__arm_filters *set, size_t states, size_t room) {
    const size_t ld = 1 + states * room;
    return (with_states(set, states) + 1) / 2 * ld * (ld + 1);
}

double tvgp__arm_filters_bytes(const tvgp__arm_filters *set, size_t room) {
    const double ld[2] = {1 + (double)room, 1 + 2 * (double)room};
    double numbers = (double)vectors(set, room);
    for (size_t s = 0; s < 2; s++)
        numbers += 0.5 * (double)with_states(set, s + 1) * ld[s] * (ld[s] + 1);
    return 8 * numbers;
}

static double *place(tvgp__arm_filter *f, size_t room, double *next) {
    f->ld = entries(f, room);
    f->mean = next;
    f->level = f->mean + f->ld;
    f->U = f->level + f->ld;
    f->own = f->U + TURN * f->ld;
    return f->own + own_entries(f, room);
}

/* Points the members to their places in memory for this number of arms. */
static void place_all(tvgp__arm_filters *set, size_t room) {
    const size_t first[2] = {0, triangles(set, 1, room)};
    size_t met[2] = {0, 0};
    set->gain = set->block;
    set->fading = set->gain + 1 + 2 * room;
    double *next = set->fading + 1 + 2 * room;
    for (size_t j = 0; j < set->count; j++) {
        tvgp__arm_filter *f = &set->filter[j];
        const size_t kind = f->states - 1, k = met[kind]++;
        next = place(f, room, next);
        f->upper = k % 2 == 1;
        f->R = set->triangles + first[kind] + k / 2 * f->ld * (f->ld + 1) + (f->upper ? f->ld : 0);
    }
    set->room = room;
}

static tvgp_status allocate(tvgp__arm_filters *set, size_t room) {
    TVGP__TRY(tvgp__memory_alloc(set->ctx, room, sizeof *set->arm, &set->arm));
    TVGP__TRY(tvgp__memory_alloc(set->ctx, vectors(set, room), sizeof *set->block, &set->block));
    TVGP__TRY(tvgp__memory_stretch(set->ctx, triangles(set, 1, room) + triangles(set, 2, room), sizeof *set->triangles, 0,
                                   &set->triangles));
    place_all(set, room);
    return TVGP_OK;
}

tvgp_status tvgp__arm_filters_new(tvgp_ctx *ctx, size_t count, const tvgp__arm_model *models, tvgp__arm_filters *out) {
    tvgp__arm_filters set = {.ctx = ctx, .count = count};
    TVGP__TRY(tvgp__memory_alloc(ctx, count, sizeof *set.filter, &set.filter));
    for (size_t j = 0; j < count; j++)
        set.filter[j] = (tvgp__arm_filter){
            .model = models[j], .states = models[j].lasting > 0 && models[j].rate > 0 ? 2 : 1, .fade = {1, 1}};
    *out = set;
    return TVGP_OK;
}

void tvgp__arm_filters_free(tvgp__arm_filters *set) {
    tvgp__memory_free(set->ctx, set->arm);
    tvgp__memory_free(set->ctx, set->block);
    tvgp__memory_free(set->ctx, set->triangles);
    tvgp__memory_free(set->ctx, set->filter);
}

static void copy_triangle(const tvgp__arm_filter *from, tvgp__arm_filter *to) {
    for (size_t j = 0; j < from->order; j++) {
        const size_t first = from->upper ? 0 : j, last = from->upper ? j + 1 : from->order;
        memcpy(to->R + j * to->ld + first, from->R + j * from->ld + first, (last - first) * sizeof *from->R);
    }
}

static void copy_filter(const tvgp__arm_filter *from, size_t n, tvgp__arm_filter *to) {
    const size_t d = entries(from, n);
    memcpy(to->mean, from->mean, d * sizeof *from->mean);
    memcpy(to->level, from->level, d * sizeof *from->level);
    memcpy(to->own, from->own, own_entries(from, n) * sizeof *from->own);
    for (size_t k = 0; k < from->fresh; k++)
        memcpy(to->U + k * to->ld, from->U + k * from->ld, d * sizeof *from->U);
    memcpy(to->fade, from->fade, sizeof from->fade);
    to->order = from->order;
    to->fresh = from->fresh;
    copy_triangle(from, to);
}

void tvgp__arm_filters_copy(const tvgp__arm_filters *from, tvgp__arm_filters *to) {
    to->n = from->n;
    if (!from->n)
        return;
    memcpy(to->arm, from->arm, from->n * sizeof *from->arm);
    for (size_t j = 0; j < from->count; j++)
        copy_filter(&from->filter[j], from->n, &to->filter[j]);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

tvgp_status tvgp__arm_filters_reserve(tvgp__arm_filters *set, size_t n, size_t most) {
    const size_t more = set->room + set->room / 4 + 4;
    tvgp__arm_filters next = {.ctx = set->ctx, .count = set->count};
    if (n <= set->room)
        return TVGP_OK;
    tvgp_status status = tvgp__memory_alloc(set->ctx, set->count, sizeof *next.filter, &next.filter);
    if (status == TVGP_OK) {
        memcpy(next.filter, set->filter, set->count * sizeof *next.filter);
        status = allocate(&next, smaller(n > more ? n : more, n > most ? n : most));
    }
    if (status == TVGP_OK) {
        const int keeping = set->ctx->keeping;
        tvgp__arm_filters_copy(set, &next);
        set->ctx->keeping = 0; /* no later block is as small */
        tvgp__arm_filters_free(set);
        set->ctx->keeping = keeping;
        *set = next;
    } else
        tvgp__arm_filters_free(&next);
    return status;
}

void tvgp__arm_filters_reset(tvgp__arm_filters *set) {
    set->n = 0;
    if (set->room)
        memset(set->block, 0, vectors(set, set->room) * sizeof *set->block);
    for (size_t j = 0; j < set->count; j++) {
        set->filter[j].order = set->filter[j].fresh = 0;
        set->filter[j].fade[0] = set->filter[j].fade[1] = 1;
    }
}

size_t tvgp__arm_filters_slot(const tvgp__arm_filters *set, size_t arm) {
    for (size_t i = 0; i < set->n; i++)
        if (set->arm[i] == arm)
            return i;
    return TVGP__ARM_FILTER_NONE;
}

size_t tvgp__arm_filters_join(tvgp__arm_filters *set, size_t arm) {
    set->arm[set->n] = arm;
    return set->n++;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_filter(tvgp__arm_filter *f, size_t n, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    const size_t d = entries(f, n);
    tvgp__visit_reals(v, d, f->mean, -most, most);
    tvgp__visit_reals(v, d, f->level, -most, most);
    tvgp__visit_reals(v, own_entries(f, n), f->own, -most, most);
    tvgp__visit_reals(v, 2, f->fade, 0, 1);
    tvgp__visit_size(v, &f->fresh, 0, TURN - 1);
    for (size_t k = 0; tvgp__visit_fine(v) && k < f->fresh; k++)
        tvgp__visit_reals(v, d, f->U + k * f->ld, -most, most);
    tvgp__visit_size(v, &f->order, 0, d);
    for (size_t j = 0; tvgp__visit_fine(v) && j < f->order; j++) {
        const size_t first = f->upper ? 0 : j, last = f->upper ? j + 1 : f->order;
        tvgp__visit_reals(v, last - first, f->R + j * f->ld + first, -most, most);
    }
}

void tvgp__arm_filters_visit(tvgp__arm_filters *set, size_t arms, tvgp__visit *v) {
    size_t n = set->n;
    tvgp__visit_count(v, &n, arms, set->count * 3 * sizeof(double));
    if (tvgp__visit_loads(v)) {
        tvgp__arm_filters_reset(set);
        if (tvgp__visit_try(v, tvgp__arm_filters_reserve(set, n, arms)))
            set->n = n;
    }
    if (n && tvgp__visit_fine(v))
        tvgp__visit_indices(v, n, set->arm, arms);
    for (size_t j = 0; n && tvgp__visit_fine(v) && j < set->count; j++)
        visit_filter(&set->filter[j], n, v);
}
