/* SPDX-License-Identifier: MIT */
/* The feasible region of a search on a box: bounds, integer coordinates and a set given as a function (choose/search_space.h). */
#include "choose/search_space.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

int tvgp__search_space_fixed(const tvgp__search_space *s, size_t d) {
    return s->lower[d] == s->upper[d];
}

int tvgp__search_space_whole(const tvgp__search_space *s, size_t d) {
    return s->whole && s->whole[d];
}

size_t tvgp__search_space_free(const tvgp__search_space *s) {
    size_t n = 0;
    for (size_t d = 0; d < s->dim; d++)
        n += !tvgp__search_space_fixed(s, d);
    return n;
}

void tvgp__search_space_clip(const tvgp__search_space *s, double *x) {
    for (size_t d = 0; d < s->dim; d++) {
        double at = fmin(fmax(x[d], s->lower[d]), s->upper[d]);
        x[d] = tvgp__search_space_whole(s, d) ? fmin(fmax(nearbyint(at), ceil(s->lower[d])), floor(s->upper[d])) : at;
    }
}

void tvgp__search_space_snap(const tvgp__search_space *s, double *x) {
    for (size_t d = 0; d < s->dim; d++) {
        double side = s->high[d] - s->low[d];
        if (tvgp__search_space_whole(s, d) || x[d] <= s->lower[d] || x[d] >= s->upper[d])
            continue;
        x[d] = s->low[d] + nearbyint((x[d] - s->low[d]) / side * 0x1p20) * 0x1p-20 * side;
        x[d] = fmin(fmax(x[d], s->lower[d]), s->upper[d]);
    }
}

double tvgp__search_space_distance(const tvgp__search_space *s, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < s->dim; d++) {
        double apart = (x[d] - z[d]) / s->reach[d];
        sum += tvgp__search_space_fixed(s, d) ? 0 : apart * apart;
    }
    return sum;
}

tvgp_status tvgp__search_space_test(const tvgp__search_space *s, size_t n, const double *X, uint8_t *ok) {
    memset(ok, !s->feasible, n);
    if (s->feasible) {
        const char *function = tvgp__error_pause(s->ctx);
        const int32_t returned = s->feasible(s->user, n, X, ok);
        tvgp__error_resume(s->ctx, function);
        TVGP__TRY(tvgp__error_returned(s->ctx, "feasible", returned));
    }
    return s->safe.keep ? s->safe.keep(s->safe.of, n, X, ok) : TVGP_OK;
}

tvgp_status tvgp__search_space_keep(const tvgp__search_space *s, size_t *n, double *X) {
    enum { BLOCK = 128 };
    uint8_t ok[BLOCK];
    size_t kept = 0;
    for (size_t first = 0; tvgp__search_space_limited(s) && first < *n; first += BLOCK) {
        size_t m = *n - first < BLOCK ? *n - first : BLOCK;
        TVGP__TRY(tvgp__search_space_test(s, m, X + first * s->dim, ok));
        for (size_t i = 0; i < m; i++)
            if (ok[i])
                memmove(X + kept++ * s->dim, X + (first + i) * s->dim, s->dim * sizeof *X);
    }
    if (tvgp__search_space_limited(s))
        *n = kept;
    return TVGP_OK;
}
