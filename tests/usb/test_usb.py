# SPDX-License-Identifier: Apache-2.0
"""The unmodified command in a guest with a stock kernel, which enumerates the virtual board: the whole way over USB.

Boots are marked long, for the guest's kernel, which `make guest` fetches."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from guest import ROOT, Boot

COMMAND = pathlib.Path(os.environ.get("EXTORUS", ROOT / "build" / "extorus"))
BOARD = ROOT / "build" / "boards" / "extorus-board-mini"
LIMIT_S = 400  # of a boot, on a busy machine

STEPS = [
    ("probe", "probe --json"),
    ("load", "load first.xti"),
    ("verify", "verify first.xti"),
    ("inject", "inject --packets 10000 --json"),
    ("counters", "counters --json"),
    ("unload", "reset"),
]


def command(*arguments, status=0):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=300)
    assert status is None or done.returncode == status, f"{arguments}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture
def images(tmp_path):
    """Two routings of the node that the virtual board has: {name: content}."""
    node = tmp_path / "node.json"
    node.write_text('{"cards": 2, "links": [[0, 3, 1, 3]]}')
    made = {}
    for name, algorithm in (("first.xti", "updown"), ("second.xti", "layered")):
        command("route", f"file:{node}", "--profile", "mini", "--algorithm", algorithm, "-o", tmp_path / name)
        made[name] = (tmp_path / name).read_bytes()
    return made


def traffic(result):
    """What an inject says that does not depend on time."""
    assert result.status == 0, result
    return {key: value for key, value in json.loads(result.out).items() if key != "seconds"}


def counters(result):
    assert result.status == 0, result
    return [[port[key] for key in ("card", "port", "rx_packets", "rx_cells", "tx_packets", "tx_cells", "illegal_routes")]
            for port in json.loads(result.out)]


@pytest.mark.long
def test_one_boot_does_it_all(tmp_path, images):
    script = "".join(f"run {name} extorus {words} --device usb:\n" for name, words in STEPS[:5])
    script += """
run under-way extorus inject --device usb: --packets 60 --one-way
run live extorus load second.xti --device usb: --live
run arrived extorus capture --device usb: --packets 60 --seconds 20
run traffic extorus inject --device usb: --packets 500
run back extorus load first.xti --device usb:
run still extorus verify first.xti --device usb:
"""
    script += "".join(f"run {name} extorus {words} --device usb:\n" for name, words in STEPS[5:])
    script += "run empty extorus verify first.xti --device usb:\n"
    boot = Boot(tmp_path, [BOARD], [COMMAND], script, images, LIMIT_S)
    results = boot.results
    assert not boot.said and boot.ended
    for name, result in results.items():
        assert (result.status == 0) == (name != "empty"), f"{name}: {result}"
    assert len(re.findall(r"^\d+,", results["arrived"].out, re.M)) == 60, results["arrived"]
    inject = json.loads(results["inject"].out)
    assert (inject["sent"], inject["received"]) == (10000, 10000)
    assert "500 received, 0 lost, 0 wrong" in results["traffic"].out
    # What the cards counted is what went through: each packet by one NIC port in and one out.
    ports = counters(results["counters"])
    assert sum(sum(port[2]) for port in ports if port[1] == "nic") == 10000
    assert all(port[6] == 0 for port in ports)
    print(f"boot {boot.seconds:.1f} s, steps {boot.marks}")


@pytest.mark.parametrize("engine", ["model", pytest.param("sim", marks=pytest.mark.long)])
def test_the_same_script_elsewhere(tmp_path, images, engine):
    """The board by TCP and a simulator that is served: the same results of the same steps."""
    answers = {}
    for name, start in (("board", [BOARD, "--tcp", "0"]),
                        (engine, [COMMAND, "serve", f"{engine}:{tmp_path / 'first.xti'}", "--listen", "tcp:127.0.0.1:0"])):
        process = subprocess.Popen(start, stdout=subprocess.PIPE, text=True)
        try:
            uri = re.search(r"tcp:\S+", process.stdout.readline()).group()
            answers[name] = {}
            for step, words in STEPS[1:5]:
                first, *rest = words.replace("first.xti", str(tmp_path / "first.xti")).split()
                done = command(first, *rest, "--device", uri)
                done.status, done.out = done.returncode, done.stdout
                answers[name][step] = done
        finally:
            process.terminate()
            process.wait(60)
    board, other = answers["board"], answers[engine]
    assert traffic(board["inject"]) == traffic(other["inject"])
    assert counters(board["counters"]) == counters(other["counters"])
    assert [result.returncode for result in board.values()] == [result.returncode for result in other.values()]


# Name, control line of the board, command, may it succeed, what it says at least once. After each the board is put right,
# loaded and verified: the device must be intact.
FAULTS = [
    ("stall-out", "stall out 100", "load first.xti"),
    ("stall-in", "stall in 100", "load first.xti"),
    ("short", "short in 40", "verify first.xti"),
    ("corrupt", "corrupt in 60", "verify first.xti"),
    ("unplug-load", "unplug out 300", "load first.xti"),
    ("unplug-stream", "unplug in 3000", "inject --packets 2000"),
    ("unplug-first", "unplug out 1", "probe"),
    ("silent", "hold in 200", "verify first.xti"),
]


@pytest.mark.long
def test_faults_on_the_wire(tmp_path, images):
    script = "run load extorus load first.xti --device usb:\n"
    for name, control, words in FAULTS:
        script += f"board {control}\nrun {name} timeout 60 extorus {words} --device usb:\n"
        if name.startswith("unplug"):
            script += "unseen\n"
        script += f"board go\nboard plug\nseen\nrun {name}-then extorus verify first.xti --device 'usb:wait=3000'\n"
    # A process that is killed, whenever: the old tables or the new ones, never half of them.
    script += """
for delay in 0.05 0.2 0.4; do
	extorus load second.xti --device usb: >/dev/null 2>&1 & sleep $delay; kill -9 $! 2>/dev/null; wait
	run killed-$delay sh -c 'extorus verify first.xti --device usb: >/dev/null || extorus verify second.xti --device usb:'
	extorus load first.xti --device usb: >/dev/null
done
for d in /sys/bus/usb/devices/*; do grep -qs 1209 $d/idVendor && echo 0 >$d/authorized && echo 1 >$d/authorized; done
run reset extorus verify first.xti --device 'usb:wait=3000'
run none extorus probe --device usb:serial=5
board unplug
unseen
run gone extorus probe --device usb:
"""
    boot = Boot(tmp_path, [BOARD], [COMMAND], script, images, LIMIT_S)
    results = boot.results
    assert boot.ended and not boot.said, boot.said
    for name, _, _ in FAULTS:
        result = results[name]
        assert result.status == 0 or re.search(r"^extorus \w+: .", result.err, re.M), f"{name}: {result}"
        assert result.status not in (124, 137, 139, 143), f"{name} hangs or dies: {result}"
        if name.startswith("unplug") or name == "silent":
            assert result.status != 0, f"{name}: {result}"
        assert results[f"{name}-then"].status == 0, f"{name}: {results[f'{name}-then']}"
    for name in ("short", "corrupt"):
        assert results[name].status == 0, f"a damaged frame is asked for again: {results[name]}"
    for delay in ("0.05", "0.2", "0.4"):
        assert results[f"killed-{delay}"].status == 0, results[f"killed-{delay}"]
    assert results["reset"].status == 0, results["reset"]
    assert results["none"].status != 0 and results["gone"].status != 0
    print(f"boot {boot.seconds:.1f} s", {name: result.status for name, result in results.items()})
