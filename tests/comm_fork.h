/* SPDX-License-Identifier: MIT */
/* A communicator between processes that are forked off the test, over socketpairs to rank 0: shared arms are tested where
 * there is no MPI. Says on stderr when the ranks are out of step. */
#ifndef COMM_FORK_H
#define COMM_FORK_H

#include "tvgp.h"

enum { COMM_FORK_RANKS = 5, COMM_FORK_FAILED = -1234, COMM_FORK_BROKEN = -1666 };

/* One rank's end. */
struct comm_fork {
    int rank, size;
    int fd[COMM_FORK_RANKS]; /* rank 0: one to each of the others; they: fd[0] */
    size_t calls;            /* made so far */
    size_t fail_at;          /* 0: never; k: the k-th call and all after it fail, on every rank */
    int broken;              /* a call failed by itself: no other is made, and no rank waits for this one */
};

tvgp_comm comm_fork_table(struct comm_fork *c);

/* Plays on `size` ranks, each in a process of its own, whose exit status is what play returns; how many did not return 0. */
int comm_fork_run(int size, int (*play)(struct comm_fork *c, void *arg), void *arg);

#endif
