# SPDX-License-Identifier: Apache-2.0
"""A proxy and a Router over real TCP: login, both ack modes, outages, restarts, several OACs, bad input."""

import re
import socket
import time

import pytest
from network_stage import Notes, RunningProxy, RunningRouter, network, restart
from waiting import until

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.opencog.network.element import Address, Beat, Element
from embodiment_bridge.protocols.opencog.network.outbox import Kind, Letter
from embodiment_bridge.protocols.opencog.network.proxy import Loading, Oac, Presence
from embodiment_bridge.protocols.opencog.router.wire import MessageType
from embodiment_bridge.standins.oac.router_lines import Incoming

MODES = pytest.mark.parametrize("acks", [False, True], ids=["no acks", "acks"])


@MODES
def test_messages_go_both_ways(acks, monkeypatch):
    monkeypatch.setattr("embodiment_bridge.standins.oac.router.ACK_WITHIN", 30.0)  # on a busy machine, too
    with network(acks) as (router, proxy):
        until(lambda: proxy.ready)
        proxy.put("<a>\n<b/>\n\n</a>")
        until(lambda: router.texts() == ["<a>\n<b/>\n\n</a>"])
        router.say("first\n\nthird")
        router.say('fido***Fido entering "Playing Mode"', MessageType.FEEDBACK)
        router.say("")
        until(lambda: len(proxy.notes.heard) == 3)
        assert proxy.notes.heard == [
            ("fido", 1, "first\n\nthird"),
            ("fido", 9, 'fido***Fido entering "Playing Mode"'),
            ("fido", 1, ""),
        ]
        assert router.router.missing_acks == 0


@MODES
def test_thousand_results_arrive_once_and_in_order(acks):
    with network(acks) as (router, proxy):
        for number in range(1000):
            proxy.put(f"report {number}")
        until(lambda: len(router.texts()) >= 1000)
        assert router.texts() == [f"report {number}" for number in range(1000)]


def test_results_wait_for_a_router_that_is_not_there_yet():
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    proxy = RunningProxy(port)
    proxy.put("early")
    until(lambda: proxy.session.counters.last_error)
    router = restart(port)
    until(lambda: router.texts() == ["early"])
    proxy.close()
    router.close()


@MODES
def test_what_was_heard_while_there_was_no_link_is_not_told_as_of_now(acks):
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    proxy = RunningProxy(port, acks=acks)
    proxy.put("come here", Kind.EVENT)
    until(lambda: proxy.session.counters.last_error)
    router = restart(port, acks=acks)
    until(lambda: proxy.ready)
    until(lambda: proxy.notes.presence)
    proxy.put("stay there", Kind.EVENT)
    until(lambda: "stay there" in router.texts())
    assert router.texts() == ["stay there"]
    assert proxy.outbox.dropped == 1
    proxy.close()
    router.close()


@MODES
def test_results_are_kept_while_the_router_restarts(acks):
    router = RunningRouter(acks=acks)
    proxy = RunningProxy(router.port, acks=acks)
    until(lambda: proxy.ready)
    proxy.put("before")
    until(lambda: router.texts() == ["before"])
    router.close()
    until(lambda: not proxy.ready)
    proxy.put("meanwhile")
    again = restart(router.port, acks=acks)
    until(lambda: again.texts())
    assert again.texts() == ["meanwhile"]
    assert proxy.notes.presence == [("fido", "met"), ("fido", "missed"), ("fido", "met")]
    proxy.close()
    again.close()


@MODES
def test_router_that_says_it_has_restarted_is_logged_in_to_again(acks):
    with network(acks) as (router, proxy):
        until(lambda: proxy.ready)
        router.say("x")
        until(lambda: proxy.notes.heard)
        router.do(lambda: router.router._notify(router.router.members["PROXY"], "UNAVAILABLE_ELEMENT ROUTER"))
        until(lambda: proxy.session.status.connects == 2)
        router.say("y")
        until(lambda: len(proxy.notes.heard) == 2)
        login = f"LOGIN PROXY 127.0.0.1 {proxy.element.server.port}"
        # Without acks the proxy is ready as soon as it has written the login.
        until(
            lambda: [line for line in list(router.router.log) if line.startswith("LOGIN")] == [login, login]
        )


