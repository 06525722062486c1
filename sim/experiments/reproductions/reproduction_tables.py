#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of README.md: every published claim with what `extorus reproduce` measured, from its list and its table.json
files; those of input_queued.md likewise, of `--switch input-queued`, but only of what was run. Quick runs do not count.

usage: reproduction_tables.py [FOLDER]   FOLDER: that of `extorus reproduce all -o FOLDER` (default: out/reproduce);
                                         FOLDER-input-queued is for input_queued.md
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
README = pathlib.Path(__file__).with_name("README.md")
INPUT_QUEUED = pathlib.Path(__file__).with_name("input_queued.md")
BEGIN, END = "<!-- reproductions: written by `make reproductions-table` -->", "<!-- reproductions end -->"
NOT_MEASURED = "not measured"


def pair(values, metric):
    return ", ".join(f"{value:.0f}" if metric == "time" else f"{value:.1f}" for value in values)


def collective_row(claim, row):
    """A row of a table of collectives; `row`: of table.json, None if it was not run."""
    collective, metric = claim["claim"].rsplit(": ", 1)
    cells = [claim["group"], collective, metric, pair(claim["published"], metric)]
    if row is None:
        return [*cells, NOT_MEASURED, "-", "-", "-", ""]
    return [*cells, pair(row["here"], metric), f"{row['published_reduction_percent']:+.1f} %", f"{row['reduction_percent']:+.1f} %",
            "agrees" if row["agrees"] else "**DISAGREES**", row.get("cause", "")]


def claim_row(claim, row):
    cells = [claim["group"], claim["claim"], claim["published"]]
    if row is None:
        return [*cells, NOT_MEASURED, "", "-", ""]
    verdict = row["verdict"].replace("DISAGREES", "**DISAGREES**")
    return [*cells, row["ours"], str(row["runs"]), verdict, row.get("cause", "")]


def lines_of(cells):
    return "| " + " | ".join(cells) + " |"


def heading(*cells):
    return [lines_of(cells), "|" + "---|" * len(cells)]


def key_of(row):
    if "collective" in row:
        return row["group"], f"{row['collective']} of {row['bytes']} bytes: {row['metric']}"
    return row["group"], row["claim"]


def section(entry, table):
    """The lines of one comparison: source, rows, and what is not run."""
    source = entry.get("source")
    lines = ["", f"## {entry['title']}", ""]
    if not source:
        return [*lines, f"`{entry['name']}`. {entry['published']}"]
    told = [f"- {name}: {value}" for name, value in entry["published_for"].items()]
    lines += [f"`{entry['name']}`, from {source['study']}: {'; '.join(source['tables'])}.", "", "Published for:", "", *told, ""]
    rows = {key_of(row): row for row in (table or {}).get("rows", (table or {}).get("claims", ()))}
    collective = entry["claims"] and isinstance(entry["claims"][0]["published"], list)
    found = [(collective_row if collective else claim_row)(claim, rows.get((claim["group"], claim["claim"])))
             for claim in entry["claims"]]
    if found and collective:
        lines += heading("", "collective", "", "published: torus, 5DT", "here", "5DT less by, published", "here", "sign", "cause")
    elif found:
        lines += heading("", "claim", "published", "here", "runs", "", "cause")
    lines += [lines_of(row) for row in found]
    if found:
        verdicts = [row[-2].strip("*") for row in found]
        lines += ["", f"**{verdicts.count('agrees')} of {len(found)}** have the published sign, {verdicts.count('DISAGREES')} the opposite, "
                  f"{verdicts.count('within noise')} are within the noise, {verdicts.count('-')} not measured.", ""]
    if entry.get("needs"):
        lines += [*heading("not run", "published", ""),
                  *(lines_of([need["claim"], need["published"], need["needs"]]) for need in entry["needs"])]
    return lines


def tables(entries, measured):
    """The text between the marks; `measured`: table.json by name."""
    return "\n".join(line for entry in entries for line in section(entry, measured.get(entry["name"]))).strip("\n")


def run_only(entries, measured):
    """The entries that were run, with the claims that were, and without what cannot be run."""
    kept = []
    for entry in entries:
        table = measured.get(entry["name"], {})
        keys = {key_of(row) for row in table.get("rows", table.get("claims", ()))}
        claims = [claim for claim in entry["claims"] if (claim["group"], claim["claim"]) in keys]
        kept += [{**entry, "claims": claims, "needs": []}] if claims else []
    return kept


def inner(readme):
    """What stands between the marks of a README."""
    return readme.split(BEGIN + "\n", 1)[1].split("\n" + END, 1)[0]


def main():
    chosen = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "reproduce")
    entries = json.loads(subprocess.run([ROOT / "build" / "extorus", "reproduce", "--list", "--json"], check=True, capture_output=True,
                                        text=True).stdout)
    for readme, folder in ((README, chosen), (INPUT_QUEUED, chosen.with_name(chosen.name + "-input-queued"))):
        measured = {path.parent.name: json.loads(path.read_text()) for path in folder.glob("*/table.json")}
        measured = {name: table for name, table in measured.items() if not table["quick"]}
        if not measured:
            print(f"{readme}: nothing is measured in {folder}")
            continue
        told = run_only(entries, measured) if readme == INPUT_QUEUED else entries
        before, rest = readme.read_text().split(BEGIN)
        readme.write_text(before + BEGIN + "\n" + tables(told, measured) + "\n" + END + rest.split(END)[1])
        print(f"{readme}: {len(measured)} of {len(entries)} comparisons measured in {folder}")


if __name__ == "__main__":
    main()
