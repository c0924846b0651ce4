/* SPDX-License-Identifier: MIT */
/* Boxes: functions that stand still (after ten given points, without noise) and functions that move, each policy with the true kernel,
 * noise and rate, and with default settings (with --side N true on N^d arms, with --nlopt 1 true, the bound maximised by NLopt's
 * multistart); the same functions, noise and given points for all.
 * Rates of peaks and of policies that are given none stay as they are. */
#include "box_world.h"
#include "exp.h"
#include "experiment.h"
#include "multistart.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRUE_PARAMETERS, OTHER, CHOICES };
enum { WIDTH = 2 }; /* where the function stands still */
/* Of each algorithm and each setting of it; excess: its share less the first algorithm's. */
enum { SECONDS, LEAST, REGRET, SHARE, RATIO, EXCESS, VALUES };

typedef struct stage {
    const box_scene *scene;
    size_t side; /* OTHER: true, on side^d arms; 0: with default settings, on the box .. */
    int nlopt;   /* .. unless it is given, and searched by NLopt */
    tvgp_ctx *ctx;
} stage;

static tvgp_domain *make_domain(const stage *s, size_t side) {
    const double lower[BOX_DIM] = {0}, upper[BOX_DIM] = {1, 1, 1, 1, 1, 1, 1, 1};
    size_t points[BOX_DIM];
    tvgp_domain *domain;
    for (size_t d = 0; d < BOX_DIM; d++)
        points[d] = side;
    experiment_check(s->ctx,
                     side ? tvgp_domain_grid(s->ctx, s->scene->dim, lower, upper, points, &domain)
                          : tvgp_domain_box(s->ctx, s->scene->dim, lower, upper, &domain),
                     "domain");
    return domain;
}

/* Widths: the rules' own where the function moves, 2 where it stands still. */
static void tell_options(const box_scene *scene, tvgp_policy *policy) {
    (void)tvgp_policy_set_f64(policy, "noise", scene->noise * scene->unit * scene->unit);
    if (scene->at || scene->epsilon > 0)
        (void)tvgp_policy_set_f64(policy, "epsilon", scene->epsilon);
    if (scene->at)
        (void)(tvgp_policy_set(policy, "width.schedule=constant"), tvgp_policy_set_f64(policy, "width.value", WIDTH));
}

static tvgp_policy *make(experiment *e, size_t player, int choice, const stage *s, size_t run) {
    const double unit = s->scene->unit;
    const int defaults = choice == OTHER && !s->side && !s->nlopt && strcmp(e->players[player].text, "random") != 0;
    tvgp_domain *domain = make_domain(s, choice == OTHER ? s->side : 0);
    tvgp_kernel *kernel;
    experiment_check(s->ctx,
                     s->scene->at
                         ? tvgp_kernel_matern(s->ctx, s->scene->dim, 2.5, unit * unit, 1, &s->scene->length, &kernel)
                         : tvgp_kernel_se(s->ctx, s->scene->dim, unit * unit, 1, &s->scene->length, &kernel),
                     "kernel");
    tvgp_policy *policy = experiment_policy(e, player, s->ctx, domain, defaults ? NULL : kernel, run);
    if (!defaults)
        tell_options(s->scene, policy);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return policy;
}

static void give(const stage *s, const box_world *w, tvgp_policy *policy, double *values) {
    double x[BOX_DIM];
    values[LEAST] = INFINITY;
    for (size_t i = 0; i < BOX_GIVEN && s->scene->at; i++) {
        box_world_given(w, i, x);
        const tvgp_obs o = {.y = box_world_at(w, x), .flags = TVGP_OBS_HAS_TIME};
        experiment_check(s->ctx, tvgp_policy_tell(policy, 1, &o, x), "given points");
        values[LEAST] = fmin(values[LEAST], s->scene->most - o.y);
    }
}

/* The point of step t; its query, 0 when it is none. */
static int64_t ask(const stage *s, tvgp_policy *policy, int other, double t, double *x) {
    tvgp_query q;
#ifdef HAVE_NLOPT
    if (other && s->nlopt) {
        (void)multistart(s->ctx, policy, s->scene->dim, WIDTH, t, (uint64_t)t, x);
        return 0;
    }
#else
    (void)other;
#endif
    experiment_check(s->ctx, tvgp_policy_ask_one(policy, t, &q, x), "ask");
    return q.id;
}

