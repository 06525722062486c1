# SPDX-License-Identifier: Apache-2.0
"""The table of claims: every row is a case of one claim, and a claim's verdict and counts follow from its cases."""

import copy
import json
import re
import sys

import pytest

from repository import ROOT

sys.path.insert(0, str(ROOT / "sim/experiments/reproductions"))
import claim_tables  # noqa: E402
import reproduction_tables  # noqa: E402

CLAIMS = claim_tables.load()
# Published figures and statements of each source, counted by hand.
PUBLISHED = {"Collectives and traffic on networks of EXTOLL cards": 48 + 4 + 2 + 3 + 3, "3D twin torus (3DT)": 32, "Adaptive routing on nD twin tori": 13,
             "nD twin torus (nDT) with DORT": 32 + 5 + 3, "Twisted tori": 5, "Applications on the 5D twin torus": 9, "Combined switches": 7}


@pytest.fixture(name="told")
def told_fixture(extorus):
    return reproduction_tables.page_entries(json.loads(extorus("reproduce", "--list", "--json")))[reproduction_tables.README]


def faults_of_claims(claims, told):
    """Rows that no claim has or that two have, claims of other studies' rows, and claims without rows that are run."""
    by_name = {entry["name"]: [{"key": (claim["group"], claim["claim"])} for claim in entry["claims"]] for entry in told}
    studies = {entry["name"]: entry["source"]["study"] for entry in told if "source" in entry}
    seen, faults = {}, []
    for study in claims:
        for claim in study["claims"] + study.get("beside", []):
            found = claim_tables.chosen(claim.get("cases", ()), by_name)
            faults += [claim] if "cases" in claim and not found else []
            for name, case in found:
                faults += [claim] if studies[name] != study["study"] else []
                seen[name, case["key"]] = seen.get((name, case["key"]), 0) + 1
    return faults + [(name, case["key"]) for name, cases in by_name.items() for case in cases if seen.get((name, case["key"])) != 1]


def test_every_row_is_of_one_claim(told):
    assert not faults_of_claims(CLAIMS, told)
    cases = claim_tables.cases_by_comparison(told, reproduction_tables.rows_of(reproduction_tables.inner(reproduction_tables.README.read_text())))
    assert {study: len(of) for study, of in claim_tables.results(CLAIMS, cases).items()} == PUBLISHED


@pytest.mark.parametrize("spoil", (
    lambda claims: claims[0]["claims"].pop(3), lambda claims: claims[0].pop("beside"), lambda claims: claims[1]["claims"][0]["cases"].clear(),
    lambda claims: claims[1]["claims"].append(claims[1]["claims"][0]), lambda claims: claims[2]["claims"].append(claims[3]["claims"].pop(0))))
def test_a_row_of_no_claim_is_seen(told, spoil):
    spoilt = copy.deepcopy(CLAIMS)
    spoil(spoilt)
    assert faults_of_claims(spoilt, told)


@pytest.mark.parametrize("verdicts, one, parts", (
    (["agrees"], "agrees", "agrees"), (["agrees", "agrees", "DISAGREES"], "agrees", "DISAGREES"), (["agrees", "DISAGREES"], "DISAGREES", "DISAGREES"),
    (["agrees", "within noise"], "within noise", "within noise"), (["agrees", "-"], "agrees", "not measured"), (["-"], "not measured", "not measured"),
    ([], "not measured", "not measured"), (["agrees", "within noise", "DISAGREES"], "DISAGREES", "DISAGREES"),
    (["within noise", "agrees", "agrees"], "agrees", "within noise")))
def test_verdict(verdicts, one, parts):
    cases = [{"verdict": verdict} for verdict in verdicts]
    assert (claim_tables.verdict(cases), claim_tables.verdict(cases, True)) == (one, parts)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def faults_of_table(text):
    """Of the table of claims alone: verdicts that do not fit the number of cases, sums that are not those of the claims."""
    head, *parts = re.split(r"^### ", text, flags=re.M)
    rows = [cells(line) for line in head.splitlines() if line.startswith("| ")]
    counted = {row[0]: [int(cell) for cell in row[1:]] for row in rows if row[1].isdigit()}
    faults, total = [], [0] * 6
    for part in parts:
        study = part.split("\n", 1)[0]
        of = [0] * 6
        for row in (cells(line) for line in part.splitlines() if line.startswith("| ") and " cases " not in line):
            agreeing, cases = map(int, re.fullmatch(r"(\d+) of (\d+)", row[3]).groups()) if row[3] else (0, 0)
            if not row[4]:
                not_run = int((re.search(r"(\d+) not run", row[1]) or [0, 0])[1])
                of = [a + b for a, b in zip(of, (cases + not_run, cases, agreeing, agreeing, 0, cases - agreeing))]
                continue
            said = row[4].strip("*")
            faults += [row] if (said == "agrees") != (2 * agreeing > cases) or (said == "not measured") != (cases == 0) else []
            faults += [row] if said in ("within noise", "DISAGREES") and not row[5] else []
            own = (1, said != "not measured", said == "agrees", cases and agreeing == cases, said == "within noise", said == "DISAGREES")
            of = [a + b for a, b in zip(of, own)]
        faults += [] if counted.get(study) == of else [(study, counted.get(study), of)]
        total = [a + b for a, b in zip(total, of)]
    share = f"**{total[2]} of {total[1]}** measured claims agree, {100 * total[2] / total[1]:.0f} %. {total[0] - total[1]} are not measured."
    return faults + ([] if counted["all"] == total and share in head else ["other sums"])


def claims_of(readme):
    return reproduction_tables.inner(readme, claim_tables.BEGIN, claim_tables.END)


def test_table_of_claims(told):
    readme = reproduction_tables.README.read_text()
    text = claims_of(readme)
    assert not faults_of_table(text)
    for old, new in (("| agrees |", "| **DISAGREES** |"), ("| 2 of 2 |", "| 1 of 2 |"), ("44 of 48", "45 of 48"), ("| all | ", "| all | 1")):
        assert old in text and faults_of_table(text.replace(old, new, 1))
    # The README of the project has the same sum.
    agreeing, measured = re.search(r"\*\*(\d+) of (\d+)\*\* measured claims", text).groups()
    assert f"| {agreeing} of {measured} measured agree" in (ROOT / "README.md").read_text()
    # It is that of the rows below it: of another row it is another.
    rows = reproduction_tables.rows_of(reproduction_tables.inner(readme))
    assert claim_tables.text(CLAIMS, claim_tables.cases_by_comparison(told, rows)) == text
    row = next(row for row in rows["Plain against twisted tori, routers with a crossbar input for each VC"] if row[1] == "throughput of RTT")
    row[5] = "**DISAGREES**"
    assert claim_tables.text(CLAIMS, claim_tables.cases_by_comparison(told, rows)) != text
