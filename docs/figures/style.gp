# SPDX-License-Identifier: MIT
# Common settings of the figures: a white ground for light and dark pages, and colours that also differ in brightness.
set encoding utf8
set datafile separator ","
set border 3 linecolor rgb "#444444"
set tics nomirror out textcolor rgb "#222222"
set grid linecolor rgb "#dddddd" linetype 1
set key textcolor rgb "#222222" samplen 2
set title textcolor rgb "#222222" offset 0,-0.4
set style line 1 linecolor rgb "#c0392b" linewidth 2
set style line 3 linecolor rgb "#1f618d" linewidth 2
set style line 4 linecolor rgb "#b9770e" linewidth 2
set style line 5 linecolor rgb "#148f77" linewidth 2
set style line 6 linecolor rgb "#7d3c98" linewidth 2
set style line 7 linecolor rgb "#935116" linewidth 2
set style line 8 linecolor rgb "#7b7d7d" linewidth 2
set style line 9 linecolor rgb "#b3b6b7" linewidth 6
