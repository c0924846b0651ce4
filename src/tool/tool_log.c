/* SPDX-License-Identifier: MIT */
/* log and why: the log's lines about each query. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A query or an unsolicited observation, and its outcome. */
typedef struct entry {
    const char *line;   /* of the ask, or of the observation */
    const char *answer; /* kind of the outcome; NULL: none yet */
    int asked;
    double id;
} entry;

static int is(const char *line, const char *call) {
    char found[16];
    return tool_line_text(line, "call", found, sizeof found) && strcmp(found, call) == 0;
}

/* Whether it closes a query without a value. */
static int is_closed(const char *line) {
    return is(line, "skip") || is(line, "fail");
}

/* The newest query of this id. */
static entry *find(entry *list, size_t n, double id) {
    while (n--)
        if (list[n].asked && list[n].id == id)
            return &list[n];
    return NULL;
}

static size_t read_entries(const tool_state *s, entry **out) {
    char **line;
    const size_t lines = tool_state_log(s, &line);
    entry *list = tool_alloc(lines * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < lines; i++) {
        entry one = {.line = line[i]};
        tool_line_number(line[i], "id", &one.id);
        if (is(line[i], "ask")) {
            one.asked = 1;
            list[n++] = one;
        } else if (is(line[i], "observe")) {
            one.answer = line[i];
            list[n++] = one;
        } else if (is(line[i], "tell") || is_closed(line[i])) {
            entry *its = find(list, n, one.id);
            double y; /* that of limits alone has none */
            if (its && (is_closed(line[i]) || tool_line_number(line[i], "y", &y)))
                its->answer = line[i];
        }
    }
    free(line);
    *out = list;
    return n;
}

static double member(const char *line, const char *key) {
    double value;
    if (!line || !tool_line_number(line, key, &value))
        return NAN;
    return value;
}

size_t tool_log_answers(const tool_state *s, tool_answer **out) {
    entry *list;
    const size_t n = read_entries(s, &list);
    size_t answers = 0;
    *out = tool_alloc(n * sizeof **out);
    for (size_t i = 0; i < n; i++) {
        const double arm = member(list[i].line, "arm"), t = member(list[i].line, "t"), y = member(list[i].answer, "y");
        if (arm >= 0 && arm < (double)s->n && isfinite(y))
            (*out)[answers++] = (tool_answer){.arm = (int64_t)arm, .t = t, .y = y};
    }
    free(list);
    return answers;
}

static const char *outcome(const entry *e) {
    return !e->answer              ? "open"
           : is(e->answer, "skip") ? "skipped"
           : is(e->answer, "fail") ? "failed"
           : e->asked              ? "value"
                                   : "unsolicited";
}

/* Where, as the log has it. */
static void add_where(const tool_state *s, const char *line, const char *front, int exact, const char *between,
                      tool_text *text) {
    double x[TOOL_DIM] = {0};
    char key[32], name[256];
    snprintf(key, sizeof key, "%sname", front);
    if (tool_line_text(line, key, name, sizeof name)) {
        tool_text_add(text, "%s", name);
        return;
    }
    snprintf(key, sizeof key, "%sx", front);
    if (tool_line_list(line, key, TOOL_DIM, x) == s->dim)
        (exact ? tool_point_add_exact : tool_point_add)(s, -1, x, between, text);
}

/* ---- history ---------------------------------------------------------------------------------------------------------------- */

static const char *const numbers[] = {"mean", "sd", "score", "propensity"};
enum { NUMBERS = 4 };

static void add_csv(const tool_state *s, const entry *e, tool_text *text) {
    if (e->asked)
        tool_text_add(text, "%.0f", e->id);
    tool_text_add(text, ",");
    tool_text_number(text, member(e->line, "t"));
    tool_text_add(text, ",");
    add_where(s, e->line, "", 1, ",", text);
    tool_text_add(text, ",%s", outcome(e));
    double value[1 + NUMBERS] = {member(e->answer, "y")};
    for (size_t i = 0; i < NUMBERS; i++)
        value[1 + i] = member(e->line, numbers[i]);
    for (size_t i = 0; i <= NUMBERS; i++) {
        tool_text_add(text, ",");
        if (isfinite(value[i]))
            tool_text_number(text, value[i]);
    }
    tool_text_add(text, "\n");
}

static void add_csv_head(const tool_state *s, tool_text *text) {
    tool_text_add(text, "id,t");
    if (s->name)
        tool_text_add(text, ",name");
    for (size_t d = 0; d < s->dim && !s->name; d++)
        tool_text_add(text, ",x%zu", d);
    tool_text_add(text, ",outcome,y");
    for (size_t i = 0; i < NUMBERS; i++)
        tool_text_add(text, ",%s", numbers[i]);
    tool_text_add(text, "\n");
}

static void add_json(const entry *e, int first, tool_text *text) {
    const size_t n = strlen(e->line);
    tool_text_add(text, "%s%.*s", first ? "" : ",\n", (int)(n - 1), e->line);
    tool_text_string(text, "outcome", outcome(e));
    if (e->asked && e->answer && isfinite(member(e->answer, "y")))
        tool_text_member(text, "y", member(e->answer, "y"));
    tool_text_add(text, "}");
}

