/* SPDX-License-Identifier: MIT */
/* Times of calls of a store (parts/serve/store/store_time.h). */
#include "parts/serve/store/store_time.h"

#include "base/error.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <string.h>

static const double plausible_steps = 1000;

int tvgp__store_time_has_word(const char *description, const char *begin) {
    for (const char *at = description; (at = strstr(at, begin)) != NULL; at++)
        if (at == description || strchr(" \t\r\n\v\f", at[-1]))
            return 1;
    return 0;
}

/* A time in another unit, such as milliseconds, would move the clock so far that later times have no meaning. Where the clock runs with
 * that of the store, a pause is no such time. */
static tvgp_status check(const tvgp_store *s, double t) {
    const double newest = s->copy->policy->clock, step = tvgp__store_metadata_step(&s->copy->facts);
    if (!isfinite(newest) || !(step > 0) || tvgp__store_time_has_word(s->row.description, "time.max_step="))
        return TVGP_OK;
    const double now = s->type.now ? s->type.now(s->user) : newest;
    const double from = now > newest && newest > now / 2 ? now : newest;
    if (!(t - from > plausible_steps * step))
        return TVGP_OK;
    return tvgp__error_set(s->ctx, TVGP_ERR_ARG,
                           "t = %.17g must be at most %.17g, 1000 median steps after the newest time; time.max_step in the "
                           "description changes this",
                           t, from + plausible_steps * step);
}

tvgp_status tvgp__store_time_given(tvgp_store *s, double *t, int *given) {
    *given = tvgp__store_arguments_given(&s->arguments, "t");
    if (!*given)
        return TVGP_OK;
    TVGP__TRY(tvgp__store_arguments_time(&s->arguments, "t", t));
    return check(s, *t);
}

static tvgp_status own(const tvgp_store *s, double *t) {
    if (!s->type.now)
        return tvgp__store_arguments_need(&s->arguments, "t");
    *t = s->type.now(s->user);
    return TVGP_OK;
}

tvgp_status tvgp__store_time_of(tvgp_store *s, double *t) {
    int given;
    TVGP__TRY(tvgp__store_time_given(s, t, &given));
    return given ? TVGP_OK : own(s, t);
}

tvgp_status tvgp__store_time_look(tvgp_store *s, double *t) {
    const double newest = s->copy->policy->clock;
    if (tvgp__store_arguments_given(&s->arguments, "t"))
        TVGP__TRY(tvgp__store_arguments_time(&s->arguments, "t", t));
    else
        TVGP__TRY(own(s, t));
    *t = *t < newest ? newest : *t;
    return TVGP_OK;
}
