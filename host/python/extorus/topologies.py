# SPDX-License-Identifier: Apache-2.0
"""Topologies: wiring and metrics."""

from __future__ import annotations

from typing import Any

from extorus._native import Call, Record, encode, ffi, lib, profile_of, string


class Topology:
    """The wiring of a network of cards, from a spec such as "torus:8x8x4" or "twin:4x4x2x2x2~5:d0+".

    `extorus topo --help` lists the families. Cards, PEs and ports are counted from 0.
    """

    def __init__(self, spec: str, profile: str = "extoll") -> None:
        self._pointer: Any = Call().make("xt_topology_t", lib.xt_topology_free,
                                         lambda *words: lib.xt_topology_parse(encode(spec), profile_of(profile), *words))

    @classmethod
    def _for_routes(cls, spec: str, wanted: Any) -> Topology:
        """On the profile of the algorithm, or on one that has what the routes need."""
        topology = cls.__new__(cls)
        topology._pointer = Call().make("xt_topology_t", lib.xt_topology_free,
                                        lambda *words: lib.xt_route_parse(encode(spec), wanted, *words))
        return topology

    def __repr__(self) -> str:
        return f"Topology({self.spec!r}, {self.profile!r})"

    @property
    def spec(self) -> str:
        """The spec in canonical form, with what has failed."""
        return string(lib.xt_topology_spec(self._pointer))

    @property
    def profile(self) -> str:
        """Name of the switch profile of the cards."""
        return string(lib.xt_topology_profile(self._pointer).name)

    @property
    def cards(self) -> int:
        """Number of cards, failed ones counted."""
        return int(lib.xt_topology_cards(self._pointer))

    @property
    def pes(self) -> int:
        """Number of PEs: one for each NIC port of a card."""
        return int(lib.xt_topology_pes(self._pointer))

    def wiring(self) -> list[Record]:
        """A record for each port that sends: card, port, peer_card, peer_port, with ports by name."""
        found = []
        for card in range(self.cards):
            for port in range(lib.xt_topology_profile(self._pointer).link_ports):
                peer = lib.xt_topology_peer(self._pointer, card, port)
                if peer.card != ffi.integer_const("XT_NO_CARD"):
                    found.append({"card": card, "port": self._port(card, port), "peer_card": peer.card,
                                  "peer_port": self._port(peer.card, peer.port)})
        return found

    def metrics(self) -> Record:
        """The numbers of `extorus topo --json`.

        Distances are in links between cards. `bisection` is in links, one direction counted. `uniform_limit` is in cells per
        cycle and card. `dimension_distance` is in links, per dimension.
        """
        t, m = self._pointer, ffi.new("xt_topology_metrics_t *")
        Call()(lib.xt_topology_metrics, t, m)
        dimensions = range(lib.xt_topology_dimensions(t))
        links = ffi.new("const xt_failed_link_t **")
        failed = [links[0][i] for i in range(lib.xt_topology_failed_links(t, links))]
        found: Record = {
            "topology": self.spec, "profile": self.profile, "directed": bool(lib.xt_topology_directed(t)),
            "radices": [lib.xt_topology_radix(t, d) for d in dimensions], "cards": m.cards, "pes": m.pes, "links": m.links,
            "degree": m.degree, "diameter": m.diameter, "mean_distance": m.mean_distance,
            "mean_distance_with_self": m.mean_distance_with_self,
            "dimension_distance": [m.dimension_distance[d] for d in dimensions if lib.xt_topology_is_regular(t)],
            "bisection": m.bisection if m.bisection >= 0 else None,
            "bisection_at_least": m.bisection_at_least if m.bisection_at_least >= 0 else None,
            "bisection_method": string(m.bisection_method), "effective_bisection": m.effective_bisection or None,
            "uniform_limit": m.uniform_limit or None, "link_balance": m.link_balance or None,
            "failed_links": [[f.card, self._port(f.card, f.port), f.peer, self._port(f.peer, f.peer_port)] for f in failed],
            "failed_cards": [card for card in range(m.cards) if lib.xt_topology_card_failed(t, card)],
        }
        tree = ffi.new("xt_tree_connections_t *")
        if lib.xt_topology_tree_connections(t, tree):
            found["connections"] = {name: {way: getattr(c, way) for way in ("forward", "turnaround", "backward")}
                                    for name, c in (("all", tree.all), ("destro", tree.used), ("internal", tree.internal))}
        return found

    def _port(self, card: int, port: int) -> str:
        return string(lib.xt_topology_port_name(self._pointer, card, port))