static void add_row(const tool_state *s, const entry *e, tool_text *text) {
    const double y = member(e->answer, "y"), mean = member(e->line, "mean"), sd = member(e->line, "sd");
    char about[2][32];
    tool_text where = {0};
    add_where(s, e->line, "", 0, " ", &where);
    if (e->asked)
        tool_text_add(text, "%8.0f", e->id);
    tool_text_add(text, "%*s%12.10g  ", e->asked ? 1 : 9, "", member(e->line, "t"));
    tool_text_fit(text, where.n ? where.at : "", 24, 1);
    tool_text_add(text, " ");
    if (isfinite(y))
        tool_text_add(text, "%-12.6g", y);
    else
        tool_text_add(text, "%-12s", outcome(e));
    if (sd > 0)
        tool_text_add(text, " %s +- %s", tool_text_rounded(mean, sd, about[0], sizeof about[0]),
                      tool_text_rounded(sd, sd, about[1], sizeof about[1]));
    tool_text_add(text, "%s\n", e->asked ? "" : " unsolicited");
    free(where.at);
}

int tool_records(const tool_call *call) {
    enum { SHOWN = 20 };
    tool_state s;
    entry *list;
    tool_text text = {0};
    int64_t most = SHOWN;
    if (call->words && (!tool_whole(call->word[0], &most) || most < 0))
        tool_exit(TOOL_USAGE, "'%.40s' is no count", call->word[0]);
    tool_state_open(&s, call->path, 0);
    const size_t n = read_entries(&s, &list), all = !call->words && (call->csv || call->json);
    const size_t first = !all && n > (size_t)most ? n - (size_t)most : 0;
    if (call->csv)
        add_csv_head(&s, &text);
    else if (call->json)
        tool_text_add(&text, "[");
    else
        tool_text_add(&text, "%8s %12s  %-24s %-12s %s\n", "id", "t", "where", "outcome", "predicted");
    for (size_t i = first; i < n; i++) {
        if (call->csv)
            add_csv(&s, &list[i], &text);
        else if (call->json)
            add_json(&list[i], i == first, &text);
        else
            add_row(&s, &list[i], &text);
    }
    tool_text_add(&text, "%s", call->json && !call->csv ? "]\n" : "");
    tool_text_print(&text);
    return 0;
}

/* ---- why -------------------------------------------------------------------------------------------------------------------- */

/* The bound by which it was chosen: "it may be worth up to 204 (197 + 1.4 x 5)". */
static void add_bound(const tool_state *s, const char *line, tool_text *text) {
    const double score = member(line, "score"), mean = member(line, "mean"), sd = member(line, "sd");
    char about[3][32];
    tool_text_add(text, "it may be %s %s (%s", s->min ? "as low as" : "worth up to",
                  tool_text_rounded(score, sd, about[0], sizeof about[0]),
                  tool_text_rounded(mean, sd, about[1], sizeof about[1]));
    if (sd > 0)
        tool_text_add(text, " %c %.1f x %s", score < mean ? '-' : '+', fabs(score - mean) / sd,
                      tool_text_rounded(sd, sd, about[2], sizeof about[2]));
    tool_text_add(text, ")");
}

/* The best by the posterior mean at that time, unless it is what was asked. */
static void add_prediction(const tool_state *s, const char *line, tool_text *text) {
    const double mean = member(line, "best_mean"), sd = member(line, "best_sd"), score = member(line, "best_score");
    char about[3][32];
    tool_text asked = {0}, best = {0};
    add_where(s, line, "", 0, ", ", &asked);
    add_where(s, line, "best_", 0, ", ", &best);
    if (best.n && asked.n && strcmp(best.at, asked.at) == 0)
        tool_text_add(text, ", and its posterior mean is the best");
    else if (best.n)
        tool_text_add(text, "; the best posterior mean is at %s, %s +- %s, %s %s", best.at,
                      tool_text_rounded(mean, sd, about[0], sizeof about[0]),
                      tool_text_rounded(sd, sd, about[1], sizeof about[1]), s->min ? "as low as" : "up to",
                      tool_text_rounded(score, sd, about[2], sizeof about[2]));
    free(asked.at);
    free(best.at);
}

static void explain(const tool_state *s, const entry *e, tool_text *text) {
    const double propensity = member(e->line, "propensity");
    tool_text_add(text, "asked ");
    add_where(s, e->line, "", 0, ", ", text);
    tool_text_add(text, " at t = %.10g (id %.0f): ", member(e->line, "t"), e->id);
    if (isfinite(member(e->line, "score"))) {
        add_bound(s, e->line, text);
        add_prediction(s, e->line, text);
    } else {
        tool_text_add(text, "the policy has no score");
        if (propensity > 0)
            tool_text_add(text, "; the probability of this choice was %.3g", propensity);
    }
    if (!e->answer)
        tool_text_add(text, ". No outcome yet.\n");
    else if (is(e->answer, "skip"))
        tool_text_add(text, ". Skipped.\n");
    else
        tool_text_add(text, ". Outcome %.6g.\n", member(e->answer, "y"));
}

int tool_why(const tool_call *call) {
    tool_state s;
    entry *list, *found = NULL;
    int64_t id;
    tool_text text = {0};
    if (call->words && !tool_whole(call->word[0], &id))
        tool_exit(TOOL_USAGE, "'%.40s' is no id", call->word[0]);
    tool_state_open(&s, call->path, 0);
    size_t n = read_entries(&s, &list);
    while (!call->words && n && !found) {
        n--;
        found = list[n].asked ? &list[n] : NULL;
    }
    found = call->words ? find(list, n, (double)id) : found;
    if (!found)
        tool_exit(TOOL_REFUSED, call->words ? "%s.log has no query %s" : "%s.log has no query%s", s.path,
                  call->words ? call->word[0] : "");
    if (call->json) {
        add_json(found, 1, &text);
        tool_text_add(&text, "\n");
    } else {
        explain(&s, found, &text);
    }
    tool_text_print(&text);
    return 0;
}
