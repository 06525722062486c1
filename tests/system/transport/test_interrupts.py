# SPDX-License-Identifier: Apache-2.0
"""A command that changes a board and is interrupted, at any moment: afterwards the board works, or the next command of any
user says what to do, and a load of any user makes the board work again."""

import os
import re
import resource
import signal
import subprocess
import time

import pytest

import frame_codec
from interrupted import COMMANDS, CURE, LINK_COMMANDS, SIGNALS, Other, frames_of, interrupt, kills, words
from processor_time import limited
from served import COMMAND, Board, make_images
from test_quiesce import ask, quiesce

CARD_ID, KEEPALIVE, OWNER = 0x18, 0x6C, 0x94
FEW, MANY = 3, 20


def keepalives(board):
    return {ask(board, frame_codec.Frame(frame_codec.READ, 0, 0, card, 0, KEEPALIVE, []))[1].words[0] for card in range(4)}


def table_of(board, folder, name, number, moments):
    line, other = (COMMANDS | LINK_COMMANDS)[name], Other(board, folder)
    frames = frames_of(line, board)
    if name == "keepalive":
        board.run("link", "--keepalive", "0", status=None)
    other.mend()
    for moment in sorted({1 + (frames - 1) * i // max(moments - 1, 1) for i in range(moments)}):
        at = f"{name}, frame {moment} of {frames}"
        status, says = interrupt(line, board, number, moment)
        killed = number == signal.SIGKILL
        assert status >= 0 or status == -number, f"{at}: ended with {status}: {says}"
        # A reset that was done empties the tables, as the user asked for.
        held = None if name == "reset" else other.check(at, killed, send=name != "keepalive")
        if status == -number and not killed and name in ("load", "load-live", "selftest", "keepalive"):
            assert held == "old", f"{at}: holds {held} after {says}"
        if name == "keepalive":
            assert killed or len(keepalives(board)) == 1, f"{at}: keepalives of some cards only"
            board.run("link", "--keepalive", "0", status=None)
            board.run("link", "--retrain", status=0 if killed else None)
        if held != "old":
            other.mend()


@pytest.fixture(scope="session")
def node_images(tmp_path_factory):
    """Of cards that have a link layer."""
    return make_images(tmp_path_factory.mktemp("node"), "node")


@pytest.fixture
def node(tmp_path, node_images):
    it = Board(tmp_path, node_images, profile="node")
    it.load("old")
    yield it
    it.close()


@pytest.mark.parametrize("number", SIGNALS.values(), ids=SIGNALS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_signal(board, tmp_path, name, number):
    table_of(board, tmp_path, name, number, FEW)


@pytest.mark.parametrize("number", SIGNALS.values(), ids=SIGNALS)
@pytest.mark.parametrize("name", LINK_COMMANDS)
def test_links_and_signals(node, tmp_path, name, number):
    table_of(node, tmp_path, name, number, FEW)


@pytest.mark.long
@pytest.mark.parametrize("number", SIGNALS.values(), ids=SIGNALS)
@pytest.mark.parametrize("name", [*COMMANDS, *LINK_COMMANDS])
def test_every_command_and_signal_at_many_moments(board, node, tmp_path, name, number):
    table_of(node if name in LINK_COMMANDS else board, tmp_path, name, number, MANY)


OTHER_SIGNALS = {"QUIT": signal.SIGQUIT, "ALRM": signal.SIGALRM, "USR1": signal.SIGUSR1, "XCPU": signal.SIGXCPU}


def interrupted_load(board, other, number, moment):
    status, says = interrupt("load {new}", board, number, moment)
    if status == 0:
        other.mend()
    else:
        assert says, moment
        assert other.works()[0] == "old"
    return status, says


@pytest.mark.parametrize("number", OTHER_SIGNALS.values(), ids=OTHER_SIGNALS)
def test_every_signal_that_ends_a_process_rolls_back(board, tmp_path, number):
    """Of a keyboard, a shell's limit or a job system."""
    frames, other = frames_of("load {new}", board), Other(board, tmp_path)
    other.mend()
    # A busy machine repeats frames, so that fewer of them may be a whole load.
    ended = [status for status, says in (interrupted_load(board, other, number, moment) for moment in (frames // 4, frames // 2)) if status]
    assert ended and set(ended) == {-number}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_reset_that_came_to_some_cards_is_named(node, tmp_path, number):
    """Cards with a link layer are reset one by one. The network then drops packets, and each command says why, and what to do."""
    frames, other, named = frames_of("reset", node), Other(node, tmp_path), 0
    other.mend()
    for moment in range(frames // 4, frames):
        interrupt("reset", node, number, moment)
        if len({ask(node, frame_codec.Frame(frame_codec.READ, 0, 0, card, 0, CARD_ID, []))[1].words[0] for card in range(4)}) == 4:
            continue
        for command in (("probe",), ("counters",), ("verify", other.image("old")), ("inject", "--packets", "60", "--timeout", "300")):
            done = other.run(*command)
            named += done.returncode == 1 and "a reset was interrupted here" in done.stderr and CURE in done.stderr
        node.run("reset")
        assert "a reset was interrupted" not in other.run("probe").stderr
        other.mend()
        break
    assert named == 4


@pytest.mark.parametrize("cycles", ["256", "4000", "65535"])
def test_keepalives_are_turned_on_and_off_without_a_link_down(node, cycles):
    """Though each card learns of it long after the other end of its links: four periods are soon over."""
    def slowly(number, frame, raw):
        time.sleep(0.02 * (frame.kind == frame_codec.WRITE))
        return raw

    for period in (cycles, "0"):
        proxy = frame_codec.Proxy(node.address, slowly)
        node.run("link", "--keepalive", period, uri=proxy.uri + ";timeout=2000")
        node.run("inject", "--packets", "200")
        assert '"ok": true' in node.run("link", "--json"), period
        assert keepalives(node) == {int(period)}


def test_a_link_that_an_interrupted_command_took_down_is_named(node):
    """One end only awaits keepalives, as after a `link --keepalive` that was killed."""
    ask(node, frame_codec.Frame(frame_codec.WRITE, 0, 0, 0, 0, KEEPALIVE, [256]))
    says = node.errors("inject", "--packets", "400", "--timeout", "600", status=1)
    assert re.search(r"the link of card \d+ port \S+ is down \(.+\): `extorus link --retrain`", says), says
    ask(node, frame_codec.Frame(frame_codec.WRITE, 0, 0, 0, 0, KEEPALIVE, [0]))
    node.run("link", "--retrain")
    node.run("inject", "--packets", "60")


def test_killed_loads_and_another_user(board, tmp_path):
    kills(board, tmp_path, 12, seed=1)


@pytest.mark.long
def test_a_thousand_killed_loads_and_another_user(board, tmp_path):
    assert kills(board, tmp_path, 1000, seed=2) > 100


@pytest.mark.long
def test_killed_loads_on_rtl(tmp_path, images):
    rtl = Board(tmp_path / "rtl", images, engine="sim")
    try:
        rtl.load("old")
        kills(rtl, tmp_path, 40, seed=3)
    finally:
        rtl.close()


@pytest.mark.parametrize("command", ["probe", "probe --json", "verify {old}", "dump", "diff {old}", "counters",
                                     "watch --count 1 --interval 10", "capture --seconds 1"])
def test_quiesced_ports_are_no_success(board, tmp_path, command):
    """Ports that somebody else has quiesced are named by every command that leaves them so; `load` releases them."""
    quiesce(board, 2, 0b10001)
    says = board.errors(*words(command, board), status=1)
    assert re.search(r"card 2: port .+, nic quiesced", says) and CURE in says, says
    Other(board, tmp_path).mend()
    board.run(*words(command, board))


def test_a_probe_tells_which_load_was_interrupted(board, tmp_path):
    half_loaded(board)
    owner = ask(board, frame_codec.Frame(frame_codec.READ, 0, 0, 0, 1, OWNER, []))[1].words
    assert owner[0] and owner[1] & 0xFF, owner
    assert f"owner {owner[0]:08x}" in board.errors("probe", status=1)
    Other(board, tmp_path).mend()
    owner = ask(board, frame_codec.Frame(frame_codec.READ, 0, 0, 0, 1, OWNER, []))[1].words
    assert owner[0] == 0 and owner[1] & 0xFF == 0, owner


def half_loaded(board):
    """A load of `new` that was killed while it wrote; its journal."""
    frames = frames_of("load {new}", board)
    board.load("old")
    state = board.environment["EXTORUS_STATE_DIR"]
    for moment in range(frames * 3 // 5, frames):
        interrupt("load {new}", board, signal.SIGKILL, moment)
        journals = os.listdir(state)
        if journals and "mixed" in board.errors("probe", status=None):
            return os.path.join(state, journals[0])
        board.load("old")
    raise AssertionError("no load was killed while it wrote")


@pytest.mark.parametrize("change", ["step", "cut", "empty"])
def test_an_altered_journal_is_not_played_back(board, change):
    """The load that finds it writes all tables instead."""
    path = half_loaded(board)
    with open(path, encoding="ascii") as journal:
        lines = journal.read().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("steps")) + 3
    lines[at] = lines[at][:-1] + ("0" if lines[at][-1] != "0" else "1")
    text = {"step": "\n".join(lines) + "\n", "cut": "\n".join(lines[:at]) + "\n", "empty": ""}[change]
    with open(path, "w", encoding="ascii") as journal:
        journal.write(text)
    assert "mixed tables" in board.load("old")
    assert board.holds("old")
    board.run("inject", "--packets", "60")


def test_a_journal_of_another_board_is_not_played_back(board, tmp_path, images):
    """Two boards of one serial number and one user."""
    path = half_loaded(board)
    twin = Board(tmp_path, images)
    try:
        twin.load("new")
        assert twin.holds("new") and os.path.exists(path)
        twin.load("old")
    finally:
        twin.close()
    assert '"entries_written": 0' in board.load("old", "--json")
    assert board.holds("old") and not os.path.exists(path)


def test_a_board_of_an_older_register_map(board):
    """Its cards have no OWNER and LOAD: the journal goes by the serial number."""
    def older(frame, raw):
        if frame.kind == frame_codec.READ | frame_codec.ANSWER and pending.pop(frame.sequence, None):
            frame.words[0] = 2
            return frame.encode()
        return raw

    def ask_version(number, frame, raw):
        if frame.kind == frame_codec.READ and frame.argument == 0x04:
            pending[frame.sequence] = True
        assert frame.argument != OWNER or frame.kind not in (frame_codec.READ, frame_codec.WRITE)
        if cut[0] and frame.kind == frame_codec.WRITE and frame.argument >= 0x4000:
            raise frame_codec.Cut
        return raw

    pending, cut = {}, [False]
    proxy = frame_codec.Proxy(board.address, ask_version, lambda number, frame, raw: older(frame, raw), hosts=3)
    board.load("new", uri=proxy.uri)
    cut[0] = True
    board.load("old", uri=proxy.uri, status=3, says="the next load puts the old ones back")
    cut[0] = False
    assert '"entries_written": 0' in board.load("new", "--json", uri=proxy.uri)
    assert board.holds("new")


def no_room(most=64):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def ignored():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    no_room()


@pytest.mark.parametrize("limit", [no_room, ignored])
def test_a_full_disk_during_a_load(board, limit):
    """No room for the journal: nothing is changed. Nor does a limit of the shell end the command without a word."""
    done = subprocess.run([COMMAND, "load", str(board.images / "new.img"), "--device", board.uri], env=board.environment,
                          capture_output=True, text=True, timeout=60, preexec_fn=limit)
    assert done.returncode == 2 and "nothing was changed" in done.stderr and "writing failed" in done.stderr, done.stderr
    assert board.holds("old") and not os.listdir(board.environment["EXTORUS_STATE_DIR"])


def test_leftovers_are_no_corruption(board):
    for _ in range(3):
        interrupt(COMMANDS["inject"], board, signal.SIGKILL, 300)
        done = board.run("inject", "--packets", "100", "--json")
        assert '"wrong": 0' in done and '"lost": 0' in done
    board.run("inject", "--packets", "40", "--one-way")
    assert "40 packets of an earlier run" in board.run("inject", "--packets", "100")


def test_what_was_captured_is_kept(board, tmp_path):
    board.run("inject", "--packets", "40", "--one-way")
    path = tmp_path / "packets.csv"
    running = subprocess.Popen([COMMAND, "capture", "--seconds", "60", "-o", str(path), "--device", board.uri])
    time.sleep(1)
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) == -signal.SIGTERM
    rows = path.read_text().splitlines()
    assert len(rows) == 41 and all(row.count(",") == rows[0].count(",") for row in rows)
    assert os.listdir(tmp_path) == ["packets.csv"] or not [n for n in os.listdir(tmp_path) if n.endswith(".tmp")]


def test_what_was_captured_is_kept_on_a_full_disk(board, tmp_path):
    board.run("inject", "--packets", "40", "--one-way")
    path = tmp_path / "packets.csv"
    done = subprocess.run([COMMAND, "capture", "--seconds", "1", "-o", str(path), "--device", board.uri], env=board.environment,
                          capture_output=True, text=True, preexec_fn=lambda: no_room(1000), timeout=60)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "writing the packets failed: File too large" in done.stderr, done
    rows = path.read_text().splitlines()
    assert len(rows) > 5 and path.read_text().endswith("\n") and all(row.count(",") == rows[0].count(",") for row in rows)
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_a_reader_that_goes_away(board):
    """`extorus selftest | head -1`."""
    done = subprocess.run(f"{COMMAND} selftest --device '{board.uri}' | head -1", shell=True, env=board.environment,
                          capture_output=True, text=True, **limited(60))
    assert "identity" in done.stdout
    assert board.holds("old")
