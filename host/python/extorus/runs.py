# SPDX-License-Identifier: Apache-2.0
"""Runs of traffic through simulated networks, one or many."""

from __future__ import annotations

import concurrent.futures
import itertools
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extorus._native import Call, Progress, Record, callback, encode, ffi, lib, number, options, string
from extorus.devices import Device
from extorus.images import Image


class Traffic:
    """What the PEs send. None leaves the library's default.

    `load` is in cells per cycle and PE. `packet` is a text of cells per packet: "8", "1-32" or "1/32:0.5". `warmup`, `measure` and
    `drain` are in cycles; with `detect_warmup` the measurement begins when the network is steady, at `warmup` at the latest.
    `tcs` are the traffic classes to use. `mix` has texts "TC=SHARE[,PATTERN[,CELLS]]". `matrix` is a CSV file src,dst,weight.
    `extorus sim --help` lists the patterns.
    """

    def __init__(self, image: Image, *, load: float | None = None, traffic: str | None = None, packet: str | None = None,
                 arrivals: str | None = None, tcs: Iterable[int] | None = None, mix: Sequence[str] = (), zipf_exponent: float | None = None,
                 matrix: str | pathlib.Path | None = None, warmup: int | None = None, detect_warmup: bool = False,
                 measure: int | None = None, drain: int | None = None, seed: int = 1) -> None:
        call, profile = Call(), lib.xt_image_profile(image._pointer)
        t = self._struct = ffi.new("xt_traffic_t *", lib.xt_traffic_default(profile))
        self._kept: list[Any] = [image]  # what the struct refers to
        if matrix is not None:
            t.matrix = self._keep(call.make("xt_traffic_matrix_t", lib.xt_traffic_matrix_free, lambda *words: lib.xt_traffic_matrix_read(
                encode(matrix), image.pes, *words)))
            traffic = traffic or "matrix"
        if traffic is not None:
            t.pattern = self._keep(ffi.new("char[]", encode(traffic)))
        if packet is not None:
            call(lib.xt_lengths_parse, encode(packet), ffi.addressof(t, "length"))
        if arrivals is not None:
            kind = ffi.new("xt_arrivals_t *")
            call(lib.xt_arrivals_parse, encode(arrivals), kind)
            t.arrivals = kind[0]
        if tcs is not None:
            t.tc_mask = sum(1 << tc for tc in set(tcs))
        if mix:
            t.mix = parsed = self._keep(ffi.new("xt_tc_mix_t[]", len(mix)))
            t.mix_count = len(mix)
            for place, text in enumerate(mix):
                call(lib.xt_mix_parse, encode(text), parsed + place)
        t.detect_warmup = detect_warmup
        given = {"load": load, "zipf_exponent": zipf_exponent, "warmup": warmup, "measure": measure,
                 "drain": drain if drain is not None else measure, "seed": seed}
        for name, value in given.items():
            if value is not None:
                setattr(t, name, value)
        call(lib.xt_traffic_check, t, profile, image.pes)

    def _keep(self, thing: Any) -> Any:
        self._kept.append(thing)
        return thing


def _lengths(lengths: Any) -> Record:
    share = {"packet_min_share": lengths.min_share} if lengths.min_share > 0 else {}
    return {"packet_min": lengths.min, "packet_max": lengths.max, **share}


def _traffic(t: Any) -> Record:
    mix = [{"tc": m.tc, "share": m.share, "traffic": string(m.pattern) or string(t.pattern),
            **_lengths(m.length if m.length.max else t.length)} for m in (t.mix[i] for i in range(t.mix_count))]
    patterns = [string(t.pattern), *(m["traffic"] for m in mix)]
    return {"traffic": string(t.pattern), **({"zipf_exponent": t.zipf_exponent} if any(p.startswith("zipf") for p in patterns) else {}),
            "arrivals": string(lib.xt_arrivals_name(t.arrivals)), "load": t.load, **_lengths(t.length), **({"mix": mix} if mix else {}),
            "warmup": t.warmup, "measure": t.measure, "drain": t.drain, "seed": t.seed}


def _latency(l: Any) -> Record:
    known = bool(l.count)
    return {"count": l.count, "mean": number(l.mean), "ci95": number(l.ci95),
            **{name: getattr(l, name) if known else None for name in ("p50", "p95", "p99", "max")}}


def _channels(image: Image, r: Any) -> list[Record]:
    found, ports, links = [], image._ports(), lib.xt_image_profile(image._pointer).link_ports
    for card, port in itertools.product(range(r.cards), range(ports)):
        peer = lib.xt_image_peer(image._pointer, card, port) if port < links else None
        if peer is None or peer.card != ffi.integer_const("XT_NO_CARD"):
            found.append({"card": card, "port": image._port(card, port), "to_card": peer.card if peer else None,
                          "to_port": image._port(peer.card, peer.port) if peer else None, "load": r.port_load[card * ports + port]})
    return found


