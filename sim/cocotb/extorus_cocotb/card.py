# SPDX-License-Identifier: Apache-2.0
"""The card of the bench: clock, reset, and masters and sinks of cocotbext-axi at its buses."""

import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamSink, AxiStreamSource

from extorus_cocotb.packets import Packet
from extorus_cocotb.profile import Profile
from extorus_cocotb.registers import Registers
from extorus_cocotb.scoreboard import Scoreboard
from extorus_cocotb.tables import Tables


class Card:
    """`sources` and `sinks` have one AXI4-Stream for each NIC. What arrives goes to the scoreboard."""

    def __init__(self, dut, seed=None):
        self.dut = dut
        self.profile = Profile.of_bench()
        self.rng = random.Random(int(os.environ.get("RANDOM_SEED", 1)) if seed is None else seed)
        reset = {"reset": dut.rst_n, "reset_active_level": False}
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, **reset)
        nics = range(self.profile.NicPorts)
        self.sources = [AxiStreamSource(AxiStreamBus.from_prefix(dut, f"nic{n}_in"), dut.clk, **reset) for n in nics]
        self.sinks = [AxiStreamSink(AxiStreamBus.from_prefix(dut, f"nic{n}_out"), dut.clk, **reset) for n in nics]
        for part in (*self.sources, *self.sinks, self.master.write_if, self.master.read_if):
            part.log.setLevel(logging.WARNING)
        self.registers = Registers(self.master, self.profile)
        self.tables = Tables(self.registers)
        self.scoreboard = Scoreboard()

    async def start(self):
        """Clock and reset; then the card is ready, and its links are up."""
        cocotb.start_soon(Clock(self.dut.clk, 10, units="ns").start())
        await self.reset()
        for nic, sink in enumerate(self.sinks):
            cocotb.start_soon(self._receive(nic, sink))

    async def reset(self, cycles=20):
        """Afterwards the card is ready, its links are up, and its tables are empty. Packets under way are forgotten."""
        self.dut.rst_n.value = 0
        for source in self.sources:
            source.clear()
        await self.cycles(cycles)
        self.scoreboard = Scoreboard()
        self.dut.rst_n.value = 1
        await self.registers.wait_until("Status", lambda status: status & 1)
        if self.profile.HasLinkLayer:
            for port in range(self.profile.LinkPorts):
                await self.registers.wait_until("LinkState", lambda state: state & 3 == 1, port)

    async def cycles(self, count):
        await ClockCycles(self.dut.clk, count)

    def pauses(self, share):
        """For set_pause_generator: pauses in about this share of the cycles, of a cycle, and long ones."""

        def draws(rng):
            while True:
                length = rng.choice((1, 1, 1, 2, 8))
                for value in [rng.random() < share] * length:
                    yield value

        return draws(random.Random(self.rng.getrandbits(32)))

    def pause(self, *shares):
        """From now on every bus pauses in about one of these shares of the cycles, at random."""
        channels = [self.master.write_if.aw_channel, self.master.write_if.w_channel, self.master.write_if.b_channel,
                    self.master.read_if.ar_channel, self.master.read_if.r_channel]
        for channel in (*channels, *self.sources, *self.sinks):
            channel.set_pause_generator(self.pauses(self.rng.choice(shares)))

    async def send(self, packet, nic, to):
        """The packet enters by `nic` and shall arrive at NIC `to`."""
        self.scoreboard.sent(packet, to)
        await self.sources[nic].send(packet.bytes(self.profile))

    async def _receive(self, nic, sink):
        while True:
            frame = await sink.recv(compact=False)
            assert not any(frame.tuser), f"NIC {nic}: an incomplete packet"
            self.scoreboard.received(Packet.parse(self.profile, bytes(frame.tdata)), nic)

    async def drain(self, cycles=20000):
        """Until every packet has arrived."""
        for _ in range(cycles // 50):
            if not self.scoreboard.missing:
                return
            await self.cycles(50)
        raise TimeoutError(f"{self.scoreboard.missing} packets are missing after {cycles} cycles")
