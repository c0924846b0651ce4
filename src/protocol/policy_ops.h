/* SPDX-License-Identifier: MIT */
/* The policy framework: one ops table per algorithm. The framework owns options, pending queries, times, availability
 * and counts, and checks every argument, so an op contains only mathematics and never receives bad input. */
#ifndef TVGP__PROTOCOL_POLICY_OPS_H
#define TVGP__PROTOCOL_POLICY_OPS_H

#include "base/options.h"
#include "model/posterior_make.h"
#include "protocol/actions/action_set.h"
#include "protocol/actions/available.h"
#include "protocol/actions/tickets.h"
#include "protocol/guard_ops.h"
#include "protocol/last_action.h"
#include "space/domain/domain_ops.h"
#include "space/kernel/kernel_ops.h"
#include "space/outcome/mean_function.h"
#include "space/outcome/outcome_types.h"
#include "tvgp/types.h"

/* First member of every policy's configuration. */
typedef struct tvgp__policy_config {
    int64_t seed, pending_limit, time_clamp, context_clamp;
    double pending_timeout, max_step, failed_width;
    char timeout_value[TVGP__OPTION_SHORT_SIZE];
    int32_t sense, outcome;
    tvgp__guard_costs moving;            /* of policies with its options; otherwise nothing */
    tvgp__guard_constraints constraints; /* likewise */
    tvgp__guard_draws draws;
    int32_t budget_fallback; /* likewise */
    double cost_weight;      /* likewise */
} tvgp__policy_config;
enum { TVGP__POLICY_OPTIONS = 12 };
enum { TVGP__POLICY_MAX, TVGP__POLICY_MIN };
extern const tvgp__option tvgp__policy_options[TVGP__POLICY_OPTIONS];

/* An action from its choice to its query, or a side query. */
typedef struct tvgp__chosen {
    int32_t kind;
    uint32_t prior;   /* number of the prior that chose it; stored with the query */
    uint32_t moments; /* what mean and sd are (protocol/actions/tickets.h); stored with the query */
    size_t index;     /* the arm (when arms are shared it was met), action or candidate; not on the whole box */
    const double *x;  /* where arms have no points: where, and behind it the prior mean; the policy's, until its next call */
    double score, noise;
    double mean, sd;   /* when it was chosen, relative to the prior mean; stored with the query */
    double width;      /* the coefficient of exploration, as used; stored with the query */
    double propensity; /* probability of the choice; 0: not known */
    /* Until the choice ends: */
    double net; /* the highest value that is maximised: score and offset; -infinity: none is available */
    union {
        double offset; /* on arms: added to the score by features */
        double spread; /* off the arms: factor of the variances of the predictive */
    };
    const double *scores; /* of all arms here, for a second look when another rank has a higher one; NULL: there is none */
} tvgp__chosen;

/* An outcome, checked and complete; noise NaN means the policy's own. */
typedef struct tvgp__answer {
    int16_t kind, outcome;
    int partial;          /* the query stays pending */
    uint32_t prior;       /* as it was chosen */
    size_t arm;           /* SIZE_MAX on a box */
    size_t index;         /* in the batch: policy->work.batch has its arm there */
    tvgp__ticket *ticket; /* NULL: unsolicited */
    int64_t step;         /* actions asked up to this query, itself included; 0: unsolicited */
    double t, y, noise;
    double count, exposure;       /* of a count as it was reported; exposure 0: it is none */
    double prior_mean;            /* of the policy at the arm, at the time of the ask; unsolicited: now */
    double mean, sd, coefficient; /* as it was chosen */
    int assumed;                  /* the query failed, and this value is assumed (protocol/failures.c) */
} tvgp__answer;

/* The outcome that was reported. */
static inline int tvgp__policy_reported(const tvgp__answer *a) {
    return a->assumed ? TVGP_FAILED : a->outcome;
}

typedef struct tvgp__stat {
    const char *key, *doc;
    double (*get)(const tvgp_policy *); /* NULL: the policy is from outside */
    uint32_t kind;                      /* TVGP_STAT_* */
    const char *unit;
} tvgp__stat;

/* Defines the `get` of a statistic: the expression of `s`, the state of the policy or of a feature, or `before` if there is no state. */
#define TVGP__POLICY_STAT(name, type, s, expression, before)                                                                \
    TVGP__POLICY_STAT_OF(name, type, s, p->state, expression, before)
