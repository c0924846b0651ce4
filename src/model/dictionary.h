/* SPDX-License-Identifier: MIT */
/* The common part of the Nystrom posteriors of a policy with a dictionary, on arms (model/nystrom.h) and on boxes
 * (model/nystrom_box.c). An index is an arm, or on a box the number of an observation. */
#ifndef TVGP__MODEL_DICTIONARY_H
#define TVGP__MODEL_DICTIONARY_H

#include "model/observations.h"
#include "model/posterior_ops.h"

typedef struct tvgp__dictionary tvgp__dictionary;

typedef struct tvgp__dictionary_ops {
    /* Allocates and evaluates what a fit with this dictionary of m points will need, when `more` pulls have been observed by
     * then; the fit itself cannot fail. The points may belong to pulls noted but not observed. NOMEM, LIMIT, the kernel's
     * status; the posterior is unchanged in any case. */
    tvgp_status (*prepare)(tvgp__dictionary *, size_t more, size_t m, const size_t *point);
    /* Notes the pull that observing will put at position k >= pulls.n, with its point; x: its coordinates, on a box. The kernel's status;
     * nothing that can be read changes. */
    tvgp_status (*note)(tvgp__dictionary *, size_t k, const tvgp__observation *pull, const double *x);
    /* Forgets the oldest pulls, and computes the posterior from the others, with a dictionary of these m >= 1 distinct points, which
     * must be the ones that `prepare` was called with last. */
    void (*fit)(tvgp__dictionary *, size_t oldest, size_t m, const size_t *point);
    /* Conditions it on the pulls observed since the last fit, with the dictionary of that fit. */
    void (*condition)(tvgp__dictionary *);
    /* Posterior variance of a point, of a pull noted or observed; or what it was right after the last fit, which needs `keeps`. */
    double (*variance)(const tvgp__dictionary *, size_t point, int first);
    /* The effective dimension of the pulls: the sum over them of their variance divided by their noise. */
    double (*dimension)(const tvgp__dictionary *);
} tvgp__dictionary_ops;

/* First member of both. */
struct tvgp__dictionary {
    tvgp__posterior base;
    const tvgp__dictionary_ops *ops;
    tvgp__observations
        pulls;          /* oldest first, with a noise that is not 0; `arm` is the point: the position in the list on a box */
    double alone;       /* log density of the plays if f were 0: the part of the likelihood that no dictionary changes */
    size_t pulls_known; /* how many of the pulls the posterior takes into account */
    size_t distinct;    /* points among the pulls */
    int keeps;          /* variances right after `fit`; set by the owner, before the first pull */
    size_t members, dropped; /* points in the dictionary; points that any dictionary left out because others span them */
};

/* The record of a pull, whose noise variance is raised from 0 to a least value: precisions must be finite. */
static inline tvgp__observation tvgp__dictionary_pull(const tvgp__dictionary *d, size_t point, double y, double noise) {
    return (tvgp__observation){.arm = point, .y = y, .noise = tvgp__posterior_noise(&d->base, noise)};
}

#endif
