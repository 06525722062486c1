# SPDX-License-Identifier: Apache-2.0
"""The register map in SystemRDL and in IP-XACT says what the C header says: every address, access and field of every profile."""

import itertools
import json
import pathlib
import re
import subprocess

import pytest

from hardware_venv import program
from processor_time import limited
from repository import PROFILES, ROOT

pytestmark = pytest.mark.slow
TABLES = ("GRT", "LRT")
LIMITS = {"tc": "TCS", "port": "PORTS", "vc": "VCS", "nic": "NIC_PORTS", "bin": "LATENCY_BINS"}


@pytest.fixture(scope="module", params=PROFILES)
def folder(request, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param)
    subprocess.run([ROOT / "build/extorus", "gen", "--profile", request.param, "-o", out], check=True, **limited(60))
    return out


def values(folder, expressions):
    """What the C compiler makes of expressions over the header."""
    lines = "".join(f'\tprintf("%lu\\n", (unsigned long)({text}));\n' for text in expressions)
    source = f'#include <stdio.h>\n#include "xt_registers.h"\nint main(void)\n{{\n{lines}\treturn 0;\n}}\n'
    (folder / "values.c").write_text(source)
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Werror", "-o", folder / "values", folder / "values.c"], check=True, **limited(60))
    out = subprocess.run([folder / "values"], check=True, capture_output=True, text=True, **limited(10)).stdout
    return dict(zip(expressions, map(int, out.split()), strict=True))


