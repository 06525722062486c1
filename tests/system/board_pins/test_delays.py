# SPDX-License-Identifier: Apache-2.0
"""Delays at pins: every pin has one or rests, the figures are those of the data sheets, and a pin that is left out is found."""

import re
import subprocess

import pytest

import boards
import check
from processor_time import limited
from repository import ROOT

PINS = ROOT / "constraints/pins"
NEXYS = boards.Board("nexysvideo")
# The interpreter is that of yosys. A command writes its words, a collection is the list of its names.
COMMANDS = r"""
proc get_ports {names} { return $names }
foreach name {get_pins get_nets} { proc $name args { return [lindex $args end] } }
foreach name {set_property create_clock create_generated_clock set_false_path set_input_delay set_output_delay} {
  proc $name args "puts \[join \[list @ $name {*}\$args\] |\]"
}
"""
BOTH_BOUNDS = {"max", "min"}


def told(text, folder):
    """[(command, words)] of a file of constraints."""
    (folder / "told.tcl").write_text(COMMANDS + text)
    done = subprocess.run(["yosys", "-q", "-c", folder / "told.tcl"], capture_output=True, text=True, **limited(60))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines() if line.startswith("@|")]
    return [(words[1], words[2:]) for words in lines]


def named(words, ports):
    """The bits of ports that the last word names; a star is every bit."""
    bits = set()
    for name in words[-1].split():
        shape = re.escape(name).replace(r"\*", r"\d+")
        found = {bit for bit in ports if re.fullmatch(shape, bit)}
        assert found, f"the top has no port {name}"
        bits |= found
    return bits


def delays(constraints, ports):
    """{bit: {(way, bound, edge of the clock): ns}}, and {bit: ways} of those that rest or are clocks."""
    timed, free = {}, {}
    for command, words in constraints:
        if command in ("set_input_delay", "set_output_delay"):
            way, edge = command.split("_")[1], "fall" if "-clock_fall" in words else "rise"
            (bound,) = (word[1:] for word in words if word in ("-max", "-min"))
            for bit in named(words, ports):
                timed.setdefault(bit, {})[way, bound, edge] = float(words[words.index("-" + bound) + 1])
        elif command in ("create_clock", "create_generated_clock", "set_false_path"):
            way = "output" if "-to" in words or command == "create_generated_clock" else "input"
            for bit in named(words, ports):
                free.setdefault(bit, set()).add(way)
    return timed, free


def untimed(constraints, ports):
    """What has no delay, in sentences. Lanes of links change at both edges."""
    timed, free = delays(constraints, ports)
    for bit, direction in ports.items():
        for way in {"input", "output"} if direction == "inout" else {direction}:
            for edge in ("rise", "fall") if "link_data" in bit else ("rise",):
                there = {bound for (w, bound, e) in timed.get(bit, {}) if (w, e) == (way, edge)}
                if there != BOTH_BOUNDS and way not in free.get(bit, set()):
                    yield f"{bit} has no {way} delay of the clock's {edge}"


def ports_of(board):
    return check.ports((ROOT / board.folder / f"{board.top}.sv").read_text())


def variables(board):
    """{file of constraints/pins: [{variable: value}]} of a board's top, each as its head says."""
    ports = ports_of(board)

    def bits(name):
        return [bit for bit in ports if re.fullmatch(rf"{name}(\[\d+\])?", bit)]

    found = {"ulpi": [], "ft245": [], "link": []}
    if "ulpi_clk" in ports:
        found["ulpi"] = [{"ulpi_clk": "c", "ulpi_in": "ulpi_dir ulpi_nxt", "ulpi_out": "ulpi_stp", "ulpi_data": " ".join(bits("ulpi_data")), "ulpi_wire": 0.5}]
    if "fifo_clk" in ports:
        found["ft245"] = [{"ft245_clk": "c", "ft245_in": "fifo_rxf_n fifo_txe_n", "ft245_out": "fifo_rd_n fifo_wr_n fifo_oe_n",
                           "ft245_data": " ".join(bits("fifo_data")), "ft245_wire": 0.5}]
    lanes = len(bits("link_data_i")) // max(len(bits("link_clk_i")), 1)
    for link in range(len(bits("link_clk_i"))):
        way = {way: " ".join(bits(f"link_data_{way[0]}")[lanes * link:lanes * (link + 1)]) for way in ("in", "out")}
        found["link"].append({"link_bit": 500000 / board.clock_khz, "link_clk_in": "c", "link_in": way["in"], "link_clk_out": "d", "link_out": way["out"]})
    return found


