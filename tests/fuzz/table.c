/* SPDX-License-Identifier: MIT */
#include "fuzz/table.h"

#include "fuzz/parts.h"

#include <math.h>
#include <string.h>

/* ---- contexts --------------------------------------------------------------------------------------------------- */

static int32_t interrupt(void *user) {
    struct side *s = user;
    return s->patience ? ++s->checks % s->patience == 0 : s->interrupt_in && --s->interrupt_in == 0;
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

void table_open(struct game *g, struct side *s) {
    const tvgp_allocator hooks = {.struct_size = sizeof hooks, .user = s, .allocate = allocate, .release = release};
    DEMAND(g, tvgp_ctx_create(&hooks, &s->ctx) == TVGP_OK, "no context");
    DEMAND(g, parts_register(s->ctx) == TVGP_OK, "%s", tvgp_ctx_errmsg(s->ctx));
    DEMAND(g, tvgp_ctx_set_interrupt(s->ctx, interrupt, s, NULL) == TVGP_OK, "interrupt");
    table_quota(s, 0, 0);
}

void table_quota(struct side *s, size_t bytes, int64_t work) {
    const size_t before = s->memory.fail_in;
    s->memory.fail_in = 0;
    (void)tvgp_ctx_set_quota(s->ctx, bytes, 0, work);
    s->memory.fail_in = before;
}

/* ---- kernels and domains ---------------------------------------------------------------------------------------- */

static tvgp_status make_sum(struct side *s, const double *length, tvgp_kernel **out) {
    tvgp_kernel *a = NULL, *b = NULL;
    tvgp_status status = tvgp_kernel_se(s->ctx, DIM, 1, DIM, length, &a);
    if (status == TVGP_OK)
        status = tvgp_kernel_linear(s->ctx, DIM, 1, DIM, length, 0.5, &b);
    if (status == TVGP_OK)
        status = tvgp_kernel_sum(s->ctx, a, b, out);
    tvgp_kernel_destroy(a);
    tvgp_kernel_destroy(b);
    return status;
}

static tvgp_status make_kernel(struct side *s, enum make make, tvgp_kernel **out) {
    const double length[DIM] = {0.4, 0.9};
    switch (make) {
    case MATERN:
        return tvgp_kernel_matern(s->ctx, DIM, 1.5, 1, DIM, length, out);
    case SUM:
        return make_sum(s, length, out);
    case OUTSIDE:
        return parts_se(s->ctx, 0.4, out);
    case BOXCAR:
        return parts_boxcar(s->ctx, out);
    case NONE:
        return TVGP_OK;
    default:
        return tvgp_kernel_se(s->ctx, DIM, 1, DIM, length, out);
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
    case FOREIGN:
        return parts_arms(s->ctx, g->arms, g->X, &s->domain);
    default:
        return tvgp_domain_arms(s->ctx, g->arms, DIM, g->X, &s->domain);
    }
}

/* ---- what is drawn ---------------------------------------------------------------------------------------------- */

struct prior table_draw_prior(struct draw *d) {
    static const double rates[] = {0, 0.02, 0.3};
    return (struct prior){(enum make)below(d, BOXCAR), (enum mean)below(d, MEANS), rates[below(d, 3)]};
}

static void draw_place(struct game *g) {
    struct draw *d = &g->draw;
    g->arms = 1 + below(d, 20);
    for (size_t i = 0; i < DIM * MOST_ARMS; i++)
        g->X[i] = (double)((i * 37 + g->arms) % 61) / 16 - 1; /* all different */
    for (size_t k = 0; k < DIM; k++) {
        g->low[k] = g->lower[k] = (double)below(d, 17) - 8;
        g->high[k] = g->upper[k] = g->low[k] + (double)(1 + below(d, 24)) / 8;
    }
    g->whole = once_in(d, 3);
    g->size = g->make == NONE && once_in(d, 2) ? pow(10, 4 * (double)below(d, 51) - 100) : pow(10, (double)below(d, 25) - 8);
}

static const char *const option_texts[] = {"",
                                           "search.effort=0.1",
                                           "outlier.sd=3",
                                           "fit=map fit.window=20 search.effort=0.1",
                                           "sense=min pending.limit=5",
                                           "window=7",
                                           "kdpp.steps=5 side.round_factor=1 side.round_exponent=1",
                                           "noise=0",
                                           "noise=1e-6 search.effort=0.1",
                                           "delay.exact_observations=3 outlier.sd=2",
                                           "choice=thompson",
                                           "switch.cost=0.2",
                                           "season.period=4",
                                           "model.assume_misspecified=1",
                                           "prior.weights=2,1",
                                           "history.refit_interval=3 history.max_replayed=9"};

void table_draw(struct game *g) {
    struct draw *d = &g->draw;
    const size_t own = (size_t)harness_policies(), policy = below(d, own + 1);
    g->name = policy < own ? harness_policy_at((int)policy) : outside_ucb.name;
    g->place = (enum place)below(d, PLACES);
    if (policy == own && (g->place == BOX || g->place == MEASURED))
        g->place = FOREIGN;
    g->make = (enum make)below(d, policy == own ? NONE : MAKES);
    draw_place(g);
    g->options = option_texts[below(d, sizeof option_texts / sizeof *option_texts)];
    g->n_priors = below(d, PRIORS + 1);
    for (size_t i = 0; i < g->n_priors; i++)
        g->prior[i] = table_draw_prior(d);
    g->limits = once_in(d, 3) ? 1 + below(d, LIMITS) : 0;
}

/* ---- policies --------------------------------------------------------------------------------------------------- */

int32_t table_mean(void *user, size_t n, const double *X, double *mean, double *gradient) {
    (void)user;
    for (size_t i = 0; i < n; i++)
        mean[i] = 0.25 * X[DIM * i];
    for (size_t i = 0; gradient && i < DIM * n; i++)
        gradient[i] = i % DIM ? 0 : 0.25;
    return 0;
}

tvgp_status table_add_prior(struct game *g, struct side *s, const struct prior *prior) {
    double mean[4 * MOST_ARMS];
    size_t n = 0;
    tvgp_kernel *kernel = NULL;
    tvgp_status status = make_kernel(s, prior->make, &kernel);
    if (status != TVGP_OK)
        return status;
    (void)tvgp_domain_size(s->domain, &n);
    n = prior->mean == OWN ? 0 : prior->mean == ONE || n > 4 * MOST_ARMS ? 1 : n;
    for (size_t i = 0; i < n; i++)
        mean[i] = (double)(i % 5) / 4 - 0.5;
    status = prior->mean == FUNCTION ? tvgp_policy_add_prior_fn(s->policy, kernel, table_mean, NULL, NULL, prior->epsilon)
                                     : tvgp_policy_add_prior(s->policy, kernel, n, n ? mean : NULL, prior->epsilon);
    g->functions |= status == TVGP_OK && prior->mean == FUNCTION;
    tvgp_kernel_destroy(kernel);
    return status;
}

/* As many as the policy takes; the first arm, or the lowest corner, is declared safe. */
static void add_constraints(struct game *g, struct side *s) {
    for (size_t k = 0; k < g->limits; k++) {
        tvgp_policy *model = NULL;
        tvgp_status status =
            tvgp_policy_create(s->ctx, k ? "auto-gp-ucb" : "tv-gp-ucb", s->domain, k ? NULL : s->kernel, &model);
        if (status == TVGP_OK)
            status = tvgp_policy_add_constraint(s->policy, model, k ? TVGP_AT_MOST : TVGP_OF_MEAN, k ? 0.5 : -0.5);
        tvgp_policy_destroy(model);
        g->limits = status == TVGP_OK ? g->limits : k;
    }
    if (!g->limits)
        return;
    (void)tvgp_policy_set(s->policy, g->limits == 1
                                         ? "constraint.confidence=.7 constraint.exploration_share=.4"
                                         : "constraint.confidence=.8 constraint.scope=average constraint.initial_margin=.2");
    (void)tvgp_policy_set_safe(s->policy, 1, g->place == BOX ? g->low : g->X);
}

tvgp_status table_make(struct game *g, struct side *s) {
    tvgp_status status = make_kernel(s, g->make, &s->kernel);
    if (status == TVGP_OK)
        status = make_domain(g, s);
    if (status == TVGP_OK)
        status = tvgp_policy_create(s->ctx, g->name, s->domain, s->kernel, &s->policy);
    if (status != TVGP_OK)
        return status;
    (void)tvgp_policy_set(s->policy, g->options);
    for (size_t i = 0; i < g->n_priors; i++)
        (void)table_add_prior(g, s, &g->prior[i]);
    add_constraints(g, s);
    return TVGP_OK;
}

void table_clear(struct game *g, struct side *s) {
    tvgp_policy_destroy(s->policy);
    tvgp_kernel_destroy(s->kernel);
    tvgp_domain_destroy(s->domain);
    tvgp_ctx_destroy(s->ctx);
    DEMAND(g, s->memory.allocated == s->memory.released, "%zu blocks, %zu given back", s->memory.allocated,
           s->memory.released);
}
