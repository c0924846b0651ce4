/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "experiment.h"

#include "progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

/* One of several workers: its share of the runs, a byte into the pipe after each. */
static _Noreturn void work(experiment *e, experiment_run *run, const void *user, size_t n_values, double *values,
                           size_t first, int done) {
    for (size_t r = first; r < e->runs; r += e->processes) {
        run(e, user, r, values + r * n_values);
        if (write(done, "", 1) != 1)
            fail("write");
    }
    exit(EXIT_SUCCESS);
}

double *experiment_runs(experiment *e, experiment_run *run, const void *user, size_t n_values) {
    const size_t bytes = e->runs * n_values * sizeof(double);
    double *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int done[2];
    if (shared == MAP_FAILED || pipe(done))
        fail("experiment");
    fflush(NULL);
    for (size_t w = 0; w < e->processes; w++) {
        const pid_t pid = fork();
        if (pid < 0)
            fail("fork");
        if (pid == 0) {
            close(done[0]);
            work(e, run, user, n_values, shared, w, done[1]);
        }
    }
    close(done[1]);
    char byte;
    for (size_t finished = 0; read(done[0], &byte, 1) == 1;)
        progress_show(e->name, ++finished, e->runs);
    close(done[0]);
    int failed = 0;
    for (size_t w = 0; w < e->processes; w++) {
        int status;
        failed |= wait(&status) < 0 || status != 0;
    }
    if (failed)
        exit(EXIT_FAILURE); /* the worker has said why */
    double *values = experiment_allocate(e->runs * n_values, sizeof *values);
    memcpy(values, shared, bytes);
    munmap(shared, bytes);
    return values;
}
