/* SPDX-License-Identifier: MIT */
/* Posterior over a finite set of arms: mean and variance of every arm, kept up to date. One ops table, several methods;
 * values are relative to the prior mean. A posterior has a time, `now`; observations may come in any order.
 *
 * What can fail stands in prepare and predict, which return a status; nothing else allocates or calls a kernel. What prepare
 * leaves lies beyond what can be seen: its points may be left out, a reset may come between, and the next prepare writes
 * over it. */
#ifndef TVGP__BELIEF_BELIEF_H
#define TVGP__BELIEF_BELIEF_H

#include "base/visit.h"
#include "gp/form.h"
#include "gp/rows.h"
#include "kernel/kernel_ops.h"
#include "linalg/chol.h"

#include <math.h>

typedef struct tvgp__belief tvgp__belief;

/* Points to be observed; borrowed: arms, or for posteriors without arms coordinates. */
typedef struct tvgp__points {
    size_t n;
    union {
        const size_t *arm;
        const double *X; /* n x dim */
    };
} tvgp__points;

/* Of a posterior without arms, beside `form`: what a search over a box asks. */
typedef struct tvgp__belief_anywhere {
    /* The points it holds (n x dim), and how many it has let go since creation. */
    const double *(*points)(const tvgp__belief *, size_t *n);
    size_t (*dropped)(const tvgp__belief *);
    /* Makes the last form, of time `now`, one in which n more points are observed at their mean: X (n x dim) at times t.
     * Valid as long as the form, of which the points there were stay first. NOMEM, the kernel's status. */
    tvgp_status (*pend)(tvgp__belief *, tvgp__form *form, double now, size_t n, const double *X, const double *t,
                        double noise);
    /* OPTIONAL: k(x, x) T(t, t) + noise of each row of the last form, for tvgp__form_bound. */
    const double *(*own)(const tvgp__belief *);
    /* OPTIONAL: tvgp__belief_prune. The kernel's status: what was dropped by then was right to go. */
    tvgp_status (*prune)(tvgp__belief *, double tolerance, double noise);
} tvgp__belief_anywhere;

/* Of a posterior whose arms may be shared (base/shard.h). Once they are, observe, advance, column, form and reset are collective, and
 * prepare is not. */
typedef struct tvgp__belief_shared {
    /* Before anything else: rows, columns and whatever else is kept of single arms hear of it. NOMEM. */
    tvgp_status (*share)(tvgp__belief *, tvgp__shard *);
    /* What the ranks must find out together after prepare; the same status on all ranks, nothing seen. */
    tvgp_status (*seek)(tvgp__belief *, const tvgp__points *);
} tvgp__belief_shared;

/* What a method does. It may leave out what is OPTIONAL; callers call the function of the same name below, which then does
 * what is right for a method that does not care:
 *
 *   left out         the method                              the function
 *   settle           keeps mean and var up to date           does nothing
 *   sharpen          has all of them exact                   does nothing
 *   reach            reads columns from rows of the kernel   holds the rows of the points
 *   correlation      knows no change in time                 gives -1
 *   pace             has no law                              does nothing
 *   extend           keeps the arms it has                   UNSUPPORTED
 *   shared           cannot have shared arms                 share: UNSUPPORTED, naming the policy
 *   visit            has no snapshot                         UNSUPPORTED
 *   release          holds nothing beside the struct         does nothing
 *   anywhere         lives on arms                           dropped gives 0, prune does nothing */
typedef struct tvgp__belief_ops {
    /* Whatever observing these points needs, after which it cannot fail. NOMEM, LIMIT, a kernel's status; nothing seen. */
    tvgp_status (*prepare)(tvgp__belief *, const tvgp__points *);
    /* Takes y (relative to the prior mean) of point i of those prepared last, at time t with this noise variance; now becomes
     * max(now, t). */
    void (*observe)(tvgp__belief *, const tvgp__points *, size_t i, double t, double y, double noise);
    /* Moves mean and var to time t >= now. */
    void (*advance)(tvgp__belief *, double t);
    /* OPTIONAL: does the work of methods that only take note in advance and observe. */
    void (*settle)(tvgp__belief *);
    /* OPTIONAL: makes mean and var, which a method may leave off by what `off` says, exact for these arms (by place; NULL:
     * the first n). */
    void (*sharpen)(tvgp__belief *, size_t n, const size_t *arm);
    /* Writes mean and variance of n arms (by place; NULL: the first n) at time t >= now; changes nothing. */
    void (*at)(tvgp__belief *, double t, size_t n, const size_t *arm, double *mean, double *var);
    /* Posterior covariance of one arm with all arms at `now`; of an arm within reach. */
    void (*column)(tvgp__belief *, size_t arm, double *out);
    /* OPTIONAL: whatever `column` needs for these points, until the next call. NOMEM, the kernel's status; nothing seen. */
    tvgp_status (*reach)(tvgp__belief *, const tvgp__points *);
    /* The posterior at time t >= now as a function of any point, to be freed; valid until the next call that changes this.
     * NOMEM. */
    tvgp_status (*form)(tvgp__belief *, double t, tvgp__form *);
    /* Forgets all observations; `now` stays. */
    void (*reset)(tvgp__belief *);
    /* OPTIONAL: correlation of the function with itself from one time to a later one, by the law of change; below 0: time
     * changes nothing. */
    double (*correlation)(const tvgp__belief *, double from, double to);
    /* OPTIONAL: from now on the laws whose rates were not told are in this unit of time (tvgp__law_pace; 0: not known), which may
     * come to be known late. */
    void (*pace)(tvgp__belief *, double unit);
    /* OPTIONAL: a posterior on n >= base->n arms, of which X begins with those of this one, that knows what this one knows.
     * NOMEM, the kernel's status. */
    tvgp_status (*extend)(const tvgp__belief *, size_t n, const double *X, tvgp__belief **out);
    const tvgp__belief_anywhere *anywhere; /* OPTIONAL: there are no arms */
    const tvgp__belief_shared *shared;     /* OPTIONAL */
    void (*release)(tvgp__belief *);       /* OPTIONAL */
    /* OPTIONAL: what it holds beside the members below, of a posterior made from the same kernel and options, for snapshots. A
     * visitor that loads leaves within reach what the next settle reads. */
    void (*visit)(tvgp__belief *, tvgp__visit *);
} tvgp__belief_ops;

