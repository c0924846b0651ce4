/* SPDX-License-Identifier: MIT */
/* The public functions of stores (tvgp/store.h) and the table of their calls. */
#include "api/enter.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "parts/serve/store/store_copy.h"
#include "parts/serve/store/store_extend.h"
#include "parts/serve/store/store_log.h"
#include "parts/serve/store/store_questions.h"
#include "parts/serve/store/store_reply.h"
#include "parts/serve/store/store_write.h"

#include <string.h>

/* ---- calls ------------------------------------------------------------------------------------------------------ */

enum { READS, WRITES, DROPS, CREATES };

/* Keys in their order as words, of which `required` are always given. */
#define ASK_KEYS  "t context candidates means available"
#define TELL_KEYS "y t exposure reference noise outputs censored"
static const struct call {
    const char *name, *keys;
    size_t required;
    tvgp_status (*run)(tvgp_store *);
    int mode, kind;
} calls[] = {
    {"create", "description snapshot_every", 1, tvgp__store_log_create, CREATES, TVGP_STORE_TAKEN},
    {"ask", ASK_KEYS " slate", 0, tvgp__store_write_ask, WRITES, TVGP_STORE_QUERIES},
    {"ask_slate", "slate " ASK_KEYS, 1, tvgp__store_write_ask, WRITES, TVGP_STORE_QUERIES},
    {"tell", "id " TELL_KEYS " epoch partial", 2, tvgp__store_write_tell, WRITES, TVGP_STORE_TAKEN},
    {"observe", "x " TELL_KEYS, 2, tvgp__store_write_observe, WRITES, TVGP_STORE_TAKEN},
    {"skip", "id t epoch", 1, tvgp__store_write_skip, WRITES, TVGP_STORE_TAKEN},
    {"fail", "id t epoch", 1, tvgp__store_write_fail, WRITES, TVGP_STORE_TAKEN},
    {"set_available", "arms", 1, tvgp__store_write_available, WRITES, TVGP_STORE_TAKEN},
    {"extend", "arms points means", 1, tvgp__store_extend_call, WRITES, TVGP_STORE_TAKEN},
    {"set_budget", "budget period asks", 3, tvgp__store_write_budget, WRITES, TVGP_STORE_TAKEN},
    {"set_costs", "costs", 1, tvgp__store_write_costs, WRITES, TVGP_STORE_TAKEN},
    {"set_cost_weight", "weight", 1, tvgp__store_write_cost_weight, WRITES, TVGP_STORE_TAKEN},
    {"set_payoffs", "payoffs", 1, tvgp__store_write_payoffs, WRITES, TVGP_STORE_TAKEN},
    {"charge", "id cost", 2, tvgp__store_write_charge, WRITES, TVGP_STORE_TAKEN},
    {"fit", "pieces", 0, tvgp__store_write_fit, WRITES, TVGP_STORE_TAKEN},
    {"apply", "line", 1, tvgp__store_log_apply, WRITES, TVGP_STORE_TAKEN},
    {"trim", "before", 1, tvgp__store_log_trim, WRITES, TVGP_STORE_TAKEN},
    {"drop", "", 0, tvgp__store_log_drop, DROPS, TVGP_STORE_TAKEN},
    {"best", "t", 0, tvgp__store_questions_best, READS, TVGP_STORE_MOMENTS},
    {"arms", "t", 0, tvgp__store_questions_arms, READS, TVGP_STORE_MOMENTS},
    {"shares", "t draws power floor", 0, tvgp__store_questions_shares, READS, TVGP_STORE_SHARES},
    {"stat", "key", 1, tvgp__store_questions_stat, READS, TVGP_STORE_VALUE},
    {"state", "", 0, tvgp__store_questions_state, READS, TVGP_STORE_BYTES},
    {"off_policy_value", "description half_life", 1, tvgp__store_questions_estimate, READS, TVGP_STORE_ESTIMATE},
};
enum { CALLS = sizeof calls / sizeof *calls };

static tvgp_status find_call(const tvgp_store *s, const char *name, const struct call **out) {
    tvgp__nearest_name near = {.typed = name};
    for (size_t i = 0; i < CALLS; i++) {
        if (strcmp(calls[i].name, name) == 0)
            return (void)(*out = &calls[i]), TVGP_OK;
        tvgp__nearest_name_offer(&near, calls[i].name);
    }
    return tvgp__nearest_name_unknown(s->ctx, "call", &near, "tvgp/store.h");
}

