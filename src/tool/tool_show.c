/* SPDX-License-Identifier: MIT */
/* show: configuration, learned values and posterior of a policy, on a terminal of 80 x 24. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, ROWS = 12, BAR = 36, LABEL = 16, OPEN = 2 };

/* ---- numbers about it ---------------------------------------------------------------------------------------------------- */

/* NaN: it has no such statistic. */
static double stat(const tool_state *s, const char *key) {
    double value;
    return tvgp_policy_stat(s->policy, key, &value) == TVGP_OK ? value : NAN;
}

static void add_counts(const tool_state *s, tool_text *text) {
    static const char *const shown[][2] = {
        {"values", "answered"},         {"skipped", "skipped"}, {"failed", "failed"}, {"pending.timed_out", "timed out"},
        {"unsolicited", "unsolicited"}, {"pending", "open"},    {"resets", "resets"}};
    tool_text_add(text, "asked %.0f", stat(s, "asked"));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (stat(s, shown[i][0]) > 0)
            tool_text_add(text, ", %s %.0f", shown[i][1], stat(s, shown[i][0]));
    const double newest = tool_state_newest(s);
    if (isfinite(newest))
        tool_text_add(text, "; newest time %.10g", newest);
    tool_text_add(text, s->clock == TOOL_SECONDS ? " (seconds since 1970)\n" : "\n");
}

/* The options that are not at their defaults. */
static void add_options(const tool_state *s, tool_text *text) {
    size_t n;
    const char *word;
    double value;
    tool_check(s, tvgp_policy_option_count(s->policy, &n));
    tool_text_add(text, "options:");
    for (size_t i = 0; i < n; i++) {
        tvgp_option_info o;
        tool_check(s, tvgp_policy_option_info(s->policy, i, &o));
        if (o.type == TVGP_STR && tvgp_policy_get_str(s->policy, o.key, &word) == TVGP_OK &&
            strcmp(word, o.default_str) != 0)
            tool_text_add(text, " %s=%s", o.key, word);
        if (o.type != TVGP_STR && tvgp_policy_get_f64(s->policy, o.key, &value) == TVGP_OK && value != o.default_num)
            tool_text_add(text, " %s=%g", o.key, value);
    }
    tool_text_add(text, "\n");
}

static void add_log(const tool_state *s, tool_text *text) {
    const double records = stat(s, "history.records"), period = stat(s, "history.period");
    if (!(records > 0))
        return;
    tool_text_add(text, "log: %.0f values, ", records);
    if (period > 0)
        tool_text_add(text, "period %g, ", period);
    tool_text_add(text, "%.3g of the error of constant levels\n", stat(s, "history.error"));
}

/* Broken counts actions that were not declared safe. */
static void add_constraints(const tool_state *s, tool_text *text) {
    const size_t limits = tool_state_limits(s);
    double broken = 0;
    for (size_t k = 1; k <= limits; k++) {
        char key[32];
        snprintf(key, sizeof key, "constraint.violations.%zu", k);
        broken += stat(s, key);
    }
    if (limits)
        tool_text_add(text, "constraints: %zu; safe at the last ask: %.0f of %zu; violations: %.0f, expected %.2g\n", limits,
                      stat(s, "safe.count"), s->n ? s->n : 1, broken, stat(s, "safe.expected_violations"));
}

/* An ask makes the first optimisation, from this many outcomes on. */
static void add_unlearned(const tool_state *s, tool_text *text) {
    enum { FEWEST = 2 };
    double every = 0;
    const double n = stat(s, "values") + stat(s, "unsolicited");
    (void)tvgp_policy_get_f64(s->policy, "fit.every", &every);
    const double first = every > FEWEST ? every : FEWEST;
    if (every < 0)
        tool_text_add(text, "not learned: fit.every = %.0f\n", every);
    else if (n < first)
        tool_text_add(text, "not learned yet (%.0f of %.0f outcomes)\n", n, first);
    else
        tool_text_add(text, "not learned yet (%.0f outcomes): the next asks learn\n", n);
}

