/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strdup, strcasecmp */
#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Puts together file, line (0: none) and what is wrong. */
static int fail(csv_table *table, size_t line, const char *format, ...) {
    const size_t size = sizeof table->error;
    int used = snprintf(table->error, size, "%s: ", table->path);
    if (used >= 0 && line && (size_t)used < size)
        used += snprintf(table->error + used, size - (size_t)used, "line %zu", line);
    if (used >= 0 && (size_t)used < size) {
        va_list args;
        va_start(args, format);
        vsnprintf(table->error + used, size - (size_t)used, format, args);
        va_end(args);
    }
    return -1;
}

static int no_memory(csv_table *table) {
    return fail(table, 0, "out of memory");
}

static int parse_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) ? 0 : -1;
}

/* ---- text ------------------------------------------------------------------------------------------------------------- */

/* The whole file, and a NUL behind it. */
static int read_bytes(csv_table *table, FILE *file, size_t *n) {
    size_t room = 0;
    do {
        room = room ? 2 * room : 65536;
        char *grown = realloc(table->bytes, room);
        if (!grown)
            return no_memory(table);
        table->bytes = grown;
        *n += fread(grown + *n, 1, room - *n - 1, file);
    } while (*n == room - 1);
    table->bytes[*n] = '\0';
    return ferror(file) ? fail(table, 0, "%s", strerror(errno)) : 0;
}

typedef struct reader {
    char *at, *end; /* what is not read yet */
    size_t line;    /* the last one that was */
} reader;

/* The next line with something in it, without its end; NULL behind the last. *length: its bytes, NULs among them. */
static char *next_line(reader *in, size_t *length) {
    while (in->at < in->end) {
        char *line = in->at, *stop = memchr(line, '\n', (size_t)(in->end - line));
        stop = stop ? stop : in->end;
        in->at = stop + (stop < in->end);
        in->line++;
        while (stop > line && stop[-1] == '\r')
            stop--;
        *stop = '\0';
        *length = (size_t)(stop - line);
        if (*length)
            return line;
    }
    return NULL;
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

static int check_text(csv_table *table, const reader *in, const char *line, size_t length) {
    return strlen(line) == length ? 0 : fail(table, in->line, ", column %zu: a NUL byte", count_cells(line));
}

typedef struct named {
    const char *name;
    size_t column;
} named;

static int by_name(const void *a, const void *b) {
    const named *one = a, *other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one->column > other->column) - (one->column < other->column);
}

static int check_names(csv_table *table, size_t line) {
    double ignored;
    size_t n = 0, numbers = 0;
    named *sorted = malloc(table->columns * sizeof *sorted);
    if (!sorted)
        return no_memory(table);
    for (size_t c = 0; c < table->columns; c++) {
        numbers += parse_number(table->name[c], &ignored) == 0;
        if (*table->name[c])
            sorted[n++] = (named){table->name[c], c};
    }
    qsort(sorted, n, sizeof *sorted, by_name);
    size_t i = 1;
    while (i < n && strcmp(sorted[i - 1].name, sorted[i].name) != 0)
        i++;
    if (i < n)
        fail(table, line, ", column %zu: \"%.40s\" is the name of column %zu too", sorted[i].column + 1, sorted[i].name,
             sorted[i - 1].column + 1);
    free(sorted);
    if (i < n)
        return -1;
    return numbers < table->columns ? 0 : fail(table, line, ": the header holds numbers; expected a line of names");
}

static int read_header(csv_table *table, reader *in) {
    size_t length;
    char *rest = next_line(in, &length);
    if (!rest)
        return fail(table, 0, "empty; expected a header line of names");
    if (check_text(table, in, rest, length))
        return -1;
    if (!strchr(rest, ',') && strpbrk(rest, ";\t"))
        return fail(table, in->line, ": no comma in the header; is %s the separator?", strchr(rest, ';') ? "';'" : "a tab");
    table->name = malloc(count_cells(rest) * sizeof *table->name);
    if (!table->name)
        return no_memory(table);
    while (rest)
        table->name[table->columns++] = next_cell(&rest);
    return check_names(table, in->line);
}

/* Makes room for a row, of which there is room for *capacity. */
static int add_row(csv_table *table, size_t *capacity) {
    if (table->rows == *capacity) {
        const size_t more = *capacity ? 2 * *capacity : 4; /* of rows that may be long */
        char **cell = realloc(table->cell, more * table->columns * sizeof *cell);
        table->cell = cell ? cell : table->cell;
        size_t *line = realloc(table->line, more * sizeof *line);
        table->line = line ? line : table->line;
        if (!cell || !line)
            return no_memory(table);
        *capacity = more;
    }
    table->rows++;
    return 0;
}

