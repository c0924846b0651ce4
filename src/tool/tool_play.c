/* SPDX-License-Identifier: MIT */
/* The commands ask, tell, skip, fail and best of the tool. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t id_of(const char *word) {
    int64_t id;
    if (!tool_whole(word, &id) || id < 1)
        tool_exit(TOOL_USAGE, "'%.40s' is no id", word);
    return id;
}

double tool_value(const char *word) {
    double value;
    if (!tool_number(word, &value))
        tool_exit(TOOL_USAGE, "'%.40s' is not a number", word);
    return value;
}

tvgp_obs tool_outcome(int64_t id, const char *word) {
    const char *slash = strchr(word, '/');
    if (*word == '>' || *word == '<') {
        tvgp_obs obs = tvgp_obs_value(id, tool_value(word + 1));
        obs.flags = *word == '>' ? TVGP_OBS_RIGHT_CENSORED : TVGP_OBS_LEFT_CENSORED;
        return obs;
    }
    if (!slash)
        return tvgp_obs_value(id, tool_value(word));
    char count[64];
    snprintf(count, sizeof count, "%.*s", (int)(slash - word), word);
    return tvgp_obs_count(id, tool_value(count), tool_value(slash + 1));
}

/* ---- ask ------------------------------------------------------------------------------------------------------------------ */

/* Where the model has its best mean, and by which score that could be chosen. */
typedef struct estimate {
    int known;
    int64_t arm;
    double x[TOOL_DIM], mean, sd, score;
} estimate;

/* What a policy without a model does not know is left out. */
static void estimate_best(const tool_state *s, double t, estimate *best) {
    const tvgp_prediction values = {
        .struct_size = sizeof values, .mean = &best->mean, .var = &best->sd, .score = &best->score};
    best->known = tvgp_policy_best(s->policy, t, &best->arm, best->x) == TVGP_OK &&
                  tvgp_policy_evaluate(s->policy, t, 1, best->x, &values) == TVGP_OK;
    best->sd = best->known ? sqrt(best->sd) : 0;
}

static void add_best(const tool_state *s, const estimate *best, tool_text *line) {
    if (!best->known)
        return;
    tool_point_members(s, "best_", best->arm, best->x, line);
    tool_text_member(line, "best_mean", best->mean);
    tool_text_member(line, "best_sd", best->sd);
    tool_text_member(line, "best_score", best->score);
}

/* What was asked, why, and what would have been best; `label` is the candidate's, NULL: it has none. */
static tool_text line_of(tool_state *s, const tvgp_query *q, const double *x, const char *label, const estimate *best) {
    double mean, var;
    tool_text line = tool_state_line(s, "ask");
    tool_text_whole(&line, "id", q->id);
    tool_text_member(&line, "t", q->t);
    tool_text_string(&line, "kind", q->kind == TVGP_SIDE ? "side" : q->kind == TVGP_INIT ? "init" : "action");
    tool_point_members(s, "", q->arm, x, &line);
    if (label)
        tool_text_string(&line, "candidate", label);
    if (best->known && tvgp_policy_predict(s->policy, q->t, 1, x, &mean, &var) == TVGP_OK) {
        tool_text_member(&line, "score", q->score);
        tool_text_member(&line, "mean", mean);
        tool_text_member(&line, "sd", sqrt(var));
    }
    tool_text_member(&line, "propensity", q->propensity);
    if (tool_state_limits(s))
        tool_text_member(&line, "risk", q->risk);
    add_best(s, best, &line);
    return line;
}

/* What a query prints. */
static void say(const tool_state *s, const tvgp_query *q, const double *x, const char *label, tool_text *text) {
    tool_text_add(text, "%lld %s", (long long)q->id, label ? label : "");
    if (!label)
        tool_point_add_exact(s, q->arm, x, " ", text);
    tool_text_add(text, "%s\n", q->kind == TVGP_SIDE ? " side" : "");
}

