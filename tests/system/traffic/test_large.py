# SPDX-License-Identifier: Apache-2.0
"""Networks of the fast model that nothing else reaches: 65,536 cards at low load, and what 2,048 in saturation take."""

import collections
import csv
import json
import os
import subprocess

import pytest

HOP = 9 + 2  # cycles from link pin to link pin of an idle switch, and of the link between


@pytest.fixture
def measured(extorus):
    """measured("sim", ...) -> standard output and the most memory that the command had, in bytes."""

    def run(*words):
        with open(extorus.folder / "out.txt", "w+") as out:
            process = subprocess.Popen([extorus.command, *map(str, words)], cwd=extorus.folder, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read()
        assert process.returncode == 0, text[-2000:]
        return text, usage.ru_maxrss * 1024

    return run


def run_network(measured, spec, algorithm, *words):
    measured("route", spec, "--algorithm", algorithm, "-o", "large.img")
    text, memory = measured("sim", "large.img", "--engine", "model", "--backdoor", "--json", "--packet", 16, "--warmup",
                            0, *words)
    result = json.loads(text)
    assert result["ok"] and result["drained"], result["reports"]
    assert result["packets_sent"] == result["packets_delivered"] > 1000
    return result, memory


def distance(a, b, radices):
    total = 0
    for radix in radices:
        step = abs(a % radix - b % radix)
        total += min(step, radix - step)
        a, b = a // radix, b // radix
    return total


@pytest.mark.long
def test_torus_of_65536(extorus, measured):
    result, memory = run_network(measured, "torus:32x32x64", "dor", "--load", 0.001, "--measure", 500, "--packet-log",
                                 "log.csv")
    assert result["cards"] == 65536 and memory < 2.5e9
    with open(extorus.folder / "log.csv", newline="") as file:
        beyond = collections.Counter(
            int(p["delivered"]) - int(p["sent"]) - HOP * distance(int(p["source"]), int(p["destination"]), (32, 32, 64))
            for p in csv.DictReader(file))
    # The ends cost the same everywhere, and hardly any packet waits for another.
    assert beyond[min(beyond)] > 0.8 * sum(beyond.values())


@pytest.mark.long
def test_twin_torus_of_65536(measured):
    result, memory = run_network(measured, "twin:8x8x8x8x8", "ts-dor", "--load", 0.001, "--measure", 500)
    assert result["cards"] == 65536 and memory < 2.5e9


@pytest.mark.long
def test_memory_in_saturation(measured):
    """2,048 cards, with image and checking."""
    result, memory = run_network(measured, "torus:16x16x8", "dor", "--load", 1, "--measure", 1000)
    assert result["saturated"] and memory < 200e6
