#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a module in RTLIL, which yosys turns into Verilog: the USB device core of LUNA with a board's descriptors, or one of
LUNA's ways from a UTMI to pins.

LUNA differs from what a board needs in these points:
- LUNA keeps its toggles over a bus reset and SET_CONFIGURATION. Class Endpoint resets them.
- LUNA takes every UTMI but its own for full speed. core() sets the speed.
- LUNA ignores line states during a register write to the PHY, so the device's own pull-up looks like a reset. Class
  RxEventDecoder does not.
- LUNA ends a transfer to the host only at a byte marked last. xt_usb marks this byte.
- A device that sends before LUNA has written the registers of the PHY blocks these writes. xt_usb_high starts the device later.
- LUNA resets the PHY by the PHY's own clock. The board drives the reset pin of the PHY.
- LUNA passes line states at full speed on unregistered. xt_usb_full synchronises them.
- LUNA's way to the lines crosses clocks by FIFOs, and its core waits two bits more, so an answer at full speed comes after up to
  12 bits instead of 6.5. Classes Entries and Bits use that the clocks are in phase; RxPipeline and TokenTimer wait less.
"""

import argparse
import pathlib
import re
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # of LUNA's, about Amaranth

from amaranth import Array, ClockDomain, Const, Elaboratable, Module, Mux, ResetInserter, Signal  # noqa: E402
from amaranth.back import rtlil  # noqa: E402
from amaranth.hdl.rec import Record  # noqa: E402
from luna.gateware.interface import ulpi as luna_ulpi  # noqa: E402
from luna.gateware.interface.gateware_phy import phy as luna_phy  # noqa: E402
from luna.gateware.interface.gateware_phy import receiver as luna_receiver  # noqa: E402
from luna.gateware.interface.gateware_phy import transmitter as luna_transmitter
from luna.gateware.interface.gateware_phy.phy import GatewarePHY  # noqa: E402
from luna.gateware.interface.utmi import UTMIInterface  # noqa: E402
from luna.gateware.usb.stream import USBInStreamInterface  # noqa: E402
from luna.gateware.usb.usb2 import packet as luna_packet  # noqa: E402
from luna.gateware.usb.usb2.device import USBDevice  # noqa: E402
from luna.gateware.usb.usb2.endpoints import stream as luna_stream  # noqa: E402
from luna.gateware.usb.usb2.endpoints.stream import USBStreamInEndpoint, USBStreamOutEndpoint  # noqa: E402
from luna.gateware.usb.usb2.packet import TokenDetectorInterface, USBInterpacketTimer  # noqa: E402
from luna.gateware.usb.usb2.transfer import USBInTransferManager  # noqa: E402
from usb_protocol.emitters import DeviceDescriptorCollection  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "host" / "include" / "extorus" / "protocol.h"
PACKET = {"full": 64, "high": 512}  # of a bulk endpoint
CONTROL_PACKET = 64
RELEASE = 1.00  # bcdDevice


def usb_constants():
    """XT_USB_... of the protocol's table."""
    text = TABLE.read_text()
    found = {name: int(value, 0) for name, value in re.findall(r"^\s*XT_USB_(\w+) = (\w+),", text, re.M)}
    found.update(re.findall(r'^#define XT_USB_(\w+) "(.*)"$', text, re.M))
    return found


