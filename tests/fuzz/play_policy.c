/* SPDX-License-Identifier: MIT */
#include "fuzz/play.h"

#include "base/quota.h"
#include "cases.h"
#include "fuzz/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KERNELS = 3,
    MAX_DIM = 2,
    BATCH = 6,
    CAP = 6,
    OPEN = 64,
    TEXT = 160,
    STATISTICS = 96,
    LIMITS = 2,
    DECLARED = 3,
    ROWS = 70
};

/* ---- what is drawn ---------------------------------------------------------------------------------------------- */

/* What a call is made with. */
enum kind {
    SET,
    SET_F64,
    SET_I64,
    SET_STR,
    SET_MEAN,
    ADD_PRIOR,
    AVAILABLE,
    CONTEXT,
    BOUNDS,
    SET_OF,
    CANDIDATES,
    ASK,
    TELL,
    PREDICT,
    BEST,
    SET_LIMIT,
    SET_SAFE,
    RISK,
    TELL_VALUES,
    LEARN_LOG,
    LEARN_TABLE,
    MEAN,
    FIT,
    KINDS
};
static const char *const kind_names[KINDS] = {"set",
                                              "set_f64",
                                              "set_i64",
                                              "set_str",
                                              "set_prior_mean",
                                              "add_prior",
                                              "set_available",
                                              "set_context",
                                              "set_bounds",
                                              "set_feasible",
                                              "set_candidates",
                                              "ask",
                                              "tell",
                                              "predict",
                                              "best",
                                              "set_constraint",
                                              "set_safe",
                                              "risk",
                                              "tell_values",
                                              "learn_history",
                                              "learn_history_table",
                                              "mean",
                                              "fit"};

struct act {
    enum kind kind;
    char text[TEXT]; /* key, or the text form */
    const char *choice;
    double f, t;
    int64_t i;
    size_t n, kernel;
    int null; /* the array is NULL */
    int measured;
    double number[CASES_ARMS + 1], x[(CASES_ARMS + 1) * MAX_DIM];
    uint8_t mask[CASES_ARMS + 1];
    tvgp_obs obs[BATCH];
};

/* What it gave; untouched when it failed. */
struct seen {
    tvgp_query q[CAP];
    double x[CAP * MAX_DIM], mean[CASES_ARMS + 1], var[CASES_ARMS + 1];
    size_t n;
    int64_t arm;
    size_t evals;
};

/* One of the two algorithms. */
struct side {
    struct memory memory;
    tvgp_ctx *ctx;
    tvgp_kernel *kernel[KERNELS];
    tvgp_domain *actions, *contexts, *domain;
    tvgp_policy *policy;
    size_t limits;
    double most;       /* what is feasible on a box has a first coordinate up to this */
    long interrupt_in; /* checks until one ends the call; 0: never */
};

/* A limit of the policy: its model has default settings, or the kernel. */
struct limit {
    const char *model;
    uint32_t flags;
    double bound;
    int untold;
};

struct game {
    const char *label, *name;
    struct draw draw;
    struct ref_kernel kernel[KERNELS];
    size_t arms, dim, contexts, calls; /* contexts 0: not a product */
    int measured, placed;              /* contexts are; one was set */
    double z;                          /* that one */
    int untold;                        /* no kernel was given */
    double size;                       /* of outcomes */
    int box, set;                      /* the arms are only points in it; a set was given */
    struct limit limit[LIMITS];
    size_t limits, declared; /* declared safe, x each: */
    double safe[DECLARED * MAX_DIM];
    size_t listed; /* candidates */
    double list[BATCH * MAX_DIM], low[MAX_DIM], high[MAX_DIM], lower[MAX_DIM],
        upper[MAX_DIM]; /* of the box; bounds that hold */
    int64_t context;    /* -1: any */
    double X[CASES_ARMS * MAX_DIM];
    uint8_t mask[CASES_ARMS];
    int64_t open[OPEN], last_id;
    size_t n_open;
    uint8_t members[STATISTICS]; /* of a series when last looked at; a name beyond them costs a search for the nearest */
    int begun;                   /* before that, options that do not go together are found by whoever needs them */
    int parted;                  /* the twins, by what the library says of it (docs/reference/guarantees.md) */
    struct side rough, calm;
    const char *call;
};

