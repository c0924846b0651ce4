/* SPDX-License-Identifier: MIT */
/* Arguments of a call of a store: keys with values, each JSON or a bare text (parts/serve/store/store_arguments.h). */
#include "parts/serve/store/store_arguments.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "parts/serve/iso_time.h"
#include "parts/serve/json_text.h"
#include "parts/serve/store/store_metadata.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 40 };

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* How many bytes of a value a message shows: at most SHOWN, whole characters. */
static int shown(const char *at, int bare) {
    tvgp__json_text j = {at, at};
    size_t n = bare || !tvgp__json_text_skip(&j) ? strlen(at) : (size_t)(j.at - at);
    if (n > SHOWN) {
        n = SHOWN;
        while (n && ((unsigned char)at[n] & 0xc0) == 0x80)
            n--;
    }
    return (int)n;
}

/* A bare text is shown in quotes unless it begins as a number or JSON. */
static tvgp_status refuse(const tvgp__store_arguments *a, size_t i, const char *must) {
    const char *at = a->item[i].at, *quote = a->item[i].bare && !strchr("-0123456789[{\"", *at) ? "'" : "";
    return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "%s = %s%.*s%s must be %s", a->item[i].key, *at ? quote : "'",
                           shown(at, a->item[i].bare), at, *at ? quote : "'", must);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The next word of a list, which moves on; 0: there is none. */
static int next_word(const char **list, char out[TVGP__STORE_ARGUMENTS_KEY]) {
    *list += strspn(*list, " ");
    const size_t n = strcspn(*list, " ");
    memcpy(out, *list, n);
    out[n] = '\0';
    *list += n;
    return n > 0;
}

static tvgp_status add(tvgp__store_arguments *a, const char *known, const char *key, const char *at, int bare) {
    tvgp__nearest_name near = {.typed = key};
    char word[TVGP__STORE_ARGUMENTS_KEY];
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->item[i].key, key) == 0)
            return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "argument '%s' is given twice", key);
    for (const char *list = known; next_word(&list, word);) {
        if (strcmp(word, key) == 0) {
            memcpy(a->item[a->n].key, word, sizeof word);
            a->item[a->n].at = at;
            a->item[a->n++].bare = bare;
            return TVGP_OK;
        }
        tvgp__nearest_name_offer(&near, word);
    }
    if (!near.n)
        return tvgp__error_set(a->ctx, TVGP_ERR_NOTFOUND, "unknown argument '%.*s', the arguments are: %s", shown(key, 1),
                               key, known);
    return tvgp__nearest_name_unknown(a->ctx, "argument", &near, "");
}

/* The key of a member, up to its value; 0: it is no JSON. */
static int take_key(tvgp__json_text *j, char key[64]) {
    size_t n;
    const int found = tvgp__json_text_string(j, key, 64, &n) && tvgp__json_text_take(j, ':');
    (void)tvgp__json_text_is(j, ' '); /* moves behind blanks */
    return found;
}

/* The members of an object. */
static tvgp_status add_object(tvgp__store_arguments *a, const char *known, const char *text) {
    tvgp__json_text j = {text, text};
    char key[64];
    if (!tvgp__json_text_take(&j, '{'))
        return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "arguments = %.*s must be a JSON object", shown(text, 1), text);
    int more = !tvgp__json_text_is(&j, '}'), read = 1;
    while (more && (read = take_key(&j, key)) != 0) {
        TVGP__TRY(add(a, known, key, j.at, 0));
        read = tvgp__json_text_skip(&j);
        more = read && tvgp__json_text_take(&j, ',');
    }
    if (read && tvgp__json_text_take(&j, '}') && tvgp__json_text_at_end(&j))
        return TVGP_OK;
    return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "byte %zu of the arguments is no JSON: '%.*s'", (size_t)(j.at - text),
                           shown(j.at, 1), j.at);
}

