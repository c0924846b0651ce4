# SPDX-License-Identifier: MIT
# From docs/figures: python3 surprise_data.py > surprise.csv; gnuplot surprise.gp > surprise.svg
load "style.gp"
set terminal svg size 800,340 font "sans-serif,14" background rgb "#ffffff"
set lmargin at screen 0.09
set rmargin at screen 0.98
set bmargin at screen 0.19
set tmargin at screen 0.9
set logscale y
set xrange [0:300]
set yrange [0.003:1e7]
set format y "%g"
set ytics (0.01, 1, 100, "10^4" 1e4)
set xlabel "step" offset 0,0.5 textcolor rgb "#222222"
set title "Statistic surprise: about 1 when the model fits"
set object 1 rectangle from graph 0, first 0.3 to graph 1, first 2 fillcolor rgb "#e8f6ef" fillstyle solid noborder behind
set key at graph 0.985,0.985 right top Left reverse
plot "surprise.csv" using 1:4 with lines linestyle 1 title "rewards around 200, mean 0", \
     "" using 1:2 with lines linestyle 5 title "told nothing", \
     "" using 1:3 with lines linestyle 3 title "told kernel, noise, mean", \
     "" using 1:5 with lines linestyle 4 title "variance and noise told 25 times too large"
