/* SPDX-License-Identifier: MIT */
/* Posterior over a finite set of arms: mean and variance of every arm, kept up to date. One ops table, several methods;
 * values are relative to the prior mean. A posterior has a time, `now`; observations may come in any order.
 *
 * What can fail stands in prepare and predict, which return a status; nothing else allocates or calls a kernel. What prepare
 * leaves lies beyond what can be seen: its points may be left out, a reset may come between, and the next prepare writes
 * over it. */
#ifndef TVGP__MODEL_POSTERIOR_H
#define TVGP__MODEL_POSTERIOR_H

#include "base/visit.h"
#include "linalg/chol.h"
#include "model/gp/kernel_rows.h"
#include "model/gp/predictive.h"
#include "model/observations.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>

typedef struct tvgp__posterior tvgp__posterior;

enum { TVGP__POSTERIOR_TOGETHER = TVGP__CHOL_LANES }; /* upper limit of tvgp__slack.together */

/* Points to be observed; borrowed: arms, or for posteriors without arms coordinates. */
typedef struct tvgp__points {
    size_t n;
    int in_order; /* 1: they will be observed in order of time, none of before `now`; 0: who knows */
    union {
        const size_t *arm;
        const double *X; /* n x dim */
    };
} tvgp__points;

/* An outcome to be observed. */
typedef struct tvgp__posterior_outcome {
    double t, y, noise; /* its time; value, relative to the prior mean; variance of its noise, NaN: the learned one */
    double exposure;    /* > 0: y is a count with this exposure, as it was reported, for methods with the op noise_at */
    double prior_mean;  /* of the arm, if it is a count */
} tvgp__posterior_outcome;

/* Bounds of the errors of the moments of all arms. */
typedef struct tvgp__slack {
    double mean, var; /* |m - m'| <= mean and v <= v' + var for exact m, v and given m', v'; 0: they are exact */
    double column;    /* at most this part of any arm's variance is in no column: noise of its observations */
    size_t together;  /* > 0: given variances are upper bounds to within `var`, and tvgp__posterior_exact computes this many
                       * arms for the cost of one */
} tvgp__slack;

/* What a posterior that lives on a box, and not on arms, does for a search over that box, in addition to the op `predictive`. */
typedef struct tvgp__posterior_anywhere {
    int rows; /* it holds rows of observations; 0: weights of points */
    /* Changes the predictive made last, of time `now`, as if n pending points had been observed with their
     * expected outcomes: means stay, variances shrink. X: n x dim, asked at times t (n); they come behind the points of the predictive.
     * NOMEM, the kernel's status. */
    tvgp_status (*pend)(tvgp__posterior *, tvgp__predictive *predictive, double now, size_t n, const double *X,
                        const double *t, double noise);
    /* OPTIONAL: tvgp__posterior_prune. The kernel's status: what was dropped by then was right to go. */
    tvgp_status (*prune)(tvgp__posterior *, double tolerance, double noise);
    /* OPTIONAL: tvgp__posterior_faded, of a method that knows better what observations of t still tell. */
    int (*faded)(const tvgp__posterior *, double noise, double t, double now);
} tvgp__posterior_anywhere;

/* What a method does. It may leave out what is OPTIONAL; callers call the function of the same name below, which then does
 * what is right for a method that does not care:
 *
 *   left out         the method                              the function
 *   noise_at         knows no counts                         the caller makes a value of it
 *   finish           keeps mean and var up to date           does nothing
 *   refine           has all of them exact                   does nothing
 *   draws            draws from its moments                  the caller draws from mean and columns
 *   reach            reads columns from rows of the kernel   holds the rows of the points
 *   correlation      knows no change in time                 gives -1
 *   covariance       knows no simple way                     asks the predictive
 *   set_unit         has no unit of time                              does nothing
 *   rescale          learns no factor                        does nothing
 *   extend           keeps the arms it has                   UNSUPPORTED
 *   share            cannot have distributed arms            UNSUPPORTED, naming the policy
 *   visit            has no snapshot                         UNSUPPORTED
 *   release          holds nothing beside the struct         does nothing
 *   anywhere         lives on arms                           prune does nothing */
