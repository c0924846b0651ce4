/* SPDX-License-Identifier: MIT */
/* tvgp(1): a policy stored in a file, for shells, cron, make and languages without a binding (tool/tool.h). */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    COLUMNS = 2048,
    AVAILABLE = 4096,
    ALL = 8192,
    PARTIAL = 16384,
    DRAWS = 32768
};

#define AT(member) offsetof(tool_call, member)

static const tool_option options[] = {
    {"json", NULL, 0, TOOL_FLAG, AT(json), 0, "print JSON"},
    {"csv", NULL, CSV, TOOL_FLAG, AT(csv), 0, "a table: read it, or print one"},
    {"html", NULL, HTML, TOOL_FLAG, AT(html), 0, "a page with figures"},
    {"t", "T", TIME, TOOL_NUMBER, AT(t), AT(t_given), "the time"},
    {"noise", "V", NOISE, TOOL_NUMBER, AT(noise), AT(noise_given), "noise variance of the outcome"},
    {"reference", "R", REFERENCE, TOOL_NUMBER, AT(reference), AT(reference_given), "outcome of the reference"},
    {"partial", NULL, PARTIAL, TOOL_FLAG, AT(partial), 0, "a part of the outcome; the query stays pending"},
    {"slate", "K", SLATE, TOOL_COUNT, AT(slate), 0, "number of different actions"},
    {"draws", "N", DRAWS, TOOL_COUNT, AT(draws), 0, "number of draws"},
    {"power", "K", SHARES, TOOL_NUMBER, AT(power), 0, "power of the probabilities"},
    {"floor", "F", SHARES, TOOL_NUMBER, AT(floor), 0, "sum of the smallest shares"},
    {"uniform", NULL, TARGET, TOOL_FLAG, AT(uniform), 0, "target: an arm drawn uniformly"},
    {"arm", "NAME", TARGET, TOOL_TEXT, AT(arm), 0, "target: one arm"},
    {"policy", "DESCRIPTION", TARGET, TOOL_TEXT, AT(policy), 0, "target: another policy"},
    {"half-life", "H", TARGET, TOOL_NUMBER, AT(half_life), 0, "records lose half of their weight in H"},
    {"output", "K", OUTPUT, TOOL_TEXT, AT(output), 0, "0: the reward, K: the output of constraint K"},
    {"candidates", "ROWS.csv", AMONG, TOOL_TEXT, AT(among), 0, "the alternatives of this query"},
    {"available", "A,C", AVAILABLE, TOOL_TEXT, AT(available), 0, "the arms that may be asked now"},
    {"time", "COL", COLUMNS, TOOL_TEXT, AT(time), 0, "the column of times"},
    {"action", "COL", COLUMNS, TOOL_TEXT, AT(action), 0, "the column of names, or the columns of coordinates"},
    {"outcome", "COL", COLUMNS, TOOL_TEXT, AT(outcome), 0, "the column of outcomes, then outputs of constraints"},
    {"all", NULL, ALL, TOOL_FLAG, AT(all), 0, "advanced options too"},
    {"fleet", "FILE..", FLEET, TOOL_WORDS, 0, 0, "learn a prior from other files"},
};
enum { N_OPTIONS = sizeof options / sizeof *options };

