// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/// The 8b/10b code (A. X. Widmer and P. A. Franaszek, IBM Journal of Research and Development 27, 1983). Codes are written
/// as they are sent, a to j, the highest bit first. Disparity: 1, more ones than zeros were sent.
package xt_8b10b_code;
  // A package offers more than one design uses.
  // verilator lint_off UNUSEDPARAM

  // Six bits, a to i, for five, E to A, after disparity 0.
  function automatic logic [5:0] six_low(input logic [4:0] five);
    case (five)
      5'd0: six_low = 6'b100111;
      5'd1: six_low = 6'b011101;
      5'd2: six_low = 6'b101101;
      5'd3: six_low = 6'b110001;
      5'd4: six_low = 6'b110101;
      5'd5: six_low = 6'b101001;
      5'd6: six_low = 6'b011001;
      5'd7: six_low = 6'b111000;
      5'd8: six_low = 6'b111001;
      5'd9: six_low = 6'b100101;
      5'd10: six_low = 6'b010101;
      5'd11: six_low = 6'b110100;
      5'd12: six_low = 6'b001101;
      5'd13: six_low = 6'b101100;
      5'd14: six_low = 6'b011100;
      5'd15: six_low = 6'b010111;
      5'd16: six_low = 6'b011011;
      5'd17: six_low = 6'b100011;
      5'd18: six_low = 6'b010011;
      5'd19: six_low = 6'b110010;
      5'd20: six_low = 6'b001011;
      5'd21: six_low = 6'b101010;
      5'd22: six_low = 6'b011010;
      5'd23: six_low = 6'b111010;
      5'd24: six_low = 6'b110011;
      5'd25: six_low = 6'b100110;
      5'd26: six_low = 6'b010110;
      5'd27: six_low = 6'b110110;
      5'd28: six_low = 6'b001110;
      5'd29: six_low = 6'b101110;
      5'd30: six_low = 6'b011110;
      default: six_low = 6'b101011;
    endcase
  endfunction

  /// More ones than zeros, or as many and the same as before.
  function automatic logic after_six(input logic [5:0] six, input logic disparity);
    after_six = ($countones(six) > 3) || ($countones(six) == 3 && disparity);
  endfunction

  /// Disparity after four bits.
  function automatic logic after_four(input logic [3:0] four, input logic disparity);
    after_four = ($countones(four) > 2) || ($countones(four) == 2 && disparity);
  endfunction

  /// The six bits of a byte, or of a control character.
  function automatic logic [5:0] six(input logic [4:0] five, input logic control, input logic disparity);
    logic [5:0] low;
    low = (control && five == 5'd28) ? 6'b001111 : six_low(five);
    // A code with more ones than zeros is inverted; so is D.7, which is balanced but has three ones in a row.
    six = (disparity && (after_six(low, 1'b0) || five == 5'd7)) ? ~low : low;
  endfunction

  /// The four bits behind them.
  function automatic logic [3:0] four(
      input logic [7:0] data, input logic control, input logic disparity);
    logic [3:0] low;
    logic alternate;
    alternate = control | (disparity ? (data[4:0] == 5'd11 || data[4:0] == 5'd13 || data[4:0] == 5'd14)
                                     : (data[4:0] == 5'd17 || data[4:0] == 5'd18 || data[4:0] == 5'd20));
    case (data[7:5])
      3'd0: low = 4'b1011;
      3'd1: low = control ? 4'b0110 : 4'b1001;
      3'd2: low = control ? 4'b1010 : 4'b0101;
      3'd3: low = 4'b1100;
      3'd4: low = 4'b1101;
      3'd5: low = control ? 4'b0101 : 4'b1010;
      3'd6: low = control ? 4'b1001 : 4'b0110;
      default: low = alternate ? 4'b0111 : 4'b1110;
    endcase
    four = (disparity && (control || after_four(low, 1'b0) || data[7:5] == 3'd3)) ? ~low : low;
  endfunction

  /// The code of a byte, or of a control character.
  function automatic logic [9:0] encode(input logic [7:0] data, input logic control, input logic disparity);
    logic [5:0] head;
    head   = six(data[4:0], control, disparity);
    encode = {head, four(data, control, after_six(head, disparity))};
  endfunction

  /// Disparity behind a code.
  function automatic logic after(input logic [9:0] code, input logic disparity);
    after = after_four(code[3:0], after_six(code[9:4], disparity));
  endfunction

  /// The only candidate for a code: control character in bit 8, and byte. `encode` tells whether the candidate fits.
  function automatic logic [8:0] guess(input logic [9:0] code);
    logic [5:0] low;
    logic [4:0] five;
    logic [2:0] three;
    logic control;
    control = code[9:4] == 6'b001111 || code[9:4] == 6'b110000;
    five    = 5'd28;
    for (int i = 0; i < 32; i++) begin
      low = six_low(5'(i));
      if (code[9:4] == low || (code[9:4] == ~low && ($countones(low) != 3 || i == 7))) five = 5'(i);
    end
    if ((five == 5'd23 || five == 5'd27 || five == 5'd29 || five == 5'd30) && (code[3:0] == 4'b1000 || code[3:0] == 4'b0111))
      control = 1'b1;
    case (code[3:0])
      4'b1011, 4'b0100: three = 3'd0;
      // Control characters have the complement after 110000.
      4'b1001: three = (control && code[9:4] == 6'b110000) ? 3'd6 : 3'd1;
      4'b0110: three = (control && code[9:4] == 6'b110000) ? 3'd1 : 3'd6;
      4'b0101: three = (control && code[9:4] == 6'b110000) ? 3'd5 : 3'd2;
      4'b1010: three = (control && code[9:4] == 6'b110000) ? 3'd2 : 3'd5;
      4'b1100, 4'b0011: three = 3'd3;
      4'b1101, 4'b0010: three = 3'd4;
      default: three = 3'd7;
    endcase
    guess = {control, three, five};
  endfunction

  // ---------------------------------------------------------------- words of xt_phy_code_tx
  /// K28.5, which begins an idle word, and nothing else has its first seven bits.
  localparam logic [7:0] Comma = 8'hbc;
  /// K27.7, which begins a frame.
  localparam logic [7:0] Start = 8'hfb;
  /// This end receives. The complement: this end does not.
  localparam logic [7:0] Ready = 8'hb5;

  /// Eight steps of the sequence x^15 + x^14 + 1.
  function automatic logic [14:0] random_next(input logic [14:0] state);
    random_next = state;
    for (int i = 0; i < 8; i++) random_next = {random_next[13:0], random_next[14] ^ random_next[13]};
  endfunction

  /// The bits that they give.
  function automatic logic [7:0] random_byte(input logic [14:0] state);
    random_byte = 8'(random_next(state));
  endfunction

  /// The state after received bits: they become the lowest bits. After two bytes the state equals the sender's.
  function automatic logic [14:0] random_follow(input logic [6:0] state, input logic [7:0] data);
    random_follow = {state, data};
  endfunction

  // verilator lint_on UNUSEDPARAM
endpackage

`default_nettype wire