def test_whole_restart_of_the_router_with_its_table():
    with network() as (router, proxy):
        until(lambda: proxy.ready)
        router.do(router.router.forget_connections)
        until(lambda: proxy.session.status.connects >= 2 and proxy.ready)
        proxy.put("after")
        until(lambda: "after" in router.texts())


@MODES
def test_what_is_for_an_oac_that_is_gone_waits_or_is_dropped(acks):
    with network(acks) as (router, proxy):
        until(lambda: proxy.ready)
        router.do(lambda: router.router.announce("fido", False))
        until(lambda: ("fido", "missed") in proxy.notes.presence)
        proxy.put("a result")
        proxy.put("a state", Kind.STATE)
        proxy.put("an event", Kind.EVENT)
        until(lambda: proxy.outbox.dropped == 2)
        assert router.texts() == []
        router.do(lambda: router.router.announce("fido", True))
        until(lambda: router.texts() == ["a result"])


def test_oac_that_comes_back_as_another_one_is_owed_nothing():
    with network(return_time=60.0) as (router, proxy):
        until(lambda: proxy.ready)
        router.do(lambda: router.router.announce("fido", False))
        until(lambda: ("fido", "missed") in proxy.notes.presence)
        proxy.put("of the old one")
        router.do(lambda: router.router.announce("fido", True))
        proxy.put("too early")
        router.say("SUCCESS LOAD fido fido")
        until(lambda: ("fido", "anew") in proxy.notes.presence)
        until(lambda: len(router.texts()) == 2)  # who hears that it is another one forgets what was owed
        assert proxy.notes.presence == [("fido", "met"), ("fido", "missed"), ("fido", "anew")]


def test_refused_result_is_repeated_only_when_asked_for():
    for repeat, expected in ((False, ["late"]), (True, ["lost?", "late"])):
        with network(acks=True, repeat_refused=repeat) as (router, proxy):
            until(lambda proxy=proxy: proxy.ready)
            router.do(lambda router=router: setattr(router.router.members["fido"], "available", False))
            proxy.put("lost?")
            until(lambda proxy=proxy: proxy.proxy.refused)
            router.do(lambda router=router: router.router.announce("fido", True))
            proxy.put("late")
            until(lambda router=router: "late" in router.texts())
            assert router.texts() == expected


def test_oac_is_loaded_before_it_is_told_anything():
    with network(oacs=[Oac("fido", Loading("7270"))]) as (router, proxy):
        until(lambda: router.texts() == ["LOAD_AGENT fido 7270 pet maxie"])
        proxy.put("report")
        proxy.put("state", Kind.STATE)
        until(lambda: proxy.outbox.dropped)
        assert proxy.notes.presence == []
        router.say("SUCCESS LOAD fido fido")
        until(lambda: router.texts()[1:] == ["report"])
        assert proxy.notes.presence == [("fido", "met")]
        router.say("SUCCESS LOAD fido fido")
        until(lambda: ("fido", "anew") in proxy.notes.presence)
        proxy.put("last words")
        proxy.proxy.leave()
        assert proxy.proxy.left.wait(10.0)
        until(lambda: "LOGOUT PROXY" in router.router.log)
        assert router.texts()[2:] == ["last words", "UNLOAD_AGENT fido"]


def test_spawner_that_does_not_answer_is_asked_again():
    with network(oacs=[Oac("fido", Loading("7270"))], load_timeout=0.2) as (router, _):
        until(lambda: router.texts().count("LOAD_AGENT fido 7270 pet maxie") >= 3)


def test_ticks_come_and_never_pile_up():
    with network(tick_period=0.05) as (router, proxy):
        until(lambda: len(router.texts(MessageType.TICK)) >= 5)
        assert set(router.texts(MessageType.TICK)) == {"TICK_MESSAGE"}
        assert proxy.notes.ticks >= 5
        router.do(lambda: time.sleep(0.5))
        assert proxy.outbox.waiting() <= 1