#define TVGP__POLICY_STAT_OF(name, type, s, state, expression, before)                                                      \
    static double name(const tvgp_policy *p) {                                                                              \
        const type *s = (state);                                                                                            \
        return s ? (double)(expression) : (double)(before);                                                                 \
    }

typedef struct tvgp__stat_group {
    const tvgp__stat *stats;
    size_t n;
} tvgp__stat_group;

/* One statistic for each of several things: the key ends in ".0" here and in ".i" when it is asked for. */
typedef struct tvgp__stat_series {
    const char *key, *doc;
    double (*get)(const tvgp_policy *, size_t i);
    size_t (*size)(const tvgp_policy *); /* i is below this; 0: it is not listed */
    uint32_t kind;
    const char *unit;
} tvgp__stat_series;

/* The prior mean of a pending action, which held at its ask. */
typedef struct tvgp__prior_past {
    int64_t step;
    double mean;
} tvgp__prior_past;

/* A prior of the function. */
typedef struct tvgp__prior {
    tvgp_kernel *kernel;
    tvgp__mean_function mean; /* n = 0: the policy's own */
    double epsilon;
    tvgp__prior_past *past; /* n_past: in order of step, of actions asked before the mean was last set */
    size_t n_past, past_slots;
} tvgp__prior;

/* What a policy on shared arms (space/domain/domain_ops.h) supplies in addition to its ops. All ranks must take part in a common
 * operation: what a rank can fail at alone comes first, and then the framework lets the ranks agree. */
typedef struct tvgp__policy_shared {
    tvgp_status (*join)(tvgp_policy *);  /* after start: the posteriors hear of it; the same status on all ranks */
    tvgp_status (*reach)(tvgp_policy *); /* whatever an ask can fail at; done again in ask it cannot fail */
    /* After prepare, whose status it receives: the ranks agree, and exchange what else is needed; the same status on all
     * ranks. arm: of the first outcome, SIZE_MAX if it is not known. */
    tvgp_status (*finish)(tvgp_policy *, size_t arm, tvgp_status);
} tvgp__policy_shared;

/* What tvgp__policy_model.maintain does. */
typedef enum tvgp__maintenance { TVGP__MAINTAIN_BEGIN, TVGP__MAINTAIN_KEEP, TVGP__MAINTAIN_UNDO } tvgp__maintenance;

/* OPTIONAL: a policy that may be the model of a constraint, which receives values and is never asked. */
typedef struct tvgp__policy_model {
    /* What an ask does for the posterior. It begins before the policy of the constraint chooses, where a failure changes
     * nothing, and is then kept or undone. since: the number of values that the model had at the last call. */
    tvgp_status (*maintain)(tvgp_policy *, int64_t since, tvgp__maintenance);
    /* The variance of the noise of an observation that says nothing of it. */
    double (*noise)(const tvgp_policy *);
    /* Its posterior, of which the callers read covariances and whether it is vague, and which they freeze. */
    tvgp__posterior *(*posterior)(const tvgp_policy *);
    int several; /* it has several, and the posterior of one does not predict */
    /* The state is another handle's now, and forgets the address of the one before. */
    void (*rebind)(tvgp_policy *);
} tvgp__policy_model;

/* OPTIONAL: a policy that can learn its kernel. */
typedef struct tvgp__policy_learns {
    /* Creates a kernel when none was given, and sets the configuration to learning. */
    tvgp_status (*make_kernel)(tvgp_policy *);
    /* tvgp_policy_fit; before start there is nothing to do. */
    tvgp_status (*fit)(tvgp_policy *, int64_t max_evals, int64_t *evals);
    /* A new reference to it. */
    tvgp_status (*kernel_in_use)(const tvgp_policy *, tvgp_kernel **out);
    /* Forgets all observations and takes these, which were prepared; cannot fail. NULL: the policy learns no log (parts/history/history_prior.h);
     * otherwise it has shared->reach. */
    void (*rebuild)(tvgp_policy *, size_t n, const tvgp__answer *answers);
} tvgp__policy_learns;

