#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that are ended at any moment, and another user who tries the board then. As a program it kills loads, and needs no
pytest: `tests/system/transport/interrupted.py --kills 1000 --seed 2 --workers 16`; each worker has a board of its own."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[2] / "support")]

import frame_codec  # noqa: E402
from processor_time import limited  # noqa: E402
from served import COMMAND, Board, make_images  # noqa: E402

CURE = "load an image, or reset all cards"

# What changes a board; {new} and {old} are images.
COMMANDS = {
    "load": "load {new}",
    "load-live": "load {new} --live",
    "update": "inject --packets 2000 --update {new}",
    "inject": "inject --packets 2000",
    "one-way": "inject --packets 60 --one-way",
    "image": "inject --packets 100 --image {new}",
    "selftest": "selftest",
    "reset": "reset",
    "capture": "capture --seconds 1",
    "verify": "verify {old}",
    "diff": "diff {old}",
}
LINK_COMMANDS = {"keepalive": "link --keepalive 4000", "retrain": "link --retrain"}
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "HUP": signal.SIGHUP, "KILL": signal.SIGKILL}


def words(line, board):
    return line.format(**{name: board.images / f"{name}.img" for name in ("old", "new")}).split()


def frames_of(line, board):
    """How many frames a command sends that is not interrupted."""
    seen = [0]

    def count(number, frame, raw):
        seen[0] += 1
        return raw

    proxy = frame_codec.Proxy(board.address, count)
    board.run(*words(line, board), uri=proxy.uri, status=None)
    return seen[0]


def interrupt(line, board, number, moment):
    """The command gets the signal when it sends its frame `moment`; its exit status and messages."""
    ready, go = threading.Event(), threading.Event()
    seen = [0]

    def hook(at, frame, raw):
        seen[0] += 1
        if seen[0] == moment:
            ready.set()
            go.wait(20)
        return raw

    proxy = frame_codec.Proxy(board.address, hook)
    running = subprocess.Popen([COMMAND, *words(line, board), "--device", proxy.uri + ";timeout=5000"], env=board.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not ready.wait(0.01) and running.poll() is None:
        pass
    running.send_signal(number)
    time.sleep(0.01)
    go.set()
    says = running.communicate(timeout=60)[1]
    frame_codec.await_hang_up(proxy.uri)
    return running.returncode, says


class Other:
    """Another user of the same board, who has none of the first one's files."""

    def __init__(self, board, folder):
        self.board, self.environment = board, {**os.environ, "XDG_STATE_HOME": str(folder / "other")}
        self.environment.pop("EXTORUS_STATE_DIR", None)

    def run(self, *arguments):
        return subprocess.run([COMMAND, *arguments, "--device", self.board.uri + ";timeout=2000"], capture_output=True, text=True,
                              env=self.environment, **limited(60))

    def image(self, name):
        return str(self.board.images / f"{name}.img")

    def works(self, send=True):
        """Which image the board holds, if it holds one and carries packets; otherwise what the commands said."""
        said = []
        for name in ("old", "new"):
            done = self.run("verify", self.image(name))
            said.append(done.stderr)
            if done.returncode == 0 and not send:
                return name, ""
            if done.returncode == 0:
                sent = self.run("inject", "--packets", "60", "--timeout", "1000")
                said.append(sent.stderr)
                if sent.returncode == 0:
                    return name, ""
        return None, "".join(said)

    def check(self, at, may_stop, send=True):
        held, said = self.works(send)
        if held:
            return held
        assert may_stop, f"{at}: the board does not work: {said}"
        assert CURE in said, f"{at}: nobody says what to do: {said}"
        return None

    def mend(self):
        done = self.run("load", self.image("old"))
        assert done.returncode == 0, done.stderr
        assert self.works()[0] == "old", self.works()


def kills(board, folder, count, seed):
    """Loads that are killed at random moments; after each, another user's commands, or a load of either user. How many left
    the board stopped."""
    stopped = 0
    for at, held in killed_loads(board, folder, count, seed):
        stopped += held is None
    return stopped


def killed_loads(board, folder, count, seed):
    """(which kill, the image that the board then holds; None: it is stopped, and says so), one by one."""
    chance, other = random.Random(seed), Other(board, folder)
    frames = frames_of(COMMANDS["load"], board)
    other.mend()
    for number in range(count):
        moment = chance.randint(1, frames)
        at = f"kill {number} at frame {moment} of {frames}"
        interrupt(COMMANDS["load" if chance.random() < 0.8 else "load-live"], board, signal.SIGKILL, moment)
        yield at, other.check(at, may_stop=True)
        if chance.random() < 0.5:
            other.mend()
        else:
            board.load("old")
            assert other.works()[0] == "old", at


FAULTS = ("stopped or mixed without a message", "not mended by a load", "hangs")


def work(count, seed, engine):
    """Counts of what was found; a fault ends a board, and the rest is done on another one."""
    found, said, done = collections.Counter(), [], 0
    while done < count:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "images").mkdir()
            board = Board(folder, make_images(folder / "images", "mini"), engine=engine)
            try:
                board.load("old")
                for _, held in killed_loads(board, folder, count - done, seed + 1000003 * done):
                    done += 1
                    found["stopped, with a message" if held is None else f"holds {held}"] += 1
            except subprocess.TimeoutExpired as late:
                found["hangs"] += 1
                said.append(f"seed {seed}, kill {done}: {late}")
                done += 1
            except AssertionError as fault:
                text = str(fault)
                found["stopped or mixed without a message" if "does not work" in text or "nobody says" in text else "not mended by a load"] += 1
                said.append(f"seed {seed}, kill {done}: {text[:500]}")
                done += 1
            finally:
                board.close()
    return found, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000, help="of each worker")
    parser.add_argument("--seed", type=int, default=1, help="of the first worker; the others follow")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--engine", default="model", choices=("model", "sim"), help="sim: the RTL")
    asked = parser.parse_args()
    found, said, seeds = collections.Counter(), [], range(asked.seed, asked.seed + asked.workers)
    with concurrent.futures.ProcessPoolExecutor(asked.workers) as pool:
        for counts, lines in pool.map(work, [asked.kills] * asked.workers, seeds, [asked.engine] * asked.workers):
            found += counts
            said += lines
    print("\n".join(said) + "\n" * bool(said), end="")
    print(f"{asked.kills * asked.workers} kills of a load, seeds {seeds[0]} to {seeds[-1]}: "
          + ", ".join(f"{found[what]} {what}" for what in sorted(set(found) - set(FAULTS))))
    print("; ".join(f"{found[what]} {what}" for what in FAULTS))
    return 1 if any(found[what] for what in FAULTS) else 0


if __name__ == "__main__":
    sys.exit(main())
