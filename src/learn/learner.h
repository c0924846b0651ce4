/* SPDX-License-Identifier: MIT */
/* The learner owns a posterior and learns its hyperparameters (docs/theory/hyperparameter-learning.md). It creates the
 * posterior for the parameters in use, and stores outcomes. From time to time it optimises new parameters on the newest
 * observations (learn/hyper.h). If they are adopted, a new posterior is conditioned on the stored outcomes and replaces
 * the one in use. Policies read the posterior in use itself. The learner sets what it adds to its moments: with the
 * offset c and the scale s of the parameters in use, and f the factor of s found since their optimisation,
 *
 *   mean read = c + mean, conditioned on y - c          variance read = f x variance
 *   f = (2 b0 / (1 + g) + sum_i s_i z_i) / (s (2 a0 + n - 1))    over the n observations of the window, z_i = e_i^2 / (variance + noise)
 *
 * where e_i is an innovation and s_i the scale in use then. f s is the mean of the scale given the standardised
 * residuals, updated at every ask.
 *
 * An optimisation uses at most `window` observations, which may be groups of many outcomes (learn/observation_groups.h).
 * It is due if there are two different values and a tenth more outcomes than at the last one, or as the rules say.
 * Before the first the parameters are the prior's mode, with s = 1 and c the first value; a posterior that learns
 * its scale takes the square of the first difference as its unit. New parameters are adopted if, on the data of the
 * optimisation, they gain
 *
 *   objective(new) - objective(in use) + (c in use - c)^2 / (2 variance of c)  >=  fit.min_improvement
 *
 * A new posterior is conditioned on the outcomes that still carry information (tvgp__posterior_faded), and at
 * least on the window. It is created again, with the same parameters, if more than half of its outcomes have faded, so a
 * step costs what the outcomes of some time cost and not of the whole run. If the drift model is static, the
 * outcomes before the window become one mean for each arm, which is equivalent (learn/observation_groups.h). If the one in
 * use, in weights on a box, has dropped support points, the new one uses the window and, before it, two outcomes for
 * each point. If noise grows with age, every prediction is a fit, so s z of replayed outcomes keeps its value from their
 * arrival.
 *
 * An optimisation, search for a basis or replay that is longer than an ask may take continues at the next asks. The
 * state before the step of an ask, with the posterior that it replaced, is kept until the ask ends, and is restored if
 * the ask fails. */
#ifndef TVGP__LEARN_LEARNER_H
#define TVGP__LEARN_LEARNER_H

#include "learn/hyper.h"
#include "learn/observation_groups.h"
#include "model/feature/basis.h"
#include "model/posterior/observations.h"
#include "model/posterior/posterior.h"

enum { TVGP__LEARNER_LOGNORMAL, TVGP__LEARNER_GAMMA };

/* When and how it is fitted: values of the options fit.*, which docs/reference/options.md explains. */
typedef struct tvgp__learner_rules {
    int64_t every, window, evals, keep;
    double gain;
    int64_t noise, epsilon; /* whether noise and rate are learned; 0: the configured value is used */
    double usual_ratio;     /* option prior.noise */
    int32_t lengthscales;   /* option fit.prior_lengthscale, TVGP__LEARNER_LOGNORMAL or .._GAMMA */
    double gamma_shape, gamma_rate;
} tvgp__learner_rules;

/* What a policy says about the learner. */
typedef struct tvgp__learner_spec {
    tvgp__learner_rules rules;
    const tvgp_kernel *kernel, *time; /* the centre of the prior; the drift model of an optimisation, NULL: static */
    double noise;                     /* its variance, where it is trusted */
    tvgp__noise_age age;              /* the growth of noise with age that a fit assumes */
    int keep_shape;                   /* whether only the scale of the kernel is learned */
    int own_scale;    /* whether f stays 1: the posterior learns the scale, or it is not learned between optimisations */
    int put_together; /* whether an adoption uses only the observations of the fit, as the posterior is expensive; 0: every
                       * answer that is kept. It needs own_scale. */
    int takes_rate; /* whether the drift model has the learned rate, in the unit of the learned times; otherwise it uses `unit` */
    /* Creates a posterior. `rate` is the learned one of the drift model, or of the growth of noise (its alpha);
     * NaN: neither is learned. AGAIN: the search for its basis is kept in `progress` (NULL: it is not spread). */
    tvgp_status (*make)(void *arg, const tvgp_kernel *kernel, double rate, double noise, tvgp__basis_progress *progress,
                        tvgp__posterior **out);
    /* Is called when another posterior has come into use. */
    void (*adopted)(void *arg, tvgp__posterior *posterior, double rate);
    /* OPTIONAL. Conditions a new posterior on its data under these parameters, instead of on the stored outcomes;
     * outcomes then do not go to the posterior either, because its owner supplies observations. It needs
     * own_scale. NOMEM, a foreign kernel's status. */
    tvgp_status (*fill)(void *arg, tvgp__posterior *posterior, const tvgp__hyper_point *point);
    /* OPTIONAL. Returns the most observations it may be conditioned on in one ask; without it an eighth of the window, at least 32. */
    int64_t (*rows)(const tvgp__posterior *posterior);
    int square; /* a posterior without arms that has no scale of its own: tvgp__posterior_square is used instead of `at` */
    int64_t newest; /* the posterior uses this many of the newest outcomes; 0: all */
    void *arg;      /* what these functions are given */
} tvgp__learner_spec;

