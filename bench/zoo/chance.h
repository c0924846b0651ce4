/* SPDX-License-Identifier: MIT */
/* What algorithms draw at random: a stream of their own. A test may put its own numbers instead of the draws. */
#ifndef ZOO_CHANCE_H
#define ZOO_CHANCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct zoo_chance zoo_chance;
struct zoo_chance {
    uint64_t state;
    double (*uniform)(zoo_chance *);                              /* in [0, 1) */
    double (*normal)(zoo_chance *, size_t arm);                   /* standard normal; the arm it is drawn for */
    double (*beta)(zoo_chance *, size_t arm, double a, double b); /* a, b >= 1 */
};

void zoo_chance_open(zoo_chance *chance, uint64_t seed);

#endif
