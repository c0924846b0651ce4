/* SPDX-License-Identifier: MIT */
#include "golden.h"

#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void __attribute__((format(printf, 1, 2))) stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* The next word of the file, without comments. */
static const char *word_of(FILE *file, const char *name) {
    static char word[64];
    while (fscanf(file, "%63s", word) == 1) {
        if (*word != '#')
            return word;
        if (fscanf(file, "%*[^\n]") == EOF)
            break;
    }
    stop("golden_%s.txt ends too early\n", name);
}

static size_t aligned(size_t at, size_t by) {
    return (at + by - 1) / by * by;
}

/* Stores a number of this field behind `at`, and returns where it ends. */
static size_t store(char field, const char *word, const char *name, char *row, size_t at) {
    char *end;
    const double d = strtod(word, &end);
    const int64_t l = field == 'd' ? 0 : strtoimax(word, &end, 10);
    const int i = (int)l;
    const uint32_t u = (uint32_t)l;
    const void *value = field == 'd'   ? (const void *)&d
                        : field == 'l' ? (const void *)&l
                        : field == 'u' ? (const void *)&u
                                       : &i;
    const size_t size = field == 'd' ? sizeof d : field == 'l' ? sizeof l : sizeof i; /* as is its alignment */
    if (*end || !strchr("dilu", field) || (size == sizeof i && field == 'i' && i != l) || (field == 'u' && u != l))
        stop("golden_%s.txt: '%s' is no number of kind %c\n", name, word, field);
    at = aligned(at, size);
    memcpy(row + at, value, size);
    return at + size;
}

/* Reads a row; its bytes. */
static size_t read_row(FILE *file, const char *name, const char *fields, char *row) {
    size_t at = 0, most = 1;
    while (*fields) {
        char *next;
        const char field = *fields;
        for (unsigned long k = strtoul(fields + 1, &next, 10); k; k--)
            at = store(field, word_of(file, name), name, row, at);
        most = field == 'd' || field == 'l' ? sizeof(double) : most < sizeof(int) ? sizeof(int) : most;
        fields = next;
    }
    return aligned(at, most);
}

void golden_read(const char *name, size_t n, const struct golden_array *arrays) {
    char path[4096];
    snprintf(path, sizeof path, "%s/golden_%s.txt", TVGP_GOLDEN, name);
    FILE *file = fopen(path, "r");
    if (!file)
        stop("%s cannot be read\n", path);
    const char *locale = setlocale(LC_NUMERIC, NULL);
    char *kept = strcpy(malloc(strlen(locale) + 1), locale);
    setlocale(LC_NUMERIC, "C");
    for (size_t i = 0; i < n; i++) {
        const struct golden_array *a = &arrays[i];
        if (strcmp(word_of(file, name), a->name) != 0)
            stop("%s: %s is missing\n", path, a->name);
        const unsigned long rows = strtoul(word_of(file, name), NULL, 10);
        if (strcmp(word_of(file, name), a->fields) != 0)
            stop("%s: %s must have the fields %s\n", path, a->name, a->fields);
        size_t at = 0;
        for (unsigned long r = 0; r < rows && at < a->size; r++)
            at += read_row(file, name, a->fields, (char *)a->at + at);
        if (at != a->size)
            stop("%s: %s must have %zu bytes\n", path, a->name, a->size);
    }
    setlocale(LC_NUMERIC, kept);
    free(kept);
    fclose(file);
}
