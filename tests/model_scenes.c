/* SPDX-License-Identifier: MIT */
/* Scenes for tests of posteriors, their streams of outcomes, and the comparison with the dense reference (tests/model_scenes.h). */
#include "model_scenes.h"

#include "cases.h"
#include "model/aging_noise.h"
#include "model/kalman_mixture.h"

#include <math.h>
#include <string.h>

#define SE(...)                                                                                                             \
    {                                                                                                                       \
        .kind = REF_SE, .dim = 2, .variance = 1, .l = { __VA_ARGS__ }                                                       \
    }
#define MATERN12(...)                                                                                                       \
    {                                                                                                                       \
        .kind = REF_MATERN12, .dim = 2, .variance = 2, .l = { __VA_ARGS__ }                                                 \
    }
#define MATERN32(...)                                                                                                       \
    {                                                                                                                       \
        .kind = REF_MATERN32, .dim = 2, .variance = 1.7, .l = { __VA_ARGS__ }                                               \
    }
#define MATERN52(...)                                                                                                       \
    {                                                                                                                       \
        .kind = REF_MATERN52, .dim = 2, .variance = 1.2, .l = { __VA_ARGS__ }                                               \
    }
#define PERIODIC                                                                                                            \
    {                                                                                                                       \
        .kind = REF_PERIODIC, .dim = 2, .variance = 1.2, .l = {0.6, 1.1}, .period = { 0.9, 1.4 }                            \
    }
#define LINEAR                                                                                                              \
    {                                                                                                                       \
        .kind = REF_LINEAR, .dim = 2, .variance = 0.8, .bias = 0.3, .l = { 0.5, 2 }                                         \
    }
#define FORGETS(rate)                                                                                                       \
    { TVGP__DRIFT_FORGETTING, rate, 0 }
#define MOVES(rate)                                                                                                         \
    { TVGP__DRIFT_WIENER, rate, 0 }
#define SMOOTHLY(rate)                                                                                                      \
    { TVGP__DRIFT_MATERN32, rate, 0 }

const tvgp__drift scene_drifts[SCENE_DRIFTS] = {FORGETS(0), FORGETS(0.03), FORGETS(1), SMOOTHLY(0.02), SMOOTHLY(0.3)};

