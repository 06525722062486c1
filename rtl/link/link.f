xt_link.sv
xt_link_check.sv
xt_link_receive.sv
xt_link_state.sv
xt_plain_link.sv
xt_retry_rx.sv
xt_retry_tx.sv
