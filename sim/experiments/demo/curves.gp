# SPDX-License-Identifier: Apache-2.0
#
# usage: gnuplot -c curves.gp NAME TITLE ...
# Four networks: two of 256 cards, then two of 64 cards. Reads NAME_model.dat, and NAME_rtl.dat of the small ones (offered,
# accepted, network latency mean and p99, end-to-end latency mean; one line per load). Writes load_latency.svg,
# load_throughput.svg and small_networks.svg.

set terminal svg size 820,600 font 'sans,14' background rgb 'white' linewidth 1.4
set grid lc rgb '#dddddd' lt 1
set border 3 lc rgb '#555555'
set tics nomirror
set xlabel "offered load, fraction of the NIC bandwidth\n "
set xrange [0:1.04]
set xtics 0.1

set style line 1 lc rgb '#0b62a4' pt 7 ps 0.7 lw 1.8
set style line 2 lc rgb '#c8501e' pt 5 ps 0.7 lw 1.8

set output 'load_latency.svg'
set title 'Latency of packets of 1 to 32 cells, uniform traffic, 256 cards'
set ylabel 'cycles (logarithmic)'
set logscale y
set yrange [10:*]
set key bmargin center vertical maxcols 1 Left reverse samplen 3
plot ARG1.'_model.dat' using 1:5 with linespoints ls 1 title ARG2.': generation to delivery, mean', \
     ''                using 1:3 with linespoints ls 1 dt 2 pt 6 title 'in the network, mean', \
     ''                using 1:4 with lines ls 1 lw 0.8 dt 3 title 'in the network, 99th percentile', \
     ARG3.'_model.dat' using 1:5 with linespoints ls 2 title ARG4.': generation to delivery, mean', \
     ''                using 1:3 with linespoints ls 2 dt 2 pt 4 title 'in the network, mean', \
     ''                using 1:4 with lines ls 2 lw 0.8 dt 3 title 'in the network, 99th percentile'

set output 'small_networks.svg'
set title 'The same of 64 cards: RTL (marks) and model (lines)'
plot ARG5.'_model.dat' using 1:5 with lines ls 1 title ARG6.': generation to delivery, mean', \
     ARG5.'_rtl.dat'   using 1:5 with points ls 1 ps 1 title 'RTL', \
     ARG7.'_model.dat' using 1:5 with lines ls 2 title ARG8.': generation to delivery, mean', \
     ARG7.'_rtl.dat'   using 1:5 with points ls 2 ps 1 title 'RTL'

set output 'load_throughput.svg'
set title 'Accepted load, uniform traffic, packets of 1 to 32 cells, 256 cards'
set ylabel 'accepted load, fraction of the NIC bandwidth'
unset logscale y
set yrange [0:1.04]
set ytics 0.1
plot x with lines lc rgb '#aaaaaa' dt 2 title 'offered', \
     ARG1.'_model.dat' using 1:2 with linespoints ls 1 title ARG2, \
     ARG3.'_model.dat' using 1:2 with linespoints ls 2 title ARG4
