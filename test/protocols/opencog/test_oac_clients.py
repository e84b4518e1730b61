# SPDX-License-Identifier: Apache-2.0
"""Whatever a client sends, the stand-in of the Router and its OACs go on, and keep no more than they have room for."""

import socket
import tracemalloc

import pytest
from network_stage import RunningRouter, network
from waiting import until

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Level, Vector
from embodiment_bridge.standins.oac import brain as brains
from embodiment_bridge.standins.oac import router as routers
from embodiment_bridge.standins.oac.brain import Brain
from embodiment_bridge.standins.oac.router_lines import MAX_COMMAND, MAX_MESSAGE, Incoming, RouterLines
from embodiment_bridge.standins.oac.scripted_plans import Known, Script
from embodiment_bridge.standins.oac.stand_in import MAX_OACS, OacPeer

LONG = b"9" * (MAX_COMMAND - 100)
PIECE = b"x" * 100_000 + b"\n"


def thing(name, *properties):
    return Blip("", Entity(name, "object"), Vector(0.0, 0.0, 0.0), properties=properties)


@pytest.mark.parametrize(
    "lines",
    [
        b"LOGIN x 127.0.0.1 " + LONG,
        b"LOGIN x a..b 80",
        b"LOGIN x " + b"a" * 300 + b" 80",
        b"NEW_MESSAGE PROXY fido 1 " + LONG,
        b"NEW_MESSAGE PROXY fido " + b"9" * 5000 + b" 1\nx",
    ],
    ids=["long port", "host", "long host", "lines", "type"],
)
def test_line_that_makes_no_sense_ends_nothing(lines):
    with (
        network(router_options={"heartbeat": 0.05}) as (router, _),
        socket.create_connection(("127.0.0.1", router.port)) as client,
    ):
        client.sendall(lines + b"\nNOTHING more\n")
        until(lambda: "NOTHING more" in router.router.log)
        beats = router.router.beats
        until(lambda: router.router.beats > beats + 2)  # it has written to all that are logged in


def test_message_that_is_too_long_is_dropped_and_the_next_line_is_read():
    lines = RouterLines()
    count = MAX_MESSAGE // len(PIECE) + 1
    assert lines.feed(b"NEW_MESSAGE P fido 1 %d\n" % count + PIECE * count + b"LOGOUT P\n") == [
        ["LOGOUT", "P"]
    ]
    whole = b"x" * MAX_MESSAGE
    assert lines.feed(b"NEW_MESSAGE P fido 1 1\n" + whole[1:] + b"\n") == [
        Incoming("P", "fido", 1, whole[1:])
    ]


def test_lines_of_a_message_after_one_that_is_too_long_are_no_commands():
    lines = RouterLines()
    message = (
        b"NEW_MESSAGE P fido 1 3\n" + b"x" * (MAX_MESSAGE + 10) + b"\nLOGOUT fido\nNEW_MESSAGE P v 1 1\n"
    )
    assert lines.feed(message + b"LOGOUT P\n") == [["LOGOUT", "P"]]


