/* SPDX-License-Identifier: MIT */
/* Bad input to policies: the right code, and a message with argument, value and bound. Afterwards the saved state and all later
 * decisions equal bit for bit the ones of a second policy without the bad calls. */
#include "cases.h"
#include "player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double X[CASES_ARMS * 2];
static const double nowhere[2] = {0.123, 0.456}, unfinite[2] = {0.5, INFINITY};

static tvgp_status tell_one(tvgp_policy *p, tvgp_obs obs, const double *x) {
    return tvgp_policy_tell(p, 1, &obs, x);
}

/* Options. */
#define BAD(name, call)                                                                                                     \
    static tvgp_status name(tvgp_policy *p) {                                                                               \
        return call;                                                                                                        \
    }
BAD(noise_negative, tvgp_policy_set_f64(p, "noise", -1))
BAD(noise_nan, tvgp_policy_set_f64(p, "noise", NAN))
BAD(epsilon_one, tvgp_policy_set_f64(p, "epsilon", 1))
BAD(epsilon_negative, tvgp_policy_set_f64(p, "epsilon", -0.5))
BAD(epsilon_typo, tvgp_policy_set_f64(p, "epsilom", 0.1))
BAD(epsilon_integer, tvgp_policy_set_i64(p, "epsilon", 1))
BAD(seed_real, tvgp_policy_set_f64(p, "seed", 1.5))
BAD(seed_text, tvgp_policy_set_str(p, "seed", "one"))
BAD(schedule_number, tvgp_policy_set_f64(p, "width.schedule", 1))
BAD(half_life_short, tvgp_policy_set_f64(p, "half_life", 1e-5))
BAD(half_life_nan, tvgp_policy_set_f64(p, "half_life", NAN))
BAD(no_text, tvgp_policy_set(p, NULL))
BAD(text_pair, tvgp_policy_set(p, "seed=4 noise width.delta=0.2"))
BAD(text_no_key, tvgp_policy_set(p, "seed=4 =3"))
BAD(text_number, tvgp_policy_set(p, "seed=4 width.delta=0,2"))
BAD(text_bound, tvgp_policy_set(p, "seed=4 seed=-7"))
BAD(text_far, tvgp_policy_set(p, "seed=4 qwertyuiop=1"))
BAD(seed_negative, tvgp_policy_set_i64(p, "seed", -7))
BAD(limit_zero, tvgp_policy_set_i64(p, "pending.limit", 0))
BAD(schedule_typo, tvgp_policy_set_str(p, "width.schedule", "lgo"))
BAD(delta_one, tvgp_policy_set_f64(p, "width.delta", 1))
BAD(no_key, tvgp_policy_set_f64(p, NULL, 1))
BAD(no_choice, tvgp_policy_set_str(p, "width.schedule", NULL))
BAD(get_typo, tvgp_policy_get_f64(p, "nois", &(double){0}))
BAD(get_type, tvgp_policy_get_i64(p, "noise", &(int64_t){0}))
BAD(get_nowhere, tvgp_policy_get_f64(p, "noise", NULL))

static tvgp_status mean_nan(tvgp_policy *p) {
    double mean[CASES_ARMS] = {0};
    mean[3] = NAN;
    return tvgp_policy_set_prior_mean(p, CASES_ARMS, mean);
}

static const double level[2] = {1, 2};
BAD(mean_two, tvgp_policy_set_prior_mean(p, 2, level))
BAD(mean_nothing, tvgp_policy_set_prior_mean(p, 1, NULL))
BAD(mean_empty, tvgp_policy_set_prior_mean(p, 0, level))

/* Availability. */
static const uint8_t mask[CASES_ARMS] = {0};
BAD(mask_short, tvgp_policy_set_available(p, CASES_ARMS - 1, mask))
BAD(mask_empty, tvgp_policy_set_available(p, CASES_ARMS, mask))

