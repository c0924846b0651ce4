/* SPDX-License-Identifier: MIT */
/* The command line of sensor_replay. */
#ifndef REPLAY_ARGUMENTS_H
#define REPLAY_ARGUMENTS_H

#include "settings.h"

/* What the program is called: `tvgp replay` has the same main. */
#ifndef REPLAY_NAME
#define REPLAY_NAME "sensor_replay"
#endif

enum { REPLAY_MAX_POLICIES = 32, REPLAY_BAD_INPUT = 2 /* exit code */ };

typedef struct replay_arguments {
    const char *data; /* NULL: the simulated room */
    size_t train;     /* rows; 0: 75 % */
    size_t period;    /* rows in which the data repeat, such as the rows of a day; 0: not known */
    const char *policies[REPLAY_MAX_POLICIES];
    size_t n_policies;
    int chosen; /* by --policy: nothing else is played */
    settings defaults, sets;
    int64_t seed;
    int csv;
} replay_arguments;

/* Ends the program on --help and on anything it does not understand. */
void replay_arguments_parse(int argc, char **argv, replay_arguments *args);

#endif
