/* SPDX-License-Identifier: MIT */
/* The context: everything an object needs from outside, and the only place where state is shared between objects. */
#ifndef TVGP__BASE_CONTEXT_H
#define TVGP__BASE_CONTEXT_H

#include "tvgp/ctx.h"

enum { TVGP__ERRMSG_SIZE = 256 };

/* First member of what a context holds from outside, until it goes. */
typedef struct tvgp__context_part {
    struct tvgp__context_part *next;
    void (*forget)(tvgp_ctx *, struct tvgp__context_part *);
} tvgp__context_part;

/* What the registry holds (base/registry.h). */
enum { TVGP__TYPE_KERNEL, TVGP__TYPE_DOMAIN, TVGP__TYPE_POLICY, TVGP__TYPE_GUARD, TVGP__TYPE_KINDS };

struct tvgp_ctx {
    tvgp_allocator allocator;
    tvgp_logger logger;
    void *logger_user;
    tvgp_interrupt interrupt; /* NULL: nobody wants to */
    void *interrupt_user;
    size_t references;                          /* the user's handle and every object made from this context */
    size_t bytes;                               /* held through base/memory */
    int keeping;                                /* whether freed blocks are kept (base/memory.h) */
    struct tvgp__memory_block *kept;            /* a list of them */
    size_t kept_bytes, peak_bytes;              /* in `bytes`; most in use at once since the last trim */
    struct tvgp__quota *quota;                  /* base/quota.h; NULL: nobody has set one */
    void *bases;                                /* feature/basis: those in use, shared by what computed the same */
    const void *const *types[TVGP__TYPE_KINDS]; /* lists that end with NULL */
    tvgp__context_part *parts;
    tvgp__context_part *scratch; /* base/scratch, one of them; NULL before the first use */
    const char *function;        /* the public function now running, for messages */
    char errmsg[TVGP__ERRMSG_SIZE];
};

tvgp_ctx *tvgp__context_retain(tvgp_ctx *ctx);
void tvgp__context_release(tvgp_ctx *ctx);

#if defined(__GNUC__)
#define TVGP__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TVGP__PRINTF(text, first)
#endif

/* Hands one formatted line to the logger, when there is one. */
void tvgp__context_log(tvgp_ctx *ctx, const char *format, ...) TVGP__PRINTF(2, 3);

#endif
