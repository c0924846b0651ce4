/* SPDX-License-Identifier: MIT */
/* State of outcomes that are counts (outcome.type = poisson or binomial), in addition to their table: their noise variance
 * differs from outcome to outcome, so pending queries are assumed to have the mean of the last 32 (parts/features/counts.h). */
#include "parts/features/counts.h"

#include "base/error.h"
#include "base/valid_range.h"
#include "protocol/policy_ops.h"

#include <math.h>

enum { KEPT = 32 };

typedef struct counts {
    tvgp__guard base;
    int64_t n;          /* outcomes so far */
    double noise[KEPT]; /* noise variances of the last; outcome i at i % KEPT */
} counts;

/* An outlier rule would take large counts, whose noise variance already belongs to the count, for outliers. */
static tvgp_status check_outliers(const tvgp_policy *p) {
    const char *key = "outlier.sd";
    double sd = 0;
    if (tvgp__option_index(p->ops->groups, p->ops->n_groups, key) < tvgp__option_count(p->ops->groups, p->ops->n_groups))
        TVGP__TRY(tvgp__option_get_f64(p->ctx, p->ops->groups, p->ops->n_groups, p->config, key, &sd));
    return sd > 0 ? tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "%s = %g with outcome.type = %s", key, sd,
                                    tvgp__policy_outcome(p)->name)
                  : TVGP_OK;
}

static tvgp_status start(tvgp_policy *p) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    if (!type || !type->counts) {
        tvgp__guard_drop(p, &tvgp__counts_ops);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__counts_ops));
    TVGP__TRY(check_outliers(p));
    return tvgp__guard_make(p, &tvgp__counts_ops, &(counts *){0});
}

static tvgp_status open_choice(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    const counts *c = (const counts *)g;
    const int64_t n = c->n < KEPT ? c->n : KEPT;
    double sum = 0;
    (void)t, (void)asks;
    for (int64_t i = 0; i < n; i++)
        sum += c->noise[i];
    p->terms.noise = n ? sum / (double)n : 0;
    return TVGP_OK;
}

static void after_tell(tvgp__guard *g, tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    counts *c = (counts *)g;
    (void)p;
    for (size_t i = 0; i < n; i++)
        if (tvgp__policy_reported(&answers[i]) == TVGP_VALUE)
            c->noise[c->n++ % KEPT] = answers[i].noise;
}

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    counts *c = (counts *)g;
    (void)p;
    tvgp__visit_tally(v, &c->n);
    tvgp__visit_reals(v, (size_t)(c->n < KEPT ? c->n : KEPT), c->noise, 0, TVGP__VALID_RANGE_MOST);
}

const tvgp__guard_ops tvgp__counts_ops = {.name = "CNTS",
                                          .size = sizeof(counts),
                                          .doc = "counts (outcome.type = poisson or binomial)",
                                          .refuses = TVGP__GUARD_SIDE_QUERIES,
                                          .start = start,
                                          .open = open_choice,
                                          .after_tell = after_tell,
                                          .visit = visit};
