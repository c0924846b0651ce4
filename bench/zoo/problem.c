/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "../experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const zoo_kind *const lists[] = {zoo_kinds_fields, zoo_kinds_lines, zoo_kinds_names, zoo_kinds_boxes,
                                        zoo_kinds_recorded};
static const char *const sizes[] = {"small", "middle", "hard", ""};

/* ---- by name ------------------------------------------------------------------------------------------------------ */

static const zoo_kind *kind_at(size_t i) {
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (const zoo_kind *kind = lists[l]; kind->name; kind++)
            if (i-- == 0)
                return kind;
    return NULL;
}

tvgp_status tvgp_zoo_count(size_t *n) {
    if (!n)
        return TVGP_ERR_ARG;
    for (*n = 0; kind_at(*n);)
        ++*n;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_name_at(size_t i, const char **name, const char **family, const char **doc) {
    const zoo_kind *kind = kind_at(i);
    if (!kind || !name || !family || !doc)
        return TVGP_ERR_ARG;
    *name = kind->name;
    *family = kind->family;
    *doc = kind->doc;
    return TVGP_OK;
}

/* Says what was wrong, and what there is. */
static tvgp_status refuse(tvgp_status status, char *message, size_t size, const char *what, const char *word,
                          const zoo_kind *kind) {
    if (!message || !size)
        return status;
    size_t used = (size_t)snprintf(message, size, "%s '%.60s'; there are", what, word);
    for (size_t i = 0; used < size; i++) {
        const char *there = kind ? (i < ZOO_SETTINGS ? kind->settings[i].key : NULL) : kind_at(i) ? kind_at(i)->name : NULL;
        if (!there)
            break;
        used += (size_t)snprintf(message + used, size - used, " %s", there);
    }
    return status;
}

/* One word of the settings: a size, or key=value. */
static tvgp_status read_word(zoo_problem *p, const char *word, char *message, size_t size) {
    const zoo_kind *kind = p->kind;
    for (size_t s = 0; s < ZOO_SIZES; s++)
        if (!strcmp(word, sizes[s])) {
            for (size_t i = 0; i < ZOO_SETTINGS && kind->settings[i].key; i++)
                p->setting[i] = kind->settings[i].value[s];
            p->size = s;
            return TVGP_OK;
        }
    for (size_t i = 0; i < ZOO_SETTINGS && kind->settings[i].key; i++) {
        const size_t length = strlen(kind->settings[i].key);
        if (strncmp(word, kind->settings[i].key, length) || word[length] != '=')
            continue;
        char *end;
        p->setting[i] = strtod(word + length + 1, &end);
        p->size = ZOO_SIZES;
        return *end || end == word + length + 1 || !isfinite(p->setting[i])
                   ? refuse(TVGP_ERR_OPTION, message, size, "no number:", word, kind)
                   : TVGP_OK;
    }
    return refuse(TVGP_ERR_NOTFOUND, message, size, "no setting", word, kind);
}

static tvgp_status read_settings(zoo_problem *p, const char *text, char *message, size_t size) {
    char word[64];
    tvgp_status status = read_word(p, "middle", message, size);
    for (text += strspn(text, " ,"); status == TVGP_OK && *text; text += strspn(text, " ,")) {
        const size_t length = strcspn(text, " ,");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        status = read_word(p, word, message, size);
        text += length;
    }
    return status;
}

double zoo_set(const zoo_problem *p, const char *key) {
    for (size_t i = 0; i < ZOO_SETTINGS && p->kind->settings[i].key; i++)
        if (!strcmp(p->kind->settings[i].key, key))
            return p->setting[i];
    fprintf(stderr, "%s has no setting %s\n", p->kind->name, key);
    abort();
}

/* ---- what makes it hard ------------------------------------------------------------------------------------------- */

/* Correlation of values `lag` steps apart about the mean of their arm, over all arms. */
static double correlation(const zoo_problem *p, const double *mean, size_t lag) {
    double product = 0, square = 1e-300;
    for (size_t s = 0; s + lag < p->info.steps; s++)
        for (size_t i = 0; i < p->info.arms; i++) {
            const double a = zoo_row(p, s)[i] - mean[i], b = zoo_row(p, s + lag)[i] - mean[i];
            product += isnan(a * b) ? 0 : a * b;
            square += isnan(a * b) ? 0 : (a * a + b * b) / 2;
        }
    return product / square;
}

/* Means of the prior rather than of the run: what stands still for all of it is correlated, not constant. */
static void measure_correlation(zoo_problem *p) {
    tvgp_zoo_info *info = &p->info;
    const size_t lag = info->steps > 20 ? 10 : 1;
    double *mean = experiment_allocate(info->arms, sizeof *mean);
    experiment_check(p->ctx, tvgp_zoo_prior(p, 0, mean), "mean");
    const double r = fmin(fmax(correlation(p, mean, lag), 1e-3), 1);
    info->epsilon = p->epsilon > 0 ? p->epsilon : 1 - pow(r, 2.0 / (double)lag);
    for (size_t k = 1; k < info->steps && info->half == 0; k += 1 + k / 8)
        if (correlation(p, mean, k) < 0.5)
            info->half = (double)k;
    free(mean);
}

static size_t best_arm(const zoo_problem *p, size_t step) {
    size_t best = p->info.arms;
    for (size_t i = 0; i < p->info.arms; i++)
        if (!isnan(zoo_row(p, step)[i]) && (best == p->info.arms || zoo_row(p, step)[i] > zoo_row(p, step)[best]))
            best = i;
    return best;
}

static void measure_steps(zoo_problem *p) {
    tvgp_zoo_info *info = &p->info;
    double n = 0, sum = 0, squares = 0;
    for (size_t s = 0; s < info->steps; s++) {
        const double *now = zoo_row(p, s), *next = now + info->arms;
        double there = 0, change = 0;
        for (size_t i = 0; i < info->arms; i++) {
            if (isnan(now[i]))
                continue;
            there++;
            p->uniform[s] += now[i];
            squares += now[i] * now[i];
            if (s + 1 < info->steps && !isnan(next[i]))
                change = fmax(change, fabs(next[i] - now[i]));
        }
        n += there;
        sum += p->uniform[s];
        p->uniform[s] /= there;
        p->best[s] = now[best_arm(p, s)];
        info->variation += change;
        info->flags |= there < (double)info->arms ? TVGP_ZOO_MASKED : 0;
        info->path += s && best_arm(p, s) != best_arm(p, s - 1);
    }
    info->sd = sqrt(fmax(0, squares / n - sum / n * (sum / n)));
}

static void measure_arms(zoo_problem *p) {
    measure_steps(p);
    measure_correlation(p);
    if (p->info.changes == 0)
        p->info.changes = fmax(1, p->info.path);
}

static void measure_box(zoo_problem *p) {
    for (size_t s = 0; s + 1 < p->info.steps; s++)
        p->info.variation += fabs(p->best[s + 1] - p->best[s]);
    p->info.sd = sqrt(p->variance);
    p->info.epsilon = p->epsilon;
    p->info.changes = fmax(1, p->info.changes);
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

void zoo_on_grid(zoo_problem *p, size_t steps, size_t side, size_t dim, double lengthscale, double variance) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {side, side};
    p->info.steps = steps;
    p->info.dim = dim;
    p->info.arms = dim == 2 ? side * side : side;
    p->variance = variance;
    p->f = experiment_allocate(steps * p->info.arms, sizeof *p->f);
    experiment_check(p->ctx, tvgp_domain_grid(p->ctx, dim, lower, upper, points, &p->domain), "arms");
    experiment_check(p->ctx, tvgp_kernel_se(p->ctx, dim, variance, 1, &lengthscale, &p->kernel), "kernel");
}

void zoo_on_names(zoo_problem *p, size_t steps, size_t arms, double mean, double variance) {
    p->info.steps = steps;
    p->info.dim = 1;
    p->info.arms = arms;
    p->info.mean = mean;
    p->variance = variance;
    p->f = experiment_allocate(steps * arms, sizeof *p->f);
    experiment_check(p->ctx, tvgp_domain_indices(p->ctx, arms, &p->domain), "arms");
    experiment_check(p->ctx, tvgp_kernel_categorical(p->ctx, variance, 0, &p->kernel), "kernel");
}

void zoo_give_expert(zoo_problem *p) {
    p->expert = 1;
    p->expert_noise = zoo_set(p, "expert_noise");
    p->expert_absent = zoo_set(p, "absent");
}

static void measure(zoo_problem *p) {
    tvgp_zoo_info *info = &p->info;
    info->name = p->kind->name;
    info->family = p->kind->family;
    info->doc = p->kind->doc;
    info->level = sizes[p->size];
    p->best = p->best ? p->best : experiment_allocate(info->steps, sizeof *p->best);
    p->uniform = p->uniform ? p->uniform : experiment_allocate(info->steps, sizeof *p->uniform);
    if (info->arms)
        measure_arms(p);
    else
        measure_box(p);
    if (!(info->high > info->low)) {
        info->low = info->mean - 3 * sqrt(p->variance);
        info->high = info->mean + 3 * sqrt(p->variance);
    }
    info->flags |= (p->when != ZOO_AT_ONCE ? TVGP_ZOO_DELAYED : 0u) | (p->expert ? TVGP_ZOO_EXPERT : 0u) |
                   (p->n_priors > 1 ? TVGP_ZOO_PRIORS : 0u);
}

/* Problems differ in what they draw at the same seed (FNV-1a of the name). */
static uint64_t seed_of(const char *name, uint64_t seed) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return seed + (hash & 0xffffffffffff0000u);
}

