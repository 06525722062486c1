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
    shares = {row[0]: row[1:] for row in rows if len(row) == 4 and row[0] != "study"}
    faults, total, of_kinds = [], [0] * 6, {kind: [0, 0] for kind in claim_tables.KINDS}
    for part in parts:
        study = part.split("\n", 1)[0]
        of, own_kinds = [0] * 6, {kind: [0, 0] for kind in claim_tables.KINDS}
        for row in (cells(line) for line in part.splitlines() if line.startswith("| ") and " cases " not in line):
            agreeing, cases = map(int, re.fullmatch(r"(\d+) of (\d+)", row[4]).groups()) if row[4] else (0, 0)
            if row[5]:
                said = row[5].strip("*")
                faults += [row] if (said == "agrees") != (2 * agreeing > cases) or (said == "not measured") != (cases == 0) else []
                faults += [row] if said in ("within noise", "DISAGREES") and not row[6] else []
                own = (1, said != "not measured", said == "agrees", cases and agreeing == cases, said == "within noise", said == "DISAGREES")
            else:
                not_run = int((re.search(r"(\d+) not run", row[2]) or [0, 0])[1])
                own = (cases + not_run, cases, agreeing, agreeing, 0, cases - agreeing)
            of = [a + b for a, b in zip(of, own)]
            own_kinds[row[1]] = [a + b for a, b in zip(own_kinds[row[1]], (own[2], own[1]))]
        faults += [] if counted.get(study) == of else [(study, counted.get(study), of)]
        faults += [] if shares.get(study) == list(map(share_of, own_kinds.values())) else [(study, shares.get(study), own_kinds)]
        total = [a + b for a, b in zip(total, of)]
        of_kinds = {kind: [a + b for a, b in zip(pair, own_kinds[kind])] for kind, pair in of_kinds.items()}
    sums = (f"**{total[2]} of {total[1]}** measured claims agree, {100 * total[2] / total[1]:.0f} %. {total[0] - total[1]} are not measured.",
            "**{} of {}** measured directions agree, {:.1f} %.".format(*of_kinds["direction"], 100 * of_kinds["direction"][0] / of_kinds["direction"][1]))
    faults += [] if shares["all"] == list(map(share_of, of_kinds.values())) and [sum(pair) for pair in zip(*of_kinds.values())] == total[2:0:-1] else ["other kinds"]
    return faults + ([] if counted["all"] == total and all(said in head for said in sums) else ["other sums"])


def share_of(pair):
    return f"{pair[0]} of {pair[1]}" if pair[1] else ""


def kind_of(claim):
    """Of a claim of experiments.json: a sign, or what is met within 5 %. A loss of 0 is no sign."""
    if claim.get("alike") or "of" in claim and claim.get("percent") == 0:
        return "alike"
    return "value" if "value" in claim or "at_most" in claim else "direction"


def faults_of_kinds(claims, told):
    """Claims whose kind is not that by which their rows are judged; rows of collectives have a sign."""
    experiments = {entry["name"]: entry for entry in json.loads((ROOT / "sim/experiments/reproductions/experiments.json").read_text())}
    by_name = {}
    for entry in told:
        judged = [kind_of(claim) for group in experiments[entry["name"]]["groups"] for claim in group.get("claims", ())]
        by_name[entry["name"]] = [{"key": (claim["group"], claim["claim"]), "kind": kind}
                                  for claim, kind in zip(entry["claims"], judged or ["direction"] * len(entry["claims"]))]
        assert len(by_name[entry["name"]]) == len(entry["claims"])
    return [claim["says"] for study in claims for claim in study["claims"]
            if {case["kind"] for _, case in claim_tables.chosen(claim.get("cases", ()), by_name)} - {claim["kind"]} or claim["kind"] not in claim_tables.KINDS]


def test_kinds_are_those_by_which_rows_are_judged(told):
    assert not faults_of_kinds(CLAIMS, told)
    for says, kind in (("accepted by 5DT, 1,024 PEs", "direction"), ("O against U", "value"), ("PTRANS in less time, 2048 PEs: 5DT than 3D torus", "alike"),
                       ("VCs lose throughput beyond saturation", "alike"), ("B saturates at", "sign")):
        spoilt = copy.deepcopy(CLAIMS)
        next(claim for study in spoilt for claim in study["claims"] if claim["says"] == says)["kind"] = kind
        assert faults_of_kinds(spoilt, told) == [says]


def test_claims_are_counted_by_kind():
    """Each claim is counted in its kind alone, and no kind changes a verdict or the sum of all."""
    made = [({"kind": kind}, [{"verdict": verdict}]) for kind, verdict in (
        ("direction", "agrees"), ("direction", "DISAGREES"), ("direction", "-"), ("value", "agrees"), ("value", "within noise"), ("alike", "DISAGREES"))]
    assert claim_tables.shares(made) == {"direction": (1, 2), "value": (1, 2), "alike": (0, 1)}
    every = claim_tables.counts(made)
    assert every[1:3] == [sum(pair[1] for pair in claim_tables.shares(made).values()), sum(pair[0] for pair in claim_tables.shares(made).values())]
    made[1][0]["kind"] = "alike"
    assert claim_tables.shares(made) == {"direction": (1, 1), "value": (1, 2), "alike": (0, 2)} and claim_tables.counts(made) == every


def claims_of(readme):
    return reproduction_tables.inner(readme, claim_tables.BEGIN, claim_tables.END)


def test_table_of_claims(told):
    readme = reproduction_tables.README.read_text()
    text = claims_of(readme)
    assert not faults_of_table(text)
    share, = re.findall(r"^\| all \| (\d+) of \d+ \| ", text, re.M)
    for old, new in (("| agrees |", "| **DISAGREES** |"), ("| 2 of 2 |", "| 1 of 2 |"), ("44 of 48", "45 of 48"), ("| all | ", "| all | 1"),
                     (f"| all | {share} of", f"| all | {int(share) + 1} of"), ("3DT) | 2", "3DT) | 1"), ("| value | 0.80", "| direction | 0.80"),
                     ("measured directions agree, ", "measured directions agree, 1")):
        assert old in text and faults_of_table(text.replace(old, new, 1))
    # The README of the project has the same sums.
    agreeing, measured = re.search(r"\*\*(\d+) of (\d+)\*\* measured claims", text).groups()
    signs = re.search(r"\*\*(\d+ of \d+)\*\* measured directions", text)[1]
    assert f"| {agreeing} of {measured} measured agree, {signs} of the signs" in (ROOT / "README.md").read_text()
    # It is that of the rows below it: of another row it is another.
    rows = reproduction_tables.rows_of(reproduction_tables.inner(readme))
    assert claim_tables.text(CLAIMS, claim_tables.cases_by_comparison(told, rows)) == text
    row = next(row for row in rows["Plain against twisted tori, routers with a crossbar input for each VC"] if row[1] == "throughput of RTT")
    row[5] = "**DISAGREES**"
    assert claim_tables.text(CLAIMS, claim_tables.cases_by_comparison(told, rows)) != text
