#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the lock-step comparison catches faults: builds the model with each of model/NAME.sed, what it does not change
once, and compares it with the RTL until they differ.

Comment lines of a fault say which file of sim/model it changes (file:) and of which profile the cases are that must
notice it (profile:). Prints a line per fault; exit status 1 if one is not caught."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from processor_time import limited
from repository import ROOT  # noqa: E402

CASES = 60  # at most; all but a few faults show within ten


def notes(path):
    return dict(re.findall(r"^# (file|profile): (\S+)$", path.read_text(), re.M))


def run(command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **limited(600), **options)
    return done.returncode, done.stdout


def make_object(source, profile, folder, of):
    """An object in `folder`, and beside it what it was made of."""
    includes = ["-I" + str(ROOT / name) for name in ("host/include", "host/lib", "host/params", "host", "sim",
                                                      f"rtl/generated/{profile}")]
    status, output = run(["gcc", "-std=c11", "-O1", "-fPIC", "-D_GNU_SOURCE", "-MMD", *includes, "-c", source,
                          "-o", folder / f"{source.stem}.o"])
    if status:
        sys.exit(f"{of}: {output}")


def sound(profile, work):
    """The objects of the model as it is: {source: object}."""
    folder = work / f"sound-{profile}"
    sources = sorted((ROOT / "sim" / "model").glob("*/*.c"))
    if not folder.exists():
        folder.mkdir()
        for source in sources:
            make_object(source, profile, folder, "the model as it is")
    return {source: folder / f"{source.stem}.o" for source in sources}


def build(path, folder, work):
    """The plug-in of the faulty model in `folder`, beside that of the RTL."""
    said = notes(path)
    profile = said["profile"]
    objects = sound(profile, work)
    copy = folder / "model"
    shutil.copytree(ROOT / "sim" / "model", copy)
    target = copy / said["file"]
    before = target.read_text()
    run(["sed", "-i", "-f", path, target])
    if target.read_text() == before:
        sys.exit(f"{path.name} changes nothing in sim/model/{said['file']}: adapt it to the model")
    for source, built in objects.items():
        if re.search(rf"/sim/model/{re.escape(said['file'])}\b", built.with_suffix(".d").read_text()):
            make_object(copy / source.relative_to(ROOT / "sim" / "model"), profile, folder, path.name)
            objects[source] = folder / built.name
    status, output = run(["gcc", "-shared", "-Wl,-Bsymbolic", *objects.values(), ROOT / "build/libextorus.a", "-ljansson", "-lz",
                          "-lm", "-ldl", "-o", folder / f"extorus-model-{profile}.so"])
    if status:
        sys.exit(f"{path.name}: {output}")
    (folder / f"extorus-cosim-{profile}.so").symlink_to(ROOT / f"build/plugins/extorus-cosim-{profile}.so")
    return profile


def caught(path, work):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        profile = build(path, folder, work)
        status, output = run([ROOT / "build/tests/equivalence", "--profile", profile, "--cases", CASES, "--stop"],
                             env={**os.environ, "EXTORUS_PLUGIN_DIR": name})
    if status not in (0, 1):
        sys.exit(f"{path.name}: exit status {status}\n{output}")
    return status == 1, output


def main():
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        for path in sorted(HERE.glob("model/*.sed")):
            found, output = caught(path, pathlib.Path(name))
            missed += not found
            number = re.search(r"^case (\d+)", output, re.M)
            print(f"{'caught' if found else 'NOT CAUGHT'} {path.stem}{' by case ' + number[1] if number else ''}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