tvgp_status tvgp__store_arguments_read(tvgp__store_arguments *a, tvgp_ctx *ctx, const char *known, size_t n,
                                       const char *const *keys, const char *const *values) {
    a->ctx = ctx;
    a->n = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i])
            TVGP__TRY(keys[i] ? add(a, known, keys[i], values[i], 1) : add_object(a, known, values[i]));
    return TVGP_OK;
}

void tvgp__store_arguments_lower(const char *word, char key[TVGP__STORE_ARGUMENTS_KEY]) {
    snprintf(key, TVGP__STORE_ARGUMENTS_KEY, "%s", word);
    for (char *at = key; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at);
}

tvgp_status tvgp__store_arguments_read_words(tvgp__store_arguments *a, tvgp_ctx *ctx, const char *known, size_t required,
                                             size_t n, const char *const *words) {
    const char *list = known;
    char key[TVGP__STORE_ARGUMENTS_KEY];
    a->ctx = ctx;
    a->n = 0;
    for (size_t i = 0; i < n && i < required && next_word(&list, key); i++)
        TVGP__TRY(add(a, known, key, words[i], 1));
    if (n < required || (n - required) % 2)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%zu arguments must be %zu values, then names with their values", n,
                               required);
    for (size_t i = required; i < n; i += 2) {
        tvgp__store_arguments_lower(words[i], key);
        TVGP__TRY(add(a, known, key, words[i + 1], 1));
    }
    return TVGP_OK;
}

/* The item of a key; a->n: it is not given, or null. */
static size_t find(const tvgp__store_arguments *a, const char *key) {
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->item[i].key, key) == 0) {
            tvgp__json_text j = {a->item[i].at, a->item[i].at};
            char word[TVGP__JSON_TEXT_WORD];
            const int null = *j.at == 'n' && tvgp__json_text_word(&j, word) && strcmp(word, "null") == 0;
            return null ? a->n : i;
        }
    return a->n;
}

int tvgp__store_arguments_given(const tvgp__store_arguments *a, const char *key) {
    return find(a, key) < a->n;
}

tvgp_status tvgp__store_arguments_need(const tvgp__store_arguments *a, const char *key) {
    return find(a, key) < a->n ? TVGP_OK : tvgp__error_set(a->ctx, TVGP_ERR_ARG, "argument '%s' is missing", key);
}

/* Behind a bare value nothing follows. */
static int ends(const tvgp__store_arguments *a, size_t i, tvgp__json_text *j) {
    return !a->item[i].bare || tvgp__json_text_at_end(j);
}

tvgp_status tvgp__store_arguments_number(const tvgp__store_arguments *a, const char *key, double *value) {
    const size_t i = find(a, key);
    if (i == a->n)
        return TVGP_OK;
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    double found;
    if (!tvgp__json_text_number(&j, &found) || !ends(a, i, &j))
        return refuse(a, i, "a number");
    *value = found;
    return TVGP_OK;
}

tvgp_status tvgp__store_arguments_integer(const tvgp__store_arguments *a, const char *key, int64_t least, int64_t most,
                                          int64_t *value) {
    char must[80];
    const size_t i = find(a, key);
    if (i == a->n)
        return TVGP_OK;
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    double found;
    const int64_t whole = tvgp__json_text_number(&j, &found) && found >= -9007199254740992. && found <= 9007199254740992.
                              ? (int64_t)found
                              : INT64_MIN;
    if (whole == INT64_MIN || (double)whole != found || whole < least || whole > most || !ends(a, i, &j)) {
        snprintf(must, sizeof must, "an integer in %" PRId64 "..%" PRId64, least, most);
        return refuse(a, i, must);
    }
    *value = whole;
    return TVGP_OK;
}

tvgp_status tvgp__store_arguments_flag(const tvgp__store_arguments *a, const char *key, int *value) {
    char word[TVGP__JSON_TEXT_WORD];
    const size_t i = find(a, key);
    if (i == a->n)
        return TVGP_OK;
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    const int read = tvgp__json_text_word(&j, word) && ends(a, i, &j),
              is = read && (!strcmp(word, "true") || !strcmp(word, "1"));
    if (!is && (!read || (strcmp(word, "false") != 0 && strcmp(word, "0") != 0)))
        return refuse(a, i, "true or false");
    *value = is;
    return TVGP_OK;
}

