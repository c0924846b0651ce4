/* SPDX-License-Identifier: MIT */
/* The names of new actions in an event: the text "D,E", one number for each byte, behind the other numbers. */
#ifndef TVGP__PARTS_SERVE_EVENT_NAMES_H
#define TVGP__PARTS_SERVE_EVENT_NAMES_H

#include "tvgp/event.h"

/* How many of the event's numbers are bytes of names. */
size_t tvgp__event_names_bytes(const tvgp_event *);
/* Whether n_bytes numbers are n names with commas between, none of them empty or with a blank. */
int tvgp__event_names_valid(const double *byte, size_t n_bytes, size_t n);

#endif