/* Asks and tells; the value of the function at x. Processor time is added to seconds. */
static double play(const stage *s, const box_world *w, tvgp_policy *policy, int other, double t, double noise, double *x,
                   double *seconds) {
    const clock_t start = clock();
    tvgp_obs o = {.id = ask(s, policy, other, t, x), .t = t, .flags = TVGP_OBS_HAS_TIME};
    const clock_t asked = clock();
    const double y = box_world_at(w, x);
    const clock_t known = clock();
    o.y = y + noise;
    experiment_check(s->ctx, tvgp_policy_tell(policy, 1, &o, o.id ? NULL : x), "tell");
    *seconds += (double)(clock() - known + asked - start) / CLOCKS_PER_SEC;
    return y;
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const stage *s = user;
    const size_t n = CHOICES * e->n_players, dim = s->scene->dim, steps = s->scene->steps;
    tvgp_policy **policy = experiment_allocate(n, sizeof *policy);
    double *x = experiment_allocate(n * dim, sizeof *x), *y = experiment_allocate(n, sizeof *y), uniform = 0;
    box_world *w = experiment_allocate(1, sizeof *w);
    box_world_open(w, s->scene, e->seed + r);
    memset(values, 0, n * VALUES * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        policy[i] = make(e, i / CHOICES, (int)(i % CHOICES), s, r);
        give(s, w, policy[i], values + i * VALUES);
    }
    for (size_t t = 1; t <= steps; t++, box_world_step(w)) {
        const double noise = box_world_noise(w);
        for (size_t i = 0; i < n; i++)
            y[i] = play(s, w, policy[i], i % CHOICES, (double)t, noise, x + i * dim, &values[i * VALUES + SECONDS]);
        const double most = box_world_most(w, n, x);
        for (size_t i = 0; i < n; i++) {
            values[i * VALUES + REGRET] += (most - y[i]) / (double)steps;
            values[i * VALUES + LEAST] = fmin(values[i * VALUES + LEAST], most - y[i]);
        }
        uniform += (most - w->mean) / (double)steps;
    }
    for (size_t i = 0; i < n; i++) {
        double *v = values + i * VALUES;
        v[SHARE] = v[REGRET] / uniform;
        v[RATIO] = values[(i - i % CHOICES) * VALUES + REGRET] / v[REGRET];
        v[EXCESS] = v[SHARE] - values[i % CHOICES * VALUES + SHARE];
        tvgp_policy_destroy(policy[i]);
    }
    free(w);
    free(y);
    free(x);
    free(policy);
}

static void report(const experiment *e, const stage *s, const double *values, size_t n_values) {
    const char *const names[CHOICES] = {"true", s->side ? "true on arms" : s->nlopt ? "true by NLopt" : "defaults"};
    for (size_t i = 0; i < CHOICES * e->n_players; i++) {
        printf("%s,%s,%s,%zu", s->scene->name, e->players[i / CHOICES].label, names[i % CHOICES], e->runs);
        for (size_t v = 0; v < VALUES; v++) {
            const experiment_mean mean = experiment_mean_of(values, e->runs, n_values, i * VALUES + v);
            if (v == SECONDS)
                printf(",%.2f", 1e3 * mean.mean / (double)s->scene->steps);
            else if (v == LEAST && !s->scene->at)
                printf(",,");
            else
                printf(",%.4g,%.2g", mean.mean, mean.error);
        }
        printf("\n");
    }
    fflush(stdout);
}

void exp_box(int argc, char **argv) {
    static const char *const players[] = {"tv-gp-ucb", "gp-ucb", "auto-gp-ucb", "sw-gp-ucb", "random", NULL};
    experiment e = {.name = "box", .runs = 10, .processes = 2, .seed = 1};
    double only = -1, side = 0, steps = 0, epsilon = 0, nlopt = 0;
    const experiment_number own[] = {
        {"--scene", "play only this one, from 0; negative: all", &only},
        {"--side", "next to the box as many arms a side; 0: default settings next to true ones", &side},
        {"--nlopt", "1: beside the search NLopt's multistart, where functions stand still", &nlopt},
        {"--steps", "of a run; 0: those of the scene", &steps},
        {"--epsilon", "rate of the fields; 0: .01", &epsilon},
    };
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    printf(
        "scene,policy,parameters,runs,ms,least,least_error,regret,regret_error,share,share_error,true_over_this,over_error,"
        "over_first,over_first_error\n");
    for (size_t i = 0; i < BOX_SCENES; i++) {
        box_scene scene = box_scenes[i];
        stage s = {.scene = &scene, .side = (size_t)side, .nlopt = nlopt > 0};
        if ((only >= 0 && only != (double)i) || (s.side && scene.at) || (s.nlopt && !scene.at))
            continue;
        scene.steps = steps > 0 ? (size_t)steps : scene.steps;
        scene.epsilon = scene.epsilon > 0 && epsilon > 0 ? epsilon : scene.epsilon;
        experiment_check(NULL, tvgp_ctx_create(NULL, &s.ctx), "context");
        const size_t n_values = CHOICES * VALUES * e.n_players;
        double *values = experiment_runs(&e, run, &s, n_values);
        report(&e, &s, values, n_values);
        free(values);
        tvgp_ctx_destroy(s.ctx);
    }
}
