# SPDX-License-Identifier: Apache-2.0
"""Speech, actions, needs, views and plans between ROS and an OAC, and settings that cannot be."""

from math import isnan, nan, pi
from pathlib import Path
from textwrap import dedent

import pytest
from builtin_interfaces.msg import Time
from embodiment_bridge.msg import ActionParameter, AgentAction, HeardMessage
from geometry_msgs.msg import Point
from nav_msgs.msg import OccupancyGrid
from perceived import FINAL, ME, STAMP, array, one, stamped, thing, told
from std_msgs.msg import Header

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.opencog.convert import RAW, STRING, Perceptor
from embodiment_bridge.protocols.opencog.world.report import Thing, parse_things
from embodiment_bridge.protocols.opencog.world.settings import Settings
from embodiment_bridge.protocols.opencog.world.visibility import VisibilityGrid
from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml import parts
from embodiment_bridge.protocols.opencog.xml.xml_documents import write
from embodiment_bridge.standins.oac.intake import validate


@pytest.mark.parametrize(
    ("speech", "expected"),
    [
        ("raw", ((ev.Communication("suzy_q", STAMP, "sit!"),), RAW)),
        ("instruction", ((ev.Instruction("fido", "suzy_q", STAMP, "sit!"),), STRING)),
        ("none", ((), STRING)),
    ],
)
def test_speech(speech, expected):
    perceptor = Perceptor(Settings("fido", speech=speech))
    assert perceptor.heard(HeardMessage(sender="suzy q", text=" sit! "), STAMP) == expected
    assert perceptor.heard(HeardMessage(sender="fido", text="sit!"), STAMP)[0] == ()
    assert perceptor.heard(HeardMessage(text=" "), STAMP)[0] == ()


def grab(**changes):
    values = {"agent": "suzy", "name": "grab", "target": "ball", "target_type": "object", "succeeded": True}
    number = ActionParameter(name="force", type="float", value="2.5")
    place = ActionParameter(name="at", type="vector", vector=Point(x=1.0, y=2.0, z=0.0))
    bad = ActionParameter(name="bad", type="int", value="x")
    return AgentAction(**values | changes, parameters=[number, place, bad])


def test_observed_actions():
    params = (
        parts.Param("float", "force", "2.5"),
        parts.Param("vector", "at", vector=parts.Vector(1000.0, 2000.0, 0.0)),
    )
    target = parts.Param("entity", "target", entity=parts.Entity("ball", "object"))
    found = one(Perceptor(ME).action(grab(), STAMP))
    assert found == ev.AgentSignal(
        "suzy", STAMP, None, (parts.ActionSignal("grab", params=(*params, target)),)
    )
    perceptor = Perceptor(FINAL)
    (action,) = one(perceptor.action(grab(agent_type="avatar"), STAMP)).actions
    assert (action.target, action.target_type, action.instance_name) == ("ball", "object", "grab1")
    assert action.result_state is True
    assert one(perceptor.action(grab(instance="g7"), STAMP)).actions[0].instance_name == "g7"
    assert one(perceptor.action(grab(), STAMP)).actions[0].instance_name == "grab2"
    for dialect in ("seed", "final"):
        messages = Perceptor(Settings("fido", dialect=dialect)).action(grab(), STAMP)
        assert validate(write(messages, dialect), dialect) == []


def test_own_actions_are_told_only_when_wanted():
    assert Perceptor(ME).action(grab(agent="/robot1"), STAMP) == ()
    assert Perceptor(ME).action(grab(agent=""), STAMP) == ()
    echo = Settings("fido", echo_own_actions=True)
    assert one(Perceptor(echo).action(grab(agent="fido"), STAMP)).id == "fido"


def test_needs():
    found = one(Perceptor(ME).physiology(["hunger", "energy", "x", "y"], [-1.0, 0.5, nan, 9.0], STAMP))
    assert found.levels == (parts.Level("hunger", 0.0), parts.Level("energy", 0.5), parts.Level("y", 1.0))
    assert Perceptor(ME).physiology([], [], STAMP) == ()


def test_visibility_of_a_local_grid():
    perceptor = Perceptor(ME, grid=VisibilityGrid(32, -16.0, -16.0, 32.0))
    grid = OccupancyGrid(header=Header(frame_id="robot1/base_link"), data=[0, -1, 100, 0])
    grid.info.width, grid.info.height, grid.info.resolution = 2, 2, 1.0
    assert perceptor.grid(grid, None) == ()  # the place of the body is unknown
    found = one(perceptor.grid(grid, stamped(2.0, 3.0)))
    assert found == ev.AgentSensorInfo((parts.Perception("visibility", "19 18 18;20 18 19", "map"),))
    assert perceptor.grid(grid, stamped(2.0, 3.0)) == ()
    assert perceptor.grid(grid, stamped(2.0, 3.0, pi / 2)) != ()
    perceptor.refresh()
    assert len(one(perceptor.grid(None, None)).perceptions[0].signal) > len("19 18 18;20 18 19")
    assert Perceptor(ME).grid(grid, None) == ()


