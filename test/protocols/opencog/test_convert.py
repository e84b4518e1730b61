# SPDX-License-Identifier: Apache-2.0
"""Entities to what an OAC is told of them: units, signs, frames, names; only what is new."""

from math import nan, pi

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perceived import FINAL, ME, STAMP, array, one, pose, stamped, thing, told

from embodiment_bridge.protocols.opencog.convert import Perceptor
from embodiment_bridge.protocols.opencog.world import report
from embodiment_bridge.protocols.opencog.world.report import parse_things
from embodiment_bridge.protocols.opencog.world.settings import Settings
from embodiment_bridge.protocols.opencog.xml import parts
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.standins.oac.intake import validate


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
    assert blip.entity == parts.Entity("ball", "object", "the ball", "fido", "Fido")
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


def test_the_name_of_the_body_is_the_agent_and_owners_have_names():
    perceptor = Perceptor(ME)
    perceptor.ids.add_alias("mock")
    ours, theirs = thing(owner="mock"), thing("cup", "cup", owner="r1")
    blips = told(perceptor, array(ours, theirs, thing("r1", "robot", name="Rex")))
    assert (blips["ball"].entity.owner_id, blips["ball"].entity.owner_name) == ("fido", "Fido")
    assert (blips["cup"].entity.owner_id, blips["cup"].entity.owner_name) == ("r1", "Rex")


def test_changes_of_entities_are_deeds_of_others():
    perceptor = Perceptor(ME)
    perceptor.ids.add_alias("mock")
    robin = thing("robin", "player", where=pose(1.2))
    looks = (array(thing(where=pose(1.0)), robin), array(thing(where=pose(1.0), owner="robin"), robin))
    perceptor.seen_actions(looks[0], None, 1.0)
    (grab,) = perceptor.seen_actions(looks[1], None, 1.3)
    assert (grab.agent, grab.name, grab.target, grab.target_type) == ("robin", "grab", "ball", "object")
    (signal,) = perceptor.action(grab, STAMP)
    assert validate(write([signal], "seed"), "seed") == []
    (drop, grabbed) = (
        *perceptor.seen_actions(array(thing(where=pose(1.0), owner="mock"), robin), None, 1.6),
        None,
    )
    assert (drop.name, grabbed) == ("drop", None)  # what the body does itself is no news for the OAC


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


def test_a_thing_without_a_usable_place_is_out_of_sight_and_not_gone():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing(where=pose(1.0))))
    lost = told(perceptor, array(thing(where=pose(nan))), 1.0)["ball"]
    assert "remove" not in dict(lost.properties)
    assert dict(lost.properties)["visibility-status"] == "non-visible"
    assert lost.position.x == 1000.0
    assert told(perceptor, array(thing(where=pose(nan))), 2.0) == {}


def test_what_does_not_fit_into_a_map_is_not_gone(monkeypatch):
    monkeypatch.setattr(report, "MOST_THINGS", 3)
    perceptor = Perceptor(ME)
    told(perceptor, array(thing("a"), thing("b")))
    blips = told(perceptor, array(thing("new"), thing("a"), thing("b")), 1.0)
    assert not any("remove" in dict(blip.properties) for blip in blips.values())


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


def test_yaw_of_a_compass():
    perceptor = Perceptor(Settings("fido", compass=True))
    assert told(perceptor, array(), at=stamped(0.0, 0.0, 0.0))["fido"].rotation.yaw == pytest.approx(
        pi / 2, abs=1e-6
    )


FLOATS = st.floats(-20, 20)


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


def statuses(blips):
    return {
        name: dict(blip.properties).get("visibility-status", "remove")
        for name, blip in blips.items()
        if name != "fido"
    }


def test_what_the_body_has_forgotten_stays_on_the_map_out_of_sight():
    perceptor = Perceptor(ME)
    told(perceptor, array(thing(), thing("cup", where=pose(1.0, 2.0))))
    blips = told(
        perceptor, array(thing(), thing("cup", where=pose(1.0, 2.0), visible=False, forgotten="true"))
    )
    assert statuses(blips) == {"cup": "non-visible"}
    assert "forgotten" not in dict(blips["cup"].properties)
    assert perceptor.entities(array(thing()), None, STAMP, 2.0) == ()
    perceptor.refresh()
    blips = told(perceptor, array(thing()))
    assert statuses(blips) == {"ball": "visible", "cup": "non-visible"}
    assert blips["cup"].position == parts.Vector(1000.0, 2000.0, 0.0)
    assert statuses(told(perceptor, array(thing(), thing("cup")))) == {"cup": "visible"}
    assert statuses(told(perceptor, array(thing()))) == {"cup": "remove"}


def test_of_too_many_forgotten_things_the_first_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(report, "MOST_THINGS", 4)
    perceptor = Perceptor(ME)
    told(perceptor, array(thing("a"), thing("b"), thing("c")))
    for name in "abc":
        rest = [thing(one) for one in "abc" if one > name]
        told(perceptor, array(thing(name, visible=False, forgotten="true"), *rest))
    assert statuses(told(perceptor, array(thing("d")))) == {"d": "visible"}
    perceptor.refresh()
    assert statuses(told(perceptor, array(thing("d")))) == {
        "b": "non-visible",
        "c": "non-visible",
        "d": "visible",
    }
