/* SPDX-License-Identifier: MIT */
/* Made by make.py from lengthscale_prior.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_LENGTHSCALE_PRIOR_H
#define GOLDEN_LENGTHSCALE_PRIOR_H

/* Gamma priors of lengthscales; gradients by the logarithms of lengthscales, then of the noise ratio. */
struct golden_lengthscale_prior {
    int d;
    double shape, rate, lengthscale[2], ratio, objective, by[3];
};
static const double golden_prior_x[12][2] = {
    {0.637, 0.966},
    {0.778, 0.962},
    {0.543, 0.063},
    {0.53, 0.581},
    {0.278, 0.51},
    {0.501, 0.109},
    {0.809, 0.44},
    {0.543, 0.063},
    {0.429, 0.26},
    {0.949, 0.01},
    {0.381, 0.899},
    {0.58, 0.668},
};
static const double golden_prior_y[12] = {
    4.754,
    3.459,
    4.03,
    5.597,
    6.365,
    4.496,
    2.571,
    4.628,
    5.742,
    2.017,
    6.67,
    5.206,
};
static const struct golden_lengthscale_prior golden_lengthscale_priors[12] = {
    {.d = 1, .shape = 15.0, .rate = 3.3333333333333335, .lengthscale = {0.4}, .ratio = 0.003, .objective =
     -43.439437237556966, .by = {16.35518172046681, 2.6748835605855446}},
    {.d = 1, .shape = 15.0, .rate = 3.3333333333333335, .lengthscale = {2.5}, .ratio = 0.5, .objective =
     -25.05326117628976, .by = {5.200847646006392, -0.7935320946086225}},
    {.d = 1, .shape = 3.0, .rate = 6.0, .lengthscale = {0.4}, .ratio = 0.003, .objective = -20.870012628409828, .by =
     {3.288515053800141, 2.6748835605855446}},
    {.d = 1, .shape = 3.0, .rate = 6.0, .lengthscale = {2.5}, .ratio = 0.5, .objective = -30.074814132122338, .by =
     {-13.465819020660273, -0.7935320946086225}},
    {.d = 1, .shape = 1.2, .rate = 4.0, .lengthscale = {0.4}, .ratio = 0.003, .objective = -20.85536348752506, .by =
     {2.2885150538001406, 2.6748835605855446}},
    {.d = 1, .shape = 1.2, .rate = 4.0, .lengthscale = {2.5}, .ratio = 0.5, .objective = -29.158811625984534, .by =
     {-10.26581902066027, -0.7935320946086225}},
    {.d = 2, .shape = 15.0, .rate = 3.3333333333333335, .lengthscale = {0.4, 0.9}, .ratio = 0.003, .objective =
     -50.51842397421921, .by = {17.08756473547068, 16.0380724414467, 3.7497171822564694}},
    {.d = 2, .shape = 15.0, .rate = 3.3333333333333335, .lengthscale = {2.5, 0.2}, .ratio = 0.5, .objective =
     -58.98370149117338, .by = {6.301931637607302, 14.322254931205334, 0.33556627551265816}},
    {.d = 2, .shape = 3.0, .rate = 6.0, .lengthscale = {0.4, 0.9}, .ratio = 0.003, .objective = -16.444070683854214, .by
     = {4.020898068804009, 1.6380724414467023, 3.7497171822564694}},
    {.d = 2, .shape = 3.0, .rate = 6.0, .lengthscale = {2.5, 0.2}, .ratio = 0.5, .objective = -32.58473033780616, .by =
     {-12.36473502905936, 1.7889215978720012, 0.33556627551265816}},
    {.d = 2, .shape = 1.2, .rate = 4.0, .lengthscale = {0.4, 0.9}, .ratio = 0.003, .objective = -16.87444679127407, .by
     = {3.0208980688040086, 1.6380724414467007, 3.7497171822564694}},
    {.d = 2, .shape = 1.2, .rate = 4.0, .lengthscale = {2.5, 0.2}, .ratio = 0.5, .objective = -30.80641376577568, .by =
     {-9.164735029059361, 0.3889215978720011, 0.33556627551265816}},
};

#endif
