/* SPDX-License-Identifier: MIT */
/* create: words into a policy, its constraints, and what historical data or a fleet contribute. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the words of `create` say. */
typedef struct wish {
    const char *policy, *log, *safe;
    tool_domain_words domain;
    tool_text options;
    double limit[16]; /* of outputs 1, 2, .. */
    uint32_t side[16];
    size_t limits;
    tool_budget budget;
} wish;

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

static double step_of(const char *text) {
    double step;
    if (!tool_number(text, &step) || step < 0)
        tool_exit(TOOL_USAGE, "time.max_step=%.40s must be a number >= 0", text);
    return step;
}

/* at_most=V and at_least=V: 0 when it is neither. */
static int take_limit(wish *w, const char *word) {
    const char *most = value_behind(word, "at_most"), *value = most ? most : value_behind(word, "at_least");
    if (!value)
        return 0;
    if (w->limits == sizeof w->limit / sizeof *w->limit)
        tool_exit(TOOL_USAGE, "'%.40s': more than %zu constraints", word, w->limits);
    if (!tool_number(value, &w->limit[w->limits]))
        tool_exit(TOOL_USAGE, "'%.40s': the limit is not a number", word);
    w->side[w->limits++] = most ? TVGP_AT_MOST : TVGP_AT_LEAST;
    return 1;
}

static void take_words(wish *w, tool_state *s, const tool_call *call) {
    const char *found;
    w->policy = "auto-gp-ucb";
    for (size_t i = 0; i < call->words; i++) {
        const char *word = call->word[i];
        if (tool_domain_take(&w->domain, word) || take_limit(w, word) || tool_budget_take(&w->budget, word))
            continue;
        if ((found = value_behind(word, "policy")) != NULL)
            w->policy = found;
        else if ((found = value_behind(word, "clock")) != NULL)
            s->clock = clock_of(found);
        else if ((found = value_behind(word, "time.max_step")) != NULL)
            s->max_step = step_of(found);
        else if ((found = value_behind(word, "history")) != NULL)
            w->log = found;
        else if ((found = value_behind(word, "safe")) != NULL)
            w->safe = found;
        else if (value_behind(word, "contexts"))
            tool_exit(TOOL_USAGE, "'%.40s': a file has no contexts", word);
        else
            tool_text_add(&w->options, "%s%s", w->options.n ? " " : "", word);
    }
}

/* ---- a policy as described ------------------------------------------------------------------------------------------------ */

static void make_described(const wish *w, tool_state *s) {
    tool_text text = {0};
    size_t names;
    tool_text_add(&text, "policy=%s", w->policy);
    if (w->domain.kind)
        tool_text_add(&text, " %s=%s", w->domain.kind, w->domain.text);
    if (w->domain.names) {
        s->name = tool_domain_names(w->domain.names, &names);
        tool_text_add(&text, " names=%s", w->domain.names);
    }
    for (size_t k = 0; k < w->limits; k++) {
        tool_text_add(&text, " %s=", w->side[k] == TVGP_AT_MOST ? "at_most" : "at_least");
        tool_text_number(&text, w->limit[k]);
    }
    if (w->safe)
        tool_text_add(&text, " safe=%s", w->safe);
    if (w->options.n)
        tool_text_add(&text, " %s", w->options.at);
    tool_check(s, tvgp_policy_create_described(s->ctx, text.at, &s->policy));
    tool_check(s, tvgp_policy_domain(s->policy, &s->domain));
    free(text.at);
}

/* ---- a fleet: what the logs of others teach ------------------------------------------------------------------------------ */

typedef struct fleet {
    size_t n, room, *first;
    int64_t *arm;
    double *t, *y;
} fleet;

static void *grow(void *old, size_t n, size_t room, size_t size) {
    void *grown = tool_alloc(room * size);
    if (n)
        memcpy(grown, old, n * size);
    free(old);
    return grown;
}

static void add_answer(fleet *f, const tool_answer *answer) {
    if (f->n == f->room) {
        f->room = 2 * f->room + 64;
        f->arm = grow(f->arm, f->n, f->room, sizeof *f->arm);
        f->t = grow(f->t, f->n, f->room, sizeof *f->t);
        f->y = grow(f->y, f->n, f->room, sizeof *f->y);
    }
    f->arm[f->n] = answer->arm;
    f->t[f->n] = answer->t;
    f->y[f->n++] = answer->y;
}

/* Adds a member's outcomes; the first one determines the domain of all. */
static void add_member(fleet *f, tool_state *s, const char *path) {
    tool_state member;
    tool_answer *answer;
    tool_state_open(&member, path, 0);
    if (!s->domain) {
        tool_domain_like(s, &member);
        s->min = member.min;
    }
    tool_domain_same(s, &member);
    const size_t n = tool_log_answers(&member, &answer);
    for (size_t i = 0; i < n; i++)
        add_answer(f, &answer[i]);
    free(answer);
    tool_state_close(&member);
}

