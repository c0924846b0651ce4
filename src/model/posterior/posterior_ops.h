/* SPDX-License-Identifier: MIT */
/* The contract of a posterior: mean and variance of each of n arms, kept up to date. A method is a struct whose first member
 * is tvgp__posterior, a constructor, and a table of operations. Readers call the functions of model/posterior/posterior.h.
 *
 * Values are relative to the prior mean. A posterior has a time, `now`, which does not fall; an outcome may be older. In an
 * array over arms, entry i is arm i. A list of arms is `const size_t *arm` (NULL: arms 0 .. n - 1).
 *
 * Order of the calls. NaN, infinite times and unknown arms do not arrive here.
 *
 *   tell      prepare (the points of a batch), then observe for each of them, in any order; some may be left out
 *   ask       reach (pending arms), advance (t), finish, then `own`, refine (arms that may win) and column (pending arms)
 *   predict   finish, then at (arms), or predictive (any point); the time is t >= now, and stays `now`
 *
 * Only functions that return a status may fail. They change nothing that can be read, whether they fail or not. All others
 * neither allocate nor call a kernel. A reset may come between prepare and observe, and the next prepare replaces the points. */
#ifndef TVGP__MODEL_POSTERIOR_OPS_H
#define TVGP__MODEL_POSTERIOR_OPS_H

#include "base/visit.h"
#include "linalg/chol.h"
#include "model/gp/kernel_rows.h"
#include "model/gp/predictive.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>

typedef struct tvgp__posterior tvgp__posterior;

/* Points to be observed; the arrays are borrowed for the call. */
typedef struct tvgp__points {
    size_t n;
    int in_order; /* 1: they will be observed in order of time, and none is older than `now`; 0: not known */
    union {
        const size_t *arm; /* n numbers of arms, repeated ones included */
        const double *X;   /* n x dim, on a box */
    };
} tvgp__points;

/* An outcome to be observed. */
typedef struct tvgp__posterior_outcome {
    double t, y, noise; /* its time; value, relative to the prior mean; variance of its noise, NaN: the learned one */
    double exposure;    /* > 0: y is a count with this exposure, as it was reported; only if there is an op noise_at */
    double prior_mean;  /* of the arm, if y is a count */
} tvgp__posterior_outcome;

enum { TVGP__POSTERIOR_TOGETHER = TVGP__CHOL_LANES }; /* upper limit of tvgp__slack.together */

/* Bounds of the errors of own.mean and own.var; zero: they are exact. */
typedef struct tvgp__slack {
    double mean, var; /* |m - m'| <= mean and v <= v' + var for exact m, v and given m', v' */
    double column;    /* at most this part of the variance of an arm is noise of its own observations, in no column */
    size_t together;  /* > 0: given variances are upper bounds to within `var`, and refine computes this many arms for the
                       * cost of one */
} tvgp__slack;

/* Operations on a box, which has no arms: n = 0, and points are coordinates. */
typedef struct tvgp__posterior_anywhere {
    int rows; /* 1: the predictive consists of rows of observations; 0: of weights of points */
    /* Changes the predictive made last, of time `now`, as if n pending points X (n x dim), asked at times t (n), had the outcomes
     * expected of them: means stay, variances shrink. The points come behind its own. NOMEM, the kernel's status. */
    tvgp_status (*pend)(tvgp__posterior *, tvgp__predictive *predictive, double now, size_t n, const double *X,
                        const double *t, double noise);
    /* OPTIONAL: tvgp__posterior_prune. The kernel's status; rows that were dropped before the failure stay dropped. */
    tvgp_status (*prune)(tvgp__posterior *, double tolerance, double noise);
    /* OPTIONAL: tvgp__posterior_faded by another rule than the correlation. */
    int (*faded)(const tvgp__posterior *, double noise, double t, double now);
} tvgp__posterior_anywhere;

/* The operations. On arms prepare, observe, advance, at, column, predictive, reset and visit are required; on a box at and
 * column are not called. The comment of an OPTIONAL one begins with what its absence means. */
