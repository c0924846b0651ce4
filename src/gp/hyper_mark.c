/* SPDX-License-Identifier: MIT */
/* A fit that can be taken back: its state is the struct, the memory of the search and the kept curvature. The data of a fit
 * that is under way do not change, and those of a new one are looked at again. */
#include "gp/hyper.h"

#include <string.h>

void tvgp__hyper_mark(tvgp__hyper *h) {
    size_t room = tvgp__bfgs_room(h->p);
    *h->marked = *h;
    memcpy(h->marked_memory, h->search_memory, room * sizeof *h->search_memory);
    memcpy(h->marked_memory + room, h->curvature, h->p * h->p * sizeof *h->curvature);
}

void tvgp__hyper_undo(tvgp__hyper *h) {
    size_t room = tvgp__bfgs_room(h->p);
    tvgp_kernel *space = h->space, *time = h->time; /* those of the mark may be gone; each evaluation writes them */
    *h = *h->marked;
    h->space = space;
    h->time = time;
    memcpy(h->search_memory, h->marked_memory, room * sizeof *h->search_memory);
    memcpy(h->curvature, h->marked_memory + room, h->p * h->p * sizeof *h->curvature);
}
