/* SPDX-License-Identifier: MIT */
/* Tables of recorded values, from the folder TVGP_DATA_DIR (default ../shared/data). */
#ifndef RECORDED_H
#define RECORDED_H

#include "readings.h"

/* Reads at least `rows` rows of `file`; ends the program with a message if it cannot. */
void recorded_read(const char *file, size_t rows, readings *data);

#endif
