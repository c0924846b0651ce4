/* SPDX-License-Identifier: MIT */
#include "recorded.h"
#include "csv.h"

#include <stdio.h>
#include <stdlib.h>

void recorded_read(const char *file, size_t rows, readings *data) {
    char path[512], error[512];
    const char *directory = getenv("TVGP_DATA_DIR");
    snprintf(path, sizeof path, "%s/%s", directory ? directory : "../shared/data", file);
    if (csv_read(path, data, error, sizeof error)) {
        fprintf(stderr, "%s (TVGP_DATA_DIR names the directory)\n", error);
        exit(2);
    }
    if (data->n_times < rows) {
        fprintf(stderr, "%s: %zu rows, not %zu\n", path, data->n_times, rows);
        exit(2);
    }
}
