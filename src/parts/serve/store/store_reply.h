/* SPDX-License-Identifier: MIT */
/* The result of a call of a store: its arrays, and its text. */
#ifndef TVGP__PARTS_SERVE_STORE_REPLY_H
#define TVGP__PARTS_SERVE_STORE_REPLY_H

#include "parts/serve/store/store_common.h"

/* Arrays that a call fills. */
typedef struct tvgp__store_reply_arrays {
    int64_t *id, *arm;
    const char **name;
    double *x, *first, *second;
} tvgp__store_reply_arrays;

/* Makes room for n entries of dim coordinates and sets the members of the reply. NOMEM. */
tvgp_status tvgp__store_reply_room(tvgp_store *, size_t n, size_t dim, tvgp__store_reply_arrays *out);

/* The names of the actions of the arms, if the copy has names. */
tvgp_status tvgp__store_reply_names(tvgp_store *, const tvgp__store_copy *, tvgp__store_reply_arrays *);

void tvgp__store_reply_free(tvgp_store *);

/* The whole as JSON. */
void tvgp__store_reply_write(const tvgp_store *, tvgp__text_out *);

#endif