/* The loop. */
BAD(ask_cap, tvgp_policy_ask(p, 8, 0, &(tvgp_query){0}, NULL, &(size_t){0}))
BAD(ask_no_query, tvgp_policy_ask(p, 8, 1, NULL, NULL, &(size_t){0}))
BAD(ask_no_count, tvgp_policy_ask(p, 8, 1, &(tvgp_query){0}, NULL, NULL))
BAD(ask_nan, tvgp_policy_ask_one(p, NAN, &(tvgp_query){0}, NULL))
BAD(ask_infinite, tvgp_policy_ask_one(p, INFINITY, &(tvgp_query){0}, NULL))
BAD(ask_back, tvgp_policy_ask_one(p, 6.5, &(tvgp_query){0}, NULL))
BAD(ask_one_nowhere, tvgp_policy_ask_one(p, 8, NULL, NULL))
BAD(tell_nothing, tvgp_policy_tell(p, 1, NULL, NULL))
BAD(tell_unknown, tvgp_policy_tell_value(p, 999, 1))
BAD(tell_again, tvgp_policy_tell_value(p, 3, 1))
BAD(tell_nan, tvgp_policy_tell_value(p, 7, NAN))
BAD(tell_infinite, tvgp_policy_tell_value(p, 7, -INFINITY))
BAD(tell_outcome, tell_one(p, (tvgp_obs){.id = 7, .outcome = 4}, NULL))
BAD(tell_noise, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_NOISE, .noise_var = -0.25}, NULL))
BAD(tell_time, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_TIME, .t = INFINITY}, NULL))
BAD(tell_noise_nan, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_NOISE, .noise_var = NAN}, NULL))
BAD(tell_time_nan, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_TIME, .t = NAN}, NULL))
BAD(tell_flags, tell_one(p, (tvgp_obs){.id = 7, .flags = 129}, NULL))
BAD(tell_timeless, tell_one(p, (tvgp_obs){.y = 1}, X))
BAD(tell_without_x, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, NULL))
BAD(tell_off_arms, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, nowhere))
BAD(tell_x_infinite, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, unfinite))
BAD(tell_y_nan, tell_one(p, (tvgp_obs){.y = NAN, .flags = TVGP_OBS_HAS_TIME, .t = 8}, X))

/* A good outcome and a good observation, then one that does not fit. */
static tvgp_status tell_batch(tvgp_policy *p) {
    const tvgp_obs batch[] = {{.id = 7, .y = 1}, {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 9}, {.id = 888}};
    return tvgp_policy_tell(p, 3, batch, X);
}
static tvgp_status tell_batch_twice(tvgp_policy *p) {
    const tvgp_obs batch[] = {{.id = 7, .y = 1}, {.id = 7, .y = 1}};
    return tvgp_policy_tell(p, 2, batch, NULL);
}

/* What it knows. */
BAD(predict_nan, tvgp_policy_predict(p, NAN, 1, X, &(double){0}, NULL))
BAD(predict_back, tvgp_policy_predict(p, 6.5, 1, X, &(double){0}, NULL))
BAD(predict_nowhere, tvgp_policy_predict(p, 8, 1, NULL, &(double){0}, NULL))
BAD(predict_x_infinite, tvgp_policy_predict(p, 8, 1, unfinite, &(double){0}, NULL))
BAD(best_nowhere, tvgp_policy_best(p, 8, NULL, NULL))
BAD(best_back, tvgp_policy_best(p, 6.5, &(int64_t){0}, NULL))
BAD(stat_typo, tvgp_policy_stat(p, "askd", &(double){0}))
BAD(stat_nowhere, tvgp_policy_stat(p, "asked", NULL))
BAD(stat_no_key, tvgp_policy_stat(p, NULL, &(double){0}))
BAD(info_far, tvgp_policy_option_info(p, 9999, &(tvgp_option_info){0}))

/* On a box. */
static const double outside[2] = {0.5, 1.5}, far[2] = {9, 9};
BAD(box_x, tvgp_policy_ask_one(p, 8, &(tvgp_query){0}, NULL))
BAD(box_tell_outside, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, outside))
BAD(box_mask, tvgp_policy_set_available(p, CASES_ARMS, mask))
BAD(box_mean, tvgp_policy_set_prior_mean(p, CASES_ARMS, X))
BAD(box_bounds_nan, tvgp_policy_set_bounds(p, unfinite, NULL))
BAD(box_bounds_outside, tvgp_policy_set_bounds(p, NULL, outside))
BAD(box_bounds_empty, tvgp_policy_set_bounds(p, far, NULL))
BAD(box_best_nowhere, tvgp_policy_best(p, 8, &(int64_t){0}, NULL))
BAD(box_effort, tvgp_policy_set_f64(p, "search.effort", 0))

