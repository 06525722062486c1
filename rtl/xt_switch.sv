// SPDX-License-Identifier: Apache-2.0
//
// Input-queued virtual cut-through switch: an input unit per port, iSLIP, a crossbar of one cell per port
// and cycle, and a credit counter per output. All ports are alike here; the NIC adapters are outside.
//
// Latency: 5 cycles from the head at an input pin to the head at an output pin:
//   0 tables and cell memory addressed   1 route decoded, queue chosen   2 matching
//   3 cell memory read                   4 crossbar                      (5: at the output pin)
//
// Virtual cut-through: a packet starts only if the buffer behind the output has room for all of it, on its
// VC; from then on it owns input and output until its last cell has passed.
//
// A packet of one cell is known to be one only when its length is read, in the cycle after its match. The
// matching of that cycle takes input and output for free, and is cancelled late (kill) if the packet goes
// on; so one-cell packets keep line rate and longer ones lose nothing that could have been used but one
// matching attempt.
//
// Speed: requests, one iteration of iSLIP, and the choice of the queue make the longest path.
`default_nettype none

module xt_switch #(
  /// Number of queues of an input unit.
  localparam int Queues = xt_pkg::LinkPorts * xt_pkg::Vcs + xt_pkg::NicPorts * xt_pkg::Tcs + 1,
  /// Bits of a number of cells.
  localparam int CountBits = $clog2(xt_pkg::BufferCells + 1)
) (
  /// Clock.
  input  logic                                      clk_i,
  /// Reset, active low, synchronous.
  input  logic                                      rst_ni,
  /// Initialisation of tables and free cells.
  input  logic                                      init_i,
  /// Initialisation: the index.
  input  logic [                              15:0] init_addr_i,

  /// A cell arrives at a port.
  input  logic [                 xt_pkg::Ports-1:0] valid_i,
  /// Its VC.
  input  logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] vc_i,
  /// The cell.
  input  logic [xt_pkg::Ports*xt_pkg::CellBits-1:0] cell_i,
  /// A cell that came in at a port was freed.
  output logic [                 xt_pkg::Ports-1:0] credit_o,
  /// The VC it had come on.
  output logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] credit_vc_o,

  /// A cell leaves by a port.
  output logic [                 xt_pkg::Ports-1:0] valid_o,
  /// Its VC; at a NIC port its traffic class.
  output logic [  xt_pkg::Ports*xt_pkg::VcBits-1:0] vc_o,
  /// The cell.
  output logic [xt_pkg::Ports*xt_pkg::CellBits-1:0] cell_o,
  /// A cell that left by a port was freed in the next buffer.
  input  logic [                 xt_pkg::Ports-1:0] credit_i,
  /// Its VC, at link ports.
  input  logic [xt_pkg::LinkPorts*xt_pkg::VcBits-1:0] credit_vc_i,

  /// The card's own address.
  input  logic [                xt_pkg::IdBits-1:0] own_i,
  /// Per TC: 1 = local first.
  input  logic [                   xt_pkg::Tcs-1:0] order_i,
  /// Per TC: address bits to compare.
  input  logic [    xt_pkg::Tcs*xt_pkg::IdBits-1:0] mask_i,
  /// Write an entry of the GRT, per input port.
  input  logic [                 xt_pkg::Ports-1:0] grt_we_i,
  /// Write an entry of the LRT, per input port.
  input  logic [                 xt_pkg::Ports-1:0] lrt_we_i,
  /// Entry to write or read.
  input  logic [               xt_pkg::LrtBits-1:0] index_i,
  /// Value to write.
  input  logic [             xt_pkg::EntryBits-1:0] wdata_i,
  /// GRT entry addressed in the previous cycle, per input port.
  output logic [xt_pkg::Ports*xt_pkg::EntryBits-1:0] grt_rdata_o,
  /// LRT entry addressed in the previous cycle, per input port.
  output logic [xt_pkg::Ports*xt_pkg::EntryBits-1:0] lrt_rdata_o,

  /// A cell was received in the last cycle.
  output logic [                 xt_pkg::Ports-1:0] received_o,
  /// It was the first of its packet.
  output logic [                 xt_pkg::Ports-1:0] received_first_o,
  /// Its traffic class.
  output logic [  xt_pkg::Ports*xt_pkg::TcBits-1:0] received_tc_o,
  /// The cell at valid_o is the first of its packet.
  output logic [                 xt_pkg::Ports-1:0] sent_first_o,
  /// Packets dropped for want of a route.
  output logic [              xt_pkg::Ports*32-1:0] illegal_o,
  /// Free cells of each input buffer.
  output logic [xt_pkg::Ports*(xt_pkg::CellAddrBits+1)-1:0] free_o,
  /// Read-out of credits: VC.
  input  logic [                xt_pkg::VcBits-1:0] read_vc_i,
  /// Read-out of credits: cells sent by each port on that VC and not credited.
  output logic [       xt_pkg::Ports*CountBits-1:0] read_used_o,
  /// Something is in flight inside.
  output logic                                      active_o
);

  // Cells that can leave uncharged between a match and its effect on the credit flags.
  localparam int Margin = 3;

  logic [              xt_pkg::Ports*xt_pkg::Ports-1:0] request, request_free, match, busy_output;
  logic [              xt_pkg::Ports*xt_pkg::Ports-1:0] kill_output_of, to_output;
  logic [                            xt_pkg::Ports-1:0] kill, kill_output, output_busy, first, active;
  logic [           xt_pkg::Ports*xt_pkg::CellBits-1:0] x_cell;
  logic [             xt_pkg::Ports*xt_pkg::VcBits-1:0] x_vc;
  logic [            xt_pkg::Ports*xt_pkg::LenBits-1:0] x_len;
  logic [             xt_pkg::LengthClasses*Queues-1:0] room;
  logic [                            xt_pkg::Ports-1:0] credits_busy;

  for (genvar i = 0; i < xt_pkg::Ports; i++) begin : g_input
    xt_input_unit i_input_unit (
      .clk_i,
      .rst_ni,
      .init_i,
      .init_addr_i,
      .valid_i         (valid_i[i]),
      .vc_i            (vc_i[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .cell_i          (cell_i[i*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .credit_o        (credit_o[i]),
      .credit_vc_o     (credit_vc_o[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .own_i,
      .order_i,
      .mask_i,
      .grt_we_i        (grt_we_i[i]),
      .lrt_we_i        (lrt_we_i[i]),
      .index_i,
      .wdata_i,
      .grt_rdata_o     (grt_rdata_o[i*xt_pkg::EntryBits+:xt_pkg::EntryBits]),
      .lrt_rdata_o     (lrt_rdata_o[i*xt_pkg::EntryBits+:xt_pkg::EntryBits]),
      .room_i          (room),
      .request_o       (request[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .kill_o          (kill[i]),
      .busy_output_o   (busy_output[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .kill_output_o   (kill_output_of[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .match_i         (match[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .output_o        (to_output[i*xt_pkg::Ports+:xt_pkg::Ports]),
      .first_o         (first[i]),
      .cell_o          (x_cell[i*xt_pkg::CellBits+:xt_pkg::CellBits]),
      .vc_o            (x_vc[i*xt_pkg::VcBits+:xt_pkg::VcBits]),
      .len_o           (x_len[i*xt_pkg::LenBits+:xt_pkg::LenBits]),
      .received_o      (received_o[i]),
      .received_first_o(received_first_o[i]),
      .received_tc_o   (received_tc_o[i*xt_pkg::TcBits+:xt_pkg::TcBits]),
      .illegal_o       (illegal_o[i*32+:32]),
      .free_o          (free_o[i*(xt_pkg::CellAddrBits+1)+:xt_pkg::CellAddrBits+1]),
      .active_o        (active[i])
    );
  end

  always_comb begin
    output_busy = '0;
    kill_output = '0;
    for (int i = 0; i < xt_pkg::Ports; i++) begin
      output_busy = output_busy | busy_output[i*xt_pkg::Ports+:xt_pkg::Ports];
      kill_output = kill_output | kill_output_of[i*xt_pkg::Ports+:xt_pkg::Ports];
    end
    for (int i = 0; i < xt_pkg::Ports; i++) begin
      request_free[i*xt_pkg::Ports+:xt_pkg::Ports] =
          request[i*xt_pkg::Ports+:xt_pkg::Ports] & ~output_busy;
    end
  end

  xt_islip #(
    .Inputs    (xt_pkg::Ports),
    .Outputs   (xt_pkg::Ports),
    .Iterations(xt_pkg::IslipIterations)
  ) i_islip (
    .clk_i,
    .rst_ni,
    .request_i    (request_free),
    .kill_input_i (kill),
    .kill_output_i(kill_output),
    .match_o      (match)
  );

  // ---------------------------------------------------------------- crossbar and outputs
  for (genvar o = 0; o < xt_pkg::Ports; o++) begin : g_output
    logic                        leaves, starts;
    logic [xt_pkg::CellBits-1:0] selected;
    logic [  xt_pkg::VcBits-1:0] vc;
    logic [ xt_pkg::LenBits-1:0] len;

    always_comb begin
      leaves   = 1'b0;
      starts   = 1'b0;
      selected = '0;
      vc       = '0;
      len      = '0;
      for (int i = 0; i < xt_pkg::Ports; i++) begin
        if (to_output[i*xt_pkg::Ports+o]) begin
          leaves   = 1'b1;
          starts   = starts | first[i];
          selected = selected | x_cell[i*xt_pkg::CellBits+:xt_pkg::CellBits];
          vc       = vc | x_vc[i*xt_pkg::VcBits+:xt_pkg::VcBits];
          len      = len | x_len[i*xt_pkg::LenBits+:xt_pkg::LenBits];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_o[o]      <= 1'b0;
        sent_first_o[o] <= 1'b0;
      end else begin
        valid_o[o]      <= leaves;
        sent_first_o[o] <= starts;
      end
      if (leaves) begin
        cell_o[o*xt_pkg::CellBits+:xt_pkg::CellBits] <= selected;
        vc_o[o*xt_pkg::VcBits+:xt_pkg::VcBits]       <= vc;
      end
    end

    if (o < xt_pkg::LinkPorts) begin : g_link
      logic [xt_pkg::Vcs*xt_pkg::LengthClasses-1:0] room_of_vc;
      xt_credit_counter #(
        .Vcs        (xt_pkg::Vcs),
        .Reserved   (xt_pkg::ReservedCells),
        .Shared     (xt_pkg::BufferCells - xt_pkg::Vcs * xt_pkg::ReservedCells),
        .LenBits    (xt_pkg::LenBits),
        .Classes    (xt_pkg::LengthClasses),
        .LengthClass(xt_pkg::LengthClass),
        .Margin     (Margin),
        .CountBits  (CountBits)
      ) i_credit_counter (
        .clk_i,
        .rst_ni,
        .charge_i    (starts),
        .charge_vc_i (vc),
        .charge_len_i(len),
        .credit_i    (credit_i[o]),
        .credit_vc_i (credit_vc_i[o*xt_pkg::VcBits+:xt_pkg::VcBits]),
        .room_o      (room_of_vc),
        .read_vc_i,
        .read_used_o (read_used_o[o*CountBits+:CountBits]),
        .busy_o      (credits_busy[o])
      );
      for (genvar v = 0; v < xt_pkg::Vcs; v++) begin : g_room
        for (genvar c = 0; c < xt_pkg::LengthClasses; c++) begin : g_class
          assign room[c*Queues+o*xt_pkg::Vcs+v] = room_of_vc[v*xt_pkg::LengthClasses+c];
        end
      end
    end else begin : g_nic
      // The NIC takes the packets of all traffic classes from one buffer.
      logic [xt_pkg::LengthClasses-1:0] room_of_nic;
      xt_credit_counter #(
        .Vcs        (1),
        .Reserved   (xt_pkg::EjectCells),
        .Shared     (0),
        .LenBits    (xt_pkg::LenBits),
        .Classes    (xt_pkg::LengthClasses),
        .LengthClass(xt_pkg::LengthClass),
        .Margin     (Margin),
        .CountBits  (CountBits)
      ) i_credit_counter (
        .clk_i,
        .rst_ni,
        .charge_i    (starts),
        .charge_vc_i (1'b0),
        .charge_len_i(len),
        .credit_i    (credit_i[o]),
        .credit_vc_i (1'b0),
        .room_o      (room_of_nic),
        .read_vc_i   (1'b0),
        .read_used_o (read_used_o[o*CountBits+:CountBits]),
        .busy_o      (credits_busy[o])
      );
      for (genvar t = 0; t < xt_pkg::Tcs; t++) begin : g_room
        for (genvar c = 0; c < xt_pkg::LengthClasses; c++) begin : g_class
          assign room[c*Queues+xt_pkg::LinkPorts*xt_pkg::Vcs+(o-xt_pkg::LinkPorts)*xt_pkg::Tcs+t] =
              room_of_nic[c];
        end
      end
    end
  end

  // Packets without a route leave into nothing, which always has room.
  for (genvar c = 0; c < xt_pkg::LengthClasses; c++) begin : g_drop
    assign room[c*Queues+Queues-1] = 1'b1;
  end

  assign active_o = (active != '0) || (valid_i != '0) || (credit_i != '0) || (received_o != '0)
                 || (valid_o != '0) || (credits_busy != '0);

endmodule

`default_nettype wire