/* How much a posterior holds and what went wrong with it: what statistics read. */
typedef struct tvgp__belief_counts {
    size_t observations; /* in use */
    double effective;    /* methods with aging noise: sum of noise when told / noise now */
    size_t jitter;       /* how often a singular system was helped */
    size_t widened;      /* observations that came too late to be exact */
    size_t rank;         /* columns or features a step costs; the method's own measure of work */
    size_t logged;       /* observations kept as they were told */
} tvgp__belief_counts;

/* First member of every method. */
struct tvgp__belief {
    const tvgp__belief_ops *ops;
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    const double *X; /* n x dim, borrowed from the domain, which outlives the posterior */
    size_t n;
    tvgp__shard *shard; /* the arms are shared: n and X are those here, numbers of arms among all; or NULL */
    tvgp__rows rows;    /* no ctx: the method holds the kernel in features and needs none */
    struct {
        int valid; /* cleared when mean or var change */
        size_t arm;
        double mean, var, prior;
    } moments;          /* of the arm that its owner told all ranks last, when arms are shared */
    double *offered;    /* where its moments travel with an agreement; NULL: they do not */
    double *mean, *var; /* n each, at `now`; var may be below 0 by round-off */
    struct {
        double mean, var;
    } off;          /* how far any entry of them may be off; 0: not at all */
    double *prior;  /* n: k(x, x) */
    double most;    /* of all arms, > 0 */
    double largest; /* the same now, as the law has it: the scale of jitter and tolerances */
    double unit;    /* factor of noises as told; 1 unless it is learned */
    double now;     /* -infinity before the first advance */
    int deferred;   /* mean and var wait for settle, which costs a fit */
    double log_evidence;
    double log_det_ratio; /* log det(Sigma + K) - log det Sigma of the observations in use */
    tvgp__belief_counts counts;
};

/* Fills the common part of a struct of `size` bytes (first member: tvgp__belief) and checks the arms against the kernel.
 */
tvgp_status tvgp__belief_new(tvgp_ctx *ctx, const tvgp__belief_ops *ops, const tvgp_kernel *kernel, size_t n,
                             const double *X, size_t size, void *out);
void tvgp__belief_free(tvgp__belief *p);

/* The whole of it (base/visit.h). UNSUPPORTED without the op. */
void tvgp__belief_visit(tvgp__belief *p, tvgp__visit *v);

/* Part of `extend`: evidence, counts and time of `from`, and mean and variance of its arms. */
void tvgp__belief_inherit(tvgp__belief *p, const tvgp__belief *from);

/* Brings mean, var, evidence and counts up to date, and is called before they or a column are read. */
void tvgp__belief_settle(tvgp__belief *p);

/* What is wanted at n points that need not be arms, at time t >= now; changes nothing. Fails as form and the kernel do. */
tvgp_status tvgp__belief_values(tvgp__belief *p, double t, size_t n, const double *X, const tvgp__form_values *out);
tvgp_status tvgp__belief_predict(tvgp__belief *p, double t, size_t n, const double *X, double *mean, double *var);

/* Mean and var of these arms (by place; NULL: the first n) are exact from here to the next change. */
void tvgp__belief_sharpen(tvgp__belief *p, size_t n, const size_t *arm);

/* The op, where there is one. */
void tvgp__belief_pace(tvgp__belief *p, double unit);

/* Whatever `column` needs for these points, until the next call. NOMEM, the kernel's status; nothing seen. */
tvgp_status tvgp__belief_reach(tvgp__belief *p, const tvgp__points *points);

