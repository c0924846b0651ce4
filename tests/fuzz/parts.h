/* SPDX-License-Identifier: MIT */
/* Parts from outside the library that games of state play with: the kernel and the policy of outside.h, a kernel that is none, and arms. They
 * fail when a game wants it, and lie about what they save. */
#ifndef FUZZ_PARTS_H
#define FUZZ_PARTS_H

#include "outside.h"

/* What is untrue of the next saves. */
enum lie { HONEST, ANOTHER_SIZE, A_SIZE_THAT_GROWS, A_FAILURE, OTHER_BYTES, LIES };

/* Holds for all parts of the process, as the functions of a type know nothing of the game. */
struct parts_fault {
    enum lie lie;
    size_t size;         /* what is announced */
    int32_t status;      /* what a save that fails returns */
    unsigned char bytes; /* what is written */
    long fail_in;        /* evaluations of a kernel until one fails; 0: never */
};
extern struct parts_fault parts_fault;
enum { PARTS_FAILED = -1235 };

/* "outside-se", "boxcar", "fuzz-arms" and "outside-ucb" in this context. */
tvgp_status parts_register(tvgp_ctx *context);

/* Kernels over two coordinates. */
tvgp_status parts_se(tvgp_ctx *context, double lengthscale, tvgp_kernel **out);
tvgp_status parts_boxcar(tvgp_ctx *context, tvgp_kernel **out);

/* n <= PARTS_ARMS arms with the coordinates X (n x 2). */
enum { PARTS_ARMS = 64 };
tvgp_status parts_arms(tvgp_ctx *context, size_t n, const double *X, tvgp_domain **out);

#endif