/* One query, or a slate; the line of the log of the last one. */
static tool_text ask(tool_state *s, const tool_call *call, double t, char *const *labels, const estimate *best,
                     tool_text *text) {
    const size_t k = call->slate ? (size_t)call->slate : 1;
    tvgp_query *q = tool_alloc(k * sizeof *q);
    double *x = tool_alloc(k * s->dim * sizeof *x);
    tool_text line = {0};
    size_t n = 1;
    tool_check(s, call->slate ? tvgp_policy_ask_slate(s->policy, t, k, q, x, &n) : tvgp_policy_ask_one(s->policy, t, q, x));
    for (size_t i = 0; i < n; i++) {
        const char *label = labels && q[i].arm >= 0 ? labels[q[i].arm] : NULL; /* a side query is at none of them */
        if (i)
            tool_state_more(s, &line);
        line = line_of(s, &q[i], x + i * s->dim, label, best);
        if (call->slate)
            tool_text_whole(&line, "slate", call->slate);
        if (call->json)
            tool_text_add(text, "%s}\n", line.at);
        else
            say(s, &q[i], x + i * s->dim, label, text);
    }
    free(q);
    free(x);
    return line;
}

int tool_ask(const tool_call *call) {
    tool_state s;
    estimate best = {0};
    char **labels = NULL;
    size_t rows = 0;
    tool_text text = {0};
    tool_state_open(&s, call->path, 1);
    const double t = tool_state_time(&s, call);
    if (call->among)
        labels = tool_table_among(&s, call->among, &rows);
    char *mask = call->available ? tool_arms_mask(&s, call->available) : NULL;
    if (mask)
        tool_arms_set(&s, mask);
    estimate_best(&s, t, &best);
    tool_text line = ask(&s, call, t, labels, &best, &text);
    if (mask) {
        tool_arms_add(&s, mask, &line);
        tool_arms_set(&s, s.available);
    }
    free(mask);
    if (call->among) /* they are gone when the next request comes */
        tool_check(&s, tvgp_policy_set_candidates(s.policy, 0, NULL, NULL));
    tool_state_save(&s, &line);
    tool_text_print(&text);
    tool_state_close(&s);
    tool_parts_free(labels, rows);
    return 0;
}

/* ---- outcomes
 * --------------------------------------------------------------------------------------------------------------- */

/* Copies what the command line says about an outcome into record and log. */
static void take_options(const tool_call *call, tvgp_obs *obs, tool_text *line) {
    if (call->noise_given) {
        obs->flags |= TVGP_OBS_HAS_NOISE;
        obs->noise_var = call->noise;
        tool_text_member(line, "noise", call->noise);
    }
    if (obs->flags & TVGP_OBS_HAS_EXPOSURE)
        tool_text_member(line, "exposure", obs->exposure);
    if (obs->flags & (TVGP_OBS_RIGHT_CENSORED | TVGP_OBS_LEFT_CENSORED))
        tool_text_string(line, "censored", obs->flags & TVGP_OBS_RIGHT_CENSORED ? "right" : "left");
    if (call->partial) {
        obs->flags |= TVGP_OBS_PARTIAL;
        tool_text_true(line, "partial");
    }
    if (call->reference_given) {
        obs->flags |= TVGP_OBS_HAS_REFERENCE;
        obs->reference = call->reference;
        tool_text_member(line, "reference", call->reference);
    }
    if (call->t_given) {
        obs->flags |= TVGP_OBS_HAS_TIME;
        obs->t = call->t;
    }
    if (obs->flags & TVGP_OBS_HAS_TIME)
        tool_text_member(line, "t", obs->t);
}

static int32_t output_of(const tool_state *s, const char *word) {
    int64_t output;
    if (!tool_whole(word, &output) || output < 0 || output > (int64_t)tool_state_limits(s))
        tool_exit(TOOL_USAGE, "--output %.40s: 0, or a limit, of which there are %zu", word, tool_state_limits(s));
    return (int32_t)output;
}

