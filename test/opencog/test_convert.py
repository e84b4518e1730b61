# SPDX-License-Identifier: Apache-2.0
"""ROS messages to what an OAC is told, and its plans to ROS messages: units, signs, frames, names; only what is new."""

from math import cos, nan, pi, sin
from pathlib import Path
from textwrap import dedent

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.msg import ActionParameter, AgentAction, Entity, EntityArray, HeardMessage
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import OccupancyGrid
from std_msgs.msg import Header

from embodiment_bridge.errors import ConfigError
from embodiment_bridge.protocols.opencog import events as ev
from embodiment_bridge.protocols.opencog import parts
from embodiment_bridge.protocols.opencog.convert import RAW, STRING, Perceptor
from embodiment_bridge.protocols.opencog.settings import Settings
from embodiment_bridge.protocols.opencog.thing_file import parse_things
from embodiment_bridge.protocols.opencog.validator import validate
from embodiment_bridge.protocols.opencog.visibility import VisibilityGrid
from embodiment_bridge.protocols.opencog.world_report import Thing
from embodiment_bridge.protocols.opencog.xml_reader import read
from embodiment_bridge.protocols.opencog.xml_writer import write

STAMP = "2011-08-20T10:00:00.500"
ME = Settings("fido", agent_name="Fido", owner_id="suzy", owner_name="Suzy", aliases=frozenset(("/robot1",)))
FINAL = Settings("fido", dialect="final")


def pose(x=0.0, y=0.0, yaw=0.0, z=0.0):
    turn = Quaternion(x=0.0, y=0.0, z=sin(yaw / 2), w=cos(yaw / 2))
    return Pose(position=Point(x=x, y=y, z=z), orientation=turn)


def stamped(*args):
    return PoseStamped(header=Header(frame_id="map"), pose=pose(*args))


def thing(id_="ball", kind="ball", where=None, visible=True, size=(0.2, 0.2, 0.2), **properties):
    pairs = [KeyValue(key=key, value=value) for key, value in properties.items()]
    extent = Vector3(x=size[0], y=size[1], z=size[2])
    return Entity(id=id_, kind=kind, pose=where or pose(), visible=visible, size=extent, properties=pairs)


def array(*things):
    return EntityArray(header=Header(frame_id="map"), entities=list(things))


def one(messages):
    (message,) = messages
    return message


def told(perceptor, array_, now=0.0, at=None):
    """The blips of the next message, by id."""
    messages = perceptor.entities(array_, at, STAMP, now)
    for message in messages:
        for dialect in {perceptor.settings.dialect}:
            assert validate(write([message], dialect), dialect) == []
    return {blip.entity.id: blip for message in messages for blip in message.blips}


def test_first_message_tells_all_and_the_body_first():
    perceptor = Perceptor(ME)
    blips = told(perceptor, array(thing(), thing("wall", "wall")), at=stamped(1.0, -2.0, 0.5))
    assert list(blips) == ["fido", "ball", "wall"]
    own = blips["fido"]
    assert own.entity == parts.Entity("fido", "pet", "Fido", "suzy", "Suzy")
    assert own.position == parts.Vector(1000.0, -2000.0, 0.0)
    assert own.rotation == parts.Rotation(0.0, 0.0, 0.5)
    assert dict(own.properties)["visibility-status"] == "visible"
    assert [blips[name].entity.type for name in ("ball", "wall")] == ["object", "structure"]


def test_units_sizes_owner_and_own_properties():
    ball = thing(
        where=pose(0.5, 0.25, 3.0, 0.1),
        size=(0.1, 0.2, 0.3),
        owner="/robot1",
        color="blue-100%",
        name="the ball",
    )
    blip = told(Perceptor(ME), array(ball))["ball"]
    assert blip.entity == parts.Entity("ball", "object", "the ball", "fido")
    assert blip.position == parts.Vector(500.0, 250.0, 100.0)
    assert blip.rotation == parts.Rotation(0.0, 0.0, 3.0)
    assert dict(blip.properties) == {
        "visibility-status": "visible",
        "length": "100.0",
        "width": "200.0",
        "height": "300.0",
        "detector": "true",
        "class": "ball",
        "color": "blue-100%",
    }