const struct scene scenes[] = {
    {"forgetting", SE(0.2, 0.2), 60, 320, 0.01, 1e-11, FORGETS(0.03), .silence = 500},
    {"fast forgetting", MATERN12(0.4, 0.4), 70, 300, 0.05, 1e-11, FORGETS(0.3), .silence = 1e4},
    {"forgetting, few features", SE(0.3, 0.3), 60, 400, 0.01, 1e-10, FORGETS(0.1), .silence = 500, .favourites = 10},
    {"forgetting far apart", MATERN32(0.4, 0.4), 100, 200, 0.05, 1e-10, FORGETS(0.3), .silence = 90, .tempo = 10},
    {"forgetting beyond one scale", SE(0.6, 0.6), 60, 700, 0.01, 1e-10, FORGETS(0.5), .silence = 5, .horizon = 130},
    {"forgetting, many arms", MATERN52(0.3, 0.3), 132, 200, 0.01, 1e-10, FORGETS(0.15), .silence = 100, .favourites = 6},
    {"Wiener", MATERN52(0.5, 0.5), 60, 400, 0.1, 1e-11, MOVES(0.05), .silence = 200},
    {"Wiener, many arms", MATERN52(0.5, 0.5), 132, 200, 0.1, 1e-10, MOVES(0.05), .silence = 90},
    {"Wiener before its origin", SE(0.3, 0.3), 24, 60, 0.01, 1e-10, MOVES(0.2), .start = -30},
    {"Matern in time", SE(0.25, 0.4), 60, 300, 0.02, 1e-10, SMOOTHLY(0.3), .start = 1000, .silence = 200},
    {"slow Matern in time", SE(0.25, 0.4), 60, 300, 0.02, 1e-10, SMOOTHLY(0.02), .start = 1000, .silence = 200},
    {"several drift models", SE(0.25, 0.4), 60, 400, 0.02, 1e-10, .several = 1, .start = 1000, .silence = 200},
    {"static", SE(0.3, 0.3), 300, 600, 0.01, 1e-10, .silence = 10},
    {"static, rough", MATERN12(0.3, 0.3), 300, 250, 0.01, 1e-10, .silence = 10},
    {"static, a column for each arm", MATERN32(0.5, 0.5), 60, 600, 0.1, 1e-10, .silence = 10, .favourites = 6},
    {"window", SE(0.2, 0.2), 300, 700, 0.01, 1e-9, .window = 100, .silence = 10},
    {"short window", MATERN32(0.4, 0.6), 60, 500, 0.01, 1e-11, .window = 17, .silence = 10},
    {"window of one", SE(0.5, 0.5), 40, 40, 0.01, 1e-11, .window = 1, .silence = 10},
    {"window that is not full", SE(0.5, 0.5), 40, 200, 0.01, 1e-9, .window = 1000, .silence = 10},
#define AGES(what, ...)                                                                                                     \
    { what, MATERN52(0.3, 0.5), 60, 240, 0.02, 1e-10, .age = {__VA_ARGS__}, .start = -40, .silence = 20, .favourites = 5 }
    AGES("linear age", TVGP__NOISE_AGE_LINEAR, 0, 0.3, 0, 0),
    AGES("linear age from the last", TVGP__NOISE_AGE_LINEAR, 1, 0.3, 0, 0),
    AGES("root of the age", TVGP__NOISE_AGE_POWER, 0, 0, 0.5, 0),
    AGES("squared age", TVGP__NOISE_AGE_POWER, 0, 0, 2, 0),
    AGES("squared age from the last", TVGP__NOISE_AGE_POWER, 1, 0, 2, 0),
    AGES("exponential age", TVGP__NOISE_AGE_EXPONENTIAL, 0, 0.05, 0, 0),
    AGES("exponential age from the last", TVGP__NOISE_AGE_EXPONENTIAL, 1, 0.05, 0, 0),
    {"exponential age, weights that would overflow", MATERN52(0.3, 0.5), 60, 240, 0.02, 1e-10,
     .age = {TVGP__NOISE_AGE_EXPONENTIAL, 1, 0.1, 0, 0}, .silence = 5, .tempo = 40},
#define NEWEST(what, ...)                                                                                                   \
    { what, MATERN52(0.3, 0.5), 60, 200, 0.02, 1e-10, .age = {__VA_ARGS__}, .newest = 24, .silence = 5 }
    NEWEST("linear age of the newest arms", TVGP__NOISE_AGE_LINEAR, 0, 0.3, 0, 0),
    NEWEST("squared age of the newest arms, from the last", TVGP__NOISE_AGE_POWER, 1, 0, 2, 0),
    NEWEST("exponential age of the newest arms", TVGP__NOISE_AGE_EXPONENTIAL, 0, 0.05, 0, 0),
#define MANY(what, arms, ...)                                                                                               \
    { what, MATERN52(0.3, 0.5), 256, 200, 0.05, 1e-10, .age = {__VA_ARGS__}, .newest = arms, .silence = 2 }
    MANY("linear age, many arms", 80, TVGP__NOISE_AGE_LINEAR, 0, 0.003, 0, 0),
    MANY("linear age from the last, many arms", 0, TVGP__NOISE_AGE_LINEAR, 1, 0.02, 0, 0),
    MANY("root of the age, many arms", 80, TVGP__NOISE_AGE_POWER, 0, 0, 0.5, 0),
    MANY("squared age, many arms", 0, TVGP__NOISE_AGE_POWER, 0, 0, 2, 0),
    MANY("exponential age, many arms", 80, TVGP__NOISE_AGE_EXPONENTIAL, 0, 0.02, 0, 0),
    MANY("exponential age from the last, many arms", 0, TVGP__NOISE_AGE_EXPONENTIAL, 1, 0.1, 0, 0),
    {"replaced", MATERN52(0.3, 0.5), 60, 240, 0.02, 1e-10, .replaced = 1, .silence = 10},
    {"rows", SE(0.3, 0.3), 0, 300, 0.01, 1e-11, .silence = 10},
    {"rows of a periodic kernel", PERIODIC, 0, 200, 0.05, 1e-11, FORGETS(0.05), .silence = 30},
    {"rows, forgetting", SE(0.3, 0.5), 0, 300, 0.01, 1e-11, FORGETS(0.05), .silence = 100},
    {"rows, Wiener", MATERN52(0.3, 0.6), 0, 300, 0.01, 1e-11, MOVES(0.1), .silence = 30},
    {"rows of a linear kernel, Wiener", LINEAR, 0, 150, 0.05, 1e-11, MOVES(0.05), .start = -20, .silence = 30},
    {"rows, hardly any noise", MATERN32(0.4, 0.4), 0, 300, 1e-8, 1e-10, FORGETS(0.02), .silence = 30},
    {"rows, Matern in time", SE(0.3, 0.5), 0, 250, 0.02, 1e-11, SMOOTHLY(0.1), .silence = 30},
    {"window of rows", MATERN52(0.3, 0.6), 0, 400, 0.01, 1e-11, .window = 50, .silence = 10},
    {"window of rows, forgetting", SE(0.3, 0.3), 0, 400, 0.01, 1e-11, FORGETS(0.05), .window = 50, .silence = 30},
    {"window of rows, Wiener", SE(0.3, 0.3), 0, 400, 0.01, 1e-11, MOVES(0.1), .window = 12, .silence = 30},
    {"rows, linear age", MATERN52(0.3, 0.6), 0, 120, 0.01, 1e-11, .age = {TVGP__NOISE_AGE_LINEAR, 0, 0.02, 0, 0},
     .silence = 5},
    {"rows, power of the age", MATERN52(0.3, 0.6), 0, 120, 0.01, 1e-11, .age = {TVGP__NOISE_AGE_POWER, 0, 0, 1.5, 0},
     .silence = 5},
    {"rows, exponential age", MATERN52(0.3, 0.6), 0, 120, 0.01, 1e-11, .age = {TVGP__NOISE_AGE_EXPONENTIAL, 1, 0.5, 0, 0},
     .silence = 5},
    {"inducing points", SE(0.25, 0.4), 0, 250, 0.02, 1e-6, .features = 1e-9, .silence = 10},
    {"inducing points, forgetting", SE(0.25, 0.4), 0, 250, 0.02, 1e-6, FORGETS(0.03), .features = 1e-9, .silence = 50},
    {"inducing points, nothing stays", SE(0.25, 0.4), 0, 150, 0.02, 1e-6, FORGETS(1), .features = 1e-9, .start = 1000,
     .silence = 50},
    {"inducing points, Matern in time", SE(0.25, 0.4), 0, 250, 0.02, 1e-6, SMOOTHLY(0.1), .features = 1e-9, .silence = 50},
    {"inducing points, slow Matern", SE(0.25, 0.4), 0, 250, 0.02, 1e-6, SMOOTHLY(0.02), .features = 1e-9, .silence = 50},
    {"inducing points, several", SE(0.25, 0.4), 0, 250, 0.02, 1e-6, .several = 1, .features = 1e-9, .start = 1000,
     .silence = 30},
};
const size_t n_scenes = sizeof scenes / sizeof *scenes;

