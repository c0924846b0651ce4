/* SPDX-License-Identifier: MIT */
/* observe: unsolicited observations, one on the command line or the rows of a CSV file. */
#include "tool.h"

#include "csv.h" /* of the examples */

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tells one outcome; the line of the log that says so. */
static tool_text observe(tool_state *s, const tool_call *call, double t, const double *x, tvgp_obs obs,
                         const double *outputs, size_t n) {
    tool_text line = tool_state_line(s, "observe");
    tool_text_member(&line, "y", obs.y);
    obs.flags |= TVGP_OBS_HAS_TIME;
    obs.t = t;
    tool_tell_values(s, call, obs, x, outputs, n, &line);
    tool_point_members(s, "", tool_point_arm(s, x), x, &line);
    return line;
}

/* Words of a point: its name, or its coordinates. */
static size_t words_of_point(const tool_state *s) {
    return s->name ? 1 : s->dim;
}

/* ---- a table --------------------------------------------------------------------------------------------------------------- */

/* Columns of a table. */
typedef struct columns {
    size_t time;                        /* none: as many as the table has */
    size_t point[TOOL_DIM], y, out[16]; /* coordinates or the name, the outcome, the outputs of constraints */
    size_t outputs;
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

/* The column of this name. */
static size_t named(const csv_table *table, const char *option, const char *name) {
    const size_t column = csv_table_column(table, name);
    if (column < table->columns)
        return column;
    tool_text all = {0};
    for (size_t c = 0; c < table->columns; c++)
        tool_text_add(&all, "%s%s", c ? ", " : "", table->name[c]);
    tool_exit(TOOL_REFUSED, "%s: line 1 has no column '%.40s' (--%s); there are %.400s", table->path, name, option, all.at);
}

/* Columns by --time, --action and --outcome; several names have commas between. */
static columns columns_named(const tool_state *s, const tool_call *call, const csv_table *table) {
    columns c = {.time = call->time ? named(table, "time", call->time) : table->columns};
    size_t points, outcomes;
    if (!call->action || !call->outcome)
        tool_exit(TOOL_USAGE, "observe: --action and --outcome belong together");
    char **point = tool_parts(call->action, ',', &points), **outcome = tool_parts(call->outcome, ',', &outcomes);
    if (points != words_of_point(s))
        tool_exit(TOOL_USAGE, "--action has %zu columns, must be %s", points,
                  s->name ? "one with names" : "the coordinates");
    if (outcomes > 1 + tool_state_limits(s))
        tool_exit(TOOL_USAGE, "--outcome has %zu columns: the outcome, and outputs of %zu constraints", outcomes,
                  tool_state_limits(s));
    for (size_t d = 0; d < points; d++)
        c.point[d] = named(table, "action", point[d]);
    c.y = named(table, "outcome", outcome[0]);
    c.outputs = outcomes - 1;
    for (size_t k = 0; k < c.outputs; k++)
        c.out[k] = named(table, "outcome", outcome[1 + k]);
    tool_parts_free(point, points);
    tool_parts_free(outcome, outcomes);
    return c;
}

static columns columns_of(const tool_state *s, const tool_call *call, const csv_table *table) {
    const size_t where = words_of_point(s), least = where + 1, most = least + tool_state_limits(s), n = table->columns;
    if (call->time || call->action || call->outcome)
        return columns_named(s, call, table);
    const size_t time = n > most || (n > least && csv_table_is_time(table, 0));
    if (n < least + time || n > most + time)
        tool_exit(TOOL_REFUSED,
                  "%s has %zu columns; needed are a time (may be left out), %s, the outcome, and outputs of at most %zu "
                  "constraints; --time COL --action COL --outcome COL choose by name",
                  table->path, n,
                  s->name      ? "a name"
                  : where == 1 ? "a coordinate"
                               : "the coordinates",
                  most - least);
    columns c = {.time = time ? 0 : n, .y = time + where, .outputs = n - time - least};
    for (size_t d = 0; d < where; d++)
        c.point[d] = time + d;
    for (size_t k = 0; k < c.outputs; k++)
        c.out[k] = c.y + 1 + k;
    return c;
}

static int by_time(const void *a, const void *b) {
    const row *one = a, *other = b;
    return one->t != other->t ? (one->t > other->t) - (one->t < other->t) : (one->at > other->at) - (one->at < other->at);
}

static const char *cell(const csv_table *table, size_t at, size_t column) {
    return table->cell[at * table->columns + column];
}

/* The unit of dates where a file counts steps: the longest of day, hour, minute and second that all are multiples of. */
static double unit_of(const row *list, size_t n) {
    static const double units[] = {86400, 3600, 60, 1};
    size_t u = 0;
    for (size_t i = 0; i < n; i++)
        while (u < 3 && fmod(list[i].t, units[u]) != 0)
            u++;
    return units[u];
}

/* The times of rows. Dates are seconds since 1970, or with clock=steps a number of days, hours, minutes or seconds. */
static void read_times(tool_state *s, csv_table *table, size_t column, row *list, size_t n) {
    size_t dates = 0;
    for (size_t i = 0; i < n; i++) {
        int is_date;
        if (csv_table_time(table, list[i].at, column, &list[i].t, &is_date))
            refuse(table);
        dates += is_date ? 1 : 0;
        if (dates && dates <= i)
            tool_exit(TOOL_REFUSED, "%s: line %zu, column %zu (%.40s): '%.40s': dates and numbers are mixed", table->path,
                      table->line[list[i].at], column + 1, table->name[column], cell(table, list[i].at, column));
    }
    const double unit = dates && s->clock == TOOL_STEPS ? unit_of(list, n) : 1;
    for (size_t i = 0; i < n; i++)
        list[i].t /= unit;
    if (dates)
        tool_text_add(&s->said, " (dates: %s since 1970)",
                      unit == 86400  ? "days"
                      : unit == 3600 ? "hours"
                      : unit == 60   ? "minutes"
                                     : "seconds");
}

/* Rows that have an outcome, in the order of their times; how many. Without a column of times each is one step later than the one
 * before. */
static size_t rows_of(tool_state *s, const tool_call *call, csv_table *table, const columns *c, row *list) {
    const int timed = c->time < table->columns;
    size_t n = 0;
    if (!timed && s->clock == TOOL_SECONDS)
        tool_exit(TOOL_REFUSED,
                  "%s: with clock=seconds its first column must be the time, in seconds since 1970 or as a date",
                  table->path);
    for (size_t i = 0; i < table->rows; i++)
        if (*cell(table, i, c->y))
            list[n++].at = i;
    if (!n)
        tool_exit(TOOL_REFUSED, "%s: line %zu, column %zu (%.40s): no row has an outcome", table->path, table->line[0],
                  c->y + 1, table->name[c->y]);
    for (size_t i = 0; i < n && !timed; i++)
        list[i].t = tool_state_time(s, call) + (double)i;
    if (timed)
        read_times(s, table, c->time, list, n);
    qsort(list, n, sizeof *list, by_time);
    return n;
}

/* Tells the outcome of a row. A refusal names the line of the file. */
static tool_text observe_row(tool_state *s, const tool_call *call, csv_table *table, const columns *c, const row *r) {
    double x[TOOL_DIM], *outputs = tool_alloc(c->outputs * sizeof *outputs);
    const double y = number(table, r->at, c->y);
    for (size_t k = 0; k < c->outputs; k++)
        outputs[k] = number(table, r->at, c->out[k]);
    for (size_t d = 0; d < s->dim && !s->name; d++)
        x[d] = number(table, r->at, c->point[d]);
    tool_exit_at(table->path, table->line[r->at]);
    if (c->time < table->columns && s->max_step > 0)
        tool_state_check_time(s, r->t);
    if (s->name)
        tool_point_read(s, &table->cell[r->at * table->columns + c->point[0]], 1, x);
    tool_text line = observe(s, call, r->t, x, tvgp_obs_value(0, y), outputs, c->outputs);
    tool_exit_at(NULL, 0);
    free(outputs);
    return line;
}

/* A column and the span of its numbers: "price 5 .. 25". */
static void add_span(csv_table *table, const row *list, size_t n, size_t column, const char *before, tool_text *text) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, number(table, list[i].at, column));
        high = fmax(high, number(table, list[i].at, column));
    }
    tool_text_add(text, "%s'%.40s' %.10g .. %.10g", before, table->name[column], low, high);
}

