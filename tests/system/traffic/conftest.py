# SPDX-License-Identifier: Apache-2.0
"""Images and runs of the fast model."""

import csv
import json

import pytest


@pytest.fixture
def network(extorus):
    def make(spec, *words, algorithm=None):
        name = "_".join([spec, *words]).replace(":", "_") + ".img"
        algorithm = algorithm or ("ts-dor" if spec.startswith("twin") else "dor" if "torus" in spec else "layered")
        extorus("route", spec, "--algorithm", algorithm, *words, "-o", name)
        return name

    return make


@pytest.fixture
def sim(extorus):
    """sim(image, "--load", 0.1) -> the JSON of a run and its packets."""

    def run(image, *words, engine="model", status=0):
        result = json.loads(extorus("sim", image, "--engine", engine, "--backdoor", "--json", "--packet-log", "log.csv",
                                    *map(str, words), status=status))
        with open(extorus.folder / "log.csv", newline="") as file:
            packets = [{key: int(value) for key, value in row.items() if key != "packet"}
                       for row in csv.DictReader(file)]
        return result, packets

    return run
