/* SPDX-License-Identifier: MIT */
/* What an option of a policy is: key, type, bounds, default, one line of doc. */
#ifndef TVGP_OPTION_H
#define TVGP_OPTION_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tvgp_option_info.type */
enum { TVGP_F64 = 0, TVGP_I64 = 1, TVGP_STR = 2 };

/* One option. Numbers of i64 options are exact in double (bounds within 2^53). Frozen layout. */
typedef struct tvgp_option_info {
    const char *key;
    const char *doc;            /* one line */
    const char *const *choices; /* TVGP_STR: the values, a list ended by NULL; NULL: any text. Otherwise NULL */
    const char *default_str;    /* TVGP_STR: the default; otherwise "" */
    double default_num;         /* TVGP_F64, TVGP_I64 */
    double lower, upper;        /* TVGP_F64, TVGP_I64: bounds, included when finite unless flagged */
    int32_t type;               /* TVGP_F64, TVGP_I64, TVGP_STR */
    uint32_t flags;             /* TVGP_OPTION_* */
} tvgp_option_info;
enum {
    TVGP_OPTION_OPEN_LOWER = 1, /* the lower bound is excluded */
    TVGP_OPTION_OPEN_UPPER = 2, /* the upper bound is excluded */
    TVGP_OPTION_INFINITE = 4,   /* an infinite bound is a value */
    TVGP_OPTION_DERIVED = 8,    /* another view of another option: setting one sets the other */
    TVGP_OPTION_ADVANCED = 16   /* for experts: no example, guide or experiment of the library sets it */
};

#ifdef __cplusplus
}
#endif
#endif