/* In a measured context. */
BAD(context_outside, tvgp_policy_set_context_point(p, 1, (const double[]){1.5}))
BAD(context_nan, tvgp_policy_set_context_point(p, 1, (const double[]){NAN}))
BAD(context_long, tvgp_policy_set_context_point(p, 2, nowhere))
BAD(context_null, tvgp_policy_set_context_point(p, 1, NULL))
BAD(context_numbered, tvgp_policy_set_context(p, 0))
BAD(context_bounds, tvgp_policy_set_bounds(p, NULL, NULL))

/* With a limit. */
static const double finite[3] = {1, 2, 3}, one_nan[2] = {1, NAN};
BAD(limit_none, tvgp_policy_set_constraint(p, 0, 1))
BAD(limit_far, tvgp_policy_set_constraint(p, 2, 1))
BAD(limit_nan, tvgp_policy_set_constraint(p, 1, NAN))
BAD(safe_nowhere, tvgp_policy_set_safe(p, 1, nowhere))
BAD(safe_infinite, tvgp_policy_set_safe(p, 1, unfinite))
BAD(safe_null, tvgp_policy_set_safe(p, 1, NULL))
BAD(risk_time_nan, harness_risks(p, NAN, 1, X, &(double){0}))
BAD(risk_back, harness_risks(p, 6.5, 1, X, &(double){0}))
BAD(risk_infinite, harness_risks(p, 8, 1, unfinite, &(double){0}))
BAD(risk_short, harness_risks(p, 8, 2, NULL, (double[2]){0}))
BAD(values_into_null, tvgp_policy_evaluate(p, 8, 1, X, NULL))
BAD(values_short, tvgp_policy_tell_values(p, 7, 1, finite))
BAD(values_long, tvgp_policy_tell_values(p, 7, 3, finite))
BAD(values_null, tvgp_policy_tell_values(p, 7, 2, NULL))
BAD(values_unknown, tvgp_policy_tell_values(p, 999, 2, finite))
BAD(values_again, tvgp_policy_tell_values(p, 3, 2, finite))
BAD(values_nan, tvgp_policy_tell_values(p, 7, 2, one_nan))
BAD(output_far, tell_one(p, tvgp_obs_output(7, 2, 1), NULL))
BAD(output_negative, tell_one(p, tvgp_obs_output(7, -1, 1), NULL))
BAD(output_again, tell_one(p, tvgp_obs_output(3, 1, 1), NULL))
BAD(output_noise, tell_one(p, (tvgp_obs){.id = 7, .output = 1, .flags = TVGP_OBS_HAS_NOISE, .noise_var = -1}, NULL))
BAD(output_off_arms, tell_one(p, (tvgp_obs){.output = 1, .flags = TVGP_OBS_HAS_TIME, .t = 8}, nowhere))

/* A reward and an output that are good, then the same output again. */
static tvgp_status output_twice(tvgp_policy *p) {
    const tvgp_obs batch[] = {tvgp_obs_value(7, 1), tvgp_obs_output(7, 1, 1), tvgp_obs_output(7, 1, 1)};
    return tvgp_policy_tell(p, 3, batch, NULL);
}

/* The policy is no model of its own. */
BAD(limit_itself, tvgp_policy_add_constraint(p, p, 0, 0))
BAD(limit_without_model, tvgp_policy_add_constraint(p, NULL, 0, 0))

enum { FRESH = 1, RUNNING = 2, ANY = 3, ARMS_ONLY = 4, BOX_ONLY = 8, CONTEXT_ONLY = 16, LIMITED_ONLY = 32 };
enum { ARMS, BOX, CONTEXT, LIMITED, KINDS };
static const int of_others[KINDS] = {BOX_ONLY | CONTEXT_ONLY | LIMITED_ONLY, ARMS_ONLY | CONTEXT_ONLY | LIMITED_ONLY,
                                     BOX_ONLY | LIMITED_ONLY, BOX_ONLY | CONTEXT_ONLY};
