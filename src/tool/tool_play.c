/* SPDX-License-Identifier: MIT */
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

static double value_of(const char *word) {
    double value;
    if (!tool_number(word, &value))
        tool_exit(TOOL_USAGE, "'%.40s' is not a number", word);
    return value;
}

/* "ok", or the line of the log that says what was done. */
static int finish(tool_state *s, const tool_call *call, tool_text *line) {
    tool_text text = {0};
    tool_state_save(s, line);
    tool_text_add(&text, "%s\n", call->json ? s->line : "ok");
    tool_text_print(&text);
    tool_state_close(s);
    return 0;
}

/* ---- create -------------------------------------------------------------------------------------------------------------- */

/* What behind key= is the word's, or NULL. */
static const char *value_behind(const char *word, const char *key) {
    const size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static int clock_of(const char *text) {
    const int found = strcmp(text, "seconds") == 0 ? TOOL_SECONDS : TOOL_STEPS;
    if (found == TOOL_STEPS && strcmp(text, "steps") != 0)
        tool_exit(TOOL_USAGE, "clock=%.40s: steps or seconds", text);
    return found;
}

int tool_create(const tool_call *call) {
    const char *name = "auto-gp-ucb", *found;
    tool_state s;
    tool_place place = {0};
    tool_text options = {0};
    tool_state_new(&s, call->path);
    for (size_t i = 0; i < call->words; i++) {
        const char *word = call->word[i];
        if (tool_place_take(&place, word))
            continue;
        if ((found = value_behind(word, "policy")) != NULL)
            name = found;
        else if ((found = value_behind(word, "clock")) != NULL)
            s.clock = clock_of(found);
        else
            tool_text_add(&options, "%s%s", options.n ? " " : "", word);
    }
    tool_place_make(&place, &s);
    tool_check(&s, tvgp_policy_create(s.ctx, name, s.domain, NULL, &s.policy));
    if (options.n)
        tool_check(&s, tvgp_policy_set(s.policy, options.at));
    tool_state_meet(&s);
    tool_text line = tool_state_line(&s, "create");
    tool_text_string(&line, "policy", name);
    if (place.kind)
        tool_text_string(&line, place.kind, place.text);
    if (place.names)
        tool_text_string(&line, "names", place.names);
    tool_text_string(&line, "clock", s.clock == TOOL_SECONDS ? "seconds" : "steps");
    tool_text_string(&line, "options", options.n ? options.at : "");
    free(options.at);
    return finish(&s, call, &line);
}

/* ---- ask ------------------------------------------------------------------------------------------------------------------ */

/* Where the model has its best mean, and by which score that could be chosen. */
typedef struct belief {
    int known;
    int64_t arm;
    double x[TOOL_DIM], mean, sd, score;
} belief;

/* What a policy without a model does not know is left out. */
static void believe(const tool_state *s, double t, belief *best) {
    best->known = tvgp_policy_best(s->policy, t, &best->arm, best->x) == TVGP_OK &&
                  tvgp_policy_score(s->policy, t, 1, best->x, &best->score, &best->mean, &best->sd) == TVGP_OK;
}

static void add_best(const tool_state *s, const belief *best, tool_text *line) {
    if (!best->known)
        return;
    tool_point_members(s, "best_", best->arm, best->x, line);
    tool_text_member(line, "best_mean", best->mean);
    tool_text_member(line, "best_sd", best->sd);
    tool_text_member(line, "best_score", best->score);
}

int tool_ask(const tool_call *call) {
    tool_state s;
    tvgp_query q;
    belief best = {0};
    double x[TOOL_DIM], mean, var;
    tool_text text = {0};
    tool_state_open(&s, call->path, 1);
    const double t = tool_state_time(&s, call);
    believe(&s, t, &best);
    tool_check(&s, tvgp_policy_ask_one(s.policy, t, &q, x));
    tool_text line = tool_state_line(&s, "ask");
    tool_text_whole(&line, "id", q.id);
    tool_text_member(&line, "t", q.t);
    tool_text_string(&line, "kind", q.kind == TVGP_SIDE ? "side" : q.kind == TVGP_INIT ? "init" : "action");
    tool_point_members(&s, "", q.arm, x, &line);
    if (best.known && tvgp_policy_predict(s.policy, t, 1, x, &mean, &var) == TVGP_OK) {
        tool_text_member(&line, "score", q.score);
        tool_text_member(&line, "mean", mean);
        tool_text_member(&line, "sd", sqrt(var));
    }
    tool_text_member(&line, "propensity", q.propensity);
    add_best(&s, &best, &line);
    tool_state_save(&s, &line);
    if (call->json) {
        tool_text_add(&text, "%s", s.line);
    } else {
        tool_text_add(&text, "%lld ", (long long)q.id);
        tool_point_add_exact(&s, q.arm, x, " ", &text);
        tool_text_add(&text, "%s", q.kind == TVGP_SIDE ? " side" : "");
    }
    tool_text_add(&text, "\n");
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}

/* ---- answers ---------------------------------------------------------------------------------------------------------------- */

/* What of an answer was given on the command line goes into record and log. */
static void take_options(const tool_call *call, tvgp_obs *obs, tool_text *line) {
    if (call->noise_given) {
        obs->flags |= TVGP_OBS_NOISE;
        obs->noise_var = call->noise;
        tool_text_member(line, "noise", call->noise);
    }
    if (call->t_given) {
        obs->flags |= TVGP_OBS_TIME;
        obs->t = call->t;
    }
    if (obs->flags & TVGP_OBS_TIME)
        tool_text_member(line, "t", obs->t);
}

int tool_tell(const tool_call *call) {
    tool_state s;
    tvgp_obs obs = tvgp_obs_value(id_of(call->word[0]), value_of(call->word[1]));
    tool_state_open(&s, call->path, 1);
    tool_text line = tool_state_line(&s, "tell");
    tool_text_whole(&line, "id", obs.id);
    tool_text_member(&line, "y", obs.y);
    take_options(call, &obs, &line);
    tool_check(&s, tvgp_policy_tell(s.policy, &obs, NULL, 1));
    return finish(&s, call, &line);
}

int tool_skip(const tool_call *call) {
    tool_state s;
    const tvgp_obs obs = tvgp_obs_outcome(id_of(call->word[0]), TVGP_SKIPPED);
    tool_state_open(&s, call->path, 1);
    tool_text line = tool_state_line(&s, "skip");
    tool_text_whole(&line, "id", obs.id);
    tool_check(&s, tvgp_policy_tell(s.policy, &obs, NULL, 1));
    return finish(&s, call, &line);
}

/* The arm of a point that it took; -1 on a box. */
static int64_t arm_at(const tool_state *s, const double *x) {
    double point[TOOL_DIM], near = INFINITY;
    int64_t found = -1;
    for (size_t arm = 0; arm < s->n; arm++) {
        double apart = 0;
        tool_check(s, tvgp_domain_point(s->domain, (int64_t)arm, point));
        for (size_t d = 0; d < s->dim; d++)
            apart += fabs(point[d] - x[d]);
        if (apart < near) {
            near = apart;
            found = (int64_t)arm;
        }
    }
    return found;
}

int tool_observe(const tool_call *call) {
    tool_state s;
    double x[TOOL_DIM];
    const size_t words = call->words - 1;
    const double y = value_of(call->word[words]);
    tool_state_open(&s, call->path, 1);
    tool_point_read(&s, call->word, words, x);
    tvgp_obs obs = tvgp_obs_unasked(tool_state_time(&s, call), y);
    tool_text line = tool_state_line(&s, "observe");
    tool_text_member(&line, "y", y);
    take_options(call, &obs, &line);
    tool_check(&s, tvgp_policy_tell(s.policy, &obs, x, 1));
    tool_point_members(&s, "", arm_at(&s, x), x, &line);
    return finish(&s, call, &line);
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
