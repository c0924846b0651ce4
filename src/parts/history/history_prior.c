/* SPDX-License-Identifier: MIT */
/* Options and statistics of a model of historical data, and the calls of other files. */
#include "parts/history/history_prior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

static const char *const found[] = {""};

#define MEMBER(name) offsetof(tvgp__history_prior_config, name)

const tvgp__option tvgp__history_prior_options[TVGP__HISTORY_PRIOR_OPTIONS] = {
    {"history.periods", TVGP_STR, TVGP__OPTION_TEXT | TVGP__OPTION_SHORT, MEMBER(period), 0, 0, 0, found,
     TVGP__TEXT(
         "Candidate periods of historical data, in units of time, separated by commas. Empty: they are found; 0: none.")},
    {"history.refit_interval", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(refit), 0, -1, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Time after which the prior is learned again from historical data and the run. 0: the longest period, or a "
                "tenth of "
                "the history; below 0: never.")},
    {"history.max_replayed", TVGP_I64, TVGP_OPTION_ADVANCED, MEMBER(retell), 200, 0, 65536, NULL,
     TVGP__TEXT("Number of newest outcomes on which the posterior is conditioned again when the prior is learned again.")},
    {"history.width_factor", TVGP_F64, TVGP_OPTION_ADVANCED, MEMBER(width), 0.7, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Factor of the exploration coefficient of a policy that has learned from historical data and uses the "
                "schedule rate. "
                "Unused where a width.* is set.")},
};

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression, before)                                                                                      \
    TVGP__POLICY_STAT_OF(name, tvgp__history_prior, r, tvgp__history_prior_of(p), expression, before)
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
    {"history.records", TVGP__TEXT("Number of historical records learned. 0: none."), stat_records, TVGP_STAT_DIAGNOSTIC,
     ""},
    {"history.bin_width", TVGP__TEXT("Width of the time bins of the historical data."), stat_slot, TVGP_STAT_LEARNED,
     "time"},
    {"history.period", TVGP__TEXT("First period of the model of the historical data. 0: none."), stat_period,
     TVGP_STAT_LEARNED, "time"},
    {"history.level_decay",
     TVGP__TEXT("Number of bins after which a level is forgotten to 1/e. inf: never; 0: no historical data."), stat_level,
     TVGP_STAT_LEARNED, "slots"},
    {"history.season_decay",
     TVGP__TEXT("Number of periods after which a season is forgotten to 1/e. inf: never; 0: no historical data."),
     stat_season, TVGP_STAT_LEARNED, "periods"},
    {"history.error", TVGP__TEXT("Squared error of forecasts of the historical data, relative to constant levels."),
     stat_error, TVGP_STAT_LEARNED, ""},
    {"history.refits", TVGP__TEXT("Number of times that the prior was learned again during the run."), stat_refits,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"history.model_misspecified",
     TVGP__TEXT("Whether historical data chose model.assume_misspecified=1: levels changed in a way that nothing forecast, "
                "few cells were recorded, or a replay was in favour. 1: yes."),
     stat_cautious, TVGP_STAT_LEARNED, ""},
};

/* ---- calls of other files --------------------------------------------------------------------------------------- */

tvgp_status tvgp__history_prior_means(const tvgp_policy *p, double t, double *mean, size_t n) {
    const tvgp__history_prior *r = tvgp__history_prior_of(p);
    TVGP__TRY(tvgp__valid_range_value(p->ctx, "t", t));
    if (!tvgp__domain_has_arms(p->domain))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior mean of arms, and the domain %s",
                               tvgp__domain_is_box(p->domain) ? "is a box" : "has measured contexts");
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

tvgp_status tvgp__history_prior_fit(tvgp_policy *p) {
    tvgp__history_prior *r = tvgp__history_prior_of(p);
    return p->started && p->clock > -INFINITY ? tvgp__history_prior_refit(p, r, p->clock + r->past.scale.width) : TVGP_OK;
}

void tvgp__history_prior_note(tvgp_policy *p, const tvgp__answer *a, double noise) {
    tvgp__history_prior *r = tvgp__history_prior_of(p);
    if (!r || !r->most)
        return;
    if (r->kept.n == r->kept.slots)
        tvgp__observations_drop(&r->kept, r->kept.n - r->most + 1);
    tvgp__observations_add(
        &r->kept, &(tvgp__observation){.arm = a->arm, .t = a->t, .y = a->y, .noise = noise, .assumed = a->assumed}, NULL);
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
