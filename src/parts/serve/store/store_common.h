/* SPDX-License-Identifier: MIT */
/* What the parts of a store share: its members, copies of policies, and the calls of the functions of the caller. */
#ifndef TVGP__PARTS_SERVE_STORE_COMMON_H
#define TVGP__PARTS_SERVE_STORE_COMMON_H

#include "parts/serve/store/store_arguments.h"
#include "parts/serve/store/store_metadata.h"
#include "tvgp.h"
#include "tvgp/store.h"

enum { TVGP__STORE_REPLY_ARRAYS = 6 };

/* A policy after line n. */
typedef struct tvgp__store_copy {
    struct tvgp__store_copy *next;
    tvgp_ctx *ctx; /* its own: the quota holds for each policy */
    tvgp_policy *policy;
    int64_t id, n, chain;
    int64_t since; /* lines behind the newest snapshot */
    int fitted;    /* whether `fit` left nothing to do, and no other line came since */
    tvgp__store_metadata facts;
} tvgp__store_copy;

typedef tvgp_status (*tvgp__store_event_taker)(tvgp_store *, int64_t n, int64_t chain, const char *line);
typedef tvgp_status (*tvgp__store_snapshot_taker)(tvgp_store *, int64_t n, int64_t chain, const char *bytes, size_t size);

struct tvgp_store {
    tvgp_ctx *ctx;
    tvgp_store_type type;
    void *user;
    tvgp_destroy_fn destroy;
    tvgp__store_copy *copies; /* the most recently used first */
    int busy;

    /* the call under way */
    const char *function;    /* of the context, while a function of the caller runs */
    const char *call, *name; /* of the call and the policy */
    tvgp__store_arguments arguments;
    tvgp_store_row row; /* its description is `description` */
    char *description;
    size_t description_room;
    tvgp__store_copy *copy; /* of the row; NULL: not open */
    int ahead;              /* the copy has made steps that are not written */
    char **line;            /* lines to be appended (n_lines), each owned, and their checksums */
    int64_t *chain;
    size_t n_lines, line_room, chain_room;
    tvgp__store_event_taker take;             /* while lines are read; otherwise NULL */
    tvgp__store_snapshot_taker take_snapshot; /* while the snapshot is read; otherwise NULL */
    void *taker;                              /* what they add to */
    char message[TVGP__ERRMSG_SIZE];          /* of their failure, which the return to the function of the caller clears */
    double *x;                                /* numbers of a line */
    size_t x_room;
    char *bytes; /* a line or a snapshot */
    size_t bytes_room;

    tvgp_store_reply reply;
    void *reply_memory[TVGP__STORE_REPLY_ARRAYS];
    size_t reply_room[TVGP__STORE_REPLY_ARRAYS];
};

/* Checksum of a chain that `text` follows. */
int64_t tvgp__store_common_chain(int64_t chain, const char *text);

/* A status of the copy's context with its message, behind `where`; `inside`: that of the call which an event makes. */
tvgp_status tvgp__store_common_failed_at(tvgp_store *, const tvgp__store_copy *, const char *where, tvgp_status);
tvgp_status tvgp__store_common_failed(tvgp_store *, const tvgp__store_copy *, tvgp_status);
tvgp_status tvgp__store_common_failed_inside(tvgp_store *, const tvgp__store_copy *, tvgp_status);

/* Begins and ends a call. */
tvgp_status tvgp__store_common_lock(tvgp_store *, int write);
tvgp_status tvgp__store_common_unlock(tvgp_store *, int keep);

/* Reads the row of the policy, whose id is 0 if there is none. */
tvgp_status tvgp__store_common_find(tvgp_store *, int write);

/* Reads lines first .. last with `take`, whose object is `taker`. */
tvgp_status tvgp__store_common_read(tvgp_store *, int64_t first, int64_t last, tvgp__store_event_taker take, void *taker);

/* Parses a line into an event and s->x. */
tvgp_status tvgp__store_common_parse(tvgp_store *, const tvgp__store_copy *, const char *line, tvgp_event *);

/* Passes the snapshot to `take`. */
tvgp_status tvgp__store_common_read_snapshot(tvgp_store *, tvgp__store_snapshot_taker take, void *taker);
tvgp_status tvgp__store_common_write_snapshot(tvgp_store *, int64_t n, int64_t chain, size_t size);

/* Writes the lines of the call, of which row.n is the last. */
tvgp_status tvgp__store_common_append(tvgp_store *);
tvgp_status tvgp__store_common_remove(tvgp_store *, int64_t first);

#endif
