/* SPDX-License-Identifier: MIT */
/* available and extend: the arms that may be asked, and new ones. */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- available ---------------------------------------------------------------------------------------------------------- */

/* The arm that a name or coordinates name exactly. */
static size_t arm_of(const tool_state *s, char *const *word, size_t words) {
    double x[TOOL_DIM], at[TOOL_DIM];
    tool_point_read(s, word, words, x);
    const int64_t arm = tool_point_arm(s, x);
    tool_check(s, tvgp_domain_point(s->domain, arm, at));
    for (size_t d = 0; d < s->dim; d++)
        if (!(fabs(at[d] - x[d]) <= 1e-6 * fmax(fabs(at[d]), fabs(x[d]))))
            tool_exit(TOOL_REFUSED, "available: '%.40s' is not a point of the domain; the nearest has %.17g", word[d],
                      at[d]);
    return (size_t)arm;
}

char *tool_arms_mask(const tool_state *s, const char *text) {
    size_t n, words;
    if (!s->n)
        tool_exit(TOOL_REFUSED, "available: a box has no arms");
    char *mask = tool_alloc(s->n + 1), **part = tool_parts(text, ',', &n);
    memset(mask, '0', s->n);
    for (size_t i = 0; i < n; i++) {
        char **word = tool_parts(part[i], s->name ? ',' : ':', &words);
        mask[arm_of(s, word, words)] = '1';
        tool_parts_free(word, words);
    }
    tool_parts_free(part, n);
    return mask;
}

void tool_arms_set(const tool_state *s, const char *mask) {
    uint8_t *bytes = tool_alloc(s->n);
    for (size_t i = 0; mask && i < s->n; i++)
        bytes[i] = mask[i] == '1';
    tool_check(s, tvgp_policy_set_available(s->policy, mask ? s->n : 0, mask ? bytes : NULL));
    free(bytes);
}

void tool_arms_add(const tool_state *s, const char *mask, tool_text *line) {
    double *value = tool_alloc(s->n * sizeof *value);
    for (size_t i = 0; mask && i < s->n; i++)
        value[i] = mask[i] == '1';
    tool_text_list(line, "available", mask ? s->n : 0, value);
    free(value);
}

int tool_available(const tool_call *call) {
    tool_state s;
    tool_state_open(&s, call->path, 1);
    free(s.available);
    s.available = strcmp(call->word[0], "all") == 0 ? NULL : tool_arms_mask(&s, call->word[0]);
    tool_arms_set(&s, s.available);
    tool_text line = tool_state_line(&s, "available");
    tool_arms_add(&s, s.available, &line);
    return tool_state_finish(&s, call, &line);
}

/* ---- extend ------------------------------------------------------------------------------------------------------------- */

/* Adds the names; arms of a policy with names are numbered. */
static void add_names(tool_state *s, const tool_call *call, double *X) {
    tool_text all = {0};
    size_t n;
    for (size_t i = 0; i < s->n; i++)
        tool_text_add(&all, "%s%s", i ? "," : "", s->name[i]);
    for (size_t i = 0; i < call->words; i++) {
        tool_text_add(&all, ",%s", call->word[i]);
        X[i] = (double)(s->n + i);
    }
    tool_parts_free(s->name, s->n);
    s->name = tool_domain_names(all.at, &n);
    if (n != s->n + call->words)
        tool_exit(TOOL_USAGE, "extend: a name has no commas");
    free(all.at);
}

/* Points as words X:Y. */
static void read_points(const tool_state *s, const tool_call *call, double *X) {
    for (size_t i = 0; i < call->words; i++) {
        size_t words;
        char **word = tool_parts(call->word[i], ':', &words);
        if (words > TOOL_DIM)
            tool_exit(TOOL_USAGE, "extend: '%.40s': too many numbers", call->word[i]);
        tool_point_read(s, word, words, X + i * s->dim);
        tool_parts_free(word, words);
    }
}

static void add_line(const tool_state *s, const tool_call *call, const double *X, tool_text *line) {
    tool_text names = {0};
    for (size_t i = 0; s->name && i < call->words; i++)
        tool_text_add(&names, "%s%s", i ? "," : "", call->word[i]);
    if (names.at)
        tool_text_string(line, "names", names.at);
    tool_text_list(line, "points", call->words * s->dim, X);
    free(names.at);
}

int tool_extend(const tool_call *call) {
    tool_state s;
    const char *type;
    tvgp_domain *larger;
    tool_state_open(&s, call->path, 1);
    tool_check(&s, tvgp_domain_type_name(s.domain, &type));
    if (!s.n)
        tool_exit(TOOL_REFUSED, "extend: a box has no arms");
    if (s.name && s.dim > 1)
        tool_exit(TOOL_REFUSED, "extend: the arms have names and points; new ones need a new file");
    double *X = tool_alloc(call->words * s.dim * sizeof *X);
    if (s.name)
        add_names(&s, call, X);
    else
        read_points(&s, call, X);
    tool_check(&s, tvgp_domain_append(s.domain, call->words, X, &larger));
    tool_check(&s, tvgp_policy_extend(s.policy, larger, NULL));
    tvgp_domain_destroy(s.domain);
    s.domain = larger;
    if (s.available) {
        tool_text mask = {0};
        tool_text_add(&mask, "%s", s.available);
        for (size_t i = 0; i < call->words; i++)
            tool_text_add(&mask, "1");
        free(s.available);
        s.available = mask.at;
        tool_arms_set(&(tool_state){.policy = s.policy, .ctx = s.ctx, .n = s.n + call->words}, s.available);
    }
    s.n += call->words;
    tool_text line = tool_state_line(&s, "extend");
    add_line(&s, call, X, &line);
    free(X);
    return tool_state_finish(&s, call, &line);
}
