/* SPDX-License-Identifier: MIT */
/** @file
 * Descriptions of options and statistics, for programs that list or check them (docs/reference/options.md lists all).
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

#ifdef __cplusplus
}
#endif
#endif
