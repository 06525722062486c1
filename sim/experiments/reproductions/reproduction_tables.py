#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of README.md: every published claim with what `extorus reproduce` measured, from its list and its table.json
files; those of input_queued.md likewise, of `--switch input-queued`, but only of what was run. Quick runs do not count.
A row of a claim that was not run now keeps what it had.

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
CLAIM_CELLS, COLLECTIVE_CELLS = 7, 9


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


def rows_of(text):
    """The measured rows of a README's tables, by their heading and the cells of the claim."""
    kept, title = {}, ""
    for line in text.splitlines():
        title = line.removeprefix("## ") if line.startswith("## ") else title
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if line.startswith("| ") and len(cells) in (CLAIM_CELLS, COLLECTIVE_CELLS) and NOT_MEASURED not in cells:
            kept[title, *cells[:3 if len(cells) == CLAIM_CELLS else 4]] = cells
    return kept


def row_of(entry, claim, rows, kept):
    """The cells of a claim's row: what was measured now, or else before."""
    write = collective_row if isinstance(claim["published"], list) else claim_row
    row = rows.get((claim["group"], claim["claim"]))
    cells = write(claim, row)
    return kept.get((entry["title"], *cells[:cells.index(NOT_MEASURED)]), cells) if row is None else cells


def rows_by_claim(table):
    return {key_of(row): row for row in (table or {}).get("rows", (table or {}).get("claims", ()))}


def section(entry, table, kept):
    """The lines of one comparison: source, rows, and what is not run."""
    source = entry.get("source")
    lines = ["", f"## {entry['title']}", ""]
    if not source:
        return [*lines, f"`{entry['name']}`. {entry['published']}"]
    told = [f"- {name}: {value}" for name, value in entry["published_for"].items()]
    lines += [f"`{entry['name']}`, from {source['study']}: {'; '.join(source['tables'])}.", "", "Published for:", "", *told, ""]
    collective = entry["claims"] and isinstance(entry["claims"][0]["published"], list)
    found = [row_of(entry, claim, rows_by_claim(table), kept) for claim in entry["claims"]]
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


def tables(entries, measured, kept):
    """The text between the marks; `measured`: table.json by name; `kept`: rows of earlier runs."""
    return "\n".join(line for entry in entries for line in section(entry, measured.get(entry["name"]), kept)).strip("\n")


def run_only(entries, measured, kept):
    """The entries that were run, now or before, with the claims that were, and without what cannot be run."""
    told = []
    for entry in entries:
        rows = rows_by_claim(measured.get(entry["name"]))
        claims = [claim for claim in entry["claims"] if NOT_MEASURED not in row_of(entry, claim, rows, kept)]
        told += [{**entry, "claims": claims, "needs": []}] if claims else []
    return told


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
        text = readme.read_text()
        kept = rows_of(inner(text))
        told = run_only(entries, measured, kept) if readme == INPUT_QUEUED else entries
        before, rest = text.split(BEGIN)
        readme.write_text(before + BEGIN + "\n" + tables(told, measured, kept) + "\n" + END + rest.split(END)[1])
        print(f"{readme}: {len(measured)} of {len(entries)} comparisons measured in {folder}")


if __name__ == "__main__":
    main()