/* Nothing for a policy whose model was supplied or comes from historical data. */
static void add_learned(const tool_state *s, tool_text *text) {
    static const char *const shown[][2] = {{"fit.lengthscale.0", "lengthscale"},
                                           {"fit.mean", "level"},
                                           {"fit.variance", "variance"},
                                           {"fit.noise_var", "noise"},
                                           {"half_life", "half-life"}};
    int any = 0;
    const char *fit = "off";
    if (tool_state_unlearned(s)) {
        add_unlearned(s, text);
        return;
    }
    const int known =
        tvgp_policy_get_str(s->policy, "fit", &fit) != TVGP_OK || strcmp(fit, "off") == 0 || stat(s, "history.records") > 0;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const double value = stat(s, shown[i][0]);
        if (isfinite(value) && value != 0 && !(known && strncmp(shown[i][0], "fit.", 4) == 0))
            tool_text_add(text, "%s %s %.3g", any++ ? "," : "learned:", shown[i][1], value);
    }
    tool_text_add(text, any ? "\n" : "");
}

static void add_surprise(const tool_state *s, tool_text *text) {
    const double surprise = stat(s, "surprise");
    if (surprise > 0)
        tool_text_add(text, "surprise %.2g: %s\n", surprise,
                      surprise > 4      ? "the model does not fit the outcomes"
                      : surprise > 2    ? "outcomes differ more than the model expects"
                      : surprise < 0.05 ? "outcomes have less noise than estimated"
                                        : "the model fits");
}

/* ---- posterior as bars
 * ------------------------------------------------------------------------------------------------------ */

typedef struct row {
    int64_t arm;
    double x[TOOL_DIM], mean, sd;
} row;

static int better(const tool_state *s, const row *a, const row *b) {
    return s->min ? a->mean < b->mean : a->mean > b->mean;
}

