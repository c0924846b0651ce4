/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tvgp COMMAND FILE [WORDS] [--json]\n"
    "  create FILE PLACE [OPTION=VALUE ..]   a new policy; PLACE says among what it chooses:\n"
    "                grid=FROM:TO:POINTS,..  box=FROM:TO[:whole],..  arms=X:Y,X:Y,..  names=A,B,..\n"
    "                policy=NAME (auto-gp-ucb), clock=steps|seconds, sense=max|min, options of the policy\n"
    "  ask FILE [--t T]                      what to try: ID and where; exit code 3: nothing yet\n"
    "  tell FILE ID Y [--noise V] [--t T]    what came of it\n"
    "  skip FILE ID                          nothing will come of it\n"
    "  observe FILE WHERE Y [--noise V] [--t T]   what nobody asked for\n"
    "  best FILE [--t T]                     what is believed best\n"
    "  show FILE [--html]                    what it was told, what it learned, what is open; as a page with pictures\n"
    "  why FILE [ID]                         why that was asked; without ID: the newest\n"
    "  history FILE [COUNT] [--csv]          what was asked and answered\n"
    "  metrics FILE                          statistics as OpenMetrics\n"
    "  replay [--data FILE.csv ..]           policies on recorded data: times x options (tvgp replay --help)\n"
    "Exit codes: 0, 1 refused (the file is as it was), 2 usage, 3 nothing to ask. More: man tvgp\n";

static const struct command {
    const char *name;
    int (*run)(const tool_call *);
    size_t least, most; /* words behind the file */
} commands[] = {
    {"create", tool_create, 1, SIZE_MAX},
    {"ask", tool_ask, 0, 0},
    {"tell", tool_tell, 2, 2},
    {"skip", tool_skip, 1, 1},
    {"observe", tool_observe, 2, SIZE_MAX},
    {"best", tool_best, 0, 0},
    {"show", tool_show, 0, 0},
    {"why", tool_why, 0, 1},
    {"history", tool_history, 0, 1},
    {"metrics", tool_metrics, 0, 0},
};

static const struct command *find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    tool_exit(TOOL_USAGE, "'%.40s' is no command (tvgp --help)", name);
}

/* The value of an option: behind = or the next word. */
static double value_of(const char *option, int argc, char **argv, int *i) {
    const char *equals = strchr(argv[*i], '=');
    const char *text = equals ? equals + 1 : *i + 1 < argc ? argv[++*i] : "";
    double value;
    if (!tool_number(text, &value))
        tool_exit(TOOL_USAGE, "--%s '%.40s' is not a number", option, text);
    return value;
}

static int is(const char *word, const char *option) {
    const size_t n = strlen(option);
    return strncmp(word + 2, option, n) == 0 && (!word[2 + n] || word[2 + n] == '=');
}

static void take_option(tool_call *call, int argc, char **argv, int *i) {
    const char *word = argv[*i];
    if (strcmp(word, "--json") == 0) {
        call->json = 1;
    } else if (strcmp(word, "--csv") == 0) {
        call->csv = 1;
    } else if (strcmp(word, "--html") == 0) {
        call->html = 1;
    } else if (is(word, "t")) {
        call->t = value_of("t", argc, argv, i);
        call->t_given = 1;
    } else if (is(word, "noise")) {
        call->noise = value_of("noise", argc, argv, i);
        call->noise_given = 1;
    } else {
        tool_exit(TOOL_USAGE, "'%.40s' is no option (tvgp --help)", word);
    }
}

int main(int argc, char **argv) {
    tool_call call = {0};
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "replay") == 0)
        return tool_replay(argc - 1, argv + 1);
    call.word = tool_alloc((size_t)(argc + 1) * sizeof *call.word);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            tool_exit_as_json();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return fputs(usage, stdout) < 0;
        if (strcmp(argv[i], "--version") == 0)
            return printf("tvgp %s\n", tvgp_version()) < 0;
        if (strncmp(argv[i], "--", 2) == 0)
            take_option(&call, argc, argv, &i);
        else if (!name)
            name = argv[i];
        else if (!call.path)
            call.path = argv[i];
        else
            call.word[call.words++] = argv[i];
    }
    if (!name || !call.path) {
        fputs(usage, stderr);
        return TOOL_USAGE;
    }
    const struct command *command = find(name);
    if (call.words < command->least || call.words > command->most)
        tool_exit(TOOL_USAGE, "%s: too %s words (tvgp --help)", name, call.words < command->least ? "few" : "many");
    const int code = command->run(&call);
    free(call.word);
    return code;
}
