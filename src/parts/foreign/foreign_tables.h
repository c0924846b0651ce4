/* SPDX-License-Identifier: MIT */
/* Turns the options and statistics of a registered policy into tables of the library. */
#ifndef TVGP__PARTS_FOREIGN_FOREIGN_TABLES_H
#define TVGP__PARTS_FOREIGN_FOREIGN_TABLES_H

#include "protocol/policy_ops.h"
#include "tvgp/extend.h"

enum { TVGP__FOREIGN_TABLES_GROUPS = 3 };

/* The tables of one policy. */
typedef struct tvgp__foreign_tables {
    tvgp__option_group groups[TVGP__FOREIGN_TABLES_GROUPS]; /* the options of all policies, its own, those of limits */
    tvgp__option *options;
    tvgp__stat_group group;
    tvgp__stat *stats;
    size_t config_size;
} tvgp__foreign_tables;

/* Checks the caller's tables and creates the library's. ARG, OPTION (a default outside its bounds), LIMIT, NONFINITE,
 * NOMEM; the caller frees the tables, also after an error. */
tvgp_status tvgp__foreign_tables_fill(tvgp_ctx *ctx, const tvgp_policy_type *given, tvgp__foreign_tables *out);
void tvgp__foreign_tables_free(tvgp_ctx *ctx, tvgp__foreign_tables *t);

/* Reads the values of its options from a configuration, in their order; a choice is its index. */
void tvgp__foreign_tables_read(const tvgp__foreign_tables *t, const void *config, double *values);

#endif
