/* SPDX-License-Identifier: MIT */
/* Historical data as a table with a row for each bin of time and a column for each arm (parts/history/history_table.h). */
#include "parts/history/history_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/sample_statistics.h"
#include "base/quota.h"
#include "base/valid_range.h"

#include <math.h>

double tvgp__history_table_row(const tvgp__history_table_scale *scale, double t) {
    return floor((t - scale->first) / scale->width + 0.5);
}

/* First time and median gap; 1 where there is one time. `time` holds n times and is written over. */
static tvgp__history_table_scale scale_of(size_t n, double *time) {
    size_t gaps = 0;
    tvgp__sample_statistics_sort(n, time);
    const double first = time[0];
    for (size_t i = 1, last = 0; i < n; i++)
        if (time[i] > time[last]) {
            const double gap = time[i] - time[last];
            last = i;
            time[gaps++] = gap; /* gaps <= i: what it stands on has been read, and time[last] stays */
        }
    return (tvgp__history_table_scale){first, gaps ? tvgp__sample_statistics_median(gaps, time) : 1};
}

/* The times in order give the scale, the newest row and so how many rows there are. */
static tvgp_status measure(tvgp__history_table *s, size_t n, const tvgp__history_table_record *record) {
    double *time = NULL, newest = record[0].t;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, n, sizeof *time, &time));
    for (size_t i = 0; i < n; i++) {
        time[i] = record[i].t;
        newest = fmax(newest, time[i]);
    }
    s->scale = scale_of(n, time);
    tvgp__memory_free(s->ctx, time);
    TVGP__TRY(tvgp__valid_range_positive(s->ctx, "the median step between times of the log", s->scale.width, 0));
    const double last = tvgp__history_table_row(&s->scale, newest);
    if (!(last < 0x1p53))
        return tvgp__error_set(s->ctx, TVGP_ERR_LIMIT, "the historical data span %g intervals of %g, at most 2^53", last + 1,
                               s->scale.width);
    s->before = last < TVGP__HISTORY_TABLE_MOST ? 0 : (int64_t)last + 1 - TVGP__HISTORY_TABLE_MOST;
    s->n = (size_t)((int64_t)last + 1 - s->before);
    return TVGP_OK;
}

/* Where a record stands, or SIZE_MAX: before the first row. */
static size_t index_of(const tvgp__history_table *s, const tvgp__history_table_record *r) {
    const double row = tvgp__history_table_row(&s->scale, r->t) - (double)s->before;
    return row < 0 ? SIZE_MAX : (size_t)row * s->arms + r->arm;
}

static void standardise(tvgp__history_table *s, size_t n, const tvgp__history_table_record *record) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        if (index_of(s, &record[i]) != SIZE_MAX) {
            s->records++;
            mean += (record[i].y - mean) / (double)s->records;
        }
    for (size_t i = 0; i < n; i++)
        if (index_of(s, &record[i]) != SIZE_MAX) {
            const double off = record[i].y - mean;
            square += off * off;
        }
    const double sd = sqrt(square / (double)s->records);
    s->mean = mean;
    s->sd = sd > 1e-12 * fabs(mean) && sd > 1e-100 ? sd : 1; /* all equal, up to round-off */
}

/* `is` counts the records of a cell until their sum is divided by it. */
static void fill(tvgp__history_table *s, size_t n, const tvgp__history_table_record *record) {
    for (size_t i = 0; i < n; i++) {
        const size_t at = index_of(s, &record[i]);
        if (at == SIZE_MAX)
            continue;
        s->y[at] += (record[i].y - s->mean) / s->sd;
        s->is[at]++;
    }
    for (size_t i = 0; i < s->n * s->arms; i++)
        if (s->is[i] > 0) {
            s->y[i] /= s->is[i];
            s->is[i] = 1;
            s->cells++;
        }
}

tvgp_status tvgp__history_table_new(tvgp_ctx *ctx, size_t arms, size_t n, const tvgp__history_table_record *record,
                                    tvgp__history_table *out) {
    tvgp__history_table s = {.ctx = ctx, .arms = arms};
    TVGP__TRY(measure(&s, n, record));
    TVGP__TRY(tvgp__quota_work(ctx, s.n, arms));
    TVGP__TRY(tvgp__memory_alloc(ctx, tvgp__memory_product(s.n, arms), sizeof *s.y, &s.y));
    tvgp_status status = tvgp__memory_alloc(ctx, tvgp__memory_product(s.n, arms), sizeof *s.is, &s.is);
    if (status < 0) {
        tvgp__history_table_free(&s);
        return status;
    }
    standardise(&s, n, record);
    fill(&s, n, record);
    *out = s;
    return TVGP_OK;
}

void tvgp__history_table_free(tvgp__history_table *s) {
    tvgp__memory_free(s->ctx, s->y);
    tvgp__memory_free(s->ctx, s->is);
    s->y = s->is = NULL;
}
