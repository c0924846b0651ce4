/* SPDX-License-Identifier: MIT */
/* show --html: one page with the text of show, and the posterior and the run as pictures. It needs no script and no
 * other file. */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 800, HEIGHT = 260, LEFT = 80, RIGHT = 20, TOP = 30, BOTTOM = 30 };
enum { POINTS = 101, BARS = 60, CURVES = 4, ASKED = 1000 };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>tvgp</title><style>\n"
    ":root{color-scheme:light dark;--ink:#222;--paper:#fff;--faint:#ccc;--mean:#0b62a4;--outcome:#b3541e}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--paper:#16181b;--faint:#444;--mean:#6cb4ee;--outcome:#f0955c}}\n"
    "body{font:15px/1.5 sans-serif;color:var(--ink);background:var(--paper);max-width:800px;margin:0 auto;padding:8px}\n"
    "svg{width:100%;display:block}text{font:12px sans-serif;fill:var(--ink)}pre{overflow-x:auto}\n"
    ".axis{stroke:var(--faint)}.mean{fill:none;stroke:var(--mean);stroke-width:2}.band{fill:var(--mean);opacity:.2}\n"
    ".best{fill:none;stroke:var(--ink);stroke-dasharray:5 "
    "4}.outcome{fill:var(--outcome)}.seen{fill:none;stroke:var(--outcome);opacity:.7}\n"
    "</style></head><body>\n";

static void add_escaped(const char *words, tool_text *page) {
    for (; *words; words++)
        if (strchr("<>&\"", *words))
            tool_text_add(page, "&#%d;", *words);
        else
            tool_text_add(page, "%c", *words);
}

/* ---- one picture ----------------------------------------------------------------------------------------------------------- */

/* Its axes: the smallest and the largest value of either. */
typedef struct axes {
    double x[2], y[2];
} axes;

static void widen(double *span, double value) {
    if (isfinite(value)) {
        span[0] = fmin(span[0], value);
        span[1] = fmax(span[1], value);
    }
}

static double share(const double *span, double value) {
    return span[1] > span[0] ? (value - span[0]) / (span[1] - span[0]) : 0.5;
}

static double across(const axes *a, double x) {
    return LEFT + share(a->x, x) * (WIDTH - LEFT - RIGHT);
}

static double up(const axes *a, double y) {
    return HEIGHT - BOTTOM - share(a->y, y) * (HEIGHT - TOP - BOTTOM);
}

