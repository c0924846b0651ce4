/* SPDX-License-Identifier: MIT */
#include "belief/recursive.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/columns.h"
#include "gp/weights.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { FIRST_SEARCH = 64, PREDICT_BLOCK = 64 };

typedef struct {
    tvgp__belief base;
    tvgp__law law;
    double tolerance;      /* of the rank */
    tvgp__columns columns; /* records; with the weights form only where a late answer may need them */
    int in_weights;        /* which form R has */
    tvgp__weights weights;
    size_t next_search;         /* number of columns at which the rank is looked for next */
    double *work;               /* n: the column being made */
    tvgp__columns_record *late; /* workspace of a replay */
    size_t late_slots;
} recursive;

static int is_static(const recursive *p) {
    return p->law.kind == TVGP__LAW_STATIC || p->law.rate == 0;
}

/* Records serve off-arm predictions (columns form) and late answers (a law in which order matters). */
static int keeps_records(const recursive *p) {
    return !p->in_weights || !is_static(p);
}

/* ---- change of form --------------------------------------------------------------------------------------------- */

static tvgp_status absorb_columns(recursive *p, tvgp__weights *w) {
    tvgp__columns *c = &p->columns;
    double *U = NULL, *D = NULL, *G = NULL;
    tvgp_status status = tvgp__memory_alloc(p->base.ctx, c->count + 1, (w->basis.r + 1) * sizeof *U, &U);
    if (status < 0)
        return status;
    D = U + (c->count + 1) * w->basis.r;
    for (size_t k = 0; k < c->count; k++)
        D[k] = tvgp__columns_weight(c, k);
    size_t head = c->slots - c->first < c->count ? c->slots - c->first : c->count;
    if (head == c->count) {
        tvgp__weights_absorb(w, c->count, c->G + c->first * c->n, D, U);
    } else { /* a wrapped ring is made straight first */
        status = tvgp__memory_alloc(p->base.ctx, c->count, c->n * sizeof *G, &G);
        for (size_t k = 0; status == TVGP_OK && k < c->count; k++)
            memcpy(G + k * c->n, c->G + tvgp__columns_slot(c, k) * c->n, c->n * sizeof *G);
        if (status == TVGP_OK)
            tvgp__weights_absorb(w, c->count, G, D, U);
        tvgp__memory_free(p->base.ctx, G);
    }
    tvgp__memory_free(p->base.ctx, U);
    return status;
}

/* Changes to weights when the rank allows. Running out of memory here only means staying with columns. */
static void search_rank(recursive *p, size_t observations) {
    tvgp__weights w;
    p->next_search = 2 * observations;
    if (tvgp__weights_new(p->base.ctx, p->base.kernel, p->base.n, p->base.X, p->tolerance, observations / 2, &w) != 1)
        return;
    if (absorb_columns(p, &w) < 0) {
        tvgp__weights_free(&w);
        return;
    }
    p->weights = w;
    p->in_weights = 1;
    p->base.rank = w.basis.r;
    tvgp__memory_free(p->base.ctx, p->columns.G);
    p->columns.G = NULL;
    if (!keeps_records(p))
        tvgp__columns_clear(&p->columns);
}

static tvgp_status reserve(tvgp__belief *base, size_t n) {
    recursive *p = (recursive *)base;
    size_t live = p->columns.count - p->columns.faded;
    if (!p->in_weights && live + n >= p->next_search)
        search_rank(p, live + n);
    if (!is_static(p) && p->columns.count + n > p->late_slots) {
        size_t slots = p->late_slots;
        TVGP__TRY(tvgp__memory_reserve(base->ctx, p->columns.count + n, sizeof *p->late, &p->late, &slots));
        p->late_slots = slots;
    }
    return keeps_records(p) ? tvgp__columns_reserve(&p->columns, n, !p->in_weights) : TVGP_OK;
}

/* ---- time and observations in order ----------------------------------------------------------------------------- */

