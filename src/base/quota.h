/* SPDX-License-Identifier: MIT */
/* Quotas: what a context may hold and one call may do (tvgp_ctx_set_quota). base/memory counts bytes, and domains count
 * arms when they are created. Work is counted before it is done: values of kernels (space/kernel/kernel_ops) and of joint
 * draws, comparisons of a search, and records read by learning from historical data. */
#ifndef TVGP__BASE_QUOTA_H
#define TVGP__BASE_QUOTA_H

#include "base/error.h"

/* A load keeps the state that it replaces until the new one is complete. */
enum { TVGP__QUOTA_COPIES = 2 };

typedef struct tvgp__quota {
    size_t bytes, arms; /* 0: no limit */
    int64_t work;       /* of one call; 0: no limit */
    double spent;       /* of work, by the public function under way and by those that its callbacks call */
    size_t callbacks;   /* under way (base/error) */
    int exceeded;       /* by that function */
    uint64_t calls;     /* public functions begun, not by callbacks */
    int copies;         /* the one under way saves or loads a policy, and may hold TVGP__QUOTA_COPIES times `bytes` */
} tvgp__quota;

/* LIMIT, naming what was asked and the bound; nothing has been counted then. */
tvgp_status tvgp__quota_refuse_bytes(tvgp_ctx *ctx, size_t bytes);
tvgp_status tvgp__quota_refuse_work(tvgp_ctx *ctx, double work);
tvgp_status tvgp__quota_arms(tvgp_ctx *ctx, size_t arms);

/* A public function begins: nothing is spent, unless a callback of another one called it. */
static inline void tvgp__quota_begin(tvgp_ctx *ctx) {
    if (ctx->quota && !ctx->quota->callbacks) {
        ctx->quota->spent = 0;
        ctx->quota->exceeded = 0;
        ctx->quota->copies = 0;
        ctx->quota->calls++;
    }
}

/* It saves or loads a policy. */
static inline void tvgp__quota_begin_copy(tvgp_ctx *ctx) {
    if (ctx->quota)
        ctx->quota->copies = 1;
}

/* Whether the context holds more than the quota, which a load leaves behind. */
static inline int tvgp__quota_is_above(const tvgp_ctx *ctx) {
    return ctx->quota && ctx->quota->bytes && ctx->bytes > ctx->quota->bytes;
}

/* Of a block that is about to be allocated. */
static inline tvgp_status tvgp__quota_bytes(tvgp_ctx *ctx, size_t bytes) {
    const tvgp__quota *q = ctx->quota;
    const size_t most = !q                                                          ? 0
                        : q->copies && q->bytes <= PTRDIFF_MAX / TVGP__QUOTA_COPIES ? TVGP__QUOTA_COPIES * q->bytes
                                                                                    : q->bytes;
    return most && (ctx->bytes > most || bytes > most - ctx->bytes) ? tvgp__quota_refuse_bytes(ctx, bytes) : TVGP_OK;
}

/* Calls the interrupt function when much work was begun since its last call, about a millisecond. For long loops in steps that may
 * fail. INTERRUPTED, and nothing has changed. */
tvgp_status tvgp__quota_interrupted(tvgp_ctx *ctx);
static inline tvgp_status tvgp__quota_poll(tvgp_ctx *ctx, double work) {
    enum { MUCH = 1 << 16 };
    if (!ctx->interrupt || (ctx->unpolled += work) < MUCH)
        return TVGP_OK;
    return tvgp__quota_interrupted(ctx);
}

/* Of n x m values that are about to be computed. LIMIT, INTERRUPTED. */
static inline tvgp_status tvgp__quota_work(tvgp_ctx *ctx, size_t n, size_t m) {
    tvgp__quota *q = ctx->quota;
    TVGP__TRY(tvgp__quota_poll(ctx, (double)n * (double)m));
    if (!q || !q->work)
        return TVGP_OK;
    const double work = q->spent + (double)n * (double)m;
    if (work > (double)q->work)
        return tvgp__quota_refuse_work(ctx, work);
    q->spent = work;
    return TVGP_OK;
}

/* The same where a call may come by more than once: it is counted the first time. *paid: of which call it was. */
static inline tvgp_status tvgp__quota_work_once(tvgp_ctx *ctx, uint64_t *paid, size_t n, size_t m) {
    if (!ctx->quota || *paid == ctx->quota->calls)
        return TVGP_OK;
    const tvgp_status status = tvgp__quota_work(ctx, n, m);
    if (status == TVGP_OK)
        *paid = ctx->quota->calls;
    return status;
}

/* Whether a failure is one of these. */
static inline int tvgp__quota_exceeded(const tvgp_ctx *ctx, tvgp_status status) {
    return status == TVGP_ERR_LIMIT && ctx->quota && ctx->quota->exceeded;
}

#endif
