/* SPDX-License-Identifier: MIT */
/* Games about logs. A policy is created from a description, plays a few calls and records them. The log is written as lines and read
 * again, then replayed and estimated from: as it is, when both must succeed, and with forged members, sizes and bytes, when both may
 * fail, with a message and without a trace outside of the policy. Descriptions are forged too. */
#include "cases.h"
#include "fuzz/draw.h"
#include "fuzz/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 24, EACH = 24, LINE = 4096, TEXT = 200 };

static const char *const descriptions[] = {
    "gp-ucb indices=4 se=.5",
    "auto-gp-ucb indices=3",
    "tv-gp-ucb grid=0:1:5 se=.3 epsilon=.1 exploration.floor=.3",
    "gp-ucb box=0:1 se=.4 noise=.1",
    "sw-gp-ucb grid=0:1:3,0:2:2 se=.5,1 window=4",
    "gp-ucb grid=0:1:3 contexts=2 se=.3,1",
    "gp-ucb grid=0:1:4 contexts=0:1 se=.3,.5",
    "tv-gp-ucb grid=0:1:4 se=.3 at_most=2 safe=0",
};

struct game {
    const char *label;
    struct draw draw;
    struct memory memory;
    tvgp_ctx *ctx;
    char text[TEXT];
    tvgp_policy *policy;
    size_t dim, n, n_x;
    tvgp_event event[EVENTS];
    double x[EVENTS * EACH];
};

