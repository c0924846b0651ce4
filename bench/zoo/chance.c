/* SPDX-License-Identifier: MIT */
#include "chance.h"

#include <math.h>

/* splitmix64 (Steele, Lea, Flood 2014); the middle of one of 2^53 cells. */
static double uniform(zoo_chance *p) {
    uint64_t z = p->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958. */
static double normal(zoo_chance *p, size_t arm) {
    const double u = uniform(p);
    (void)arm;
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * uniform(p));
}

/* Gamma of shape >= 1: Marsaglia and Tsang 2000. */
static double gamma_draw(zoo_chance *p, double shape) {
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(p, 0), v = pow(1 + c * x, 3);
        if (v > 0 && log(uniform(p)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double beta(zoo_chance *p, size_t arm, double a, double b) {
    const double x = gamma_draw(p, a), y = gamma_draw(p, b);
    (void)arm;
    return x / (x + y);
}

void zoo_chance_open(zoo_chance *chance, uint64_t seed) {
    *chance = (zoo_chance){seed * 0x9e3779b97f4a7c15u + 1, uniform, normal, beta};
}
