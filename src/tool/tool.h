/* SPDX-License-Identifier: MIT */
/* tvgp(1): a policy stored in a file, for shells, cron, make and languages without a binding. The program uses the
 * public interface only. One call reads the file, does one thing, and, if that changed something, writes the file before
 * it prints.
 *   tool.c          the command line: words, options, the table of commands
 *   tool_text.c     building text, numbers, JSON; messages of refused calls
 *   tool_state.c    the file: lock, head and snapshot, and its log
 *   tool_domain.c   the domain: its words at `create`, points in and out
 *   tool_create.c   create: words into a policy, its constraints, the prior of a fleet
 *   tool_table.c    learn and ask --candidates: tables from CSV files
 *   tool_play.c     ask, tell, skip, best
 *   tool_shares.c   shares, ranking, charge, payoffs, cost-weight, the budget of create
 *   tool_estimate.c estimate
 *   tool_observe.c  observe: one outcome, or those of a CSV file
 *   tool_show.c     show
 *   tool_html.c     show --html
 *   tool_log.c      log and why, from the log
 *   tool_arms.c     available, extend
 *   tool_options.c  options
 *   tool_help.c     help, completions: texts from the table of commands */
#ifndef TOOL_H
#define TOOL_H

#include <stddef.h>
#include <stdint.h>
#include <tvgp.h>

/* Exit codes other than 0. */
enum { TOOL_REFUSED = 1, TOOL_USAGE = 2, TOOL_NOTHING = 3 };

/* Most coordinates of a point. */
enum { TOOL_DIM = 64 };

/* ---- text (tool_text.c) --------------------------------------------------------------------------------------------- */

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/* Says why on standard error, as JSON after --json, and ends the program. */
_Noreturn void tool_exit(int code, const char *format, ...) TOOL_PRINTF(2, 3);
void tool_exit_as_json(void);
/* Line of a file that the next messages are about; NULL: none. */
void tool_exit_at(const char *path, size_t line);
/* Ends the program when the library refused a call on this state, with its message. */
typedef struct tool_state tool_state;
void tool_check(const tool_state *s, tvgp_status status);

/* Text that grows; memory that is missing ends the program. */
typedef struct tool_text {
    char *at; /* ends in a NUL; NULL while it is empty */
    size_t n, room;
} tool_text;
void tool_text_add(tool_text *text, const char *format, ...) TOOL_PRINTF(2, 3);
/* With the digits that bring back the same number; infinite ones and NaN are null in JSON. */
void tool_text_number(tool_text *text, double value);
/* Members of a JSON object, each with a comma before it unless it follows a brace. */
void tool_text_member(tool_text *text, const char *key, double value);
void tool_text_whole(tool_text *text, const char *key, int64_t value);
void tool_text_true(tool_text *text, const char *key);
void tool_text_string(tool_text *text, const char *key, const char *value);
void tool_text_list(tool_text *text, const char *key, size_t n, const double *value);
/* For people: to the digits that its standard deviation leaves (0: as %.6g), at most `size` bytes. */
const char *tool_text_rounded(double value, double sd, char *out, size_t size);
/* The bytes of the character of UTF-8 at this address, and its code; a byte that begins none: 1, and no code there is. */
size_t tool_text_code(const char *at, uint32_t *code);
/* Cuts its lines at this many columns of a terminal. */
void tool_text_cut(tool_text *text, size_t columns);
/* A value cut at `columns` columns; side -1: padded on the left, 1: on the right, 0: not padded. */
void tool_text_fit(tool_text *text, const char *value, size_t columns, int side);
/* Writes it to standard output and frees it. */
void tool_text_print(tool_text *text);

void *tool_alloc(size_t size); /* zeroed, never NULL */
/* A whole word as a finite number, or as a whole number. 0: it is none. */
int tool_number(const char *word, double *value);
int tool_whole(const char *word, int64_t *value);

/* The number of a line of the log: 0 when it is no such line. */
int tool_line_count(const char *line, int64_t *n);
/* Members of a line of the log, whose keys are distinct: 0 if it is missing. A text is cut at `size`. */
int tool_line_number(const char *line, const char *key, double *value);
/* The same of an integer in least .. most (within 2^53). A missing one is 0. Another value ends the program with the path in the message. */
int64_t tool_line_whole(const char *path, const char *line, const char *key, double least, double most);
int tool_line_text(const char *line, const char *key, char *value, size_t size);
size_t tool_line_list(const char *line, const char *key, size_t most, double *value); /* how many */
int tool_line_true(const char *line, const char *key);

/* ---- the command line (tool.c) -------------------------------------------------------------------------------------- */

struct tool_menu;

typedef struct tool_call {
    const struct tool_menu *menu; /* all commands, of which this is one */
    const char *path;
    char **word; /* behind the file, without options */
    size_t words;
    int json, csv, html, partial;
    int t_given, noise_given, reference_given;
    double t, noise, reference;
    int64_t slate, draws; /* --slate, 0: not given; --draws */
    double power, floor;  /* of shares */
    int uniform;          /* --uniform, --arm, --policy: the target of estimate; NULL: not given */
    const char *arm, *policy;
    double half_life;                    /* INFINITY: not given */
    const char *output;                  /* --output; NULL: not given */
    const char *among;                   /* --candidates, a file; NULL: not given */
    const char *time, *action, *outcome; /* --time, --action, --outcome: names of columns; NULL: not given */
    const char *available;               /* --available; NULL: not given */
    int all;                             /* --all */
    char **fleet;                        /* files behind --fleet */
    size_t fleets;
} tool_call;