typedef struct tvgp__posterior_ops {
    /* Allocates and evaluates whatever observing these points needs, so that observing cannot fail. NOMEM, LIMIT, a
     * kernel's status; nothing that can be read changes. */
    tvgp_status (*prepare)(tvgp__posterior *, const tvgp__points *);
    /* Conditions on the outcome of point i of those prepared last; now becomes max(now, t). */
    void (*observe)(tvgp__posterior *, const tvgp__points *, size_t i, const tvgp__posterior_outcome *);
    /* OPTIONAL, of a method that takes counts: the noise variance of one more at an arm with this prior mean. */
    double (*noise_at)(tvgp__posterior *, size_t arm, double prior_mean);
    /* Moves mean and var to time t >= now. */
    void (*advance)(tvgp__posterior *, double t);
    /* OPTIONAL: brings mean and var up to date, for methods whose observe and advance only take note. */
    void (*finish)(tvgp__posterior *);
    /* OPTIONAL: makes mean and var, which a method may leave off by what `off` says, exact for these arms (by index; NULL:
     * the first n). */
    void (*refine)(tvgp__posterior *, size_t n, const size_t *arm);
    /* Writes mean and variance of n arms (by index; NULL: the first n) at time t >= now; changes nothing. */
    void (*at)(tvgp__posterior *, double t, size_t n, const size_t *arm, double *mean, double *var);
    /* Posterior covariance of one arm with all arms at `now`; of an arm within reach. */
    void (*column)(tvgp__posterior *, size_t arm, double *out);
    /* OPTIONAL: a draw for a choice takes one of `filters` by its weight, and is then independent over arms. Mean (relative to the
     * origin) and standard deviation of such draws for m arms, filter after filter. */
    void (*draws)(tvgp__posterior *, size_t m, const size_t *arm, double *weight, double *mean, double *sd);
    /* OPTIONAL: allocates and evaluates whatever `column` needs for these points, which holds until the next call.
     * NOMEM, the kernel's status; nothing that can be read changes. */
    tvgp_status (*reach)(tvgp__posterior *, const tvgp__points *);
    /* Makes of the posterior at time t >= now a function of any point, which the caller frees; it is valid until a call
     * changes the posterior. NOMEM. */
    tvgp_status (*predictive)(tvgp__posterior *, double t, tvgp__predictive *);
    /* Forgets all observations; `now` stays. */
    void (*reset)(tvgp__posterior *);
    /* OPTIONAL: correlation of the function with itself from one time to a later one, by the drift model; below 0: time
     * changes nothing. */
    double (*correlation)(const tvgp__posterior *, double from, double to);
    /* OPTIONAL: as tvgp__posterior_covariance. */
    tvgp_status (*covariance)(tvgp__posterior *, double t, size_t m, const size_t *arm, double *out);
    /* OPTIONAL: sets the unit of time of drift models whose rates are in it (tvgp__drift_set_unit; 0: not known). It may be called
     * at any time, as the unit is found from the first steps. */
    void (*set_unit)(tvgp__posterior *, double unit);
    /* OPTIONAL, of one that learns a common factor of kernel and noise: takes `factor` as the unit of that factor, where
     * all it has observed is 0. Called once. */
    void (*rescale)(tvgp__posterior *, double factor);
    /* OPTIONAL: a posterior on n >= base->n arms, of which X begins with those of this one, that knows what this one knows.
     * NOMEM, the kernel's status. */
    tvgp_status (*extend)(const tvgp__posterior *, size_t n, const double *X, tvgp__posterior **out);
    const tvgp__posterior_anywhere *anywhere; /* OPTIONAL: there are no arms */
    /* OPTIONAL: distributes the arms over ranks (base/shard.h), before the first observation; tvgp__posterior_shares where
     * the method keeps of single arms only what tvgp__posterior has. From then on all ranks call observe, advance, column,
     * predictive and reset together, and prepare alone. NOMEM. */
    tvgp_status (*share)(tvgp__posterior *, tvgp__shard *);
    void (*release)(tvgp__posterior *); /* OPTIONAL */
    /* OPTIONAL: saves, or loads into a posterior made from the same kernel and options, what it holds beside the members
     * below (base/visit.h). After loading, what the next finish reads must be held. */
    void (*visit)(tvgp__posterior *, tvgp__visit *);
} tvgp__posterior_ops;

/* How much a posterior holds and what went wrong with it: what statistics read. */
typedef struct tvgp__posterior_counts {
    size_t observations; /* in use */
    double effective;    /* methods with aging noise: sum of noise when observed / noise now */
    size_t jitter;       /* how often a singular system was helped */
    size_t widened;      /* observations that came too late to be exact */
    size_t dropped;      /* points of a box let go since creation */
    size_t rank;         /* columns or features a step costs; the method's own measure of work */
    size_t logged;       /* observations kept as they were made */
} tvgp__posterior_counts;

