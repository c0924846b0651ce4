/* SPDX-License-Identifier: MIT */
/* MASTER (Wei, Luo, COLT 2021, algorithms 1 to 3) around UCB1 and around gp-ucb. delta = 1/T, c = ln(T / delta). A block of
 * order n has 2^n steps; at its step u, for m = n .. 0 with 2^m dividing u, an instance of the base begins for 2^m steps
 * with chance rho(2^n) / rho(2^m). The instance of smallest order plays and learns. With g its index and R the reward, f =
 * scale 6 (log2 T + 1) c, a new block of order 0 begins when an instance of order m ends and the mean of R over its steps is
 * at least min g + 9 f rho(2^m), or when the mean of g - R over the block is at least 3 f rho(u + 1). UCB1: index mean + 2
 * sqrt(c / max(1, n)), rho(n) = sqrt(K c / n) + K c / n. gp-ucb (ours): rho(n) = sqrt(A / n), A = 8 v / ln(1 + v / s2) * .8
 * ln(4 T) * gain of T outcomes, v the largest prior variance. At scale 1 no test can hold at horizons that are played;
 * `loose=1` is f = 1, the bounds without their constants. Outcomes that are late go to the instance that plays when they
 * come. */
#include "player_gp.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 40 };

typedef struct base {
    zoo_gp gp;                      /* or, with gp.m NULL: */
    double *n, *sum, *score, index; /* of UCB1 */
} base;

typedef struct instance {
    size_t first, steps; /* in the block; 0 steps: there is none */
    double before;       /* sum of R before it began */
    base base;
    int made;
} instance;

typedef struct master {
    size_t arms, order, u, restarts;
    zoo_facts facts;
    int gp, begun;
    double c, f, A, sum_R, sum_g, least_g, excess,
        least; /* of the block; as the last step left them: mean of g - R, least_g */
    instance at[ORDERS];
    zoo_choice choice;
} master;

/* ---- the base ----------------------------------------------------------------------------------------------------- */

static void base_fresh(master *p, instance *i) {
    base *b = &i->base;
    if (!i->made && p->gp)
        zoo_gp_create(&b->gp, &p->facts);
    else if (!i->made)
        b->n = zoo_numbers(3 * p->arms);
    else if (p->gp)
        zoo_gp_restart(&b->gp);
    else
        memset(b->n, 0, 2 * p->arms * sizeof *b->n);
    i->made = 1;
    b->sum = b->n ? b->n + p->arms : NULL;
    b->score = b->n ? b->sum + p->arms : NULL;
}

static size_t base_best(master *p, base *b, const uint8_t *mask) {
    if (p->gp) {
        const size_t best = zoo_gp_best(&b->gp, mask);
        b->index = b->gp.index;
        return best;
    }
    for (size_t i = 0; i < p->arms; i++)
        b->score[i] = (b->n[i] > 0 ? b->sum[i] / b->n[i] : 0) + 2 * sqrt(p->c / fmax(1, b->n[i]));
    const size_t best = zoo_argmax(p->arms, b->score, mask);
    b->index = b->score[best];
    return best;
}

static void base_tell(master *p, base *b, size_t arm, double r) {
    if (p->gp) {
        zoo_gp_tell(&b->gp, arm, r);
        return;
    }
    b->n[arm]++;
    b->sum[arm] += r;
}