def test_visibility_of_a_view():
    perceptor = Perceptor(ME, grid=VisibilityGrid(32, -16.0, -16.0, 32.0))
    perceptor.see(stamped(0.5, 0.5), 0.2, 3.2)
    assert one(perceptor.grid(None, None)).perceptions[0].signal == "16 16 19"
    perceptor.see(stamped(nan, 0.5), 0.2, 3.2)
    perceptor.see(None, 0.2, 3.2)
    assert perceptor.grid(None, None) == ()


def test_plan_to_ros():
    actions = (
        parts.PlanAction(
            "sniffAt", 3, (parts.Param("entity", "t", entity=parts.Entity("red_ball", "object")),)
        ),
        parts.PlanAction(
            "walk",
            1,
            (
                parts.Param("vector", "target", vector=parts.Vector(1500.0, -250.0, 100.0)),
                parts.Param("float", "speed", "2.5"),
                parts.Param("rotation", "", rotation=parts.Rotation(0.1, 0.2, 5.38)),
            ),
        ),
        parts.PlanAction(
            "say", 2, (parts.Param("string", "m", "hi"), parts.Param("string", "target", "id_red_ball"))
        ),
        parts.PlanAction("walk", 3, (parts.Param("vector"),)),
    )
    perceptor = Perceptor(ME)
    told(perceptor, array(thing("red ball")))
    message = perceptor.plan(ev.ActionPlan("4", "fido", "Energy", actions), Time(sec=3))
    assert (message.id, message.entity_id, message.demand, message.header.stamp.sec) == (
        "4",
        "fido",
        "Energy",
        3,
    )
    walk, say, sniff, bad = message.actions
    assert [(a.name, a.sequence) for a in message.actions] == [
        ("walk", 1),
        ("say", 2),
        ("sniffAt", 3),
        ("walk", 3),
    ]
    place, speed, turn = walk.parameters
    assert (place.vector.x, place.vector.y, place.vector.z) == (1.5, -0.25, 0.1)
    assert (speed.type, speed.value) == ("float", "2.5")
    assert (turn.rotation.x, turn.rotation.y) == (0.1, 0.2)
    assert turn.rotation.z == pytest.approx(5.38 - 2 * pi)
    assert [p.value for p in say.parameters] == ["hi", "red ball"]
    assert (sniff.parameters[0].value, sniff.parameters[0].entity_type) == ("red ball", "object")
    assert bad.parameters[0].type == "vector"
    assert isnan(bad.parameters[0].vector.x)  # never a walk to the origin, and never said to be missing


def test_single_command_is_a_plan_that_nobody_waits_for():
    params = tuple(parts.Param("int", name, value) for name, value in [("x", "1"), ("y", "2"), ("x", "5")])
    message = Perceptor(FINAL).single(ev.SingleActionCommand("MoveToCoordinate", params), Time())
    assert message.id == ""
    (walk,) = message.actions
    assert (walk.name, walk.parameters[0].vector.x, walk.parameters[0].vector.y) == ("walk", 5.0, 2.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agent_id": ""}, "agent_id"),
        ({"agent_id": "a b"}, "agent_id 'a b'"),
        ({"dialect": "sed"}, "did you mean 'seed'"),
        ({"agent_type": "dog"}, "agent_type 'dog'"),
        ({"speech": "loud"}, "speech 'loud'"),
        ({"map_side": 0.0}, "map_side"),
        ({"map_side": nan}, "map_side"),
        ({"map_x": 1e9}, "too large"),
    ],
)
def test_settings_that_cannot_be(changes, words):
    with pytest.raises(ConfigError) as caught:
        Settings(**{"agent_id": "a"} | changes)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("things: {a: {}}", "position: missing"),
        ("things: {a: {position: [1, 2]}}", "3 numbers"),
        ("things: {a: {position: [1, 2, 3], sise: [1, 1, 1]}}", "'sise'"),
        ("cups: {}", "things: missing"),
    ],
)
def test_bad_file_of_things(text, words):
    with pytest.raises(ConfigError) as caught:
        parse_things(text, str(Path("desk.yaml")))
    assert words in str(caught.value)


def test_number_of_things_is_bounded():
    perceptor = Perceptor(ME, [Thing(f"t{i}", "x", (0.0, 0.0, 0.0)) for i in range(6000)])
    assert len(one(perceptor.entities(None, None, STAMP, 0.0)).blips) == 5000


def test_things_in_the_documents_can_be_read():
    page = (Path(__file__).parents[3] / "docs/opencog_xml.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    (cup,) = parse_things(dedent(text), "docs/opencog_xml.md")
    assert cup == Thing(
        "cup", "object", (0.3, 0.1, 0.0), 0.0, (0.1, 0.1, 0.12), True, (("color", "blue-100%"),)
    )
