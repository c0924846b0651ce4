/* SPDX-License-Identifier: MIT */
/* Policy options given as text, KEY=VALUE, to several policies of which some have them and some have not. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <tvgp.h>

enum { SETTINGS_MAX = 32, SETTINGS_SIZE = 64 /* for who writes such a text */ };

typedef struct settings {
    const char *text[SETTINGS_MAX]; /* borrowed */
    int used[SETTINGS_MAX];         /* some policy has the key */
    size_t n;
} settings;

/* Appends text (kept by the caller); -1 when it is not KEY=VALUE or the list is full. */
int settings_add(settings *list, const char *text);

/* Sets, in order, the options whose key the policy has. The library's status and message. */
tvgp_status settings_apply(settings *list, tvgp_policy *policy);

/* What the policy says to the first key that no policy had so far; TVGP_OK when there is none. */
tvgp_status settings_refuse_unused(const settings *list, tvgp_policy *policy);

#endif
