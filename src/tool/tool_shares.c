/* SPDX-License-Identifier: MIT */
/* shares, ranking, charge, payoffs, cost-weight, and the budget of create: decisions that serve many users, and their costs. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shares --------------------------------------------------------------------------------------------------------- */

int tool_shares(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    double x[TOOL_DIM];
    tool_state_open(&s, call->path, 0);
    if (!s.n)
        tool_exit(TOOL_REFUSED, "%s: a box has no arms, and so no shares", call->path);
    double *p = tool_alloc(2 * s.n * sizeof *p), *share = p + s.n;
    tool_check(&s, tvgp_policy_best_probability(s.policy, tool_state_look(&s, call), s.n, NULL,
                                                call->draws > 0 ? (size_t)call->draws : 0, p));
    if (tvgp_shares(s.n, p, call->power, call->floor, share) != TVGP_OK)
        tool_exit(TOOL_USAGE, "shares: --power %g must be in [0.1, 100], --floor %g in [0, 1]", call->power, call->floor);
    tool_text_add(&text, "%s", call->json ? "[" : "share  best   action\n");
    for (size_t i = 0; i < s.n; i++) {
        tool_check(&s, tvgp_domain_point(s.domain, (int64_t)i, x));
        if (call->json) {
            tool_text_add(&text, "%s{", i ? ",\n" : "");
            tool_point_members(&s, "", (int64_t)i, x, &text);
            tool_text_member(&text, "probability", p[i]);
            tool_text_member(&text, "share", share[i]);
            tool_text_add(&text, "}");
        } else {
            tool_text_add(&text, "%.4f %.4f ", share[i], p[i]);
            tool_point_add(&s, (int64_t)i, x, " ", &text);
            tool_text_add(&text, "\n");
        }
    }
    tool_text_add(&text, "%s", call->json ? "]\n" : "");
    tool_text_print(&text);
    free(p);
    tool_state_close(&s);
    return 0;
}

/* ---- ranking -------------------------------------------------------------------------------------------------------- */

typedef struct ranked {
    int64_t arm;
    double score, mean, sd, probability, key; /* key: falls from the first to the last */
} ranked;

static int by_score(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->key == right->key)
        return (left->arm > right->arm) - (left->arm < right->arm);
    return left->key > right->key ? -1 : 1;
}

/* The available arms, the best score first; how many. */
static size_t rank_arms(const tool_state *s, const tool_call *call, const char *mask, ranked *list) {
    double *mean = tool_alloc(4 * s->n * sizeof *mean), *var = mean + s->n, *score = var + s->n, *p = score + s->n;
    const tvgp_prediction values = {.struct_size = sizeof values, .mean = mean, .var = var, .score = score};
    const double t = tool_state_look(s, call);
    size_t n = 0;
    tool_check(s, tvgp_policy_evaluate(s->policy, t, s->n, NULL, &values));
    tool_check(s, tvgp_policy_best_probability(s->policy, t, s->n, NULL, (size_t)call->draws, p));
    for (size_t i = 0; i < s->n; i++)
        if (!mask || mask[i] == '1')
            list[n++] = (ranked){(int64_t)i, score[i], mean[i], sqrt(var[i]), p[i], s->min ? -score[i] : score[i]};
    free(mean);
    qsort(list, n, sizeof *list, by_score);
    return n;
}

static void add_ranked(const tool_state *s, const tool_call *call, const ranked *r, tool_text *text) {
    double x[TOOL_DIM];
    tool_check(s, tvgp_domain_point(s->domain, r->arm, x));
    if (call->json) {
        tool_text_add(text, "{");
        tool_point_members(s, "", r->arm, x, text);
        tool_text_member(text, "score", r->score);
        tool_text_member(text, "mean", r->mean);
        tool_text_member(text, "sd", r->sd);
        tool_text_member(text, "probability", r->probability);
        tool_text_add(text, "}");
    } else {
        tool_text_add(text, "%-11.5g %-11.5g %-10.3g %.4f ", r->score, r->mean, r->sd, r->probability);
        tool_point_add(s, r->arm, x, " ", text);
        tool_text_add(text, "\n");
    }
}