def _links(image: Image, r: Any) -> Record:
    totals = r.link_totals
    down = [{"card": d.card, "port": image._port(d.card, d.port), "state": string(lib.xt_link_state_name(d.state)),
             "cause": string(lib.xt_link_cause_name(d.cause)), "killed": bool(d.killed), "since": None if d.since == 2**64 - 1 else d.since}
            for d in (r.links_down[i] for i in range(r.links_down_count))]
    names = ("crc_errors", "nacks", "replays", "timeouts", "retrains", "swallowed")
    return {"errors_injected": r.errors_injected, "links": {**{name: getattr(totals, name) for name in names}, "lost": r.lost_on_links},
            "links_down": down}


_ENERGY = ("cell_hops", "link_cells", "idle_links", "sleeping_links", "buffered_cells", "total")


def _record(image: Image, traffic: Any, r: Any, channels: bool) -> Record:
    link, card = r.link_utilisation, r.switch_utilisation
    warmup = {"warmup": r.warmup, "warmup_steady": bool(r.warmup_steady)} if traffic.detect_warmup else {}
    return {
        "topology": image.topology, "algorithm": image.algorithm, "profile": image.profile, "cards": r.cards, "pes": r.pes,
        **_traffic(traffic), **warmup,
        "offered_load": r.offered_load, "accepted_load": r.accepted_load, "saturated": bool(r.saturated), "fairness": number(r.fairness),
        "link_utilisation": {"mean": link.mean, "max": link.max, "card": link.card, "port": image._port(link.card, link.port)},
        "switch_utilisation": {"mean": card.mean, "max": card.max, "card": card.card},
        "energy_pj_per_cycle": {part: getattr(r.energy, part) for part in _ENERGY}, "energy_pj_per_cell": number(r.energy.per_cell),
        "links_asleep": r.energy.asleep,
        "network_latency": {"packet": _latency(r.network_packet), "cell": _latency(r.network_cell)},
        "end_to_end_latency": {"packet": _latency(r.end_to_end_packet), "cell": _latency(r.end_to_end_cell)},
        "per_tc": [{"tc": tc, "packets_sent": r.tc[tc].packets_sent, "packets_delivered": r.tc[tc].packets_delivered,
                    "cells_delivered": r.tc[tc].cells_delivered, "measured": r.tc[tc].measured,
                    "network_latency_mean": number(r.tc[tc].network_mean)} for tc in range(lib.xt_image_profile(image._pointer).tcs)],
        **{name: getattr(r, name) for name in ("packets_sent", "packets_delivered", "packets_poisoned", "packets_dropped",
                                               "measured_packets", "measured_unsent")},
        **_links(image, r),
        **{string(lib.xt_finding_name(f)): r.findings[f] if f != lib.XT_FINDING_OFF_ROUTE or r.hops_checked else None
           for f in range(lib.XT_FINDINGS)},
        "ok": bool(lib.xt_result_ok(r)), "drained": bool(r.drained), "reports": [string(r.reports[i]) for i in range(r.report_count)],
        "cycles": r.cycles, "engine": string(r.engine), "wall_seconds": r.wall_seconds,
        "card_cycles_per_second": r.card_cycles_per_second, "evaluated_card_cycles": r.evaluated_card_cycles,
        **({"channels": _channels(image, r)} if channels else {}),
    }


def run_on(device: Device, image: Image, traffic: Traffic, *, threads: int | None = None, watchdog: int | None = None,
           nic_stall: int | None = None, nic_period: int | None = None, error_rate: float = 0.0, check: bool = True,
           channels: bool = False, progress: Progress | None = None) -> Record:
    """Runs traffic through a simulated device that has the image loaded; the record is that of `run`.

    `watchdog`, `nic_stall` and `nic_period` are in cycles. `error_rate` is the chance that a frame on a link meets an error.
    Without `check` no hop is held against the tables: faster, the same numbers, and "off_route" is None.
    """
    told = callback(progress)
    wanted = options("xt_run_options_t", watchdog=watchdog, nic_stall=nic_stall, nic_period=nic_period, error_rate=error_rate,
                     error_seed=traffic._struct.seed, threads=threads, progress=told, no_check=int(not check))
    result = Call().make("xt_result_t", lib.xt_result_free, lambda *words: lib.xt_device_run(
        device._pointer, image._pointer, traffic._struct, wanted, *words))
    return {**_record(image, traffic._struct, result, channels), "error_rate": error_rate}


