/* SPDX-License-Identifier: MIT */
/* The analysis of variance that shows whether levels changed during historical data (parts/history/level_changes.h). */
#include "parts/history/level_changes.h"

#include "base/error.h"
#include "base/memory.h"

enum { BLOCKS = 5 };
static const double ROUND_OFF = 1e-12; /* values are standardised */

/* Sums of squares and degrees of freedom. */
typedef struct parts_of_variance {
    double between, between_freedom, within, within_freedom;
} parts_of_variance;

static void center_of_row(const tvgp__history_table *s, size_t r, double *center) {
    double sum = 0, cells = 0;
    for (size_t a = 0; a < s->arms; a++) {
        sum += s->y[r * s->arms + a];
        cells += s->is[r * s->arms + a];
    }
    *center = cells > 0 ? sum / cells : 0;
}

static void add_arm(const tvgp__history_table *s, const double *center, size_t a, parts_of_variance *v) {
    double n[BLOCKS] = {0}, mean[BLOCKS] = {0}, all = 0, level = 0;
    for (size_t r = 0; r < s->n; r++) {
        const size_t b = r * BLOCKS / s->n;
        if (s->is[r * s->arms + a] == 0)
            continue;
        const double y = s->y[r * s->arms + a] - center[r], off = y - mean[b];
        n[b]++;
        mean[b] += off / n[b];
        v->within += off * (y - mean[b]);
    }
    for (size_t b = 0; b < BLOCKS; b++) {
        if (n[b] == 0)
            continue;
        const double off = mean[b] - level;
        v->between_freedom += all > 0;
        v->within_freedom += n[b] - 1;
        v->between += n[b] * all / (all + n[b]) * off * off;
        all += n[b];
        level += n[b] / all * off;
    }
}

tvgp_status tvgp__level_changes_ratio(const tvgp__history_table *s, double *out) {
    parts_of_variance v = {0};
    double *center = NULL;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, s->n, sizeof *center, &center));
    for (size_t r = 0; r < s->n; r++)
        center_of_row(s, r, &center[r]);
    for (size_t a = 0; a < s->arms; a++)
        add_arm(s, center, a, &v);
    tvgp__memory_free(s->ctx, center);
    const int enough = v.between_freedom > 0 && v.within_freedom > 0;
    *out = enough ? v.between / v.between_freedom / (v.within / v.within_freedom + ROUND_OFF) : 0;
    return TVGP_OK;
}
