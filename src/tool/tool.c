/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tvgp COMMAND FILE [ARGUMENTS] [--json]\n"
    "  create FILE DOMAIN [OPTION=VALUE ..]   a new policy that chooses among the actions of DOMAIN:\n"
    "                grid=FROM:TO:POINTS,..  box=FROM:TO[:integer],..  arms=X:Y,X:Y,..  names=A,B,..\n"
    "                policy=NAME (auto-gp-ucb), a kernel (se=L), clock=steps|seconds, sense=max|min, options of the "
    "policy;\n"
    "                history=TABLE.csv: historical data; at_most=V or at_least=V: a constraint, safe=POINT,..\n"
    "  create FILE [OPTION=VALUE ..] --fleet FILE..   a new policy with a prior from the outcomes in other files\n"
    "  learn FILE TABLE.csv                  historical data: times x options, the newest row last\n"
    "  ask FILE [--t T] [--candidates ROWS.csv] [--slate K]   the next query: ID and action; exit code 3: none now\n"
    "  shares FILE [--draws N] [--power K] [--floor F] [--t T]   shares of traffic, and the probability to be best\n"
    "  estimate FILE --uniform | --arm NAME | --policy DESCRIPTION [--half-life H]   value of another rule\n"
    "  charge FILE ID COST                   the actual cost of a query (create .. budget= period= asks= costs=)\n"
    "  tell FILE ID Y[/EXPOSURE] [OUTPUT ..] [--noise V] [--t T] [--output K] [--reference R] [--partial]   its outcome\n"
    "  skip FILE ID                          the query will have no outcome\n"
    "  observe FILE POINT Y[/EXPOSURE] [OUTPUT ..] [--noise V] [--t T] [--reference R]   an unsolicited observation\n"
    "  observe FILE --csv LOG.csv [--noise V]   the same from a table: time (may be left out), POINT, Y, OUTPUT ..\n"
    "  best FILE [--t T]                     the action with the best posterior mean\n"
    "  show FILE [--html]                    observations, learned parameters, pending queries; as a page with figures\n"
    "  why FILE [ID]                         the reason for a query; without ID: for the newest\n"
    "  log FILE [COUNT] [--csv]              queries and outcomes\n"
    "  metrics FILE [KIND]                   statistics as OpenMetrics: headline, learned, counter, diagnostic; all\n"
    "  options [POLICY]                      the policies, or the options of one\n"
    "  replay [--data FILE.csv ..]           policies on recorded data: times x options (tvgp replay --help)\n"
    "Exit codes: 0, 1 refused (the file is unchanged), 2 usage, 3 nothing to ask. More: man tvgp\n";

/* Options that some commands take. */
enum {
    CSV = 1,
    HTML = 2,
    TIME = 4,
    NOISE = 8,
    OUTPUT = 16,
    AMONG = 32,
    FLEET = 64,
    REFERENCE = 128,
    SLATE = 256,
    SHARES = 512,
    TARGET = 1024,
    PARTIAL = 2048
};

static const struct command {
    const char *name;
    int (*run)(const tool_call *);
    size_t least, most; /* words behind the file */
    unsigned options;
} commands[] = {
    {"create", tool_create, 0, SIZE_MAX, FLEET},
    {"learn", tool_learn, 1, 1, 0},
    {"ask", tool_ask, 0, 0, TIME | AMONG | SLATE},
    {"shares", tool_shares, 0, 0, TIME | SHARES},
    {"estimate", tool_estimate, 0, 0, TARGET},
    {"charge", tool_charge, 2, 2, 0},
    {"tell", tool_tell, 2, SIZE_MAX, TIME | NOISE | OUTPUT | REFERENCE | PARTIAL},
    {"skip", tool_skip, 1, 1, 0},
    {"observe", tool_observe, 1, SIZE_MAX, TIME | NOISE | CSV | REFERENCE},
    {"best", tool_best, 0, 0, TIME},
    {"show", tool_show, 0, 0, TIME | HTML},
    {"why", tool_why, 0, 1, 0},
    {"log", tool_records, 0, 1, CSV},
    {"metrics", tool_metrics, 0, 1, 0},
    {"options", tool_options, 0, 0, 0},
};

static const struct command *find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    tool_exit(TOOL_USAGE, "'%.40s' is no command (tvgp --help)", name);
}

/* The value of an option: behind = or the next word. */
static const char *value_of(const char *option, int argc, char **argv, int *i) {
    const char *equals = strchr(argv[*i], '=');
    if (!equals && *i + 1 >= argc)
        tool_exit(TOOL_USAGE, "--%s: its value is missing", option);
    return equals ? equals + 1 : argv[++*i];
}

static double number_of(const char *option, int argc, char **argv, int *i) {
    const char *text = value_of(option, argc, argv, i);
    double value;
    if (!tool_number(text, &value))
        tool_exit(TOOL_USAGE, "--%s '%.40s' is not a number", option, text);
    return value;
}