/* Stored with each record of the log: how well it was predicted. */
typedef struct tvgp__learner_note {
    double ratio, candidate_ratio; /* s_i z_i under the parameters in use, and under those of the candidate */
} tvgp__learner_note;

/* A posterior and the parameters it was made for. */
typedef struct tvgp__learner_model {
    tvgp__posterior *posterior; /* NULL: none */
    tvgp__hyper_point point;
    double rate, unit; /* unit of time of its drift models; 0: not known yet */
} tvgp__learner_model;

/* What an ask does at most: evaluations, observations shown to a candidate, pivots of its basis. */
typedef struct tvgp__learner_work {
    int64_t evals, rows;
    size_t pivots;
} tvgp__learner_work;

/* How far the adoption of new parameters is: there are none; `fit_point` waits to be adopted; a candidate was made for
 * it and is being shown the log. */
typedef enum tvgp__learner_adoption {
    TVGP__LEARNER_NONE = 0,
    TVGP__LEARNER_DUE,
    TVGP__LEARNER_SHOWING
} tvgp__learner_adoption;

/* A learner. */
typedef struct tvgp__learner {
    tvgp_ctx *ctx;
    size_t n;        /* arms; 0 on a box */
    const double *X; /* n x dim, borrowed */
    double *moments; /* 2 n: means and variances as they are read (tvgp__posterior.shown) */
    tvgp__learner_spec spec;
    tvgp__hyper *hyper;
    tvgp__learner_model in_use;
    tvgp__learner_model
        candidate; /* for new parameters: each ask conditions it on more of the log, until it can take over. If `exchanged`: what
                    * was in use before the step of an ask that has not ended */
    int exchanged;
    struct tvgp__learner *before;   /* a copy of this struct as it was before that step */
    tvgp__basis_progress *progress; /* the search for the basis of a candidate that is not there yet */
    size_t pivots;                  /* how many the asks so far allowed it; 0: it has not begun */
    int64_t candidate_first;        /* the candidate is conditioned on `cells`, and then on the outcomes from this one on */
    int64_t candidate_rows;         /* how many of both it has been shown */
    int64_t candidate_ahead;        /* how far it came in calls that failed */
    int64_t first,
        unfaded; /* what is in use is conditioned on the outcomes from `first` on; those from `unfaded` on have not faded */
    tvgp__observations
        log; /* the newest rules.keep answers, and a few more before they are dropped; noise NaN: the learned one */
    tvgp__learner_note *notes; /* one for each record of the log */
    int64_t *segments;         /* the segment of each record of the log */
    size_t note_slots, segment_slots;
    tvgp__observation_groups cells; /* those of the fit that begins, or of the adoption that is under way */
    double fit_cell;                /* the width of a cell in the last fit */
    int64_t answers, segment;       /* number of outcomes so far; the segment they belong to now */
    int64_t fit_ask;                /* the ask since which the parameters come from a fit */
    int fitted;                     /* whether the parameters come from a fit */
    tvgp__learner_adoption adoption;
    int remakes;                              /* whether what is adopted next is those in use, conditioned again */
    double unit;                              /* the unit of time that the op `set_unit` was given; 0: not known */
    double scale;                             /* f */
    double apart;                             /* before the first fit: by how much two values first differed; 0: not yet */
    int64_t fit_answers;                      /* number of outcomes when the last optimisation began */
    tvgp__hyper_point fit_point;              /* where the next fit begins */
    tvgp__hyper_point reference;              /* the parameters in use, evaluated on the data of the fit */
    int64_t ask;                              /* the present one, or the next one */
    tvgp__learner_work left;                  /* what it may still do */
    int64_t fits, evals, adoptions, failures; /* statistics */
} tvgp__learner;

/* Makes a learner with its first model, on n arms X. NOMEM, LIMIT, and what `make` returns. */
tvgp_status tvgp__learner_new(tvgp_ctx *ctx, const tvgp__learner_spec *spec, size_t n, const double *X, tvgp__learner **out);
void tvgp__learner_free(tvgp__learner *l);

/* tell: makes room in the log, and prepares the model in use. NOMEM, LIMIT, the kernel's status. */
tvgp_status tvgp__learner_prepare(tvgp__learner *l, const tvgp__points *points);
/* tell: logs time, value, noise and `assumed` of an outcome of point i of those prepared last, and conditions the model in use on it. */
void tvgp__learner_observe(tvgp__learner *l, const tvgp__points *points, size_t i, const tvgp__observation *outcome);
/* Does what the ops reset and set_unit (of time) do, for the candidate too. */
void tvgp__learner_reset(tvgp__learner *l);
void tvgp__learner_set_unit(tvgp__learner *l, double unit);
/* Saves or loads all of it (base/visit.h). */
void tvgp__learner_visit(tvgp__learner *l, tvgp__visit *v);
/* Returns the number of outcomes that are stored. */
size_t tvgp__learner_logged(const tvgp__learner *l);

