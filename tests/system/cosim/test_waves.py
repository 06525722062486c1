# SPDX-License-Identifier: Apache-2.0
"""Wave files, and what viewers show of them: signals that are there, states and packets by name."""

import csv
import json
import re
import shutil
import subprocess

import pytest

from hardware_venv import program
from processor_time import limited
from repository import ROOT
from surfer_documents import FORMATS, items_of, mapping_of

FILTER = ROOT / "sim/cosim/wave_packets.py"
LAYOUT = {"destination": [0, 8], "source": [8, 8], "length": [16, 2], "tc": [18, 1], "nics": 1, "unit_bits": 0,
          "cards": {"3": 0, "4": 1, "5": 2}}


def header(source, destination, cells, tc=0):
    return tc << 18 | cells - 1 << 16 | source << 8 | destination


def trace(cycles, arguments="valid first 2 header", end=100):
    """What GTKWave sends: (cycle, valid, first, header) from each change on."""
    lines = ["$comment data_start 0x1 $end", "$comment name packets $end", "$timescale 1ps $end", "$comment min_time 0 $end",
             f"$comment max_time {end} $end", "$comment max_seqn 3 $end", f'$comment args "{arguments}" $end',
             "$comment seqn 1 card0.i_link.valid $end", "$comment seqn 2 card0.first[4:0] $end",
             "$comment seqn 3 card0.header[31:0] $end", "$enddefinitions $end", "#0", "$dumpvars", "x1", "bxxxxx 2", "bx 3", "$end"]
    for cycle, valid, first, word in cycles:
        lines += [f"#{2 * cycle}", f"{valid}1", f"b{first << 2:05b} 2", f"b{word:032b} 3"]
    return "\n".join([*lines, f"#{end}", "$comment data_end 0x1 $end"]) + "\n"


def names(folder, text, layout=LAYOUT):
    """[[(time, name)]] of each trace, by the filter as GTKWave runs it."""
    shutil.copy(FILTER, folder / "packets.py")
    (folder / "packets.json").write_text(json.dumps(layout))
    done = subprocess.run([folder / "packets.py"], input=text, capture_output=True, text=True, check=True, **limited(30))
    assert done.stdout.count("$finish\n") == text.count("data_end")
    return [[(int(time), name) for time, name in re.findall(r"^#(\d+) ?(.*)$", part, re.M)]
            for part in done.stdout.split("$finish\n")[:-1]]


def test_packets_have_names(tmp_path):
    long, short = header(3, 4, 3, tc=1), header(5, 9, 1)
    # A tail without its head; three cells with a gap of two cycles; two equal packets of a cell each, cycle after cycle.
    (found,) = names(tmp_path, trace([(2, 1, 0, 7), (3, 0, 0, 7), (5, 1, 1, long), (6, 0, 0, 0), (8, 1, 0, 1), (10, 1, 1, short), (12, 0, 1, 0)]))
    assert found == [(10, "card 0 > card 1 TC1 3 cells"), (20, ""), (20, "card 2 > address 9 TC0 1 cells"), (22, ""),
                     (22, "card 2 > address 9 TC0 1 cells"), (24, "")]


def test_packets_of_two_traces(tmp_path):
    first, second = names(tmp_path, trace([(1, 1, 1, header(3, 3, 1))], end=6) + trace([], end=6))
    assert [name for _, name in first if name] == ["card 0 > card 0 TC0 1 cells"] * 3 and not second


def test_packets_of_cards_with_several_nics(tmp_path):
    layout = {**LAYOUT, "nics": 4, "unit_bits": 2, "cards": {"8": 0, "12": 1}}
    (found,) = names(tmp_path, trace([(1, 1, 1, header(9, 15, 1)), (2, 0, 0, 0)]), layout)
    assert found[0] == (2, "card 0.1 > card 1.3 TC0 1 cells")


def build(profile):
    subprocess.run(["make", "-s", "-C", ROOT, f"build/plugins/extorus-cosim-{profile}-trace.so"], check=True, stdout=subprocess.DEVNULL)


def tool(name):
    found = shutil.which(name)
    assert found, f"no {name}: run .ci/setup .ci/packages-waves"
    return found


