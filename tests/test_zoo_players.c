/* SPDX-License-Identifier: MIT */
/* The algorithms from outside (bench/zoo) next to another implementation's runs of 30 steps: every choice, and two numbers of the
 * state to 1e-12. The tables are S: r = .5 + .35 sin(.35 t + 2.1 k) + .01 ((7 t + 5 k) mod 11), and J: levels (.88, .45, .01),
 * from t = 16 on the other way round, with the same ripple; random numbers are the fractions of multiples of the golden ratio. */
#include "../bench/zoo/player_gp.h"
#include "golden/golden_players.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 3 };
static int step, drawn;

static double fraction(double j) {
    const double x = j * 0.6180339887498949;
    return x - floor(x);
}

static double uniform(zoo_chance *chance) {
    (void)chance;
    return fraction(++drawn);
}

static double normal(zoo_chance *chance, size_t arm) {
    (void)chance;
    return sqrt(12) * (fraction(3 * step + (double)arm) - 0.5);
}

static double beta(zoo_chance *chance, size_t arm, double a, double b) {
    return a / (a + b) + normal(chance, arm) * sqrt(a * b / ((a + b) * (a + b) * (a + b + 1)));
}

static double reward(int jump, int t, size_t arm) {
    static const double base[] = {0.88, 0.45, 0.01};
    const double ripple = 0.01 * ((7 * t + 5 * (int)arm) % 11);
    return jump ? base[t <= 15 ? arm : 2 - arm] + ripple : 0.5 + 0.35 * sin(0.35 * t + 2.1 * (double)arm) + ripple;
}

/* Prior covariance of arms at the places 0, 1, 2.5; of discounted LinUCB, of the features (1, 0), (.6, .8), (0, 1). */
static void covariance(const char *player, double K[ARMS * ARMS]) {
    static const double place[] = {0, 1, 2.5}, feature[] = {1, 0, 0.6, 0.8, 0, 1};
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++)
            K[i * ARMS + j] = strstr(player, "linucb")
                                  ? feature[2 * i] * feature[2 * j] + feature[2 * i + 1] * feature[2 * j + 1]
                                  : 0.0625 * exp(-0.5 * (place[i] - place[j]) * (place[i] - place[j]));
}

static void open_player(const char *text, double *K, zoo_player *player) {
    covariance(text, K);
    const zoo_facts facts = {ARMS, GOLDEN_PLAYER_STEPS, 1, 1, 0.05, K, strstr(text, "master-gp") ? 0.8 : 0.5, 0.01};
    step = drawn = 0;
    ck_assert_msg(zoo_player_create(text, &facts, player) == 0, "%s", text);
}

START_TEST(golden_runs) {
    double K[ARMS * ARMS];
    zoo_player player;
    zoo_chance chance = {0, uniform, normal, beta};
    const char *text = golden_players[_i].player;
    open_player(text, K, &player);
    for (step = 1; step <= GOLDEN_PLAYER_STEPS; step++) {
        const zoo_choice choice = player.type->choose(player.self, NULL, &chance);
        ck_assert_msg(choice.arm == (size_t)(golden_players[_i].choices[step - 1] - '0'), "%s: arm %zu at step %d", text,
                      choice.arm, step);
        const double r = fmin(1, fmax(0, reward(golden_players[_i].jump, step, choice.arm)));
        player.type->tell(player.self, choice.arm, r, choice.probability);
    }
    for (size_t n = 0; n < 2; n++) {
        const int which = golden_players[_i].which[n];
        if (which == GOLDEN_NEXT)
            zoo_gp_best(player.self, NULL); /* the base comes first in who has one */
        const double found =
            which == GOLDEN_NEXT ? ((zoo_gp *)player.self)->index : player.type->number(player.self, (size_t)which);
        ck_assert_msg(fabs(found - golden_players[_i].number[n]) < 1e-12, "%s: number %zu is %.15g, not %.15g", text, n,
                      found, golden_players[_i].number[n]);
    }
    zoo_player_destroy(&player);
}

/* Plays the only arm, or any, with these rewards until the first restart; its step, 0: none. */
static int first_restart(zoo_player *player, const double *r, int steps) {
    zoo_chance chance = {0, uniform, normal, beta};
    for (int t = 1; t <= steps; t++) {
        const zoo_choice choice = player->type->choose(player->self, NULL, &chance);
        player->type->tell(player->self, choice.arm, r[t - 1], choice.probability);
        if (player->type->number(player->self, 0) > 0)
            return t;
    }
    return 0;
}

static double divergence(double p, double q) {
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
}

/* The step at which some split of the rewards so far says G > ln(n^(3/2) / delta): by its definition. */
static int splits_say(const double *r, int steps, double delta) {
    for (int n = 1; n <= steps; n++)
        for (int s = 1; s < n; s++) {
            double first = 0, rest = 0;
            for (int i = 0; i < n; i++)
                *(i < s ? &first : &rest) += r[i];
            const double all = (first + rest) / n;
            if (s * divergence(first / s, all) + (n - s) * divergence(rest / (n - s), all) > log(pow(n, 1.5) / delta))
                return n;
        }
    return 0;
}

