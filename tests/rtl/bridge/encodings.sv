// SPDX-License-Identifier: Apache-2.0
//
// The bridge after an upset: each value of each state and slot of its state machines is put into the register, while the
// bridge rests and while an answer leaves. Of two INFO requests that follow, the second is answered.
//   +request=FILE   bytes of an INFO request, in hexadecimal, from flag to flag
`timescale 1ns / 1ps
`default_nettype none

module encodings;

  localparam int Most = 64;
  // A request, its answer and what an upset state sends before both.
  localparam int Patience = 3000;

  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic [7:0] request [Most];
  int length;

  logic rx_valid = 1'b0, rx_ready, tx_valid, awvalid, arvalid, wvalid, bready, rready, card_rst_n;
  logic [7:0] rx_byte = '0, tx_byte;
  logic bvalid = 1'b0, rvalid = 1'b0;

  xt_bridge i_bridge (
    .clk_i         (clk),
    .rst_ni        (rst_n),
    .serial_i      (64'h1122334455667788),
    .restart_i     (1'b0),
    .rx_valid_i    (rx_valid),
    .rx_ready_o    (rx_ready),
    .rx_byte_i     (rx_byte),
    .tx_valid_o    (tx_valid),
    .tx_ready_i    (1'b1),
    .tx_byte_o     (tx_byte),
    .card_rst_no   (card_rst_n),
    .attention_i   (1'b0),
    .axil_awvalid_o(awvalid),
    .axil_awready_i(awvalid),
    .axil_wvalid_o (wvalid),
    .axil_wready_i (wvalid),
    .axil_wdata_o  (),
    .axil_bvalid_i (1'b1),
    .axil_bready_o (bready),
    .axil_bresp_i  (2'b00),
    .axil_arvalid_o(arvalid),
    .axil_arready_i(arvalid),
    .axil_address_o(),
    .axil_rvalid_i (1'b1),
    .axil_rready_o (rready),
    .axil_rdata_i  (32'd0),
    .axil_rresp_i  (2'b00),
    .nic_tvalid_o  (),
    .nic_tready_i  (1'b1),
    .nic_tdata_o   (),
    .nic_tlast_o   (),
    .nic_tvalid_i  (1'b0),
    .nic_tready_o  (),
    .nic_tdata_i   ({xt_pkg::CellBits{1'b0}}),
    .nic_tlast_i   (1'b0),
    .nic_tuser_i   (1'b0)
  );

  // An answer to INFO is a long frame; its words begin with the magic number.
  int answers = 0, errors = 0;
  logic [31:0] last_bytes = '0;
  always @(negedge clk) if (rst_n && tx_valid) begin
    last_bytes = {tx_byte, last_bytes[31:8]};
    if (last_bytes == xt_bridge_pkg::Magic) answers = answers + 1;
  end

  task automatic ask;
    int left;
    left = Patience;
    for (int b = 0; b < length; b++) begin
      rx_valid = 1'b1;
      rx_byte  = request[b];
      @(posedge clk);
      while (!rx_ready && left > 0) begin
        @(posedge clk);
        left = left - 1;
      end
      #1;
    end
    rx_valid = 1'b0;
  endtask

  // Waits for an answer.
  task automatic hear(input int earlier, output logic heard);
    int left;
    left = Patience;
    while (answers == earlier && left > 0) begin
      @(posedge clk);
      left = left - 1;
    end
    #1 heard = answers != earlier;
  endtask

  task automatic restart;
    rst_n = 1'b0;
    repeat (4) @(posedge clk);
    #1 rst_n = 1'b1;
    repeat (200) @(posedge clk);
    #1;
  endtask

  int value;  // put into a register
  task put(input int machine);
    case (machine)
      0: force i_bridge.i_sequencer.state_q = value[3:0];
      1: force i_bridge.i_outbox.state_q = value[2:0];
      2: force i_bridge.i_sender.state_q = value[2:0];
      3: force i_bridge.i_receiver.full_q = value[1:0];
      default: force i_bridge.i_outbox.last_q = value[2:0];
    endcase
    if (machine == 3) force i_bridge.i_receiver.fill_q = value[2];
    if (machine == 3) force i_bridge.i_receiver.work_q = value[3];
    @(posedge clk);
    #1;
    case (machine)
      0: release i_bridge.i_sequencer.state_q;
      1: release i_bridge.i_outbox.state_q;
      2: release i_bridge.i_sender.state_q;
      3: release i_bridge.i_receiver.full_q;
      default: release i_bridge.i_outbox.last_q;
    endcase
    if (machine == 3) release i_bridge.i_receiver.fill_q;
    if (machine == 3) release i_bridge.i_receiver.work_q;
  endtask

  function automatic int values(input int machine);
    values = (machine == 0 || machine == 3) ? 16 : 8;
  endfunction

  string file;
  initial begin
    logic heard;
    int earlier;
    for (int b = 0; b < Most; b++) request[b] = 8'h00;
    // Memories of a device hold numbers.
    for (int w = 0; w < 1024; w++) i_bridge.g_queue[0].i_receive.i_ring.mem[w] = 32'd3;
    if (!$value$plusargs("request=%s", file) || !$value$plusargs("length=%d", length)) $finish;
    $readmemh(file, request, 0, length - 1);
    for (int machine = 0; machine < 5; machine++) begin
      for (value = 0; value < 2 * values(machine); value++) begin
        restart();
        ask();
        hear(answers, heard);
        // At rest, or with a frame under way.
        if (value >= values(machine)) repeat (20) @(posedge clk);
        else repeat (400) @(posedge clk);
        #1 put(machine);
        ask();
        hear(answers, heard);
        earlier = answers;
        ask();
        hear(earlier, heard);
        if (!heard) begin
          errors = errors + 1;
          $display("machine %0d: value %0d is not left", machine, value);
        end
      end
    end
    if (errors == 0) $display("PASS");
    else $display("FAIL: %0d", errors);
    $finish;
  end

endmodule

`default_nettype wire
