# idle_o forgets the cells that wait for the NIC.
# file: xt_card.sv
# caught by: idle-skip
s/ || eject_active != '0, link_busy/, link_busy/