void tool_tell_values(tool_state *s, const tool_call *call, tvgp_obs obs, const double *x, const double *outputs, size_t n,
                      tool_text *line) {
    tvgp_obs *all = tool_alloc((1 + n) * sizeof *all);
    double *X = tool_alloc((1 + n) * s->dim * sizeof *X);
    take_options(call, &obs, line);
    for (size_t k = 0; k <= n; k++) {
        all[k] = k ? (tvgp_obs){.id = obs.id, /* noise, exposure and reference are of the reward */
                                .outcome = obs.outcome,
                                .flags = obs.flags & TVGP_OBS_HAS_TIME,
                                .y = outputs[k - 1],
                                .t = obs.t,
                                .output = (int32_t)k}
                   : obs;
        if (x)
            memcpy(X + k * s->dim, x, s->dim * sizeof *x);
    }
    tool_check(s, tvgp_policy_tell(s->policy, 1 + n, all, x ? X : NULL));
    if (n)
        tool_text_list(line, "outputs", n, outputs);
    free(all);
    free(X);
}

int tool_tell(const tool_call *call) {
    tool_state s;
    tvgp_obs obs = tool_outcome(id_of(call->word[0]), call->word[1]);
    const size_t n = call->words - 2;
    double *outputs = tool_alloc(n * sizeof *outputs);
    tool_state_open(&s, call->path, 1);
    tool_text line = tool_state_line(&s, "tell");
    tool_text_whole(&line, "id", obs.id);
    if (call->output)
        tool_text_whole(&line, "output", obs.output = output_of(&s, call->output));
    tool_text_member(&line, obs.output ? "value" : "y", obs.y);
    if (n > tool_state_limits(&s) || (n && obs.output))
        tool_exit(TOOL_USAGE, "%zu numbers after the outcome, and there are %zu constraints", n,
                  obs.output ? 0 : tool_state_limits(&s));
    if (call->t_given)
        tool_state_check_time(&s, call->t);
    for (size_t k = 0; k < n; k++)
        outputs[k] = tool_value(call->word[2 + k]);
    tool_tell_values(&s, call, obs, NULL, outputs, n, &line);
    free(outputs);
    return tool_state_finish(&s, call, &line);
}

/* Closes a query without a value. */
static int close_query(const tool_call *call, const char *name, int32_t outcome) {
    tool_state s;
    const tvgp_obs obs = tvgp_obs_outcome(id_of(call->word[0]), outcome);
    tool_state_open(&s, call->path, 1);
    tool_text line = tool_state_line(&s, name);
    tool_text_whole(&line, "id", obs.id);
    tool_check(&s, tvgp_policy_tell(s.policy, 1, &obs, NULL));
    return tool_state_finish(&s, call, &line);
}

int tool_skip(const tool_call *call) {
    return close_query(call, "skip", TVGP_SKIPPED);
}

int tool_fail(const tool_call *call) {
    return close_query(call, "fail", TVGP_FAILED);
}

/* ---- best --------------------------------------------------------------------------------------------------------------------- */

int tool_best(const tool_call *call) {
    tool_state s;
    int64_t arm;
    double x[TOOL_DIM], mean, var;
    char about[2][32];
    tool_text text = {0};
    tool_state_open(&s, call->path, 0);
    const double t = tool_state_look(&s, call);
    tool_check(&s, tvgp_policy_best(s.policy, t, &arm, x));
    tool_check(&s, tvgp_policy_predict(s.policy, t, 1, x, &mean, &var));
    if (call->json) {
        tool_text_add(&text, "{");
        tool_text_member(&text, "t", t);
        tool_point_members(&s, "", arm, x, &text);
        tool_text_member(&text, "mean", mean);
        tool_text_member(&text, "sd", sqrt(var));
        tool_text_add(&text, "}\n");
    } else {
        tool_point_add_exact(&s, arm, x, " ", &text);
        tool_text_add(&text, "   %s +- %s\n", tool_text_rounded(mean, sqrt(var), about[0], sizeof about[0]),
                      tool_text_rounded(sqrt(var), sqrt(var), about[1], sizeof about[1]));
    }
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