static double rho(const master *p, double n) {
    const double Kc = (double)p->arms * p->c;
    return p->gp ? sqrt(p->A / n) : sqrt(Kc / n) + Kc / n;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static void new_block(master *p, size_t order) {
    p->order = order < ORDERS ? order : ORDERS - 1;
    p->u = 0;
    p->sum_R = p->sum_g = 0;
    p->least_g = INFINITY;
    for (size_t m = 0; m < ORDERS; m++)
        p->at[m].steps = 0;
}

static void create(master *p, const zoo_facts *f, const double *parameter, int gp) {
    const double T = (double)f->steps;
    *p = (master){.arms = f->arms, .facts = *f, .gp = gp, .c = 2 * log(T)};
    p->f = parameter[1] > 0 ? 1 : parameter[0] * 6 * (log2(T) + 1) * p->c;
    new_block(p, 0);
    if (!gp)
        return;
    double v = 0;
    zoo_gp gain;
    zoo_gp_create(&gain, f);
    for (size_t i = 0; i < f->arms; i++)
        v = fmax(v, f->K[i * f->arms + i]);
    p->A = 8 * v / log(1 + v / f->noise) * 0.8 * log(4 * T) * zoo_gp_gain(&gain, f->steps);
    zoo_gp_destroy(&gain);
}

static void ucb_create(void *self, const zoo_facts *f, const double *parameter) {
    create(self, f, parameter, 0);
}

static void gp_create(void *self, const zoo_facts *f, const double *parameter) {
    create(self, f, parameter, 1);
}

static void begin_step(master *p, zoo_chance *chance) {
    for (size_t m = p->order + 1; m-- > 0;) {
        const size_t steps = (size_t)1 << m;
        if (p->u % steps)
            continue;
        if (chance->uniform(chance) < rho(p, ldexp(1, (int)p->order)) / rho(p, (double)steps)) {
            p->at[m].first = p->u;
            p->at[m].steps = steps;
            p->at[m].before = p->sum_R;
            base_fresh(p, &p->at[m]);
        }
    }
    p->begun = 1;
}

static instance *playing(master *p) {
    size_t m = 0;
    while (!p->at[m].steps || p->u >= p->at[m].first + p->at[m].steps)
        m++;
    return &p->at[m];
}

static zoo_choice choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    master *p = self;
    if (!p->begun)
        begin_step(p, chance);
    p->choice = (zoo_choice){base_best(p, &playing(p)->base, mask), 1};
    return p->choice;
}

/* Whether what was seen in the block up to step u cannot be. */
static int surprised(const master *p) {
    for (size_t m = 0; m <= p->order; m++) {
        const instance *i = &p->at[m];
        if (i->steps && i->first + i->steps - 1 == p->u &&
            (p->sum_R - i->before) / (double)i->steps >= p->least_g + 9 * p->f * rho(p, (double)i->steps))
            return 1;
    }
    return p->excess >= 3 * p->f * rho(p, (double)(p->u + 1));
}

static void tell(void *self, size_t arm, double r, double probability) {
    master *p = self;
    (void)probability;
    if (!p->begun) /* an outcome more than was asked for since: late */
        return;
    base *b = &playing(p)->base;
    p->sum_R += r;
    p->sum_g += b->index;
    p->least_g = fmin(p->least_g, b->index);
    base_tell(p, b, arm, r);
    p->least = p->least_g;
    p->excess = (p->sum_g - p->sum_R) / (double)(p->u + 1);
    p->begun = 0;
    if (surprised(p)) {
        p->restarts++;
        new_block(p, 0);
    } else if (++p->u == (size_t)1 << p->order)
        new_block(p, p->order + 1);
}

static double number(const void *self,
                     size_t which) { /* 1: mean of g - R at the last step; 2: least g of its block; 3: f; 4: rho(1) */
    const master *p = self;
    const double numbers[] = {(double)p->restarts, p->excess, p->least, p->f, rho(p, 1)};
    return numbers[which];
}

static void destroy(void *self) {
    master *p = self;
    for (size_t m = 0; m < ORDERS; m++)
        if (p->at[m].made && p->gp)
            zoo_gp_destroy(&p->at[m].base.gp);
        else if (p->at[m].made)
            free(p->at[m].base.n);
}

const zoo_player_type zoo_master_ucb = {"master-ucb",
                                        "Wei, Luo 2021, around UCB1",
                                        ZOO_AT_NOTHING,
                                        sizeof(master),
                                        {{"scale", 1}, {"loose", 0}},
                                        ucb_create,
                                        choose,
                                        tell,
                                        number,
                                        destroy};
const zoo_player_type zoo_master_gp = {"master-gp",
                                       "Wei, Luo 2021, around gp-ucb",
                                       ZOO_AT_MODEL,
                                       sizeof(master),
                                       {{"scale", 1}, {"loose", 0}},
                                       gp_create,
                                       choose,
                                       tell,
                                       number,
                                       destroy};
