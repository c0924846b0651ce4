/* SPDX-License-Identifier: MIT */
/* estimate: the value of another policy, from the log of the file. Lines become events; the library does the rest. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events with their numbers. */
typedef struct journal {
    tvgp_event *event;
    double *x;
    size_t n, room, n_x, x_room;
    double *mask; /* of the arms that may be asked; NULL: all */
    size_t masked;
} journal;

static void *grow(void *old, size_t n, size_t room, size_t size) {
    void *grown = tool_alloc(room * size);
    if (n)
        memcpy(grown, old, n * size);
    free(old);
    return grown;
}

static void add(journal *j, tvgp_event e, const double *x) {
    const size_t size = (size_t)e.size;
    if (j->n == j->room)
        j->event = grow(j->event, j->n, j->room = 2 * j->room + 64, sizeof *j->event);
    if (j->n_x + size > j->x_room)
        j->x = grow(j->x, j->n_x, j->x_room = 2 * j->x_room + size + 64, sizeof *j->x);
    if (size)
        memcpy(j->x + j->n_x, x, size * sizeof *x);
    j->n_x += size;
    e.n = (int64_t)++j->n;
    j->event[j->n - 1] = e;
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static double number(const char *line, const char *key) {
    double value;
    return tool_line_number(line, key, &value) ? value : 0;
}

/* The id of a line. */
static int64_t id_of(const tool_state *s, const char *line) {
    return tool_line_whole(s->path, line, "id", 0, 0x1p53);
}

/* A small number of a line: of a slate, of an output. */
static int32_t small(const tool_state *s, const char *line, const char *key) {
    return (int32_t)tool_line_whole(s->path, line, key, 0, INT32_MAX);
}

static int has(const char *line, const char *key) {
    double value;
    return tool_line_number(line, key, &value);
}

/* The arms that may be asked, from the member `available`; `keep`: also for later asks. How many numbers it has. */
static size_t add_mask(journal *j, const char *line, int keep) {
    const size_t most = strlen(line);
    double *mask = tool_alloc(most * sizeof *mask);
    const size_t n = tool_line_list(line, "available", most, mask);
    if (n || keep)
        add(j, (tvgp_event){.kind = TVGP_EVENT_AVAILABLE, .size = (int64_t)n}, mask);
    if (keep) {
        free(j->mask);
        j->mask = mask;
        j->masked = n;
    } else {
        free(mask);
    }
    return n;
}

/* New arms: their points, then the bytes of their names. */
static void add_extend(journal *j, const tool_state *s, const char *line) {
    const size_t most = strlen(line);
    double *x = tool_alloc(2 * most * sizeof *x);
    char *names = tool_alloc(most + 1);
    const size_t n = tool_line_list(line, "points", most, x);
    const size_t bytes = tool_line_text(line, "names", names, most + 1) ? strlen(names) : 0;
    for (size_t i = 0; i < bytes; i++)
        x[n + i] = (unsigned char)names[i];
    const tvgp_event e = {
        .kind = TVGP_EVENT_EXTEND, .arm = (int64_t)(n / s->dim), .outputs = (int32_t)bytes, .size = (int64_t)(n + bytes)};
    add(j, e, x);
    if (j->masked) {
        double *mask = grow(j->mask, j->masked, j->masked + n / s->dim, sizeof *mask);
        for (size_t i = 0; i < n / s->dim; i++)
            mask[j->masked + i] = 1;
        j->mask = mask;
        j->masked += n / s->dim;
    }
    free(names);
    free(x);
}

/* What was asked. */
static void add_ask(journal *j, const tool_state *s, const char *line) {
    double x[TOOL_DIM];
    char kind[16] = "";
    if (tool_line_text(line, "kind", kind, sizeof kind) && strcmp(kind, "side") == 0)
        tool_exit(TOOL_REFUSED, "%s: the log has side queries, which are no decisions", s->path);
    const tvgp_event e = {.kind = TVGP_EVENT_ASK,
                          .id = id_of(s, line),
                          .arm = has(line, "arm") ? tool_line_whole(s->path, line, "arm", -1, 0x1p53) : -1,
                          .t = number(line, "t"),
                          .propensity = number(line, "propensity"),
                          .slate = small(s, line, "slate"),
                          .size = (int64_t)tool_line_list(line, "x", TOOL_DIM, x)};
    const size_t own = add_mask(j, line, 0);
    add(j, e, x);
    if (own)
        add(j, (tvgp_event){.kind = TVGP_EVENT_AVAILABLE, .size = (int64_t)j->masked}, j->mask);
}

/* An outcome, of a query or of a point; with it outputs of constraints. */
static void add_tell(journal *j, const tool_state *s, const char *line, int64_t id, int32_t outcome) {
    double numbers[TOOL_DIM + 16];
    const size_t at = id ? 0 : tool_line_list(line, "x", TOOL_DIM, numbers);
    const size_t outputs = tool_line_list(line, "outputs", 16, numbers + at);
    const int32_t output = small(s, line, "output");
    tvgp_event e = {.kind = TVGP_EVENT_TELL,
                    .id = id,
                    .outcome = outcome,
                    .output = output,
                    .y = number(line, output ? "value" : "y"),
                    .noise_var = number(line, "noise"),
                    .exposure = number(line, "exposure"),
                    .reference = number(line, "reference"),
                    .t = number(line, "t"),
                    .outputs = (int32_t)outputs,
                    .size = (int64_t)(at + outputs)};
    e.flags = (has(line, "noise") ? TVGP_OBS_HAS_NOISE : 0) | (has(line, "t") ? TVGP_OBS_HAS_TIME : 0) |
              (has(line, "exposure") ? TVGP_OBS_HAS_EXPOSURE : 0) | (has(line, "reference") ? TVGP_OBS_HAS_REFERENCE : 0) |
              (tool_line_true(line, "partial") ? TVGP_OBS_PARTIAL : 0);
    char side[8] = "";
    if (tool_line_text(line, "censored", side, sizeof side))
        e.flags |= *side == 'r' ? TVGP_OBS_RIGHT_CENSORED : TVGP_OBS_LEFT_CENSORED;
    add(j, e, numbers);
}

static void add_payoffs(journal *j, const char *line) {
    const size_t room = strlen(line);
    double *payoff = tool_alloc(room * sizeof *payoff);
    const size_t n = tool_line_list(line, "x", room, payoff);
    add(j, (tvgp_event){.kind = TVGP_EVENT_PAYOFFS, .size = (int64_t)n}, payoff);
    free(payoff);
}

static void add_line(journal *j, const tool_state *s, const char *line) {
    char call[32] = "";
    tool_line_text(line, "call", call, sizeof call);
    const int64_t id = id_of(s, line);
    if (strcmp(call, "ask") == 0)
        add_ask(j, s, line);
    else if (strcmp(call, "tell") == 0)
        add_tell(j, s, line, id, TVGP_VALUE);
    else if (strcmp(call, "skip") == 0)
        add_tell(j, s, line, id, TVGP_SKIPPED);
    else if (strcmp(call, "fail") == 0)
        add_tell(j, s, line, id, TVGP_FAILED);
    else if (strcmp(call, "available") == 0)
        add_mask(j, line, 1);
    else if (strcmp(call, "extend") == 0)
        add_extend(j, s, line);
    else if (strcmp(call, "observe") == 0)
        add_tell(j, s, line, 0, TVGP_VALUE);
    else if (strcmp(call, "payoffs") == 0)
        add_payoffs(j, line);
    else if (strcmp(call, "cost_weight") == 0)
        add(j, (tvgp_event){.kind = TVGP_EVENT_COST_WEIGHT, .y = number(line, "y")}, NULL);
    else if (strcmp(call, "charge") == 0)
        add(j, (tvgp_event){.kind = TVGP_EVENT_CHARGE, .id = id, .charge = number(line, "cost")}, NULL);
    else if (strcmp(call, "create") != 0)
        tool_exit(TOOL_REFUSED, "%s: the log has '%s', of which a policy cannot be made again", s->path, call);
}

/* ---- the policy as it was created ----------------------------------------------------------------------------------- */

/* Adds " key=value" of a member of the first line, if it is there. */
static void add_word(tool_text *text, const char *line, const char *key) {
    const size_t room = strlen(line) + 1;
    char *value = tool_alloc(room);
    if (tool_line_text(line, key, value, room))
        tool_text_add(text, " %s=%s", key, value);
    free(value);
}

/* The description of the policy in its first line. */
static void describe(const tool_state *s, const char *line, tool_text *text) {
    static const char *const words[] = {"policy", "grid", "box", "arms", "indices", "names", "safe"};
    const size_t room = strlen(line) + 1;
    char key[32], *options = tool_alloc(room);
    if (!strstr(line, "\"call\":\"create\""))
        tool_exit(TOOL_REFUSED, "%s: the log does not begin with create", s->path);
    if (has(line, "fleet") || tool_line_text(line, "history", options, room))
        tool_exit(TOOL_REFUSED, "%s: a policy with historical data or from a fleet cannot be made again from its log",
                  s->path);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_word(text, line, words[i]);
    for (int k = 1; k <= 16; k++)
        for (int most = 0; most < 2; most++) {
            double bound;
            snprintf(key, sizeof key, "%s.%d", most ? "at_most" : "at_least", k);
            if (tool_line_number(line, key, &bound)) {
                tool_text_add(text, " %s=", most ? "at_most" : "at_least");
                tool_text_number(text, bound);
            }
        }
    if (tool_line_text(line, "options", options, room))
        tool_text_add(text, " %s", options);
    free(options);
}

/* The budget and the costs of the first line. */
static void add_budget(journal *j, const char *line) {
    static const char *const keys[] = {"budget", "period", "asks"};
    char text[64], *costs = tool_alloc(strlen(line) + 1);
    double b[3];
    if (!tool_line_text(line, "costs", costs, strlen(line) + 1)) {
        free(costs);
        return;
    }
    for (int i = 0; i < 3; i++)
        b[i] = tool_line_text(line, keys[i], text, sizeof text) ? tool_value(text) : 0;
    if (b[0] > 0)
        add(j, (tvgp_event){.kind = TVGP_EVENT_BUDGET, .size = 3}, b);
    size_t n;
    char **part = tool_parts(costs, ',', &n);
    double *cost = tool_alloc(n * sizeof *cost);
    for (size_t i = 0; i < n; i++)
        cost[i] = tool_value(part[i]);
    add(j, (tvgp_event){.kind = TVGP_EVENT_COSTS, .size = (int64_t)n}, cost);
    free(cost);
    tool_parts_free(part, n);
    free(costs);
}

/* ---- the command ---------------------------------------------------------------------------------------------------- */

static int64_t arm_of(const tool_state *s, const char *name) {
    int64_t arm;
    for (size_t i = 0; s->name && i < s->n; i++)
        if (strcmp(s->name[i], name) == 0)
            return (int64_t)i;
    if (s->name || !tool_whole(name, &arm) || arm < 0 || (size_t)arm >= s->n)
        tool_exit(TOOL_USAGE, "--arm %.40s is no arm", name);
    return arm;
}

/* Whether key= is in a description. */
static int has_word(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at && at[strlen(key)] == '=';
}

/* The target: a description without a domain plays where the file does. */
static tvgp_policy *target_of(const tool_state *s, const char *text, const char *line) {
    static const char *const kinds[] = {"grid", "box", "arms", "indices", "names"};
    tool_text whole = {0};
    tvgp_policy *target;
    tool_text_add(&whole, "%s", text);
    int has_domain = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        has_domain |= has_word(text, kinds[i]);
    for (size_t i = 0; !has_domain && i < sizeof kinds / sizeof *kinds; i++)
        add_word(&whole, line, kinds[i]);
    if (!strstr(text, "sense="))
        tool_text_add(&whole, " sense=%s", s->min ? "min" : "max");
    tool_check(s, tvgp_policy_create_described(s->ctx, whole.at, &target));
    free(whole.at);
    return target;
}

static void say(const tool_call *call, const tvgp_value_estimate *v) {
    const struct {
        const char *key;
        double value, se;
    } rows[] = {{"dr", v->dr, v->dr_se}, {"dm", v->dm, 0}, {"snips", v->snips, v->snips_se}, {"ips", v->ips, v->ips_se}};
    tool_text text = {0};
    if (call->json) {
        tool_text_add(&text, "{");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            tool_text_member(&text, rows[i].key, rows[i].value);
            if (rows[i].se > 0 && v->reliable) {
                char key[16];
                snprintf(key, sizeof key, "%s_se", rows[i].key);
                tool_text_member(&text, key, rows[i].se);
            }
        }
        tool_text_whole(&text, "used", (int64_t)v->used);
        tool_text_whole(&text, "missing", (int64_t)v->missing);
        tool_text_member(&text, "ess", v->ess);
        tool_text_member(&text, "mean_weight", v->mean_weight);
        tool_text_member(&text, "expected", v->expected);
        tool_text_add(&text, "}\n");
        tool_text_print(&text);
        return;
    }
    tool_text_add(&text, "value of the target's decisions given the logged data: %zu outcomes, %zu missing\n", v->used,
                  v->missing);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].se > 0 && v->reliable)
            tool_text_add(&text, "%-6s %.6g +- %.2g\n", rows[i].key, rows[i].value, rows[i].se);
        else
            tool_text_add(&text, "%-6s %.6g\n", rows[i].key, rows[i].value);
    if (!v->reliable)
        tool_text_add(&text, "no intervals: %.3g expected records of the rarest arm, needed are 10 (exploration.floor)\n",
                      v->expected);
    else if (fabs(v->dm - v->dr) > 2 * v->dr_se)
        tool_text_add(&text, "the model is biased: dm and dr differ by more than 2 standard errors\n");
    tool_text_print(&text);
}

