/* SPDX-License-Identifier: MIT */
/* A snapshot from a stranger: the bytes are restored within a quota; what was restored asks, is given an outcome, and is
 * saved. Much faster than play_snapshot, which makes the snapshots of its games itself. */
#include "fuzz/play.h"

#include <tvgp.h>

#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 1 << 22, ARMS = 4096, WORK = 1 << 18, LARGEST = 1 << 12 };

/* A restored policy asks, is given and is saved; any of these may be refused, and a save of what was saved must fit. */
static void use(const char *label, tvgp_policy *policy) {
    tvgp_query query;
    double *x = calloc(LARGEST, sizeof *x);
    size_t n = 0, needed = 0, dim = 0;
    tvgp_domain *domain = NULL;
    if (!x || tvgp_policy_domain(policy, &domain) != TVGP_OK)
        abort();
    if (tvgp_domain_dim(domain, &dim) != TVGP_OK)
        abort();
    tvgp_domain_destroy(domain);
    if (dim <= LARGEST && tvgp_policy_ask(policy, 1e6, 1, &query, x, &n) >= 0 && n)
        tvgp_policy_tell_value(policy, query.id, 0.5);
    free(x);
    if (tvgp_policy_save_full(policy, 0, NULL, &needed) != TVGP_OK)
        return;
    unsigned char *bytes = malloc(needed);
    if (!bytes || tvgp_policy_save_full(policy, needed, bytes, &needed) < 0) {
        fprintf(stderr, "%s: a restored policy announced %zu bytes and was not saved\n", label, needed);
        abort();
    }
    free(bytes);
}

void play(const char *label, const uint8_t *bytes, size_t n) {
    tvgp_ctx *ctx = NULL;
    tvgp_policy *policy = NULL;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK || tvgp_ctx_set_quota(ctx, BYTES, ARMS, WORK) != TVGP_OK)
        abort();
    if (tvgp_policy_restore(ctx, n, bytes, NULL, NULL, &policy) == TVGP_OK)
        use(label, policy);
    tvgp_policy_destroy(policy);
    tvgp_ctx_destroy(ctx);
}
