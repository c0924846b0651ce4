/* SPDX-License-Identifier: MIT */
/* A posterior that learns its hyper-parameters. It wraps an inner posterior, made for the parameters in use, and keeps a
 * log of what it was told. Now and then it fits new parameters to the newest observations (fit/hyper.h); when they are
 * worth it, a new inner posterior is made, shown the log, and put in place of the old one. What the wrapper says is,
 * with the offset c and the scale s of the parameters in use, and f the factor of s found since they were fitted:
 *
 *   mean = c + mean of the inner posterior, told y - c          var = f x its variance
 *   f = (2 b0 / (1 + g) + sum_i s_i z_i) / (s (2 a0 + n - 1))    over the n observations of the window, z_i = e_i^2 / (variance + noise)
 *
 * where e_i is an innovation and s_i the scale that was in use then. So f s is the mean of the scale given how well
 * predictions were met; it is taken afresh at every ask.
 *
 * A fit is of at most `window` observations, which may stand for many more answers once a fit has shown how to put them
 * together (fit/observation_groups.h). It is due when there are two different values and a tenth more answers than at the last fit,
 * or as the rules say. Before the first fit the parameters are the prior's mode, with s = 1 and c the first value; a
 * posterior that learns its scale gets the square of the first difference as its unit. New parameters are adopted when, on the data of the fit, they gain
 *
 *   objective(new) - objective(in use) + (c in use - c)^2 / (2 variance of c)  >=  fit.min_improvement
 *
 * A new inner posterior is shown what still tells something (tvgp__posterior_faded), and at least the window. So that the one in
 * use does not carry along what does not, it is made again when more than half of what it was shown has faded: a step
 * costs what the answers of some time cost, not of the whole run. Where nothing changes by the inner posterior's law, it is
 * shown the answers of before the window as one mean for each arm, which says the same (fit/observation_groups.h); so what an adoption
 * costs ends at the number of arms. Where the one in use, in weights on a box, has had to let points of its support go, the
 * new one is shown no more than the window and, before it, two answers for each point. Where noise grows with age every
 * prediction is a fit, so that s z of answers shown again is not worked out: it stays what it was when they came.
 *
 * A fit, or the showing of the log, that is longer than an ask may wait goes on at the next asks. What was in use before
 * the step of an ask is kept until the ask ends, and comes back if the ask fails. */
#ifndef TVGP__POSTERIOR_HYPER_POSTERIOR_H
#define TVGP__POSTERIOR_HYPER_POSTERIOR_H

#include "fit/hyper.h"
#include "fit/observation_groups.h"
#include "fit/observations.h"
#include "posterior/posterior.h"

/* When and how it is fitted: values of the options fit.*, which docs/reference/options.md explains. */
typedef struct tvgp__hyper_posterior_rules {
    int64_t every, window, evals, keep;
    double tolerance, gain;
    int64_t noise, epsilon; /* whether noise and rate are learned; 0: what was told is trusted */
    double usual_ratio;     /* option prior.noise */
} tvgp__hyper_posterior_rules;

/* What a policy says about the posterior that is to learn. */
typedef struct tvgp__hyper_posterior_spec {
    tvgp__hyper_posterior_rules rules;
    const tvgp_kernel *kernel,
        *time;           /* the centre of the prior; the law of change that a fit assumes, NULL: nothing changes */
    double noise;        /* its variance, where it is trusted */
    tvgp__noise_age age; /* the growth of noise with age that a fit assumes */
    int keep_shape;      /* whether only the scale of the kernel is learned */
    int own_scale;       /* whether f stays 1: the inner posterior learns the scale, or nobody does between fits */
    int put_together; /* whether an adoption shows only the observations of the fit, as the inner posterior is dear; 0: every
                       * answer that is kept. It needs own_scale. */
    int takes_rate;   /* whether the inner law has the learned rate, in the unit of the fit; otherwise it goes by `pace` */
    /* Makes an inner posterior. `rate` is the learned one of the law, or of the growth of noise (its alpha); NaN:
     * neither is learned. */
    tvgp_status (*make)(void *arg, const tvgp_kernel *kernel, double rate, double noise, tvgp__posterior **out);
    /* OPTIONAL. It is called when another inner posterior has come into use. */
    void (*adopted)(void *arg, tvgp__posterior *inner, double rate);
    /* OPTIONAL. Tells a new inner posterior what it is to know under these parameters, in place of the log; answers do
     * not go to the inner posterior then either, as its owner says what it observes. It needs own_scale. NOMEM, a
     * foreign kernel's status. */
    tvgp_status (*fill)(void *arg, tvgp__posterior *inner, const tvgp__hyper_point *point);
    /* OPTIONAL. Says how many observations it may be shown in one ask; without it an eighth of the window, at least 32. */
    int64_t (*rows)(const tvgp__posterior *inner);
    /* For an inner posterior without arms that has no scale of its own: gives e^2 / (variance + noise) of the observation
     * it took last, in place of what `at` would say. Otherwise NULL. */
    double (*square)(tvgp__posterior *inner);
    int64_t newest; /* the inner posterior is of so many of the newest answers; 0: of all */
    void *arg;      /* what these functions are given */
} tvgp__hyper_posterior_spec;

