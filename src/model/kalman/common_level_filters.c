/* SPDX-License-Identifier: MIT */
/* Memory and slots of a set of arm filters (model/kalman/common_level_filter.h): one block of vectors and one of triangles, whose pages the
 * system allocates when they are first written. The blocks grow by a quarter as arms, contexts and pairs are observed. */
#include "model/kalman/common_level_filter.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef tvgp__common_level_filters filters;
typedef tvgp__common_level_filter filter;
typedef tvgp__arm_extent extent;

enum {
    TURN = TVGP__COMMON_LEVEL_TURN,
    ARM = TVGP__COMMON_LEVEL_ARM,
    CONTEXT = TVGP__COMMON_LEVEL_CONTEXT,
    PAIR = TVGP__COMMON_LEVEL_PAIR,
    TYPES = TVGP__COMMON_LEVEL_TYPES
};
static const size_t NONE = TVGP__COMMON_LEVEL_NONE;

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* ---- items and slots -------------------------------------------------------------------------------------------- */

/* The first number of items of a type, or of the type behind the last. */
static size_t first_item(const tvgp__arm_items *of, int type) {
    const size_t contexts = of->contexts > 1 ? of->contexts : 0;
    const size_t first[] = {0, of->actions, of->actions + contexts, of->actions + contexts + of->actions * contexts};
    return first[type];
}

static int type_of(const tvgp__arm_items *of, size_t item) {
    return item < first_item(of, CONTEXT) ? ARM : item < first_item(of, PAIR) ? CONTEXT : PAIR;
}

static size_t slots(const filters *set) {
    return set->n.arms + set->n.others;
}

static size_t slot_of(const filters *set, size_t item) {
    return item == NONE || !set->slot[item] ? NONE : set->slot[item] - 1;
}

static tvgp__arm_entries entries_of(const filters *set, size_t action, size_t context, size_t pair) {
    if (set->items.contexts == 1)
        return (tvgp__arm_entries){.item = {action, NONE, NONE}, .slot = {slot_of(set, action), NONE, NONE}};
    const size_t number[TYPES] = {action, context, pair};
    tvgp__arm_entries at;
    for (int k = 0; k < TYPES; k++) {
        at.item[k] = number[k] == NONE ? NONE : first_item(&set->items, k) + number[k];
        at.slot[k] = slot_of(set, at.item[k]);
    }
    return at;
}

tvgp__arm_entries tvgp__common_level_filters_find(const filters *set, size_t arm) {
    const size_t contexts = set->items.contexts;
    return contexts == 1 ? entries_of(set, arm, NONE, NONE) : entries_of(set, arm / contexts, arm % contexts, arm);
}

tvgp__arm_entries tvgp__common_level_filters_other(const filters *set, size_t context) {
    return entries_of(set, NONE, context, NONE);
}

static size_t order_of(const filter *f, extent n) {
    return 1 + f->states * n.arms + f->other * n.others;
}

static void give_slot(filters *set, size_t slot, size_t item) {
    set->item[slot] = item;
    set->slot[item] = (uint32_t)slot + 1;
}

/* Marks the entries of a new arm. */
static void mark_drifts(filters *set) {
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; k < 2; k++) {
            double *end = set->drifts[s][k] + 1 + (1 + s) * set->n.arms + k * set->n.others;
            end[0] = 1;
            end[s] = s ? 0 : 1;
        }
}

static void append(filters *set, int type, size_t item) {
    const size_t slot = slots(set);
    give_slot(set, slot, item);
    set->before[slot] = set->n.arms;
    if (type == ARM)
        mark_drifts(set);
    set->n.arms += type == ARM;
    set->n.others += type != ARM;
    set->pairs += type == PAIR;
}

static void clear_entry(filter *f, size_t n, size_t i) {
    f->mean[i] = f->level[i] = f->own[i] = 0;
    if (f->next)
        f->next[i] = f->next[i - 1] = 0;
    for (size_t k = 0; k < f->fresh; k++)
        f->U[k * f->ld + i] = 0;
    for (size_t j = 0; i < f->order && j < n && j < f->order; j++)
        f->R[f->upper == (j < i) ? i * f->ld + j : j * f->ld + i] = 0;
}