/* Creates the initial kernel, for a spec without a drift model. */
tvgp_status tvgp__learner_prior(tvgp_ctx *ctx, const tvgp__learner_spec *spec, tvgp_kernel **out);

/* Does the share of fitting and showing that falls on ask number `ask`. The columns of `pending` are within reach, and
 * stay so. `restarts` says that a reset follows once the ask cannot fail any more. NOMEM, a foreign kernel's status:
 * nothing has changed. After OK the caller gives the status of the ask to tvgp__learner_end. */
tvgp_status tvgp__learner_step(tvgp__learner *l, int64_t ask, int restarts, const tvgp__points *pending);
void tvgp__learner_end(tvgp__learner *l, tvgp_status status);

/* Does at most max_evals pieces of the work of ask number `ask`, which comes next: an evaluation each, or a sixteenth of what an ask may
 * do of an adoption. That ask then has the less to do, and adopts what it would have adopted. AGAIN: more is left; OK: nothing is. With
 * rules.every = -1, and before the first ask, all work that there is; it begins after any new outcome with -1, otherwise when it is due. */
tvgp_status tvgp__learner_fit(tvgp__learner *l, int64_t ask, int64_t max_evals, int64_t *evals);

/* Creates the posterior again and conditions it on the same outcomes, after the unit of time has changed; it stays
 * if its rate was learned. */
void tvgp__learner_again(tvgp__learner *l);

/* Begins a new segment of observations at time t, when everything was redrawn. */
void tvgp__learner_split(tvgp__learner *l, double t);

/* Give the learned rate, for 1 of the user's time, NaN without one; and the variance of the noise, learned or trusted,
 * at the present scale. */
double tvgp__learner_rate(const tvgp__learner *l);
double tvgp__learner_noise(const tvgp__learner *l);

/* ---- for learn/learner_fit.c and learner_adopt.c ---- */
/* Returns the index in the log of outcome i of all, which must still be stored; and the point at an index. */
size_t tvgp__learner_index(const tvgp__learner *l, int64_t i);
const double *tvgp__learner_point(const tvgp__learner *l, size_t index);
/* Returns the number of newest outcomes from which f is computed. */
int64_t tvgp__learner_window(const tvgp__learner *l);
/* Groups the outcomes from number `first` on into `cells`. */
void tvgp__learner_put(tvgp__learner *l, int64_t first);
/* Returns the number of the first stored outcome; and the value of candidate_rows once the candidate has all of them. */
int64_t tvgp__learner_oldest(const tvgp__learner *l);
int64_t tvgp__learner_candidate_end(const tvgp__learner *l);
/* Says whether the posterior in use carries more that has faded than what tells something. */
int tvgp__learner_carries(tvgp__learner *l);
/* Says whether an adoption may group the outcomes of one arm by their mean because nothing changes. */
int tvgp__learner_pools(const tvgp__learner *l);
/* Tells the model in use the offset and the factor of the moments that readers see. */
void tvgp__learner_show_moments(tvgp__learner *l);

/* Sets the exponent of noise that grows by a power of its age, where it is not learned with the rest; optimisations use it from now on. */
void tvgp__learner_set_exponent(tvgp__learner *l, double alpha);

/* Goes on with the adoption that is wanted: finds at most `pivots` pivots of the new basis, or shows at most `most`
 * observations, both of what is left to this ask. A candidate is swapped in when it has `pending` within reach. A candidate that cannot be made, for other
 * reasons than memory or a foreign kernel, is given up, and the parameters in use stay. */
tvgp_status tvgp__learner_adopt(tvgp__learner *l, int64_t most, size_t pivots, const tvgp__points *pending);
/* Conditions a model on point i, for which it was prepared; returns s z, or 0 unless it is `wanted`. */
double tvgp__learner_show(const tvgp__learner *l, tvgp__learner_model *m, const tvgp__points *points, size_t i,
                          const tvgp__observation *r, int wanted);
/* Makes a posterior for these parameters; NOMEM, a kernel's status, and what the policy says. AGAIN: with `progress`, as in
 * the spec; nothing exists yet. */
tvgp_status tvgp__learner_make(tvgp__learner *l, const tvgp__hyper_point *point, tvgp__basis_progress *progress,
                               tvgp__learner_model *out);
/* Lets readers see the model that is in use from now on. */
void tvgp__learner_take_over(tvgp__learner *l);
/* Exchanges the model in use and the candidate, with their ratios in the notes of the present segment. */
void tvgp__learner_exchange(tvgp__learner *l);
/* Frees the posterior of a model. */
void tvgp__learner_free_model(tvgp__learner_model *m);

#endif
