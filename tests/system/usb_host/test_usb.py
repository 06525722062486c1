# SPDX-License-Identifier: Apache-2.0
"""The unmodified command in a guest with a stock kernel, which enumerates the virtual board: the whole way over USB.

Boots are marked long, for the guest's kernel, which `make guest` fetches."""

import json
import os
import pathlib
import random
import re
import subprocess

import pytest

from guest import ROOT, Boot, Result
from processor_time import limited

COMMAND = pathlib.Path(os.environ.get("EXTORUS", ROOT / "build" / "extorus"))
BOARD = ROOT / "build" / "boards" / "extorus-board-mini"
CORE_BOARD = ROOT / "build" / "tests" / "usb-ecpix5"
LIMIT_S = 400  # of a boot, on a busy machine

# The life of a board: (name, command). Every command but the last succeeds.
SCRIPT = [
    ("probe", "probe --json"),
    ("load", "load first.xti --json"),
    ("verify", "verify first.xti --json"),
    ("dump", "dump --card 1"),
    ("inject", "inject --packets 10000 --json"),
    ("counters", "counters --json"),
    ("update-live", "inject --packets 3000 --seed 2 --update second.xti --live --json"),
    ("now-second", "diff second.xti --json"),
    ("update-held", "inject --packets 3000 --seed 3 --update first.xti --json"),
    ("now-first", "verify first.xti --json"),
    ("one-way", "inject --packets 60 --one-way --json"),
    ("arrived", "capture --packets 60 --seconds 20"),
    ("counters-then", "counters --json"),
    ("selftest", "selftest --json"),
    ("unload", "reset"),
    ("empty", "diff first.xti --json"),
]
# What depends on the way to the board, or on time.
OWN_TO_A_PLACE = {"device", "board", "seconds", "packets_meanwhile"}
# Cells per VC and in which cycle they wait depend on what meets what.
COUNTED = ("card", "port", "rx_packets", "rx_cells", "tx_packets", "tx_cells", "illegal_routes")


def command(*arguments, status=0):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, **limited(300))
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


def without(value):
    """JSON without what is own to a place."""
    if isinstance(value, dict):
        return {key: without(part) for key, part in value.items() if key not in OWN_TO_A_PLACE}
    return [without(part) for part in value] if isinstance(value, list) else value


def comparable(name, result):
    """What a step says, as far as every place must say the same."""
    if name.startswith("counters"):
        return [[port[key] for key in COUNTED] for port in json.loads(result.out)]
    if name == "selftest":
        return json.loads(result.out)["ok"]  # a board tests more, and counts what it sends for it
    if name == "arrived":
        # PEs' packets come in any order, and tag and words have the number of the run.
        rows = [line.split(",") for line in result.out.splitlines()]
        return sorted((*row[:5], row[6], len(row[7])) for row in rows)
    return without(json.loads(result.out)) if result.out.startswith(("{", "[")) else result.out


def check_life(results):
    """What holds of the script's results wherever it ran."""
    for name, _ in SCRIPT:
        assert results[name].status == (name == "empty"), f"{name}: {results[name]}"
    for name, count in (("inject", 10000), ("update-live", 3000), ("update-held", 3000)):
        said = json.loads(results[name].out)
        assert (said["sent"], said["received"], said["lost"], said["wrong"]) == (count, count, 0, 0), said
        if name != "inject":
            assert said["update"]["entries_written"] > 0, said
    assert len(re.findall(r"^\d+,", results["arrived"].out, re.M)) == 60, results["arrived"]
    # What the cards counted is what went through: each packet by one NIC port in and one out.
    for name, count in (("counters", 10000), ("counters-then", 16060)):
        ports = comparable(name, results[name])
        assert sum(sum(port[2]) for port in ports if port[1] == "nic") == count
        assert all(port[6] == 0 for port in ports)


@pytest.fixture
def served():
    """Starts a process that says a tcp: URI."""
    processes = []

    def start(*words):
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        return re.search(r"tcp:\S+", processes[-1].stdout.readline()).group()

    yield start
    for process in processes:
        process.terminate()
        process.wait(60)


