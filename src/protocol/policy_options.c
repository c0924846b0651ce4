/* SPDX-License-Identifier: MIT */
/* The options of a policy: set until it starts, read at any time (protocol/policy_options.h). */
#include "protocol/policy_options.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/registry.h"

#include <stdio.h>
#include <string.h>

void tvgp__policy_options_defaults(const tvgp__policy_ops *ops, void *config) {
    tvgp__option_defaults(ops->groups, ops->n_groups, config);
    TVGP__POLICY_OP(ops, defaults)(config);
}

tvgp_status tvgp__policy_options_describe(const tvgp_policy *p, size_t i, tvgp_option_info *info) {
    size_t n = tvgp__option_count(p->ops->groups, p->ops->n_groups);
    if (i >= n)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "i = %zu is outside 0..%zu", i, n - 1);
    void *fresh = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, p->ops->config_size, &fresh));
    tvgp__policy_options_defaults(p->ops, fresh);
    tvgp__option_describe(p->ops->groups, p->ops->n_groups, i, fresh, info);
    tvgp__memory_free(p->ctx, fresh);
    return TVGP_OK;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static int knows(const tvgp__policy_ops *ops, const char *key) {
    return tvgp__option_index(ops->groups, ops->n_groups, key) < tvgp__option_count(ops->groups, ops->n_groups);
}

/* Up to three of the other policies that have the option, "a, b, .."; their number. */
static size_t who_knows(const tvgp_policy *p, const char *key, char *names, size_t size) {
    size_t found = 0, used = 0, n = tvgp__registry_count(p->ctx, TVGP__TYPE_POLICY);
    for (size_t i = 0; i < n; i++) {
        const tvgp__policy_ops *other = tvgp__registry_at(p->ctx, TVGP__TYPE_POLICY, i);
        if (knows(other, key) && found++ < 4)
            used += (size_t)snprintf(names + used, size - used, "%s%.32s", found > 1 ? ", " : "",
                                     found < 4 ? other->name : "..");
    }
    return found;
}

tvgp_status tvgp__policy_options_here(const tvgp_policy *p, const char *key) {
    char names[128] = "";
    if (knows(p->ops, key) || !who_knows(p, key, names, sizeof names))
        return TVGP_OK;
    return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "policy '%.32s' has no option '%s'; these have: %s", p->ops->name, key,
                           names);
}

static size_t position(const tvgp_policy *p, const char *key) {
    return tvgp__option_index(p->ops->groups, p->ops->n_groups, key);
}

int tvgp__policy_options_was_set(const tvgp_policy *p, const char *key) {
    return tvgp__option_marked(&p->given.options, position(p, key));
}

int tvgp__policy_options_any_set(const tvgp_policy *p, const char *prefix, size_t n, const tvgp__option *options) {
    size_t i = 0;
    while (i < n &&
           !(strncmp(options[i].key, prefix, strlen(prefix)) == 0 && tvgp__policy_options_was_set(p, options[i].key)))
        i++;
    return i < n;
}

/* ---- set -------------------------------------------------------------------------------------------------------- */

/* Options are fixed once started: the state is built from them. */
static tvgp_status settable(const tvgp_policy *p) {
    if (p->started)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "options are fixed after the first ask or tell");
    return TVGP_OK;
}

/* Whether a prior mean was linked by the type of the outcomes. */
static int has_means(const tvgp_policy *p) {
    int any = tvgp__mean_function_is(&p->mean);
    for (size_t i = 0; i < tvgp__policy_choices(p); i++)
        any |= tvgp__policy_extra(p, i) != 0;
    for (size_t i = 0; i < p->priors.n; i++)
        any |= tvgp__mean_function_is(&p->priors.items[i].mean);
    return any;
}

/* Whether a feature was made by this option. */
static tvgp_status check_fixed(const tvgp_policy *p, const char *key) {
    for (const tvgp__guard *g = p->guards; g; g = g->next)
        for (const char *const *fixed = g->ops->fixes; fixed && *fixed; fixed++)
            if (strcmp(key, *fixed) == 0)
                return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "option '%s' is fixed once the policy has a %s", key,
                                       g->ops->doc);
    return TVGP_OK;
}

static tvgp_status settable_key(const tvgp_policy *p, const char *key) {
    TVGP__TRY(tvgp__policy_options_here(p, key));
    if (strcmp(key, "outcome.type") == 0 && has_means(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "option 'outcome.type' is fixed once there is a prior mean");
    return knows(p->ops, key) ? check_fixed(p, key) : TVGP_OK;
}

#define SET(setter, value)                                                                                                  \
    do {                                                                                                                    \
        TVGP__TRY(settable(p));                                                                                             \
        TVGP__TRY(settable_key(p, key));                                                                                    \
        TVGP__TRY(setter(p->ctx, p->ops->groups, p->ops->n_groups, p->config, key, value));                                 \
        tvgp__option_mark(&p->given.options, position(p, key));                                                             \
        return TVGP_OK;                                                                                                     \
    } while (0)

tvgp_status tvgp__policy_options_f64(tvgp_policy *p, const char *key, double value) {
    SET(tvgp__option_set_f64, value);
}

tvgp_status tvgp__policy_options_i64(tvgp_policy *p, const char *key, int64_t value) {
    SET(tvgp__option_set_i64, value);
}

tvgp_status tvgp__policy_options_str(tvgp_policy *p, const char *key, const char *value) {
    SET(tvgp__option_set_str, value);
}

/* One pair, into a configuration that is not yet the policy's. */
static tvgp_status set_pair(const tvgp_policy *p, void *config, char *pair, tvgp__option_marks *was_set) {
    char *value = strchr(pair, '=');
    if (!value || value == pair)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "'%.64s' is not of the form key=value", pair);
    *value++ = '\0';
    TVGP__TRY(settable_key(p, pair));
    tvgp__option_mark(was_set, position(p, pair));
    return tvgp__option_set_text(p->ctx, p->ops->groups, p->ops->n_groups, config, pair, value);
}

tvgp_status tvgp__policy_options_text(tvgp_policy *p, const char *text) {
    static const char *const blanks = " \t\r\n\v\f";
    size_t size = p->ops->config_size, length = strlen(text) + 1;
    tvgp__option_marks was_set = p->given.options;
    char *config = NULL;
    TVGP__TRY(settable(p));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, size + length, &config));
    memcpy(config, p->config, size);
    memcpy(config + size, text, length);
    tvgp_status status = TVGP_OK;
    for (char *pair = config + size + strspn(text, blanks), *next; *pair && status == TVGP_OK; pair = next) {
        size_t used = strcspn(pair, blanks);
        next = pair + used + strspn(pair + used, blanks);
        pair[used] = '\0';
        status = set_pair(p, config, pair, &was_set);
    }
    if (status == TVGP_OK) {
        memcpy(p->config, config, size);
        p->given.options = was_set;
    }
    tvgp__memory_free(p->ctx, config);
    return status;
}
