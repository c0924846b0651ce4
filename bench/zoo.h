/* SPDX-License-Identifier: MIT */
/* The drift benchmark: problems that change, named and not stored. Everything about a problem is a function of its name, its
 * settings, the seed and the step, so every algorithm of a run sees the same, from any language and in any order.
 * bench/zoo.sh plays them all and writes docs/benchmarks/suite; docs/benchmarks/suite.md shows how to enter a policy of
 * one's own. The interface may change before 1.0. Common errors: ARG (NULL, a step beyond the last, an arm that is none),
 * and the errors of the library's calls. Memory that cannot be had ends the program. */
#ifndef TVGP_ZOO_H
#define TVGP_ZOO_H

#include <tvgp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tvgp_zoo_problem tvgp_zoo_problem;

/* What a policy is given beforehand. ALL: kernel, mean, noise, and what is to be known about the drift; MODEL: kernel, mean and
 * noise; NOTHING: nothing. */
enum { TVGP_ZOO_ALL = 0, TVGP_ZOO_MODEL = 1, TVGP_ZOO_NOTHING = 2, TVGP_ZOO_LEVELS = 3 };

enum {
    TVGP_ZOO_MASKED = 1,  /* some arms are missing at times */
    TVGP_ZOO_DELAYED = 2, /* outcomes come late, or never */
    TVGP_ZOO_EXPERT = 4,  /* side queries are answered */
    TVGP_ZOO_PRIORS = 8   /* several prior means, one of which is true */
};

typedef struct tvgp_zoo_info {
    const char *name, *family, *doc, *level; /* level: small, middle, hard, or empty when settings were given */
    size_t steps, arms, dim;                 /* arms 0: a box */
    uint32_t flags;                          /* TVGP_ZOO_MASKED .. added */
    double period;                           /* 0: none */
    double mean, sd, noise;                  /* of the values of all arms; variance of an outcome about its value */
    double low, high;                        /* the range of values that algorithms are given who want one */
    double epsilon;                          /* rate of forgetting that has the truth's correlation over some steps */
    double variation;                        /* sum over the steps of the largest change of an arm, in units of the values */
    double changes; /* how often it changes at one step; where it never stands still, how often its best arm moves */
    double path;    /* how many steps have another best arm than the step before */
    double half;    /* steps in which the correlation of values about their mean falls to a half; 0: longer than the run */
} tvgp_zoo_info;

/* How many problems there are; name, family and one line about the i-th. ARG when i is too large. */
tvgp_status tvgp_zoo_count(size_t *n);
tvgp_status tvgp_zoo_name_at(size_t i, const char **name, const char **family, const char **doc);

/* Opens a problem: `settings` is "small", "middle" or "hard", or key=value pairs, with blanks or commas between, after one of these ("hard rate=.2");
 * NULL or "": middle. The problem is the caller's (tvgp_zoo_close); it keeps ctx in use. message (size bytes, may be NULL)
 * says what was wrong. Errors: NOTFOUND (name or key: the message names what there is; recorded data that are not in
 * TVGP_DATA_DIR: it names the file), OPTION (no number). */
tvgp_status tvgp_zoo_open(tvgp_ctx *ctx, const char *name, const char *settings, uint64_t seed, tvgp_zoo_problem **out,
                          char *message, size_t size);
void tvgp_zoo_close(tvgp_zoo_problem *problem);

tvgp_status tvgp_zoo_info_of(const tvgp_zoo_problem *problem, tvgp_zoo_info *info);

/* As tvgp_policy_create takes it. It is the problem's; policies made of it keep it. */
tvgp_status tvgp_zoo_domain(const tvgp_zoo_problem *problem, const tvgp_domain **domain);

/* What is given at a level: a kernel (the problem's, as the domain; NULL at NOTHING), and options as text for tvgp_policy_set, of
 * which a policy is given those it has. BUFFER: size is too small. */
tvgp_status tvgp_zoo_known(const tvgp_zoo_problem *problem, int level, const tvgp_kernel **kernel_or_null, char *options,
                           size_t size);

/* The i-th prior mean: one value for each arm, on a box for all points; i = 0 is what is given to who takes one. NOTFOUND:
 * there are no more. */
tvgp_status tvgp_zoo_prior(const tvgp_zoo_problem *problem, size_t i, double *mean);

/* The time of step 0 .. steps - 1, and which arms there are (arms bytes, may be NULL; on a box not written). */
tvgp_status tvgp_zoo_step(const tvgp_zoo_problem *problem, size_t step, double *t, uint8_t *mask);

/* The outcome of the action of a step, an arm or on a box the point x: its value, and the step at whose end it comes (*due =
 * step: at once; SIZE_MAX: never). The same for every caller. */
tvgp_status tvgp_zoo_answer(tvgp_zoo_problem *problem, size_t step, int64_t arm, const double *x, double *y, size_t *due);

/* What the expert says to the number-th side query of a step; *known 0: nothing. UNSUPPORTED: there is no expert. */
tvgp_status tvgp_zoo_expert(tvgp_zoo_problem *problem, size_t step, size_t number, int64_t arm, const double *x, double *y,
                            int *known);

/* The truth, for regret alone: the value, the best value that could be had at the step, and the mean over what could be asked. Of the
 * three each may be NULL. */
tvgp_status tvgp_zoo_value(tvgp_zoo_problem *problem, size_t step, int64_t arm, const double *x, double *value, double *best,
                           double *uniform);

#ifdef __cplusplus
}
#endif
#endif
