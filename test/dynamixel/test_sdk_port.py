# SPDX-License-Identifier: Apache-2.0
"""A bus whose port dynamixel-sdk opens is driven as one that we open; what the SDK cannot open is refused."""

import sys
import termios

import dynamixel_sdk
import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import open_port, open_sdk_port
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoSetup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort


@pytest.fixture
def opened(monkeypatch):
    """What the SDK has opened and closed, in order."""
    told = []

    class Telling(dynamixel_sdk.PortHandler):
        def setupPort(self, cflag_baud):  # noqa: N802
            told.append(("open", self.port_name, self.baudrate))
            return super().setupPort(cflag_baud)

        def closePort(self):  # noqa: N802
            told.append(("close", self.port_name))
            super().closePort()

    monkeypatch.setattr(dynamixel_sdk, "PortHandler", Telling)
    return told


@pytest.fixture
def link(tmp_path):
    with VirtualPort(VirtualBus([(1, "xm430_w350")]), link=str(tmp_path / "servos")) as port:
        yield port.link


@pytest.mark.parametrize("handler", ["own", "sdk"])
def test_servos_are_driven(tmp_path, opened, handler):
    stage = DrivenServos(tmp_path, [servo(1), servo(2)], port_handler=handler)
    try:
        stage.start()
        stage.drive_until(lambda: abs(stage.reading(1).position - 0.4) < 0.02, j1=Target(0.4, 0.0, 0.0))
    finally:
        stage.close()
    expected = [("open", stage.link, 1_000_000), ("close", stage.link)]
    assert opened == (expected if handler == "sdk" else [])


def test_the_bit_rate_is_set(link, opened):
    port = open_sdk_port(link, 115_200)
    assert termios.tcgetattr(port.fileno())[4:6] == [termios.B115200] * 2
    port.close()
    assert opened == [("open", link, 115_200), ("close", link)]


def test_it_is_for_one_program_alone(link):
    first = open_sdk_port(link, 1_000_000)
    for opener in (open_sdk_port, open_port):
        with pytest.raises(LinkError, match="servos: "):
            opener(link, 1_000_000)
    first.close()
    open_port(link, 1_000_000).close()


def test_one_that_ours_has_open_is_closed_again(link, opened):
    first = open_port(link, 1_000_000)
    with pytest.raises(LinkError, match="servos: "):
        open_sdk_port(link, 1_000_000)
    first.close()
    assert opened == [("open", link, 1_000_000), ("close", link)]


def test_no_such_port(tmp_path):
    with pytest.raises(LinkError, match="No such file"):
        open_sdk_port(str(tmp_path / "none"), 1_000_000)


REFUSED = [
    ({"port_name": "socket://127.0.0.1:1"}, "serial devices only"),
    ({"port_name": "/dev/none", "baud_rate": 12_345}, "baud_rate 12345: port_handler 'sdk' has no such rate"),
]


def robot(tmp_path, **fields):
    config = BusConfig("arm", servos=(servo(1),), port_handler="sdk", **fields)
    return ServoRobot(ServoSetup("one", (config,)), tmp_path / "calibration.yaml")


@pytest.mark.parametrize(("fields", "why"), REFUSED)
def test_what_the_sdk_cannot_open_is_refused_before_anything_starts(tmp_path, fields, why):
    with pytest.raises(ConfigError, match=why):
        robot(tmp_path, **fields)


def test_without_the_sdk(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dynamixel_sdk", None)
    with pytest.raises(ConfigError, match="needs the package dynamixel-sdk"):
        robot(tmp_path, port_name="/dev/none")
