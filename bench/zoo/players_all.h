/* SPDX-License-Identifier: MIT */
/* The algorithms, by the file they are in. */
#ifndef ZOO_PLAYERS_ALL_H
#define ZOO_PLAYERS_ALL_H

#include "player.h"

extern const zoo_player_type zoo_uniform, zoo_eps_greedy, zoo_last_value;    /* player_simple.c */
extern const zoo_player_type zoo_d_ucb, zoo_sw_ucb, zoo_d_ts_beta, zoo_d_ts; /* player_forgetting.c */
extern const zoo_player_type zoo_exp3_s, zoo_rexp3;                          /* player_weights.c */
extern const zoo_player_type zoo_glr_klucb, zoo_m_ucb, zoo_cusum_ucb;        /* player_detection.c */
extern const zoo_player_type zoo_d_linucb;                                   /* player_linear.c */
extern const zoo_player_type zoo_gp_alone, zoo_dal, zoo_r_perp, zoo_kalman;  /* player_gp.c */
extern const zoo_player_type zoo_master_ucb, zoo_master_gp;                  /* player_master.c */

#endif