static const struct {
    const char *what;
    tvgp_status (*call)(tvgp_policy *);
    int when;
    tvgp_status status; /* of tv-gp-ucb; other policies may lack the key or the model and then fail otherwise */
    const char *says[4];
} bads[] = {
    {"noise -1", noise_negative, FRESH, TVGP_ERR_OPTION, {"noise", "-1", "[0"}},
    {"noise NaN", noise_nan, FRESH, TVGP_ERR_NONFINITE, {"noise", "nan"}},
    {"epsilon 1", epsilon_one, FRESH, TVGP_ERR_OPTION, {"epsilon", "= 1", "1)"}},
    {"epsilon -0.5", epsilon_negative, FRESH, TVGP_ERR_OPTION, {"epsilon", "-0.5", "[0"}},
    {"epsilom", epsilon_typo, FRESH, TVGP_ERR_NOTFOUND, {"epsilom", "'epsilon'"}},
    {"epsilon as integer", epsilon_integer, FRESH, TVGP_ERR_OPTION, {"epsilon", "= 1", "1)"}},
    {"seed as real", seed_real, FRESH, TVGP_ERR_OPTION, {"seed", "1.5", "integer"}},
    {"seed as text", seed_text, FRESH, TVGP_ERR_OPTION, {"seed", "i64", "str"}},
    {"schedule as number", schedule_number, FRESH, TVGP_ERR_OPTION, {"width.schedule", "str", "f64"}},
    {"half_life 1e-5", half_life_short, FRESH, TVGP_ERR_OPTION, {"half_life", "1e-05", "unit of time"}},
    {"half_life NaN", half_life_nan, FRESH, TVGP_ERR_NONFINITE, {"half_life", "nan"}},
    {"text NULL", no_text, ANY, TVGP_ERR_ARG, {"text"}},
    {"text without =", text_pair, FRESH, TVGP_ERR_OPTION, {"'noise'", "key=value"}},
    {"text without key", text_no_key, FRESH, TVGP_ERR_OPTION, {"'=3'", "key=value"}},
    {"text with a comma", text_number, FRESH, TVGP_ERR_OPTION, {"width.delta", "'0,2'", "not a number"}},
    {"text out of bounds", text_bound, FRESH, TVGP_ERR_OPTION, {"seed", "-7", "[0"}},
    {"text with unknown key", text_far, FRESH, TVGP_ERR_NOTFOUND, {"qwertyuiop", "tvgp_policy_option_info"}},
    {"text when running", text_bound, RUNNING, TVGP_ERR_STATE, {"tvgp_policy_set"}},
    {"seed -7", seed_negative, FRESH, TVGP_ERR_OPTION, {"seed", "-7", "[0"}},
    {"pending.limit 0", limit_zero, FRESH, TVGP_ERR_OPTION, {"pending.limit", "= 0", "[1"}},
    {"schedule lgo", schedule_typo, FRESH, TVGP_ERR_OPTION, {"width.schedule", "lgo", "constant, log, finite"}},
    {"delta 1", delta_one, FRESH, TVGP_ERR_OPTION, {"width.delta", "= 1", "1)"}},
    {"key NULL", no_key, FRESH, TVGP_ERR_ARG, {"key"}},
    {"choice NULL", no_choice, FRESH, TVGP_ERR_ARG, {"value"}},
    {"get nois", get_typo, ANY, TVGP_ERR_NOTFOUND, {"nois", "'noise'"}},
    {"get type", get_type, ANY, TVGP_ERR_OPTION, {"'noise' = 0.01", "not an integer"}},
    {"get into NULL", get_nowhere, ANY, TVGP_ERR_ARG, {"value"}},
    {"mean NaN", mean_nan, ANY, TVGP_ERR_NONFINITE, {"mean[3]", "nan"}},
    {"mean for two", mean_two, ANY, TVGP_ERR_DIM, {"n = 2", "1 or 24"}},
    {"mean NULL, n 1", mean_nothing, ANY, TVGP_ERR_ARG, {"mean", "n = 1"}},
    {"mean of none", mean_empty, ANY, TVGP_ERR_DIM, {"n = 0", "1 or 24"}},
    {"option when running", noise_negative, RUNNING, TVGP_ERR_STATE, {"tvgp_policy_set_f64"}},
    {"mask too short", mask_short, ANY, TVGP_ERR_DIM, {"n = 23", "24"}},
    {"mask all zero", mask_empty, ANY, TVGP_ERR_ARG, {"mask", "0", "1"}},
    {"cap 0", ask_cap, ANY, TVGP_ERR_ARG, {"cap", "0", "1"}},
    {"ask into NULL", ask_no_query, ANY, TVGP_ERR_ARG, {"q"}},
    {"ask without n", ask_no_count, ANY, TVGP_ERR_ARG, {"n"}},
    {"ask at NaN", ask_nan, ANY, TVGP_ERR_NONFINITE, {"t", "nan"}},
    {"ask at infinity", ask_infinite, ANY, TVGP_ERR_NONFINITE, {"t", "inf"}},
    {"ask in the past", ask_back, RUNNING, TVGP_ERR_ARG, {"t = 6.5", "7"}},
    {"ask_one into NULL", ask_one_nowhere, ANY, TVGP_ERR_ARG, {"q"}},
    {"obs NULL", tell_nothing, ANY, TVGP_ERR_ARG, {"obs"}},
    {"unknown ticket", tell_unknown, ANY, TVGP_ERR_TICKET, {"id = 999"}},
    {"told ticket", tell_again, RUNNING, TVGP_ERR_TICKET, {"id = 3"}},
    {"y NaN", tell_nan, RUNNING, TVGP_ERR_NONFINITE, {"y = nan"}},
    {"y infinite", tell_infinite, RUNNING, TVGP_ERR_NONFINITE, {"y = -inf"}},
    {"outcome 4", tell_outcome, RUNNING, TVGP_ERR_ARG, {"outcome = 4", "0..3"}},
    {"noise_var -0.25", tell_noise, RUNNING, TVGP_ERR_ARG, {"noise_var = -0.25", ">= 0"}},
    {"obs at infinity", tell_time, RUNNING, TVGP_ERR_NONFINITE, {"t = inf"}},
    {"noise_var NaN", tell_noise_nan, RUNNING, TVGP_ERR_NONFINITE, {"noise_var = nan"}},
    {"obs at NaN", tell_time_nan, RUNNING, TVGP_ERR_NONFINITE, {"t = nan"}},
    {"flags 129", tell_flags, RUNNING, TVGP_ERR_ARG, {"flags = 129", "127"}},
    {"id 0 at no time", tell_timeless, FRESH, TVGP_ERR_ARG, {"TVGP_OBS_HAS_TIME"}},
    {"id 0 without x", tell_without_x, ANY, TVGP_ERR_ARG, {"x"}},
    {"x is no arm", tell_off_arms, ANY | ARMS_ONLY, TVGP_ERR_NOTFOUND, {"x", "0.123"}},
    {"x infinite", tell_x_infinite, ANY, TVGP_ERR_NONFINITE, {"x", "inf"}},
    {"unsolicited NaN", tell_y_nan, ANY, TVGP_ERR_NONFINITE, {"y = nan"}},
    {"one bad record", tell_batch, RUNNING, TVGP_ERR_TICKET, {"888"}},
    {"twice in a batch", tell_batch_twice, RUNNING, TVGP_ERR_TICKET, {"7"}},
    {"predict at NaN", predict_nan, ANY, TVGP_ERR_NONFINITE, {"t", "nan"}},
    {"predict the past", predict_back, RUNNING, TVGP_ERR_ARG, {"t = 6.5", "7"}},
    {"predict NULL", predict_nowhere, ANY | ARMS_ONLY, TVGP_ERR_DIM, {"X is NULL", "n = 1"}},
    {"predict NULL on a box", predict_nowhere, ANY | BOX_ONLY, TVGP_ERR_ARG, {"X is NULL", "box"}},
    {"predict at infinite x", predict_x_infinite, ANY, TVGP_ERR_NONFINITE, {"X", "inf"}},
    {"best into NULL", best_nowhere, ANY, TVGP_ERR_ARG, {"arm"}},
    {"best of the past", best_back, RUNNING, TVGP_ERR_ARG, {"t = 6.5", "7"}},
    {"stat askd", stat_typo, ANY, TVGP_ERR_NOTFOUND, {"askd", "'asked'"}},
    {"stat into NULL", stat_nowhere, ANY, TVGP_ERR_ARG, {"value"}},
    {"stat NULL", stat_no_key, ANY, TVGP_ERR_ARG, {"key"}},
    {"option 9999", info_far, ANY, TVGP_ERR_ARG, {"i = 9999"}},
    {"x NULL", box_x, ANY | BOX_ONLY, TVGP_ERR_ARG, {"x is NULL", "box"}},
    {"x outside", box_tell_outside, ANY | BOX_ONLY, TVGP_ERR_NOTFOUND, {"x[0]", "0.5"}},
    {"mask for a box", box_mask, ANY | BOX_ONLY, TVGP_ERR_UNSUPPORTED, {"box"}},
    {"mean of arms", box_mean, ANY | BOX_ONLY, TVGP_ERR_DIM, {"n = 24"}},
    {"bound infinite", box_bounds_nan, ANY | BOX_ONLY, TVGP_ERR_NONFINITE, {"lower", "inf"}},
    {"bounds outside", box_bounds_outside, ANY | BOX_ONLY, TVGP_ERR_ARG, {"upper[1]", "1.5", "0..1"}},
    {"bounds empty", box_bounds_empty, ANY | BOX_ONLY, TVGP_ERR_ARG, {"lower[0]", "9", "0..1"}},
    {"best without x", box_best_nowhere, ANY | BOX_ONLY, TVGP_ERR_ARG, {"x is NULL", "box"}},
    {"effort 0", box_effort, FRESH | BOX_ONLY, TVGP_ERR_OPTION, {"search.effort", "= 0", "(0"}},
    {"context outside", context_outside, ANY | CONTEXT_ONLY, TVGP_ERR_ARG, {"z[0]", "1.5", "0..1"}},
    {"context NaN", context_nan, ANY | CONTEXT_ONLY, TVGP_ERR_NONFINITE, {"z[0]", "nan"}},
    {"context of two", context_long, ANY | CONTEXT_ONLY, TVGP_ERR_DIM, {"n = 2", "1 coordinates"}},
    {"context NULL", context_null, ANY | CONTEXT_ONLY, TVGP_ERR_ARG, {"z"}},
    {"context by number", context_numbered, ANY | CONTEXT_ONLY, TVGP_ERR_UNSUPPORTED, {"tvgp_policy_set_context_point"}},
    {"bounds in a context", context_bounds, ANY | CONTEXT_ONLY, TVGP_ERR_UNSUPPORTED, {"tvgp_policy_set_context_point"}},
    {"limit 0", limit_none, ANY | LIMITED_ONLY, TVGP_ERR_ARG, {"output = 0", "1..1"}},
    {"limit 2 of 1", limit_far, ANY | LIMITED_ONLY, TVGP_ERR_ARG, {"output = 2", "1..1"}},
    {"limit NaN", limit_nan, ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, {"bound"}},
    {"safe nowhere", safe_nowhere, ANY | LIMITED_ONLY, TVGP_ERR_NOTFOUND, {"X[0]", "0.123"}},
    {"safe infinite", safe_infinite, ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, {"X"}},
    {"safe NULL", safe_null, ANY | LIMITED_ONLY, TVGP_ERR_ARG, {"NULL"}},
    {"risk at NaN", risk_time_nan, ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, {"t"}},
    {"risk in the past", risk_back, RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, {"t = 6.5", "7"}},
    {"risk at infinity", risk_infinite, ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, {"X"}},
    {"risk of two arms", risk_short, ANY | LIMITED_ONLY, TVGP_ERR_DIM, {"n = 2", "24"}},
    {"evaluate into NULL", values_into_null, ANY | LIMITED_ONLY, TVGP_ERR_ARG, {"out"}},
    {"values without output", values_short, RUNNING | LIMITED_ONLY, TVGP_ERR_DIM, {"n = 1", "2"}},
    {"values of too many", values_long, RUNNING | LIMITED_ONLY, TVGP_ERR_DIM, {"n = 3", "2"}},
    {"values NULL", values_null, RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, {"NULL"}},
    {"values of no query", values_unknown, RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, {"999"}},
    {"values told", values_again, RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, {"3"}},
    {"values NaN", values_nan, RUNNING | LIMITED_ONLY, TVGP_ERR_NONFINITE, {"obs[1].y"}},
    {"output 2 of 1", output_far, RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, {"output = 2", "0..1"}},
    {"output -1", output_negative, RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, {"output = -1", "0..1"}},
    {"output told", output_again, RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, {"3"}},
    {"noise of an output", output_noise, RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, {"noise_var", "-1"}},
    {"output of no arm", output_off_arms, RUNNING | LIMITED_ONLY, TVGP_ERR_NOTFOUND, {"x[0]"}},
    {"output twice", output_twice, RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, {"output 1", "7"}},
    {"limit on itself", limit_itself, FRESH | LIMITED_ONLY, TVGP_ERR_STATE, {"itself"}},
    {"limit without model", limit_without_model, ANY | LIMITED_ONLY, TVGP_ERR_ARG, {"model is NULL"}},
};

