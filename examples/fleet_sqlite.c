/* SPDX-License-Identifier: MIT */
/* A fleet of bandits in a table: usage: fleet_sqlite [file [bandits [steps]]].
 *
 * Each bandit is a row of SQLite, and eight policies take turns being them: load, ask, tell, save. States, the position in the
 * input and the digest of all decisions are written in one transaction, so a program that is killed goes on from the last
 * one and ends with the decisions of a run that was left alone. Without a file the table is in memory, and a sample of the
 * bandits is compared with policies that were never saved. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

enum { ARMS = 32, HANDLES = 8, BATCH = 500, SAMPLE = 16, BUFFER = 1 << 16 };

static tvgp_ctx *ctx;
static sqlite3 *db;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "fleet_sqlite: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static void check_store(int status) {
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW)
        return;
    fprintf(stderr, "fleet_sqlite: %s\n", sqlite3_errmsg(db));
    exit(EXIT_FAILURE);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the input: whose turn it is, and what comes of a decision ------------------------------------------------------ */

static uint64_t mix(uint64_t x) { /* splitmix64 */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double answer(int64_t bandit, int64_t arm, int64_t step) {
    const double best = (double)(mix((uint64_t)bandit) % ARMS), away = ((double)arm - best) / 6;
    const double noise = (double)(mix((uint64_t)step) >> 11) * 0x1p-53 - 0.5;
    return exp(-away * away) + 0.1 * noise;
}

static tvgp_policy *create(void) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    check(tvgp_kernel_se(ctx, 1, 1.0, &lengthscale, 1, &kernel));
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    check(tvgp_policy_set(policy, "noise=.01 epsilon=.01 late.limit=0"));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* One decision of one bandit. */
static int64_t decide(tvgp_policy *policy, int64_t bandit, int64_t step) {
    tvgp_query q;
    check(tvgp_policy_ask_one(policy, (double)step, &q, NULL));
    check(tvgp_policy_tell_value(policy, q.id, answer(bandit, q.arm, step)));
    return q.arm;
}

/* ---- the store ------------------------------------------------------------------------------------------------------ */

static sqlite3_stmt *get, *put, *note;

static void open_store(const char *file, int64_t *position, uint64_t *digest) {
    sqlite3_stmt *read;
    check_store(sqlite3_open(file, &db));
    check_store(sqlite3_exec(db,
                             "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                             "CREATE TABLE IF NOT EXISTS bandit (id INTEGER PRIMARY KEY, state BLOB);"
                             "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, position INTEGER, digest INTEGER);",
                             NULL, NULL, NULL));
    check_store(sqlite3_prepare_v2(db, "SELECT state FROM bandit WHERE id = ?", -1, &get, NULL));
    check_store(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO bandit VALUES (?, ?)", -1, &put, NULL));
    check_store(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO run VALUES (0, ?, ?)", -1, &note, NULL));
    check_store(sqlite3_prepare_v2(db, "SELECT position, digest FROM run", -1, &read, NULL));
    if (sqlite3_step(read) == SQLITE_ROW) {
        *position = sqlite3_column_int64(read, 0);
        *digest = (uint64_t)sqlite3_column_int64(read, 1);
    }
    sqlite3_finalize(read);
}

static void close_store(void) {
    sqlite3_finalize(get);
    sqlite3_finalize(put);
    sqlite3_finalize(note);
    sqlite3_close(db);
}

/* The state in the row that was read, into a buffer of BUFFER bytes. A row may hold anything: the file is not ours alone. */
static size_t fetch_row(int64_t bandit, void *buffer) {
    const void *state = sqlite3_column_blob(get, 0);
    const size_t n = (size_t)sqlite3_column_bytes(get, 0);
    if (n > BUFFER) {
        fprintf(stderr, "fleet_sqlite: the state of bandit %lld has %zu bytes, more than %d\n", (long long)bandit, n,
                (int)BUFFER);
        exit(EXIT_FAILURE);
    }
    if (n > 0)
        memcpy(buffer, state, n);
    return n;
}

/* The state of the bandit; the newborn's when there is none. */
static size_t fetch(int64_t bandit, const void *newborn, size_t n_newborn, void *buffer) {
    size_t n = n_newborn;
    check_store(sqlite3_bind_int64(get, 1, bandit));
    const int found = sqlite3_step(get);
    check_store(found);
    if (found == SQLITE_ROW)
        n = fetch_row(bandit, buffer);
    else
        memcpy(buffer, newborn, n);
    check_store(sqlite3_reset(get));
    return n;
}

static void store(int64_t bandit, const void *bytes, size_t n) {
    check_store(sqlite3_bind_int64(put, 1, bandit));
    check_store(sqlite3_bind_blob(put, 2, bytes, (int)n, SQLITE_STATIC));
    check_store(sqlite3_step(put));
    check_store(sqlite3_reset(put));
}

static void begin(void) {
    check_store(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
}

static void commit(int64_t position, uint64_t digest) {
    check_store(sqlite3_bind_int64(note, 1, position));
    check_store(sqlite3_bind_int64(note, 2, (sqlite3_int64)digest));
    check_store(sqlite3_step(note));
    check_store(sqlite3_reset(note));
    check_store(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
}

/* ---- the fleet ------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv) {
    static unsigned char buffer[BUFFER], newborn[BUFFER];
    const char *file = argc > 1 ? argv[1] : ":memory:";
    const int64_t bandits = argc > 2 ? atoll(argv[2]) : 2000, steps = argc > 3 ? atoll(argv[3]) : 40000;
    const int sampled = argc <= 1;
    tvgp_policy *handle[HANDLES], *live[SAMPLE];
    int64_t position = 0, done = 0, differ = 0;
    uint64_t digest = 14695981039346656037u;
    double in_store = 0, in_mathematics = 0;
    size_t n_newborn = 0, bytes = 0;

    check(tvgp_ctx_create(NULL, &ctx));
    for (int i = 0; i < HANDLES; i++)
        handle[i] = create();
    for (int i = 0; i < SAMPLE; i++)
        live[i] = create();
    check(tvgp_policy_save(handle[0], newborn, sizeof newborn, &n_newborn));
    open_store(file, &position, &digest);
    begin();
    for (int64_t step = position; step < steps; step++, done++) {
        const int64_t bandit = (int64_t)(mix((uint64_t)step * 2 + 1) % (uint64_t)bandits);
        tvgp_policy *policy = handle[bandit % HANDLES];
        double t0 = seconds();
        size_t n = fetch(bandit, newborn, n_newborn, buffer);
        double t1 = seconds();
        check(tvgp_policy_load(policy, buffer, n));
        int64_t arm = decide(policy, bandit, step);
        check(tvgp_policy_save(policy, buffer, sizeof buffer, &n));
        double t2 = seconds();
        store(bandit, buffer, n);
        digest = (digest ^ (uint64_t)arm) * 1099511628211u;
        if ((step + 1) % BATCH == 0) {
            commit(step + 1, digest);
            begin();
        }
        in_store += t1 - t0 + seconds() - t2;
        in_mathematics += t2 - t1;
        bytes += n;
        if (sampled && bandit < SAMPLE)
            differ += decide(live[bandit], bandit, step) != arm;
    }
    commit(steps > position ? steps : position, digest);
    printf("%lld bandits, %lld steps: digest %016llx\n", (long long)bandits, (long long)steps, (unsigned long long)digest);
    if (done)
        printf("%.1f us a step in the store, %.1f us in load, ask, tell and save; %.0f bytes a state\n",
               1e6 * in_store / (double)done, 1e6 * in_mathematics / (double)done, (double)bytes / (double)done);
    if (sampled)
        printf("decisions that differ from those of %d policies never saved: %lld\n", (int)SAMPLE, (long long)differ);

    close_store();
    for (int i = 0; i < HANDLES; i++)
        tvgp_policy_destroy(handle[i]);
    for (int i = 0; i < SAMPLE; i++)
        tvgp_policy_destroy(live[i]);
    tvgp_ctx_destroy(ctx);
    return differ ? EXIT_FAILURE : EXIT_SUCCESS;
}
