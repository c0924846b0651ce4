/* SPDX-License-Identifier: MIT */
/* Tables from CSV files: a log of times x options, and the candidates of a request. */
#include "tool.h"

#include "csv.h" /* of the examples, as replay reads it */

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static readings *read_log(const char *path) {
    csv_table table = read_table(path);
    readings *log = tool_alloc(sizeof *log);
    check(&table, csv_table_readings(&table, log));
    for (size_t a = 0; a < log->n_arms; a++) /* names of arms have no blanks */
        for (char *c = log->names[a]; *c; c++)
            *c = *c == ' ' ? '_' : *c;
    csv_table_free(&table);
    return log;
}

static void free_log(readings *log) {
    readings_free(log);
    free(log);
}

char *tool_table_header(const char *path) {
    readings *log = read_log(path);
    tool_text names = {0};
    for (size_t a = 0; a < log->n_arms; a++)
        tool_text_add(&names, "%s%s", a ? "," : "", log->names[a]);
    free_log(log);
    return names.at;
}

/* Column of each arm: by its name where arms have names. */
static size_t *columns_of(const tool_state *s, const readings *log, const char *path) {
    size_t *column = tool_alloc(s->n * sizeof *column);
    tool_name *sorted = tool_names_sort(log->names, log->n_arms);
    for (size_t arm = 0; arm < s->n; arm++) {
        column[arm] = s->name ? tool_names_find(sorted, log->n_arms, s->name[arm]) : arm;
        if (column[arm] >= log->n_arms)
            tool_exit(TOOL_REFUSED, "%s has no column '%.40s'", path, s->name[arm]);
    }
    free(sorted);
    return column;
}

void tool_table_learn(tool_state *s, const char *path) {
    const double newest = tool_state_newest(s);
    if (s->clock == TOOL_SECONDS)
        tool_exit(TOOL_REFUSED, "%s: a row is a step, and this file has clock=seconds", path);
    if (!s->n)
        tool_exit(TOOL_REFUSED, "%s: a table has a column for each arm, and a box has no arms", path);
    readings *log = read_log(path);
    if (!s->name && log->n_arms != s->n)
        tool_exit(TOOL_REFUSED, "%s has %zu columns of values, and there are %zu arms", path, log->n_arms, s->n);
    size_t *column = columns_of(s, log, path);
    double *value = tool_alloc(log->n_times * s->n * sizeof *value), *t = tool_alloc(log->n_times * sizeof *t);
    for (size_t i = 0; i < log->n_times; i++) {
        t[i] = newest - (double)(log->n_times - 1 - i);
        for (size_t arm = 0; arm < s->n; arm++)
            value[i * s->n + arm] = log->value[i * log->n_arms + column[arm]];
    }
    tool_check(s, tvgp_policy_learn_table(s->policy, log->n_times, isfinite(newest) ? t : NULL, value));
    free_log(log);
    free(column);
    free(value);
    free(t);
}

int tool_learn(const tool_call *call) {
    tool_state s;
    tool_state_open(&s, call->path, 1);
    tool_table_learn(&s, call->word[0]);
    tool_text line = tool_state_line(&s, "learn");
    tool_text_string(&line, "log", call->word[0]);
    return tool_state_finish(&s, call, &line);
}

/* ---- candidates ----------------------------------------------------------------------------------------------------------- */

static char *copy_of(const char *text) {
    char *copy = tool_alloc(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

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
