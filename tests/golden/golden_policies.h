/* SPDX-License-Identifier: MIT */
/* Made by make.py from policies.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_POLICIES_H
#define GOLDEN_POLICIES_H

#include "golden.h"
static double golden_arms[25][2];
static double golden_f[30][25];
/* mean, sd, width and gap to the second best score at the chosen arm, before y was given */
struct golden_step {
    int arm;
    double y, mean, sd, width, gap;
};
/* of event triggers, after y was given */
struct golden_trigger {
    double statistic, threshold;
    int reset;
};
/* side queries after y was given */
struct golden_queries {
    int n, arm[12];
};
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t));  */
static struct golden_step golden_gp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), lam = 1.0666666666666667, B = 2.0, R = 0.1, delta = 0.05; width B+R sqrt(2(gamma+1+ln(1/delta))), gamma = realised information gain 1/2 logdet(I+K/lam); lam=1+2/T is the noise */
static struct golden_step golden_igp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), eps = 0.1; eps=.1; data times 1..t-1, prediction at t */
static struct golden_step golden_tv_gp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), N = 8; N=8; empty data at t=1,9,17,25; beta uses global t */
static struct golden_step golden_r_gp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), H = 7, B = 2.0, R = 0.1, delta = 0.05; H=7, IGP width with the block information gain, noise sn2 */
static struct golden_step golden_br_gp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), W = 6; last W=6 observations */
static struct golden_step golden_sw_gp_ucb[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), W = 6, B = 2.0, R = 0.1, delta = 0.05; W=6, IGP width with the window information gain */
static struct golden_step golden_sw_igp[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), gamma = 0.9, ref = last; noise lam*gamma^-(t-1-s) */
static struct golden_step golden_w_gp_ucb_last[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), gamma = 0.9, ref = now; noise lam*gamma^-(t-s) */
static struct golden_step golden_w_gp_ucb_now[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), sw2 = 0.03; noise sn2+sw2*(t-s) */
static struct golden_step golden_ui_diag[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), sw2 = 0.03; kernel k*(1+sw2*min(t,t')) */
static struct golden_step golden_ui_wiener[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), deltaB = 0.1; tprime = t - t_reset; keep the newest point */
static struct golden_step golden_et_since[30];
static struct golden_trigger golden_et_since_trigger[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), deltaB = 0.1; tprime = |D_t|+1 */
static struct golden_step golden_et_size[30];
static struct golden_trigger golden_et_size_trigger[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = sqrt(.4 ln(4 t)), deltaB = 0.5; empty dataset after a reset */
static struct golden_step golden_et_empty[30];
static struct golden_trigger golden_et_empty_trigger[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.005, width = sqrt(.4 ln(4 t)), deltaB = 0.8; as et_since; discriminates the two readings of tprime */
static struct golden_step golden_et_since_sn005[30];
static struct golden_trigger golden_et_since_sn005_trigger[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.005, width = sqrt(.4 ln(4 t)), deltaB = 0.8; as et_size; discriminates the two readings of tprime */
static struct golden_step golden_et_size_sn005[30];
static struct golden_trigger golden_et_size_sn005_trigger[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = logdet, sbar2 = 0.05, Q = ceil(3 ln t), 1 at t=1, delta = 0.05, B = 2.0, expert = exact f_t(x) (noise free), dpp = greedy start only (0 MCMC steps); ground set = distinct past arms in order of first visit; ties -> first in that order; after y_t: keep own obs with (t-i)^2+1<=ln t, variance sn2((t-i)^2+1); expert variance sbar2=.05; order of data: expert points then own */
static struct golden_step golden_sparq_000[30];
static struct golden_queries golden_sparq_000_queries[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = logdet, Q = ceil(3 ln t), 1 at t=1, delta = 0.05, B = 2.0, expert = exact f_t(x) (noise free), dpp = greedy start only (0 MCMC steps); ground set = distinct past arms in order of first visit; ties -> first in that order; expert points only, variance sn2 */
static struct golden_step golden_sparq_003[30];
static struct golden_queries golden_sparq_003_queries[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = logdet, Q = ceil(3 ln t), 1 at t=1, delta = 0.05, B = 2.0, expert = exact f_t(x) (noise free), dpp = greedy start only (0 MCMC steps); ground set = distinct past arms in order of first visit; ties -> first in that order; alpha=1, alpha~=1/4; variance sn2(1+(t-tau)^alpha) at time t, tau = acquisition time (t=tau: sn2) */
static struct golden_step golden_wsparq_ui[30];
static struct golden_queries golden_wsparq_ui_queries[30];
/* kernel = se l=.3 sf2=1, sn2 = 0.02, width = logdet, Q = ceil(3 ln t), 1 at t=1, delta = 0.05, B = 2.0, expert = exact f_t(x) (noise free), dpp = greedy start only (0 MCMC steps); ground set = distinct past arms in order of first visit; ties -> first in that order; variance sn2 */
static struct golden_step golden_wsparq_const[30];
static struct golden_queries golden_wsparq_const_queries[30];

static void golden_read_policies(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_arms, "d2"),
        GOLDEN_ARRAY(golden_f, "d25"),
        GOLDEN_ARRAY(golden_gp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_igp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_tv_gp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_r_gp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_br_gp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_sw_gp_ucb, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_sw_igp, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_w_gp_ucb_last, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_w_gp_ucb_now, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_ui_diag, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_ui_wiener, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_since, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_since_trigger, "d1d1i1"),
        GOLDEN_ARRAY(golden_et_size, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_size_trigger, "d1d1i1"),
        GOLDEN_ARRAY(golden_et_empty, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_empty_trigger, "d1d1i1"),
        GOLDEN_ARRAY(golden_et_since_sn005, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_since_sn005_trigger, "d1d1i1"),
        GOLDEN_ARRAY(golden_et_size_sn005, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_et_size_sn005_trigger, "d1d1i1"),
        GOLDEN_ARRAY(golden_sparq_000, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_sparq_000_queries, "i1i12"),
        GOLDEN_ARRAY(golden_sparq_003, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_sparq_003_queries, "i1i12"),
        GOLDEN_ARRAY(golden_wsparq_ui, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_wsparq_ui_queries, "i1i12"),
        GOLDEN_ARRAY(golden_wsparq_const, "i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_wsparq_const_queries, "i1i12"),
    };
    golden_read("policies", sizeof arrays / sizeof *arrays, arrays);
}

#endif
