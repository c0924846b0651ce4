# SPDX-License-Identifier: MIT
# From docs/figures: blocks of bench/optuna_drift.py as optuna.csv; gnuplot optuna.gp > optuna.svg
load "style.gp"
set terminal svg size 640,320 font "sans-serif,14" background rgb "#ffffff"
set margins 8,2,3.5,2.5
set xrange [0:400]
set xtics 100
set xlabel "trial" offset 0,0.5 textcolor rgb "#222222"
set title "Mean loss of blocks of 50 trials"
set yrange [0:0.6]
set ytics 0.1
set key at graph 0.02,0.99 left top Left reverse
plot "optuna.csv" using 1:5 with lines linestyle 8 title "random", \
     "" using 1:4 with lines linestyle 4 title "TPE", \
     "" using 1:3 with lines linestyle 3 title "CMA-ES", \
     "" using 1:2 with lines linestyle 1 title "tvgp"
