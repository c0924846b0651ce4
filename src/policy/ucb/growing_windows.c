/* SPDX-License-Identifier: MIT */
/* The steps at which the growing windows of w-sparq-gp-ucb start (Mauduit, Berthier, Simonetto, W-SparQ, eq. 32)
 * (policy/ucb/growing_windows.h). */
#include "policy/ucb/growing_windows.h"

#include <math.h>
#include <stddef.h>

enum { LARGEST = 250, WORDS = 53 * LARGEST / 32 + 2 };
static const int64_t never = (int64_t)1 << 53;

tvgp__growing_windows tvgp__growing_windows_make(double alpha, double alpha_tilde) {
    tvgp__growing_windows w = {.ratio = alpha_tilde / alpha};
    /* Convergents of the continued fraction, the best fractions for their size. */
    double p = 1, q = 0, p_before = 0, q_before = 1, rest = w.ratio;
    for (;;) {
        double whole = floor(rest), p_next = whole * p + p_before, q_next = whole * q + q_before;
        if (p_next > LARGEST || q_next > LARGEST)
            return w;
        p_before = p;
        q_before = q;
        p = p_next;
        q = q_next;
        if (fabs(p / q - w.ratio) <= 1e-14 * w.ratio)
            break;
        rest = 1 / (rest - whole);
    }
    w.p = (uint32_t)p;
    w.q = (uint32_t)q;
    return w;
}

/* Little-endian words of base^exponent; their number. */
static size_t power(uint64_t base, uint32_t exponent, uint32_t *words) {
    size_t n = 1;
    words[0] = 1;
    uint64_t low = base & UINT32_MAX, high = base >> 32;
    for (uint32_t e = 0; e < exponent; e++) {
        uint64_t carry = 0, before = 0; /* words * low + (words << 32) * high */
        for (size_t i = 0; i < n + 2; i++) {
            uint64_t word = i < n ? words[i] : 0;
            uint64_t sum = (carry & UINT32_MAX) + (word * low & UINT32_MAX) + (before * high & UINT32_MAX);
            carry = (carry >> 32) + (word * low >> 32) + (before * high >> 32) + (sum >> 32);
            words[i] = (uint32_t)sum;
            before = word;
        }
        for (n += 2; n > 1 && !words[n - 1]; n--)
            ;
    }
    return n;
}

/* a^e <= b^f */
static int at_most(uint64_t a, uint32_t e, uint64_t b, uint32_t f) {
    uint32_t left[WORDS + 2], right[WORDS + 2];
    size_t n = power(a, e, left), m = power(b, f, right);
    if (n != m)
        return n < m;
    while (n--)
        if (left[n] != right[n])
            return left[n] < right[n];
    return 1;
}

int64_t tvgp__growing_windows_next(const tvgp__growing_windows *w, int64_t t) {
    double root = pow((double)t, w->ratio);
    if (!(root < (double)(never - t - 1)))
        return never;
    int64_t length = (int64_t)floor(root);
    double nearest = round(root);
    if (w->q && fabs(root - nearest) <= 1e-9 * root) { /* too near an integer to trust pow */
        int64_t candidate = (int64_t)nearest;
        length = candidate - !at_most((uint64_t)candidate, w->q, (uint64_t)t, w->p);
    }
    return t + length + 1;
}