/* What is kept beside each record of the log: how well it was foretold. */
typedef struct tvgp__hyper_posterior_note {
    double ratio, candidate_ratio; /* s_i z_i under the parameters in use, and under those of the candidate */
} tvgp__hyper_posterior_note;

/* A posterior and the parameters it was made for. */
typedef struct tvgp__hyper_posterior_model {
    tvgp__posterior *inner; /* NULL: none */
    tvgp_kernel *kernel;
    tvgp__hyper_point point;
    double rate, unit; /* unit: of time, of its laws; 0: not known yet */
} tvgp__hyper_posterior_model;

/* How far the adoption of new parameters is: there are none; `fit_point` waits to be adopted; a candidate was made for
 * it and is being shown the log. */
typedef enum tvgp__hyper_posterior_adoption {
    TVGP__HYPER_POSTERIOR_NONE = 0,
    TVGP__HYPER_POSTERIOR_DUE,
    TVGP__HYPER_POSTERIOR_SHOWING
} tvgp__hyper_posterior_adoption;

/* A posterior that learns. */
typedef struct tvgp__hyper_posterior {
    tvgp__posterior base;
    tvgp__hyper_posterior_spec spec;
    tvgp__hyper *hyper;
    tvgp__hyper_posterior_model in_use;
    tvgp__hyper_posterior_model
        candidate;                     /* for new parameters: it is shown the log from ask to ask until it can take over */
    tvgp__hyper_posterior_model saved; /* what was in use before the step of an ask that has not ended */
    int64_t candidate_first;           /* the candidate is shown `cells`, and then the answers from this one on */
    int64_t candidate_rows;            /* how many of both it has been shown */
    int64_t candidate_ahead;           /* how far it came in calls that failed */
    int64_t first,
        telling; /* what is in use was shown the answers from `first` on; those from `telling` on have not faded */
    tvgp__observations
        log; /* the newest rules.keep answers, and a few more before they are dropped; noise NaN: the learned one */
    tvgp__hyper_posterior_note *notes; /* one for each record of the log */
    int64_t *segments;                 /* the segment of each record of the log */
    size_t note_slots, segment_slots;
    tvgp__observation_groups cells; /* those of the fit that begins, or of the adoption that is under way */
    double fit_cell;                /* the width of a cell in the last fit */
    int64_t answers, segment;       /* how many were told so far; the segment they belong to now */
    int64_t fit_ask;                /* the ask since which the parameters come from a fit */
    int fitted;                     /* whether the parameters come from a fit */
    tvgp__hyper_posterior_adoption adoption;
    int remakes;                              /* whether what is adopted next is those in use, told again */
    double unit;                              /* the unit of time that the op `pace` was told; 0: not known */
    double scale;                             /* f */
    double apart;                             /* before the first fit: by how much two values first differed; 0: not yet */
    int64_t fit_answers;                      /* how many answers there were when the last fit began */
    tvgp__hyper_point fit_point;              /* where the next fit begins */
    tvgp__hyper_point reference;              /* the parameters in use, evaluated on the data of the fit */
    int64_t ask, evals_left, rows_left;       /* the present ask, and what it may still spend */
    int64_t fits, evals, adoptions, failures; /* statistics */
} tvgp__hyper_posterior;

/* Makes a posterior that learns, on n arms X. NOMEM, LIMIT, and what `make` returns. */
tvgp_status tvgp__hyper_posterior_new(tvgp_ctx *ctx, const tvgp__hyper_posterior_spec *spec, size_t n, const double *X,
                                      tvgp__posterior **out);

/* Makes the kernel that it begins with, for a spec without a law of change. */
tvgp_status tvgp__hyper_posterior_prior(tvgp_ctx *ctx, const tvgp__hyper_posterior_spec *spec, tvgp_kernel **out);

