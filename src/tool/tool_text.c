/* SPDX-License-Identifier: MIT */
/* Text that grows and is written as JSON or in columns; numbers and lines that are read; the messages with which the tool ends. */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code of a byte that is no UTF-8. */
enum { NO_TEXT = 0x7fffffff };

static int as_json;

void tool_exit_as_json(void) {
    as_json = 1;
}

static struct {
    const char *path;
    size_t line;
} about;

void tool_exit_at(const char *path, size_t line) {
    about.path = path;
    about.line = line;
}

void tool_exit(int code, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tool_text text = {0};
    if (about.path)
        tool_text_add(&text, "%s: line %zu: ", about.path, about.line);
    tool_text_add(&text, "%s", message);
    if (as_json) {
        tool_text json = {0};
        tool_text_add(&json, "{");
        tool_text_string(&json, "error", text.at);
        tool_text_whole(&json, "code", code);
        fprintf(stderr, "%s}\n", json.at);
    } else {
        fprintf(stderr, "tvgp: %s\n", text.at);
    }
    exit(code);
}

/* Where a message of the library names a function, what a shell has instead. */
static const struct phrase {
    const char *function, *here;
} phrases[] = {{"tvgp_policy_option_info lists them", "tvgp options POLICY lists them"},
               {"tvgp_policy_name_at lists them", "tvgp options lists them"},
               {"tvgp_policy_stat_info lists them", "tvgp metrics FILE lists them"},
               {"(tvgp_policy_set_safe)", "(safe= at create)"}};

/* A message of the library without names of its functions, which mean nothing to a shell. */
static char *for_shell(const char *message) {
    const char *end = strstr(message, ": ");
    const int named = strncmp(message, "tvgp_", 5) == 0 && end && strcspn(message, " ") > (size_t)(end - message);
    tool_text text = {0};
    tool_text_add(&text, "%s", named ? end + 2 : message);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        char *at = strstr(text.at, phrases[i].function);
        if (at) {
            tool_text fresh = {0};
            tool_text_add(&fresh, "%.*s%s%s", (int)(at - text.at), text.at, phrases[i].here,
                          at + strlen(phrases[i].function));
            free(text.at);
            text = fresh;
        }
    }
    return text.at;
}

void tool_check(const tool_state *s, tvgp_status status) {
    if (status == TVGP_AGAIN || status == TVGP_DONE)
        tool_exit(TOOL_NOTHING, "%s",
                  status == TVGP_AGAIN ? "nothing can be asked before outcomes come" : "the policy has finished");
    if (status != TVGP_OK)
        tool_exit(TOOL_REFUSED, "%s",
                  s->ctx && *tvgp_ctx_errmsg(s->ctx) ? for_shell(tvgp_ctx_errmsg(s->ctx)) : tvgp_status_name(status));
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

size_t tool_text_code(const char *at, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)at;
    const size_t more = *byte < 0x80 ? 0 : *byte >= 0xf0 ? 3 : *byte >= 0xe0 ? 2 : 1;
    *code = more ? *byte & (0x3fu >> more) : *byte;
    for (size_t i = 1; i <= more && *code != NO_TEXT; i++)
        *code = (byte[i] & 0xc0) == 0x80 ? *code << 6 | (byte[i] & 0x3f) : NO_TEXT;
    if (*code != NO_TEXT && (*code < smallest[more] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ||
                             (more && *byte < 0xc0) || *byte >= 0xf8))
        *code = NO_TEXT;
    return *code == NO_TEXT ? 1 : 1 + more;
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

void tool_text_true(tool_text *text, const char *key) {
    begin(text, key);
    tool_text_add(text, "true");
}

void tool_text_string(tool_text *text, const char *key, const char *value) {
    begin(text, key);
    tool_text_add(text, "\"");
    while (*value) {
        uint32_t code;
        const size_t n = tool_text_code(value, &code);
        if (code == '"' || code == '\\')
            tool_text_add(text, "\\%c", (int)code);
        else if (code < 0x20)
            tool_text_add(text, "\\u%04x", (unsigned)code);
        else if (code == NO_TEXT)
            tool_text_add(text, "\\ufffd");
        else
            tool_text_add(text, "%.*s", (int)n, value);
        value += n;
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

/* Columns of a terminal that a character takes: none for marks on others, two for those of East Asia and pictures. */
static size_t columns_of(uint32_t code) {
    static const struct span {
        uint32_t first, last;
        size_t columns;
    } spans[] = {{0x0300, 0x036f, 0}, {0x200b, 0x200f, 0}, {0xfe00, 0xfe0f, 0},   {0x1100, 0x115f, 2},
                 {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
                 {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (code >= spans[i].first && code <= spans[i].last)
            return spans[i].columns;
    return 1;
}

void tool_text_cut(tool_text *text, size_t columns) {
    size_t kept = 0, column = 0;
    for (size_t i = 0, n; i < text->n; i += n) {
        uint32_t code;
        n = tool_text_code(text->at + i, &code);
        column = code == '\n' ? 0 : column + columns_of(code);
        if (column > columns)
            continue;
        memmove(text->at + kept, text->at + i, n);
        kept += n;
    }
    text->n = kept;
    if (text->at)
        text->at[kept] = '\0';
}

void tool_text_fit(tool_text *text, const char *value, size_t columns, int side) {
    size_t column = 0, end = 0;
    uint32_t code;
    for (size_t n; value[end]; end += n) {
        n = tool_text_code(value + end, &code);
        if (column + columns_of(code) > columns)
            break;
        column += columns_of(code);
    }
    const int blanks = (int)(columns - column);
    tool_text_add(text, "%*s", side < 0 ? blanks : 0, "");
    for (size_t i = 0; i < end; i++) /* a file may have line ends and the like in its name */
        tool_text_add(text, "%c", (unsigned char)value[i] < ' ' || value[i] == 0x7f ? '?' : value[i]);
    tool_text_add(text, "%*s", side > 0 ? blanks : 0, "");
}

void tool_text_print(tool_text *text) {
    const int failed = text->n && fwrite(text->at, 1, text->n, stdout) != text->n;
    if (fflush(stdout) != 0 || failed)
        tool_exit(TOOL_REFUSED, "standard output: %s; a call that changes something has happened (tvgp log)",
                  strerror(errno));
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

/* The text after "key": in the line; NULL: not found. */
static const char *find(const char *line, const char *key) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(line, wanted);
    return at ? at + strlen(wanted) : NULL;
}

int tool_line_count(const char *line, int64_t *n) {
    char *end;
    const char *at = find(line, "n");
    if (!at || at - line != (ptrdiff_t)strlen("{\"n\":") || *line != '{')
        return 0;
    errno = 0;
    *n = strtoll(at, &end, 10);
    return !errno && *n >= 1 && strncmp(end, ",\"call\":\"", 9) == 0 && end[strlen(end) - 1] == '}';
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

int64_t tool_line_whole(const char *path, const char *line, const char *key, double least, double most) {
    double value;
    if (!tool_line_number(line, key, &value))
        return 0;
    if (!(value >= least && value <= most && value == floor(value)))
        tool_exit(TOOL_REFUSED, "%s: a line of the log has %s = %.17g, which must be an integer in %.0f .. %.0f", path, key,
                  value, least, most);
    return (int64_t)value;
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

int tool_line_true(const char *line, const char *key) {
    const char *at = find(line, key);
    return at && strncmp(at, "true", 4) == 0;
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
