# SPDX-License-Identifier: Apache-2.0
"""The tables of applications.md: the claims on programs under other conditions, by which the cause of a sign is found.

A cell that the folder has no result of stays as it is on the page."""

import json
import re

# A comparison, the ending of its folder, and the condition in words.
CONDITIONS = (
    ("applications", "", "consecutive"), ("applications-random", "", "random maps"), ("applications-short", "", "short"),
    ("applications-long", "", "long"), ("applications-burst", "", "burst"), ("applications", "-input-queued", "input-queued"),
    ("applications-random", "-input-queued", "input-queued, random maps"),
    ("applications-burst", "-input-queued", "input-queued, burst"))
WORDS = [words for _, _, words in CONDITIONS]
FIRST = "consecutive"
# The conditions whose port transfers are shown: those of the first switch.
SHOWN_WAYS = WORDS[:5]
NETWORKS = ("torus", "twin")
SIGNS, WAYS, FIGURES, NAS = "Claims with the published sign", "Port transfers of a cell", "Better by", "NAS programs on a plain and a twisted torus"


def load(folder):
    """{condition: {(group, claim): row}} and {condition: lines of runs.jsonl} of what was measured."""
    tables, runs = {}, {}
    for name, ending, words in CONDITIONS:
        place = folder.with_name(folder.name + ending) / name
        if (place / "table.json").exists():
            table = json.loads((place / "table.json").read_text())
            if not table["quick"]:
                tables[words] = {(row["group"], row["claim"]): row for row in table["claims"]}
                runs[words] = [json.loads(line) for line in (place / "runs.jsonl").read_text().splitlines()][1:]
    return tables, runs


def percent(row):
    """By how much the winner is better; bold if the sign is not the published one."""
    value = re.match(r"[+-]\d+\.\d+", row["ours"])[0] + " %"
    return value if row["verdict"] == "agrees" else f"{value} (noise)" if row["verdict"] == "within noise" else f"**{value}**"


def has_published_sign(cell):
    return bool(cell) and not cell.startswith("*") and "noise" not in cell


def heading(cells):
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def old_cells(text, title, keys):
    """{condition: {key: cell}} of a table as it stands on the page; a key is the first `keys` cells of a row."""
    part = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    head, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in part[1].splitlines() if line.startswith("| ")] if part else [[]]
    return {words.split(":")[0]: {tuple(row[:keys]): cell for row in rows if (cell := row[column])}
            for column, words in enumerate(head) if column >= keys}


def merge(old, new):
    """The cells of each condition, those on the page under those that were measured now."""
    found = {words: {**old.get(words, {}), **new.get(words, {})} for words in WORDS}
    return {words: cells for words, cells in found.items() if cells}


def figure_cells(tables, old):
    """{condition: {(group, claim): cell}}"""
    return merge(
        {words: {key[:2]: cell for key, cell in cells.items()} for words, cells in old_cells(old, FIGURES, 3).items()},
        {words: {key: percent(row) for key, row in rows.items() if row["verdict"] != "-"} for words, rows in tables.items()})


def parts(group):
    """Program and PEs of a group's label."""
    found = re.fullmatch(r"(\w+) (\d+) tasks on (\d+) PEs", group)
    return found[1], int(found[3])


def signs(claims, cells):
    """How many claims have the published sign, by program, PEs and condition."""
    def count(of):
        return f"{sum(map(has_published_sign, of))} of {len(of)}" if of else ""

    lines = heading(["program", "PEs", *cells])
    for program, pes in sorted({parts(claim["group"]) for claim in claims}):
        lines.append(row_of([program, str(pes), *(count([cell for key, cell in of.items() if parts(key[0]) == (program, pes)])
                                                  for of in cells.values())]))
    return [*lines, row_of(["all", "", *(count(list(of.values())) for of in cells.values())])]


