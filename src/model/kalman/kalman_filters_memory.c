/* SPDX-License-Identifier: MIT */
/* Memory of the filters (model/kalman/kalman_filter.h): one block for the parts every filter has, one for the cores, and the
 * address of each part. The columns U, three quarters of the first block, come last. Like the cores, they are never read
 * before they are written, so a first ask touches none of their pages. (With inducing points they grow, and the rest of
 * each must be zero.) */
#include "model/kalman/kalman_filters.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Of each filter, without its columns U. */
static size_t per_filter(const tvgp__kalman_filters *set, size_t r) {
    return (set->constants ? 7 : 5) * set->basis.n + 2 * r + 4 * set->priors + (set->basis.n ? 0 : 2 * r);
}

/* Covariances with the constant for filters without one: zeros that all of them share. */
static size_t no_constant(const tvgp__kalman_filters *set) {
    return set->constants ? 0 : 2 * set->basis.n;
}

static size_t columns(const tvgp__kalman_filters *set, size_t r) {
    return set->count * 2 * r * tvgp__kalman_filter_room(set, r);
}

static size_t products(const tvgp__kalman_filters *set) {
    return set->priors > 1 ? set->priors + 1 : 1;
}

/* Products that a core keeps: where they are cheap, or of no arms, the one in use. */
static size_t kept(const tvgp__kalman_filters *set, size_t r) {
    return set->basis.n && r > TVGP__KALMAN_FILTER_SMALL ? TVGP__KALMAN_CORE_KEPT : 1;
}

/* Numbers that seasons need in addition: once for all filters, and once for each filter with a season. */
static size_t for_season(const tvgp__kalman_filters *set, size_t r) {
    const size_t states = set->season_states, size = states * r;
    return set->seasons ? 2 * states + size + 3 * r + 2 * r * r +
                              set->seasons * size * (2 * (tvgp__kalman_filter_room(set, size) + 1) + 3)
                        : 0;
}

/* Numbers in set->block. */
static size_t block_size(const tvgp__kalman_filters *set, size_t r) {
    size_t n = set->basis.n;
    return 2 * (set->priors * (n + 2) + set->count) + (products(set) + 1) * r +
           set->count * (2 * (r + n) + per_filter(set, r)) + (set->ones + 4 * set->twos) * r * kept(set, r) +
           for_season(set, r) + (n ? 0 : r * r) + no_constant(set) + columns(set, r);
}

static size_t core_room(const tvgp__kalman_filters *set, size_t r) {
    return tvgp__kalman_core_room(r, set->ones, set->twos) + tvgp__kalman_core_room(set->season_states * r, set->seasons, 0);
}

double tvgp__kalman_filters_bytes(const tvgp__kalman_filters *set, size_t r) {
    double rank = (double)r, n = (double)set->basis.n, square = rank * rank,
           kernels = set->priors > 1 ? (double)set->priors : 0;
    double numbers = (double)block_size(set, r) + (double)core_room(set, r) + (kernels + 1) * square + n * rank;
    return 8 * numbers + (double)(set->count * (sizeof *set->filter + 2 * sizeof *set->cores));
}

int tvgp__kalman_filters_seasonal(const tvgp__kalman_filters_spec *spec, size_t i) {
    return spec->season.n_periods && i < spec->kinds && i % spec->every >= spec->every - spec->seasonal;
}

static double *share_out(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, double *next) {
    const size_t r = set->basis.r, states = set->season_states;
    if (!set->seasons)
        return next;
    set->then.now = next;
    set->then.h = set->then.now + states;
    set->then.x = set->then.h + states;
    set->then.mean = set->then.x + set->size;
    set->then.cross = set->then.mean + r;
    set->then.phi = set->then.cross + r;
    set->then.R = set->then.phi + r;
    set->then.work = set->then.R + r * r;
    next = set->then.work + r * r;
    for (size_t i = 0; i < set->count; i++) {
        tvgp__kalman_filter *f = &set->filter[i];
        if (!tvgp__kalman_filters_seasonal(spec, i))
            continue;
        f->pk = next; /* instead of the columns of r */
        f->U = f->pk + 2 * set->size;
        f->w = f->U + 2 * set->size * tvgp__kalman_filter_room(set, set->size);
        next = f->w + 2 * set->size; /* the second is for columns */
    }
    return next;
}

tvgp_status tvgp__kalman_filters_allocate(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec) {
    size_t r = set->basis.r, cores = set->ones + set->twos + set->seasons;
    TVGP__TRY(tvgp__memory_alloc(set->ctx, set->count, sizeof *set->filter, &set->filter));
    TVGP__TRY(tvgp__memory_alloc(set->ctx, cores, sizeof *set->cores, &set->cores));
    if (set->priors > 1)
        TVGP__TRY(tvgp__memory_alloc(set->ctx, set->priors, tvgp__memory_product(r, r * sizeof *set->C), &set->C));
    TVGP__TRY(tvgp__memory_stretch(set->ctx, core_room(set, r), sizeof *set->R, 0, &set->R)); /* written when it is taken */
    TVGP__TRY(tvgp__memory_stretch(set->ctx, block_size(set, r), sizeof *set->block, 0, &set->block));
    set->room = r;
    tvgp__kalman_filters_lay_out(set, spec);
    memset(set->block, 0, (block_size(set, r) - (set->basis.n ? columns(set, r) : 0)) * sizeof *set->block);
    return TVGP_OK;
}

void tvgp__kalman_filters_lay_out(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec) {
    size_t n = set->basis.n, r = set->basis.r, cores = set->ones + set->twos;
    set->variance = set->block;
    set->mean = set->variance + set->priors * n;
    set->constant = set->mean + set->priors * n;
    set->rest = set->constant + set->priors;
    set->at = set->rest + set->priors;
    set->phi = set->at + 2 * (set->priors + set->count);
    set->sum = set->phi + products(set) * r;
    set->c = set->sum + r;
    set->G = set->c + 2 * set->count * r;
    double *zeros = set->G + 2 * set->count * n, *next = zeros + no_constant(set);
    for (size_t i = 0; i < set->count; i++, next += per_filter(set, r)) {
        tvgp__kalman_filter *f = &set->filter[i];
        f->m = set->at + 2 * (set->priors + i);
        f->mean = next;
        f->var = f->mean + 2 * n;
        f->fk = set->constants ? f->var + 3 * n : zeros;
        f->pk = f->var + (set->constants ? 5 : 3) * n;
        f->E = f->pk + 2 * r;
        f->omega = f->E + 4 * set->priors;
    }
    next = share_out(set, spec, next);
    tvgp__kalman_core_lay_out(set->R, r, set->ones, set->twos, set->cores);
    tvgp__kalman_core_lay_out(set->R + tvgp__kalman_core_room(r, set->ones, set->twos), set->size, set->seasons, 0,
                              set->cores + cores);
    for (size_t i = 0; i < cores + set->seasons; i++) {
        set->cores[i].kept = next;
        set->cores[i].slots = i < cores ? kept(set, r) : 1;
        next += i < set->ones ? r * kept(set, r) : i < cores ? 4 * r * kept(set, r) : set->size;
    }
    set->square = next;
    next += n ? 0 : r * r;
    for (size_t i = 0; i < set->count; i++, next += 2 * r * tvgp__kalman_filter_room(set, r))
        if (!set->filter[i].w)
            set->filter[i].U = next;
}
