/* SPDX-License-Identifier: MIT */
/* A posterior whose hyper-parameters are learned: it wraps a posterior made for the parameters in use, keeps a log of
 * what it was told, fits new parameters to the newest observations now and then (fit/hyper.h), and, when that is worth it,
 * shows the log to a new posterior and swaps it in. With c and s of the parameters in use, and f the scale found since:
 *
 *   mean = c + mean of the inner posterior, told y - c          var = f x its variance
 *   f = (2 b0 / (1 + g) + sum_i s_i z_i) / (s (2 a0 + n - 1))    over the n observations of the window, z_i = e_i^2 / (variance + noise)
 *
 * of innovation e_i under the scale s_i that was in use: the mean of s given the predictions made, taken afresh at every ask.
 *
 * A fit is of at most `window` observations, in which a fit before may have shown how to put many more answers together
 * (fit/cells.h). It is due when the answers have grown by a tenth (or as the rules say) and there are two different values. Until
 * then: the prior's mode with s = 1 and c the value. New parameters are adopted when, on the data of the fit, they gain
 *
 *   objective(new) - objective(in use) + (c in use - c)^2 / (2 variance of c)  >=  fit.gain
 *
 * Fits, and the showing of the log, go on from ask to ask when they are longer than an ask may wait. An ask that fails after
 * its step has not happened: what was in use is kept until the ask ends. */
#ifndef TVGP__BELIEF_LEARNED_H
#define TVGP__BELIEF_LEARNED_H

#include "belief/belief.h"
#include "fit/cells.h"
#include "fit/hyper.h"
#include "fit/log.h"

typedef struct tvgp__learned_rules {
    int64_t every, window, evals, keep; /* options fit.* */
    double tolerance, gain;
    int64_t noise, epsilon; /* 0: trusted */
    double usual_ratio;     /* option prior.noise */
} tvgp__learned_rules;

typedef struct tvgp__learned_spec {
    tvgp__learned_rules rules;
    const tvgp_kernel *kernel, *time; /* centre of the prior; the law of change a fit assumes, NULL: none */
    double noise;                     /* when it is trusted */
    tvgp__age age;                    /* growth of noise that a fit assumes */
    int keep_shape;                   /* of the kernel only the scale is learned */
    int own_scale;                    /* f = 1: the inner posterior learns the scale itself, or nobody does between fits */
    int put_together; /* an adoption shows a fit's observations only, of which the inner posterior is dear; needs
                       * own_scale. 0: every answer that is kept */
    int takes_rate;   /* its law has the rate learned, in the unit of the fit; others' laws take that of `pace` */
    /* Makes a posterior. rate: that of the law learned, or of the growth of noise (its alpha); NaN without either. */
    tvgp_status (*make)(void *arg, const tvgp_kernel *kernel, double rate, double noise, tvgp__belief **out);
    void (*adopted)(void *arg, tvgp__belief *inner, double rate); /* OPTIONAL: another inner posterior is in use */
    /* OPTIONAL: shows a posterior, which is new, what it is to know under these parameters, in place of the log. Then nothing that is told
     * goes to the inner posterior either: its owner says what it observes. Needs own_scale. NOMEM, a foreign kernel's status. */
    tvgp_status (*fill)(void *arg, tvgp__belief *inner, const tvgp__hyper_point *point);
    /* OPTIONAL: how many observations it may be shown in one ask; without: an eighth of the window, at least 32. */
    int64_t (*rows)(const tvgp__belief *inner);
    /* Both or none; of one without arms that has no scale of its own. e^2 / (variance + noise) of the observation it took last, which is asked
     * in place of `at`; whether an observation of time t says nothing at `now`. */
    double (*square)(tvgp__belief *inner);
    int (*faded)(const tvgp__belief *inner, double noise, double t, double now);
    void *arg;
} tvgp__learned_spec;

/* Beside each record of the log. */
typedef struct tvgp__learned_note {
    double ratio, candidate_ratio; /* s z under the parameters in use, and under those of the candidate */
} tvgp__learned_note;

/* A posterior and the parameters it was made for. */
typedef struct tvgp__learned_model {
    tvgp__belief *inner; /* NULL: none */
    tvgp_kernel *kernel;
    tvgp__hyper_point point;
    double rate, unit; /* unit: of time, of its laws; 0: not known yet */
} tvgp__learned_model;

/* Of new parameters: there are none; `fit_point` waits to be adopted; the candidate made for it is being shown the log. */
typedef enum tvgp__learned_adoption {
    TVGP__LEARNED_NONE = 0,
    TVGP__LEARNED_DUE,
    TVGP__LEARNED_SHOWING
} tvgp__learned_adoption;

