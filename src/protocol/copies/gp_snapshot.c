/* SPDX-License-Identifier: MIT */
/* Snapshots of a tvgp_gp: kernels, prior mean, observations and their Cholesky factor, in one section GPRO of the frame of
 * base/section (protocol/copies/gp_snapshot.h). */
#include "protocol/copies/gp_snapshot.h"

#include "base/error.h"
#include "base/section.h"
#include "base/valid_range.h"
#include "space/kernel/kernel_visit.h"

#define GPRO TVGP__SECTION_TAG('G', 'P', 'R', 'O')

static void visit_kernels(tvgp__visit *v, tvgp_kernel **space, tvgp_kernel **time) {
    int timed = *time != NULL;
    tvgp__kernel_visit(v, space);
    tvgp__visit_flag(v, &timed);
    if (timed && tvgp__visit_fine(v))
        tvgp__kernel_visit(v, time);
    if (tvgp__visit_loads(v) && timed && (*time)->dim != 1)
        tvgp__visit_refuse(v, "the kernel over time has more than one dimension");
}

static void visit_prior(tvgp_gp *gp, tvgp__visit *v) {
    const double most = TVGP__VALID_RANGE_MOST;
    const size_t dim = gp->space->dim;
    int sloped = gp->slope != NULL;
    tvgp__visit_real(v, &gp->noise, 0, most);
    tvgp__visit_real(v, &gp->intercept, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_flag(v, &sloped);
    if (!sloped || !tvgp__visit_fine(v))
        return;
    tvgp__visit_room(v, dim, sizeof *gp->slope, &gp->slope);
    tvgp__visit_reals(v, dim, gp->slope, -most, most);
}

static void visit_rows(tvgp_gp *gp, tvgp__visit *v) {
    const double most = TVGP__VALID_RANGE_MOST;
    tvgp__cholesky_rows *r = &gp->rows;
    size_t n = r->factor.n;
    tvgp__visit_count(v, &n, INT32_MAX, sizeof *r->z);
    if (tvgp__visit_loads(v) && n && (n + 1) / 2 > (v->end - v->at) / sizeof *r->z / n)
        tvgp__visit_refuse(v, "there are more rows than bytes for them");
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__cholesky_rows_reserve(r, n)))
        r->factor.n = n;
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_reals(v, n * r->dim, r->X, -most, most);
    tvgp__visit_reals(v, n, r->t, -most, most);
    tvgp__visit_reals(v, n, r->y, -most, most);
    tvgp__visit_reals(v, n, r->noise, 0, most);
    tvgp__visit_reals(v, n, r->z, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_tally_size(v, &r->factor.jitter);
    tvgp__visit_triangle(v, n, r->factor.L, r->factor.capacity);
}

/* What the kernels and the factor require of numbers that were read. */
static void check_rows(const tvgp_gp *gp, tvgp__visit *v) {
    const tvgp__cholesky_rows *r = &gp->rows;
    for (size_t i = 0; tvgp__visit_fine(v) && i < r->factor.n; i++)
        if (!(tvgp__cholesky_rows_pivot(r, i) > 0))
            tvgp__visit_refuse(v, "a pivot is not positive");
    if (tvgp__visit_fine(v) && r->factor.n)
        tvgp__visit_made(v, tvgp__kernel_check(gp->space, v->ctx, "X", r->factor.n, r->X),
                         "the kernel is not defined there");
    if (tvgp__visit_fine(v) && r->factor.n && gp->time)
        tvgp__visit_made(v, tvgp__kernel_check(gp->time, v->ctx, "t", r->factor.n, r->t), "the kernel is not defined there");
}

static void write(tvgp_gp *gp, tvgp__visit *v) {
    tvgp__section_open(v);
    const size_t start = tvgp__section_begin(v);
    visit_kernels(v, &gp->space, &gp->time);
    visit_prior(gp, v);
    visit_rows(gp, v);
    tvgp__section_end(v, start, GPRO, TVGP__SECTION_REQUIRED);
    tvgp__section_close(v, 0, 1, TVGP__SECTION_WHOLE);
}

tvgp_status tvgp__gp_snapshot_save(tvgp_gp *gp, void *buffer, size_t capacity, size_t *needed) {
    tvgp__visit v = {.ctx = gp->ctx, .purpose = TVGP__VISIT_SIZE, .whole = 1};
    if (buffer)
        v = (tvgp__visit){.ctx = gp->ctx, .purpose = TVGP__VISIT_SAVE, .whole = 1, .out = buffer, .end = capacity};
    write(gp, &v);
    TVGP__TRY(v.status);
    *needed = v.at;
    if (buffer && capacity < v.at)
        return tvgp__error_set(gp->ctx, TVGP_ERR_BUFFER, "the snapshot has %zu bytes, capacity = %zu", v.at, capacity);
    return TVGP_OK;
}

/* The kernels are released by the caller. */
static void read(tvgp__visit *v, tvgp_kernel **space, tvgp_kernel **time, tvgp_gp **out) {
    visit_kernels(v, space, time);
    if (!tvgp__visit_fine(v) || !tvgp__visit_try(v, tvgp__dense_gp_new(v->ctx, *space, *time, 0, out)))
        return;
    visit_prior(*out, v);
    visit_rows(*out, v);
    check_rows(*out, v);
    tvgp__section_leave(v);
}

tvgp_status tvgp__gp_snapshot_restore(tvgp_ctx *ctx, const void *bytes, size_t n, tvgp_gp **out) {
    const uint32_t known[] = {GPRO};
    tvgp__sections s;
    tvgp_kernel *space = NULL, *time = NULL;
    tvgp_gp *gp = NULL;
    TVGP__TRY(tvgp__section_index(ctx, bytes, n, known, 1, &s));
    const tvgp__section *section = tvgp__section_find(&s, GPRO);
    if (!section)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section GPRO, byte %d: it is missing", (int)TVGP__SECTION_HEADER);
    tvgp__visit v = {.ctx = ctx, .purpose = TVGP__VISIT_LOAD, .version = s.version, .in = bytes};
    tvgp__section_enter(&v, section);
    read(&v, &space, &time, &gp);
    tvgp__kernel_release(space);
    tvgp__kernel_release(time);
    if (v.status == TVGP_OK)
        *out = gp;
    else if (gp)
        tvgp__dense_gp_free(gp);
    return v.status;
}
