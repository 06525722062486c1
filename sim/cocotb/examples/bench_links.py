# SPDX-License-Identifier: Apache-2.0
"""Packets that leave by each link and come back by it. The table of the link sends them to a NIC."""

import cocotb

from extorus_cocotb import Card, Packet

PACKETS_PER_LINK = 4


@cocotb.test()
async def packets_over_links(dut):
    card = Card(dut)
    await card.start()
    profile, rng = card.profile, card.rng
    nics = [profile.port_of_nic(nic) for nic in range(profile.NicPorts)]
    for link in range(profile.LinkPorts):
        await card.tables.route(link, link, ports=nics)
        await card.tables.route(link, nics[link % profile.NicPorts], ports=[link])
    card.pause(0.3)
    links = [link for link in range(profile.LinkPorts) for _ in range(PACKETS_PER_LINK)]
    rng.shuffle(links)
    for link in links:
        source = rng.randrange(profile.NicPorts)
        await card.send(Packet.random(profile, rng, destination=link, source=source), source, link % profile.NicPorts)
    await card.drain()
    for link in range(profile.LinkPorts):
        assert sum([await card.registers.read("RxPackets", link, tc) for tc in range(profile.Tcs)]) == PACKETS_PER_LINK
