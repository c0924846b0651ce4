/* SPDX-License-Identifier: MIT */
/* A program that saves every ten steps by write-then-rename and is killed two hundred times at random moments ends with the
 * decisions and the state of a run that was left alone. The digest of all decisions stands in the file before the state. */
#define _POSIX_C_SOURCE 200809L
#include "tvgp.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 3000, KILLS = 200, ARMS = 32, BUFFER = 1 << 18 };

static unsigned char buffer[BUFFER];

static void fail(const char *what) {
    fprintf(stderr, "test_snapshot_killed: %s\n", what);
    exit(EXIT_FAILURE);
}

static void need(tvgp_status status) {
    if (status != TVGP_OK)
        fail(tvgp_status_name(status));
}

static tvgp_policy *create(tvgp_ctx *ctx) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    need(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    need(tvgp_kernel_matern(ctx, 1, 2.5, 1, 1, &lengthscale, &kernel));
    need(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* Bytes of the file in the buffer; 0: there is none. */
static size_t read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(buffer, 1, sizeof buffer, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void write_file(const char *path, size_t n) {
    char fresh[300];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *f = fopen(fresh, "wb");
    if (!f || fwrite(buffer, 1, n, f) != n || fclose(f) != 0 || rename(fresh, path) != 0)
        fail("writing the file");
}

/* From wherever the file is to the end. */
static void run(const char *path) {
    uint64_t digest = 14695981039346656037u;
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    double asked = 0;
    need(tvgp_ctx_create(NULL, &ctx));
    size_t n = read_file(path);
    if (n) {
        memcpy(&digest, buffer, sizeof digest);
        need(tvgp_policy_restore(ctx, n - sizeof digest, buffer + sizeof digest, NULL, NULL, &policy));
    } else {
        policy = create(ctx);
    }
    need(tvgp_policy_stat(policy, "asked", &asked));
    for (int step = (int)asked + 1; step <= STEPS; step++) {
        tvgp_query q;
        need(tvgp_policy_ask_one(policy, step, &q, NULL));
        need(tvgp_policy_tell_value(policy, q.id, (double)((q.arm * 7 + step / 100) % ARMS) / ARMS));
        digest = (digest ^ (uint64_t)q.arm) * 1099511628211u;
        if (step % 10)
            continue;
        memcpy(buffer, &digest, sizeof digest);
        need(tvgp_policy_save_full(policy, sizeof buffer - sizeof digest, buffer + sizeof digest, &n));
        write_file(path, n + sizeof digest);
    }
    tvgp_policy_destroy(policy);
    tvgp_ctx_destroy(ctx);
}

int main(void) {
    char folder[] = "/tmp/tvgp-killed-XXXXXX", alone[64], killed[64];
    static unsigned char expected[BUFFER];
    int kills = 0;
    if (!mkdtemp(folder))
        fail("no folder");
    snprintf(alone, sizeof alone, "%s/alone", folder);
    snprintf(killed, sizeof killed, "%s/killed", folder);
    run(alone);
    size_t n = read_file(alone);
    memcpy(expected, buffer, n);
    for (unsigned seed = 1; kills < KILLS; kills++) {
        pid_t child = fork();
        if (child == 0) {
            run(killed);
            _exit(EXIT_SUCCESS);
        }
        int status;
        seed = seed * 1103515245u + 12345u;
        nanosleep(&(struct timespec){.tv_nsec = (long)(seed >> 16) % 3000 * 1000}, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_SUCCESS)
            fail("a run failed");
        if (WIFEXITED(status)) /* it was through: once more from the beginning */
            unlink(killed);
    }
    run(killed);
    if (read_file(killed) != n || memcmp(buffer, expected, n) != 0)
        fail("the decisions are others");
    unlink(alone);
    unlink(killed);
    char fresh[80];
    snprintf(fresh, sizeof fresh, "%s.new", killed);
    unlink(fresh);
    rmdir(folder);
    printf("killed %d times: the decisions and the state of %d steps left alone\n", kills, STEPS);
    return EXIT_SUCCESS;
}