/* An option of the command line: where it goes in a call, and its argument; NULL: none. */
enum { TOOL_FLAG, TOOL_NUMBER, TOOL_COUNT, TOOL_TEXT, TOOL_WORDS };
typedef struct tool_option {
    const char *name, *value;
    unsigned mask; /* of the commands that take it; 0: all */
    int kind;
    size_t at, given; /* members of tool_call; given 0: none */
    const char *doc;
} tool_option;

typedef struct tool_command {
    const char *name;
    int (*run)(const tool_call *);
    size_t least, most; /* words after the file */
    unsigned options;
    const char *arguments, *doc, *example;
} tool_command;

typedef struct tool_menu {
    const tool_command *command;
    const tool_option *option;
    size_t commands, options;
} tool_menu;

/* The command most like this word. */
const char *tool_help_nearest(const tool_menu *menu, const char *word);
/* Prints the usage of a command (NULL: of all) on standard error; the exit code. */
int tool_help_usage(const tool_menu *menu, const tool_command *command);

/* ---- the file (tool_state.c) ----------------------------------------------------------------------------------------- */

enum { TOOL_STEPS, TOOL_SECONDS };

struct tool_state {
    const char *path;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_policy *policy;
    size_t n, dim;   /* arms, 0 on a box; coordinates */
    char **name;     /* n; NULL: arms have none */
    int clock;       /* the source of a time that the caller does not give */
    char *available; /* a 1 for each arm that may be asked, else 0; NULL: all */
    double max_step; /* time.max_step; -1: not set. The policy has 0, because a pause must not lock it */
    int64_t calls;   /* that changed it */
    char *line;      /* of the log, the last one */
    size_t log_end;  /* bytes of its whole lines, once a call may write */
    int min;         /* sense=min */
    tool_text more;  /* lines of this call in front of the last one */
    tool_text said;  /* how a table was understood */
};

/* Opens it; `write`: holds the lock until the program ends, whichever way, so that others wait. */
void tool_state_open(tool_state *s, const char *path, int write);
/* For a file that does not exist yet. The caller fills in the rest and then claims it: this takes the lock, and refuses
 * a file created since. */
void tool_state_new(tool_state *s, const char *path);
void tool_state_claim(tool_state *s);
void tool_state_meet(tool_state *s); /* fills in what follows from the policy */
/* Begins the line of the log that says what a call did: {"n":..,"call":"..","at":..; the caller goes on. */
tool_text tool_state_line(tool_state *s, const char *call);
/* Ends a line of a call that goes on with another one. */
void tool_state_more(tool_state *s, tool_text *line);
/* Writes file and log; `line` is closed with a brace here. Only then anything may be printed. */
void tool_state_save(tool_state *s, tool_text *line);
void tool_state_close(tool_state *s);
/* Saves and closes; prints "ok", or the line of the log. The end of a call without other output. */
int tool_state_finish(tool_state *s, const tool_call *call, tool_text *line);
/* How many limits the policy keeps. */
size_t tool_state_limits(const tool_state *s);
/* Whether hyperparameters are to be learned and are those of the prior still, so that its standard deviations mean nothing yet. */
int tool_state_unlearned(const tool_state *s);

/* The newest time seen, -infinity before; the time of a call that moves on, and of one that only looks. */
double tool_state_newest(const tool_state *s);
double tool_state_time(const tool_state *s, const tool_call *call);
double tool_state_look(const tool_state *s, const tool_call *call);
/* Refuses a supplied time that is too far after the newest one: by time.max_step, or by the steps in the log. */
void tool_state_check_time(const tool_state *s, double t);

/* The lines of the log that count, oldest first: one for each call, the last where a file was put back. */
size_t tool_state_log(const tool_state *s, char ***line);

/* ---- where it plays (tool_domain.c) ----------------------------------------------------------------------------------- */

/* Takes grid=, box=, arms=, indices= or names= from a word; 0: it is none of them. */
typedef struct tool_domain_words {
    const char *kind, *text; /* of the domain; NULL: not given */
    const char *names;
} tool_domain_words;
int tool_domain_take(tool_domain_words *words, const char *word);
char **tool_domain_names(const char *text, size_t *n);
/* The same arms and names as another file's; refuses a file that has others, or another sense. */
void tool_domain_like(tool_state *s, const tool_state *other);
void tool_domain_same(const tool_state *s, const tool_state *other);
/* Names in order, for searches; to be freed. */
typedef struct tool_name {
    const char *name;
    size_t index; /* where it was before */
} tool_name;
tool_name *tool_names_sort(char *const *name, size_t n);
size_t tool_names_find(const tool_name *sorted, size_t n, const char *name); /* its index; n: not found */
/* Cuts a text at each `by`. */
char **tool_parts(const char *text, char by, size_t *n);
void tool_parts_free(char **part, size_t n); /* NULL: nothing */
/* Points in words: names, or coordinates between colons, with commas between; how many. *X is to be freed. */
size_t tool_domain_points(const tool_state *s, const char *what, const char *text, double **X);

