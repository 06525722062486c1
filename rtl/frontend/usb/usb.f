xt_usb.sv
xt_usb_full.sv
xt_usb_high.sv
