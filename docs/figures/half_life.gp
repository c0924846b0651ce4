# SPDX-License-Identifier: MIT
# From docs/figures: examples/unknown_rate --csv > ../benchmarks/data/unknown-rate.csv; gnuplot half_life.gp > half_life.svg
load "style.gp"
set terminal svg size 800,340 font "sans-serif,14" background rgb "#ffffff"
set lmargin at screen 0.09
set rmargin at screen 0.97
set bmargin at screen 0.19
set tmargin at screen 0.9
set label 1 "Half-life in steps" at graph 0,1.06 left textcolor rgb "#222222"
set xlabel "step" offset 0,0.5 textcolor rgb "#222222"
set xtics 250
set logscale y
longest = 3000.0 # longer ones are drawn at the top
drawn(h) = h < longest ? h : longest
before = 0
reset(r, t) = (rise = r > before, before = r, rise ? t : NaN)
set yrange [1:longest]
set ytics (1, 10, 100, 1000, "longer" 3000)
set key horizontal at graph 1,1.12 right top
plot "../benchmarks/data/unknown-rate.csv" using "t":(drawn(column("true_half_life"))) with lines linestyle 9 title "true", \
     "" using "t":(drawn(column("inferred_half_life"))) with lines linestyle 1 title "inferred", \
     "" using (reset(column("resets"), column("t"))):(1):(0):(0.4) with vectors nohead linestyle 5 title "resets"
