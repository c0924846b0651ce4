/* SPDX-License-Identifier: MIT */
/* What a bank of filters has learned about the law of change. */
#include "belief/bank.h"

#include <math.h>

/* Weights of the filters alone, relative to the heaviest: the slot's may round to 1 and theirs to 0. */
static double relative(const tvgp__bank *b, size_t j, double most) {
    return exp(b->member[j].log_weight - most);
}

double tvgp__bank_rate(const tvgp__bank *b) {
    double most = tvgp__bank_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * b->rate[j];
        all += relative(b, j, most);
    }
    return sum / all;
}

static double mixed_correlation(const tvgp__bank *b, double elapsed) {
    double most = tvgp__bank_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * tvgp__law_transition_over(&b->set.filter[j].law, elapsed).M[0][0];
        all += relative(b, j, most);
    }
    return sum / all;
}

double tvgp__bank_half_life(const tvgp__bank *b) {
    double low = 0, high = 1;
    while (mixed_correlation(b, high) > 0.5) {
        low = high;
        high *= 2;
        if (high > 1e12)
            return INFINITY;
    }
    for (int i = 0; i < 50; i++) { /* correlations fall */
        double middle = 0.5 * (low + high);
        if (mixed_correlation(b, middle) > 0.5)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double tvgp__bank_effective(const tvgp__bank *b) {
    double most = tvgp__bank_heaviest(b, b->J), squares = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        squares += relative(b, j, most) * relative(b, j, most);
        all += relative(b, j, most);
    }
    return all * all / squares;
}