static const tool_command commands[] = {
    {"create", tool_create, 0, SIZE_MAX, FLEET, "FILE DOMAIN [OPTION=VALUE ..]",
     "a new policy that chooses among the actions of DOMAIN:\n"
     "grid=FROM:TO:POINTS,..  box=FROM:TO[:integer],..  arms=X:Y,X:Y,..  names=A,B,..\n"
     "Options: policy=NAME (auto-gp-ucb), a kernel (se=L), clock=steps|seconds, sense=max|min, options of the policy;\n"
     "history=TABLE.csv: historical data; at_most=V or at_least=V: a constraint, safe=POINT,..;\n"
     "costs=, with cost.weight=W or budget= period= asks=",
     "tvgp create price.tvgp grid=5:25:41 sense=max"},
    {"learn", tool_learn, 1, 1, 0, "FILE TABLE.csv", "historical data: times x options, the newest row last",
     "tvgp learn price.tvgp last_year.csv"},
    {"ask", tool_ask, 0, 0, TIME | AMONG | SLATE | AVAILABLE, "FILE", "the next query: ID and action; exit code 3: none now",
     "tvgp ask shop.tvgp --available red,blue"},
    {"tell", tool_tell, 2, SIZE_MAX, TIME | NOISE | OUTPUT | REFERENCE | PARTIAL,
     "FILE ID Y[/EXPOSURE]|'>Y'|'<Y' [OUTPUT ..]",
     "the outcome of a query ('>2.5': at least 2.5), and the outputs of constraints", "tvgp tell price.tvgp 1 183.5"},
    {"skip", tool_skip, 1, 1, 0, "FILE ID", "the query will have no outcome", "tvgp skip price.tvgp 2"},
    {"fail", tool_fail, 1, 1, 0, "FILE ID", "the action was tried and failed", "tvgp fail price.tvgp 3"},
    {"observe", tool_observe, 1, SIZE_MAX, TIME | NOISE | CSV | REFERENCE | COLUMNS,
     "FILE POINT Y[/EXPOSURE] [OUTPUT ..] | FILE --csv LOG.csv",
     "an unsolicited observation, or a table of them: time (may be left out), POINT, Y, OUTPUT ..",
     "tvgp observe price.tvgp --csv log.csv --time day --action price --outcome profit"},
    {"available", tool_available, 1, 1, 0, "FILE A,C|all", "the arms that may be asked from now on",
     "tvgp available shop.tvgp red,blue"},
    {"extend", tool_extend, 1, SIZE_MAX, 0, "FILE NAME..|X:Y..", "adds arms; the posterior is extended to them",
     "tvgp extend shop.tvgp green"},
    {"best", tool_best, 0, 0, TIME, "FILE", "the action with the best posterior mean", "tvgp best price.tvgp"},
    {"show", tool_show, 0, 0, TIME | HTML, "FILE", "observations, learned parameters, posterior, pending queries",
     "tvgp show price.tvgp --html >price.html"},
    {"why", tool_why, 0, 1, 0, "FILE [ID]", "the reason for a query; without ID: for the newest", "tvgp why price.tvgp 7"},
    {"log", tool_records, 0, 1, CSV, "FILE [COUNT]", "queries and outcomes", "tvgp log price.tvgp 20"},
    {"shares", tool_shares, 0, 0, TIME | SHARES | DRAWS, "FILE", "shares of traffic, and the probability to be best",
     "tvgp shares shop.tvgp --floor .1"},
    {"ranking", tool_ranking, 0, 0, TIME | DRAWS | AVAILABLE, "FILE",
     "advice: the available arms by score, and the probability to be best", "tvgp ranking shop.tvgp --available red,blue"},
    {"charge", tool_charge, 2, 2, 0, "FILE ID COST", "the actual cost of a query", "tvgp charge price.tvgp 7 0.25"},
    {"payoffs", tool_payoffs, 1, 1, 0, "FILE P,P,..|none", "what a count of each action pays, such as its price",
     "tvgp payoffs shop.tvgp 9,11,13"},
    {"cost-weight", tool_cost_weight, 1, 1, 0, "FILE W", "the weight of cost against reward, with costs= of create",
     "tvgp cost-weight models.tvgp 0.5"},
    {"estimate", tool_estimate, 0, 0, TARGET, "FILE --uniform|--arm NAME|--policy DESCRIPTION",
     "the value of another rule, from the log", "tvgp estimate shop.tvgp --arm red"},
    {"metrics", tool_metrics, 0, 1, 0, "FILE [KIND]",
     "statistics as OpenMetrics: headline, learned, counter, diagnostic; all", "tvgp metrics price.tvgp headline"},
    {"options", tool_options, 0, 0, ALL, "[POLICY]", "the policies, or the options of one", "tvgp options auto-gp-ucb"},
    {"replay", NULL, 0, 0, 0, "[--data FILE.csv ..]", "policies on recorded data: times x options (tvgp replay --help)",
     "tvgp replay --data prices.csv"},
    {"completions", tool_completions, 0, 0, 0, "bash|zsh", "completions for a shell", "eval \"$(tvgp completions bash)\""},
    {"help", tool_help, 0, 0, 0, "[COMMAND]", "this text, or a command with its options and an example", "tvgp help tell"},
};

static const tool_menu menu = {
    .command = commands, .option = options, .commands = sizeof commands / sizeof *commands, .options = N_OPTIONS};

static const tool_command *find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    tool_exit(TOOL_USAGE, "'%.40s' is no command; nearest is '%s' (tvgp help)", name, tool_help_nearest(&menu, name));
}

