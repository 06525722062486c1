# SPDX-License-Identifier: Apache-2.0
"""Faults of the card, caught by tests of its bench.

A fault is rtl/NAME.sed, a sed script for one file of the card, or a folder rtl/NAME/ of files that replace what follows the
ports of the module of the same name in rtl/. Its comment lines say more:
  file: NAME             (a sed script) the file it changes
  caught by: TEST ...    each of these tests must fail
  passes: TEST ...       each of these must pass: the fault is in what is claimed, not all over
  profile: NAME          the profile that has what the fault breaks

Uses the objects that `make build/tests/switch-PROFILE` has left in build/obj/switch/PROFILE.
"""

import os
import pathlib
import shutil
import subprocess

from processor_time import limited
from repository import ROOT, rtl
from seeded import Fault, notes, run, verilator_root, with_script

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 300  # of one run of the bench


def read(path):
    said = notes(path)
    return Fault(said.get("caught by", []), said.get("passes", []), said.get("profile", [None])[0], path)


FAULTS = {path.stem: read(path) for path in sorted(HERE.glob("rtl/*"))}


def write(path, folder):
    """In the new folder `folder` the RTL of a card with the fault."""
    folder.mkdir(parents=True)
    for file in rtl("card_sources.f"):
        shutil.copy(file, folder)
    if path.is_file():
        with_script(path, folder / notes(path)["file"][0])
        return
    for file in path.glob("*.sv"):
        assert (folder / file.name).exists(), f"{path.name}/{file.name} replaces nothing in rtl/"
        ports, end, _ = (folder / file.name).read_text().partition("\n);\n")
        (folder / file.name).write_text(ports + end + file.read_text())


def build(path, profile, work):
    """The bench with the faulty card; no assertions, the tests are to see the fault by themselves."""
    objects = [path for path in sorted((ROOT / "build/obj/switch" / profile).glob("*.o")) if path.stem != "card_under_test"]
    assert objects, f"no objects of the bench; run `make build/tests/switch-{profile}` first"
    write(path, work / "rtl")
    model = work / "model"
    run(["verilator", "--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert", "-Wno-fatal",
         "-CFLAGS", "-DVL_USER_STOP", "--top-module", "xt_card", "--prefix", "Vxt_card", "--Mdir", model,
         ROOT / "rtl" / "generated" / profile / "xt_pkg.sv", *sorted((work / "rtl").glob("*.sv"))])
    libraries = ["Vxt_card__ALL.a", "verilated.o", "verilated_threads.o"]
    run(["make", "-C", model, "-f", "Vxt_card.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1", *libraries],
        env={**os.environ, "MAKEFLAGS": ""})
    folders = [f"-I{ROOT / name}" for name in ("host/include", "host/lib", "host/params")]
    run(["g++", "-std=c++17", "-O1", f"-DXT_PROFILE={profile}", "-DVM_TRACE=0", *folders, "-isystem", model, "-isystem",
         verilator_root() / "include", ROOT / "tests/rtl/switch/card_under_test.cpp", *objects,
         *(model / name for name in libraries), ROOT / "build/libextorus.a", "-ljansson", "-lexpat", "-lz", "-lm", "-lpthread", "-latomic",
         "-o", work / "bench"])
    return work / "bench"


def tester(name, work, profile):
    program = build(FAULTS[name].source, profile, work / name)

    def passes(test):
        """A test that crashes or hangs does not."""
        try:
            done = subprocess.run([program, test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  **limited(LIMIT_S))
        except subprocess.TimeoutExpired:
            return False
        assert done.returncode != 2, f"{test}: {done.stdout.strip()}"
        return done.returncode == 0

    return passes