static void add_frame(const axes *a, const char *title, tool_text *page) {
    tool_text_add(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title>\n", WIDTH, HEIGHT, title);
    tool_text_add(page, "<text x=\"%d\" y=\"18\">%s</text>\n", LEFT, title);
    const int many = a->x[0] < a->x[1], high = a->y[0] < a->y[1]; /* a span of nothing has one label */
    for (int i = 0; i <= high; i++) {
        tool_text_add(page, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - RIGHT,
                      up(a, a->y[i]), up(a, a->y[i]));
        tool_text_add(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6, up(a, a->y[i]) + 4,
                      a->y[i]);
    }
    for (int i = 0; i <= many; i++)
        tool_text_add(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.10g</text>\n", across(a, a->x[i]), HEIGHT - 10,
                      !many ? "middle"
                      : i   ? "end"
                            : "start",
                      a->x[i]);
}

/* A line through the points that are numbers. */
static void add_line(const axes *a, const char *kind, size_t n, const double *x, const double *y, tool_text *page) {
    const char *step = "M";
    tool_text_add(page, "<path class=\"%s\" d=\"", kind);
    for (size_t i = 0; i < n; i++)
        if (isfinite(y[i])) {
            tool_text_add(page, "%s%.1f %.1f", step, across(a, x[i]), up(a, y[i]));
            step = "L";
        }
    tool_text_add(page, "\"/>\n");
}

static void add_dots(const axes *a, size_t n, const double *x, const double *y, tool_text *page) {
    for (size_t i = 0; i < n; i++)
        if (isfinite(y[i]))
            tool_text_add(page, "<circle class=\"outcome\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", across(a, x[i]),
                          up(a, y[i]));
}

/* An observation; outside the span of x it is left out. */
static void add_ring(const axes *a, double x, double y, tool_text *page) {
    if (isfinite(y) && x >= a->x[0] && x <= a->x[1])
        tool_text_add(page, "<circle class=\"seen\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", across(a, x), up(a, y));
}

/* ---- posterior
 * ------------------------------------------------------------------------------------------------------------- */

/* Observations by the log, the newest that there is room for: where and what; in x the arm of names and listed points. */
typedef struct observed {
    size_t n;
    double y[ASKED], x[ASKED][CURVES], id[ASKED];
} observed;

typedef struct curve {
    double x[POINTS], mean[POINTS], low[POINTS], high[POINTS];
    size_t n;
    int bare; /* no band: the hyperparameters are not learned yet */
} curve;

static void add_curve(const curve *c, const observed *seen, size_t d, const char *title, int bars, tool_text *page) {
    axes a = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    double around[2 * POINTS], edge[2 * POINTS];
    for (size_t i = 0; i < c->n; i++) {
        widen(a.x, c->x[i]);
        widen(a.y, c->low[i]);
        widen(a.y, c->high[i]);
        around[i] = around[2 * c->n - 1 - i] = c->x[i];
        edge[i] = c->high[i];
        edge[2 * c->n - 1 - i] = c->low[i];
    }
    for (size_t i = 0; i < seen->n; i++)
        widen(a.y, seen->y[i]);
    add_frame(&a, title, page);
    for (size_t i = 0; bars && !c->bare && i < c->n; i++)
        add_line(&a, "mean", 2, (const double[]){c->x[i], c->x[i]}, (const double[]){c->low[i], c->high[i]}, page);
    if (bars)
        add_dots(&a, c->n, c->x, c->mean, page);
    if (!bars && !c->bare)
        add_line(&a, "band", 2 * c->n, around, edge, page);
    if (!bars)
        add_line(&a, "mean", c->n, c->x, c->mean, page);
    for (size_t i = 0; i < seen->n; i++)
        add_ring(&a, seen->x[i][d], seen->y[i], page);
    tool_text_add(page, "</svg>\n");
}

/* A curve without points. */
static curve *new_curve(const tool_state *s) {
    curve *c = tool_alloc(sizeof *c);
    c->bare = tool_state_unlearned(s);
    return c;
}

/* Mean and band at point i, of which c has the position. */
static int predict_on(const tool_state *s, double t, const double *x, curve *c) {
    double mean, var;
    if (tvgp_policy_predict(s->policy, t, 1, x, &mean, &var) != TVGP_OK)
        return 0;
    const double band = c->bare ? 0 : 2 * sqrt(var);
    c->mean[c->n] = mean;
    c->low[c->n] = mean - band;
    c->high[c->n++] = mean + band;
    return 1;
}

static void add_arms(const tool_state *s, double t, const observed *seen, tool_text *page) {
    double x[TOOL_DIM];
    curve *c = new_curve(s);
    for (size_t arm = 0; arm < s->n && arm < BARS; arm++) {
        tool_check(s, tvgp_domain_point(s->domain, (int64_t)arm, x));
        c->x[arm] = (double)arm;
        if (!predict_on(s, t, x, c))
            break;
    }
    if (c->n)
        add_curve(c, seen, 0,
                  c->bare ? "each arm, by number: posterior mean, not learned yet; rings: observations"
                          : "each arm, by number: posterior mean, two standard deviations; rings: observations",
                  1, page);
    free(c);
}

/* Along coordinate d, the others as at x. */
static void add_along(const tool_state *s, double t, size_t d, const double *span, double *x, const observed *seen,
                      tool_text *page) {
    static const char *const title[CURVES] = {
        "along the first coordinate: posterior mean, two standard deviations; rings: observations",
        "along the second coordinate", "along the third coordinate", "along the fourth coordinate"};
    curve *c = new_curve(s);
    for (size_t i = 0; i < POINTS; i++) {
        x[d] = c->x[i] = span[0] + (span[1] - span[0]) * (double)i / (POINTS - 1);
        if (!predict_on(s, t, x, c))
            break;
    }
    if (c->n == POINTS)
        add_curve(c, seen, d,
                  c->bare && !d ? "along the first coordinate: posterior mean, not learned yet; rings: observations"
                                : title[d],
                  0, page);
    free(c);
}

/* Along each coordinate through the point with the best posterior mean. */
static void add_curves(const tool_state *s, double t, const double *best, const observed *seen, tool_text *page) {
    double lower[TOOL_DIM], upper[TOOL_DIM], x[TOOL_DIM];
    tool_check(s, tvgp_domain_bounds(s->domain, lower, upper));
    for (size_t d = 0; d < s->dim && d < CURVES; d++) {
        memcpy(x, best, s->dim * sizeof *x);
        add_along(s, t, d, (const double[]){lower[d], upper[d]}, x, seen, page);
    }
}

static double number(const char *line, const char *key) {
    double value;
    return tool_line_number(line, key, &value) ? value : NAN;
}

static void take_point(const char *line, int along, observed *seen) {
    const size_t i = seen->n++ % ASKED; /* the oldest makes way */
    double x[TOOL_DIM];
    const size_t n = tool_line_list(line, "x", TOOL_DIM, x);
    for (size_t d = 0; d < CURVES; d++)
        seen->x[i][d] = along && d < n ? x[d] : number(line, "arm");
    seen->id[i] = number(line, "id");
    seen->y[i] = number(line, "y"); /* NaN of a query, until it is answered */
}

/* Queries with their outcomes, and what was not asked for. */
static void read_observed(const tool_state *s, int along, observed *seen) {
    char **line, call[16];
    const size_t lines = tool_state_log(s, &line);
    for (size_t i = 0; i < lines; i++) {
        if (!tool_line_text(line[i], "call", call, sizeof call))
            continue;
        if (strcmp(call, "ask") == 0 || strcmp(call, "observe") == 0)
            take_point(line[i], along, seen);
        else if (strcmp(call, "tell") == 0)
            for (size_t k = 0; k < seen->n && k < ASKED; k++)
                if (seen->id[k] == number(line[i], "id") && isfinite(number(line[i], "y")))
                    seen->y[k] = number(line[i], "y");
    }
    seen->n = seen->n < ASKED ? seen->n : ASKED;
    free(line);
}

static void add_posterior(const tool_state *s, double t, tool_text *page) {
    double best[TOOL_DIM];
    const char *type;
    int64_t arm;
    if (tvgp_policy_best(s->policy, t, &arm, best) != TVGP_OK)
        return;
    tool_check(s, tvgp_domain_type_name(s->domain, &type));
    const int along = strcmp(type, "grid") == 0 || strcmp(type, "box") == 0;
    observed *seen = tool_alloc(sizeof *seen);
    read_observed(s, along, seen);
    if (along)
        add_curves(s, t, best, seen, page);
    else
        add_arms(s, t, seen, page);
    free(seen);
}

/* ---- how it went ------------------------------------------------------------------------------------------------------------ */

/* Asks in the log, oldest first: time, action (the first coordinate, of names the number), outcome, and the best by the
 * posterior mean. */
typedef struct asks {
    size_t n;
    double id[ASKED], t[ASKED], x[ASKED], y[ASKED], best[ASKED], best_mean[ASKED];
} asks;

static double position(const tool_state *s, const char *line, const char *list, const char *arm) {
    double x[TOOL_DIM];
    return !s->name && tool_line_list(line, list, TOOL_DIM, x) ? x[0] : number(line, arm);
}

static void take_ask(const tool_state *s, const char *line, asks *a) {
    const size_t i = a->n++;
    a->id[i] = number(line, "id");
    a->t[i] = number(line, "t");
    a->x[i] = position(s, line, "x", "arm");
    a->best[i] = position(s, line, "best_x", "best_arm");
    a->best_mean[i] = number(line, "best_mean");
    a->y[i] = NAN;
}

static void take_answer(const char *line, asks *a) {
    const double id = number(line, "id");
    for (size_t i = a->n; i-- > 0;)
        if (a->id[i] == id) {
            a->y[i] = number(line, "y");
            return;
        }
}

/* The newest asks that there is room for. */
static void read_asks(const tool_state *s, asks *a) {
    char **line, call[16];
    const size_t lines = tool_state_log(s, &line);
    size_t left = 0;
    for (size_t i = 0; i < lines; i++)
        left += tool_line_text(line[i], "call", call, sizeof call) && strcmp(call, "ask") == 0;
    for (size_t i = 0; i < lines; i++) {
        if (!tool_line_text(line[i], "call", call, sizeof call))
            continue;
        if (strcmp(call, "ask") == 0 && left-- <= ASKED)
            take_ask(s, line[i], a);
        else if (strcmp(call, "tell") == 0)
            take_answer(line[i], a);
    }
    free(line);
}

static void add_panel(const asks *a, const double *dots, const double *best, const char *title, tool_text *page) {
    axes at = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (size_t i = 0; i < a->n; i++) {
        widen(at.x, a->t[i]);
        widen(at.y, dots[i]);
        widen(at.y, best[i]);
    }
    if (at.x[0] > at.x[1] || at.y[0] > at.y[1])
        return;
    add_frame(&at, title, page);
    add_line(&at, "best", a->n, a->t, best, page);
    add_dots(&at, a->n, a->t, dots, page);
    tool_text_add(page, "</svg>\n");
}

static void add_run(const tool_state *s, tool_text *page) {
    asks *a = tool_alloc(sizeof *a);
    read_asks(s, a);
    add_panel(a, a->x, a->best, "queries over time; line: best posterior mean", page);
    add_panel(a, a->y, a->best_mean, "outcomes; line: mean of the best action", page);
    free(a);
}

void tool_html(const tool_state *s, double t, const tool_text *shown, tool_text *page) {
    tool_text_add(page, "%s<pre>", head);
    add_escaped(shown->at ? shown->at : "", page);
    tool_text_add(page, "</pre>\n");
    add_posterior(s, t, page);
    add_run(s, page);
    tool_text_add(page, "</body></html>\n");
}