#define DEMAND(g, condition, ...)                                                                                           \
    do {                                                                                                                    \
        if (!(condition)) {                                                                                                 \
            fprintf(stderr, "\n%s: %s, kernel %d, %zu arms, call %zu (%s), %zu bytes left: %s: ", (g)->label, (g)->name,    \
                    (int)(g)->kernel[0].kind, (g)->arms, (g)->calls, (g)->call, (g)->draw.left, #condition);                \
            fprintf(stderr, __VA_ARGS__);                                                                                   \
            fprintf(stderr, "\n");                                                                                          \
            abort();                                                                                                        \
        }                                                                                                                   \
    } while (0)

/* ---- the table -------------------------------------------------------------------------------------------------- */

static void draw_kernel(struct draw *d, struct ref_kernel *k) {
    *k = *cases_kernel_at(below(d, CASES_KERNELS));
    if (k->kind == REF_TABLE || k->kind == REF_SUM || k->kind == REF_PRODUCT)
        return;
    k->variance = size_of(d);
    for (size_t i = 0; i < k->dim; i++)
        k->l[i] = size_of(d);
}

/* Every pair of an action and a context, with one coordinate each. */
static void draw_product(struct game *g) {
    double actions[CASES_ARMS], contexts[CASES_ARMS];
    size_t n = 1 + below(&g->draw, 6);
    g->contexts = 1 + below(&g->draw, 4);
    g->measured = once_in(&g->draw, 2);
    if (g->measured)
        g->contexts = 1;
    for (size_t i = 0; i < n; i++)
        actions[i] = number(&g->draw) / 8;
    for (size_t i = 0; i < g->contexts; i++)
        contexts[i] = number(&g->draw) / 8;
    g->arms = n * g->contexts;
    for (size_t i = 0; i < g->arms; i++) {
        g->X[2 * i] = actions[i / g->contexts];
        g->X[2 * i + 1] = contexts[i % g->contexts];
    }
}

/* The box around the points, with the kernel's dimensions. */
static void draw_box(struct game *g) {
    g->box = 1;
    for (size_t i = 0; i < g->arms * g->dim; i++)
        g->X[i] = isfinite(g->X[i]) ? g->X[i] : 0;
    for (size_t d = 0; d < g->dim; d++) {
        g->low[d] = g->high[d] = g->X[d];
        for (size_t i = 1; i < g->arms; i++) {
            g->low[d] = fmin(g->low[d], g->X[i * g->dim + d]);
            g->high[d] = fmax(g->high[d], g->X[i * g->dim + d]);
        }
        g->high[d] += 0.5;
        g->lower[d] = g->low[d];
        g->upper[d] = g->high[d];
    }
}

static void draw_models(struct game *g) {
    static const char *const models[] = {"tv-gp-ucb", "gp-ucb", "auto-gp-ucb", "sw-gp-ucb"};
    struct draw *d = &g->draw;
    g->limits = once_in(d, 3) ? 1 + below(d, LIMITS) : 0;
    for (size_t k = 0; k < g->limits; k++)
        g->limit[k] = (struct limit){.model = models[below(d, 4)],
                                     .flags = (uint32_t)below(d, 4),
                                     .bound = number(d) / 2,
                                     .untold = g->untold || once_in(d, 3)};
}

/* Arms may repeat, also with -0 for 0. */
static void draw_table(struct game *g) {
    struct draw *d = &g->draw;
    d->wild = once_in(d, 2);
    for (size_t i = 0; i < KERNELS; i++)
        draw_kernel(d, &g->kernel[i]);
    g->arms = 1 + below(d, CASES_ARMS);
    g->dim = g->kernel[0].dim;
    for (size_t i = 0; i < g->arms * g->dim; i++)
        g->X[i] = g->dim == 1 ? (double)i : number(d) / 8;
    if (g->dim == 2 && once_in(d, 4))
        draw_product(g);
    else if (g->kernel[0].kind != REF_TABLE && once_in(d, 3))
        draw_box(g);
    g->untold = once_in(d, 4);
    g->size = g->untold && once_in(d, 2) ? pow(10, 4 * (double)below(d, 49) - 96) : 1;
    draw_models(g);
    memset(g->mask, 1, sizeof g->mask);
}

static tvgp_status build_product(struct game *g, struct side *s) {
    double actions[CASES_ARMS], contexts[CASES_ARMS];
    size_t n = g->arms / g->contexts;
    for (size_t i = 0; i < n; i++)
        actions[i] = g->X[2 * i * g->contexts];
    for (size_t i = 0; i < g->contexts; i++)
        contexts[i] = g->X[2 * i + 1];
    tvgp_status status = s->actions ? TVGP_OK : tvgp_domain_arms(s->ctx, n, 1, actions, &s->actions);
    const double low = contexts[0] - 1, high = contexts[0] + 1;
    if (status == TVGP_OK && !s->contexts)
        status = g->measured ? tvgp_domain_box(s->ctx, 1, &low, &high, &s->contexts)
                             : tvgp_domain_arms(s->ctx, g->contexts, 1, contexts, &s->contexts);
    return status == TVGP_OK ? tvgp_domain_product(s->ctx, s->actions, s->contexts, &s->domain) : status;
}

/* As many limits as the policy takes and can be modelled here. */
static tvgp_status build_limits(struct game *g, struct side *s) {
    while (s->limits < g->limits) {
        const struct limit *l = &g->limit[s->limits];
        tvgp_policy *model = NULL;
        tvgp_status status = tvgp_policy_create(s->ctx, l->model, s->domain, l->untold ? NULL : s->kernel[0], &model);
        if (status == TVGP_OK)
            status = tvgp_policy_add_constraint(s->policy, model, l->flags, l->bound);
        tvgp_policy_destroy(model);
        if (status == TVGP_ERR_NOMEM)
            return status;
        if (status == TVGP_OK)
            s->limits++;
        else
            g->limits = s->limits;
    }
    return TVGP_OK;
}

static int32_t interrupt(void *user) {
    struct side *s = user;
    return s->interrupt_in && --s->interrupt_in == 0;
}

/* Goes on where it stopped when memory was refused. */
static tvgp_status build(struct game *g, struct side *s, size_t policy) {
    tvgp_allocator hooks = memory_hooks(&s->memory);
    tvgp_status status = s->ctx ? TVGP_OK : tvgp_ctx_create(&hooks, &s->ctx);
    const char *doc;
    for (size_t i = 0; i < KERNELS && status == TVGP_OK; i++)
        if (!s->kernel[i])
            status = cases_kernel(s->ctx, &g->kernel[i], &s->kernel[i]);
    if (status == TVGP_OK && !s->domain)
        status = g->contexts                      ? build_product(g, s)
                 : g->box                         ? tvgp_domain_box(s->ctx, g->dim, g->low, g->high, &s->domain)
                 : g->kernel[0].kind == REF_TABLE ? tvgp_domain_indices(s->ctx, g->arms, &s->domain)
                                                  : tvgp_domain_arms(s->ctx, g->arms, g->dim, g->X, &s->domain);
    if (status == TVGP_OK)
        status = tvgp_policy_name_at(s->ctx, policy, &g->name, &doc);
    if (status == TVGP_OK && !s->policy)
        status = tvgp_policy_create(s->ctx, g->name, s->domain, g->untold ? NULL : s->kernel[0], &s->policy);
    return status == TVGP_OK ? build_limits(g, s) : status;
}

static void clear_table(struct game *g, struct side *s, int policy_first) {
    if (policy_first)
        tvgp_policy_destroy(s->policy);
    for (size_t i = 0; i < KERNELS; i++)
        tvgp_kernel_destroy(s->kernel[i]);
    tvgp_ctx_destroy(s->ctx);
    tvgp_domain_destroy(s->actions);
    tvgp_domain_destroy(s->domain);
    tvgp_domain_destroy(s->contexts);
    if (!policy_first)
        tvgp_policy_destroy(s->policy);
    DEMAND(g, s->memory.allocated == s->memory.released, "%zu blocks, %zu given back", s->memory.allocated,
           s->memory.released);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static int32_t half(void *user, size_t n, const double *X, uint8_t *ok) {
    const struct side *s = user;
    size_t dim = 0;
    (void)tvgp_domain_dim(s->domain, &dim);
    for (size_t i = 0; i < n; i++)
        ok[i] = X[i * dim] <= s->most;
    return 0;
}

/* A table with a blank wherever the mask has one, of the numbers in turn and a swing; `measured`: it has times. */
static tvgp_status learn_history_table(const struct side *s, const struct act *a) {
    static double value[ROWS * (CASES_ARMS + 1)];
    double t[ROWS];
    size_t arms = 0;
    (void)tvgp_domain_size(s->domain, &arms);
    for (size_t i = 0; i < a->n * arms; i++) {
        const size_t kind = (i * 7 + i / 5) % (CASES_ARMS + 1), row = i / arms;
        const double swing = sin(0.7 * (double)(row * (size_t)a->i) + (double)(i % arms));
        t[row] = a->f + (double)row * (a->i % 3 ? 1 : 0.25 * (double)(row % 5));
        value[i] = a->mask[kind] ? a->number[kind] + a->number[0] * swing : NAN;
    }
    return tvgp_policy_learn_history_table(s->policy, a->n, a->measured ? t : NULL, a->null ? NULL : value);
}

static tvgp_status run(struct side *s, const struct act *a, struct seen *seen) {
    const double *numbers = a->null ? NULL : a->number;
    switch (a->kind) {
    case SET:
        return tvgp_policy_set(s->policy, a->text);
    case SET_F64:
        return tvgp_policy_set_f64(s->policy, a->text, a->f);
    case SET_I64:
        return tvgp_policy_set_i64(s->policy, a->text, a->i);
    case SET_STR:
        return tvgp_policy_set_str(s->policy, a->text, a->choice);
    case SET_MEAN:
        return tvgp_policy_set_prior_mean(s->policy, a->n, numbers);
    case ADD_PRIOR:
        return tvgp_policy_add_prior(s->policy, s->kernel[a->kernel], a->n, numbers, a->f);
    case AVAILABLE:
        return tvgp_policy_set_available(s->policy, a->n, a->null ? NULL : a->mask);
    case CONTEXT:
        return a->measured ? tvgp_policy_set_context_point(s->policy, a->n, numbers)
                           : tvgp_policy_set_context(s->policy, a->i);
    case BOUNDS:
        return tvgp_policy_set_bounds(s->policy, numbers, a->null ? NULL : a->x);
    case SET_OF: {
        tvgp_status status = tvgp_policy_set_feasible(s->policy, a->null ? NULL : half, s, NULL);
        s->most = status == TVGP_OK ? a->f : s->most;
        return status;
    }
    case CANDIDATES:
        return tvgp_policy_set_candidates(s->policy, a->n, a->n ? a->x : NULL, numbers);
    case ASK:
        return tvgp_policy_ask(s->policy, a->t, a->n, seen->q, a->null ? NULL : seen->x, &seen->n);
    case TELL:
        return tvgp_policy_tell(s->policy, a->n, a->obs, a->null ? NULL : a->x);
    case SET_LIMIT:
        return tvgp_policy_set_constraint(s->policy, (int32_t)a->n, a->f);
    case SET_SAFE:
        return tvgp_policy_set_safe(s->policy, a->n, a->null ? NULL : a->x);
    case RISK:
        return harness_risks(s->policy, a->t, a->n, a->null ? NULL : a->x, seen->mean);
    case TELL_VALUES:
        return tvgp_policy_tell_values(s->policy, a->i, a->n, a->number);
    case PREDICT:
        return tvgp_policy_predict(s->policy, a->t, a->n, a->x, a->null ? NULL : seen->mean, seen->var);
    case LEARN_LOG:
        return tvgp_policy_learn_history(s->policy, a->n, a->obs, a->null ? NULL : a->x);
    case LEARN_TABLE:
        return learn_history_table(s, a);
    case MEAN:
        return tvgp_policy_prior_mean(s->policy, a->t, a->n, seen->mean);
    case FIT:
        return tvgp_policy_fit(s->policy, (size_t)(1 + a->i), &seen->evals);
    default:
        return tvgp_policy_best(s->policy, a->t, &seen->arm, a->null ? NULL : seen->x);
    }
}

static double statistic(const tvgp_policy *p, const char *key) {
    double value = NAN;
    return tvgp_policy_stat(p, key, &value) == TVGP_OK ? value : NAN;
}

/* Now and then a time of the past, or none at all. */
static double draw_time(struct game *g) {
    static const double steps[] = {1, 0, 0.3, 2.5, 50, 1e3, -1, -40};
    double clock = statistic(g->rough.policy, "clock");
    if (g->draw.wild && once_in(&g->draw, 16))
        return number(&g->draw);
    return (isfinite(clock) ? clock : 0) + steps[below(&g->draw, once_in(&g->draw, 8) ? 8 : 5)];
}

/* Swaps cost time, not memory: few of them. */
static void draw_option(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    size_t n = 0, choices = 0;
    tvgp_option_info info = {0};
    (void)tvgp_policy_option_count(g->rough.policy, &n);
    DEMAND(g, tvgp_policy_option_info(g->rough.policy, below(d, n), &info) == TVGP_OK, "no option");
    const char *key = once_in(d, 16) ? "colour" : info.key;
    int integer = info.type == TVGP_I64;
    double lower = info.lower > -1e3 ? info.lower : -1e3, upper = info.upper < 1e3 ? info.upper : 1e3;
    a->f = once_in(d, 4) ? number(d) : lower + (upper - lower) * (double)below(d, 65) / 64;
    a->f = integer && !(fabs(a->f) <= 1e15) ? -1 : strcmp(key, "kdpp.steps") == 0 ? fmin(a->f, 50) : a->f;
    if (strncmp(key, "search.", 7) == 0) /* so does a large search */
        a->f = fmin(a->f, integer ? 9 : 2);
    a->i = integer ? (int64_t)a->f : (int64_t)below(d, 5);
    while (info.choices && info.choices[choices])
        choices++;
    a->choice = choices && !once_in(d, 8) ? info.choices[below(d, choices)] : "blue";
    a->kind = info.type == TVGP_STR ? SET_STR : integer ? SET_I64 : SET_F64;
    if (once_in(d, 16))
        a->kind = SET_STR;
    snprintf(a->text, sizeof a->text, "%s", key);
    if (!once_in(d, 3))
        return;
    static const char *const more[] = {"",     " seed=7",      " seed = 1", " =", " width.value=1,2",
                                       "\t\n", " noise=1e999", " seed"};
    a->kind = SET;
    if (info.type == TVGP_STR)
        snprintf(a->text, sizeof a->text, "%s=%s%s", key, a->choice, more[below(d, 8)]);
    else
        snprintf(a->text, sizeof a->text, "%s=%.17g%s", key, integer ? (double)a->i : a->f, more[below(d, 8)]);
}

/* One value, one per arm, none; seldom another number of them. */
static void draw_mean(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    const size_t sizes[] = {1, g->arms, 0, 2};
    a->n = sizes[below(d, once_in(d, 8) ? 4 : 3)];
    a->null = a->n == 0 || once_in(d, 16);
    for (size_t i = 0; i < a->n; i++)
        a->number[i] = number(d);
}

static void draw_mask(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    a->null = once_in(d, 8);
    a->n = a->null ? 0 : once_in(d, 16) ? g->arms + 1 : g->arms;
    for (size_t i = 0; i < g->arms; i++)
        a->mask[i] = (uint8_t)once_in(d, 3);
}

static void draw_answer(struct game *g, tvgp_obs *o, double *x) {
    struct draw *d = &g->draw;
    size_t kind = below(d, 16);
    *o = (tvgp_obs){.y = g->size * number(d)};
    memcpy(x, g->X + below(d, g->arms) * g->dim, g->dim * sizeof *x);
    if (kind < 12 && g->n_open)
        o->id = g->open[below(d, g->n_open)];
    else if (kind == 15)
        o->id = (int64_t)below(d, 200) - 20;
    if (g->limits)
        o->output = once_in(d, 16) ? (int32_t)below(d, 5) - 1 : (int32_t)below(d, 1 + g->limits);
    if (once_in(d, 4))
        o->outcome = (int32_t)below(d, 4);
    if (once_in(d, 4)) {
        o->flags |= TVGP_OBS_HAS_NOISE;
        o->noise_var = once_in(d, 4) ? number(d) : once_in(d, 4) ? 0 : size_of(d);
    }
    if (once_in(d, 3)) {
        o->flags |= TVGP_OBS_HAS_TIME;
        o->t = draw_time(g) - (double)below(d, 40);
    }
    if (!once_in(d, 32))
        return;
    o->flags |= 4u << below(d, 30);
    x[0] += number(d);
    o->outcome = (int32_t)below(d, 8) - 2;
}

static void draw_batch(struct game *g, struct act *a) {
    static const size_t sizes[] = {1, 1, 1, 2, 3, BATCH, 0};
    a->n = sizes[below(&g->draw, sizeof sizes / sizeof *sizes)];
    a->null = once_in(&g->draw, 32);
    for (size_t i = 0; i < a->n; i++)
        draw_answer(g, &a->obs[i], a->x + i * g->dim);
}

/* A log of a few records, most with times, or a table; or what a log taught. */
static void draw_log(struct game *g, struct act *a) {
    static const size_t rows[] = {1, 2, 5, 12, 30, ROWS};
    static const enum kind kinds[] = {LEARN_LOG, LEARN_TABLE, LEARN_TABLE, MEAN, FIT};
    struct draw *d = &g->draw;
    a->kind = kinds[below(d, sizeof kinds / sizeof *kinds)];
    a->i = (int64_t)below(d, 16);
    if (a->kind == LEARN_LOG) {
        draw_batch(g, a);
        for (size_t i = 0; i < a->n && !once_in(d, 8); i++) {
            a->obs[i].id = 0;
            a->obs[i].flags |= TVGP_OBS_HAS_TIME;
        }
    } else if (a->kind == LEARN_TABLE) {
        a->n = rows[below(d, sizeof rows / sizeof *rows)];
        a->null = once_in(d, 32);
        a->measured = once_in(d, 2);
        a->f = a->t - ROWS;
        for (size_t i = 0; i <= CASES_ARMS; i++) {
            a->number[i] = i < 4 ? number(d) : a->number[i % 4];
            a->mask[i] = i % 8 || once_in(d, 2);
        }
    } else if (a->kind == MEAN) {
        a->n = g->arms + (once_in(d, 16) ? 1 : 0);
    }
}

static void draw_points(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    a->n = below(d, 6);
    a->null = once_in(d, 4);
    for (size_t i = 0; i < a->n; i++)
        memcpy(a->x + i * g->dim, g->X + below(d, g->arms) * g->dim, g->dim * sizeof *a->x);
    if (once_in(d, 2))
        a->x[0] = number(d);
}

/* Mostly within the box, where contexts are measured. */
static void draw_place(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    a->measured = g->measured ? !once_in(d, 16) : once_in(d, 16);
    a->number[0] = g->X[1] + (double)below(d, 17) / 8 - 1 + (once_in(d, 16) ? number(d) : 0);
    a->n = once_in(d, 16) ? 2 : 1;
}

/* Points of the table, most with a mean each; none; seldom one that is not in the box. */
static void draw_candidates(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    a->kind = CANDIDATES;
    a->n = once_in(d, 8) ? 0 : 1 + below(d, 6);
    a->null = !a->n || once_in(d, 4);
    for (size_t i = 0; i < a->n; i++) {
        memcpy(a->x + i * g->dim, g->X + below(d, g->arms) * g->dim, g->dim * sizeof *a->x);
        a->number[i] = number(d);
    }
    if (once_in(d, 16))
        a->x[0] = number(d);
}

/* Bounds between two points, seldom in the wrong order; or a set, or candidates. */
static void draw_limits(struct game *g, struct act *a) {
    struct draw *d = &g->draw;
    if (once_in(d, 2)) {
        draw_candidates(g, a);
        return;
    }
    a->kind = once_in(d, 2) ? SET_OF : BOUNDS;
    a->null = once_in(d, 4);
    const double *from = g->X + below(d, g->arms) * g->dim, *to = g->X + below(d, g->arms) * g->dim;
    int wrong = once_in(d, 16);
    for (size_t i = 0; i < g->dim; i++) {
        a->number[i] = wrong ? from[i] : fmin(from[i], to[i]);
        a->x[i] = wrong ? to[i] : fmax(from[i], to[i]);
    }
    a->f = from[0];
}

/* What only policies with limits have. */
static void draw_limited(struct game *g, struct act *a) {
    static const enum kind some[] = {TELL_VALUES, TELL_VALUES, SET_LIMIT, SET_SAFE, RISK};
    struct draw *d = &g->draw;
    a->kind = some[below(d, sizeof some / sizeof *some)];
    a->i = g->n_open ? g->open[below(d, g->n_open)] : 0;
    a->f = number(d) / 2;
    for (size_t i = 0; i <= LIMITS; i++)
        a->number[i] = g->size * number(d);
    a->n = a->kind == SET_LIMIT ? below(d, LIMITS + 2) : once_in(d, 16) ? below(d, 4) : 1 + g->limits;
    if (a->kind == SET_SAFE || a->kind == RISK)
        draw_points(g, a);
    if (a->kind == SET_SAFE)
        a->n = a->n % (DECLARED + 1);
    a->null = a->kind == RISK ? once_in(d, 3) : a->kind == SET_SAFE && !a->n;
    if (a->kind == RISK && a->null)
        a->n = g->listed ? g->listed : g->arms;
}

static void draw_act(struct game *g, struct act *a) {
    static const enum kind often[] = {ASK,  TELL, TELL, ASK,       TELL,      ASK,     TELL,     ASK,
                                      TELL, BEST, SET,  AVAILABLE, ADD_PRIOR, PREDICT, SET_MEAN, TELL};
    struct draw *d = &g->draw;
    *a = (struct act){.kind = often[below(d, sizeof often / sizeof *often)]};
    a->t = draw_time(g);
    if (g->limits && once_in(d, 6)) {
        draw_limited(g, a);
        return;
    }
    switch (a->kind) {
    case SET:
        draw_option(g, a);
        break;
    case ADD_PRIOR:
        a->kernel = below(d, KERNELS);
        a->f = once_in(d, 4) ? number(d) : (double)below(d, 16) / 16;
        draw_mean(g, a);
        break;
    case SET_MEAN:
        if (once_in(d, 2))
            draw_log(g, a);
        else
            draw_mean(g, a);
        break;
    case AVAILABLE:
        if (g->box && !once_in(d, 8)) {
            draw_limits(g, a);
            break;
        }
        draw_mask(g, a);
        if (g->contexts && once_in(d, 2))
            a->kind = CONTEXT;
        a->i = (int64_t)below(d, 6) - 1;
        if (a->kind == CONTEXT)
            draw_place(g, a);
        break;
    case ASK:
        a->n = once_in(d, 4) ? below(d, CAP + 1) : 1;
        a->null = once_in(d, 4);
        break;
    case TELL:
        draw_batch(g, a);
        break;
    case PREDICT:
        draw_points(g, a);
        break;
    default:
        break;
    }
}

/* ---- what must hold --------------------------------------------------------------------------------------------- */

/* On a box: whether the arm is the row of a candidate there; of the whole box, and for side queries, it is none. */
static int numbered(const struct game *g, int32_t kind, int64_t arm, const double *x) {
    if (!g->listed || kind == TVGP_SIDE)
        return arm == -1;
    return arm >= 0 && (size_t)arm < g->listed && !memcmp(x, g->list + (size_t)arm * g->dim, g->dim * sizeof *x);
}

/* x is where a query is, or the best. */
static int available(const struct game *g, int32_t kind, int64_t arm, const double *x) {
    if (g->box && !numbered(g, kind, arm, x))
        return 0;
    for (size_t d = 0; g->box && d < g->dim; d++)
        if (!(x[d] >= g->lower[d] && x[d] <= g->upper[d]) || (g->set && !(x[0] <= g->rough.most)))
            return 0;
    if (g->box)
        return 1;
    if (arm < 0 || (size_t)arm >= g->arms || !g->mask[arm])
        return 0;
    return g->measured || g->context < 0 || !g->contexts || arm % (int64_t)g->contexts == g->context;
}

/* Statistics may be infinite where their text says so. */
static int says_infinite(const char *doc) {
    for (const char *at = strstr(doc, "inf"); at; at = strstr(at + 1, "inf"))
        if ((at == doc || strchr(" -", at[-1])) && strchr(" ;:,.", at[3]))
            return 1;
    return 0;
}

static void check_statistic(struct game *g, const char *key, const char *doc) {
    double rough = statistic(g->rough.policy, key), calm = statistic(g->calm.policy, key);
    DEMAND(g, isfinite(rough) || (isinf(rough) && says_infinite(doc)), "%s is %g", key, rough);
    DEMAND(g, memcmp(&rough, &calm, sizeof calm) == 0, "%s is %.17g, %.17g for the twin", key, rough, calm);
}

static void check_statistics(struct game *g) {
    size_t n = 0, last;
    tvgp_stat_info info = {0};
    char other[64];
    double value;
    (void)tvgp_policy_stat_count(g->rough.policy, &n);
    DEMAND(g, n <= STATISTICS, "%zu statistics", n);
    for (size_t i = 0; i < n; i++) {
        DEMAND(g, tvgp_policy_stat_info(g->rough.policy, i, &info) == TVGP_OK, "statistic %zu", i);
        const char *key = info.key;
        last = strlen(key) - 1;
        snprintf(other, sizeof other, "%s", key);
        int series = key[last] == '0' && key[last - 1] == '.';
        size_t members = !series ? 1 : g->calls % 8 ? g->members[i] : 4;
        g->members[i] = 0;
        for (size_t k = 0; k < members; k++) {
            other[last] = series ? (char)('0' + k) : key[last];
            if (tvgp_policy_stat(g->rough.policy, other, &value) != TVGP_OK)
                break;
            g->members[i]++;
            check_statistic(g, other, info.doc);
        }
    }
}

static int may_fail(const struct game *g, tvgp_status status) {
    const char *choice = "";
    int64_t limit = 0;
    if (status == TVGP_ERR_LIMIT && tvgp_policy_get_i64(g->rough.policy, "memory.limit", &limit) == TVGP_OK && limit)
        return 1;                                    /* the bytes that were drawn for it */
    if (status == TVGP_ERR_STATE && g->context >= 0) /* nothing is available there */
        return 1;
    if (status == TVGP_ERR_STATE && g->measured && !g->placed) /* no context holds */
        return 1;
    double floor = 0, holdout = 0, weight = 0;
    (void)tvgp_policy_get_f64(g->rough.policy, "cost.weight", &weight);
    if (weight > 0 && (status == TVGP_ERR_STATE || status == TVGP_ERR_UNSUPPORTED))
        return 1; /* no costs, or a box without candidates */
    (void)tvgp_policy_get_f64(g->rough.policy, "exploration.floor", &floor);
    (void)tvgp_policy_get_f64(g->rough.policy, "holdout.share", &holdout);
    if ((status == TVGP_ERR_STATE && holdout > 0) || (status == TVGP_ERR_UNSUPPORTED && floor + holdout > 0))
        return 1;                                 /* no incumbent, or a box without candidates */
    if (status == TVGP_ERR_NOTFOUND && g->limits) /* nothing is safe */
        return 1;
    if (status == TVGP_ERR_NOTFOUND && (g->set || g->listed)) /* nothing feasible within the bounds, or too little of it */
        return 1;
    if ((status == TVGP_ERR_OPTION || status == TVGP_ERR_UNSUPPORTED) && !g->begun) /* options that do not go together */
        return 1;
    if (status == TVGP_ERR_UNSUPPORTED && g->box && !g->listed) /* a draw from the whole box */
        return tvgp_policy_get_str(g->rough.policy, "choice", &choice) == TVGP_OK && !strcmp(choice, "thompson");
    return g->draw.wild && status == TVGP_ERR_NUMERIC;
}

/* By the policy alone: predictions change nothing. */
static void check_predictions(struct game *g) {
    double clock = statistic(g->rough.policy, "clock"), t = isfinite(clock) ? clock : 0;
    double mean[CASES_ARMS], var[CASES_ARMS];
    tvgp_status status = tvgp_policy_predict(g->rough.policy, t, g->arms, g->X, mean, var);
    if (status == TVGP_ERR_UNSUPPORTED || may_fail(g, status))
        return;
    DEMAND(g, status == TVGP_OK, "%s: %s", tvgp_status_name(status), tvgp_ctx_errmsg(g->rough.ctx));
    for (size_t i = 0; i < g->arms; i++)
        DEMAND(g, isfinite(mean[i]) && isfinite(var[i]) && var[i] >= 0, "arm %zu has mean %g, variance %g", i, mean[i],
               var[i]);
}

/* Where contexts are measured the action is, in all of them. */
static int is_declared(const struct game *g, const double *x) {
    const size_t most = g->measured ? 1 : g->dim;
    for (size_t i = 0, d; i < g->declared; i++) {
        for (d = 0; d < most && g->safe[i * g->dim + d] == x[d]; d++)
            ;
        if (d == most)
            return 1;
    }
    return 0;
}

/* The risk is within what is allowed of each ask, or of the most that one is; 1 where the likeliest action may be asked. */
static void check_risk(struct game *g, const tvgp_query *q, const double *x) {
    double confidence = 0;
    const char *per = "", *none = "";
    DEMAND(g, q->risk >= 0 && q->risk <= 1 && (g->limits || q->risk == 0), "risk %g", q->risk);
    if (!g->limits || tvgp_policy_get_f64(g->rough.policy, "constraint.confidence", &confidence) < 0)
        return;
    (void)tvgp_policy_get_str(g->rough.policy, "constraint.scope", &per);
    (void)tvgp_policy_get_str(g->rough.policy, "constraint.fallback", &none);
    const double most = !strcmp(per, "average") ? fmin(0.5, 10 * (1 - confidence)) : 1 - confidence;
    DEMAND(g, q->risk <= most * (1 + 1e-9) + 1e-12 || !strcmp(none, "safest") || is_declared(g, x), "risk %.17g of %g",
           q->risk, most);
}

/* Of all there is to choose from, by the policy alone. */
static void check_risks(struct game *g) {
    const double clock = statistic(g->rough.policy, "clock"), t = isfinite(clock) ? clock : 0;
    double risk[CASES_ARMS];
    if (!g->limits || harness_risks(g->rough.policy, t, g->arms, g->X, risk) != TVGP_OK)
        return;
    for (size_t i = 0; i < g->arms; i++)
        DEMAND(g, risk[i] >= 0 && risk[i] <= 1, "arm %zu has the risk %g", i, risk[i]);
}

static void check_queries(struct game *g, const struct act *a, const struct seen *seen) {
    DEMAND(g, seen->n <= a->n, "%zu queries, at most %zu", seen->n, a->n);
    for (size_t i = 0; i < seen->n; i++) {
        const tvgp_query *q = &seen->q[i];
        DEMAND(g, q->id == ++g->last_id, "id %" PRId64 " instead of %" PRId64, q->id, g->last_id);
        const double *x = g->box && a->null ? g->list + (size_t)q->arm * g->dim : seen->x + i * g->dim;
        DEMAND(g, available(g, q->kind, q->arm, x), "arm %" PRId64 " is not available", q->arm);
        DEMAND(g, isfinite(q->score) && isfinite(q->noise_var) && q->noise_var >= 0 && q->t == a->t, "score %g, noise %g",
               q->score, q->noise_var);
        double at[MAX_DIM] = {0};
        if (!g->box)
            memcpy(at, g->X + (size_t)q->arm * g->dim, g->dim * sizeof *at);
        if (g->measured)
            at[1] = g->z;
        DEMAND(g, g->box || a->null || memcmp(seen->x + i * g->dim, at, g->dim * sizeof *at) == 0,
               "not the point of arm %" PRId64, q->arm);
        check_risk(g, q, g->box ? x : at);
        g->open[g->n_open < OPEN ? g->n_open++ : (size_t)q->id % OPEN] = q->id;
    }
}

/* Outcomes to what is not open any more are bad input from now on: some of them are kept. */
static void forget_told(struct game *g, const struct act *a) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < g->n_open; k++)
            if (g->open[k] == a->obs[i].id && a->obs[i].id % 8 && a->obs[i].output == (int64_t)g->limits)
                g->open[k] = g->open[--g->n_open];
}

