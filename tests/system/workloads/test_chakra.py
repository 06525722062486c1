# SPDX-License-Identifier: Apache-2.0
"""Execution traces of Chakra, written by the definition (CHAKRA.md) with an encoder of the wire format of its own."""

import gzip
import json
import os
import random
import re
import struct
import subprocess

import pytest

from processor_time import limited

COMP, SEND, RECV, COLL = 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER, BARRIER = 0, 2, 5, 6, 7, 9


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


# The field of each type, and how its value is written.
TYPES = {"int32": lambda v: number(7, v), "int64": lambda v: number(9, v), "uint64": lambda v: number(13, v), "bool": lambda v: number(27, v),
         "sint64": lambda v: number(17, v << 1 ^ v >> 63), "fixed32": lambda v: varint(19 << 3 | 5) + struct.pack("<I", v),
         "fixed64": lambda v: varint(21 << 3 | 1) + struct.pack("<Q", v), "string": lambda v: text(29, v)}


def node(number_of, kind, deps=(), micros=0, packed=True, ctrl=(), doc="", **attributes):
    out = number(1, number_of) + text(2, f"node {number_of}") + number(3, kind)
    for field, list_of in ((4, ctrl), (5, deps)):
        out += text(field, b"".join(map(varint, list_of))) if packed and list_of else b"".join(number(field, dep) for dep in list_of)
    out += number(7, micros)
    for name, (kind_of, value) in attributes.items():
        out += text(10, text(1, name) + text(2, doc) + TYPES[kind_of](value))
    return out


def write(folder, *ranks, version="0.0.4", pack=lambda content: content):
    for rank, nodes in enumerate(ranks):
        parts = [text(1, version), *nodes]
        (folder / f"t.{rank}.et").write_bytes(pack(b"".join(varint(len(part)) + part for part in parts)))


def message(i, kind, other, size, tag=0, deps=(), **more):
    return node(i, kind, deps, **{"comm_dst" if kind == SEND else "comm_src": ("int32", other)}, comm_size=("int64", size), comm_tag=("int32", tag), **more)


def collective(i, kind, size, deps=(), **more):
    return node(i, COLL, deps, comm_type=("int64", kind), comm_size=("uint64", size), is_cpu_op=("bool", 0), **more)


@pytest.fixture
def schedule(extorus):
    """The GOAL schedule of t.0.et and so on: {rank: lines}."""
    def run():
        extorus("workload", "convert", "t.0.et", "a.goal")
        found = re.findall(r"^rank (\d+) \{\n(.*?)^\}", (extorus.folder / "a.goal").read_text(), re.M | re.S)
        return {int(rank): lines.splitlines() for rank, lines in found}
    return run


def sent(lines):
    return sorted((int(size), int(to)) for size, to in re.findall(r"send (\d+)b to (\d+)", "\n".join(lines)))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("pack", [lambda content: content, gzip.compress], ids=["plain", "gzip"])
def test_messages_and_computations(schedule, tmp_path, packed, pack):
    write(tmp_path, [node(10, COMP, micros=3, is_cpu_op=("bool", 0)), message(11, SEND, 1, 500, 7, [10], packed=packed)],
          [message(5, RECV, 0, 500, 7), node(9, COMP, [5], micros=2, packed=packed)], pack=pack)
    found = schedule()
    assert found[0] == ["l1: calc 3000 cpu 1", f"l2: send 500b to 1 tag {2**32 + 7}", "l2 requires l1"]
    assert found[1] == [f"l1: recv 500b from 0 tag {2**32 + 7}", "l2: calc 2000 cpu 2", "l2 requires l1"]


def test_accelerator_and_processor(extorus, tmp_path):
    """Two computations of the accelerator take turns, and one of the processor runs beside them: 10 microseconds, not 5 or 15."""
    write(tmp_path, [node(i, COMP, micros=5, is_cpu_op=("bool", i == 3)) for i in (1, 2, 3)] + [message(4, SEND, 1, 8, deps=[1, 2, 3])], [message(1, RECV, 0, 8)])
    extorus("route", "torus:2", "--profile", "mini", "--algorithm", "dor", "-o", "a.img")
    cycles = json.loads(extorus("workload", "replay", "a.img", "t.0.et", "--clock", "1000", "--json"))["execution_cycles"]
    assert 10_000 < cycles < 10_200


@pytest.mark.parametrize("kind_of", ["int32", "int64", "uint64", "sint64", "fixed32", "fixed64"])
def test_types_of_numbers(schedule, tmp_path, kind_of):
    write(tmp_path, [node(1, SEND, comm_dst=(kind_of, 1), comm_size=(kind_of, 300))], [message(1, RECV, 0, 300)])
    assert sent(schedule()[0]) == [(300, 1)]