def test_several_oacs_of_one_proxy():
    with network(oacs=[Oac("fido"), Oac("rex")]) as (router, proxy):
        rex = []
        router.do(lambda: router.router.attach("rex", rex.append))
        until(lambda: proxy.ready)
        proxy.put("to fido")
        proxy.put("to rex", to="rex")
        until(lambda: rex and router.texts())
        assert rex[0].payload == b"to rex"
        router.say("from rex", sender="rex")
        until(lambda: proxy.notes.heard)
        assert proxy.notes.heard == [("rex", 1, "from rex")]
        router.do(lambda: router.router.announce("rex", False))
        until(lambda: ("rex", "missed") in proxy.notes.presence)
        proxy.put("more for fido")
        until(lambda: router.texts() == ["to fido", "more for fido"])


def test_stranger_is_not_heard():
    with network() as (router, proxy):
        until(lambda: proxy.ready)
        router.do(lambda: router.router.attach("mallory", lambda _: None))
        router.say("<oc:action-plan/>", sender="mallory")
        until(lambda: "mallory" in proxy.proxy.last_error)
        assert proxy.notes.heard == []


def test_router_that_never_answers_a_login_is_left_and_tried_again():
    router = RunningRouter(answers=False)
    proxy = RunningProxy(router.port, acks=True, handshake_timeout=0.5)
    proxy.put("kept")
    until(lambda: "no answer within" in proxy.session.counters.last_error)
    assert not proxy.ready
    assert proxy.outbox.waiting(Kind.RESULT) == 1
    proxy.close()
    router.close()


def test_router_that_never_says_anything_counts_as_gone_after_a_while():
    router = RunningRouter(answers=False)
    proxy = RunningProxy(router.port, silence=0.3)
    until(lambda: "nothing heard from the Router" in proxy.session.counters.last_error)
    assert f"can it dial 127.0.0.1:{proxy.element.server.port}" in proxy.session.counters.last_error
    proxy.close()
    router.close()


def test_any_number_of_dial_backs_is_served():
    with network() as (_, proxy):
        until(lambda: proxy.ready)
        address = ("127.0.0.1", proxy.element.server.port)
        lines = [socket.create_connection(address) for _ in range(70)]
        for number, line in enumerate(lines[-60:]):
            line.sendall(b"cSTART_MESSAGE fido PROXY 1\ndnumber %d\ncNO_MORE_MESSAGES\n" % number)
        until(lambda: len(proxy.notes.heard) == 60)
        assert len(proxy.element.dialbacks) <= 64
        for line in lines:
            line.close()


def test_only_the_router_may_dial_back():
    element = Element(Address("PROXY", router_host="127.0.0.2"))
    with socket.create_connection(("127.0.0.1", element.server.port)):
        element.accept()
    assert element.dialbacks == {}
    assert element.server.refused == 1
    element.close()


def test_listens_on_this_machine_only_unless_told():
    element = Element(Address("PROXY"))
    assert element.server.host == "127.0.0.1"
    assert element.login().host == "127.0.0.1"
    element.close()


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b"])
def test_host_that_does_not_exist_is_named(host):
    with pytest.raises(LinkError, match=re.escape(f"the Router's host {host!r} is unknown")):
        Element(Address("PROXY", router_host=host))


@pytest.mark.parametrize(
    "rubbish",
    [
        b"cSTART_MESSAGE fido PROXY 1\ndhalf a mes",
        b"\0\0\0\n\xff\xfe\n",
        b"dlost line\ncNO_MORE_MESSAGES\n",
        b"cSTART_MESSAGE f i d o PROXY 1\ndx\ncNO_MORE_MESSAGES\n",
        b"d" + b"x" * 2_000_000 + b"\n",
        b"cSTART_MESSAGE fido PROXY 1\n" + b"dxxxxxxxxx\n" * 200_000 + b"cNO_MORE_MESSAGES\n",
    ],
    ids=["cut off", "NUL", "outside a batch", "blanks in ids", "long line", "long message"],
)
def test_bad_dial_back_disturbs_nothing(rubbish):
    with network() as (router, proxy):
        until(lambda: proxy.ready)
        with socket.create_connection(("127.0.0.1", proxy.element.server.port)) as line:
            line.sendall(rubbish)
        router.say("good")
        until(lambda: ("fido", 1, "good") in proxy.notes.heard)
        assert proxy.session.status.connects == 1