static void after(struct game *g, const struct act *a, const struct seen *seen) {
    g->begun |= a->kind == ASK || ((a->kind == TELL || a->kind == TELL_VALUES) && a->n);
    if (a->kind == ASK)
        check_queries(g, a, seen);
    if (a->kind == TELL)
        forget_told(g, a);
    if (a->kind == SET_SAFE) {
        g->declared = a->n;
        memcpy(g->safe, a->x, a->n * g->dim * sizeof *a->x);
    }
    for (size_t i = 0; i < a->n && a->kind == RISK; i++)
        DEMAND(g, seen->mean[i] >= 0 && seen->mean[i] <= 1, "risk %g", seen->mean[i]);
    if (a->kind == BEST)
        DEMAND(g, available(g, TVGP_ACTION, seen->arm, seen->x), "arm %" PRId64, seen->arm);
    if (a->kind == CONTEXT && a->measured) {
        g->placed = 1;
        g->z = a->number[0];
    } else if (a->kind == CONTEXT) {
        g->context = a->i;
    }
    if (a->kind == SET_OF)
        g->set = !a->null;
    for (size_t d = 0; d < g->dim && a->kind == BOUNDS; d++) {
        g->lower[d] = a->null ? g->low[d] : a->number[d];
        g->upper[d] = a->null ? g->high[d] : a->x[d];
    }
    for (size_t i = 0; i < g->arms && a->kind == AVAILABLE; i++)
        g->mask[i] = a->null || a->mask[i];
    if (a->kind == CANDIDATES) {
        g->listed = a->n;
        memcpy(g->list, a->x, a->n * g->dim * sizeof *a->x);
    }
    for (size_t i = 0; i < a->n && a->kind == MEAN; i++)
        DEMAND(g, isfinite(seen->mean[i]), "the prior mean of arm %zu is %g", i, seen->mean[i]);
    for (size_t i = 0; i < a->n && a->kind == PREDICT; i++)
        DEMAND(g, (a->null || isfinite(seen->mean[i])) && isfinite(seen->var[i]) && seen->var[i] >= 0,
               "point %zu has mean %g, variance %g", i, seen->mean[i], seen->var[i]);
}

