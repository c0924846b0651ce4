/* SPDX-License-Identifier: MIT */
/* Questions to a store (parts/serve/store/store_questions.h). */
#include "parts/serve/store/store_questions.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "parts/serve/store/store_copy.h"
#include "parts/serve/store/store_reply.h"
#include "parts/serve/store/store_snapshot.h"
#include "parts/serve/store/store_time.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <string.h>

#define ARGUMENTS(s) (&(s)->arguments)

/* ---- predictions ------------------------------------------------------------------------------------------------ */

static void to_deviations(size_t n, double *var) {
    for (size_t i = 0; i < n; i++)
        var[i] = sqrt(var[i]);
}

static tvgp_status best_of(tvgp_policy *twin, double t, const tvgp__store_reply_arrays *a) {
    TVGP__TRY(tvgp_policy_best(twin, t, a->arm, a->x));
    TVGP__TRY(tvgp_policy_predict(twin, t, 1, a->x, a->first, a->second));
    to_deviations(1, a->second);
    return TVGP_OK;
}

static tvgp_status points_of(const tvgp_store *s, const tvgp__store_reply_arrays *a) {
    const tvgp_domain *domain = s->copy->policy->domain;
    for (size_t i = 0; i < s->reply.n; i++) {
        a->arm[i] = (int64_t)i;
        TVGP__TRY(tvgp_domain_point(domain, (int64_t)i, a->x + i * s->reply.dim));
    }
    return TVGP_OK;
}

static tvgp_status moments_of(const tvgp_store *s, tvgp_policy *twin, double t, const tvgp__store_reply_arrays *a) {
    TVGP__TRY(points_of(s, a));
    TVGP__TRY(tvgp_policy_predict(twin, t, s->reply.n, NULL, a->first, a->second));
    to_deviations(s->reply.n, a->second);
    return TVGP_OK;
}

/* Room for the reply about n arms, and a clone. */
static tvgp_status begin(tvgp_store *s, size_t n, tvgp__store_reply_arrays *a, tvgp_policy **twin) {
    TVGP__TRY(tvgp__store_reply_room(s, n, s->copy->policy->domain->dim, a));
    s->reply.id = NULL;
    const tvgp_status status = tvgp_policy_clone(s->copy->policy, twin);
    return status < 0 ? tvgp__store_common_failed(s, s->copy, status) : TVGP_OK;
}

static tvgp_status end(tvgp_store *s, tvgp_status status, tvgp_policy *twin, tvgp__store_reply_arrays *a) {
    if (status < 0)
        status = tvgp__store_common_failed(s, s->copy, status);
    tvgp_policy_destroy(twin);
    return status < 0 ? status : tvgp__store_reply_names(s, s->copy, a);
}

tvgp_status tvgp__store_questions_best(tvgp_store *s) {
    tvgp__store_reply_arrays a;
    tvgp_policy *twin;
    double t = 0;
    TVGP__TRY(tvgp__store_time_look(s, &t));
    TVGP__TRY(begin(s, 1, &a, &twin));
    return end(s, best_of(twin, t, &a), twin, &a);
}

tvgp_status tvgp__store_questions_arms(tvgp_store *s) {
    tvgp__store_reply_arrays a;
    tvgp_policy *twin;
    double t = 0;
    TVGP__TRY(tvgp__store_time_look(s, &t));
    TVGP__TRY(begin(s, tvgp__domain_entries(s->copy->policy->domain), &a, &twin));
    s->reply.list = 1;
    return end(s, moments_of(s, twin, t, &a), twin, &a);
}

static tvgp_status shares_of(const tvgp_store *s, tvgp_policy *twin, double t, int64_t draws,
                             const tvgp__store_reply_arrays *a) {
    TVGP__TRY(points_of(s, a));
    return tvgp_policy_best_probability(twin, t, s->reply.n, NULL, draws > 0 ? (size_t)draws : 0, a->first);
}

tvgp_status tvgp__store_questions_shares(tvgp_store *s) {
    tvgp__store_reply_arrays a;
    tvgp_policy *twin;
    double t = 0, power = 1, floor_ = 0;
    int64_t draws = 1024;
    TVGP__TRY(tvgp__store_time_look(s, &t));
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "draws", 1, 1 << 24, &draws));
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "power", &power));
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "floor", &floor_));
    if (!(power >= .1 && power <= 100))
        return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "power = %.17g must be in [0.1, 100]", power);
    if (!(floor_ >= 0 && floor_ <= 1))
        return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "floor = %.17g must be in [0, 1]", floor_);
    TVGP__TRY(begin(s, tvgp__domain_entries(s->copy->policy->domain), &a, &twin));
    s->reply.list = 1;
    tvgp_status status = shares_of(s, twin, t, draws, &a);
    if (status == TVGP_OK)
        status = tvgp_shares(s->reply.n, a.first, power, floor_, a.second);
    return end(s, status, twin, &a);
}

