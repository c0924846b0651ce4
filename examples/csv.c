/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* getline, strdup, strcasecmp */
#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t line_capacity, line_number;
    size_t label; /* 1 when the first column is a time label */
    size_t row_capacity;
    readings *out;
    char *error;
    size_t error_size;
} reader;

static int fail(reader *in, const char *format, ...) {
    int used = snprintf(in->error, in->error_size, "%s: ", in->path);
    if (used >= 0 && in->line_number && (size_t)used < in->error_size)
        used += snprintf(in->error + used, in->error_size - (size_t)used, "line %zu", in->line_number);
    if (used >= 0 && (size_t)used < in->error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(in->error + used, in->error_size - (size_t)used, format, args);
        va_end(args);
    }
    return -1;
}

/* The next line with something in it, without its end; NULL at the end of the file. */
static char *next_line(reader *in) {
    for (;;) {
        if (getline(&in->line, &in->line_capacity, in->file) < 0)
            return NULL;
        in->line_number++;
        in->line[strcspn(in->line, "\r\n")] = '\0';
        if (in->line[0])
            return in->line;
    }
}

/* Cuts the next cell off *rest (NULL after the last one) and trims it. */
static char *next_cell(char **rest) {
    char *cell = *rest, *comma = strchr(cell, ',');
    *rest = comma ? comma + 1 : NULL;
    char *end = comma ? comma : cell + strlen(cell);
    while (end > cell && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    while (isspace((unsigned char)*cell))
        cell++;
    return cell;
}

static size_t count_cells(const char *line) {
    size_t n = 1;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

static int parse_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) ? 0 : -1;
}

static int is_time_name(const char *name) {
    static const char *const names[] = {"",     "time", "date",  "datetime", "timestamp", "year", "month", "week",
                                        "hour", "day",  "index", "minute",   "second",    "step", "row",   "t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return 1;
    return 0;
}

static int read_header(reader *in) {
    char *rest = next_line(in);
    if (!rest)
        return fail(in, "%s", ferror(in->file) ? strerror(errno) : "empty; expected a header line of names");
    if (strncmp(rest, "\xEF\xBB\xBF", 3) == 0)
        rest += 3; /* byte order mark of UTF-8 */
    const size_t n = count_cells(rest);
    in->out->names = calloc(n, sizeof *in->out->names);
    if (!in->out->names)
        return fail(in, ": out of memory");
    while (rest) {
        char *name = strdup(next_cell(&rest));
        if (!name)
            return fail(in, ": out of memory");
        in->out->names[in->out->n_arms++] = name;
    }
    return 0;
}

/* The first column is no arm. */
static int drop_name(reader *in) {
    readings *out = in->out;
    free(out->names[0]);
    out->n_arms--;
    memmove(out->names, out->names + 1, out->n_arms * sizeof *out->names);
    return out->n_arms ? 0 : fail(in, ": the only column holds time labels");
}

/* Whether the first column counts: numbers of rows, or times. */
static int counts(const readings *r) {
    enum { FEWEST = 4 };
    const size_t n = r->n_arms;
    const double step = r->n_times > 1 ? r->value[n] - r->value[0] : 0;
    int even = r->n_times >= FEWEST && step > 0;
    for (size_t i = 1; i < r->n_times && even; i++)
        even = fabs(r->value[i * n] - r->value[0] - (double)i * step) <= 1e-9 * (double)i * step;
    return even;
}

/* A table whose first column counts becomes one without it. */
static int drop_count(reader *in) {
    readings *out = in->out;
    const size_t n = out->n_arms;
    if (in->label || !counts(out))
        return 0;
    for (size_t i = 0; i < out->n_times; i++)
        memmove(out->value + i * (n - 1), out->value + i * n + 1, (n - 1) * sizeof *out->value);
    return drop_name(in);
}

/* Whether the header is a row of values. */
static int all_numbers(const readings *r) {
    double ignored;
    size_t i = 0;
    while (i < r->n_arms && parse_number(r->names[i], &ignored) == 0)
        i++;
    return i == r->n_arms;
}

/* Decides from the first row whether the first column is a label, and takes its name off the arms if so. */
static int find_label(reader *in, const char *row) {
    readings *out = in->out;
    char first[64] = "", *rest = first;
    double ignored;
    memcpy(first, row, strcspn(row, ",") < sizeof first ? strcspn(row, ",") : sizeof first - 1);
    const char *cell = next_cell(&rest);
    if (!is_time_name(out->names[0]) && (!*cell || parse_number(cell, &ignored) == 0))
        return 0;
    in->label = 1;
    return drop_name(in);
}

static int add_row(reader *in) {
    readings *out = in->out;
    if (out->n_times == in->row_capacity) {
        const size_t capacity = in->row_capacity ? 2 * in->row_capacity : 256;
        double *value = realloc(out->value, capacity * out->n_arms * sizeof *value);
        if (!value)
            return fail(in, ": out of memory");
        out->value = value;
        in->row_capacity = capacity;
    }
    out->n_times++;
    return 0;
}

static int read_row(reader *in, char *rest) {
    readings *out = in->out;
    const size_t expected = out->n_arms + in->label;
    if (add_row(in))
        return -1;
    double *row = out->value + (out->n_times - 1) * out->n_arms;
    for (size_t column = 1;; column++) {
        const char *cell = next_cell(&rest);
        if (column > expected)
            return fail(in, ", column %zu: \"%.40s\" is one cell too many, the header has %zu", column, cell, expected);
        if (column > in->label) {
            double *value = &row[column - 1 - in->label];
            *value = NAN;
            if (*cell && parse_number(cell, value))
                return fail(in, ", column %zu (%.40s): \"%.40s\" is not a finite number", column,
                            out->names[column - 1 - in->label], cell);
        }
        if (!rest && column < expected)
            return fail(in, ", column %zu: the row ends after \"%.40s\", the header has %zu columns", column, cell,
                        expected);
        if (!rest)
            return 0;
    }
}

static int read_all(reader *in) {
    if (read_header(in))
        return -1;
    if (all_numbers(in->out))
        return fail(in, ": the header holds numbers; expected a line of names");
    char *line = next_line(in);
    if (line && find_label(in, line))
        return -1;
    for (; line; line = next_line(in))
        if (read_row(in, line))
            return -1;
    if (ferror(in->file))
        return fail(in, ": %s", strerror(errno));
    return in->out->n_times ? drop_count(in) : fail(in, ": no rows after the header");
}

int csv_read(const char *path, readings *out, char *error, size_t error_size) {
    *out = (readings){0};
    reader in = {.path = path, .out = out, .error = error, .error_size = error_size};
    in.file = fopen(path, "r");
    if (!in.file)
        return fail(&in, "%s", strerror(errno));
    const int status = read_all(&in);
    if (status)
        readings_free(out);
    free(in.line);
    fclose(in.file);
    return status;
}