/* What ends the next call on the policy; 0: nothing. */
struct fault {
    size_t refuse; /* the k-th block from now */
    int lasting;   /* and all after it */
    int64_t work;  /* a quota */
    long checks;   /* until the program interrupts */
};

/* The call on the policy, as it may fail; then, unless it failed, on the twin. */
static tvgp_status perform(struct game *g, const struct act *a, struct fault fault) {
    struct seen untouched, rough, calm;
    memset(&untouched, 0x5a, sizeof untouched);
    rough = calm = untouched;
    g->call = kind_names[a->kind];
    g->calls++;
    g->rough.memory.failed = 0;
    if (fault.work)
        (void)tvgp_ctx_set_quota(g->rough.ctx, 0, 0, fault.work);
    g->rough.memory.fail_in = fault.refuse;
    g->rough.memory.lasting = fault.lasting;
    g->rough.interrupt_in = fault.checks;
    tvgp_status status = run(&g->rough, a, &rough);
    g->rough.memory.fail_in = 0;
    g->rough.interrupt_in = 0;
    const char *message = tvgp_ctx_errmsg(g->rough.ctx);
    DEMAND(g, (status < 0) == (*message != 0), "%s says \"%s\"", tvgp_status_name(status), message);
    DEMAND(g, status != TVGP_ERR_INTERNAL && (status != TVGP_ERR_NOMEM || g->rough.memory.failed), "%s: %s",
           tvgp_status_name(status), message);
    const int exceeded = tvgp__quota_exceeded(g->rough.ctx, TVGP_ERR_LIMIT);
    if (fault.work)
        (void)tvgp_ctx_set_quota(g->rough.ctx, 0, 0, 0);
    if (status < 0) {
        DEMAND(g, memcmp(&rough, &untouched, sizeof rough) == 0, "%s wrote something", tvgp_status_name(status));
    } else if (exceeded && (g->box || g->measured)) {
        /* Rows that say nothing any more were to be let go: they stay, and here the twins part. */
        g->parted = 1;
        return status;
    } else {
        tvgp_status other = run(&g->calm, a, &calm);
        DEMAND(g, other == status, "%s, %s for the twin: %s", tvgp_status_name(status), tvgp_status_name(other),
               tvgp_ctx_errmsg(g->calm.ctx));
        DEMAND(g, memcmp(&rough, &calm, sizeof rough) == 0, "the twin saw something else: arms %" PRId64 ", %" PRId64,
               rough.q[0].arm, calm.q[0].arm);
        after(g, a, &rough);
    }
    check_statistics(g);
    check_predictions(g);
    check_risks(g);
    return status;
}

