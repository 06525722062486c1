# SPDX-License-Identifier: Apache-2.0
"""Ties that are split: which way round, from the coordinates alone; and that the images are still proved."""

import csv
import io
import itertools

import pytest


@pytest.mark.parametrize("radices", ((4, 4), (2, 4, 6), (6, 5)))
def test_ties_go_both_ways(extorus, radices):
    spec = "torus:" + "x".join(map(str, radices))
    rows = csv.DictReader(io.StringIO(extorus("route", spec, "--algorithm", "dor", "--split-ties", "--csv", "-")))
    place = [tuple(reversed(digits)) for digits in itertools.product(*(range(k) for k in reversed(radices)))]
    ties = {"+": 0, "-": 0}
    for row in rows:
        here, there = place[int(row["card"])], place[int(row["dest"])]
        wrong = [d for d in range(len(radices)) if here[d] != there[d]]
        if not wrong:
            continue
        d = wrong[0]
        forward = (there[d] - here[d]) % radices[d]
        if 2 * forward == radices[d]:
            way = "-" if here[d] % 2 else "+"
            ties[way] += 1
        else:
            way = "+" if 2 * forward < radices[d] else "-"
        assert row["port"] == f"d{d}{way}", row
    assert ties["+"] == ties["-"] > 0


@pytest.mark.parametrize("spec, algorithm", (("torus:4x4x2", "dor"), ("torus:6x4", "dor"), ("twin:4x4x4", "ts-dor"), ("twin:2x2x2x2x2", "ts-dor")))
@pytest.mark.parametrize("adaptive", (False, True))
def test_images_are_safe_and_minimal(extorus, spec, algorithm, adaptive):
    extorus("route", spec, "--algorithm", algorithm, "--split-ties", *(["--adaptive"] if adaptive else []), "-o", "ties.img")
    assert "; 0 pairs not minimal" in extorus("check", "ties.img") or spec.startswith("twin")


def test_sources_divide_ties(extorus):
    """Over a twin torus whose ties are of the sources, each port of a ring of even radix carries as much; with positive ones
    that of a radix of 2 carries all."""
    loads = {}
    for how in ("--split-ties=source", None):
        rows = csv.DictReader(io.StringIO(extorus("route", "twin:4x4x2", "--algorithm", "ts-dor", *([how] if how else []), "--csv", "-")))
        loads[how] = {}
        for row in rows:
            if row["tc"] in "01" and row["port"] in ("d2+", "d2-"):
                loads[how][row["tc"], row["port"]] = loads[how].get((row["tc"], row["port"]), 0) + 1
    assert set(loads[None]) == {("0", "d2+"), ("1", "d2+")}
    assert set(loads["--split-ties=source"]) == {("0", "d2+"), ("1", "d2-")}
    extorus("route", "twin:4x4x2", "--algorithm", "ts-dor", "--split-ties=source", "-o", "ties.img")
    extorus("check", "ties.img")
    extorus("route", "torus:4x4", "--algorithm", "dor", "--split-ties=source", "-o", "x.img", status=2, stderr="ts-dor only")
    extorus("route", "torus:4x4", "--algorithm", "dor", "--split-ties=luck", "-o", "x.img", status=2, stderr="coordinate or source")


@pytest.mark.parametrize("spec, algorithm", (("twin:4x4x4", "dort"), ("torus:4x4", "bubble"), ("rtt:8x4", "dor"), ("torus:4x4", "updown")))
def test_others_do_not_split(extorus, spec, algorithm):
    extorus("route", spec, "--algorithm", algorithm, "--split-ties", "-o", "x.img", status=2, stderr="ties are split by dor")
