/* SPDX-License-Identifier: MIT */
/* Seasonal means: the cell means of a one-way random-effects model within each arm, y = mu_arm + b_(arm, bin) + e. A
 * cell with few observations is shrunk to the arm's mean: (n_ab ybar_ab + k ybar_a) / (n_ab + k), k = var e / var b (the
 * best linear predictor, Searle, Casella, McCulloch 1992, sec. 3.4 and 7.2). The two variances come from the sums of
 * squares within and between bins, pooled over the arms: SSW estimates (N - cells) var e; SSB minus its share of var e
 * estimates sum_a (N_a - sum_b n_ab^2 / N_a) var b. An arm without observations has the mean of all. */
#include "space/domain/seasonal_means.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

typedef struct {
    size_t arms, bins;
    double *count, *sum; /* bins x arms: of each cell */
    double total;        /* mean of all */
} cells;

static size_t bin_of(double t, double period, size_t bins) {
    double turns = t / period, phase = turns - floor(turns);
    size_t bin = (size_t)(phase * (double)bins);
    return bin < bins ? bin : bins - 1; /* a phase of 1 by round-off */
}

static void collect(cells *c, size_t n, const int64_t *arm, const double *t, const double *y, double period) {
    for (size_t i = 0; i < n; i++) {
        size_t cell = bin_of(t[i], period, c->bins) * c->arms + (size_t)arm[i];
        c->count[cell]++;
        c->sum[cell] += y[i];
        c->total += (y[i] - c->total) / (double)(i + 1);
    }
}

/* Number and mean of an arm's observations. */
static double arm_count(const cells *c, size_t a, double *mean) {
    double count = 0, sum = 0;
    for (size_t b = 0; b < c->bins; b++) {
        count += c->count[b * c->arms + a];
        sum += c->sum[b * c->arms + a];
    }
    *mean = count > 0 ? sum / count : c->total;
    return count;
}

static double cell_mean(const cells *c, size_t cell) {
    return c->sum[cell] / c->count[cell];
}

/* k = var e / var b; infinite where the bins do not differ by more than chance. */
static double shrinkage(const cells *c, size_t n, const int64_t *arm, const double *t, const double *y, double period) {
    double within = 0, between = 0, degrees = (double)n, groups = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        double off = y[i] - cell_mean(c, bin_of(t[i], period, c->bins) * c->arms + (size_t)arm[i]);
        within += off * off;
    }
    for (size_t a = 0; a < c->arms; a++) {
        double mean, count = arm_count(c, a, &mean), squares = 0;
        for (size_t b = 0; b < c->bins; b++) {
            size_t cell = b * c->arms + a;
            if (!(c->count[cell] > 0))
                continue;
            double off = cell_mean(c, cell) - mean;
            between += c->count[cell] * off * off;
            squares += c->count[cell] * c->count[cell];
            groups++;
            degrees--;
        }
        groups -= count > 0;
        weight += count > 0 ? count - squares / count : 0;
    }
    if (!(degrees > 0) || !(weight > 0)) /* one observation a bin tells the two apart no more */
        return 1;
    double noise = within / degrees, spread = (between - groups * noise) / weight;
    return spread > 0 ? noise / spread : INFINITY;
}

tvgp_status tvgp__seasonal_means(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t, const double *y,
                                 double period, size_t bins, double *mean) {
    cells c = {.arms = tvgp__domain_entries(domain), .bins = bins};
    TVGP__TRY(tvgp__memory_alloc(domain->ctx, tvgp__memory_product(bins, c.arms), 2 * sizeof *c.count, &c.count));
    c.sum = c.count + bins * c.arms;
    collect(&c, n, arm, t, y, period);
    double k = shrinkage(&c, n, arm, t, y, period), own;
    for (size_t a = 0; a < c.arms; a++) {
        (void)arm_count(&c, a, &own);
        for (size_t cell = a; cell < bins * c.arms; cell += c.arms)
            mean[cell] = isinf(k) || !(c.count[cell] > 0) ? own : (c.sum[cell] + k * own) / (c.count[cell] + k);
    }
    tvgp__memory_free(domain->ctx, c.count);
    return TVGP_OK;
}
