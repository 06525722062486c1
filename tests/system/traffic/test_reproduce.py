# SPDX-License-Identifier: Apache-2.0
"""Comparisons done again: all of them run, and what is said of agreement follows from the data."""

import copy
import json
import re
import sys

import pytest

from repository import ROOT

sys.path.insert(0, str(ROOT / "sim/experiments/reproductions"))
import application_tables  # noqa: E402
import reproduction_tables  # noqa: E402


def written_out(experiments):
    """The list with the groups of each comparison "again": those of its programs in the other one, or all, under its own conditions."""
    by_name = {entry["name"]: entry for entry in experiments}
    for entry in experiments:
        if "again" in entry:
            other = copy.deepcopy(by_name[entry["again"]])
            groups = [group for group in other["groups"] if "programs" not in entry or group["program"]["name"] in entry["programs"]]
            for group in groups:
                group.get("program", {}).update(entry["programs"][group["program"]["name"]] if "programs" in entry else {})
                group.update({"random_maps": entry["random_maps"]} if "random_maps" in entry else {})
            by_name[entry["name"]] = {**other, **entry, "groups": groups}
    return [by_name[entry["name"]] for entry in experiments]


EXPERIMENTS = written_out(json.loads((ROOT / "sim/experiments/reproductions/experiments.json").read_text()))
NAMES = [entry["name"] for entry in EXPERIMENTS]
CURVES = [entry["name"] for entry in EXPERIMENTS if "rules" not in entry]
# Claims that are run, and claims that are not.
PUBLISHED = {
    "torus-5dt": (44, 0), "torus-5dt-classic": (44, 0), "3dt-configurations": (26, 0), "2d-3dt": (19, 0), "bubble-vcs": (7, 0), "selection": (35, 0), "selection-positive": (35, 0),
    "dort-5dt": (8, 1), "dort-5dt-positive": (8, 1),
    "ndt-dimensions": (0, 0), "twisted": (6, 0), "twisted-router": (6, 0), "twisted-patterns": (0, 0), "pruned": (0, 0),
    "dort-ts-dor": (0, 0), "collectives": (48, 0), "collectives-dort": (32, 0),
    "applications": (144, 0), "applications-random": (144, 0), "applications-short": (54, 0), "applications-long": (54, 0),
    "applications-burst": (54, 0), "combined-switches": (9, 1)}
# Of the published tables, by comparison, PEs and metric: torus, 5DT.
SUMS = {
    ("collectives", "256", "latency"): [5037.367, 2935.362], ("collectives", "256", "time"): [194047, 139527],
    ("collectives", "512", "latency"): [8334.673, 4656.42], ("collectives", "512", "time"): [482119, 339591],
    ("collectives", "1024", "latency"): [11287.561, 6569.987], ("collectives", "1024", "time"): [1312459, 819399],
    ("collectives-dort", "1024", "latency"): [7480.685, 6379.917], ("collectives-dort", "1024", "time"): [6284868, 5935621],
    ("collectives-dort", "2048", "latency"): [7605.785, 6358.975],
    ("collectives-dort", "2048", "time"): [14775828, 12973567]}
FACTS = ["networks", "routing", "ties", "wiring", "traffic", "runs"]


def named(name):
    return next(entry for entry in EXPERIMENTS if entry["name"] == name)


def sides(claim):
    """What is published of a claim: a size, a value, a bound, or the direction alone."""
    return [name for name in ("percent", "value", "at_most", "alike") if name in claim] or ["better"]


