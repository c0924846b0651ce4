/* SPDX-License-Identifier: MIT */
/* Creates a set of filters, and computes the columns of all of them at once. */
#include "model/kalman/kalman_filters.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "model/kalman/kalman_season.h"
#include "space/domain/domain_ops.h"

#include <math.h>
#include <string.h>

/* FIRST: pivots after which the rank is predicted. WHOLE: arms of which the whole Gram matrix is work for one ask. */
enum { FRESH = TVGP__KALMAN_FILTER_FRESH, FIRST = 128, WHOLE = 512 };

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The basis is there twice for a moment, before the filters are. */
static tvgp_status check_limit(const tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, size_t r) {
    double needed = fmax(tvgp__kalman_filters_bytes(set, r), 16.0 * (double)set->basis.n * (double)r);
    if (spec->limit > 0 && needed > (double)spec->limit)
        return tvgp__error_set(set->ctx, TVGP_ERR_LIMIT,
                               "memory.limit = %lld: %zu arms of rank %zu or more and %zu filters need %.4g bytes or more",
                               (long long)spec->limit, set->basis.n, r, set->count, needed);
    return TVGP_OK;
}

/* Where it is much, while little of it has been done: a basis of rank r by n r^2 flops, and a step's columns and cores at some
 * 5e9 flops a second. */
static void estimate(const tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, double rank) {
    double n = (double)set->basis.n, states = (double)(set->count + set->twos), square = rank * rank;
    double start = n * square / 5e9;
    double step = (2 * n * rank * states + 2 * square * (double)(set->count + 3 * set->twos)) / 5e9;
    step += 3 * (double)(set->seasons * set->season_states * set->season_states) * square / 5e9;
    double bytes = tvgp__kalman_filters_bytes(set, (size_t)rank);
    if (spec->name && (bytes > 64e6 || start > 0.2 || step > 5e-3))
        tvgp__context_log(set->ctx,
                          "%s: %zu arms of rank about %.0f, %zu filters: some %.2g MB, %.2g s to start, %.2g ms a step",
                          spec->name, set->basis.n, rank, set->count, 1e-6 * bytes, start, 1e3 * step);
}

/* The rank that a search will end at, as far as is known. */
static double expected(const tvgp__basis_search *s) {
    const double at_least = fmax((double)s->limit, (double)s->basis.r);
    return s->limit && s->basis.r < s->limit ? fmin(s->outlook, at_least) : s->outlook;
}

/* Begins the search, or goes on with it: the kernels are the same, but not the objects. */
static void open_search(const tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, double tolerance,
                        size_t usual, tvgp__basis_search *s) {
    if (s->residual) {
        s->kernels = spec->kernels;
        s->X = spec->X;
        return;
    }
    *s = tvgp__basis_search_of(set->ctx, set->priors, spec->kernels, set->basis.n, spec->X, tolerance);
    s->basis.shard = set->basis.shard;
    s->limit = set->priors > 1 || !(spec->rule.tolerance > 0) ? 0 : spec->rule.limit;
    s->coarse = tvgp__basis_coarse(set->largest);
    s->usual = usual;
}

/* Searches with as little memory as the rank needs; from the whole Gram matrix when the rank is a good part of the arms.
 * AGAIN: there are `most` pivots. */
static tvgp_status find_rank(const tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, size_t most,
                             tvgp__basis_search *s) {
    const size_t arms = tvgp__shard_total(set->basis.shard, set->basis.n);
    const double n = (double)set->basis.n;
    int whole = 0;
    TVGP__TRY(check_limit(set, spec, 1));
    for (size_t rank = FIRST; !s->complete && !whole && (rank == FIRST || rank / 2 < arms); rank *= 2) {
        const size_t before = s->basis.r;
        TVGP__TRY(check_limit(set, spec, before + 1));
        TVGP__TRY(tvgp__basis_search_on(s, rank < most ? rank : most));
        if (most < rank && !s->complete)
            return TVGP_AGAIN;
        whole = !set->basis.shard && expected(s) > n / 4 && arms <= WHOLE &&
                24 * n * n < (spec->limit > 0 ? (double)spec->limit : tvgp__kalman_filters_bytes(set, (size_t)n));
        if (rank == FIRST && (s->complete || before < FIRST))
            estimate(set, spec, s->complete ? (double)s->basis.r : fmin(fmax(expected(s), (double)rank), n));
    }
    if (s->complete)
        return TVGP_OK;
    return set->basis.shard ? tvgp__shard_refuse(set->basis.shard) : tvgp__basis_search_whole(s);
}

