/* SPDX-License-Identifier: MIT */
/* A policy as a service on standard input and output, one request and one reply a line; the prices of docs/start/tutorial.md.
 *
 *   ask T           -> ID PRICE      which price at time T? Keep the ID with the order.
 *   tell ID PROFIT  -> ok            reports the outcome, in any order, at any time
 *   lost ID         -> ok            the outcome will never arrive
 *   saw T P PROFIT  -> ok            an unsolicited observation, such as a record
 *   best T          -> PRICE MEAN SD the price of highest posterior mean
 *   stat KEY        -> VALUE         such as pending, surprise, timed_out
 *
 * usage: shop_server [OPTIONS [FILE]], text as for tvgp_policy_set. A request that is malformed, too long or contains a NUL gets an
 * error message and changes nothing. The policy closes queries older than 30 units of time. FILE holds the state after each request. If
 * FILE exists at the start, the server continues from it, whatever OPTIONS are, and prints a line "open ID PRICE T" for each open
 * query. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

static tvgp_ctx *ctx;

enum { LINE = 256 };

/* Prints what is wrong; nonzero when something is. */
static int refused(tvgp_status status) {
    if (status == TVGP_OK)
        return 0;
    printf("error %s\n", status < 0 ? tvgp_ctx_errmsg(ctx) : "nothing can be asked before outcomes come");
    return 1;
}

static void ask(tvgp_policy *policy, double t) {
    tvgp_query q;
    double price;
    if (!refused(tvgp_policy_ask_one(policy, t, &q, &price)))
        printf("%lld %.1f\n", (long long)q.id, price);
}

static void tell(tvgp_policy *policy, const tvgp_obs *obs, const double *price) {
    if (!refused(tvgp_policy_tell(policy, 1, obs, price)))
        printf("ok\n");
}

static void best(tvgp_policy *policy, double t) {
    int64_t arm;
    double price, mean, variance;
    if (!refused(tvgp_policy_best(policy, t, &arm, &price)) &&
        !refused(tvgp_policy_predict(policy, t, 1, &price, &mean, &variance)))
        printf("%.1f %.1f %.1f\n", price, mean, sqrt(variance));
}

/* ---- what is known, in a file ----------------------------------------------------------------------------------- */

enum { MOST = 1 << 24 };

/* The policy of the file, which says itself what it is; NULL: there is no such file. Nonzero: it cannot be used. */
static int restore(const char *path, tvgp_policy **policy) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    unsigned char *bytes = file ? malloc(MOST) : NULL;
    int failed = 0;
    if (bytes)
        failed = refused(tvgp_policy_restore(ctx, fread(bytes, 1, MOST, file), bytes, NULL, NULL, policy));
    free(bytes);
    if (file)
        fclose(file);
    return failed;
}

/* A new file takes the place of the old one when all of it is written. */
static void keep(const tvgp_policy *policy, const char *path) {
    char fresh[4096];
    size_t n = 0;
    if (refused(tvgp_policy_save_full(policy, 0, NULL, &n)))
        return;
    unsigned char *bytes = malloc(n);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = bytes ? fopen(fresh, "wb") : NULL;
    if (!file || refused(tvgp_policy_save_full(policy, n, bytes, &n)) || fwrite(bytes, 1, n, file) != n ||
        fclose(file) != 0 || rename(fresh, path) != 0)
        fprintf(stderr, "shop_server: %s was not written\n", path);
    free(bytes);
}

/* What was asked before a restart and may still be answered. */
static void list_open(const tvgp_policy *policy) {
    tvgp_query q[64];
    double price[64];
    size_t n;
    if (refused(tvgp_policy_pending(policy, 64, q, price, &n)))
        return;
    for (size_t i = 0; i < n; i++)
        printf("open %lld %.1f %g\n", (long long)q[i].id, price[i], q[i].t);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static void answer(tvgp_policy *policy, const char *line) {
    long long id;
    double t, price, value;
    char key[64];
    if (sscanf(line, "ask %lf", &t) == 1) {
        ask(policy, t);
    } else if (sscanf(line, "tell %lld %lf", &id, &value) == 2) {
        const tvgp_obs obs = tvgp_obs_value(id, value);
        tell(policy, &obs, NULL);
    } else if (sscanf(line, "lost %lld", &id) == 1) {
        const tvgp_obs obs = tvgp_obs_outcome(id, TVGP_SKIPPED);
        tell(policy, &obs, NULL);
    } else if (sscanf(line, "saw %lf %lf %lf", &t, &price, &value) == 3) {
        const tvgp_obs obs = tvgp_obs_unsolicited(t, value);
        tell(policy, &obs, &price);
    } else if (sscanf(line, "best %lf", &t) == 1) {
        best(policy, t);
    } else if (sscanf(line, "stat %63s", key) == 1) {
        if (!refused(tvgp_policy_stat(policy, key, &value)))
            printf("%g\n", value);
    } else {
        printf("error no request: %.40s\n", line);
    }
}

/* Reads one line to its end, however long it is, and keeps its first LINE - 1 characters; 0 at the end of the input. *n is how many
 * characters the line had, so that what was cut off, or a NUL among them, is noticed. */
static int read_line(char *line, size_t *n) {
    int c = getchar();
    if (c == EOF)
        return 0;
    for (*n = 0; c != EOF && c != '\n'; c = getchar()) {
        if (*n < LINE - 1)
            line[*n] = (char)c;
        ++*n;
    }
    line[*n < LINE ? *n : LINE - 1] = '\0';
    return 1;
}

static void respond(tvgp_policy *policy, char *line, size_t n) {
    if (n >= LINE) {
        printf("error a request has at most %d characters, not %zu\n", LINE - 1, n);
    } else if (strlen(line) != n) {
        printf("error a request holds a NUL\n");
    } else {
        line[strcspn(line, "\r")] = '\0';
        answer(policy, line);
    }
}

int main(int argc, char **argv) {
    const double lower = 5, upper = 25;
    const size_t points = 41;
    tvgp_domain *domain = NULL;
    tvgp_policy *policy = NULL;
    char line[LINE];
    size_t n;
    const char *path = argc > 2 ? argv[2] : NULL;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        return EXIT_FAILURE;
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ); /* what is printed waits for the fflush below */
    int failed = restore(path, &policy);
    if (policy)
        list_open(policy);
    else
        failed = failed || refused(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain)) ||
                 refused(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy)) ||
                 refused(tvgp_policy_set(policy, "pending.timeout=30")) ||
                 (argc > 1 && refused(tvgp_policy_set(policy, argv[1])));
    while (!failed && read_line(line, &n)) {
        respond(policy, line, n);
        if (path) /* before the reply */
            keep(policy, path);
        fflush(stdout);
    }
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
