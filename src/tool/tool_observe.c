/* SPDX-License-Identifier: MIT */
/* observe: unsolicited observations, one on the command line or the rows of a CSV file. */
#include "tool.h"

#include "csv.h" /* of the examples */

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Tells one outcome; the line of the log that says so. */
static tool_text observe(tool_state *s, const tool_call *call, double t, const double *x, tvgp_obs obs,
                         const double *outputs, size_t n) {
    tool_text line = tool_state_line(s, "observe");
    tool_text_member(&line, "y", obs.y);
    obs.flags |= TVGP_OBS_HAS_TIME;
    obs.t = t;
    tool_tell_values(s, call, obs, x, outputs, n, &line);
    tool_point_members(s, "", arm_at(s, x), x, &line);
    return line;
}

/* Words of a point: its name, or its coordinates. */
static size_t words_of_point(const tool_state *s) {
    return s->name ? 1 : s->dim;
}

/* ---- a table --------------------------------------------------------------------------------------------------------------- */

/* Its columns: a time or none, a point, the outcome, outputs of limits. */
typedef struct columns {
    size_t point, y, outputs; /* where the point begins, the outcome, and how many outputs */
} columns;

typedef struct row {
    double t;
    size_t at;
} row;

static void refuse(const csv_table *table) {
    tool_exit(TOOL_REFUSED, "%s", table->error);
}

static double number(csv_table *table, size_t at, size_t column) {
    double value;
    if (csv_table_number(table, at, column, &value))
        refuse(table);
    return value;
}

static columns columns_of(const tool_state *s, const csv_table *table) {
    const size_t where = words_of_point(s), least = where + 1, most = least + tool_state_limits(s), n = table->columns;
    const size_t time = n > most || (n > least && csv_table_is_time(table, 0));
    if (n < least + time || n > most + time)
        tool_exit(TOOL_REFUSED,
                  "%s has %zu columns; needed are a time (may be left out), %s, the outcome, and outputs of at most %zu "
                  "constraints",
                  table->path, n,
                  s->name      ? "a name"
                  : where == 1 ? "a coordinate"
                               : "the coordinates",
                  most - least);
    return (columns){.point = time, .y = time + where, .outputs = n - time - least};
}

static int by_time(const void *a, const void *b) {
    const row *one = a, *other = b;
    return one->t != other->t ? (one->t > other->t) - (one->t < other->t) : (one->at > other->at) - (one->at < other->at);
}

/* Rows in the order of their times. Without a column of times each is one step later than the one before. */
static row *rows_of(const tool_state *s, const tool_call *call, csv_table *table, const columns *c) {
    row *list = tool_alloc(table->rows * sizeof *list);
    if (!c->point && s->clock == TOOL_SECONDS)
        tool_exit(TOOL_REFUSED, "%s: with clock=seconds its first column must be the time, in seconds since 1970",
                  table->path);
    for (size_t i = 0; i < table->rows; i++)
        list[i] = (row){.t = c->point ? number(table, i, 0) : tool_state_time(s, call) + (double)i, .at = i};
    qsort(list, table->rows, sizeof *list, by_time);
    return list;
}

/* Tells the outcome of a row. What is refused is refused with the line of the file. */
static tool_text observe_row(tool_state *s, const tool_call *call, csv_table *table, const columns *c, const row *r) {
    double x[TOOL_DIM], *outputs = tool_alloc(c->outputs * sizeof *outputs);
    const double y = number(table, r->at, c->y);
    for (size_t k = 0; k < c->outputs; k++)
        outputs[k] = number(table, r->at, c->y + 1 + k);
    for (size_t d = 0; d < s->dim && !s->name; d++)
        x[d] = number(table, r->at, c->point + d);
    tool_exit_at(table->path, table->line[r->at]);
    if (c->point && s->max_step > 0)
        tool_state_check_time(s, r->t);
    if (s->name)
        tool_point_read(s, &table->cell[r->at * table->columns + c->point], 1, x);
    tool_text line = observe(s, call, r->t, x, tvgp_obs_value(0, y), outputs, c->outputs);
    tool_exit_at(NULL, 0);
    free(outputs);
    return line;
}

/* A column and the span of its numbers: "price 5 .. 25". */
static void add_span(csv_table *table, size_t column, const char *before, tool_text *text) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < table->rows; i++) {
        low = fmin(low, number(table, i, column));
        high = fmax(high, number(table, i, column));
    }
    tool_text_add(text, "%s'%.40s' %.10g .. %.10g", before, table->name[column], low, high);
}

/* Says how the table was understood. */
static void say(tool_state *s, csv_table *table, const columns *c) {
    tool_text_add(&s->said, "%s: %zu observations", table->path, table->rows);
    if (c->point)
        add_span(table, 0, "; time ", &s->said);
    for (size_t column = c->point; column < c->y; column++)
        if (s->name)
            tool_text_add(&s->said, "; tried '%.40s'", table->name[column]);
        else
            add_span(table, column, column > c->point ? ", " : "; tried ", &s->said);
    add_span(table, c->y, "; outcome ", &s->said);
    for (size_t k = 0; k < c->outputs; k++)
        add_span(table, c->y + 1 + k, k ? ", " : "; outputs ", &s->said);
}

static int observe_table(tool_state *s, const tool_call *call) {
    csv_table table;
    tool_text line = {0};
    if (call->words != 1 || call->t_given)
        tool_exit(TOOL_USAGE, "observe: --csv takes one file, which has the points, the outcomes and the times");
    if (csv_table_read(call->word[0], &table))
        refuse(&table);
    const columns c = columns_of(s, &table);
    row *list = rows_of(s, call, &table, &c);
    for (size_t i = 0; i < table.rows; i++) {
        if (i)
            tool_state_more(s, &line);
        line = observe_row(s, call, &table, &c, &list[i]);
    }
    say(s, &table, &c);
    tool_text_string(&line, "understood", s->said.at);
    free(list);
    csv_table_free(&table);
    return tool_state_finish(s, call, &line);
}

/* ---- the command -------------------------------------------------------------------------------------------------------------- */

int tool_observe(const tool_call *call) {
    tool_state s;
    double x[TOOL_DIM];
    tool_state_open(&s, call->path, 1);
    if (call->csv)
        return observe_table(&s, call);
    const size_t where = words_of_point(&s), limits = tool_state_limits(&s); /* behind the point: outcome, outputs */
    if (call->words <= where || call->words > where + 1 + limits)
        tool_exit(TOOL_USAGE, "observe: %zu words; a name or %zu coordinates, the outcome, outputs of %zu constraints",
                  call->words, s.dim, limits);
    const size_t n = call->words - where - 1;
    double *outputs = tool_alloc(n * sizeof *outputs);
    tool_point_read(&s, call->word, where, x);
    for (size_t k = 0; k < n; k++)
        outputs[k] = tool_value(call->word[where + 1 + k]);
    tool_text line = observe(&s, call, tool_state_time(&s, call), x, tool_outcome(0, call->word[where]), outputs, n);
    free(outputs);
    return tool_state_finish(&s, call, &line);
}
