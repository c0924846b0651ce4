# SPDX-License-Identifier: MIT
# From docs/figures: examples/quickstart --csv > quickstart.csv; gnuplot quickstart.gp > quickstart.svg
load "style.gp"
set terminal svg size 800,360 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 1,2 margins 0.075,0.98,0.19,0.9 spacing 0.085
set xrange [0:300]
set xtics 100
set xlabel "step" offset 0,0.5 textcolor rgb "#222222"

set title "Peak, and its estimate by auto-gp-ucb"
set yrange [0:1]
set ytics 0.25
set key at graph 0.98,0.97 right top
plot "quickstart.csv" using 1:2 with lines linestyle 9 title "peak", \
     "" using 1:3 with lines linestyle 1 title "estimate"

set title "Total regret"
set yrange [0:240]
set ytics 50
set key at graph 0.02,0.99 left top Left reverse
plot "quickstart.csv" using 1:7 with lines linestyle 8 title "random", \
     "" using 1:6 with lines linestyle 4 title "gp-ucb, kernel and noise supplied", \
     "" using 1:5 with lines linestyle 3 title "tv-gp-ucb, rate supplied as well", \
     "" using 1:4 with lines linestyle 1 title "auto-gp-ucb, default settings"
unset multiplot
