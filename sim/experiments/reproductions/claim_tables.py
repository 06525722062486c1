# SPDX-License-Identifier: Apache-2.0
"""The table of claims in README.md: a row for each published claim, with the verdict of its cases, which are the rows of the
tables below it. claims.json says which rows are cases of which claim, and of which kind a claim is: a direction is a sign,
a value or "alike" is met within 5 %. They are counted together, and apart."""

import json
import pathlib
import re
import statistics

CLAIMS = pathlib.Path(__file__).with_name("claims.json")
BEGIN, END = "<!-- claims: written by `make reproductions-table` -->", "<!-- claims end -->"
KINDS = ("direction", "value", "alike")
AGREES, NOISE, DISAGREES, NOT_MEASURED = "agrees", "within noise", "DISAGREES", "not measured"


def load():
    return json.loads(CLAIMS.read_text())


def case_of(row):
    """A row of a table as a case: its group and claim as `reproduce --list` has them, figure, verdict and cause."""
    if len(row) == 9:
        return {"key": (row[0], f"{row[1]}: {row[2]}"), "here": row[6], "verdict": row[7].strip("*"), "cause": row[8]}
    return {"key": (row[0], row[1]), "here": row[3].split(";")[0], "verdict": row[5].strip("*"), "cause": row[6]}


def cases_by_comparison(entries, rows):
    """{comparison: cases}; `rows`: by title, as reproduction_tables.rows_of gives them."""
    keys = {entry["title"]: {(claim["group"], claim["claim"]) for claim in entry["claims"]} for entry in entries}
    names = {entry["title"]: entry["name"] for entry in entries}
    return {names[title]: [case for case in map(case_of, (row for row in of if len(row) in (7, 9))) if case["key"] in keys[title]]
            for title, of in rows.items() if title in keys}


def chosen(patterns, cases):
    """The cases that one of [comparison, group, claim] names, the latter two as regular expressions."""
    return [(name, case) for name, group, claim in patterns for case in cases.get(name, ())
            if re.fullmatch(group, case["key"][0]) and re.fullmatch(claim, case["key"][1])]


def verdict(cases, is_conjunction=False):
    """More than half of the measured cases must agree, and all of a claim that consists of parts."""
    found = [case["verdict"] for case in cases if case["verdict"] != "-"]
    agreeing = found.count(AGREES)
    if not found or is_conjunction and len(found) < len(cases):
        return NOT_MEASURED
    if agreeing == len(found) or 2 * agreeing > len(found) and not is_conjunction:
        return AGREES
    return DISAGREES if DISAGREES in found else NOISE


def figure(cases):
    """The figure of one case; of several the least, the greatest, and the median if these are differences."""
    here = [case["here"] for case in cases if case["verdict"] != "-"]
    if len(here) < 2:
        return "".join(here) or NOT_MEASURED
    least = [float(text.split()[0]) for text in here]
    if all(re.match(r"[+-]\d", text) for text in here) and not any(" to " in text for text in here):
        return f"{min(least):+.1f} to {max(least):+.1f} %, median {statistics.median(least):+.1f} %"
    return "; ".join(here)


def cause(cases):
    """Of the cases that do not agree, each once."""
    return "; ".join(dict.fromkeys(case["cause"] for case in cases if case["verdict"] in (DISAGREES, NOISE)))


def row_of(claim, cases):
    """The cells of a claim."""
    measured = [case for case in cases if case["verdict"] != "-"]
    said = verdict(cases, claim.get("parts", False))
    agreeing = sum(case["verdict"] == AGREES for case in measured)
    shown = "" if said == NOT_MEASURED else f"{agreeing} of {len(measured)}"
    return [claim["says"], claim["kind"], claim["published"], figure(cases), shown, f"**{said}**" if said == DISAGREES else said,
            "" if said in (AGREES, NOT_MEASURED) else claim.get("cause", cause(cases))]


def results(claims, cases):
    """{study: [(claim, its cases)]}; the figures of a claim "each" are claims of their own."""
    found = {}
    for study in claims:
        of = found.setdefault(study["study"], [])
        for claim in study["claims"]:
            own = [case for _, case in chosen(claim.get("cases", ()), cases)]
            of.extend([(claim, [case]) for case in own] + [(claim, [])] * claim.get("not_run", 0) if claim.get("each") else [(claim, own)])
    return found


def counts(of):
    """Of a list of (claim, cases): claims, measured, agreeing, in every case, within noise, disagreeing."""
    verdicts = [verdict(cases, claim.get("parts", False)) for claim, cases in of]
    every = sum(all(case["verdict"] in (AGREES, "-") for case in cases) for (_, cases), said in zip(of, verdicts) if said == AGREES)
    return [len(of), len(of) - verdicts.count(NOT_MEASURED), verdicts.count(AGREES), every, verdicts.count(NOISE), verdicts.count(DISAGREES)]


def shares(of):
    """Of a list of (claim, cases), for each kind: how many of those measured agree."""
    found = {kind: counts([(claim, cases) for claim, cases in of if claim["kind"] == kind]) for kind in KINDS}
    return {kind: (agreeing, measured) for kind, (_, measured, agreeing, *_) in found.items()}


def lines_of(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def by_kind(found):
    """The second table of counts, and its sum in words; `found`: as results gives it."""
    def share(pair):
        return f"{pair[0]} of {pair[1]}" if pair[1] else ""

    total = shares([pair for of in found.values() for pair in of])
    agreeing, measured = total["direction"]
    return ["A direction is a sign. A value or \"alike\" is met within 5 %, and a bound is held, which is stricter than a sign.", "",
            "| study | directions that agree | values met | alike met |", "|---|---|---|---|",
            *(lines_of([study, *map(share, shares(of).values())]) for study, of in found.items()),
            lines_of(["all", *map(share, total.values())]), "",
            f"**{agreeing} of {measured}** measured directions agree, {100 * agreeing / max(measured, 1):.1f} %."]


def text(claims, cases):
    """What stands between the marks: the counts by study and by kind, then a row for each claim."""
    found = results(claims, cases)
    lines = ["| study | claims | measured | agree | in every case | within noise | disagree |", "|---|---|---|---|---|---|---|"]
    lines += [lines_of([study, *counts(of)]) for study, of in found.items()]
    total = counts([pair for of in found.values() for pair in of])
    lines += [lines_of(["all", *total]), "",
              f"**{total[2]} of {total[1]}** measured claims agree, {100 * total[2] / max(total[1], 1):.0f} %. {total[0] - total[1]} are not measured.", "",
              *by_kind(found)]
    for study in claims:
        lines += ["", f"### {study['study']}", "", "| claim | kind | published | here | cases | | cause |", "|---|---|---|---|---|---|---|"]
        for claim in study["claims"]:
            own = [case for _, case in chosen(claim.get("cases", ()), cases)]
            if claim.get("each"):
                n = counts([pair for pair in found[study["study"]] if pair[0] is claim])
                lines.append(lines_of([claim["says"], claim["kind"], claim["published"], "each a claim: table below", f"{n[2]} of {n[1]}", "", ""]))
            else:
                lines.append(lines_of(row_of(claim, own)))
        for beside in study.get("beside", ()):
            lines += ["", f"Not counted: {beside['why']} (`{beside['cases'][0][0]}`, {beside['words']})."]
    return "\n".join(lines)