/* ---- other questions -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__store_questions_stat(tvgp_store *s) {
    char *key = NULL;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "key"));
    TVGP__TRY(tvgp__store_arguments_text(ARGUMENTS(s), "key", &key));
    const tvgp_status status = tvgp_policy_stat(s->copy->policy, key, &s->reply.value);
    tvgp__memory_free(s->ctx, key);
    return status < 0 ? tvgp__store_common_failed(s, s->copy, status) : TVGP_OK;
}

tvgp_status tvgp__store_questions_state(tvgp_store *s) {
    TVGP__TRY(tvgp__store_snapshot_state(s, s->copy, &s->reply.size));
    s->reply.bytes = s->bytes;
    return TVGP_OK;
}

/* Events of the whole log. */
typedef struct journal {
    tvgp__store_copy *fresh;
    tvgp_event *e;
    double *x;
    size_t n, room, n_x, x_room;
} journal;

static tvgp_status take(tvgp_store *s, int64_t n, int64_t chain, const char *line) {
    journal *j = s->taker;
    (void)chain;
    if (n != (int64_t)j->n + 1)
        return TVGP_DONE;
    TVGP__TRY(tvgp__error_interrupted(s->ctx));
    TVGP__TRY(tvgp__memory_reserve(s->ctx, j->n + 1, sizeof *j->e, &j->e, &j->room));
    TVGP__TRY(tvgp__store_common_parse(s, j->fresh, line, &j->e[j->n]));
    const size_t size = (size_t)j->e[j->n].size;
    if (size) {
        TVGP__TRY(tvgp__memory_reserve(s->ctx, j->n_x + size, sizeof *j->x, &j->x, &j->x_room));
        memcpy(j->x + j->n_x, s->x, size * sizeof *j->x);
    }
    j->n_x += size;
    j->n++;
    return TVGP_OK;
}

/* uniform, arm=3, or the description of a policy. */
static tvgp_status take_target(const tvgp_store *s, tvgp_ctx *ctx, const char *text, tvgp_policy **target, int64_t *arm) {
    long long index;
    *arm = -1;
    if (strcmp(text, "uniform") == 0)
        return TVGP_OK;
    if (strncmp(text, "arm=", 4) != 0)
        return tvgp_policy_create_described(ctx, text, target);
    const size_t named = tvgp__store_metadata_find(&s->copy->facts, text + 4);
    if (named < s->copy->facts.n_names)
        return (void)(*arm = (int64_t)named), TVGP_OK;
    *arm = tvgp__number_text_read_integer(text + 4, &index) && index >= 0 ? (int64_t)index : INT64_MAX;
    return TVGP_OK;
}

static tvgp_status estimate(tvgp_store *s, journal *j, const char *text, double half_life) {
    tvgp_policy *target = NULL;
    int64_t arm;
    TVGP__TRY(tvgp__store_common_read(s, 1, s->row.n, take, j));
    if ((int64_t)j->n != s->row.n)
        return tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "event %zu is missing in the log", j->n + 1);
    s->reply.estimate.struct_size = sizeof s->reply.estimate;
    tvgp_status status = take_target(s, j->fresh->ctx, text, &target, &arm);
    if (status == TVGP_OK)
        status = tvgp_event_off_policy_value(j->fresh->policy, target, arm, j->n, j->e, j->n_x, j->x, half_life,
                                             &s->reply.estimate);
    if (status < 0)
        status = tvgp__store_common_failed(s, j->fresh, status);
    tvgp_policy_destroy(target);
    return status;
}

tvgp_status tvgp__store_questions_estimate(tvgp_store *s) {
    journal j = {0};
    char *text = NULL;
    double half_life = INFINITY;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "description"));
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "half_life", &half_life));
    TVGP__TRY(tvgp__store_arguments_text(ARGUMENTS(s), "description", &text));
    tvgp_status status = tvgp__store_copy_new(s, &j.fresh);
    if (status == TVGP_OK)
        status = estimate(s, &j, text, half_life);
    tvgp__store_copy_free(s, j.fresh);
    tvgp__memory_free(s->ctx, text);
    tvgp__memory_free(s->ctx, j.e);
    tvgp__memory_free(s->ctx, j.x);
    return status;
}