/* A point that the user names: an arm's name, or coordinates; `words` are to be all of it. */
void tool_point_read(const tool_state *s, char *const *word, size_t words, double *x);
/* The arm nearest to a point; -1 on a box. */
int64_t tool_point_arm(const tool_state *s, const double *x);
/* The name, or coordinates with `between` in between; to six digits, or exactly. */
void tool_point_add(const tool_state *s, int64_t arm, const double *x, const char *between, tool_text *text);
void tool_point_add_exact(const tool_state *s, int64_t arm, const double *x, const char *between, tool_text *text);
/* Members arm, name and x of JSON, with this in front of the keys. */
void tool_point_members(const tool_state *s, const char *front, int64_t arm, const double *x, tool_text *text);
/* What the domain is, in a few words. */
void tool_domain_add(const tool_state *s, tool_text *text);

/* The page of show --html: the text of show, and pictures of the posterior at time t and of the run. */
void tool_html(const tool_state *s, double t, const tool_text *shown, tool_text *page);

/* ---- tables (tool_table.c) --------------------------------------------------------------------------------------------- */

/* A CSV of times x options, - being standard input; names have underscores where they had blanks. */
typedef struct tool_log tool_log;
tool_log *tool_table_read(const char *path);
void tool_table_free(tool_log *log); /* NULL: nothing */
/* The names in its header, with commas between; refuses the name of an outcome. */
char *tool_table_header(const tool_log *log);
/* Tells the policy the table: its rows are of the newest times there are, or of those before 0. The state says how it was read. */
void tool_table_learn(tool_state *s, const tool_log *log);
/* Sets the candidates of --candidates; the labels of the rows where there is a column `name`, else NULL, and how many there are. */
char **tool_table_among(tool_state *s, const char *path, size_t *n);

/* ---- arms that may be asked (tool_arms.c) ---------------------------------------------------------------------------------- */

/* A mask, as in the state, from names or points with commas between. To be freed. */
char *tool_arms_mask(const tool_state *s, const char *text);
/* Gives the policy a mask; NULL: all arms. */
void tool_arms_set(const tool_state *s, const char *mask);
/* Adds the member `available` to a line of the log. */
void tool_arms_add(const tool_state *s, const char *mask, tool_text *line);

/* ---- outcomes (tool_play.c) ----------------------------------------------------------------------------------------- */

double tool_value(const char *word); /* of the command line */
/* The record of an outcome: Y, or COUNT/EXPOSURE. */
tvgp_obs tool_outcome(int64_t id, const char *word);
/* Tells an outcome, at x if it was not asked for, and with it n outputs of limits; all or none. Adds what --noise and --t say. */
void tool_tell_values(tool_state *s, const tool_call *call, tvgp_obs obs, const double *x, const double *outputs, size_t n,
                      tool_text *line);

/* ---- outcomes in the log (tool_log.c)
 * --------------------------------------------------------------------------------- */

/* An outcome in the log: which arm, when, what. The caller frees both lists. */
typedef struct tool_answer {
    int64_t arm;
    double t, y;
} tool_answer;
size_t tool_log_answers(const tool_state *s, tool_answer **out);

/* ---- a budget (tool_shares.c) ---------------------------------------------------------------------------------------------- */

/* Takes budget=, period=, asks= or costs= from a word; 0: it is none of them. Sets them on a new policy. */
typedef struct tool_budget {
    const char *budget, *period, *asks, *costs; /* NULL: not given */
} tool_budget;
int tool_budget_take(tool_budget *budget, const char *word);
void tool_budget_set(const tool_budget *budget, const tool_state *s);

/* ---- commands ---------------------------------------------------------------------------------------------------------- */

int tool_create(const tool_call *call);
int tool_learn(const tool_call *call);
int tool_ask(const tool_call *call);
int tool_tell(const tool_call *call);
int tool_shares(const tool_call *call);
int tool_ranking(const tool_call *call);
int tool_estimate(const tool_call *call);
int tool_charge(const tool_call *call);
int tool_payoffs(const tool_call *call);
int tool_cost_weight(const tool_call *call);
int tool_skip(const tool_call *call);
int tool_observe(const tool_call *call);
int tool_best(const tool_call *call);
int tool_show(const tool_call *call);
int tool_records(const tool_call *call);
int tool_why(const tool_call *call);
int tool_metrics(const tool_call *call);
int tool_fail(const tool_call *call);
int tool_available(const tool_call *call);
int tool_extend(const tool_call *call);
int tool_options(const tool_call *call);     /* the path, which may be NULL, is a policy */
int tool_help(const tool_call *call);        /* the path, which may be NULL, is a command */
int tool_completions(const tool_call *call); /* the path is a shell */

/* replay: main of examples/sensor_replay.c, with arguments of its own. */
int tool_replay(int argc, char **argv);

#endif