/* Moves to time t, also backwards (which inverts the step as long as m is not 0). */
static void move(recursive *p, double t) {
    tvgp__belief *b = &p->base;
    if (t == b->now)
        return;
    tvgp__law_step step = tvgp__law_between(&p->law, b->now, t);
    double m2 = step.m * step.m;
    b->now = t;
    if (step.m != 1 || step.q != 0)
        for (size_t i = 0; i < b->n; i++) {
            b->mean[i] *= step.m;
            b->var[i] = m2 * b->var[i] + step.q * b->prior[i];
        }
    if (step.m == 1)
        return;
    tvgp__columns_decay(&p->columns, m2);
    if (p->in_weights)
        tvgp__weights_decay(&p->weights, m2);
}

static void advance(tvgp__belief *base, double t) {
    if (base->now == -INFINITY) {
        base->now = t;
        tvgp__belief_prior(base, tvgp__law_kappa(&((recursive *)base)->law, t));
    } else {
        move((recursive *)base, t);
    }
    const recursive *p = (const recursive *)base;
    base->rank = p->in_weights ? p->weights.basis.r : p->columns.count - p->columns.faded;
}

static void column(tvgp__belief *base, size_t arm, double *out) {
    recursive *p = (recursive *)base;
    double kappa = tvgp__law_kappa(&p->law, base->now);
    if (p->in_weights) {
        tvgp__weights_column(&p->weights, arm, kappa, out);
        return;
    }
    size_t dim = base->kernel->dim;
    (void)tvgp__kernel_block(base->kernel, 1, base->X + arm * dim, base->n, base->X, out, base->n);
    if (kappa != 1)
        for (size_t i = 0; i < base->n; i++)
            out[i] *= kappa;
    tvgp__columns_subtract(&p->columns, arm, out);
}

/* Conditions on one observation at `now`; record, when kept, is already in its place and its column is written beside it. */
static void condition(recursive *p, size_t arm, double y, double noise, tvgp__columns_record *record) {
    tvgp__belief *b = &p->base;
    double *g = p->work, evidence = b->log_evidence, information = b->log_det_ratio, e;
    column(b, arm, g);
    double s = tvgp__belief_condition(b, arm, y, noise, g, &e);
    if (p->in_weights)
        tvgp__weights_observe(&p->weights, s);
    else
        memcpy(p->columns.G + (size_t)(record - p->columns.records) * b->n, g, b->n * sizeof *g);
    if (!record)
        return;
    p->columns.decay[record - p->columns.records] = 1;
    *record = (tvgp__columns_record){.arm = arm,
                                     .t = b->now,
                                     .y = y,
                                     .noise = noise,
                                     .s = s,
                                     .e = e,
                                     .evidence = b->log_evidence - evidence,
                                     .information = b->log_det_ratio - information};
}

/* The newest record, its column not yet part of R. */
static void append(recursive *p, size_t arm, double y, double noise) {
    if (!keeps_records(p)) {
        condition(p, arm, y, noise, NULL);
        return;
    }
    tvgp__columns *c = &p->columns;
    tvgp__columns_record *record = &c->records[tvgp__columns_slot(c, c->count)];
    condition(p, arm, y, noise, record);
    c->count++;
}

/* ---- late observations ------------------------------------------------------------------------------------------ */

/* Takes the newest observation back: the state is then as it was just before it, at its time. */
static void take_back(recursive *p) {
    tvgp__belief *b = &p->base;
    const tvgp__columns_record *last = tvgp__columns_at(&p->columns, p->columns.count - 1);
    move(p, last->t);
    const double *g = p->work;
    if (p->in_weights)
        tvgp__weights_take_back(&p->weights, p->work);
    else
        g = p->columns.G + (size_t)(last - p->columns.records) * b->n;
    double gain = last->e / sqrt(last->s);
    for (size_t i = 0; i < b->n; i++) {
        b->mean[i] -= gain * g[i];
        b->var[i] += g[i] * g[i];
    }
    b->log_evidence -= last->evidence;
    b->log_det_ratio -= last->information;
    b->observations--;
    p->columns.count--;
}

/* A repeated observation that nothing came before keeps its share of the evidence: it may rest on records dropped since. */
static void keep_evidence(recursive *p, const tvgp__columns_record *before) {
    tvgp__columns_record *record = tvgp__columns_at(&p->columns, p->columns.count - 1);
    p->base.log_evidence += before->evidence - record->evidence;
    p->base.log_det_ratio += before->information - record->information;
    record->evidence = before->evidence;
    record->information = before->information;
}