typedef struct tvgp__posterior_ops {
    /* tell: allocates and evaluates whatever observing these points needs. NOMEM, LIMIT, the kernel's status. */
    tvgp_status (*prepare)(tvgp__posterior *, const tvgp__points *);
    /* tell: conditions on the outcome of point i of those prepared last; `now` becomes max(now, t). If `assumes` is set, the
     * outcome was not measured: moments change, hyperparameters and the marginal likelihood do not. */
    void (*observe)(tvgp__posterior *, const tvgp__points *, size_t i, const tvgp__posterior_outcome *);
    /* OPTIONAL (counts arrive as values): the noise variance of one more count at an arm with this prior mean. */
    double (*noise_at)(tvgp__posterior *, size_t arm, double prior_mean);
    /* ask: moves the posterior to time t >= now. */
    void (*advance)(tvgp__posterior *, double t);
    /* OPTIONAL (observe and advance keep `own` and `counts` up to date): brings them up to date, before they are read. */
    void (*finish)(tvgp__posterior *);
    /* OPTIONAL (own.off is zero): makes own.mean and own.var of n arms exact. */
    void (*refine)(tvgp__posterior *, size_t n, const size_t *arm);
    /* predict: writes mean (n) and variance (n, at least 0) of n arms at time t >= now, without a change. */
    void (*at)(tvgp__posterior *, double t, size_t n, const size_t *arm, double *mean, double *var);
    /* ask: writes the covariances at `now` of one arm with all arms (n). The arm is one of the last reach or prepare. */
    void (*column)(tvgp__posterior *, size_t arm, double *out);
    /* OPTIONAL (draws come from mean and columns): a draw takes one of `filters` models by its weight (filters), and is then
     * independent over arms, with this mean (filters x m, relative to `origin`) and standard deviation (filters x m). */
    void (*draws)(tvgp__posterior *, size_t m, const size_t *arm, double *weight, double *mean, double *sd);
    /* OPTIONAL (keeps the kernel's rows of the points, for tvgp__kernel_rows_at): ask: evaluates what column needs for these
     * points, until the next call. NOMEM, the kernel's status. */
    tvgp_status (*reach)(tvgp__posterior *, const tvgp__points *);
    /* predict: makes the posterior at time t >= now a function of any point. The caller frees it; it is valid until the
     * posterior changes. NOMEM. */
    tvgp_status (*predictive)(tvgp__posterior *, double t, tvgp__predictive *);
    /* Returns to the prior: forgets all observations; `now` stays. */
    void (*reset)(tvgp__posterior *);
    /* OPTIONAL (-1: time changes nothing): the correlation of the function at `from` with itself at `to` > from. */
    double (*correlation)(const tvgp__posterior *, double from, double to);
    /* OPTIONAL (n r^2 flops by the predictive): tvgp__posterior_covariance, for what m columns cost. */
    tvgp_status (*covariance)(tvgp__posterior *, double t, size_t m, const size_t *arm, double *out);
    /* OPTIONAL (rates are per unit of t): sets the unit of time of its rates, at any time (tvgp__drift_set_unit; 0: not
     * known). */
    void (*set_unit)(tvgp__posterior *, double unit);
    /* OPTIONAL (no factor is learned): takes `factor` as the unit of the learned factor of kernel and noise. Called at most
     * once, while all observed values are 0. */
    void (*rescale)(tvgp__posterior *, double factor);
    /* OPTIONAL (UNSUPPORTED): creates the posterior on n arms X (n x dim, the first ones are its own) with the same
     * observations. NOMEM, the kernel's status. */
    tvgp_status (*extend)(const tvgp__posterior *, size_t n, const double *X, tvgp__posterior **out);
    /* OPTIONAL (UNSUPPORTED, naming the policy): distributes the arms over ranks (base/shard.h), before the first observation.
     * From then on all ranks call observe, advance, column, predictive and reset together, and prepare alone. NOMEM. */
    tvgp_status (*share)(tvgp__posterior *);
    /* Names the members of the method in order, for snapshots (base/visit.h); the members below are saved by the library.
     * A load goes into a posterior that was created from the same kernel and options. */
    void (*visit)(tvgp__posterior *, tvgp__visit *);
    void (*release)(tvgp__posterior *);       /* OPTIONAL (there is nothing): frees what the method allocated */
    const tvgp__posterior_anywhere *anywhere; /* NULL: on arms */
} tvgp__posterior_ops;

/* What statistics read. */
typedef struct tvgp__posterior_counts {
    size_t observations; /* in use */
    double effective;    /* methods with aging noise: sum of noise when observed / noise now */
    size_t jitter;       /* how often a singular system was helped */
    size_t widened;      /* observations that came too late to be exact */
    size_t dropped;      /* points of a box dropped since creation */
    size_t rank;         /* columns or features a step costs; the method's own measure of work */
    size_t logged;       /* observations kept as they were reported */
} tvgp__posterior_counts;

