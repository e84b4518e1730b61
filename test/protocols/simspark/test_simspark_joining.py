# SPDX-License-Identifier: Apache-2.0
"""Into a game and out of it: scene, init, confirmation, refusal, frozen percepts."""

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import ROOT, STAMP, Nao
from std_msgs.msg import String

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.standins.simspark.agents import Faults
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.framing import Framer, frame


def test_scene_goes_first_and_init_after_the_first_percept():
    nao = Nao()
    assert nao.sent == [b"(scene rsg/agent/nao/nao.rsg)"]
    nao.cycle()
    assert nao.sent[1:] == [b"(init (unum 2)(teamname bridge))(syn)"]
    assert nao.state is None
    assert nao.told == []
    nao.cycle()
    assert nao.state is not None
    assert (nao.player.side, nao.player.number) == ("left", 2)


def test_init_is_repeated_until_it_is_confirmed():
    nao = Nao()
    nao.cycle()
    nao.player.side, nao.player.told_side = "", True  # as if the confirmation had been lost
    nao.run(4.1)
    inits = [payload for payload in nao.sent if b"init" in payload]
    assert len(inits) == 3
    assert all(b"(syn)" in payload for payload in nao.sent[1:])


def test_number_that_is_taken_is_told_as_a_refusal():
    world = World(noise=False)
    first = Nao(world).run(0.1)
    second = Nao(world)
    with pytest.raises(LinkError, match="number 2 into team 'bridge': the number is taken"):
        second.run(6.0)
    first.percept()
    assert first.state is not None


def test_number_0_takes_the_next_that_is_free():
    world = World(noise=False)
    first = Nao(world, number=0).run(0.1)
    second = Nao(world, number=0).run(0.1)
    assert [nao.converter._joining.number for nao in (first, second)] == [1, 2]


def test_percepts_that_come_at_once_are_answered_by_one_init():
    nao = Nao(number=0)
    nao.burst(59)
    nao.run(0.1)
    assert sum(b"init" in payload for payload in nao.sent) == 1
    assert nao.converter._joining.number == nao.player.number == 1


def test_player_that_was_killed_is_noticed_by_its_frozen_percepts():
    nao = Nao().run(0.2)
    nao.world.kill(nao.player)
    told = len(nao.told)
    with pytest.raises(LinkError, match="taken out of the game"):
        nao.run(1.0)
    assert len(nao.told) == told  # nothing old with a new stamp


def test_new_connection_begins_anew():
    nao = Nao().run(0.2)
    assert nao.converter.body_state(None) is None
    nao.tell(nao.converter.handshake())
    assert not nao.converter._joining.joined


def test_what_was_asked_in_the_old_game_is_not_done_in_the_new_one():
    nao = Nao().run(0.2)
    nao.converter.handle_request("say", String(data="hello"))
    nao.converter.handle_request("beam", Beam.Request(x=-1.0))
    nao.converter.handshake()
    assert list(nao.converter._requests.next_actions()) == []


def test_lost_messages_nan_and_unknown_lists_are_lived_with():
    nao = Nao(faults=Faults(nan=0.3, unknown=0.3, lost=0.3)).run(6.0)
    assert nao.player.side == "left"
    report, _ = nao.do("head_shake")
    assert report.status.name == "SUCCEEDED"


def test_body_with_joints_that_the_robot_lacks_is_refused():
    with pytest.raises(ConfigError, match="head_pan"):
        Nao(body="dummy.yaml")


def test_unknown_robot_is_refused_with_the_choices():
    with pytest.raises(ConfigError, match="nao4"):
        Nao(robot="T1")


def recorded(skipped, **parameters):
    """The short recording of the real server without its first percepts, played to a converter."""
    nao = Nao(transport="replay", **parameters)
    data = (ROOT / "test/data/simspark/short_agent_nao.bin").read_bytes()
    states = []
    messages = {}
    for found in Framer().feed(data)[skipped:]:
        for event in nao.codec.feed(frame(found.payload)):
            state = nao.converter.body_state(event)
            states.append(state)
            messages.update(nao.converter.messages(Cycle(event, state), STAMP))
    return nao, states, messages


def test_recording_that_begins_in_the_middle_plays():
    nao, states, messages = recorded(skipped=20, team="others", number=9)
    assert all(state is not None for state in states)
    assert states[-1].has_base
    assert (nao.converter._joining.team, nao.converter._joining.number) == ("alpha", 1)
    assert messages["game_state"].own_side == ""  # no percept of it says which
    assert not [e for e in messages["entities"].entities if e.kind == "player"]


def test_recording_from_the_beginning_tells_the_side():
    nao, states, messages = recorded(skipped=0)
    assert (nao.converter._joining.number, messages["game_state"].own_side) == (1, "left")
    assert sum(state is None for state in states) <= 1