int scene_has_limit(const struct scene *s) {
    const tvgp__drift_kind kind = s->drift.kind;
    return kind != TVGP__DRIFT_STATIC && (s->arms ? kind != TVGP__DRIFT_MATERN32 : s->features > 0);
}

int scene_takes_late(const struct scene *s) {
    return !s->several && (!s->arms || s->drift.kind != TVGP__DRIFT_MATERN32);
}

/* ---- the posterior --------------------------------------------------------------------------------------------------- */

tvgp__posterior *world_make(const struct world *w) {
    static const double lower[] = {0, 0}, upper[] = {1, 1}, *const no_mean = NULL;
    const struct scene *s = w->scene;
    tvgp_domain *domain = s->arms ? harness_arms(s->arms, s->kernel.dim, w->X) : harness_box(2, lower, upper);
    const tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &s->kernel);
    const tvgp__kalman_mixture_spec several = {
        .n_drifts = SCENE_DRIFTS, .n_priors = 1, .drifts = scene_drifts, .kernels = &kernel, .means = &no_mean};
    tvgp__posterior *p = NULL;
    if (s->newest)
        ASSERT_OK(tvgp__aging_noise_new(ctx, kernel, &s->age, s->newest, s->arms, domain->X, &p));
    else
        ASSERT_OK(tvgp__posterior_make(&(tvgp__posterior_spec){.ctx = ctx,
                                                               .policy = s->what,
                                                               .domain = domain,
                                                               .kernel = kernel,
                                                               .noise = s->noise,
                                                               .drift = s->drift,
                                                               .age = s->age,
                                                               .window = s->window,
                                                               .late = w->late,
                                                               .several = s->several ? &several : NULL,
                                                               .rank = {.tolerance = s->features},
                                                               .replaced = s->replaced},
                                       &p));
    return p;
}