/* OPTIONAL: a policy from outside, whose statistics are read by number. */
typedef struct tvgp__policy_outside {
    tvgp_status (*stat)(const tvgp_policy *, size_t i, double *value);
} tvgp__policy_outside;

/* OPTIONAL: a policy that takes priors; from start on it has at least one. */
typedef struct tvgp__policy_priors {
    /* Takes the newest of policy->priors.items, added after start. A failure changes nothing. */
    tvgp_status (*add)(tvgp_policy *);
    int follow;     /* the mean of a prior may be set again after start */
    size_t weights; /* offset in the configuration of the text of option prior.weights; 0: all weigh the same */
} tvgp__policy_priors;

/* The operations of a policy. It may omit those marked OPTIONAL. For most ops tvgp__policy_defaults then has the default
 * effect, and TVGP__POLICY_OP selects one or the other:
 *
 *   left out             the policy                            the default
 *   defaults, spec       needs what the tables say             does nothing
 *   start, release       has nothing to create                 does nothing
 *   prepare, take        learns nothing from outcomes          does nothing
 *   end_batch            needs nothing after the last outcome  does nothing
 *   best, extend         cannot do that                        UNSUPPORTED, naming it
 *   visit                has no snapshot                       UNSUPPORTED if it has a state
 *
 * Others say what it supports, which is checked before anything else: at and predict (it has a model), and the tables
 * shared, model, learns and priors, each of which is present or not as a whole. If they are missing the framework
 * returns UNSUPPORTED. */
typedef struct tvgp__policy_ops {
    const char *name, *doc;
    const tvgp__option_group *groups;
    size_t n_groups;
    const tvgp__stat_group *stats; /* in addition to the framework's */
    size_t n_stats;
    const tvgp__stat_series *series; /* OPTIONAL */
    size_t n_series;
    size_t config_size, state_size;
    int on_boxes;                   /* works on boxes too */
    int without_kernel;             /* has no use for a kernel: one that is given is not looked at */
    size_t side_queries;            /* largest number at once, in addition to the action */
    void (*defaults)(void *config); /* OPTIONAL: defaults that differ from the option tables */
    /* OPTIONAL: requirements on its posterior from the options: drift, age and memory of an otherwise empty spec. rate:
     * the learned rate of drift, NaN otherwise. */
    tvgp_status (*spec)(const tvgp_policy *, double rate, tvgp__posterior_spec *);
    /* OPTIONAL: builds the zeroed state from the configuration; on failure `release` is called. */
    tvgp_status (*start)(tvgp_policy *);
    /* Fills up to cap proposals for time t; AGAIN with *n = 0. A failure changes nothing. */
    tvgp_status (*ask)(tvgp_policy *, double t, size_t cap, tvgp__chosen *out, size_t *n);
    /* OPTIONAL: everything that can fail for these outcomes, whose arms are policy->work.batch; no visible effect. */
    tvgp_status (*prepare)(tvgp_policy *, size_t n, const tvgp__answer *answers);
    /* OPTIONAL: one after the other; those without a value may come unprepared. */
    void (*take)(tvgp_policy *, const tvgp__answer *);
    void (*end_batch)(tvgp_policy *); /* OPTIONAL: after the last */
    /* OPTIONAL, both or none: a policy with a model. Mean and variance of n arms by index (NULL: the first n). */
    tvgp_status (*at)(const tvgp_policy *, double t, size_t n, const size_t *arm, double *mean, double *var);
    /* At n points that need not be arms, relative to the prior mean; dmean and dvar NULL: not wanted. */
    tvgp_status (*predict)(tvgp_policy *, double t, size_t n, const double *X, const tvgp__predictive_values *out);
    int gradients; /* predict gives them */
    /* OPTIONAL, on boxes: the point of highest posterior mean; before start that of the prior's. */
    tvgp_status (*best)(tvgp_policy *, double t, double *x);
    /* OPTIONAL: the state on a larger domain, which policy->domain becomes afterwards. A failure changes nothing. */
    tvgp_status (*extend)(tvgp_policy *, const tvgp_domain *larger);
    void (*release)(tvgp_policy *); /* OPTIONAL */
    const tvgp__policy_shared *shared;
    const tvgp__policy_model *model;
    const tvgp__policy_learns *learns;
    const tvgp__policy_priors *priors;
    const tvgp__policy_outside *outside;
    /* OPTIONAL: the state, for snapshots (base/visit.h); a policy without it cannot be saved once it has started. A visitor that
     * loads finds a state that start has made from the same options and priors. */
    void (*visit)(tvgp_policy *, tvgp__visit *);
} tvgp__policy_ops;
extern const tvgp__policy_ops tvgp__policy_defaults;
#define TVGP__POLICY_OP(ops, name) ((ops)->name ? (ops)->name : tvgp__policy_defaults.name)