/* Called by BLAS for an argument it does not like, instead of its own, which only prints. */
void xerbla_(const char *routine, const int *parameter, int length);

void xerbla_(const char *routine, const int *parameter, int length) {
    fprintf(stderr, "\nBLAS: parameter %d of %.*s\n", *parameter, length, routine);
    abort();
}

/* ---- the game --------------------------------------------------------------------------------------------------- */

/* In the end both go on, and whatever came before, nothing is in the way. */
static void go_on(struct game *g) {
    struct act ask = {.kind = ASK, .n = 1}, tell = {.kind = TELL, .n = 1};
    for (int round = 0; round < 8; round++) {
        double clock = statistic(g->rough.policy, "clock"), most = 0;
        (void)tvgp_policy_get_f64(g->rough.policy, "time.max_step", &most);
        ask.t = !isfinite(clock) ? 0 : most > 0 && most < 1 ? clock + most / 2 : clock + 1;
        int64_t before = g->last_id;
        tvgp_status status = perform(g, &ask, (struct fault){0});
        DEMAND(g, status >= 0 || may_fail(g, status), "%s: %s", tvgp_status_name(status), tvgp_ctx_errmsg(g->rough.ctx));
        tell.obs[0] = (tvgp_obs){.id = g->last_id, .y = 0.25 * round};
        if (g->last_id > before)
            (void)perform(g, &tell, (struct fault){0});
    }
}