void world_open(struct world *w, const struct scene *s, size_t late) {
    memset(w, 0, sizeof *w);
    w->scene = s;
    w->late = late;
    w->rnd.state = 3 + late;
    w->now = s->start;
    w->synced = SCENE_MOST;
    rnd_fill(&(struct rnd){3}, SCENE_ARMS * SCENE_DIM, w->X);
    w->p = world_make(w);
    for (size_t j = 0; j < (s->several ? SCENE_DRIFTS : 1); j++) {
        const tvgp__drift *d = s->several ? &scene_drifts[j] : &s->drift;
        ref_gp_init(&w->ref[j], &s->kernel, d->kind == TVGP__DRIFT_FORGETTING ? d->rate : 0, SCENE_MOST / 2);
        w->ref[j].rate = d->kind == TVGP__DRIFT_WIENER ? d->rate : 0;
        w->ref[j].lambda = d->kind == TVGP__DRIFT_MATERN32 ? d->rate : 0;
    }
    w->p->ops->advance(w->p, w->now);
}

void world_close(struct world *w) {
    tvgp__posterior_free(w->p);
    for (size_t j = 0; j < SCENE_DRIFTS; j++)
        ref_gp_free(&w->ref[j]);
}

/* ---- the stream ------------------------------------------------------------------------------------------------------ */

/* A time with at most `late` others after it, sometimes equal to another outcome's, or before all. */
static double late_time(struct world *w) {
    const size_t back = 1 + rnd_below(&w->rnd, w->late < w->n_times ? w->late : w->n_times);
    const double after = w->times[w->n_times - back],
                 before = back < w->n_times ? w->times[w->n_times - back - 1] : after - 30;
    return rnd_below(&w->rnd, 4) ? before + (after - before) * rnd_uniform(&w->rnd) : before;
}

