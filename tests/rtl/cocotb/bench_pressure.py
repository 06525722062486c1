# SPDX-License-Identifier: Apache-2.0
"""Everything at once: packets to NICs and over links, registers and tables, under pauses that differ by bus, and a reset in between."""

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiResp

from extorus_cocotb import Card, Packet

PACKETS_PER_LINK = 4
HELD = 5000  # cycles, at most
ROUNDS = 8  # of register accesses, at least
CHANNELS = ("aw", "w", "b", "ar", "r")


class Handshakes:
    """Of each bus: cycles in which an item was taken, in which an offer waited, and in which a packet paused."""

    def __init__(self, card):
        nics = range(card.profile.NicPorts)
        streams = [f"nic{nic}_{way}_t" for nic in nics for way in ("in", "out")]
        self.taken, self.waited, self.paused = ({name: 0 for name in (*(f"axil_{channel}" for channel in CHANNELS), *streams)} for _ in range(3))
        self.signals = {name: [getattr(card.dut, name + end) for end in ("valid", "ready", "last") if hasattr(card.dut, name + end)]
                        for name in self.taken}
        self.clock, self.task = card.dut.clk, cocotb.start_soon(self._count())

    async def _count(self):
        inside = dict.fromkeys(self.taken, False)
        while True:
            await RisingEdge(self.clock)
            for name, (valid, ready, *last) in self.signals.items():
                if not valid.value:
                    self.paused[name] += inside[name]
                elif ready.value:
                    self.taken[name] += 1
                    inside[name] = bool(last) and not last[0].value
                else:
                    self.waited[name] += 1


    def pressed(self):
        """A source has waited."""
        return any(cycles for name, cycles in self.waited.items() if "_in_" in name)


def held(count, pauses):
    """Pauses of a sink that takes nothing until the card takes no more either."""
    for _ in range(HELD):
        if count.pressed():
            break
        yield True
    yield from pauses


async def routes(card):
    """Below NicPorts a destination is a NIC; the others are links, behind which a packet comes back to a NIC."""
    profile = card.profile
    nics = [profile.port_of_nic(nic) for nic in range(profile.NicPorts)]
    for nic, port in enumerate(nics):
        await card.tables.route(nic, port)
    for link in range(profile.LinkPorts):
        await card.tables.route(len(nics) + link, link, ports=nics)
        await card.tables.route(len(nics) + link, nics[link % len(nics)], ports=[link])


async def write_and_read(card, used):
    """Tables behind the entries that are used, and a register that is software's."""
    profile, rng = card.profile, card.rng
    rounds = 0
    while rounds < ROUNDS or card.scoreboard.missing:
        rounds += 1
        table, first, end = rng.choice((("Lrt", used, 1 << profile.LrtBits), ("Grt", 0, 1 << profile.GrtBits)))
        index, entry = rng.randrange(first, end), card.tables.entry(rng.randrange(profile.Ports))
        await card.tables.write(table, index, entry)
        owner = rng.getrandbits(32)
        await card.registers.write("Owner", owner)
        assert (await card.master.write(profile.RegOwner + 2, b"\1")).resp == AxiResp.SLVERR
        assert await card.tables.read(table, index, rng.randrange(profile.Ports)) == entry
        assert await card.registers.read("Owner") == owner


async def read_in_a_row(card):
    """Reads that begin before the one before them has its answer."""
    profile = card.profile
    while True:
        words = await card.master.read(profile.RegMagic, 12)
        assert words.resp == AxiResp.OKAY and words.data[:4] == profile.RegMagicValue.to_bytes(4, "little")
        assert words.data[8:] == profile.ProfileHash.to_bytes(4, "little")


async def send(card):
    """The number of packets."""
    profile, rng = card.profile, card.rng
    nics = profile.NicPorts
    # More cells than an input buffer and the FIFO before a sink can hold.
    per_nic = 2 * (profile.BufferCells + profile.EjectCells) // profile.PacketCells
    to = [rng.randrange(nics) for _ in range(per_nic * nics)] + [nics + link for link in range(profile.LinkPorts)] * PACKETS_PER_LINK
    rng.shuffle(to)
    for destination in to:
        source = rng.randrange(nics)
        cells = rng.choice((1, profile.PacketCells, None))
        arrives = destination if destination < nics else (destination - nics) % nics
        await card.send(Packet.random(profile, rng, destination, source, cells), source, arrives)
    return len(to)


async def traffic(card, cycles=None, fill=False):
    """All at once, to the end or for some cycles; `fill`: the sinks begin when the card is full."""
    profile, count = card.profile, Handshakes(card)
    await routes(card)
    card.pause(0.2, 0.5, 0.8)
    accesses = [cocotb.start_soon(part) for part in (write_and_read(card, profile.NicPorts + profile.LinkPorts), read_in_a_row(card))]
    packets = await send(card)
    for sink in card.sinks if fill else ():
        sink.set_pause_generator(held(count, card.pauses(0.5)))
    if cycles:
        await card.cycles(cycles)
    else:
        await card.drain(100000)
        await accesses[0].join()
    for task in (*accesses, count.task):
        task.kill()
    if not cycles:
        await card.master.write_if.wait()
        await card.master.read_if.wait()
    return packets, count


@cocotb.test()
async def everything_at_once(dut):
    card = Card(dut)
    await card.start()
    profile = card.profile
    packets, count = await traffic(card, fill=True)
    assert card.scoreboard.delivered == packets and not card.scoreboard.missing
    ports = range(profile.Ports)
    for counter in ("FramingErrors", "IllegalRoutes"):
        assert not any([await card.registers.read(counter, port) for port in ports])
    sent = [sum([await card.registers.read("TxPackets", port, tc) for tc in range(profile.Tcs)]) for port in ports]
    assert sent[:profile.LinkPorts] == [PACKETS_PER_LINK] * profile.LinkPorts and sum(sent[profile.LinkPorts:]) == packets
    # What the run is for has happened at each bus. Of several sources one may find room all the time.
    assert all(count.taken.values()), count.taken
    assert all(cycles for name, cycles in count.waited.items() if "_in_" not in name) and count.pressed(), count.waited
    assert any(cycles for name, cycles in count.paused.items() if "_in_" in name), count.paused


@cocotb.test()
async def a_reset_under_way(dut):
    card = Card(dut)
    await card.start()
    for _ in range(3):
        await traffic(card, cycles=card.rng.randint(5, 60))
        assert card.scoreboard.missing
        await card.reset(card.rng.randint(2, 20))
    packets, _ = await traffic(card)
    assert card.scoreboard.delivered == packets and not card.scoreboard.missing