/* Everything between lock and unlock. */
static tvgp_status run(tvgp_store *s, const struct call *call) {
    TVGP__TRY(tvgp__store_common_find(s, call->mode != READS));
    if (!s->row.id && call->mode != CREATES)
        return tvgp__error_set(s->ctx, TVGP_ERR_NOTFOUND, "no policy '%.60s'", s->name);
    if (call->mode == READS || call->mode == WRITES)
        TVGP__TRY(tvgp__store_copy_open(s));
    TVGP__TRY(call->run(s));
    return call->mode == WRITES ? tvgp__store_copy_write(s, 0) : TVGP_OK;
}

static void forget_lines(tvgp_store *s) {
    while (s->n_lines)
        tvgp__memory_free(s->ctx, s->line[--s->n_lines]);
}

/* A failed call undoes what it wrote. A copy that is ahead of the log is given up. */
static tvgp_status finish(tvgp_store *s, tvgp_status status) {
    char message[TVGP__ERRMSG_SIZE];
    if (status == TVGP_OK) {
        status = tvgp__store_common_unlock(s, 1);
    } else {
        memcpy(message, s->ctx->errmsg, sizeof message);
        (void)tvgp__store_common_unlock(s, 0);
        memcpy(s->ctx->errmsg, message, sizeof message);
    }
    if (status < 0 && s->ahead)
        tvgp__store_copy_discard(s, s->copy);
    forget_lines(s);
    return status;
}

static tvgp_status locked(tvgp_store *s, const struct call *call) {
    TVGP__TRY(tvgp__store_common_lock(s, call->mode != READS));
    return finish(s, run(s, call));
}

/* The function of a message becomes the call. */
static tvgp_status named(const tvgp_store *s, const char *call, tvgp_status status) {
    char *text = s->ctx->errmsg;
    const size_t n = strlen(s->ctx->function), length = strlen(call);
    if (status < 0 && strncmp(text, s->ctx->function, n) == 0) {
        memmove(text + length, text + n, TVGP__ERRMSG_SIZE - (length > n ? length : n));
        memcpy(text, call, length);
        text[TVGP__ERRMSG_SIZE - 1] = '\0';
    }
    return status;
}

static tvgp_status call_one(tvgp_store *s, const struct call *call) {
    s->reply = (tvgp_store_reply){0};
    s->copy = NULL;
    s->ahead = 0;
    s->busy = 1;
    const tvgp_status status = locked(s, call);
    s->busy = 0;
    s->reply.kind = status < 0 ? TVGP_STORE_NOTHING : call->kind;
    return status;
}

/* The arguments: keys with values or, if there are no keys, words. */
static tvgp_status read_arguments(tvgp_store *s, const struct call *call, int words, size_t n, const char *const *keys,
                                  const char *const *values) {
    if (!*s->name)
        return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "the name of the policy is empty");
    return words ? tvgp__store_arguments_read_words(&s->arguments, s->ctx, call->keys, call->required, n, values)
                 : tvgp__store_arguments_read(&s->arguments, s->ctx, call->keys, n, keys, values);
}

static tvgp_status make_call(tvgp_store *s, const char *call, const char *policy, int words, size_t n,
                             const char *const *keys, const char *const *values, const tvgp_store_reply **out) {
    const struct call *found = NULL;
    if (s->busy)
        return tvgp__error_set(s->ctx, TVGP_ERR_REENTRANT, "called from inside a call on the same store");
    TVGP__TRY(find_call(s, call, &found));
    s->call = found->name;
    s->name = policy;
    TVGP__TRY(named(s, found->name, read_arguments(s, found, words, n, keys, values)));
    TVGP__TRY(named(s, found->name, call_one(s, found)));
    *out = &s->reply;
    return TVGP_OK;
}

tvgp_status tvgp_store_call(tvgp_store *store, const char *call, const char *policy, size_t n, const char *const *keys,
                            const char *const *values, const tvgp_store_reply **out) {
    TVGP__ENTER_OF(store);
    TVGP__REQUIRE(ctx, call);
    TVGP__REQUIRE(ctx, policy);
    TVGP__REQUIRE(ctx, out);
    if (n)
        TVGP__REQUIRE(ctx, keys);
    if (n)
        TVGP__REQUIRE(ctx, values);
    return make_call(store, call, policy, 0, n, keys, values, out);
}

