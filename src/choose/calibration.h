/* SPDX-License-Identifier: MIT */
/* Calibrates the exploration coefficient by outcomes: recorded rewards are often bounded above, and exploration then
 * promises more than it finds. For an outcome y at an arm that was not the best by its mean, with mean m, variance v and
 * noise just before,
 *   w = v / (v + noise),   e = y - m,   z2 = min(e^2 / (v + noise), 9) if e > 0, else 0
 *   Z <- Z + 2 w z2,   W <- W + w,   the coefficient is multiplied by sqrt((20 + Z) / (20 + W)),
 * which stays near 1 if the model is right. (This library.) */
#ifndef TVGP__CHOOSE_CALIBRATION_H
#define TVGP__CHOOSE_CALIBRATION_H

#include "base/visit.h"

/* Zero: off, with a factor of 1. */
typedef struct tvgp__calibration {
    int on;
    double found, promised; /* Z, W */
} tvgp__calibration;

double tvgp__calibration_factor(const tvgp__calibration *c);

/* Takes note of an outcome with this e, v and noise, at an arm whose mean was `behind` below the largest. */
void tvgp__calibration_note(tvgp__calibration *c, double behind, double e, double v, double noise);

void tvgp__calibration_visit(tvgp__calibration *c, tvgp__visit *v);

#endif
