/* SPDX-License-Identifier: MIT */
#include "player.h"

#include "../experiment.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const zoo_player_type *const zoo_player_types[] = {
    &zoo_uniform,    &zoo_eps_greedy, &zoo_last_value, &zoo_d_ucb,  &zoo_sw_ucb,    &zoo_d_ts_beta, &zoo_d_ts,
    &zoo_exp3_s,     &zoo_rexp3,      &zoo_glr_klucb,  &zoo_m_ucb,  &zoo_cusum_ucb, &zoo_d_linucb,  &zoo_gp_alone,
    &zoo_master_ucb, &zoo_master_gp,  &zoo_dal,        &zoo_r_perp, &zoo_kalman,    NULL,
};

double *zoo_numbers(size_t n) {
    return experiment_allocate(n ? n : 1, sizeof(double));
}

size_t zoo_argmax(size_t n, const double *score, const uint8_t *mask) {
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (zoo_may(mask, i) && (best == n || score[i] > score[best] + 1e-12 * fabs(score[best])))
            best = i;
    return best;
}

size_t zoo_any(size_t n, const uint8_t *mask, double u) {
    const size_t first = (size_t)((double)n * u) % n;
    for (size_t i = 0; i < n; i++)
        if (zoo_may(mask, (first + i) % n))
            return (first + i) % n;
    return first;
}

size_t zoo_turn(size_t arms, size_t u, size_t round, const uint8_t *mask) {
    const size_t turn = u % (round ? round : 1);
    return turn < arms && zoo_may(mask, turn) ? turn : arms;
}

/* ---- by name ------------------------------------------------------------------------------------------------------ */

const zoo_player_type *zoo_player_type_of(const char *text) {
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; zoo_player_types[i]; i++)
        if (strlen(zoo_player_types[i]->name) == length && !strncmp(zoo_player_types[i]->name, text, length))
            return zoo_player_types[i];
    return NULL;
}

/* Reads one KEY=VALUE into the parameter's place; what follows it, or NULL. */
static const char *read_setting(const zoo_player_type *type, const char *text, double *parameter) {
    for (size_t i = 0; i < ZOO_PARAMETERS && type->parameters[i].key; i++) {
        const size_t length = strlen(type->parameters[i].key);
        if (strncmp(text, type->parameters[i].key, length) || text[length] != '=')
            continue;
        char *end;
        parameter[i] = strtod(text + length + 1, &end);
        return end == text + length + 1 || (*end && *end != ' ') || !isfinite(parameter[i]) ? NULL : end;
    }
    return NULL;
}

int zoo_player_create(const char *text, const zoo_facts *facts, zoo_player *out) {
    const zoo_player_type *type = zoo_player_type_of(text);
    double parameter[ZOO_PARAMETERS] = {0};
    if (!type || (!(type->levels & ZOO_AT_NOTHING) && !facts->K))
        return -1;
    for (size_t i = 0; i < ZOO_PARAMETERS && type->parameters[i].key; i++)
        parameter[i] = type->parameters[i].value;
    for (text += strcspn(text, " "); *(text += strspn(text, " "));)
        if (!(text = read_setting(type, text, parameter)))
            return -1;
    *out = (zoo_player){type, zoo_numbers(type->size / sizeof(double) + 1), *facts};
    type->create(out->self, &out->facts, parameter);
    return 0;
}

void zoo_player_destroy(zoo_player *player) {
    player->type->destroy(player->self);
    free(player->self);
}
