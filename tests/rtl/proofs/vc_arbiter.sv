// SPDX-License-Identifier: Apache-2.0
//
// xt_vc_arbiter against its rule, stated one class and one queue after the other. A class takes part if a
// queue of it is eligible. The first such class behind the class served last
// wins. In that class, the first eligible queue behind the queue served last wins. The choice has its own
// number and mark. A queue served in the last cycle takes no part. The choice of the next cycle does not know of a service yet.
// Nobody counts a service of a queue without a match.
`default_nettype none

module vc_arbiter_proof #(
  parameter int Queues = 4,
  parameter int Classes = 3,
  parameter logic [Queues*8-1:0] QueueClass = 32'h02010001
) (
  input logic              clk_i,
  input logic [Queues-1:0] eligible_i,
  input logic              served_i,
  input logic [Queues-1:0] alone_i  // a queue served without a match
);

  logic              rst_n = 1'b0;
  logic [Queues-1:0] pick;
  logic [       1:0] number;
  logic              any;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  wire served = served_i && any;
  logic [Queues-1:0] served_q;  // told a cycle later
  logic              matched_q;
  always_ff @(posedge clk_i) begin
    served_q  <= !rst_n ? '0 : served_i ? pick : alone_i & (~alone_i + 1'b1);
    matched_q <= rst_n && served_i;
  end
  xt_vc_arbiter #(
    .Queues    (Queues),
    .Classes   (Classes),
    .QueueClass(QueueClass)
  ) i_dut (
    .clk_i,
    .rst_ni  (rst_n),
    .eligible_i,
    .pick_o  (pick),
    .number_o(number),
    .any_o   (any),
    .served_i (served_q),
    .matched_i(matched_q)
  );

  // Behind the class served last, and behind the queue of each class served last: 4 bits each.
  logic [          3:0] next_class;
  logic [4*Classes-1:0] next_queue;

  logic [ Queues-1:0] expected;
  logic [        1:0] expected_number;
  logic               found;
  logic [Classes-1:0] turn;
  always_comb begin
    expected        = '0;
    expected_number = '0;
    found           = 1'b0;
    turn            = '0;
    for (int c = 0; c < 2 * Classes; c++) begin
      for (int q = 0; q < 2 * Queues; q++) begin
        if (!found && c >= 32'(next_class) && 32'(QueueClass[(q%Queues)*8+:8]) == c % Classes
            && q >= 32'(next_queue[(c%Classes)*4+:4]) && eligible_i[q%Queues] && !served_q[q%Queues]) begin
          found              = 1'b1;
          turn[c%Classes]    = 1'b1;
          expected[q%Queues] = 1'b1;
          expected_number    = 2'(q % Queues);
        end
      end
    end
  end
  logic [Classes-1:0] turn_q;  // of the service of the last cycle
  logic [        1:0] number_q;
  always_ff @(posedge clk_i) begin
    turn_q   <= (rst_n && served) ? turn : '0;
    number_q <= expected_number;
    if (!rst_n) begin
      next_class <= '0;
      next_queue <= '0;
    end else begin
      for (int c = 0; c < Classes; c++) begin
        if (turn_q[c]) begin
          next_class         <= (c == Classes - 1) ? '0 : 4'(c + 1);
          next_queue[c*4+:4] <= (number_q == 2'(Queues - 1)) ? '0 : 4'(number_q) + 1'b1;
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      choice_is_that_of_the_rule : assert (pick == expected);
      there_is_one : assert (any == found);
      number_is_its_own : assert (!found || number == expected_number);
    end
  end

endmodule

`default_nettype wire
