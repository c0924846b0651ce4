/* SPDX-License-Identifier: MIT */
/* Games about state. A policy is saved and loaded, made anew from a whole snapshot, replaced by its clone, moved to more arms, fitted,
 * interrupted, refused memory, and read after every call; its twin gets the calls that succeeded and is never read, saved or
 * replaced. Both must do the same, to the last bit. Snapshots of it are forged, with right checksums, and what takes them is
 * used. Kernels come from outside too, one of which is none; boxes lie away from 0 and have whole numbers. */
#include "fuzz/draw.h"
#include "fuzz/play.h"
#include "outside.h"
#include "seal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 2, MOST_ARMS = 40, CAP = 4, OPEN = 32, FORGED = 1 << 24 };
enum place { ARMS, GRID, BOX, PRODUCT, MEASURED, PLACES };
enum make { SE, MATERN, SUM, OUTSIDE, BOXCAR, NONE, MAKES };

struct side {
    struct memory memory;
    size_t limit; /* bytes of one block; 0: none */
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    tvgp_domain *domain;
    tvgp_policy *policy;
    long interrupt_in; /* checks until one ends the call; 0: never */
    double most;       /* feasible on a box: first coordinates up to this */
};

struct game {
    const char *label, *name, *call;
    struct draw draw;
    enum place place;
    enum make make;
    size_t arms, calls;
    double X[DIM * MOST_ARMS], low[DIM], high[DIM], lower[DIM], upper[DIM], z, t, size;
    size_t listed; /* candidates */
    int placed, set, mean, begun, whole;
    int64_t open[OPEN];
    size_t n_open;
    struct side side, twin;
    const char *options;
};

