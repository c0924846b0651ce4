# SPDX-License-Identifier: MIT
# From docs/figures: python3 tutorial_data.py ../../examples/data/prices.csv > tutorial.csv; gnuplot tutorial.gp > tutorial.svg
load "style.gp"
set terminal svg size 800,360 font "sans-serif,14" background rgb "#ffffff"
set lmargin at screen 0.09
set rmargin at screen 0.98
set bmargin at screen 0.19
set tmargin at screen 0.87
set xrange [0:240]
set yrange [4:30]
set xtics 40
set ytics 5
set ylabel "price" textcolor rgb "#222222" offset 0.6,0
set xlabel "day" offset 0,0.5 textcolor rgb "#222222"
set title "Prices: by hand until day 120, then by the policy"
set arrow 1 from 120.5,4 to 120.5,26.5 nohead linecolor rgb "#888888" dashtype 2
set key at graph 0.5,0.99 center top horizontal maxcols 4
plot "tutorial.csv" using 1:2 with lines linestyle 9 title "best (unknown)", \
     "" using 1:3 with points pointtype 7 pointsize 0.35 linecolor rgb "#1f618d" title "by hand", \
     "" using 1:4 with points pointtype 7 pointsize 0.35 linecolor rgb "#b9770e" title "asked", \
     "" using 1:5 with lines linestyle 1 title "best posterior mean"