/* All arms, of many the best. */
static size_t best_arms(const tool_state *s, double t, row *list) {
    double *mean = tool_alloc(2 * s->n * sizeof *mean), *var = mean + s->n;
    size_t n = 0;
    tool_check(s, tvgp_policy_predict(s->policy, t, s->n, NULL, mean, var));
    for (size_t arm = 0; arm < s->n; arm++) {
        row one = {.arm = (int64_t)arm, .mean = mean[arm], .sd = sqrt(var[arm])};
        if (s->n > ROWS && n == ROWS && !better(s, &one, &list[ROWS - 1]))
            continue;
        size_t at = n < ROWS ? n++ : ROWS - 1;
        for (; s->n > ROWS && at && better(s, &one, &list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
    for (size_t i = 0; i < n; i++)
        tool_check(s, tvgp_domain_point(s->domain, list[i].arm, list[i].x));
    free(mean);
    return n;
}

static void predict(const tool_state *s, double t, row *one) {
    tool_check(s, tvgp_policy_predict(s->policy, t, 1, one->x, &one->mean, &one->sd));
    one->sd = sqrt(one->sd);
}

/* Points of a line of arms, the one nearest the best of which is the best itself. */
static size_t along_arms(const tool_state *s, double t, int64_t best, row *list) {
    const double step = (double)(s->n - 1) / (ROWS - 1);
    for (size_t i = 0; i < ROWS; i++) {
        const double at = step * (double)i;
        list[i].arm = fabs(at - (double)best) <= step / 2 ? best : (int64_t)(at + 0.5);
        tool_check(s, tvgp_domain_point(s->domain, list[i].arm, list[i].x));
        predict(s, t, &list[i]);
    }
    return ROWS;
}

/* On a box: coordinates one after the other, the rest as at the best point. */
static size_t through_best(const tool_state *s, double t, const double *best, row *list) {
    double lower[TOOL_DIM], upper[TOOL_DIM];
    const size_t each = s->dim == 1 ? ROWS : s->dim <= 4 ? ROWS / s->dim : 0;
    tool_check(s, tvgp_domain_bounds(s->domain, lower, upper));
    size_t n = 0;
    for (size_t d = 0; d < s->dim; d++)
        for (size_t i = 0; i < each; i++, n++) {
            list[n].arm = -1;
            memcpy(list[n].x, best, s->dim * sizeof *best);
            list[n].x[d] = lower[d] + (upper[d] - lower[d]) * (double)i / (double)(each - 1);
            predict(s, t, &list[n]);
        }
    if (!n) {
        list[n].arm = -1;
        memcpy(list[n].x, best, s->dim * sizeof *best);
        predict(s, t, &list[n++]);
    }
    return n;
}

static void add_bar(double low, double high, const row *r, int interval, tool_text *text) {
    char bar[BAR + 1];
    const double scale = high > low ? (BAR - 1) / (high - low) : 0;
    memset(bar, ' ', BAR);
    bar[BAR] = '\0';
    for (double at = r->mean - r->sd; at <= r->mean + r->sd && scale > 0 && interval; at += 0.5 / scale)
        bar[(size_t)((at - low) * scale + 0.5)] = '-';
    bar[(size_t)((r->mean - low) * scale + 0.5)] = 'o';
    tool_text_add(text, "|%s|", bar);
}

static void add_mean(const row *r, int interval, tool_text *text) {
    char about[2][32];
    tool_text_add(text, "%.11s", tool_text_rounded(r->mean, r->sd, about[0], sizeof about[0]));
    if (interval)
        tool_text_add(text, " +- %.9s", tool_text_rounded(r->sd, r->sd, about[1], sizeof about[1]));
}

static void add_rows(const tool_state *s, const row *list, size_t n, tool_text *text) {
    double low = INFINITY, high = -INFINITY;
    const int interval = !tool_state_unlearned(s);
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, list[i].mean - list[i].sd);
        high = fmax(high, list[i].mean + list[i].sd);
    }
    for (size_t i = 0; i < n; i++) {
        tool_text where = {0};
        if (s->name)
            tool_point_add(s, list[i].arm, list[i].x, " ", &where);
        for (size_t d = 0; d < s->dim && !s->name; d++)
            tool_text_add(&where, "%s%.4g", d ? " " : "", list[i].x[d]);
        tool_text_fit(text, where.at, LABEL, -1);
        tool_text_add(text, " ");
        add_bar(low, high, &list[i], interval, text);
        tool_text_add(text, " ");
        add_mean(&list[i], interval, text);
        tool_text_add(text, "\n");
        free(where.at);
    }
}

static void add_posterior(const tool_state *s, double t, tool_text *text) {
    row list[ROWS] = {{0}}, best = {0};
    const tvgp_status status = tvgp_policy_best(s->policy, t, &best.arm, best.x);
    if (status == TVGP_ERR_UNSUPPORTED) { /* it has no model */
        tool_text_add(text, "the policy has no model\n");
        return;
    }
    tool_check(s, status);
    predict(s, t, &best);
    tool_text_add(text, "best posterior mean at t = %.10g: ", t);
    tool_point_add(s, best.arm, best.x, " ", text);
    tool_text_add(text, ", ");
    add_mean(&best, !tool_state_unlearned(s), text);
    tool_text_add(text, "\n");
    const size_t n = !s->n                                    ? through_best(s, t, best.x, list)
                     : s->dim == 1 && !s->name && s->n > ROWS ? along_arms(s, t, best.arm, list)
                                                              : best_arms(s, t, list);
    add_rows(s, list, n, text);
}

/* ---- what is open ------------------------------------------------------------------------------------------------------------- */

static size_t read_open(const tool_state *s, tvgp_query **q, double **x) {
    size_t n;
    tool_check(s, tvgp_policy_pending(s->policy, 0, NULL, NULL, &n));
    *q = tool_alloc(n * sizeof **q);
    *x = tool_alloc(n * s->dim * sizeof **x);
    if (n)
        tool_check(s, tvgp_policy_pending(s->policy, n, *q, *x, &n));
    return n;
}

static void add_open(const tool_state *s, tool_text *text) {
    tvgp_query *q;
    double *x;
    const size_t n = read_open(s, &q, &x);
    for (size_t i = 0; i < n && i < OPEN; i++) {
        tool_text where = {0};
        tool_point_add(s, q[i].arm, x + i * s->dim, " ", &where);
        tool_text_add(text, "open: %lld, ", (long long)q[i].id);
        tool_text_fit(text, where.n ? where.at : "", 40, 0);
        tool_text_add(text, ", since t = %.10g", q[i].t);
        if (i + 1 == OPEN && n > OPEN)
            tool_text_add(text, ", and %zu more", n - OPEN);
        tool_text_add(text, "\n");
        free(where.at);
    }
    free(q);
    free(x);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

static void add_all(const tool_state *s, const tool_call *call, tool_text *text) {
    const char *name, *slash = strrchr(s->path, '/');
    tool_check(s, tvgp_policy_name(s->policy, &name));
    tool_text_fit(text, slash ? slash + 1 : s->path, 30, 0);
    tool_text_add(text, ": %s among ", name);
    tool_domain_add(s, text);
    tool_text_add(text, "\n");
    add_counts(s, text);
    add_options(s, text);
    add_log(s, text);
    add_learned(s, text);
    add_constraints(s, text);
    add_surprise(s, text);
    add_posterior(s, tool_state_look(s, call), text);
    add_open(s, text);
}

static void add_json_open(const tool_state *s, tool_text *text) {
    tvgp_query *q;
    double *x;
    const size_t n = read_open(s, &q, &x);
    tool_text_add(text, ",\"open\":[");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, "%s{", i ? "," : "");
        tool_text_whole(text, "id", q[i].id);
        tool_text_member(text, "t", q[i].t);
        tool_point_members(s, "", q[i].arm, x + i * s->dim, text);
        tool_text_add(text, "}");
    }
    tool_text_add(text, "]");
    free(q);
    free(x);
}

