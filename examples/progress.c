/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_show(const char *what, size_t done, size_t total) {
    const size_t stride = total / 100 + 1;
    if ((done % stride && done != total) || !isatty(STDERR_FILENO))
        return;
    if (done < total)
        fprintf(stderr, "\r%s %zu/%zu\033[K", what, done, total);
    else
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}
