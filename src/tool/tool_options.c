/* SPDX-License-Identifier: MIT */
/* options: the list of policies, or the options of one. Needs no file. */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A policy of this name on two arms: options do not depend on the domain. */
static void make(tool_state *s, const char *name) {
    const double lower = 0, upper = 1;
    const size_t points = 2;
    tvgp_kernel *kernel;
    tool_check(s, tvgp_domain_grid(s->ctx, 1, &lower, &upper, &points, &s->domain));
    tool_check(s, tvgp_kernel_se(s->ctx, 1, 1, 1, &upper, &kernel));
    tool_check(s, tvgp_policy_create(s->ctx, name, s->domain, kernel, &s->policy));
    tvgp_kernel_destroy(kernel);
}

static void add_bounds(const tvgp_option_info *o, tool_text *text) {
    const int open = (o->flags & TVGP_OPTION_OPEN_LOWER) || isinf(o->lower);
    const int open_end = (o->flags & TVGP_OPTION_OPEN_UPPER) || (isinf(o->upper) && !(o->flags & TVGP_OPTION_INFINITE));
    tool_text_add(text, "%s in %c%g, %g%c", o->type == TVGP_I64 ? "integer" : "number", open ? '(' : '[', o->lower, o->upper,
                  open_end ? ')' : ']');
}

static void add_choices(const tvgp_option_info *o, tool_text *text) {
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        tool_text_add(text, "%s%s", i ? ", " : "one of ", o->choices[i]);
    tool_text_add(text, "%s", o->choices ? "" : "text");
}

static void add_option(const tvgp_option_info *o, tool_text *text) {
    tool_text_add(text, "%s=", o->key);
    if (o->type == TVGP_STR)
        tool_text_add(text, "%s  (", o->default_str);
    else
        tool_text_add(text, "%g  (", o->default_num);
    (o->type == TVGP_STR ? add_choices : add_bounds)(o, text);
    tool_text_add(text, ")\n    %s\n", o->doc);
}

static void add_json_option(const tvgp_option_info *o, tool_text *text) {
    tool_text_add(text, "{");
    tool_text_string(text, "key", o->key);
    if (o->type == TVGP_STR)
        tool_text_string(text, "default", o->default_str);
    else
        tool_text_member(text, "default", o->default_num);
    if (o->type != TVGP_STR)
        tool_text_list(text, "bounds", 2, (const double[]){o->lower, o->upper});
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        tool_text_add(text, "%s\"%s\"%s", i ? "," : ",\"choices\":[", o->choices[i], o->choices[i + 1] ? "" : "]");
    tool_text_string(text, "doc", o->doc);
    tool_text_add(text, "}");
}

static tvgp_option_info option_at(const tool_state *s, size_t i) {
    tvgp_option_info o;
    tool_check(s, tvgp_policy_option_info(s->policy, i, &o));
    return o;
}

static void add_json_options(const tool_state *s, size_t n, tool_text *text) {
    for (size_t i = 0; i < n; i++) {
        const tvgp_option_info o = option_at(s, i);
        tool_text_add(text, "%s", i ? ",\n" : "");
        add_json_option(&o, text);
    }
}

/* The options that most policies need, first. */
static const char *const common[] = {"sense",        "noise", "half_life",       "epsilon",
                                     "outcome.type", "seed",  "pending.timeout", "switch.cost"};
enum { COMMON = sizeof common / sizeof *common };

static int is_common(const char *key) {
    size_t i = 0;
    while (i < COMMON && strcmp(common[i], key) != 0)
        i++;
    return i < COMMON;
}

/* The group of an option: the key up to its dot; "" where it has none. */
static size_t group_of(const char *key) {
    const char *dot = strchr(key, '.');
    return dot ? (size_t)(dot - key) : 0;
}

/* Whether an earlier option that is shown is of the same group. */
static int is_begun(const tool_state *s, size_t i, const tvgp_option_info *o, uint32_t hidden) {
    const size_t length = group_of(o->key);
    for (size_t k = 0; k < i; k++) {
        const tvgp_option_info other = option_at(s, k);
        if (!(other.flags & hidden) && !is_common(other.key) && group_of(other.key) == length &&
            strncmp(other.key, o->key, length) == 0)
            return 1;
    }
    return 0;
}

/* The group that option i begins. */
static void add_group(const tool_state *s, size_t i, size_t n, uint32_t hidden, tool_text *text) {
    const tvgp_option_info first = option_at(s, i);
    const size_t length = group_of(first.key);
    tool_text_add(text, "\n# %.*s\n", length ? (int)length : 7, length ? first.key : "general");
    for (size_t k = i; k < n; k++) {
        const tvgp_option_info o = option_at(s, k);
        if (!(o.flags & hidden) && !is_common(o.key) && group_of(o.key) == length && strncmp(o.key, first.key, length) == 0)
            add_option(&o, text);
    }
}

/* Common options first, then the others by group; advanced ones with --all. */
static void add_groups(const tool_state *s, size_t n, int all, tool_text *text) {
    const uint32_t hidden = all ? 0 : TVGP_OPTION_ADVANCED;
    size_t left = 0;
    tool_text_add(text, "# common\n");
    for (size_t c = 0; c < COMMON; c++)
        for (size_t i = 0; i < n; i++) {
            const tvgp_option_info o = option_at(s, i);
            if (strcmp(o.key, common[c]) == 0)
                add_option(&o, text);
        }
    for (size_t i = 0; i < n; i++) {
        const tvgp_option_info o = option_at(s, i);
        left += (o.flags & hidden) && !is_common(o.key) ? 1 : 0;
        if (!(o.flags & hidden) && !is_common(o.key) && !is_begun(s, i, &o, hidden))
            add_group(s, i, n, hidden, text);
    }
    if (left)
        tool_text_add(text, "\n%zu advanced options: --all\n", left);
}

static void add_all(const tool_state *s, const tool_call *call, tool_text *text) {
    size_t n;
    tool_check(s, tvgp_policy_option_count(s->policy, &n));
    if (call->json)
        add_json_options(s, n, text);
    else
        add_groups(s, n, call->all, text);
}

static void add_policies(const tool_state *s, int json, tool_text *text) {
    const char *name, *doc;
    size_t n;
    tool_check(s, tvgp_policy_count(s->ctx, &n));
    for (size_t i = 0; i < n; i++) {
        tool_check(s, tvgp_policy_name_at(s->ctx, i, &name, &doc));
        tool_text_add(text, "%s%s", json && i ? ",\n" : "", json ? "{" : "");
        if (json) {
            tool_text_string(text, "policy", name);
            tool_text_string(text, "doc", doc);
            tool_text_add(text, "}");
        } else {
            tool_text_add(text, "%-22s %s\n", name, doc);
        }
    }
}

int tool_options(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    tool_state_new(&s, NULL);
    tool_text_add(&text, "%s", call->json ? "[" : "");
    if (call->path) {
        make(&s, call->path);
        add_all(&s, call, &text);
    } else {
        add_policies(&s, call->json, &text);
    }
    tool_text_add(&text, "%s", call->json ? "]\n" : "");
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
