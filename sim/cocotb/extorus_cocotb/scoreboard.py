# SPDX-License-Identifier: Apache-2.0
"""Every packet arrives once, unaltered, where it belongs, and in the order of its flow."""

import collections


class Scoreboard:
    """A flow is what one source sends to one destination in one traffic class."""

    def __init__(self):
        self.waiting = collections.defaultdict(collections.deque)
        self.delivered = 0

    @staticmethod
    def flow(packet):
        return packet.source, packet.destination, packet.traffic_class

    def sent(self, packet, nic):
        """The packet shall arrive at this NIC."""
        self.waiting[self.flow(packet)].append((packet, nic))

    def received(self, packet, nic):
        flow = self.waiting[self.flow(packet)]
        assert flow, f"NIC {nic}: nobody sent {packet}"
        expected, where = flow.popleft()
        assert packet == expected, f"NIC {nic}: {packet} instead of {expected}"
        assert nic == where, f"NIC {nic}: {packet} belongs to NIC {where}"
        self.delivered += 1

    @property
    def missing(self):
        return sum(map(len, self.waiting.values()))
