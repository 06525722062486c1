#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of syntheses over time, kept in trend.csv, and the table of the last ones in rtl/README.md.

usage: trend.py record PROFILE TARGET   appends the figures of build/synth/PROFILE-TARGET
       trend.py table                   rewrites the rows of rtl/README.md that build/synth has reports of
       trend.py show                    prints the last figures, and draws all of them in out/bench/synth_trend.svg
"""

import csv
import datetime
import json
import pathlib
import re
import subprocess
import sys

from report import of_seeds

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREND = ROOT / "constraints" / "synth" / "trend.csv"
README = ROOT / "rtl" / "README.md"
FIELDS = ("date", "commit", "profile", "target", "LUT", "FF", "BRAM", "Fmax", "seeds")
BEGIN, END = "<!-- synth-table: written by `make synth-table` -->", "<!-- synth-table end -->"
HEADER = ("| Profile | Target | Commit | LUT | FF | BRAM | Device | Fmax, MHz | Critical path | Tools |\n"
          "|---|---|---|---|---|---|---|---|---|---|\n")


def read(path=TREND):
    """The recorded figures, oldest first."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def last(lines):
    """The newest line of every profile and target."""
    return sorted({(line["profile"], line["target"]): line for line in lines}.values(),
                  key=lambda line: (line["profile"], line["target"]))


def record(report, path=TREND):
    """Appends a report."""
    line = (datetime.date.today().isoformat(), report["commit"], report["profile"], report["target"],
            report["card"]["LUT"], report["card"]["FF"], report["card"]["BRAM"], report.get("fmax_mhz", ""),
            len(report["seeds"]) if "fmax_mhz" in report else "")
    with open(path, "a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(line)


def device_share(report):
    names = {"TRELLIS_COMB": "LUT", "ICESTORM_LC": "LC", "DP16KD": "BRAM", "ICESTORM_RAM": "BRAM"}
    return ", ".join(f"{100 * used / there:.0f} % {names[name]}"
                     for name, (used, there) in report.get("used", {}).items() if name in names)


def row(report):
    """A report as a row of the table."""
    card, path = report["card"], report.get("critical_path")
    fmax = f"{report['fmax_mhz']} ({of_seeds(report)})" if "fmax_mhz" in report else "-"
    if "refused" in report:
        fmax = f"does not fit: {report['refused']}"
    way = "-"
    if path:
        way = (f"`{path['from']}` to `{path['to']}`: {path['ns']} ns, {path['levels']} levels, "
               f"{path['routing_ns']} ns of it routing")
    tools = ", ".join(f"{tool} {version.removeprefix('nextpnr-')}" for tool, version in report["tools"].items()
                      if "pack" not in tool)
    return (f"| `{report['profile']}` | {report['target']} | {report['commit']} | {card['LUT']} | {card['FF']} | {card['BRAM']} | "
            f"{device_share(report) or '-'} | {fmax} | {way} | {tools} |\n")


def retable(text, reports):
    """The README with the rows of these reports; rows of others stay."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{README.name} must have one `{BEGIN}` and one `{END}`")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    rows = {match.groups(): match.group(0) + "\n" for match in re.finditer(r"^\| `(\w+)` \| ([\w-]+) \|.*$", old, re.M)}
    for report in reports:
        rows[(report["profile"], report["target"])] = row(report)
    return before + BEGIN + "\n" + HEADER + "".join(rows[key] for key in sorted(rows)) + END + after


def reports(folder):
    """Those of the folders PROFILE-TARGET. A folder of another name, as of a test's mapping, is none of the table's."""
    found = [(path.parent.name, json.loads(path.read_text())) for path in sorted(folder.glob("*/report.json"))]
    return [report for name, report in found if name == f"{report['profile']}-{report['target']}"]


def show(lines, out):
    """Prints the last figures and draws area and clock over the records, a line per profile and target."""
    print(f"{'synthesis':22}{'date':12}{'commit':13}{'LUT':>7}{'FF':>7}{'BRAM':>6}{'Fmax, MHz':>11}")
    for line in last(lines):
        print(f"{line['profile'] + ' ' + line['target']:22}{line['date']:12}{line['commit']:13}{line['LUT']:>7}"
              f"{line['FF']:>7}{line['BRAM']:>6}{line['Fmax'] or '-':>11}")
    out.mkdir(parents=True, exist_ok=True)
    series = [f"{line['profile']} {line['target']}" for line in last(lines)]
    blocks = [[line for line in lines if f"{line['profile']} {line['target']}" == name] for name in series]
    with open(out / "synth_trend.dat", "w") as file:
        for name, block in zip(series, blocks):
            print(f'"{name}"', file=file)
            for line in block:
                print(lines.index(line) + 1, line["LUT"], line["Fmax"] or "NaN", file=file)
            print("\n", file=file)
    script = f"""
        set terminal svg size 900,600 background rgb "white"
        set output "{out / 'synth_trend.svg'}"
        set multiplot layout 2,1
        set key outside right autotitle columnheader
        set xrange [0.5:{len(lines)}.5]
        set yrange [0:*]
        set xtics 1
        set ylabel "LUT"
        data = "{out / 'synth_trend.dat'}"
        plot for [i=0:{len(series) - 1}] data index i using 1:2 with linespoints
        set ylabel "Fmax, MHz"
        set xlabel "line of constraints/synth/trend.csv"
        plot for [i=0:{len(series) - 1}] data index i using 1:3 with linespoints
    """
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main(words):
    if words[:1] == ["record"] and len(words) == 3:
        record(json.loads((ROOT / "build" / "synth" / "-".join(words[1:]) / "report.json").read_text()))
    elif words == ["table"]:
        README.write_text(retable(README.read_text(), reports(ROOT / "build" / "synth")))
    elif words == ["show"]:
        if lines := read():
            show(lines, ROOT / "out" / "bench")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
