// SPDX-License-Identifier: Apache-2.0
//
// The input buffer as a plain FIFO of packets, whatever their output and VC: a legal switch that loses nothing, but one
// blocked packet stops all behind it. The header of the module is that of rtl/buffer/xt_voq_buffer.sv.
//
// caught by: blocked-output-longest blocked-output-one-cell blocked-output-everywhere blocked-vc blocked-vc-saturated
// passes: permutation-one-cell-single-vc route-lookup idle-latency illegal-routes nic-framing soak

  logic [          CellBits-1:0] cells [Cells];
  logic [          CellBits-1:0] cell_q;
  logic [Queues+LenBits+VcBits-1:0] packets [Cells];
  logic [            AddrBits:0] cell_in_q, cell_out_q, cell_freed_q, packet_in_q, packet_out_q;

  // The packet at the head of the FIFO, and the one that is shown: behind it while it is served, and at once
  // when it comes into an empty FIFO.
  logic [   AddrBits:0] packet_shown;
  logic [   Queues-1:0] queue, shown_queue;  // one-hot
  logic [  LenBits-1:0] len, shown_len;
  logic [   VcBits-1:0] vc;
  // verilator lint_off UNUSEDSIGNAL
  logic [   VcBits-1:0] shown_vc;
  // verilator lint_on UNUSEDSIGNAL
  logic                 waits, shown;
  logic [ClassBits-1:0] length_class;
  logic [  LenBits-1:0] new_len_q;
  logic [   VcBits-1:0] new_vc_q;

  assign {queue, len, vc} = packets[packet_out_q[AddrBits-1:0]];
  assign packet_shown     = packet_out_q + {{AddrBits{1'b0}}, serve_valid_i};
  assign waits            = packet_in_q != packet_shown;
  assign shown            = waits | enqueue_i;

  always_comb begin
    {shown_queue, shown_len, shown_vc} = packets[packet_shown[AddrBits-1:0]];
    if (!waits) {shown_queue, shown_len, shown_vc} = {enqueue_onehot_i, new_len_q, new_vc_q};
    length_class = '0;
    for (int c = 0; c + 1 < Classes; c++) begin
      if (32'(shown_len) + 1 > 32'(LengthClass[c*8+:8])) length_class = ClassBits'(c + 1);
    end
    nonempty_o = '0;
    class_o    = '0;
    if (shown) nonempty_o = shown_queue;
    for (int b = 0; b < ClassBits; b++) class_o[b*Queues+:Queues] = {Queues{length_class[b]}};
    short_o      = (shown_len == '0) ? '1 : '0;
    short_next_o = short_o;
  end
  assign head_from_next_o = '0;
  assign requeue_waits_o  = 1'b0;
  assign requeue_turn_o   = 1'b0;
  assign requeue_escape_o = '0;
  assign requeue_vc_o     = '0;

  // The packet that is being read: its first cell in the cycle in which it is served.
  logic               more_q, more_d;
  logic [LenBits-1:0] left_q;
  logic [ VcBits-1:0] vc_q;
  logic               read;

  assign read        = serve_valid_i | (more_q & (cell_in_q != cell_out_q));
  assign more_d      = serve_valid_i ? len != '0 : more_q & ~(read & left_q == LenBits'(1));
  assign busy_next_o = more_d;
  assign free_o      = (AddrBits + 1)'(Cells) - (cell_in_q - cell_freed_q);
  assign active_o    = (cell_in_q != cell_freed_q) | (packet_in_q != packet_out_q) | more_q | cell_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cell_in_q    <= '0;
      cell_out_q   <= '0;
      cell_freed_q <= '0;
      packet_in_q  <= '0;
      packet_out_q <= '0;
      more_q       <= 1'b0;
      cell_valid_o <= 1'b0;
      cell_first_o <= 1'b0;
    end else begin
      if (write_i) cell_in_q <= cell_in_q + 1'b1;
      if (enqueue_i) packet_in_q <= packet_in_q + 1'b1;
      if (serve_valid_i) packet_out_q <= packet_out_q + 1'b1;
      more_q <= more_d;
      if (read) cell_out_q <= cell_out_q + 1'b1;
      cell_freed_q <= cell_out_q;
      cell_valid_o <= read;
      cell_first_o <= serve_valid_i;
    end
    if (write_head_i) {new_len_q, new_vc_q} <= {write_len_i, write_vc_i};
    if (write_i) cells[cell_in_q[AddrBits-1:0]] <= write_cell_i;
    if (enqueue_i) packets[packet_in_q[AddrBits-1:0]] <= {enqueue_onehot_i, new_len_q, new_vc_q};
    if (serve_valid_i) begin
      left_q     <= len;
      vc_q       <= vc;
      cell_len_o <= len;
    end else if (read) begin
      left_q <= left_q - 1'b1;
    end
    if (read) begin
      cell_q        <= cells[cell_out_q[AddrBits-1:0]];
      cell_vc_o     <= serve_valid_i ? vc : vc_q;
      cell_out_vc_o <= serve_vc_i;
    end
    cell_o        <= cell_q;
    cell_output_o <= (rst_ni && read) ? serve_output_i : '0;
  end

endmodule

`default_nettype wire