static void add_json_arms(const tool_state *s, double t, tool_text *text) {
    double *all = tool_alloc(2 * s->n * sizeof *all);
    if (s->n && tvgp_policy_predict(s->policy, t, s->n, NULL, all, all + s->n) == TVGP_OK) {
        for (size_t i = s->n; i < 2 * s->n; i++)
            all[i] = sqrt(all[i]);
        tool_text_list(text, "mean", s->n, all);
        tool_text_list(text, "sd", s->n, all + s->n);
    }
    free(all);
}

static void add_json(const tool_state *s, const tool_call *call, tool_text *text) {
    const char *name;
    tvgp_stat_info info;
    size_t n;
    const double t = tool_state_look(s, call);
    tool_check(s, tvgp_policy_name(s->policy, &name));
    tool_text_add(text, "{");
    tool_text_string(text, "policy", name);
    tool_text_member(text, "t", t);
    tool_text_add(text, ",\"stats\":{");
    tool_check(s, tvgp_policy_stat_count(s->policy, &n));
    for (size_t i = 0; i < n; i++) {
        tool_check(s, tvgp_policy_stat_info(s->policy, i, &info));
        tool_text_member(text, info.key, stat(s, info.key));
    }
    tool_text_add(text, "}");
    add_json_arms(s, t, text);
    add_json_open(s, text);
    tool_text_add(text, "}\n");
}

int tool_show(const tool_call *call) {
    tool_state s;
    tool_text text = {0};
    tool_state_open(&s, call->path, 0);
    if (call->json)
        add_json(&s, call, &text);
    else
        add_all(&s, call, &text);
    if (call->html && !call->json) {
        tool_text page = {0};
        tool_html(&s, tool_state_look(&s, call), &text, &page);
        free(text.at);
        text = page;
    } else if (!call->json) {
        tool_text_cut(&text, COLUMNS);
    }
    tool_text_print(&text);
    tool_state_close(&s);
    return 0;
}