def live_at(uri, folder):
    """The script's results at a URI."""
    results = {}
    for name, words in SCRIPT:
        done = subprocess.run([COMMAND, *words.split(), "--device", uri], capture_output=True, text=True, **limited(300), cwd=folder,
                              env={**os.environ, "EXTORUS_STATE_DIR": str(folder / "state")})
        results[name] = Result(done.returncode, done.stdout, done.stderr)
    return results


@pytest.mark.long
def test_one_boot_does_it_all(tmp_path, images, served):
    """In the guest, by USB; then the same by `sim:` and `model:`, with the same results."""
    script = "".join(f"run {name} extorus {words} --device usb:\n" for name, words in SCRIPT)
    boot = Boot(tmp_path, [[BOARD]], [COMMAND], script, images, LIMIT_S)
    print(f"boot {boot.seconds:.1f} s, steps {boot.marks}")
    assert not boot.said and boot.ended
    check_life(boot.results)
    for name in ("update-live", "update-held"):
        assert json.loads(boot.results[name].out)["update"]["packets_meanwhile"] > 0, boot.results[name]
    for engine in ("sim", "model"):
        uri = served(COMMAND, "serve", f"{engine}:{tmp_path / 'first.xti'}", "--listen", "tcp:127.0.0.1:0")
        results = live_at(uri, tmp_path)
        check_life(results)
        for name, _ in SCRIPT:
            assert comparable(name, results[name]) == comparable(name, boot.results[name]), f"{engine}: {name}"


def test_the_same_script_elsewhere(tmp_path, images, served):
    """The virtual board by TCP and the fast model, served: the same results of the same script."""
    board = live_at(served(BOARD, "--tcp", "0"), tmp_path)
    model = live_at(served(COMMAND, "serve", f"model:{tmp_path / 'first.xti'}", "--listen", "tcp:127.0.0.1:0"), tmp_path)
    for results in (board, model):
        check_life(results)
    for name, _ in SCRIPT:
        assert comparable(name, board[name]) == comparable(name, model[name]), name


def test_new_tables_under_traffic(tmp_path, images, served):
    """The board's own generators send while the command loads the second routing."""
    for name, content in images.items():
        (tmp_path / name).write_bytes(content)
    uri = served(BOARD, "--tcp", "0")
    command("load", tmp_path / "first.xti", "--device", uri)
    said = json.loads(command("traffic", "--uniform", "2", "--cells", "2", "--packets", "5000", "--update", tmp_path / "second.xti",
                              "--device", uri, "--json").stdout)
    assert said["ok"] and said["came"] == 2 * 5000
    assert said["update"]["entries_written"] > 0 and said["update"]["sent_meanwhile"] > 0
    command("verify", tmp_path / "second.xti", "--device", uri)


@pytest.mark.long
def test_real_usb_core(tmp_path, images):
    """The ECPIX-5 from its PHY on: the kernel enumerates the core of the bitstream, and the life of a board goes by its packets."""
    script = "for d in /sys/bus/usb/devices/*; do grep -qs 1209 $d/idVendor && run core cat $d/product $d/serial $d/speed; done\n"
    script += "".join(f"run {name} extorus {words} --device 'usb:timeout=20000'\n" for name, words in SCRIPT)
    boot = Boot(tmp_path, [[CORE_BOARD]], [COMMAND], script, images, 3 * LIMIT_S)
    print(f"boot {boot.seconds:.1f} s, steps {boot.marks}")
    assert not boot.said and boot.ended
    assert boot.results["core"].out.split("\n") == ["extorus board", "0000000000000001", "480", ""]
    check_life(boot.results)


