# SPDX-License-Identifier: Apache-2.0
"""Routing images: making, reading, writing and checking them."""

from __future__ import annotations

import pathlib
from typing import Any

from extorus._native import Call, Record, encode, ffi, lib, options, string
from extorus.topologies import Topology


class Image:
    """The routing tables of every card of a network, with its wiring. `route` makes one, `Image.read` reads one."""

    def __init__(self, pointer: Any) -> None:
        self._pointer = pointer

    def __repr__(self) -> str:
        return f"<Image {self.topology} {self.algorithm} {self.profile}>"

    @classmethod
    def read(cls, path: str | pathlib.Path) -> Image:
        """Reads the file of `extorus route -o`."""
        return cls(Call().make("xt_image_t", lib.xt_image_free, lambda *words: lib.xt_image_read(encode(path), *words)))

    def write(self, path: str | pathlib.Path) -> None:
        """Writes the file, whole or not at all."""
        Call()(lib.xt_image_write, self._pointer, encode(path))

    @property
    def topology(self) -> str:
        """The spec of the topology."""
        return string(lib.xt_image_topology(self._pointer))

    @property
    def algorithm(self) -> str:
        """Name of the routing algorithm."""
        return string(lib.xt_image_algorithm(self._pointer))

    @property
    def profile(self) -> str:
        """Name of the switch profile."""
        return string(lib.xt_image_profile(self._pointer).name)

    @property
    def cards(self) -> int:
        """Number of cards."""
        return int(lib.xt_image_cards(self._pointer))

    @property
    def pes(self) -> int:
        """Number of PEs."""
        return int(lib.xt_image_pes(self._pointer))

    def _ports(self) -> int:
        profile = lib.xt_image_profile(self._pointer)
        return int(profile.link_ports + profile.nic_ports)

    def _port(self, card: int, port: int) -> str:
        return string(lib.xt_image_port_name(self._pointer, card, port))


def route(topology: Topology | str, algorithm: str, *, profile: str | None = None, adaptive: bool = False,
          ties: str | None = None, classic_dateline: bool = False, free_crossings: bool = False, single_tc: bool = False,
          fold_vcs: int = 0) -> Image:
    """Makes the tables, as `extorus route` does. A topology that is a spec has the algorithm's profile, or one
    with ports and VCs enough, unless one is named.

    `ties` is "positive", "coordinate" or "source". `classic_dateline` and `free_crossings` are as there. `single_tc` and `fold_vcs` make images that can deadlock, for trying checks.
    """
    call = Call()
    number = ffi.new("xt_algorithm_t *")
    call(lib.xt_algorithm_parse, encode(algorithm), number)
    rule = ffi.new("xt_ties_t *")
    if ties is not None:
        call(lib.xt_ties_parse, encode(ties), rule)
    wanted = options("xt_route_options_t", algorithm=number[0], adaptive=adaptive, ties=rule[0], single_tc=single_tc, fold_vcs=fold_vcs,
                     classic_dateline=classic_dateline, free_crossings=free_crossings, seed=1)
    if isinstance(topology, str):
        topology = Topology(topology, profile) if profile is not None else Topology._for_routes(topology, wanted)
    elif profile is not None and profile != topology.profile:
        raise ValueError(f"the topology is of profile {topology.profile}, not {profile}")
    return Image(call.make("xt_image_t", lib.xt_image_free, lambda *words: lib.xt_route(topology._pointer, wanted, *words)))


def _tcs(bits: int) -> list[int]:
    return [tc for tc in range(ffi.integer_const("XT_MAX_TCS")) if bits >> tc & 1]


def _cycle(image: Image, c: Any) -> list[Record]:
    found = []
    for tc in range(c.tcs):
        for channel in c.cycle[tc][0:c.cycle_length[tc]] if c.cycle_length[tc] else ():
            peer = lib.xt_image_peer(image._pointer, channel.card, channel.port)
            found.append({"tc": tc, "card": channel.card, "port": image._port(channel.card, channel.port), "to_card": peer.card,
                          "to_port": image._port(peer.card, peer.port), "vc": channel.vc})
    return found


def _examine(image: Image, threads: int) -> Any:
    wanted = options("xt_check_options_t", threads=threads)
    return Call().make("xt_check_t", lib.xt_check_free, lambda *words: lib.xt_check_image_with(image._pointer, wanted, *words))


def check(image: Image, *, threads: int = 0) -> Record:
    """Examines the image, and returns the numbers of `extorus check --json`, with "passed" for the verdict.

    Hops are links between cards, per pair of PEs. `threads` 0 is one per processor.
    """
    c = _examine(image, threads)
    found: Record = {
        "topology": image.topology, "algorithm": image.algorithm, "profile": image.profile, "cards": image.cards,
        **{name: getattr(c, name) for name in ("pairs", "unreachable", "livelock", "misdelivered", "illegal", "unconnected", "max_hops",
                                               "mean_hops", "non_minimal")},
        "cyclic_tcs": _tcs(c.cyclic_tcs), "cycle": _cycle(image, c),
        "tcs": [{"tc": tc, "cyclic": tc in _tcs(c.cyclic_tcs), "channels": c.channels[tc], "dependencies": c.dependencies[tc],
                 "rings": c.rings[tc], "adaptive": tc in _tcs(c.adaptive_tcs)} for tc in range(c.tcs)],
        "pes_out_of_service": c.out_of_service,
        "adaptive": {"candidates": c.adaptive_candidates, "escapes_checked": c.escapes, "faults": c.adaptive_faults,
                     "max_hops": c.adaptive_max_hops},
        "ring_merges": c.ring_merges, "passed": bool(lib.xt_check_passed(c)),
    }
    if c.unreachable:
        f = c.failure
        found["first_failure"] = {"how": string(lib.xt_walk_name(f.how)), "tc": f.tc, "source": f.source, "dest": f.dest, "card": f.card}
    if c.adaptive_faults:
        f = c.adaptive_failure
        found["adaptive"]["first_fault"] = {"how": string(lib.xt_adaptive_fault_name(f.how)), "tc": f.tc, "dest": f.dest, "card": f.card}
    return found


def require_safe(image: Image, *, threads: int = 0) -> None:
    """Raises UnsafeError, with the first finding, unless everything is delivered and no traffic class can deadlock."""
    Call()(lib.xt_check_verdict, image._pointer, _examine(image, threads))