/* A limit that nothing breaks, on an output that moves. */
static tvgp_status add_constraint(tvgp_policy *p) {
    tvgp_policy *model = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(0));
    const tvgp_status status = tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, -30);
    return status;
}

static tvgp_status tell_step(tvgp_policy *p, const tvgp_query *q, double y) {
    double told;
    const double values[2] = {y, cos(q->t)};
    return tvgp_policy_stat(p, "constraint.observations.1", &told) == TVGP_OK ? tvgp_policy_tell_values(p, q->id, 2, values)
                                                                              : tvgp_policy_tell_value(p, q->id, y);
}

/* One step of both; they must want the same. */
static void step(tvgp_policy *pair[2], double t, int tell) {
    tvgp_query q[2];
    double x[2][2];
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_ask_one(pair[i], t, &q[i], x[i]));
    ck_assert_mem_eq(&q[0], &q[1], sizeof q[0]);
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    for (int i = 0; tell && i < 2; i++)
        ASSERT_OK(tell_step(pair[i], &q[i], sin(t) + (double)q[i].arm / 9 + x[i][1]));
}

static void assert_twins(tvgp_policy *pair[2], double t) {
    double mean[2][CASES_ARMS], var[2][CASES_ARMS], stat[2];
    size_t n;
    for (int i = 0; i < 2; i++) {
        tvgp_status status = tvgp_policy_predict(pair[i], t, CASES_ARMS, X, mean[i], var[i]);
        ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
        if (status != TVGP_OK)
            memset(mean[i], 0, sizeof mean[i]), memset(var[i], 0, sizeof var[i]);
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
    ASSERT_OK(tvgp_policy_stat_count(pair[0], &n));
    for (size_t i = 0; i < n; i++) {
        const char *key = harness_stat_key(pair[0], i);
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_stat(pair[k], key, &stat[k]));
        ck_assert_msg(stat[0] == stat[1], "%s is %g and %g", key, stat[0], stat[1]);
    }
}

