# SPDX-License-Identifier: MIT
# gnuplot -e "data='month.csv'; out='router.svg'" figure.gp
set datafile separator ","
set terminal svg size 760,420 font "sans,12" background "white"
set output out
set multiplot layout 2,1
set lmargin 12
set rmargin 3
set xrange [0:30]
set ylabel "cents"
set key left top
plot data using 1:2 with lines lw 2 lc rgb "#0072b2" title "spent", data using 1:3 with lines dt 2 lc rgb "#555555" title "budget by time"
set xlabel "day"
set ylabel "model"
set yrange [-0.5:4.5]
set ytics ("tiny" 0, "small" 1, "medium" 2, "large" 3, "huge" 4)
unset key
plot data using 1:($4 < 0 ? NaN : $4 + 0.6 * (rand(0) - 0.5)) with dots lc rgb "#d55e00"
