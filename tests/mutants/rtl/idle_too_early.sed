# idle_o forgets the cells that wait for the NIC.
# file: xt_nic_port.sv
# caught by: idle-skip
s/= stores | injects | ejects;/= stores | injects;/
