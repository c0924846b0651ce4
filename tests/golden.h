/* SPDX-License-Identifier: MIT */
/* Reads the numbers of golden/golden_*.txt into the arrays that golden/golden_*.h declares. A file has, for each array, its name, the
 * number of rows and the fields of a row (d5i1: five doubles, then an int; l: int64_t, u: uint32_t), then the numbers. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>

struct golden_array {
    const char *name;
    void *at;
    size_t size; /* bytes */
    const char *fields;
};
#define GOLDEN_ARRAY(array, fields)                                                                                         \
    { #array, array, sizeof array, fields }

/* Ends the program with a message where the file is missing, or is not one of these arrays in this order. */
void golden_read(const char *name, size_t n, const struct golden_array *arrays);

#endif
