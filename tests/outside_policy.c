/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct outside_fault outside_fault;
int outside_states;

enum { NOISE, WINDOW, WIDTH, RULE };
static const char *const rules[] = {"ucb", "mean", NULL};
static const tvgp_option_info options[] = {
    {.key = "noise",
     .doc = "noise variance",
     .default_num = 0.01,
     .lower = 0,
     .upper = 1e100,
     .flags = TVGP_OPTION_OPEN_LOWER},
    {.key = "window", .doc = "observations kept", .type = TVGP_I64, .default_num = 50, .lower = 1, .upper = 1000},
    {.key = "width", .doc = "standard deviations above the mean", .default_num = 2, .lower = 0, .upper = 100},
    {.key = "rule", .doc = "what is played", .type = TVGP_STR, .choices = rules, .default_str = "ucb"},
};
static const tvgp_stat_info stats[] = {{.key = "observations", .doc = "held"},
                                       {.key = "resets", .doc = "never", .unit = "time", .kind = TVGP_STAT_COUNTER}};

struct row {
    int64_t arm;
    double y, noise;
};

struct state {
    tvgp_policy_view view; /* as at start: ctx to options stay */
    tvgp_gp *gp;
    int stale; /* the gp lacks what the rows say */
    size_t n, window;
    struct row *rows; /* oldest first */
    double *x, *y, *noise, *mean, *var;
};

static int32_t fault(const char *op) {
    tvgp_query q;
    if (!outside_fault.op || strcmp(outside_fault.op, op) != 0)
        return 0;
    if (outside_fault.self)
        return tvgp_policy_ask_one(outside_fault.self, 1e9, &q, NULL) == TVGP_ERR_REENTRANT ? -1015 : 0;
    return outside_fault.status;
}

static int32_t theirs(tvgp_status status) {
    return status < 0 ? -1000 + status : 0;
}

static void release(void *state) {
    struct state *s = state;
    tvgp_gp_destroy(s->gp);
    free(s->rows);
    free(s->x);
    free(s);
    outside_states--;
}

static int32_t start(void *user, const tvgp_policy_view *view, void **out) {
    int32_t status = user ? fault("start") : -1000;
    if (status)
        return status;
    struct state *s = calloc(1, sizeof *s);
    s->view = *view;
    s->window = (size_t)view->options[WINDOW];
    s->rows = calloc(s->window, sizeof *s->rows);
    s->x = calloc(s->window * (view->dim + 2) + 2 * view->n, sizeof *s->x);
    s->y = s->x + s->window * view->dim;
    s->noise = s->y + s->window;
    s->mean = s->noise + s->window;
    s->var = s->mean + view->n;
    outside_states++;
    status = theirs(tvgp_gp_create(view->ctx, view->kernel, NULL, view->options[NOISE], &s->gp));
    if (status)
        release(s);
    else
        *out = s;
    return status;
}

/* The gp as the rows say, made again, so that it is a function of them alone. */
static int32_t refresh(struct state *s) {
    size_t held = 0;
    if (!s->stale)
        return 0;
    tvgp_gp_size(s->gp, &held);
    tvgp_gp_drop(s->gp, held);
    for (size_t i = 0; i < s->n; i++) {
        memcpy(s->x + i * s->view.dim, s->view.X + (size_t)s->rows[i].arm * s->view.dim, s->view.dim * sizeof *s->x);
        s->y[i] = s->rows[i].y;
        s->noise[i] = s->rows[i].noise;
    }
    int32_t status = theirs(tvgp_gp_add(s->gp, s->n, s->x, NULL, s->y, s->noise));
    s->stale = status != 0;
    return status;
}

