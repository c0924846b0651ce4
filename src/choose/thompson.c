/* SPDX-License-Identifier: MIT */
/* Thompson sampling (Thompson 1933; Russo, Van Roy, Kazerouni, Osband, Wen 2018, "A tutorial on Thompson sampling")
 * (choose/thompson.h). */
#include "choose/thompson.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/random_stream.h"
#include "base/quota.h"
#include "choose/rule.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__thompson_room(tvgp_ctx *ctx, size_t n, const uint8_t *mask, size_t filters, tvgp__thompson **made) {
    size_t m = 0;
    if (!*made)
        TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof **made, made));
    tvgp__thompson *s = *made;
    TVGP__TRY(tvgp__memory_reserve(ctx, n, sizeof *s->arm, &s->arm, &s->arm_slots));
    for (size_t i = 0; i < n; i++)
        if (!mask || mask[i])
            s->arm[m++] = i;
    const size_t needed = tvgp__memory_product(m, m) + 4 * m + n + tvgp__memory_product(filters, 1 + 2 * m);
    if (needed > s->slots) { /* a draw fills few columns of the factor: the pages of the others are never touched */
        TVGP__TRY(tvgp__memory_stretch(ctx, needed, sizeof *s->factor, 0, &s->factor));
        s->slots = needed;
    }
    s->m = m;
    s->mean = s->factor + m * m;
    s->residual = s->mean + m;
    s->draw = s->residual + m;
    s->z = s->draw + m;
    s->column = s->z + m;
    s->weight = s->column + n;
    s->filter_mean = s->weight + filters;
    s->filter_sd = s->filter_mean + filters * m;
    s->filters = filters;
    s->drawn = 0;
    return TVGP_OK;
}

void tvgp__thompson_free(tvgp_ctx *ctx, tvgp__thompson *s) {
    if (!s)
        return;
    tvgp__memory_free(ctx, s->arm);
    tvgp__memory_free(ctx, s->factor);
    tvgp__memory_free(ctx, s);
}

/* Adds a draw of one filter to `draw`. */
static void draw_filter(tvgp__thompson *s, tvgp__random_stream *stream) {
    double left = tvgp__random_stream_uniform(stream);
    size_t j = 0;
    while (j + 1 < s->drawn && left >= s->weight[j])
        left -= s->weight[j++];
    for (size_t i = 0; i < s->m; i++)
        s->draw[i] += s->filter_mean[j * s->m + i] + s->filter_sd[j * s->m + i] * tvgp__random_stream_normal(stream);
}

/* mean + F z; without a mean F z. */
static void draw(tvgp__thompson *s, tvgp__random_stream *stream, const double *mean) {
    if (s->drawn) {
        for (size_t i = 0; i < s->m; i++)
            s->draw[i] = mean ? mean[i] : 0;
        draw_filter(s, stream);
        return;
    }
    for (size_t k = 0; k < s->rank; k++)
        s->z[k] = tvgp__random_stream_normal(stream);
    for (size_t i = 0; i < s->m; i++)
        s->draw[i] = mean ? mean[i] : 0;
    tvgp__blas_gemv(TVGP__NO_TRANS, s->m, s->rank, 1, s->factor, s->m, s->z, 1, s->draw);
}

/* A draw from which an arm is chosen. */
static void draw_choice(tvgp__thompson *s, tvgp__random_stream *stream) {
    draw(s, stream, s->mean);
    for (size_t i = 0; s->turn && i < s->m; i++)
        s->turn(s->of, s->origin, s->arm[i], &s->draw[i]);
}

static void column_of_arm(void *of, size_t arm, double *out) {
    tvgp__posterior *post = of;
    tvgp__posterior_column(post, arm, out);
}

tvgp__thompson_covariance tvgp__thompson_of_arms(tvgp__posterior *post) {
    tvgp__thompson_covariance out = {.column = column_of_arm, .of = post, .largest = post->largest};
    tvgp__slack slack;
    tvgp__posterior_bounds(post, NULL, &out.var, &slack);
    out.left = slack.column;
    return out;
}

/* Columns of F from those of the posterior, each less what the columns before it hold. polled: the context whose interrupt function
 * may end it; NULL: it cannot fail. */
static tvgp_status factorise(tvgp__thompson *s, const tvgp__thompson_covariance *P, tvgp_ctx *polled) {
    const size_t m = s->m;
    const double least = fmax(1e-13 * P->largest, 2 * P->left);
    s->drawn = 0;
    for (size_t i = 0; i < m; i++)
        s->residual[i] = P->var[s->arm[i]];
    for (s->rank = 0; s->rank < m; s->rank++) {
        const size_t pivot = tvgp__rule_highest(m, s->residual, NULL, INFINITY);
        const double root = sqrt(s->residual[pivot]);
        double *f = s->factor + s->rank * m;
        if (!(s->residual[pivot] > least))
            return TVGP_OK;
        if (polled)
            TVGP__TRY(tvgp__quota_poll(polled, (double)m * (double)(s->rank + 1)));
        P->column(P->of, s->arm[pivot], s->column);
        for (size_t i = 0; i < m; i++)
            f[i] = s->column[s->arm[i]];
        for (size_t k = 0; k < s->rank; k++)
            tvgp__blas_axpy(m, -s->factor[k * m + pivot], s->factor + k * m, f);
        for (size_t i = 0; i < m; i++) {
            f[i] /= root;
            s->residual[i] -= f[i] * f[i];
        }
        s->residual[pivot] = 0;
    }
    return TVGP_OK;
}

