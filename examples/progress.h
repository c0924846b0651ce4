/* SPDX-License-Identifier: MIT */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stddef.h>

/* Keeps one line "what done/total" on standard error up to date, and wipes it when done reaches total. Nothing unless
 * standard error is a terminal. */
void progress_show(const char *what, size_t done, size_t total);

#endif
