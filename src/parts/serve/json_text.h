/* SPDX-License-Identifier: MIT */
/* Reading JSON: a cursor that looks at each byte once, recurses nowhere and allocates nothing, so that texts may come from untrusted
 * users. Functions return 0 where the text is something else; the cursor is then where it does not go on. */
#ifndef TVGP__PARTS_SERVE_JSON_TEXT_H
#define TVGP__PARTS_SERVE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { TVGP__JSON_TEXT_WORD = 40 }; /* bytes of the longest number, its NUL included */

typedef struct tvgp__json_text {
    const char *begin, *at;
} tvgp__json_text;

/* Whether this character follows, after blanks; take moves behind it. */
int tvgp__json_text_is(tvgp__json_text *, char wanted);
int tvgp__json_text_take(tvgp__json_text *, char wanted);

/* Whether only blanks follow. */
int tvgp__json_text_at_end(tvgp__json_text *);

/* A string in UTF-8: what fits of it to out, ended by a NUL (out NULL: size 0). *length: of the whole. */
int tvgp__json_text_string(tvgp__json_text *, char *out, size_t size, size_t *length);

/* The characters of a number, a name such as null, or a string with one. */
int tvgp__json_text_word(tvgp__json_text *, char out[TVGP__JSON_TEXT_WORD]);

/* A number, or a string with one; "inf" and "-inf" too. */
int tvgp__json_text_number(tvgp__json_text *, double *value);
int tvgp__json_text_integer(tvgp__json_text *, int64_t *value);

/* Moves behind any value. Brackets are counted, not matched. */
int tvgp__json_text_skip(tvgp__json_text *);

#endif