def faults_of_list(experiments):
    """Comparisons without the source of each claim, or without what a claim was published for."""
    faults = []
    for entry in experiments:
        claims = [claim for group in entry["groups"] for claim in group.get("claims", ())]
        rows = [row for group in entry["groups"] for row in group.get("rows", ()) if "latency" in row]
        tables = entry.get("source", {}).get("tables", [])
        if not tables:
            faults += [f"{entry['name']}: claims without a source"] if claims or rows or "needs" in entry else []
            continue
        if not entry["source"].get("study") or list(entry.get("published_for", ())) != FACTS:
            faults.append(f"{entry['name']}: not said what it was published for")
        if not (claims or rows or entry.get("needs")):
            faults.append(f"{entry['name']}: nothing is claimed")
        faults += [f"{entry['name']}: {claim}" for claim in claims if claim.get("table") not in tables or len(sides(claim)) != 1 or
                   isinstance(claim.get("percent"), str)]
        if rows and tables != ["latency", "time"]:
            faults.append(f"{entry['name']}: a row has no table")
        if claims and not tables == list(dict.fromkeys(tables)) or any(t not in {c["table"] for c in claims if "table" in c} for t in tables if claims):
            faults.append(f"{entry['name']}: a table that no claim is from")
        faults += [f"{entry['name']}: {need}" for need in entry.get("needs", ()) if not need["needs"].startswith("needs ") or
                   not need["published"]]
    return faults


def test_every_claim_has_its_source():
    assert not faults_of_list(EXPERIMENTS)


@pytest.mark.parametrize("name, spoil", (
    ("torus-5dt", lambda entry: entry.pop("source")),
    ("twisted", lambda entry: entry["source"].update(tables=["another"])),
    ("twisted", lambda entry: entry["published_for"].pop("ties")),
    ("2d-3dt", lambda entry: entry["groups"][1]["claims"][0].pop("table")),
    ("2d-3dt", lambda entry: entry["groups"][1]["claims"][0].update(percent="analytic")),
    ("combined-switches", lambda entry: entry["needs"][0].update(needs="")),
    ("collectives", lambda entry: entry["source"].update(tables=["latency"])),
    ("combined-switches", lambda entry: entry["groups"][1]["claims"][0].pop("table")),
    ("applications", lambda entry: entry.update(groups=[]))))
def test_a_missing_source_is_seen(name, spoil):
    spoilt = copy.deepcopy(EXPERIMENTS)
    spoil(next(entry for entry in spoilt if entry["name"] == name))
    assert faults_of_list(spoilt)


