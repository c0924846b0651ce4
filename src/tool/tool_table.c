/* SPDX-License-Identifier: MIT */
/* Tables from CSV files: a log of times x options, and the candidates of a request. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "tool.h"

#include "csv.h" /* of the examples, as replay reads it */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a log -------------------------------------------------------------------------------------------------------------- */

static void read_log(const char *path, readings *table) {
    char error[256];
    if (csv_read(path, table, error, sizeof error))
        tool_exit(TOOL_REFUSED, "%s", error);
    for (size_t a = 0; a < table->n_arms; a++) /* names of arms have no blanks */
        for (char *c = table->names[a]; *c; c++)
            *c = *c == ' ' ? '_' : *c;
}

char *tool_table_header(const char *path) {
    readings table;
    tool_text names = {0};
    read_log(path, &table);
    for (size_t a = 0; a < table.n_arms; a++)
        tool_text_add(&names, "%s%s", a ? "," : "", table.names[a]);
    readings_free(&table);
    return names.at;
}

/* The column of an arm: by its name where arms have names. */
static size_t column_of(const tool_state *s, const readings *table, size_t arm, const char *path) {
    size_t a = 0;
    if (!s->name)
        return arm;
    while (a < table->n_arms && strcmp(table->names[a], s->name[arm]) != 0)
        a++;
    if (a == table->n_arms)
        tool_exit(TOOL_REFUSED, "%s has no column '%.40s'", path, s->name[arm]);
    return a;
}

void tool_table_learn(tool_state *s, const char *path) {
    readings table;
    const double newest = tool_state_newest(s);
    if (s->clock == TOOL_SECONDS)
        tool_exit(TOOL_REFUSED, "%s: a row is a step, and this file has clock=seconds", path);
    if (!s->n)
        tool_exit(TOOL_REFUSED, "%s: a table has a column for each arm, and a box has no arms", path);
    read_log(path, &table);
    if (!s->name && table.n_arms != s->n)
        tool_exit(TOOL_REFUSED, "%s has %zu columns of values, and there are %zu arms", path, table.n_arms, s->n);
    double *value = tool_alloc(table.n_times * s->n * sizeof *value), *t = tool_alloc(table.n_times * sizeof *t);
    for (size_t arm = 0; arm < s->n; arm++) {
        const size_t a = column_of(s, &table, arm, path);
        for (size_t i = 0; i < table.n_times; i++)
            value[i * s->n + arm] = table.value[i * table.n_arms + a];
    }
    for (size_t i = 0; i < table.n_times; i++)
        t[i] = newest - (double)(table.n_times - 1 - i);
    tool_check(s, tvgp_policy_learn_table(s->policy, table.n_times, isfinite(newest) ? t : NULL, value));
    readings_free(&table);
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

/* The lines of a file that are not empty, - being standard input; each is to be freed. */
static char **read_lines(const char *path, size_t *n) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char **list = NULL, *line = NULL;
    size_t room = 0, width = 0;
    if (!file)
        tool_exit(TOOL_REFUSED, "%s: cannot open it: %s", path, strerror(errno));
    for (*n = 0; getline(&line, &width, file) >= 0;) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!*line)
            continue;
        if (*n == room) {
            char **grown = tool_alloc((room = 2 * room + 16) * sizeof *grown);
            if (list)
                memcpy(grown, list, *n * sizeof *grown);
            free(list);
            list = grown;
        }
        list[(*n)++] = line;
        line = NULL;
        width = 0;
    }
    free(line);
    if (ferror(file))
        tool_exit(TOOL_REFUSED, "%s: cannot read it: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    if (*n < 2)
        tool_exit(TOOL_REFUSED, "%s: a line of names and one for each candidate are needed", path);
    return list;
}

/* One candidate: its cells as the header says, columns `name` and `mean`, all others coordinates. */
static char *read_row(const tool_state *s, const char *path, char **head, size_t columns, const char *line, double *x,
                      double *mean) {
    size_t cells, d = 0;
    char **cell = tool_parts(line, ',', &cells), *label = NULL;
    if (cells != columns)
        tool_exit(TOOL_REFUSED, "%s: '%.40s' has %zu cells, the header %zu", path, line, cells, columns);
    for (size_t c = 0; c < columns; c++) {
        if (strcmp(head[c], "name") == 0) {
            free(label);
            label = cell[c];
            memmove(label, label + strspn(label, " "), strlen(label + strspn(label, " ")) + 1);
            cell[c] = NULL;
        } else if (strcmp(head[c], "mean") == 0 ? !tool_number(cell[c], mean)
                                                : d < s->dim && !tool_number(cell[c], &x[d++])) {
            tool_exit(TOOL_REFUSED, "%s: '%.40s' in '%.40s' is not a number", path, cell[c], line);
        }
    }
    tool_parts_free(cell, cells);
    return label;
}

static size_t find(char *const *head, size_t n, const char *name) {
    size_t c = 0;
    while (c < n && strcmp(head[c], name) != 0)
        c++;
    return c;
}

char **tool_table_among(tool_state *s, const char *path, size_t *n) {
    size_t columns, lines;
    char **line = read_lines(path, &lines), **head = tool_parts(line[0], ',', &columns);
    const int named = find(head, columns, "name") < columns, means = find(head, columns, "mean") < columns;
    if (columns != s->dim + (size_t)named + (size_t)means)
        tool_exit(TOOL_REFUSED, "%s: columns are name, mean (both may be left out) and %zu coordinates; there are %zu", path,
                  s->dim, columns);
    *n = lines - 1;
    double *X = tool_alloc(*n * s->dim * sizeof *X), *mean = tool_alloc(*n * sizeof *mean);
    char **label = tool_alloc(*n * sizeof *label);
    for (size_t i = 0; i < *n; i++)
        label[i] = read_row(s, path, head, columns, line[i + 1], X + i * s->dim, &mean[i]);
    tool_check(s, tvgp_policy_set_candidates(s->policy, *n, X, means ? mean : NULL));
    tool_parts_free(line, lines);
    tool_parts_free(head, columns);
    free(X);
    free(mean);
    if (named)
        return label;
    free(label);
    return NULL;
}
