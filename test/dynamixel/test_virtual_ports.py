# SPDX-License-Identifier: Apache-2.0
"""The bus on a terminal and on TCP: links, several clients, unplugging, sleep, and the command that serves it."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from waiting import THREAD, until

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import Pacing, VirtualClock, WallClock
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.dynamixel.virtual.requests import ControlSocket, Requests, ask
from embodiment_bridge.dynamixel.wire import packet

ROOT = Path(__file__).parents[2]
PING = packet.ping(1)
URDF = """\
<robot name="two">
  <link name="base"/><link name="a"/><link name="b"/>
  <joint name="ja" type="revolute"><parent link="base"/><child link="a"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="jb" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <ros2_control name="one" type="system">
    <hardware><param name="port_name">/dev/ttyUSB0</param></hardware>
    <joint name="ja"><param name="id">1</param><param name="model">xl430_w250</param></joint>
  </ros2_control>
  <ros2_control name="other" type="system">
    <hardware><param name="port_name">/dev/ttyUSB1</param></hardware>
    <joint name="jb"><param name="id">7</param></joint>
  </ros2_control>
</robot>
"""


def bus(**options):
    return VirtualBus([(1, "xm430_w350")], **options)


def open_terminal(name):
    return os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


def read(file, size):
    """So many bytes of a file descriptor."""
    data = b""
    deadline = time.monotonic() + THREAD
    while len(data) < size:
        assert select.select([file], [], [], deadline - time.monotonic())[0], f"only {data.hex(' ')} came"
        data += os.read(file, size - len(data))
    return data


@pytest.fixture
def link(tmp_path):
    return tmp_path / "ttyDXL0"


def test_terminal_and_tcp_are_one_wire(link):
    served = bus()
    served.host_baud = 0
    with VirtualPort(served, link=str(link), listen=("127.0.0.1", 0)) as port:
        assert link.is_symlink()
        assert str(link.readlink()) == port.name
        with socket.create_connection((port.host, port.port)) as client:
            client.sendall(packet.write(1, 65, b"\1"))
            assert read(client.fileno(), 11) == packet.status(1, 0)
        assert served.snapshot()[1]["led"] == 1
    assert not link.exists()


def test_second_tcp_client_waits_for_its_turn():
    with VirtualPort(bus(), listen=("127.0.0.1", 0), pty=False) as port:
        with socket.create_connection((port.host, port.port)) as first:
            first.sendall(PING)
            read(first.fileno(), 14)
            with socket.create_connection((port.host, port.port)) as second:
                assert second.recv(1) == b""  # hung up
        until(lambda: port._tcp.client is None)
        with socket.create_connection((port.host, port.port)) as third:
            third.sendall(PING)
            assert len(read(third.fileno(), 14)) == 14


def test_zero_bytes_and_baud_go_through_the_terminal(link):
    with VirtualPort(bus(baud=57600), link=str(link)):
        file = open_terminal(link)
        try:
            os.write(file, PING)
            assert not select.select([file], [], [], 0.05)[0]  # a terminal begins at another rate
            subprocess.run(["stty", "-F", str(link), "57600"], check=True)
            os.write(file, PING)
            assert read(file, 14).startswith(b"\xff\xff\xfd\x00\x01")
        finally:
            os.close(file)


def test_link_survives_unplugging_and_points_to_the_new_terminal(link):
    served = bus()
    with VirtualPort(served, link=str(link)) as port:
        file = open_terminal(link)
        before = port.name
        rule = served.inject("unplug")
        until(lambda: not port.plugged)  # the link goes first
        assert not link.exists()
        with pytest.raises(OSError, match="Input/output error"):
            os.write(file, PING)
        served.heal(rule)
        until(lambda: port.plugged and str(link.readlink()) == port.name)  # it has its name last
        os.close(file)
        assert before


def test_unplugged_for_a_while_comes_back_by_itself(link):
    clock = VirtualClock()
    served = bus(clock=clock)
    with VirtualPort(served, link=str(link)):
        served.inject("unplug", duration=0.1)
        until(lambda: not link.exists())
        clock.advance(0.2)
        until(link.exists)


def test_virtual_clock_wakes_the_port():
    clock = VirtualClock()
    served = bus(clock=clock, pacing=Pacing(baud=1_000_000))
    with (
        VirtualPort(served, listen=("127.0.0.1", 0), pty=False) as port,
        socket.create_connection((port.host, port.port)) as client,
    ):
        client.sendall(PING)
        until(lambda: served.due() < 1.0)
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        clock.advance(0.001)
        assert len(read(client.fileno(), 14)) == 14


def test_client_that_does_not_read_blocks_nobody(link):
    with VirtualPort(bus(), link=str(link)) as port:
        file = open_terminal(link)
        subprocess.run(["stty", "-F", str(link), "1000000"], check=True)
        request = packet.read(1, 0, 660)
        deadline = time.monotonic() + THREAD
        while not port.lost and time.monotonic() < deadline:
            if select.select([], [file], [], 0.01)[1]:
                os.write(file, request)
        assert port.lost
        os.close(file)


def test_idle_bus_sleeps_even_if_it_has_moved(link):
    served = bus()
    with VirtualPort(served, link=str(link)) as port:
        served.receive(packet.write(1, 64, b"\1"))
        served.receive(packet.write(1, 116, (2500).to_bytes(4, "little")))
        port.wake()
        until(lambda: served.servo(1).drive.settled and served.servo(1).position() > 2490)

        def sleeps():
            before = port.rounds
            threading.Event().wait(0.3)
            return port.rounds == before

        until(sleeps)  # after the rounds in which it sees that all is at rest


def test_a_scaled_clock_runs_faster():
    clock = WallClock(50.0)
    served = bus(clock=clock)
    served.receive(packet.write(1, 64, b"\1") + packet.write(1, 116, (2500).to_bytes(4, "little")))
    until(lambda: served.servo(1).position() > 2490)
    assert clock.now() > 0.2
    assert clock.wall_time_until(clock.now() + 5.0) == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: VirtualPort(bus(), link=str(path / "file")), "not a symbolic link"),
        (lambda path: VirtualPort(bus(), link=str(path / "no" / "where")), "cannot be linked"),
        (lambda path: VirtualPort(bus(), listen=("127.0.0.1", 70000)), "a port is 0 to 65535"),
        (lambda path: VirtualPort(bus(), listen=("192.0.2.1", 0)), "cannot listen"),
        (lambda path: ControlSocket(str(path / "file"), Requests({})), "cannot listen"),
    ],
)
def test_place_that_cannot_be_had_is_named(tmp_path, make, error):
    (tmp_path / "file").write_text("precious")
    with pytest.raises(LinkError, match=error):
        make(tmp_path)
    assert (tmp_path / "file").read_text() == "precious"


SERVER = """\
import sys
from embodiment_bridge.dynamixel.virtual.ports import PtyPort
port = PtyPort(sys.argv[1])
print("serves", flush=True)
sys.stdin.read()
"""


def test_a_link_is_taken_over_from_a_dead_process_only(link):
    words = [sys.executable, "-c", SERVER, str(link)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as old:
        assert old.stdout.readline() == b"serves\n"
        before = link.readlink()
        os.close(open_terminal(link))  # a client that leaves is no end of the server
        with pytest.raises(LinkError, match=f"{link} is the port of process {old.pid}"):
            VirtualPort(bus(), link=str(link))
        assert link.readlink() == before
        old.kill()
        old.wait()
    with VirtualPort(bus(), link=str(link)) as port:
        assert str(link.readlink()) == port.name


def test_port_without_any_place_is_refused():
    with pytest.raises(ConfigError, match="needs a terminal or a TCP port"):
        VirtualPort(bus(), pty=False)


def test_requests_by_the_control_socket(tmp_path):
    path, clock = str(tmp_path / "control"), VirtualClock()
    served = bus(clock=clock)
    with ControlSocket(path, Requests({"arm": served})):
        number = ask(path, {"do": "fault", "kind": "drop_status", "id": 1, "count": 1})["fault"]
        served.receive(PING)
        assert served.transmit() == b""
        assert ask(path, {"do": "faults"})["faults"] == [
            {"fault": number, "kind": "drop_status", "id": 1, "hits": 1}
        ]
        assert ask(path, {"do": "statistics", "bus": "arm"})["packets"]["1"] == {"ping": 1}
        assert ask(path, {"do": "snapshot", "id": 1})["servos"]["1"]["model_number"] == 1020
        assert ask(path, {"do": "advance", "seconds": 2})["now"] == 2.0
        ask(path, {"do": "load", "id": 1, "torque_nm": 0.5})
        assert served.servo(1).drive.load(0, 0) == 0.5
        ask(path, {"do": "heal", "fault": number})
        ask(path, {"do": "heal"})
        assert served.faults.rules == []
    assert not Path(path).exists()
    with pytest.raises(LinkError, match="no answer from virtual servos"):
        ask(path, {"do": "faults"})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ([], "a request is"),
        ({"do": 1}, "a request is"),
        ({"do": "fault"}, "unknown fault ''"),
        ({"do": "faulty"}, "did you mean 'fault'"),
        ({"do": "fault", "kind": ["x"]}, "unknown fault"),
        ({"do": "fault", "kind": "drop_status", "id": "x"}, "there is no servo x"),
        ({"do": "heal", "fault": 99}, "unknown fault '99'"),
        ({"do": "heal", "fault": []}, "unknown fault"),
        ({"do": "snapshot", "bus": "leg"}, "unknown bus 'leg'"),
        ({"do": "snapshot", "bus": {}}, "unknown bus"),
        ({"do": "snapshot", "id": []}, "there is no servo"),
        ({"do": "advance", "seconds": 1}, "only a virtual clock"),
        ({"do": "advance", "seconds": float("nan")}, "seconds is nan"),
        ({"do": "load", "id": 1}, "torque_nm is None"),
        ({"do": "load", "id": 1, "torque_nm": 10**400}, "torque_nm is 1000"),
        ({"do": "fault", "kind": "absent", "self": 1}, "unknown option of fault 'absent' 'self'"),
        ({"do": "fault", "kind": "absent", "after": 10**400}, "after is 1000"),
        ({"do": "fault", "kind": "slow", "seconds": 10**400}, "seconds is 1000"),
        ({"do": "fault", "kind": "slow", "seconds": [1]}, "seconds is [1]"),
    ],
)
def test_request_that_cannot_be_is_answered_with_why(request_, words):
    answer = Requests({"arm": bus()}).answer(request_)
    assert answer["ok"] is False
    assert words in answer["error"]


def test_control_socket_survives_nonsense(tmp_path):
    path = str(tmp_path / "control")
    with ControlSocket(path, Requests({"arm": bus()})):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(b"\xff\0nonsense\n" + b"[" * 70000 + b"\n" + b'{"do": "faults"}\n')
            lines = client.makefile("rb")
            answers = [json.loads(lines.readline()) for _ in range(3)]
        assert [answer["ok"] for answer in answers] == [False, False, True]


def test_command_serves_the_buses_of_a_description(tmp_path):
    (tmp_path / "two.urdf").write_text(URDF)
    link, control, transcript = tmp_path / "tty", tmp_path / "control", tmp_path / "transcript.jsonl"
    words = [
        sys.executable, str(ROOT / "scripts/embodiment_bridge"), "virtual-servos", str(tmp_path / "two.urdf"),
        "--link", str(link), "--listen", "127.0.0.1:0", "--control", str(control), "--transcript", str(transcript),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[0].startswith(f"one: 1 servos at {link} -> /dev/")
            assert lines[1].startswith(f"other: 1 servos at {link}_other -> ")
            host, port = lines[1].rsplit("socket://", 1)[1].strip().split(":")
            with socket.create_connection((host, int(port))) as client:
                client.sendall(packet.ping(7))
                assert len(read(client.fileno(), 14)) == 14
            assert ask(str(control), {"do": "snapshot", "bus": "one"})["servos"]["1"]["model_number"] == 1060
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(THREAD) == 0
    rows = [json.loads(line) for line in transcript.read_text().splitlines()]
    assert [(row["bus"], row["dir"], row["packet"][0]["event"]) for row in rows] == [
        ("other", "rx", "Ping"),
        ("other", "tx", "Status"),
    ]
    assert not link.is_symlink()
    assert not control.exists()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--listen", "nowhere"], "is not HOST:PORT"),
        (["--listen", "127.0.0.1:x"], "is not HOST:PORT"),
        (["--scale", "0"], "is not a number from 0.01 to 100"),
        (["--usb-latency", "nan"], "is not a number from 0 to 255"),
    ],
)
def test_wrong_words_of_the_command_are_named(capsys, words, error):
    with pytest.raises(SystemExit) as caught:
        main(["virtual-servos", "x.urdf", *words])
    assert caught.value.code == 2
    assert error in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--base", "fixed"], ["--world", "none"]])
def test_what_is_about_the_world_is_refused_without_one(capsys, words):
    assert main(["virtual-servos", "x.urdf", *words]) == 2
    assert f"{words[0]} is for --physics" in capsys.readouterr().err


def test_description_without_servos_is_refused(capsys):
    assert main(["virtual-servos", str(ROOT / "urdf/mock.urdf")]) == 2
    assert "embodiment_bridge: " in capsys.readouterr().err