/* The tables and sizes of a policy, from its arrays and types. */
#define TVGP__POLICY_TABLES(options, statistics)                                                                            \
    .groups = options, .n_groups = sizeof options / sizeof *options, .stats = statistics,                                   \
    .n_stats = sizeof statistics / sizeof *statistics
#define TVGP__POLICY_SIZES(config, state) .config_size = sizeof(config), .state_size = sizeof(state)

/* DOOMED: it was destroyed by a function that the call under way called. */
enum { TVGP__POLICY_BUSY = 1, TVGP__POLICY_DOOMED };

/* Further outputs of an action. Each has a model: a policy that receives the values of the output and is never asked. The models belong
 * to the handle: a snapshot that is loaded, or a larger domain, leaves them in place. */
enum { TVGP__OUTPUTS_MOST = 16 };
typedef struct tvgp__outputs {
    size_t n;
    tvgp_policy *model[TVGP__OUTPUTS_MOST];
} tvgp__outputs;

typedef struct tvgp__policy_counts {
    int64_t asked;       /* actions */
    int64_t side_asked;  /* side queries */
    int64_t outcomes[4]; /* by their kind */
    int64_t timed_out;   /* closed by pending.timeout */
    int64_t parts;       /* partial outcomes */
    int64_t clamped;     /* contexts that were moved to the border of their box */
    int64_t unsolicited; /* unsolicited values */
} tvgp__policy_counts;

/* Failures in a row of the actions that failed last, for the log. Not saved: a policy that was loaded counts from 0. */
enum { TVGP__FAILURES_ACTIONS = 4, TVGP__FAILURES_LINE = 5 };
typedef struct tvgp__failures {
    uint32_t action[TVGP__FAILURES_ACTIONS];
    uint8_t count[TVGP__FAILURES_ACTIONS]; /* up to one more than TVGP__FAILURES_LINE, which writes a line */
    uint8_t n, next;                       /* of the arrays; the one that goes next */
} tvgp__failures;

/* Times of asks, for lines to the log. Not saved. */
typedef struct tvgp__ask_times {
    double last, gap; /* of the last ask; the median gap, 0: not known */
    int32_t same;     /* asks in a row at the last time, up to 50 */
    int32_t said;     /* bit 0: no time passes; bit 1: a call was moved far */
} tvgp__ask_times;

typedef struct tvgp__scores_from_copy tvgp__scores_from_copy; /* protocol/copies/scores_from_copy.h */

/* Workspace of ask and tell. */
typedef struct tvgp__policy_work {
    tvgp__chosen *chosen;
    size_t chosen_slots;
    tvgp__answer *answers;
    size_t *arms; /* of the outcomes, or on a box */
    size_t answer_slots;
    int64_t clamped;    /* contexts of the tell under way that were moved to the border */
    tvgp__points batch; /* arms or points of the outcomes that a tell receives */
    tvgp__failures failures;
    tvgp__ask_times times;
    double *offsets; /* of a choice under way (protocol/guard_ops.h) */
    size_t offset_slots;
    tvgp__scores_from_copy *wanted; /* of a copy that is asked for its scores; otherwise NULL */
    double scale; /* of the newest choice: the largest prior standard deviation of the posterior that chose */
    int ready; /* of shared arms: all ranks have room for the next query, and nothing else can fail unless actions are pending */
} tvgp__policy_work;

/* What the user gave when the policy was created. */
typedef struct tvgp__policy_given {
    int kernel; /* 1: a kernel */
    tvgp__option_marks options;
} tvgp__policy_given;

typedef struct tvgp__policy_handle {
    int16_t busy; /* TVGP__POLICY_BUSY during a call that may call functions of the user; otherwise 0 */
    int16_t refs; /* the handle, and the policy of which this one models a constraint */
} tvgp__policy_handle;

