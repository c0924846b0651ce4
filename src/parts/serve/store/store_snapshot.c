/* SPDX-License-Identifier: MIT */
/* Snapshots of a store: a checksum, the facts of the store as a line of text, and the snapshot of the policy
 * (parts/serve/store/store_snapshot.h). */
#include "parts/serve/store/store_snapshot.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/numbers/crc32c.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 9 }; /* the checksum of the text in hexadecimal digits, and a blank */

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Queries that are pending, so that the facts forget the others. */
static tvgp_status prune(tvgp_store *s, tvgp__store_copy *c) {
    tvgp_query *q;
    size_t n = 0;
    tvgp_status status = tvgp_policy_pending(c->policy, 0, NULL, NULL, &n);
    if (status < 0)
        return tvgp__store_common_failed(s, c, status);
    TVGP__TRY(tvgp__memory_alloc(s->ctx, n, sizeof *q, &q));
    status = tvgp_policy_pending(c->policy, n, q, NULL, &n);
    if (status == TVGP_OK)
        tvgp__store_metadata_prune(&c->facts, n, q);
    tvgp__memory_free(s->ctx, q);
    return status < 0 ? tvgp__store_common_failed(s, c, status) : TVGP_OK;
}

/* The text behind its checksum; NULL: how long it is. */
static size_t write_text(const tvgp__store_copy *c, char *at, size_t capacity) {
    tvgp__text_out out = {.at = at, .capacity = capacity};
    tvgp__store_metadata_write(&c->facts, &out);
    return out.n;
}

tvgp_status tvgp__store_snapshot_write(tvgp_store *s, tvgp__store_copy *c) {
    char head[HEAD + 1];
    size_t size = 0;
    TVGP__TRY(prune(s, c));
    tvgp_status status = tvgp_policy_save(c->policy, 0, NULL, &size);
    if (status < 0)
        return tvgp__store_common_failed(s, c, status);
    const size_t text = write_text(c, NULL, 0), before = HEAD + text + 1;
    TVGP__TRY(tvgp__memory_reserve(s->ctx, before + size, 1, &s->bytes, &s->bytes_room));
    write_text(c, s->bytes + HEAD, text + 1);
    s->bytes[HEAD + text] = '\0';
    snprintf(head, sizeof head, "%08" PRIx32 " ", tvgp__crc32c_add(0, s->bytes + HEAD, text));
    memcpy(s->bytes, head, HEAD);
    status = tvgp_policy_save(c->policy, size, s->bytes + before, &size);
    if (status < 0)
        return tvgp__store_common_failed(s, c, status);
    TVGP__TRY(tvgp__store_common_write_snapshot(s, c->n, c->chain, before + size));
    c->since = 0;
    return TVGP_OK;
}

tvgp_status tvgp__store_snapshot_state(tvgp_store *s, const tvgp__store_copy *c, size_t *n) {
    tvgp_status status = tvgp_policy_save(c->policy, 0, NULL, n);
    if (status == TVGP_OK)
        TVGP__TRY(tvgp__memory_reserve(s->ctx, *n, 1, &s->bytes, &s->bytes_room));
    if (status == TVGP_OK)
        status = tvgp_policy_save(c->policy, *n, s->bytes, n);
    return status < 0 ? tvgp__store_common_failed(s, c, status) : TVGP_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The policy of the snapshot has the actions that lines added since the description. */
static tvgp_status extend(tvgp_store *s, tvgp__store_copy *c, const char *lines) {
    tvgp_event e;
    char *line;
    for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        TVGP__TRY(tvgp__memory_alloc(s->ctx, n + 1, 1, &line));
        memcpy(line, lines, n);
        tvgp_status status = tvgp__store_common_parse(s, c, line, &e);
        if (status == TVGP_OK && tvgp_policy_apply(c->policy, 1, &e, (size_t)e.size, e.size ? s->x : NULL) < 0)
            status = tvgp__store_common_failed(s, c, TVGP_ERR_FORMAT);
        if (status == TVGP_OK)
            status = tvgp__store_metadata_take(s->ctx, &c->facts, &e, s->x, line);
        tvgp__memory_free(s->ctx, line);
        TVGP__TRY(status);
    }
    return TVGP_OK;
}

static tvgp_status load(tvgp_store *s, tvgp__store_copy *c, const char *text, const char *bytes, size_t size) {
    const char *lines;
    TVGP__TRY(tvgp__store_metadata_read(s->ctx, &c->facts, text, &lines));
    TVGP__TRY(extend(s, c, lines));
    const tvgp_status status = tvgp_policy_load(c->policy, size, bytes);
    return status < 0 ? tvgp__store_common_failed_at(s, c, "snapshot: ", status) : TVGP_OK;
}

static tvgp_status take(tvgp_store *s, int64_t n, int64_t chain, const char *bytes, size_t size) {
    tvgp__store_copy *c = s->taker;
    char head[HEAD + 1];
    if (n > s->row.n)
        return TVGP_OK; /* of lines that are not there any more */
    const char *end = size > HEAD ? memchr(bytes + HEAD, '\0', size - HEAD) : NULL;
    if (end)
        snprintf(head, sizeof head, "%08" PRIx32 " ", tvgp__crc32c_add(0, bytes + HEAD, (size_t)(end - bytes) - HEAD));
    if (n < 1 || !end || memcmp(bytes, head, HEAD) != 0)
        return tvgp__error_set(s->ctx, TVGP_ERR_FORMAT, "the snapshot of the store is damaged");
    TVGP__TRY(load(s, c, bytes + HEAD, end + 1, size - (size_t)(end + 1 - bytes)));
    c->n = n;
    c->chain = chain;
    return TVGP_OK;
}

tvgp_status tvgp__store_snapshot_read(tvgp_store *s, tvgp__store_copy *c) {
    return tvgp__store_common_read_snapshot(s, take, c);
}
