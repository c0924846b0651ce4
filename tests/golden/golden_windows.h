/* SPDX-License-Identifier: MIT */
/* Made by make.py from windows.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_WINDOWS_H
#define GOLDEN_WINDOWS_H

#include "golden.h"
/* t_1=1, t_{j+1}=t_j+floor(t_j^{ratio})+1 (eq 32 strict lower bound), exact integer arithmetic; float_differs: the naive pow() evaluation gives another sequence; T = 500 */
struct golden_windows {
    int alpha[2], alpha_tilde[2], n, start[250];
};
static struct golden_windows golden_windows[24];
enum { GOLDEN_WINDOWS = 24 };

static void golden_read_windows(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_windows, "i2i2i1i250"),
    };
    golden_read("windows", sizeof arrays / sizeof *arrays, arrays);
}

#endif
