/* SPDX-License-Identifier: MIT */
/* Checks the options and statistics of a registered policy. Every option takes eight bytes after the common ones. */
#include "parts/foreign/foreign_tables.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/feature_options.h"
#include "protocol/stats.h"

#include <math.h>
#include <string.h>

enum { KEY = 63, MOST = 60 /* a bit says whether an option was set */, SLOT = 8 };

/* One that the framework's tables would have: without blanks and =, which separate pairs. */
static tvgp_status check_key(tvgp_ctx *ctx, const char *what, size_t i, const char *key) {
    if (!key || !*key || strlen(key) > KEY || key[strcspn(key, " \t\r\n\v\f=")])
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->%s[%zu].key must have 1 to %d characters, no blank and no =", what,
                               i, KEY);
    return TVGP_OK;
}

static tvgp_status taken(tvgp_ctx *ctx, const char *what, size_t i, const char *key) {
    return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->%s[%zu].key = '%s' is taken", what, i, key);
}

/* ---- options ---------------------------------------------------------------------------------------------------------- */

static tvgp_status check_bounds(tvgp_ctx *ctx, const tvgp_option_info *o) {
    const double most = o->type == TVGP_I64 ? 0x1p53 : INFINITY;
    if (!(o->lower <= o->upper) || fabs(o->lower) > most || fabs(o->upper) > most)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "option '%s': bounds %g..%g", o->key, o->lower, o->upper);
    return TVGP_OK;
}

static tvgp_status check_kind(tvgp_ctx *ctx, const tvgp_option_info *o) {
    const uint32_t bounds = TVGP_OPTION_OPEN_LOWER | TVGP_OPTION_OPEN_UPPER;
    const uint32_t known = o->type == TVGP_F64 ? bounds | TVGP_OPTION_INFINITE : o->type == TVGP_I64 ? bounds : 0;
    if (o->type < TVGP_F64 || o->type > TVGP_STR || (o->flags & ~(known | TVGP_OPTION_ADVANCED)))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "option '%s': type %d, flags %u", o->key, (int)o->type,
                               (unsigned)o->flags);
    if (o->type == TVGP_STR && (!o->choices || !o->choices[0]))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "option '%s' has no choices", o->key);
    return o->type == TVGP_STR ? TVGP_OK : check_bounds(ctx, o);
}

/* The default as the option itself takes it. */
static tvgp_status check_default(tvgp_ctx *ctx, const tvgp__foreign_tables *t, void *config, const tvgp_option_info *o) {
    if (o->type != TVGP_STR)
        return tvgp__option_set_f64(ctx, t->groups, TVGP__FOREIGN_TABLES_GROUPS, config, o->key, o->default_num);
    return tvgp__option_set_str(ctx, t->groups, TVGP__FOREIGN_TABLES_GROUPS, config, o->key,
                                o->default_str ? o->default_str : o->choices[0]);
}

static tvgp_status add_option(tvgp_ctx *ctx, const tvgp_option_info *o, size_t i, tvgp__foreign_tables *t) {
    TVGP__TRY(check_key(ctx, "options", i, o->key));
    if (tvgp__option_index(t->groups, TVGP__FOREIGN_TABLES_GROUPS, o->key) <
        tvgp__option_count(t->groups, TVGP__FOREIGN_TABLES_GROUPS))
        return taken(ctx, "options", i, o->key);
    TVGP__TRY(check_kind(ctx, o));
    tvgp__option *own = &t->options[i];
    *own = (tvgp__option){.key = o->key,
                          .type = o->type,
                          .flags = o->flags,
                          .offset = sizeof(tvgp__policy_config) + SLOT * i,
                          .initial = o->default_num,
                          .lower = o->lower,
                          .upper = o->upper,
                          .choices = o->choices,
                          .doc = o->doc ? o->doc : ""};
    if (o->type == TVGP_STR) {
        own->initial = 0;
        for (size_t c = 0; o->default_str && o->choices[c]; c++)
            if (strcmp(o->choices[c], o->default_str) == 0)
                own->initial = (double)c;
    }
    t->groups[1].n = i + 1;
    return TVGP_OK;
}

/* Record i of a caller's array, whose records may be longer than ours. */
static const void *record_at(const void *records, size_t i, size_t stride) {
    return (const char *)records + i * stride;
}

