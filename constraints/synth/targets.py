# SPDX-License-Identifier: Apache-2.0
"""The devices that a card is measured on. Adding one needs no edit elsewhere if its family is here."""


class Target:
    """`options` are nextpnr's; without them there is no place and route, only an estimate of the area. `least` is the oldest
    version of nextpnr that does with them. `registered`: the wrapper has room for a register behind each output of the card."""

    def __init__(self, family, device, options=(), luts=0, rams=0, registered=False, least=(0, 0)):
        self.family, self.device, self.options, self.registered, self.least = family, device, list(options), registered, least
        self.luts, self.rams = luts, rams  # what the device has


class Family:
    """How the cells of a family are counted: (weight, first letters of the cell's type)."""

    def __init__(self, recipe, nextpnr, pack, bitstream, ram, parts):
        self.recipe, self.nextpnr, self.pack, self.bitstream = recipe, nextpnr, pack, bitstream
        self.ram = ram  # what BRAM counts
        self.parts = parts


FAMILIES = {
    # A CCU2C is two LUTs with their carry. A DPR16X4 takes the four LUTs that store and the two of the slice
    # that writes them.
    "ecp5": Family("ecp5.ys", "nextpnr-ecp5", "ecppack", "textcfg", "18 kbit", {
        "logic": (1, ("LUT4",)), "carry": (2, ("CCU2C",)), "ram": (6, ("TRELLIS_DPR16X4",)),
        "FF": (1, ("TRELLIS_FF",)), "BRAM": (1, ("DP16KD",)), "DSP": (1, ("MULT18X18D",))}),
    # A carry shares its cell with the LUT of the sum.
    "ice40": Family("ice40.ys", "nextpnr-ice40", "icepack", "asc", "4 kbit", {
        "logic": (1, ("SB_LUT4",)), "carry": (0, ("SB_CARRY",)),
        "FF": (1, ("SB_DFF",)), "BRAM": (1, ("SB_RAM40_4K",))}),
    # LUTs of up to six inputs; a carry of four bits shares them. A RAM32M takes four LUTs, a RAM32X1D two.
    "xilinx7": Family("xilinx7.ys", None, None, None, "18 kbit", {
        "logic": (1, ("LUT", "INV")), "carry": (0, ("CARRY4",)), "ram": (4, ("RAM32M", "RAM64M")),
        "ram2": (2, ("RAM32X1D", "RAM64X1D")), "FF": (1, ("FDRE", "FDSE", "FDCE", "FDPE")),
        "shift": (1, ("SRL",)), "BRAM": (1, ("RAMB18",)), "BRAM36": (2, ("RAMB36",)), "DSP": (1, ("DSP48",))}),
}

# A card that fills much of the device ends: a placer with short wires, which ends since 0.11, and a router that takes no wire
# twice.
CROWDED = ["--placer", "static", "--router", "router1", "--threads", "1"]

TARGETS = {
    "ecp5-85f": Target("ecp5", "LFE5U-85F-8", ["--85k", "--package", "CABGA756", "--speed", "8", *CROWDED], 83640, 208,
                       registered=True, least=(0, 11)),
    "ecp5-25f": Target("ecp5", "LFE5U-25F-8", ["--25k", "--package", "CABGA381", "--speed", "8"], 24288, 56),
    "ice40-hx8k": Target("ice40", "iCE40-HX8K", ["--hx8k", "--package", "ct256", "--placer-heap-timingweight", "3"], 7680, 32),
    "xilinx7": Target("xilinx7", "7-series"),
}
