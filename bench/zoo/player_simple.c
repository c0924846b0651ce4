/* SPDX-License-Identifier: MIT */
/* Uniform play. Epsilon-greedy with a constant step (Sutton, Barto, Reinforcement Learning, 2nd ed. 2018, equation 2.5):
 * q_a += step (r - q_a), from q = 1/2; with chance eps any arm, else the highest q. Last value: the arm whose last outcome was the
 * highest, from 1 for all, so that each is tried while none has 1: the simplest thing that follows drift. */
#include "players_all.h"
#include <stdlib.h>

static zoo_choice sure(size_t arm) {
    return (zoo_choice){arm, 1};
}

typedef struct simple {
    size_t arms;
    double eps, step, *q;
} simple;

static void start(simple *p, const zoo_facts *f, double first) {
    p->arms = f->arms;
    p->q = zoo_numbers(f->arms);
    for (size_t i = 0; i < f->arms; i++)
        p->q[i] = first;
}

static double value(const void *self, size_t which) { /* 1 ..: q of arm which - 1 */
    const simple *p = self;
    return which && which <= p->arms ? p->q[which - 1] : 0;
}

static void stop(void *self) {
    free(((simple *)self)->q);
}

/* ---- uniform ------------------------------------------------------------------------------------------------------ */

static void uniform_create(void *self, const zoo_facts *f, const double *parameter) {
    (void)parameter;
    start(self, f, 0);
}

static zoo_choice uniform_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    const simple *p = self;
    size_t allowed = 0;
    for (size_t i = 0; i < p->arms; i++)
        allowed += (size_t)zoo_may(mask, i);
    size_t left = (size_t)(chance->uniform(chance) * (double)allowed);
    for (size_t i = 0; i < p->arms; i++)
        if (zoo_may(mask, i) && left-- == 0)
            return (zoo_choice){i, 1 / (double)allowed};
    return sure(0);
}

static void uniform_tell(void *self, size_t arm, double r, double probability) {
    (void)self, (void)arm, (void)r, (void)probability;
}

const zoo_player_type zoo_uniform = {"uniform",      "every arm alike", ZOO_AT_NOTHING, sizeof(simple), {{0}},
                                     uniform_create, uniform_choose,    uniform_tell,   value,          stop};

/* ---- epsilon-greedy ----------------------------------------------------------------------------------------------- */

static void greedy_create(void *self, const zoo_facts *f, const double *parameter) {
    simple *p = self;
    start(p, f, 0.5);
    p->eps = parameter[0];
    p->step = parameter[1];
}

static zoo_choice greedy_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    const simple *p = self;
    if (chance->uniform(chance) < p->eps)
        return sure(zoo_any(p->arms, mask, chance->uniform(chance)));
    return sure(zoo_argmax(p->arms, p->q, mask));
}

static void greedy_tell(void *self, size_t arm, double r, double probability) {
    simple *p = self;
    (void)probability;
    p->q[arm] += p->step * (r - p->q[arm]);
}

const zoo_player_type zoo_eps_greedy = {"eps-greedy",
                                        "Sutton, Barto 2018, section 2.5",
                                        ZOO_AT_NOTHING,
                                        sizeof(simple),
                                        {{"eps", 0.1}, {"step", 0.1}},
                                        greedy_create,
                                        greedy_choose,
                                        greedy_tell,
                                        value,
                                        stop};

/* ---- last value --------------------------------------------------------------------------------------------------- */

static void last_create(void *self, const zoo_facts *f, const double *parameter) {
    (void)parameter;
    start(self, f, 1);
}

static zoo_choice last_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    const simple *p = self;
    (void)chance;
    return sure(zoo_argmax(p->arms, p->q, mask));
}

static void last_tell(void *self, size_t arm, double r, double probability) {
    (void)probability;
    ((simple *)self)->q[arm] = r;
}

const zoo_player_type zoo_last_value = {"last-value",   "the arm whose last answer was highest",
                                        ZOO_AT_NOTHING, sizeof(simple),
                                        {{0}},          last_create,
                                        last_choose,    last_tell,
                                        value,          stop};
