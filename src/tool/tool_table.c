/* SPDX-License-Identifier: MIT */
/* Tables from CSV files: historical data as times x options, and the candidates of a request. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include "tool.h"

#include "csv.h" /* of the examples, as replay reads it */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A file that is malformed ends the program. */
static void check(const csv_table *table, int status) {
    if (status)
        tool_exit(TOOL_REFUSED, "%s", table->error);
}

static csv_table read_table(const char *path) {
    csv_table table;
    check(&table, csv_table_read(path, &table));
    return table;
}

/* ---- a log -------------------------------------------------------------------------------------------------------------- */

struct tool_log {
    const char *path;
    char *time; /* the name of the column of times; NULL: there is none */
    readings table;
};

static char *copy_of(const char *text) {
    char *copy = tool_alloc(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

tool_log *tool_table_read(const char *path) {
    csv_table table = read_table(path);
    tool_log *log = tool_alloc(sizeof *log);
    log->path = path;
    check(&table, csv_table_readings(&table, &log->table));
    log->time = log->table.n_arms < table.columns ? copy_of(table.name[0]) : NULL;
    for (size_t a = 0; a < log->table.n_arms; a++) /* names of arms have no blanks */
        for (char *c = log->table.names[a]; *c; c++)
            *c = *c == ' ' ? '_' : *c;
    csv_table_free(&table);
    return log;
}

void tool_table_free(tool_log *log) {
    if (log)
        readings_free(&log->table), free(log->time);
    free(log);
}

/* Columns whose names the caller did not give are options, which an outcome is not. */
static void check_options(const tool_log *log) {
    static const char *const outcomes[] = {"y",       "outcome", "reward",    "profit",  "cost",  "loss",
                                           "revenue", "payoff",  "score",     "result",  "value", "answer",
                                           "regret",  "target",  "objective", "response"};
    for (size_t a = 0; a < log->table.n_arms; a++)
        for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
            if (strcasecmp(log->table.names[a], outcomes[i]) == 0)
                tool_exit(TOOL_REFUSED,
                          "%s: column '%s' is the name of an outcome, and history= takes a column for each option; for a "
                          "table of time, "
                          "action and outcome use: tvgp observe FILE --csv %s",
                          log->path, log->table.names[a], log->path);
}

char *tool_table_header(const tool_log *log) {
    tool_text names = {0};
    check_options(log);
    for (size_t a = 0; a < log->table.n_arms; a++)
        tool_text_add(&names, "%s%s", a ? "," : "", log->table.names[a]);
    return names.at;
}

/* Column of each arm: by its name where arms have names. */
static size_t *columns_of(const tool_state *s, const tool_log *log) {
    const size_t n = log->table.n_arms;
    size_t *column = tool_alloc(s->n * sizeof *column);
    tool_name *sorted = tool_names_sort(log->table.names, n);
    for (size_t arm = 0; arm < s->n; arm++) {
        column[arm] = s->name ? tool_names_find(sorted, n, s->name[arm]) : arm;
        if (column[arm] >= n)
            tool_exit(TOOL_REFUSED, "%s has no column '%.40s'", log->path, s->name[arm]);
    }
    free(sorted);
    return column;
}

/* Says how the table was understood. */
static void say(tool_state *s, const tool_log *log, const size_t *column, size_t values) {
    enum { LISTED = 8 };
    tool_text_add(&s->said, "%s: %zu rows x %zu options (", log->path, log->table.n_times, s->n);
    for (size_t arm = 0; arm < s->n && arm < LISTED; arm++)
        tool_text_add(&s->said, "%s%.40s", arm ? ", " : "", log->table.names[column[arm]]);
    tool_text_add(&s->said, "%s), %zu values", s->n > LISTED ? ", .." : "", values);
    if (values < log->table.n_times * s->n)
        tool_text_add(&s->said, ", %zu cells empty", log->table.n_times * s->n - values);
    if (log->time)
        tool_text_add(&s->said, "; '%.40s' is the time", log->time);
    if (log->table.n_arms > s->n)
        tool_text_add(&s->said, "; %zu columns not used", log->table.n_arms - s->n);
}

static void check_domain(const tool_state *s, const tool_log *log) {
    if (s->clock == TOOL_SECONDS)
        tool_exit(TOOL_REFUSED, "%s: a row is a step, and this file has clock=seconds", log->path);
    if (!s->n)
        tool_exit(TOOL_REFUSED, "%s: a table has a column for each arm, and a box has no arms", log->path);
    if (!s->name)
        check_options(log);
    if (!s->name && log->table.n_arms != s->n)
        tool_exit(TOOL_REFUSED, "%s has %zu columns of values, and there are %zu arms", log->path, log->table.n_arms, s->n);
}

void tool_table_learn(tool_state *s, const tool_log *log) {
    const double newest = tool_state_newest(s);
    const size_t rows = log->table.n_times;
    size_t values = 0;
    check_domain(s, log);
    size_t *column = columns_of(s, log);
    double *value = tool_alloc(rows * s->n * sizeof *value), *t = tool_alloc(rows * sizeof *t);
    for (size_t i = 0; i < rows; i++) {
        t[i] = newest - (double)(rows - 1 - i);
        for (size_t arm = 0; arm < s->n; arm++) {
            value[i * s->n + arm] = log->table.value[i * log->table.n_arms + column[arm]];
            values += isfinite(value[i * s->n + arm]) ? 1 : 0;
        }
    }
    tool_check(s, tvgp_policy_learn_history_table(s->policy, rows, isfinite(newest) ? t : NULL, value));
    say(s, log, column, values);
    free(column);
    free(value);
    free(t);
}

int tool_learn(const tool_call *call) {
    tool_state s;
    tool_log *log = tool_table_read(call->word[0]);
    tool_state_open(&s, call->path, 1);
    tool_table_learn(&s, log);
    tool_text line = tool_state_line(&s, "learn");
    tool_text_string(&line, "history", call->word[0]);
    tool_text_string(&line, "understood", s.said.at);
    tool_table_free(log);
    return tool_state_finish(&s, call, &line);
}

/* ---- candidates ----------------------------------------------------------------------------------------------------------- */

/* Columns `name` and `mean` may be left out; all others are coordinates, in their order. */
static void check_head(const tool_state *s, const csv_table *table, int named, int means) {
    double number;
    for (size_t c = 0; c < table->columns; c++)
        if (tool_number(table->name[c], &number))
            tool_exit(TOOL_REFUSED, "%s: line 1, column %zu: \"%.40s\" is a number; expected a line of names", table->path,
                      c + 1, table->name[c]);
    if (table->columns != s->dim + (size_t)named + (size_t)means)
        tool_exit(TOOL_REFUSED, "%s: columns are name, mean (both may be left out) and %zu coordinates; there are %zu",
                  table->path, s->dim, table->columns);
}

/* The candidate in a row; its label is to be freed, NULL: it has none. */
static char *read_candidate(csv_table *table, size_t row, size_t name, size_t prior, double *x, double *mean) {
    for (size_t c = 0; c < table->columns; c++)
        if (c != name)
            check(table, csv_table_number(table, row, c, c == prior ? mean : x++));
    return name < table->columns ? copy_of(table->cell[row * table->columns + name]) : NULL;
}

char **tool_table_among(tool_state *s, const char *path, size_t *n) {
    csv_table table = read_table(path);
    const size_t name = csv_table_column(&table, "name"), prior = csv_table_column(&table, "mean");
    const int named = name < table.columns, means = prior < table.columns;
    check_head(s, &table, named, means);
    *n = table.rows;
    double *X = tool_alloc(*n * s->dim * sizeof *X), *mean = tool_alloc(*n * sizeof *mean);
    char **label = tool_alloc(*n * sizeof *label);
    for (size_t i = 0; i < *n; i++)
        label[i] = read_candidate(&table, i, name, prior, X + i * s->dim, &mean[i]);
    tool_check(s, tvgp_policy_set_candidates(s->policy, *n, X, means ? mean : NULL));
    csv_table_free(&table);
    free(X);
    free(mean);
    if (named)
        return label;
    free(label);
    return NULL;
}