/* An observation of the past, in a law where order matters: the later ones are taken back (or, when they are many or long
 * ago, everything is started again), and repeated after it. Exact; `back` columns, or all live ones. */
static void observe_late(recursive *p, size_t arm, double t, double y, double noise) {
    tvgp__columns *c = &p->columns;
    tvgp__belief *b = &p->base;
    double now = b->now;
    tvgp__law_step step = tvgp__law_between(&p->law, t, now);
    if (step.m < 0x1p-53)
        return; /* what it says about the present is below round-off */
    size_t keep = c->count;
    while (keep && tvgp__columns_at(c, keep - 1)->t > t)
        keep--;
    size_t back = c->count - keep;
    int cheap = back <= TVGP__WEIGHTS_UNDO && step.m > 0.1 && (!p->in_weights || back <= p->weights.undoable);
    if (!cheap) {
        keep = 0;
        back = c->count;
    }
    for (size_t k = 0; k < back; k++)
        p->late[k] = *tvgp__columns_at(c, keep + k);
    if (cheap) {
        while (c->count > keep)
            take_back(p);
    } else {
        double evidence = b->log_evidence, information = b->log_det_ratio;
        for (size_t k = 0; k < back; k++) {
            evidence -= p->late[k].evidence;
            information -= p->late[k].information;
        }
        size_t observations = b->observations - back;
        double start = back && p->late[0].t < t ? p->late[0].t : t;
        tvgp__columns_clear(c);
        if (p->in_weights)
            tvgp__weights_clear(&p->weights);
        b->now = start;
        tvgp__belief_prior(b, tvgp__law_kappa(&p->law, start));
        b->log_evidence = evidence;
        b->log_det_ratio = information;
        b->observations = observations;
    }
    int done = 0;
    for (size_t k = 0; k <= back; k++) {
        if (!done && (k == back || p->late[k].t > t)) {
            move(p, t);
            append(p, arm, y, noise);
            done = 1;
        }
        if (k < back) {
            move(p, p->late[k].t);
            append(p, p->late[k].arm, p->late[k].y, p->late[k].noise);
            if (!done)
                keep_evidence(p, &p->late[k]);
        }
    }
    move(p, now);
}

static void observe(tvgp__belief *base, size_t arm, double t, double y, double noise) {
    recursive *p = (recursive *)base;
    if (t >= base->now || is_static(p)) {
        if (t > base->now)
            advance(base, t);
        append(p, arm, y, noise);
    } else {
        observe_late(p, arm, t, y, noise);
    }
}