typedef struct tvgp__prior_list {
    tvgp__prior *items; /* in order of adding */
    size_t n, slots;
    int own; /* start made the kernel of the policy prior 0, because none was added */
} tvgp__prior_list;

/* The sections of options and priors in the snapshot from which the state was created. size 0: it was not. */
typedef struct tvgp__policy_source {
    uint8_t *bytes;
    size_t size;
} tvgp__policy_source;

/* What snapshots of a policy keep between calls (protocol/copies/snapshot.h). */
typedef struct tvgp__snapshot_memory {
    uint64_t policy, domain, kernel; /* hashes of the template; 0: not known yet */
    void *defaults;                  /* of the configuration */
    tvgp_policy *aside;              /* shares domain and kernel with the policy in use; NULL: none yet */
} tvgp__snapshot_memory;

struct tvgp_policy {
    tvgp_ctx *ctx;
    const tvgp__policy_ops *ops;
    tvgp_domain *domain;
    tvgp_kernel *kernel;  /* the prior's; NULL: none */
    tvgp_kernel *created; /* the same as the policy was created, which features leave as it is */
    void *config, *state;
    tvgp__policy_given given;
    int started;
    tvgp__policy_handle handle;
    tvgp__mean_function mean; /* prior mean, the one that holds now */
    tvgp__prior_list priors;
    tvgp__available available; /* arms */
    tvgp__outputs *outputs;    /* NULL: none */
    tvgp__action_set *within;  /* of a domain without points of its own; otherwise NULL */
    double clock;              /* newest time seen, -infinity before */
    tvgp__policy_counts counts;
    tvgp__tickets tickets;
    tvgp__last_action position;
    tvgp__choice_terms terms; /* of the choice under way, by features */
    tvgp__guard *guards;      /* features in use; NULL: none */
    tvgp__policy_work work;
    tvgp__snapshot_memory *snapshots; /* NULL before the first */
    tvgp__policy_source made_from;
};

/* How many further outputs it has. */
static inline size_t tvgp__policy_outputs(const tvgp_policy *p) {
    return p->outputs ? p->outputs->n : 0;
}

/* Changes the sign of a value if the user minimises. A policy itself always maximises, and everything with the sign of a
 * reward passes here on its way in (outcomes, prior means) and out (scores, predictions, statistics). */
static inline double tvgp__policy_turn(const tvgp_policy *p, double x) {
    return ((const tvgp__policy_config *)p->config)->sense == TVGP__POLICY_MIN ? 0 - x : x;
}

/* The table of its type of outcomes; NULL: normal. */
static inline const tvgp__outcome_ops *tvgp__policy_outcome(const tvgp_policy *p) {
    return tvgp__outcome_types_of(((const tvgp__policy_config *)p->config)->outcome);
}

/* A value of the process in the sense of a maximum, as a number of the user; and as a reward, which is that number in the sense of a
 * maximum, with its slope. */
static inline double tvgp__policy_out(const tvgp_policy *p, double z) {
    const int normal = !((const tvgp__policy_config *)p->config)->outcome;
    const double turned = tvgp__policy_turn(p, z);
    return normal ? turned : tvgp__outcome_inverse(tvgp__policy_outcome(p), turned);
}
static inline double tvgp__policy_reward(const tvgp_policy *p, double z) {
    return tvgp__policy_outcome(p) ? tvgp__policy_turn(p, tvgp__policy_out(p, z)) : z;
}
static inline double tvgp__policy_reward_slope(const tvgp_policy *p, double z) {
    const tvgp__outcome_ops *ops = tvgp__policy_outcome(p);
    return ops ? ops->slope(tvgp__policy_turn(p, z)) : 1;
}

/* How many an ask chooses among, which are numbered from 0: arms that are here, actions, candidates; 0: the whole box. */
static inline size_t tvgp__policy_choices(const tvgp_policy *p) {
    const size_t n = tvgp__domain_entries(p->domain);
    return n ? n : tvgp__action_set_candidates(p->within);
}

/* The caller's addition to the prior mean at a candidate; 0 at arms and actions and on the whole box. */
static inline double tvgp__policy_extra(const tvgp_policy *p, size_t row) {
    return tvgp__policy_turn(p, tvgp__action_set_extra(p->within, row));
}

