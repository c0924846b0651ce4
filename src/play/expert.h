/* SPDX-License-Identifier: MIT */
/* What the policies with side queries share (Mauduit, Berthier, Simonetto 2025): rounds of side queries, Q points of a Q-DPP
 * over the distinct points told so far, Q = min(distinct, max(1, ceil(scale ln(t)^power))), t = actions asked; a posterior
 * fitted to the answers and to own observations, whose noise grows with their age.
 *
 * A round is drawn by the first ask after it became due; an ask emits what fits, the next ones the rest. After that an ask
 * at the same time gives AGAIN until every query of the round is answered or skipped; an ask at a later time takes what
 * came. So a user who never answers loses nothing but the answers. */
#ifndef TVGP__PLAY_EXPERT_H
#define TVGP__PLAY_EXPERT_H

#include "fit/log.h"
#include "law/age.h"
#include "play/ucb.h"
#include "search/dpp.h"

/* First member of the configuration. */
typedef struct tvgp__expert_config {
    tvgp__ucb_config ucb;
    double noise, scale, power;
    int64_t steps, points;
} tvgp__expert_config;
enum { TVGP__EXPERT_OPTIONS = 5 };
extern const tvgp__option tvgp__expert_options[TVGP__EXPERT_OPTIONS];

#define TVGP__EXPERT_GROUPS                                                                                                 \
    TVGP__UCB_GROUPS, TVGP__UCB_CHOICE, {tvgp__expert_options, TVGP__EXPERT_OPTIONS, 0}, {                                  \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }

typedef struct tvgp__expert_box tvgp__expert_box; /* play/expert_box.h */

/* First member of the state. */
typedef struct tvgp__expert {
    tvgp__ucb ucb;
    tvgp__age age;                                             /* counted from the newest own observation */
    int (*uses)(const tvgp_policy *, const tvgp__record *own); /* whether an own observation is in use now */
    tvgp__log log;         /* own observations that may be in use again, and the answers in use */
    size_t answers;        /* answers among them, in the last fit */
    int64_t as_of;         /* actions asked when the log was last changed */
    double newest;         /* time of the newest own observation */
    size_t *visited;       /* n: the distinct points told, in order of the first time */
    uint8_t *seen;         /* n: whether visited */
    size_t distinct;       /* points visited */
    tvgp__expert_box *box; /* what a box has in place of the arrays over arms; NULL on arms */
    tvgp__dpp dpp;
    size_t *ground; /* n: the visited points a round is drawn from */
    double *X;      /* n x dim: their coordinates */
    int due;        /* a round is owed */
    size_t *round;  /* n: the arms of the last round drawn */
    size_t n_round, emitted;
    int64_t round_step; /* actions asked when it was drawn; -1: none */
    double round_time;  /* when its newest query was emitted */
    int64_t answered, skipped, late;
} tvgp__expert;

void tvgp__expert_defaults(void *config);
tvgp_status tvgp__expert_start(tvgp_policy *policy, tvgp__age age,
                               int (*uses)(const tvgp_policy *, const tvgp__record *own));
tvgp_status tvgp__expert_extend(tvgp_policy *policy, const tvgp_domain *larger);
tvgp_status tvgp__expert_ask(tvgp_policy *policy, double t, size_t cap, tvgp__proposal *out, size_t *n);
tvgp_status tvgp__expert_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
void tvgp__expert_release(tvgp_policy *policy);
void tvgp__expert_visit(tvgp_policy *policy, tvgp__visit *v);

/* After loading, last: whatever is not state. */
void tvgp__expert_loaded(tvgp_policy *policy, tvgp__visit *v);

/* Parts of a round: whether one is due; how many of n points; those of n points X, k or what their rank allows, to
 * expert.dpp.member; it is drawn, and answers that have served go; whether a query of it waits for its answer. */
int tvgp__expert_due(const tvgp_policy *policy);
size_t tvgp__expert_quota(const tvgp_policy *policy, size_t n);
tvgp_status tvgp__expert_sample(tvgp_policy *policy, size_t n, const double *X, size_t k, int64_t steps);
void tvgp__expert_drawn(tvgp_policy *policy);
int tvgp__expert_waits(const tvgp_policy *policy);

/* Counts an answer to a side query: first thing in a policy's take. */
void tvgp__expert_count(tvgp_policy *policy, const tvgp__answer *answer);

/* Takes a datum: an answer, or an own observation, which also counts as visited. */
void tvgp__expert_take(tvgp_policy *policy, const tvgp__answer *answer);

/* Forgets all data and the running round; a new one is due. `told` fits the posterior. */
void tvgp__expert_restart(tvgp_policy *policy);

/* Fits the posterior after the last answer of a batch. */
void tvgp__expert_told(tvgp_policy *policy);

enum { TVGP__EXPERT_STATS = 7 };
extern const tvgp__stat tvgp__expert_stats[TVGP__EXPERT_STATS];

enum { TVGP__EXPERT_ROUND = 4096 }; /* points of a box that a round is drawn from, at most */

#define TVGP__EXPERT_STAT_GROUPS                                                                                            \
    TVGP__UCB_STAT_GROUPS, {                                                                                                \
        tvgp__expert_stats, TVGP__EXPERT_STATS                                                                              \
    }

tvgp_status tvgp__expert_predict(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var);
tvgp_status tvgp__expert_gradient(tvgp_policy *policy, double t, size_t n, const double *X, const tvgp__form_values *out);
tvgp_status tvgp__expert_best(tvgp_policy *policy, double t, double *x);

/* The ops that neither policy changes. */
#define TVGP__EXPERT_OPS                                                                                                    \
    .on_boxes = 1, .side_queries = TVGP__EXPERT_ROUND, .ask = tvgp__expert_ask, .prepare = tvgp__expert_prepare,            \
    .told = tvgp__expert_told, .extend = tvgp__expert_extend, .at = tvgp__ucb_at, .predict = tvgp__expert_predict,          \
    .gradient = tvgp__expert_gradient, .best = tvgp__expert_best, .release = tvgp__expert_release

#endif