tvgp_status tvgp_zoo_open(tvgp_ctx *ctx, const char *name, const char *text, uint64_t seed, tvgp_zoo_problem **out,
                          char *message, size_t size) {
    size_t i = 0;
    if (!ctx || !name || !out)
        return TVGP_ERR_ARG;
    while (kind_at(i) && strcmp(kind_at(i)->name, name))
        i++;
    if (!kind_at(i))
        return refuse(TVGP_ERR_NOTFOUND, message, size, "no problem", name, NULL);
    zoo_problem *p = experiment_allocate(1, sizeof *p);
    p->kind = kind_at(i);
    p->ctx = ctx;
    p->seed = seed_of(name, seed);
    const tvgp_status status = read_settings(p, text ? text : "", message, size);
    if (status != TVGP_OK) {
        free(p);
        return status;
    }
    p->kind->make(p);
    if (*p->missing) {
        if (message && size)
            snprintf(message, size, "%s", p->missing);
        tvgp_zoo_close(p);
        return TVGP_ERR_NOTFOUND;
    }
    measure(p);
    *out = p;
    return TVGP_OK;
}

void tvgp_zoo_close(tvgp_zoo_problem *p) {
    if (!p)
        return;
    if (p->leave)
        p->leave(p);
    tvgp_kernel_destroy(p->kernel);
    tvgp_domain_destroy(p->domain);
    free(p->f);
    free(p->time);
    free(p->priors);
    free(p->best);
    free(p->uniform);
    free(p);
}