/* A new reference to the kernel in use. */
static inline tvgp_status tvgp__policy_kernel_in_use(const tvgp_policy *p, tvgp_kernel **out) {
    if (p->ops->learns)
        return p->ops->learns->kernel_in_use(p, out);
    *out = tvgp__kernel_retain(p->kernel);
    return TVGP_OK;
}

/* One more output with this model, which starts if it has not. Its status, NOMEM; nothing changed except that the model may have
 * started. */
tvgp_status tvgp__policy_add_output(tvgp_policy *, tvgp_policy *model);
/* As tvgp_policy_set_context_point; the models are in the same context. */
tvgp_status tvgp__policy_set_context_point(tvgp_policy *, const double *z, size_t n);

void tvgp__policy_turn_mean(const tvgp_policy *, tvgp__mean_function *);
/* The prior mean becomes the forecast for time t, where it is one. */
void tvgp__policy_forecast(tvgp_policy *, double t);

/* The policy registered under this name: NOTFOUND, naming the nearest. */
tvgp_status tvgp__policy_find(tvgp_ctx *, const char *name, const tvgp__policy_ops **out);

/* kernel NULL: the policy needs none or learns it; ARG when it cannot, or the points of the domain are no coordinates. */
tvgp_status tvgp__policy_new(tvgp_ctx *, const tvgp__policy_ops *, const tvgp_domain *, const tvgp_kernel *,
                             tvgp_policy **out);
void tvgp__policy_free(tvgp_policy *);
void tvgp__policy_free_snapshots(tvgp_policy *);
/* Around a call in which functions of the user's may be called. One that destroys the policy has it freed when the call returns. */
int tvgp__policy_is_busy(const tvgp_policy *); /* also when a model of its outputs is in a call */
void tvgp__policy_enter(tvgp_policy *);
void tvgp__policy_leave(tvgp_policy *);
void tvgp__policy_give_up(tvgp_policy *);
/* Before the first ask or tell: builds the state from the options, which are fixed from then on. Stop undoes it. */
tvgp_status tvgp__policy_start(tvgp_policy *);
void tvgp__policy_stop(tvgp_policy *);
/* Whether it is the model of a constraint, as long as the policy lives that has the limit; then check is STATE. */
static inline int tvgp__policy_models(const tvgp_policy *p) {
    return p->handle.refs > 1;
}
tvgp_status tvgp__policy_check_free(const tvgp_policy *);
/* A time that the user supplied. NONFINITE, ARG: before the clock, or further ahead of it than time.max_step; step: the latter alone,
 * where the option is set. */
tvgp_status tvgp__policy_check_time(const tvgp_policy *, const char *argument, double t);
tvgp_status tvgp__policy_check_step(const tvgp_policy *, const char *argument, double clock, double t);
/* A mean in the user's sign. DIM, ARG, NONFINITE, NOMEM, UNSUPPORTED (a function on arms), and as the function does. */
tvgp_status tvgp__policy_mean_new(const tvgp_policy *, const tvgp__mean_function_given *, tvgp__mean_function *out);
/* The mean of this rank becomes part of the mean of all; `status` is its result here. Collective, the same on all ranks;
 * on failure it is released. */
tvgp_status tvgp__policy_mean_share(const tvgp_policy *, tvgp_status status, tvgp__mean_function *);
tvgp_status tvgp__policy_set_prior_mean(tvgp_policy *, const tvgp__mean_function_given *);
/* Of a policy without points of its own. STATE where a function has to be set again, or no context holds. */
tvgp_status tvgp__policy_check_functions(const tvgp_policy *);
/* Whether something may be asked now, and on a box which candidates (available). STATE, NOTFOUND: nothing; and as the feasible set's
 * function does. */
tvgp_status tvgp__policy_admit(tvgp_policy *);
/* The prior mean at points that are no arms (one value, or on a box a function). Fails as the function does. */
tvgp_status tvgp__policy_mean_points(const tvgp_policy *, size_t n, const double *X, double *mean, double *gradient);
/* The mean at x, the point of an arm (SIZE_MAX on a box); at all local arms, in measured contexts at the actions in the
 * present one, or at the candidates (protocol/actions/action_set.h), without the additions of single candidates. Fail as the
 * function does. */