def general(board, leave_out=None):
    """The text of constraints/pins for a board. `leave_out` is dropped from the variables."""
    text = []
    for file, links in variables(board).items():
        for values in links:
            text += [f"set {name} {{{' '.join(w for w in str(value).split() if w != leave_out)}}}" for name, value in values.items()]
            text.append((PINS / f"{file}.sdc").read_text())
    return "\n".join(text)


def at_front_end_or_link(ports):
    return {bit: way for bit, way in ports.items() if re.match(r"(ulpi|fifo|link)_", bit) and not re.search(r"_clk|_rst|_spi|_siwu", bit)}


def test_every_pin_of_a_board_with_such_a_tool_has_a_delay(tmp_path):
    assert [board.pins.suffix for board in map(boards.Board, boards.names())].count(".xdc") == 1
    assert list(untimed(told((ROOT / NEXYS.pins).read_text(), tmp_path), ports_of(NEXYS))) == []


def test_a_constraint_or_a_pin_that_is_left_out_is_found(tmp_path):
    text, ports = (ROOT / NEXYS.pins).read_text(), ports_of(NEXYS)
    lines = [line for line in text.splitlines() if re.match(r"(set_(input|output)_delay|set_false_path|create_\w*clock)", line)]
    for line in lines:
        assert list(untimed(told(text.replace(line + "\n", ""), tmp_path), ports)), line
    for pin in ("fifo_rxf_n", "fifo_wr_n", "link_data_i[4]", "link_data_o[0]", "uart_rx"):
        changed = re.sub(rf"(?m)^(set (?:fifo|link)\S*|set_false_path.*) (.*){re.escape(pin)}", r"\1 \2", text)
        changed = changed.replace("{" + pin + " ", "{") if changed == text else changed
        assert changed != text and any(pin in said for said in untimed(told(changed, tmp_path), ports)), pin
    with pytest.raises(AssertionError, match="the top has no port fifo_rxf"):
        list(untimed(told(text.replace("{fifo_rxf_n", "{fifo_rxf"), tmp_path), ports))


@pytest.mark.parametrize("name", [name for name in boards.names() if any(variables(boards.Board(name)).values())])
def test_the_general_files_name_every_pin_of_front_ends_and_links(name, tmp_path):
    board = boards.Board(name)
    ports = at_front_end_or_link(ports_of(board))
    assert list(untimed(told(general(board), tmp_path), ports)) == []
    pin = next(iter(ports))
    assert any(pin in said for said in untimed(told(general(board, leave_out=pin), tmp_path), ports))


def test_the_board_has_the_delays_of_the_general_files(tmp_path):
    ports = at_front_end_or_link(ports_of(NEXYS))
    ours, free = delays(told((ROOT / NEXYS.pins).read_text(), tmp_path), ports_of(NEXYS))
    assert ours == delays(told(general(NEXYS), tmp_path), ports)[0]


def test_the_figures_of_the_data_sheets(tmp_path):
    """FT_000288, table 4.1, and ULPI 1.1: the slowest output, setup and two wires, hold. A link's bit begins half a bit before its edge."""
    for name, pin, late, setup in (("nexysvideo", "fifo_data[3]", 9.0, 7.5), ("ecpix5", "ulpi_data[3]", 9.0, 6.0)):
        board = boards.Board(name)
        timed, _ = delays(told(general(board), tmp_path), at_front_end_or_link(ports_of(board)))
        assert timed[pin] == {("input", "max", "rise"): late, ("input", "min", "rise"): 0.0,
                              ("output", "max", "rise"): setup + 1.0, ("output", "min", "rise"): 0.0}
        bit = 500000 / board.clock_khz
        for edge in ("rise", "fall"):
            first, last = (timed["link_data_i[0]"]["input", bound, edge] for bound in ("min", "max"))
            assert first + last == bit and 0 < first < last < bit
            before, after = (timed["link_data_o[0]"]["output", bound, edge] for bound in ("max", "min"))
            # What the sender may be late, and what the cable may add, is what the receiver expects.
            assert before == -after and bit / 2 - before + bit / 8 == last - bit / 2
