# SPDX-License-Identifier: Apache-2.0
#
# usage: gnuplot -c heat_map.gp NAME TITLE CARDS
# Reads NAME_links.dat (card, row, load) and NAME_ports.dat (row, port name), writes
# NAME_link_load.svg: one column per card, one row per port name. Grey: the card has no such port.

cards = int(ARG3)
ports = ARG1.'_ports.dat'
stats ports using 1 nooutput
rows = STATS_records

set terminal svg size 1080,(170 + 24 * rows) font 'sans,13' background rgb 'white'
set output ARG1.'_link_load.svg'
set title ARG2
set xlabel 'card'
set ylabel 'output port'
set xrange [-0.5:cards - 0.5]
set yrange [rows - 0.5:-0.5]
step = cards > 100 ? 16 : 4
set xtics 0,step out nomirror
set ytics out nomirror
set cblabel 'cells per cycle'
set cbrange [0:1]
set palette defined (0 '#fffff0', 0.25 '#fed976', 0.5 '#fd8d3c', 0.75 '#e31a1c', 1 '#67000d')
set object 1 rectangle from graph 0,0 to graph 1,1 fillcolor rgb '#e6e6e6' fillstyle solid noborder behind
plot ARG1.'_links.dat' using 1:2:(0.47):(0.46):3 with boxxyerror fillstyle solid noborder palette notitle, \
     ports using (NaN):1:ytic(2) notitle
