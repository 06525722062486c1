// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite in front of the registers: one access at a time, with the handshakes of its five channels.
//
// Only whole words can be written: a write of some bytes of a word answers SLVERR and changes nothing. A write of no
// byte answers OKAY at every address and changes nothing.
//
// The data of a write does not pass through here: the master holds the word until wready_o, in whose cycle it is taken.
//
// Fairness: a read and a write that both wait take turns. So an address waits for the access under way and at most one
// more. A response that the master does not take holds up accesses of its own direction only. The other direction goes
// on from the second cycle of the response.
//
// Latency: the response comes 2 cycles after a write's address and data. It comes 5 cycles after a read's address, or
// TableCycles + 1 cycles after that of a table, or when the awaited counter comes.
// Speed: the choice of the next access; address_next_o goes on through the decoders of all registers.
`default_nettype none

module xt_register_bus #(
  /// Cycles from the registered address to the registered data of a table.
  parameter logic [2:0] TableCycles = 3'd5
) (
  /// Clock.
  input  logic                              clk_i,
  /// Reset, active low, synchronous.
  input  logic                              rst_ni,

  /// AXI4-Lite write address.
  input  logic                              awvalid_i,
  /// AXI4-Lite write address.
  output logic                              awready_o,
  /// AXI4-Lite write address.
  input  logic [xt_pkg::RegAddressBits-1:0] awaddr_i,
  /// AXI4-Lite write data.
  input  logic                              wvalid_i,
  /// AXI4-Lite write data.
  output logic                              wready_o,
  /// AXI4-Lite write data.
  input  logic [                       3:0] wstrb_i,
  /// AXI4-Lite write response.
  output logic                              bvalid_o,
  /// AXI4-Lite write response.
  input  logic                              bready_i,
  /// AXI4-Lite write response.
  output logic [                       1:0] bresp_o,
  /// AXI4-Lite read address.
  input  logic                              arvalid_i,
  /// AXI4-Lite read address.
  output logic                              arready_o,
  /// AXI4-Lite read address.
  input  logic [xt_pkg::RegAddressBits-1:0] araddr_i,
  /// AXI4-Lite read data.
  output logic                              rvalid_o,
  /// AXI4-Lite read data.
  input  logic                              rready_i,
  /// AXI4-Lite read data.
  output logic [                      31:0] rdata_o,
  /// AXI4-Lite read data.
  output logic [                       1:0] rresp_o,

  /// The address that address_o will be in the next cycle, for decoders with a register behind them.
  output logic [xt_pkg::RegAddressBits-1:0] address_next_o,
  /// Address of the access: port, register and word.
  output logic [                      11:2] address_o,
  /// A write will be carried out in the next cycle.
  output logic                              write_next_o,
  /// A write is carried out in this cycle.
  output logic                              write_o,
  /// First cycle of a read.
  output logic                              ask_o,
  /// Cycles left of a read; 0: none goes on.
  output logic [                       2:0] read_o,

  /// A register at address_o can be written.
  input  logic                              writable_i,
  /// The table does not answer yet.
  input  logic                              table_waits_i,
  /// In the last cycle of a read: a register is at address_o.
  input  logic                              hit_i,
  /// In the last cycle of a read: the answer is that of a counter, and it is there or not.
  input  logic                              is_counter_i,
  /// The counter is there.
  input  logic                              counter_valid_i,
  /// It is still to come. One that is asked for is so from the third cycle of the read on.
  input  logic                              counter_due_i,
  /// In the last cycle of a read: the data.
  input  logic [                      31:0] rdata_i,
  /// An access is going on.
  output logic                              active_o
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;
  // Cycles from the registered address to the registered data: source, port multiplexer, result.
  localparam logic [2:0] ReadCycles = 3'd4;

  logic [xt_pkg::RegAddressBits-1:0] addr_q;
  logic                              write_q;  // a write was accepted
  logic                              write_all_q;  // of all four bytes, which is to be carried out
  logic                              write_none_q;  // of no byte
  logic                              ask_q;  // first cycle of a read
  logic [                       2:0] read_q;  // cycles left of a read
  logic                              wrote_q;  // the last access was a write, so a read goes first
  logic                              b_waits_q, r_waits_q;  // the master has not taken the response at once
  logic                              under_way, writes, accepts, asks, answer;

  assign under_way = write_q | (read_q != '0) | (bvalid_o & ~b_waits_q) | (rvalid_o & ~r_waits_q);
  assign writes    = awvalid_i && wvalid_i && !bvalid_o && !(arvalid_i && wrote_q && !rvalid_o);
  assign accepts   = !under_way && writes;
  assign asks      = !under_way && !writes && arvalid_i && !rvalid_o;
  // After an upset a read may wait for a counter that nobody has asked for: SLVERR.
  assign answer    = (read_q == 3'd1) & (~is_counter_i | counter_valid_i | ~counter_due_i);
  assign active_o  = under_way | bvalid_o | rvalid_o | awvalid_i | wvalid_i | arvalid_i;

  assign address_next_o = under_way ? addr_q : writes ? awaddr_i : araddr_i;
  assign address_o      = addr_q[11:2];
  assign write_next_o   = accepts && wstrb_i == '1;
  assign write_o        = write_all_q;
  assign ask_o          = ask_q;
  assign read_o         = read_q;
  assign awready_o      = write_q;
  assign wready_o       = write_q;
  assign arready_o      = ask_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_o    <= 1'b0;
      rvalid_o    <= 1'b0;
      write_q     <= 1'b0;
      write_all_q <= 1'b0;
      write_none_q <= 1'b0;
      b_waits_q   <= 1'b0;
      r_waits_q   <= 1'b0;
      wrote_q     <= 1'b0;
      ask_q       <= 1'b0;
      read_q      <= '0;
      bresp_o     <= RespOkay;
      rresp_o     <= RespOkay;
      rdata_o     <= '0;
      addr_q      <= '0;
    end else begin
      write_q     <= accepts;
      write_all_q <= accepts && wstrb_i == '1;
      write_none_q <= wstrb_i == '0;
      b_waits_q   <= bvalid_o & ~bready_i;
      r_waits_q   <= rvalid_o & ~rready_i;
      ask_q       <= asks;
      if (accepts || asks) wrote_q <= accepts;
      if (accepts) begin
        addr_q <= awaddr_i;
      end else if (asks) begin
        addr_q <= araddr_i;
        read_q <= (araddr_i[15:14] != '0) ? TableCycles : ReadCycles;
      end
      if (write_q) begin
        bvalid_o <= 1'b1;
        bresp_o  <= ((write_all_q && writable_i) || write_none_q) ? RespOkay : RespSlverr;
      end else if (bready_i) begin
        bvalid_o <= 1'b0;
      end
      if ((read_q > 3'd1 && !table_waits_i) || answer) read_q <= read_q - 1'b1;
      if (answer) begin
        rvalid_o <= 1'b1;
        rresp_o  <= (hit_i && (!is_counter_i || counter_valid_i)) ? RespOkay : RespSlverr;
        rdata_o  <= rdata_i;
      end else if (rready_i) begin
        rvalid_o <= 1'b0;
      end
    end
  end

`ifdef XT_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      registers_counter_comes_when_awaited : assert (!counter_valid_i || answer);
      registers_counter_is_due : assert (!(read_q == 3'd1 && is_counter_i) || counter_valid_i || counter_due_i);
    end
  end
`endif

endmodule

`default_nettype wire