def test_interleaved_batches_give_what_they_can():
    with network() as (_, proxy):
        until(lambda: proxy.ready)
        with socket.create_connection(("127.0.0.1", proxy.element.server.port)) as line:
            line.sendall(
                b"cSTART_MESSAGE fido PROXY 1\ndone\ncSTART_MESSAGE fido PROXY 1\ndtwo\ncNO_MORE_MESSAGES\n"
                b"drest of one\ncNO_MORE_MESSAGES\ncSTART_MESSAGE fido PROXY 1\ndthree\ncNO_MORE_MESSAGES\n"
            )
            until(lambda: len(proxy.notes.heard) == 3)
        assert [text for _, _, text in proxy.notes.heard] == ["one", "two", "three"]
        assert proxy.session.counters.malformed == 2


def test_heartbeats_keep_a_silent_link():
    with network(silence=5.0, router_options={"heartbeat": 0.1}) as (router, proxy):
        until(lambda: proxy.ready)
        begun = router.router.beats
        until(lambda: router.router.beats > begun + 60)  # that is longer than it may be silent
        assert proxy.session.status.connects == 1


def test_nothing_is_sent_back_without_acks():
    with network() as (router, proxy):
        until(lambda: proxy.ready)
        router.say("x")
        router.do(router.router.beat)
        proxy.put("seen")
        until(lambda: router.texts() == ["seen"])
        member = router.router.members["PROXY"]
        router.do(
            lambda: router.got.append(Incoming("", "", 0, member.control.read(0.1) + member.data.read(0.1)))
        )
        assert router.got[-1].payload == b""


def test_letter_that_cannot_be_written_is_counted_and_the_next_one_goes():
    with network() as (router, proxy):
        until(lambda: proxy.ready)
        proxy.outbox.put(Letter("fido", lambda: b"%d" % (1 // 0), Kind.RESULT, about="plan 4"))
        proxy.put("with\0NUL")
        proxy.outbox.put(Letter("fido", lambda: None, Kind.RESULT))
        proxy.put("good")
        until(lambda: router.texts() == ["good"])
        assert proxy.session.counters.refused_commands == 1
        assert (
            proxy.proxy.last_error
            == "plan 4 for fido is lost: ZeroDivisionError('integer division or modulo by zero')"
        )


def test_result_whose_writing_failed_is_made_and_sent_again_and_one_that_was_written_is_not():
    proxy = RunningProxy(1, start=False)
    made = []

    def make():
        made.append(len(made))
        return b"%d" % len(made)

    proxy.outbox.put(Letter("fido", make, Kind.RESULT))
    proxy.put("state", Kind.STATE)
    here = proxy.proxy.oacs["fido"]
    here.presence = Presence.PRESENT
    assert [command.payload for command in proxy.proxy.respond(Beat())] == [b"1"]
    proxy.proxy.lost("the write failed")
    assert proxy.outbox.waiting(Kind.RESULT) == 1
    assert list(proxy.proxy.respond(Beat())) == []  # nobody is known to be there
    here.presence = Presence.PRESENT
    assert [command.payload for command in proxy.proxy.respond(Beat())] == [b"2"]
    proxy.proxy.observe(Beat())
    proxy.proxy.lost("after it was written")
    here.presence = Presence.PRESENT
    assert list(proxy.proxy.respond(Beat())) == []
    assert made == [0, 1]
    proxy.close()


def test_results_first_then_events_then_the_newest_state():
    proxy = RunningProxy(1, start=False)
    for text, kind in (("s1", Kind.STATE), ("e1", Kind.EVENT), ("s2", Kind.STATE), ("r1", Kind.RESULT)):
        proxy.put(text, kind)
    taken = [proxy.outbox.take(lambda _: True).make().decode() for _ in range(3)]
    assert taken == ["r1", "e1", "s2"]
    assert proxy.outbox.take(lambda _: True) is None
    proxy.close()


def test_events_are_bounded_and_counted():
    proxy = RunningProxy(1, start=False)
    for number in range(600):
        proxy.put(str(number), Kind.EVENT)
    assert proxy.outbox.waiting(Kind.EVENT) == 500
    assert proxy.outbox.dropped == 100
    assert proxy.outbox.take(lambda _: True).make() == b"100"
    assert Notes().heard == []
    proxy.close()
