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
    tool_check(s, tvgp_kernel_se(s->ctx, 1, 1, &upper, 1, &kernel));
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

static void add_all(const tool_state *s, int json, tool_text *text) {
    size_t n;
    tool_check(s, tvgp_policy_option_count(s->policy, &n));
    for (size_t i = 0; i < n; i++) {
        tvgp_option_info o;
        tool_check(s, tvgp_policy_option_info(s->policy, i, &o));
        tool_text_add(text, "%s", json && i ? ",\n" : "");
        (json ? add_json_option : add_option)(&o, text);
    }
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
        add_all(&s, call->json, &text);
    } else {
        add_policies(&s, call->json, &text);
    }
    tool_text_add(&text, "%s", call->json ? "]\n" : "");
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