/* The slot of the pair observed longest ago, which is integrated out. */
static void replace_pair(filters *set, size_t item) {
    size_t oldest = NONE;
    for (size_t s = 0; s < slots(set); s++)
        if (type_of(&set->items, set->item[s]) == PAIR && (oldest == NONE || set->used[s] < set->used[oldest]))
            oldest = s;
    for (size_t j = 0; j < set->count; j++) {
        filter *f = &set->filter[j];
        if (f->other)
            clear_entry(f, order_of(f, set->n), 1 + f->states * set->before[oldest] + oldest - set->before[oldest]);
    }
    set->slot[set->item[oldest]] = 0;
    give_slot(set, oldest, item);
}

tvgp__arm_entries tvgp__common_level_filters_join(filters *set, size_t arm, size_t number) {
    tvgp__arm_entries at = tvgp__common_level_filters_find(set, arm);
    for (int k = 0; k < TYPES; k++) {
        if (at.item[k] == NONE)
            continue;
        if (at.slot[k] == NONE && k == PAIR && set->pairs == set->items.pairs)
            replace_pair(set, at.item[k]);
        else if (at.slot[k] == NONE)
            append(set, k, at.item[k]);
        at.slot[k] = set->slot[at.item[k]] - 1;
        set->used[at.slot[k]] = number;
    }
    return at;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Filters with the same room for states, of which there are four kinds. */
static size_t kind_of(const filter *f) {
    return f->states - 1 + 2 * f->other;
}

static size_t room_of(size_t kind, extent room) {
    return 1 + (1 + kind % 2) * room.arms + kind / 2 * room.others;
}

static size_t with_kind(const filters *set, size_t kind) {
    size_t n = 0;
    for (size_t j = 0; j < set->count; j++)
        n += kind_of(&set->filter[j]) == kind;
    return n;
}

static size_t vectors(const filters *set, extent room) {
    size_t sum = 2 * room_of(3, room); /* workspace */
    for (size_t k = 0; k < 4; k++)
        sum += (1 + with_kind(set, k) * (3 + TURN + k % 2)) * room_of(k, room);
    return sum;
}

/* Size for filters of this kind: two triangles share a rectangle of one row more than columns. */
static size_t triangles(const filters *set, size_t kind, extent room) {
    const size_t ld = room_of(kind, room);
    return (with_kind(set, kind) + 1) / 2 * ld * (ld + 1);
}

double tvgp__common_level_filters_bytes(const filters *set) {
    const double arms = (double)set->items.actions, contexts = (double)set->items.contexts;
    const double pairs = arms * contexts, most = (double)set->items.pairs;
    const double others = contexts > 1 ? contexts + (pairs < most ? pairs : most) : 0;
    double numbers = 2 * (1 + 2 * arms + others);
    for (size_t k = 0; k < 4; k++) {
        const double ld = 1 + (double)(1 + k % 2) * arms + (double)(k / 2) * others, n = (double)with_kind(set, k);
        numbers += ld + n * ld * ((double)(3 + TURN + k % 2) + 0.5 * (ld + 1));
    }
    return 8 * numbers;
}

static double *lay_out_filter(filter *f, extent room, double *from) {
    f->ld = room_of(kind_of(f), room);
    f->mean = from;
    f->level = f->mean + f->ld;
    f->own = f->level + f->ld;
    f->U = f->own + f->ld;
    from = f->U + TURN * f->ld;
    f->next = f->states == 2 ? from : NULL;
    return from + (f->next ? f->ld : 0);
}

/* Points the members to their places in memory of this room. */
static void lay_out(filters *set, extent room) {
    size_t first = 0, met[4] = {0}, at[4];
    double *next = set->block + 2 * room_of(3, room);
    set->gain = set->block;
    set->fading = set->block + room_of(3, room);
    for (size_t k = 0; k < 4; k++) {
        set->drifts[k % 2][k / 2] = next;
        next += room_of(k, room);
        at[k] = first;
        first += triangles(set, k, room);
    }
    for (size_t j = 0; j < set->count; j++) {
        filter *f = &set->filter[j];
        const size_t kind = kind_of(f), k = met[kind]++;
        next = lay_out_filter(f, room, next);
        f->drifts = set->drifts[f->states - 1][f->other];
        f->upper = k % 2 == 1;
        f->R = set->triangles + at[kind] + k / 2 * f->ld * (f->ld + 1) + (f->upper ? f->ld : 0);
    }
    set->room = room;
}

static tvgp_status allocate(filters *set, extent room) {
    size_t numbers = 0;
    for (size_t k = 0; k < 4; k++)
        numbers += triangles(set, k, room);
    TVGP__TRY(tvgp__memory_alloc(set->ctx, room.arms + room.others, 3 * sizeof *set->item, &set->item));
    TVGP__TRY(tvgp__memory_alloc(set->ctx, vectors(set, room), sizeof *set->block, &set->block));
    TVGP__TRY(tvgp__memory_stretch(set->ctx, numbers, sizeof *set->triangles, 0, &set->triangles));
    set->before = set->item + room.arms + room.others;
    set->used = set->before + room.arms + room.others;
    lay_out(set, room);
    return TVGP_OK;
}

tvgp_status tvgp__common_level_filters_new(tvgp_ctx *ctx, size_t count, const tvgp__arm_model *models,
                                           const tvgp__arm_items *items, filters *out) {
    filters set = {.ctx = ctx, .count = count, .items = *items};
    TVGP__TRY(tvgp__memory_alloc(ctx, count, sizeof *set.filter, &set.filter));
    const tvgp_status status = tvgp__memory_alloc(ctx, first_item(items, TYPES), sizeof *set.slot, &set.slot);
    if (status < 0) {
        tvgp__memory_free(ctx, set.filter);
        return status;
    }
    for (size_t j = 0; j < count; j++)
        set.filter[j] = (filter){.model = models[j],
                                 .states = models[j].lasting > 0 && models[j].rate > 0 ? 2 : 1,
                                 .other = models[j].pair > 0 || models[j].context > 0,
                                 .fade = {1, 1}};
    *out = set;
    return TVGP_OK;
}

/* All but the slots of items, which do not depend on room. */
static void free_room(filters *set) {
    tvgp__memory_free(set->ctx, set->item);
    tvgp__memory_free(set->ctx, set->block);
    tvgp__memory_free(set->ctx, set->triangles);
    tvgp__memory_free(set->ctx, set->filter);
}

void tvgp__common_level_filters_free(filters *set) {
    free_room(set);
    tvgp__memory_free(set->ctx, set->slot);
}

static void copy_triangle(const filter *from, filter *to) {
    for (size_t j = 0; j < from->order; j++) {
        const size_t first = from->upper ? 0 : j, last = from->upper ? j + 1 : from->order;
        memcpy(to->R + j * to->ld + first, from->R + j * from->ld + first, (last - first) * sizeof *from->R);
    }
}

static void copy_filter(const filter *from, extent n, filter *to) {
    const size_t d = order_of(from, n);
    memcpy(to->mean, from->mean, d * sizeof *from->mean);
    memcpy(to->level, from->level, d * sizeof *from->level);
    memcpy(to->own, from->own, d * sizeof *from->own);
    if (from->next)
        memcpy(to->next, from->next, d * sizeof *from->next);
    for (size_t k = 0; k < from->fresh; k++)
        memcpy(to->U + k * to->ld, from->U + k * from->ld, d * sizeof *from->U);
    memcpy(to->fade, from->fade, sizeof from->fade);
    to->order = from->order;
    to->fresh = from->fresh;
    copy_triangle(from, to);
}

/* What is observed, in the numbers of the items of `to`; then the filters. */
static void copy_all(const filters *from, filters *to) {
    to->n = (extent){0};
    to->pairs = 0;
    for (size_t s = 0; s < slots(from); s++) {
        const int type = type_of(&from->items, from->item[s]);
        append(to, type, from->item[s] - first_item(&from->items, type) + first_item(&to->items, type));
        to->used[s] = from->used[s];
    }
    for (size_t j = 0; slots(from) && j < from->count; j++)
        copy_filter(&from->filter[j], from->n, &to->filter[j]);
}

static size_t grown(size_t room, size_t n, size_t most) {
    return n <= room ? room : smaller(larger(n, room + room / 4 + 4), larger(n, most));
}

/* Slots of contexts and pairs at most. */
static size_t others_most(const filters *set) {
    return first_item(&set->items, PAIR) - first_item(&set->items, CONTEXT) +
           smaller(first_item(&set->items, TYPES) - first_item(&set->items, PAIR), set->items.pairs);
}

static tvgp_status make_room(filters *set, extent n) {
    filters next = {.ctx = set->ctx, .count = set->count, .items = set->items, .slot = set->slot};
    if (n.arms <= set->room.arms && n.others <= set->room.others)
        return TVGP_OK;
    const extent room = {.arms = grown(set->room.arms, n.arms, set->items.actions),
                         .others = grown(set->room.others, n.others, others_most(set))};
    tvgp_status status = tvgp__memory_alloc(set->ctx, set->count, sizeof *next.filter, &next.filter);
    if (status == TVGP_OK) {
        memcpy(next.filter, set->filter, set->count * sizeof *next.filter);
        status = allocate(&next, room);
    }
    if (status == TVGP_OK) {
        const int keeping = set->ctx->keeping;
        copy_all(set, &next);
        set->ctx->keeping = 0; /* no later block is as small */
        free_room(set);
        set->ctx->keeping = keeping;
        *set = next;
    } else
        free_room(&next);
    return status;
}

/* Counts the items of a type among arms that have no slot yet, each once. */
static size_t new_items(const filters *set, int type, size_t n, const size_t *arm) {
    size_t found = 0, first;
    for (size_t i = 0; i < n; i++) {
        const tvgp__arm_entries at = tvgp__common_level_filters_find(set, arm[i]);
        if (at.item[type] == NONE || at.slot[type] != NONE)
            continue;
        for (first = 0; tvgp__common_level_filters_find(set, arm[first]).item[type] != at.item[type]; first++)
            ;
        found += first == i;
    }
    return found;
}

tvgp_status tvgp__common_level_filters_reserve(filters *set, size_t n, const size_t *arm) {
    const size_t pairs = smaller(new_items(set, PAIR, n, arm), set->items.pairs - set->pairs);
    return make_room(set, (extent){.arms = set->n.arms + new_items(set, ARM, n, arm),
                                   .others = set->n.others + new_items(set, CONTEXT, n, arm) + pairs});
}

tvgp_status tvgp__common_level_filters_copy(const filters *from, filters *to) {
    TVGP__TRY(make_room(to, from->n));
    copy_all(from, to);
    return TVGP_OK;
}

void tvgp__common_level_filters_reset(filters *set) {
    for (size_t s = 0; s < slots(set); s++)
        set->slot[set->item[s]] = 0;
    set->n = (extent){0};
    set->pairs = 0;
    if (set->block)
        memset(set->block, 0, vectors(set, set->room) * sizeof *set->block);
    for (size_t j = 0; j < set->count; j++) {
        set->filter[j].order = set->filter[j].fresh = 0;
        set->filter[j].fade[0] = set->filter[j].fade[1] = 1;
    }
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_filter(filter *f, extent n, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    const size_t d = order_of(f, n);
    tvgp__visit_reals(v, d, f->mean, -most, most);
    tvgp__visit_reals(v, d, f->level, -most, most);
    tvgp__visit_reals(v, d, f->own, -most, most);
    if (f->next)
        tvgp__visit_reals(v, d, f->next, -most, most);
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

/* One slot: its item, and of pairs when it was observed. */
static void visit_slot(filters *set, extent n, size_t slot, tvgp__visit *v) {
    size_t item = tvgp__visit_loads(v) ? 0 : set->item[slot], used = tvgp__visit_loads(v) ? 0 : set->used[slot];
    tvgp__visit_indices(v, 1, &item, first_item(&set->items, TYPES));
    if (!tvgp__visit_fine(v))
        return;
    const int type = type_of(&set->items, item);
    if (type == PAIR)
        tvgp__visit_tally_size(v, &used);
    if (!tvgp__visit_loads(v))
        return;
    if (set->slot[item] || (type == ARM ? set->n.arms == n.arms : set->n.others == n.others) ||
        (type == PAIR && set->pairs == set->items.pairs)) {
        tvgp__visit_refuse(v, "an arm is observed twice");
        return;
    }
    append(set, type, item);
    set->used[slot] = used;
}

void tvgp__common_level_filters_visit(filters *set, tvgp__visit *v) {
    extent n = set->n;
    const size_t bytes = set->count * 3 * sizeof(double);
    tvgp__visit_count(v, &n.arms, set->items.actions, bytes);
    tvgp__visit_count(v, &n.others, others_most(set), sizeof(uint32_t));
    if (tvgp__visit_loads(v)) {
        tvgp__common_level_filters_reset(set);
        tvgp__visit_try(v, make_room(set, n));
    }
    for (size_t s = 0; tvgp__visit_fine(v) && s < n.arms + n.others; s++)
        visit_slot(set, n, s, v);
    for (size_t j = 0; n.arms && tvgp__visit_fine(v) && j < set->count; j++)
        visit_filter(&set->filter[j], n, v);
}
