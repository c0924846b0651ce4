/* SPDX-License-Identifier: MIT */
/* SQLite tunes itself: a database that inserts rows and looks some of them up chooses page size, cache size and rows in a
 * transaction while it works. The amount of work varies between intervals and matters ten times more than any setting. Therefore the
 * reported outcome is the logarithm of the cost of a row (docs/guide/minimising-costs.md). The cost is processor time of this
 * program.
 *
 * First every setting is measured on the same work, to know the possible gain; the policies do not use this. Then each policy plays the
 * same intervals, compared with the usual setting and with random settings. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, mkdtemp */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>
#include <unistd.h>

enum { PAGES = 3, CACHES = 3, BATCHES = 4, SETTINGS = PAGES * CACHES * BATCHES, INTERVALS = 120, TRIES = 3, USUAL = 18 };
static const int page_size[PAGES] = {1024, 4096, 16384}, cache_pages[CACHES] = {10, 100, 2000},
                 batch[BATCHES] = {1, 4, 16, 64};

static char path[64];
static tvgp_ctx *ctx;

static _Noreturn void die(const char *message) {
    fprintf(stderr, "tune_sqlite: %s\n", message);
    exit(EXIT_FAILURE);
}

static void check(tvgp_status status) {
    if (status != TVGP_OK)
        die(status < 0 ? tvgp_ctx_errmsg(ctx) : "nothing to ask");
}

static int page_of(size_t setting) {
    return page_size[setting / BATCHES / CACHES];
}
static int cache_of(size_t setting) {
    return cache_pages[setting / BATCHES % CACHES];
}
static int batch_of(size_t setting) {
    return batch[setting % BATCHES];
}

/* ---- the program that is tuned ---------------------------------------------------------------------------------------- */

static void run(sqlite3 *db, const char *text) {
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db));
}

static void run_number(sqlite3 *db, const char *format, int value) {
    char text[128];
    snprintf(text, sizeof text, format, value);
    run(db, text);
}

static void step(sqlite3 *db, sqlite3_stmt *statement) {
    const int status = sqlite3_step(statement);
    if (status != SQLITE_DONE && status != SQLITE_ROW)
        die(sqlite3_errmsg(db));
    sqlite3_reset(statement);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *text) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db));
    return statement;
}

/* Rows are inserted in no order, and a third of them are looked up. */
static void work(sqlite3 *db, size_t setting, int rows) {
    sqlite3_stmt *insert = prepare(db, "insert or replace into t values (?, hex(zeroblob(60)))");
    sqlite3_stmt *find = prepare(db, "select length(v) from t where k = ?");
    for (int i = 0; i < rows; i++) {
        const int first = i % batch_of(setting) == 0, last = (i + 1) % batch_of(setting) == 0 || i + 1 == rows;
        if (first)
            run(db, "begin");
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i * 7919 % 100003);
        step(db, insert);
        if (last)
            run(db, "commit");
    }
    for (int i = 0; i < rows; i += 3) {
        sqlite3_bind_int64(find, 1, (sqlite3_int64)i * 104729 % rows * 7919 % 100003);
        step(db, find);
    }
    sqlite3_finalize(insert);
    sqlite3_finalize(find);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Microseconds that a row costs in this interval under a setting. */
static double cost_of(size_t setting, int rows) {
    sqlite3 *db;
    const double begin = seconds();
    if (sqlite3_open(path, &db) != SQLITE_OK)
        die(sqlite3_errmsg(db));
    run(db, "pragma synchronous=off");
    run_number(db, "pragma page_size=%d", page_of(setting));
    run_number(db, "pragma cache_size=%d", cache_of(setting));
    run(db, "create table t (k integer primary key, v text)");
    work(db, setting, rows);
    sqlite3_close(db);
    unlink(path);
    return 1e6 * (seconds() - begin) / rows;
}

/* Work of an interval: it swings by ten. */
static int rows_at(int t) {
    return (int)(30 * exp(1.15 * (1 + sin(0.21 * t))));
}

/* ---- what there is to gain --------------------------------------------------------------------------------------------- */

static void print_setting(const char *what, size_t setting, double cost) {
    printf("%-34s %7.1f   page %5d, cache %4d, batch %2d\n", what, cost, page_of(setting), cache_of(setting),
           batch_of(setting));
}

/* Every setting on the work of the same intervals. */
static void look(void) {
    size_t best = 0, worst = 0;
    double mean[SETTINGS] = {0};
    for (size_t s = 0; s < SETTINGS; s++)
        for (int i = 0; i < TRIES; i++)
            mean[s] += cost_of(s, rows_at(10 * i)) / TRIES;
    for (size_t s = 1; s < SETTINGS; s++) {
        best = mean[s] < mean[best] ? s : best;
        worst = mean[s] > mean[worst] ? s : worst;
    }
    printf("What there is to gain, microseconds of processor a row:\n");
    print_setting("  the usual setting", USUAL, mean[USUAL]);
    print_setting("  the best of all", best, mean[best]);
    print_setting("  the worst", worst, mean[worst]);
}

/* ---- playing -------------------------------------------------------------------------------------------------------------- */

static tvgp_policy *make(const char *name) {
    double X[SETTINGS * 3];
    tvgp_domain *domain;
    tvgp_policy *policy;
    for (size_t s = 0; s < SETTINGS; s++) { /* settings that act by factors are logarithms */
        X[3 * s] = log2(page_of(s));
        X[3 * s + 1] = log2(cache_of(s));
        X[3 * s + 2] = log2(batch_of(s));
    }
    check(tvgp_domain_arms(ctx, SETTINGS, 3, X, &domain));
    check(tvgp_policy_create(ctx, name, domain, NULL, &policy));
    check(tvgp_policy_set(policy, "sense=min"));
    tvgp_domain_destroy(domain);
    return policy;
}

static void play(const char *name) {
    tvgp_policy *policy = make(name);
    double sum = 0, mean = 0;
    int64_t best = USUAL;
    for (int t = 1; t <= INTERVALS; t++) {
        tvgp_query q;
        check(tvgp_policy_ask_one(policy, t, &q, NULL));
        const double cost = cost_of((size_t)q.arm, rows_at(t));
        check(tvgp_policy_tell_value(policy, q.id, log(cost)));
        sum += cost;
    }
    mean = sum / INTERVALS;
    if (tvgp_policy_best(policy, INTERVALS, &best, NULL) == TVGP_OK)
        print_setting(name, (size_t)best, mean);
    else
        printf("%-34s %7.1f\n", name, mean);
    tvgp_policy_destroy(policy);
}

static void play_usual(void) {
    double sum = 0;
    for (int t = 1; t <= INTERVALS; t++)
        sum += cost_of(USUAL, rows_at(t));
    print_setting("the usual setting", USUAL, sum / INTERVALS);
}

int main(void) {
    char folder[] = "/tmp/tune_sqlite_XXXXXX";
    if (!mkdtemp(folder) || tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        die("no folder for a database, or no memory");
    snprintf(path, sizeof path, "%s/db", folder);
    look();
    printf("\n%d intervals of %d to %d rows, learning included; at the end believed best:\n", INTERVALS, rows_at(22),
           rows_at(7));
    play("auto-gp-ucb");
    play("tv-gp-ucb");
    play_usual();
    play("random");
    tvgp_ctx_destroy(ctx);
    rmdir(folder);
    return EXIT_SUCCESS;
}