def test_list(extorus):
    told = json.loads(extorus("reproduce", "--list", "--json"))
    assert [entry["name"] for entry in told] == NAMES
    text = " ".join(extorus("reproduce", "--list").split())
    for entry, said in zip(EXPERIMENTS, told):
        assert entry["name"] in text and said.get("source") == entry.get("source")
        tables = entry.get("source", {}).get("tables")
        assert f"from {entry['source']['study']}: {'; '.join(tables)}" in text if tables else not said["claims"]
        assert all(need["needs"] in text for need in entry.get("needs", ()))
        claims = [claim for group in entry["groups"] for claim in group.get("claims", ())]
        rows = [row[metric] for group in entry["groups"] for row in group.get("rows", ()) for metric in ("latency", "time") if metric in row]
        assert [claim["table"] for claim in said["claims"]] == [c["table"] for c in claims] + ["latency", "time"] * (len(rows) // 2)
        assert [claim["published"] for claim in said["claims"]][len(claims):] == rows


def of_collectives(told):
    """{(comparison, PEs, metric): sums over the rows of torus and 5DT}"""
    sums = {}
    for entry in told:
        for claim in entry["claims"]:
            if isinstance(claim["published"], list):
                key = entry["name"], claim["group"].split()[0], claim["table"]
                sums[key] = [round(a + b, 3) for a, b in zip(sums.get(key, (0, 0)), claim["published"])]
    return sums


def test_every_claim_has_a_row(extorus):
    """So many are published, and the figures of collectives have the sums of the published tables."""
    told = json.loads(extorus("reproduce", "--list", "--json"))
    assert {entry["name"]: (len(entry["claims"]), len(entry.get("needs", ()))) for entry in told} == PUBLISHED
    assert of_collectives(told) == SUMS
    told[NAMES.index("collectives")]["claims"][7]["published"][1] += 0.001
    assert of_collectives(told) != SUMS


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def faults_of_readme(told, readme):
    """Where the tables of the README are not those of the list, or say what their figures do not."""
    told = reproduction_tables.page_entries(told)[reproduction_tables.README]
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", reproduction_tables.inner(readme), re.M | re.S))
    if list(sections) != [entry["title"] for entry in told]:
        return ["other comparisons"]
    return [fault for entry in told for fault in faults_of_section(entry, sections[entry["title"]])]


def faults_of_section(entry, text):
    source, name = entry.get("source"), entry["name"]
    lines = [cells(line) for line in text.splitlines() if line.startswith("| ")]
    if source is None:
        faults = [] if entry["published"] in text else [f"{name}: not said that nothing is published"]
        return faults + [f"{name}: {row}" for row in lines[1:] if not is_measured(row)]
    needs = [[need["claim"], need["published"], need["needs"]] for need in entry.get("needs", ())]
    rows = lines[1:len(entry["claims"]) + 1] if entry["claims"] else []
    faults = [] if f"`{name}`, from {source['study']}: {'; '.join(source['tables'])}." in text else [f"{name}: another source"]
    if lines[len(rows) + bool(rows):] != ([["not run", "published", ""], *needs] if needs else []):
        faults.append(f"{name}: other claims that are not run")
    faults += [f"{name}: {row}" for claim, row in zip(entry["claims"], rows) if not fits(claim, row)]
    verdicts = [row[-2].strip("*") for row in rows]
    if rows and (f"**{verdicts.count('agrees')} of {len(rows)}** have the published sign, {verdicts.count('DISAGREES')} the opposite"
                 not in text or len(rows) != len(entry["claims"])):
        faults.append(f"{name}: signs counted wrongly")
    return faults + [f"{name}: no cause of {row}" for row in rows if row[-2].strip("*") in ("DISAGREES", "within noise") and not row[-1]]


def is_measured(row):
    """Whether the percentage of a row of which nothing is published is that of its two figures, to what they are rounded to."""
    percent, ours, others = (float(value) for value in re.fullmatch(r"([+-][\d.]+)(?: \+-[\d.]+)? % \(([\d.]+), ([\d.]+)\)(?:; analytic model .*)?", row[2]).groups())
    better = ours / others - 1 if row[1].startswith("more ") else 1 - ours / others
    return len(row) == 4 and row[3].isdigit() and abs(percent - 100 * better) < 0.6


def fits(claim, row):
    """Whether a row is that of the claim, and its verdict that of its figures."""
    if isinstance(claim["published"], str):
        here = [float(value) for value in re.findall(r"[+-]\d+\.\d+(?= )", re.sub(r" \+-\d+\.\d+", " ", row[3].split(";")[0]))]
        sign = row[5] != "agrees" or claim["published"] == "alike" or not re.match("more|less", row[1]) or min(here) > 0
        return row[:3] == [claim["group"], claim["claim"], claim["published"]] and sign and (row[5] == "-") == (row[3] == "not measured")
    collective, metric = claim["claim"].rsplit(": ", 1)
    if row[:4] != [claim["group"], collective, metric, reproduction_tables.pair(claim["published"], metric)]:
        return False
    if row[4] == "not measured":
        return row[7] == "-"
    less = [1 - values[1] / values[0] for values in (claim["published"], [float(value) for value in row[4].split(",")])]
    shown = [float(row[5].rstrip(" %")), float(row[6].rstrip(" %"))]
    near = all(abs(100 * a - b) < 0.5 for a, b in zip(less, shown))
    return near and (row[7] == "agrees") == (less[0] * less[1] > 0)


def readme_and_list(extorus):
    return json.loads(extorus("reproduce", "--list", "--json")), reproduction_tables.README.read_text()


def test_readme_is_that_of_the_list(extorus):
    told, readme = readme_and_list(extorus)
    assert not faults_of_readme(told, readme)
    assert len(next(entry for entry in told if entry["name"] == "collectives")["claims"]) == 48


def faults_of_applications(told, text):
    """Rows of applications.md that are of no claim, figures whose sign is not marked, and counts that are not those of the rows."""
    claims = {(claim["group"], claim["claim"]): claim["published"] for entry in told if entry["name"] == "applications" for claim in entry["claims"]}
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", reproduction_tables.inner(text), re.M | re.S))
    tables = {title: [cells(line) for line in part.splitlines() if line.startswith("| ") or line.startswith("|  |")]
              for title, part in sections.items()}
    head, *rows = tables["Better by"]
    faults = [row for row in rows if claims.pop(tuple(row[:2]), None) != row[2]] + list(claims)
    counts = {}
    for row in rows:
        program, pes = re.fullmatch(r"(\w+) \d+ tasks on (\d+) PEs", row[0]).groups()
        for condition, cell in zip(head[3:], row[3:]):
            if cell:
                value = float(cell.strip("*").split(" %")[0])
                agrees = not cell.startswith("*") and "noise" not in cell
                faults += [row] if agrees and value <= 0 or cell.startswith("*") and value > 0 else []
                for key in ((program, pes, condition), ("all", "", condition)):
                    of = counts.setdefault(key, [0, 0])
                    of[0] += agrees
                    of[1] += 1
    head, *signs = tables["Claims with the published sign"]
    shown = {(*row[:2], condition): cell for row in signs for condition, cell in zip(head[2:], row[2:]) if cell}
    return faults + ([] if shown == {key: f"{a} of {b}" for key, (a, b) in counts.items()} else ["other counts"])


def test_claims_under_other_conditions(extorus):
    told, _ = readme_and_list(extorus)
    text = reproduction_tables.APPLICATIONS.read_text()
    assert not faults_of_applications(told, text)
    for old, new in (("| +20 to +50 % |", "| +20 % |"), (r"| **-", "| -"), ("| all |  | ", "| all |  | 1")):
        assert old in text and faults_of_applications(told, text.replace(old, new, 1))


def test_only_cells_that_were_measured_are_written_anew(extorus):
    """Of applications.md: without a result all stay; one result changes its cell and the counts of its condition alone."""
    told, _ = readme_and_list(extorus)
    claims = next(entry["claims"] for entry in told if entry["name"] == "applications")
    old = reproduction_tables.inner(reproduction_tables.APPLICATIONS.read_text())
    folder = extorus.folder / "reproduce"
    assert application_tables.pages(claims, folder, old) == old
    group, claim = "RandomAccess 256 tasks on 64 PEs", "less router utilisation: 5DT than 3D torus"
    kept = application_tables.figure_cells({}, old)["burst"]
    row = {"group": group, "claim": claim, "ours": "-7.3 % (2, 1)", "verdict": "DISAGREES"}
    (folder / "applications-burst").mkdir(parents=True)
    (folder / "applications-burst/table.json").write_text(json.dumps({"quick": False, "claims": [row]}))
    (folder / "applications-burst/runs.jsonl").write_text("{}\n")
    new = application_tables.pages(claims, folder, old)
    assert application_tables.figure_cells({}, new)["burst"] == {**kept, (group, claim): "**-7.3 %**"}
    changed = [line for line, before in zip(new.splitlines(), old.splitlines()) if line != before]
    assert [line.split(" | ")[0] for line in changed] == ["| RandomAccess", "| all", f"| {group}"]


def test_only_what_was_measured_is_written_anew():
    """A row without a result in the folder stays, one that never had any is not measured."""
    entry = {"name": "a", "title": "A", "source": {"study": "s", "tables": ["t"]}, "published_for": {},
             "claims": [{"group": "g", "claim": f"more {name}", "published": "better"} for name in "xyz"]}
    row = {"group": "g", "claim": "more x", "ours": "+1.0 % (2, 1)", "runs": 1, "verdict": "agrees"}
    text = reproduction_tables.tables([entry], {"a": {"claims": [row]}}, {})
    assert text.count("not measured |") == 2 and "**1 of 3**" in text
    row = {**row, "claim": "more y", "ours": "-1.0 % (1, 2)", "verdict": "DISAGREES", "cause": "c"}
    text = reproduction_tables.tables([entry], {"a": {"claims": [row]}}, reproduction_tables.rows_of(text))
    assert "| g | more x | better | +1.0 % (2, 1) | 1 | agrees |  |\n| g | more y | better | -1.0 % (1, 2) | 1 | **DISAGREES** | c |" in text
    assert text.count("not measured |") == 1 and "**1 of 3** have the published sign, 1 the opposite" in text


def faults_of_page(told, text):
    """Rows that are of no claim, or whose verdict is not that of their figures."""
    claims = {(claim["group"], claim["claim"]): claim for entry in told for claim in entry["claims"]}
    rows = [cells(line) for line in reproduction_tables.inner(text).splitlines() if line.startswith("| ") and not line.startswith("|  |")]
    keys = [(row[0], f"{row[1]}: {row[2]}") if len(row) == 9 else tuple(row[:2]) for row in rows]
    return [row for key, row in zip(keys, rows) if key not in claims or not fits(claims[key], row)] if rows else ["no rows"]


@pytest.mark.parametrize("page, group, wrong", (
    (reproduction_tables.INPUT_QUEUED, "256 PEs uniform", "| **DISAGREES** |"),
    (reproduction_tables.RTL_SWITCH, "64 PEs", "| **DISAGREES** | the 3DT has fewer hops")))
def test_claims_on_another_switch(extorus, page, group, wrong):
    told, _ = readme_and_list(extorus)
    told, text = reproduction_tables.page_entries(told)[page], page.read_text()
    assert not faults_of_page(told, text)
    for old, new in (("| +20 % |", "| +21 % |"), (wrong, wrong.replace("**DISAGREES**", "agrees")), (f"\n| {group} |", "\n| 63 PEs |")):
        assert old in text and faults_of_page(told, text.replace(old, new, 1))


@pytest.mark.parametrize("page", (reproduction_tables.README, reproduction_tables.INPUT_QUEUED, reproduction_tables.RTL_SWITCH),
                         ids=lambda page: page.stem)
def test_nothing_measured_changes_no_page(extorus, page):
    """Rows of collectives and of other comparisons stay."""
    told, _ = readme_and_list(extorus)
    entries, text = reproduction_tables.page_entries(told)[page], reproduction_tables.inner(page.read_text())
    old = reproduction_tables.rows_of(text)
    kept = entries if page == reproduction_tables.README else reproduction_tables.run_only(entries, {}, old)
    assert reproduction_tables.tables(kept, {}, old) == text


def test_each_switch_has_its_page(extorus):
    """A comparison whose source names a switch is in the README on that switch, and elsewhere on the RTL's."""
    told, _ = readme_and_list(extorus)
    pages = {page: {entry["name"] for entry in entries} for page, entries in reproduction_tables.page_entries(told).items()}
    on_named = {entry["name"] for entry in EXPERIMENTS if "switch" in entry and "again" not in entry}
    assert on_named <= pages[reproduction_tables.README] and not on_named & pages[reproduction_tables.INPUT_QUEUED]
    assert pages[reproduction_tables.RTL_SWITCH] == on_named - {"twisted-router"} | {"twisted"}
    assert not pages[reproduction_tables.RTL_SWITCH] & pages[reproduction_tables.INPUT_QUEUED]


@pytest.mark.parametrize("arguments, switch", (((), "input-queued"), (("--switch", "extorus"), None)))
def test_switch_of_a_comparison(extorus, arguments, switch):
    extorus("reproduce", "bubble-vcs", "--quick", "-o", "out", *arguments)
    first = next((extorus.folder / "out" / "bubble-vcs").glob("*.jsonl")).read_text().splitlines()[0]
    assert json.loads(first)["common"].get("switch", {}).get("kind") == switch
    assert ("input-queued" in (extorus.folder / "out" / "bubble-vcs" / "table.md").read_text()) == bool(switch)


@pytest.mark.parametrize("old, new", (
    (r"(?<=latency: 5DT than 3D torus \| )\+10 %", "+11 %"), (r"\*\*(\d+) of 48\*\*", "**1 of 48**"), (r"(?m)^\| 1024 PEs \| alltoall.*\n", ""),
    (r"\| agrees \|", "| **DISAGREES** |"), (r"(?m)^\| B at 4,096 PEs .*\n", ""), (r"from Twisted tori:", "from somewhere:"),
    (r"(?<=nearest \| less low-load latency: RTT than plain \| )-6", "+6"), (r"734, 670", "735, 670"), (r"\*\*DISAGREES\*\* \| .*? \|", "**DISAGREES** |  |")))
def test_another_readme_is_seen(extorus, old, new):
    told, readme = readme_and_list(extorus)
    claims, rows = readme.split(reproduction_tables.BEGIN)
    spoilt, changed = re.subn(old, new, rows, count=1)
    spoilt = claims + reproduction_tables.BEGIN + spoilt
    assert changed == 1 and set(faults_of_readme(told, spoilt)) - set(faults_of_readme(told, readme))


@pytest.mark.parametrize("name", CURVES)
def test_quick(extorus, name):
    table, = json.loads(extorus("reproduce", name, "--quick", "--json", "-o", "out"))
    assert table["name"] == name and table["quick"] and table["wrong"] == 0 and bool(table["claims"]) == bool(named(name)["groups"])
    folder = extorus.folder / "out" / name
    text = (folder / "table.md").read_text()
    assert table["agreement"] in text and json.loads((folder / "table.json").read_text()) == table
    for claim in table["claims"]:
        assert claim["claim"] in text and claim["ours"] in text
    pictures = sorted(path.name for path in folder.glob("*.svg"))
    assert len(pictures) == 3 * sum(1 for group in named(name)["groups"] if group.get("quick") and "program" not in group)
    judged = [claim["verdict"] for claim in table["claims"] if claim["verdict"] != "-"]
    if judged:
        assert table["agreement"].startswith(f"{judged.count('agrees')} of {len(judged)} published comparisons")
        assert f"{judged.count('DISAGREES')} disagree" in table["agreement"]
    else:
        assert table["agreement"].startswith("Nothing is published")


def scale_results(path, names, factor):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        value = line["result"]
        for name in names[:-1]:
            value = value[name]
        value[names[-1]] *= factor
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("factor, verdict, sentence", (
    (3.0, "agrees", "1 of 2 published comparisons come out as published"),
    (0.3, "DISAGREES", "0 of 2 published comparisons come out as published")))
def test_agreement_follows_the_data(extorus, factor, verdict, sentence):
    """Results are altered in the file, and the verdict changes with them."""
    extorus("reproduce", "2d-3dt", "--quick", "-o", "out")
    winner = extorus.folder / "out" / "2d-3dt" / "64-pes_2d-torus-8x8.jsonl"
    scale_results(winner, ("accepted_load",), factor)
    scale_results(winner, ("network_latency", "packet", "mean"), 2.0)
    table, = json.loads(extorus("reproduce", "2d-3dt", "--quick", "--json", "-o", "out"))
    verdicts = {claim["claim"].split(":")[0]: claim["verdict"] for claim in table["claims"]}
    assert verdicts["more throughput"] == verdict
    assert verdicts["less latency"] == "DISAGREES"
    assert table["agreement"].startswith(sentence)


def test_noise_is_no_agreement(extorus):
    """Latencies that are equal within their confidence are called so."""
    extorus("reproduce", "2d-3dt", "--quick", "-o", "out")
    folder = extorus.folder / "out" / "2d-3dt"
    for name in ("64-pes_3dt-4x4x2.jsonl", "64-pes_2d-torus-8x8.jsonl"):
        lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for line in lines[1:]:
            line["result"]["network_latency"]["packet"].update(mean=100.0 if "3dt" in name else 100.5, ci95=2.0)
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    table, = json.loads(extorus("reproduce", "2d-3dt", "--quick", "--json", "-o", "out"))
    assert [claim["verdict"] for claim in table["claims"] if "latency" in claim["claim"]] == ["within noise"]


def test_latency_is_of_loads_before_saturation(extorus):
    """A load at which one run of ten is saturated does not count. The runs are made up, from those of a quick comparison."""
    extorus("reproduce", "2d-3dt", "--quick", "-o", "out")
    group, = [group for group in named("2d-3dt")["groups"] if group["label"] == "64 PEs"]

    def compare(saturated):
        for path in (extorus.folder / "out/2d-3dt").glob("64-pes_*.jsonl"):
            header, line, *_ = map(json.loads, path.read_text().splitlines())
            header["common"].update({name: named("2d-3dt")[name] for name in ("warmup", "measure", "drain")})
            lines = [header]
            for load, seed in ((load, seed) for load in group["loads"] for seed in range(1, group["seeds"] + 1)):
                run = copy.deepcopy(line)
                run["key"].update(load=load, seed=seed)
                run["result"]["saturated"] = "3dt" in path.name and load > 0.6 or load > 0.4 and seed == saturated
                run["result"]["network_latency"]["packet"]["mean"] = (26.0 if "3dt" in path.name else 20.0) if load < 0.4 else 20.0
                lines.append(run)
            path.write_text("".join(json.dumps(run) + "\n" for run in lines))
        table, = json.loads(extorus("reproduce", "2d-3dt", "--group", "64", "--json", "-o", "out"))
        return next(claim["ours"] for claim in table["claims"] if claim["claim"].startswith("less latency"))

    assert compare(saturated=3).endswith("(20.0, 26.0)")
    assert compare(saturated=11).endswith("(20.0, 24.0)")


def test_noise_is_not_alike(extorus):
    """Latencies further apart than 5 % are not alike, and nothing is said of them within the noise."""
    said = {}
    extorus("reproduce", "3dt-configurations", "--quick", "-o", "out")
    for mean, ci95 in ((103.0, 30.0), (120.0, 30.0), (120.0, 2.0)):
        for path in (extorus.folder / "out" / "3dt-configurations").glob("*.jsonl"):
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            for line in lines[1:]:
                line["result"]["network_latency"]["packet"].update(mean=100.0 if "_d" in path.name else mean, ci95=ci95)
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        table, = json.loads(extorus("reproduce", "3dt-configurations", "--quick", "--json", "-o", "out"))
        said[mean, ci95], = [claim["verdict"] for claim in table["claims"] if claim["claim"].startswith("less latency")]
    assert list(said.values()) == ["agrees", "within noise", "DISAGREES"]


def test_analytic_figures_are_those_of_the_command(extorus):
    """Constant pins: `extorus latency` says the same of the same networks."""
    extorus("reproduce", "pruned", "--quick", "-o", "out")
    rows = [line for line in (extorus.folder / "out" / "pruned" / "table.md").read_text().splitlines()
            if line.startswith("| pruned |")]
    analytic = [float(row.split("|")[5]) for row in rows if row.split("|")[5].strip() != "-"]
    model = named("pruned")["analytic"]
    told = json.loads(extorus("latency", "pruned:4x4x4", "--packet-bits", str(24 * 128), "--pins", str(12 * 128), "--router",
                              str(model["router"]), "--wire", str(model["wire"]), "--json", "--load",
                              ",".join(str(float(row.split("|")[2]) * 128) for row in rows)))
    network = told["networks"][0] if "networks" in told else told[0]
    values = json.dumps(network)
    for value in analytic:
        assert any(abs(found - value) <= 0.051 for found in numbers(json.loads(values))), (value, values[:500])


def numbers(value):
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, (int, float)) else []


def test_only_some_groups(extorus):
    table, = json.loads(extorus("reproduce", "torus-5dt", "--quick", "--json", "--group", "128,none", "-o", "out"))
    assert len(table["claims"]) == 2


def test_wrong_words(extorus):
    extorus("reproduce", status=2, stderr="--list")
    extorus("reproduce", "perpetuum-mobile", status=2, stderr="perpetuum-mobile")
    extorus("reproduce", "all", "--group", "perpetuum", status=2, stderr="no group of all has one of")
    extorus("reproduce", "torus-5dt", "--quick", "--group", "perpetuum", status=2, stderr="no group of torus-5dt in the quick run has")
    assert "Examples:" in extorus("reproduce", "--help")