def transfers(runs):
    """{(program, tasks, tasks of a PE, network): port transfers for each cell}: its hops, and the way out of its card."""
    found = {}
    for line in runs:
        key, result = line["key"], line["result"]
        network = key["network"].split(":")[0]
        if "adaptive" in key["network"].split("@")[1].split("/")[0]:
            continue
        cards = 1
        for radix in re.search(r":([\dx]+)@", key["network"])[1].split("x"):
            cards *= int(radix)
        cards *= 2 if network == "twin" else 1
        ports = 7
        found.setdefault((key["program"]["name"], key["program"]["ranks"], key["tasks_per_pe"], network), []).append(
            result["utilisation"] * result["execution_cycles"] * cards * ports / result["cells"])
    return {key: sum(values) / len(values) for key, values in found.items()}


def way_cells(runs, old):
    """{condition: {(program, tasks, PEs): transfers of a cell on torus and 5DT}}"""
    new = {}
    for words in set(SHOWN_WAYS) & set(runs):
        found = transfers(runs[words])
        for program, tasks, share in {key[:3] for key in found}:
            torus, twin = (found.get((program, tasks, share, network)) for network in NETWORKS)
            if torus and twin:
                new.setdefault(words, {})[program, str(tasks), str(tasks // share)] = f"{torus:.2f}, {twin:.2f} ({100 * (1 - twin / torus):+.1f} %)"
    return merge(old_cells(old, WAYS, 3), new)


def ways(cells):
    """Transfers of a cell by program and size, torus and 5DT, for each condition of the first switch."""
    lines = heading(["program", "tasks", "PEs", *(f"{words}: torus, 5DT" for words in cells)])
    sizes = sorted({key for of in cells.values() for key in of}, key=lambda key: (key[0], int(key[2]), int(key[1])))
    return lines + [row_of([*key, *(of.get(key, "") for of in cells.values())]) for key in sizes]


def figures(claims, cells):
    return heading(["", "claim", "published", *cells]) + [
        row_of([claim["group"], claim["claim"], claim["published"], *(of.get((claim["group"], claim["claim"]), "") for of in cells.values())])
        for claim in claims]


def nas(folder, old):
    """What was measured of the NAS programs on plain and twisted tori; no figures are published."""
    path = folder / "twisted" / "table.json"
    rows = [row for row in json.loads(path.read_text())["claims"] if row["group"].startswith("NAS ")] if path.exists() else []
    if not rows:
        return old.split(f"## {NAS}\n", 1)[1].strip("\n").splitlines() if NAS in old else []
    return heading(["", "", "RTT against plain", "runs"]) + [row_of([row["group"], row["claim"], row["ours"], str(row["runs"])]) for row in rows]


def pages(claims, folder, old=""):
    """The text between the marks of applications.md; `claims`: those of the comparison applications, `old`: the text as it stands."""
    tables, runs = load(folder)
    cells = figure_cells(tables, old)
    return "\n".join([f"## {SIGNS}", "", *signs(claims, cells), "", f"## {WAYS}", "", *ways(way_cells(runs, old)), "",
                      f"## {FIGURES}", "", *figures(claims, cells), "", f"## {NAS}", "", *nas(folder, old)])


def cause(key, cells, shares):
    """Of a sign that is not the published one: more transfers on the 5DT, or waiting; and under which conditions it is.

    `cells`: as figure_cells has them. `shares`: of the first condition, see transfers."""
    program, tasks, pes = re.fullmatch(r"(\w+) (\d+) tasks on (\d+) PEs", key[0]).groups()
    torus, twin = (shares[program.lower(), int(tasks), int(tasks) // int(pes), network] for network in NETWORKS)
    percent_more = 100 * (twin / torus - 1)
    burst = "the final flush" if program == "RandomAccess" else "a burst"
    if ": 5DT than" not in key[1]:
        found = f"adaptive ways avoid the queues of {burst}"
    elif percent_more > 0:
        found = f"5DT has {percent_more:.1f} % more port transfers"
    elif "router utilisation" in key[1]:
        found = f"5DT has {-percent_more:.1f} % fewer port transfers, but in less time"
    else:
        found = f"queues of {burst}: 5DT has {-percent_more:.1f} % fewer port transfers"
    others = [words for words in cells if words != FIRST and has_published_sign(cells[words].get(key, ""))]
    return found + (f"; published sign: {'; '.join(others)}" if others else "")
