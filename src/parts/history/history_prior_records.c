/* SPDX-License-Identifier: MIT */
/* Checks historical data as the caller supplies them, as records or a table, and learns from them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "base/valid_range.h"
#include "parts/history/history_misspecified.h"
#include "parts/history/history_prior.h"
#include "protocol/policy_options.h"
#include "space/domain/arm_at_point.h"

#include <math.h>
#include <string.h>

/* Of a policy with that option. */
static int fit_is_off(const tvgp_policy *p) {
    const char *fit = "off";
    (void)tvgp__option_get_str(p->ctx, p->ops->groups, p->ops->n_groups, p->config, "fit", &fit);
    return strcmp(fit, "off") == 0;
}

static tvgp_status check_policy(const tvgp_policy *p) {
    const char *why =
        tvgp__policy_options_was_set(p, "season.period") ? "a log teaches seasons, and season.period is set" : NULL;
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__history_prior_ops));
    if (tvgp__policy_options_was_set(p, "fit") && !fit_is_off(p))
        why = "a log teaches the kernel, and option fit was set to learn it";
    return why ? tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "%s", why) : TVGP_OK;
}

/* The model, and, if a replay of the data decides, whether the model is assumed to be misspecified. */
static tvgp_status learn(tvgp_policy *p, size_t n, const tvgp__history_table_record *record) {
    tvgp__history_prior *r = NULL;
    tvgp_kernel *kernel = NULL;
    int cautious = 0;
    TVGP__TRY(tvgp__history_prior_make(p, n, record, &kernel, &r));
    const tvgp_status status = r->cautious ? TVGP_OK : tvgp__history_misspecified_doubt(p, n, record, &cautious);
    if (status < 0) {
        tvgp__history_prior_free(p->ctx, r);
        tvgp__kernel_release(kernel);
        return status;
    }
    if (cautious) {
        r->cautious = 1;
        r->width = TVGP__HISTORY_REPLAY_WIDTH;
    }
    return tvgp__history_prior_install(p, r, kernel);
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

static tvgp_status no_record(const tvgp_policy *p) {
    return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "the log has no record with a value");
}

/* A record that is learned from, or arm SIZE_MAX: it has no value. */
static tvgp_status read_record(const tvgp_policy *p, const tvgp_obs *o, const double *x, size_t i,
                               tvgp__history_table_record *out) {
    const size_t dim = p->domain->dim;
    out->arm = SIZE_MAX;
    if (o->id)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].id = %lld must be 0: historical data are unsolicited", i,
                               (long long)o->id);
    if (o->outcome < TVGP_VALUE || o->outcome > TVGP_CANCELLED)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].outcome = %d is outside 0..3", i, (int)o->outcome);
    if (o->output)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].output = %d must be 0: a log teaches the reward", i,
                               (int)o->output);
    TVGP__TRY(tvgp__outcome_check(p->ctx, tvgp__policy_outcome(p), o, i));
    if (o->outcome != TVGP_VALUE)
        return TVGP_OK;
    if (!(o->flags & TVGP_OBS_HAS_TIME))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu] has no time: set t and the flag TVGP_OBS_HAS_TIME (2)", i);
    TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].t", i, 0, o->t));
    TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].y", i, 0, o->y));
    for (size_t d = 0; d < dim; d++)
        TVGP__TRY(tvgp__valid_range_entry(p->ctx, "x[%zu,%zu]", i, d, x[i * dim + d]));
    const int64_t arm = tvgp__arm_at_point_locate(p->domain, x + i * dim);
    if (arm < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "x[%zu] = (%.17g%s) is no arm", i, x[i * dim], dim > 1 ? ", .." : "");
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    double y = o->y, noise;
    if (type)
        TVGP__TRY(type->match(p->ctx, o, i, NAN, NAN, &y, &noise));
    *out = (tvgp__history_table_record){.t = o->t, .y = y, .arm = (size_t)arm};
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_records(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n) {
    tvgp__history_table_record *record = NULL;
    size_t used = 0;
    TVGP__TRY(check_policy(p));
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", n));
    TVGP__TRY(tvgp__quota_work(p->ctx, n, p->domain->dim));
    TVGP__TRY(n ? tvgp__memory_alloc(p->ctx, n, sizeof *record, &record) : no_record(p));
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < n && status == TVGP_OK; i++) {
        status = read_record(p, &obs[i], x, i, &record[used]);
        used += status == TVGP_OK && record[used].arm != SIZE_MAX;
    }
    if (status == TVGP_OK)
        status = used ? learn(p, used, record) : no_record(p);
    tvgp__memory_free(p->ctx, record);
    return status;
}

static tvgp_status read_row(const tvgp_policy *p, size_t r, double t, const double *value,
                            tvgp__history_table_record *record, size_t *used) {
    for (size_t a = 0; a < p->domain->n; a++) {
        if (isnan(value[a]))
            continue;
        TVGP__TRY(tvgp__valid_range_entry(p->ctx, "value[%zu,%zu]", r, a, value[a]));
        double y = value[a];
        TVGP__TRY(tvgp__outcome_link_all(p->ctx, tvgp__policy_outcome(p), "value", 1, &y));
        record[(*used)++] = (tvgp__history_table_record){.t = t, .y = y, .arm = a};
    }
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_table(tvgp_policy *p, size_t rows, const double *t, const double *value) {
    const size_t arms = p->domain->n;
    tvgp__history_table_record *record = NULL;
    size_t used = 0;
    TVGP__TRY(check_policy(p));
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "rows", rows));
    if (t)
        TVGP__TRY(tvgp__valid_range_values(p->ctx, "t", rows, t));
    TVGP__TRY(tvgp__quota_work(p->ctx, rows, arms));
    TVGP__TRY(rows ? tvgp__memory_alloc(p->ctx, rows, arms * sizeof *record, &record) : no_record(p));
    tvgp_status status = TVGP_OK;
    for (size_t r = 0; r < rows && status == TVGP_OK; r++)
        status = read_row(p, r, t ? t[r] : (double)r - (double)rows, value + r * arms, record, &used);
    if (status == TVGP_OK)
        status = used ? learn(p, used, record) : no_record(p);
    tvgp__memory_free(p->ctx, record);
    return status;
}
