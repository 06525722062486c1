// SPDX-License-Identifier: Apache-2.0
//
// The bridge's bytes over a serial line: 8 bits, lowest first, no parity, one stop bit, no handshake. A byte is lost if
// the byte before has not been taken, or if the stop bit is missing. The protocol notices the loss.
//
// Speed: a counter of the cycles of a bit.
`default_nettype none

module xt_uart #(
  /// Cycles of a bit, at least 4: clock frequency / baud rate.
  parameter int BitCycles = 60,
  /// Bits of a number of cycles.
  localparam int CountBits = $clog2(BitCycles + 1)
) (
  /// Clock.
  input  logic       clk_i,
  /// Reset, active low, synchronous.
  input  logic       rst_ni,

  /// Line from the host; asynchronous.
  input  logic       rx_i,
  /// Line to the host.
  output logic       tx_o,

  /// A byte from the host.
  output logic       rx_valid_o,
  /// The bridge can take a byte.
  input  logic       rx_ready_i,
  /// The byte.
  output logic [7:0] rx_byte_o,
  /// A byte to the host.
  input  logic       tx_valid_i,
  /// The byte to send is taken.
  output logic       tx_ready_o,
  /// The byte.
  input  logic [7:0] tx_byte_i
);

  if (BitCycles < 4) begin : g_illegal
    xt_uart_needs_at_least_four_cycles_of_a_bit i_illegal ();
  end

  // ---------------------------------------------------------------- to the host
  logic [CountBits-1:0] tx_count_q;
  logic [9:0] tx_shift_q;  // stop, byte, start
  logic [3:0] tx_left_q;  // bits, with the one that is out

  assign tx_ready_o = tx_left_q == '0;
  assign tx_o       = tx_shift_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tx_shift_q <= '1;
      tx_left_q  <= '0;
      tx_count_q <= '0;
    end else if (tx_ready_o) begin
      if (tx_valid_i) begin
        tx_shift_q <= {1'b1, tx_byte_i, 1'b0};
        tx_left_q  <= 4'd10;
        tx_count_q <= CountBits'(BitCycles - 1);
      end
    end else if (tx_count_q != '0) begin
      tx_count_q <= tx_count_q - 1'b1;
    end else begin
      tx_count_q <= CountBits'(BitCycles - 1);
      tx_shift_q <= {1'b1, tx_shift_q[9:1]};
      tx_left_q  <= tx_left_q - 1'b1;
    end
  end

  // ---------------------------------------------------------------- from the host
  logic [1:0] rx_q;  // through two registers
  logic [CountBits-1:0] rx_count_q;
  logic [3:0] rx_left_q;  // bits to come: start, byte, stop
  logic [7:0] rx_shift_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_q       <= '1;
      rx_left_q  <= '0;
      rx_valid_o <= 1'b0;
      rx_count_q <= '0;
    end else begin
      rx_q <= {rx_q[0], rx_i};
      if (rx_ready_i) rx_valid_o <= 1'b0;
      if (rx_left_q == '0) begin
        // A start bit: each bit is looked at in its middle.
        rx_count_q <= CountBits'(BitCycles / 2 - 1);
        if (!rx_q[1]) rx_left_q <= 4'd10;
      end else if (rx_count_q != '0) begin
        rx_count_q <= rx_count_q - 1'b1;
      end else begin
        rx_count_q <= CountBits'(BitCycles - 1);
        rx_left_q  <= rx_left_q - 1'b1;
        if (rx_left_q == 4'd10 && rx_q[1]) rx_left_q <= '0;  // no start bit after all
        if (rx_left_q == 4'd1 && rx_q[1]) begin
          rx_valid_o <= 1'b1;
          rx_byte_o  <= rx_shift_q;
        end
      end
    end
    if (rx_count_q == '0 && rx_left_q > 4'd1 && rx_left_q < 4'd10) rx_shift_q <= {rx_q[1], rx_shift_q[7:1]};
  end

endmodule

`default_nettype wire
