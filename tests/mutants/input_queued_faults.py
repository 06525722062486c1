# SPDX-License-Identifier: Apache-2.0
"""Faults of the input-queued switch, caught by the comparison with the flit-level oracle in tests/input_queued."""

import os
import re
import subprocess

from processor_time import limited
from repository import ROOT
from seeded import Fault, run, with_fault

FOLDER = ROOT / "sim" / "input_queued"

# name: (file, the code once in the file, what is put in its place, case of test_cycles.py that must see it)
SEEDED = {
    "vc_pointer_stays": ("allocation", "in->next_vc = (uint8_t)((vc + 1) % e->fifos);", "", "mixed-sizes"),
    "input_pointer_stays": ("allocation", "out->next_input = (uint8_t)((port + 1) % e->ports);", "", "one-packet-size"),
    "candidate_pointer_stays": ("allocation", "in->next_candidate = (uint8_t)((request.port + 1) % e->ports);", "", "adaptive"),
    "wormhole_instead_of_cut_through": ("allocation", "out->room[entry->route_vc] < cells +", "out->room[entry->route_vc] < 1 +",
                                        "mixed-sizes"),
    "bubble_is_not_kept": ("allocation", "entry->enters ? e->longest : 0", "0", "bubble"),
    "bubble_within_the_ring": ("allocation", "(ring.vcs >> route.vc & 1) && !within", "ring.vcs >> route.vc & 1", "bubble-one-size"),
    "rings_of_vcs_are_one": ("allocation", "e->profile->vc_rings", "0", "rings-of-vcs"),
    "head_is_granted_at_once": ("allocation", "entry->head_at < e->now", "entry->head_at <= e->now", "one-class"),
    "escaped_adapts_again": ("allocation", "port >= e->links || (e->adaptive_vcs[tc] >> entry->vc & 1)", "1", "adaptive"),
    "escape_is_never_taken": ("allocation", "if (request.port != IQ_NO_PORT) {\n\t\t\treturn request;", "{\n\t\t\treturn request;",
                              "adaptive"),
    "candidate_leads_back": ("allocation", " & ~(1u << port)", "", "free-crossings"),
    "busy_output_is_granted": ("allocation", "if (out->busy || ", "if (", "one-packet-size"),
    "buffer_is_halved": ("division", "e->port_buffer / count : 0", "e->port_buffer / count / 2 : 0", "four-vcs"),
    "classes_without_packets_count": ("division", "client->tcs & all ? client->tcs & all : all", "all", "one-class"),
    "buffer_is_shared": ("division", "const unsigned count = (unsigned)__builtin_popcount(vcs), share = count ?",
                         "const unsigned count = 1, share = count ?", "twin"),
    "credit_is_early": ("run", "slot_add(e, e->credits, e->now + e->latency,", "slot_add(e, e->credits, e->now + 1,", "slow-links"),
    "link_is_faster": ("run", "slot_add(e, e->arrivals, e->now + e->latency,", "slot_add(e, e->arrivals, e->now + e->latency - 1,",
                       "slow-links"),
    "pe_takes_at_once": ("run", "+ index >= e->now", "+ index > e->now", "mixed-sizes"),
    "pe_does_not_stall": ("run", "e->ejects[pe].count && !stalls", "e->ejects[pe].count", "slow-pes"),
    "stream_asks_again": ("allocation", "in->waiting & ~(unsigned)in->streaming;", "in->waiting;", "crossbar-per-vc"),
    "one_crossbar_input": ("allocation", "if (chosen && !e->crossbar_per_vc) {", "if (chosen) {", "crossbar-per-vc"),
    "fifo_pointer_is_not_used": ("allocation", "round_robin(asked.fifos[o][i], e->inputs[card * e->ports + i].next_vc)",
                                 "round_robin(asked.fifos[o][i], 0)", "published-router"),
    "transit_is_not_first": ("allocation", "e->transit_first ?", "0 ?", "transit-first"),
    "one_injection_queue": ("run", "return first + packet->destination % e->injection_queues;", "return first;", "injection-queues"),
    "injection_queue_is_not_the_roomiest": ("run", "inject->room[fifo] > inject->room[best]", "0", "published-router"),
    "fifo_is_a_stack": ("run", "e->pool.entries[in->last[vc]].next = number;",
                        "entry->next = in->first[vc];\n\t\tin->first[vc] = number;\n\t\treturn;", "one-class"),
}
FAULTS = {name: Fault([case], profile="extoll") for name, (*_, case) in SEEDED.items()}


def build(name, folder):
    """In `folder` the plug-in with the fault, whatever its profile is."""
    file, before, after, _ = SEEDED[name]
    folder.mkdir()
    sources = with_fault(folder, sorted(FOLDER.glob("*.c")), (f"input_queued_{file}.c", re.escape(before), lambda _: after))
    includes = [f"-I{ROOT / path}" for path in ("host/include", "host/lib", "host/params", "host", "sim", "sim/input_queued")]
    run(["gcc", "-std=c11", "-O1", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-D_GNU_SOURCE", *includes, *sources,
         ROOT / "build/libextorus.a", "-ljansson", "-lexpat", "-lz", "-lm", "-ldl", "-o", folder / "extorus-input-queued.so"])


def tester(name, work, profile):
    folder = work / name
    build(name, folder)

    def passes(case):
        done = subprocess.run(["/usr/bin/python3", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=.", "-q",
                               f"tests/input_queued/test_cycles.py::test_cycles_of_every_packet[{case}]"], cwd=ROOT,
                              capture_output=True, text=True, env={**os.environ, "EXTORUS_PLUGIN_DIR": str(folder)}, **limited(600))
        assert done.returncode in (0, 1), f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.returncode == 0

    return passes
