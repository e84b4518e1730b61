# SPDX-License-Identifier: Apache-2.0
"""What Maeden tells as ROS messages, and the picture that it draws."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from math import pi

import pytest
from builtin_interfaces.msg import Time
from maeden_recordings import WORLDS, read_transcript

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world import WorldMap
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import WAIT, Answer, Closed, NoReply, Tick
from embodiment_bridge.protocols.maeden.converter import GridConverter, local_grid, percept_message
from embodiment_bridge.protocols.maeden.events import Act, AgentId, Ending, Percept
from embodiment_bridge.protocols.maeden.routine import Operator
from embodiment_bridge.protocols.maeden.world import AgentWorld

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


PICTURE = WORLDS.parents[3] / "docs/pictures/maeden_view.svg"
SVG = "{http://www.w3.org/2000/svg}"
SYMBOLS = {"free": "()", "agent": '("0")', "key": '("K")', "wall": '("*")', "door": '("#")'}
SIDE = 34.0


@pytest.fixture(scope="module")
def panels():
    """By panel: each cell's name, what is in it, its corner in cells from the panel's left bottom, its label."""
    drawn = {}
    for panel in ElementTree.parse(PICTURE).getroot().findall(f"{SVG}g"):
        name = panel.get("id")
        boxes = [(box, panel[i + 1]) for i, box in enumerate(panel) if (box.get("id") or "").startswith(name)]
        left = min(float(box.get("x")) for box, _ in boxes) if boxes else 0.0
        bottom = max(float(box.get("y")) for box, _ in boxes) if boxes else 0.0
        drawn[name] = {
            box.get("id").removeprefix(f"{name}_"): (
                box.get("class"),
                ((float(box.get("x")) - left) / SIDE, (bottom - float(box.get("y"))) / SIDE),
                label.text,
            )
            for box, label in boxes
        }
    return drawn


@pytest.fixture(scope="module")
def percept(panels):
    """What a server sends of the view that is drawn: rows from the bottom up, columns from the left."""
    place = {corner: kind for kind, corner, _ in panels["view"].values()}
    rows = ["(" + " ".join(SYMBOLS[place[column, row]] for column in range(5)) + ")" for row in range(7)]
    lines = ["0", "8", "f", "()", f"({''.join(rows)})", "()", "()", "2000", "ok", "1"]
    events = Codec().feed("".join(f"{line}\n" for line in lines).encode())
    (seen,) = [event for event in events if isinstance(event, Percept)]
    return seen


def test_rows_and_columns(panels, percept):
    world = AgentWorld()
    world.percept = percept
    message = percept_message(world, percept, Time(), "base_link")
    assert len(panels["view"]) == 35
    for name, (kind, corner, label) in panels["view"].items():
        row, column = map(int, name.split("_"))
        assert corner == (column, row)
        assert list(message.view[int(label)].things) == [SYMBOLS[kind][2:3]] * (kind != "free")
        assert int(label) == 5 * row + column


def test_local_grid(panels, percept):
    grid = local_grid(percept.view, 1.0, Time(), "base_link")
    assert len(panels["local_grid"]) == grid.info.width * grid.info.height
    for name, (kind, (x, y), label) in panels["local_grid"].items():
        assert name == label == str(int(y) * grid.info.width + int(x))
        assert grid.data[int(name)] == (100 if kind in ("wall", "door") else 0)
    kinds = {kind: corner for kind, corner, _ in panels["local_grid"].values()}
    origin = grid.info.origin.position
    assert [c + 0.5 + o for c, o in zip(kinds["agent"], (origin.x, origin.y), strict=True)] == [0.0, 0.0]
    assert [c + 0.5 + o for c, o in zip(kinds["key"], (origin.x, origin.y), strict=True)] == [1.0, 0.0]


def test_map(panels, percept):
    known = WorldMap()
    known.look(GridPose(0, 0, Heading.W), percept.view, "0")
    assert len(panels["map"]) == len(known.cells)
    (left, bottom), _ = known.bounds
    for name, (kind, (x, y), label) in panels["map"].items():
        place = int(x) + left, int(y) + bottom
        assert name.replace("_", ",") == label == f"{place[0]},{place[1]}"
        symbol = "" if kind in ("free", "agent") else SYMBOLS[kind][2:3]
        assert known.cells[place] == ((symbol,) if symbol else ())
        assert (kind == "agent") == (place == (0, 0))


def test_it_is_in_the_page():
    assert f"(pictures/{PICTURE.name})" in (PICTURE.parents[1] / "maeden.md").read_text()