static int64_t count_of(const char *option, int argc, char **argv, int *i) {
    const char *text = value_of(option, argc, argv, i);
    int64_t value;
    if (!tool_whole(text, &value) || value < 1)
        tool_exit(TOOL_USAGE, "--%s '%.40s' is no count", option, text);
    return value;
}

static int is(const char *word, const char *option) {
    const size_t n = strlen(option);
    return strncmp(word + 2, option, n) == 0 && (!word[2 + n] || word[2 + n] == '=');
}

/* Which of the options it is. */
static unsigned take_option(tool_call *call, int argc, char **argv, int *i) {
    const char *word = argv[*i];
    if (strcmp(word, "--json") == 0)
        return 0; /* known already */
    if (strcmp(word, "--csv") == 0)
        return (void)(call->csv = 1), CSV;
    if (strcmp(word, "--html") == 0)
        return (void)(call->html = 1), HTML;
    if (strcmp(word, "--partial") == 0)
        return (void)(call->partial = 1), PARTIAL;
    if (is(word, "t"))
        return (void)(call->t = number_of("t", argc, argv, i), call->t_given = 1), TIME;
    if (is(word, "noise"))
        return (void)(call->noise = number_of("noise", argc, argv, i), call->noise_given = 1), NOISE;
    if (is(word, "reference"))
        return (void)(call->reference = number_of("reference", argc, argv, i), call->reference_given = 1), REFERENCE;
    if (is(word, "slate"))
        return (void)(call->slate = count_of("slate", argc, argv, i)), SLATE;
    if (is(word, "draws"))
        return (void)(call->draws = count_of("draws", argc, argv, i)), SHARES;
    if (is(word, "power"))
        return (void)(call->power = number_of("power", argc, argv, i)), SHARES;
    if (is(word, "floor"))
        return (void)(call->floor = number_of("floor", argc, argv, i)), SHARES;
    if (strcmp(word, "--uniform") == 0)
        return (void)(call->uniform = 1), TARGET;
    if (is(word, "arm"))
        return (void)(call->arm = value_of("arm", argc, argv, i)), TARGET;
    if (is(word, "policy"))
        return (void)(call->policy = value_of("policy", argc, argv, i)), TARGET;
    if (is(word, "half-life"))
        return (void)(call->half_life = number_of("half-life", argc, argv, i)), TARGET;
    if (is(word, "output"))
        return (void)(call->output = value_of("output", argc, argv, i)), OUTPUT;
    if (is(word, "candidates"))
        return (void)(call->among = value_of("candidates", argc, argv, i)), AMONG;
    tool_exit(TOOL_USAGE, "'%.40s' is no option (tvgp --help)", word);
}

/* Words and options; which options there were. --fleet takes the words that are left, and nothing behind -- is an option. */
static unsigned take_words(tool_call *call, const char **name, int argc, char **argv) {
    unsigned options = 0;
    int plain = 0;
    for (int i = 1; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0)
            plain = 1;
        else if (!plain && strcmp(argv[i], "--fleet") == 0)
            options |= FLEET, call->fleet = argv + i + 1, call->fleets = (size_t)(argc - i - 1), i = argc;
        else if (!plain && strncmp(argv[i], "--", 2) == 0)
            options |= take_option(call, argc, argv, &i);
        else if (!*name)
            *name = argv[i];
        else if (!call->path)
            call->path = argv[i];
        else
            call->word[call->words++] = argv[i];
    }
    return options;
}

/* --help, --version and --json count wherever they are, but not behind --. */
static int given(int argc, char **argv, const char *option) {
    int i = 1;
    while (i < argc && strcmp(argv[i], option) != 0 && strcmp(argv[i], "--") != 0)
        i++;
    return i < argc && strcmp(argv[i], option) == 0;
}

int main(int argc, char **argv) {
    tool_call call = {.draws = 1024, .power = 2, .half_life = INFINITY};
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "replay") == 0)
        return tool_replay(argc - 1, argv + 1);
    if (given(argc, argv, "--help"))
        return fputs(usage, stdout) < 0;
    if (given(argc, argv, "--version"))
        return printf("tvgp %s\n", tvgp_version()) < 0;
    call.json = given(argc, argv, "--json");
    if (call.json)
        tool_exit_as_json();
    call.word = tool_alloc((size_t)(argc + 1) * sizeof *call.word);
    const unsigned options = take_words(&call, &name, argc, argv);
    const int needs_file = !name || strcmp(name, "options") != 0;
    if (!name || (needs_file && (!call.path || !*call.path))) {
        fputs(usage, stderr);
        return TOOL_USAGE;
    }
    const struct command *command = find(name);
    if (call.words < command->least || call.words > command->most)
        tool_exit(TOOL_USAGE, "%s: too %s words (tvgp --help)", name, call.words < command->least ? "few" : "many");
    if (options & ~command->options)
        tool_exit(TOOL_USAGE, "%s does not take one of its options (tvgp --help)", name);
    const int code = command->run(&call);
    free(call.word);
    return code;
}
