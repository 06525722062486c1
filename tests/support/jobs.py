# SPDX-License-Identifier: Apache-2.0
"""The jobs of tests/run: lint targets, cmocka programs and pytest suites, each a program of its own."""

import collections
import glob
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

from processor_time import limited
from repository import EVERYDAY_PROFILES, PROFILES, ROOT

CHECK, TEST, LONG = "check", "test", "long"
# Seconds of processor of each process of a job, and of real time of a job.
LIMIT_S = {CHECK: (600, 3600), TEST: (3600, 3 * 3600), LONG: (8 * 3600, 16 * 3600)}
MARKED = {CHECK: "not long and not slow", TEST: "not long", LONG: "long"}
SLOW_LINTS = ("verilator", "yosys", "iverilog")
FIRST_ONLY = str(10**9)  # of EXTORUS_EVERY: of each test the first case

Result = collections.namedtuple("Result", "passed failed output")


class Jobs:
    """The jobs of one run, whose reports go to `out`."""

    def __init__(self, kind, out):
        self.kind, self.out = kind, out

    def run(self, command, **environment):
        """Exit status and output of a command. At a time-out all its processes end, and the status is -1."""
        processor, limit = LIMIT_S[self.kind]
        try:
            job = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", start_new_session=True,
                                   preexec_fn=limited(processor)["preexec_fn"])
        except FileNotFoundError as missing:
            return -1, f"{missing}: run `make tests-build`\n"
        try:
            output, _ = job.communicate(timeout=limit)
            return job.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            return -1, job.communicate()[0] + f"\nstopped after {limit} s\n"

    def make(self, target, *variables):
        """A target of make; two runs at once take turns."""
        (ROOT / "build").mkdir(exist_ok=True)
        lock = f"build/test-{target.replace('/', '-')}.lock"
        status, output = self.run(["flock", lock, "make", "--no-print-directory", "-j1", target, *variables])
        return Result(int(status == 0), int(status != 0), output)

    def cmocka(self, command):
        """Each test of a cmocka program, or of another that speaks TAP, is a case; a crash is one more that failed."""
        status, output = self.run(command, CMOCKA_MESSAGE_OUTPUT="TAP")
        passed = len(re.findall(r"^ok \d*", output, re.M))
        failed = len(re.findall(r"^not ok \d*", output, re.M))
        if status != 0 and failed == 0 or passed + failed == 0:
            failed += 1
            output += f"\nexit status {status} and no test named\n"
        return Result(passed, failed, output)

    def pytest(self, folder, name, marked=None, **environment):
        report = self.out / f"{name}.xml"
        report.unlink(missing_ok=True)
        if self.kind == CHECK:
            environment["EXTORUS_EVERY"] = FIRST_ONLY
        status, output = self.run(["/usr/bin/python3", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q",
                                   "-m", marked or MARKED[self.kind], f"--junitxml={report}", folder], **environment)
        # Nothing was chosen: all tests are marked otherwise. A folder in which none is found is a fault.
        if status == 5 and re.search(r"^[1-9]\d* deselected", output, re.M):
            return Result(0, 0, output)
        if status in (0, 1) and report.exists():
            suite = ElementTree.parse(report).getroot().find("testsuite")
            count = {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}
            failed = count["failures"] + count["errors"]
            return Result(count["tests"] - failed - count["skipped"], failed, output)
        return Result(0, 1, output)

    def all(self):
        """(name, function) of each job, roughly the slowest first so that none is left over at the end."""
        yield from self.suites()
        programs = [os.path.basename(path)[len("test_"):-2] for path in sorted(glob.glob("tests/unit/test_*.c"))]
        fuzzed = sorted(os.path.basename(path) for path in glob.glob("tests/fuzz/corpus/*"))
        if self.kind == LONG:
            for target in fuzzed:
                yield f"fuzz-{target}", lambda t=target: self.cmocka(["tests/fuzz/run_fuzzers", t])
            for program in programs:
                command = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", f"build/tests/{program}"]
                yield f"valgrind-{program}", lambda c=command: self.cmocka(c)
            for profile in (name for name in PROFILES if name not in EVERYDAY_PROFILES):
                for kind in SLOW_LINTS:
                    yield f"lint-{kind}-{profile}", lambda t=f"lint-{kind}-{profile}": self.make(t)
            return
        yield from self.lints()
        for program in programs:
            yield f"unit-{program}", lambda p=program: self.cmocka([f"build/tests/{p}"])
        if self.kind == CHECK:
            return
        yield "tsan-session", lambda: self.cmocka(["build/tsan/tests/session"])
        for target in fuzzed:
            command = [f"build/san/replay/{target}", *sorted(glob.glob(f"tests/fuzz/corpus/{target}/*"))]
            yield f"replay-{target}", lambda c=command: self.cmocka(c)
        for program in programs:
            yield f"san-{program}", lambda p=program: self.cmocka([f"build/san/tests/{p}"])

    def suites(self):
        """The folders with test_*.py, synthesis, and the oracles with the sanitized command."""
        for folder in sorted({os.path.dirname(path) for path in glob.glob("tests/**/test_*.py", recursive=True)}, reverse=True):
            name = os.path.basename(folder)
            yield name, lambda f=folder, n=name: self.pytest(f, n)
        if self.kind == CHECK:
            return
        for profile in PROFILES if self.kind == LONG else ["mini"]:
            yield f"synth-map-{profile}", lambda p=profile: self.make(f"build/synth/map-{p}/report.txt")
        if self.kind == LONG:
            yield "synth-mini-ecp5-25f", lambda: self.make("synth", "PROFILE=mini", "TARGET=ecp5-25f", "SEED=1")
        # Most of the oracle's time is its own; the sanitized command meets all of its cases in the long run.
        sanitized = {"EXTORUS": str(ROOT / "build/san/extorus"), "EXTORUS_EVERY": "1" if self.kind == LONG else "16"}
        yield "san-oracle", lambda: self.pytest("tests/oracle", "san-oracle", MARKED[TEST], **sanitized)

    def lints(self):
        boards = [os.path.basename(os.path.dirname(path)) for path in sorted(glob.glob("constraints/boards/*/board.json"))]
        targets = ["lint-format", "lint-python", "lint-spelling", "lint-prose"]
        if self.kind == CHECK:
            targets.append("lint-verilator-mini")
        else:
            targets += ["lint-clang", "lint-slang-files"]
            targets += [f"lint-{kind}-{profile}" for kind in ("clang", "slang") for profile in PROFILES]
            targets += [f"lint-{kind}-{profile}" for kind in SLOW_LINTS for profile in EVERYDAY_PROFILES]
            targets += [f"lint-board-{board}" for board in boards]
        for target in targets:
            yield target, lambda t=target: self.make(t)
