# SPDX-License-Identifier: Apache-2.0
"""What is told to the server and when, with a clock of the test's own."""

from dataclasses import replace

import pytest
from maeden_recordings import RECORDINGS

from embodiment_bridge.core.errors import LinkError, LinkOverError
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import (
    GIVE_UP_S,
    HANG_UP_S,
    QUEUE_LIMIT,
    WAIT,
    Answer,
    Conversation,
    NoReply,
    Options,
)
from embodiment_bridge.protocols.maeden.events import Act, AgentId, Ending, Join, NoPacket, Percept
from embodiment_bridge.wire.codec import Malformed

PACKET = next(
    event
    for event in Codec().feed((RECORDINGS / "json2018/objects.A0.s2c.raw").read_bytes())
    if isinstance(event, Percept)
)
STEP = Act("forward")


def at(time, **changes):
    return replace(PACKET, world_time=time, **changes)


def told(talk):
    commands, talk.to_send = talk.to_send, []
    return commands


def ready(**options):
    """A conversation at second 1, whose agent is there and has been told nothing."""
    talk = Conversation(Options(**options), 0.0)
    talk.take([AgentId(0, "0"), at(1)], 0.1)
    (first,) = talk.advance(0.5)
    assert first == Answer(PACKET.offset, at(1), None, 0.5)
    told(talk)
    return talk


def act(talk, now, command=STEP):
    talk.submit(command)
    talk.push(now)
    assert told(talk) == [command]


def test_a_silent_server_is_told_a_role_after_a_second_and_not_before():
    talk = Conversation(Options(), 0.0)
    talk.advance(0.9)
    assert told(talk) == []
    talk.advance(1.0)
    talk.advance(2.0)
    assert told(talk) == [Join("base")]


def test_a_server_that_tells_an_id_is_told_no_role():
    talk = Conversation(Options(), 0.0)
    talk.take([AgentId(0, "0"), at(1)], 0.2)
    for tenth in range(3, 40):
        talk.advance(tenth / 10)
    assert told(talk) == []


@pytest.mark.parametrize(
    ("dialect", "first"), [("text", [Join("helper")]), ("json", []), ("j1", []), ("j2", [])]
)
def test_with_a_fixed_dialect_nobody_waits(dialect, first):
    talk = Conversation(Options(dialect=dialect, role="helper"), 0.0)
    assert told(talk) == first
    talk.advance(5.0)
    assert told(talk) == []


def test_nothing_is_commanded_before_the_line_is_quiet_and_the_last_packet_counts():
    talk = Conversation(Options(settle_s=0.25), 0.0)
    talk.take([AgentId(0, "0"), at(1)], 0.1)
    talk.submit(STEP)
    assert talk.take([at(2)], 0.3) == []
    assert talk.advance(0.5) == []
    assert told(talk) == []
    assert talk.advance(0.56)[0].percept.world_time == 2
    talk.advance(0.6)
    assert told(talk) == [STEP]


def test_one_command_is_on_its_way_and_each_answer_has_its_own():
    talk = ready()
    commands = [Act("left"), Act("right"), Act("forward")]
    for command in commands:
        talk.submit(command)
    for number, command in enumerate(commands):
        talk.advance(1.0 + number)
        talk.advance(1.1 + number)
        assert told(talk) == [command]
        (answer,) = talk.take([at(number + 2)], 1.2 + number)
        assert answer.command is command


def test_what_waits_when_an_answer_is_missed_is_never_sent():
    talk = ready(reply_timeout_s=1.0)
    act(talk, 1.0)
    talk.submit(Act("left"))
    told_on = talk.advance(2.1)
    assert [(event.command, event.sent) for event in told_on] == [(STEP, True), (Act("left"), False)]
    assert told(talk) == [WAIT]
    talk.take([at(2)], 3.0)
    talk.advance(4.0)
    talk.advance(5.0)
    assert told(talk) == []


def test_the_packet_before_once_more_is_no_answer():
    talk = ready()
    act(talk, 1.0)
    assert talk.take([at(1)], 1.1) == []
    assert talk.take([at(2)], 1.2)[0].command is STEP


