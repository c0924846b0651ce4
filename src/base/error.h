/* SPDX-License-Identifier: MIT */
/* The error record: one message per context, written where the failure is found. */
#ifndef TVGP__BASE_ERROR_H
#define TVGP__BASE_ERROR_H

#include "base/context.h"

/* Records "function: text" and returns `status`, so that a failure is one statement. */
tvgp_status tvgp__error_set(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) TVGP__PRINTF(3, 4);

/* Records the function alone. */
tvgp_status tvgp__error_set_bare(tvgp_ctx *ctx, tvgp_status status);

#ifdef TVGP__WITHOUT_MESSAGES
#define tvgp__error_set(ctx, status, ...)                                                                                   \
    (0 ? (tvgp__error_set)(ctx, status, __VA_ARGS__) : tvgp__error_set_bare(ctx, status))
#endif

/* Removes from a text that was cut the bytes that belong to no whole character of UTF-8 (RFC 3629). */
void tvgp__error_set_whole(char *text);

/* Said by a place that goes on without what failed: the call it is part of may succeed, and has no error text then. */
void tvgp__error_forget(tvgp_ctx *ctx, tvgp_status status);

/* Around each call of a function of the user's, which may call the library itself: the public function under way. When it resumes,
 * messages are its own again, and what the user's function saw fail is none of its failures. */
const char *tvgp__error_pause(const tvgp_ctx *ctx);
void tvgp__error_resume(tvgp_ctx *ctx, const char *function);

/* Returns the status of a callback by the value it returned: OK, a status of its own (-1000..-1999), or CALLBACK. */
tvgp_status tvgp__error_status(int32_t returned);
tvgp_status tvgp__error_returned(tvgp_ctx *ctx, const char *what, int32_t returned); /* and says so: "what returned 5" */

/* Says whether a failure is independent of what was tried: memory, a quota, an interruption, a status of a callback. */
int tvgp__error_passes(const tvgp_ctx *ctx, tvgp_status status);

/* Called between blocks of long work: INTERRUPTED if the interrupt function asks for it. Callers can therefore fail.
 */
tvgp_status tvgp__error_interrupted(tvgp_ctx *ctx);

/* The checks nearly every entry makes: NONFINITE naming argument, position and value. */
tvgp_status tvgp__error_finite(tvgp_ctx *ctx, const char *argument, size_t n, const double *values);

/* NONFINITE, or ARG unless value > 0 (`zero_allowed`: >= 0). */
tvgp_status tvgp__error_positive(tvgp_ctx *ctx, const char *argument, double value, int zero_allowed);

#define TVGP__TRY(expression)                                                                                               \
    do {                                                                                                                    \
        tvgp_status try_status_ = (expression);                                                                             \
        if (try_status_ < 0)                                                                                                \
            return try_status_;                                                                                             \
    } while (0)

#endif