struct outcome world_draw(struct world *w) {
    static const double gaps[] = {0, 0.3, 1, 2.7};
    const struct scene *s = w->scene;
    struct outcome o = {.noise = rnd_below(&w->rnd, 5) ? s->noise : 4 * s->noise};
    const double step = gaps[rnd_below(&w->rnd, 4)] * (s->tempo > 0 ? s->tempo : 1);
    const int gap = ++w->drawn % 150 == 100, late = !gap && w->late && w->n_times && rnd_below(&w->rnd, 4) == 0;
    w->now += gap ? s->silence : step;
    o.t = late ? late_time(w) : w->now;
    o.arm = rnd_below(&w->rnd, s->favourites && rnd_below(&w->rnd, 5) ? s->favourites : s->arms ? s->arms : SCENE_ARMS);
    rnd_fill(&w->rnd, SCENE_DIM, o.x);
    if (s->arms || rnd_below(&w->rnd, 4) == 0)
        memcpy(o.x, w->X + SCENE_DIM * o.arm, sizeof o.x);
    o.y = (s->arms ? 4 * rnd_normal(&w->rnd) : 1.5 * sin(5 * o.x[0] + 0.02 * o.t) * cos(4 * o.x[1])) +
          sqrt(o.noise) * rnd_normal(&w->rnd);
    size_t i = w->n_times++;
    for (; i > 0 && w->times[i - 1] > o.t; i--)
        w->times[i] = w->times[i - 1];
    w->times[i] = o.t;
    return o;
}

/* Of more than `newest` arms the outcomes of those observed last stay, 7/8 of that number. */
static void keep_newest_arms(struct world *w) {
    const size_t most = w->scene->newest;
    size_t last[SCENE_ARMS] = {0}, later[SCENE_ARMS] = {0}, distinct = 0, kept = 0;
    for (size_t i = 0; i < w->n; i++)
        last[w->told[i].arm] = i + 1;
    for (size_t a = 0; a < SCENE_ARMS; a++) {
        distinct += last[a] > 0;
        for (size_t b = 0; b < SCENE_ARMS; b++)
            later[a] += last[b] > last[a];
    }
    for (size_t i = 0; distinct > most && i < w->n; i++)
        if (later[w->told[i].arm] < most - most / 8)
            w->told[kept++] = w->told[i];
    w->n = distinct > most ? kept : w->n;
}

void world_note(struct world *w, const struct outcome *o) {
    ck_assert_uint_lt(w->n, SCENE_MOST);
    w->told[w->n++] = *o;
    if (w->scene->window || w->scene->newest)
        w->synced = SCENE_MOST;
    if (w->scene->window && w->n > w->scene->window)
        memmove(w->told, w->told + 1, --w->n * sizeof *w->told);
    if (w->scene->newest)
        keep_newest_arms(w);
}

void world_tell(struct world *w, size_t n, const struct outcome *o) {
    enum { LEFT_OUT = 2, BATCH = 8 };
    const int arms = w->scene->arms > 0;
    size_t arm[BATCH + LEFT_OUT] = {0, 1};
    double X[(BATCH + LEFT_OUT) * SCENE_DIM] = {0.5, 0.5, 0.1, 0.9};
    for (size_t i = 0; i < n; i++) {
        arm[LEFT_OUT + n - 1 - i] = o[i].arm;
        memcpy(X + SCENE_DIM * (LEFT_OUT + n - 1 - i), o[i].x, sizeof o->x);
    }
    tvgp__points points = {.n = n + LEFT_OUT};
    if (arms)
        points.arm = arm;
    else
        points.X = X;
    ASSERT_OK(tvgp__posterior_ready(w->p, &points));
    for (size_t i = 0; i < n; i++) {
        tvgp__posterior_observe(w->p, &points, LEFT_OUT + n - 1 - i, o[i].t, o[i].y, o[i].noise, 0);
        world_note(w, &o[i]);
    }
}

void world_reset(struct world *w) {
    w->p->ops->reset(w->p);
    w->n = w->n_times = 0;
    w->synced = SCENE_MOST;
}

/* ---- the reference --------------------------------------------------------------------------------------------------- */

