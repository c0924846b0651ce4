/* SPDX-License-Identifier: MIT */
/* Option tables: typed, bounded, introspectable (base/options.h). */
#include "base/options.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/nearest_name.h"
#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ln2 = 0.693147180559945309417;

/* ---- the member ------------------------------------------------------------------------------------------------- */

static int derived(const tvgp__option *o) {
    return (o->flags & TVGP_OPTION_DERIVED) != 0;
}

static int is_text(const tvgp__option *o) {
    return (o->flags & TVGP__OPTION_TEXT) != 0;
}

static double half_life_of(const tvgp__option *o, double rate) {
    return o->flags & TVGP__OPTION_OF_FACTOR ? ln2 / fabs(log(rate)) : 2 * ln2 / fabs(log1p(-rate));
}

static double rate_of(const tvgp__option *o, double half_life) {
    return o->flags & TVGP__OPTION_OF_FACTOR ? exp2(-1 / half_life) : -expm1(-2 * ln2 / half_life);
}

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
        return derived(o) ? half_life_of(o, f) : f;
    }
}

static void write_number(const tvgp__option *o, void *member, double value) {
    int64_t i;
    int32_t choice;
    double f;
    switch (o->type) {
    case TVGP_I64:
        i = (int64_t)value;
        memcpy(member, &i, sizeof i);
        break;
    case TVGP_STR:
        choice = (int32_t)value;
        memcpy(member, &choice, sizeof choice);
        break;
    default:
        f = derived(o) ? rate_of(o, value) : value;
        memcpy(member, &f, sizeof f);
    }
}

static const char *read_text(const tvgp__option *o, const void *member) {
    return is_text(o) ? member : o->choices[(size_t)read_number(o, member)];
}

static void write_text(const tvgp__option *o, void *member, const char *text) {
    memset(member, 0, tvgp__option_room(o));
    memcpy(member, text, strlen(text));
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* The i-th option over all groups, and the offset of its member. */
static const tvgp__option *at(const tvgp__option_group *groups, size_t i, size_t *offset) {
    for (; i >= groups->n; groups++)
        i -= groups->n;
    *offset = groups->offset + groups->options[i].offset;
    return &groups->options[i];
}

size_t tvgp__option_count(const tvgp__option_group *groups, size_t n_groups) {
    size_t n = 0;
    for (size_t g = 0; g < n_groups; g++)
        n += groups[g].n;
    return n;
}

size_t tvgp__option_index(const tvgp__option_group *groups, size_t n_groups, const char *key) {
    size_t n = tvgp__option_count(groups, n_groups), i = 0, offset;
    while (i < n && strcmp(at(groups, i, &offset)->key, key) != 0)
        i++;
    return i;
}

void tvgp__option_defaults(const tvgp__option_group *groups, size_t n_groups, void *config) {
    size_t n = tvgp__option_count(groups, n_groups), offset;
    for (size_t i = 0; i < n; i++) {
        const tvgp__option *o = at(groups, i, &offset);
        char *member = (char *)config + offset;
        if (is_text(o))
            write_text(o, member, o->choices[0]);
        else if (!derived(o))
            write_number(o, member, o->initial);
    }
}

void tvgp__option_describe(const tvgp__option_group *groups, size_t n_groups, size_t i, const void *defaults,
                           tvgp_option_info *info) {
    size_t offset;
    const tvgp__option *o = at(groups, i, &offset);
    double initial = is_text(o) ? 0 : read_number(o, (const char *)defaults + offset);
    (void)n_groups;
    *info = (tvgp_option_info){
        .key = o->key, .doc = o->doc, .default_str = "", .type = o->type, .flags = o->flags & TVGP__OPTION_PUBLIC};
    if (o->type == TVGP_STR) {
        info->choices = is_text(o) ? NULL : o->choices;
        info->default_str = o->choices[(size_t)initial];
    } else {
        info->default_num = initial;
        info->lower = o->lower;
        info->upper = o->upper;
    }
}

/* An option, and its choices: who writes maximize means sense=max. */
static void offer(const tvgp__option *o, tvgp__nearest_name *nearest) {
    char prefix[TVGP__NEAREST_NAME_ROOM];
    tvgp__nearest_name_offer(nearest, o->key);
    snprintf(prefix, sizeof prefix, "%s=", o->key);
    for (size_t i = 0; o->type == TVGP_STR && !is_text(o) && o->choices[i]; i++)
        tvgp__nearest_name_offer_as(nearest, o->choices[i], prefix, o->choices[i]);
}

/* The option called `key` and the offset of its member. */
static tvgp_status find(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const char *key,
                        const tvgp__option **out, size_t *offset) {
    tvgp__nearest_name nearest = {.typed = key};
    size_t n = tvgp__option_count(groups, n_groups), i = tvgp__option_index(groups, n_groups, key);
    if (i < n) {
        *out = at(groups, i, offset);
        return TVGP_OK;
    }
    for (i = 0; i < n; i++)
        offer(at(groups, i, offset), &nearest);
    return tvgp__nearest_name_unknown(ctx, "option", &nearest, "tvgp_policy_option_info");
}

static tvgp_status wrong_type(tvgp_ctx *ctx, const tvgp__option *o, const char *given) {
    static const char *const names[] = {"f64", "i64", "str"};
    return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' is of type %s, not %s", o->key, names[o->type], given);
}

/* ---- set -------------------------------------------------------------------------------------------------------- */

static tvgp_status check_bounds(tvgp_ctx *ctx, const tvgp__option *o, double value) {
    int open_lower = (o->flags & TVGP_OPTION_OPEN_LOWER) != 0;
    int open_upper = (o->flags & TVGP_OPTION_OPEN_UPPER) != 0;
    if (isnan(value) || (isinf(value) && !(o->flags & TVGP_OPTION_INFINITE)))
        return tvgp__error_set(ctx, TVGP_ERR_NONFINITE, "option '%s' = %g is not finite", o->key, value);
    if (value < o->lower || value > o->upper || (open_lower && value == o->lower) || (open_upper && value == o->upper))
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %.17g is outside %c%.16g, %.16g%c", o->key, value,
                               open_lower ? '(' : '[', o->lower, o->upper, open_upper ? ')' : ']');
    if (value != 0 && fabs(value) < TVGP__VALID_RANGE_LEAST)
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %g must be 0 or at least 1e-100 in magnitude", o->key,
                               value);
    return TVGP_OK;
}

