# SPDX-License-Identifier: Apache-2.0
"""The stand-in of the head, from the side of a client, and the command that starts it."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from waiting import THREAD, until

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.dummy.codec import HeadCodec
from embodiment_bridge.protocols.dummy.events import Greet, Hello, Joints, SetJoints
from embodiment_bridge.standins.dummy import DummyHead
from embodiment_bridge.wire.codec import Malformed

ROOT = Path(__file__).parents[3]


class Client:
    """Speaks to a head as the bridge does."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=THREAD)
        self.codec = HeadCodec()
        self.events = []

    def send(self, *commands):
        self.socket.sendall(b"".join(map(self.codec.encode, commands)))

    def read(self):
        data = self.socket.recv(4096)
        if not data:
            raise ConnectionResetError("the head has hung up")
        self.events += self.codec.feed(data)

    def until(self, condition):
        until(
            lambda: any(condition(event) for event in self.events) or self.read(),
            lambda: f"the last event was {self.events[-1:]}",
        )

    def close(self):
        self.socket.close()


@pytest.fixture
def head():
    with DummyHead(pan=5.0, tilt=-5.0, rate=200.0) as head:
        yield head


@pytest.fixture
def client(head):
    with closing(Client(head.port)) as client:
        yield client


def at(pan, tilt):
    return lambda event: isinstance(event, Joints) and (event.pan_deg, event.tilt_deg) == (pan, tilt)


def test_answers_a_greeting_and_tells_where_the_joints_are(client):
    client.send(Greet("test"))
    client.until(at(5.0, -5.0))
    assert client.events[0] == Hello(0, "head")
    assert not [event for event in client.events if isinstance(event, Malformed)]


def test_is_silent_until_greeted(client):
    client.socket.settimeout(0.1)
    client.send(SetJoints(20.0, 10.0))
    with pytest.raises(TimeoutError):
        client.read()


def test_goes_where_it_is_told_at_a_limited_speed(client):
    client.send(Greet("test"), SetJoints(35.0, 25.0))
    client.until(at(35.0, 25.0))
    moves = [event for event in client.events if isinstance(event, Joints)]
    for before, after in pairwise(moves):
        assert after.time_s > before.time_s
        assert 0.0 <= after.pan_deg - before.pan_deg <= 300.0 * (after.time_s - before.time_s) + 0.4


def test_stays_inside_its_range(client):
    client.send(Greet("test"))
    client.socket.sendall(b"set pan 500 tilt -500\n")
    client.until(at(90.0, -45.0))


@pytest.mark.parametrize(
    "line",
    [b"set pan 1.2.3 tilt 1", b"set pan nan tilt 1", b"set pan 1", b"nonsense", b"\xff\0", b"x" * 5000],
)
def test_what_it_does_not_understand_changes_nothing(client, line):
    client.send(Greet("test"))
    client.socket.sendall(line + b"\n")
    client.send(SetJoints(5.5, -5.0))
    client.until(at(5.5, -5.0))
    assert {event.tilt_deg for event in client.events if isinstance(event, Joints)} == {-5.0}


def test_next_client_is_served_when_one_has_gone(head):
    for _ in range(2):
        with closing(Client(head.port)) as client:
            client.send(Greet("test"))
            client.until(at(5.0, -5.0))


def test_close_hangs_up(head, client):
    client.send(Greet("test"))
    client.until(at(5.0, -5.0))
    head.close()
    with pytest.raises(ConnectionError):
        client.until(at(1.0, 1.0))
    with pytest.raises(OSError, match="refused"):
        Client(head.port)


def test_port_that_is_taken_is_named(head):
    with pytest.raises(LinkError, match=f"tcp://127.0.0.1:{head.port}: cannot listen: .*in use"):
        DummyHead(port=head.port)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--port", "65536"], "65536"),
        (["--host", "no.such.host.invalid"], "no.such"),
        (["--host", "a..b"], "'a..b' cannot be the name of a host"),
    ],
)
def test_command_that_cannot_listen_ends_with_2(capsys, words, reason):
    assert main(["peer", "dummy", *words]) == 2
    assert "cannot listen" in (text := capsys.readouterr().err)
    assert reason in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nobody"], "invalid choice: 'nobody' (choose from"),
        (["dummy", "--rate", "0"], "argument --rate: 0 is not within 1 to 1000"),
        (["dummy", "--rate", "nan"], "argument --rate: nan is not within 1 to 1000"),
        (["dummy", "--rate", "fast"], "argument --rate: invalid float value: 'fast'"),
    ],
)
def test_command_refuses(capsys, words, reason):
    with pytest.raises(SystemExit) as caught:
        main(["peer", *words])
    assert caught.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_command_says_where_it_listens_and_ends_with_0(number):
    program = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "peer", "dummy", "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            found = re.fullmatch(r"dummy listens on 127\.0\.0\.1:(\d+)\n", process.stdout.readline())
            with closing(Client(int(found[1]))) as client:
                client.send(Greet("test"))
                client.until(at(0.0, 0.0))
            process.send_signal(number)
            assert process.wait(THREAD) == 0
        finally:
            process.kill()