def read_wave(path, wanted=()):
    """{signal: (bits, identifier)} of a wave file by GTKWave's own reader, and {identifier: [(time, value)]} of `wanted`."""
    text = subprocess.run([tool("fst2vcd"), path], capture_output=True, text=True, check=True, **limited(60)).stdout
    scopes, signals = [], {}
    head, _, body = text.partition("$enddefinitions $end\n")
    for words in map(str.split, head.splitlines()):
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            width, index = int(words[2]), "".join(words[5:-1])
            # As GTKWave names a vector of one wire.
            signals[".".join([*scopes, words[4]]) + ("[0]" if index == "[0:0]" else index)] = width, words[3]
    changes, time = {signals[name][1]: [] for name in wanted}, 0
    for line in body.splitlines() if wanted else ():
        value, identifier = line[1:].split(" ") if line[:1] == "b" else (line[:1], line[1:])
        if line[:1] == "#":
            time = int(line[1:])
        elif identifier in changes:
            changes[identifier].append((time, value))
    return signals, changes


def shown(save):
    """The signals of a save file of GTKWave, those of `sim --wave` in a group of each card and port."""
    found, groups = [], []
    for line in save.splitlines():
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif line.startswith("-"):
            if flags & 0x800000:
                groups.append(line[1:])
            elif flags & 0x1000000:
                assert groups.pop() == line[1:]
        elif line.startswith(("+{", "#{")):
            label, _, paths = line[2:].partition("} ")
            found += [(tuple(groups), label, re.sub(r"^\(\d+\)", "", path)) for path in paths.split()]
    assert not groups
    return found


def missing(save, commands, signals):
    """What the files of a view name and the wave file lacks."""
    named = {path for _, _, path in shown(save)}
    without_range = {re.sub(r"\[[0-9:]*\]$", "", signal) for signal in signals}
    added = set(re.findall(r"^variable_add (.*)$", commands, re.M))
    return {path for path in named if path not in signals} | {path for path in added if path not in without_range}


@pytest.fixture
def waves(extorus, network):
    """waves(profile) runs a torus of nine cards; the wave of two, and the log of all packets."""

    def run(profile, *words):
        build(profile)
        image = network("torus:3x3", profile)
        extorus("sim", image, "--load", "0.3", "--warmup", "0", "--measure", "300", "--wave", "out.fst", "--wave-cards", "0,5",
                "--packet-log", "log.csv", *words)
        return extorus.folder

    return run


@pytest.mark.long
def test_waves(extorus, network):
    """An FST file with the cycles that were asked for; the run is as without."""
    build("mini")
    image = network("torus:4x4", "mini")
    traced = extorus("sim", image, "--load", "0.2", "--measure", "500", "--wave", "out.fst", "--wave-cards", "0,5",
                     "--wave-from", "100", "--wave-to", "299")
    data = (extorus.folder / "out.fst").read_bytes()
    assert data[0] == 0  # header block: length, start time, end time; two steps of time per cycle
    assert int.from_bytes(data[9:17], "big") == 200 and int.from_bytes(data[17:25], "big") == 599
    plain = extorus("sim", image, "--load", "0.2", "--measure", "500")
    assert traced.splitlines()[:-1] == plain.splitlines()[:-1]


@pytest.mark.long
@pytest.mark.parametrize("profile, ports", (("mini", 5), ("node", 5), ("extoll10", 10)))
def test_views_name_what_is_in_the_wave(waves, profile, ports):
    """Without a link layer, with one, and with four NICs a card."""
    folder = waves(profile)
    save, commands = (folder / "out.gtkw").read_text(), (folder / "out.names/view.sucl").read_text()
    signals, _ = read_wave(folder / "out.fst")
    assert not missing(save, commands, signals)
    groups = {groups for groups, _, _ in shown(save)}
    assert {group[0] for group in groups} == {"card 0", "card 5"} and len(groups) == 2 * (1 + ports)
    assert any("to card" in group[-1] for group in groups) and not list(folder.rglob("*tmp")) + list(folder.glob("*.part*"))
    for path in re.findall(r"^\^<?[1-9] (.*)$", save, re.M):
        assert (folder / path).is_file() and path.startswith(str(folder.resolve()))
    assert ("i_link.state_o[1:0]" in save) == (profile == "node")
    # Seeded: a signal by another name, in each file, is seen.
    nics = 4 if profile == "extoll10" else 1
    assert len(missing(save.replace("rx_valid_o", "rx_valid"), commands, signals)) == 2 * (ports - nics)
    assert len(missing(save, commands.replace("tvalid_i", "tvalid"), signals)) == 2 * nics


