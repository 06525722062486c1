# SPDX-License-Identifier: Apache-2.0
#
# usage: gnuplot -c selection_curves.gp NAME1 TITLE1 NAME2 TITLE2
# Reads NAME_PATTERN_SELECTION.dat (offered, accepted, network latency mean, end-to-end latency mean; one
# line per load), writes adaptive.svg: latency above accepted load, a column for each network and pattern.

selections = 'deterministic rr no-internal 2-priority 3-priority'
patterns = 'uniform zipf-common'

set terminal svg size 1640,860 font 'sans,13' background rgb 'white' linewidth 1.4
set output 'adaptive.svg'
set grid lc rgb '#dddddd' lt 1
set border 3 lc rgb '#555555'
set tics nomirror
set key top left Left reverse samplen 2 spacing 1.1

set style line 1 lc rgb '#888888' pt 7 ps 0.6 lw 1.6 dt 2
set style line 2 lc rgb '#0b62a4' pt 7 ps 0.6 lw 1.6
set style line 3 lc rgb '#c8501e' pt 5 ps 0.6 lw 1.6
set style line 4 lc rgb '#3d8f3d' pt 9 ps 0.7 lw 1.6
set style line 5 lc rgb '#8a3d9b' pt 11 ps 0.7 lw 1.6

file(network, pattern, selection) = network.'_'.pattern.'_'.selection.'.dat'

set multiplot layout 2,4 columnsfirst \
    title 'Adaptive routing, packets of 1 to 32 cells, 64 cards, RTL; loads are fractions of the NIC bandwidth'
do for [n = 1:2] {
  network = n == 1 ? ARG1 : ARG3
  title_of = n == 1 ? ARG2 : ARG4
  do for [pattern in patterns] {
    set title title_of.', '.pattern
    set xlabel 'offered load'
    if (pattern eq 'zipf-common') { set xtics 0.02 } else { set xtics 0.2 }
    set xrange [0:*]
    set ylabel 'latency in the network, mean, cycles'
    set logscale y
    set yrange [50:2000]
    plot for [s = 1:words(selections)] file(network, pattern, word(selections, s)) using 1:3 \
         with linespoints ls s title word(selections, s)
    unset logscale y
    set ylabel 'accepted load'
    set yrange [0:*]
    plot x with lines lc rgb '#bbbbbb' dt 3 notitle, \
         for [s = 1:words(selections)] file(network, pattern, word(selections, s)) using 1:2 \
         with linespoints ls s notitle
  }
}
unset multiplot
