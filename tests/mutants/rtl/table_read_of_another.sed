# Software reads the tables of port 0, whichever it asks for.
# file: xt_table_registers.sv
# caught by: table-readback table-ports
s/assign table_read_o\[p\] = reads_table & selected;/assign table_read_o[p] = reads_table \& (p == 0);/
