/* SPDX-License-Identifier: MIT */
/* What a store knows of a policy apart from its state: names of actions, the workers that asked the pending queries, and the newest
 * times. It follows from description and lines, and is written in front of each snapshot. */
#ifndef TVGP__PARTS_SERVE_STORE_METADATA_H
#define TVGP__PARTS_SERVE_STORE_METADATA_H

#include "parts/serve/text_out.h"
#include "tvgp/event.h"

enum { TVGP__STORE_FACTS_TIMES = 65 };

struct tvgp__store_metadata {
    char *names; /* one behind the other, each ended by a NUL; NULL: there are none */
    size_t n_names, names_size;
    struct tvgp__store_metadata_name {
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
typedef struct tvgp__store_metadata tvgp__store_metadata;

void tvgp__store_metadata_free(tvgp_ctx *, tvgp__store_metadata *);

/* The names of a description. NOMEM. */
tvgp_status tvgp__store_metadata_describe(tvgp_ctx *, tvgp__store_metadata *, const char *description);

/* After an event, its numbers and its line. NOMEM. */
tvgp_status tvgp__store_metadata_take(tvgp_ctx *, tvgp__store_metadata *, const tvgp_event *, const double *x,
                                      const char *line);

/* The first name and the one behind another; NULL: there are no names. */
const char *tvgp__store_metadata_next(const tvgp__store_metadata *, const char *before_or_null);

/* The action with this name; n_names: there is none. */
size_t tvgp__store_metadata_find(const tvgp__store_metadata *, const char *name);

/* The epoch in which a query was asked; 0: not known. */
int64_t tvgp__store_metadata_epoch(const tvgp__store_metadata *, int64_t id);

/* Forgets queries that are not among n pending ones, in order of id. */
void tvgp__store_metadata_prune(tvgp__store_metadata *, size_t n, const tvgp_query *pending);

/* Median step between the newest asks; 0: there are fewer than 8 steps. */
double tvgp__store_metadata_step(const tvgp__store_metadata *);

/* Epochs and times as one line of JSON, then extensions; and back, except for extensions, which are what follows *rest. FORMAT,
 * NOMEM. */
void tvgp__store_metadata_write(const tvgp__store_metadata *, tvgp__text_out *);
tvgp_status tvgp__store_metadata_read(tvgp_ctx *, tvgp__store_metadata *, const char *text, const char **rest);

#endif
