# SPDX-License-Identifier: Apache-2.0
"""Runs the command that is tested: build/extorus, or the one that EXTORUS names. EXTORUS_EVERY=N: only every N-th case."""

import collections
import os
import pathlib
import signal
import subprocess

import pytest

from processor_time import limited

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Cases that `make test` leaves to `make test-long`, because others of the same test need less of its time.
LONG_CASES = frozenset((ROOT / "tests" / "long_cases").read_text().splitlines())
# A shell without job control lets what it starts in the background ignore these, and their children inherit that.
for number, action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, action)

COMMAND = os.environ.get("EXTORUS", str(ROOT / "build" / "extorus"))


@pytest.fixture
def extorus(tmp_path):
    """extorus("check", "x.img", status=0) -> standard output; asserts the exit status, unless that is None.
    Files are in a folder of the test's own."""

    def run(*arguments, status=0, stderr=None, env=None):
        done = subprocess.run([COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, **limited(300),
                              env={**os.environ, **env} if env else None)
        assert status is None or done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr}"
        if stderr is not None:
            assert stderr in done.stderr, done.stderr
        return done.stdout

    run.folder, run.command = tmp_path, COMMAND
    return run


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks LONG_CASES; of the cases of each test only every EXTORUS_EVERY-th stays, from the first on."""
    for item in items:
        if item.nodeid in LONG_CASES:
            item.add_marker(pytest.mark.long)
    every = int(os.environ.get("EXTORUS_EVERY", 1))
    seen, kept, left = collections.Counter(), [], []
    for item in items:
        (left if seen[item.function] % every else kept).append(item)
        seen[item.function] += 1
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept
