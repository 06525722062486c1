# SPDX-License-Identifier: Apache-2.0
"""Faults of the fast model, caught by the comparison with the RTL in lock step.

A fault is model/NAME.sed. Its comment lines say which file of sim/model it changes (file:) and of which profile the cases are
that must notice the fault (profile:). Sources that the fault does not change are compiled once."""

import functools
import os
import pathlib
import re
import shutil
import subprocess

from processor_time import limited
from repository import ROOT
from seeded import Fault, notes, run, with_script

HERE = pathlib.Path(__file__).resolve().parent
MODEL = ROOT / "sim" / "model"
CASES = 200  # at most; all but a few faults show within ten

FAULTS = {path.stem: Fault(["lock-step"], profile=notes(path)["profile"][0], source=path) for path in sorted(HERE.glob("model/*.sed"))}


def make_object(source, profile, folder):
    """An object in `folder`, and beside it the list of files that it is made of."""
    includes = [f"-I{ROOT / name}" for name in ("host/include", "host/lib", "host/params", "host", "sim", f"rtl/generated/{profile}")]
    made = folder / f"{source.stem}.o"
    run(["gcc", "-std=c11", "-O1", "-fPIC", "-D_GNU_SOURCE", "-MMD", *includes, "-c", source, "-o", made])
    return made


@functools.cache
def sound(profile, work):
    """The objects of the model as it is: {source: object}."""
    folder = work / f"sound-{profile}"
    folder.mkdir(exist_ok=True)
    return {source: make_object(source, profile, folder) for source in sorted(MODEL.glob("*/*.c"))}


def write(path, folder):
    """In the new folder `folder` the sources with the fault; returns the name of the changed file."""
    changed = notes(path)["file"][0]
    shutil.copytree(MODEL, folder)
    with_script(path, folder / changed)
    return changed


def build(path, profile, work):
    """In `work`/NAME the plug-in of the faulty model, beside that of the RTL."""
    objects = dict(sound(profile, work))
    folder = work / path.stem
    changed = write(path, folder / "model")
    for source, built in objects.items():
        if re.search(rf"/sim/model/{re.escape(changed)}\b", built.with_suffix(".d").read_text()):
            objects[source] = make_object(folder / "model" / source.relative_to(MODEL), profile, folder)
    run(["gcc", "-shared", "-Wl,-Bsymbolic", *objects.values(), ROOT / "build/libextorus.a", "-ljansson", "-lexpat", "-lz", "-lm", "-ldl",
         "-o", folder / f"extorus-model-{profile}.so"])
    (folder / f"extorus-cosim-{profile}.so").symlink_to(ROOT / f"build/plugins/extorus-cosim-{profile}.so")
    return folder


def tester(name, work, profile):
    folder = build(FAULTS[name].source, profile, work)

    def passes(_):
        done = subprocess.run([ROOT / "build/tests/equivalence", "--profile", profile, "--cases", str(CASES), "--stop"],
                              capture_output=True, text=True, env={**os.environ, "EXTORUS_PLUGIN_DIR": str(folder)}, **limited(600))
        assert done.returncode in (0, 1), f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.returncode == 0

    return passes
