/* SPDX-License-Identifier: MIT */
/* The experiments, one file exp_<name>.c each: arguments after the name; they print CSV and end the program on failure. */
#ifndef EXP_H
#define EXP_H

void exp_auto(int argc, char **argv);
void exp_auto_kernels(int argc, char **argv);
void exp_bkb(int argc, char **argv);
void exp_bkb_abalone(int argc, char **argv);
void exp_bkb_housing(int argc, char **argv);
void exp_bkb_bounds(int argc, char **argv);
void exp_bkb_step(int argc, char **argv);
void exp_box(int argc, char **argv);
void exp_counts(int argc, char **argv);
void exp_candidates(int argc, char **argv);
void exp_within_model(int argc, char **argv);
void exp_moves(int argc, char **argv);
void exp_misspecified(int argc, char **argv);
void exp_abrupt(int argc, char **argv);
void exp_slow(int argc, char **argv);
void exp_defaults(int argc, char **argv);
void exp_fleet(int argc, char **argv);
void exp_gaps(int argc, char **argv);
void exp_learn(int argc, char **argv);
void exp_limits(int argc, char **argv);
void exp_limits_drawn(int argc, char **argv);
void exp_noisy(int argc, char **argv);
void exp_history(int argc, char **argv);
void exp_hills(int argc, char **argv);
void exp_first_reset(int argc, char **argv);
void exp_chosen(int argc, char **argv);
void exp_prediction(int argc, char **argv);
void exp_bounds(int argc, char **argv);
void exp_real(int argc, char **argv);
void exp_ozone_expert(int argc, char **argv);
void exp_anomalies_expert(int argc, char **argv);
void exp_season(int argc, char **argv);
void exp_server(int argc, char **argv);
void exp_sensors(int argc, char **argv);
void exp_sensors_prior(int argc, char **argv);
void exp_sparq(int argc, char **argv);
void exp_starvation(int argc, char **argv);
void exp_wsparq(int argc, char **argv);

#endif
