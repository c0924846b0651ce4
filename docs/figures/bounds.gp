# SPDX-License-Identifier: MIT
# From docs/figures: bench_experiments bounds > ../benchmarks/data/papers-bounds.csv; gnuplot bounds.gp > bounds.svg
load "style.gp"
set terminal svg size 1000,350 font "sans-serif,14" background rgb "#ffffff"
set multiplot layout 1,3 margins 0.07,0.985,0.17,0.86 spacing 0.065
set logscale y
set format y "10^{%T}"
set xrange [0:400]
set xtics 100
set yrange [1:2e4]
set xlabel "step" offset 0,0.5 textcolor rgb "#222222"
set key at graph 0.98,0.03 right bottom
data = "../benchmarks/data/papers-bounds.csv"
row(problem, policy) = strcol(1) eq problem && strcol(2) eq policy ? $4 : NaN

set title "A field that forgets: tv-gp-ucb, told all"
tv = "tv-gp-ucb width.schedule=finite"
plot data using (strcol(1) eq "ou" && strcol(2) eq "theorem" ? $4 : NaN):7 with lines linestyle 8 title "theorem, before the run", \
     "" using (row("ou", tv)):9 with lines linestyle 4 title "theorem, gain of the run", \
     "" using (row("ou", tv)):7 with lines linestyle 3 title "2 w sd, added up", \
     "" using (row("ou", tv)):5 with lines linestyle 1 title "regret"

set title "A peak that swings: sparq-gp-ucb"
sparq = "sparq-gp-ucb side.round_exponent=1 width.bound=5.05"
plot data using (row("swing-expert", sparq)):9 with lines linestyle 4 title "theorem, gain of the run", \
     "" using (row("swing-expert", sparq)):7 with lines linestyle 3 title "2 w sd, added up", \
     "" using (row("swing-expert", sparq)):5 with lines linestyle 1 title "regret"

set title "Waves: sparq-gp-ucb; w-sparq dashed"
first = "sparq-gp-ucb side.round_exponent=1 width.bound=5"
second = "w-sparq-gp-ucb side.round_exponent=1 alpha=1 width.bound=5"
plot data using (row("waves-expert", first)):9 with lines linestyle 4 title "theorem, gain of the run", \
     "" using (row("waves-expert", first)):7 with lines linestyle 3 title "2 w sd, added up", \
     "" using (row("waves-expert", first)):5 with lines linestyle 1 title "regret", \
     "" using (row("waves-expert", second)):7 with lines linestyle 3 dashtype 2 notitle, \
     "" using (row("waves-expert", second)):5 with lines linestyle 1 dashtype 2 notitle
unset multiplot
