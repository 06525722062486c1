// SPDX-License-Identifier: Apache-2.0
//
// xt_islip yields a matching of the requests, by its own assertions. Every iteration adds a pair while an
// unmatched input requests an unmatched output. An output serves an input that gives way only if every other input that
// asks for the output is served too. A pair that requests steadily, of an input that does not give way, is served within
// a stated number of matchings.
`default_nettype none

module islip_proof #(
  parameter int Ports = 3,
  parameter int Iterations = 1
) (
  input logic                   clk_i,
  input logic [Ports*Ports-1:0] wanted_i,
  input logic [      Ports-1:0] input_free_i,
  input logic [      Ports-1:0] output_free_i,
  input logic [      Ports-1:0] gives_way_i
);

  logic                   rst_n = 1'b0;
  logic [Ports*Ports-1:0] match;
  logic [      Ports-1:0] matched;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  xt_islip #(
    .Inputs    (Ports),
    .Outputs   (Ports),
    .Iterations(Iterations)
  ) i_dut (
    .clk_i,
    .rst_ni (rst_n),
    .request_i(wanted_i),
    .input_free_i,
    .output_free_i,
    .gives_way_i,
    .match_o(match),
    .matched_o(matched)
  );

  // Requests that can be served.
  logic [Ports*Ports-1:0] request;
  always_comb begin
    for (int i = 0; i < Ports; i++) request[i*Ports+:Ports] = input_free_i[i] ? wanted_i[i*Ports+:Ports] & output_free_i : '0;
  end

  logic [Ports-1:0] input_matched, output_matched;
  logic [3:0]       pairs, unmatched;
  logic             overtaken;

  always_comb begin
    input_matched  = '0;
    output_matched = '0;
    pairs          = '0;
    unmatched      = '0;
    overtaken      = 1'b0;
    for (int i = 0; i < Ports; i++) begin
      for (int o = 0; o < Ports; o++) begin
        if (match[i*Ports+o]) begin
          input_matched[i]  = 1'b1;
          output_matched[o] = 1'b1;
          pairs             = pairs + 1'b1;
        end
      end
    end
    for (int i = 0; i < Ports; i++) begin
      for (int o = 0; o < Ports; o++) begin
        if (request[i*Ports+o] && !input_matched[i] && !output_matched[o]) unmatched = unmatched + 1'b1;
        for (int j = 0; j < Ports; j++) begin
          if (match[i*Ports+o] && gives_way_i[i] && request[j*Ports+o] && !gives_way_i[j] && !input_matched[j])
            overtaken = 1'b1;
        end
      end
    end
    if (rst_n) begin
      free_ones_are_matched : assert ((match & ~request) == '0);
      matched_inputs_are_told : assert (matched == input_matched);
      served_before_who_gives_way : assert (!overtaken);
      // Each iteration adds at least one pair as long as one can be added.
      if (unmatched != 0) every_iteration_adds_a_pair : assert (pairs >= Iterations);
    end
  end

  // Starvation, with requests that stay until they are served: a pair waits for less than
  // N^2 + (N-1)^2 matchings, the bound that McKeown 1999 states, and N more if the pointers stay in one of them. The input does
  // not give way. The others may, and the matchings count from the last change of that.
  (* anyconst *)logic [Ports*Ports-1:0] watched;
  logic [          7:0] age = '0;
  logic [Ports*Ports-1:0] pending = '0;  // asked and not served yet
  logic                 steady = 1'b1, asks, served, changed;
  logic [    Ports-1:0] gave_way_q = '0;
  assign changed = gave_way_q != gives_way_i;
  always_comb begin
    asks = 1'b0;
    for (int i = 0; i < Ports; i++)
      asks = asks | (!gives_way_i[i] && (request[i*Ports+:Ports] & watched[i*Ports+:Ports]) != '0);
  end
  assign served = (match & watched) != '0;

  always_ff @(posedge clk_i) begin
    pending <= rst_n ? request & ~match : '0;
    steady  <= steady && (pending & ~request) == '0;
    gave_way_q <= gives_way_i;
    age        <= (!rst_n || served || !asks || changed) ? '0 : age + 1'b1;
  end

  always_comb begin
    one_is_watched : assume (watched != '0 && (watched & (watched - 1'b1)) == '0);
    if (rst_n && steady && (pending & ~request) == '0 && asks && !served && !changed)
      bounded_wait : assert (age < Ports * Ports + (Ports - 1) * (Ports - 1) + Ports);
  end

endmodule

`default_nettype wire