static tvgp_status make(const char *name, int kind, tvgp_policy **out) {
    static const double zeros[2] = {0}, ones[2] = {1, 1};
    double first[CASES_ARMS];
    if (kind == ARMS || kind == LIMITED) {
        const tvgp_status made = cases_policy(ctx, name, cases_kernel_at(0), out);
        return made == TVGP_OK && kind == LIMITED ? add_constraint(*out) : made;
    }
    for (size_t i = 0; i < CASES_ARMS; i++)
        first[i] = X[2 * i];
    tvgp_domain *actions = MAKE_DOMAIN(tvgp_domain_arms, ctx, CASES_ARMS, 1, first);
    tvgp_domain *side = MAKE_DOMAIN(tvgp_domain_box, ctx, 1, zeros, ones);
    tvgp_domain *domain = kind == BOX ? MAKE_DOMAIN(tvgp_domain_box, ctx, 2, zeros, ones)
                                      : MAKE_DOMAIN(tvgp_domain_product, ctx, actions, side);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    tvgp_status status = tvgp_policy_create(ctx, name, domain, kernel, out);
    if (status == TVGP_OK && kind == CONTEXT)
        ASSERT_OK(tvgp_policy_set_context_point(*out, 1, X + 1));
    return status;
}

/* Every bad call of the moment, to the first policy of the pair: it fails, and the saved states of both stay the same. */
static void trouble(tvgp_policy *pair[2], const char *name, int kind, int moment) {
    const int exact = strcmp(name, "tv-gp-ucb") == 0;
    for (size_t bad = 0; bad < sizeof bads / sizeof *bads; bad++) {
        if (!(bads[bad].when & moment) || bads[bad].when & of_others[kind])
            continue;
        const tvgp_status got = bads[bad].call(pair[0]);
        if (exact && (kind == ARMS || bads[bad].when & (BOX_ONLY | CONTEXT_ONLY | LIMITED_ONLY)))
            harness_fails(__FILE__, __LINE__, bads[bad].what, got, bads[bad].status, bads[bad].says);
        ck_assert_msg(got < 0, "%s: %s gave %s", name, bads[bad].what, tvgp_status_name(got));
        ck_assert_str_ne(tvgp_ctx_errmsg(ctx), "");
        struct blob saved[2] = {blob_of(pair[0]), blob_of(pair[1])};
        assert_same_blob(&saved[0], &saved[1], bads[bad].what);
        for (int i = 0; i < 2; i++)
            free(saved[i].bytes);
        if (moment == RUNNING)
            assert_twins(pair, 7);
    }
}

