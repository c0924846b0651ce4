/* SPDX-License-Identifier: MIT */
/* Reading JSON: a cursor that looks at each byte once, recurses nowhere and allocates nothing, so that texts may come from
 * untrusted users (parts/serve/json_text.h). */
#include "parts/serve/json_text.h"

#include "base/number_text.h"

#include <math.h>
#include <string.h>

static void skip_blanks(tvgp__json_text *j) {
    j->at += strspn(j->at, " \t\r\n");
}

int tvgp__json_text_is(tvgp__json_text *j, char wanted) {
    skip_blanks(j);
    return *j->at == wanted;
}

int tvgp__json_text_take(tvgp__json_text *j, char wanted) {
    if (!tvgp__json_text_is(j, wanted))
        return 0;
    j->at++;
    return 1;
}

int tvgp__json_text_at_end(tvgp__json_text *j) {
    skip_blanks(j);
    return !*j->at;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* Four hexadecimal digits; -1: there are not. */
static int32_t take_hex(tvgp__json_text *j) {
    int32_t code = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        const char c = *j->at;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Behind \u: a character, of which the second half of a pair may follow. -1: none. */
static int32_t take_code(tvgp__json_text *j) {
    const int32_t high = take_hex(j);
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || j->at[0] != '\\' || j->at[1] != 'u')
        return -1;
    j->at += 2;
    const int32_t low = take_hex(j);
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* Bytes of a character in UTF-8; how many. */
static size_t encode(int32_t code, char out[4]) {
    static const int32_t below[] = {0x80, 0x800, 0x10000};
    static const int32_t first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t n = 0;
    while (n < 3 && code >= below[n])
        n++;
    for (size_t i = n; i; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[n] | code);
    return n + 1;
}

/* Behind a backslash. */
static size_t take_escape(tvgp__json_text *j, char out[4]) {
    static const char named[] = "nrtbf", meant[] = "\n\r\t\b\f";
    if (*j->at == 'u') {
        j->at++;
        const int32_t code = take_code(j);
        return code <= 0 ? 0 : encode(code, out);
    }
    if (!*j->at)
        return 0;
    const char *found = strchr(named, *j->at);
    out[0] = found ? meant[found - named] : *j->at;
    j->at++;
    return 1;
}

int tvgp__json_text_string(tvgp__json_text *j, char *out, size_t size, size_t *length) {
    size_t n = 0;
    if (!tvgp__json_text_take(j, '"'))
        return 0;
    while (*j->at && *j->at != '"') {
        char bytes[4] = {*j->at++};
        const size_t used = bytes[0] == '\\' ? take_escape(j, bytes) : 1;
        if (!used)
            return 0;
        for (size_t i = 0; i < used; i++, n++)
            if (n + 1 < size)
                out[n] = bytes[i];
    }
    if (size)
        out[n < size ? n : size - 1] = '\0';
    *length = n;
    return tvgp__json_text_take(j, '"');
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

int tvgp__json_text_word(tvgp__json_text *j, char out[TVGP__JSON_TEXT_WORD]) {
    size_t n;
    skip_blanks(j);
    if (*j->at == '"')
        return tvgp__json_text_string(j, out, TVGP__JSON_TEXT_WORD, &n) && n < TVGP__JSON_TEXT_WORD;
    n = strspn(j->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (!n || n >= TVGP__JSON_TEXT_WORD)
        return 0;
    memcpy(out, j->at, n);
    out[n] = '\0';
    j->at += n;
    return 1;
}

int tvgp__json_text_number(tvgp__json_text *j, double *value) {
    char word[TVGP__JSON_TEXT_WORD];
    if (!tvgp__json_text_word(j, word))
        return 0;
    if (strcmp(word, "-inf") == 0)
        return (void)(*value = -INFINITY), 1;
    return tvgp__number_text_read(word, value);
}

int tvgp__json_text_integer(tvgp__json_text *j, int64_t *value) {
    char word[TVGP__JSON_TEXT_WORD];
    long long found;
    if (!tvgp__json_text_word(j, word) || strlen(word) > 19 + (*word == '-') ||
        !tvgp__number_text_read_integer(word, &found))
        return 0;
    *value = found;
    return 1;
}

int tvgp__json_text_skip(tvgp__json_text *j) {
    char word[TVGP__JSON_TEXT_WORD];
    size_t depth = 0, length;
    do {
        skip_blanks(j);
        if (*j->at == '[' || *j->at == '{')
            depth++, j->at++;
        else if (depth && (*j->at == ']' || *j->at == '}'))
            depth--, j->at++;
        else if (depth && (*j->at == ',' || *j->at == ':'))
            j->at++;
        else if (*j->at == '"' ? !tvgp__json_text_string(j, NULL, 0, &length) : !tvgp__json_text_word(j, word))
            return 0;
    } while (depth);
    return 1;
}
