# SPDX-License-Identifier: Apache-2.0
"""A card other than the tree's, built in a folder of its own: `mini` after changes of a few constants."""

import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = 20
TARGETS = ["build/tests/switch-mini", "build/plugins/extorus-cosim-mini.so", "build/plugins/extorus-model-mini.so", "build/tests/equivalence"]


def say(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + done.stdout[-6000:])
    return done.stdout


def tree_of(folder, changes):
    """A copy of the tree, with what the build has made of the host's code. Each of the changes, (file, pattern, text), is
    made in one place."""
    listed = say(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT).split("\0")
    for name in filter(None, listed):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, folder / name)
    if (ROOT / "build/obj/host").exists():
        shutil.copytree(ROOT / "build/obj/host", folder / "build/obj/host")
    change(folder, changes)


def change(folder, changes):
    for name, pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, (folder / name).read_text())
        assert count == 1, (name, pattern, count)
        (folder / name).write_text(text)


def build(folder):
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    say(["make", "-s", *TARGETS], cwd=folder, env={**environment, "BRIEF": "mini"})


def lock_step(folder):
    """Steps the model and the RTL of a tree through random cases; raises an error at a difference."""
    said = say([folder / "build/tests/equivalence", "--brief", "--profile", "mini", "--cases", str(CASES)], cwd=folder)
    assert f"{CASES} cases" in said, said
