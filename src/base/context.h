/* SPDX-License-Identifier: MIT */
/* The context: everything an object needs from its environment, and the only state that objects share. */
#ifndef TVGP__BASE_CONTEXT_H
#define TVGP__BASE_CONTEXT_H

#include "tvgp/ctx.h"

enum { TVGP__ERRMSG_SIZE = 256 };

/* First member of what a context holds from outside, until it goes. */
typedef struct tvgp__context_part {
    struct tvgp__context_part *next;
    void (*forget)(tvgp_ctx *, struct tvgp__context_part *);
} tvgp__context_part;

/* The pointer that the caller passed along with a function, and the function that frees it: called once, when no object holds the
 * pointer any more. NULL stands for a pointer that is not to be freed. */
typedef struct tvgp__context_user {
    size_t references;
    void *user;
    tvgp_destroy_fn destroy;
} tvgp__context_user;

/* What the registry holds (base/registry.h). */
enum { TVGP__TYPE_KERNEL, TVGP__TYPE_DOMAIN, TVGP__TYPE_POLICY, TVGP__TYPE_GUARD, TVGP__TYPE_KINDS };

struct tvgp_ctx {
    tvgp_allocator allocator;
    tvgp_logger logger;
    tvgp__context_user *logger_owned; /* NULL: its `user` is not to be freed */
    void *logger_user;
    tvgp_interrupt interrupt; /* NULL: none */
    tvgp__context_user *interrupt_owned;
    void *interrupt_user;
    double unpolled;                            /* work since the interrupt function was called (base/quota.h) */
    size_t references;                          /* the user's handle and every object made from this context */
    size_t bytes;                               /* held through base/memory */
    int keeping;                                /* whether freed blocks are kept (base/memory.h) */
    struct tvgp__memory_block *kept;            /* a list of them */
    size_t kept_bytes, peak_bytes;              /* in `bytes`; most in use at once since the last trim */
    struct tvgp__quota *quota;                  /* base/quota.h; NULL: none is set */
    void *bases;                                /* model/feature/basis: those in use, shared by what computed the same */
    const void *const *types[TVGP__TYPE_KINDS]; /* lists that end with NULL */
    tvgp__context_part *parts;
    tvgp__context_part *scratch; /* base/scratch, one of them; NULL before the first use */
    const char *function;        /* the public function now running, for messages */
    char errmsg[TVGP__ERRMSG_SIZE];
};

tvgp_ctx *tvgp__context_retain(tvgp_ctx *ctx);
void tvgp__context_release(tvgp_ctx *ctx);

/* With one reference, that of the public function under way. NOMEM. */
tvgp_status tvgp__context_user_new(tvgp_ctx *, void *user, tvgp_destroy_fn, tvgp__context_user **out);
/* The public function ends with this status, which is returned, and gives up its reference. If it failed, the caller still owns the
 * pointer. */
tvgp_status tvgp__context_user_finish(tvgp_ctx *, tvgp__context_user *, tvgp_status);
tvgp__context_user *tvgp__context_user_retain(tvgp__context_user *);
void tvgp__context_user_release(tvgp_ctx *, tvgp__context_user *);

#if defined(__GNUC__)
#define TVGP__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TVGP__PRINTF(text, first)
#endif

/* Hands one formatted line to the logger, when there is one. */
void tvgp__context_log(tvgp_ctx *ctx, const char *format, ...) TVGP__PRINTF(2, 3);

/* A text for people. The build with TVGP_MESSAGES=OFF leaves out these texts, log lines and the texts of errors: the compiler checks
 * their calls, and removes them because they cannot be reached. */
#ifdef TVGP__WITHOUT_MESSAGES
#define TVGP__TEXT(text)            ""
#define tvgp__context_log(ctx, ...) ((void)(0 ? ((tvgp__context_log)(ctx, __VA_ARGS__), 0) : 0))
#else
#define TVGP__TEXT(text) text
#endif

#endif
