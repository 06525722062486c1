// SPDX-License-Identifier: Apache-2.0
//
// xt_credit_counter against a buffer with a count of its own. Packets and credits come in any order, and the
// link may go down and up at any time.
// - No VC, and not all VCs together, ever exceed the buffer.
// - Every VC keeps its reserve.
// - A VC with all cells credited has room for the longest packet.
// - After a restart the whole buffer is free.
//
// Packets start as in the switch, with its delays. Margin must cover these delays.
`default_nettype none

module credit_counter_proof #(
  parameter int Margin = 5,
  parameter int Reserved = 9,
  parameter int Shared = 3,
  parameter bit Sums = 1'b1
) (
  input logic       clk_i,
  input logic       wants_i,  // start a packet if there is room
  input logic       wants_vc_i,
  input logic [1:0] wants_len_i,
  input logic       credit_i,
  input logic       credit_vc_i,
  input logic       fails_i,  // the link goes down
  input logic       settles_i,  // it is about to come back
  input logic [2:0] room_i
);

  localparam int Classes = 2;
  localparam int CountBits = $clog2(Reserved + Shared + 1);
  localparam int CreditOkBits = 2;
  localparam logic [Classes*8-1:0] LengthClass = {8'd4, 8'd2};

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ---------------------------------------------------------------- the link
  // Before it comes back no packet starts for a while (the link holds them): 1 to 6. At 4 the restart, and
  // from the next cycle on what comes from the switch gets through.
  logic       down_q = 1'b0, down, restart;
  logic [2:0] settle_q = '0;
  assign restart = settle_q == 3'd4;
  assign down    = !restart && (down_q || (rst_n && fails_i && settle_q == '0));

  always_ff @(posedge clk_i) begin
    if (settle_q != '0) settle_q <= settle_q == 3'd6 ? '0 : settle_q + 1'b1;
    else if (down_q && settles_i) settle_q <= 3'd1;
    down_q <= down;
  end

  // ---------------------------------------------------------------- the switch
  // Request in cycle c-1 if there is room, match in c, first cell read in c+1, charge in c+2; the output is
  // busy until the last cell of the packet is read. To a link that is down packets go without room, and
  // uncharged.
  logic [2*CreditOkBits-1:0] credit_ok, credit_ok_q = '0;
  logic [CountBits-1:0] used;
  logic [2*CountBits-1:0] used_all;
  logic                 busy, outstanding, crowded;
  logic                 match, s_q = 1'b0, x_q = 1'b0, consume;
  logic                 s_vc_q, x_vc_q;
  logic [          1:0] s_len_q, x_len_q, left_q = '0;

  assign match  = rst_n && wants_i && left_q == '0 && settle_q == '0
                && credit_ok_q[wants_vc_i*CreditOkBits+:CreditOkBits] > CreditOkBits'(wants_len_i > 2'd1);
  assign consume = x_q && !down_q;

  always_ff @(posedge clk_i) begin
    credit_ok_q <= rst_n ? credit_ok : '0;
    s_q         <= match;
    s_vc_q      <= wants_vc_i;
    s_len_q     <= wants_len_i;
    x_q         <= s_q;
    x_vc_q      <= s_vc_q;
    x_len_q     <= s_len_q;
    if (match) left_q <= wants_len_i;
    else if (left_q != '0) left_q <= left_q - 1'b1;
  end

  xt_credits #(
    .Vcs        (2),
    .Reserved   (Reserved),
    .Shared     (Shared),
    .Sums       (Sums),
    .LenBits    (2),
    .Classes    (Classes),
    .LengthClass(LengthClass),
    .Margin     (Margin),
    .CountBits  (CountBits)
  ) i_dut (
    .clk_i,
    .rst_ni       (rst_n),
    .restart_i    (restart),
    .down_i       (down_q),
    .room_i       (16'(room_i)),
    .consume_i    (consume),
    .consume_vc_i (x_vc_q),
    .consume_len_i(x_len_q),
    .credit_i     (credit_i),
    .credit_vc_i  (credit_vc_i),
    .credit_ok_o  (credit_ok),
    .read_vc_i    (credit_vc_i),
    .read_used_o  (used),
    .used_o       (used_all),
    .outstanding_o(outstanding),
    .crowded_o    (crowded),
    .busy_o       (busy)
  );

  // ---------------------------------------------------------------- the buffer behind the link
  // Cells charged and not credited, and with those that are promised to it since the match.
  logic [5:0] used0 = '0, used1 = '0;
  logic [5:0] held0, held1, excess0, excess1;
  logic       credit0_q = 1'b0, credit1_q = 1'b0;
  logic [2:0] fresh0_q = '0, fresh1_q = '0;  // charged in the last cycle
  assign held0   = used0 + (s_q && !s_vc_q ? 6'(s_len_q) + 1'b1 : '0) + (x_q && !x_vc_q ? 6'(x_len_q) + 1'b1 : '0);
  assign held1   = used1 + (s_q && s_vc_q ? 6'(s_len_q) + 1'b1 : '0) + (x_q && x_vc_q ? 6'(x_len_q) + 1'b1 : '0);
  assign excess0 = held0 > Reserved ? held0 - Reserved : '0;
  assign excess1 = held1 > Reserved ? held1 - Reserved : '0;

  // No match, charge, credit or restart for a while.
  logic [2:0] quiet = '0;
  logic       restarted_q = 1'b0, restarted_qq = 1'b0;

  always_ff @(posedge clk_i) begin
    if (restart) begin
      used0 <= '0;
      used1 <= '0;
    end else begin
      used0 <= used0 + (consume && !x_vc_q ? 6'(x_len_q) + 1'b1 : '0) - 6'(credit_i && !credit_vc_i);
      used1 <= used1 + (consume && x_vc_q ? 6'(x_len_q) + 1'b1 : '0) - 6'(credit_i && credit_vc_i);
    end
    fresh0_q     <= (consume && !x_vc_q && !restart) ? 3'(x_len_q) + 1'b1 : '0;
    fresh1_q     <= (consume && x_vc_q && !restart) ? 3'(x_len_q) + 1'b1 : '0;
    credit0_q    <= credit_i && !credit_vc_i && !restart;
    credit1_q    <= credit_i && credit_vc_i && !restart;
    restarted_q  <= restart;
    restarted_qq <= restarted_q;
    if (!rst_n || s_q || x_q || match || credit_i || restart) quiet <= '0;
    else if (quiet != '1) quiet <= quiet + 1'b1;
  end

  always_comb begin
    // A credit comes back only for a cell that was charged.
    credits_are_honest : assume (!credit_i || (rst_n && (credit_vc_i ? used1 : used0) != '0));
    if (rst_n) begin
      if (!down_q) begin
        // The excess over the reserves fits into the shared cells: nobody's reserve is lent.
        buffer_never_overflows : assert (excess0 + excess1 <= Shared);
        vc0_bounded : assert (held0 <= Reserved + Shared);
        vc1_bounded : assert (held1 <= Reserved + Shared);
      end
      used0_exact : assert (6'(used_all[CountBits-1:0]) == used0 + 6'(credit0_q) - 6'(fresh0_q));
      used1_exact : assert (6'(used_all[2*CountBits-1:CountBits]) == used1 + 6'(credit1_q) - 6'(fresh1_q));
      read_is_used : assert (used == (credit_vc_i ? used_all[2*CountBits-1:CountBits] : used_all[CountBits-1:0]));
      outstanding_is_told : assert (outstanding == (used_all != '0));
      if (restarted_q) restart_frees_all : assert (used_all == '0);
      if (restarted_qq) restart_gives_room : assert (credit_ok[CreditOkBits-1] && credit_ok[2*CreditOkBits-1]);
      if (quiet > 3'd3) begin
        if (used0 == '0) empty_vc0_has_credit : assert (credit_ok[CreditOkBits-1]);
        if (used1 == '0) empty_vc1_has_credit : assert (credit_ok[2*CreditOkBits-1]);
        idle_is_told : assert (!busy);
      end
    end
  end

endmodule

`default_nettype wire
