# SPDX-License-Identifier: Apache-2.0
"""The fuzz target of the server finds faults that are put into the server."""

import glob
import re
import shlex
import subprocess

import pytest

from processor_time import limited
from repository import ROOT

BOARD = ROOT / "host" / "lib" / "board"
FLAGS = "-std=c11 -O1 -g -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all -Ihost/include -Ihost/lib"
LIBRARIES = "-ljansson -lexpat -lz -lm -ldl -lpthread -lftdi1 -lusb-1.0"

# A pattern that is there once, and what is put in its place.
FAULTS = {
    "any-position-is-acknowledged": ("server_port.c", r"if \(is_position\(port, argument\)\)",
                                     "if ((uint16_t)(argument - port->acknowledged) <= (uint16_t)(port->sent - port->acknowledged))"),
    "no-bound-on-what-waits": ("server.c", r"s->end - s->first < OUTPUT_MOST && ", ""),
    "limit-is-not-kept": ("server_port.c", r"port->sent == port->written \|\| xt_frame_distance\(port->sent, port->limit\) >= 0",
                          "port->sent == port->written"),
    "queue-overflows": ("server_port.c", r"\+ words \+ 1 < XT_SERVER_QUEUE_WORDS", "+ words + 1 < 4u * XT_SERVER_QUEUE_WORDS"),
    "rewind-goes-too-far": ("server_port.c", r"port->sent = port->acknowledged;\n\t}", "port->sent = port->acknowledged - 1;\n\t}"),
    "sync-does-not-rewind": ("server.c", r"memset\(s->statuses, 0, sizeof\(s->statuses\)\);\n\t\tfor .*?\n.*?\n\t\t}", ";"),
    "unit-is-not-checked": ("server.c", r"of_port && f->unit >= s->info.nics", "of_port && f->unit > 200"),
    "card-is-not-checked": ("server.c", r"f->card >= s->info.cards", "f->card > s->info.cards"),
    "length-is-not-checked": ("server.c", r" \|\| f->words > xt_device_packet_words\(s->device\)", ""),
    "carried-out-twice": ("server.c", r"answer->status = s->statuses\[f->sequence % s->info.window\];", "carry_out(s, f, answer);"),
    "old-answer-is-wrong": ("server.c", r"s->statuses\[f->sequence % s->info.window\] = answer.status;", ";"),
    "reset-keeps-packets": ("server.c", r"xt_server_port_reset\(&s->ports\[pe\]\);", ";"),
}


def replay(tmp_path, *objects):
    program = tmp_path / "server"
    subprocess.run(["gcc", "-fsanitize=address,undefined", *map(str, objects), "build/san/obj/tests/fuzz/fuzz_server.o",
                    "build/san/obj/tests/fuzz/fuzz_replay.o", "build/san/libextorus.a", *LIBRARIES.split(), "-o", str(program)],
                   check=True, cwd=ROOT)
    return subprocess.run([str(program), *sorted(glob.glob(str(ROOT / "tests/fuzz/corpus/server/*")))], capture_output=True, text=True,
                          cwd=ROOT, **limited(120))


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(tmp_path, name):
    file, pattern, wrong = FAULTS[name]
    text, count = re.subn(pattern, lambda match: wrong, (BOARD / file).read_text())
    assert count == 1, f"{pattern} is in {file} {count} times: adapt it"
    (tmp_path / file).write_text(text)
    built = subprocess.run(["gcc", *shlex.split(FLAGS), f"-I{BOARD}", "-w", "-c", str(tmp_path / file), "-o", str(tmp_path / "faulty.o")],
                           capture_output=True, text=True, cwd=ROOT)
    assert built.returncode == 0, built.stderr
    done = replay(tmp_path, tmp_path / "faulty.o")
    assert done.returncode != 0 and ("not so" in done.stderr or "Sanitizer" in done.stderr or "Assertion" in done.stderr), done.stdout