tvgp_status tvgp__policy_mean_at(const tvgp_policy *, size_t arm, const double *x, double *mean);
/* In measured contexts and among candidates: where one of them is, and behind it its prior mean (dim + 1). Fails as the function does. */
tvgp_status tvgp__policy_point(const tvgp_policy *, size_t action, double *x);
tvgp_status tvgp__policy_mean_actions(const tvgp_policy *, const tvgp__mean_function *, double *mean);
tvgp_status tvgp__policy_set_added_prior_mean(tvgp_policy *, size_t i, const tvgp__mean_function_given *);
tvgp_status tvgp__policy_add_prior(tvgp_policy *, const tvgp_kernel *, const tvgp__mean_function_given *, double epsilon);
tvgp_status tvgp__policy_ask(tvgp_policy *, double t, size_t cap, tvgp_query *q, double *x, size_t *n);
/* The oldest pending queries, at most cap, and where (x NULL: not wanted); their number. q NULL: how many are pending. */
size_t tvgp__policy_pending(const tvgp_policy *p, size_t cap, tvgp_query *q, double *x);
/* Closes the pending queries from before `oldest` as skipped. */
void tvgp__policy_time_out(tvgp_policy *, double oldest);
/* Records of a tell, in the order in which they are used. */
typedef struct tvgp__records {
    const tvgp_obs *obs;
    const double *x; /* a point for each of obs, or NULL */
    size_t n;
    const uint32_t *order; /* the index of each in obs (n); NULL: 0 .. n - 1 */
    const uint8_t *skips;  /* 1: checked and counted, but not observed (n); NULL: all are observed. Unsolicited ones only */
} tvgp__records;
tvgp_status tvgp__policy_tell_records(tvgp_policy *, const tvgp__records *);
tvgp_status tvgp__policy_tell(tvgp_policy *, const tvgp_obs *obs, const double *x, size_t n);
/* At all arms that are here, in the user's sign, by index; in measured contexts at the actions in the one that holds. `own`: n
 * doubles of workspace. Fails as predict does. */
tvgp_status tvgp__policy_predict_arms(tvgp_policy *, double t, double *mean, double *var, double *own);
/* X NULL: all arms. As numbers of the user, and as values of the process in the sign of the user. */
tvgp_status tvgp__policy_predict(tvgp_policy *, double t, size_t n, const double *X, double *mean, double *var);
tvgp_status tvgp__policy_predict_process(tvgp_policy *, double t, size_t n, const double *X, double *mean, double *var);
/* The process at a point x now, or at the later time t; NaN: the policy has no model. UNSUPPORTED on shared arms. */
tvgp_status tvgp__policy_predict_now(tvgp_policy *, double t, const double *x, double *mean, double *var);
/* Failed queries (protocol/failures.c). A query that failed, whose answer is complete but for the value, gets the value that its
 * prediction makes it, if it has one. */
void tvgp__policy_assume(const tvgp_policy *, tvgp__answer *);
/* Completes the answer for output `k` of a query that failed, by what its receiver r predicts now; noise: of the reward. Returns AGAIN
 * if r cannot know yet. As predictions fail. */
tvgp_status tvgp__policy_predict_failed(const tvgp_policy *p, tvgp_policy *r, size_t k, double noise, const double *x,
                                        tvgp__answer *);
/* Whether a query that failed waits until outputs can be observed, with the reward marked open if it does. */
int tvgp__policy_failure_waits(const tvgp_policy *, const tvgp__answer *);
/* Counts outcomes of an action, and writes a line to the log after five failures in a row. */
void tvgp__policy_count_failure(tvgp_policy *, const tvgp__answer *);
/* All four are written, also if it fails. */
tvgp_status tvgp__policy_predict_gradient(tvgp_policy *, double t, size_t n, const double *X,
                                          const tvgp__predictive_values *out);
tvgp_status tvgp__policy_best(tvgp_policy *, double t, int64_t *arm, double *x); /* protocol/best.c */
/* A policy in use on a larger domain, as tvgp_policy_extend. */
tvgp_status tvgp__policy_extend(tvgp_policy *, const tvgp_domain *larger, const double *new_mean_or_null);

#endif