/* Does the share of fitting and showing that falls on ask number `ask`. The columns of `pending` are within reach, and
 * stay so. `restarts` says that a reset follows once the ask cannot fail any more. NOMEM, a foreign kernel's status:
 * nothing has changed. After OK the caller gives `before`, and the status of the ask, to tvgp__hyper_posterior_end. */
tvgp_status tvgp__hyper_posterior_step(tvgp__hyper_posterior *l, int64_t ask, int restarts, const tvgp__points *pending,
                                       tvgp__hyper_posterior *before);
void tvgp__hyper_posterior_end(tvgp__hyper_posterior *l, const tvgp__hyper_posterior *before, tvgp_status status);

/* Fits until nothing is left to do (OK) or max_evals evaluations are spent (AGAIN), and shows the log all at once. */
tvgp_status tvgp__hyper_posterior_fit(tvgp__hyper_posterior *l, int64_t max_evals, int64_t *evals);

/* Makes the inner posterior again and tells it what it was told, as the unit of time is another one than it was then; it
 * stays where its rate was learned. */
void tvgp__hyper_posterior_again(tvgp__hyper_posterior *l);

/* Begins a new segment of observations at time t, when everything was redrawn. */
void tvgp__hyper_posterior_split(tvgp__hyper_posterior *l, double t);

/* Give the learned rate, for 1 of the user's time, NaN without one; and the variance of the noise, learned or trusted,
 * at the present scale. */
double tvgp__hyper_posterior_rate(const tvgp__hyper_posterior *l);
double tvgp__hyper_posterior_noise(const tvgp__hyper_posterior *l);

/* ---- what posterior/hyper_posterior_fit.c and learned_adopt.c need beside ---- */
/* Gives the place in the log of answer i of all that were told, which must be kept still; and the point at a place. */
size_t tvgp__hyper_posterior_place(const tvgp__hyper_posterior *l, int64_t i);
const double *tvgp__hyper_posterior_point(const tvgp__hyper_posterior *l, size_t place);
/* Counts the newest answers that f is taken from. */
int64_t tvgp__hyper_posterior_window(const tvgp__hyper_posterior *l);
/* Puts the answers from number `first` on into `cells`. */
void tvgp__hyper_posterior_put(tvgp__hyper_posterior *l, int64_t first);
/* Gives the number of the first answer that is kept; and what candidate_rows is once the candidate was shown everything. */
int64_t tvgp__hyper_posterior_oldest(const tvgp__hyper_posterior *l);
int64_t tvgp__hyper_posterior_candidate_end(const tvgp__hyper_posterior *l);
/* Says whether the posterior in use carries more that has faded than what tells something. */
int tvgp__hyper_posterior_carries(tvgp__hyper_posterior *l);
/* Says whether an adoption may show the answers to one arm as one of their mean, where nothing changes. */
int tvgp__hyper_posterior_pools(const tvgp__hyper_posterior *l);
/* Exchanges ratio and candidate_ratio in the notes of the present segment. */
void tvgp__hyper_posterior_exchange(tvgp__hyper_posterior *l);
/* Makes l->base say what the inner posterior says by now: time and count of observations always; mean, variance and
 * evidence too, unless the inner posterior puts them off until it is settled and neither spec.square nor spec.fill is
 * set. */
void tvgp__hyper_posterior_sync(tvgp__hyper_posterior *l);

/* Goes on with the adoption that is wanted, by at most `most` observations. A candidate is swapped in when it has
 * `pending` within reach. What cannot be made, for other reasons than memory or a foreign kernel, is given up, and the
 * parameters in use stay. */
tvgp_status tvgp__hyper_posterior_adopt(tvgp__hyper_posterior *l, int64_t most, const tvgp__points *pending);
/* Shows point i to a model, which was prepared for it; returns s z, or 0 when nobody wants to know (`foretell`). */
double tvgp__hyper_posterior_show(const tvgp__hyper_posterior *l, tvgp__hyper_posterior_model *m, const tvgp__points *points,
                                  size_t i, const tvgp__observation *r, int foretell);
/* Makes a posterior for these parameters; NOMEM, a kernel's status, and what the policy says. */
tvgp_status tvgp__hyper_posterior_make(tvgp__hyper_posterior *l, const tvgp__hyper_point *point,
                                       tvgp__hyper_posterior_model *out);
/* Puts a model in use, which is taken; what was in use is kept until the ask ends. */
void tvgp__hyper_posterior_take_over(tvgp__hyper_posterior *l, tvgp__hyper_posterior_model *m);
/* Frees a posterior with its kernel. */
void tvgp__hyper_posterior_free_model(tvgp__hyper_posterior_model *m);

#endif
