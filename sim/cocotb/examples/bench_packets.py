# SPDX-License-Identifier: Apache-2.0
"""Packets from each NIC to each NIC of a card, while masters and sinks pause at random."""

import cocotb

from extorus_cocotb import Card, Packet

PACKETS = 24


@cocotb.test()
async def packets_between_nics(dut):
    card = Card(dut)
    await card.start()
    profile, rng = card.profile, card.rng
    for nic in range(profile.NicPorts):
        await card.tables.route(nic, profile.port_of_nic(nic))
    card.pause(0.4)
    for _ in range(PACKETS):
        source, to = rng.randrange(profile.NicPorts), rng.randrange(profile.NicPorts)
        await card.send(Packet.random(profile, rng, destination=to, source=source), source, to)
    await card.drain()
    assert card.scoreboard.delivered == PACKETS
    received = 0
    for nic in range(profile.NicPorts):
        port = profile.port_of_nic(nic)
        assert await card.registers.read("FramingErrors", port) == 0
        received += sum([await card.registers.read("TxPackets", port, tc) for tc in range(profile.Tcs)])
    assert received == PACKETS