#define DEMAND(g, condition, ...)                                                                                           \
    do {                                                                                                                    \
        if (!(condition)) {                                                                                                 \
            fprintf(stderr, "\n%s: %s: %s: ", (g)->label, (g)->text, #condition);                                           \
            fprintf(stderr, __VA_ARGS__);                                                                                   \
            fprintf(stderr, "\n");                                                                                          \
            abort();                                                                                                        \
        }                                                                                                                   \
    } while (0)

/* ---- an honest log -------------------------------------------------------------------------------------------------- */

static void record(struct game *g, tvgp_event e, const double *x) {
    if (g->n == EVENTS || e.size > EACH)
        return;
    e.n = (int64_t)g->n + 1;
    for (int64_t i = 0; i < e.size; i++)
        g->x[g->n_x + (size_t)i] = x[i];
    g->n_x += (size_t)e.size;
    g->event[g->n++] = e;
}

static void play_ask(struct game *g, double t) {
    double x[EACH];
    tvgp_query q;
    const tvgp_status status = tvgp_policy_ask_one(g->policy, t, &q, x);
    if (status != TVGP_OK)
        return;
    record(g,
           (tvgp_event){.kind = TVGP_EVENT_ASK,
                        .id = q.id,
                        .arm = q.arm,
                        .t = t,
                        .propensity = q.propensity,
                        .size = once_in(&g->draw, 2) ? (int64_t)g->dim : 0},
           x);
    const tvgp_obs obs = tvgp_obs_value(q.id, number(&g->draw));
    if (once_in(&g->draw, 4) || tvgp_policy_tell(g->policy, 1, &obs, NULL) < 0)
        return;
    record(g, (tvgp_event){.kind = TVGP_EVENT_TELL, .id = q.id, .y = obs.y}, NULL);
}

/* One setting, which the policy may refuse. */
static void play_setting(struct game *g) {
    double x[EACH];
    const size_t n = 1 + below(&g->draw, 4);
    for (size_t i = 0; i < EACH; i++)
        x[i] = (double)below(&g->draw, 9) / 8;
    const tvgp_event settings[] = {
        {.kind = TVGP_EVENT_CANDIDATES, .arm = (int64_t)n, .size = (int64_t)(n * g->dim)},
        {.kind = TVGP_EVENT_CONTEXT, .arm = (int64_t)below(&g->draw, 2)},
        {.kind = TVGP_EVENT_CONTEXT_POINT, .size = 1},
        {.kind = TVGP_EVENT_PRIOR_MEAN, .size = 4},
        {.kind = TVGP_EVENT_INCUMBENT, .y = .5, .size = (int64_t)g->dim},
    };
    tvgp_event e = settings[below(&g->draw, sizeof settings / sizeof *settings)];
    tvgp_policy *twin;
    e.n = 1;
    if (e.size > EACH || tvgp_policy_clone(g->policy, &twin) < 0)
        return;
    if (tvgp_policy_apply(twin, 1, &e, (size_t)e.size, x) == TVGP_OK &&
        tvgp_policy_apply(g->policy, 1, &e, (size_t)e.size, x) == TVGP_OK)
        record(g, e, x);
    tvgp_policy_destroy(twin);
}

static void play_log(struct game *g) {
    for (int t = 0; t < 8; t++) {
        if (once_in(&g->draw, 2))
            play_setting(g);
        play_ask(g, t);
    }
}

/* ---- forgeries ------------------------------------------------------------------------------------------------------ */

static int64_t integer(struct draw *d) {
    static const int64_t odd[] = {
        -1, 0, 1, 2, 3, 17, 1 << 20, INT64_C(1) << 31, INT64_C(1) << 53, INT64_C(1) << 60, INT64_MAX, INT64_MIN};
    return odd[below(d, sizeof odd / sizeof *odd)];
}

static void forge_member(struct draw *d, tvgp_event *e) {
    const int64_t value = integer(d);
    int64_t *const wide[] = {&e->n, &e->id, &e->arm};
    int32_t *const narrow[] = {&e->kind, &e->outcome, &e->output, &e->slate, &e->outputs};
    double *const real[] = {&e->t, &e->y, &e->noise_var, &e->propensity, &e->exposure, &e->reference, &e->charge};
    const size_t which = below(d, 16);
    if (which < 3)
        *wide[which] = value;
    else if (which < 8)
        *narrow[which - 3] = which == 3 ? (int32_t)below(d, 20) : (int32_t)(value % 1000);
    else if (which < 15)
        *real[which - 8] = number(d);
    else
        e->flags ^= 1u << below(d, 6);
}

/* The sum of the sizes stays, so that it is the kinds which do not fit. */
static void forge_size(struct game *g) {
    tvgp_event *from = &g->event[below(&g->draw, g->n)], *to = &g->event[below(&g->draw, g->n)];
    const int64_t moved = from->size ? 1 + (int64_t)below(&g->draw, (size_t)from->size) : 0;
    from->size -= moved;
    to->size += moved;
}

/* Each event as a line, perhaps with another byte, and back. A line of an honest event is read as it was written. */
static void through_text(struct game *g, int forged) {
    static char line[LINE];
    static double x[LINE];
    size_t at = 0, needed, n_x;
    for (size_t i = 0; i < g->n; i++) {
        const size_t size = (size_t)g->event[i].size;
        tvgp_event back;
        if (tvgp_event_format(g->ctx, &g->event[i], size, g->x + at, LINE, line, &needed) == TVGP_OK) {
            if (forged && once_in(&g->draw, 4))
                line[below(&g->draw, needed < 256 ? needed : 256)] = (char)below(&g->draw, 128);
            const tvgp_status status = tvgp_event_parse(g->ctx, line, LINE, &back, x, &n_x);
            DEMAND(g, forged || (status == TVGP_OK && n_x == size), "%s", tvgp_ctx_errmsg(g->ctx));
            if (status == TVGP_OK && n_x == size) {
                g->event[i] = back;
                memcpy(g->x + at, x, size * sizeof *x);
            }
        }
        at += size;
    }
}

/* ---- what is made of a log ------------------------------------------------------------------------------------------- */

static tvgp_policy *made(struct game *g) {
    tvgp_policy *p = NULL;
    const tvgp_status status = tvgp_policy_create_described(g->ctx, g->text, &p);
    DEMAND(g, status == TVGP_OK, "%s", tvgp_ctx_errmsg(g->ctx));
    return p;
}

static void demand_message(const struct game *g, tvgp_status status) {
    DEMAND(g, (status < 0) == (*tvgp_ctx_errmsg(g->ctx) != 0), "%s says \"%s\"", tvgp_status_name(status),
           tvgp_ctx_errmsg(g->ctx));
    DEMAND(g, status != TVGP_ERR_INTERNAL, "%s", tvgp_ctx_errmsg(g->ctx));
}

static void use(struct game *g, int forged) {
    tvgp_value_estimate v = {.struct_size = sizeof v};
    tvgp_policy *p = made(g), *logged = made(g), *target = made(g);
    tvgp_status status = tvgp_policy_apply(p, g->n, g->event, g->n_x, g->x);
    demand_message(g, status);
    DEMAND(g, forged || status == TVGP_OK, "%s", tvgp_ctx_errmsg(g->ctx));
    status = tvgp_event_off_policy_value(logged, once_in(&g->draw, 2) ? target : NULL, (int64_t)below(&g->draw, 4) - 1, g->n,
                                         g->event, g->n_x, g->x, 5, &v);
    demand_message(g, status);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(logged);
    tvgp_policy_destroy(target);
}

static void play_description(struct game *g) {
    const char *from = descriptions[below(&g->draw, sizeof descriptions / sizeof *descriptions)];
    snprintf(g->text, sizeof g->text, "%s", from);
    for (size_t forged = once_in(&g->draw, 2) ? below(&g->draw, 4) : 0; forged; forged--)
        g->text[below(&g->draw, strlen(from))] = (char)(' ' + below(&g->draw, 95));
    const tvgp_status status = tvgp_policy_create_described(g->ctx, g->text, &g->policy);
    demand_message(g, status);
    if (status < 0)
        g->policy = NULL;
}

static void play_policy(struct game *g) {
    tvgp_domain *domain;
    (void)tvgp_policy_domain(g->policy, &domain);
    (void)tvgp_domain_dim(domain, &g->dim);
    tvgp_domain_destroy(domain);
    if (g->dim > 4) /* a forged description may have more */
        return;
    play_log(g);
    through_text(g, 0);
    use(g, 0);
    if (!g->n)
        return;
    for (size_t k = 1 + below(&g->draw, 4); k; k--)
        once_in(&g->draw, 4) ? forge_size(g) : forge_member(&g->draw, &g->event[below(&g->draw, g->n)]);
    through_text(g, 1);
    use(g, 1);
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    static struct game g;
    g = (struct game){.label = label, .draw = {.byte = bytes, .left = n}};
    tvgp_allocator hooks = memory_hooks(&g.memory);
    if (tvgp_ctx_create(&hooks, &g.ctx) < 0)
        abort();
    (void)tvgp_ctx_set_quota(g.ctx, 1 << 26, 10000, 20000000);
    play_description(&g);
    if (g.policy)
        play_policy(&g);
    tvgp_policy_destroy(g.policy);
    tvgp_ctx_destroy(g.ctx);
    DEMAND(&g, g.memory.allocated == g.memory.released, "%zu blocks are left", g.memory.allocated - g.memory.released);
}
