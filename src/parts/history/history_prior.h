/* SPDX-License-Identifier: MIT */
/* A policy that learned historical data (parts/history/fitted_history.h). Its prior mean is the model's forecast for the
 * time of each ask, its kernel the covariance of the model's forecast errors, and its outcomes update the mean.
 *
 * Every row of the run joins the data: observed cells with their values, the others with the posterior mean at the tell.
 * At the first ask after `history.refit_interval` the mean is recomputed from all rows. It then contains these outcomes,
 * so the posterior restarts and is conditioned on the newest ones (`history.max_replayed`) relative to the new mean.
 * Cells without a value stay where they were, at the mean. */
#ifndef TVGP__PARTS_HISTORY_HISTORY_PRIOR_H
#define TVGP__PARTS_HISTORY_HISTORY_PRIOR_H

#include "base/section.h"
#include "model/posterior/observations.h"
#include "parts/history/fitted_history.h"
#include "protocol/policy_ops.h"

typedef struct tvgp__history_prior_config {
    char period[TVGP__OPTION_SHORT_SIZE];
    double refit, width;
    int64_t retell;
} tvgp__history_prior_config;
enum { TVGP__HISTORY_PRIOR_OPTIONS = 4, TVGP__HISTORY_PRIOR_STATS = 8 };
extern const tvgp__option tvgp__history_prior_options[TVGP__HISTORY_PRIOR_OPTIONS];
extern const tvgp__stat tvgp__history_prior_stats[TVGP__HISTORY_PRIOR_STATS];

typedef struct tvgp__history_prior {
    tvgp__guard base;
    tvgp__fitted_history past;
    int own;      /* the kernel in use is computed from historical data, not supplied */
    double width; /* factor of the exploration coefficient */
    int cautious;
    double every, due; /* time between refits, 0: never; of the next one */
    int64_t refits;
    size_t n_rows, row_slots; /* since the refit */
    double *row, *value;      /* row_slots: their numbers; x arms: in the user's unit */
    uint8_t *seen;            /* row_slots x arms: outcomes in a cell, up to 255; 0: the posterior mean */
    tvgp__observations kept;  /* the newest observations that the posterior took, y in the policy's sense; noise NaN: the
                              * policy's own. `most` of them count, and there is room for a few more */
    size_t most;
    struct {
        double n, mean;
    } first;             /* the first outcomes since it was learned or loaded, in the user's sign; n: up to 5 */
    tvgp__answer *again; /* workspace: the same as outcomes */
    size_t *arm;
    double *moments; /* workspace: 2 arms */
} tvgp__history_prior;

/* Counts the newest observations that the posterior is conditioned on again. */
static inline size_t tvgp__history_prior_kept(const tvgp__history_prior *r) {
    return r->kept.n < r->most ? r->kept.n : r->most;
}

extern const tvgp__guard_ops tvgp__history_prior_ops;

/* Of a policy that learned a log; otherwise NULL. */
tvgp__history_prior *tvgp__history_prior_of(const tvgp_policy *policy);

/* Says whether levels changed in the historical data in a way that nothing forecast. The past then does not predict the future, so that
 * model.assume_misspecified is 1 unless the user sets it, with more noise (policy/auto_gp_ucb.c). */
int tvgp__history_prior_unsteady(const tvgp_policy *policy);

/* The i-th period of the model, and how many there are: an entry of a list of series. */
double tvgp__history_prior_period(const tvgp_policy *policy, size_t i);
size_t tvgp__history_prior_periods(const tvgp_policy *policy);
#define TVGP__HISTORY_PRIOR_SERIES_ENTRY                                                                                    \
    {                                                                                                                       \
        "history.period.0", "period i of the model from the log", tvgp__history_prior_period, tvgp__history_prior_periods,  \
            TVGP_STAT_LEARNED, "time"                                                                                       \
    }

/* What a log says, from records in any order (outcomes other than a value are left out) or a table of rows x arms with NaN in blanks. As
 * tvgp_policy_learn_history and _learn_history_table; the policy is unchanged on failure. */
tvgp_status tvgp__history_prior_records(tvgp_policy *policy, const tvgp_obs *obs, const double *x, size_t n);
tvgp_status tvgp__history_prior_table(tvgp_policy *policy, size_t rows, const double *t, const double *value);
void tvgp__history_prior_free(tvgp_ctx *ctx, tvgp__history_prior *r);

/* As tvgp_policy_prior_mean. */
tvgp_status tvgp__history_prior_means(const tvgp_policy *policy, double t, double *mean, size_t n);

/* As tvgp_policy_fit, of a policy with a log: the refit with which an ask one row after the newest time would begin. */
tvgp_status tvgp__history_prior_fit(tvgp_policy *policy);
/* The next three do nothing in a policy that learned no log; width gives 1. The posterior was conditioned on an outcome, with this noise; outcomes before time t are forgotten (infinity: all), as
 * the posterior did. */
void tvgp__history_prior_note(tvgp_policy *policy, const tvgp__answer *answer, double noise);
void tvgp__history_prior_forget(tvgp_policy *policy, double t);
/* The factor of exploration widths. */
double tvgp__history_prior_width(const tvgp_policy *policy);

/* Before an ask at time t: a refit if one is due, and the prior mean of then. Comes when nothing of the ask can fail any more but what
 * reach (protocol/policy_ops.h) does, which comes before a refit. NOMEM, the kernel's status, and nothing is changed. */
tvgp_status tvgp__history_prior_ask(tvgp_policy *policy, tvgp__history_prior *r, double t);
tvgp_status tvgp__history_prior_refit(tvgp_policy *policy, tvgp__history_prior *r, double t);
/* After outcomes were taken: their rows. */
void tvgp__history_prior_observe(tvgp_policy *policy, tvgp__history_prior *r, size_t n, const tvgp__answer *answers);
/* Sets the prior mean to the forecast for time t; -infinity: for the newest time seen. */
void tvgp__history_prior_move(tvgp_policy *policy, tvgp__history_prior *r, double t);
/* The posterior again: what it can fail at, then all newest outcomes relative to the means of now. */
tvgp_status tvgp__history_prior_prepare(tvgp_policy *policy, tvgp__history_prior *r);
void tvgp__history_prior_retell(tvgp_policy *policy, tvgp__history_prior *r);
/* Model and kernel from records; rows and outcomes of the run are kept if there was a model. */
tvgp_status tvgp__history_prior_make(tvgp_policy *policy, size_t n, const tvgp__history_table_record *record,
                                     tvgp_kernel **kernel, tvgp__history_prior **out);
/* Model and kernel on a larger domain; given: the kernel that the policy is created with there. Then the policy, which
 * moves to its domain with them: it restarts and is conditioned on the newest outcomes. Both are taken over, also on
 * failure, which changes nothing else. */
tvgp_status tvgp__history_prior_extend(tvgp_policy *policy, const tvgp_domain *larger, tvgp_kernel *given,
                                       tvgp_kernel **kernel, tvgp__history_prior **out);
tvgp_status tvgp__history_prior_install(tvgp_policy *policy, tvgp__history_prior *recall, tvgp_kernel *kernel);

#endif
