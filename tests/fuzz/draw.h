/* SPDX-License-Identifier: MIT */
/* What a game draws from its bytes. */
#ifndef FUZZ_DRAW_H
#define FUZZ_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* Zeros when the bytes are used up. */
struct draw {
    const uint8_t *byte;
    size_t left;
    int wild; /* numbers of every size, and none */
};

size_t below(struct draw *d, size_t n); /* 0 .. n - 1, n <= 256 */
int once_in(struct draw *d, size_t n);
double number(struct draw *d);
double size_of(struct draw *d); /* not negative, and not 0 unless it is wild */

#endif
