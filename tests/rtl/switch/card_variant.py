# SPDX-License-Identifier: Apache-2.0
"""A card other than the tree's, built in a folder of its own after changes of a few constants."""

import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]


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


def build(folder, profile, *targets):
    """Builds what steps a model and its RTL, and the targets."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
    plugins = [f"build/plugins/extorus-{engine}-{profile}.so" for engine in ("cosim", "model")]
    say(["make", "-s", "build/tests/equivalence", *plugins, *targets], cwd=folder, env={**environment, "BRIEF": profile})


def lock_step(folder, profile, cases):
    """Steps the model and the RTL of a tree through random cases; raises an error at a difference."""
    said = say([folder / "build/tests/equivalence", "--brief", "--profile", profile, "--cases", str(cases)], cwd=folder)
    assert f"{cases} cases" in said, said