/* Says how the table was understood; `dates` is what the times said. */
static void say(tool_state *s, csv_table *table, const columns *c, const row *list, size_t n, const char *dates) {
    tool_text_add(&s->said, "%s: %zu observations", table->path, n);
    if (n < table->rows)
        tool_text_add(&s->said, "; %zu rows without an outcome left out", table->rows - n);
    if (c->time < table->columns)
        tool_text_add(&s->said, "; time '%.40s' %.10g .. %.10g%s", table->name[c->time], list[0].t, list[n - 1].t, dates);
    for (size_t d = 0; d < words_of_point(s); d++)
        if (s->name)
            tool_text_add(&s->said, "; tried '%.40s'", table->name[c->point[d]]);
        else
            add_span(table, list, n, c->point[d], d ? ", " : "; tried ", &s->said);
    add_span(table, list, n, c->y, "; outcome ", &s->said);
    for (size_t k = 0; k < c->outputs; k++)
        add_span(table, list, n, c->out[k], k ? ", " : "; outputs ", &s->said);
}

static int observe_table(tool_state *s, const tool_call *call) {
    csv_table table;
    tool_text line = {0};
    if (call->words != 1 || call->t_given)
        tool_exit(TOOL_USAGE, "observe: --csv takes one file, which has the points, the outcomes and the times");
    if (csv_table_read(call->word[0], &table))
        refuse(&table);
    const columns c = columns_of(s, call, &table);
    row *list = tool_alloc(table.rows * sizeof *list);
    const size_t n = rows_of(s, call, &table, &c, list);
    tool_text dates = s->said;
    s->said = (tool_text){0};
    for (size_t i = 0; i < n; i++) {
        if (i)
            tool_state_more(s, &line);
        line = observe_row(s, call, &table, &c, &list[i]);
    }
    say(s, &table, &c, list, n, dates.at ? dates.at : "");
    free(dates.at);
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