/* First member of every method. */
struct tvgp__posterior {
    const tvgp__posterior_ops *ops;
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    const double *X; /* n x dim, borrowed from the domain, which outlives the posterior */
    size_t n;
    tvgp__shard *shard;     /* the arms are shared: n and X are those here, numbers of arms among all; or NULL */
    tvgp__kernel_rows rows; /* no ctx: the method holds the kernel in features and needs none */
    struct {
        double *mean, *var; /* n each, at `now`, to within `off`; var may be below 0 by round-off */
        tvgp__slack off;
        int stale;       /* mean and var are computed on demand: by finish, or for single arms by refine */
        int deferred;    /* mean and var wait for finish, which computes a posterior */
        double *offered; /* the moments that travel with the next agreement of all ranks, or NULL */
        struct {
            int valid; /* cleared when mean or var change */
            size_t arm;
            double mean, var, prior;
        } moments; /* of the arm whose rank sent them to all last, when arms are shared */
        struct tvgp__posterior_frozen
            *frozen; /* the predictive of a time at which many predictions are made (freeze), or NULL */
    } own;           /* used by src/model and src/learn alone; callers have bounds, exact and column */
    double *prior;   /* n: k(x, x) */
    double most;     /* of all arms, > 0 */
    double largest;  /* the same now, of the drift model: the scale of jitter and tolerances */
    double unit;     /* factor of declared noises; 1 unless it is learned */
    double origin;   /* is to be added to every mean in here that is shown; 0 unless rewards count from their first */
    struct {
        double noise, scale; /* the noise variance of an outcome, the factor of the kernel; NaN: the caller has them */
        int vague;           /* whether no outcome has shown the unit of the reward yet; 0: it is known */
    } learned;               /* what a method has learned by itself */
    double square;           /* tvgp__posterior_square, computed when finished */
    double now;              /* -infinity before the first advance */
    uint32_t filters;        /* of the op `draws` */
    uint32_t contexts;       /* of methods that can leave out moments of other contexts (tvgp__posterior_attend); else 0 */
    int32_t attended;        /* the context whose arms have moments; -1: all */
    int assumes;             /* the observation under way is assumed (tvgp__posterior_observe) */
    double log_marginal_likelihood;
    double log_det_ratio; /* log det(Sigma + K) - log det Sigma of the observations in use */
    tvgp__posterior_counts counts;
};

/* Fills the common part of a struct of `size` bytes (first member: tvgp__posterior) and checks the arms against the kernel.
 */
tvgp_status tvgp__posterior_new(tvgp_ctx *ctx, const tvgp__posterior_ops *ops, const tvgp_kernel *kernel, size_t n,
                                const double *X, size_t size, void *out);
void tvgp__posterior_free(tvgp__posterior *p);

/* The whole of it (base/visit.h). UNSUPPORTED without the op. */
void tvgp__posterior_visit(tvgp__posterior *p, tvgp__visit *v);

/* Copies evidence, counts and time of `from`, and mean and variance of its arms; for use in the op `extend`. */
void tvgp__posterior_inherit(tvgp__posterior *p, const tvgp__posterior *from);

/* Brings mean, var, evidence and counts up to date, and is called before they or a column are read. */
void tvgp__posterior_finish(tvgp__posterior *p);

/* Predict at n points that need not be arms, at time t >= now: whatever of `out` is wanted, or mean and variance. They
 * change nothing, and fail as the op predictive and the kernel do. */
/* From here to thaw predictions at time t share one predictive, and several points at a time may lose last digits (model/gp/predictive.h: moments);
 * nothing is observed in between. As the op predictive, NOMEM. */
tvgp_status tvgp__posterior_freeze(tvgp__posterior *p, double t);
void tvgp__posterior_thaw(tvgp__posterior *p);

tvgp_status tvgp__posterior_values(tvgp__posterior *p, double t, size_t n, const double *X,
                                   const tvgp__predictive_values *out);
tvgp_status tvgp__posterior_predict(tvgp__posterior *p, double t, size_t n, const double *X, double *mean, double *var);

/* Says that until the next call only moments of arms in this context are read; -1: of all arms. */
void tvgp__posterior_attend(tvgp__posterior *p, int64_t context);

/* Makes mean and var of these arms (by index; NULL: the first n) exact, until the posterior changes. */
void tvgp__posterior_refine(tvgp__posterior *p, size_t n, const size_t *arm);

