#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of README.md: every published claim with what `extorus reproduce` measured, from its list and its table.json
files; those of input_queued.md likewise, of `--switch input-queued`, and of rtl_switch.md, of `--switch extorus`, but only of
what was run. Quick runs do not count. The table of claims: see claim_tables.py.
Rows and cells that the folder has no result of stay as they are. applications.md: see application_tables.py.

usage: reproduction_tables.py [FOLDER]   FOLDER: that of `extorus reproduce all -o FOLDER` (default: out/reproduce);
                                         FOLDER-input-queued is for input_queued.md, FOLDER-extorus for
                                         rtl_switch.md
"""

import json
import pathlib
import re
import subprocess
import sys

import application_tables
import claim_tables

ROOT = pathlib.Path(__file__).resolve().parents[3]
README = pathlib.Path(__file__).with_name("README.md")
APPLICATIONS = pathlib.Path(__file__).with_name("applications.md")
INPUT_QUEUED = pathlib.Path(__file__).with_name("input_queued.md")
RTL_SWITCH = pathlib.Path(__file__).with_name("rtl_switch.md")
BEGIN, END = "<!-- reproductions: written by `make reproductions-table` -->", "<!-- reproductions end -->"
NOT_MEASURED = "not measured"


def pair(values, metric):
    return ", ".join(f"{value:.0f}" if metric == "time" else f"{value:.1f}" for value in values)


def kept_row(cells, rest, old):
    """The row as it stands; `rest` if it does not. `old`: the rows of the section as it stands."""
    return next((row for row in old if row[:len(cells)] == cells), [*cells, *rest])


def collective_row(claim, row, old):
    """A row of a table of collectives; `row`: of table.json, None if it was not run."""
    collective, metric = claim["claim"].rsplit(": ", 1)
    cells = [claim["group"], collective, metric, pair(claim["published"], metric)]
    if row is None:
        return kept_row(cells, [NOT_MEASURED, "-", "-", "-", ""], old)
    return [*cells, pair(row["here"], metric), f"{row['published_reduction_percent']:+.1f} %", f"{row['reduction_percent']:+.1f} %",
            "agrees" if row["agrees"] else "**DISAGREES**", row.get("cause", "")]


def claim_row(claim, row, old):
    cells = [claim["group"], claim["claim"], claim["published"]]
    if row is None:
        return kept_row(cells, [NOT_MEASURED, "", "-", ""], old)
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


def section(entry, table, old=()):
    """The lines of one comparison: source, rows, and what is not run."""
    source = entry.get("source")
    lines = ["", f"## {entry['title']}", ""]
    if not source:
        rows = [[row["group"], row["claim"], row["ours"], str(row["runs"])] for row in (table or {}).get("claims", ())] or list(old)
        return [*lines, f"`{entry['name']}`. {entry['published']}", *([""] + heading("", "difference", "here", "runs") if rows else []),
                *(lines_of(row) for row in rows if row[1] != "difference")]
    told = [f"- {name}: {value}" for name, value in entry["published_for"].items()]
    lines += [f"`{entry['name']}`, from {source['study']}: {'; '.join(source['tables'])}.", "", "Published for:", "", *told, ""]
    rows = {key_of(row): row for row in (table or {}).get("rows", (table or {}).get("claims", ()))}
    collective = entry["claims"] and isinstance(entry["claims"][0]["published"], list)
    found = [(collective_row if collective else claim_row)(claim, rows.get((claim["group"], claim["claim"])), old)
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


def tables(entries, measured, old):
    """The text between the marks; `measured`: table.json by name, `old`: rows by title."""
    return "\n".join(line for entry in entries for line in section(entry, measured.get(entry["name"]), old.get(entry["title"], ()))).strip("\n")


def rows_of(text):
    """{title: rows of cells} of a text between the marks."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        title, rest = part.split("\n", 1)
        found[title] = [[cell.strip() for cell in line[1:-1].split("|")] for line in rest.splitlines() if line.startswith("| ")]
    return found