@pytest.mark.long
def test_streams_of_bytes(tmp_path):
    """How fast bytes go by usbredir, the guest's kernel and the library, with no RTL behind: the best of some runs, for
    what else the machine does."""
    kinds = ("source", "sink", "loop")
    script = "".join(f"board {kind}\nrun {kind}-{i} usb-stream {kind} 64\n" for i in range(5) for kind in kinds)
    boot = Boot(tmp_path, [[BOARD, "--stream", "loop"]], [ROOT / "build" / "tests" / "usb-stream"], script, {}, LIMIT_S)
    assert boot.ended and not boot.said, boot.said
    for name, result in boot.results.items():
        assert result.status == 0, f"{name}: {result}"
    best = {kind: max(float(result.out) for name, result in boot.results.items() if name.startswith(kind))
            for kind in kinds}
    print("MB/s", {name: float(result.out) for name, result in boot.results.items()})
    assert best["source"] >= 30 and best["sink"] >= 30, best


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
    ("unplug-close", "unplug cancel", "probe"),
    ("silent", "hold in 200", "verify first.xti"),
]


@pytest.mark.long
def test_faults_on_the_wire(tmp_path, images):
    script = "run load extorus load first.xti --device usb:\n"
    for name, control, words in FAULTS:
        script += f"board {control}\nrun {name} timeout 60 extorus {words} --device usb:\n"
        if name.startswith("unplug"):
            script += "unseen\n"
        script += "board go\nboard plug\nseen\n"
        # A load that was interrupted is named until the next one.
        script += "extorus load first.xti --device 'usb:wait=3000' >/dev/null\n"
        script += f"run {name}-then extorus verify first.xti --device 'usb:wait=3000'\n"
    # A process that is killed, whenever: the old tables or the new ones, never half of them.
    script += """
for delay in 0.05 0.2 0.4; do
	extorus load second.xti --device usb: >/dev/null 2>&1 & sleep $delay; kill -9 $! 2>/dev/null; wait
	run killed-$delay sh -c 'extorus verify first.xti --device usb: >/dev/null || extorus verify second.xti --device usb:'
	run mended-$delay extorus load first.xti --device usb:
done
for d in /sys/bus/usb/devices/*; do grep -qs 1209 $d/idVendor && echo 0 >$d/authorized && echo 1 >$d/authorized; done
run reset extorus verify first.xti --device 'usb:wait=3000'
run none extorus probe --device usb:serial=5
board unplug
unseen
run gone extorus probe --device usb:
"""
    boot = Boot(tmp_path, [[BOARD]], [COMMAND], script, images, LIMIT_S)
    results = boot.results
    assert boot.ended and not boot.said, boot.said
    for name, _, _ in FAULTS:
        result = results[name]
        assert result.status == 0 or re.search(r"^extorus \w+: .", result.err, re.M), f"{name}: {result}"
        assert result.status not in (124, 137, 139, 143), f"{name} hangs or dies: {result}"
        if name.startswith("unplug-close"):
            assert result.status == 0, f"all was done by then: {result}"
        elif name.startswith("unplug") or name == "silent":
            assert result.status != 0, f"{name}: {result}"
        assert results[f"{name}-then"].status == 0, f"{name}: {results[f'{name}-then']}"
    for name in ("short", "corrupt"):
        assert results[name].status == 0, f"a damaged frame is asked for again: {results[name]}"
    for delay in ("0.05", "0.2", "0.4"):
        killed = results[f"killed-{delay}"]
        assert killed.status == 0 or "load an image, or reset all cards" in killed.err, killed
        assert results[f"mended-{delay}"].status == 0, results[f"mended-{delay}"]
    assert results["reset"].status == 0, results["reset"]
    assert results["none"].status != 0 and results["gone"].status != 0
    print(f"boot {boot.seconds:.1f} s", {name: result.status for name, result in results.items()})


