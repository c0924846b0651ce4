/* SPDX-License-Identifier: MIT */
/* Times of calls of a store. */
#ifndef TVGP__PARTS_SERVE_STORE_TIME_H
#define TVGP__PARTS_SERVE_STORE_TIME_H

#include "parts/serve/store/store_common.h"

/* Whether a description has a word that begins so. */
int tvgp__store_time_has_word(const char *description, const char *begin);

/* The argument t, or the time of the store. ARG: it is missing, or implausibly far after the newest time. */
tvgp_status tvgp__store_time_of(tvgp_store *, double *t);

/* The same where a call has no time of its own: *given is 0. */
tvgp_status tvgp__store_time_given(tvgp_store *, double *t, int *given);

/* For questions: at least the newest time. */
tvgp_status tvgp__store_time_look(tvgp_store *, double *t);

#endif