def run(image: Image, load: float = 0.1, *, engine: str = "model", latency: int | None = None, force: bool = False,
        faults: Iterable[str] = (), settings: Mapping[str, Any] | None = None, threads: int | None = None, error_rate: float = 0.0,
        check: bool = True, channels: bool = False, progress: Progress | None = None, **traffic: Any) -> Record:
    """Simulates one network under one load, and returns the numbers of `extorus sim --json`.

    Loads are in cells per cycle and PE, latencies in cycles. `engine` is "model" or "sim" (the Verilated switch). `latency` is that of
    a link, in cycles. `settings` are the arguments of Device.configure, `traffic` those of Traffic. With `channels` the record lists the
    load of every channel, in cells per cycle. `check` is that of `run_on`. "ok" is false if any packet was lost, altered, misrouted or
    out of order.
    """
    described = Traffic(image, load=load, **traffic)
    with tempfile.TemporaryDirectory(prefix="extorus-") as folder:
        path = pathlib.Path(folder) / "network.img"
        image.write(path)
        with Device(f"{engine}:{path}" + (f";latency={latency}" if latency else "")) as device:
            device.load(image, force=force, backdoor=True, verify=False)
            device.configure(**(settings or {}))
            for fault in faults:
                device.fault(fault)
            found = run_on(device, image, described, threads=threads, error_rate=error_rate, check=check, channels=channels,
                           progress=progress)
    return {**found, "link_latency": latency or lib.xt_image_profile(image._pointer).link_latency}


_VALUES = {
    "offered_load": ("offered_load",), "accepted_load": ("accepted_load",),
    "network_latency_packet": ("network_latency", "packet", "mean"), "network_latency_packet_ci95": ("network_latency", "packet", "ci95"),
    "network_latency_packet_p99": ("network_latency", "packet", "p99"), "network_latency_cell": ("network_latency", "cell", "mean"),
    "end_to_end_latency_packet": ("end_to_end_latency", "packet", "mean"),
    "end_to_end_latency_cell": ("end_to_end_latency", "cell", "mean"), "link_utilisation": ("link_utilisation", "mean"),
    "link_utilisation_max": ("link_utilisation", "max"), "switch_utilisation": ("switch_utilisation", "mean"),
    "energy_pj_per_cell": ("energy_pj_per_cell",), "saturated": ("saturated",), "ok": ("ok",),
}


def sweep(networks: Mapping[str, Image] | Iterable[Image], loads: Iterable[float], *, seeds: Iterable[int] = (1,),
          traffic: Iterable[str] = ("uniform",), threads: int = 0, **more: Any) -> list[Record]:
    """Runs every network with every pattern, load and seed; a flat record for each run, in that order.

    `networks` maps labels to images. Loads are in cells per cycle and PE, latencies in cycles, utilisations in cells per cycle. `threads`
    runs go at the same time, 0: one per processor. `more` are arguments of `run`. pandas.DataFrame takes the list as it is.
    """
    named = networks if isinstance(networks, Mapping) else {f"{image.topology}@{image.algorithm}/{image.profile}": image
                                                            for image in networks}
    places = list(itertools.product(named, traffic, loads, seeds))

    def one(place: tuple[str, str, float, int]) -> Record:
        name, pattern, load, seed = place
        found = run(named[name], load, traffic=pattern, seed=seed, **more)
        record: Record = {"network": name, "traffic": pattern, "load": load, "seed": seed}
        for column, keys in _VALUES.items():
            value: Any = found
            for key in keys:
                value = value[key]
            record[column] = value
        return record

    with concurrent.futures.ThreadPoolExecutor(lib.xt_thread_count(threads)) as pool:
        return list(pool.map(one, places))


def means(records: Iterable[Record]) -> list[Record]:
    """A record for each network, pattern and load of a sweep: each value's mean over the seeds, and half its 95 % confidence interval
    (`..._ci95`), None for fewer than two values."""
    groups: dict[tuple[str, str, float], list[Record]] = {}
    for record in records:
        groups.setdefault((record["network"], record["traffic"], record["load"]), []).append(record)
    found = []
    for (network, pattern, load), group in groups.items():
        summary: Record = {"network": network, "traffic": pattern, "load": load, "seeds": len(group)}
        for column in _VALUES:
            values = [float(record[column]) for record in group if record[column] is not None]
            if column in ("saturated", "ok"):
                summary[column] = int(sum(values))
            elif not column.endswith("_ci95"):
                mean = lib.xt_mean_of(ffi.new("double[]", values), len(values))
                summary[column], summary[f"{column}_ci95"] = number(mean.mean), number(mean.ci95)
        found.append(summary)
    return found