/* The correlation of the function with itself from one time to a later one; below 0: time changes nothing. */
double tvgp__belief_correlation(const tvgp__belief *p, double from, double to);

/* A posterior on n >= p->n arms, of which X begins with those of this one, that knows what this one knows. NOMEM, the kernel's
 * status, UNSUPPORTED. */
tvgp_status tvgp__belief_extend(const tvgp__belief *p, size_t n, const double *X, tvgp__belief **out);

/* Where arms have no points: lets go what moves the sd anywhere by less than `tolerance` noise sds; what fails waits for the
 * next time. How many points it has let go so far. */
void tvgp__belief_prune(tvgp__belief *p, double tolerance, double noise);
size_t tvgp__belief_dropped(const tvgp__belief *p);

/* Methods that keep nothing more of single arms than what stands here, with nothing to find out together: `shared`, and its
 * `seek` for others. */
extern const tvgp__belief_shared tvgp__belief_shares;
tvgp_status tvgp__belief_no_seek(tvgp__belief *p, const tvgp__points *points);

/* The arms are shared: UNSUPPORTED, naming the policy, when the method does not know how. Collective, the same on all ranks. */
tvgp_status tvgp__belief_share(tvgp__belief *p, tvgp__shard *shard, const char *policy);

/* Asks, before `offer`, for room for the moments of an arm in the next agreement. NOMEM. */
tvgp_status tvgp__belief_offer_room(tvgp__belief *p);
/* Saves a collective call where arms are shared: the owner of an arm puts its mean, variance and prior variance into the
 * next agreement of all ranks, which is that on what prepare came to. SIZE_MAX: the arm is not known, and nothing is put
 * there. */
void tvgp__belief_offer(tvgp__belief *p, size_t arm);
/* Takes the moments of the same arm out of the agreement, when it was OK: tvgp__belief_moments then asks nobody for them. */
void tvgp__belief_given(tvgp__belief *p, size_t arm);

/* The collective part of preparing; does nothing where nothing is shared. */
tvgp_status tvgp__belief_seek(tvgp__belief *p, const tvgp__points *points);

/* prepare and seek in one. Collective, the same on all ranks. */
tvgp_status tvgp__belief_ready(tvgp__belief *p, const tvgp__points *points);

/* Mean, variance (perhaps below 0) and prior variance of an arm that is here; what its owner has told all of them. */
void tvgp__belief_here(const tvgp__belief *p, size_t place, double moments[3]);
void tvgp__belief_know(tvgp__belief *p, size_t arm, const double moments[3]);

/* Mean and variance of one arm now. Collective. */
void tvgp__belief_moments(tvgp__belief *p, size_t arm, double *mean, double *var);

/* Part of `prepare`: the kernel's rows of the points, until the next call. */
tvgp_status tvgp__belief_hold(tvgp__belief *p, const tvgp__points *points);

/* `at` of methods whose mean and var do not move with time. */
void tvgp__belief_still(tvgp__belief *p, double t, size_t n, const size_t *arm, double *mean, double *var);

/* Variance of a noise: one of 0 would count as infinite information. */
static inline double tvgp__belief_noise(const tvgp__belief *p, double noise) {
    return fmax(noise, 1e-10 * p->largest);
}

/* A posterior variance below this is no round-off: the kernel is not positive semi-definite. What is observed where it lacks so
 * much counts as helped by jitter without end, and says nothing. */
static inline double tvgp__belief_lack(const tvgp__belief *p) {
    return -1e-6 * p->largest;
}

/* Counts and evidence of rows whose factor, z = L^-1 y and noises are these. */
void tvgp__belief_rows(tvgp__belief *p, const tvgp__chol *factor, const double *z, const double *noise);

/* A step of time: mean = m mean, var = m^2 var + q prior. */
void tvgp__belief_transit(tvgp__belief *p, double m, double q);

/* Mean zero, variance kappa prior, no observations, evidence 0: the common part of `reset`. */
void tvgp__belief_prior(tvgp__belief *p, double kappa);

/* Counts an observation with innovation e, where the variance was `variance`: log evidence, information, number. Returns s =
 * variance + noise; when that is at round-off the arm is known exactly already: the observation teaches nothing (infinite s),
 * counts as `jitter`, and has the evidence of a jittered s. */
double tvgp__belief_surprise(tvgp__belief *p, double e, double variance, double noise);

/* One conditioning step shared by the sequential methods: given col = Cov(f, f(arm)) and its entry at the arm (NaN: read
 * there), scales it to g = col / sqrt(s) with s = col[arm] + noise, and updates mean, var, evidence. Returns s as
 * tvgp__belief_surprise does; *e the innovation. O(n). (Rasmussen and Williams 2006, eq. A.6 for one new point.) */
double tvgp__belief_condition(tvgp__belief *p, size_t arm, double y, double noise, double variance, double *col, double *e);

#endif
