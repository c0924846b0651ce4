/* SPDX-License-Identifier: MIT */
/* The options of policies whose function may repeat (space/temporal/season.h) (policy/ucb/season_option.h). */
#include "policy/ucb/season_option.h"

#include "base/error.h"
#include "base/number_text.h"
#include "base/valid_range.h"

static const char *const no_period[] = {"0"};

const tvgp__option tvgp__season_options[TVGP__SEASON_OPTIONS] = {
    {"season.period", TVGP_STR, TVGP__OPTION_TEXT, offsetof(tvgp__season_config, periods), 0, 0, 0, no_period,
     TVGP__TEXT("Periods with which the function repeats, in units of time, up to 4 separated by commas. 0: none.")},
    {"season.lengthscale", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(tvgp__season_config, lengthscale), 1, 0.3, 1000, NULL,
     TVGP__TEXT("Smoothness of a season: correlation exp(-2 sin^2(pi dt / period) / lengthscale^2).")},
};

int tvgp__season_option_parse(const tvgp__season_config *c, tvgp__season *out) {
    out->lengthscale = c->lengthscale;
    out->n_periods = tvgp__number_text_list(c->periods, TVGP__SEASON_PERIODS, out->period);
    if (out->n_periods == 1 && out->period[0] == 0) {
        out->n_periods = 0;
        return 1;
    }
    int good = out->n_periods > 0 && out->n_periods <= TVGP__SEASON_PERIODS;
    for (size_t k = 0; good && k < out->n_periods; k++)
        good = out->period[k] >= TVGP__VALID_RANGE_LEAST && out->period[k] <= TVGP__VALID_RANGE_MOST;
    return good;
}

tvgp_status tvgp__season_option_read(const tvgp_policy *p, const tvgp__season_config *c, int fits, tvgp__season *out) {
    if (!tvgp__season_option_parse(c, out))
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                               "option 'season.period' = '%.64s' is not 0, nor up to %d numbers within [1e-100, 1e100] with "
                               "commas between",
                               c->periods, TVGP__SEASON_PERIODS);
    if (out->n_periods && fits && !p->given.kernel)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'season.period' = '%.64s' needs a kernel, which the policy was created without",
                               c->periods);
    if (out->n_periods && fits)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "option 'season.period' = '%.64s' does not go with fit = map",
                               c->periods);
    return TVGP_OK;
}
