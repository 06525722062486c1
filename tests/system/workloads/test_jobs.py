# SPDX-License-Identifier: Apache-2.0
"""Several jobs in one network: each as alone where they share no channel, and refused where they share a PE."""

import json
import re

import pytest

# Any source, any tag, begins and a cpu: all that a GOAL schedule can say.
ANY = """num_ranks 4
rank 0 {
a: send 100b to 1 tag 7
b: send 600b to 1 tag 8
c: calc 300 cpu 1
c irequires a
d: send 40b to 3 tag 3
d requires c
}
rank 1 {
a: recv 600b from -1 tag -1
b: recv 600b from 0 tag -1
c: calc 900
d: send 64b to 2
d requires b
d requires a
}
rank 2 {
a: recv 64b from -1
b: send 900b to 3
b irequires a
}
rank 3 {
a: recv 900b from 2
b: recv 40b from -1 tag 3
}
"""
TRACE = "VEF3 4 5 1 0 0 TRUE\nC0 0 1 2 3\n0 0 1 800 0 300 -1\n1 0 2 8 0 400 -1\n2 1 3 8 2 500 0\n3 2 3 70 2 0 1\n4 3 0 5 2 7 3\n"


@pytest.fixture
def network(extorus):
    extorus("route", "torus:4x4x4", "--algorithm", "dor", "-o", "net.img")
    extorus("workload", "generate", "halo", "--ranks", "8", "--compute", "500", "-o", "halo.goal")
    extorus("workload", "generate", "random", "--ranks", "16", "--bytes", "700", "-o", "random.goal")
    (extorus.folder / "any.goal").write_text(ANY)
    (extorus.folder / "side.vef").write_text(TRACE)

    def replay(*jobs, words=()):
        listed = [word for job in jobs for word in ("--job", job)]
        return json.loads(extorus("workload", "replay", "net.img", *listed, "--json", *map(str, words)))

    return replay


def sends(path):
    return len(re.findall(r"\bsend\b", path.read_text()))


# Of a plane's PEs dimension-order routes stay in the plane; of a line's, in the line.
APART = (("halo.goal@0-7", "random.goal@16-31"), ("any.goal@4-7", "side.vef@8-11", "halo.goal@47,46,45,44,43,42,41,40"),
         ("side.vef@3,2,1,0", "any.goal@7,5,4,6", "random.goal@32-47"))


@pytest.mark.parametrize("jobs, engine", [(jobs, "model") for jobs in APART] + [pytest.param(APART[1], "rtl", marks=pytest.mark.long)])
def test_jobs_apart_take_as_long_as_alone(network, jobs, engine):
    alone = [network(job, words=("--engine", engine)) for job in jobs]
    together = network(*jobs, words=("--engine", engine))
    assert together["ok"] and together["jobs"] == [only for result in alone for only in result["jobs"]]
    assert together["execution_cycles"] == max(result["execution_cycles"] for result in alone)
    for part in ("messages", "packets", "cells"):
        assert together[part] == sum(result[part] for result in alone)


@pytest.mark.parametrize("name", ("halo.goal", "random.goal", "any.goal", "side.vef"))
def test_a_job_is_the_trace_on_a_map(extorus, network, name):
    """The same cycles as a replay without --job, whose map is a file."""
    pes = list(range(37, 21, -1))
    (extorus.folder / "map").write_text("\n".join(map(str, pes)))
    ranks = int(json.loads(extorus("workload", "stats", name, "--json"))["ranks"])
    (extorus.folder / "map").write_text("\n".join(map(str, pes[:ranks])))
    plain = json.loads(extorus("workload", "replay", "net.img", name, "--map", "file:map", "--json"))
    result = network(f"{name}@{','.join(map(str, pes))}")
    job, = result.pop("jobs")
    assert {**result, "workload": name} == plain
    for part in ("ranks", "execution_cycles", "messages", "network_packet_latency", "end_to_end_packet_latency"):
        assert job[part] == plain[part]


