/* SPDX-License-Identifier: MIT */
/* Games with categorical arms for exp_defaults.c: the recorded tables, and drawn problems of three kinds. */
#ifndef DEFAULTS_GAMES_H
#define DEFAULTS_GAMES_H

#include <stddef.h>
#include <stdint.h>

/* Values, and outcomes, of every arm at every step: f[step * arms + arm]. NaN: the arm is not available. */
typedef struct game {
    size_t arms, steps;
    double *f, *y;
    uint64_t seed, drawn;
    size_t *arm;     /* of a table: its columns */
    size_t *context; /* of each step; NULL: none */
} game;

/* A recorded table (file: its name), or a problem that is drawn (file: NULL). */
typedef struct game_kind {
    const char *group, *name;
    void (*make)(game *, double);
    double argument;
    const char *file;
    size_t first, rows; /* of the table: the rows after the training part of other experiments */
    size_t contexts;    /* parts of a day; 0: there are no contexts */
    size_t day;         /* steps; 0: contexts are drawn at random */
} game_kind;

/* Groups follow each other: tables, stocks, solvers (values are costs), problems, cells, long, answers, contexts of several kinds, step. The end has no
 * name. */
extern const game_kind game_kinds[];
enum { GAME_MOST_ARMS = 1000 };

/* Says whether the file of a table is there; a drawn problem always is. */
int game_there(const game_kind *kind);
/* Makes the game of this seed: of a table all arms or a random 70 % of them. Its outcomes get noise of `noise` standard deviations
 * of the values. */
void game_open(game *g, const game_kind *kind, uint64_t seed, int all_arms, double noise);
void game_close(game *g);
/* Values of the rows of a table before the game, of the arms that this seed draws: kind->first x g->arms. The caller frees them. */
double *game_training(const game_kind *kind, const game *g);

#endif