#define DEMAND(g, condition, ...)                                                                                           \
    do {                                                                                                                    \
        if (!(condition)) {                                                                                                 \
            fprintf(stderr, "\n%s: %s, place %d, kernel %d, \"%s\", call %zu (%s): %s: ", (g)->label, (g)->name,            \
                    (int)(g)->place, (int)(g)->make, (g)->options, (g)->calls, (g)->call, #condition);                      \
            fprintf(stderr, __VA_ARGS__);                                                                                   \
            fprintf(stderr, "\n");                                                                                          \
            abort();                                                                                                        \
        }                                                                                                                   \
    } while (0)

/* ---- the table -------------------------------------------------------------------------------------------------- */

static int32_t boxcar(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    (void)data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = fabs(X[2 * i] - Z[2 * j]) < 0.7 && fabs(X[2 * i + 1] - Z[2 * j + 1]) < 0.7;
    return 0;
}

static int32_t interrupt(void *user) {
    struct side *s = user;
    return s->interrupt_in && --s->interrupt_in == 0;
}

static void *allocate(void *user, size_t n) {
    struct side *s = user;
    const tvgp_allocator hooks = memory_hooks(&s->memory);
    if (s->limit && n > s->limit) {
        s->memory.failed++;
        return NULL;
    }
    return hooks.allocate(hooks.user, n);
}

static void release(void *user, void *block) {
    const tvgp_allocator hooks = memory_hooks(&((struct side *)user)->memory);
    hooks.release(hooks.user, block);
}

static void open_context(struct game *g, struct side *s) {
    static const tvgp_kernel_type none = {.struct_size = sizeof none, .name = "boxcar", .block = boxcar};
    static int users;
    const tvgp_allocator hooks = {.user = s, .allocate = allocate, .release = release};
    DEMAND(g, tvgp_ctx_create(&hooks, &s->ctx) == TVGP_OK, "no context");
    DEMAND(g, tvgp_ctx_register_kernel(s->ctx, &outside_se, &users, outside_destroy) == TVGP_OK, "outside");
    DEMAND(g, tvgp_ctx_register_kernel(s->ctx, &none, NULL, NULL) == TVGP_OK, "boxcar");
    DEMAND(g, tvgp_ctx_set_interrupt(s->ctx, interrupt, s) == TVGP_OK, "interrupt");
}

static tvgp_status make_kernel(const struct game *g, struct side *s) {
    const double length[DIM] = {0.4, 0.9};
    struct outside_se *o;
    tvgp_kernel *a = NULL, *b = NULL;
    tvgp_status status;
    switch (g->make) {
    case MATERN:
        return tvgp_kernel_matern(s->ctx, DIM, 1.5, 1, length, DIM, &s->kernel);
    case SUM:
        (void)tvgp_kernel_se(s->ctx, DIM, 1, length, DIM, &a);
        (void)tvgp_kernel_linear(s->ctx, DIM, 1, length, DIM, 0.5, &b);
        status = tvgp_kernel_sum(s->ctx, a, b, &s->kernel);
        tvgp_kernel_destroy(a);
        tvgp_kernel_destroy(b);
        return status;
    case OUTSIDE:
        o = calloc(1, sizeof *o);
        *o = (struct outside_se){.lengthscale = 0.4, .variance = 1};
        return tvgp_kernel_of_type(s->ctx, "outside-se", DIM, o, &s->kernel);
    case BOXCAR:
        return tvgp_kernel_of_type(s->ctx, "boxcar", DIM, NULL, &s->kernel);
    case NONE:
        return TVGP_OK;
    default:
        return tvgp_kernel_se(s->ctx, DIM, 1, length, DIM, &s->kernel);
    }
}

static tvgp_status make_product(const struct game *g, struct side *s) {
    tvgp_domain *actions = NULL, *contexts = NULL;
    double first[MOST_ARMS];
    for (size_t i = 0; i < g->arms; i++)
        first[i] = g->X[DIM * i];
    tvgp_status status = tvgp_domain_arms(s->ctx, g->arms, 1, first, &actions);
    if (status == TVGP_OK)
        status = g->place == MEASURED ? tvgp_domain_box(s->ctx, 1, g->low + 1, g->high + 1, &contexts)
                                      : tvgp_domain_arms(s->ctx, 3, 1, (const double[]){-1, 0, 0.5}, &contexts);
    if (status == TVGP_OK)
        status = tvgp_domain_product(s->ctx, actions, contexts, &s->domain);
    tvgp_domain_destroy(actions);
    tvgp_domain_destroy(contexts);
    return status;
}

static tvgp_status make_domain(const struct game *g, struct side *s) {
    tvgp_status status;
    switch (g->place) {
    case GRID:
        return tvgp_domain_grid(s->ctx, DIM, g->low, g->high, (const size_t[]){1 + g->arms % 5, 4}, &s->domain);
    case BOX:
        status = tvgp_domain_box(s->ctx, DIM, g->low, g->high, &s->domain);
        return status == TVGP_OK && g->whole ? tvgp_domain_box_integer(s->domain, 1) : status;
    case PRODUCT:
    case MEASURED:
        return make_product(g, s);
    default:
        return tvgp_domain_arms(s->ctx, g->arms, DIM, g->X, &s->domain);
    }
}

static void draw_table(struct game *g) {
    struct draw *d = &g->draw;
    g->place = (enum place)below(d, PLACES);
    g->make = (enum make)below(d, MAKES);
    g->arms = 1 + below(d, 20);
    for (size_t i = 0; i < DIM * MOST_ARMS; i++)
        g->X[i] = (double)((i * 37 + g->arms) % 61) / 16 - 1; /* all different */
    for (size_t k = 0; k < DIM; k++) {
        g->low[k] = g->lower[k] = (double)below(d, 17) - 8;
        g->high[k] = g->upper[k] = g->low[k] + (double)(1 + below(d, 24)) / 8;
    }
    g->whole = once_in(d, 3);
    g->size = pow(10, (double)below(d, 25) - 8);
}

static const char *const option_texts[] = {"",
                                           "search.effort=0.1",
                                           "outlier.sd=3",
                                           "fit=map fit.window=20 search.effort=0.1",
                                           "sense=min pending.limit=5",
                                           "window=7",
                                           "kdpp.steps=5 queries.scale=1 queries.power=1",
                                           "noise=0",
                                           "noise=1e-6 search.effort=0.1",
                                           "late.limit=3 outlier.sd=2"};

static tvgp_status make_policy(const struct game *g, struct side *s) {
    tvgp_status status = make_kernel(g, s);
    if (status == TVGP_OK)
        status = make_domain(g, s);
    if (status == TVGP_OK)
        status = tvgp_policy_create(s->ctx, g->name, s->domain, s->kernel, &s->policy);
    if (status == TVGP_OK)
        (void)tvgp_policy_set(s->policy, g->options);
    return status;
}

static void clear(struct game *g, struct side *s) {
    tvgp_policy_destroy(s->policy);
    tvgp_kernel_destroy(s->kernel);
    tvgp_domain_destroy(s->domain);
    tvgp_ctx_destroy(s->ctx);
    DEMAND(g, s->memory.allocated == s->memory.released, "%zu blocks, %zu given back", s->memory.allocated,
           s->memory.released);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static int32_t feasible(void *user, size_t n, const double *X, uint8_t *ok) {
    for (size_t i = 0; i < n; i++)
        ok[i] = X[DIM * i] <= ((const struct side *)user)->most;
    return 0;
}

static int32_t mean_of(void *user, size_t n, const double *X, double *mean, double *gradient) {
    (void)user;
    for (size_t i = 0; i < n; i++)
        mean[i] = 0.25 * X[DIM * i];
    for (size_t i = 0; gradient && i < DIM * n; i++)
        gradient[i] = i % DIM ? 0 : 0.25;
    return 0;
}

/* A policy made from a snapshot has none. */
static void give_functions(const struct game *g, struct side *s) {
    if (g->set)
        (void)tvgp_policy_set_feasible(s->policy, feasible, s);
    if (g->mean)
        (void)tvgp_policy_set_mean_fn(s->policy, mean_of, s);
}

/* ---- calls, on either side -------------------------------------------------------------------------------------- */

enum kind { ASK, TELL, FIT, EXTEND, BOUNDS, SET, MEAN, CONTEXT, BEST, GRADIENT, CANDIDATES, CALLS };

struct call {
    enum kind kind;
    double t, lower[DIM], upper[DIM], z, most, x[DIM];
    size_t n, more;
    int null;
    tvgp_obs obs;
};

struct seen {
    tvgp_query q[CAP];
    double x[DIM * CAP], mean[CAP], var[CAP], gradient[DIM * CAP];
    size_t n;
    int64_t arm, evals;
};

static tvgp_status extend(const struct game *g, struct side *s, size_t more) {
    tvgp_domain *larger = NULL;
    tvgp_status status = tvgp_domain_append(s->domain, more, g->X + DIM * g->arms, &larger);
    if (status == TVGP_OK)
        status = tvgp_policy_extend(s->policy, larger, NULL);
    if (status == TVGP_OK) {
        tvgp_domain *before = s->domain;
        s->domain = larger;
        larger = before;
    }
    tvgp_domain_destroy(larger);
    return status;
}

static tvgp_status set_feasible(struct side *s, const struct call *c) {
    const double before = s->most;
    s->most = c->most;
    tvgp_status status = tvgp_policy_set_feasible(s->policy, c->null ? NULL : feasible, s);
    s->most = status == TVGP_OK ? c->most : before;
    return status;
}

/* Up to three points. */
static tvgp_status set_candidates(const struct game *g, tvgp_policy *p, const struct call *c) {
    double X[3 * DIM];
    const double mean[] = {0.5, c->most, -c->z};
    memcpy(X, c->lower, sizeof c->lower);
    memcpy(X + DIM, c->upper, sizeof c->upper);
    memcpy(X + 2 * DIM, g->low, DIM * sizeof *X);
    return c->null ? tvgp_policy_set_candidates(p, 0, NULL, NULL)
                   : tvgp_policy_set_candidates(p, c->more + 1, X, c->n % 2 ? mean : NULL);
}

static tvgp_status run(const struct game *g, struct side *s, const struct call *c, struct seen *out) {
    tvgp_policy *p = s->policy;
    switch (c->kind) {
    case ASK:
        return tvgp_policy_ask(p, c->t, c->n, out->q, out->x, &out->n);
    case TELL:
        return tvgp_policy_tell(p, &c->obs, c->x, 1);
    case FIT:
        return tvgp_policy_fit(p, 3, &out->evals);
    case EXTEND:
        return extend(g, s, c->more);
    case BOUNDS:
        return tvgp_policy_set_bounds(p, c->null ? NULL : c->lower, c->null ? NULL : c->upper);
    case SET:
        return set_feasible(s, c);
    case CANDIDATES:
        return set_candidates(g, p, c);
    case MEAN:
        return tvgp_policy_set_mean_fn(p, c->null ? NULL : mean_of, s);
    case CONTEXT:
        return g->place == MEASURED ? tvgp_policy_set_context_x(p, &c->z, 1) : tvgp_policy_set_context(p, c->null ? -1 : 1);
    case BEST:
        return tvgp_policy_best(p, c->t, &out->arm, out->x);
    default:
        return tvgp_policy_predict_gradient(p, c->t, 1, c->x, out->mean, out->var, out->gradient, NULL);
    }
}

static const char *const call_names[CALLS] = {"ask",         "tell",        "fit",  "extend",   "set_bounds", "feasible",
                                              "set_mean_fn", "set_context", "best", "gradient", "candidates"};

/* ---- what must hold --------------------------------------------------------------------------------------------- */

/* Statistics of the side alone are read. */
static void look(struct game *g) {
    size_t n = 0;
    const char *key, *doc;
    double value;
    (void)tvgp_policy_stat_count(g->side.policy, &n);
    for (size_t i = 0; i < n; i++) {
        DEMAND(g, tvgp_policy_stat_name_at(g->side.policy, i, &key, &doc) == TVGP_OK, "statistic %zu", i);
        DEMAND(g, tvgp_policy_stat(g->side.policy, key, &value) != TVGP_OK || !isnan(value), "%s is NaN", key);
    }
}

static void check_place(struct game *g, const tvgp_query *q, const double *x) {
    DEMAND(g, isfinite(q->score), "score %g", q->score);
    if (g->place != BOX) {
        size_t n = 0;
        (void)tvgp_domain_size(g->side.domain, &n);
        DEMAND(g, g->place == MEASURED ? x[1] == g->z : q->arm >= 0 && (size_t)q->arm < n, "arm %d", (int)q->arm);
        return;
    }
    const int numbered = g->listed && q->kind == TVGP_ACTION;
    DEMAND(g, numbered ? q->arm >= 0 && (size_t)q->arm < g->listed : q->arm == -1, "row %d of %zu", (int)q->arm, g->listed);
    for (size_t k = 0; k < DIM; k++)
        DEMAND(g, x[k] >= g->lower[k] && x[k] <= g->upper[k], "%g is outside [%g, %g]", x[k], g->lower[k], g->upper[k]);
    DEMAND(g, !g->set || x[0] <= g->side.most, "%g is not feasible", x[0]);
    DEMAND(g, !g->whole || x[1] == nearbyint(x[1]), "%g is no whole number", x[1]);
}

static void after(struct game *g, const struct call *c, const struct seen *seen) {
    g->t = c->kind == ASK || (c->kind == TELL && c->t > g->t) ? c->t : g->t;
    g->begun |= c->kind == ASK || c->kind == TELL;
    for (size_t i = 0; c->kind == ASK && i < seen->n; i++) {
        check_place(g, &seen->q[i], seen->x + DIM * i);
        g->open[g->n_open < OPEN ? g->n_open++ : (size_t)seen->q[i].id % OPEN] = seen->q[i].id;
    }
    if (c->kind == EXTEND)
        g->arms += c->more;
    if (c->kind == CANDIDATES)
        g->listed = c->null ? 0 : c->more + 1;
    if (c->kind == SET)
        g->set = !c->null;
    if (c->kind == MEAN)
        g->mean = !c->null;
    if (c->kind == CONTEXT)
        g->z = c->z;
    for (size_t k = 0; c->kind == BOUNDS && k < DIM; k++) {
        g->lower[k] = c->null ? g->low[k] : c->lower[k];
        g->upper[k] = c->null ? g->high[k] : c->upper[k];
    }
    if (c->kind == GRADIENT)
        DEMAND(g, isfinite(seen->mean[0]) && isfinite(seen->var[0]) && seen->var[0] >= 0, "mean %g, variance %g",
               seen->mean[0], seen->var[0]);
}

/* First as it may fail, then as it comes; the twin sees only that. */
static void perform(struct game *g, const struct call *c) {
    struct seen untouched, seen, other;
    memset(&untouched, 0x5a, sizeof untouched);
    seen = other = untouched;
    g->call = call_names[c->kind];
    g->calls++;
    struct side *s = &g->side;
    s->memory.fail_in = once_in(&g->draw, 4) ? 1 + below(&g->draw, 24) : 0;
    s->interrupt_in = once_in(&g->draw, 8) ? 1 + (long)below(&g->draw, 4) : 0;
    tvgp_status status = run(g, s, c, &seen);
    s->memory.fail_in = 0;
    s->interrupt_in = 0;
    if (status == TVGP_ERR_NOMEM || status == TVGP_ERR_INTERRUPTED) {
        DEMAND(g, memcmp(&seen, &untouched, sizeof seen) == 0, "%s wrote something", tvgp_status_name(status));
        status = run(g, s, c, &seen);
    }
    tvgp_status twin = run(g, &g->twin, c, &other);
    DEMAND(g, status == twin, "%s, %s for the twin: %s%s", tvgp_status_name(status), tvgp_status_name(twin),
           tvgp_ctx_errmsg(s->ctx), tvgp_ctx_errmsg(g->twin.ctx));
    DEMAND(g, memcmp(&seen, &other, sizeof seen) == 0, "the twin saw something else");
    DEMAND(g, status != TVGP_ERR_INTERNAL, "%s", tvgp_ctx_errmsg(s->ctx));
    if (status >= 0)
        after(g, c, &seen);
    look(g);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* To be freed; NULL: it cannot be saved. */
static unsigned char *save(struct game *g, int whole, size_t *n) {
    tvgp_status (*const how)(const tvgp_policy *, void *, size_t, size_t *) =
        whole ? tvgp_policy_save_whole : tvgp_policy_save;
    size_t written = 0;
    tvgp_status status = how(g->side.policy, NULL, 0, n);
    DEMAND(g, status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED, "%s", tvgp_ctx_errmsg(g->side.ctx));
    if (status != TVGP_OK)
        return NULL;
    unsigned char *bytes = malloc(*n);
    DEMAND(g, how(g->side.policy, bytes, *n, &written) == TVGP_OK && written == *n, "%s", tvgp_ctx_errmsg(g->side.ctx));
    return bytes;
}

/* Goes on in a clone, from its own bytes, or in a policy made of a whole snapshot. */
static void replace(struct game *g) {
    struct side *s = &g->side;
    tvgp_policy *next = NULL;
    size_t n = 0;
    const size_t way = below(&g->draw, 3);
    g->call = way == 0 ? "clone" : way == 1 ? "load" : "create_from";
    unsigned char *bytes = way ? save(g, way == 2, &n) : NULL;
    if (way && !bytes)
        return;
    tvgp_status status = way == 0   ? tvgp_policy_clone(s->policy, &next)
                         : way == 1 ? tvgp_policy_load(s->policy, bytes, n)
                                    : tvgp_policy_create_from(s->ctx, bytes, n, NULL, NULL, &next);
    DEMAND(g, status == TVGP_OK || (way == 0 && status == TVGP_ERR_UNSUPPORTED), "%s: %s", tvgp_status_name(status),
           tvgp_ctx_errmsg(s->ctx));
    free(bytes);
    if (!next)
        return;
    tvgp_policy_destroy(s->policy);
    s->policy = next;
    give_functions(g, s);
    look(g);
}

/* Some bytes of another kind: most of them small whole numbers, ends of ranges, and none. */
static void forge(struct draw *d, unsigned char *b, size_t n) {
    static const unsigned char words[][8] = {{0},
                                             {1},
                                             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                                             {0, 0, 0, 0, 0, 0, 0xf0, 0x7f},
                                             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f},
                                             {0, 0, 0, 0, 0, 0, 0, 0x80},
                                             {0xff, 0xff, 0xff, 0x7f}};
    for (size_t k = 1 + below(d, 3); k; k--) {
        size_t at = (below(d, 256) * 256 + below(d, 256)) % n;
        if (once_in(d, 2))
            b[at] = (unsigned char)below(d, 256);
        else if (at + 8 <= n)
            memcpy(b + at, words[below(d, sizeof words / sizeof *words)], 8);
    }
    seal_snapshot(b, n);
}

/* Options that make a call long, not wrong. */
static int endless(const tvgp_policy *p) {
    double effort = 0;
    int64_t grid = 0, steps = 0;
    (void)tvgp_policy_get_f64(p, "search.effort", &effort);
    (void)tvgp_policy_get_i64(p, "search.grid", &grid);
    (void)tvgp_policy_get_i64(p, "kdpp.steps", &steps);
    return effort > 2 || grid > 16 || steps > 1000 || tvgp_policy_get_i64(p, "fit.evals", &grid) == TVGP_OK;
}

/* What took a forged snapshot reads and writes nothing that is not its own; what it says may be wrong. */
static void use(const struct game *g, struct side *s, tvgp_policy *p) {
    tvgp_query q[CAP];
    double x[DIM * CAP], mean, var, value;
    const double z = g->low[1];
    size_t n = 0, stats = 0;
    const char *key, *doc;
    tvgp_policy *copy = NULL;
    if (endless(p))
        return;
    if (g->place == MEASURED)
        (void)tvgp_policy_set_context_x(p, &z, 1);
    for (int i = 0; i < 3; i++)
        if (tvgp_policy_ask(p, 1e6 + i, CAP, q, x, &n) == TVGP_OK && n)
            (void)tvgp_policy_tell_value(p, q[0].id, 0.5);
    (void)tvgp_policy_predict(p, 2e6, 1, g->X, &mean, &var);
    (void)tvgp_policy_stat_count(p, &stats);
    for (size_t i = 0; i < stats && tvgp_policy_stat_name_at(p, i, &key, &doc) == TVGP_OK; i++)
        (void)tvgp_policy_stat(p, key, &value);
    if (tvgp_policy_save(p, NULL, 0, &n) == TVGP_OK && tvgp_policy_clone(p, &copy) == TVGP_OK)
        tvgp_policy_destroy(copy);
    (void)s;
}

static void play_forged(struct game *g) {
    struct side *s = &g->side;
    const int whole = once_in(&g->draw, 2);
    tvgp_policy *victim = NULL;
    size_t n = 0;
    g->call = whole ? "create_from of a forged snapshot" : "load of a forged snapshot";
    unsigned char *bytes = save(g, whole, &n);
    if (!bytes)
        return;
    if (!whole && tvgp_policy_clone(s->policy, &victim) != TVGP_OK) {
        free(bytes);
        return;
    }
    forge(&g->draw, bytes, n);
    s->limit = FORGED;
    tvgp_status status =
        whole ? tvgp_policy_create_from(s->ctx, bytes, n, NULL, NULL, &victim) : tvgp_policy_load(victim, bytes, n);
    DEMAND(g, status != TVGP_ERR_INTERNAL && status <= 0, "%s", tvgp_status_name(status));
    if (victim)
        use(g, s, victim);
    s->limit = 0;
    tvgp_policy_destroy(victim);
    free(bytes);
}

/* ---- the game --------------------------------------------------------------------------------------------------- */

static void draw_answer(struct game *g, struct call *c) {
    struct draw *d = &g->draw;
    const size_t i = g->n_open ? below(d, g->n_open) : 0;
    const double y = g->size * ((double)below(d, 129) - 64) / 64;
    if (!g->n_open || once_in(d, 4)) {
        c->obs = tvgp_obs_unasked(c->t, once_in(d, 2) ? y : y / 64);
        memcpy(c->x, g->place == BOX ? g->lower : g->X + DIM * below(d, g->arms), sizeof c->x);
        if (g->place == MEASURED)
            c->x[1] = g->low[1];
        return;
    }
    c->obs = tvgp_obs_value(g->open[i], y);
    g->open[i] = g->open[--g->n_open];
}

static void draw_call(struct game *g, struct call *c) {
    static const enum kind often[] = {ASK,    TELL,   ASK, TELL, ASK,     TELL, ASK,      FIT,
                                      EXTEND, BOUNDS, SET, MEAN, CONTEXT, BEST, GRADIENT, CANDIDATES};
    struct draw *d = &g->draw;
    *c = (struct call){.kind = often[below(d, sizeof often / sizeof *often)]};
    c->t = g->t + (double)below(d, 5) / 2;
    c->n = 1 + below(d, CAP);
    c->null = once_in(d, 3);
    c->more = 1 + below(d, 2);
    c->z = g->low[1] + (g->high[1] - g->low[1]) * (double)below(d, 9) / 8;
    c->most = g->low[0] + (g->high[0] - g->low[0]) * (double)(1 + below(d, 8)) / 8;
    for (size_t k = 0; k < DIM; k++) {
        const double a = (double)below(d, 9) / 8, b = (double)below(d, 9) / 8, side = g->high[k] - g->low[k];
        c->lower[k] = g->low[k] + side * fmin(a, b);
        c->upper[k] = g->low[k] + side * fmax(a, b);
    }
    memcpy(c->x, g->place == BOX ? g->low : g->X, sizeof c->x);
    if (c->kind == TELL)
        draw_answer(g, c);
    if (c->kind == EXTEND && g->arms + c->more > MOST_ARMS)
        c->kind = ASK;
    if (g->place == MEASURED && !g->placed) {
        c->kind = CONTEXT;
        g->placed = 1;
    }
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    struct game g = {.label = label, .call = "create", .draw = {.byte = bytes, .left = n}};
    struct call c;
    g.name = harness_policy_at((int)below(&g.draw, (size_t)harness_policies()));
    draw_table(&g);
    g.options = option_texts[below(&g.draw, sizeof option_texts / sizeof *option_texts)];
    open_context(&g, &g.side);
    open_context(&g, &g.twin);
    tvgp_status status = make_policy(&g, &g.side);
    DEMAND(&g, make_policy(&g, &g.twin) == status, "the twin: %s", tvgp_ctx_errmsg(g.twin.ctx));
    while (status == TVGP_OK && g.draw.left) {
        const size_t what = below(&g.draw, 16);
        if (what == 15) {
            replace(&g);
        } else if (what == 14) {
            play_forged(&g);
        } else {
            draw_call(&g, &c);
            perform(&g, &c);
        }
    }
    g.call = "destroy";
    clear(&g, &g.side);
    clear(&g, &g.twin);
}
