/* SPDX-License-Identifier: MIT */
/* Arguments of a call of a store: keys with values, each JSON or a bare text. Every getter leaves its result as it is where the argument
 * is not given or null. Messages name the argument and show its text. */
#ifndef TVGP__PARTS_SERVE_STORE_ARGUMENTS_H
#define TVGP__PARTS_SERVE_STORE_ARGUMENTS_H

#include "base/context.h"

enum { TVGP__STORE_ARGUMENTS_MOST = 16, TVGP__STORE_ARGUMENTS_KEY = 24 };

/* Texts are borrowed. */
typedef struct tvgp__store_arguments {
    tvgp_ctx *ctx;
    size_t n;
    struct {
        char key[TVGP__STORE_ARGUMENTS_KEY];
        const char *at;
        int bare; /* the value is the whole text, otherwise JSON inside a longer one */
    } item[TVGP__STORE_ARGUMENTS_MOST];
} tvgp__store_arguments;

/* Names of actions (store_metadata.h). */
struct tvgp__store_metadata;

/* Reads n arguments, of which a NULL key stands for an object. `known` lists all keys, with blanks between. NOTFOUND, ARG. */
tvgp_status tvgp__store_arguments_read(tvgp__store_arguments *, tvgp_ctx *, const char *known, size_t n,
                                       const char *const *keys, const char *const *values);

/* A key or call in small letters, as far as there is room. */
void tvgp__store_arguments_lower(const char *word, char key[TVGP__STORE_ARGUMENTS_KEY]);

/* Reads n words: the first `required` keys of `known` have a word each, then names of keys, in any case, have one. ARG. */
tvgp_status tvgp__store_arguments_read_words(tvgp__store_arguments *, tvgp_ctx *, const char *known, size_t required,
                                             size_t n, const char *const *words);

int tvgp__store_arguments_given(const tvgp__store_arguments *, const char *key);
tvgp_status tvgp__store_arguments_need(const tvgp__store_arguments *, const char *key);

/* A number, `inf` included. */
tvgp_status tvgp__store_arguments_number(const tvgp__store_arguments *, const char *key, double *value);
tvgp_status tvgp__store_arguments_integer(const tvgp__store_arguments *, const char *key, int64_t least, int64_t most,
                                          int64_t *value);
/* true or false; 1 or 0, as stores without booleans have them. */
tvgp_status tvgp__store_arguments_flag(const tvgp__store_arguments *, const char *key, int *value);
/* A number, or a text of ISO 8601. */
tvgp_status tvgp__store_arguments_time(const tvgp__store_arguments *, const char *key, double *t);
/* A text, which is to be freed with base/memory. */
tvgp_status tvgp__store_arguments_text(const tvgp__store_arguments *, const char *key, char **out);

/* Numbers of a list, or of a list of `*rows` lists of equal length; to be freed. *rows is 0 for a plain list. A number alone is a list of
 * one. */
tvgp_status tvgp__store_arguments_list(const tvgp__store_arguments *, const char *key, double **x, size_t *n, size_t *rows);

/* Whether the value is a list. */
int tvgp__store_arguments_is_list(const tvgp__store_arguments *, const char *key);

/* Actions, by names of the facts or by index below `actions`; a bare text is one action. To be freed. */
tvgp_status tvgp__store_arguments_actions(const tvgp__store_arguments *, const char *key,
                                          const struct tvgp__store_metadata *, size_t actions, int64_t **action, size_t *n);

/* Texts of a list, or one bare text: n of them, each ended by a NUL, of `size` bytes; to be freed. */
tvgp_status tvgp__store_arguments_texts(const tvgp__store_arguments *, const char *key, char **out, size_t *size, size_t *n);

#endif