static double grown(const struct world *w, const struct outcome *o, double t) {
    const tvgp__noise_age *age = &w->scene->age;
    if (age->from_last) {
        t = -INFINITY;
        for (size_t i = 0; i < w->n; i++)
            t = fmax(t, w->told[i].t);
    }
    const double a = t - o->t;
    return age->growth == TVGP__NOISE_AGE_LINEAR        ? o->noise + age->rate * a
           : age->growth == TVGP__NOISE_AGE_POWER       ? o->noise * (1 + pow(a, age->alpha))
           : age->growth == TVGP__NOISE_AGE_EXPONENTIAL ? o->noise * fmin(exp(age->rate * a), 1e100)
                                                        : o->noise;
}

/* A Wiener process stands still before time 0. */
static double time_of(const struct scene *s, double t) {
    return s->drift.kind == TVGP__DRIFT_WIENER ? fmax(t, 0) : t;
}

/* Conditions the reference on all outcomes in use, with noises of time t, and weighs its parts by their likelihoods. */
static void condition(struct world *w, double t) {
    const struct scene *s = w->scene;
    const size_t parts = s->several ? SCENE_DRIFTS : 1;
    double most = -INFINITY, sum = 0, evidence[SCENE_DRIFTS];
    if (w->synced == w->n && (w->at == t || !s->age.growth))
        return;
    if (w->synced > w->n || s->age.growth || s->horizon > 0)
        w->synced = 0;
    for (size_t j = 0; j < parts; j++) {
        if (!w->synced)
            ref_gp_drop(&w->ref[j], w->ref[j].n);
        for (size_t i = w->synced; i < w->n; i++)
            if (!(s->horizon > 0) || w->told[i].t > t - s->horizon)
                ref_gp_add(&w->ref[j], w->told[i].x, time_of(s, w->told[i].t), w->told[i].y, grown(w, &w->told[i], t));
        most = fmax(most, evidence[j] = ref_gp_log_evidence(&w->ref[j]));
    }
    for (size_t j = 0; j < parts; j++)
        sum += w->weight[j] = exp(evidence[j] - most);
    for (size_t j = 0; j < parts; j++)
        w->weight[j] /= sum;
    w->evidence = most + log(sum / (double)parts);
    w->synced = w->n;
    w->at = t;
}

void world_dense(struct world *w, double t, const double *x, const double *other, double *mean, double *var, double *cov) {
    const size_t parts = w->scene->several ? SCENE_DRIFTS : 1;
    const double time = time_of(w->scene, t);
    double m[SCENE_DRIFTS], v[SCENE_DRIFTS], at_other[SCENE_DRIFTS], other_mean = 0;
    condition(w, t);
    *mean = *var = 0;
    for (size_t j = 0; j < parts; j++) {
        ref_gp_predict(&w->ref[j], 1, x, time, &m[j], &v[j]);
        *mean += w->weight[j] * m[j];
        if (other)
            ref_gp_predict(&w->ref[j], 1, other, time, &at_other[j], NULL);
        other_mean += other ? w->weight[j] * at_other[j] : 0;
    }
    for (size_t j = 0; j < parts; j++)
        *var += w->weight[j] * (v[j] + (m[j] - *mean) * (m[j] - *mean));
    if (!other)
        return;
    *cov = 0;
    for (size_t j = 0; j < parts; j++)
        *cov += w->weight[j] * (ref_gp_covariance(&w->ref[j], x, other, time) + (m[j] - *mean) * (at_other[j] - other_mean));
}

/* ---- the comparison -------------------------------------------------------------------------------------------------- */

static void check_near(const struct world *w, const char *what, size_t i, double got, double want) {
    ck_assert_msg(harness_near(got, want, w->scene->tolerance),
                  "%s, limit %zu, %zu outcomes, %s %zu: %.17g, dense %.17g, apart %.3g", w->scene->what, w->late, w->n, what,
                  i, got, want, got - want);
}

