# SPDX-License-Identifier: MIT
# From docs/figures: examples/quickstart --csv > quickstart.csv; gnuplot quickstart.gp > quickstart.svg
load "style.gp"
set terminal svg size 800,360 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 1,2 margins 0.075,0.98,0.19,0.9 spacing 0.085
set xrange [0:300]
set xtics 100
set xlabel "step" offset 0,0.5 textcolor rgb "#222222"

set title "Told nothing: where auto-gp-ucb believes the peak"
set yrange [0:1]
set ytics 0.25
set key at graph 0.98,0.97 right top
plot "quickstart.csv" using 1:2 with lines linestyle 9 title "the peak", \
     "" using 1:3 with lines linestyle 1 title "believed"

set title "Regret, added up"
set yrange [0:240]
set ytics 50
set key at graph 0.02,0.99 left top Left reverse
plot "quickstart.csv" using 1:7 with lines linestyle 8 title "playing at random", \
     "" using 1:6 with lines linestyle 4 title "gp-ucb, told kernel and noise", \
     "" using 1:5 with lines linestyle 3 title "tv-gp-ucb, told the rate too", \
     "" using 1:4 with lines linestyle 1 title "auto-gp-ucb, told nothing"
unset multiplot
