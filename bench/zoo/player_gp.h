/* SPDX-License-Identifier: MIT */
/* gp-ucb as the base of third-party rules: the exact posterior on K arms, mean m and covariance P, which starts again at the prior as
 * often as one likes. Index m + sqrt(max(0, .8 ln(4 (j + 1)))) sd after j outcomes. An outcome costs 3 K^2 flops. */
#ifndef ZOO_PLAYER_GP_H
#define ZOO_PLAYER_GP_H

#include "player.h"

typedef struct zoo_gp {
    size_t arms, answers;
    double mean, noise;
    const double *K;
    double *m, *P, *score, index; /* index: of the last choice */
} zoo_gp;

void zoo_gp_create(zoo_gp *p, const zoo_facts *f);
void zoo_gp_destroy(zoo_gp *p);
void zoo_gp_restart(zoo_gp *p);
void zoo_gp_tell(zoo_gp *p, size_t arm, double r);
size_t zoo_gp_best(zoo_gp *p, const uint8_t *mask);

/* Takes what an outcome at this arm would take from P, whatever it is. */
void zoo_gp_look(zoo_gp *p, size_t arm);

/* sum of ln(1 + P_aa / noise) / 2 over that many picks of the largest variance: about the most that T outcomes can tell
 * (Srinivas et al. 2010). Leaves the posterior at the prior. */
double zoo_gp_gain(zoo_gp *p, size_t T);

#endif
