/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strdup, strcasecmp */
#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
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

/* Copies a number without the commas of its groups of three: 1,202.81. 0: it has no such groups. */
static int without_groups(const char *text, char *digits, size_t size) {
    size_t n = *text == '-' || *text == '+', group = strspn(text + n, "0123456789");
    if (strlen(text) >= size || group < 1 || group > 3 || text[n + group] != ',')
        return 0;
    memcpy(digits, text, n += group);
    const char *rest = text + n;
    for (; *rest == ','; rest += 4, n += 3) {
        if (strspn(rest + 1, "0123456789") != 3)
            return 0;
        memcpy(digits + n, rest + 1, 3);
    }
    strcpy(digits + n, rest);
    return 1;
}

static int parse_number(const char *text, double *value) {
    char *end, digits[64];
    text = without_groups(text, digits, sizeof digits) ? digits : text;
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
    char *at, *end;     /* the part that is not read yet */
    size_t line, after; /* where the last record begins, and its further lines */
} reader;

/* Where the record that begins here ends: at a line end outside of quotes, or at the end of the file. Counts the line ends in
 * quotes. A quote opens where a cell begins. */
static char *record_end(reader *in, size_t *inside) {
    int quoted = 0, begins = 1;
    for (char *at = in->at; at < in->end; at++) {
        if (*at == '\n' && !quoted)
            return at;
        *inside += *at == '\n';
        if (*at == '"' && (quoted || begins))
            quoted = !quoted; /* a doubled quote closes and opens */
        begins = (begins && isspace((unsigned char)*at)) || *at == ',' || (*at == '"' && !quoted);
    }
    return in->end;
}

/* The next record with something in it, without its end; NULL after the last. *length: its bytes, NULs among them. `line` of
 * the reader is where it begins, `after` counts its further lines. */
static char *next_record(reader *in, size_t *length) {
    while (in->at < in->end) {
        size_t inside = 0;
        char *record = in->at, *stop = record_end(in, &inside);
        in->at = stop + (stop < in->end);
        in->line += 1 + in->after;
        in->after = inside;
        while (stop > record && stop[-1] == '\r')
            stop--;
        *stop = '\0';
        *length = (size_t)(stop - record);
        if (*length)
            return record;
    }
    return NULL;
}

static char *skip_blanks(char *at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Takes the quotes off the cell that begins at a quote: its end, or NULL where the quote is not closed. */
static char *unquote(char *cell) {
    char *to = cell;
    for (char *from = cell + 1; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

/* Cuts cell number `column` off *rest (NULL after the last one) and trims it. NULL, with `error`: a quote is wrong. */
static char *next_cell(csv_table *table, size_t line, size_t column, char **rest) {
    char *cell = skip_blanks(*rest), *end = cell;
    if (*cell == '"') {
        end = unquote(cell);
        if (!end)
            return (void)fail(table, line, ", column %zu: a quote is not closed", column), NULL;
        end = skip_blanks(end);
        if (*end && *end != ',')
            return (void)fail(table, line, ", column %zu: \"%.40s\" follows a closing quote", column, end), NULL;
        *rest = *end ? end + 1 : NULL;
        return cell;
    }
    char *comma = strchr(cell, ',');
    *rest = comma ? comma + 1 : NULL;
    end = comma ? comma : cell + strlen(cell);
    while (end > cell && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
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
    char *rest = next_record(in, &length);
    if (!rest)
        return fail(table, 0, "empty; expected a header line of names");
    if (check_text(table, in, rest, length))
        return -1;
    if (!strchr(rest, ',') && strpbrk(rest, ";\t"))
        return fail(table, in->line, ": no comma in the header; is %s the separator?", strchr(rest, ';') ? "';'" : "a tab");
    table->name = malloc(count_cells(rest) * sizeof *table->name);
    if (!table->name)
        return no_memory(table);
    while (rest) {
        table->name[table->columns] = next_cell(table, in->line, table->columns + 1, &rest);
        if (!table->name[table->columns++])
            return -1;
    }
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
        char *cell = next_cell(table, line, column, &rest);
        if (!cell)
            return -1;
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
    for (char *line; (line = next_record(&in, &length)) != NULL;)
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

/* Days from 1970-01-01 to a date of the Gregorian calendar (Hinnant 2013, days_from_civil). */
static int64_t days_from(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* `n` digits as a number within bounds; moves *at behind them. */
static int digits_of(const char **at, int n, int64_t least, int64_t most, int64_t *value) {
    *value = 0;
    for (int i = 0; i < n; i++, ++*at) {
        if (!isdigit((unsigned char)**at))
            return -1;
        *value = 10 * *value + (**at - '0');
    }
    return *value >= least && *value <= most ? 0 : -1;
}

static int expect(const char **at, char c) {
    return *(*at)++ == c ? 0 : -1;
}

/* Behind the minutes: seconds, and a zone, Z or +02:00; without a zone it is UTC. */
static int parse_zone(const char *at, double *seconds) {
    int64_t number, hours, minutes;
    if (*at == ':') {
        at++;
        if (digits_of(&at, 2, 0, 60, &number))
            return -1;
        *seconds += (double)number;
        if (*at == '.') {
            const size_t n = strspn(at + 1, "0123456789");
            *seconds += n ? strtod(at, NULL) : NAN;
            at += n + 1;
        }
    }
    if (*at == 'Z')
        at++;
    const int sign = *at == '+' ? 1 : *at == '-' ? -1 : 0;
    if (sign) {
        at++;
        if (digits_of(&at, 2, 0, 23, &hours) || (*at == ':' && expect(&at, ':')) || digits_of(&at, 2, 0, 59, &minutes))
            return -1;
        *seconds -= sign * (double)(hours * 3600 + minutes * 60);
    }
    return *at || isnan(*seconds) ? -1 : 0;
}

/* 2026-01-31, 2026-01-31T12:30 and 2026-01-31 12:30:15.5+02:00 as seconds since 1970. */
static int parse_date(const char *at, double *seconds) {
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day, hour, minute;
    if (digits_of(&at, 4, 1, 9999, &year) || expect(&at, '-') || digits_of(&at, 2, 1, 12, &month) || expect(&at, '-') ||
        digits_of(&at, 2, 1, days[month - 1], &day))
        return -1;
    if (month == 2 && day == 29 && (year % 4 || (year % 100 == 0 && year % 400)))
        return -1;
    *seconds = 86400.0 * (double)days_from(year, month, day);
    if (!*at)
        return 0;
    if ((*at != 'T' && *at != ' ') || !*++at || digits_of(&at, 2, 0, 23, &hour) || expect(&at, ':') ||
        digits_of(&at, 2, 0, 59, &minute))
        return -1;
    *seconds += (double)(hour * 3600 + minute * 60);
    return parse_zone(at, seconds);
}

int csv_table_time(csv_table *table, size_t row, size_t column, double *value, int *is_date) {
    const char *cell = table->cell[row * table->columns + column];
    *is_date = parse_date(cell, value) == 0;
    if (*is_date || parse_number(cell, value) == 0)
        return 0;
    return fail(
        table, table->line[row],
        ", column %zu (%.40s): \"%.40s\" is neither a finite number nor a date such as 2026-01-31 or 2026-01-31T12:00",
        column + 1, table->name[column], cell);
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
