/* SPDX-License-Identifier: MIT */
/* metrics: the statistics of a policy as OpenMetrics text (https://openmetrics.io), for a scraper that reads files. */
#include "tool.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name of OpenMetrics has no points. */
static void add_name(const char *key, tool_text *text) {
    tool_text_add(text, "tvgp_");
    for (; *key; key++)
        tool_text_add(text, "%c", isalnum((unsigned char)*key) ? *key : '_');
}

/* Of a label or a help text. */
static void add_escaped(const char *value, tool_text *text) {
    for (; *value; value++)
        if (*value == '\n')
            tool_text_add(text, "\\n");
        else
            tool_text_add(text, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
}

static void add_value(double value, tool_text *text) {
    if (isnan(value))
        tool_text_add(text, "NaN");
    else if (isinf(value))
        tool_text_add(text, value > 0 ? "+Inf" : "-Inf");
    else
        tool_text_number(text, value);
}

static void add_metric(const tool_state *s, const char *policy, const char *key, const char *doc, tool_text *text) {
    double value;
    tool_check(s, tvgp_policy_stat(s->policy, key, &value));
    tool_text_add(text, "# TYPE ");
    add_name(key, text);
    tool_text_add(text, " gauge\n# HELP ");
    add_name(key, text);
    tool_text_add(text, " ");
    add_escaped(doc, text);
    tool_text_add(text, "\n");
    add_name(key, text);
    tool_text_add(text, "{file=\"");
    add_escaped(s->path, text);
    tool_text_add(text, "\",policy=\"%s\"} ", policy);
    add_value(value, text);
    tool_text_add(text, "\n");
}

int tool_metrics(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    const char *policy, *key, *doc;
    size_t n;
    tool_state_open(&s, call->path, 0);
    tool_check(&s, tvgp_policy_name(s.policy, &policy));
    tool_check(&s, tvgp_policy_stat_count(s.policy, &n));
    for (size_t i = 0; i < n; i++) {
        tool_check(&s, tvgp_policy_stat_name_at(s.policy, i, &key, &doc));
        add_metric(&s, policy, key, doc, &text);
    }
    tool_text_add(&text, "# EOF\n");
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