START_TEST(glr_restarts_where_its_rule_says) {
    enum { STEPS = 120, BEFORE = 40 };
    static const char *const set[] = {"glr-klucb delta=.5 every=1 cuts=1", "glr-klucb delta=.1 every=1 cuts=1",
                                      "glr-klucb delta=.02 every=1 cuts=1", "glr-klucb delta=.005 every=1 cuts=1"};
    static const double delta[] = {0.5, 0.1, 0.02, 0.005};
    double r[STEPS];
    for (int t = 0; t < STEPS; t++)
        r[t] = (t < BEFORE ? 0.3 : 0.8) + 0.05 * ((7 * t) % 11 - 5) / 5;
    for (size_t i = 0; i < 4; i++) {
        const zoo_facts facts = {1, STEPS, 1, 1, 0, NULL, 0, 0};
        zoo_player player;
        ck_assert_int_eq(zoo_player_create(set[i], &facts, &player), 0);
        const int wanted = splits_say(r, STEPS, delta[i]);
        ck_assert(wanted > BEFORE);
        ck_assert_int_eq(first_restart(&player, r, STEPS), wanted);
        zoo_player_destroy(&player);
    }
}

/* MASTER's first test: rewards 1 where the index is .5 for certain are .5 above it. With 9 f rho(1) just below that every step begins
 * a new block; just above, the block of one step passes and the one of two, whose bound is less by sqrt(2), does not: every third. */
START_TEST(master_restarts_where_its_first_test_says) {
    double K[] = {1e-12, 0, 0, 0, 1e-12, 0, 0, 0, 1e-12};
    const zoo_facts facts = {ARMS, 30, 1, 1, 0, K, 0.5, 0.01};
    zoo_player player;
    zoo_chance chance = {0, uniform, normal, beta};
    ck_assert_int_eq(zoo_player_create("master-gp", &facts, &player), 0);
    const double f = player.type->number(player.self, 3), rho = player.type->number(player.self, 4);
    zoo_player_destroy(&player);
    for (int below = 0; below < 2; below++) {
        char text[80];
        (void)snprintf(text, sizeof text, "master-gp scale=%.12g", (below ? 0.49 : 0.51) / (9 * f * rho));
        ck_assert_int_eq(zoo_player_create(text, &facts, &player), 0);
        for (int t = 1; t <= 30; t++) {
            const zoo_choice choice = player.type->choose(player.self, NULL, &chance);
            player.type->tell(player.self, choice.arm, 1, choice.probability);
        }
        ck_assert_int_eq((int)player.type->number(player.self, 0), below ? 30 : 10);
        zoo_player_destroy(&player);
    }
}

/* Every algorithm has a golden run but uniform play. */
START_TEST(all_have_a_run) {
    for (size_t i = 0; zoo_player_types[i]; i++) {
        int there = !strcmp(zoo_player_types[i]->name, "uniform");
        for (size_t k = 0; k < GOLDEN_PLAYERS; k++)
            there |= zoo_player_type_of(golden_players[k].player) == zoo_player_types[i];
        ck_assert_msg(there, "%s", zoo_player_types[i]->name);
    }
}

/* With arms that may not be played, outcomes that come late or never, and play to the end of a horizon, every algorithm chooses an
 * allowed arm. */
START_TEST(masks_and_late_answers) {
    double K[ARMS * ARMS];
    for (size_t i = 0; zoo_player_types[i]; i++) {
        const char *text = zoo_player_types[i]->name;
        zoo_choice late[5];
        zoo_player player;
        zoo_chance chance;
        open_player(text, K, &player);
        zoo_chance_open(&chance, 7);
        for (int t = 1; t <= 2 * GOLDEN_PLAYER_STEPS; t++) {
            const uint8_t mask[ARMS] = {t % 3 != 0, t % 3 != 1 || t % 2, t % 3 != 2};
            const zoo_choice now = player.type->choose(player.self, mask, &chance);
            ck_assert_msg(now.arm < ARMS && mask[now.arm], "%s plays arm %zu at %d", text, now.arm, t);
            ck_assert_msg(now.probability > 0 && now.probability <= 1, "%s: %g", text, now.probability);
            if (t > 5 && t % 4)
                player.type->tell(player.self, late[t % 5].arm, reward(1, t, late[t % 5].arm), late[t % 5].probability);
            late[t % 5] = now;
        }
        zoo_player_destroy(&player);
    }
}

/* Their own draws have the moments they should have. */
START_TEST(draws) {
    enum { N = 20000 };
    zoo_chance chance;
    double u = 0, z = 0, zz = 0, b = 0, bb = 0;
    zoo_chance_open(&chance, 3);
    for (int i = 0; i < N; i++) {
        const double n = chance.normal(&chance, 0), x = chance.beta(&chance, 0, 2, 3);
        u += chance.uniform(&chance) / N;
        z += n / N;
        zz += n * n / N;
        b += x / N;
        bb += x * x / N;
    }
    ck_assert(fabs(u - 0.5) < 5 * sqrt(1.0 / 12 / N) && fabs(z) < 5 / sqrt(N) && fabs(zz - 1) < 5 * sqrt(2.0 / N));
    ck_assert(fabs(b - 0.4) < 5 * 0.2 / sqrt(N) && fabs(bb - 0.2) < 5 * 0.17 / sqrt(N)); /* sd of x: .2, of x^2: .169 */
}

START_TEST(refused) {
    static const char *const bad[] = {"nobody", "d-ucb gamma", "d-ucb gamma=x", "d-ucb gama=.9", "d-ucb gamma=.9x", "dal"};
    const zoo_facts facts = {ARMS, 30, 1, 1, 0, NULL, 0, 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zoo_player player;
        ck_assert_msg(zoo_player_create(bad[i], &facts, &player) != 0, "%s", bad[i]);
    }
}

int main(void) {
    Suite *suite = suite_create("zoo_players");
    TCase *tcase = tcase_create("players");
    tcase_add_loop_test(tcase, golden_runs, 0, GOLDEN_PLAYERS);
    harness_add(tcase, glr_restarts_where_its_rule_says, master_restarts_where_its_first_test_says, all_have_a_run,
                masks_and_late_answers, draws, refused);
    suite_add_tcase(suite, tcase);
    return harness_run(suite);
}
