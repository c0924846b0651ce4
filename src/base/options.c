/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include "base/error.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const type_names[] = {"f64", "i64", "str"};

static double read_number(const tvgp__option *o, const void *member) {
    int64_t i;
    int32_t choice;
    double f;
    switch (o->type) {
    case TVGP_I64:
        memcpy(&i, member, sizeof i);
        return (double)i;
    case TVGP_STR:
        memcpy(&choice, member, sizeof choice);
        return choice;
    default:
        memcpy(&f, member, sizeof f);
        return f;
    }
}

static void write_number(const tvgp__option *o, void *member, double value) {
    int64_t i = (int64_t)value;
    int32_t choice = (int32_t)value;
    switch (o->type) {
    case TVGP_I64:
        memcpy(member, &i, sizeof i);
        break;
    case TVGP_STR:
        memcpy(member, &choice, sizeof choice);
        break;
    default:
        memcpy(member, &value, sizeof value);
    }
}

static size_t member_offset(const tvgp__option_group *g, const tvgp__option *o) {
    return g->offset + o->offset;
}

void tvgp__option_defaults(const tvgp__option_group *groups, size_t n_groups, void *config) {
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n; i++) {
            const tvgp__option *o = &groups[g].options[i];
            write_number(o, (char *)config + member_offset(&groups[g], o), o->initial);
        }
}

size_t tvgp__option_count(const tvgp__option_group *groups, size_t n_groups) {
    size_t n = 0;
    for (size_t g = 0; g < n_groups; g++)
        n += groups[g].n;
    return n;
}

void tvgp__option_describe(const tvgp__option_group *groups, size_t n_groups, size_t i, const void *defaults,
                           tvgp_option_info *info) {
    for (size_t g = 0; g < n_groups; i -= groups[g].n, g++) {
        if (i >= groups[g].n)
            continue;
        const tvgp__option *o = &groups[g].options[i];
        double initial = read_number(o, (const char *)defaults + member_offset(&groups[g], o));
        *info = (tvgp_option_info){.key = o->key, .doc = o->doc, .default_str = "", .type = o->type, .flags = o->flags};
        if (o->type == TVGP_STR) {
            info->choices = o->choices;
            info->default_str = o->choices[(size_t)initial];
        } else {
            info->default_num = initial;
            info->lower = o->lower;
            info->upper = o->upper;
        }
        return;
    }
}

/* The option called `key`, its offset in *offset; NULL with a message when it is unknown or not of `type`. */
static const tvgp__option *find(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const char *key,
                                int32_t type, size_t *offset, tvgp_status *status) {
    const char *nearest = NULL;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n; i++) {
            const tvgp__option *o = &groups[g].options[i];
            if (strcmp(o->key, key) != 0) {
                tvgp__nearest_offer(key, o->key, &nearest);
                continue;
            }
            if (o->type != type) {
                *status = tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' is of type %s, not %s", key,
                                          type_names[o->type], type_names[type]);
                return NULL;
            }
            *offset = member_offset(&groups[g], o);
            *status = TVGP_OK;
            return o;
        }
    *status = nearest ? tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown option '%.64s'; nearest is '%s'", key, nearest)
                      : tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown option '%.64s'; there are none", key);
    return NULL;
}

static tvgp_status check_bounds(tvgp_ctx *ctx, const tvgp__option *o, double value) {
    int open_lower = (o->flags & TVGP_OPTION_OPEN_LOWER) != 0;
    int open_upper = (o->flags & TVGP_OPTION_OPEN_UPPER) != 0;
    if (value < o->lower || value > o->upper || (open_lower && value == o->lower) || (open_upper && value == o->upper))
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %.17g is outside %c%g, %g%c", o->key, value,
                               open_lower ? '(' : '[', o->lower, o->upper, open_upper ? ')' : ']');
    if (value != 0 && fabs(value) < TVGP__RANGE_LEAST)
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %g must be 0 or at least 1e-100 in magnitude", o->key,
                               value);
    return TVGP_OK;
}

tvgp_status tvgp__option_set_f64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, double value) {
    size_t offset;
    tvgp_status status;
    const tvgp__option *o = find(ctx, groups, n_groups, key, TVGP_F64, &offset, &status);
    if (!o)
        return status;
    if (!isfinite(value))
        return tvgp__error_set(ctx, TVGP_ERR_NONFINITE, "option '%s' = %g is not finite", key, value);
    TVGP__TRY(check_bounds(ctx, o, value));
    memcpy((char *)config + offset, &value, sizeof value);
    return TVGP_OK;
}

tvgp_status tvgp__option_set_i64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, int64_t value) {
    size_t offset;
    tvgp_status status;
    const tvgp__option *o = find(ctx, groups, n_groups, key, TVGP_I64, &offset, &status);
    if (!o)
        return status;
    if (value < (int64_t)o->lower || value > (int64_t)o->upper) /* exact: bounds are integers within 2^53 */
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %" PRId64 " is outside [%.0f, %.0f]", key, value,
                               o->lower, o->upper);
    memcpy((char *)config + offset, &value, sizeof value);
    return TVGP_OK;
}

tvgp_status tvgp__option_set_str(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, const char *value) {
    size_t offset;
    tvgp_status status;
    const tvgp__option *o = find(ctx, groups, n_groups, key, TVGP_STR, &offset, &status);
    if (!o)
        return status;
    const char *nearest = NULL;
    for (int32_t choice = 0; o->choices[choice]; choice++) {
        if (strcmp(o->choices[choice], value) == 0) {
            memcpy((char *)config + offset, &choice, sizeof choice);
            return TVGP_OK;
        }
        tvgp__nearest_offer(value, o->choices[choice], &nearest);
    }
    return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = '%.64s' is not one of its choices; nearest is '%s'", key,
                           value, nearest);
}

tvgp_status tvgp__option_get_f64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, double *value) {
    size_t offset;
    tvgp_status status;
    if (find(ctx, groups, n_groups, key, TVGP_F64, &offset, &status))
        memcpy(value, (const char *)config + offset, sizeof *value);
    return status;
}

tvgp_status tvgp__option_get_i64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, int64_t *value) {
    size_t offset;
    tvgp_status status;
    if (find(ctx, groups, n_groups, key, TVGP_I64, &offset, &status))
        memcpy(value, (const char *)config + offset, sizeof *value);
    return status;
}

tvgp_status tvgp__option_get_str(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, const char **value) {
    size_t offset;
    tvgp_status status;
    const tvgp__option *o = find(ctx, groups, n_groups, key, TVGP_STR, &offset, &status);
    if (o)
        *value = o->choices[(size_t)read_number(o, (const char *)config + offset)];
    return status;
}
