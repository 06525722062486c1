# SPDX-License-Identifier: Apache-2.0
"""Images and runs of the co-simulated network."""

import functools
import json

import pytest


@pytest.fixture
def network(extorus):
    """network("torus:4x4", profile="mini") -> the name of an image file; each is made once per test."""

    def make(spec, profile="extoll", single_tc=False, algorithm=None, adaptive=False, ties=None):
        algorithm = algorithm or ("ts-dor" if spec.startswith("twin") else "dor")
        words = (["--single-tc"] if single_tc else []) + (["--adaptive"] if adaptive else []) + ([f"--ties={ties}"] if ties else [])
        name = "".join([spec.replace(":", "_"), "-", profile, "-", algorithm, *words, ".xti"])
        if not (extorus.folder / name).exists():
            extorus("route", spec, "--algorithm", algorithm, "--profile", profile, "-o", name, *words)
        return name

    return make


@pytest.fixture
def sim(extorus):
    """sim(image, load=0.3, measure=500, status=0) -> the JSON of one run."""

    def run(image, *words, status=0, stderr=None, **options):
        for name, value in options.items():
            words += (f"--{name.replace('_', '-')}", str(value))
        return json.loads(extorus("sim", image, "--json", *words, status=status, stderr=stderr))

    return run


@pytest.fixture(params=["model", pytest.param("rtl", marks=pytest.mark.long)])
def engine(request):
    """What a fault does is the same in every cycle of both, as tests/model shows; the RTL takes a hundred times as long."""
    return request.param


@pytest.fixture
def sim_on(sim, engine):
    return functools.partial(sim, engine=engine)


WRONG = ("lost", "duplicated", "misrouted", "reordered", "corrupted", "illegal_route", "framing", "credit", "buffer",
         "conservation", "busy", "off_route", "poisoned", "link_down", "livelock", "stall")


@pytest.fixture
def found():
    """found(result) -> {kind: count} of everything that is wrong with a run."""

    def kinds(result):
        assert set(WRONG) <= set(result)
        return {kind: result[kind] for kind in WRONG if result[kind]}

    return kinds


@pytest.fixture
def without_time():
    """A result without what depends on the machine and on skipping idle cards."""

    def strip(result):
        return {key: value for key, value in result.items()
                if key not in ("wall_seconds", "card_cycles_per_second", "evaluated_card_cycles")}

    return strip
