/* SPDX-License-Identifier: MIT */
/* A fleet of bandits in a table: usage: fleet_sqlite [file [bandits [steps]]].
 *
 * Each bandit is a row of SQLite. A few policy handles load the state of a bandit, ask, tell and save. At night a prior is learned
 * from all outcomes so far (tvgp_prior_learn) and stored as a policy; bandits created later start with it. States, outcomes, priors,
 * the position in the input and the digest of all decisions are written in one transaction. A program that is killed therefore
 * continues from the last transaction and ends with the same decisions. Without a file the table is in memory, a sample of the bandits
 * is compared with policies that were never saved, and bandits with the learned prior must do better at first. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

/* Bandits are born on days 0 .. DAYS - 1; FIRST: decisions that are a bandit's first ones. */
enum { ARMS = 32, DAYS = 4, DAY = 10000, BATCH = 500, SAMPLE = 16, FIRST = 5, BUFFER = 1 << 16 };

static const double epsilon = 1e-6; /* a bandit has its turn every thousand steps or so; in a day next to nothing changes */

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

/* Most bandits have their best arm around 22, the others around 8: the outcomes of one of them say
 * much about the next. */
static double answer(int64_t bandit, int64_t arm, int64_t step) {
    const uint64_t drawn = mix((uint64_t)bandit);
    const double middle = drawn % 10 < 7 ? 22 : 8, spread = (double)(drawn >> 8 & 3) + (double)(drawn >> 10 & 3) - 3;
    const double best = middle + spread, away = ((double)arm - best) / 4;
    const double noise = (double)(mix((uint64_t)step) >> 11) * 0x1p-53 - 0.5;
    return exp(-away * away) + 0.1 * noise;
}

static void describe(tvgp_domain **domain, tvgp_kernel **kernel) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, domain));
    check(tvgp_kernel_se(ctx, 1, 1.0, 1, &lengthscale, kernel));
}

static void set_options(tvgp_policy *policy, double noise) {
    check(tvgp_policy_set(policy, "delay.exact_observations=0"));
    check(tvgp_policy_set_f64(policy, "noise", noise));
    check(tvgp_policy_set_f64(policy, "epsilon", epsilon));
}

/* The first bandits have no learned prior. */
static tvgp_policy *create(void) {
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    describe(&domain, &kernel);
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    set_options(policy, 0.01);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* What bandits begin as that many runs teach: run i has the rows from first[i] on. */
static tvgp_policy *taught(size_t runs, const size_t *first, size_t n, const int64_t *arm, const double *y) {
    double mean[ARMS], noise;
    tvgp_domain *domain;
    tvgp_kernel *kernel, *learned;
    tvgp_policy *policy;
    describe(&domain, &kernel);
    check(tvgp_prior_learn(ctx, domain, runs, first, n, arm, NULL, y, kernel, 3, 0, 400, mean, &learned, &noise));
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, learned, &policy));
    check(tvgp_policy_set_prior_mean(policy, ARMS, mean));
    set_options(policy, noise);
    tvgp_kernel_destroy(learned);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* One decision of one bandit, and its outcome. */
static int64_t decide(tvgp_policy *policy, int64_t bandit, int64_t step, double *y) {
    tvgp_query q;
    check(tvgp_policy_ask_one(policy, (double)step, &q, NULL));
    *y = answer(bandit, q.arm, step);
    check(tvgp_policy_tell_value(policy, q.id, *y));
    return q.arm;
}

/* ---- the store ------------------------------------------------------------------------------------------------------ */

static sqlite3_stmt *get, *put, *note, *log_answer, *all_answers, *get_prior, *put_prior;

static void prepare(const char *text, sqlite3_stmt **out) {
    check_store(sqlite3_prepare_v2(db, text, -1, out, NULL));
}

static void open_store(const char *file, int64_t *position, uint64_t *digest) {
    sqlite3_stmt *read;
    check_store(sqlite3_open(file, &db));
    check_store(sqlite3_exec(db,
                             "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                             "CREATE TABLE IF NOT EXISTS bandit (id INTEGER PRIMARY KEY, born INTEGER, state BLOB);"
                             "CREATE TABLE IF NOT EXISTS answer (bandit INTEGER, step INTEGER, arm INTEGER, y REAL);"
                             "CREATE TABLE IF NOT EXISTS prior (day INTEGER PRIMARY KEY, whole BLOB);"
                             "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, position INTEGER, digest INTEGER);",
                             NULL, NULL, NULL));
    prepare("SELECT state, born FROM bandit WHERE id = ?", &get);
    prepare("INSERT OR REPLACE INTO bandit VALUES (?, ?, ?)", &put);
    prepare("INSERT OR REPLACE INTO run VALUES (0, ?, ?)", &note);
    prepare("INSERT INTO answer VALUES (?, ?, ?, ?)", &log_answer);
    prepare("SELECT bandit, arm, y FROM answer ORDER BY bandit, step", &all_answers);
    prepare("SELECT whole FROM prior WHERE day = ?", &get_prior);
    prepare("INSERT OR REPLACE INTO prior VALUES (?, ?)", &put_prior);
    prepare("SELECT position, digest FROM run", &read);
    if (sqlite3_step(read) == SQLITE_ROW) {
        *position = sqlite3_column_int64(read, 0);
        *digest = (uint64_t)sqlite3_column_int64(read, 1);
    }
    sqlite3_finalize(read);
}

