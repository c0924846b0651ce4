# SPDX-License-Identifier: MIT
# From docs/figures: python3 lengthscale_data.py > lengthscale.csv; gnuplot lengthscale.gp > lengthscale.svg
load "style.gp"
set terminal svg size 800,340 font "sans-serif,14" background rgb "#ffffff"
set lmargin at screen 0.09
set rmargin at screen 0.97
set bmargin at screen 0.19
set tmargin at screen 0.9
set logscale x
set xrange [0.02:2]
set yrange [0:*]
set xtics (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
set xlabel "lengthscale told; the true one is 0.2" offset 0,0.5 textcolor rgb "#222222"
set title "Regret per step"
set arrow 1 from 0.2, graph 0 to 0.2, graph 1 nohead linecolor rgb "#888888" dashtype 2
set key at graph 0.02,0.93 left top Left reverse
plot "lengthscale.csv" using 1:5 with lines linestyle 8 title "at random", \
     "" using 1:2 with linespoints linestyle 3 pointtype 7 pointsize 0.4 title "tv-gp-ucb, told lengthscale and rate", \
     "" using 1:3 with lines linestyle 4 title "tv-gp-ucb, told nothing", \
     "" using 1:4 with lines linestyle 1 title "auto-gp-ucb, told nothing"
