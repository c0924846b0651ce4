/* SPDX-License-Identifier: MIT */
#include "replay_arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const comparison_set[] = {"auto-gp-ucb", "tv-gp-ucb", "r-gp-ucb", "ui-gp-ucb", "et-gp-ucb", "gp-ucb"};

static const char *const default_sets[] = {"noise=0.01", "width.c1=0.8", "width.c2=0.4", "epsilon=0.03", "reset.every=15"};

static const char usage[] =
    "usage: " REPLAY_NAME " [options]\n"
    "  --data FILE      CSV of times x arms with a header line; blank = the arm has no value at that time\n"
    "                   (default: eight days of a simulated room with 36 thermometers)\n"
    "  --train N        rows used for training (default: 75 %)\n"
    "  --period N       rows of a day, or of another period, which is looked for otherwise: of the model from the log\n"
    "                   and of the table `best arm of the hour in the training rows` (of each 24th of a period)\n"
    "  --policy NAME    a policy to play; may be given several times (default: auto-gp-ucb told the training rows,\n"
    "                   then, told their covariance only, those that follow change, beside gp-ucb)\n"
    "  --set KEY=VALUE  an option, for those of the policies that have it; may be given several times (default:\n"
    "                   noise=0.01 width.c1=0.8 width.c2=0.4 epsilon=0.03 reset.every=15)\n"
    "  --seed N         seed of the policies and of the simulated room (default: 1)\n"
    "  --csv            print the table as CSV\n"
    "  --help           this text\n";

static _Noreturn void refuse(const char *option, const char *value, const char *reason) {
    fprintf(stderr, REPLAY_NAME ": %s %s: %s (see --help)\n", option, value, reason);
    exit(REPLAY_BAD_INPUT);
}

static int64_t parse_integer(const char *option, const char *text, int64_t least) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        refuse(option, text, "not an integer");
    if (value < least)
        refuse(option, text, "too small");
    return value;
}

static void take(replay_arguments *args, const char *option, const char *value) {
    if (strcmp(option, "--data") == 0) {
        args->data = value;
    } else if (strcmp(option, "--train") == 0) {
        args->train = (size_t)parse_integer(option, value, 2);
    } else if (strcmp(option, "--period") == 0) {
        args->period = (size_t)parse_integer(option, value, 1);
    } else if (strcmp(option, "--seed") == 0) {
        args->seed = parse_integer(option, value, 0);
    } else if (strcmp(option, "--policy") == 0) {
        if (args->n_policies == REPLAY_MAX_POLICIES)
            refuse(option, value, "too many policies");
        args->policies[args->n_policies++] = value;
        args->chosen = 1;
    } else if (strcmp(option, "--set") == 0) {
        if (strncmp(value, "seed=", 5) == 0)
            refuse(option, value, "use --seed");
        if (settings_add(&args->sets, value))
            refuse(option, value, "not KEY=VALUE, or too many");
    } else {
        refuse(option, value, "unknown option");
    }
}

void replay_arguments_parse(int argc, char **argv, replay_arguments *args) {
    *args = (replay_arguments){.seed = 1};
    for (size_t i = 0; i < sizeof default_sets / sizeof *default_sets; i++)
        settings_add(&args->defaults, default_sets[i]);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        } else if (strcmp(argv[i], "--csv") == 0) {
            args->csv = 1;
        } else if (i + 1 == argc) {
            refuse(argv[i], "", "unknown option, or one without its value");
        } else {
            take(args, argv[i], argv[i + 1]);
            i++;
        }
    }
    if (args->n_policies)
        return;
    args->n_policies = sizeof comparison_set / sizeof *comparison_set;
    memcpy(args->policies, comparison_set, sizeof comparison_set);
}
