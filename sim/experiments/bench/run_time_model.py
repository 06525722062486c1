#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The time of a run on many ranks: fitted to the runs of run_shared.py here, and worked out for 8 to 1,024 ranks.

An epoch of E cycles takes as long as its slowest rank. A rank with n of N cards, k cut links and m neighbours needs

    E n step (1 + imbalance)            its own cards
    E (k frame + n tell) pack           packing what it sends: bytes of a cut link and of a card's packets
    m (2 overhead) + latency + bytes G  the messages, by LogGP

and rank 0 besides E N check for the checks of all packets, and E (N - n) tell (pack + G) for what the others tell it.
`step`, `check`, `frame`, `tell`, `pack` and `imbalance` are the least of the runs. The network of the cluster is an
assumption, which options change. The time of the messages here is fitted for the comparison with the two ranks here.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

from run_bench import ROOT, write_between
from run_shared import ENVIRONMENT, cards_of, read_runs

BEGIN, END = "<!-- run-time-table: written by `run_time_model.py --table` -->", "<!-- run-time-table end -->"
RANKS = (8, 32, 128, 512, 1024)
# What is worked out, by engine: a network; and its xt_backend_t.checks.
LARGE = {"model": "torus:32x32x64", "rtl": "torus:16x16x16"}
CHECKS = {"model": 10, "rtl": 0}


