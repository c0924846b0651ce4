/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int as_json;

void tool_exit_as_json(void) {
    as_json = 1;
}

void tool_exit(int code, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (as_json) {
        tool_text text = {0};
        tool_text_add(&text, "{");
        tool_text_string(&text, "error", message);
        tool_text_whole(&text, "code", code);
        fprintf(stderr, "%s}\n", text.at);
    } else {
        fprintf(stderr, "tvgp: %s\n", message);
    }
    exit(code);
}

void *tool_alloc(size_t size) {
    void *memory = calloc(size ? size : 1, 1);
    if (!memory) {
        fputs("tvgp: out of memory\n", stderr);
        exit(TOOL_REFUSED);
    }
    return memory;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

static void make_room(tool_text *text, size_t more) {
    if (text->n + more < text->room)
        return;
    const size_t room = 2 * (text->n + more) + 64;
    char *grown = tool_alloc(room);
    if (text->at)
        memcpy(grown, text->at, text->n);
    free(text->at);
    text->at = grown;
    text->room = room;
}

void tool_text_add(tool_text *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        make_room(text, (size_t)length + 1);
        vsnprintf(text->at + text->n, (size_t)length + 1, format, again);
        text->n += (size_t)length;
    }
    va_end(again);
}

void tool_text_number(tool_text *text, double value) {
    char digits[32];
    if (!isfinite(value)) {
        tool_text_add(text, "null");
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    tool_text_add(text, "%s", digits);
}

static void begin(tool_text *text, const char *key) {
    const char last = text->n ? text->at[text->n - 1] : '{';
    tool_text_add(text, "%s\"%s\":", last == '{' ? "" : ",", key);
}

void tool_text_member(tool_text *text, const char *key, double value) {
    begin(text, key);
    tool_text_number(text, value);
}

void tool_text_whole(tool_text *text, const char *key, int64_t value) {
    begin(text, key);
    tool_text_add(text, "%lld", (long long)value);
}

void tool_text_string(tool_text *text, const char *key, const char *value) {
    begin(text, key);
    tool_text_add(text, "\"");
    for (; *value; value++) {
        const unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            tool_text_add(text, "\\%c", c);
        else if (c < 0x20)
            tool_text_add(text, "\\u%04x", c);
        else
            tool_text_add(text, "%c", c);
    }
    tool_text_add(text, "\"");
}

void tool_text_list(tool_text *text, const char *key, size_t n, const double *value) {
    begin(text, key);
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, i ? "," : "[");
        tool_text_number(text, value[i]);
    }
    tool_text_add(text, n ? "]" : "[]");
}

const char *tool_text_rounded(double value, double sd, char *out, size_t size) {
    const double digits = sd > 0 ? -floor(log10(sd / 2)) : 0; /* two of an sd that begins with 1, otherwise one */
    if (sd > 0 && fabs(value) < 0.5 * pow(10, -fmax(digits, 0)))
        value = 0; /* not -0.0 */
    if (!(sd > 0) || fabs(value) >= 1e9 || digits > 9 || (digits > 0 && fabs(value) < 1e-9))
        snprintf(out, size, "%.6g", value);
    else
        snprintf(out, size, "%.*f", digits > 0 ? (int)digits : 0, value);
    return out;
}

void tool_text_cut(tool_text *text, size_t columns) {
    size_t kept = 0, column = 0;
    for (size_t i = 0; i < text->n; i++) {
        column = text->at[i] == '\n' ? 0 : column + 1;
        if (column <= columns)
            text->at[kept++] = text->at[i];
    }
    text->n = kept;
    if (text->at)
        text->at[kept] = '\0';
}

void tool_text_print(tool_text *text) {
    const int failed = text->n && fwrite(text->at, 1, text->n, stdout) != text->n;
    if (fflush(stdout) != 0 || failed)
        tool_exit(TOOL_REFUSED, "standard output: %s", strerror(errno));
    free(text->at);
    *text = (tool_text){0};
}

/* ---- words ----------------------------------------------------------------------------------------------------------- */

int tool_number(const char *word, double *value) {
    char *end;
    *value = strtod(word, &end);
    return end != word && !*end && isfinite(*value);
}

int tool_whole(const char *word, int64_t *value) {
    char *end;
    errno = 0;
    const long long whole = strtoll(word, &end, 10);
    *value = whole;
    return end != word && !*end && !errno;
}

/* ---- lines of the log -------------------------------------------------------------------------------------------------- */

/* Behind "key": in the line; NULL: it is not there. */
static const char *find(const char *line, const char *key) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(line, wanted);
    return at ? at + strlen(wanted) : NULL;
}

int tool_line_number(const char *line, const char *key, double *value) {
    const char *at = find(line, key);
    char *end;
    *value = NAN;
    if (!at)
        return 0;
    const double found = strtod(at, &end);
    if (end == at)
        return 0;
    *value = found;
    return 1;
}

int tool_line_text(const char *line, const char *key, char *value, size_t size) {
    const char *at = find(line, key);
    if (!at || *at != '"')
        return 0;
    size_t n = strcspn(at + 1, "\"");
    n = n < size ? n : size - 1;
    memcpy(value, at + 1, n);
    value[n] = '\0';
    return 1;
}

size_t tool_line_list(const char *line, const char *key, size_t most, double *value) {
    const char *at = find(line, key);
    size_t n = 0;
    while (at && n < most && (*at == '[' || *at == ',')) {
        char *end;
        value[n] = strtod(at + 1, &end);
        if (end == at + 1)
            break;
        n++;
        at = end;
    }
    return n;
}
