// SPDX-License-Identifier: Apache-2.0
//
// xt_credit_counter against a buffer that counts for itself: whatever the order of packets and credits,
// as long as a packet starts only when room_o said so (with the switch's delay from the decision to the
// charge), no VC and not all together ever exceed the buffer, every VC keeps its reserve, and a VC whose
// cells are all credited has room for the longest packet.
`default_nettype none

module credit_counter_proof (
  input logic       clk_i,
  input logic       wants_i,  // start a packet if there is room
  input logic       wants_vc_i,
  input logic [1:0] wants_len_i,
  input logic       credit_i,
  input logic       credit_vc_i
);

  localparam int Reserved = 7;
  localparam int Shared = 3;
  localparam int Classes = 2;
  localparam logic [Classes*8-1:0] LengthClass = {8'd4, 8'd2};

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [2*Classes-1:0] room;
  logic [3:0] used;
  logic busy;

  // The switch: match in cycle c, first cell read in c+1, charge in c+2; the output is busy until the
  // last cell of the packet is read.
  logic       match, s_q = 1'b0, x_q = 1'b0;
  logic       s_vc_q, x_vc_q;
  logic [1:0] s_len_q, x_len_q;
  logic [1:0] left_q = '0;
  assign match = rst_n && wants_i && left_q == '0 && room[wants_vc_i*Classes+(wants_len_i > 2'd1)];

  always_ff @(posedge clk_i) begin
    s_q     <= match;
    s_vc_q  <= wants_vc_i;
    s_len_q <= wants_len_i;
    x_q     <= s_q;
    x_vc_q  <= s_vc_q;
    x_len_q <= s_len_q;
    if (match) left_q <= wants_len_i;
    else if (left_q != '0) left_q <= left_q - 1'b1;
  end

  xt_credit_counter #(
    .Vcs        (2),
    .Reserved   (Reserved),
    .Shared     (Shared),
    .LenBits    (2),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Margin     (3)
  ) i_dut (
    .clk_i,
    .rst_ni      (rst_n),
    .charge_i    (x_q),
    .charge_vc_i (x_vc_q),
    .charge_len_i(x_len_q),
    .credit_i    (credit_i),
    .credit_vc_i (credit_vc_i),
    .room_o      (room),
    .read_vc_i   (credit_vc_i),
    .read_used_o (used),
    .busy_o      (busy)
  );

  // The buffer behind the link: cells promised to it (at the match), and of those, the charged ones.
  logic [5:0] held0 = '0, held1 = '0;
  logic [5:0] charged0 = '0, charged1 = '0;
  logic [5:0] excess0, excess1;
  assign excess0 = held0 > Reserved ? held0 - Reserved : '0;
  assign excess1 = held1 > Reserved ? held1 - Reserved : '0;

  always_ff @(posedge clk_i) begin
    held0 <= held0 + (match && !wants_vc_i ? 6'(wants_len_i) + 1'b1 : '0) - 6'(credit_i && !credit_vc_i);
    held1 <= held1 + (match && wants_vc_i ? 6'(wants_len_i) + 1'b1 : '0) - 6'(credit_i && credit_vc_i);
    charged0 <= charged0 + (x_q && !x_vc_q ? 6'(x_len_q) + 1'b1 : '0) - 6'(credit_i && !credit_vc_i);
    charged1 <= charged1 + (x_q && x_vc_q ? 6'(x_len_q) + 1'b1 : '0) - 6'(credit_i && credit_vc_i);
  end

  logic [3:0] quiet = '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || s_q || x_q || match || credit_i) quiet <= '0;
    else if (quiet != '1) quiet <= quiet + 1'b1;
  end

  always_comb begin
    // A credit comes back only for a cell that was charged.
    credits_are_honest : assume (!credit_i || (rst_n && (credit_vc_i ? charged1 : charged0) != '0));
    buffer_never_overflows : assert (excess0 + excess1 <= Shared);
    vc0_bounded : assert (held0 <= Reserved + Shared);
    vc1_bounded : assert (held1 <= Reserved + Shared);
    if (quiet > 4'd4 && held0 == '0) empty_vc0_has_room : assert (room[1]);
    if (quiet > 4'd4 && held1 == '0) empty_vc1_has_room : assert (room[3]);
    if (quiet > 4'd4)
      used_is_what_is_held : assert (6'(used) == (credit_vc_i ? held1 : held0));
  end

endmodule

`default_nettype wire