static void all_troubles(const char *name, int kind) {
    tvgp_policy *pair[2];
    for (int i = 0; i < 2; i++)
        ASSERT_OK(make(name, kind, &pair[i]));
    trouble(pair, name, kind, FRESH);
    for (double t = 1; t <= 7; t++)
        step(pair, t, t < 7); /* id 7 is pending */
    assert_twins(pair, 7);
    trouble(pair, name, kind, RUNNING);
    for (double t = 8; t <= 14; t++)
        step(pair, t, 1);
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_tell_value(pair[i], 7, 0.5));
    assert_twins(pair, 15);
    for (int i = 0; i < 2; i++)
        tvgp_policy_destroy(pair[i]);
}

TEST_EACH(changes_nothing, harness_policies()) {
    const char *name, *doc;
    tvgp_domain *domain = MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    tvgp_domain_destroy(domain);
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    for (int kind = ARMS; kind < KINDS; kind++) {
        tvgp_policy *there = NULL;
        tvgp_status status = make(name, kind, &there);
        tvgp_policy_destroy(there);
        if (status == TVGP_OK)
            all_troubles(name, kind);
        else
            ck_assert_int_eq(status, TVGP_ERR_UNSUPPORTED);
    }
}

TEST(creation) {
    const double at = 1;
    tvgp_policy *out = NULL;
    tvgp_domain *line = MAKE_DOMAIN(tvgp_domain_indices, ctx, 3);
    tvgp_kernel *plane = MAKE_KERNEL(tvgp_kernel_se, ctx, 2, 1, 1, &at);
    tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 1, 1, &at);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "gp-ubc", line, k, &out), "gp-ubc", "'gp-ucb'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "", line, k, &out), "''");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_create(ctx, "gp-ucb", line, plane, &out), "1", "2");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, NULL, line, k, &out), "name");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "gp-ucb", NULL, k, &out), "domain");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "bkb", line, NULL, &out), "kernel");
    ck_assert_int_eq(tvgp_policy_create(NULL, "gp-ucb", line, k, &out), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_create(ctx, "gp-ucb", line, k, NULL), TVGP_ERR_ARG);
    ck_assert_ptr_null(out);
}