def wellen(path):
    """{variable: bits} of a wave file by wellen, by which Surfer reads it."""
    code = ("import json, pywellen, sys; wave = pywellen.Waveform(sys.argv[1]); "
            "print(json.dumps({v.full_name: v.bitwidth for v in wave.all_vars()}))")
    done = subprocess.run([program("python"), "-c", code, path], capture_output=True, text=True, **limited(60))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("profile", ("mini", *(pytest.param(name, marks=pytest.mark.long) for name in ("node", "extoll10"))))
def test_surfer_files_follow_its_documents(waves, profile):
    """Surfer itself is no package of Debian or PyPI; its documents and its reader of waves are."""
    folder = waves(profile)
    mappings = [mapping_of(path.read_text()) for path in (folder / "out.names/.surfer/mappings").iterdir()]
    bits = {name: bits for name, bits, _ in mappings}
    assert len(bits) == len(mappings) == 5
    variables = wellen(folder / "out.fst")

    def wrong(commands):
        """Rows whose variable is not in the wave, or whose format is unknown or for another width."""
        return [item for item in items_of(commands) if item.variable and item.variable not in variables
                or item.format and item.format not in FORMATS and bits.get(item.format) != variables[item.variable]]

    commands = (folder / "out.names/view.sucl").read_text()
    rows = items_of(commands)
    assert not wrong(commands) and len([row for row in rows if row.format]) > 10
    groups = [row.label for row in rows if not row.variable]
    assert groups[0] == "card 0" and groups[1].startswith("port 0: to card ") and "card 5" in groups
    # Each row has its own name, by the wire that it shows.
    assert {row.label for row in rows if row.variable.endswith(".tx_valid_i")} == {"cell out"}
    # Seeded: a signal, a format, the row that a command means, a command.
    assert wrong(commands.replace("tvalid_i", "tvalid")) and wrong(commands.replace("item_set_format extorus_", "item_set_format "))
    assert {row.label for row in items_of(commands.replace("item_focus c_", "item_focus b_"))} != {row.label for row in rows}
    for changed in (commands.replace("divider_add group", "divider_add port_0:_to"), commands.replace("item_focus a_", "item_focus q_"),
                    commands.replace("item_unfocus", "item_unfocus all"), commands.replace("zoom_fit", "zoom_full")):
        with pytest.raises(ValueError):
            items_of(changed)


@pytest.mark.parametrize("text", ["Name = a\n0 zero", "Name = a\nBits = 1\n2 two", "Bits = 2\n1 one\n1 two", "Bits = 2\n1", "Bits = 2\none 1", "Bits = 2\n1 one\nName = a"])
def test_a_mapping_against_its_document_is_seen(text):
    assert mapping_of("Name = a\nBits = 2\n0 zero # of two\n3[red] three") == ("a", 2, {0: "zero", 3: "three"})
    with pytest.raises(ValueError):
        mapping_of(text)