def test_message_without_end_takes_no_more_memory_than_the_longest():
    lines = RouterLines()
    lines.feed(b"NEW_MESSAGE P fido 1 0\n")
    tracemalloc.start()
    for _ in range(3 * MAX_MESSAGE // len(PIECE)):
        assert lines.feed(PIECE) == []
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 100_000
    assert most < 2 * MAX_MESSAGE


def test_elements_and_what_waits_for_them_have_a_limit(monkeypatch):
    monkeypatch.setattr(routers, "MAX_WAITING", 10_000)
    router = RunningRouter(acks=True)
    with (
        socket.create_connection(("127.0.0.1", router.port), 10.0) as client,
        client.makefile("rb") as answers,
    ):
        for number in range(100):
            client.sendall(b"NEW_MESSAGE fido nobody%d 1 1\nx\n" % number)
        told = [answers.readline() for _ in range(100)]
        assert told[-1] == b"FAILED - more than 32 elements\n"
        assert told.count(b"OK\n") == len(router.router.members) - 2 == 30
        client.sendall(b"LOGIN one 127.0.0.1 1\n")
        assert answers.readline() == b"FAILED - more than 32 elements\n"
        for number in range(10):
            client.sendall(b"NEW_MESSAGE fido nobody0 1 1\n%d" % number + b"y" * 2999 + b"\n")
            assert answers.readline() == b"OK\n"
        assert [one.payload[:1] for one in router.router.members["nobody0"].queue] == [b"7", b"8", b"9"]
    router.close()


def test_clients_have_a_limit_and_one_that_goes_makes_room():
    router = RunningRouter(acks=True)
    place = ("127.0.0.1", router.port)
    clients = [socket.create_connection(place, 10.0) for _ in range(routers.MAX_CLIENTS + 5)]
    assert [client.recv(100) for client in clients[routers.MAX_CLIENTS :]] == [b""] * 5
    clients.pop(0).close()
    until(lambda: len(router.router._clients) < routers.MAX_CLIENTS)
    clients.append(socket.create_connection(place, 10.0))
    clients[-1].sendall(b"LOGIN one 127.0.0.1 1\n")
    assert clients[-1].recv(100) == b"OK\n"
    for client in clients:
        client.close()
    router.close()


def test_who_comes_and_is_gone_before_it_is_let_in_ends_nothing():
    router = RunningRouter(acks=True)
    accept, server = router.router._server.accept, router.router._server
    refusals = []

    def gone(timeout):
        refusals.append(timeout)
        server.accept = accept
        raise LinkError("Software caused connection abort")

    server.accept = gone
    with socket.create_connection(("127.0.0.1", router.port), 10.0) as client:
        client.sendall(b"LOGIN one 127.0.0.1 1\n")
        assert client.recv(100) == b"OK\n"
    assert refusals
    router.close()


def test_oacs_have_a_limit():
    with OacPeer(oac="", script="none") as peer:
        for number in range(3 * MAX_OACS):
            text = b"LOAD_AGENT a%d owner pet maxie" % number
            peer.do(lambda text=text: peer._spawn(Incoming("PROXY", "SPAWNER", 1, text)))
        until(lambda: not peer._jobs and len(peer.brains) == MAX_OACS)


def test_plan_that_cannot_be_written_is_a_problem_and_the_oac_goes_on():
    brain = Brain("fido", "PROXY", Script("demo"))
    brain.known = {"fido": Known("fido", "pet", -1.5e308, 0.0, 0.0, 0.0)}
    brain.known["ball"] = Known("ball", "object", 1.5e308, 0.0, 0.0, 0.0)
    tick = Incoming("PROXY", "fido", 8, b"TICK_MESSAGE")
    brain.receive(tick)
    brain.cycle(0.5)
    assert ["a finite number" in text for text in brain.record.problems] == [True]
    brain.receive(tick)
    assert brain.cycle(1.0) == []
    assert brain.record.ticks == 2


def test_map_levels_and_records_have_limits(monkeypatch):
    monkeypatch.setattr(brains, "MOST_THINGS", 3)
    brain = Brain("fido", "PROXY", Script("none"))
    for name in ("x" * 201, "thing0", "thing1", "thing2", "thing3"):
        brain._place(name, "object", thing(name))
    assert list(brain.known) == ["thing0", "thing1", "thing2"]
    brain._place("thing1", "object", thing("thing1", ("remove", "true")))
    brain._place("thing7", "object", thing("thing7"))
    assert list(brain.known) == ["thing0", "thing2", "thing7"]
    brain._feel_needs(Level(f"need{number}", 0.5) for number in range(1000))
    brain._feel_needs([Level("need7", 0.25)])
    assert (len(brain.levels), brain.levels["need7"]) == (brains.MOST_LEVELS, 0.25)
    for size in (10, brains.LONGEST_KEPT + 1):
        brain.receive(Incoming("PROXY", "fido", 12, b"x" * size))
        brain.cycle(0.0)
    assert [len(text) for text in brain.record.heard] == [10]
