/* SPDX-License-Identifier: MIT */
/* Columns of shared arms: what is read of them at arms of other ranks. */
#include "gp/columns.h"

#include <string.h>

/* Entries of columns from .. to - 1 (and of h, unless NULL) at the arms of records from .. to - 1, as far as this rank has them,
 * and back into the tails. */
static void read_tails(const tvgp__columns *c, size_t from, size_t to, const double *h, double *out) {
    size_t m = to - from, vectors = h ? m + 1 : m;
    for (size_t k = 0; k < vectors; k++) {
        const double *g = k < m ? tvgp__columns_g(c, from + k) : h;
        for (size_t i = 0; i < m; i++)
            out[k * m + i] = tvgp__shard_entry(c->shard, g, tvgp__columns_at(c, from + i)->seen.arm);
    }
}

static void write_tails(const tvgp__columns *c, size_t from, size_t to, double *h, const double *in) {
    size_t m = to - from, vectors = h ? m + 1 : m;
    for (size_t k = 0; k < vectors; k++)
        memcpy((k < m ? tvgp__columns_g(c, from + k) : h) + c->n, in + k * m, m * sizeof *h);
}

void tvgp__columns_fetch(const tvgp__columns *c, size_t from, size_t to, double *h) {
    if (!c->shard || (!h && c->given.to == to && c->given.from == from))
        return;
    read_tails(c, from, to, h, c->corner);
    tvgp__shard_max(c->shard, c->corner, (to - from + (h != NULL)) * (to - from));
    write_tails(c, from, to, h, c->corner);
}

size_t tvgp__columns_chunk(const tvgp__columns *c, size_t k) {
    return c->count - k > c->tail ? c->tail : c->count - k;
}

size_t tvgp__columns_offer(const tvgp__columns *c, size_t arm, int still, double *out) {
    if (arm == SIZE_MAX)
        return still && c->count < c->tail * c->tail ? c->tail * c->tail : c->count;
    size_t last = still ? tvgp__columns_find(c, c->count, arm) : c->count, m = tvgp__columns_chunk(c, last);
    if (last < c->count && out)
        read_tails(c, last, last + m, NULL, out);
    if (last < c->count)
        return m * m;
    for (size_t k = 0; out && k < c->count; k++)
        out[k] = tvgp__shard_entry(c->shard, tvgp__columns_g(c, k), arm);
    return c->count;
}

void tvgp__columns_given(tvgp__columns *c, size_t arm, int still, const double *in) {
    size_t last = still ? tvgp__columns_find(c, c->count, arm) : c->count;
    c->given.arm = c->given.to = 0;
    if (last < c->count) {
        c->given.from = last;
        c->given.to = last + tvgp__columns_chunk(c, last);
        write_tails(c, last, c->given.to, NULL, in);
    } else if (c->count) {
        c->given.arm = arm + 1;
        c->given.count = c->count;
        memcpy(c->given.row, in, c->count * sizeof *in);
    }
}
