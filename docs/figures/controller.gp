# SPDX-License-Identifier: MIT
# From docs/figures: examples/controller --csv > controller.csv; gnuplot controller.gp > controller.svg
load "style.gp"
set terminal svg size 800,560 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 2,1 margins 0.075,0.98,0.12,0.94 spacing 0.14
set xrange [0:400]
set xtics 100
set logscale y

set title "Cost of an episode"
set yrange [0.2:2]
set ytics (0.2, 0.5, 1, 2)
set key at graph 0.98,0.97 right top
plot "controller.csv" using 1:8 with lines linestyle 9 title "best gains of each episode", \
     "" using 1:6 with lines linestyle 3 title "gains tuned once", \
     "" using 1:7 with lines linestyle 8 title "best fixed gains in hindsight", \
     "" using 1:5 with lines linestyle 1 title "tv-gp-ucb, told nothing"

set title "Gains it chose"
set xlabel "episode" offset 0,0.5 textcolor rgb "#222222"
set yrange [0.01:12]
set ytics (0.01, 0.1, 1, 10)
set key at graph 0.98,0.4 right top
plot "controller.csv" using 1:2 with lines linestyle 1 title "proportional", \
     "" using 1:3 with lines linestyle 3 title "integral", \
     "" using 1:4 with lines linestyle 4 title "derivative"
unset multiplot