static tvgp_status new_basis(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, double tolerance) {
    tvgp__basis_progress own = {.pivots = SIZE_MAX}, *progress = spec->progress ? spec->progress : &own;
    tvgp__basis_search *s = &progress->search;
    open_search(set, spec, tolerance, progress->usual, s);
    tvgp_status status = find_rank(set, spec, progress->pivots, s);
    if (status == TVGP_AGAIN)
        return status;
    if (status == TVGP_OK)
        status = tvgp__basis_of(s, &set->basis);
    if (status == TVGP_OK && s->limit && s->tolerance >= s->coarse && spec->name)
        tvgp__context_log(set->ctx,
                          "%s: rank.limit = %zu: up to %.2g of an arm's variance counts as noise of its observations",
                          spec->name, s->limit, s->tolerance);
    set->left = s->tolerance > tvgp__basis_tolerance(set->largest, spec->noise) ? s->tolerance : 0;
    tvgp__basis_search_end(s);
    return status == TVGP_OK ? check_limit(set, spec, set->basis.r) : status;
}

/* C_p = L^-1 K_p[pivots, pivots] L^-T. */
static tvgp_status prior_cores(tvgp__kalman_filters *set, const tvgp_kernel *const *kernels, const double *X) {
    const tvgp__basis *b = &set->basis;
    size_t r = b->r, dim = kernels[0]->dim;
    double *points = NULL;
    TVGP__TRY(tvgp__memory_alloc(set->ctx, r + 1, dim * sizeof *points, &points));
    tvgp__basis_points(b, dim, X, points);
    tvgp_status status = TVGP_OK;
    for (size_t p = 0; status == TVGP_OK && p < set->priors; p++) {
        double *C = set->C + p * r * r;
        status = tvgp__kernel_block(kernels[p], r, points, r, points, C, r);
        for (int side = 0; status == TVGP_OK && side < 2; side++) {
            tvgp__blas_trsm(TVGP__NO_TRANS, r, r, b->L, r, C, r);
            for (size_t j = 0; j < r; j++)
                for (size_t i = j + 1; i < r; i++) {
                    double upper = C[i * r + j];
                    C[i * r + j] = C[j * r + i];
                    C[j * r + i] = upper;
                }
        }
    }
    tvgp__memory_free(set->ctx, points);
    return status;
}

/* Variances, means and constants, which are kept; `variance` is priors x n. */
static void fill_priors(tvgp__kalman_filters *set, const tvgp__kalman_filters_spec *spec, const double *variance) {
    size_t n = set->basis.n;
    const double arms = (double)tvgp__shard_total(set->basis.shard, n);
    double most = 0;
    memcpy(set->variance, variance, set->priors * n * sizeof *variance);
    for (size_t p = 0; p < set->priors; p++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += variance[p * n + i] / arms;
        set->constant[p] = fmin(spec->constant * tvgp__shard_sum(set->basis.shard, sum), TVGP__VALID_RANGE_MOST);
        most = fmax(most, set->constant[p]);
        if (spec->means[p])
            memcpy(set->mean + p * n, spec->means[p], n * sizeof *set->mean);
    }
    set->largest += most;
}

tvgp_status tvgp__kalman_filters_new(tvgp_ctx *ctx, const tvgp__kalman_filters_spec *spec, tvgp__kalman_filters *out) {
    size_t n = spec->n, priors = spec->priors, count = spec->ones + spec->twos;
    tvgp__kalman_filters set = {.ctx = ctx,
                                .updates = 1,
                                .priors = priors,
                                .count = count,
                                .ones = count,
                                .twos = spec->twos,
                                .constants = spec->constant > 0,
                                .basis = {.ctx = ctx, .n = n, .shard = spec->domain ? spec->domain->shard : NULL}};
    double *variance = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, priors, n * sizeof *variance, &variance));
    tvgp_status status = TVGP_OK;
    set.season = spec->season;
    set.season_states = tvgp__season_states(&spec->season);
    for (size_t i = 0; i < count; i++)
        set.seasons += (size_t)tvgp__kalman_filters_seasonal(spec, i);
    for (size_t p = 0; status == TVGP_OK && p < priors; p++)
        status = tvgp__kernel_diag(spec->kernels[p], n, spec->X, variance + p * n);
    for (size_t i = 0; i < priors * n; i++)
        set.largest = fmax(set.largest, variance[i]);
    set.largest = fmax(set.largest, TVGP__VALID_RANGE_LEAST); /* products may be smaller */
    status = tvgp__shard_agree(set.basis.shard, status);
    if (status == TVGP_OK)
        set.largest = tvgp__shard_largest(set.basis.shard, set.largest);
    if (status == TVGP_OK)
        status = new_basis(&set, spec, tvgp__basis_leaves(&spec->rule, priors, set.largest, spec->noise));
    set.size = set.season_states * set.basis.r;
    if (status == TVGP_OK)
        status = tvgp__shard_agree(set.basis.shard, tvgp__kalman_filters_allocate(&set, spec));
    if (status == TVGP_OK) {
        fill_priors(&set, spec, variance);
        status = priors > 1 ? prior_cores(&set, spec->kernels, spec->X) : TVGP_OK;
    }
    tvgp__memory_free(ctx, variance);
    if (status != TVGP_OK)
        tvgp__kalman_filters_free(&set);
    else
        *out = set;
    return status;
}