static void check_arms(struct world *w, double t) {
    tvgp__posterior *p = w->p;
    const size_t n = w->scene->arms, by = 1 + n / 100, arm = (w->drawn * 7) % n;
    double column[SCENE_ARMS], mean, var, cov, at[2];
    ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = &arm}));
    tvgp__posterior_column(p, arm, column);
    for (size_t i = w->drawn % by; i < n; i += by) {
        const double *x = w->X + SCENE_DIM * i;
        world_dense(w, t, x, i % 5 == arm % 5 ? w->X + SCENE_DIM * arm : NULL, &mean, &var, &cov);
        check_near(w, "mean of arm", i, p->own.mean[i], mean);
        check_near(w, "variance of arm", i, p->own.var[i], var);
        if (i % 5 == arm % 5)
            check_near(w, "covariance with arm", i, column[i], cov);
    }
    for (size_t i = w->drawn % 10; i < n; i += 10) { /* without moving */
        p->ops->at(p, t + 1.7, 1, &i, &at[0], &at[1]);
        world_dense(w, t + 1.7, w->X + SCENE_DIM * i, NULL, &mean, &var, NULL);
        check_near(w, "later mean of arm", i, at[0], mean);
        check_near(w, "later variance of arm", i, at[1], var);
    }
}

/* More points than a block of predictions has. */
static void check_points(struct world *w, double t) {
    enum { POINTS = 70 };
    double Z[POINTS * SCENE_DIM], mean[POINTS], var[POINTS], want_mean, want_var;
    rnd_fill(&(struct rnd){w->drawn}, POINTS * SCENE_DIM, Z);
    for (size_t i = 0; w->scene->arms && i < POINTS * SCENE_DIM; i++)
        Z[i] = 0.2 + 0.6 * Z[i]; /* between arms */
    ASSERT_OK(tvgp__posterior_predict(w->p, t, POINTS, Z, mean, var));
    for (size_t i = 0; i < POINTS; i += w->scene->arms ? 6 : 3) {
        world_dense(w, t, Z + SCENE_DIM * i, NULL, &want_mean, &want_var, NULL);
        check_near(w, "mean of point", i, mean[i], want_mean);
        check_near(w, "variance of point", i, var[i], want_var);
    }
}

static void check_counts(struct world *w) {
    const struct scene *s = w->scene;
    const tvgp__posterior *p = w->p;
    const tvgp__posterior_counts *c = &p->counts;
    if (w->moments_only)
        return;
    ck_assert_uint_eq(c->widened, 0);
    if (s->horizon > 0 || (s->age.growth && c->observations < w->n))
        return; /* the reference leaves some out, or the posterior those that say nothing any more */
    ck_assert_msg(c->observations == w->n, "%s: %zu of %zu outcomes", s->what, c->observations, w->n);
    check_near(w, "likelihood", 0, p->log_marginal_likelihood, w->evidence);
    if (!s->several)
        check_near(w, "log determinant", 0, p->log_det_ratio, 2 * ref_gp_information_gain(&w->ref[0]));
    if (s->arms && s->drift.kind == TVGP__DRIFT_STATIC && !s->window && !s->several && w->n)
        ck_assert_uint_eq(c->rank, ref_gp_points(&w->ref[0]));
    if (s->several)
        for (size_t j = 0; j < SCENE_DRIFTS; j++)
            check_near(w, "weight", j, ((const tvgp__kalman_mixture *)p)->weight[j], w->weight[j]);
}

static void check_effective(const struct world *w, double t) {
    double sum = 0;
    for (size_t i = 0; i < w->n; i++)
        sum += w->told[i].noise / grown(w, &w->told[i], t);
    ASSERT_NEAR(w->p->counts.effective, sum, 1e-12);
}

void world_check(struct world *w, double t) {
    tvgp__posterior *p = w->p;
    p->ops->advance(p, t);
    tvgp__posterior_finish(p);
    tvgp__posterior_refine(p, w->scene->arms, NULL);
    condition(w, t);
    check_counts(w);
    if (w->scene->age.growth && w->scene->arms && w->n)
        check_effective(w, t);
    if (w->scene->arms)
        check_arms(w, t);
    check_points(w, t);
    check_points(w, t + 1.7);
}