/* Callers outside this directory read moments with the next functions. */

/* Finishes deferred work, and gives the moments of all arms at `now` (NULL: not wanted) to within `slack`. The arrays are
 * borrowed; they hold until the posterior changes, and tvgp__posterior_exact updates them. */
void tvgp__posterior_bounds(tvgp__posterior *p, const double **mean, const double **var, tvgp__slack *slack);
/* Makes the moments of these arms exact (by index; NULL: the first n) and copies them (NULL: not wanted). Deferred work is
 * finished: tvgp__posterior_bounds was called since the last change. */
void tvgp__posterior_exact(tvgp__posterior *p, size_t n, const size_t *arm, double *mean, double *var);
/* Posterior covariance at `now` of one arm within reach with all arms. */
void tvgp__posterior_column(tvgp__posterior *p, size_t arm, double *out);

/* Counts an observation that came too late to be exact. */
void tvgp__posterior_count_late(tvgp__posterior *p);

/* Says whether finishing deferred work costs a fit. */
int tvgp__posterior_waits(const tvgp__posterior *p);

/* Sets the unit of time, as the op `set_unit`. */
void tvgp__posterior_set_unit(tvgp__posterior *p, double unit);

/* Sets the unit of a learned factor, as the op `rescale`. */
void tvgp__posterior_rescale(tvgp__posterior *p, double factor);

/* Calls the op `observe`. An observation that is assumed, and was not measured, changes the moments, the information and the
 * weights of a mixture: hyperparameters, scales, change-points and the marginal likelihood do not learn from it. */
void tvgp__posterior_observe(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double y, double noise,
                             int assumed);

/* The same for a count as it was reported, of an arm with this prior mean; for methods with the op noise_at. */
void tvgp__posterior_observe_count(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double count,
                                   double exposure, double prior_mean);

/* Prepares the op `column` for these points, until the next call. NOMEM, the kernel's status; nothing that can be read
 * changes. */
tvgp_status tvgp__posterior_reach(tvgp__posterior *p, const tvgp__points *points);

/* The correlation of the function with itself from one time to a later one; below 0: time changes nothing. */
double tvgp__posterior_correlation(const tvgp__posterior *p, double from, double to);

/* Gives the covariances at time t >= now of m arms with all arms, m x n: where the method knows a way for what m columns cost,
 * otherwise from the predictive, n r^2 flops for r rows. NOMEM, the kernel's status, as predictive does; nothing seen. */
tvgp_status tvgp__posterior_covariance(tvgp__posterior *p, double t, size_t m, const size_t *arm, double *out);

/* A posterior on n >= p->n arms, of which X begins with those of this one, that knows what this one knows. NOMEM, the
 * kernel's status, UNSUPPORTED. */
tvgp_status tvgp__posterior_extend(const tvgp__posterior *p, size_t n, const double *X, tvgp__posterior **out);

/* On a box: drops observations that move the sd anywhere by less than `tolerance` noise sds. Where the kernel fails, whose
 * status this is, or a quota ends (LIMIT), the rest of them stay, and are looked at again next time. */
tvgp_status tvgp__posterior_prune(tvgp__posterior *p, double tolerance, double noise);
/* The same where nothing may fail any more. */
void tvgp__posterior_prune_quietly(tvgp__posterior *p, double tolerance, double noise);
/* On a box, gives e^2 / (variance + noise) of the newest observation, e its difference from the prediction. Rows: not with aging noise. */
double tvgp__posterior_square(tvgp__posterior *p);
/* Says whether observations of time t and before tell next to nothing at `now`, whatever they are: by default when the
 * correlation c since then has c^2 < .01, so that all of them together explain less than a hundredth of any variance (a
 * drift model), or weigh less than that compared with one of now (noise that grows). */
int tvgp__posterior_faded(const tvgp__posterior *p, double noise, double t, double now);

/* The op `share` of methods that keep of single arms only the members of tvgp__posterior. */
tvgp_status tvgp__posterior_shares(tvgp__posterior *p, tvgp__shard *shard);

/* Tells a posterior that its arms are shared. UNSUPPORTED, naming the policy, when the method cannot do that. All ranks
 * call it together, and get the same status. */
tvgp_status tvgp__posterior_share(tvgp__posterior *p, tvgp__shard *shard, const char *policy);

/* Makes room for the moments of one arm in the next agreement of all ranks, as `offer` needs. NOMEM. */
tvgp_status tvgp__posterior_offer_room(tvgp__posterior *p);
/* Saves a call of all ranks where arms are shared: the rank that holds an arm sends mean, variance and prior variance of
 * it along with the next agreement, the one on the status of prepare. SIZE_MAX: the arm is not known, and nothing is
 * sent. */
