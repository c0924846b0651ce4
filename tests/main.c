/* SPDX-License-Identifier: MIT */
/* tvgp_tests NAME, or a link with that name: runs one of the tests in tests.h, which CMake writes. With TVGP_TEST_LOCALE in the
 * environment it runs in this locale. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
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
    const char *slash = strrchr(argv[0], '/'), *locale = getenv("TVGP_TEST_LOCALE");
    if (locale && !setlocale(LC_ALL, locale)) {
        fprintf(stderr, "there is no locale %s\n", locale);
        return 77;
    }
    const char *name = argc > 1 ? argv[1] : slash ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, name) == 0)
            return tests[i].run();
    fprintf(stderr, "%s: there is no test of this name\n", name);
    return 2;
}
