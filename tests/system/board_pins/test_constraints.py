# SPDX-License-Identifier: Apache-2.0
"""Constraints of all boards: ports and pins belong together, and seeded faults are seen."""

import re
import subprocess

import pytest

import boards
import check
from repository import ROOT

FAULTS = {
    "a pin twice": lambda text, first, second: text.replace(first, second, 1),
    "no pin": lambda text, first, second: "\n".join(line for line in text.splitlines() if first.rstrip() not in line.split("#")[0]),
    "a port that is not there": lambda text, first, second: text.replace("led[1]", "led[99]"),
}


@pytest.mark.parametrize("name", boards.names())
def test_every_port_has_a_pin_of_its_own(name):
    assert not list(check.problems(boards.Board(name)))


@pytest.mark.parametrize("name", boards.names())
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(name, fault):
    board = boards.Board(name)
    text = (ROOT / board.pins).read_text()
    located, _ = check.READERS[board.pins.suffix](text)
    marks = {".lpf": '"{}"', ".pcf": " {}\n", ".xdc": "PACKAGE_PIN {} "}[board.pins.suffix]
    changed = FAULTS[fault](text, marks.format(located[0][1]), marks.format(located[1][1]))
    assert changed != text
    assert list(check.problems(board, changed))


def lint(board, profile, **parameters):
    """Verilator's view of a board's top with the cards of a profile."""
    values = [f"-G{name}={value}" for name, value in {**board.parameters, **parameters}.items()]
    sources = boards.with_standins(board.sources(profile), generated_only=True)
    return subprocess.run(["verilator", "--lint-only", "-Wall", "-Wno-VARHIDDEN", "-Wno-SYNCASYNCNET", "-DXT_SIMULATION", "--top-module", board.top,
                           *values, *sources], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name, profile", [(name, profile) for name in boards.names() for profile in boards.Board(name).profiles])
def test_a_profile_with_parameters_of_its_own(name, profile):
    board = boards.Board(name, profile)
    assert board.parameters != boards.Board(name).parameters
    done = lint(board, profile)
    assert done.returncode == 0, done.stderr


PORTS_OF_LINKS = [("extoll", 1, 6, [0, 1, 2, 3, 4, 5]), ("extoll", 1, 4, [0, 1, 2, 3]), ("node", 2, 6, [0, 1, 2, 4, 5, 6]),
                  ("node", 2, 4, [0, 1, 2, 4]), ("node", 2, 8, [0, 1, 2, 4, 5, 6]), ("node", 1, 8, [0, 1, 2, 3]), ("mini", 2, 6, [])]


@pytest.mark.parametrize("profile, cards, links, ports", PORTS_OF_LINKS)
def test_ports_of_links(tmp_path, profile, cards, links, ports):
    """The ports at pins, card * link ports + port, and the link of each: no internal port of a twin node (port 3 of `node`) is among them."""
    each = "".join(f'$display("%0d", i_top.g_port[{port}].L); ' for port in ports)
    (tmp_path / "bench.sv").write_text(f"""module bench;
  xt_board_top #(.Cards({cards}), .Links({links}), .Wires(3)) i_top ();
  initial begin $display("%b", i_top.AtPins); {each}$finish; end
endmodule
""")
    # A node of ports only.
    header = re.match(r".*?\n\);\n", (ROOT / "rtl/board/xt_node.sv").read_text(), re.S).group(0)
    (tmp_path / "xt_node.sv").write_text(header + "endmodule\n")
    parts = [f"rtl/generated/{profile}/xt_pkg.sv", "rtl/board/xt_board_top.sv", "rtl/board/xt_phase_stepper.sv", "rtl/board/xt_board_reset.sv",
             "rtl/board/xt_phy_pins.sv"]
    subprocess.run(["iverilog", "-g2012", "-DXT_SIMULATION", "-s", "bench", "-o", tmp_path / "bench", *parts, tmp_path / "xt_node.sv",
                    tmp_path / "bench.sv"], cwd=ROOT, check=True, capture_output=True)
    at_pins, *found = subprocess.run(["vvp", tmp_path / "bench"], check=True, capture_output=True, text=True).stdout.split()
    assert [port for port, bit in enumerate(reversed(at_pins)) if bit == "1"] == ports
    assert list(map(int, found)) == list(range(len(ports)))


@pytest.mark.parametrize("name, khz, says", [("ecpix5", 45000, "xt_ecpix5_has_a_clock_of_200_mhz_divided"),
                                             ("ulx3s", 24000, "xt_ulx3s_has_a_clock_of_120_mhz_divided_and_a_multiple_of_5_mhz"),
                                             ("ulx3s", 35000, "xt_ulx3s_has_a_clock_of_120_mhz_divided_and_a_multiple_of_5_mhz")])
def test_a_clock_that_the_board_lacks(name, khz, says):
    done = lint(boards.Board(name), "mini", ClockKhz=khz)
    assert done.returncode != 0 and says in done.stderr


def test_a_pin_that_the_package_lacks():
    board = next(one for one in map(boards.Board, boards.names()) if one.family == "ecp5")
    if check.package(board) is None:
        pytest.skip("no database of packages here; `make bitstream` brings it")
    text = (ROOT / board.pins).read_text()
    pin = check.lpf(text)[0][0][1]
    assert any("has no pin Z99" in problem for problem in check.problems(board, text.replace(f'"{pin}"', '"Z99"')))


@pytest.mark.parametrize("program", ["bitstream", "check", "program"])
def test_no_such_board(program):
    done = subprocess.run([ROOT / f"constraints/bitstream/{program}.py", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "hx8k" in done.stderr and len(done.stderr.splitlines()) == 1
