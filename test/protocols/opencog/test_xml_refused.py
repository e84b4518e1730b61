# SPDX-License-Identifier: Apache-2.0
"""Messages that cannot be written as XML are refused by name."""

from dataclasses import replace
from math import inf, nan

import pytest
from xml_messages import HERE, SIGNAL, T, blip, seed_map

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Availability,
    Entity,
    Level,
    MapData,
    MapThing,
    Param,
    Perception,
    PlanAction,
    Rotation,
    ValueList,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import write, write_brain
from embodiment_bridge.wire.codec import Malformed

FINAL = {"is_first_time_percept_world": False, "timestamp": T}
BAD = [
    (
        seed_map(blips=(blip(), blip(position=Vector(1.0, nan, 0.0)))),
        "seed",
        "MapInfo.blips[1].position.y is nan",
    ),
    (seed_map(blips=(blip(velocity=Vector(inf, 0.0, 0.0)),)), "seed", "blips[0].velocity.x is inf"),
    (seed_map(blips=(blip(rotation=Rotation(0.0, 0.0, nan)),)), "seed", "blips[0].rotation.yaw is nan"),
    (seed_map(blips=(blip(entity=Entity("a b", "object")),)), "seed", "blips[0].entity.id is 'a b'"),
    (seed_map(blips=(blip(entity=Entity("", "object")),)), "seed", "blips[0].entity.id is ''"),
    (seed_map(blips=(blip(entity=Entity("1", "dog")),)), "seed", "one of pet"),
    (seed_map(blips=(blip(timestamp="now"),)), "seed", "blips[0].timestamp is 'now'"),
    (seed_map(blips=(blip(timestamp="2007-12-31T23:59:59"),)), "seed", "from 2008 on"),
    (seed_map(blips=(blip(properties=(("a", "\x00"),)),)), "seed", "control characters"),
    (seed_map(blips=()), "seed", "MapInfo.blips is (); it must be given"),
    (seed_map(global_position_x=1.5), "seed", "global_position_x is 1.5"),
    (seed_map(global_position_x=2**31), "seed", "32 bits"),
    (
        seed_map(global_position_offset=None),
        "seed",
        "global_position_offset is None; it must be given in this dialect",
    ),
    (seed_map(global_position_z=0), "seed", "global_position_z is 0; it must be None in this dialect"),
    (seed_map(**FINAL), "seed", "None in this dialect"),
    (seed_map(), "final", "is_first_time_percept_world is None; it must be given in this dialect"),
    (seed_map(map_data=(MapData(),)), "seed", "it must be empty in this dialect"),
    (
        ev.TerrainInfo(global_position_x=0, global_position_y=0, **FINAL),
        "final",
        "terrain_data is (); it must be given",
    ),
    (
        seed_map(**FINAL, map_data=(MapData((MapThing("1", "", "", Vector(1e300, 0.0, 0.0)),)),)),
        "final",
        "32 bits",
    ),
    (seed_map(**FINAL, map_data=(MapData((MapThing("1", "", "", HERE),), b"x"),)), "final", "not both"),
    (ev.FinishedFirstTimePerceptTerrianSignal(T), "seed", "has no such message"),
    (replace(SIGNAL, id="a\nb"), "seed", "AvatarSignal.id is"),
    (replace(SIGNAL, type="dog"), "seed", "pet, avatar, humanoid"),
    (replace(SIGNAL, type=""), "seed", "AvatarSignal.type is ''; it must be one of pet"),
    (replace(SIGNAL, actions=(ActionSignal("a", ""),)), "seed", "actions[0].plan_id is ''; it must be an id"),
    (seed_map(**FINAL | {"timestamp": ""}), "final", "MapInfo.timestamp is ''; it must be a date and time"),
    (replace(SIGNAL, actions=(ActionSignal("a", "1", 0),)), "seed", "from 1"),
    (replace(SIGNAL, actions=(ActionSignal("a", "1", 1, "tried"),)), "seed", "done, error"),
    (replace(SIGNAL, actions=(ActionSignal(""),)), "seed", "not empty"),
    (replace(SIGNAL, actions=(ActionSignal("a", target="b"),)), "seed", "None in this dialect"),
    (replace(SIGNAL, availabilities=(Availability("a", True),)), "seed", "it must be empty in this dialect"),
    (replace(SIGNAL, availabilities=(Availability("a", True, "b"),)), "final", "target_type"),
    (replace(SIGNAL, levels=(Level("hunger", 1.5),)), "seed", "within 0..1"),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("int", "", "1.5"),)),)), "seed", "of type int"),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("float", "", "nan"),)),)),
        "seed",
        "of type float",
    ),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("boolean", "", "yes"),)),)),
        "seed",
        "true, false",
    ),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("vector"),)),)), "seed", "as vector"),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("colour"),)),)), "seed", "one of boolean"),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("list", list=ValueList("int")),)),)),
        "seed",
        "one value",
    ),
    (
        seed_map(blips=(blip(properties=(("a", "b", "c"),)),)),
        "seed",
        "properties[0] is ('a', 'b', 'c')",
    ),
    (seed_map(blips=(blip(position=Vector(10**400, 0.0, 0.0)),)), "seed", "blips[0].position.x is 1000"),
    (seed_map(blips=(blip(position=Vector("x", 0.0, 0.0)),)), "seed", "blips[0].position.x is 'x'"),
    (seed_map(**FINAL, map_data=(3,)), "final", "map_data[0] is 3; it must be MapData"),
    (seed_map(**FINAL, map_data=(MapData((MapThing("", "", "", HERE),)),)), "final", "things[0].id is ''"),
    (seed_map(blips=[blip()]), "seed", "MapInfo.blips is [Blip("),
    (seed_map(blips=(blip(position=3),)), "seed", "blips[0].position is 3; it must be Vector"),
    (seed_map(blips=(blip(velocity=None),)), "seed", "blips[0].velocity is None; it must be Vector"),
    (seed_map(blips=(blip(properties=["a"]),)), "seed", "properties is ['a']; it must be a tuple"),
    (replace(SIGNAL, offset="x"), "seed", "AvatarSignal.offset is 'x'; it must be a whole number"),
    (
        replace(SIGNAL, actions=(ActionSignal("a", result_state="yes"),)),
        "final",
        "actions[0].result_state is 'yes'; it must be true or false",
    ),
    (ev.AgentSensorInfo(()), "seed", "at least one perception"),
    (ev.AgentSensorInfo((Perception("a", None),)), "seed", "perceptions[0].signal is None"),
    (ev.EmbodimentMsg("seed"), "seed", "unknown command 'EmbodimentMsg'"),
    (ev.PsiDemand("1"), "seed", "unknown command 'PsiDemand'"),
    (Malformed(0, "x"), "seed", "unknown command"),
    (SIGNAL, "sed", "unknown dialect 'sed'; did you mean 'seed'"),
    (SIGNAL, "legacy-2008", "unknown dialect 'legacy-2008'"),
]


@pytest.mark.parametrize(("message", "dialect", "words"), BAD)
def test_what_cannot_be_written_is_refused_by_name(message, dialect, words):
    with pytest.raises(CommandError) as caught:
        write([SIGNAL, message], dialect)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (ev.ActionPlan("1", "2", "", (PlanAction("a", 0),)), "from 1"),
        (ev.ActionPlan("1", "2", "", (PlanAction("a", 1, (Param("float", "", "x"),)),)), "finite number"),
        (ev.ActionPlan("1", "2", "", (replace(PlanAction("a", 1), parallel="x"),)), "parallel"),
        (ev.PsiDemand("1", (Level("a", nan),)), "PsiDemand.demands[0].value is nan"),
        (SIGNAL, "unknown command 'AvatarSignal'"),
    ],
)
def test_what_no_oac_could_send_is_refused(message, words):
    with pytest.raises(CommandError) as caught:
        write_brain(message)
    assert words in str(caught.value)


def test_request_id_is_a_text():
    with pytest.raises(CommandError, match="request_id"):
        write([], request_id="\x01")
