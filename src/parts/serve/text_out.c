/* SPDX-License-Identifier: MIT */
/* Text into a buffer that may be too small (parts/serve/text_out.h). */
#include "parts/serve/text_out.h"

#include "base/number_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 40 };

void tvgp__text_out_add_bytes(tvgp__text_out *out, size_t n, const char *bytes) {
    if (out->n < out->capacity)
        memcpy(out->at + out->n, bytes, n < out->capacity - out->n ? n : out->capacity - out->n);
    out->n += n;
}

void tvgp__text_out_add(tvgp__text_out *out, const char *text) {
    tvgp__text_out_add_bytes(out, strlen(text), text);
}

void tvgp__text_out_add_number(tvgp__text_out *out, double value) {
    char digits[LONGEST_NUMBER];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    tvgp__number_text_delocalise(digits);
    tvgp__text_out_add(out, digits);
}

tvgp_status tvgp__text_out_end(tvgp_ctx *ctx, const tvgp__text_out *out, size_t *needed) {
    *needed = out->n + 1;
    if (out->at && out->capacity < *needed)
        return tvgp__error_set(ctx, TVGP_ERR_BUFFER, "capacity = %zu, needed are %zu bytes", out->capacity, *needed);
    if (out->at)
        out->at[out->n] = '\0';
    return TVGP_OK;
}
