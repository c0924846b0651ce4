# SPDX-License-Identifier: MIT
# From docs/figures: examples/safe_controller --csv > safe_controller.csv; gnuplot safe_controller.gp > safe_controller.svg
load "style.gp"
set terminal svg size 800,640 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 3,1 margins 0.085,0.98,0.09,0.95 spacing 0.09
set xrange [0:300]
set xtics 50
set format x ""

set title "Overshoot (limit 15 %)"
set yrange [-0.45:0.6]
set ytics ("-40 %%" -0.4, "0" 0, "15 %%" 0.15, "50 %%" 0.5)
set key at graph 0.98,0.2 right bottom horizontal
plot "safe_controller.csv" using 1:6 with lines linestyle 8 title "without the limit", \
     "" using 1:4 with lines linestyle 1 title "with it", \
     0.15 with lines linecolor rgb "#222222" dashtype 2 notitle

set title "Pairs of gains, of 120"
set yrange [0:130]
set ytics (0, 40, 80, 120)
set key at graph 0.98,0.97 right top horizontal
plot "safe_controller.csv" using 1:10 with lines linestyle 9 title "that keep the limit", \
     "" using 1:9 with lines linestyle 1 title "believed to: the safe set"

set title "Logarithm of the cost"
set xlabel "episode" offset 0,0.5 textcolor rgb "#222222"
set format x "%g"
set yrange [-0.4:2.4]
set ytics (0, 1, 2)
set key at graph 0.98,0.75 right top horizontal
plot "safe_controller.csv" using 1:8 with lines linestyle 9 title "best that keeps the limit", \
     "" using 1:7 with lines linestyle 3 title "the cautious pair", \
     "" using 1:3 with lines linestyle 1 title "asked"
unset multiplot
