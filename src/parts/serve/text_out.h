/* SPDX-License-Identifier: MIT */
/* Text into a buffer that may be too small. */
#ifndef TVGP__PARTS_SERVE_TEXT_OUT_H
#define TVGP__PARTS_SERVE_TEXT_OUT_H

#include "base/error.h"

/* n counts the bytes that would be written; NULL at: capacity is 0. */
typedef struct tvgp__text_out {
    char *at;
    size_t n, capacity;
} tvgp__text_out;

void tvgp__text_out_add(tvgp__text_out *, const char *text);
void tvgp__text_out_add_bytes(tvgp__text_out *, size_t n, const char *bytes);
/* The fewest of 15 to 17 digits that restore the finite number, with a decimal point in every locale. */
void tvgp__text_out_add_number(tvgp__text_out *, double);
/* Ends the text by a NUL, where it fits; `needed` counts the NUL. BUFFER. */
tvgp_status tvgp__text_out_end(tvgp_ctx *, const tvgp__text_out *, size_t *needed);

#endif
