# SPDX-License-Identifier: Apache-2.0
"""Each room uses only rooms below its own, no files use each other in a circle, and the command uses public headers only."""

import subprocess

import pytest

import not_yet
from arrows import LIBRARY, MODEL, circles, includes, public_rooms, symbols, unit, upward
from repository import ROOT

HOST = ("host/lib", "host/params", "host/gen", "host/cli")


def listed(line):
    """An upward arrow as it is, a circle by the first of its files: so not_yet.py names them."""
    return line.split(" <-> ")[0].removesuffix(".c") if " <-> " in line else line


def new(found):
    return sorted(line for line in found if listed(line) not in not_yet.ARROWS | not_yet.CIRCLES)


def mended(found):
    return sorted((not_yet.ARROWS | not_yet.CIRCLES) - {listed(line) for line in found})


def objects_of(folder, command):
    if not any((ROOT / folder).rglob("*.o")):
        pytest.fail(f"{folder} has no objects: run `{command}`", pytrace=False)
    return folder


@pytest.fixture(scope="module")
def host_symbols():
    return list(symbols(ROOT, objects_of("build/obj/host", "make command"), "host/"))


@pytest.fixture(scope="module")
def model_symbols():
    """A profile without the link layer, and one with the link layer."""
    folders = [objects_of(f"build/obj/model/{profile}", "make models") for profile in ("mini", "extoll")]
    return [use for folder in folders for use in symbols(ROOT, folder, "sim/model/")]


def command_headers(root):
    """Uses of private headers by the command; only `extorus gen` uses the generator."""
    for use in includes(root, *HOST):
        inside = use.used.startswith(("host/include/", "host/cli/")) or (use.user, use.used) == (
            "host/cli/cmd_gen.c", "host/gen/arguments.h")
        if use.user.startswith("host/cli/") and not inside:
            yield f"{use.user} {use.why}"


def test_includes_of_the_host_go_down():
    assert not new(upward(includes(ROOT, *HOST), LIBRARY, public_rooms(ROOT)))


def test_symbols_of_the_host_go_down(host_symbols):
    assert not new(upward(host_symbols, LIBRARY))


def test_public_headers_have_a_room():
    assert not [path for path, found in public_rooms(ROOT).items() if found is None]


def test_no_files_of_the_host_include_each_other():
    assert not new(circles(includes(ROOT, *HOST), unit))


def test_no_files_of_the_host_call_each_other(host_symbols):
    assert not new(circles(host_symbols))


def test_the_command_includes_public_headers_only():
    assert not list(command_headers(ROOT))


def test_includes_of_the_model_go_down():
    uses = list(includes(ROOT, "sim/model"))
    assert not new(upward(uses, MODEL)) + new(circles(uses, unit))


def test_symbols_of_the_model_go_down(model_symbols):
    assert not new(upward(model_symbols, MODEL)) + new(circles(model_symbols))


def test_mended_faults_leave_the_list(host_symbols, model_symbols):
    host, model = list(includes(ROOT, *HOST)), list(includes(ROOT, "sim/model"))
    found = [*upward(host, LIBRARY, public_rooms(ROOT)), *upward(host_symbols, LIBRARY), *upward(model + model_symbols, MODEL)]
    for uses, name in ((host, unit), (host_symbols, str), (model, unit), (model_symbols, str)):
        found += circles(uses, name)
    assert not mended(found)


def test_a_mended_fault_is_seen(monkeypatch):
    monkeypatch.setattr(not_yet, "ARROWS", {"a.c -> b.c", "c.c -> d.c"})
    monkeypatch.setattr(not_yet, "CIRCLES", {"e", "f"})
    assert mended(["a.c -> b.c", "e.c <-> g.c"]) == ["c.c -> d.c", "f"]


# Seeded faults: a small tree of three rooms, first sound.
SOUND = {
    "host/include/extorus/image.h": "void xt_image_load(void);\n",
    "host/lib/base/clock.h": "void xt_clock(void);\n",
    "host/lib/base/clock.c": '#include "clock.h"\nvoid xt_clock(void)\n{\n}\n',
    "host/lib/image/image.c": '#include "extorus/image.h"\n#include "base/clock.h"\nvoid xt_image_load(void)\n{\n\txt_clock();\n}\n',
    "host/lib/device/device.h": "void xt_device_open(void);\n",
    "host/lib/device/device.c": '#include "device.h"\n#include "extorus/image.h"\nvoid xt_device_open(void)\n{\n\txt_image_load();\n}\n',
    "host/cli/report/plot.h": "void plot(void);\n",
    "host/cli/options/progress.h": "void progress(void);\n",
    "host/cli/main.c": '#include "extorus/image.h"\nint main(void)\n{\n\txt_image_load();\n}\n',
}
FAULTS = {
    "include of a higher room": ("host/lib/base/clock.c", '#include "device/device.h"\n', "up"),
    "include of a higher room's public header": ("host/lib/base/clock.h", '#include "extorus/image.h"\n', "up"),
    "call of a higher room": ("host/lib/base/error.c", "void xt_device_open(void);\nvoid xt_b(void);\nvoid xt_b(void)\n{\n\txt_device_open();\n}\n",
                              "up by symbol"),
    "circle of includes in a room": ("host/lib/base/clock.h", '#include "base/random.h"\n', "circle"),
    "circle of calls in a room": ("host/lib/base/clock.c", "void xt_random(void);\nvoid xt_c(void);\nvoid xt_c(void)\n{\n\txt_random();\n}\n",
                                  "circle by symbol"),
    "private header in the command": ("host/cli/main.c", '#include "base/clock.h"\n', "command"),
    "include of a higher room of the command": ("host/cli/options/progress.h", '#include "report/plot.h"\n', "up"),
}


