/* SPDX-License-Identifier: MIT */
/* Hyperparameter optimisation: finds the most probable hyperparameters given a window of observations. The objective is
 * the marginal likelihood (learn/marginal_likelihood.h) times a prior, maximised by projected BFGS (linalg/bfgs.h).
 *
 * Coordinates theta: every kernel parameter is u = base + theta, where base is its initial value, so theta has no unit.
 *
 *   lengthscales   shared N(0, sd^2) + own N(0, own^2); a single one: shared only; more than 32 of one kernel move together;
 *                  or each is gamma distributed: shape log l - rate l
 *   alpha, bias, correlation, further variances    N(0, 1)          period    N(0, 0.3^2)
 *   rate x median positive time step               log N(log 0.01, 2^2), at most 1/4: faster change is noise
 *   growth of noise with age (space/temporal/noise_age.h)            rate x step (linear: of rate / scale) as the rate, alpha log N(log given, 1)
 *   g = noise / scale                              z = (log g - log 0.01) / 2:  -z^2/2 below 0, -log(1 + z^2) above
 *
 * Above the centre, g has the tail of a Cauchy distribution of the same width, because noise can be large for many
 * reasons.
 *
 * If noise grows with age, M has the noise of each observation at the time of the newest one, and the marginal
 * likelihood covers all observations of the function at that time.
 *
 * Rates are in the unit of the given times, which may change between optimisations (a rate near 1 keeps its digits in
 * epsilon = 1 - e^(-2 kappa), and the same times in another unit give the same bits): theta is unchanged, and its base
 * moves by log(unit / first unit).
 *
 * The factor of the whole kernel (its one variance; a constant if it has none) is the scale s. Collapsed form: s and the
 * offset c are integrated out. s (1 + g) is inverse gamma (a0, b0) with a0 = 1 and b0 the sample variance of the
 * outcomes, an estimate of the total variance. If outcomes declare their noise, or the noise is trusted, s is a
 * coordinate and only c is integrated out (v: the mean declared noise, z with g = v / s):
 *
 *   log s          -1/2 log^2((s + v) / b0), and the prior of z above if noise is declared; v = s g if most of it is learned
 *
 * Outcomes and log s are scaled by a power of two near the root of b0, so outcomes times a power of two give the same
 * bits. The data may be groups of outcomes (learn/observation_groups.h) with `count` and the squares about their mean.
 *
 * Maximum likelihood within bounds (no prior, known mean) is available for comparison. */
#ifndef TVGP__LEARN_HYPER_H
#define TVGP__LEARN_HYPER_H

#include "learn/marginal_likelihood.h"
#include "linalg/bfgs.h"
#include "space/kernel/parameter.h"
#include "space/temporal/noise_age.h"

/* Default centre of the prior of g. */
#define TVGP__HYPER_USUAL_RATIO 0.01

/* What is learned, and what is known beforehand. */
typedef struct tvgp__hyper_spec {
    const tvgp_kernel *space, *time; /* time NULL: nothing changes */
    size_t window;                   /* the most observations of a fit */
    double noise;                    /* trusted variance; NaN: learned */
    tvgp__noise_age age;             /* how noise grows; its rate where it is trusted, its alpha where that begins too */
    int keep_rate;                   /* the parameters of time and of age are trusted too */
    int keep_shape;                  /* spatial parameters stay fixed, except the scale */
    double tolerance;                /* converged when less than this is to be gained, in nats */
    double usual_ratio;              /* the centre of the prior of g */
    double gamma_shape, gamma_rate;  /* of the prior of lengthscales; a shape of 0: the log-normal one */
    int likelihood;                  /* maximum likelihood: no prior, known mean; noise is where it begins */
} tvgp__hyper_spec;

/* One set of hyper-parameters and what the data say about it. */
typedef struct tvgp__hyper_point {
    double theta[TVGP__BFGS_MOST];
    double objective; /* log marginal likelihood + log prior without its constants; -infinity: not evaluable */
    double evidence;
    double mean, scale, noise; /* c, s and the noise variance s g */
    double precision;          /* 1 / variance of c given the rest */
    double unit;               /* that rates are counted in where kernels are made; 0: as that of the first fit */
    double compared;           /* the objective of outcomes in the unit of the evaluation: what is maximised */
} tvgp__hyper_point;

/* The data of an evaluation in its own unit. */
typedef struct tvgp__hyper_scaled {
    double *y, *noise, *within;
} tvgp__hyper_scaled;