/* A text without its quotes, which is to be freed. */
static tvgp_status take_text(const tvgp__store_arguments *a, const char *at, int bare, char **out, size_t *length) {
    tvgp__json_text j = {at, at};
    const int quoted = *at == '"' && tvgp__json_text_string(&j, NULL, 0, length) && (!bare || tvgp__json_text_at_end(&j));
    if (!quoted)
        *length = bare ? strlen(at) : SIZE_MAX;
    if (*length == SIZE_MAX)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(a->ctx, *length + 1, 1, out));
    j.at = at;
    if (quoted)
        (void)tvgp__json_text_string(&j, *out, *length + 1, length);
    else
        memcpy(*out, at, *length + 1);
    return TVGP_OK;
}

tvgp_status tvgp__store_arguments_text(const tvgp__store_arguments *a, const char *key, char **out) {
    const size_t i = find(a, key);
    size_t length;
    if (i == a->n)
        return TVGP_OK;
    TVGP__TRY(take_text(a, a->item[i].at, a->item[i].bare, out, &length));
    return length == SIZE_MAX ? refuse(a, i, "a text") : TVGP_OK;
}

tvgp_status tvgp__store_arguments_time(const tvgp__store_arguments *a, const char *key, double *t) {
    char *text = NULL;
    size_t length;
    const size_t i = find(a, key);
    if (i == a->n)
        return TVGP_OK;
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    double found;
    int read = tvgp__json_text_number(&j, &found) && ends(a, i, &j);
    if (!read) {
        TVGP__TRY(take_text(a, a->item[i].at, a->item[i].bare, &text, &length));
        read = length != SIZE_MAX && tvgp__iso_time_read(text, &found);
        tvgp__memory_free(a->ctx, text);
    }
    if (!read)
        return refuse(a, i, "a number or a time such as 2026-11-28T20:15:30Z");
    *t = found;
    return TVGP_OK;
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

int tvgp__store_arguments_is_list(const tvgp__store_arguments *a, const char *key) {
    const size_t i = find(a, key);
    return i < a->n && *a->item[i].at == '[';
}

/* Numbers under way. */
typedef struct numbers {
    double *x;
    size_t n, room, rows, each;
} numbers;

static tvgp_status take_row(const tvgp__store_arguments *a, size_t i, tvgp__json_text *j, numbers *l) {
    double value;
    if (tvgp__json_text_take(j, ']'))
        return TVGP_OK;
    do {
        (void)tvgp__json_text_is(j, '['); /* moves behind blanks */
        const char *at = j->at;
        if (!tvgp__json_text_number(j, &value))
            return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "%s[%zu] = %.*s must be a number", a->item[i].key, l->n,
                                   shown(at, 0), at);
        TVGP__TRY(tvgp__memory_reserve(a->ctx, l->n + 1, sizeof *l->x, &l->x, &l->room));
        l->x[l->n++] = value;
    } while (tvgp__json_text_take(j, ','));
    return tvgp__json_text_take(j, ']') ? TVGP_OK : refuse(a, i, "a list of numbers");
}

static tvgp_status take_rows(const tvgp__store_arguments *a, size_t i, tvgp__json_text *j, numbers *l) {
    do {
        const size_t before = l->n;
        if (!tvgp__json_text_take(j, '['))
            return refuse(a, i, "a list of lists of numbers");
        TVGP__TRY(take_row(a, i, j, l));
        if (!l->rows)
            l->each = l->n;
        if (l->n - before != l->each)
            return tvgp__error_set(a->ctx, TVGP_ERR_DIM, "%s[%zu] has %zu numbers, expected %zu as in %s[0]", a->item[i].key,
                                   l->rows, l->n - before, l->each, a->item[i].key);
        l->rows++;
    } while (tvgp__json_text_take(j, ','));
    return tvgp__json_text_take(j, ']') ? TVGP_OK : refuse(a, i, "a list of lists of numbers");
}