/* ---- what is asked of it ------------------------------------------------------------------------------------------ */

tvgp_status tvgp_zoo_info_of(const tvgp_zoo_problem *p, tvgp_zoo_info *info) {
    if (!p || !info)
        return TVGP_ERR_ARG;
    *info = p->info;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_domain(const tvgp_zoo_problem *p, const tvgp_domain **domain) {
    if (!p || !domain)
        return TVGP_ERR_ARG;
    *domain = p->domain;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_known(const tvgp_zoo_problem *p, int level, const tvgp_kernel **kernel_or_null, char *options,
                           size_t size) {
    if (!p || !kernel_or_null || !options || level < 0 || level >= TVGP_ZOO_LEVELS)
        return TVGP_ERR_ARG;
    const tvgp_zoo_info *i = &p->info;
    const double noise = fmax(i->noise, 1e-4 * p->variance);
    int length = 0;
    if (level == TVGP_ZOO_NOTHING && size)
        *options = 0;
    if (level != TVGP_ZOO_NOTHING)
        length =
            snprintf(options, size, "noise=%.17g side.noise=%.17g", noise, p->expert_noise > 0 ? p->expert_noise : noise);
    if (level == TVGP_ZOO_ALL && length >= 0 && (size_t)length < size)
        length += snprintf(options + length, size - (size_t)length,
                           " horizon=%zu variation_budget=%.17g epsilon=%.17g season.period=%.17g", i->steps,
                           fmax(i->variation / sqrt(p->variance), 1e-6), fmin(i->epsilon, 0.999), i->period);
    if (length < 0 || (size_t)length >= size)
        return TVGP_ERR_BUFFER;
    *kernel_or_null = level == TVGP_ZOO_NOTHING ? NULL : p->kernel;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_prior(const tvgp_zoo_problem *p, size_t i, double *mean) {
    if (!p || !mean)
        return TVGP_ERR_ARG;
    if (i >= (p->n_priors ? p->n_priors : 1))
        return TVGP_ERR_NOTFOUND;
    for (size_t k = 0; k < (p->info.arms ? p->info.arms : 1); k++)
        mean[k] = p->n_priors ? p->priors[i * p->info.arms + k] : p->info.mean;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_step(const tvgp_zoo_problem *p, size_t step, double *t, uint8_t *mask) {
    if (!p || !t || step >= p->info.steps)
        return TVGP_ERR_ARG;
    *t = p->time ? p->time[step] : (double)(step + 1);
    for (size_t i = 0; mask && i < p->info.arms; i++)
        mask[i] = (uint8_t)!isnan(zoo_row(p, step)[i]);
    return TVGP_OK;
}

static double value_at(zoo_problem *p, size_t step, int64_t arm, const double *x) {
    return p->info.arms ? zoo_row(p, step)[arm] : p->at(p, step, x);
}

static tvgp_status check(const zoo_problem *p, size_t step, int64_t arm, const double *x) {
    if (!p || step >= p->info.steps || (p->info.arms ? arm < 0 || arm >= (int64_t)p->info.arms : !x))
        return TVGP_ERR_ARG;
    return TVGP_OK;
}

static double heads(const zoo_problem *p, size_t step, double f) {
    double u[64], sum = 0;
    zoo_uniforms(p->seed, ZOO_ANSWER, step, (size_t)p->coins, u);
    for (size_t i = 0; i < (size_t)p->coins; i++)
        sum += u[i] < f;
    return sum / p->coins;
}

/* The smallest count whose chance of being enough exceeds u. */
static double count(double u, double mean) {
    double term = exp(-mean), sum = term, n = 0;
    while (u > sum && n < 1000) {
        term *= mean / ++n;
        sum += term;
    }
    return n;
}

static double noisy(const zoo_problem *p, size_t step, double f) {
    double z[4];
    if (p->answers == ZOO_COINS)
        return heads(p, step, f);
    if (p->answers == ZOO_POISSON)
        return count(zoo_uniform_of(p->seed, ZOO_ANSWER, step), f);
    zoo_normal(p->seed, ZOO_ANSWER, step, 4, z);
    const double scale = p->answers == ZOO_STUDENT ? 1 / sqrt(z[1] * z[1] + z[2] * z[2] + z[3] * z[3]) : 1;
    return f + sqrt(p->info.noise) * z[0] * scale; /* Student: variance 3 of z0 / sqrt(chi^2 / 3), less a factor sqrt(3) */
}

static size_t arrival(const zoo_problem *p, size_t step) {
    const double u = zoo_uniform_of(p->seed, ZOO_DELAY, step);
    if (p->when == ZOO_LOST)
        return u < p->delay ? SIZE_MAX : step;
    if (p->when == ZOO_GEOMETRIC)
        return step + (size_t)floor(log(1 - u) / log(1 - 1 / (1 + p->delay)));
    return p->when == ZOO_FIXED ? step + (size_t)p->delay : step;
}

tvgp_status tvgp_zoo_answer(tvgp_zoo_problem *p, size_t step, int64_t arm, const double *x, double *y, size_t *due) {
    if (check(p, step, arm, x) != TVGP_OK || !y || !due)
        return TVGP_ERR_ARG;
    *y = noisy(p, step, value_at(p, step, arm, x));
    *due = arrival(p, step);
    return isnan(*y) ? TVGP_ERR_ARG : TVGP_OK;
}

tvgp_status tvgp_zoo_expert(tvgp_zoo_problem *p, size_t step, size_t number, int64_t arm, const double *x, double *y,
                            int *known) {
    double z;
    if (check(p, step, arm, x) != TVGP_OK || !y || !known)
        return TVGP_ERR_ARG;
    if (!p->expert)
        return TVGP_ERR_UNSUPPORTED;
    *known = zoo_uniform_of(p->seed, ZOO_EXPERT, 2 * step) >= p->expert_absent;
    zoo_normal(p->seed, ZOO_EXPERT, 2 * (step * (p->info.arms + 1) + number) + 1, 1, &z);
    *y = value_at(p, step, arm, x) + sqrt(p->expert_noise) * z;
    return TVGP_OK;
}

tvgp_status tvgp_zoo_value(tvgp_zoo_problem *p, size_t step, int64_t arm, const double *x, double *value, double *best,
                           double *uniform) {
    if (check(p, step, arm, x) != TVGP_OK)
        return TVGP_ERR_ARG;
    const double f = value_at(p, step, arm, x);
    if (value)
        *value = f;
    if (best)
        *best = fmax(p->best[step], f);
    if (uniform)
        *uniform = p->uniform[step];
    return TVGP_OK;
}