static void close_store(void) {
    sqlite3_stmt *const statements[] = {get, put, note, log_answer, all_answers, get_prior, put_prior};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        sqlite3_finalize(statements[i]);
    sqlite3_close(db);
}

/* The state in the row that was read, into a buffer of BUFFER bytes. A row may hold anything: the
 * file is not ours alone. */
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

/* The state of the bandit and the day of its birth; SIZE_MAX: it is not born. */
static size_t fetch(int64_t bandit, void *buffer, int *born) {
    size_t n = 0;
    check_store(sqlite3_bind_int64(get, 1, bandit));
    const int found = sqlite3_step(get);
    check_store(found);
    if (found == SQLITE_ROW) {
        n = fetch_row(bandit, buffer);
        *born = sqlite3_column_int(get, 1) % DAYS; /* whatever stands there is a day */
        *born = *born < 0 ? 0 : *born;
    }
    check_store(sqlite3_reset(get));
    return found == SQLITE_ROW ? n : SIZE_MAX;
}

static void run_once(sqlite3_stmt *statement) {
    check_store(sqlite3_step(statement));
    check_store(sqlite3_reset(statement));
}

static void store(int64_t bandit, int born, const void *bytes, size_t n) {
    check_store(sqlite3_bind_int64(put, 1, bandit));
    check_store(sqlite3_bind_int(put, 2, born));
    check_store(sqlite3_bind_blob(put, 3, bytes, (int)n, SQLITE_STATIC));
    run_once(put);
}

static void store_answer(int64_t bandit, int64_t step, int64_t arm, double y) {
    check_store(sqlite3_bind_int64(log_answer, 1, bandit));
    check_store(sqlite3_bind_int64(log_answer, 2, step));
    check_store(sqlite3_bind_int64(log_answer, 3, arm));
    check_store(sqlite3_bind_double(log_answer, 4, y));
    run_once(log_answer);
}

