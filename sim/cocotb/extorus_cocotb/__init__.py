# SPDX-License-Identifier: Apache-2.0
"""A test bench of an extorus card on cocotb and cocotbext-axi: packets, registers, tables and a scoreboard."""

from extorus_cocotb.card import Card
from extorus_cocotb.packets import Packet
from extorus_cocotb.profile import Profile
from extorus_cocotb.registers import Registers
from extorus_cocotb.scoreboard import Scoreboard
from extorus_cocotb.tables import Tables

__all__ = ["Card", "Packet", "Profile", "Registers", "Scoreboard", "Tables"]
