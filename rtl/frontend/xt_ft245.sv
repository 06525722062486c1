// SPDX-License-Identifier: Apache-2.0
//
// The bridge's bytes over the synchronous FIFO of an FT232H or FT2232H: all pins use the chip's 60 MHz clock. Reading
// goes first, and takes turns with writing if both go on. The bus turns round by a cycle without a driver: OE# comes a
// cycle before RD#, as the data sheet requires.
//
// Fairness: a byte to the host that the chip could take waits for at most Burst + 5 cycles, and a byte from the host
// that the bridge could take for at most Burst + 5.
// Rate: a byte per cycle in one direction at a time.
// Speed: the outputs are registers of the chip's clock at the pads. RXF#, TXE# and the data are used unregistered,
// within the clock period that the data sheet leaves.
`default_nettype none

module xt_ft245 #(
  /// Cycles in one direction while bytes of the other wait, a power of two.
  parameter int Burst = 64
) (
  /// Clock of the chip.
  input  logic       clk_i,
  /// Reset, active low, asynchronous on, synchronous off.
  input  logic       rst_ni,

  /// Pin RXF#: 0, a byte from the host is there.
  input  logic       rxf_ni,
  /// Pin TXE#: 0, the chip takes a byte to the host.
  input  logic       txe_ni,
  /// Pin RD#: 0, takes the byte.
  output logic       rd_no,
  /// Pin WR#: 0, gives a byte.
  output logic       wr_no,
  /// Pin OE#: 0, the chip drives the data.
  output logic       oe_no,
  /// Pin SIWU#: 0, send what there is at once; not used, the chip's latency timer does.
  output logic       siwu_no,
  /// Data pins, in.
  input  logic [7:0] data_i,
  /// Data pins, out.
  output logic [7:0] data_o,
  /// Drive the data pins.
  output logic       data_oe_o,

  /// A byte from the host is valid, only while the bridge can take the byte.
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

  typedef enum logic [1:0] {
    Idle,
    Turn,  // the chip drives the data, nothing is taken yet
    Read,
    Write
  } state_t;

  state_t state_q;
  logic read_wanted, write_wanted, read_first, write_first;
  logic turn_q;                                        // writing has a turn, although bytes from the host wait
  logic [$clog2(Burst):0] read_waits_q, write_waits_q; // cycles

  assign read_wanted  = !rxf_ni && rx_ready_i;
  assign write_wanted = tx_valid_i && !txe_ni;
  assign read_first   = read_waits_q[$clog2(Burst)];
  assign write_first  = write_waits_q[$clog2(Burst)];
  assign siwu_no     = 1'b1;
  assign oe_no       = !(state_q == Turn || state_q == Read);
  assign rd_no       = !(state_q == Read && rx_ready_i);
  assign wr_no       = !(state_q == Write && tx_valid_i);
  assign data_oe_o   = state_q == Write;
  assign data_o      = tx_byte_i;
  assign rx_valid_o  = !rd_no && !rxf_ni;
  assign rx_byte_o   = data_i;
  assign tx_ready_o  = state_q == Write && !txe_ni;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Idle;
      turn_q        <= 1'b0;
      read_waits_q  <= '0;
      write_waits_q <= '0;
    end else begin
      case (state_q)
        Idle: begin
          if (read_wanted && !(write_wanted && write_first)) state_q <= Turn;
          else if (write_wanted) state_q <= Write;
          turn_q <= write_first;
        end
        Turn: state_q <= Read;
        Read: if (!read_wanted || (write_wanted && write_first)) state_q <= Idle;
        default: if (!write_wanted || (read_wanted && (read_first || !turn_q))) state_q <= Idle;
      endcase
      if (!read_wanted || rx_valid_o) read_waits_q <= '0;
      else if (!read_first) read_waits_q <= read_waits_q + 1'b1;
      if (!write_wanted || tx_ready_o) write_waits_q <= '0;
      else if (!write_first) write_waits_q <= write_waits_q + 1'b1;
    end
  end

endmodule

`default_nettype wire
