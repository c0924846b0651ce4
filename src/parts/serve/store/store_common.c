/* SPDX-License-Identifier: MIT */
/* What the parts of a store share: its members, copies of policies, and the calls of the functions of the caller
 * (parts/serve/store/store_common.h). */
#include "parts/serve/store/store_common.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

int64_t tvgp__store_common_chain(int64_t chain, const char *text) {
    uint64_t h = (uint64_t)chain ^ UINT64_C(0xcbf29ce484222325); /* FNV-1a (Fowler, Noll, Vo 1991) */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (int64_t)h;
}

/* Behind the name of a function that begins a text. */
static const char *behind_function(const char *text) {
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return strncmp(text, "tvgp_", 5) == 0 && text[n] == ':' && text[n + 1] == ' ' ? text + n + 2 : text;
}

tvgp_status tvgp__store_common_failed_at(tvgp_store *s, const tvgp__store_copy *c, const char *where, tvgp_status status) {
    static const char record[] = "obs[0].";
    const char *text = behind_function(*c->ctx->errmsg ? c->ctx->errmsg : tvgp_status_name(status));
    return tvgp__error_set(s->ctx, status, "%s%s", where, text + (strncmp(text, record, 7) == 0 ? 7 : 0));
}

tvgp_status tvgp__store_common_failed(tvgp_store *s, const tvgp__store_copy *c, tvgp_status status) {
    return tvgp__store_common_failed_at(s, c, "", status);
}

tvgp_status tvgp__store_common_failed_inside(tvgp_store *s, const tvgp__store_copy *c, tvgp_status status) {
    const char *inner = strstr(c->ctx->errmsg, ": tvgp_");
    return inner ? tvgp__error_set(s->ctx, status, "%s", behind_function(inner + 2))
                 : tvgp__store_common_failed(s, c, status);
}

/* What a function of the caller returned. `inside`: it may be the failure of a taker, whose message was saved. */
static tvgp_status returned(tvgp_store *s, const char *function, int inside, int32_t status) {
    tvgp__error_resume(s->ctx, s->function);
    if (!inside || status == TVGP_OK || !*s->message)
        return tvgp__error_returned(s->ctx, function, status);
    memcpy(s->ctx->errmsg, s->message, sizeof s->message);
    return status;
}

#define CALL(s, inside, called, ...)                                                                                        \
    ((s)->function = tvgp__error_pause((s)->ctx), returned((s), #called, (inside), (s)->type.called((s)->user, __VA_ARGS__)))

tvgp_status tvgp__store_common_lock(tvgp_store *s, int write) {
    return s->type.lock ? CALL(s, 0, lock, write) : TVGP_OK;
}

tvgp_status tvgp__store_common_unlock(tvgp_store *s, int keep) {
    return s->type.unlock ? CALL(s, 0, unlock, keep) : TVGP_OK;
}

tvgp_status tvgp__store_common_find(tvgp_store *s, int write) {
    tvgp_store_row row = {0};
    s->row = row;
    TVGP__TRY(CALL(s, 0, read_description, s->name, write, &row));
    if (!row.id)
        return TVGP_OK;
    if (row.id < 0 || row.n < 0 || row.n > INT64_C(1) << 53 || !row.description)
        return tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "the row of the policy is damaged");
    const size_t size = strlen(row.description) + 1;
    TVGP__TRY(tvgp__memory_reserve(s->ctx, size, 1, &s->description, &s->description_room));
    row.description = memcpy(s->description, row.description, size);
    s->row = row;
    return TVGP_OK;
}

tvgp_status tvgp__store_common_read(tvgp_store *s, int64_t first, int64_t last, tvgp__store_event_taker take, void *taker) {
    if (first > last)
        return TVGP_OK;
    s->take = take;
    s->taker = taker;
    s->message[0] = '\0';
    const tvgp_status status = CALL(s, 1, read_events, s->row.id, first, last, s);
    s->take = NULL;
    return status;
}

tvgp_status tvgp__store_common_parse(tvgp_store *s, const tvgp__store_copy *c, const char *line, tvgp_event *e) {
    size_t n_x = 0;
    tvgp_status status = tvgp_event_parse(c->ctx, line, 0, e, NULL, &n_x);
    if (status == TVGP_OK && n_x)
        TVGP__TRY(tvgp__memory_reserve(s->ctx, n_x, sizeof *s->x, &s->x, &s->x_room));
    if (status == TVGP_OK && n_x)
        status = tvgp_event_parse(c->ctx, line, n_x, e, s->x, &n_x);
    return status < 0 ? tvgp__store_common_failed(s, c, status) : status;
}

tvgp_status tvgp__store_common_read_snapshot(tvgp_store *s, tvgp__store_snapshot_taker take, void *taker) {
    s->take_snapshot = take;
    s->taker = taker;
    s->message[0] = '\0';
    const tvgp_status status = CALL(s, 1, read_snapshot, s->row.id, s);
    s->take_snapshot = NULL;
    return status;
}

tvgp_status tvgp__store_common_write_snapshot(tvgp_store *s, int64_t n, int64_t chain, size_t size) {
    return CALL(s, 0, write_snapshot, s->row.id, n, chain, size, s->bytes);
}

tvgp_status tvgp__store_common_append(tvgp_store *s) {
    return CALL(s, 0, append, s->name, &s->row, s->n_lines, (const char *const *)s->line, s->chain);
}

tvgp_status tvgp__store_common_remove(tvgp_store *s, int64_t first) {
    return CALL(s, 0, remove, s->row.id, first);
}