@pytest.mark.long
@pytest.mark.parametrize("profile, links, nic", (("mini", 4, 0), ("node", 4, 0), ("extoll10", 6, 2)))
def test_names_are_those_of_the_packets(waves, profile, links, nic):
    """The packets that leave a card by a NIC have the sources, classes and lengths of the packet log, in its order."""
    folder = waves(profile)
    names_folder, nics = folder / "out.names", 4 if profile == "extoll10" else 1
    scope = f"card5.xt_card.g_nic[{nic}].i_port.i_eject."
    signals, _ = read_wave(folder / "out.fst")
    cell = next(name for name in signals if name.startswith(scope + "cell_i["))
    wires = [scope + "valid_i", f"card5.xt_card.i_switch.sent_first_o[{links + nics - 1}:0]", cell]
    _, changes = read_wave(folder / "out.fst", wires)
    events = sorted((time, number, value) for number, wire in enumerate(wires, 1) for time, value in changes[signals[wire][1]])
    text = [f'$comment max_time {events[-1][0] + 100} $end', f'$comment args "valid_i sent_first_o {links + nic} cell_i" $end',
            *(f"$comment seqn {number} {wire} $end" for number, wire in enumerate(wires, 1))]
    text += [f"#{time}\nb{value} {number}" for time, number, value in events]

    def found():
        done = subprocess.run([names_folder / "packets.py"], input="\n".join([*text, "$comment data_end 0x1 $end\n"]),
                              capture_output=True, text=True, check=True, **limited(60))
        return re.findall(r"^#\d+ (.+)$", done.stdout, re.M)

    def name(pe):
        """A PE is a card, or one of a card's NICs."""
        return f"card {pe}" if nics == 1 else f"card {pe // nics}.{pe % nics}"

    log = [row for row in csv.DictReader((folder / "log.csv").open()) if int(row["destination"]) == 5 * nics + nic]
    log.sort(key=lambda row: int(row["delivered"]))
    assert len(log) > 10
    expected = [f"{name(int(row['source']))} > {name(5 * nics + nic)} TC{row['tc']} {row['cells']} cells" for row in log]
    assert found() == expected
    # Seeded: fields of the header that are taken for each other.
    layout = json.loads((names_folder / "packets.json").read_text())
    layout["source"], layout["destination"] = layout["destination"], layout["source"]
    (names_folder / "packets.json").write_text(json.dumps(layout))
    assert found() != expected


@pytest.mark.long
def test_gtkwave_shows_the_names(waves):
    """GTKWave itself loads the save file and translates: the state of a link, a VC, a packet."""
    folder = waves("node")
    (folder / "read.tcl").write_text("""
for {set time 20} {$time < 600} {incr time 14} {
    gtkwave::setMarker $time
    for {set row 0} {$row < 36} {incr row} {
        puts "ROW [gtkwave::getTraceNameFromIndex $row]|[gtkwave::getTraceValueAtMarkerFromIndex $row]"
    }
}
gtkwave::/File/Quit
""")

    def values():
        done = subprocess.run([tool("xvfb-run"), "-a", tool("gtkwave"), "out.fst", "out.gtkw", "-S", "read.tcl"], cwd=folder,
                              capture_output=True, text=True, **limited(120))
        found = {}
        for name, value in re.findall(r"^ROW (.*?)\|(.*)$", done.stdout, re.M):
            found.setdefault(name, set()).add(value)
        return found

    found = values()
    assert found["state"] == {"up"} and "none" in found["cause"] and {"TC0 VC0", "TC0 VC1"} <= found["VC in"]
    assert {name for name in found["packets out"] if name} <= {
        f"card {a} > card {b} TC{t} {n} cells" for a in range(9) for b in range(9) for t in range(4) for n in range(1, 65)}
    assert len(found["packets in"]) > 3 and len(found["packets out"]) > 3
    # Seeded: without its names a state is a number, and a packet bits.
    shutil.rmtree(folder / "out.names")
    found = values()
    assert "up" not in found["state"] and not any("card" in value for value in found["packets in"])


@pytest.mark.long
def test_whose_save_file(waves, extorus):
    """Another run replaces the save file of the run before, and keeps one that the user has saved."""
    folder = waves("mini")
    save = (folder / "out.gtkw").read_text()
    waves("mini", "--wave-to", "3")
    assert (folder / "out.gtkw").read_text() == save
    (folder / "out.gtkw").write_text("[*] GTKWave Analyzer\n")
    waves("mini")
    assert (folder / "out.gtkw").read_text() == "[*] GTKWave Analyzer\n"
    (folder / "bad.names").write_text("")
    extorus("sim", "torus_3x3-mini-dor.xti", "--wave", "bad.fst", status=2, stderr="bad.names")
    assert not list(folder.glob("bad.fst*"))


@pytest.mark.long
def test_a_folder_that_no_filter_may_have(waves, extorus):
    """GTKWave hands a filter's path to a shell: with a space in it packets stay bits, and the save file says so."""
    (extorus.folder / "my waves").mkdir()
    folder = waves("mini")
    extorus("sim", "torus_3x3-mini-dor.xti", "--measure", "100", "--wave", "my waves/out.fst")
    save = (folder / "my waves/out.gtkw").read_text()
    assert "packets in" not in save and "-packets have no names" in save and "+{cell in}" in save