/* Each constraint has a model of its own with default settings. */
static void add_constraints(const wish *w, tool_state *s) {
    for (size_t k = 0; k < w->limits; k++) {
        tvgp_policy *model;
        tool_check(s, tvgp_policy_create(s->ctx, "auto-gp-ucb", s->domain, NULL, &model));
        tool_check(s, tvgp_policy_add_constraint(s->policy, model, w->side[k], w->limit[k]));
        tvgp_policy_destroy(model);
    }
    if (!w->safe)
        return;
    double *X;
    const size_t n = tool_domain_points(s, "safe", w->safe, &X);
    tool_check(s, tvgp_policy_set_safe(s->policy, n, X));
    free(X);
}

/* A policy that begins where the fleet is. */
static void join_fleet(const wish *w, tool_state *s, const tool_call *call) {
    fleet f = {.first = tool_alloc(call->fleets * sizeof *f.first)};
    double noise;
    tvgp_kernel *kernel;
    for (size_t i = 0; i < call->fleets; i++) {
        f.first[i] = f.n;
        add_member(&f, s, call->fleet[i]);
    }
    double *mean = tool_alloc(s->n * sizeof *mean);
    tool_check(s, tvgp_prior_learn(s->ctx, s->domain, call->fleets, f.first, f.n, f.arm, f.t, f.y, NULL, 3, 0, 0, mean,
                                   &kernel, &noise));
    tool_check(s, tvgp_policy_create(s->ctx, w->policy, s->domain, kernel, &s->policy));
    tool_check(s, tvgp_policy_set(s->policy, s->min ? "sense=min" : "sense=max"));
    tool_check(s, tvgp_policy_set_prior_mean(s->policy, s->n, mean));
    tool_check(s, tvgp_policy_set_f64(s->policy, "noise", noise));
    tool_state_meet(s);
    add_constraints(w, s);
    if (w->options.n)
        tool_check(s, tvgp_policy_set(s->policy, w->options.at));
    tvgp_kernel_destroy(kernel);
    free(mean);
    free(f.first);
    free(f.arm);
    free(f.t);
    free(f.y);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------ */

static void make_policy(wish *w, tool_state *s, const tool_call *call) {
    char *header = NULL;
    if (call->fleet && (w->domain.kind || w->domain.names || w->log))
        tool_exit(TOOL_USAGE, "create: among what, and what is known, the files behind --fleet say");
    if (call->fleet && !call->fleets)
        tool_exit(TOOL_USAGE, "create: --fleet: the names of other files are missing");
    tool_log *log = w->log ? tool_table_read(w->log) : NULL;
    if (log && !w->domain.kind && !w->domain.names)
        w->domain.names = header = tool_table_header(log);
    if (call->fleet)
        join_fleet(w, s, call);
    else
        make_described(w, s);
    if (header)
        w->domain.names = NULL;
    free(header);
    tool_state_meet(s);
    if (log)
        tool_table_learn(s, log);
    tool_table_free(log);
}

/* The members of the line of the log that say what was wished. */
static void add_wish(const wish *w, const tool_state *s, const tool_call *call, tool_text *line) {
    tool_text_string(line, "policy", w->policy);
    if (w->domain.kind)
        tool_text_string(line, w->domain.kind, w->domain.text);
    if (w->domain.names)
        tool_text_string(line, "names", w->domain.names);
    if (w->log) {
        tool_text_string(line, "history", w->log);
        tool_text_string(line, "understood", s->said.at);
    }
    for (size_t k = 0; k < w->limits; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s.%zu", w->side[k] == TVGP_AT_MOST ? "at_most" : "at_least", k + 1);
        tool_text_member(line, key, w->limit[k]);
    }
    if (w->safe)
        tool_text_string(line, "safe", w->safe);
    if (w->budget.budget) {
        tool_text_string(line, "budget", w->budget.budget);
        tool_text_string(line, "period", w->budget.period);
        tool_text_string(line, "asks", w->budget.asks);
    }
    if (w->budget.costs)
        tool_text_string(line, "costs", w->budget.costs);
    if (call->fleet)
        tool_text_whole(line, "fleet", (int64_t)call->fleets);
    tool_text_string(line, "clock", s->clock == TOOL_SECONDS ? "seconds" : "steps");
    tool_text_string(line, "options", w->options.n ? w->options.at : "");
}

int tool_create(const tool_call *call) {
    tool_state s;
    wish w = {0};
    tool_state_new(&s, call->path);
    take_words(&w, &s, call);
    make_policy(&w, &s, call);
    tool_budget_set(&w.budget, &s);
    tool_state_claim(&s);
    tool_text line = tool_state_line(&s, "create");
    add_wish(&w, &s, call, &line);
    free(w.options.at);
    return tool_state_finish(&s, call, &line);
}