class SerialText(Elaboratable):
    """String descriptor of a serial number that is a signal, with the ports of LUNA's generator of a constant one."""

    DIGITS = 16
    LENGTH = 2 + 2 * DIGITS
    STRING = 3  # bDescriptorType

    def __init__(self, serial):
        self.serial = serial
        self.start, self.max_length, self.start_position = Signal(), Signal(16), Signal(range(self.LENGTH))
        self.stream = USBInStreamInterface()

    def elaborate(self, _platform):
        m = Module()
        position, left = Signal(range(self.LENGTH)), Signal(16)
        digits = Array(self.serial.word_select(self.DIGITS - 1 - i, 4) for i in range(self.DIGITS))
        digit = Signal(4)
        m.d.comb += [
            digit.eq(digits[position[1:] - 1]),
            self.stream.first.eq(position == self.start_position),
            self.stream.last.eq((position == self.LENGTH - 1) | (left == 1)),
        ]
        with m.If(position == 0):
            m.d.comb += self.stream.payload.eq(self.LENGTH)
        with m.Elif(position == 1):
            m.d.comb += self.stream.payload.eq(self.STRING)
        with m.Elif(~position[0]):
            m.d.comb += self.stream.payload.eq(digit + Mux(digit < 10, ord("0"), ord("a") - 10))
        with m.FSM(domain="usb"):
            with m.State("IDLE"):
                m.d.usb += [position.eq(self.start_position), left.eq(self.max_length)]
                with m.If(self.start & (self.max_length != 0)):
                    m.next = "SENDS"
            with m.State("SENDS"):
                m.d.comb += self.stream.valid.eq(1)
                with m.If(self.stream.ready):
                    m.d.usb += [position.eq(position + 1), left.eq(left - 1)]
                    with m.If(self.stream.last):
                        m.next = "IDLE"
        return m


def descriptors(speed, serial):
    usb = usb_constants()
    all_of_it = DeviceDescriptorCollection()
    with all_of_it.DeviceDescriptor() as device:
        device.idVendor, device.idProduct, device.bcdDevice = usb["VENDOR"], usb["PRODUCT"], RELEASE
        device.bMaxPacketSize0, device.bNumConfigurations = CONTROL_PACKET, 1
        device.iManufacturer, device.iProduct = usb["MAKER_NAME"], usb["BOARD_NAME"]
        device.iSerialNumber = "-"  # for its index
    with all_of_it.ConfigurationDescriptor() as configuration:
        configuration.bmAttributes, configuration.bMaxPower = 0x80, 250  # 500 mA from the bus
        with configuration.InterfaceDescriptor() as interface:
            interface.bInterfaceNumber = 0
            interface.bInterfaceClass, interface.bInterfaceSubclass = usb["CLASS"], usb["SUBCLASS"]
            interface.bInterfaceProtocol, interface.iInterface = 1, usb["INTERFACE_NAME"]
            for address in (usb["OUT"], usb["IN"]):
                with interface.EndpointDescriptor() as endpoint:
                    endpoint.bEndpointAddress, endpoint.wMaxPacketSize, endpoint.bInterval = address, PACKET[speed], 0
    index = next(text[16] for kind, _, text in all_of_it if kind == 1)  # iSerialNumber of the device descriptor
    all_of_it.add_descriptor(lambda: SerialText(serial), index=index, descriptor_type=SerialText.STRING)
    if speed == "high":  # the qualifier: the device at full speed, without ids
        all_of_it.add_descriptor(bytes([10, 6, 0x00, 0x02, 0, 0, 0, CONTROL_PACKET, 1, 0]))
    return all_of_it


def domain(m, name):
    """A clock domain whose clock and reset, active high, are ports."""
    made = ClockDomain(name)
    m.domains += made
    return [made.clk, made.rst]


class Endpoint(Elaboratable):
    """An endpoint of LUNA that starts with DATA0 after a bus reset or a SET_CONFIGURATION."""

    def __init__(self, endpoint, restart):
        self.endpoint, self.restart, self.interface = endpoint, restart, endpoint.interface

    def elaborate(self, _platform):
        m = Module()
        m.submodules.endpoint = ResetInserter({"usb": self.restart})(self.endpoint)
        return m


# LUNA names a submodule by its class.
class Out(Endpoint):
    pass


class In(Endpoint):
    pass


UTMI_IN = {"rx_data": 8, "rx_active": 1, "rx_valid": 1, "tx_ready": 1, "line_state": 2}
UTMI_OUT = {"tx_data": 8, "tx_valid": 1, "xcvr_select": 2, "op_mode": 2, "term_select": 1}


