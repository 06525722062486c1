// SPDX-License-Identifier: Apache-2.0
//
// xt_voq_buffer against counters and one watched packet. Packets of any length come with gaps, in any
// order of queues, within the credits; any nonempty queue is served whenever the buffer allows it. The
// watched packet is any one of them: it leaves exactly when its turn in its own queue comes, whole, in
// order and unaltered, and none of its cells leaves otherwise. As it stands for every packet, nothing is
// lost, duplicated or moved between queues.
`default_nettype none

module voq_buffer_proof (
  input logic       clk_i,
  input logic       arrives_i,
  input logic [1:0] length_i,
  input logic [1:0] queue_i,
  input logic       vc_i,
  input logic       watch_i,
  input logic       data_i,
  input logic       serves_i,
  input logic [1:0] serve_queue_i
);

  localparam int Cells = 8;
  localparam int Queues = 3;
  // A credit needs this many cycles at least until the cell it allows arrives.
  localparam int CreditCycles = 3;

  logic rst_n = 1'b0;
  logic init = 1'b1;
  logic [2:0] init_addr = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (rst_n && init) begin
      init_addr <= init_addr + 1'b1;
      if (init_addr == 3'(Cells - 1)) init <= 1'b0;
    end
  end

  logic checked;
  assign checked = rst_n && !init;

  // ---------------------------------------------------------------- arrivals
  logic       in_packet = 1'b0, head_q = 1'b0, head_watched_q = 1'b0;
  logic [1:0] left, len_q, queue_q, index;
  logic       vc_q, watching = 1'b0, used_up = 1'b0;
  logic       write, head, last, watched_now;
  logic [3:0] credit = 4'(Cells);
  logic [CreditCycles-1:0] returning = '0;
  logic       cell_valid, cell_first;

  assign head        = write && !in_packet;
  assign last        = in_packet ? left == 2'd1 : length_i == 2'd0;
  assign write       = !init && arrives_i && (in_packet || credit > 4'(length_i));
  assign watched_now = in_packet ? watching : (head && watch_i && !used_up);

  always_ff @(posedge clk_i) begin
    returning <= {returning[CreditCycles-2:0], cell_valid && checked};
    credit    <= credit + 4'(returning[CreditCycles-1]) - (head ? 4'(length_i) + 4'd1 : 4'd0);
    if (write) begin
      in_packet <= !last;
      left      <= in_packet ? left - 1'b1 : length_i;
      index     <= in_packet ? index + 1'b1 : 2'd1;
      watching  <= watched_now && !last;
    end
    head_q         <= head;
    head_watched_q <= head && watched_now;
    if (head) begin
      len_q   <= length_i;
      queue_q <= queue_i;
      vc_q    <= vc_i;
      if (watched_now) used_up <= 1'b1;
    end
  end

  // The cell: the mark of the watched packet, its index there, and a bit that is remembered.
  logic [3:0] cell_in, cell_out;
  logic [3:0] bits;
  assign cell_in = {watched_now, in_packet ? index : 2'd0, data_i};
  always_ff @(posedge clk_i) if (write && watched_now) bits[in_packet ? index : 2'd0] <= data_i;

  // ---------------------------------------------------------------- the buffer
  logic [Queues-1:0] nonempty, serve, stream_output, cell_output;
  logic busy, kill, cell_vc, cell_out_vc, active;
  logic [1:0] cell_len;
  logic [3:0] free;
  logic class_of_heads_unused;
  logic [Queues-1:0] head_class;

  assign serve = (checked && serves_i && !busy && !kill && serve_queue_i < 2'd3) ? (3'd1 << serve_queue_i) & nonempty : '0;

  xt_voq_buffer #(
    .CellBits   (4),
    .Cells      (Cells),
    .Queues     (Queues),
    .LenBits    (2),
    .VcBits     (1),
    .Classes    (2),
    .LengthClass({8'd4, 8'd1}),
    .Outputs    (Queues)
  ) i_dut (
    .clk_i,
    .rst_ni         (rst_n),
    .init_i         (init && rst_n),
    .init_addr_i    ({13'd0, init_addr}),
    .write_i        (write),
    .write_head_i   (head),
    .write_last_i   (last),
    .write_cell_i   (cell_in),
    .enqueue_i      (head_q),
    .enqueue_queue_i(queue_q),
    .enqueue_len_i  (len_q),
    .enqueue_vc_i   (vc_q),
    .nonempty_o     (nonempty),
    .class_o        (head_class),
    .busy_o         (busy),
    .kill_o         (kill),
    .serve_i        (serve),
    .serve_queue_i  (serve_queue_i),
    .serve_output_i (serve),
    .serve_vc_i     (1'b0),
    .stream_output_o(stream_output),
    .cell_valid_o   (cell_valid),
    .cell_first_o   (cell_first),
    .cell_o         (cell_out),
    .cell_vc_o      (cell_vc),
    .cell_len_o     (cell_len),
    .cell_output_o  (cell_output),
    .cell_out_vc_o  (cell_out_vc),
    .free_o         (free),
    .active_o       (active)
  );

  // ---------------------------------------------------------------- what must come out
  logic [3:0] count0 = '0, count1 = '0, count2 = '0;  // packets queued and not served
  logic       waits = 1'b0;  // the watched packet is queued
  logic [3:0] ahead;  // packets before it in its queue
  logic [1:0] watched_queue, watched_len, seen;
  logic       watched_vc, leaving_s = 1'b0, leaving_x = 1'b0, leaving_more = 1'b0;
  logic       watched_served;

  assign watched_served = waits && ahead == 4'd0 && serve[watched_queue];

  always_ff @(posedge clk_i) begin
    count0 <= count0 + 4'(head_q && queue_q == 2'd0) - 4'(serve[0]);
    count1 <= count1 + 4'(head_q && queue_q == 2'd1) - 4'(serve[1]);
    count2 <= count2 + 4'(head_q && queue_q == 2'd2) - 4'(serve[2]);
    if (head_watched_q) begin
      waits         <= 1'b1;
      watched_queue <= queue_q;
      watched_len   <= len_q;
      watched_vc    <= vc_q;
      ahead         <= (queue_q == 2'd0 ? count0 : queue_q == 2'd1 ? count1 : count2) - 4'(serve[queue_q]);
    end else if (waits && serve[watched_queue]) begin
      if (ahead == 4'd0) waits <= 1'b0;
      else ahead <= ahead - 1'b1;
    end
    leaving_s <= watched_served;
    leaving_x <= leaving_s;
    // From its first cell on, until its last.
    if (leaving_x) begin
      leaving_more <= watched_len != 2'd0;
      seen         <= 2'd1;
    end else if (leaving_more && cell_valid) begin
      leaving_more <= seen != watched_len;
      seen         <= seen + 1'b1;
    end
  end

  always_comb begin
    queue_exists : assume (queue_i != 2'd3);
    if (checked) begin
      nonempty0_exact : assert (nonempty[0] == (count0 != 4'd0));
      nonempty1_exact : assert (nonempty[1] == (count1 != 4'd0));
      nonempty2_exact : assert (nonempty[2] == (count2 != 4'd0));
      if (leaving_x) begin
        first_cell_leaves_in_time : assert (cell_valid && cell_first);
        first_cell_is_the_first : assert (cell_out == {1'b1, 2'd0, bits[0]});
        length_kept : assert (cell_len == watched_len);
        vc_kept : assert (cell_vc == watched_vc);
        output_kept : assert (cell_output == (3'd1 << watched_queue));
      end else if (leaving_more && cell_valid) begin
        next_cell_is_the_next : assert (cell_out == {1'b1, seen, bits[seen]} && !cell_first);
      end else if (cell_valid) begin
        watched_cells_leave_once : assert (!cell_out[3]);
      end
      // A class promises at least the length: 0 is for one-cell packets.
      if (waits && ahead == 4'd0 && watched_len != 2'd0) class_covers_length : assert (head_class[watched_queue]);
    end
  end

endmodule

`default_nettype wire
