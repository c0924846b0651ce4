/* SPDX-License-Identifier: MIT */
/* A run that twenty processes play one after the other, each from the file that the one before left, gives what one process
 * gives: every policy and kernel, also from outside, the digest of all that comes out and the bytes of the last snapshot. With TVGP_RELAY
 * naming this program of another build (tests/night.sh: release and sanitizers) the two take turns.
 *
 * test_snapshot_relay POLICY LEG FILE plays one leg. */
#define _POSIX_C_SOURCE 200809L
#include "outside.h"
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 200, LEGS = 21 };

static const char *self, *leg_policy, *leg_file;
static int leg;

static int registered;

static void register_outside(void) {
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL));
}

static const char *options_of(const char *name) {
    return strstr(name, "sparq") ? "kdpp.steps=20 side.round_factor=2 side.round_exponent=1" : NULL;
}

/* Leg i goes on to step ends[i]: random moments, the last is the end. */
static void moments(uint64_t seed, int *ends) {
    struct rnd rnd = {seed};
    for (int i = 0; i < LEGS; i++) {
        int moment = i ? 1 + (int)rnd_below(&rnd, STEPS - 1) : STEPS, at = i;
        for (; at > 0 && ends[at - 1] > moment; at--)
            ends[at] = ends[at - 1];
        ends[at] = moment;
    }
}

static void play_to(struct player *p, int from, int to) {
    for (int i = from; i < to; i++) {
        player_step(p);
        if (i % 16 == 0)
            player_read_stats(p);
    }
}

static void write_player(FILE *f, const struct player *p) {
    struct blob b = blob_of(p->policy);
    ck_assert(fwrite(&p->state, sizeof p->state, 1, f) == 1 && fwrite(&b.n, sizeof b.n, 1, f) == 1 &&
              fwrite(b.bytes, 1, b.n, f) == b.n);
    free(b.bytes);
}

static struct blob read_player(FILE *f, struct player_state *state) {
    struct blob b = {0};
    ck_assert(fread(state, sizeof *state, 1, f) == 1 && fread(&b.n, sizeof b.n, 1, f) == 1);
    b.bytes = malloc(b.n);
    ck_assert(b.bytes && fread(b.bytes, 1, b.n, f) == b.n);
    return b;
}

START_TEST(one_leg) {
    char fresh[300];
    snprintf(fresh, sizeof fresh, "%s.new", leg_file);
    FILE *in = leg ? fopen(leg_file, "rb") : NULL, *out = fopen(fresh, "wb");
    ck_assert(out && (in || !leg));
    register_outside();
    for (size_t k = 0; k < CASES_ALL; k++) {
        struct recipe r;
        int ends[LEGS];
        recipe_of_case(&r, leg_policy, options_of(leg_policy), k);
        struct player p = player_new(&r, k + 1);
        if (in) {
            struct blob b = read_player(in, &p.state);
            ASSERT_OK(tvgp_policy_load(p.policy, b.n, b.bytes));
            free(b.bytes);
        }
        moments(k, ends);
        play_to(&p, leg ? ends[leg - 1] : 0, ends[leg]);
        write_player(out, &p);
        tvgp_policy_destroy(p.policy);
        recipe_free(&r);
    }
    if (in)
        fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(rename(fresh, leg_file), 0);
}

static void run_leg(const char *program, const char *name, int i, const char *file) {
    char number[12];
    int status = -1;
    snprintf(number, sizeof number, "%d", i);
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl(program, program, name, number, file, (char *)NULL);
        _exit(127);
    }
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert_msg(status == 0, "%s %s %d %s: failed", program, name, i, file);
}

START_TEST(relay) {
    const char *name = _i < harness_policies() ? harness_policy_at(_i) : outside_ucb.name, *other = getenv("TVGP_RELAY");
    char file[] = "/tmp/tvgp_relay_XXXXXX";
    register_outside();
    const int handle = mkstemp(file);
    ck_assert_int_ge(handle, 0);
    close(handle);
    for (int i = 0; i < LEGS; i++)
        run_leg(other && i % 2 ? other : self, name, i, file);
    FILE *f = fopen(file, "rb");
    ck_assert_ptr_nonnull(f);
    for (size_t k = 0; k < CASES_ALL; k++) {
        struct recipe r;
        struct player_state state;
        struct blob there = read_player(f, &state);
        recipe_of_case(&r, name, options_of(name), k);
        struct player p = player_new(&r, k + 1);
        play_to(&p, 0, STEPS);
        struct blob here = blob_of(p.policy);
        ck_assert_msg(p.state.digest == state.digest, "%s, kernel %s: what came out differs", name, cases_kernel_name(k));
        assert_same_blob(&here, &there, name);
        free(here.bytes);
        free(there.bytes);
        tvgp_policy_destroy(p.policy);
        recipe_free(&r);
    }
    fclose(f);
    unlink(file);
}

int main(int argc, char **argv) {
    Suite *suite = suite_create("snapshot_relay");
    self = argv[0];
    if (argc == 4) {
        leg_policy = argv[1];
        leg = atoi(argv[2]);
        leg_file = argv[3];
        tcase_add_test(harness_case(suite, "leg"), one_leg);
        SRunner *runner = srunner_create(suite);
        srunner_set_fork_status(runner, CK_NOFORK);
        srunner_run_all(runner, CK_SILENT);
        const int failed = srunner_ntests_failed(runner);
        if (failed)
            srunner_print(runner, CK_NORMAL);
        srunner_free(runner);
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    TCase *c = harness_case(suite, "fresh processes");
    harness_add_turns(c, relay, 0, harness_policies() + 1, 0);
    return harness_run(suite);
}