typedef struct tvgp__learned {
    tvgp__belief base;
    tvgp__learned_spec spec;
    tvgp__hyper *hyper;
    tvgp__learned_model in_use;
    tvgp__learned_model candidate; /* for new parameters, shown the log from ask to ask until it can take over */
    tvgp__learned_model saved;     /* in use before the step of an ask that has not ended */
    int64_t candidate_first;       /* it is shown `cells`, and then the answers from this one on */
    int64_t candidate_rows;        /* how many of both it was shown; */
    int64_t candidate_ahead;       /* in calls that failed it came as far as this */
    tvgp__log log; /* the newest rules.keep, and a few more before they are dropped; noise NaN: the learned one */
    tvgp__learned_note *notes;
    int64_t *segments; /* of each record of the log */
    size_t note_slots, segment_slots;
    tvgp__cells cells;        /* of the fit that begins, and of the adoption that is under way */
    double fit_cell;          /* their width in the last fit */
    int64_t answers, segment; /* told so far; the present one */
    int64_t fit_ask;          /* the ask since which parameters come from a fit */
    int fitted;               /* parameters come from a fit */
    tvgp__learned_adoption adoption;
    int remakes;                              /* what is adopted next is the parameters in use, for another unit of time */
    double unit;                              /* of time, as the op `pace` was told; 0: not known */
    double scale;                             /* f */
    int64_t fit_answers;                      /* observations when the last fit began */
    tvgp__hyper_point fit_point;              /* where the next fit begins */
    tvgp__hyper_point reference;              /* the parameters in use on the data of the fit */
    int64_t ask, evals_left, rows_left;       /* what the present ask may still spend */
    int64_t fits, evals, adoptions, failures; /* statistics */
} tvgp__learned;

tvgp_status tvgp__learned_new(tvgp_ctx *ctx, const tvgp__learned_spec *spec, size_t n, const double *X, tvgp__belief **out);

/* The kernel it begins with, of a spec without time. */
tvgp_status tvgp__learned_prior(tvgp_ctx *ctx, const tvgp__learned_spec *spec, tvgp_kernel **out);

/* The work of ask number `ask`, for which the columns of `pending` are within reach, and stay so; `restarts`: a reset follows
 * when the ask cannot fail any more. NOMEM, a foreign kernel's status: nothing has changed. Otherwise `before` goes to
 * tvgp__learned_end with the status of the ask. */
tvgp_status tvgp__learned_step(tvgp__learned *l, int64_t ask, int restarts, const tvgp__points *pending,
                               tvgp__learned *before);
void tvgp__learned_end(tvgp__learned *l, const tvgp__learned *before, tvgp_status status);

/* Fits until nothing is left to do (OK) or max_evals evaluations are spent (AGAIN), and shows the log all at once. */
tvgp_status tvgp__learned_fit(tvgp__learned *l, int64_t max_evals, int64_t *evals);

/* The unit of time is another than it was for what the posterior in use was told: it is made and told again, unless its rate
 * was learned. */
void tvgp__learned_again(tvgp__learned *l);

/* Observations from time t on belong to a new segment: everything was redrawn then. */
void tvgp__learned_split(tvgp__learned *l, double t);

double tvgp__learned_rate(const tvgp__learned *l);  /* as learned, for 1 of the user's time; NaN without one */
double tvgp__learned_noise(const tvgp__learned *l); /* variance of the noise, learned or trusted, at the present scale */

/* ---- what belief/learned_fit.c needs beside ---- */
size_t tvgp__learned_place(const tvgp__learned *l,
                           int64_t i); /* in the log, of observation i of those told, if still kept */
const double *tvgp__learned_point(const tvgp__learned *l, size_t place);
int64_t tvgp__learned_window(const tvgp__learned *l); /* how many of the newest answers the scale is taken from */
/* Puts the answers from number `first` on into `cells`. */
void tvgp__learned_put(tvgp__learned *l, int64_t first);
int64_t tvgp__learned_oldest(const tvgp__learned *l);        /* the first that is kept */
int64_t tvgp__learned_candidate_end(const tvgp__learned *l); /* candidate_rows when it has been shown everything */
void tvgp__learned_exchange(tvgp__learned *l);               /* ratio and candidate_ratio of the present segment */
/* Makes l->base say what the inner posterior says by now: at once time and count of observations; mean, variance and
 * evidence too, unless the inner one puts them off until it is settled and neither spec.square nor spec.fill is set. */
void tvgp__learned_sync(tvgp__learned *l);

/* Goes on with the adoption that is wanted, showing at most `most` observations. What cannot be made for other reasons than
 * memory or a foreign kernel is given up: the parameters in use stay. Swaps in only what has `pending` within reach. */
tvgp_status tvgp__learned_adopt(tvgp__learned *l, int64_t most, const tvgp__points *pending);
void tvgp__learned_free_model(tvgp__learned_model *m);

#endif
