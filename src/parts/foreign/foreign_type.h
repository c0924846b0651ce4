/* SPDX-License-Identifier: MIT */
/* The common part of kernels, domains and policies of registered types (tvgp/extend.h). */
#ifndef TVGP__PARTS_FOREIGN_FOREIGN_TYPE_H
#define TVGP__PARTS_FOREIGN_FOREIGN_TYPE_H

#include "base/visit.h"
#include "tvgp/extend.h"

enum { TVGP__FOREIGN_TYPE_NAME = 64 };

/* First member of a type. */
typedef struct tvgp__foreign_type {
    tvgp__context_part part;
    const void **list; /* of its kind, when it joined (base/registry.h) */
    char name[TVGP__FOREIGN_TYPE_NAME];
    void *user;
    tvgp_destroy_fn destroy;
    void (*release)(tvgp_ctx *, struct tvgp__foreign_type *); /* OPTIONAL: what else it holds */
} tvgp__foreign_type;

/* ---- registering ------------------------------------------------------------------------------------------------------ */

/* The user's table, of which `least` bytes must be there, into `copy` (size bytes, zeroed). Tables begin with struct_size and name.
 * ARG (struct_size, no name, one that is taken). */
tvgp_status tvgp__foreign_type_read(tvgp_ctx *ctx, int kind, const void *table, size_t least, void *copy, size_t size);

/* A zeroed struct of `size` bytes that begins with a type of this name. NOMEM. */
tvgp_status tvgp__foreign_type_alloc(tvgp_ctx *ctx, const char *name, size_t size, void *out);

/* Registers it under its ops; on failure (NOMEM) it is freed. */
tvgp_status tvgp__foreign_type_add(tvgp_ctx *ctx, int kind, tvgp__foreign_type *type, const void *ops, void *user,
                                   tvgp_destroy_fn destroy);

void tvgp__foreign_type_free(tvgp_ctx *ctx, tvgp__foreign_type *type); /* one that was not added */

/* ---- calling ---------------------------------------------------------------------------------------------------------- */

/* An object of such a type: what is called, and whether it is being called now. */
typedef struct tvgp__foreign_type_call {
    tvgp_ctx *ctx;
    const char *what, *name; /* "kernel", its type */
    const char *function;    /* the public function under way; a callback may call others */
    int busy;
} tvgp__foreign_type_call;

/* Around each callback: REENTRANT when one is under way; what its status says: OK, -1000..-1999, or CALLBACK. */
tvgp_status tvgp__foreign_type_enter(tvgp__foreign_type_call *c);
tvgp_status tvgp__foreign_type_leave(tvgp__foreign_type_call *c, int32_t status);

/* The bytes `save` gives, counted, written or hashed; a visitor that loads gives *bytes and *n, in the snapshot itself. */
typedef int32_t (*tvgp__foreign_type_save)(void *data, void *buffer_or_null, size_t *needed);
void tvgp__foreign_type_visit(tvgp__visit *v, tvgp__foreign_type_call *c, tvgp__foreign_type_save save, void *data,
                              const void **bytes, size_t *n);

#endif
