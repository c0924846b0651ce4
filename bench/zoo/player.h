/* SPDX-License-Identifier: MIT */
/* Third-party algorithms for arms, with which the library is compared. One file player_<kind>.c for each
 * kind; source, equations and what is our own choice stand at its top.
 *
 * All of them see rewards r in [0, 1]: r = (y - lo) / (hi - lo), cut, of what is to be large. They are given how many arms and
 * steps there are; what else they may be given is in zoo_facts. Equal scores go to the lowest arm, in a mask 0 is an arm that
 * cannot be played now, and a round-robin skips it. */
#ifndef ZOO_PLAYER_H
#define ZOO_PLAYER_H

#include "chance.h"
#include <stddef.h>
#include <stdint.h>

/* What an algorithm knows beforehand: the drift too; kernel and noise; nothing. */
enum { ZOO_TOLD_ALL, ZOO_TOLD_MODEL, ZOO_TOLD_NOTHING, ZOO_LEVELS };
enum { ZOO_AT_ALL = 1 << ZOO_TOLD_ALL, ZOO_AT_MODEL = 1 << ZOO_TOLD_MODEL, ZOO_AT_NOTHING = 1 << ZOO_TOLD_NOTHING };

typedef struct zoo_facts {
    size_t arms, steps;
    double changes, variation; /* how often it changes (>= 1), sum of the largest changes of a step; unknown: 1 */
    double epsilon;            /* rate of forgetting; unknown: 0 */
    const double *K;           /* prior covariance, arms x arms, in units of r^2; NULL: unknown. Outlives the algorithm */
    double mean, noise;        /* prior mean and noise variance, in units of r; with K */
} zoo_facts;

typedef struct zoo_choice {
    size_t arm;
    double probability; /* of this choice, as the algorithm drew it; 1: no chance in it */
} zoo_choice;

enum { ZOO_PARAMETERS = 6 };
typedef struct zoo_parameter {
    const char *key;
    double value; /* NaN: worked out of the facts */
} zoo_parameter;

/* All memory is asked for in create; the program ends where there is none. */
typedef struct zoo_player_type {
    const char *name, *source;
    unsigned
        levels; /* at which it is something else than at the one below: ZOO_AT_.. added; without ZOO_AT_NOTHING it needs K */
    size_t size;
    zoo_parameter parameters[ZOO_PARAMETERS]; /* up to the first without a key */
    void (*create)(void *self, const zoo_facts *facts, const double *parameter);
    zoo_choice (*choose)(void *self, const uint8_t *mask, zoo_chance *chance);
    void (*tell)(void *self, size_t arm, double r, double probability); /* the probability of the choice that is answered */
    double (*number)(const void *self, size_t which); /* 0: restarts so far; others: of its state, said at the function */
    void (*destroy)(void *self);
} zoo_player_type;

typedef struct zoo_player {
    const zoo_player_type *type;
    void *self;
    zoo_facts facts;
} zoo_player;

extern const zoo_player_type *const zoo_player_types[]; /* ended by NULL */

/* The type in "NAME KEY=VALUE ..", NULL when there is none. */
const zoo_player_type *zoo_player_type_of(const char *text);

/* An algorithm from such a text; 0, or -1 when the name or a key is unknown, a value is no number, or it needs a kernel that is not
 * known. */
int zoo_player_create(const char *text, const zoo_facts *facts, zoo_player *out);
void zoo_player_destroy(zoo_player *player);

/* ---- what algorithms share ------------------------------------------------------------------------------------------- */

/* n numbers, 0. */
double *zoo_numbers(size_t n);

/* Whether an arm may be played; the mask may be NULL. */
static inline int zoo_may(const uint8_t *mask, size_t arm) {
    return !mask || mask[arm];
}

/* The allowed arm of highest score; what is apart by 1e-12 of it counts as equal. */
size_t zoo_argmax(size_t n, const double *score, const uint8_t *mask);

/* One of the allowed arms, all alike: arm floor(K u) where it is allowed, else the next allowed one, round the end. */
size_t zoo_any(size_t n, const uint8_t *mask, double u);

/* The arm a round-robin plays in step u of a round, `arms` when it is no arm's turn: arm u mod round where that is an arm and
 * allowed. */
size_t zoo_turn(size_t arms, size_t u, size_t round, const uint8_t *mask);

#endif
