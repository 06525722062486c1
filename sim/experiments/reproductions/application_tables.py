# SPDX-License-Identifier: Apache-2.0
"""The tables of applications.md: the claims on programs under other conditions, by which the cause of a sign is found."""

import json
import re

# A comparison, the ending of its folder, and the condition in words.
CONDITIONS = (
    ("applications", "", "consecutive"), ("applications-random", "", "random maps"), ("applications-paced", "", "paced"),
    ("applications", "-input-queued", "input-queued"), ("applications-random", "-input-queued", "input-queued, random maps"),
    ("applications-paced", "-input-queued", "input-queued, paced"))
FIRST = "consecutive"
NETWORKS = ("torus", "twin")


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
    if row is None:
        return ""
    value = re.match(r"[+-]\d+\.\d+", row["ours"])[0] + " %"
    return value if row["verdict"] == "agrees" else f"{value} (noise)" if row["verdict"] == "within noise" else f"**{value}**"


def heading(cells):
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def parts(group):
    """Program and PEs of a group's label."""
    found = re.fullmatch(r"(\w+) (\d+) tasks on (\d+) PEs", group)
    return found[1], int(found[3])


def signs(claims, tables):
    """How many claims have the published sign, by program, PEs and condition."""
    names = [words for _, _, words in CONDITIONS if words in tables]
    lines = heading(["program", "PEs", *names])
    for program, pes in sorted({parts(claim["group"]) for claim in claims}, key=lambda key: (key[0], key[1])):
        cells = [program, str(pes)]
        for words in names:
            of = [row for key, row in tables[words].items() if key[0] and parts_or_none(key[0]) == (program, pes) and row["verdict"] != "-"]
            cells.append(f"{sum(row['verdict'] == 'agrees' for row in of)} of {len(of)}" if of else "")
        lines.append(row_of(cells))
    totals = [[row for row in tables[words].values() if row["verdict"] != "-"] for words in names]
    return [*lines, row_of(["all", "", *(f"{sum(row['verdict'] == 'agrees' for row in of)} of {len(of)}" for of in totals)])]


def parts_or_none(group):
    return parts(group) if re.search(r" tasks on ", group) else None


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


def ways(runs):
    """Transfers of a cell by program and size, torus and 5DT, for each condition of the first switch."""
    names = [words for words in (FIRST, "random maps", "paced") if words in runs]
    by_condition = {words: transfers(runs[words]) for words in names}
    sizes = sorted({key[:3] for found in by_condition.values() for key in found}, key=lambda key: (key[0], key[1] // key[2], key[1]))
    lines = heading(["program", "tasks", "PEs", *(f"{words}: torus, 5DT" for words in names)])
    for program, tasks, share in sizes:
        cells = [program, str(tasks), str(tasks // share)]
        for words in names:
            pair = [by_condition[words].get((program, tasks, share, network)) for network in NETWORKS]
            cells.append("" if None in pair else f"{pair[0]:.2f}, {pair[1]:.2f} ({100 * (1 - pair[1] / pair[0]):+.1f} %)")
        lines.append(row_of(cells))
    return lines


def figures(claims, tables):
    names = [words for _, _, words in CONDITIONS if words in tables]
    return heading(["", "claim", "published", *names]) + [
        row_of([claim["group"], claim["claim"], claim["published"],
                *(percent(tables[words].get((claim["group"], claim["claim"]))) for words in names)]) for claim in claims]


def nas(folder):
    """What was measured of the NAS programs on plain and twisted tori; no figures are published."""
    path = folder / "twisted" / "table.json"
    rows = [row for row in json.loads(path.read_text())["claims"] if row["group"].startswith("NAS ")] if path.exists() else []
    return heading(["", "", "RTT against plain", "runs"]) + [row_of([row["group"], row["claim"], row["ours"], str(row["runs"])]) for row in rows]


def pages(claims, folder):
    """The text between the marks of applications.md; `claims`: those of the comparison applications."""
    tables, runs = load(folder)
    return "\n".join(["## Claims with the published sign", "", *signs(claims, tables), "", "## Port transfers of a cell", "", *ways(runs), "",
                      "## Better by", "", *figures(claims, tables), "", "## NAS programs on a plain and a twisted torus", "", *nas(folder)])


def cause(key, tables, shares):
    """Of a sign that is not the published one: more transfers on the 5DT, or waiting; and under which conditions it is.

    `shares`: of the first condition, see transfers."""
    program, tasks, pes = re.fullmatch(r"(\w+) (\d+) tasks on (\d+) PEs", key[0]).groups()
    torus, twin = (shares[program.lower(), int(tasks), int(tasks) // int(pes), network] for network in NETWORKS)
    percent_more = 100 * (twin / torus - 1)
    if ": 5DT than" not in key[1]:
        found = "adaptive ways avoid a burst's queues"
    elif percent_more > 0:
        found = f"5DT has {percent_more:.1f} % more port transfers"
    elif "router utilisation" in key[1]:
        found = f"5DT has {-percent_more:.1f} % fewer port transfers, but in less time"
    else:
        found = f"queues of a burst: 5DT has {-percent_more:.1f} % fewer port transfers"
    others = [words for _, _, words in CONDITIONS if words != FIRST and tables.get(words, {}).get(key, {}).get("verdict") == "agrees"]
    return found + (f"; published sign: {'; '.join(others)}" if others else "")
