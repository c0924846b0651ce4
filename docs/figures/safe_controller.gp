# SPDX-License-Identifier: MIT
# From docs/figures: examples/safe_controller --csv > safe_controller.csv; gnuplot safe_controller.gp > safe_controller.svg
load "style.gp"
set terminal svg size 800,720 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 3,1 margins 0.085,0.98,0.08,0.915 spacing 0.13
set xrange [0:300]
set xtics 50
set format x ""

set title "Overshoot (limit 15 %)" offset 0,0.9
set yrange [-0.45:0.6]
set ytics ("-40 %%" -0.4, "0" 0, "15 %%" 0.15, "50 %%" 0.5)
set key at graph 0.5,1.02 center bottom horizontal maxrows 1
plot "safe_controller.csv" using 1:6 with lines linestyle 8 title "without the limit", \
     "" using 1:4 with lines linestyle 1 title "with it", \
     0.15 with lines linecolor rgb "#222222" dashtype 2 notitle

set title "Pairs of gains, of 120" offset 0,0.9
set yrange [0:130]
set ytics (0, 40, 80, 120)
plot "safe_controller.csv" using 1:10 with lines linestyle 9 title "that keep the limit", \
     "" using 1:9 with lines linestyle 1 title "believed to: the safe set"

set title "Logarithm of the cost" offset 0,0.9
set xlabel "episode" offset 0,0.5 textcolor rgb "#222222"
set format x "%g"
set yrange [-0.4:2.4]
set ytics (0, 1, 2)
plot "safe_controller.csv" using 1:8 with lines linestyle 9 title "best within it", \
     "" using 1:7 with lines linestyle 3 title "cautious pair", \
     "" using 1:3 with lines linestyle 1 title "asked"
unset multiplot