CURE = "load an image, or reset all cards"
KILLS = 24
# `mine` owns the loads that are killed; `other` is another user, who has none of the first one's files.
KILL_SCRIPT = """
chmod -R a+rwX /dev/bus/usb
mkdir /tmp/other
chown nobody /tmp/other
mine() { XDG_STATE_HOME=/tmp/mine extorus "$@" --device usb:; }
other() { XDG_STATE_HOME=/tmp/other start-stop-daemon -S -c nobody -x /bin/extorus -- "$@" --device usb:; }
works() {
	for image in first second; do
		other verify $image.xti >/dev/null && other inject --packets 60 --timeout 1000 >/dev/null && echo holds $image && return
	done
	return 1
}
uptime_ms() { read -r up idle </proc/uptime; echo "${up%.*}${up#*.}0"; }
mine load first.xti >/dev/null
begin=$(uptime_ms)
mine load second.xti >/dev/null
mine load first.xti >/dev/null
load_us=$((($(uptime_ms) - begin) * 500))
"""


@pytest.mark.long
def test_killed_loads_and_another_user(tmp_path, images):
    """A load that is killed at any moment leaves old or new tables, and a board that works or says what to do."""
    chance, script = random.Random(1), KILL_SCRIPT
    for kill in range(KILLS):
        script += f"""
XDG_STATE_HOME=/tmp/mine extorus load second.xti --device usb: >/dev/null 2>&1 &
usleep $((load_us * {chance.randrange(10, 100)} / 100)); kill -9 $!; wait $!
run killed-{kill} sh -c "exit $?"
run held-{kill} works
run mend-{kill} {chance.choice(("mine", "other"))} load first.xti
run mended-{kill} works
"""
    boot = Boot(tmp_path, [[BOARD]], [COMMAND], script, images, 3 * LIMIT_S)
    assert boot.ended and not boot.said, boot.said
    killed = stopped = 0
    for kill in range(KILLS):
        held, mended = (boot.results[f"{step}-{kill}"] for step in ("held", "mended"))
        killed += boot.results[f"killed-{kill}"].status == 128 + 9
        stopped += held.status != 0
        assert held.out in ("holds first\n", "holds second\n") if held.status == 0 else CURE in held.err, f"kill {kill}: {held}"
        assert boot.results[f"mend-{kill}"].status == 0, f"kill {kill}: {boot.results[f'mend-{kill}']}"
        assert mended.out == "holds first\n", f"kill {kill}: {mended}"
    print(f"boot {boot.seconds:.1f} s: {killed} of {KILLS} loads killed, {stopped} left the board stopped with a message")
    assert killed > KILLS // 2 and stopped


@pytest.mark.long
def test_two_boards(tmp_path, images):
    """Which of two is meant, who may use it, and who has it."""
    one, two = "usb:serial=0000000000000001", "usb:serial=0000000000000002"
    script = f"""
run which extorus probe --device usb:
run load extorus load first.xti --device {two}
run holds extorus verify first.xti --device {two}
run empty extorus verify first.xti --device {one}
run nobody start-stop-daemon -S -c nobody -x /bin/extorus -- probe --device {one}
extorus watch --device {one} >/dev/null 2>&1 & holder=$!
sleep 2
run busy extorus probe --device {one}
run free extorus probe --device {two}
kill -9 $holder; wait
run again extorus probe --device {one}
board unplug
n=0; while [ "$(grep -ls 1209 /sys/bus/usb/devices/*/idVendor | wc -l)" != 1 -a $n -lt 300 ]; do n=$((n + 1)); sleep 0.1; done
run left extorus verify first.xti --device usb:
run gone extorus probe --device {one}
"""
    boot = Boot(tmp_path, [[BOARD], [BOARD, "--serial", "2"]], [COMMAND], script, images, LIMIT_S)
    assert boot.ended and not boot.said, boot.said
    for name, status, says in [
        ("which", 2, r"there are 2 boards: .*0000000000000001.*; choose one by usb:serial="), ("load", 0, ""), ("holds", 0, ""),
        ("empty", 1, ""), ("nobody", 3, "no permission; install the udev rules"), ("busy", 3, "another program"), ("free", 0, ""),
        ("again", 0, ""), ("left", 0, ""), ("gone", 3, "no board with serial number"),
    ]:
        result = boot.results[name]
        assert result.status == status and re.search(says, result.err), f"{name}: {result}"
