/* SPDX-License-Identifier: MIT */
/* Thompson sampling on arms (Thompson 1933; Russo, Van Roy, Kazerouni, Osband, Wen 2018, "A tutorial on Thompson sampling"):
 * the arm that is best in one joint draw of the posterior. P over the m arms that may be asked is factored as F F' by pivoted
 * Cholesky on columns of the posterior, down to 1e-13 of the largest prior variance: rank columns, m rank^2 flops; a draw is
 * mean + F z. Of a mixture it is the normal distribution with its moments. A draw is named by seed and action; the further
 * ones by which the probability of a choice is counted come from the same stream.
 *
 * Of many arms some are drawn far above their mean whatever is known. A draw that is to reach no further than w standard
 * deviations is mean + v F z with v = min(1, w / M), where max_i (F z)_i / sd_i stays below M in 19 draws of 20: so often it
 * stays below the upper bound of width w everywhere. (GP-TS, Chowdhury and Gopalan 2017, alg. 2, scales draws by what GP-UCB
 * scales the bound by.) M is counted from draws of another stream: given the posterior v is a number, and propensities are
 * those of the draws that are made. */
#ifndef TVGP__PLAY_THOMPSON_H
#define TVGP__PLAY_THOMPSON_H

#include "belief/belief.h"

typedef struct tvgp__thompson {
    size_t m, rank;
    size_t *arm; /* those that may be asked */
    size_t arm_slots, slots;
    double *factor;                              /* m x rank, behind it the arrays below */
    double *mean, *residual, *draw, *z, *column; /* m each but for column, of all arms */
} tvgp__thompson;

enum { TVGP__THOMPSON_DRAWS = 66 }; /* of one choice, beside those of the propensity */

/* The arms of the mask (NULL: all n) and room for their draws in *s (NULL: new). NOMEM, LIMIT. */
tvgp_status tvgp__thompson_room(tvgp_ctx *ctx, size_t n, const uint8_t *mask, tvgp__thompson **s);
void tvgp__thompson_free(tvgp_ctx *ctx, tvgp__thompson *s);

/* Writes a draw of the arms into score, which holds their means; all of them must be within reach of the posterior, which is
 * at the time of the draw. far: w above; infinite: no limit. */
void tvgp__thompson_score(tvgp__thompson *s, tvgp__belief *posterior, uint64_t seed, uint64_t step, double far,
                          double *score);

/* (1 + k) / (1 + draws) when k of so many further draws have this arm as their best, too: counting the draw that chose it
 * makes E[1 / propensity] = (1 - (1 - p)^(draws + 1)) / p. */
double tvgp__thompson_propensity(tvgp__thompson *s, uint64_t seed, uint64_t step, size_t arm, size_t draws);

#endif
