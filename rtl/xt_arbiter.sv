// SPDX-License-Identifier: Apache-2.0
//
// Round-robin choice without its pointer: in each group of requesters the one wins that comes first behind
// the requester served last in that group, cyclically. Who was served last is the caller's to keep.
//
// Fairness: the caller's, by when it moves last_i.
// Cost and latency: whether j comes before i is a function of last_i alone; behind it every requester looks at
// all others at once, two levels of logic for up to seven requesters in a group.
`default_nettype none

module xt_arbiter #(
  /// Number of requesters.
  parameter int Width = 4,
  /// Group of each requester, 8 bits each, requester 0 in the low bits.
  parameter logic [Width*8-1:0] Group = '0
) (
  /// Requests.
  input  logic [Width-1:0] request_i,
  /// Served last: exactly one of each group. Nobody looks at the only one of a group.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Width-1:0] last_i,
  // verilator lint_on UNUSEDSIGNAL
  /// Winners: one of each group that requests.
  output logic [Width-1:0] grant_o
);

  // The group that requester i belongs to.
  function automatic logic [Width-1:0] group_of(input int i);
    for (int k = 0; k < Width; k++) group_of[k] = Group[k*8+:8] == Group[i*8+:8];
  endfunction
  // Of the group of requester `from`, those from it on up to but without requester `to`.
  function automatic logic [Width-1:0] stretch(input int from, input int to);
    for (int k = 0; k < Width; k++) stretch[k] = k >= from && k < to && Group[k*8+:8] == Group[from*8+:8];
  endfunction

  for (genvar i = 0; i < Width; i++) begin : g_requester
    localparam logic [Width-1:0] Members = group_of(i);
    logic [Width-1:0] ahead;  // requesters that come before i
    for (genvar j = 0; j < Width; j++) begin : g_other
      // The higher one of two comes first if the last one served lies between them. As exactly one of the group
      // was served last, it is not between them if it is elsewhere, where that is less to look at.
      localparam logic [Width-1:0] Between = (i < j) ? stretch(i, j) : stretch(j, i);
      localparam logic [Width-1:0] Elsewhere = Members & ~Between;
      if (i == j || !Members[j]) begin : g_none
        assign ahead[j] = 1'b0;
      end else if ($countones(Between) <= $countones(Elsewhere)) begin : g_between
        assign ahead[j] = ((last_i & Between) != '0) == (j > i);
      end else begin : g_elsewhere
        assign ahead[j] = ((last_i & Elsewhere) == '0) == (j > i);
      end
    end
    assign grant_o[i] = request_i[i] & ((request_i & ahead) == '0);
  end

endmodule

`default_nettype wire
