/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "comm_fork.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a rank says before its bytes: both ends must mean the same call. */
struct head {
    size_t call, bytes;
    int root; /* -1: a maximum */
};

static int put(int fd, const void *data, size_t bytes) {
    for (const char *at = data; bytes;) {
        ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
        if (n <= 0)
            return 0;
        at += n;
        bytes -= (size_t)n;
    }
    return 1;
}

static int get(int fd, void *data, size_t bytes) {
    for (char *at = data; bytes;) {
        ssize_t n = recv(fd, at, bytes, 0);
        if (n <= 0)
            return 0;
        at += n;
        bytes -= (size_t)n;
    }
    return 1;
}

static int agrees(const struct comm_fork *c, int fd, const struct head *mine) {
    struct head theirs = {0};
    if (!get(fd, &theirs, sizeof theirs))
        return 0;
    if (theirs.call == mine->call && theirs.bytes == mine->bytes && theirs.root == mine->root)
        return 1;
    fprintf(stderr, "rank %d call %zu: %zu bytes, root %d; the other: call %zu, %zu bytes, root %d\n", c->rank, mine->call,
            mine->bytes, mine->root, theirs.call, theirs.bytes, theirs.root);
    return 0;
}

static int fails(struct comm_fork *c) {
    return ++c->calls >= c->fail_at && c->fail_at;
}

/* After a failure the others must not wait for what will not come, while this rank waits for them. */
static int hang_up(struct comm_fork *c) {
    for (int r = c->rank == 0; !c->broken && r < (c->rank == 0 ? c->size : 1); r++)
        (void)shutdown(c->fd[r], SHUT_RDWR);
    c->broken = 1;
    return COMM_FORK_BROKEN;
}

/* Every rank's bytes go to rank 0, which makes one thing of them. */
static int gather(struct comm_fork *c, const struct head *h, void *data, void (*take)(void *, const void *, size_t, int)) {
    char *theirs = malloc(h->bytes);
    int ok = theirs != NULL;
    for (int r = 1; ok && r < c->size; r++) {
        ok = agrees(c, c->fd[r], h) && get(c->fd[r], theirs, h->bytes);
        if (ok)
            take(data, theirs, h->bytes, r == h->root);
    }
    for (int r = 1; ok && r < c->size; r++)
        ok = put(c->fd[r], data, h->bytes);
    free(theirs);
    return ok;
}

static int call(struct comm_fork *c, const struct head *h, void *data, void (*take)(void *, const void *, size_t, int)) {
    int ok = !c->broken;
    if (ok && c->rank == 0)
        ok = gather(c, h, data, take);
    else if (ok)
        ok = put(c->fd[0], h, sizeof *h) && put(c->fd[0], data, h->bytes) && get(c->fd[0], data, h->bytes);
    return ok ? 0 : hang_up(c);
}

static void take_root(void *data, const void *theirs, size_t bytes, int root) {
    if (root)
        memcpy(data, theirs, bytes);
}

static void take_max(void *data, const void *theirs, size_t bytes, int root) {
    (void)root;
    double *most = data;
    const double *value = theirs;
    for (size_t i = 0; i < bytes / sizeof *most; i++)
        most[i] = value[i] > most[i] ? value[i] : most[i];
}

static int32_t bcast(void *user, size_t bytes, void *data, int32_t root) {
    struct comm_fork *c = user;
    const struct head h = {.call = c->calls + 1, .bytes = bytes, .root = root};
    return fails(c) ? COMM_FORK_FAILED : call(c, &h, data, take_root);
}

static int32_t max(void *user, size_t n, double *values) {
    struct comm_fork *c = user;
    const struct head h = {.call = c->calls + 1, .bytes = n * sizeof *values, .root = -1};
    return fails(c) ? COMM_FORK_FAILED : call(c, &h, values, take_max);
}

tvgp_comm comm_fork_table(struct comm_fork *c) {
    return (tvgp_comm){
        .struct_size = sizeof(tvgp_comm), .user = c, .rank = c->rank, .size = c->size, .bcast = bcast, .max = max};
}

int comm_fork_run(int size, int (*play)(struct comm_fork *c, void *arg), void *arg) {
    int pair[COMM_FORK_RANKS][2], failed = 0;
    pid_t child[COMM_FORK_RANKS];
    for (int r = 1; r < size; r++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair[r]))
            return size;
    fflush(NULL);
    for (int rank = 0; rank < size; rank++) {
        child[rank] = fork();
        if (child[rank])
            continue;
        struct comm_fork c = {.rank = rank, .size = size};
        for (int r = 1; r < size; r++) { /* an end that another process holds too would not notice a death */
            int keep = rank == 0 ? 0 : r == rank ? 1 : -1;
            for (int end = 0; end < 2; end++)
                if (end != keep)
                    close(pair[r][end]);
            if (keep >= 0)
                c.fd[rank == 0 ? r : 0] = pair[r][keep];
        }
        alarm(600);
        _exit(play(&c, arg));
    }
    for (int r = 1; r < size; r++) {
        close(pair[r][0]);
        close(pair[r][1]);
    }
    for (int rank = 0; rank < size; rank++) {
        int status = 0;
        failed += child[rank] < 0 || waitpid(child[rank], &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status);
    }
    return failed;
}
