/* SPDX-License-Identifier: MIT */
/* Games about state. A policy is saved and loaded, made again from a whole snapshot, replaced by its clone, moved to more arms, fitted,
 * interrupted, refused memory, stopped by a quota, failed by its parts, and read after every call; its twin gets the calls that
 * succeeded and is never read, saved or replaced. Both must do the same, to the last bit. Snapshots of it are forged, also those
 * nested in them, with right checksums or wrong ones, and parts from outside lie about what they save; what takes such a snapshot is
 * used. */
#include "base/quota.h"
#include "fuzz/draw.h"
#include "fuzz/parts.h"
#include "fuzz/play.h"
#include "fuzz/table.h"
#include "seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAP = 4, BATCH = 3, FORGED = 1 << 24 };
static const int64_t FORGED_WORK = 200000;

/* ---- functions -------------------------------------------------------------------------------------------------- */

static int32_t feasible(void *user, size_t n, const double *X, uint8_t *ok) {
    for (size_t i = 0; i < n; i++)
        ok[i] = X[DIM * i] <= ((const struct side *)user)->most;
    return 0;
}

/* A policy made from a snapshot has none. */
static void give_functions(const struct game *g, struct side *s) {
    if (g->set)
        (void)tvgp_policy_set_feasible(s->policy, feasible, s, NULL);
    if (g->mean)
        (void)tvgp_policy_set_prior_mean_fn(s->policy, table_mean, s, NULL);
}

/* ---- calls, on either side -------------------------------------------------------------------------------------- */

enum kind {
    ASK,
    TELL,
    FIT,
    EXTEND,
    BOUNDS,
    SET,
    MEAN,
    CONTEXT,
    BEST,
    GRADIENT,
    CANDIDATES,
    ADD_PRIOR,
    PRIOR_MEAN,
    PLAIN_MEAN,
    AVAILABLE,
    INCUMBENT,
    SCORE,
    LIMIT,
    RISK,
    LEARN,
    FORESEEN,
    CALLS
};

struct call {
    enum kind kind;
    double t, lower[DIM], upper[DIM], z, most, x[DIM * BATCH];
    size_t n, more, told;
    int null;
    tvgp_obs obs[BATCH];
    struct prior prior;
    size_t size, arms; /* of numbers and mask; arms there are */
    double number[4 * MOST_ARMS];
    uint8_t mask[4 * MOST_ARMS];
};