/* The value of an option: behind = or the next word. */
static const char *value_of(const char *option, int argc, char **argv, int *i) {
    const char *equals = strchr(argv[*i], '=');
    if (!equals && *i + 1 >= argc)
        tool_exit(TOOL_USAGE, "--%s: its value is missing", option);
    return equals ? equals + 1 : argv[++*i];
}

static double number_of(const char *option, const char *text) {
    double value;
    if (!tool_number(text, &value))
        tool_exit(TOOL_USAGE, "--%s '%.40s' is not a number", option, text);
    return value;
}

static int64_t count_of(const char *option, const char *text) {
    int64_t value;
    if (!tool_whole(text, &value) || value < 1)
        tool_exit(TOOL_USAGE, "--%s '%.40s' is no count", option, text);
    return value;
}

static int is(const char *word, const char *option) {
    const size_t n = strlen(option);
    return strncmp(word + 2, option, n) == 0 && (!word[2 + n] || word[2 + n] == '=');
}

/* Stores an option in the call; which of the options it is. */
static unsigned take_option(tool_call *call, int argc, char **argv, int *i) {
    size_t k = 0;
    while (k < N_OPTIONS &&
           !(options[k].kind == TOOL_FLAG ? strcmp(argv[*i] + 2, options[k].name) == 0 : is(argv[*i], options[k].name)))
        k++;
    if (k == N_OPTIONS)
        tool_exit(TOOL_USAGE, "'%.40s' is no option (tvgp help)", argv[*i]);
    const tool_option *o = &options[k];
    char *at = (char *)call + o->at;
    if (o->kind == TOOL_FLAG)
        *(int *)at = 1;
    else if (o->kind == TOOL_NUMBER)
        *(double *)at = number_of(o->name, value_of(o->name, argc, argv, i));
    else if (o->kind == TOOL_COUNT)
        *(int64_t *)at = count_of(o->name, value_of(o->name, argc, argv, i));
    else
        *(const char **)at = value_of(o->name, argc, argv, i);
    if (o->given)
        *(int *)((char *)call + o->given) = 1;
    return o->mask;
}

/* Words and options; which options there were. --fleet takes the words that are left, and nothing behind -- is an option. */
static unsigned take_words(tool_call *call, const char **name, int argc, char **argv) {
    unsigned taken = 0;
    int plain = 0;
    for (int i = 1; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0)
            plain = 1;
        else if (!plain && strcmp(argv[i], "--fleet") == 0)
            taken |= FLEET, call->fleet = argv + i + 1, call->fleets = (size_t)(argc - i - 1), i = argc;
        else if (!plain && strncmp(argv[i], "--", 2) == 0)
            taken |= take_option(call, argc, argv, &i);
        else if (!*name)
            *name = argv[i];
        else if (!call->path)
            call->path = argv[i];
        else
            call->word[call->words++] = argv[i];
    }
    return taken;
}

/* --help, --version and --json count wherever they are, but not behind --. */
static int given(int argc, char **argv, const char *option) {
    int i = 1;
    while (i < argc && strcmp(argv[i], option) != 0 && strcmp(argv[i], "--") != 0)
        i++;
    return i < argc && strcmp(argv[i], option) == 0;
}

int main(int argc, char **argv) {
    tool_call call = {.menu = &menu, .draws = 1024, .power = 2, .half_life = INFINITY};
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "replay") == 0)
        return tool_replay(argc - 1, argv + 1);
    if (given(argc, argv, "--help")) {
        call.path = *argv[1] == '-' ? NULL : argv[1];
        return tool_help(&call);
    }
    if (given(argc, argv, "--version"))
        return printf("tvgp %s\n", tvgp_version()) < 0;
    call.json = given(argc, argv, "--json");
    if (call.json)
        tool_exit_as_json();
    call.word = tool_alloc((size_t)(argc + 1) * sizeof *call.word);
    const unsigned taken = take_words(&call, &name, argc, argv);
    const tool_command *command = name ? find(name) : NULL;
    const int needs_file = !command || strncmp(command->arguments, "FILE", 4) == 0;
    if (!command || (needs_file && (!call.path || !*call.path)))
        return tool_help_usage(&menu, command);
    if (call.words < command->least || call.words > command->most)
        tool_exit(TOOL_USAGE, "%s: too %s words; usage: tvgp %s %s (tvgp help %s)", name,
                  call.words < command->least ? "few" : "many", name, command->arguments, name);
    if (taken & ~command->options)
        tool_exit(TOOL_USAGE, "%s does not take one of its options (tvgp help %s)", name, name);
    const int code = command->run(&call);
    free(call.word);
    return code;
}