static tvgp_status add_options(tvgp_ctx *ctx, const tvgp_policy_type *given, tvgp__foreign_tables *t) {
    void *config = NULL;
    t->groups[0] = (tvgp__option_group){tvgp__policy_options, TVGP__POLICY_OPTIONS, 0};
    t->groups[1] = (tvgp__option_group){t->options, 0, 0};
    t->groups[2] = (tvgp__option_group)TVGP__FEATURE_OPTIONS_CONSTRAINED;
    t->config_size = sizeof(tvgp__policy_config) + SLOT * given->n_options;
    for (size_t i = 0; i < given->n_options; i++)
        TVGP__TRY(add_option(ctx, record_at(given->options, i, given->option_size), i, t));
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, t->config_size, &config));
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; status == TVGP_OK && i < given->n_options; i++)
        status = check_default(ctx, t, config, record_at(given->options, i, given->option_size));
    tvgp__memory_free(ctx, config);
    return status;
}

void tvgp__foreign_tables_read(const tvgp__foreign_tables *t, const void *config, double *values) {
    for (size_t i = 0; i < t->groups[1].n; i++) {
        const tvgp__option *o = &t->options[i];
        const char *member = (const char *)config + o->offset;
        int64_t integer;
        int32_t choice;
        memcpy(&values[i], member, sizeof *values);
        memcpy(&integer, member, sizeof integer);
        memcpy(&choice, member, sizeof choice);
        if (o->type != TVGP_F64)
            values[i] = o->type == TVGP_I64 ? (double)integer : (double)choice;
    }
}

/* ---- statistics ------------------------------------------------------------------------------------------------------- */

enum { KINDS = TVGP_STAT_HEADLINE | TVGP_STAT_LEARNED | TVGP_STAT_COUNTER | TVGP_STAT_DIAGNOSTIC };

static tvgp_status add_stats(tvgp_ctx *ctx, const tvgp_policy_type *given, tvgp__foreign_tables *t) {
    t->group = (tvgp__stat_group){t->stats, given->n_stats};
    for (size_t i = 0; i < given->n_stats; i++) {
        const tvgp_stat_info *s = record_at(given->stats, i, given->stat_size);
        TVGP__TRY(check_key(ctx, "stats", i, s->key));
        for (size_t j = 0; j < i; j++)
            if (strcmp(t->stats[j].key, s->key) == 0)
                return taken(ctx, "stats", i, s->key);
        if (tvgp__stats_common(ctx, s->key))
            return taken(ctx, "stats", i, s->key);
        if ((s->kind & ~(uint32_t)KINDS) || s->type != TVGP_F64)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "stats[%zu]: kind %u, type %d", i, (unsigned)s->kind, (int)s->type);
        t->stats[i] = (tvgp__stat){.key = s->key,
                                   .doc = s->doc ? s->doc : "",
                                   .kind = s->kind ? s->kind : TVGP_STAT_DIAGNOSTIC,
                                   .unit = s->unit ? s->unit : ""};
    }
    return TVGP_OK;
}

tvgp_status tvgp__foreign_tables_fill(tvgp_ctx *ctx, const tvgp_policy_type *given, tvgp__foreign_tables *out) {
    if ((given->n_options && !given->options) || (given->n_stats && (!given->stats || !given->stat)))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->%s is NULL, and n_%s is not 0",
                               given->n_options && !given->options ? "options"
                               : given->stats                      ? "stat"
                                                                   : "stats",
                               given->n_options && !given->options ? "options" : "stats");
    if (given->n_options && given->option_size < sizeof(tvgp_option_info))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->option_size = %zu must be at least %zu", given->option_size,
                               sizeof(tvgp_option_info));
    if (given->n_stats && given->stat_size < sizeof(tvgp_stat_info))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->stat_size = %zu must be at least %zu", given->stat_size,
                               sizeof(tvgp_stat_info));
    if (given->n_options > MOST)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "type->n_options = %zu, at most %d", given->n_options, MOST);
    TVGP__TRY(tvgp__valid_range_count(ctx, "type->n_stats", given->n_stats));
    tvgp_status status = tvgp__memory_alloc(ctx, given->n_options, sizeof *out->options, &out->options);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, given->n_stats, sizeof *out->stats, &out->stats);
    if (status == TVGP_OK)
        status = add_options(ctx, given, out);
    return status == TVGP_OK ? add_stats(ctx, given, out) : status;
}

void tvgp__foreign_tables_free(tvgp_ctx *ctx, tvgp__foreign_tables *t) {
    tvgp__memory_free(ctx, t->options);
    tvgp__memory_free(ctx, t->stats);
}
