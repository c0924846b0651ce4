/* SPDX-License-Identifier: MIT */
/* Records which public function failed with which status, for tests/documented_errors.py. The linker redirects calls of
 * tvgp__error_set to the function below, which appends a line to a file in the directory $TVGP_ERROR_LOG and then reports the
 * error as usual. */
#include "base/error.h"
#include "base/number_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEN = 1024 };

tvgp_status __real_tvgp__error_set(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) TVGP__PRINTF(3, 4);
tvgp_status __wrap_tvgp__error_set(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) TVGP__PRINTF(3, 4);

static void record(const char *function, tvgp_status status) {
    static struct {
        const char *function;
        tvgp_status status;
    } seen[SEEN];
    static size_t n;
    const char *directory = getenv("TVGP_ERROR_LOG");
    if (!directory || !function)
        return;
    for (size_t i = 0; i < n; i++)
        if (seen[i].status == status && strcmp(seen[i].function, function) == 0)
            return;
    if (n == SEEN)
        return;
    seen[n].function = function, seen[n++].status = status;
    char path[1024];
    snprintf(path, sizeof path, "%s/%ld", directory, (long)getpid());
    FILE *log = fopen(path, "a");
    if (!log)
        return;
    fprintf(log, "%s %s\n", function, tvgp_status_name(status));
    fclose(log);
}

tvgp_status __wrap_tvgp__error_set(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) {
    const int saved = errno;
    record(ctx->function, status);
    errno = saved;
    char text[512];
    va_list args;
    va_start(args, format);
    tvgp__number_text_format(text, sizeof text, format, args);
    va_end(args);
    return __real_tvgp__error_set(ctx, status, "%s", text);
}