def run_only(entries, measured, old):
    """The entries that were run, with the claims that were, and without what cannot be run."""
    kept = []
    for entry in entries:
        table = measured.get(entry["name"], {})
        keys = {key_of(row) for row in table.get("rows", table.get("claims", ()))} | {
            claim_tables.case_of(row)["key"] for row in old.get(entry["title"], ()) if len(row) in (7, 9)}
        claims = [claim for claim in entry["claims"] if (claim["group"], claim["claim"]) in keys]
        kept += [{**entry, "claims": claims, "needs": []}] if claims else []
    return kept


def give_causes(table, conditions, shares):
    """See application_tables.cause; `conditions`: its cells."""
    for row in table["claims"]:
        if row["verdict"] in ("DISAGREES", "within noise"):
            row["cause"] = application_tables.cause((row["group"], row["claim"]), conditions, shares)


def inner(readme, begin=BEGIN, end=END):
    """What stands between the marks of a README."""
    return readme.split(begin + "\n", 1)[1].split("\n" + end, 1)[0]


def write_inner(page, text, begin=BEGIN, end=END):
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + "\n" + text + "\n" + end + rest.split(end)[1])


def write_claims(told):
    """The table of claims, from the rows as they stand."""
    cases = claim_tables.cases_by_comparison(page_entries(told)[README], rows_of(inner(README.read_text())))
    write_inner(README, claim_tables.text(claim_tables.load(), cases), claim_tables.BEGIN, claim_tables.END)


def results(folder):
    """table.json by name; quick runs do not count."""
    measured = {path.parent.name: json.loads(path.read_text()) for path in folder.glob("*/table.json")}
    return {name: table for name, table in measured.items() if not table["quick"]}


def page_entries(told):
    """{page: the comparisons on it}. Those whose source names a switch are in README.md on that switch, and on the RTL's
    in rtl_switch.md; so are those that another comparison does in the published set-up."""
    entries = [entry for entry in told if "again" not in entry]
    others = {entry["published_setup"] for entry in entries if "published_setup" in entry}
    return {README: [entry for entry in entries if "published_setup" not in entry],
            INPUT_QUEUED: [entry for entry in entries if "switch" not in entry and "published_setup" not in entry],
            RTL_SWITCH: [entry for entry in entries if "published_setup" in entry or "switch" in entry and entry["name"] not in others]}


def main():
    chosen = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "reproduce")
    told = json.loads(subprocess.run([ROOT / "build" / "extorus", "reproduce", "--list", "--json"], check=True, capture_output=True,
                                     text=True).stdout)
    conditions, runs = application_tables.load(chosen)
    own = results(chosen)
    if "applications" in own:
        cells = application_tables.figure_cells(conditions, inner(APPLICATIONS.read_text()))
        give_causes(own["applications"], cells, application_tables.transfers(runs[application_tables.FIRST]))
    for page, entries in page_entries(told).items():
        measured, old = own, rows_of(inner(page.read_text()))
        if page == INPUT_QUEUED:
            measured = {name: table for name, table in results(chosen.with_name(chosen.name + "-input-queued")).items() if name != "applications"}
        elif page == RTL_SWITCH:
            measured = {**{entry["name"]: own[entry["name"]] for entry in entries if "switch" not in entry and entry["name"] in own},
                        **results(chosen.with_name(chosen.name + "-extorus"))}
        write_inner(page, tables(entries if page == README else run_only(entries, measured, old), measured, old))
        print(f"{page}: {len(measured)} comparisons measured")
    write_claims(told)
    if conditions:
        claims = next(entry["claims"] for entry in told if entry["name"] == "applications")
        write_inner(APPLICATIONS, application_tables.pages(claims, chosen, inner(APPLICATIONS.read_text())))


if __name__ == "__main__":
    main()