void tvgp__posterior_offer(tvgp__posterior *p, size_t arm);
/* Reads them out of that agreement, if it was OK, on every rank; tvgp__posterior_moments then has no need to ask for them. */
void tvgp__posterior_given(tvgp__posterior *p, size_t arm);

/* Calls the op prepare. On distributed arms all ranks call it together, and get the same status. */
tvgp_status tvgp__posterior_ready(tvgp__posterior *p, const tvgp__points *points);

/* The first reads mean, variance (perhaps below 0) and prior variance of an arm that this rank holds; the second notes
 * what the rank that holds it has sent the others. */
void tvgp__posterior_here(const tvgp__posterior *p, size_t index, double moments[3]);
void tvgp__posterior_know(tvgp__posterior *p, size_t arm, const double moments[3]);

/* Gives mean and variance of one arm now. On shared arms all ranks call it together. */
void tvgp__posterior_moments(tvgp__posterior *p, size_t arm, double *mean, double *var);

/* Makes points of n kept observations from number `first` on; on arms `arm` has room for n numbers. */
tvgp__points tvgp__posterior_points(const tvgp__observations *kept, size_t first, size_t n, size_t *arm);

/* Shows a posterior n kept observations from number `first` on: prepares it for at most TVGP__POSTERIOR_BLOCK at a time, and
 * calls `each` for every one of them, in order. As tvgp__posterior_ready; on failure the blocks before were shown. */
enum { TVGP__POSTERIOR_BLOCK = 64 };
typedef void tvgp__posterior_each(void *user, tvgp__posterior *, const tvgp__points *, size_t i, const tvgp__observation *);
tvgp_status tvgp__posterior_replay(tvgp__posterior *p, const tvgp__observations *kept, size_t first, size_t n,
                                   tvgp__posterior_each *each, void *user);

/* Evaluates the kernel's rows of the points, and holds them until the next call; for use in the op `prepare`. NOMEM, the
 * kernel's status: the rows held before stay. */
tvgp_status tvgp__posterior_hold(tvgp__posterior *p, const tvgp__points *points);

/* The op `at` of methods whose mean and var do not move with time. */
void tvgp__posterior_still(tvgp__posterior *p, double t, size_t n, const size_t *arm, double *mean, double *var);

/* Raises a noise variance that is too small: one of 0 would be infinite information. */
static inline double tvgp__posterior_noise(const tvgp__posterior *p, double noise) {
    return fmax(noise, 1e-10 * p->largest);
}

/* Gives the bound below which a posterior variance cannot be round-off: the kernel is not positive semi-definite. An
 * observation at such an arm is counted, and teaches nothing. */
static inline double tvgp__posterior_lack(const tvgp__posterior *p) {
    return -1e-6 * p->largest;
}

/* Sets counts and evidence of a posterior that consists of rows, from their factor L, z = L^-1 y and noise variances. */
void tvgp__posterior_rows(tvgp__posterior *p, const tvgp__chol *factor, const double *z, const double *noise);

/* Moves mean and variances through a step of time: mean = m mean, var = m^2 var + q prior. */
void tvgp__posterior_transit(tvgp__posterior *p, double m, double q);

/* Returns to the prior: mean 0, variance kappa times the prior's, no observations, evidence 0; for use in the op `reset`. */
void tvgp__posterior_prior(tvgp__posterior *p, double kappa);

/* Adds an observation with innovation e, of an arm whose variance was `variance`, to log evidence, information and count.
 * Returns s = variance + noise. Where that is at round-off the arm is known exactly already: s is then infinite, as the
 * observation teaches nothing; it is counted in `jitter`, and its evidence is that of the least s allowed. */
double tvgp__posterior_surprise(tvgp__posterior *p, double e, double variance, double noise);

/* Conditions mean, var and evidence on one observation, as all sequential methods do (Rasmussen and Williams 2006, eq. A.6
 * for one new point). col is Cov(f, f(arm)), and `variance` its entry at the arm (NaN: to be read in col); col becomes g =
 * col / sqrt(s), s = variance + noise. Returns s as tvgp__posterior_surprise does, and the innovation in *e. O(n). */
double tvgp__posterior_condition(tvgp__posterior *p, size_t arm, double y, double noise, double variance, double *col,
                                 double *e);

#endif