int tool_ranking(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    tool_state_open(&s, call->path, 0);
    if (!s.n)
        tool_exit(TOOL_REFUSED, "%s: a box has no arms, and so no ranking", call->path);
    char *own = call->available ? tool_arms_mask(&s, call->available) : NULL;
    if (own)
        tool_arms_set(&s, own);
    ranked *list = tool_alloc(s.n * sizeof *list);
    const size_t n = rank_arms(&s, call, own ? own : s.available, list);
    tool_text_add(&text, "%s", call->json ? "[" : "score       mean        sd         best   action\n");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(&text, "%s", call->json && i ? ",\n" : "");
        add_ranked(&s, call, &list[i], &text);
    }
    tool_text_add(&text, "%s", call->json ? "]\n" : "");
    tool_text_print(&text);
    free(list);
    free(own);
    tool_state_close(&s);
    return 0;
}

/* ---- charge --------------------------------------------------------------------------------------------------------- */

int tool_charge(const tool_call *call) {
    tool_state s;
    int64_t id;
    if (!tool_whole(call->word[0], &id))
        tool_exit(TOOL_USAGE, "'%.40s' is no id", call->word[0]);
    const double cost = tool_value(call->word[1]);
    tool_state_open(&s, call->path, 1);
    tool_check(&s, tvgp_policy_charge(s.policy, id, cost));
    tool_text line = tool_state_line(&s, "charge");
    tool_text_whole(&line, "id", id);
    tool_text_member(&line, "cost", cost);
    return tool_state_finish(&s, call, &line);
}

/* ---- weight and payoffs -------------------------------------------------------------------------------------------------------- */

int tool_cost_weight(const tool_call *call) {
    tool_state s;
    const double weight = tool_value(call->word[0]);
    tool_state_open(&s, call->path, 1);
    tool_check(&s, tvgp_policy_set_cost_weight(s.policy, weight));
    tool_text line = tool_state_line(&s, "cost_weight");
    tool_text_member(&line, "y", weight);
    return tool_state_finish(&s, call, &line);
}

int tool_payoffs(const tool_call *call) {
    tool_state s;
    size_t n = 0;
    char **part = strcmp(call->word[0], "none") == 0 ? NULL : tool_parts(call->word[0], ',', &n);
    double *payoff = tool_alloc((n + 1) * sizeof *payoff);
    for (size_t i = 0; i < n; i++)
        payoff[i] = tool_value(part[i]);
    tool_state_open(&s, call->path, 1);
    tool_check(&s, tvgp_policy_set_payoffs(s.policy, n, payoff));
    tool_text line = tool_state_line(&s, "payoffs");
    if (n)
        tool_text_list(&line, "x", n, payoff);
    free(payoff);
    if (n)
        tool_parts_free(part, n);
    return tool_state_finish(&s, call, &line);
}

/* ---- create --------------------------------------------------------------------------------------------------------- */

static int take(const char *word, const char *key, const char **value) {
    const size_t n = strlen(key);
    if (strncmp(word, key, n) != 0 || word[n] != '=')
        return 0;
    *value = word + n + 1;
    return 1;
}

int tool_budget_take(tool_budget *b, const char *word) {
    return take(word, "budget", &b->budget) || take(word, "period", &b->period) || take(word, "asks", &b->asks) ||
           take(word, "costs", &b->costs);
}

static double number_of(const char *key, const char *text) {
    double value;
    if (!text || !tool_number(text, &value))
        tool_exit(TOOL_USAGE, "%s=%.40s must be a number", key, text ? text : "");
    return value;
}

/* One number, or one for each arm with commas between. */
static void set_costs(const tool_state *s, const char *text) {
    size_t n;
    char **part = tool_parts(text, ',', &n);
    double *cost = tool_alloc(n * sizeof *cost);
    for (size_t i = 0; i < n; i++)
        cost[i] = number_of("costs", part[i]);
    tool_check(s, tvgp_policy_set_costs(s->policy, n, cost));
    free(cost);
    tool_parts_free(part, n);
}

void tool_budget_set(const tool_budget *b, const tool_state *s) {
    const int budget = b->budget || b->period || b->asks;
    if (budget && (!b->budget || !b->period || !b->asks || !b->costs))
        tool_exit(TOOL_USAGE, "a budget needs budget=, period=, asks= and costs=");
    if (budget)
        tool_check(s, tvgp_policy_set_budget(s->policy, number_of("budget", b->budget), number_of("period", b->period),
                                             number_of("asks", b->asks)));
    if (b->costs)
        set_costs(s, b->costs);
}
