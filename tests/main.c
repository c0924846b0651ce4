/* SPDX-License-Identifier: MIT */
/* tvgp_tests NAME, or a link with that name: runs one of the tests in tests.h, which CMake writes. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(void);
#include "tests.h"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, name},
#include "tests.h"
};

int main(int argc, char **argv) {
    const char *slash = strrchr(argv[0], '/');
    const char *name = argc > 1 ? argv[1] : slash ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, name) == 0)
            return tests[i].run();
    fprintf(stderr, "%s: there is no test of this name\n", name);
    return 2;
}
