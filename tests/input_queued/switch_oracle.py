# SPDX-License-Identifier: Apache-2.0
"""A network of input-queued switches, flit by flit, from the description of the switch. Slow and plain."""

import collections
import csv

NIC = "nic"
EJECT_FLITS = 64  # between a switch and its PE, in the profiles tested here but for bubble, which has 128

Packet = collections.namedtuple("Packet", "name source destination tc flits generated")


def wiring(path):
    """{card: {port: (card, port) behind it}}, ports in the order of their numbers."""
    links = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            links[int(row["card"])][row["port"]] = (int(row["peer_card"]), row["peer_port"])
    return links


def routes(path):
    """{(card, tc, destination): (port, vc, adaptive candidates)}"""
    with open(path, newline="") as file:
        return {(int(row["card"]), int(row["tc"]), int(row["dest"])): (row["port"], int(row["vc"]), (row.get("adaptive") or "").split())
                for row in csv.DictReader(file)}


def packets(path):
    """The packets of a log, of each PE in the order of their numbers, and the cycles (sent, delivered) of each by name."""
    queues, cycles = collections.defaultdict(list), {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            source = int(row["source"])
            queues[source].append(Packet(row["packet"], source, int(row["destination"]), int(row["tc"]), int(row["cells"]),
                                         int(row["generated"])))
            cycles[row["packet"]] = (int(row["sent"]), int(row["delivered"]))
    for queue in queues.values():
        queue.sort(key=lambda packet: int(packet.name.split(".")[1]))
    return queues, cycles


def next_of(wanted, order, last):
    """Round robin: the first of `wanted` behind `last` in `order`, around the end."""
    start = order.index(last) + 1 if last in order else 0
    return next((item for item in order[start:] + order[:start] if item in wanted), None)


class Network:
    """One PE on each card. `adaptive_vc`: {tc: its adaptive VC}. `crossbar_vc`: a crossbar input for each VC of an input,
    `transit_first`: inputs of links go before the NIC, `queues`: FIFOs of the NIC for each traffic class."""

    def __init__(self, links, table, buffer_flits, tcs, latency=2, bubble=False, adaptive_vc=None, eject_flits=EJECT_FLITS,
                 crossbar_vc=False, transit_first=False, queues=1):
        self.crossbar_vc, self.transit_first, self.queues = crossbar_vc, transit_first, queues
        self.links, self.table, self.latency, self.bubble = links, table, latency, bubble
        self.adaptive_vc = adaptive_vc or {}
        self.ports = {card: [*ports, NIC] for card, ports in links.items()}
        used = collections.defaultdict(set)
        for (card, tc, _), (port, vc, candidates) in table.items():
            if tc not in tcs:
                continue
            used[port].add((tc, vc))
            for candidate in candidates:
                used[candidate].add((tc, self.adaptive_vc[tc]))
        used[NIC] = {(tc, queue) for tc in tcs for queue in range(queues)}
        self.vcs = {port: sorted(vcs) for port, vcs in used.items()}
        # Free places in the FIFOs behind an output, and in those of NIC inputs.
        self.room = {(card, port, vc): buffer_flits // len(self.vcs[port]) for card in links for port in self.links[card]
                     for vc in self.vcs.get(port, ())}
        self.inject_room = {(card, vc): buffer_flits // len(self.vcs[NIC]) for card in links for vc in self.vcs[NIC]}
        self.dimensions = len({port[:-1] for ports in links.values() for port in ports if port not in (NIC, "int")})
        self.eject_room = {card: eject_flits for card in links}
        self.fifo = collections.defaultdict(collections.deque)  # (card, port, vc) -> flits (packet, index, cycle in which it came)
        self.worm = {}  # (card, input, vc it came on) -> [packet, output, vc, next index]
        self.owner = set()  # outputs under way: (card, output)
        self.last_vc, self.last_input, self.last_candidate = {}, {}, {}
        self.eject = collections.defaultdict(collections.deque)
        self.due = collections.defaultdict(list)  # cycle -> what arrives

    def enters(self, port, output, vc):
        """Whether a packet enters a ring at a link: it does not if it goes straight on. In twin tori of which all dimensions are split, the
        VC of an internal link is the number of the dimension that the packet crosses for, and the next one that to the PE."""
        if not self.bubble or output == NIC or (output == "int" and vc == self.dimensions):
            return False
        if output == "int":
            return port[:-1] != f"d{vc}"
        return port != "int" and not (port != NIC and port[:-1] == output[:-1] and port[-1] != output[-1])

    def fits(self, card, port, packet, output, vc):
        if (card, output) in self.owner:
            return False
        if output == NIC:
            return self.eject_room[card] >= packet.flits
        needed = packet.flits + (self.longest if self.enters(port, output, vc[1]) else 0)
        return self.room[card, output, vc] >= needed

    def request(self, card, port, vc, cycle):
        fifo = self.fifo[card, port, vc]
        if not fifo or fifo[0][2] >= cycle or fifo[0][1] != 0:
            return None
        packet = fifo[0][0]
        output, number, candidates = self.table[card, packet.tc, packet.destination]
        if output != NIC and packet.tc in self.adaptive_vc and (port == NIC or vc[1] == self.adaptive_vc[packet.tc]):
            way = (packet.tc, self.adaptive_vc[packet.tc])
            free = [candidate for candidate in candidates if candidate != port and self.fits(card, port, packet, candidate, way)]
            if free:
                return next_of(free, self.ports[card], self.last_candidate.get((card, port))), way
        way = (packet.tc, number)
        return (output, way) if self.fits(card, port, packet, output, way) else None

    def allocate(self, card, cycle):
        asked = collections.defaultdict(lambda: collections.defaultdict(dict))  # output -> input -> {VC it came on: VC it leaves by}
        for port in self.ports[card]:
            streaming = {vc for vc in self.all_vcs if (card, port, vc) in self.worm}
            if streaming and not self.crossbar_vc:
                continue
            here = [vc for c, p, vc in self.fifo if (c, p) == (card, port) and vc not in streaming]
            wanted = {vc: request for vc in here if (request := self.request(card, port, vc, cycle))}
            if not self.crossbar_vc:
                vc = next_of(wanted, self.all_vcs, self.last_vc.get((card, port)))
                wanted = {vc: wanted[vc]} if vc is not None else {}
            for vc, (output, way) in wanted.items():
                asked[output][port][vc] = way
        for output in (output for output in self.ports[card] if output in asked):
            inputs = asked[output]
            transit = {port for port in inputs if port != NIC} if self.transit_first else ()
            port = next_of(transit or inputs, self.ports[card], self.last_input.get((card, output)))
            vc = next_of(inputs[port], self.all_vcs, self.last_vc.get((card, port)))
            way = inputs[port][vc]
            packet = self.fifo[card, port, vc][0][0]
            self.worm[card, port, vc] = [packet, output, way, 0]
            self.owner.add((card, output))
            self.last_vc[card, port], self.last_input[card, output] = vc, port
            self.last_candidate[card, port] = output
            if output == NIC:
                self.eject_room[card] -= packet.flits
            else:
                self.room[card, output, way] -= packet.flits

    def injection(self, card, packet):
        """The FIFO of the NIC: the roomiest for an adaptive packet, otherwise one by the destination."""
        if packet.tc not in self.adaptive_vc or not self.table[card, packet.tc, packet.destination][2]:
            return packet.tc, packet.destination % self.queues
        return max(((packet.tc, queue) for queue in range(self.queues)), key=lambda fifo: self.inject_room[card, fifo])

    def move(self, card, port, vc, cycle):
        packet, output, way, index = self.worm[card, port, vc]
        flit = self.fifo[card, port, vc].popleft()
        assert flit[:2] == (packet, index) and flit[2] < cycle, "a gap within a packet"
        if output == NIC:
            self.eject[card].append((packet, index, cycle))
        else:
            self.due[cycle + self.latency].append(("flit", *self.links[card][output], way, packet, index))
        if port == NIC:
            self.inject_room[card, vc] += 1
        else:
            self.due[cycle + self.latency].append(("credit", *self.links[card][port], vc))
        self.worm[card, port, vc][3] += 1
        if index + 1 == packet.flits:
            del self.worm[card, port, vc]
            self.owner.discard((card, output))

    def run(self, queues, stall=(0, 1)):
        """Cycles (sent, delivered) of each packet by name."""
        queues = {pe: collections.deque(queue) for pe, queue in queues.items()}
        waiting = sum(map(len, queues.values()))
        every = [packet for queue in queues.values() for packet in queue]
        self.longest = self.longest_of_run if hasattr(self, "longest_of_run") else max(packet.flits for packet in every)
        self.all_vcs = sorted({vc for vcs in self.vcs.values() for vc in vcs})
        sent, cycles, giving, cycle = {}, {}, {}, 0
        while waiting:
            for what in self.due.pop(cycle, ()):
                if what[0] == "flit":
                    _, card, port, vc, packet, index = what
                    self.fifo[card, port, vc].append((packet, index, cycle))
                else:
                    self.room[what[1:]] += 1
            for card in self.links:
                self.allocate(card, cycle)
                for port, vc in [(p, vc) for p in self.ports[card] for vc in self.all_vcs if (card, p, vc) in self.worm]:
                    self.move(card, port, vc, cycle)
                if self.eject[card] and self.eject[card][0][2] < cycle and cycle % stall[1] >= stall[0]:
                    packet, index, _ = self.eject[card].popleft()
                    self.eject_room[card] += 1
                    if index + 1 == packet.flits:
                        assert packet.destination == card
                        cycles[packet.name] = (sent[packet.name], cycle)
                        waiting -= 1
                if card not in giving and queues.get(card) and queues[card][0].generated <= cycle:
                    giving[card] = [queues[card].popleft(), 0, None]
                if card in giving:
                    packet, index, vc = giving[card]
                    if index == 0:
                        vc = giving[card][2] = self.injection(card, packet)
                        if self.inject_room[card, vc] < packet.flits:
                            continue
                        self.inject_room[card, vc] -= packet.flits
                        sent[packet.name] = cycle
                    self.fifo[card, NIC, vc].append((packet, index, cycle))
                    giving[card][1] += 1
                    if index + 1 == packet.flits:
                        del giving[card]
            cycle += 1
            assert cycle < 50000, "nothing comes out any more"
        return cycles