def test_messages_are_those_of_each_trace(extorus, network):
    """Counted in the text; jobs in one another's way send the same."""
    jobs = ("random.goal@0,2,4,6,8,10,12,14,32-39", "halo.goal@1,3,5,7,9,11,13,15", "random.goal@16-31")
    result = network(*jobs)
    names = [job.split("@")[0] for job in jobs]
    assert [job["messages"] for job in result["jobs"]] == [sends(extorus.folder / name) for name in names]
    assert [(job["workload"], job["pes"]) for job in result["jobs"]] == [tuple(job.split("@")) for job in jobs]
    assert result["messages"] == sum(job["messages"] for job in result["jobs"])
    text = extorus("workload", "replay", "net.img", *(word for job in jobs for word in ("--job", job)))
    for job, own in zip(jobs, result["jobs"]):
        assert re.search(rf"^  {job} +{own['ranks']} +{own['execution_cycles']} +{own['messages']} ", text, re.M)


def test_jobs_that_share_channels_wait(extorus, network):
    """Two floods share the link from card 1 to card 2 of a ring."""
    extorus("route", "torus:8", "--algorithm", "dor", "-o", "net.img")
    (extorus.folder / "f.goal").write_text("num_ranks 2\nrank 0 {\nsend 64000b to 1\n}\nrank 1 {\nrecv 64000b from 0\n}\n")
    alone = network("f.goal@0,2")["execution_cycles"]
    together = [job["execution_cycles"] for job in network("f.goal@0,2", "f.goal@1,3")["jobs"]]
    assert alone > 4000 and max(together) > 1.9 * alone


def test_tasks_per_pe(network):
    """Ranks 2i and 2i + 1 of each job are on its PE number i."""
    result = network("halo.goal@0-3", "halo.goal@20-23", words=("--tasks-per-pe", 2))
    assert [job["local_messages"] for job in result["jobs"]] == [result["local_messages"] / 2] * 2
    assert result["local_messages"] > 0


@pytest.mark.parametrize("jobs, text", (
    (("halo.goal@0-7", "any.goal@7-10"), "job any.goal@7-10: job halo.goal@0-7 has PE 7 already; choose others"),
    (("halo.goal@0-3,2-9",), "PE 2 comes twice"), (("halo.goal@0-6",), "PEs for 7 of 8 ranks; add PEs"),
    (("halo.goal@60-67",), "write PEs from 0 to 63, as 0-31,40"), (("halo.goal@7-0",), "write PEs from"),
    (("halo.goal@0-7,",), "write PEs from"), (("halo.goal@0--7",), "write PEs from"), (("halo.goal@0-7 ",), "write PEs from"),
    (("halo.goal@-7",), "write PEs from"), (("halo.goal@0-99999999999999999999",), "write PEs from"),
    (("halo.goal",), "write TRACE@PES"), (("@3",), "write TRACE@PES"), (("halo.goal@",), "write TRACE@PES"),
    (("none.goal@0-7",), "none.goal: cannot be read"), (("any.goal@0-3",) * 65, "64 jobs at most")))
def test_bad_jobs_are_refused(extorus, network, jobs, text):
    extorus("workload", "replay", "net.img", *(word for job in jobs for word in ("--job", job)), status=2, stderr=text)


@pytest.mark.parametrize("words, text", (
    (("any.goal", "--job", "any.goal@0-3"), "without another trace"), (("--job", "any.goal@0-3", "--map", "random"), "leave --map"),
    (("--job", "any.goal@0-3", "--window", "9"), "leave --map"), (("--job", "any.goal@0-3", "--mappings", "9"), "leave --map")))
def test_bad_options_with_jobs(extorus, network, words, text):
    extorus("workload", "replay", "net.img", *words, status=2, stderr=text)


def test_a_pe_out_of_service_is_refused(extorus, network):
    extorus("route", "torus:4x4x4", "--algorithm", "updown", "--fail-card", "5", "-o", "net.img")
    extorus("workload", "replay", "net.img", "--job", "any.goal@4-7", status=2, stderr="PE 5 is out of service")
