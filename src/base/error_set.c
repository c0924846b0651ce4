/* SPDX-License-Identifier: MIT */
/* Stores status and message of an error in the context, cut at a whole character. No other function is here, so that the linker can redirect
 * every call in a test program (tests/error_log.c). */
#include "base/error.h"
#include "base/number_text.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of the character at `text`; 0: it is not whole. */
static int whole_length(const unsigned char *text) {
    const int n = *text < 0x80 ? 1 : *text < 0xc2 || *text > 0xf4 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
    for (int i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

void tvgp__error_set_whole(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        int n = whole_length((const unsigned char *)from);
        from += n == 0;
        while (n-- > 0)
            *to++ = *from++;
    }
    *to = '\0';
}

tvgp_status tvgp__error_set_bare(tvgp_ctx *ctx, tvgp_status status) {
    snprintf(ctx->errmsg, sizeof ctx->errmsg, "%s", ctx->function ? ctx->function : "");
    return status;
}

tvgp_status(tvgp__error_set)(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) {
    int used = ctx->function ? snprintf(ctx->errmsg, sizeof ctx->errmsg, "%s: ", ctx->function) : 0;
    if (used >= 0 && (size_t)used < sizeof ctx->errmsg) {
        va_list args;
        va_start(args, format);
        tvgp__number_text_format(ctx->errmsg + used, sizeof ctx->errmsg - (size_t)used, format, args);
        va_end(args);
        tvgp__error_set_whole(ctx->errmsg);
    }
    return status;
}
