/* SPDX-License-Identifier: MIT */
/* Policy options given as text, KEY=VALUE, for policies of any name. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <tvgp.h>

enum { SETTINGS_MAX = 32, SETTINGS_KEY_SIZE = 64 };

typedef struct setting {
    char key[SETTINGS_KEY_SIZE];
    const char *value; /* borrowed */
    int used;          /* some policy has the key */
} setting;

typedef struct settings {
    setting entry[SETTINGS_MAX];
    size_t n;
} settings;

/* Appends text (kept by the caller); -1 when it is not KEY=VALUE or the list is full. */
int settings_add(settings *list, const char *text);

/* Sets, in order, the options whose key the policy has, as the type it lists for them. The library's status and message. */
tvgp_status settings_apply(settings *list, tvgp_policy *policy);

/* What the policy says to the first key that no policy had so far; TVGP_OK when there is none. */
tvgp_status settings_refuse_unused(const settings *list, tvgp_policy *policy);

#endif
