// SPDX-License-Identifier: Apache-2.0
//
// Input unit of one port: receives cells, looks the route of each packet up, queues it by (output, VC)
// in the shared buffer, and offers the outputs for which a queue has a packet that may start.
//
// Pipeline of a head cell: 0 at the pin, tables and cell memory addressed; 1 route decoded, queue
// chosen; 2 requests, matching; 3 cell memory read; 4 cell_* valid.
//
// A packet whose table entry is not valid, or names a port or VC that does not exist, goes to a queue of
// its own that is emptied into nothing, so that its cells are credited back and nothing waits for it.
// That queue goes first at its input: it takes no more of the input's bandwidth than its packets took to
// arrive.
//
// Speed: requests depend on registers through one three-input function per queue and an OR per output.
`default_nettype none

module xt_input_unit #(
  /// Number of queues: Vcs per link port, Tcs per NIC port, and the one for illegal routes.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a queue number.
  localparam int QueueBits = $clog2(Queues)
) (
  /// Clock.
  input  logic                            clk_i,
  /// Reset, active low, synchronous.
  input  logic                            rst_ni,
  /// Initialisation of tables and free cells.
  input  logic                            init_i,
  /// Initialisation: the index.
  input  logic [                    15:0] init_addr_i,

  /// A cell arrives.
  input  logic                            valid_i,
  /// The VC it came on.
  input  logic [      xt_pkg::VcBits-1:0] vc_i,
  /// The cell.
  input  logic [    xt_pkg::CellBits-1:0] cell_i,
  /// A cell was freed.
  output logic                            credit_o,
  /// The VC it had come on.
  output logic [      xt_pkg::VcBits-1:0] credit_vc_o,

  /// The card's own address.
  input  logic [      xt_pkg::IdBits-1:0] own_i,
  /// Per TC: 1 = local first.
  input  logic [         xt_pkg::Tcs-1:0] order_i,
  /// Per TC: address bits to compare.
  input  logic [xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Write an entry of the GRT.
  input  logic                            grt_we_i,
  /// Write an entry of the LRT.
  input  logic                            lrt_we_i,
  /// Entry to write or read.
  input  logic [     xt_pkg::LrtBits-1:0] index_i,
  /// Value to write.
  input  logic [   xt_pkg::EntryBits-1:0] wdata_i,
  /// GRT entry addressed in the previous cycle.
  output logic [   xt_pkg::EntryBits-1:0] grt_rdata_o,
  /// LRT entry addressed in the previous cycle.
  output logic [   xt_pkg::EntryBits-1:0] lrt_rdata_o,

  /// Room for a packet, per length class and queue: bit c*Queues + q.
  input  logic [xt_pkg::LengthClasses*Queues-1:0] room_i,
  /// Outputs for which a packet may start.
  output logic [       xt_pkg::Ports-1:0] request_o,
  /// The stream that began in this cycle goes on: cancel this input's match. Late.
  output logic                            kill_o,
  /// Output of the stream that goes on in the next cycle.
  output logic [       xt_pkg::Ports-1:0] busy_output_o,
  /// Output of the stream that makes kill_o. Late.
  output logic [       xt_pkg::Ports-1:0] kill_output_o,
  /// Output matched to this input; final.
  input  logic [       xt_pkg::Ports-1:0] match_i,

  /// Output that a cell leaves for, one-hot; zero for none.
  output logic [       xt_pkg::Ports-1:0] output_o,
  /// It is the first of its packet.
  output logic                            first_o,
  /// The cell.
  output logic [    xt_pkg::CellBits-1:0] cell_o,
  /// The VC it leaves on; at a NIC port its traffic class.
  output logic [      xt_pkg::VcBits-1:0] vc_o,
  /// Length of its packet, minus one; valid with the first cell.
  output logic [     xt_pkg::LenBits-1:0] len_o,

  /// A cell was received in the last cycle.
  output logic                            received_o,
  /// It was the first of its packet.
  output logic                            received_first_o,
  /// Its traffic class.
  output logic [      xt_pkg::TcBits-1:0] received_tc_o,
  /// Packets dropped for want of a route.
  output logic [                    31:0] illegal_o,
  /// Number of free cells.
  output logic [  xt_pkg::CellAddrBits:0] free_o,
  /// Something is in flight inside.
  output logic                            active_o
);

  localparam int DropQueue = Queues - 1;
  localparam int ClassBits = (xt_pkg::LengthClasses > 1) ? $clog2(xt_pkg::LengthClasses) : 1;

  // First queue of an output, and how many it has.
  function automatic int first_queue(input int o);
    first_queue = (o < xt_pkg::LinkPorts) ? o * xt_pkg::Vcs
                : xt_pkg::LinkPorts * xt_pkg::Vcs + (o - xt_pkg::LinkPorts) * xt_pkg::Tcs;
  endfunction
  function automatic int queue_count(input int o);
    queue_count = (o < xt_pkg::LinkPorts) ? xt_pkg::Vcs : xt_pkg::Tcs;
  endfunction

  // ---------------------------------------------------------------- cycle 0: receive and look up
  logic                       in_packet_q;
  logic [xt_pkg::LenBits-1:0] left_q;  // cells still to come
  logic                       head, last;
  logic [xt_pkg::LenBits-1:0] header_len;
  logic [ xt_pkg::TcBits-1:0] tc;

  assign header_len = cell_i[xt_pkg::HdrLenLsb+:xt_pkg::LenBits];
  assign head       = valid_i & ~in_packet_q;
  assign last       = in_packet_q ? (left_q == xt_pkg::LenBits'(1)) : (header_len == '0);

  always_comb begin
    tc = '0;
    for (int v = 0; v < xt_pkg::Vcs; v++) begin
      if (vc_i == v[xt_pkg::VcBits-1:0]) tc = xt_pkg::VcTc[v*8+:xt_pkg::TcBits];
    end
  end

  logic                       head_q;
  logic [ xt_pkg::VcBits-1:0] vc_q;
  logic [ xt_pkg::TcBits-1:0] tc_q;
  logic [xt_pkg::LenBits-1:0] len_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_packet_q      <= 1'b0;
      received_o       <= 1'b0;
      received_first_o <= 1'b0;
      head_q           <= 1'b0;
    end else begin
      received_o       <= valid_i;
      received_first_o <= head;
      head_q           <= head;
      if (valid_i) in_packet_q <= ~last;
    end
    if (valid_i) begin
      left_q <= in_packet_q ? left_q - 1'b1 : header_len;
      tc_q   <= tc;
      vc_q   <= vc_i;
    end
    if (head) len_q <= header_len;
  end

  assign received_tc_o = tc_q;

  logic [xt_pkg::EntryTcBits-1:0] route;

  xt_route_table i_route_table (
    .clk_i,
    .dest_i (cell_i[xt_pkg::HdrDestLsb+:xt_pkg::IdBits]),
    .tc_i   (tc),
    .own_i,
    .order_i,
    .mask_i,
    .route_o(route),
    .grt_we_i,
    .lrt_we_i,
    .index_i,
    .wdata_i,
    .grt_rdata_o,
    .lrt_rdata_o
  );

  // ---------------------------------------------------------------- cycle 1: choose the queue
  logic [QueueBits-1:0] queue;
  logic                 legal;
  logic [          7:0] vc_limit;
  logic [QueueBits-1:0] vc_first;

  always_comb begin
    vc_limit = '0;
    vc_first = '0;
    for (int t = 0; t < xt_pkg::Tcs; t++) begin
      if (tc_q == t[xt_pkg::TcBits-1:0]) begin
        vc_limit = xt_pkg::TcVcCount[t*8+:8];
        vc_first = QueueBits'(xt_pkg::TcFirstVc[t*8+:8]);
      end
    end
    queue = QueueBits'(DropQueue);
    legal = 1'b0;
    for (int o = 0; o < xt_pkg::Ports; o++) begin
      if (route[xt_pkg::EntryValidBit]
          && route[xt_pkg::EntryPortLsb+:xt_pkg::EntryPortBits] == o[xt_pkg::EntryPortBits-1:0]) begin
        if (o >= xt_pkg::LinkPorts) begin
          legal = 1'b1;
          queue = QueueBits'(first_queue(o)) + QueueBits'(tc_q);
        end else if (8'(route[xt_pkg::EntryVcLsb+:xt_pkg::EntryVcBits]) < vc_limit) begin
          legal = 1'b1;
          queue = QueueBits'(first_queue(o)) + vc_first
                + QueueBits'(route[xt_pkg::EntryVcLsb+:xt_pkg::EntryVcBits]);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) illegal_o <= '0;
    else if (head_q && !legal) illegal_o <= illegal_o + 1'b1;
  end

  // ---------------------------------------------------------------- cycle 2: request and be matched
  logic [          Queues-1:0] nonempty, eligible, of_class, serve;
  logic [          Queues-2:0] pick;
  logic [ClassBits*Queues-1:0] head_class;
  logic                        busy, serve_drop;
  logic [   xt_pkg::Ports-1:0] any;
  logic [       QueueBits-1:0] serve_queue;
  logic [  xt_pkg::VcBits-1:0] serve_vc;
  // What each output would be served, as numbers, ready when the match is known.
  logic [xt_pkg::Ports*QueueBits-1:0] pick_queue;
  logic [xt_pkg::Ports*xt_pkg::VcBits-1:0] pick_vc;

  always_comb begin
    eligible = '0;
    of_class = '0;
    for (int c = 0; c < xt_pkg::LengthClasses; c++) begin
      of_class = '1;
      for (int b = 0; b < ClassBits; b++) begin
        of_class = of_class & (c[b] ? head_class[b*Queues+:Queues] : ~head_class[b*Queues+:Queues]);
      end
      eligible = eligible | (of_class & room_i[c*Queues+:Queues]);
    end
    eligible = eligible & nonempty;
  end

  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_output
    localparam int First = first_queue(o);
    localparam int Count = queue_count(o);
    if (o < xt_pkg::LinkPorts) begin : g_link
      xt_vc_select #(
        .Queues    (xt_pkg::Vcs),
        .Classes   (xt_pkg::Tcs),
        .QueueClass(xt_pkg::VcTc)
      ) i_vc_select (
        .clk_i,
        .rst_ni,
        .eligible_i(eligible[First+:xt_pkg::Vcs]),
        .pick_o    (pick[First+:xt_pkg::Vcs]),
        .served_i  (match_i[o])
      );
    end else begin : g_nic
      xt_round_robin #(
        .Width(xt_pkg::Tcs)
      ) i_tc_select (
        .clk_i,
        .rst_ni,
        .request_i(eligible[First+:xt_pkg::Tcs]),
        .grant_o  (pick[First+:xt_pkg::Tcs]),
        .advance_i(match_i[o]),
        .served_i (pick[First+:xt_pkg::Tcs])
      );
    end
    assign any[o] = eligible[First+:Count] != '0;
    assign serve[First+:Count] = match_i[o] ? pick[First+:Count] : '0;

    logic [Count-1:0] chosen;
    assign chosen = pick[First+:Count];
    always_comb begin
      pick_queue[o*QueueBits+:QueueBits]         = '0;
      pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits]  = '0;
      for (int v = 0; v < Count; v++) begin
        if (chosen[v]) begin
          pick_queue[o*QueueBits+:QueueBits] =
              pick_queue[o*QueueBits+:QueueBits] | QueueBits'(First + v);
          pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits] =
              pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits] | v[xt_pkg::VcBits-1:0];
        end
      end
    end
  end
  assign serve[DropQueue] = serve_drop;

  assign request_o  = (busy || nonempty[DropQueue]) ? '0 : any;
  assign serve_drop = nonempty[DropQueue] & ~busy & ~kill_o;

  always_comb begin
    serve_queue = serve_drop ? QueueBits'(DropQueue) : '0;
    serve_vc    = '0;
    for (int o = 0; o < xt_pkg::Ports; o++) begin
      if (match_i[o]) begin
        serve_queue = serve_queue | pick_queue[o*QueueBits+:QueueBits];
        serve_vc    = serve_vc | pick_vc[o*xt_pkg::VcBits+:xt_pkg::VcBits];
      end
    end
  end

  // ---------------------------------------------------------------- buffer
  logic                     cell_valid;
  logic [xt_pkg::Ports-1:0] cell_output, stream_output;

  xt_voq_buffer #(
    .CellBits   (xt_pkg::CellBits),
    .Cells      (xt_pkg::BufferCells),
    .Queues     (Queues),
    .LenBits    (xt_pkg::LenBits),
    .VcBits     (xt_pkg::VcBits),
    .Classes    (xt_pkg::LengthClasses),
    .LengthClass(xt_pkg::LengthClass),
    .Outputs    (xt_pkg::Ports)
  ) i_buffer (
    .clk_i,
    .rst_ni,
    .init_i,
    .init_addr_i,
    .write_i        (valid_i),
    .write_head_i   (head),
    .write_last_i   (last),
    .write_cell_i   (cell_i),
    .enqueue_i      (head_q),
    .enqueue_queue_i(queue),
    .enqueue_len_i  (len_q),
    .enqueue_vc_i   (vc_q),
    .nonempty_o     (nonempty),
    .class_o        (head_class),
    .busy_o         (busy),
    .kill_o         (kill_o),
    .serve_i        (serve),
    .serve_queue_i  (serve_queue),
    .serve_output_i (match_i),
    .serve_vc_i     (serve_vc),
    .stream_output_o(stream_output),
    .cell_valid_o   (cell_valid),
    .cell_first_o   (first_o),
    .cell_o         (cell_o),
    .cell_vc_o      (credit_vc_o),
    .cell_len_o     (len_o),
    .cell_output_o  (cell_output),
    .cell_out_vc_o  (vc_o),
    .free_o         (free_o),
    .active_o       (active_o)
  );

  assign busy_output_o = busy ? stream_output : '0;
  assign kill_output_o = kill_o ? stream_output : '0;
  assign output_o      = cell_valid ? cell_output : '0;
  assign credit_o      = cell_valid;

endmodule

`default_nettype wire
