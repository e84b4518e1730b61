# SPDX-License-Identifier: Apache-2.0
"""Faults of virtual servos by ROS service: the program as it is started, asked over DDS, and what the wire shows."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.srv import InjectFault
from graph_stage import Stage
from waiting import PROCESS

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.dynamixel.bus.registers import Registers
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.launching.environment import FASTDDS_PROFILES, RANGE, is_on_loopback
from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[2]
DESK = str(ROOT / "urdf/desk_humanoid.urdf")
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
HEAL, LIST = InjectFault.Request.HEAL, InjectFault.Request.LIST

Ask = Callable[..., Any]
T = TypeVar("T")


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """The program with the servos of the desk humanoid."""
    link = tmp_path_factory.mktemp("faults") / "servos"
    words = [COMMAND, "virtual-servos", DESK, "--link", str(link)]
    with subprocess.Popen([*words, "--ros-namespace", "/faulty"], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield link
        process.terminate()
        assert process.wait(PROCESS) == 0
    assert not link.is_symlink()


@pytest.fixture(scope="module")
def ask(link):
    """Calls the service."""
    with Runtime() as runtime:
        stage = Stage(runtime, "/faulty")

        def call(**fields: Any) -> Any:
            return stage.call(InjectFault, "inject_fault", **fields)

        yield call


@pytest.fixture
def registers(link):
    with Registers(str(link), 1_000_000, 0.3) as registers:
        yield registers


def patiently(ask: Callable[[], T]) -> T:
    """The answer in the end: the program has 0.3 s for each, and may wait for its turn on this machine."""
    for _ in range(100):
        with suppress(LinkError):
            return ask()
    return ask()


def test_servos_are_absent_until_they_are_healed(ask: Ask, registers: Registers) -> None:
    answer = ask(kind="absent", ids=[3, 5])
    assert (answer.success, answer.message) == (True, "")
    assert answer.descriptions == [f"absent, servo {id}, struck 0 times" for id in (3, 5)]
    assert patiently(lambda: registers.ping(4)).id == 4
    for id in (3, 5):
        with pytest.raises(LinkError, match=f"servo {id} does not answer"):
            registers.ping(id)
    assert ask(action=HEAL, faults=answer.faults[:1]).descriptions[0].startswith("absent, servo 5, struck")
    assert patiently(lambda: registers.ping(3)).id == 3
    assert not ask(action=HEAL).faults
    assert patiently(lambda: registers.ping(5)).id == 5


def test_options_and_times_come_through(ask: Ask, registers: Registers) -> None:
    options = [KeyValue(key="register", value="led")]
    assert ask(kind="register_stuck", ids=[1], options=options).success
    patiently(lambda: registers.write(1, "led", 1))
    assert patiently(lambda: registers.read(1, "led")) == 0
    assert patiently(lambda: registers.read(2, "led")) == 0
    bits = [KeyValue(key="bits", value="4"), KeyValue(key="shutdown", value="true")]
    assert ask(kind="hardware_error", ids=[2], options=bits).success
    assert patiently(lambda: registers.read(2, "hardware_error_status")) == 4
    assert ask(kind="drop_status", skip=1, count=2, duration=3600.0, probability=1.0).success
    listed = ask(action=LIST)
    assert [text.split(",")[0] for text in listed.descriptions] == [
        "register_stuck",
        "hardware_error",
        "drop_status",
    ]
    assert "any servo" in listed.descriptions[2]
    assert ask(action=HEAL).success


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"kind": "drop_statu"}, "did you mean 'drop_status'"),
        ({"kind": "absent", "ids": [3, 99]}, "there is no servo 99"),
        ({"kind": "hardware_error", "ids": [1, 2, 99], "duration": 1e-6}, "there is no servo 99"),
        ({"kind": "absent", "bus": "leg"}, "unknown bus 'leg'"),
        ({"kind": "absent", "probability": 1.5}, "probability is 1.5"),
        ({"kind": "absent", "after": float("nan")}, "after is nan"),
        (
            {"kind": "axis", "options": [KeyValue(key="state", value="bent")]},
            "unknown state of an axis 'bent'",
        ),
        ({"kind": "absent", "options": [KeyValue(key="state", value="stuck")]}, "unknown option of fault"),
        ({"kind": "axis", "options": [KeyValue(key="do", value="heal")]}, "has a field of its own"),
        ({"kind": "truncate", "options": [KeyValue(key="bytes", value="[1]")]}, "must be a number or a word"),
        ({"action": HEAL, "faults": [4711]}, "unknown fault '4711'"),
        ({"action": 9}, "action is 9"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(ask: Ask, fields: dict[str, Any], why: str) -> None:
    answer = ask(**fields)
    assert not answer.success
    assert why in answer.message
    assert not ask(action=LIST).faults


def test_a_namespace_that_cannot_be_is_refused(tmp_path) -> None:
    words = [COMMAND, "virtual-servos", DESK, "--ros-namespace", "a b"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PROCESS)
    assert done.returncode == 2
    assert "--ros-namespace 'a b'" in done.stderr


@pytest.fixture
def updates(monkeypatch):
    """Looks at the buses by the main thread, of which the tenth ends the program; so does a test without patience."""
    found: list[VirtualBus] = []
    update = VirtualBus.update

    def counted(bus: VirtualBus) -> bool:
        if threading.current_thread() is threading.main_thread():
            found.append(bus)
            if len(found) == 10:
                os.kill(os.getpid(), signal.SIGTERM)
        return update(bus)

    monkeypatch.setattr(VirtualBus, "update", counted)
    late = threading.Timer(4 * PROCESS, os.kill, (os.getpid(), signal.SIGTERM))
    late.start()
    yield found
    late.cancel()
    late.join()


def test_a_robot_falls_also_while_its_faults_are_served(updates) -> None:
    assert main(["virtual-servos", DESK, "--physics", "--ros-namespace", "/falling"]) == 0
    assert len(updates) >= 10


def test_the_graph_is_that_of_all_commands_also_where_it_is_started_by_hand(updates, monkeypatch) -> None:
    alone = is_on_loopback(os.environ)  # but with another middleware
    for name in (RANGE, *FASTDDS_PROFILES):
        monkeypatch.delenv(name, raising=False)
    assert main(["virtual-servos", DESK, "--physics", "--ros-namespace", "/by_hand"]) == 0
    assert RANGE in os.environ
    assert is_on_loopback(os.environ) == alone
