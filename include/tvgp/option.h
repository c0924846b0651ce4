/* SPDX-License-Identifier: MIT */
/** @file
 * Options and statistics of a policy: setting, reading and listing them (docs/reference/options.md lists all).
 *
 * Options flagged TVGP_OPTION_ADVANCED are experimental: they may change in a minor release.
 */
#ifndef TVGP_OPTION_H
#define TVGP_OPTION_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Types of options (tvgp_option_info.type). */
enum {
    TVGP_F64 = 0, /**< A real number. */
    TVGP_I64 = 1, /**< An integer. */
    TVGP_STR = 2  /**< A text. */
};

/** One option of a policy. All texts are valid as long as the context. Integers are exact in a double (within 2^53). */
typedef struct tvgp_option_info {
    const char *key;            /**< Name, for tvgp_policy_set_f64 and the others. */
    const char *doc;            /**< Description: a noun phrase, its unit, special values. */
    const char *const *choices; /**< TVGP_STR: the accepted values, ended by NULL; NULL: any text. Otherwise NULL. */
    const char *default_str;    /**< TVGP_STR: default value. Otherwise "". */
    double default_num;         /**< TVGP_F64, TVGP_I64: default value. */
    double lower;               /**< TVGP_F64, TVGP_I64: lower bound, included unless flagged. */
    double upper;               /**< TVGP_F64, TVGP_I64: upper bound, included unless flagged. */
    int32_t type;               /**< TVGP_F64, TVGP_I64 or TVGP_STR. */
    uint32_t flags;             /**< TVGP_OPTION_OPEN_LOWER and the other flags, or'ed. */
} tvgp_option_info;

/** Kinds of statistics (tvgp_stat_info.kind). */
enum {
    TVGP_STAT_HEADLINE = 1,  /**< Worth exporting and alarming on (docs/guide/monitoring.md). */
    TVGP_STAT_LEARNED = 2,   /**< Learned about the problem. */
    TVGP_STAT_COUNTER = 4,   /**< Never decreases. */
    TVGP_STAT_DIAGNOSTIC = 8 /**< Internal working of the policy. */
};

/** One statistic of a policy. All texts are valid as long as the context. */
typedef struct tvgp_stat_info {
    const char *key;  /**< Name, for tvgp_policy_stat. */
    const char *doc;  /**< Description: a noun phrase, special values. NULL in a tvgp_policy_type: none. */
    const char *unit; /**< Unit: time (of t), reward, cost, coordinates, nats, or powers of these; "" (or NULL in a
                           tvgp_policy_type) for a number. */
    uint32_t kind;    /**< TVGP_STAT_HEADLINE and the other kinds, or'ed; 0 in a tvgp_policy_type: TVGP_STAT_DIAGNOSTIC. */
    int32_t type;     /**< Type of the value: TVGP_F64. */
} tvgp_stat_info;

/** Flags of options (tvgp_option_info.flags). */
enum {
    TVGP_OPTION_OPEN_LOWER = 1, /**< The lower bound is excluded. */
    TVGP_OPTION_OPEN_UPPER = 2, /**< The upper bound is excluded. */
    TVGP_OPTION_INFINITE = 4,   /**< An infinite bound is an accepted value. */
    TVGP_OPTION_DERIVED = 8,    /**< Another form of another option: setting one sets the other. */
    TVGP_OPTION_ADVANCED = 16   /**< Experimental: may change in a minor version. No example of the library sets it. */
};

/** @name Options
 * Set options before the first ask or tell. docs/reference/options.md lists all options of all policies.
 * @{ */

/** Sets several options from one text, all or none, for instance "noise=.01 epsilon=.03 fit=off".
 *
 * @param policy  The policy.
 * @param text    Pairs key=value separated by blanks. Numbers have a decimal point in every locale; a list is one value with
 *                commas. A later pair overrides an earlier one.
 * @retval TVGP_ERR_NOTFOUND   The policy has no such option.
 * @retval TVGP_ERR_OPTION     A pair is malformed, or a value is not accepted; the message names it.
 * @retval TVGP_ERR_NONFINITE  A value is NaN, or infinite where that is not allowed.
 * @retval TVGP_ERR_STATE      The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set(tvgp_policy *policy, const char *text);

/** Sets an option to a real number; an integer option accepts an integral value.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value.
 * @retval TVGP_ERR_NOTFOUND   The policy has no such option; the message names policies that have it, or a similar name.
 * @retval TVGP_ERR_OPTION     The value is out of bounds, not an integer, or the option is a text.
 * @retval TVGP_ERR_NONFINITE  The value is NaN, or infinite where that is not allowed.
 * @retval TVGP_ERR_STATE      The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value);

/** Sets an option to an integer; an option with real values accepts it.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The value is out of bounds, or the option is a text.
 * @retval TVGP_ERR_STATE     The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_i64(tvgp_policy *policy, const char *key, int64_t value);

/** Sets an option to a text.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value, copied.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The text is not one of the choices, or the option is a number.
 * @retval TVGP_ERR_STATE     The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value);

/** Reads an option with a real or integer value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a text.
 */
TVGP_API tvgp_status tvgp_policy_get_f64(const tvgp_policy *policy, const char *key, double *value);

/** Reads an option with an integral value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a text, or its value is not an integer.
 */
TVGP_API tvgp_status tvgp_policy_get_i64(const tvgp_policy *policy, const char *key, int64_t *value);

/** Reads an option with a text value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value, valid until the option is set again or the policy is destroyed.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a number.
 */
TVGP_API tvgp_status tvgp_policy_get_str(const tvgp_policy *policy, const char *key, const char **value);

/** Gives the number of options of a policy.
 *
 * @param policy  The policy.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_option_count(const tvgp_policy *policy, size_t *n);

/** Describes option i of a policy.
 *
 * @param policy     The policy.
 * @param i          0 .. count - 1.
 * @param[out] info  The description.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_policy_option_info(const tvgp_policy *policy, size_t i, tvgp_option_info *info);
/** @} */

/** @name Statistics
 * Reading a statistic changes no later decision.
 * @{ */

/** Reads a statistic. docs/reference/options.md lists all statistics of all policies.
 *
 * A statistic of each of several items is listed for the first one, for instance prior.alive.0; prior 3 has
 * prior.alive.3.
 *
 * @param policy      The policy.
 * @param key         Name of the statistic.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such statistic; the message gives the most similar name.
 */
TVGP_API tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value);

/** Gives the number of statistics of a policy.
 *
 * @param policy  The policy.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_stat_count(const tvgp_policy *policy, size_t *n);

/** Describes statistic i of a policy.
 *
 * @param policy     The policy.
 * @param i          0 .. count - 1.
 * @param[out] info  The description.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_policy_stat_info(const tvgp_policy *policy, size_t i, tvgp_stat_info *info);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
