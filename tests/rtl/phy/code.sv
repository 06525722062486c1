// SPDX-License-Identifier: Apache-2.0
//
// Says what xt_8b10b_code does: a line `encode CONTROL BYTE DISPARITY CODE DISPARITY` for each byte and control character, and
// `decode CODE DISPARITY CONTROL BYTE` for each code that it takes.
`default_nettype none

module code;
  logic [9:0] said;
  logic [8:0] guess;

  function automatic logic is_character(input logic [7:0] data);
    is_character = data[4:0] == 5'd28 || (data[7:5] == 3'd7
                   && (data[4:0] == 5'd23 || data[4:0] == 5'd27 || data[4:0] == 5'd29 || data[4:0] == 5'd30));
  endfunction

  initial begin
    for (int control = 0; control < 2; control++) begin
      for (int data = 0; data < 256; data++) begin
        for (int disparity = 0; disparity < 2; disparity++) begin
          said = xt_8b10b_code::encode(data[7:0], control[0], disparity[0]);
          if (control == 0 || is_character(data[7:0]))
            $display("encode %0d %0d %0d %b %0d", control, data, disparity, said, xt_8b10b_code::after(said, disparity[0]));
        end
      end
    end
    for (int c = 0; c < 1024; c++) begin
      for (int disparity = 0; disparity < 2; disparity++) begin
        guess = xt_8b10b_code::guess(c[9:0]);
        if (xt_8b10b_code::encode(guess[7:0], guess[8], disparity[0]) == c[9:0])
          $display("decode %b %0d %0d %0d", c[9:0], disparity, guess[8], guess[7:0]);
      end
    end
  end
endmodule

`default_nettype wire