/* A learner with its data, and the fit that is under way. */
typedef struct tvgp__hyper {
    tvgp_ctx *ctx;
    tvgp__hyper_spec spec;
    tvgp_kernel *space, *time;   /* private: an evaluation writes into them; space has a factor of the whole */
    size_t n_space, n_params, p; /* parameters of space, of both; coordinates */
    tvgp__param *list;           /* n_params */
    size_t *coordinate;          /* n_params: which coordinate; SIZE_MAX: the scale, or trusted */
    size_t scale_param, log_scale, log_noise, log_age; /* log_age SIZE_MAX: nothing to learn of it */
    double *base, *values, *raw;                       /* n_params; n_params; n_params + 1: gradient by parameters */
    double centre[TVGP__BFGS_MOST], sd[TVGP__BFGS_MOST], lower[TVGP__BFGS_MOST], upper[TVGP__BFGS_MOST];
    int32_t group[TVGP__BFGS_MOST]; /* of lengthscales with a shared part, from 1; 0: none */
    tvgp__marginal_likelihood evidence;
    double *X, *t, *y, *noise; /* window x dim, window: the data, filled by the caller with n */
    double *aged, *by_aged;    /* window: noise as grown, and the derivative by it; workspace */
    tvgp__hyper_scaled scaled; /* window each; workspace */
    double *count, *within;    /* window: outcomes in each and their squares about their mean; 1 and 0 at first */
    int64_t *segment;
    size_t n;
    double unit, first; /* the caller's: of the times given; and the first one known: 0, not known or declared rates */
    double given_step;  /* median positive time step of the outcomes; 0: the step of t */
    double b0, step;    /* sample variance of the outcomes; their step, 1 if there is none */
    double answers;     /* how many there are */
    double declared;    /* mean declared noise variance of an outcome; NaN: most declare none */
    int plain;          /* the scale is a coordinate */
    /* the fit that is under way */
    tvgp__bfgs_rules rules;
    tvgp__bfgs search;
    double *search_memory, *curvature; /* p x p: of the last optimisation, for curvature_n outcomes (0: none) */
    size_t curvature_n, cold_n;        /* outcomes at the last start from the prior's mode */
    int running, cold_next;            /* next start: 0 none, 1 the mode and then 2, 2 the mode with much noise */
    tvgp__hyper_point best;
    struct tvgp__hyper *marked; /* what a mark remembers: this struct, the search, the curvature */
    double *marked_memory;
} tvgp__hyper;

/* Allocates everything a fit will need and clones the kernels. LIMIT: too many parameters. NOMEM. */
tvgp_status tvgp__hyper_new(tvgp_ctx *ctx, const tvgp__hyper_spec *spec, tvgp__hyper **out);
void tvgp__hyper_free(tvgp__hyper *h);

/* Looks at the data that X, t, y, noise, segment and n now hold: 1 when they can be learned from (two different values). */
int tvgp__hyper_look(tvgp__hyper *h);

/* Sets bounds for maximum likelihood, after a look: on every parameter and (last) on the noise variance, 0 < lower <=
 * upper. */
void tvgp__hyper_bound(tvgp__hyper *h, const double *lower, const double *upper);

/* Gives where a fit begins that knows nothing: the prior's mode, given the data looked at. Its objective is not known. */
void tvgp__hyper_mode(const tvgp__hyper *h, tvgp__hyper_point *out);

/* Gives a point of an earlier fit, or of the prior, the coordinate that its scale has on the data looked at. */
void tvgp__hyper_carry(const tvgp__hyper *h, tvgp__hyper_point *point);

/* Evaluates the objective and the rest at point->theta. Fails only as foreign kernels do. */
tvgp_status tvgp__hyper_evaluate(tvgp__hyper *h, tvgp__hyper_point *point);

/* Starts an optimisation for the current data from `warm`, or from the mode if `warm` is NULL or the number of outcomes
 * has doubled since. A start from the mode is two runs, because white noise has two explanations. The second explanation
 * is a function that is redrawn at every step; the second run begins with g = 10. */
void tvgp__hyper_begin(tvgp__hyper *h, const tvgp__hyper_point *warm);

/* Goes on with the fit for at most `budget` evaluations, counted in *evaluations: OK when the fit has ended (`best`; its
 * objective is -infinity when nothing could be evaluated), AGAIN when not. */
tvgp_status tvgp__hyper_run(tvgp__hyper *h, int64_t budget, int64_t *evaluations);

/* Remembers how far the fit under way has come, for a call that may fail. */
void tvgp__hyper_mark(tvgp__hyper *h);
/* Goes back there: nothing has been evaluated since. */
void tvgp__hyper_undo(tvgp__hyper *h);

/* Saves the optimisation under way and the start of the next one (base/visit.h); loading needs one made for the same spec. */
void tvgp__hyper_visit(tvgp__hyper *h, tvgp__visit *v);
void tvgp__hyper_visit_point(const tvgp__hyper *h, tvgp__hyper_point *point, tvgp__visit *v);

/* Makes kernels with the values of a point: new handles; *time may be NULL when there is no time kernel. */
tvgp_status tvgp__hyper_kernels(tvgp__hyper *h, const tvgp__hyper_point *point, tvgp_kernel **space, tvgp_kernel **time);

/* Returns the noise of one outcome under these hyperparameters: its variance over the scale s of the kernel. The noise
 * is the mean of the declared values, and that of the point if most outcomes declare none. */
double tvgp__hyper_ratio(const tvgp__hyper *h, const tvgp__hyper_point *point);
/* Returns the rate of the drift model at a point, per unit of time; 0: nothing changes. */
double tvgp__hyper_rate(const tvgp__hyper *h, const tvgp__hyper_point *point);

/* Gives the rate, or alpha, by which noise grows at a point; NaN: it does not. */
double tvgp__hyper_growth(const tvgp__hyper *h, const tvgp__hyper_point *point);

/* Counts the coordinates that are at a bound of the prior. */
size_t tvgp__hyper_at_bound(const tvgp__hyper *h, const tvgp__hyper_point *point);

#endif