def test_a_command_too_many_is_refused():
    talk = ready()
    assert all(talk.submit(STEP) for _ in range(QUEUE_LIMIT))
    assert not talk.submit(STEP)


def test_no_answer_in_time_is_told_and_the_agent_waits_until_the_line_is_quiet_again():
    talk = ready(reply_timeout_s=1.0)
    act(talk, 1.0)
    assert talk.advance(1.9) == []
    (lost,) = talk.advance(2.1)
    assert (type(lost), lost.command, lost.waited_s) == (NoReply, STEP, pytest.approx(1.1))
    assert told(talk) == [WAIT]
    talk.submit(Act("left"))
    talk.take([at(5)], 2.2)
    talk.take([at(6)], 2.3)  # the late answer and that to w, in whatever order
    talk.advance(2.4)
    assert told(talk) == []
    (answer,) = talk.advance(2.6)
    assert (answer.percept.world_time, answer.command) == (6, WAIT)
    talk.advance(2.7)
    assert told(talk) == [Act("left")]


def test_an_answer_that_cannot_be_read_is_an_answer_that_is_lost():
    talk = ready()
    act(talk, 1.0)
    bad = Malformed(0, "half a packet")
    assert [type(event) for event in talk.take([bad], 1.1)] == [Malformed, NoReply]
    assert told(talk) == [WAIT]


def test_a_server_that_stays_silent_is_called_ever_less_often_and_given_up():
    talk = ready(reply_timeout_s=1.0)
    act(talk, 1.0)
    calls = []

    def wait():
        for tenth in range(10, 1000):
            talk.advance(tenth / 10)
            calls.extend(tenth / 10 for _ in told(talk))

    with pytest.raises(LinkError, match="no answer"):
        wait()
    assert calls == pytest.approx([2.1, 3.2, 5.3, 9.4, 17.5], abs=0.3)
    assert calls[-1] < 2.1 + GIVE_UP_S


def test_listening_waits_when_nothing_else_is_due():
    talk = ready(listen=True, listen_interval_s=0.2)
    talk.advance(0.6)
    assert told(talk) == []
    talk.advance(0.71)
    assert told(talk) == [WAIT]
    talk.submit(STEP)
    talk.take([at(2)], 0.8)
    talk.advance(0.81)
    assert told(talk) == [STEP]


def test_on_demand_sends_nothing_by_itself():
    talk = ready()
    for second in range(1, 100):
        talk.advance(float(second))
    assert told(talk) == []


def test_the_first_ending_counts_and_ends_everything():
    talk = ready()
    act(talk, 1.0)
    talk.submit(Act("left"))
    events = talk.take([Ending(0, "SUCCESS"), at(2), Ending(9, "END")], 1.1)
    assert [type(event) for event in events] == [Ending, Answer]
    talk.advance(1.2)
    assert told(talk) == []
    assert not talk.alive
    with pytest.raises(LinkOverError, match="SUCCESS"):
        talk.advance(1.2 + HANG_UP_S)


@pytest.mark.parametrize(
    ("rejoin", "kind"), [("never", LinkOverError), ("lost", LinkOverError), ("always", LinkError)]
)
def test_nobody_becomes_a_new_agent_after_an_ending_unless_asked_to(rejoin, kind):
    talk = ready(rejoin=rejoin)
    talk.take([at(2, status="DIE")], 1.1)
    assert type(talk.parting("closed")) is kind


@pytest.mark.parametrize(
    ("rejoin", "kind"), [("never", LinkOverError), ("lost", LinkError), ("always", LinkError)]
)
def test_a_link_that_ends_without_a_word_may_be_made_again(rejoin, kind):
    assert type(ready(rejoin=rejoin).parting("closed")) is kind


def test_a_world_without_food_is_over_at_once():
    talk = Conversation(Options(), 0.0)
    with pytest.raises(LinkOverError, match="without food"):
        talk.take([AgentId(0, "0"), NoPacket(2, 8)], 0.1)
    silent = Conversation(Options(), 0.0)
    silent.take([AgentId(0, "0")], 0.1)
    with pytest.raises(LinkOverError, match="without food"):
        silent.advance(6.0)