static struct fault draw_fault(struct draw *d) {
    struct fault f = {0};
    f.refuse = once_in(d, 4) ? 1 + below(d, once_in(d, 2) ? 24 : 3) : 0;
    f.lasting = once_in(d, 2);
    f.work = once_in(d, 8) ? 1 + (int64_t)(below(d, 64) * below(d, 64)) : 0;
    f.checks = once_in(d, 8) ? 1 + (long)below(d, 8) : 0;
    return f;
}

static void play_on(struct game *g) {
    struct act a;
    for (size_t settings = below(&g->draw, 8); settings; settings--) {
        a = (struct act){0};
        draw_option(g, &a);
        (void)perform(g, &a, (struct fault){.refuse = once_in(&g->draw, 16) ? 1 : 0});
    }
    while (g->draw.left && !g->parted) {
        draw_act(g, &a);
        (void)perform(g, &a, draw_fault(&g->draw));
    }
    if (!g->parted)
        go_on(g);
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    struct game g = {.label = label, .draw = {.byte = bytes, .left = n}, .context = -1, .name = "?", .call = "create"};
    size_t policy = below(&g.draw, (size_t)harness_policies());
    draw_table(&g);
    g.rough.memory.fail_in = once_in(&g.draw, 4) ? 1 + below(&g.draw, 64) : 0;
    tvgp_status status = build(&g, &g.rough, policy);
    g.rough.memory.fail_in = 0;
    if (status == TVGP_ERR_NOMEM)
        status = build(&g, &g.rough, policy);
    DEMAND(&g,
           status == TVGP_OK || g.draw.wild || ((g.box || g.measured) && status == TVGP_ERR_UNSUPPORTED) ||
               (g.untold && status == TVGP_ERR_ARG) || g.kernel[0].kind == REF_TABLE,
           "%s: %s", tvgp_status_name(status), tvgp_ctx_errmsg(g.rough.ctx));
    if (status == TVGP_OK) {
        DEMAND(&g, build(&g, &g.calm, policy) == TVGP_OK, "the twin: %s", tvgp_ctx_errmsg(g.calm.ctx));
        (void)tvgp_ctx_set_interrupt(g.rough.ctx, interrupt, &g.rough, NULL);
        play_on(&g);
    }
    g.call = "destroy";
    clear_table(&g, &g.rough, (int)(n % 2));
    clear_table(&g, &g.calm, 1);
}