struct seen {
    tvgp_query q[CAP];
    double x[DIM * CAP], mean[CAP], var[CAP], gradient[DIM * CAP], score[4 * MOST_ARMS], foreseen[4 * MOST_ARMS];
    size_t n;
    int64_t arm;
    size_t evals;
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
    tvgp_status status = tvgp_policy_set_feasible(s->policy, c->null ? NULL : feasible, s, NULL);
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

/* Of all arms; of one point of a box. */
static tvgp_status score(const struct game *g, tvgp_policy *p, const struct call *c, struct seen *out) {
    return g->place == BOX ? harness_scores(p, c->t, 1, c->x, out->score, out->mean, out->var)
                           : harness_scores(p, c->t, c->arms, NULL, out->score, NULL, NULL);
}

/* A table of 8, 16 or 64 rows, the newest of now, with blanks or without. */
static tvgp_status learn(const struct game *g, tvgp_policy *p, const struct call *c) {
    static double value[64 * 4 * MOST_ARMS];
    const size_t rows = (size_t[]){8, 16, 64}[c->n % 3];
    double t[64];
    for (size_t i = 0; i < rows * c->arms; i++) {
        const double row = (double)(i / c->arms), arm = (double)(i % c->arms);
        t[i / c->arms] = c->t - (double)rows + row;
        value[i] = c->null && i % 3 == c->more ? NAN : g->size * (sin(c->z * row) + cos(arm + c->most * row));
    }
    return tvgp_policy_learn_history_table(p, rows, t, value);
}

static tvgp_status run(struct game *g, struct side *s, const struct call *c, struct seen *out) {
    tvgp_policy *p = s->policy;
    switch (c->kind) {
    case ASK:
        return tvgp_policy_ask(p, c->t, c->n, out->q, out->x, &out->n);
    case TELL:
        return tvgp_policy_tell(p, c->told, c->obs, c->x);
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
        return tvgp_policy_set_prior_mean_fn(p, c->null ? NULL : table_mean, s, NULL);
    case CONTEXT:
        return g->place == MEASURED ? tvgp_policy_set_context_point(p, 1, &c->z)
                                    : tvgp_policy_set_context(p, c->null ? -1 : 1);
    case LIMIT:
        return c->null ? tvgp_policy_set_safe(p, c->n % 2, c->n % 2 ? c->x : NULL)
                       : tvgp_policy_set_constraint(p, (int32_t)c->more, c->z);
    case RISK:
        return harness_risks(p, c->t, 1, c->x, out->mean);
    case BEST:
        return tvgp_policy_best(p, c->t, &out->arm, out->x);
    case ADD_PRIOR:
        return table_add_prior(g, s, &c->prior);
    case PRIOR_MEAN:
        return tvgp_policy_set_added_prior_mean(p, c->more - 1, c->null ? 0 : c->size, c->null ? NULL : c->number);
    case PLAIN_MEAN:
        return tvgp_policy_set_prior_mean(p, c->null ? 0 : c->size, c->null ? NULL : c->number);
    case AVAILABLE:
        return tvgp_policy_set_available(p, c->null ? 0 : c->arms, c->null ? NULL : c->mask);
    case INCUMBENT:
        return tvgp_policy_set_incumbent(p, c->null ? NULL : c->x, 0.25 * (double)c->more);
    case SCORE:
        return score(g, p, c, out);
    case LEARN:
        return learn(g, p, c);
    case FORESEEN:
        return tvgp_policy_prior_mean(p, c->t, c->arms, out->foreseen);
    default:
        return harness_gradients(p, c->t, 1, c->x, out->mean, out->var, out->gradient, NULL);
    }
}

static const char *const call_names[CALLS] = {"ask",
                                              "tell",
                                              "fit",
                                              "extend",
                                              "set_bounds",
                                              "feasible",
                                              "set_prior_mean_fn",
                                              "set_context",
                                              "best",
                                              "gradient",
                                              "candidates",
                                              "add_prior",
                                              "set_added_prior_mean",
                                              "set_prior_mean",
                                              "set_available",
                                              "set_incumbent",
                                              "score",
                                              "limit",
                                              "risk",
                                              "learn_history_table",
                                              "mean"};

/* ---- what must hold --------------------------------------------------------------------------------------------- */

/* Statistics of the side alone are read. */
static void look(struct game *g) {
    size_t n = 0;
    tvgp_stat_info info = {0};
    double value;
    (void)tvgp_policy_stat_count(g->side.policy, &n);
    for (size_t i = 0; i < n; i++) {
        DEMAND(g, tvgp_policy_stat_info(g->side.policy, i, &info) == TVGP_OK, "statistic %zu", i);
        DEMAND(g, tvgp_policy_stat(g->side.policy, info.key, &value) != TVGP_OK || !isnan(value), "%s is NaN", info.key);
    }
}

static void check_place(struct game *g, const tvgp_query *q, const double *x) {
    DEMAND(g, isfinite(q->score) && q->risk >= 0 && q->risk <= 1, "score %g, risk %g", q->score, q->risk);
    if (g->place != BOX) {
        size_t n = 0;
        (void)tvgp_domain_size(g->side.domain, &n);
        DEMAND(g, q->arm >= 0 && (size_t)q->arm < n && !g->masked[q->arm], "arm %d", (int)q->arm);
        DEMAND(g, g->place != MEASURED || x[1] == g->z, "%g instead of %g", x[1], g->z);
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
    if (c->kind == PLAIN_MEAN)
        g->mean = 0;
    for (size_t i = 0; c->kind == AVAILABLE && i < c->arms; i++)
        g->masked[i] = !c->null && !c->mask[i];
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

/* What ends the next call on the side, if anything does. */
static void draw_faults(struct game *g) {
    static const char *const ops[] = {"start", "ask", "tell", "predict"};
    struct draw *d = &g->draw;
    struct side *s = &g->side;
    size_t held = 0;
    (void)tvgp_ctx_memory(s->ctx, &held);
    if (once_in(d, 4))
        table_quota(s, once_in(d, 2) ? held + 64 * below(d, 64) : 0, 1 + (int64_t)(below(d, 64) * below(d, 64)));
    s->memory.fail_in = once_in(d, 2) ? 1 + below(d, once_in(d, 4) ? 200 : 24) : 0;
    s->memory.lasting = s->memory.fail_in && once_in(d, 4);
    s->interrupt_in = once_in(d, 4) ? 1 + (long)below(d, 4) : 0;
    parts_fault.fail_in = once_in(d, 8) ? 1 + (long)below(d, 8) : 0;
    if (once_in(d, 16))
        outside_fault = (struct outside_fault){.op = ops[below(d, sizeof ops / sizeof *ops)], .status = PARTS_FAILED};
}

static void clear_faults(struct side *s) {
    s->memory.fail_in = 0;
    s->memory.lasting = 0;
    s->interrupt_in = 0;
    parts_fault.fail_in = 0;
    outside_fault = (struct outside_fault){0};
    table_quota(s, 0, 0);
}

/* Whether a call may have failed for what was drawn; without that it comes again. */
static int disturbed(tvgp_status status) {
    return status == TVGP_ERR_NOMEM || status == TVGP_ERR_INTERRUPTED || status == TVGP_ERR_CALLBACK ||
           status == TVGP_ERR_LIMIT || status <= -1000;
}

/* An error has a message, and success has none. */
static tvgp_status attempt(struct game *g, const struct call *c, struct seen *seen) {
    const tvgp_status status = run(g, &g->side, c, seen);
    const char *message = tvgp_ctx_errmsg(g->side.ctx);
    DEMAND(g, status != TVGP_ERR_INTERNAL && (*message != 0) == (status < 0), "%s, and says \"%s\"",
           tvgp_status_name(status), message);
    return status;
}

/* As it may fail, up to three times, until it does not. */
static tvgp_status run_disturbed(struct game *g, const struct call *c, struct seen *seen) {
    struct side *s = &g->side;
    const struct seen untouched = *seen;
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t tries = 1 + below(&g->draw, 3); tries && disturbed(status); tries--) {
        draw_faults(g);
        const int may_fail = parts_fault.fail_in > 0;
        status = attempt(g, c, seen);
        const int failed = (may_fail && !parts_fault.fail_in) || tvgp__quota_exceeded(s->ctx, TVGP_ERR_LIMIT);
        /* A kernel or a quota failed while rows of a box that say nothing any more were let go: they stay, and here the twins
         * part. */
        if (status >= 0 && failed && (g->place == BOX || g->place == MEASURED))
            g->draw.left = 0;
        clear_faults(s);
        DEMAND(g, status >= 0 || memcmp(seen, &untouched, sizeof *seen) == 0, "%s wrote something",
               tvgp_status_name(status));
    }
    return status;
}

/* First as it may fail, then as it comes; the twin sees only that. */
static void perform(struct game *g, const struct call *c) {
    struct seen seen, other;
    memset(&seen, 0x5a, sizeof seen);
    other = seen;
    g->call = call_names[c->kind];
    g->calls++;
    tvgp_status status = run_disturbed(g, c, &seen);
    if (disturbed(status))
        status = attempt(g, c, &seen);
    tvgp_status twin = run(g, &g->twin, c, &other);
    DEMAND(g, status == twin, "%s, %s for the twin: %s%s", tvgp_status_name(status), tvgp_status_name(twin),
           tvgp_ctx_errmsg(g->side.ctx), tvgp_ctx_errmsg(g->twin.ctx));
    DEMAND(g, memcmp(&seen, &other, sizeof seen) == 0, "the twin saw something else");
    if (status >= 0)
        after(g, c, &seen);
    look(g);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* To be freed; NULL: it cannot be saved. */
static unsigned char *save(struct game *g, int whole, size_t *n) {
    tvgp_status (*const how)(const tvgp_policy *, size_t, void *, size_t *) =
        whole ? tvgp_policy_save_full : tvgp_policy_save;
    size_t written = 0;
    tvgp_status status = how(g->side.policy, 0, NULL, n);
    DEMAND(g, status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED, "%s", tvgp_ctx_errmsg(g->side.ctx));
    if (status != TVGP_OK)
        return NULL;
    unsigned char *bytes = malloc(*n);
    DEMAND(g, how(g->side.policy, *n, bytes, &written) == TVGP_OK && written == *n, "%s", tvgp_ctx_errmsg(g->side.ctx));
    return bytes;
}

/* Goes on in a clone, from its own bytes, or in a policy made of a whole snapshot: the first attempt may fail. */
static void replace(struct game *g) {
    struct side *s = &g->side;
    tvgp_policy *next = NULL;
    size_t n = 0;
    const size_t way = below(&g->draw, g->functions ? 2 : 3);
    g->call = way == 0 ? "clone" : way == 1 ? "load" : "restore";
    unsigned char *bytes = way ? save(g, way == 2, &n) : NULL;
    if (way && !bytes)
        return;
    tvgp_status status = TVGP_ERR_NOMEM;
    for (int spared = 0; spared < 2 && disturbed(status); spared++) {
        if (!spared)
            draw_faults(g);
        status = way == 0   ? tvgp_policy_clone(s->policy, &next)
                 : way == 1 ? tvgp_policy_load(s->policy, n, bytes)
                            : tvgp_policy_restore(s->ctx, n, bytes, NULL, NULL, &next);
        if (disturbed(status))
            clear_faults(s);
    }
    DEMAND(g, status == TVGP_OK || (way == 0 && status == TVGP_ERR_UNSUPPORTED), "%s: %s", tvgp_status_name(status),
           tvgp_ctx_errmsg(s->ctx));
    clear_faults(s);
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
}

/* A snapshot of a stranger may ask for anything: memory and work of each call are bounded (docs/guide/persistence.md). */
static void begin_forged(struct side *s) {
    s->limit = FORGED;
    table_quota(s, 0, FORGED_WORK);
    s->patience = 64;
}

static void end_forged(struct side *s) {
    s->limit = 0;
    s->patience = 0;
    clear_faults(s);
}

/* What took a forged snapshot reads and writes nothing that is not its own; what it says may be wrong. */
static void use(const struct game *g, tvgp_policy *p) {
    tvgp_query q[CAP];
    double x[DIM * CAP], mean, var, value;
    const double z = g->low[1];
    size_t n = 0, stats = 0;
    tvgp_stat_info info;
    tvgp_policy *copy = NULL;
    if (g->place == MEASURED)
        (void)tvgp_policy_set_context_point(p, 1, &z);
    for (int i = 0; i < 3; i++)
        if (tvgp_policy_ask(p, 1e6 + i, CAP, q, x, &n) == TVGP_OK && n)
            (void)tvgp_policy_tell_value(p, q[0].id, 0.5);
    (void)tvgp_policy_predict(p, 2e6, 1, g->X, &mean, &var);
    (void)tvgp_policy_stat_count(p, &stats);
    for (size_t i = 0; i < stats && tvgp_policy_stat_info(p, i, &info) == TVGP_OK; i++)
        (void)tvgp_policy_stat(p, info.key, &value);
    if (tvgp_policy_save(p, 0, NULL, &n) == TVGP_OK && tvgp_policy_clone(p, &copy) == TVGP_OK)
        tvgp_policy_destroy(copy);
}

static void play_forged(struct game *g) {
    struct side *s = &g->side;
    const int whole = once_in(&g->draw, 2);
    tvgp_policy *victim = NULL;
    size_t n = 0;
    g->call = whole ? "restore of a forged snapshot" : "load of a forged snapshot";
    unsigned char *bytes = save(g, whole, &n);
    if (!bytes)
        return;
    if (!whole && tvgp_policy_clone(s->policy, &victim) != TVGP_OK) {
        free(bytes);
        return;
    }
    unsigned char *const before = malloc(n);
    memcpy(before, bytes, n);
    forge(&g->draw, bytes, n);
    const int sealed = !once_in(&g->draw, 4), changed = memcmp(before, bytes, n) != 0;
    free(before);
    if (sealed)
        seal_snapshot(bytes, n);
    begin_forged(s);
    tvgp_status status =
        whole ? tvgp_policy_restore(s->ctx, n, bytes, NULL, NULL, &victim) : tvgp_policy_load(victim, n, bytes);
    DEMAND(g, status != TVGP_ERR_INTERNAL && status <= 0, "%s", tvgp_status_name(status));
    DEMAND(g, sealed || !changed || status != TVGP_OK, "taken with a wrong checksum");
    if (victim)
        use(g, victim);
    end_forged(s);
    tvgp_policy_destroy(victim);
    free(bytes);
}

/* ---- lies ------------------------------------------------------------------------------------------------------- */

static void draw_lie(struct draw *d) {
    static const size_t sizes[] = {0, 1, 8, 16, 24, 1 << 20, SIZE_MAX, SIZE_MAX / 2};
    static const int32_t statuses[] = {-1234, 1, -1, -3, TVGP_AGAIN, -2000};
    parts_fault = (struct parts_fault){.lie = (enum lie)(1 + below(d, LIES - 1)), .bytes = (unsigned char)below(d, 256)};
    parts_fault.size = sizes[below(d, sizeof sizes / sizeof *sizes)] - below(d, 64);
    parts_fault.status = statuses[below(d, sizeof statuses / sizeof *statuses)];
}

static void make_of_lies(struct game *g, const unsigned char *bytes, size_t n) {
    struct side *s = &g->side;
    tvgp_policy *copy = NULL;
    if (tvgp_policy_restore(s->ctx, n, bytes, NULL, NULL, &copy) == TVGP_OK) {
        parts_fault.lie = HONEST;
        use(g, copy);
    }
    tvgp_policy_destroy(copy);
}

/* While its parts lie the policy is saved, copied and made of what was saved, or told that it cannot be; it goes on as if nothing had
 * been asked. */
static void play_lies(struct game *g) {
    enum { ROOM = 1 << 16, GUARD = 64 };
    struct side *s = &g->side;
    const int whole = once_in(&g->draw, 2);
    tvgp_policy *copy = NULL;
    size_t n = 0, room = below(&g->draw, 3) * 600;
    unsigned char *bytes = malloc(ROOM + GUARD);
    g->call = "saves that lie";
    room = room == 1200 ? ROOM : room;
    memset(bytes, 0xa5, ROOM + GUARD);
    (void)tvgp_policy_save(s->policy, 0, NULL, &n); /* what a kernel is known by is found once, of the honest one */
    begin_forged(s);
    draw_lie(&g->draw);
    tvgp_status status = (whole ? tvgp_policy_save_full : tvgp_policy_save)(s->policy, room, bytes, &n);
    for (size_t i = room; i < ROOM + GUARD; i++)
        DEMAND(g, bytes[i] == 0xa5, "byte %zu of %zu was written", i, room);
    DEMAND(g, status != TVGP_ERR_INTERNAL && status <= 0 && (status != TVGP_OK || n <= room), "%s",
           tvgp_status_name(status));
    if (tvgp_policy_clone(s->policy, &copy) == TVGP_OK && status == TVGP_OK && !whole)
        (void)tvgp_policy_load(copy, n, bytes);
    tvgp_policy_destroy(copy);
    if (status == TVGP_OK && whole)
        make_of_lies(g, bytes, n);
    parts_fault = (struct parts_fault){0};
    end_forged(s);
    free(bytes);
}

/* ---- the game --------------------------------------------------------------------------------------------------- */

static void draw_answer(struct game *g, struct call *c, tvgp_obs *o, double *x) {
    struct draw *d = &g->draw;
    const size_t i = g->n_open ? below(d, g->n_open) : 0;
    const double y = g->size * ((double)below(d, 129) - 64) / 64;
    const int64_t output = (int64_t)below(d, 1 + g->limits);
    memcpy(x, g->place == BOX ? g->lower : g->X + DIM * below(d, g->arms), DIM * sizeof *x);
    if (g->place == MEASURED)
        x[1] = g->low[1];
    if (!g->n_open || once_in(d, 4)) {
        *o = tvgp_obs_unsolicited(c->t, once_in(d, 2) ? y : y / 64);
    } else {
        *o = tvgp_obs_value(g->open[i], y);
        o->outcome = once_in(d, 4) ? (int32_t)below(d, 4) : TVGP_VALUE;
        if (output == (int64_t)g->limits)
            g->open[i] = g->open[--g->n_open];
    }
    o->output = (int32_t)output;
    if (once_in(d, 8)) {
        o->flags |= TVGP_OBS_HAS_TIME;
        o->t = c->t - (double)below(d, 16) / 2;
    }
}

/* As many as there are arms, or one; few are masked. */
static void draw_numbers(struct game *g, struct call *c) {
    struct draw *d = &g->draw;
    if (c->kind == ADD_PRIOR)
        c->prior = table_draw_prior(d);
    if (c->kind < PRIOR_MEAN)
        return;
    (void)tvgp_domain_size(g->side.domain, &c->arms);
    c->size = once_in(d, 2) ? 1 : c->arms;
    for (size_t i = 0; i < 4 * MOST_ARMS; i++) {
        c->number[i] = c->kind == AVAILABLE ? 0 : g->size * ((double)(i * 29 % 17) - 8) / 16;
        c->mask[i] = c->kind != AVAILABLE || !once_in(d, 4);
    }
}

static void draw_call(struct game *g, struct call *c) {
    static const enum kind often[] = {ASK,       TELL,       ASK,    TELL,  ASK,       TELL,       ASK,
                                      FIT,       EXTEND,     BOUNDS, SET,   MEAN,      CONTEXT,    BEST,
                                      GRADIENT,  CANDIDATES, ASK,    TELL,  ADD_PRIOR, PRIOR_MEAN, PLAIN_MEAN,
                                      AVAILABLE, INCUMBENT,  SCORE,  LEARN, FORESEEN};
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
    memcpy(c->x, g->place == BOX ? g->low : g->X, DIM * sizeof *c->x);
    draw_numbers(g, c);
    if (g->limits && once_in(d, 8))
        c->kind = once_in(d, 2) ? LIMIT : RISK;
    if (c->kind == TELL) {
        c->told = once_in(d, 4) ? BATCH : 1;
        for (size_t i = 0; i < c->told; i++)
            draw_answer(g, c, &c->obs[i], c->x + DIM * i);
    }
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
    table_draw(&g);
    table_open(&g, &g.side);
    table_open(&g, &g.twin);
    tvgp_status status = table_make(&g, &g.side);
    DEMAND(&g, table_make(&g, &g.twin) == status, "the twin: %s", tvgp_ctx_errmsg(g.twin.ctx));
    while (status == TVGP_OK && g.draw.left) {
        const size_t what = below(&g.draw, 32);
        if (what >= 30) {
            replace(&g);
        } else if (what >= 28) {
            play_forged(&g);
        } else if (what == 27) {
            play_lies(&g);
        } else {
            draw_call(&g, &c);
            perform(&g, &c);
        }
    }
    g.call = "destroy";
    table_clear(&g, &g.side);
    table_clear(&g, &g.twin);
}