/* A rate so near its bound that it holds no half-life would be another half-life without a word. */
static tvgp_status check_held(tvgp_ctx *ctx, const tvgp__option *o, double value) {
    double rate = rate_of(o, value), held = half_life_of(o, rate);
    if ((rate == 0 || rate >= TVGP__VALID_RANGE_LEAST) && (value == held || fabs(value - held) <= 0.01 * value))
        return TVGP_OK;
    return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %g is too short or too long for a rate in this unit of time",
                           o->key, value);
}

static tvgp_status set_number(tvgp_ctx *ctx, const tvgp__option *o, void *member, double value) {
    TVGP__TRY(check_bounds(ctx, o, value));
    if (o->type == TVGP_I64 && value != floor(value))
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %.17g must be an integer", o->key, value);
    if (derived(o))
        TVGP__TRY(check_held(ctx, o, value));
    write_number(o, member, value);
    return TVGP_OK;
}

tvgp_status tvgp__option_set_f64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, double value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    return o->type == TVGP_STR ? wrong_type(ctx, o, "f64") : set_number(ctx, o, (char *)config + offset, value);
}

/* Bounds of integers are within 2^53, and beyond it not every integer is a double. */
static tvgp_status set_integer(tvgp_ctx *ctx, const tvgp__option *o, void *member, int64_t value) {
    const int64_t exact = (int64_t)1 << 53;
    if (value < -exact || value > exact)
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %" PRId64 " is outside [%.16g, %.16g]", o->key, value,
                               o->type == TVGP_I64 ? o->lower : -0x1p53, o->type == TVGP_I64 ? o->upper : 0x1p53);
    return set_number(ctx, o, member, (double)value);
}

tvgp_status tvgp__option_set_i64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, int64_t value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    return o->type == TVGP_STR ? wrong_type(ctx, o, "i64") : set_integer(ctx, o, (char *)config + offset, value);
}

static tvgp_status set_choice(tvgp_ctx *ctx, const tvgp__option *o, void *member, const char *value) {
    char all[160] = "";
    size_t used = 0;
    for (int32_t choice = 0; o->choices[choice]; choice++) {
        if (strcmp(o->choices[choice], value) == 0) {
            memcpy(member, &choice, sizeof choice);
            return TVGP_OK;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", choice ? ", " : "", o->choices[choice]);
    }
    return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = '%.64s' is not one of its choices: %s", o->key, value, all);
}

static tvgp_status set_string(tvgp_ctx *ctx, const tvgp__option *o, void *member, const char *value) {
    if (!is_text(o))
        return set_choice(ctx, o, member, value);
    if (strlen(value) >= tvgp__option_room(o))
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = '%.64s..' has %zu characters, at most %zu", o->key,
                               value, strlen(value), tvgp__option_room(o) - 1);
    write_text(o, member, value);
    return TVGP_OK;
}

tvgp_status tvgp__option_set_str(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                 const char *key, const char *value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    return o->type == TVGP_STR ? set_string(ctx, o, (char *)config + offset, value) : wrong_type(ctx, o, "str");
}

tvgp_status tvgp__option_set_text(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, void *config,
                                  const char *key, const char *value) {
    const tvgp__option *o;
    size_t offset;
    long long integer;
    double number;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    if (o->type == TVGP_STR)
        return set_string(ctx, o, (char *)config + offset, value);
    if (o->type == TVGP_I64 && tvgp__number_text_read_integer(value, &integer))
        return set_integer(ctx, o, (char *)config + offset, integer);
    if (tvgp__number_text_read(value, &number))
        return set_number(ctx, o, (char *)config + offset, number);
    return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = '%.64s' is not a number", o->key, value);
}

/* ---- get -------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__option_get_f64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, double *value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    if (o->type == TVGP_STR)
        return wrong_type(ctx, o, "f64");
    *value = read_number(o, (const char *)config + offset);
    return TVGP_OK;
}

tvgp_status tvgp__option_get_i64(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, int64_t *value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    if (o->type == TVGP_STR)
        return wrong_type(ctx, o, "i64");
    double number = read_number(o, (const char *)config + offset);
    if (!(fabs(number) <= 0x1p53) || number != floor(number))
        return tvgp__error_set(ctx, TVGP_ERR_OPTION, "option '%s' = %.17g is not an integer: read it as f64", key, number);
    *value = (int64_t)number;
    return TVGP_OK;
}

tvgp_status tvgp__option_get_str(tvgp_ctx *ctx, const tvgp__option_group *groups, size_t n_groups, const void *config,
                                 const char *key, const char **value) {
    const tvgp__option *o;
    size_t offset;
    TVGP__TRY(find(ctx, groups, n_groups, key, &o, &offset));
    if (o->type != TVGP_STR)
        return wrong_type(ctx, o, "str");
    *value = read_text(o, (const char *)config + offset);
    return TVGP_OK;
}
