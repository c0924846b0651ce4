/* SPDX-License-Identifier: MIT */
/* Options and statistics of a learned log, and the calls of other files. */
#include "guard/history_prior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <math.h>
#include <string.h>

static const char *const found[] = {""};

#define MEMBER(name) offsetof(tvgp__history_prior_config, name)

const tvgp__option tvgp__history_prior_options[TVGP__HISTORY_PRIOR_OPTIONS] = {
    {"history.periods", TVGP_STR, TVGP__OPTION_TEXT | TVGP__OPTION_SHORT, MEMBER(period), 0, 0, 0, found,
     "periods of a log that is learned, in units of time with commas between: candidates; empty: they are found, 0: none"},
    {"history.refit_interval", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(refit), 0, -1, TVGP__RANGE_MOST, NULL,
     "keeps what a log taught up to date: time until it is made anew from log and run; 0: the longest period, or a tenth of "
     "the "
     "log; below 0: never"},
    {"history.max_replayed", TVGP_I64, TVGP_OPTION_ADVANCED, MEMBER(retell), 200, 0, 65536, NULL,
     "newest answers that the belief is told again when what a log taught is made anew"},
    {"history.width_factor", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(width), 0.7, 0, TVGP__RANGE_MOST, NULL,
     "factor of the exploration width of a policy that was told a log and follows the rate; not where a width.* is set"},
};

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression, before)                                                                                      \
    static double name(const tvgp_policy *p) {                                                                              \
        const tvgp__history_prior *r = tvgp__history_prior_of(p);                                                           \
        return r ? (double)(expression) : (double)(before);                                                                 \
    }
STAT(stat_records, r->past.records, 0)
STAT(stat_slot, r->past.scale.width, 0)
STAT(stat_level, r->past.structure.tau, 0)
STAT(stat_season, r->past.structure.s, 0)
STAT(stat_error, r->past.error, 1)
STAT(stat_refits, r->refits, 0)
STAT(stat_cautious, r->cautious, 0)

static double period(const tvgp__history_prior *r, size_t k) {
    return r && k < r->past.periods.n ? r->past.periods.cycle[k].slots * r->past.scale.width : 0;
}
static double stat_period(const tvgp_policy *p) {
    return period(tvgp__history_prior_of(p), 0);
}
double tvgp__history_prior_period(const tvgp_policy *p, size_t k) {
    return period(tvgp__history_prior_of(p), k);
}
size_t tvgp__history_prior_periods(const tvgp_policy *p) {
    return tvgp__history_prior_of(p) ? tvgp__history_prior_of(p)->past.periods.n : 0;
}

const tvgp__stat tvgp__history_prior_stats[TVGP__HISTORY_PRIOR_STATS] = {
    {"history.records", "records of the log that was learned; 0: none", stat_records, TVGP_STAT_DIAGNOSTIC, ""},
    {"history.bin_width", "width of its slots of time", stat_slot, TVGP_STAT_LEARNED, "time"},
    {"history.period", "first period of the model from it; 0: none", stat_period, TVGP_STAT_LEARNED, "time"},
    {"history.level_decay", "slots in which its levels forget to 1/e; inf when they never do, 0 without a log", stat_level,
     TVGP_STAT_LEARNED, "slots"},
    {"history.season_decay", "periods in which its seasons forget to 1/e; inf when they never do, 0 without a log",
     stat_season, TVGP_STAT_LEARNED, "periods"},
    {"history.error", "squared error of its forecasts of the log over that of constant levels", stat_error,
     TVGP_STAT_LEARNED, ""},
    {"history.refits", "times it was made anew in the run", stat_refits, TVGP_STAT_DIAGNOSTIC, ""},
    {"history.model_misspecified", "1: a replay of the log spoke for doubt = 1", stat_cautious, TVGP_STAT_LEARNED, ""},
};

/* ---- calls of other files --------------------------------------------------------------------------------------- */

tvgp_status tvgp__history_prior_means(const tvgp_policy *p, double t, double *mean, size_t n) {
    const tvgp__history_prior *r = tvgp__history_prior_of(p);
    TVGP__TRY(tvgp__range_value(p->ctx, "t", t));
    if (tvgp__domain_is(p->domain) != TVGP__ARMS)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior mean of arms, and the domain %s",
                               tvgp__domain_is(p->domain) == TVGP__BOX ? "is a box" : "has measured contexts");
    if (n != p->domain->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "n = %zu must be %zu, the number of arms", n, p->domain->n);
    if (r)
        tvgp__fitted_history_means(&r->past, t, mean);
    for (size_t a = 0; !r && a < n; a++) {
        const double value = tvgp__mean_function_at(&p->mean, a);
        mean[a] = p->started ? tvgp__policy_turn(p, value) : value;
    }
    for (size_t a = 0; a < n; a++)
        mean[a] = tvgp__outcome_inverse(tvgp__policy_outcome(p), mean[a]);
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_fit(tvgp_policy *p, int64_t max_evals, int64_t *evals) {
    tvgp__history_prior *r = tvgp__history_prior_of(p);
    if (!p->ops->learns)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' learns no hyper-parameters", p->ops->name);
    if (!r)
        return p->ops->learns->fit(p, max_evals, evals);
    return p->started && p->clock > -INFINITY ? tvgp__history_prior_refit(p, r, p->clock + r->past.scale.width) : TVGP_OK;
}

void tvgp__history_prior_note(tvgp_policy *p, const tvgp__answer *a, double noise) {
    tvgp__history_prior *r = tvgp__history_prior_of(p);
    if (!r || !r->most)
        return;
    if (r->kept.n == r->kept.slots)
        tvgp__observations_drop(&r->kept, r->kept.n - r->most + 1);
    tvgp__observations_add(&r->kept, &(tvgp__observation){.arm = a->arm, .t = a->t, .y = a->y, .noise = noise}, NULL);
}

void tvgp__history_prior_forget(tvgp_policy *p, double t) {
    tvgp__history_prior *r = tvgp__history_prior_of(p);
    size_t gone = r ? r->kept.n : 0;
    while (gone && r->kept.list[gone - 1].t >= t)
        gone--;
    if (gone)
        tvgp__observations_drop(&r->kept, gone);
}

double tvgp__history_prior_width(const tvgp_policy *p) {
    const tvgp__history_prior *r = tvgp__history_prior_of(p);
    return r ? r->width : 1;
}