def core(m, speed):
    """The device: a UTMI, two byte streams, a serial number, and a pulse at each restart."""
    ports = domain(m, "usb")
    serial = Signal(64, name="serial")
    port = {name: Signal(width, name=name) for name, width in {**UTMI_IN, **UTMI_OUT, "busy": 1}.items()}
    byte = {name: Signal(width, name=name) for name, width in (
        ("out_valid", 1), ("out_ready", 1), ("out_byte", 8), ("in_valid", 1), ("in_ready", 1), ("in_byte", 8), ("in_last", 1),
        ("restart", 1))}
    utmi = UTMIInterface()
    m.submodules.device = device = USBDevice(bus=utmi, handle_clocking=False)
    # LUNA takes any UTMI but its own for one at full speed and 12 MHz.
    device.always_fs, device.data_clock = (False, 60e6) if speed == "high" else (True, 12e6)
    InTransferManager.at_once = speed == "full"
    device.bus_busy = port["busy"]
    control = device.add_standard_control_endpoint(descriptors(speed, serial), avoid_blockram=True)
    restart = Signal()
    outward = USBStreamOutEndpoint(endpoint_number=1, max_packet_size=PACKET[speed], buffer_size=2 * PACKET[speed])
    inward = USBStreamInEndpoint(endpoint_number=1, max_packet_size=PACKET[speed])
    device.add_endpoint(Out(outward, restart))
    device.add_endpoint(In(inward, restart))
    m.d.comb += [getattr(utmi, name).eq(port[name]) for name in UTMI_IN]
    m.d.comb += [port[name].eq(getattr(utmi, name)) for name in UTMI_OUT]
    m.d.comb += [
        device.connect.eq(1),
        restart.eq(device.reset_detected | control.interface.config_changed),
        byte["restart"].eq(restart),
        byte["out_valid"].eq(outward.stream.valid),
        byte["out_byte"].eq(outward.stream.payload),
        outward.stream.ready.eq(byte["out_ready"]),
        inward.stream.valid.eq(byte["in_valid"]),
        inward.stream.payload.eq(byte["in_byte"]),
        inward.stream.last.eq(byte["in_last"]),
        byte["in_ready"].eq(inward.stream.ready),
    ]
    return ports + [serial] + list(port.values()) + list(byte.values())


class Entries(Elaboratable):
    """From the clock at the lines into the core's, four times as long and in phase with it. Entries are farther apart than a
    cycle of the core. None changes at an edge of the core's clock, so each is steady for a cycle at the lines before and after
    that edge. The ports are those of the FIFO in its place, which takes three bits longer."""

    LAST = 3  # cycle at the lines that ends with an edge of the core's clock; both resets end at such an edge

    def __init__(self, width, depth, r_domain, w_domain):
        assert (r_domain, w_domain) == ("usb", "usb_io") and depth
        self.w_data, self.r_data = Signal(width), Signal(width)
        self.w_en, self.r_en, self.r_rdy = Signal(), Signal(), Signal()

    def elaborate(self, _platform):
        m = Module()
        phase, waits, held, written, read = Signal(2), Signal(), Signal.like(self.w_data), Signal(), Signal()
        m.d.usb_io += phase.eq(phase + 1)
        with m.If(self.w_en):
            m.d.usb_io += held.eq(self.w_data)
        with m.If(phase == self.LAST):
            m.d.usb_io += waits.eq(self.w_en | waits)
        with m.Elif(self.w_en | waits):
            m.d.usb_io += [waits.eq(0), written.eq(~written), self.r_data.eq(Mux(self.w_en, self.w_data, held))]
        m.d.usb += read.eq(written)
        m.d.comb += self.r_rdy.eq(written != read)
        return m


class Bits(Elaboratable):
    """From the core's clock into that at the lines, whose encoder takes a bit a cycle after the core's edge."""

    def __init__(self, i, o, *, o_domain, stages):
        assert o_domain == "usb_io" and stages
        self.i, self.o = i, o

    def elaborate(self, _platform):
        m = Module()
        m.d.comb += self.o.eq(self.i)
        return m


class RxPipeline(luna_receiver.RxPipeline):
    """Tells a packet's end a cycle of the core earlier, unless the last byte comes in that cycle."""

    def elaborate(self, platform):
        told, self.o_pkt_in_progress = self.o_pkt_in_progress, Signal()
        m = super().elaborate(platform)
        m.d.comb += told.eq(self.o_pkt_in_progress & (~self.o_pkt_end | self.o_data_strobe))
        return m