/* What draws of filters need. */
static void take_filters(tvgp__thompson *s, const tvgp__thompson_covariance *P) {
    P->mixture->ops->draws(P->mixture, s->m, s->arm, s->weight, s->filter_mean, s->filter_sd);
    s->drawn = s->filters;
    for (size_t i = 0; i < s->m; i++) {
        double mean = 0;
        for (size_t j = 0; j < s->drawn; j++)
            mean += s->weight[j] * s->filter_mean[j * s->m + i];
        for (size_t j = 0; j < s->drawn; j++) {
            s->filter_mean[j * s->m + i] -= mean;
            s->filter_sd[j * s->m + i] *= P->width;
        }
    }
}

/* Draws stay within `far` standard deviations, as thompson.h says. */
static void hold_back(tvgp__thompson *s, double by) {
    if (s->drawn)
        tvgp__blas_scale(2 * s->m * s->drawn, by, s->filter_mean);
    else
        tvgp__blas_scale(s->m * s->rank, by, s->factor);
}

/* M of thompson.h: of 64 draws the third from the top. */
static double farthest(tvgp__thompson *s, const tvgp__thompson_covariance *P, tvgp__random_stream *stream) {
    enum { DRAWS = 64, TOP = 3 };
    double top[TOP] = {0};
    for (size_t k = 0; k < DRAWS; k++) {
        double most = 0;
        draw(s, stream, NULL);
        for (size_t i = 0; i < s->m; i++) {
            const double var = P->var[s->arm[i]];
            if (var > 1e-13 * P->largest)
                most = fmax(most, s->draw[i] / sqrt(var));
        }
        for (size_t j = 0; j < TOP; j++) {
            const double less = fmin(top[j], most);
            top[j] = fmax(top[j], most);
            most = less;
        }
    }
    return top[TOP - 1];
}

static tvgp__random_stream stream_of(uint64_t seed, uint64_t step) {
    return tvgp__random_stream_open(seed, TVGP__RANDOM_STREAM_THOMPSON, step);
}

void tvgp__thompson_score(tvgp__thompson *s, const tvgp__thompson_covariance *P, uint64_t seed, uint64_t step, double far,
                          double *score) {
    tvgp__random_stream stream = stream_of(seed, step),
                        other = tvgp__random_stream_open(seed, TVGP__RANDOM_STREAM_REACH, step);
    for (size_t i = 0; i < s->m; i++)
        s->mean[i] = score[s->arm[i]];
    if (P->mixture)
        take_filters(s, P);
    else
        (void)factorise(s, P, NULL);
    const double most = far < INFINITY ? farthest(s, P, &other) : 0;
    if (most > far)
        hold_back(s, far / most);
    draw_choice(s, &stream);
    for (size_t i = 0; i < s->m; i++)
        score[s->arm[i]] = s->draw[i];
}

double tvgp__thompson_propensity(tvgp__thompson *s, uint64_t seed, uint64_t step, size_t arm, size_t draws) {
    tvgp__random_stream stream = stream_of(seed, step);
    size_t same = 0;
    for (size_t i = 0; i <= draws; i++) {
        draw_choice(s, &stream); /* the first is the one that chose the arm */
        same += s->arm[tvgp__rule_highest(s->m, s->draw, NULL, INFINITY)] == arm;
    }
    return (double)same / (double)(draws + 1);
}

tvgp_status tvgp__thompson_count(tvgp_ctx *ctx, tvgp__thompson *s, const tvgp__thompson_covariance *P, uint64_t seed,
                                 uint64_t step, size_t draws, const double *score, double *count) {
    tvgp__random_stream stream = tvgp__random_stream_open(seed, TVGP__RANDOM_STREAM_BEST, step);
    for (size_t i = 0; i < s->m; i++)
        s->mean[i] = score[s->arm[i]];
    for (size_t i = 0; i < s->m; i++)
        count[s->arm[i]] = 0;
    TVGP__TRY(factorise(s, P, ctx));
    for (size_t k = 0; k < draws; k++) {
        TVGP__TRY(tvgp__quota_poll(ctx, (double)s->m * (double)(s->rank + 1)));
        draw_choice(s, &stream);
        count[s->arm[tvgp__rule_highest(s->m, s->draw, NULL, INFINITY)]] += 1;
    }
    return TVGP_OK;
}