static tvgp_status take_list(const tvgp__store_arguments *a, size_t i, numbers *l) {
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    double value;
    if (!tvgp__json_text_take(&j, '[')) {
        if (!tvgp__json_text_number(&j, &value) || !ends(a, i, &j))
            return refuse(a, i, "a list of numbers");
        TVGP__TRY(tvgp__memory_reserve(a->ctx, 1, sizeof *l->x, &l->x, &l->room));
        l->x[l->n++] = value;
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__json_text_is(&j, '[') ? take_rows(a, i, &j, l) : take_row(a, i, &j, l));
    return ends(a, i, &j) ? TVGP_OK : refuse(a, i, "a list of numbers");
}

tvgp_status tvgp__store_arguments_list(const tvgp__store_arguments *a, const char *key, double **x, size_t *n,
                                       size_t *rows) {
    const size_t i = find(a, key);
    numbers l = {0};
    if (i == a->n)
        return TVGP_OK;
    tvgp_status status = take_list(a, i, &l);
    if (status == TVGP_OK && !l.x)
        status = tvgp__memory_alloc(a->ctx, 1, sizeof *l.x, &l.x);
    if (status < 0) {
        tvgp__memory_free(a->ctx, l.x);
        return status;
    }
    *x = l.x;
    *n = l.n;
    *rows = l.rows;
    return TVGP_OK;
}

/* ---- actions ---------------------------------------------------------------------------------------------------- */

static tvgp_status unknown_action(const tvgp__store_arguments *a, const struct tvgp__store_metadata *f, const char *text) {
    tvgp__nearest_name near = {.typed = text};
    const char *name = NULL;
    for (size_t i = 0; i < f->n_names; i++)
        tvgp__nearest_name_offer(&near, name = tvgp__store_metadata_next(f, name));
    return tvgp__nearest_name_unknown(a->ctx, "action", &near, "names=");
}

/* An action by its name, or its index in text. */
static tvgp_status find_action(const tvgp__store_arguments *a, const struct tvgp__store_metadata *f, size_t actions,
                               const char *text, int64_t *out) {
    long long index;
    const size_t named = tvgp__store_metadata_find(f, text);
    if (named < f->n_names)
        return (void)(*out = (int64_t)named), TVGP_OK;
    if (!tvgp__number_text_read_integer(text, &index) || (index < 0 && !f->names))
        return f->names ? unknown_action(a, f, text)
                        : tvgp__error_set(a->ctx, TVGP_ERR_NOTFOUND,
                                          "'%.*s' must be the index of an action, there are no names", shown(text, 1), text);
    if (index < 0 || (size_t)index >= actions)
        return tvgp__error_set(a->ctx, TVGP_ERR_NOTFOUND, "action %lld must be in 0..%zu", index, actions - 1);
    *out = (int64_t)index;
    return TVGP_OK;
}

/* An action of a list: a string or an index. */
static tvgp_status take_action(const tvgp__store_arguments *a, size_t i, tvgp__json_text *j,
                               const struct tvgp__store_metadata *f, size_t actions, int64_t *out) {
    char word[TVGP__JSON_TEXT_WORD], *text = NULL;
    size_t length;
    if (!tvgp__json_text_is(j, '"')) { /* moves behind blanks */
        const char *at = j->at;
        if (!tvgp__json_text_word(j, word))
            return tvgp__error_set(a->ctx, TVGP_ERR_ARG, "%s has %.*s, must be names or indices", a->item[i].key,
                                   shown(at, 0), at);
        return find_action(a, f, actions, word, out);
    }
    TVGP__TRY(take_text(a, j->at, 0, &text, &length));
    tvgp_status status = length == SIZE_MAX ? refuse(a, i, "a list of names or indices") : TVGP_OK;
    if (status == TVGP_OK)
        status = find_action(a, f, actions, text, out);
    tvgp__memory_free(a->ctx, text);
    (void)tvgp__json_text_string(j, NULL, 0, &length);
    return status;
}

