# SPDX-License-Identifier: Apache-2.0
"""Seeded faults: the comparison with the plain harness must catch each of them."""

import json
import subprocess

import pytest

from processor_time import limited
from systemc_programs import ROOT, run

LIBRARIES = ["-lsystemc", "-ljansson", "-lexpat", "-lz", "-lm", "-ldl", "-lpthread", "-lftdi1", "-lusb-1.0"]
INCLUDES = [f"-I{ROOT / folder}" for folder in ("sim/systemc/include", "sim/systemc", "sim/model/card", "host/include", "host/lib", "host/params",
                                                "host", "sim")]
# name: (source, what stands there, what is put instead)
MODULES = {
    "a link is a cycle longer": ("link", "under_way_(latency)", "under_way_(latency + 1)"),
    "a card sleeps while it holds something": ("card", "impl_->out.idle && ", ""),
    "a link forgets the first frame after a rest": ("link", "if (in.read().valid && !cut_) {",
                                                     "if (in.read().valid && (count_ || in.event())) {"),
    "a card is evaluated when it is woken": ("card", "if (!clk_i.posedge()) {", "if (false) {"),
    "a card does not see the end of a packet": ("card", "static_cast<uint32_t>(beat.last) << n", "0u << n"),
}
MODEL = {
    "carriers are used again too early": ("FRAME_CARRIERS = 3,", "FRAME_CARRIERS = 1,"),
    "cells are released before they are acknowledged": ("most = d->held[i] > most ? d->held[i] : most;", "most = 0;"),
    "a beat that waits is overwritten": ("c->beat[n] ^= ", "c->beat[n] &= "),
    "the poison of a cell is lost, and its place": ("token_of(a->packet, a->index) |", "token_of(a->packet, 0) |"),
    "a wrong CRC": ("UINT32_C(0x05511411) : 0", "UINT32_C(0x05511413) : 0"),
}


def mutate(source, old, new, to):
    text = source.read_text()
    assert text.count(old) == 1, f"{source}: {old}"
    to.write_text(text.replace(old, new))


def compile(command):
    done = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True, **limited(600))
    assert done.returncode == 0, done.stderr


def outcome(program, folder, settings, **environment):
    """What a run comes to: how it ended, in how many cycles, and its packets."""
    log = folder / "log.csv"
    log.unlink(missing_ok=True)
    done = run(program, *settings, f"log={log}", folder=folder, **environment)
    cycles = [json.loads(line)["cycles"] for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, cycles, log.read_text() if log.exists() else None


RING = ["torus:3", "profile=mini", "engine=model", "load=0.3", "measure=300"]
# RTL at one end of each link, the model at the other.
MIXED = ["torus:2x2", "profile=extoll", "engine=mixed", "load=0.5", "measure=400"]


# The compiler takes most of the time.
@pytest.mark.parametrize("name", [name if n < 2 else pytest.param(name, marks=pytest.mark.long)
                                  for n, name in enumerate(MODULES)])
def test_faults_of_modules_are_caught(tmp_path, name):
    source, old, new = MODULES[name]
    mutate(ROOT / "sim/systemc" / f"{source}.cpp", old, new, tmp_path / f"{source}.cpp")
    compile(["g++", "-std=c++17", *INCLUDES, tmp_path / f"{source}.cpp", ROOT / "build/obj/sim/systemc/run/main.o",
             ROOT / "build/libextorus-systemc.a", ROOT / "build/libextorus.a", *LIBRARIES, "-o", tmp_path / "run"])
    good = outcome(ROOT / "build/systemc/run", tmp_path, RING)
    assert good[0] == 0
    assert outcome(tmp_path / "run", tmp_path, RING) != good


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    good = outcome(ROOT / "build/systemc/run", tmp_path_factory.mktemp("good"), MIXED)
    assert good[0] == 0
    return good


@pytest.mark.parametrize("name", MODEL)
@pytest.mark.slow
def test_faults_of_the_modelled_card_are_caught(tmp_path, mixed, name):
    mutate(ROOT / "sim/model/card/model_card_engine.c", *MODEL[name], tmp_path / "card_engine.c")
    others = [path for path in sorted((ROOT / "build/obj/model/extoll").rglob("*.o")) if path.name != "model_card_engine.o"]
    compile(["gcc", "-std=c11", "-O1", "-fPIC", "-shared", "-D_GNU_SOURCE", *INCLUDES, f"-I{ROOT}/rtl/generated/extoll",
             tmp_path / "card_engine.c", *others, ROOT / "build/libextorus.a", *LIBRARIES[1:], "-o",
             tmp_path / "extorus-model-extoll.so"])
    (tmp_path / "extorus-cosim-extoll.so").symlink_to(ROOT / "build/plugins/extorus-cosim-extoll.so")
    assert outcome(ROOT / "build/systemc/run", tmp_path, MIXED, EXTORUS_PLUGIN_DIR=str(tmp_path)) != mixed
