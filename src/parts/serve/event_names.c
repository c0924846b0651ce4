/* SPDX-License-Identifier: MIT */
/* The names of new actions in an event: the text "D,E", one number for each byte, behind the other numbers
 * (parts/serve/event_names.h). */
#include "parts/serve/event_names.h"

size_t tvgp__event_names_bytes(const tvgp_event *e) {
    return e->kind == TVGP_EVENT_EXTEND && e->outputs > 0 ? (size_t)e->outputs : 0;
}

int tvgp__event_names_valid(const double *byte, size_t n_bytes, size_t n) {
    size_t names = 1, length = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        if (!(byte[i] > ' ' && byte[i] <= 255 && (double)(int)byte[i] == byte[i]) || byte[i] == 127)
            return 0;
        if (byte[i] == ',' && !length)
            return 0;
        names += byte[i] == ',';
        length = byte[i] == ',' ? 0 : length + 1;
    }
    return length && names == n;
}
