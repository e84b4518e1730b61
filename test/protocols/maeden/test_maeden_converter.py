# SPDX-License-Identifier: Apache-2.0
"""Events to messages: frames, signs and units of each topic, and endings."""

from dataclasses import replace
from math import pi

import pytest
from builtin_interfaces.msg import Time
from maeden_recordings import WORLDS, read_transcript

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden.conversation import WAIT, Answer, Closed, NoReply, Tick
from embodiment_bridge.protocols.maeden.converter import GridConverter
from embodiment_bridge.protocols.maeden.events import Act, AgentId, Ending, Percept
from embodiment_bridge.protocols.maeden.routine import Operator

ROOT = WORLDS.parents[3]
STAMP = Time(sec=12, nanosec=34)
VIEW = [[() for _ in range(5)] for _ in range(7)]
VIEW[1][2], VIEW[2][2], VIEW[4][0], VIEW[6][4] = ("0",), ("K",), ("*",), ("#",)
PERCEPT = Percept(
    0, "J4", "CONTINUE", "f", ("T", "+"), tuple(map(tuple, VIEW)), ("$",), (), 1500, True, 7, "raw"
)


def converter(**parameters):
    values = {parameter.name: parameter.default for parameter in SPEC.parameters} | parameters
    made = GridConverter(values, read_body(ROOT / "config/bodies/maeden.yaml"))
    made.handshake()
    made.body_state(AgentId(0, "0"))
    return made


def told(made, event):
    """The state and the messages by topic."""
    state = made.body_state(event)
    return state, dict(made.messages(Cycle(event, state), STAMP))


def answer(percept=PERCEPT, command=None):
    return Answer(0, percept, command, 1.5)


def test_view_is_in_front_of_the_base():
    _, messages = told(converter(cell_size=0.5), answer())
    grid = messages["local_grid"]
    assert (grid.info.resolution, grid.info.width, grid.info.height) == (0.5, 7, 5)
    assert (grid.info.origin.position.x, grid.info.origin.position.y) == (-0.75, -1.25)
    filled = {(i % 7, i // 7) for i, value in enumerate(grid.data) if value == 100}
    assert filled == {(4, 4), (6, 0)}  # three ahead and two left; five ahead and two right
    assert messages["percept"].view[7].things == ["0"]
    assert messages["percept"].view[20].things == ["*"]


@pytest.mark.parametrize(
    ("heading", "yaw", "key"),
    [("E", 0, (1, 0)), ("N", pi / 2, (0, 1)), ("W", pi, (-1, 0)), ("S", 3 * pi / 2, (0, -1))],
)
def test_headings_and_places(heading, yaw, key):
    state, messages = told(converter(initial_heading=heading, cell_size=2.0), answer())
    assert state.yaw == pytest.approx(yaw)
    entities = {
        entity.kind: entity for entity in messages["entities"].entities if not entity.id.count("carried")
    }
    place = entities["key"].pose.position
    assert (place.x, place.y) == pytest.approx((key[0] * 2.0, key[1] * 2.0))
    assert messages["map"].info.resolution == 2.0


def test_steps_move_the_pose_when_they_were_done():
    made = converter()
    told(made, answer())
    state, messages = told(made, answer(replace(PERCEPT, ok=False, energy=1495), Act("forward")))
    assert state.base_position == (0.0, 0.0, 0.0)
    assert (messages["percept"].command, messages["percept"].energy_spent) == ("f", 5)
    state, messages = told(made, answer(replace(PERCEPT, view=tuple([((),) * 5] * 7)), Act("left")))
    assert messages["percept"].heading == "S"
    assert made.body_state(Tick(0, 2.0)).yaw == pytest.approx(3 * pi / 2)


def test_those_who_begin_to_listen_are_told_the_state_of_an_agent_that_does_nothing():
    made = converter()
    told(made, answer())  # at 1.5 s
    repeated = []
    for time_s in (1.6, 2.4, 2.6, 3.5, 3.7):
        _, messages = told(made, Tick(0, time_s))
        if messages:
            repeated.append(time_s)
            assert messages.keys() == {"pose", "odom", "battery", "local_grid", "entities"}
            assert messages["battery"].charge == 1500.0
    assert repeated == [2.6, 3.7]


def test_an_agent_that_was_told_nothing_yet_repeats_nothing():
    assert told(converter(), Tick(0, 60.0)) == (None, {})


def test_a_lost_answer_shows_in_flag_and_variance():
    made = converter()
    told(made, answer())
    made.body_state(NoReply(0, Act("forward"), 1.0, 2.0))
    empty = tuple([((),) * 5] * 7)
    _, messages = told(made, answer(replace(PERCEPT, view=empty), Act("wait")))
    assert not messages["percept"].pose_sure
    assert messages["odom"].pose.covariance[0] == 4.0


def test_battery_and_carried_things():
    _, messages = told(converter(), answer())
    assert (messages["battery"].charge, messages["battery"].percentage) == (1500.0, 0.75)
    carried = [entity.kind for entity in messages["entities"].entities if "carried" in entity.id]
    assert carried == ["hammer", "food"]


def test_each_ending_is_told_once_and_the_first_stays():
    made = converter()
    assert told(made, answer())[1]["event"].name == "CONTINUE"
    assert "event" not in told(made, answer())[1]
    assert told(made, Ending(0, "SUCCESS"))[1]["event"].name == "SUCCESS"
    assert told(made, Ending(0, "END"))[1] == {}
    assert told(made, Closed(0, "gone", 2.0))[1] == {}
    made.handshake()
    told(made, answer())
    assert told(made, Closed(0, "gone", 2.0))[1]["event"].reason == "gone"


def test_sentences_of_the_recordings_are_heard_from_their_direction():
    _, talks = read_transcript("text2013", "messages")
    made = converter()
    heard = []
    for _, events in talks["A2"].turns:
        for percept in events:
            if isinstance(percept, Percept):
                heard += [m for topic, m in made.messages(Cycle(answer(percept)), STAMP) if topic == "heard"]
    assert heard
    assert all(message.sender and message.text for message in heard)


def test_a_body_with_joints_is_refused():
    body = read_body(ROOT / "config/bodies/t1.yaml")
    assert isinstance(body, BodyDescription)
    values = {parameter.name: parameter.default for parameter in SPEC.parameters}
    with pytest.raises(ConfigError, match="joints"):
        GridConverter(values, body)


def test_listening_is_remarked_on_for_what_it_costs():
    assert "1 unit" in converter(pacing="listen").warnings()[0]


def test_a_command_that_was_never_sent_leaves_the_place_sure():
    made = converter()
    made.body_state(answer())
    made.body_state(NoReply(0, Act("forward"), 0.0, 2.0, sent=False))
    assert made._world.track.settled
    made.body_state(NoReply(0, Act("forward"), 1.0, 3.0))
    assert not made._world.track.settled


def test_no_command_is_handed_out_while_the_server_is_silent_so_that_it_can_be_withdrawn():
    operator = Operator()
    lost = operator.ask(Act("forward"))
    assert operator.next() == [lost.command]
    operator.heard(NoReply(0, lost.command, 1.0, 2.0))
    assert (lost.done, lost.ok) == (True, False)
    late = operator.ask(Act("forward"))
    assert operator.next() == []
    operator.withdraw(late)
    assert late.done
    operator.heard(answer(command=WAIT))
    assert operator.next() == []
    again = operator.ask(Act("left"))
    assert operator.next() == [again.command]
    operator.heard(NoReply(0, again.command, 1.0, 2.0))
    operator.drop("the link is gone")
    assert operator.ask(Act("right")).command in operator.next()
