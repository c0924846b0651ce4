# SPDX-License-Identifier: MIT
# From docs/figures: examples/controller --csv > controller.csv; gnuplot controller.gp > controller.svg
load "style.gp"
set terminal svg size 800,600 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 2,1 margins 0.075,0.98,0.1,0.86 spacing 0.2
set xrange [0:400]
set xtics 100
set logscale y

set title "Cost of an episode" offset 0,1.9
set yrange [0.2:2]
set ytics (0.2, 0.5, 1, 2)
set key at graph 0.5,1.02 center bottom horizontal maxrows 1
plot "controller.csv" using 1:8 with lines linestyle 9 title "best of each episode", \
     "" using 1:6 with lines linestyle 3 title "tuned once", \
     "" using 1:7 with lines linestyle 8 title "best fixed in hindsight", \
     "" using 1:5 with lines linestyle 1 title "tv-gp-ucb, told nothing"

set title "Gains it chose" offset 0,0.9
set xlabel "episode" offset 0,0.5 textcolor rgb "#222222"
set yrange [0.01:12]
set ytics (0.01, 0.1, 1, 10)
plot "controller.csv" using 1:2 with lines linestyle 5 title "proportional", \
     "" using 1:3 with lines linestyle 6 title "integral", \
     "" using 1:4 with lines linestyle 7 title "derivative"
unset multiplot
