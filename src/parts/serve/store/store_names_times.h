/* SPDX-License-Identifier: MIT */
/* What a store knows of a policy apart from its state: names of actions, the workers that asked the pending queries, and the newest
 * times. It follows from description and lines, and is written in front of each snapshot. */
#ifndef TVGP__PARTS_SERVE_STORE_NAMES_TIMES_H
#define TVGP__PARTS_SERVE_STORE_NAMES_TIMES_H

#include "parts/serve/text_out.h"
#include "tvgp/event.h"

enum { TVGP__STORE_FACTS_TIMES = 65 };

struct tvgp__store_names_times {
    char *names; /* one behind the other, each ended by a NUL; NULL: there are none */
    size_t n_names, names_size;
    struct tvgp__store_names_times_name {
        const char *name;
        size_t action;
    } * sorted;     /* n_names, in order of the names */
    int64_t *asked; /* id and epoch of n_asked queries, in order of id */
    size_t n_asked, asked_room;
    double time[TVGP__STORE_FACTS_TIMES]; /* of the newest asks, in a ring */
    size_t n_times;                       /* in all */
    char *extensions;                     /* lines of the events that added actions, with line feeds between; NULL: none */
    size_t extensions_size;
};
typedef struct tvgp__store_names_times tvgp__store_names_times;

void tvgp__store_names_times_free(tvgp_ctx *, tvgp__store_names_times *);

/* The names of a description. NOMEM. */
tvgp_status tvgp__store_names_times_describe(tvgp_ctx *, tvgp__store_names_times *, const char *description);

/* After an event, its numbers and its line. NOMEM. */
tvgp_status tvgp__store_names_times_take(tvgp_ctx *, tvgp__store_names_times *, const tvgp_event *, const double *x,
                                         const char *line);

/* The first name and the one behind another; NULL: there are no names. */
const char *tvgp__store_names_times_next(const tvgp__store_names_times *, const char *before_or_null);

/* The action with this name; n_names: there is none. */
size_t tvgp__store_names_times_find(const tvgp__store_names_times *, const char *name);

/* The epoch in which a query was asked; 0: not known. */
int64_t tvgp__store_names_times_epoch(const tvgp__store_names_times *, int64_t id);

/* Forgets queries that are not among n pending ones, in order of id. */
void tvgp__store_names_times_prune(tvgp__store_names_times *, size_t n, const tvgp_query *pending);

/* Median step between the newest asks; 0: there are fewer than 8 steps. */
double tvgp__store_names_times_step(const tvgp__store_names_times *);

/* Epochs and times as one line of JSON, then extensions; and back, except for extensions, which are what follows *rest. FORMAT,
 * NOMEM. */
void tvgp__store_names_times_write(const tvgp__store_names_times *, tvgp__text_out *);
tvgp_status tvgp__store_names_times_read(tvgp_ctx *, tvgp__store_names_times *, const char *text, const char **rest);

#endif
