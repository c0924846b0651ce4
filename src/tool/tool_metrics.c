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

/* What never falls is a counter, and its sample ends in _total. */
static void add_metric(const tool_state *s, const char *policy, const char *key, const char *doc, int counter,
                       tool_text *text) {
    double value;
    tool_check(s, tvgp_policy_stat(s->policy, key, &value));
    tool_text_add(text, "# TYPE ");
    add_name(key, text);
    tool_text_add(text, " %s\n# HELP ", counter ? "counter" : "gauge");
    add_name(key, text);
    tool_text_add(text, " ");
    add_escaped(doc, text);
    tool_text_add(text, "\n");
    add_name(key, text);
    tool_text_add(text, "%s{file=\"", counter ? "_total" : "");
    add_escaped(s->path, text);
    tool_text_add(text, "\",policy=\"%s\"} ", policy);
    add_value(value, text);
    tool_text_add(text, "\n");
}

/* The kinds that a word names; all without one. */
static uint32_t kinds_of(const char *word) {
    static const char *const names[] = {"headline", "learned", "counter", "diagnostic"}; /* TVGP_STAT_*, in their order */
    for (unsigned i = 0; word && i < 4; i++)
        if (strcmp(word, names[i]) == 0)
            return UINT32_C(1) << i;
    if (word)
        tool_exit(TOOL_USAGE, "metrics: '%.40s' is none of headline, learned, counter, diagnostic", word);
    return UINT32_MAX;
}

int tool_metrics(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    const char *policy;
    size_t n;
    const uint32_t wanted = kinds_of(call->words ? call->word[0] : NULL);
    tool_state_open(&s, call->path, 0);
    tool_check(&s, tvgp_policy_name(s.policy, &policy));
    tool_check(&s, tvgp_policy_stat_count(s.policy, &n));
    for (size_t i = 0; i < n; i++) {
        tvgp_stat_info info;
        tool_check(&s, tvgp_policy_stat_info(s.policy, i, &info));
        if (info.kind & wanted)
            add_metric(&s, policy, info.key, info.doc, (info.kind & TVGP_STAT_COUNTER) != 0, &text);
    }
    tool_text_add(&text, "# EOF\n");
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