int tool_estimate(const tool_call *call) {
    tool_state s;
    journal j = {0};
    char **line;
    tool_text text = {0};
    tvgp_policy *policy, *target = NULL;
    tvgp_value_estimate v = {.struct_size = sizeof v};
    if (call->uniform + (call->arm != NULL) + (call->policy != NULL) != 1)
        tool_exit(TOOL_USAGE, "estimate: one of --uniform, --arm NAME, --policy DESCRIPTION");
    tool_state_open(&s, call->path, 0);
    const size_t lines = tool_state_log(&s, &line);
    if (!lines)
        tool_exit(TOOL_REFUSED, "%s.log: no such file", call->path);
    describe(&s, line[0], &text);
    add_budget(&j, line[0]);
    for (size_t i = 0; i < lines; i++)
        add_line(&j, &s, line[i]);
    tool_check(&s, tvgp_policy_create_described(s.ctx, text.at, &policy));
    if (call->policy)
        target = target_of(&s, call->policy, line[0]);
    const int64_t arm = call->arm ? arm_of(&s, call->arm) : -1;
    tool_check(&s, tvgp_event_off_policy_value(policy, target, arm, j.n, j.event, j.n_x, j.x, call->half_life, &v));
    say(call, &v);
    tvgp_policy_destroy(target);
    tvgp_policy_destroy(policy);
    free(line);
    free(text.at);
    free(j.mask);
    free(j.event);
    free(j.x);
    tool_state_close(&s);
    return 0;
}