/* First member of a method. tvgp__posterior_new fills the first group and zeroes the others, which the method keeps up to date. */
struct tvgp__posterior {
    const tvgp__posterior_ops *ops;
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    const double *X; /* n x dim, borrowed from the domain, which outlives the posterior */
    size_t n;
    double *prior;          /* n: k(x, x) */
    double most;            /* of all arms, > 0 */
    tvgp__kernel_rows rows; /* values of the kernel; rows.ctx = NULL: the method needs none after its creation */
    tvgp__shard *shard;     /* arms are distributed: n and X are those here, numbers of arms among all; or NULL */
    struct {
        double *mean, *var; /* n each, at `now`, to within `off`; var may be below 0 by round-off */
        tvgp__slack off;
        int stale;       /* mean and var wait for finish, or single arms for refine */
        int deferred;    /* finish computes a posterior */
        double *offered; /* the moments that travel with the next agreement of all ranks, or NULL */
        struct {
            int valid; /* to be cleared when mean or var change */
            size_t arm;
            double mean, var, prior;
        } moments;                             /* distributed arms: of the arm that the ranks exchanged last */
        struct tvgp__posterior_frozen *frozen; /* the predictive of tvgp__posterior_freeze, or NULL */
    } own;                                     /* only src/model and src/learn read it */
    double *shown; /* 2 n: mean and variance as they are read, memory of the learner that owns the posterior; or NULL */
    double shift, factor; /* with a learner those are shift + mean and factor x var, and covariances are read times factor */
    double now;           /* -infinity before the first advance or observation */
    double largest;       /* the highest prior variance at `now`, by the drift model: the scale of jitter and tolerances */
    double log_marginal_likelihood;
    double log_det_ratio; /* log det(Sigma + K) - log det Sigma of the observations in use */
    tvgp__posterior_counts counts;
    double unit;   /* factor of declared noises; 1 unless it is learned */
    double origin; /* added to every mean that is shown; 0 unless rewards count from the first one */
    struct {
        double noise, scale; /* the noise variance of an outcome, the factor of the kernel; NaN: not learned */
        int vague;           /* 1: no outcome has shown the unit of the reward yet */
    } learned;               /* what the method learns by itself */
    double square;           /* on a box: tvgp__posterior_square */
    uint32_t filters;        /* of the op draws */
    uint32_t contexts;       /* > 0: the method can leave out moments of other contexts (tvgp__posterior_attend) */
    int32_t attended;        /* the context whose arms have moments; -1: all */
    int assumes;             /* the outcome being observed is assumed; set by tvgp__posterior_observe */
};

/* Creates the common part of a struct of `size` bytes in *out, and checks the arms against the kernel. NOMEM, the kernel's status. */
tvgp_status tvgp__posterior_new(tvgp_ctx *ctx, const tvgp__posterior_ops *ops, const tvgp_kernel *kernel, size_t n,
                                const double *X, size_t size, void *out);
void tvgp__posterior_free(tvgp__posterior *p);

/* ---- steps that methods share ----------------------------------------------------------------------------------- */

/* For prepare: keeps the kernel's rows of the points for tvgp__kernel_rows_at, until the next call. NOMEM, the kernel's status. */
tvgp_status tvgp__posterior_hold(tvgp__posterior *p, const tvgp__points *points);

/* The op `at` of methods whose own.mean and own.var do not change with time. */
void tvgp__posterior_still(tvgp__posterior *p, double t, size_t n, const size_t *arm, double *mean, double *var);

/* For reset: mean 0, variance kappa times the prior's, no observations, log marginal likelihood 0. */
void tvgp__posterior_prior(tvgp__posterior *p, double kappa);

/* For advance: mean = m mean, var = m^2 var + q prior. */
void tvgp__posterior_transit(tvgp__posterior *p, double m, double q);

/* For extend: copies log marginal likelihood, counts and time of `from`, and mean and variance of its arms. */
void tvgp__posterior_inherit(tvgp__posterior *p, const tvgp__posterior *from);

/* For observe: raises a noise variance that is too small, since 0 would be infinite information. */
static inline double tvgp__posterior_noise(const tvgp__posterior *p, double noise) {
    return fmax(noise, 1e-10 * p->largest);
}

/* The number of arms of all ranks, which bounds numbers of arms. */
static inline size_t tvgp__posterior_arms(const tvgp__posterior *p) {
    return tvgp__shard_total(p->shard, p->n);
}

/* The bound below which a variance cannot be round-off: the kernel is not positive semi-definite. */
static inline double tvgp__posterior_lack(const tvgp__posterior *p) {
    return -1e-6 * p->largest;
}

/* For observe: adds an outcome with innovation e, of an arm with this variance, to the log marginal likelihood, log_det_ratio
 * and counts. Returns s = variance + noise. If that is at round-off, s is infinite, as the outcome adds nothing, and
 * counts.jitter grows. */
double tvgp__posterior_surprise(tvgp__posterior *p, double e, double variance, double noise);

/* For observe: conditions mean, var and evidence on one outcome (Rasmussen and Williams 2006, eq. A.6 for one new point). col
 * (n) is Cov(f, f(arm)), and `variance` its entry at the arm (NaN: read from col). Returns s as tvgp__posterior_surprise does;
 * col becomes col / sqrt(s), and *e the innovation. O(n). */
double tvgp__posterior_condition(tvgp__posterior *p, size_t arm, double y, double noise, double variance, double *col,
                                 double *e);

/* For observe: counts an outcome that came too late to be exact. */
void tvgp__posterior_count_late(tvgp__posterior *p);

#endif