static void reset(tvgp__belief *base) {
    recursive *p = (recursive *)base;
    tvgp__columns_clear(&p->columns);
    if (p->in_weights)
        tvgp__weights_clear(&p->weights);
    tvgp__belief_prior(base, base->now == -INFINITY ? 1 : tvgp__law_kappa(&p->law, base->now));
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

static void arm_at(const tvgp__belief *b, double t, size_t arm, double *mean, double *var) {
    const recursive *p = (const recursive *)b;
    if (b->now == -INFINITY) {
        *mean = 0;
        *var = tvgp__law_kappa(&p->law, t) * b->prior[arm];
        return;
    }
    tvgp__law_step step = tvgp__law_between(&p->law, b->now, t);
    *mean = step.m * b->mean[arm];
    *var = fmax(step.m * step.m * b->var[arm] + step.q * b->prior[arm], 0);
}

/* Rows of L^-1 K(observations, Z) by forward substitution through the columns' entries at observed arms, m points at a time:
 * V is m x count, column-major. Row i: (kappa_i k(x_i, Z) - sum_(j<i) D_j / D_i g_j[x_i] V_j) / sqrt(s_i). */
static void predict_columns(const recursive *p, size_t m, const double *Z, double *V, double *h, double *mean, double *var) {
    const tvgp__belief *b = &p->base;
    const tvgp__columns *c = &p->columns;
    size_t dim = b->kernel->dim;
    for (size_t i = 0; i < c->count; i++) {
        const tvgp__columns_record *obs = tvgp__columns_at(c, i);
        double *row = V + i * m, kappa = tvgp__law_kappa(&p->law, obs->t), root = sqrt(obs->s);
        double decay = tvgp__columns_weight(c, i);
        (void)tvgp__kernel_block(b->kernel, 1, b->X + obs->arm * dim, m, Z, row, m);
        for (size_t j = 0; j < i; j++)
            h[j] = tvgp__columns_weight(c, j) / decay * c->G[tvgp__columns_slot(c, j) * c->n + obs->arm] / root;
        if (i)
            tvgp__blas_gemv(TVGP__NO_TRANS, m, i, -1, V, m, h, kappa / root, row);
        else
            for (size_t j = 0; j < m; j++)
                row[j] *= kappa / root;
        double gain = sqrt(decay) * obs->e / root;
        for (size_t j = 0; j < m; j++) {
            mean[j] += gain * row[j];
            var[j] -= decay * row[j] * row[j];
        }
    }
}

static tvgp_status predict(tvgp__belief *b, double t, size_t n, const double *X, double *mean, double *var) {
    recursive *p = (recursive *)b;
    size_t dim = b->kernel->dim, rows = p->columns.count;
    double *work = NULL;
    TVGP__TRY(tvgp__memory_alloc(b->ctx,
                                 p->in_weights ? tvgp__weights_predict_work(&p->weights, b->kernel, PREDICT_BLOCK)
                                               : rows * (PREDICT_BLOCK + 1),
                                 sizeof *work, &work));
    tvgp__law_step step = {.m = 1, .q = 0};
    double kappa = tvgp__law_kappa(&p->law, t);
    if (b->now != -INFINITY) {
        step = tvgp__law_between(&p->law, b->now, t);
        kappa = tvgp__law_kappa(&p->law, b->now);
    }
    for (size_t first = 0; first < n; first += PREDICT_BLOCK) {
        size_t m = n - first < PREDICT_BLOCK ? n - first : PREDICT_BLOCK;
        const double *Z = X + first * dim;
        double prior[PREDICT_BLOCK], mu[PREDICT_BLOCK] = {0}, v[PREDICT_BLOCK];
        (void)tvgp__kernel_diag(b->kernel, m, Z, prior);
        for (size_t i = 0; i < m; i++)
            v[i] = kappa * prior[i];
        if (p->in_weights)
            tvgp__weights_predict(&p->weights, b->kernel, b->X, b->mean, m, Z, work, mu, v);
        else
            predict_columns(p, m, Z, work, work + rows * PREDICT_BLOCK, mu, v);
        for (size_t i = 0; i < m; i++) {
            mean[first + i] = step.m * mu[i];
            var[first + i] = fmax(step.m * step.m * v[i] + step.q * prior[i], 0);
        }
    }
    tvgp__memory_free(b->ctx, work);
    return TVGP_OK;
}

static double correlation(const tvgp__belief *b, double from, double to) {
    return tvgp__law_correlation(&((const recursive *)b)->law, from, to);
}

static void release(tvgp__belief *base) {
    recursive *p = (recursive *)base;
    if (p->columns.ctx)
        tvgp__columns_free(&p->columns);
    if (p->in_weights)
        tvgp__weights_free(&p->weights);
    tvgp__memory_free(base->ctx, p->work);
    tvgp__memory_free(base->ctx, p->late);
}

static const tvgp__belief_ops ops = {.struct_size = sizeof ops,
                                     .reserve = reserve,
                                     .advance = advance,
                                     .observe = observe,
                                     .column = column,
                                     .predict = predict,
                                     .reset = reset,
                                     .arm_at = arm_at,
                                     .correlation = correlation,
                                     .release = release};

tvgp_status tvgp__recursive_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__law *law, double noise, size_t n,
                                const double *X, tvgp__belief **out) {
    recursive *p = NULL;
    TVGP__TRY(tvgp__belief_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->law = *law;
    p->tolerance = tvgp__basis_tolerance(p->base.largest, noise);
    p->columns = (tvgp__columns){.ctx = ctx, .n = n};
    p->next_search = FIRST_SEARCH;
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *p->work, &p->work);
    if (status < 0)
        tvgp__belief_free(&p->base);
    else
        *out = &p->base;
    return status;
}
