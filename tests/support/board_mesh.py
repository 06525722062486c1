# SPDX-License-Identifier: Apache-2.0
"""Virtual boards wired pin to pin: a process of sim/board_mesh."""

import subprocess

from repository import ROOT


class BoardMesh:
    """`name` is that of a program, BOARD or BOARD-PROFILE; `devices` are those of its boards."""

    def __init__(self, name, boards, *options):
        program = ROOT / "build/boards" / f"extorus-mesh-{name}"
        self.process = subprocess.Popen([program, *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.devices = [self.process.stdout.readline().strip() for _ in range(boards)]

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.startswith(f"ok {line}")
        return answer

    def cycle(self):
        return int(self.say("cycles").split()[-1])

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