static int read_row(csv_table *table, size_t line, char *rest) {
    char **row = table->cell + (table->rows - 1) * table->columns;
    const size_t expected = table->columns;
    table->line[table->rows - 1] = line;
    for (size_t column = 1;; column++) {
        char *cell = next_cell(&rest);
        if (column > expected)
            return fail(table, line, ", column %zu: \"%.40s\" is one cell too many, the header has %zu", column, cell,
                        expected);
        row[column - 1] = cell;
        if (!rest && column < expected)
            return fail(table, line, ", column %zu: the row ends after \"%.40s\", the header has %zu columns", column, cell,
                        expected);
        if (!rest)
            return 0;
    }
}

static int read_all(csv_table *table, FILE *file) {
    size_t n = 0, length, capacity = 0;
    if (read_bytes(table, file, &n))
        return -1;
    const size_t mark = n >= 3 && memcmp(table->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte order mark of UTF-8 */
    reader in = {.at = table->bytes + mark, .end = table->bytes + n};
    if (read_header(table, &in))
        return -1;
    for (char *line; (line = next_line(&in, &length)) != NULL;)
        if (check_text(table, &in, line, length) || add_row(table, &capacity) || read_row(table, in.line, line))
            return -1;
    return table->rows ? 0 : fail(table, in.line, ": no rows after the header");
}

int csv_table_read(const char *path, csv_table *out) {
    *out = (csv_table){.path = path};
    const int standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file)
        return fail(out, 0, "%s", strerror(errno));
    const int status = read_all(out, file);
    if (!standard)
        fclose(file);
    return status;
}

void csv_table_free(csv_table *table) {
    free(table->name);
    free(table->cell);
    free(table->line);
    free(table->bytes);
    *table = (csv_table){0};
}

int csv_table_number(csv_table *table, size_t row, size_t column, double *value) {
    const char *cell = table->cell[row * table->columns + column];
    if (parse_number(cell, value) == 0)
        return 0;
    return fail(table, table->line[row], ", column %zu (%.40s): \"%.40s\" is not a finite number", column + 1,
                table->name[column], cell);
}

size_t csv_table_column(const csv_table *table, const char *name) {
    size_t c = 0;
    while (c < table->columns && strcmp(table->name[c], name) != 0)
        c++;
    return c;
}

int csv_table_is_time(const csv_table *table, size_t column) {
    static const char *const names[] = {"",     "time", "date",  "datetime", "timestamp", "year", "month", "week",
                                        "hour", "day",  "index", "minute",   "second",    "step", "row",   "t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(table->name[column], names[i]) == 0)
            return 1;
    return 0;
}

/* ---- readings ----------------------------------------------------------------------------------------------------------- */

/* Whether the first column is a label by its name or its first entry. */
static int has_label(const csv_table *table) {
    double ignored;
    return csv_table_is_time(table, 0) || (*table->cell[0] && parse_number(table->cell[0], &ignored) != 0);
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

/* The columns behind the first `label`. */
static int take_names(csv_table *table, size_t label, readings *out) {
    out->names = calloc(table->columns, sizeof *out->names);
    if (!out->names)
        return no_memory(table);
    for (size_t c = label; c < table->columns; c++) {
        out->names[out->n_arms] = strdup(table->name[c]);
        if (!out->names[out->n_arms++])
            return no_memory(table);
    }
    return 0;
}

static int take_values(csv_table *table, size_t label, readings *out) {
    out->value = malloc(table->rows * out->n_arms * sizeof *out->value);
    if (!out->value)
        return no_memory(table);
    for (; out->n_times < table->rows; out->n_times++)
        for (size_t a = 0; a < out->n_arms; a++) {
            double *value = &out->value[out->n_times * out->n_arms + a];
            *value = NAN;
            if (*table->cell[out->n_times * table->columns + label + a] &&
                csv_table_number(table, out->n_times, label + a, value))
                return -1;
        }
    return 0;
}

/* Takes the first column off the values. */
static void drop_count(readings *out) {
    const size_t n = out->n_arms--;
    for (size_t i = 0; i < out->n_times; i++)
        memmove(out->value + i * (n - 1), out->value + i * n + 1, (n - 1) * sizeof *out->value);
    free(out->names[0]);
    memmove(out->names, out->names + 1, out->n_arms * sizeof *out->names);
}

static int take_readings(csv_table *table, readings *out) {
    const size_t label = has_label(table) ? 1 : 0;
    if (table->columns == label)
        return fail(table, table->line[0], ": the only column holds time labels");
    if (take_names(table, label, out) || take_values(table, label, out))
        return -1;
    if (label || !counts(out))
        return 0;
    if (out->n_arms == 1)
        return fail(table, table->line[0], ": the only column holds time labels");
    drop_count(out);
    return 0;
}

int csv_table_readings(csv_table *table, readings *out) {
    *out = (readings){0};
    const int status = take_readings(table, out);
    if (status)
        readings_free(out);
    return status;
}

int csv_read(const char *path, readings *out, char *error, size_t error_size) {
    csv_table table;
    *out = (readings){0};
    const int status = csv_table_read(path, &table) || csv_table_readings(&table, out) ? -1 : 0;
    if (status)
        snprintf(error, error_size, "%s", table.error);
    csv_table_free(&table);
    return status;
}
