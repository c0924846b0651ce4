/* SPDX-License-Identifier: MIT */
/* What a search over a box evaluates: score and gradient of 128 points from r observations in six dimensions, next to the two
 * dtrmm it cannot do without (model/gp/predictive.h), in turn. CSV of the least of 21 repetitions, in processor time. */
#include "choose/rule.h"
#include "problem.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { DIM = 6, POINTS = 128, REPEATS = 21 };

typedef struct scene {
    problem p;
    tvgp__predictive form;
    double *X, *W, *u, *V, *work;
} scene;

static double *numbers(size_t n) {
    double *x = calloc(n, sizeof *x);
    if (!x)
        exit(EXIT_FAILURE);
    return x;
}

/* W = L^-1, L L' = K + noise. */
static void make(scene *s, size_t r) {
    const int n = (int)r;
    s->X = numbers(r * DIM);
    s->W = numbers(r * r);
    s->u = numbers(r);
    s->V = numbers(r * POINTS);
    problem_check(&s->p, tvgp_random_uniform(1, 1002, 0, r * DIM, s->X), "points");
    problem_check(&s->p, tvgp_random_normal(1, 1003, 0, r, s->u), "data");
    problem_check(&s->p, tvgp_kernel_gram(s->p.kernel, r, s->X, r, s->X, s->W), "gram");
    for (size_t i = 0; i < r; i++)
        s->W[i * (r + 1)] += 0.01;
    (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, s->W, n);
    (void)LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', n, s->W, n);
    s->form = tvgp__predictive_of(s->p.ctx, s->p.kernel, r, s->X, s->W, r, s->u);
    s->form.inverse = 1;
    s->work = numbers(tvgp__predictive_work(&s->form, POINTS));
}

static void measure(scene *s, const char *name, size_t r) {
    static double Z[POINTS * DIM], score[POINTS], gradient[POINTS * DIM];
    const int n = (int)r, calls = 1 + (int)(2e8 / (2.0 * POINTS * (double)(r * r)));
    double least[2] = {INFINITY, INFINITY};
    make(s, r);
    problem_check(&s->p, tvgp_random_uniform(1, 1004, 0, POINTS * DIM, Z), "points");
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const clock_t start = clock();
        for (int i = 0; i < calls; i++)
            problem_check(&s->p, tvgp__rule_points_ucb(&s->form, 2, POINTS, Z, s->work, score, gradient), "score");
        const clock_t middle = clock();
        for (int i = 0; i < 2 * calls; i++)
            cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, i % 2 ? CblasTrans : CblasNoTrans, CblasNonUnit, n, POINTS, 1,
                        s->W, n, s->V, n);
        least[0] = fmin(least[0], (double)(middle - start));
        least[1] = fmin(least[1], (double)(clock() - middle));
    }
    const double ms = 1e3 / CLOCKS_PER_SEC / calls;
    printf("%s,%zu,%.3f,%.3f,%.2f\n", name, r, ms * least[0], ms * least[1], least[0] / least[1]);
    free(s->work);
    free(s->V);
    free(s->u);
    free(s->W);
    free(s->X);
}

int main(void) {
    static const size_t rows[] = {100, 200, 400, 1000};
    const double length = 0.4;
    scene s = {0};
    printf("kernel,observations,ms,two_dtrmm_ms,ratio\n");
    problem_create(&s.p, 1, 1);
    for (size_t i = 0; i < 8; i++) {
        tvgp_kernel_destroy(s.p.kernel);
        problem_check(&s.p,
                      i % 2 ? tvgp_kernel_matern(s.p.ctx, DIM, 2.5, 1, 1, &length, &s.p.kernel)
                            : tvgp_kernel_se(s.p.ctx, DIM, 1, 1, &length, &s.p.kernel),
                      "kernel");
        measure(&s, i % 2 ? "matern52" : "se", rows[i / 2]);
    }
    problem_destroy(&s.p);
    return EXIT_SUCCESS;
}