tvgp_status tvgp_store_call_words(tvgp_store *store, const char *call, const char *policy, size_t n,
                                  const char *const *words, const tvgp_store_reply **out) {
    TVGP__ENTER_OF(store);
    TVGP__REQUIRE(ctx, call);
    TVGP__REQUIRE(ctx, policy);
    TVGP__REQUIRE(ctx, out);
    if (n)
        TVGP__REQUIRE(ctx, words);
    char name[TVGP__STORE_ARGUMENTS_KEY];
    tvgp__store_arguments_lower(call, name);
    return make_call(store, name, policy, 1, n, NULL, words, out);
}

tvgp_status tvgp_store_text(tvgp_store *store, size_t capacity, void *buffer_or_null, size_t *needed) {
    TVGP__ENTER_OF(store);
    TVGP__REQUIRE(ctx, needed);
    tvgp__text_out out = {.at = buffer_or_null, .capacity = buffer_or_null ? capacity : 0};
    tvgp__store_reply_write(store, &out);
    return tvgp__text_out_end(ctx, &out, needed);
}

/* ---- what functions of the caller call -------------------------------------------------------------------------- */

/* The message of a failure is saved, because the return to the caller's function and from it clears it. */
static tvgp_status saved(tvgp_store *s, tvgp_status status) {
    if (status < 0)
        memcpy(s->message, s->ctx->errmsg, sizeof s->message);
    return status;
}

tvgp_status tvgp_store_take_event(tvgp_store *store, int64_t n, int64_t chain, const char *line) {
    if (!store)
        return TVGP_ERR_ARG;
    if (!store->take) {
        TVGP__ENTER_OF(store);
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "no call of the store is reading lines");
    }
    store->ctx->function = store->function;
    if (!line)
        return saved(store, tvgp__error_set(store->ctx, TVGP_ERR_ARG, "line is NULL"));
    return saved(store, store->take(store, n, chain, line));
}

tvgp_status tvgp_store_take_snapshot(tvgp_store *store, int64_t n, int64_t chain, size_t size, const void *bytes) {
    if (!store)
        return TVGP_ERR_ARG;
    if (!store->take_snapshot) {
        TVGP__ENTER_OF(store);
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "no call of the store is reading a snapshot");
    }
    store->ctx->function = store->function;
    if (!bytes && size)
        return saved(store, tvgp__error_set(store->ctx, TVGP_ERR_ARG, "bytes is NULL"));
    return saved(store, store->take_snapshot(store, n, chain, bytes, size));
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static tvgp_status check(tvgp_ctx *ctx, const tvgp_store_type *type) {
    if (type->struct_size < sizeof *type)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->struct_size = %zu must be at least %zu", type->struct_size,
                               sizeof *type);
    if (!type->read_description || !type->read_events || !type->append || !type->read_snapshot || !type->write_snapshot ||
        !type->remove)
        return tvgp__error_set(ctx, TVGP_ERR_ARG,
                               "a function of the type is NULL, all but lock, unlock and now are required");
    if (type->epoch < 1 || type->epoch >= INT64_C(1) << 53)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->epoch = %lld must be in 1..2^53 - 1", (long long)type->epoch);
    return TVGP_OK;
}

tvgp_status tvgp_store_open(tvgp_ctx *ctx, const tvgp_store_type *type, void *user, tvgp_destroy_fn destroy_or_null,
                            tvgp_store **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    TVGP__REQUIRE(ctx, out);
    tvgp_store *s;
    TVGP__TRY(check(ctx, type));
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *s, &s));
    s->ctx = tvgp__context_retain(ctx);
    s->type = *type;
    s->user = user;
    s->destroy = destroy_or_null;
    *out = s;
    return TVGP_OK;
}

void tvgp_store_close(tvgp_store *store) {
    if (!store)
        return;
    tvgp_ctx *ctx = store->ctx;
    tvgp__store_copy_discard_all(store);
    tvgp__store_reply_free(store);
    forget_lines(store);
    tvgp__memory_free(ctx, store->line);
    tvgp__memory_free(ctx, store->chain);
    tvgp__memory_free(ctx, store->description);
    tvgp__memory_free(ctx, store->x);
    tvgp__memory_free(ctx, store->bytes);
    if (store->destroy)
        store->destroy(store->user);
    tvgp__memory_free(ctx, store);
    tvgp__context_release(ctx);
}