/* A name or an index alone. */
static tvgp_status take_single(const tvgp__store_arguments *a, size_t i, const struct tvgp__store_metadata *f,
                               size_t actions, int64_t *out) {
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    char *text = NULL;
    size_t length;
    if (!a->item[i].bare)
        return take_action(a, i, &j, f, actions, out);
    TVGP__TRY(take_text(a, j.at, 1, &text, &length));
    const tvgp_status status = find_action(a, f, actions, text, out);
    tvgp__memory_free(a->ctx, text);
    return status;
}

static tvgp_status take_actions(const tvgp__store_arguments *a, size_t i, const struct tvgp__store_metadata *f,
                                size_t actions, int64_t **list, size_t *n) {
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    size_t room = 0;
    TVGP__TRY(tvgp__memory_reserve(a->ctx, 1, sizeof **list, list, &room));
    *n = 0;
    if (!tvgp__json_text_take(&j, '['))
        return (void)(*n = 1), take_single(a, i, f, actions, *list);
    if (!tvgp__json_text_is(&j, ']'))
        do {
            TVGP__TRY(tvgp__memory_reserve(a->ctx, *n + 1, sizeof **list, list, &room));
            TVGP__TRY(take_action(a, i, &j, f, actions, *list + *n));
            ++*n;
        } while (tvgp__json_text_take(&j, ','));
    return tvgp__json_text_take(&j, ']') && ends(a, i, &j) ? TVGP_OK : refuse(a, i, "a list of names or indices");
}

tvgp_status tvgp__store_arguments_actions(const tvgp__store_arguments *a, const char *key,
                                          const struct tvgp__store_metadata *f, size_t actions, int64_t **action,
                                          size_t *n) {
    const size_t i = find(a, key);
    int64_t *list = NULL;
    if (i == a->n)
        return TVGP_OK;
    const tvgp_status status = take_actions(a, i, f, actions, &list, n);
    if (status < 0)
        tvgp__memory_free(a->ctx, list);
    else
        *action = list;
    return status;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* Texts under way. */
typedef struct texts {
    char *at;
    size_t size, room, n;
} texts;

static tvgp_status add_text(const tvgp__store_arguments *a, texts *l, const char *text) {
    const size_t n = strlen(text) + 1;
    TVGP__TRY(tvgp__memory_reserve(a->ctx, l->size + n, 1, &l->at, &l->room));
    memcpy(l->at + l->size, text, n);
    l->size += n;
    l->n++;
    return TVGP_OK;
}

static tvgp_status take_one_text(const tvgp__store_arguments *a, size_t i, tvgp__json_text *j, int bare, texts *l) {
    char *text = NULL;
    size_t length;
    (void)tvgp__json_text_is(j, '"');
    TVGP__TRY(take_text(a, j->at, bare, &text, &length));
    const tvgp_status status = length == SIZE_MAX ? refuse(a, i, "a list of texts") : add_text(a, l, text);
    tvgp__memory_free(a->ctx, text);
    if (!bare)
        (void)tvgp__json_text_string(j, NULL, 0, &length);
    return status;
}

static tvgp_status take_texts(const tvgp__store_arguments *a, size_t i, texts *l) {
    tvgp__json_text j = {a->item[i].at, a->item[i].at};
    if (!tvgp__json_text_take(&j, '['))
        return take_one_text(a, i, &j, a->item[i].bare, l);
    do {
        TVGP__TRY(take_one_text(a, i, &j, 0, l));
    } while (tvgp__json_text_take(&j, ','));
    return tvgp__json_text_take(&j, ']') && ends(a, i, &j) ? TVGP_OK : refuse(a, i, "a list of texts");
}

tvgp_status tvgp__store_arguments_texts(const tvgp__store_arguments *a, const char *key, char **out, size_t *size,
                                        size_t *n) {
    const size_t i = find(a, key);
    texts l = {0};
    if (i == a->n)
        return TVGP_OK;
    const tvgp_status status = take_texts(a, i, &l);
    if (status < 0) {
        tvgp__memory_free(a->ctx, l.at);
        return status;
    }
    *out = l.at;
    *size = l.size;
    *n = l.n;
    return TVGP_OK;
}
