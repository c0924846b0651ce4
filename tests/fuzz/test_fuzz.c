/* SPDX-License-Identifier: MIT */
/* Plays games of random bytes, 200 or as many as the first argument says, from the seed in the second on; or the games in the
 * files that are named, such as those the fuzzer has found. */
#include "fuzz/play.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };
static uint8_t bytes[MOST];

static void play_seed(unsigned long seed) {
    struct rnd rnd = {seed};
    char label[40];
    size_t n = 200 + rnd_below(&rnd, 1000);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)rnd_bits(&rnd);
    snprintf(label, sizeof label, "seed %lu", seed);
    play(label, bytes, n);
}

static int play_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return perror(path), 1;
    size_t n = fread(bytes, 1, MOST, file);
    fclose(file);
    play(path, bytes, n);
    return 0;
}

int main(int argc, char **argv) {
    char *end = "";
    unsigned long games = argc > 1 ? strtoul(argv[1], &end, 10) : 200, first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (*end) {
        int failed = 0;
        for (int i = 1; i < argc; i++)
            failed |= play_file(argv[i]);
        return failed;
    }
    for (unsigned long seed = first; seed < first + games; seed++)
        play_seed(seed);
    printf("%lu games\n", games);
    return 0;
}