void tvgp__kalman_filters_free(tvgp__kalman_filters *set) {
    if (!set->ctx)
        return;
    tvgp__memory_free(set->ctx, set->R);
    tvgp__memory_free(set->ctx, set->cores);
    tvgp__memory_free(set->ctx, set->filter);
    tvgp__memory_free(set->ctx, set->block);
    tvgp__memory_free(set->ctx, set->C);
    tvgp__basis_free(&set->basis);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* c -= (N x I) R (N'h x phi) */
static void subtract_core(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, const double *phi) {
    size_t r = tvgp__kalman_filter_rank(set, f);
    tvgp__kalman_core_multiply(f->core, r, phi, set->arm);
    double q[2] = {f->N[0][0] * f->h[0] + f->N[1][0] * f->h[1], f->N[0][1] * f->h[0] + f->N[1][1] * f->h[1]};
    for (size_t s = 0; s < f->states; s++) {
        double to_f = f->N[s][0], to_u = f->N[s][1];
        tvgp__blas_axpy(r, -to_f * q[0], f->core->z, f->c[s]);
        if (f->core->states == 1)
            continue;
        tvgp__blas_axpy(r, -to_u * q[0], f->core->z + r, f->c[s]);
        tvgp__blas_axpy(r, -to_f * q[1], f->core->z + 2 * r, f->c[s]);
        tvgp__blas_axpy(r, -to_u * q[1], f->core->z + 3 * r, f->c[s]);
    }
}

/* c -= U U' (h x phi) */
static void subtract_fresh(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, const double *phi) {
    size_t r = tvgp__kalman_filter_rank(set, f);
    double t[FRESH] = {0};
    if (!f->fresh)
        return;
    for (size_t s = 0; s < f->states; s++)
        tvgp__blas_gemv(TVGP__TRANS, r, f->fresh, f->h[s], f->U + s * r, 2 * r, phi, 1, t);
    for (size_t s = 0; s < f->states; s++)
        tvgp__blas_gemv(TVGP__NO_TRANS, r, f->fresh, -1, f->U + s * r, 2 * r, t, 1, f->c[s]);
}

/* Kernel variances, prior means, means of all filters and features at an arm, -infinity where another rank has it; how many
 * they are. */
static size_t write_seen(const tvgp__kalman_filters *set, size_t arm, double *out) {
    const tvgp__basis *b = &set->basis;
    const size_t n = b->n;
    const double *first = out;
    for (size_t p = 0; p < set->priors; p++) {
        *out++ = tvgp__shard_entry(b->shard, set->variance + p * n, arm);
        *out++ = tvgp__shard_entry(b->shard, set->mean + p * n, arm);
    }
    for (size_t i = 0; i < set->count; i++)
        for (size_t s = 0; s < 2; s++)
            *out++ = tvgp__shard_entry(b->shard, tvgp__kalman_filter_state(&set->filter[i])->mean + s * n, arm);
    for (size_t j = 0; j < b->r; j++)
        *out++ = tvgp__shard_entry(b->shard, b->Phi + j * n, arm);
    return (size_t)(out - first);
}

void tvgp__kalman_filters_look(tvgp__kalman_filters *set, size_t arm) {
    const size_t r = set->basis.r;
    tvgp__shard_give(set->basis.shard, arm, set->at, write_seen(set, arm, set->at));
    set->arm = arm;
    for (size_t p = 0; set->priors > 1 && p < set->priors; p++)
        tvgp__blas_symv(r, 1, set->C + p * r * r, r, set->phi, 0, set->phi + (p + 1) * r);
    for (size_t p = 0; set->left > 0 && p < set->priors; p++)
        set->rest[p] =
            fmax(set->at[2 * p] - tvgp__blas_dot(r, set->phi, set->priors > 1 ? set->phi + (p + 1) * r : set->phi), 0);
}

/* Adds P (h x phi) to c, which is zero. */
static void column_of(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, const double *phi) {
    const size_t r = tvgp__kalman_filter_rank(set, f);
    for (size_t p = 0; p < set->priors; p++)
        for (size_t s = 0; s < f->states; s++) {
            const double *E = f->E + 4 * p + 2 * s;
            double share = E[0] * f->h[0] + (f->states == 2 ? E[1] * f->h[1] : 0);
            tvgp__blas_axpy(r, share, set->priors > 1 ? set->phi + (p + 1) * r : phi, f->c[s]);
        }
    f->g_k = f->kk;
    for (size_t s = 0; s < f->states && set->constants; s++) {
        tvgp__blas_axpy(r, 1, f->pk + s * r, f->c[s]);
        f->g_k += f->h[s] * tvgp__blas_dot(r, f->pk + s * r, phi);
    }
    if (f->core)
        subtract_core(set, f, phi);
    subtract_fresh(set, f, phi);
}

static void column_of_twin(tvgp__kalman_filter *f) {
    const tvgp__kalman_filter *lender = f->lender;
    for (size_t s = 0; s < f->states; s++) {
        f->h[s] = lender->h[s];
        f->own[s] = lender->own[s];
    }
    f->g_k = lender->g_k;
    f->seen_mean = lender->seen_mean;
    f->seen_var = lender->seen_var;
}

/* Where the columns of a filter stand among those of all, in weights. */
static double *column_in(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    return set->c + 2 * (size_t)(f - set->filter) * set->basis.r;
}

void tvgp__kalman_filters_columns(tvgp__kalman_filters *set, size_t n, tvgp__kalman_filter *const *list, double age) {
    if (set->seasons)
        tvgp__kalman_season_arm(set, age);
    for (size_t i = set->basis.n ? set->ones + set->twos : 0; i < set->ones + set->twos + set->seasons; i++)
        tvgp__kalman_core_forget(&set->cores[i]); /* without arms, and with a season, phi is another one each time */
    for (size_t i = 0; i < n; i++) {
        tvgp__kalman_filter *f = list[i];
        if (f->lender) {
            column_of_twin(f);
            continue;
        }
        tvgp__drift_transition back = tvgp__drift_transition_over(&f->drift, age);
        const size_t r = tvgp__kalman_filter_rank(set, f);
        for (size_t s = 0; s < f->states; s++) {
            f->h[s] = back.M[s][0];
            f->added = back.Q[0][0];
            f->c[s] = f->w ? f->w + r : column_in(set, f) + s * r;
            memset(f->c[s], 0, r * sizeof *f->c[s]);
        }
        column_of(set, f, f->w ? set->then.x : set->phi);
        if (f->w)
            tvgp__kalman_season_seen(set, f, column_in(set, f));
        for (size_t s = 0; s < f->states && !f->w; s++)
            f->own[s] = tvgp__blas_dot(r, f->c[s], set->phi);
    }
}

void tvgp__kalman_filters_spread(tvgp__kalman_filters *set, size_t n, tvgp__kalman_filter *const *list) {
    const size_t r = set->basis.r, arms = set->basis.n;
    size_t columns = 0;
    for (size_t i = 0; i < set->count; i++)
        set->filter[i].g[0] = NULL;
    for (size_t i = 0; i < n; i++)
        (list[i]->lender ? list[i]->lender : list[i])->g[0] = set->G;
    for (size_t i = 0; i < set->count; i++) {
        tvgp__kalman_filter *f = &set->filter[i];
        double *from = column_in(set, f);
        for (size_t s = 0; f->g[0] && s < f->states; s++, columns++) { /* closer together */
            double *to = set->c + columns * r;
            memmove(to, from + s * r, r * sizeof *to);
            f->c[s] = f->w ? f->c[s] : to;
            f->g[s] = set->G + columns * arms;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; list[i]->lender && s < list[i]->states; s++) {
            list[i]->c[s] = list[i]->lender->c[s];
            list[i]->g[s] = list[i]->lender->g[s];
        }
    if (arms)
        tvgp__loops_product(arms, columns, r, set->basis.Phi, arms, set->c, r, set->G, arms);
}