def header_map(folder):
    """{address: (name, "r" or "rw", {field: (lowest bit, bits)})} of the C header, and its constants."""
    text = (folder / "xt_registers.h").read_text()
    registers = re.findall(r"^/\* (read only|read and write): (.*) \*/\n#define EXTORUS_REG_(\w+?)(?:\(([\w, ]+)\))? ", text, re.M)
    assert len(registers) > 50 and len(registers) == len(re.findall(r"/\* read", text))
    limit = values(folder, [f"EXTORUS_{name}" for name in [*LIMITS.values(), "LINK_PORTS", "GRT_ENTRIES", "LRT_ENTRIES", "TCS"]])
    entry = values(folder, [f"EXTORUS_ENTRY_{name}" for name in ("TC_BITS", "PORT_LSB", "PORT_BITS", "VC_LSB", "VC_BITS",
                                                                "MASK_LSB", "MASK_BITS", "VALID_BIT")])
    expected, calls = {}, {}
    for access, doc, name, arguments in registers:
        if doc.endswith("(not in this profile)"):
            continue
        ranges = [range(limit[f"EXTORUS_{name}_ENTRIES"]) if word == "index" else range(limit[f"EXTORUS_{LIMITS[word]}"])
                  for word in filter(None, arguments.split(", "))]
        if re.search(rf"EXTORUS_REG_{name}\(port\)", text) and is_of_links(name):
            ranges = [range(limit["EXTORUS_LINK_PORTS"])]
        for places in itertools.product(*ranges):
            call = f"EXTORUS_REG_{name}" + (f"({', '.join(map(str, places))})" if places else "")
            calls[call] = (name, "r" if access == "read only" else "rw", doc)
    fields = re.findall(r"^#define EXTORUS_(\w+)_MASK 0x", text, re.M)
    # LATENCY_CONTROL_STAMP is a field of LATENCY_CONTROL, not one of LATENCY.
    owner = {field: max((row[2] for row in registers if field.startswith(row[2] + "_")), key=len) for field in fields}
    numbers = values(folder, [*calls, *(f"EXTORUS_{name}_{end}" for name in fields for end in ("LSB", "MASK"))])
    for call, (name, access, doc) in calls.items():
        own = {}
        for field in fields:
            if owner[field] == name:
                lsb, mask = numbers[f"EXTORUS_{field}_LSB"], numbers[f"EXTORUS_{field}_MASK"]
                assert mask == ((1 << mask.bit_count()) - 1) << lsb
                own[field[len(name) + 1:]] = (lsb, mask.bit_count())
        if name in TABLES:
            for word, part in enumerate(("LOW", "HIGH")):
                own = {f"TC{tc}_{key}": ((tc * entry["EXTORUS_ENTRY_TC_BITS"] + lsb) % 32, bits)
                       for tc in range(limit["EXTORUS_TCS"]) for key, lsb, bits in entry_parts(entry)
                       if (tc * entry["EXTORUS_ENTRY_TC_BITS"] + lsb) // 32 == word}
                expected[numbers[call] + 4 * word] = (f"{name}.{part}", access, doc, own or {"VALUE": (0, 32)})
        else:
            expected[numbers[call]] = (name, access, doc, own or {"VALUE": (0, 32)})
    return expected


def entry_parts(entry):
    for key in ("PORT", "VC", "MASK"):
        yield key, entry[f"EXTORUS_ENTRY_{key}_LSB"], entry[f"EXTORUS_ENTRY_{key}_BITS"]
    yield "VALID", entry["EXTORUS_ENTRY_VALID_BIT"], 1


def is_of_links(name):
    """The header does not tell registers of links from those of all ports; the table of registers does."""
    table = (ROOT / "host/include/extorus/registers.h").read_text()
    return re.search(rf"X\({name}, \w+, 0x\w+, (\w+),", table)[1] == "PER_LINK"


def differences(expected, found, constants):
    """What a map that was read says otherwise than the header."""
    wrong, seen = [], set()
    for address, path, fields in found:
        name, access, doc, own = expected.get(address, (None, None, "", {}))
        if name is None or address in seen or path.split(".")[-2 if "." in name else -1:] != name.split("."):
            wrong.append(f"{address:#x} {path}")
            continue
        seen.add(address)
        if {key: tuple(value[:2]) for key, value in fields.items()} != own:
            wrong.append(f"{path}: fields")
        for key, (_, _, sw, reset, effect) in fields.items():
            if sw != access:
                wrong.append(f"{path}.{key}: access {sw}")
            if effect != ("woclr" if "written 1, a bit is cleared" in doc else "woset" if "written 1" in doc else None):
                wrong.append(f"{path}.{key}: effect {effect}")
            if reset != constants.get((name, key)):
                wrong.append(f"{path}.{key}: reset {reset}")
    return wrong + [f"{address:#x} {expected[address][0]} is missing" for address in expected.keys() - seen]


def header_constants(folder):
    """{(register, field): value} of the registers that always read the same."""
    names = {("MAGIC", "VALUE"): "MAGIC_VALUE", ("VERSION", "VALUE"): "MAP_VERSION", ("PROFILE_HASH", "VALUE"): "PROFILE_HASH",
             **{("SHAPE", name): name for name in ("LINK_PORTS", "NIC_PORTS", "TCS", "VCS")}}
    numbers = values(folder, [f"EXTORUS_{name}" for name in [*names.values(), "FEATURES"]])
    features = numbers["EXTORUS_FEATURES"]
    bits = re.findall(r"^#define EXTORUS_FEATURES_(\w+)_LSB (\d+)u", (folder / "xt_registers.h").read_text(), re.M)
    return {**{key: numbers[f"EXTORUS_{name}"] for key, name in names.items()},
            **{("FEATURES", name): features >> int(bit) & 1 for name, bit in bits}}


def elaborated(*paths):
    script = pathlib.Path(__file__).parent / "elaborate.py"
    done = subprocess.run([program("python"), script, *paths], capture_output=True, text=True, **limited(300))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_maps_are_that_of_the_header(folder):
    expected, constants = header_map(folder), header_constants(folder)
    for found in elaborated(folder / "registers.rdl", folder / "registers.xml"):
        assert differences(expected, found, constants) == []


# A text of each form, and what a wrong generator would write instead.
FAULTS = {
    "rdl": [(r"SHAPE @0xc;", "SHAPE @0x9c;"), (r"NIC_PORTS\[15:8\]", "NIC_PORTS[14:8]"), (r"READY\[0:0\]", "READY[2:2]"),
            (r"MATCH_MASK\[(\d+)\] @0x20", r"MATCH_MASK[\1] @0x24"), (r"\+= 0x100;", "+= 0x200;"), (r"TC0_VALID\[\d+:\d+\]", "TC0_VALID[31:31]"),
            (r"sw = rw;", "sw = r;"), (r"onwrite = woclr;", ""), (r"= 32'h58544f52;", "= 32'h58544f53;"), (r"} GRT\[(\d)", r"} GRT[1\1"),
            (r"IDLE\[1:1\]", "BUSY[1:1]"), (r"field .* IDLE\[1:1\];\n", "")],
    "xml": [(r"<ipxact:bitOffset>8</", "<ipxact:bitOffset>7</"), (r"<ipxact:bitWidth>8</", "<ipxact:bitWidth>7</"),
            (r"<ipxact:addressOffset>'hc</", "<ipxact:addressOffset>'h9c</"), (r"<ipxact:range>'h100</", "<ipxact:range>'h200</"),
            (r"read-only", "read-write"), (r"<ipxact:modifiedWriteValue>.*</ipxact:modifiedWriteValue>", ""),
            (r"<ipxact:value>'h58544f52", "<ipxact:value>'h58544f53"), (r"<ipxact:name>IDLE<", "<ipxact:name>BUSY<"),
            (r"<ipxact:dim>\d+<", "<ipxact:dim>3<")],
}


def test_seeded_faults_are_found(tmp_path):
    subprocess.run([ROOT / "build/extorus", "gen", "--profile", "mini", "-o", tmp_path], check=True, **limited(60))
    expected, constants, faulty = header_map(tmp_path), header_constants(tmp_path), {}
    for form, faults in FAULTS.items():
        for pattern, instead in faults:
            path = tmp_path / f"{len(faulty)}.{form}"
            text, times = re.subn(pattern, instead, (tmp_path / f"registers.{form}").read_text(), count=1)
            assert times == 1
            path.write_text(text)
            faulty[path] = pattern
    for pattern, found in zip(faulty.values(), elaborated(*faulty), strict=True):
        assert found is None or differences(expected, found, constants), pattern


@pytest.mark.parametrize("form", ["rdl", "xml"])
@pytest.mark.parametrize("exporter", ["c-header", "html", "ip-xact", "uvm"])
def test_peakrdl_takes_the_map(tmp_path, form, exporter):
    subprocess.run([ROOT / "build/extorus", "gen", "--profile", "mini", "-o", tmp_path], check=True, **limited(60))
    out = tmp_path / "out"
    done = subprocess.run([program("peakrdl"), exporter, tmp_path / f"registers.{form}", "-o", out], capture_output=True, text=True,
                          **limited(300))
    assert done.returncode == 0 and out.exists() and "warning" not in done.stderr.lower(), done.stderr
