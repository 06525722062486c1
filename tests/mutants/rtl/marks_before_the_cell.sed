# The marks of a cell leave before the cell has passed the register in front of the crossbar.
# file: xt_output_unit.sv
# profile: extoll_linked
# caught by: permutation-longest
s/valid_o <= crosses;/valid_o <= leaves;/