/* Exact observations of one arm that contradict each other: helped by jitter and counted, or refused; never a NaN. */
TEST_EACH(noise_zero_with_repeated_points, 3) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "r-gp-ucb"};
    double mean[CASES_ARMS], var[CASES_ARMS], jitter;
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, names[_i], cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", 0));
    for (size_t i = 0; i < 400; i++) {
        tvgp_obs obs = {.y = i % 3 ? 1.0 : 1.5, .flags = TVGP_OBS_HAS_TIME | (i % 2 ? TVGP_OBS_HAS_NOISE : 0), .t = 1};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, X + 2 * (i / 200)));
        ASSERT_OK(tvgp_policy_predict(p, 1, CASES_ARMS, X, mean, var));
        for (size_t k = 0; k < CASES_ARMS; k++)
            ck_assert(isfinite(mean[k]) && isfinite(var[k]) && var[k] >= 0);
    }
    ASSERT_OK(tvgp_policy_stat(p, "jitter", &jitter));
    ck_assert_double_ge(jitter, 398);
    for (size_t k = 0; k < 2; k++)
        ck_assert(mean[k] > 1 - 1e-6 && mean[k] < 1.5 + 1e-6);
    tvgp_query q;
    ASSERT_OK(tvgp_policy_ask_one(p, 2, &q, NULL));
    ck_assert(isfinite(q.score));
}

HARNESS_MAIN("bad input to policies")
