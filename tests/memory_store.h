/* SPDX-License-Identifier: MIT */
/* A store in memory with transactions, for tests of tvgp/store.h: the whole content is copied by BEGIN and put back by
 * ROLLBACK. Any function can be set to fail. */
#ifndef MEMORY_STORE_H
#define MEMORY_STORE_H

#include "tvgp.h"
#include "tvgp/store.h"

enum { MEMORY_STORE_POLICIES = 8, MEMORY_STORE_LINES = 4096 };

struct memory_line {
    int64_t n, chain;
    char *text;
};

struct memory_policy {
    int64_t id, n, chain, every;
    char *name, *description; /* NULL name: none */
    struct memory_line *line;
    size_t lines, room;
    int64_t snapshot_n, snapshot_chain;
    char *snapshot; /* NULL: none */
    size_t snapshot_size;
};

/* What is stored. */
struct memory_content {
    struct memory_policy policy[MEMORY_STORE_POLICIES];
    int64_t last_id;
};

/* A database that any number of stores open. */
struct memory_store {
    struct memory_content now, before, savepoint;
    int in_transaction, in_call;
    size_t fail_in; /* the k-th function from now returns -1000; 0: none */
    size_t calls;   /* of functions */
    int nested;     /* `append` calls the store that calls it */
    tvgp_store *nesting;
    tvgp_status nested_status;
    int32_t returned; /* of read_description, unless 0 */
    double clock;
};

const tvgp_store_type *memory_store_type(int64_t epoch, size_t copies);

void memory_store_begin(struct memory_store *);
void memory_store_commit(struct memory_store *);
void memory_store_rollback(struct memory_store *);
void memory_store_free(struct memory_store *);
struct memory_policy *memory_store_find(struct memory_store *, const char *name);

#endif
