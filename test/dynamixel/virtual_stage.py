# SPDX-License-Identifier: Apache-2.0
"""A virtual bus without a port and with a clock that stands, for tests."""

from functools import partial

from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import VirtualClock
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder


class VirtualServos:
    """``stage.bus`` with ``stage.clock``; ask it by packets, or by register names."""

    def __init__(self, *models, **options):
        self.clock = VirtualClock()
        self.models = models or ("xm430_w350",)
        self.bus = VirtualBus(list(enumerate(self.models, 1)), clock=self.clock, **options)
        self.decoder = PacketDecoder("status", (1, 2))

    def raw(self, *requests):
        """What the bus answers at once, as bytes."""
        for request in requests:
            self.bus.receive(request)
        return self.bus.transmit()

    def ask(self, *requests):
        """The statuses that it answers."""
        self.decoder.reset()
        return [found for found in self.decoder.feed(self.raw(*requests)) if isinstance(found, Packet)]

    def item(self, id, name):
        return table(self.models[id - 1]).item(name)

    def read(self, id, name):
        item = self.item(id, name)
        (status,) = self.ask(packet.read(id, item.address, item.size))
        return item.decode(status.parameters)

    def write(self, id, name, value):
        """The error byte of the status."""
        item = self.item(id, name)
        data = (value & (1 << 8 * item.size) - 1).to_bytes(item.size, "little")
        (status,) = self.ask(packet.write(id, item.address, data))
        return status.error

    def write_1(self, id, name, value):
        item = self.item(id, name)
        (status,) = self.ask(packet.write(id, item.address, value.to_bytes(item.size, "little"), protocol=1))
        return status.error

    def read_1(self, id, name):
        item = self.item(id, name)
        (status,) = self.ask(packet.read(id, item.address, item.size, protocol=1))
        return item.decode(status.parameters)

    def asks(self, id):
        """To read and to write a register of a servo, in its protocol."""
        one = table(self.models[id - 1]).protocol == 1
        return partial(self.read_1 if one else self.read, id), partial(
            self.write_1 if one else self.write, id
        )
