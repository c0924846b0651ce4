/* SPDX-License-Identifier: MIT */
/* Option tables: typed, bounded, introspectable. An option names a member of a plain configuration struct, so code reads
 * a struct member. A table is a group of options, and a policy has several groups at offsets of its configuration. A
 * derived option is a second view of another one's member, such as a rate as a half-life. */
#ifndef TVGP__BASE_OPTIONS_H
#define TVGP__BASE_OPTIONS_H

#include "base/valid_range.h"
#include "base/visit.h"
#include "tvgp/option.h"

/* tvgp__option.flags in addition to the public ones. */
enum {
    /* TVGP_F64, derived: the time in which (1 - rate)^(dt/2), or with OF_FACTOR rate^dt, falls to one half; 0 for factor 0. */
    TVGP__OPTION_HALF_LIFE = TVGP_OPTION_INFINITE | TVGP_OPTION_DERIVED,
    TVGP__OPTION_OF_FACTOR = 0x10000,
    /* TVGP_STR: any text; choices holds the default alone, the member is char[TVGP__OPTION_TEXT_SIZE]. */
    TVGP__OPTION_TEXT = 0x20000,
    TVGP__OPTION_SHORT = 0x40000, /* with TEXT: the member is char[TVGP__OPTION_SHORT_SIZE] */
    TVGP__OPTION_PUBLIC = 0xffff
};
enum { TVGP__OPTION_TEXT_SIZE = 128, TVGP__OPTION_SHORT_SIZE = 32 };

typedef struct tvgp__option {
    const char *key;
    int32_t type;               /* TVGP_F64: double; TVGP_I64: int64_t; TVGP_STR: int32_t, index into choices, or text */
    uint32_t flags;             /* TVGP_OPTION_*, TVGP__OPTION_* */
    size_t offset;              /* of the member in the group's struct */
    double initial;             /* default; for TVGP_STR the index of the default choice; not read for derived ones */
    double lower, upper;        /* bounds; a real number within them is also 0 or at least 1e-100 in magnitude */
    const char *const *choices; /* TVGP_STR: ended by NULL */
    const char *doc;
} tvgp__option;

typedef struct tvgp__option_group {
    const tvgp__option *options;
    size_t n;
    size_t offset; /* of the group's struct in the configuration */
} tvgp__option_group;

#define TVGP__OPTION_GROUP(table, offset)                                                                                   \
    { (table), sizeof(table) / sizeof *(table), (offset) }

/* Bytes of the member of an option that takes any text, its end included. */
static inline size_t tvgp__option_room(const tvgp__option *o) {
    return o->flags & TVGP__OPTION_SHORT ? TVGP__OPTION_SHORT_SIZE : TVGP__OPTION_TEXT_SIZE;
}

/* The options of a policy that the user set, by position over all groups. */
enum { TVGP__OPTION_MOST = 128 };
typedef struct tvgp__option_marks {
    uint64_t bits[TVGP__OPTION_MOST / 64];
} tvgp__option_marks;

static inline void tvgp__option_mark(tvgp__option_marks *marks, size_t i) {
    if (i < TVGP__OPTION_MOST)
        marks->bits[i / 64] |= (uint64_t)1 << i % 64;
}
static inline int tvgp__option_marked(const tvgp__option_marks *marks, size_t i) {
    return i < TVGP__OPTION_MOST && (marks->bits[i / 64] >> i % 64 & 1);
}

void tvgp__option_defaults(const tvgp__option_group *groups, size_t n_groups, void *config);
size_t tvgp__option_count(const tvgp__option_group *groups, size_t n_groups);

/* Position over all groups, n_groups' count when the key is unknown. */
size_t tvgp__option_index(const tvgp__option_group *groups, size_t n_groups, const char *key);

/* The i-th option over all groups; its default is read from `defaults`, a configuration as the policy starts with. */
void tvgp__option_describe(const tvgp__option_group *groups, size_t n_groups, size_t i, const void *defaults,
                           tvgp_option_info *info);

/* Numbers of either type are taken for either, as long as the option can hold them: integers for TVGP_F64, integral values
 * for TVGP_I64. NOTFOUND (nearest named), OPTION (type, bounds, choice), NONFINITE; the configuration is unchanged on
 * failure. */
tvgp_status tvgp__option_set_f64(tvgp_ctx *, const tvgp__option_group *, size_t, void *config, const char *key,
                                 double value);
tvgp_status tvgp__option_set_i64(tvgp_ctx *, const tvgp__option_group *, size_t, void *config, const char *key,
                                 int64_t value);
tvgp_status tvgp__option_set_str(tvgp_ctx *, const tvgp__option_group *, size_t, void *config, const char *key,
                                 const char *value);
/* The value as text, of whatever type the option is. */
tvgp_status tvgp__option_set_text(tvgp_ctx *, const tvgp__option_group *, size_t, void *config, const char *key,
                                  const char *value);
/* The options that differ from their defaults or were set, by key. A visitor that
 * loads finds the defaults in the configuration; a key that is not known is VERSION. */
void tvgp__option_visit(const tvgp__option_group *groups, size_t n_groups, const void *defaults, void *config,
                        tvgp__option_marks *was_set, tvgp__visit *v);

tvgp_status tvgp__option_get_f64(tvgp_ctx *, const tvgp__option_group *, size_t, const void *config, const char *key,
                                 double *value);
tvgp_status tvgp__option_get_i64(tvgp_ctx *, const tvgp__option_group *, size_t, const void *config, const char *key,
                                 int64_t *value);
tvgp_status tvgp__option_get_str(tvgp_ctx *, const tvgp__option_group *, size_t, const void *config, const char *key,
                                 const char **value);

#endif
