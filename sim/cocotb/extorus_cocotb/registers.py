# SPDX-License-Identifier: Apache-2.0
"""Registers of a card by name, through an AXI4-Lite master of cocotbext-axi."""

from cocotbext.axi import AxiResp


class Refused(Exception):
    """The card answered SLVERR."""


class Registers:
    """Names are those of xt_pkg without Reg: registers.read("Magic")."""

    def __init__(self, master, profile):
        self.master, self.profile = master, profile

    def address(self, name, port=0, item=0):
        """Address of a register; `item` is the traffic class or VC."""
        profile = self.profile
        return getattr(profile, f"Reg{name}") + port * profile.RegPortStride + item * profile.RegItemStride

    async def read_at(self, address):
        answer = await self.master.read(address, 4)
        if answer.resp != AxiResp.OKAY:
            raise Refused(f"read of {address:#06x}")
        return int.from_bytes(answer.data, "little")

    async def write_at(self, address, value):
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        if answer.resp != AxiResp.OKAY:
            raise Refused(f"write of {address:#06x}")

    async def read(self, name, port=0, item=0):
        return await self.read_at(self.address(name, port, item))

    async def write(self, name, value, port=0, item=0):
        await self.write_at(self.address(name, port, item), value)

    async def wait_until(self, name, condition, port=0, reads=1000):
        """Reads until the value fulfils the condition."""
        for _ in range(reads):
            value = await self.read(name, port)
            if condition(value):
                return value
        raise TimeoutError(f"register {name} of port {port}: {value:#x} after {reads} reads")