def faults_of(root):
    for path in root.rglob("*.c"):
        built = root / "build/obj" / path.relative_to(root).with_suffix(".o")
        built.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", f"-I{root}/host/include", f"-I{root}/host/lib", f"-I{root}/host/cli", "-c", path, "-o", built], check=True)
    used, called = list(includes(root, *HOST)), list(symbols(root, "build/obj/host", "host/"))
    found = {"up": upward(used, LIBRARY, public_rooms(root)), "up by symbol": upward(called, LIBRARY), "circle": circles(used, unit),
             "circle by symbol": circles(called), "command": command_headers(root)}
    return {rule for rule, lines in found.items() if list(lines)}


@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_fault_is_seen(tmp_path, fault):
    files = dict(SOUND)
    if fault:
        path, added, _ = FAULTS[fault]
        files[path] = files.get(path, "") + added
        if "circle" in fault:
            files["host/lib/base/random.h"] = '#include "base/clock.h"\n'
            files["host/lib/base/random.c"] = '#include "base/clock.h"\nvoid xt_random(void);\nvoid xt_random(void)\n{\n\txt_clock();\n}\n'
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("#pragma once\n" * path.endswith(".h") + text)
    assert faults_of(tmp_path) == ({FAULTS[fault][2]} if fault else set())


MODEL_FAULTS = {
    "include of a higher room": ("card/card.h", '#include "model/event/event.h"\n', {"up", "circle"}),
    "call of a higher room": ("network/cycle.c", "void event_step(void);\nvoid b(void);\nvoid b(void)\n{\n\tevent_step();\n}\n",
                              {"up by symbol", "circle by symbol"}),
    "circle of calls in a room": ("card/card.c", "void c(void);\nvoid d(void);\nvoid d(void)\n{\n\tc();\n}\n", {"circle by symbol"}),
}
SOUND_MODEL = {
    "card/card.h": "void card_step(void);\n",
    "card/card.c": '#include "card.h"\nvoid card_step(void)\n{\n}\n',
    "card/link.c": '#include "card.h"\nvoid c(void);\nvoid c(void)\n{\n\tcard_step();\n}\n',
    "network/cycle.c": '#include "model/card/card.h"\nvoid network_step(void);\nvoid network_step(void)\n{\n\tcard_step();\n}\n',
    "event/event.h": '#include "model/card/card.h"\nvoid event_step(void);\n',
    "event/event.c": '#include "event.h"\nvoid network_step(void);\nvoid event_step(void)\n{\n\tnetwork_step();\n}\n',
    "run/run.c": '#include "model/event/event.h"\nvoid run(void);\nvoid run(void)\n{\n\tevent_step();\n}\n',
}


@pytest.mark.parametrize("fault", [None, *MODEL_FAULTS])
def test_a_fault_of_the_model_is_seen(tmp_path, fault):
    for path, text in SOUND_MODEL.items():
        at, built = tmp_path / "sim/model" / path, (tmp_path / "build" / path).with_suffix(".o")
        at.parent.mkdir(parents=True, exist_ok=True)
        built.parent.mkdir(parents=True, exist_ok=True)
        at.write_text("#pragma once\n" * path.endswith(".h") + text)
    if fault:
        path, added, _ = MODEL_FAULTS[fault]
        with (tmp_path / "sim/model" / path).open("a") as file:
            file.write(added)
    for path in (tmp_path / "sim/model").rglob("*.c"):
        built = tmp_path / "build" / path.relative_to(tmp_path / "sim/model").with_suffix(".o")
        subprocess.run(["gcc", f"-I{tmp_path}/sim", "-c", path, "-o", built], check=True)
    used, called = list(includes(tmp_path, "sim/model")), list(symbols(tmp_path, "build", "sim/model/"))
    found = {"up": upward(used, MODEL), "up by symbol": upward(called, MODEL), "circle": circles(used, unit), "circle by symbol": circles(called)}
    assert {rule for rule, lines in found.items() if list(lines)} == (MODEL_FAULTS[fault][2] if fault else set())