luna_phy.RxPipeline = RxPipeline
luna_receiver.AsyncFIFOBuffered = Entries
luna_transmitter.FFSynchronizer = Bits


class TokenTimer(USBInterpacketTimer):
    """Lets the core answer a token at once at 12 MHz, where pins() takes more than the two bit times that the specification
    wants. Data to an endpoint needs a cycle to be known as whole, so the core's other timer waits for one."""

    _FS_RX_TO_TX_DELAY = {**USBInterpacketTimer._FS_RX_TO_TX_DELAY, 12e6: (0, 7)}
    begins = Signal()  # a cycle before new_token

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.begins.eq(self._interfaces[0].start)
        return m


class InTransferManager(USBInTransferManager):
    """Knows of a token a cycle earlier, so that a packet that was not acknowledged can be sent again at once."""

    def elaborate(self, platform):
        given, self.tokenizer = self.tokenizer, TokenDetectorInterface()
        m = super().elaborate(platform)
        m.d.comb += [self.tokenizer[name].eq(given[name]) for name in given.fields if name != "new_token"]
        m.d.comb += self.tokenizer.new_token.eq(TokenTimer.begins if self.at_once else given.new_token)
        return m


USBInterpacketTimer._FS_RX_TO_TX_DELAY = {**USBInterpacketTimer._FS_RX_TO_TX_DELAY, 12e6: (1, 7)}
luna_packet.USBInterpacketTimer = TokenTimer
luna_stream.USBInTransferManager = InTransferManager


def pins(m):
    """UTMI to the two lines of full speed, with pull-up; clocks of 12 and 48 MHz, in phase."""
    io = Record([(line, [("i", 1), ("o", 1), ("oe", 1)]) for line in ("d_p", "d_n")] + [("pullup", [("o", 1)])])
    m.submodules.phy = phy = GatewarePHY(io=io)
    ports = domain(m, "usb") + domain(m, "usb_io") + [io.d_p.i, io.d_p.o, io.d_p.oe, io.d_n.i, io.d_n.o, io.d_n.oe, io.pullup.o]
    return ports + [getattr(phy, name) for name in (*UTMI_IN, *UTMI_OUT)]


class RxEventDecoder(luna_ulpi.ULPIRxEventDecoder):
    """Takes line states during a register write too: a pull-up follows from such a write. Only a register read could be
    mistaken for a line state, and this device reads none."""

    def elaborate(self, platform):
        self.register_operation_in_progress = Const(0)
        return super().elaborate(platform)


luna_ulpi.ULPIRxEventDecoder = RxEventDecoder


def ulpi(m):
    """UTMI to a ULPI PHY, which gives the clock of 60 MHz."""
    bus = Record([("data", [("i", 8), ("o", 8), ("oe", 1)]), ("dir", [("i", 1)]), ("nxt", [("i", 1)]), ("stp", [("o", 1)]),
                  ("rst", [("o", 1)])])
    m.submodules.phy = phy = luna_ulpi.UTMITranslator(ulpi=bus, handle_clocking=False)
    ports = domain(m, "usb") + [bus.data.i, bus.data.o, bus.data.oe, bus.dir.i, bus.nxt.i, bus.stp.o, bus.rst.o, phy.busy]
    return ports + [getattr(phy, name) for name in (*UTMI_IN, *UTMI_OUT)]


class Top(Elaboratable):
    def __init__(self, fill):
        self.module = Module()
        self.ports = fill(self.module)

    def elaborate(self, _platform):
        return self.module


MODULES = {"core": core, "pins": lambda m, _speed: pins(m), "ulpi": lambda m, _speed: ulpi(m)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speed", choices=sorted(PACKET))
    parser.add_argument("module", choices=sorted(MODULES))
    arguments = parser.parse_args()
    top = Top(lambda m: MODULES[arguments.module](m, arguments.speed))
    sys.stdout.write(rtlil.convert(top, ports=top.ports, name=f"xt_usb_{arguments.module}"))


if __name__ == "__main__":
    main()