def test_only_what_changed_is_told():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing(), thing("wall", "wall")))
    assert told(perceptor, array(thing(), thing("wall", "wall")), 1.0) == {}
    assert told(perceptor, array(thing(where=pose(0.005)), thing("wall", "wall")), 2.0) == {}
    assert list(told(perceptor, array(thing(where=pose(0.5)), thing("wall", "wall")), 3.0)) == ["ball"]


@pytest.mark.parametrize(
    "changed",
    [
        thing(visible=False),
        thing(where=pose(0.0, 0.0, 0.1)),
        thing(size=(0.2, 0.2, 0.4)),
        thing(kind="food"),
        thing(color="red"),
    ],
)
def test_each_change_is_told(changed):
    perceptor = Perceptor(ME)
    told(perceptor, array(thing()))
    assert list(told(perceptor, array(changed), 1.0)) == ["ball"]
    assert told(perceptor, array(changed), 2.0) == {}


def test_visible_not_visible_gone_and_back():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing()))
    assert (
        dict(told(perceptor, array(thing(visible=False)), 1.0)["ball"].properties)["visibility-status"]
        == "non-visible"
    )
    gone = told(perceptor, array(), 2.0)["ball"]
    assert dict(gone.properties)["remove"] == "true"
    assert "visibility-status" not in dict(gone.properties)
    assert gone.position == gone.velocity == parts.NO_VECTOR
    assert told(perceptor, array(), 3.0) == {}
    assert dict(told(perceptor, array(thing()), 4.0)["ball"].properties)["visibility-status"] == "visible"


def test_velocity_is_of_the_way_that_it_goes_and_its_end_is_told():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing()), 10.0)
    moving = told(perceptor, array(thing(where=pose(0.0, 0.5))), 10.5)["ball"]
    assert moving.velocity == parts.Vector(0.0, 1.0, 0.0)
    assert told(perceptor, array(thing(where=pose(0.0, 0.5))), 11.0)["ball"].velocity == parts.NO_VECTOR
    assert told(perceptor, array(thing(where=pose(0.0, 0.5))), 11.5) == {}


def test_time_that_stands_or_goes_back_makes_no_speed():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing()), 10.0)
    assert told(perceptor, array(thing(where=pose(5.0))), 10.0)["ball"].velocity == parts.NO_VECTOR
    assert told(perceptor, array(thing(where=pose(9.0))), 1.0)["ball"].velocity == parts.NO_VECTOR


def test_refresh_tells_everything_again():
    perceptor = Perceptor(ME)
    first = told(perceptor, array(thing()))
    perceptor.refresh()
    assert told(perceptor, array(thing()), 1.0) == first
    assert told(perceptor, array(thing()), 2.0) == {}


def test_what_is_gone_at_a_refresh_is_told():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing(), thing("wall", "wall")))
    perceptor.refresh()
    perceptor.refresh()
    blips = told(perceptor, array(thing("wall", "wall")), 1.0)
    assert list(blips) == ["fido", "wall", "ball"]
    assert dict(blips["ball"].properties)["remove"] == "true"
    perceptor.refresh()
    assert list(told(perceptor, array(thing("wall", "wall")), 2.0)) == ["fido", "wall"]


def test_body_that_nobody_locates_is_where_the_settings_say_with_things_of_a_list():
    things = parse_things(
        "things: {cup: {kind: object, position: [0.3, 0.1, 0], size: [0.1, 0.1, 0.12], properties: {color: red}}}",
        "x",
    )
    perceptor = Perceptor(Settings("fido", pose=(1.0, 2.0, 0.0, pi / 2), size=(0.1, 0.2, 0.3)), things)
    blips = told(perceptor, None)
    assert list(blips) == ["fido", "cup"]
    assert blips["fido"].position == parts.Vector(1000.0, 2000.0, 0.0)
    assert blips["fido"].rotation.yaw == pytest.approx(pi / 2, abs=1e-6)
    assert dict(blips["fido"].properties)["height"] == "300.0"
    assert dict(blips["cup"].properties)["color"] == "red"