static int32_t ask(void *state, const tvgp_policy_view *view, double t, tvgp_query *q) {
    struct state *s = state;
    int32_t status = fault("ask");
    if (status)
        return status;
    status = refresh(s);
    if (!status)
        status = theirs(tvgp_gp_predict(s->gp, view->n, view->X, t, s->mean, s->var));
    if (status)
        return status;
    const double width = view->options[RULE] == 0 ? view->options[WIDTH] : 0;
    double best = -INFINITY;
    for (size_t i = 0; i < view->n; i++) {
        double score = s->mean[i] + width * sqrt(fmax(s->var[i], 0)), whole = score + (view->mean ? view->mean[i] : 0);
        if ((view->available && !view->available[i]) || whole <= best)
            continue;
        best = whole;
        q->arm = (int64_t)i;
        q->score = score;
    }
    q->noise_var = view->options[NOISE];
    q->propensity = 1;
    if (outside_fault.arm)
        q->arm = outside_fault.arm;
    if (outside_fault.mean != 0)
        q->score = outside_fault.mean;
    if (outside_fault.var != 0)
        q->propensity = outside_fault.var;
    return 0;
}

static int32_t tell(void *state, const tvgp_policy_view *view, size_t n, const tvgp_obs *obs, const int64_t *arm) {
    struct state *s = state;
    int32_t status = fault("tell");
    for (size_t i = 0; !status && i < n; i++) {
        if (obs[i].outcome != TVGP_VALUE)
            continue;
        if (s->n == s->window)
            memmove(s->rows, s->rows + 1, --s->n * sizeof *s->rows);
        double noise = obs[i].flags & TVGP_OBS_HAS_NOISE ? obs[i].noise_var : view->options[NOISE];
        s->rows[s->n++] = (struct row){.arm = arm[i], .y = obs[i].y, .noise = noise};
        s->stale = 1;
    }
    return status;
}

static int32_t predict(void *state, const tvgp_policy_view *view, double t, size_t n, const int64_t *arm, double *mean,
                       double *var) {
    struct state *s = state;
    int32_t status = fault("predict");
    if (!status)
        status = refresh(s);
    for (size_t i = 0; !status && i < n; i++)
        status = theirs(tvgp_gp_predict(s->gp, 1, view->X + (arm ? (size_t)arm[i] : i) * view->dim, t, &mean[i], &var[i]));
    if (outside_fault.mean != 0)
        mean[0] = outside_fault.mean;
    if (outside_fault.var != 0)
        var[0] = outside_fault.var;
    return status;
}

static int32_t stat(void *state, size_t i, double *value) {
    const struct state *s = state;
    *value = i == 0 ? (double)s->n : 0;
    if (outside_fault.mean != 0)
        *value = outside_fault.mean;
    return fault("stat");
}

static int32_t save(void *state, void *buffer, size_t *needed) {
    const struct state *s = state;
    *needed = s->n * sizeof *s->rows;
    if (buffer && s->n)
        memcpy(buffer, s->rows, *needed);
    return fault("save");
}

static int32_t load(void *state, size_t n, const void *bytes) {
    struct state *s = state;
    int32_t status = fault("load");
    if (status || n % sizeof *s->rows || n / sizeof *s->rows > s->window)
        return status ? status : -1010;
    s->n = n / sizeof *s->rows;
    if (n)
        memcpy(s->rows, bytes, n);
    s->stale = 1;
    for (size_t i = 0; i < s->n; i++)
        if (s->rows[i].arm < 0 || (size_t)s->rows[i].arm >= s->view.n || !(fabs(s->rows[i].y) <= 1e101) ||
            !(s->rows[i].noise >= 0 && s->rows[i].noise <= 1e100))
            return -1010;
    return 0;
}

const tvgp_policy_type outside_ucb = {.struct_size = sizeof outside_ucb,
                                      .name = "outside-ucb",
                                      .start = start,
                                      .ask = ask,
                                      .doc = "upper confidence bounds of the newest observations",
                                      .tell = tell,
                                      .release = release,
                                      .predict = predict,
                                      .options = options,
                                      .n_options = sizeof options / sizeof *options,
                                      .option_size = sizeof *options,
                                      .stats = stats,
                                      .n_stats = sizeof stats / sizeof *stats,
                                      .stat_size = sizeof *stats,
                                      .stat = stat,
                                      .save = save,
                                      .load = load};