def borders(cards, ranks, checks=0):
    """First cards of the ranks, and the end: rank 0 has fewer by its checks, percent of all cards' work, and half of an even share at least."""
    own = max((cards + cards * checks // 100) // ranks - cards * checks // 100, cards // (2 * ranks)) if ranks > 1 else cards
    return [0, *(own + (cards - own) * rank // (ranks - 1) for rank in range(ranks - 1)), cards]


def cut_links(spec, firsts):
    """Cut links and neighbours of each rank, of consecutive cards from firsts[rank] on. Directed, a link counts once for
    each of its ends."""
    sizes = [int(size) for size in spec.split(":")[1].split("x")]
    cards, ranks = cards_of(spec), len(firsts) - 1
    owner = [rank for rank in range(ranks) for _ in range(firsts[rank], firsts[rank + 1])]
    cut, neighbours = [0] * ranks, [set() for _ in range(ranks)]
    for card in range(cards):
        own, stride = owner[card], 1
        for size in sizes:
            at = card // stride % size
            for step in (-1, 1):
                other = owner[card + ((at + step) % size - at) * stride]
                if other != own:
                    cut[own] += 1
                    neighbours[own].add(other)
            stride *= size
    return cut, [len(near | {0} - {rank}) if rank else ranks - 1 for rank, near in enumerate(neighbours)]


def message_times(folder):
    """Latency with both overheads, overhead, and seconds per byte of two ranks here; None without MPI."""
    if not (shutil.which("mpicc") and shutil.which("mpirun")):
        return None
    source = pathlib.Path(__file__).with_name("message_times.c")
    subprocess.run(["mpicc", "-O2", source, "-o", folder / "message_times"], check=True)
    text = subprocess.run(["mpirun", "-n", "2", folder / "message_times"], check=True, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True).stdout
    rows = [tuple(map(float, line.split())) for line in text.splitlines()]
    (least, first, call), (most, last, _) = rows[0], rows[-1]
    return {"latency": first - 2 * call, "overhead": call, "gap": (last - first) / (most - least)}


def fit(runs):
    """The costs of a case, from its runs on two ranks."""
    even = [run for run in runs if run["key"][5] == "2 ranks"]
    if not even:
        raise SystemExit("run_time_model.py needs the runs of run_shared.py on two ranks")
    cycles, cards = even[0]["cycles"], even[0]["cards"]

    def least(of):
        return min(of(run) for run in even)

    first, second = even[0]["ranks"]
    spread = min(max(rank["stepping_seconds"] for rank in run["ranks"]) * 2 / sum(rank["stepping_seconds"] for rank in run["ranks"]) for run in even)
    frame = first["bytes"] / first["cut_links"] / cycles
    return {
        "cycles": cycles, "epochs": first["epochs"],
        "step": least(lambda run: min(rank["stepping_seconds"] / rank["cards"] for rank in run["ranks"])) / cycles,
        "check": least(lambda run: run["ranks"][0]["checking_seconds"]) / cards / cycles,
        "frame": frame,
        "tell": max(second["bytes"] / cycles - frame * second["cut_links"], 0.0) / second["cards"],
        "pack": least(lambda run: min(rank["packing_seconds"] / rank["bytes"] for rank in run["ranks"])),
        "imbalance": spread - 1,
    }


def epoch(costs, network, cycles, cards, cut, neighbours):
    """Seconds of an epoch, and what of it rank 0 needs for the checks. `cards`, `cut` and `neighbours` are by rank."""
    everything, slowest, checking = sum(cards), 0.0, 0.0
    for rank, (own, links, near) in enumerate(zip(cards, cut, neighbours)):
        sent = cycles * (links * costs["frame"] + (own * costs["tell"] if rank else 0.0))
        time = cycles * own * costs["step"] * (1 + costs["imbalance"]) + sent * (costs["pack"] + network["gap"])
        time += near * 2 * network["overhead"] + network["latency"]
        if rank == 0:
            told = cycles * (everything - own) * costs["tell"]
            checking = cycles * everything * costs["check"] + told * (costs["pack"] + network["gap"])
            time += checking
        slowest = max(slowest, time)
    return slowest, checking


def of_torus(costs, network, spec, ranks, longest, checks=0):
    firsts = borders(cards_of(spec), ranks, checks)
    cut, neighbours = cut_links(spec, firsts)
    own = [end - first for first, end in zip(firsts, firsts[1:])]
    return epoch(costs, network, longest, own, cut, neighbours)


def alone(costs, cards, cycles):
    return cycles * cards * (costs["step"] + costs["check"])


def compare(costs, here, runs):
    """What the model says of two ranks here, and what was measured: ratios to one thread."""
    rows = []
    one = min(run["wall_seconds"] for run in runs if run["key"][5] == "1 thread")
    for way in ("2 ranks", "2 ranks, 1 to 3"):
        measured = [run for run in runs if run["key"][5] == way]
        if measured and here:
            ranks = measured[0]["ranks"]
            cycles = measured[0]["cycles"] / ranks[0]["epochs"]
            time, _ = epoch(costs, here, cycles, [rank["cards"] for rank in ranks], [rank["cut_links"] for rank in ranks], [1, 1])
            rows.append((way, alone(costs, measured[0]["cards"], cycles) / time, one / min(run["wall_seconds"] for run in measured)))
    return rows


def longest_runs(path):
    """By engine, network, routing and load: the runs of one program over the most cycles, of the last one at a tie."""
    groups, cases = {}, {}
    for key, run in read_runs(path).items():
        groups.setdefault((*key[:5], key[7:]), []).append(run)
    for (*case, cycles, _), runs in groups.items():
        before = cases.get(tuple(case))
        if not before or cycles >= before[0]:
            cases[tuple(case)] = cycles, runs
    return {case: runs for case, (_, runs) in cases.items()}


def work_out(out, network, longest):
    here, rows = message_times(out), []
    for (engine, spec, routing, load), runs in longest_runs(out / "shared.runs.jsonl").items():
        costs = fit(runs)
        large = LARGE[engine]
        speeds = {}
        for ranks in RANKS:
            time, checking = of_torus(costs, network, large, ranks, longest[engine], CHECKS[engine])
            speeds[ranks] = {"speed_up": alone(costs, cards_of(large), longest[engine]) / time, "checking": checking / time}
        rows.append({"engine": engine, "fitted_to": spec, "routing": routing, "load": load, "costs": costs, "network": large, "ranks": speeds,
                     "compared": compare(costs, here, runs), "busy": max(run["busy"] for run in runs)})
    return {"here": here, "assumed": network, "longest": longest, "results": rows}


def table(report):
    net, here = report["assumed"], report["here"]
    lines = [f"Assumed of the cluster: latency {net['latency'] * 1e6:g} us, overhead {net['overhead'] * 1e6:g} us, {1e-9 / net['gap']:g} GB/s; one thread a "
             f"rank; consecutive cards, as the command shares them out; epochs of {report['longest']['model']} cycles (model) and {report['longest']['rtl']} (RTL); cards as "
             "busy as in the network and at the load that was measured, at the same cost each, whatever fits a cache. "
             + (f"Messages here: {here['latency'] * 1e6:.1f} us, {here['overhead'] * 1e6:.2f} us, {1e-9 / max(here['gap'], 1e-15):.1f} GB/s. " if here else "")
             + f"Load average up to {max(row['busy'] for row in report['results']):.1f} while it was measured.", "",
             "| Engine | Fitted to | Routing | Load | Step, ns | Check, ns | Bytes per cut link and cycle | per card | 2 ranks: model, measured | 1 to 3 |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in report["results"]:
        c = row["costs"]
        compared = [f"{said:.2f}, {measured:.2f}" for _, said, measured in row["compared"]] + ["", ""]
        lines.append(f"| {row['engine']} | `{row['fitted_to']}` | {row['routing']} | {row['load']} | {c['step'] * 1e9:,.0f} | {c['check'] * 1e9:,.0f} | "
                     f"{c['frame']:.1f} | {c['tell']:.1f} | {compared[0]} | {compared[1]} |")
    lines += ["", "Speed-up over one thread, and the part of the time in which rank 0 checks packets:", "",
              "| Engine | Network | Routing | Busy as at load | " + " | ".join(f"{ranks:,} ranks" for ranks in RANKS) + " |", "|---|---|---|---|" + "---|" * len(RANKS)]
    for row in report["results"]:
        said = (row["ranks"][ranks] for ranks in RANKS)
        lines.append(f"| {row['engine']} | `{row['network']}` | {row['routing']} | {row['load']} | "
                     + " | ".join(f"{one['speed_up']:.1f} ({one['checking']:.0%})" for one in said) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=1.5, help="of a message of the cluster, in microseconds (%(default)s)")
    parser.add_argument("--overhead", type=float, default=0.5, help="of a processor for a message, in microseconds (%(default)s)")
    parser.add_argument("--bandwidth", type=float, default=12.5, help="of a rank's link, in GB/s (%(default)s)")
    parser.add_argument("--link-latency", type=int, default=8, help="of the torus's links, in cycles (%(default)s)")
    parser.add_argument("--output", default=str(ROOT / "out" / "bench"), help="folder of the runs (%(default)s)")
    parser.add_argument("--table", action="store_true", help="write the result into README.md")
    arguments = parser.parse_args()

    network = {"latency": arguments.latency * 1e-6, "overhead": arguments.overhead * 1e-6, "gap": 1e-9 / arguments.bandwidth}
    # By events the next card hears of a head latency + 5 cycles later.
    longest = {"model": arguments.link_latency + 5, "rtl": arguments.link_latency + 1}
    out = pathlib.Path(arguments.output)
    report = work_out(out, network, longest)
    (out / "run_time.json").write_text(json.dumps(report, indent=2) + "\n")
    text = table(report)
    sys.stdout.write(text)
    if arguments.table:
        write_between(BEGIN, text, END)


if __name__ == "__main__":
    main()
