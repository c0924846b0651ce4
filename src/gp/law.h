/* Laws of change: how a function on the arms moves between two times, in Markov form. With f_t the vector of arm values,
 *   f_(t+dt) = m f_t + noise of covariance q K,   prior covariance kappa(t) K.
 * Static: m = 1, q = 0. Forgetting (Bogunovic, Scarlett, Cevher 2016): m = (1 - epsilon)^(dt/2), q = 1 - m^2, kappa = 1.
 * Wiener (Brunzema et al. 2022, k(x,x') (1 + rate min(t,t'))): m = 1, q = rate dt, kappa = 1 + rate (t - origin);
 * it stands still before the origin.
 * A negative dt inverts the step. */
#ifndef TVGP__GP_LAW_H
#define TVGP__GP_LAW_H

enum { TVGP__LAW_STATIC, TVGP__LAW_FORGETTING, TVGP__LAW_WIENER };

typedef struct tvgp__law {
    int kind;
    double rate;   /* forgetting: epsilon; Wiener: variance per unit of time */
    double origin; /* Wiener */
} tvgp__law;

typedef struct tvgp__law_step {
    double m, q;
} tvgp__law_step;

tvgp__law_step tvgp__law_between(const tvgp__law *law, double from, double to);
double tvgp__law_kappa(const tvgp__law *law, double t);

#endif