def test_sizes_of_collectives(schedule, tmp_path):
    """What a rank gives: 64 bytes, of an alltoall 16 for each of four ranks."""
    for kind, expected in ((ALL_TO_ALL, [(16, 1), (16, 2), (16, 3)]), (BARRIER, [(0, 1), (0, 2)])):
        write(tmp_path, *[[collective(1, kind, 64)]] * 4)
        assert sent(schedule()[0]) == expected
    write(tmp_path, *[[collective(1, ALL_GATHER, 64)]] * 4)
    assert sum(size for size, _ in sent(schedule()[0])) == 3 * 64
    write(tmp_path, *[[collective(1, BROADCAST, 64)]] * 4)
    assert sorted(size for lines in schedule().values() for size, _ in sent(lines)) == [64] * 3
    write(tmp_path, *[[collective(1, REDUCE_SCATTER, 64)]] * 4)
    # A reduce, and a linear scatter.
    assert sorted(size for lines in schedule().values() for size, _ in sent(lines)) == [16] * 3 + [64] * 3


def test_groups(schedule, tmp_path):
    group = {"pg_name": ("string", "tp")}
    write(tmp_path, [collective(1, ALL_TO_ALL, 8, **group)], [collective(1, ALL_REDUCE, 4, pg_name=("string", "dp"))], [collective(4, ALL_TO_ALL, 8, **group)],
          [collective(2, ALL_REDUCE, 4, pg_name=("string", "dp"))])
    found = schedule()
    assert sent(found[0]) == [(4, 2)] and sent(found[2]) == [(4, 0)] and sent(found[1]) == [(4, 3)] and sent(found[3]) == [(4, 1)]


def test_collectives_wait_and_are_waited_for(extorus, tmp_path):
    """A chain: 1 us, allreduce, 1 us; the other rank computes 4 us before. A dependency on a later node of the file counts."""
    write(tmp_path, [node(3, COMP, [2], micros=1), node(1, COMP, micros=1), collective(2, ALL_REDUCE, 64, [1])],
          [node(1, COMP, micros=4), collective(2, ALL_REDUCE, 64, ctrl=[1])])
    extorus("route", "torus:2", "--profile", "mini", "--algorithm", "dor", "-o", "a.img")
    cycles = json.loads(extorus("workload", "replay", "a.img", "t.1.et", "--clock", "1000", "--json"))["execution_cycles"]
    assert 5_000 < cycles < 5_400


@pytest.mark.parametrize("nodes, said", [
    ([node(1, 8)], "none that is known"), ([node(1, COMP, [7])], "is not there"), ([node(1, COMP), node(1, COMP)], "the same number"),
    ([message(1, SEND, 5, 8)], "has no file"), ([collective(1, 10, 8)], "no collective"), ([collective(1, ALL_REDUCE, 8)] * 1, None),
    ([message(1, SEND, 1, 8)], ""), ([node(1, COMP, [2]), node(2, COMP, [1])], "waits, by others, for itself"), ([b"\xff"], "damaged"),
    ([node(1, COMP, micros=1 << 60)], "too large"), ([b"\x0b"], "damaged")])
def test_wrong_traces_are_refused(extorus, tmp_path, nodes, said):
    write(tmp_path, nodes, [])
    if said is None:
        extorus("workload", "check", "t.0.et")
    else:
        extorus("workload", "check", "t.0.et", status=1, stderr=said)


def test_damaged_files(extorus, tmp_path):
    whole = [node(1, COMP, micros=300), message(2, SEND, 1, 500, deps=[1])], [message(1, RECV, 0, 500)]
    write(tmp_path, *whole)
    content = (tmp_path / "t.0.et").read_bytes()
    for cut in range(len(content)):
        (tmp_path / "t.0.et").write_bytes(content[:cut])
        extorus("workload", "check", "t.0.et", status=1, stderr="extorus workload: t.0.et")
    extorus("workload", "check", "t.9.et", status=None)
    extorus("workload", "check", "t.et", status=1, stderr="NAME.0.et")


def test_other_collectives_in_a_group_are_refused(extorus, tmp_path):
    write(tmp_path, [collective(1, ALL_REDUCE, 8)], [collective(1, ALL_REDUCE, 16)])
    extorus("workload", "check", "t.0.et", status=1, stderr="another collective")
    write(tmp_path, [collective(1, ALL_REDUCE, 8), collective(2, ALL_REDUCE, 8)], [collective(1, ALL_REDUCE, 8)])
    extorus("workload", "check", "t.0.et", status=1, stderr="fewer collectives")


def test_changed_bytes_are_read_or_refused(extorus, tmp_path):
    whole = [[node(1, COMP, micros=300), message(2, SEND, 1, 500, deps=[1]), collective(3, ALL_REDUCE, 64, [2], pg_name=("string", "tp")), node(4, COMP, [3, 1])],
             [message(1, RECV, 0, 500), collective(2, ALL_REDUCE, 64, [1], pg_name=("string", "tp"))]]
    write(tmp_path, *whole)
    content = (tmp_path / "t.0.et").read_bytes()
    extorus("workload", "check", "t.0.et")
    for seed in range(int(os.environ.get("EXTORUS_SEEDS", 100))):
        draw, changed = random.Random(seed), bytearray(content)
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(len(changed))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
        (tmp_path / "t.0.et").write_bytes(changed)
        done = subprocess.run([extorus.command, "workload", "check", "t.0.et"], cwd=tmp_path, capture_output=True, text=True, **limited(60))
        assert done.returncode == 0 or (done.returncode == 1 and done.stderr.startswith("extorus workload: t.0.et")), (seed, done.stderr)
