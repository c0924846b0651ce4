/* SPDX-License-Identifier: MIT */
/* The description of a policy after its extension: names follow those of names=, points those of more=. */
#include "api/enter.h"
#include "base/integer_format.h"
#include "parts/serve/event_names.h"
#include "parts/serve/text_out.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"
#include "tvgp.h"

#include <string.h>

static const char blanks[] = " \t\r\n\v\f";

/* A word of the description, key included; NULL: there is none. */
typedef struct word {
    const char *at;
    size_t n;
} word;

static word find_word(const char *text, const char *key) {
    const size_t length = strlen(key);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const word found = {text, strcspn(text, blanks)};
        if (found.n > length && strncmp(text, key, length) == 0)
            return found;
        text += found.n;
    }
    return (word){NULL, 0};
}

static int has_domain(const char *text) {
    return find_word(text, "grid=").at || find_word(text, "arms=").at || find_word(text, "indices=").at;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Whether one of the names in list equals the n bytes. */
static int has_name(word list, const double *byte, size_t n) {
    const char *end = list.at + list.n;
    for (const char *name = list.at; name < end;) {
        const char *comma = memchr(name, ',', (size_t)(end - name));
        const size_t length = (size_t)((comma ? comma : end) - name);
        size_t i = 0;
        while (i < n && i < length && (unsigned char)name[i] == (unsigned char)byte[i])
            i++;
        if (i == n && i == length)
            return 1;
        name += length + 1;
    }
    return 0;
}

static tvgp_status refuse_name(tvgp_ctx *ctx, const double *byte, size_t n) {
    char name[41] = "";
    for (size_t i = 0; i < n && i + 1 < sizeof name; i++)
        name[i] = (char)(unsigned char)byte[i];
    return tvgp__error_set(ctx, TVGP_ERR_ARG, "there is an action '%s' already", name);
}

/* `names` is the word of the description, whose names are behind the '='. */
static tvgp_status check_names(tvgp_ctx *ctx, word names, const double *byte, size_t n_bytes) {
    const word list = {names.at + 6, names.n - 6};
    for (size_t from = 0, to; from < n_bytes; from = to + 1) {
        for (to = from; to < n_bytes && byte[to] != ',';)
            to++;
        size_t same = 0; /* among the new ones */
        for (size_t a = 0, b; a < n_bytes; a = b + 1) {
            for (b = a; b < n_bytes && byte[b] != ',';)
                b++;
            same += b - a == to - from && memcmp(byte + a, byte + from, (b - a) * sizeof *byte) == 0;
        }
        if (same > 1 || has_name(list, byte + from, to - from))
            return refuse_name(ctx, byte + from, to - from);
    }
    return TVGP_OK;
}

/* ---- the text --------------------------------------------------------------------------------------------------- */

static void add_points(tvgp__text_out *out, size_t n, size_t dim, const double *x) {
    for (size_t i = 0; i < n * dim; i++) {
        if (i)
            tvgp__text_out_add(out, i % dim ? ":" : ",");
        tvgp__text_out_add_number(out, x[i]);
    }
}

/* New actions have payoff 1. */
static void add_payoffs(tvgp__text_out *out, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        tvgp__text_out_add(out, ",1");
}

/* The words as they are, the new names behind names=, the new points behind more= or at the end. */
static void write_description(tvgp__text_out *out, const char *text, const tvgp_event *e, const double *x, size_t dim) {
    const word names = find_word(text, "names="), more = find_word(text, "more="), payoffs = find_word(text, "payoffs=");
    const size_t bytes = tvgp__event_names_bytes(e);
    const char *first = names.at && bytes ? names.at + names.n : NULL, *second = more.at ? more.at + more.n : NULL;
    for (const char *c = text;; c++) {
        if (c == first) {
            tvgp__text_out_add(out, ",");
            for (size_t i = 0; i < bytes; i++)
                tvgp__text_out_add_bytes(out, 1, (const char[]){(char)(unsigned char)x[(size_t)e->size - bytes + i]});
        }
        if (c == second || (!*c && !second && has_domain(text))) {
            tvgp__text_out_add(out, second ? "," : " more=");
            add_points(out, (size_t)e->arm, dim, x);
        }
        if (payoffs.at && c == payoffs.at + payoffs.n)
            add_payoffs(out, e->arm);
        if (!*c)
            return;
        tvgp__text_out_add_bytes(out, 1, c);
    }
}

/* Replays the event on a policy of the description; *dim is that of an action. */
static tvgp_status check(tvgp_ctx *ctx, const char *text, const tvgp_event *event, const double *x, size_t n_x,
                         size_t *dim) {
    tvgp_policy *policy = NULL;
    tvgp_event first = *event;
    first.n = 1;
    TVGP__TRY(tvgp_policy_create_described(ctx, text, &policy));
    *dim = tvgp__product_action_dim(policy->domain);
    const tvgp_status status = tvgp_policy_apply(policy, 1, &first, n_x, x);
    tvgp_policy_destroy(policy);
    return status == TVGP_ERR_FORMAT ? TVGP_ERR_DIM : status;
}

tvgp_status tvgp_event_describe(tvgp_ctx *ctx, const char *description, const tvgp_event *event, size_t n_x,
                                const double *x_or_null, size_t capacity, void *buffer_or_null, size_t *needed) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, description);
    TVGP__REQUIRE(ctx, event);
    TVGP__REQUIRE(ctx, needed);
    size_t dim;
    if (event->kind != TVGP_EVENT_EXTEND)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "event->kind = %" PRId32 " must be TVGP_EVENT_EXTEND", event->kind);
    if (event->size < 1 || (size_t)event->size != n_x)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "x has %zu numbers, the event has %" PRId64, n_x, event->size);
    TVGP__REQUIRE(ctx, x_or_null);
    TVGP__TRY(check(ctx, description, event, x_or_null, n_x, &dim));
    ctx->function = "tvgp_event_describe";
    const word names = find_word(description, "names=");
    const size_t bytes = tvgp__event_names_bytes(event);
    if (!names.at != !bytes)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s",
                               bytes ? "the event has names, the description has none"
                                     : "the description has names, the event has none");
    if (bytes)
        TVGP__TRY(check_names(ctx, names, x_or_null + n_x - bytes, bytes));
    tvgp__text_out out = {.at = buffer_or_null, .capacity = buffer_or_null ? capacity : 0};
    write_description(&out, description, event, x_or_null, dim);
    return tvgp__text_out_end(ctx, &out, needed);
}
