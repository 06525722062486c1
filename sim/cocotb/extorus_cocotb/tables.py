# SPDX-License-Identifier: Apache-2.0
"""Routing tables of a card."""


class Tables:
    """Entries are written through the registers of the card."""

    def __init__(self, registers):
        self.registers, self.profile = registers, registers.profile

    def entry(self, port, vc=0):
        """An entry that sends each traffic class to `port`."""
        profile = self.profile
        route = port << profile.EntryPortLsb | vc << profile.EntryVcLsb | 1 << profile.EntryValidBit
        return sum(route << tc * profile.EntryTcBits for tc in range(profile.Tcs))

    def _address(self, table, index):
        return getattr(self.profile, f"Reg{table}") + index * self.profile.RegEntryStride

    async def write(self, table, index, entry, ports=None):
        """Entry `index` of "Grt" or "Lrt" at these input ports, or at all."""
        chosen = range(self.profile.Ports) if ports is None else ports
        await self.registers.write("TablePorts", sum(1 << port for port in chosen))
        at = self._address(table, index)
        await self.registers.write_at(at, entry & 0xffffffff)
        await self.registers.write_at(at + 4, entry >> 32)

    async def read(self, table, index, port=0):
        await self.registers.write("TableReadPort", port)
        at = self._address(table, index)
        low = await self.registers.read_at(at)
        return low | await self.registers.read_at(at + 4) << 32

    async def route(self, destination, port, ports=None):
        """Packets to `destination` that come in by `ports` leave by `port`."""
        await self.write("Lrt", destination, self.entry(port), ports)
