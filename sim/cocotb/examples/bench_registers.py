# SPDX-License-Identifier: Apache-2.0
"""Registers and tables of a card by an AXI4-Lite master that pauses at random."""

import cocotb
from cocotbext.axi import AxiResp

from extorus_cocotb import Card


@cocotb.test()
async def registers_hold_what_is_written(dut):
    card = Card(dut)
    await card.start()
    card.pause(0.5)
    registers, profile = card.registers, card.profile
    assert await registers.read("Magic") == profile.RegMagicValue
    assert await registers.read("ProfileHash") == profile.ProfileHash
    for _ in range(4):
        written = card.rng.getrandbits(profile.IdBits)
        await registers.write("CardId", written)
        assert await registers.read("CardId") == written
    for mistake in (await card.master.read(profile.RegMagic + 0xffc, 4), await card.master.write(profile.RegCardId, b"\1")):
        assert mistake.resp == AxiResp.SLVERR


@cocotb.test()
async def tables_hold_what_is_written(dut):
    card = Card(dut)
    await card.start()
    card.pause(0.3)
    for table, entries in (("Grt", 1 << card.profile.GrtBits), ("Lrt", 1 << card.profile.LrtBits)):
        written = {index: card.tables.entry(card.rng.randrange(card.profile.Ports)) for index in card.rng.sample(range(entries), 3)}
        for index, entry in written.items():
            await card.tables.write(table, index, entry)
        for index, entry in written.items():
            assert await card.tables.read(table, index, card.rng.randrange(card.profile.Ports)) == entry