static void begin(void) {
    check_store(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
}

static void commit(int64_t position, uint64_t digest) {
    check_store(sqlite3_bind_int64(note, 1, position));
    check_store(sqlite3_bind_int64(note, 2, (sqlite3_int64)digest));
    run_once(note);
    check_store(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
}

/* ---- night and morning ---------------------------------------------------------------------------------------------- */

/* Learns from all outcomes so far, of which there are at most `most`. */
static tvgp_policy *learn(size_t most) {
    int64_t *arm = malloc(most * sizeof *arm), before = -1;
    double *y = malloc(most * sizeof *y);
    size_t *first = malloc(most * sizeof *first), runs = 0, n = 0;
    if (!arm || !y || !first)
        check(TVGP_ERR_NOMEM);
    while (n < most && sqlite3_step(all_answers) == SQLITE_ROW) {
        const int64_t bandit = sqlite3_column_int64(all_answers, 0);
        if (bandit != before)
            first[runs++] = n;
        before = bandit;
        arm[n] = sqlite3_column_int64(all_answers, 1);
        y[n++] = sqlite3_column_double(all_answers, 2);
    }
    check_store(sqlite3_reset(all_answers));
    tvgp_policy *policy = taught(runs, first, n, arm, y);
    free(first);
    free(y);
    free(arm);
    return policy;
}

/* At night: what those born on `day` begin as, written down whole. */
static void learn_at_night(int day, size_t answers) {
    static unsigned char bytes[BUFFER];
    size_t n;
    tvgp_policy *policy = learn(answers);
    check(tvgp_policy_save_full(policy, sizeof bytes, bytes, &n));
    check_store(sqlite3_bind_int(put_prior, 1, day));
    check_store(sqlite3_bind_blob(put_prior, 2, bytes, (int)n, SQLITE_STATIC));
    run_once(put_prior);
    tvgp_policy_destroy(policy);
}

/* In the morning: a policy as those born on `day` begin; NULL: no night has taught them. */
static tvgp_policy *hand_out(int day) {
    tvgp_policy *policy = NULL;
    if (!day)
        return create();
    check_store(sqlite3_bind_int(get_prior, 1, day));
    const int found = sqlite3_step(get_prior);
    check_store(found);
    if (found == SQLITE_ROW)
        check(tvgp_policy_restore(ctx, (size_t)sqlite3_column_bytes(get_prior, 0), sqlite3_column_blob(get_prior, 0), NULL,
                                  NULL, &policy));
    check_store(sqlite3_reset(get_prior));
    return policy;
}

/* ---- the fleet ------------------------------------------------------------------------------------------------------ */

/* A policy that takes turns being all bandits born on one day, and what each of them begins as. */
typedef struct template {
    tvgp_policy *policy;
    unsigned char newborn[BUFFER];
    size_t n;
    double reward, count; /* of first decisions */
}
template;

static void open_template(template *t, int day) {
    t->policy = hand_out(day);
    if (t->policy)
        check(tvgp_policy_save(t->policy, sizeof t->newborn, t->newborn, &t->n));
}

static int day_of(int64_t step) {
    return step / DAY < DAYS ? (int)(step / DAY) : DAYS - 1;
}

/* Whose turn it is: as many more are there each day, until the last. */
static int64_t bandit_of(int64_t step, int64_t bandits) {
    const int64_t there = bandits * (day_of(step) + 1) / DAYS;
    return (int64_t)(mix((uint64_t)step * 2 + 1) % (uint64_t)(there > 0 ? there : 1));
}

static double first_reward(const template *t) {
    return t->count > 0 ? t->reward / t->count : NAN;
}

int main(int argc, char **argv) {
    static unsigned char buffer[BUFFER];
    static template born_on[DAYS];
    const char *file = argc > 1 ? argv[1] : ":memory:";
    const int64_t bandits = argc > 2 ? atoll(argv[2]) : 2000, steps = argc > 3 ? atoll(argv[3]) : 40000;
    const int64_t apart = bandits > SAMPLE ? bandits / SAMPLE : 1; /* between bandits of the sample */
    const int sampled = argc <= 1;
    tvgp_policy *live[SAMPLE] = {NULL};
    int64_t position = 0, done = 0, differ = 0;
    uint64_t digest = 14695981039346656037u;
    double in_store = 0, in_mathematics = 0, at_night = 0;
    size_t bytes = 0;

    check(tvgp_ctx_create(NULL, &ctx));
    open_store(file, &position, &digest);
    for (int day = 0; day < DAYS; day++)
        open_template(&born_on[day], day);
    begin();
    for (int64_t step = position; step < steps; step++, done++) {
        const int64_t bandit = bandit_of(step, bandits);
        const int day = day_of(step);
        int born = day;
        double t0 = seconds(), y, twin_y, asked;
        if (!born_on[day].policy) {
            learn_at_night(day, (size_t)step);
            open_template(&born_on[day], day);
            at_night += seconds() - t0;
            t0 = seconds();
        }
        size_t n = fetch(bandit, buffer, &born);
        template *t = &born_on[born];
        double t1 = seconds();
        check(n == SIZE_MAX ? tvgp_policy_load(t->policy, t->n, t->newborn) : tvgp_policy_load(t->policy, n, buffer));
        const int64_t arm = decide(t->policy, bandit, step, &y);
        check(tvgp_policy_save(t->policy, sizeof buffer, buffer, &n));
        double t2 = seconds();
        store(bandit, born, buffer, n);
        store_answer(bandit, step, arm, y);
        digest = (digest ^ (uint64_t)arm) * 1099511628211u;
        if ((step + 1) % BATCH == 0) {
            commit(step + 1, digest);
            begin();
        }
        in_store += t1 - t0 + seconds() - t2;
        in_mathematics += t2 - t1;
        bytes += n;
        check(tvgp_policy_stat(t->policy, "asked", &asked));
        if (asked <= FIRST) {
            t->reward += y;
            t->count++;
        }
        if (sampled && bandit % apart == 0 && bandit / apart < SAMPLE) {
            tvgp_policy **twin = &live[bandit / apart];
            if (!*twin)
                *twin = hand_out(born);
            differ += decide(*twin, bandit, step, &twin_y) != arm;
        }
    }
    commit(steps > position ? steps : position, digest);
    printf("%lld bandits, %lld steps: digest %016llx\n", (long long)bandits, (long long)steps, (unsigned long long)digest);
    if (done)
        printf("%.1f us a step in the store, %.1f us in load, ask, tell and save; %.0f bytes a state; %.2f s at night\n",
               1e6 * in_store / (double)done, 1e6 * in_mathematics / (double)done, (double)bytes / (double)done, at_night);
    for (int day = 0; day < DAYS; day++)
        if (born_on[day].count > 0)
            printf("born on day %d: mean reward %.2f in the first %d decisions\n", day, first_reward(&born_on[day]), FIRST);
    if (sampled)
        printf("decisions that differ from those of %d policies never saved: %lld\n", (int)SAMPLE, (long long)differ);
    if (sampled && !(first_reward(&born_on[DAYS - 1]) > first_reward(&born_on[0]) + 0.1))
        differ++; /* the nights were for nothing */

    close_store();
    for (int day = 0; day < DAYS; day++)
        tvgp_policy_destroy(born_on[day].policy);
    for (int i = 0; i < SAMPLE; i++)
        tvgp_policy_destroy(live[i]);
    tvgp_ctx_destroy(ctx);
    return differ ? EXIT_FAILURE : EXIT_SUCCESS;
}