def test_body_among_the_entities_is_no_second_one():
    blips = told(Perceptor(ME), array(thing(), thing("/robot1", "player", pose(3.0))))
    assert list(blips) == ["fido", "ball"]
    assert blips["fido"].position.x == 3000.0


def test_bad_numbers_are_left_out():
    things = [thing("a", where=pose(nan)), thing("b", where=pose(1e300)), thing("", where=pose()), thing("d")]
    assert list(told(Perceptor(ME), array(*things), at=stamped(nan))) == ["fido", "d"]


def test_ids_with_blanks_are_told_apart_and_found_again():
    perceptor = Perceptor(ME)
    blips = told(
        perceptor, array(thing("red ball"), thing("red_ball"), thing("fido "), thing("x\n\0y" * 200))
    )
    assert list(blips)[1:4] == ["red_ball", "red_ball_2", "fido_"]
    assert [perceptor.ids.to_ros(name) for name in ("red_ball", "red_ball_2", "id_red_ball", "moon")] == [
        "red ball",
        "red_ball",
        "red ball",
        "moon",
    ]


def test_final_dialect_has_a_payload_and_tells_the_first_time():
    perceptor = Perceptor(FINAL)
    first = one(perceptor.entities(array(thing(where=pose(3.0), owner="x")), None, STAMP, 0.0))
    second = one(perceptor.entities(array(thing(where=pose(4.0))), None, STAMP, 1.0))
    assert (first.is_first_time_percept_world, second.is_first_time_percept_world) == (True, False)
    assert [item.id for item in first.map_data[0].things] == ["fido", "ball"]
    ball = first.map_data[0].things[1]
    assert (ball.position.x, ball.length) == (3.0, 0.2)
    assert dict(ball.properties)["owner-id"] == "x"
    assert validate(write([first], "final")) == []
    back = read(write([first], "final"))[1].map_data[0].things[1]
    assert back.length == pytest.approx(0.2)
    assert (back.id, back.properties, back.position) == (ball.id, ball.properties, ball.position)


def test_legacy_yaw_is_of_a_compass():
    perceptor = Perceptor(Settings("fido", dialect="legacy-2008", compass=True))
    assert told(perceptor, array(), at=stamped(0.0, 0.0, 0.0))["fido"].rotation.yaw == pytest.approx(
        pi / 2, abs=1e-6
    )


FLOATS = st.floats(-20, 20)
MESSAGE = parts.Param("string", "m", "hi")


@settings(max_examples=50, deadline=None)
@given(
    x=FLOATS,
    y=FLOATS,
    yaw=st.floats(-3.1, 3.1),
    name=st.text(max_size=20),
    color=st.text(max_size=20),
    final=st.booleans(),
)
def test_whatever_is_perceived_can_be_written(x, y, yaw, name, color, final):
    perceptor = Perceptor(FINAL if final else ME)
    try:
        world = array(thing(name, where=pose(x, y, yaw), color=color, kind=name))
    except UnicodeEncodeError:
        return
    messages = perceptor.entities(world, stamped(y, x, yaw), STAMP, 0.0)
    dialect = perceptor.settings.dialect
    assert validate(write(messages, dialect), dialect) == []


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
    for dialect in ("seed", "final", "legacy-2008"):
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
    assert perceptor.grid(grid, None) == ()  # nobody knows where the body is
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
    assert bad.parameters[0].type == ""  # never a walk to the origin


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
    page = (Path(__file__).parents[2] / "docs/opencog_xml.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    (cup,) = parse_things(dedent(text), "docs/opencog_xml.md")
    assert cup == Thing(
        "cup", "object", (0.3, 0.1, 0.0), 0.0, (0.1, 0.1, 0.12), True, (("color", "blue-100%"),)
    )
