# SPDX-License-Identifier: Apache-2.0
"""An OAC that moves the mock body: over real TCP and DDS, in simulated time."""

import pytest
from embodiment_bridge.msg import (
    AgentAction,
    Entity,
    EntityArray,
    Feelings,
    HeardMessage,
    NodeEvent,
    PhysiologyLevels,
    PsiDemands,
)
from opencog_stage import BRAIN, ENVELOPE, LONG_WALK, PLAN_FILE, SAY, action, graph, overrides
from std_msgs.msg import String
from std_srvs.srv import Trigger

from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.standins.oac.router import Router

PLAYED = [("0", 1, "walk"), ("0", 2, "look_at"), ("0", 3, "grab"), ("0", 4, "say"), ("0", 5, "drop")]
KICKED = [("2", 1, "walk"), ("2", 2, "kick")]


@pytest.mark.parametrize(
    ("peer", "parameters"),
    [
        ({}, {}),
        ({"acks": True, "single_actions": True, "dialect": "final"}, {"acks": True, "dialect": "final"}),
        ({"oac": ""}, {"owner": "7270"}),
    ],
    ids=["seed", "final, acks, single actions", "loaded by the spawner"],
)
def test_whole_play(peer, parameters):
    with graph("demo", peer, **parameters) as g:
        g.until(lambda: "fido" in g.oac.brains and len(g.brain.record.outcomes) == 2)
        assert g.brain.record.outcomes == {0: "done", 2: "done"}
        assert g.reports == [(*step, "done") for step in PLAYED + KICKED]
        assert list(g.brain.record.problems) == []
        g.until(
            lambda: len({place for place in list(g.brain.record.places) if place[0] == "ball"}) > 3
        )  # it rolls
        assert g.brain.record.places[0][0] == "fido"  # the body itself comes first
        assert g.brain.record.scanned == (parameters.get("dialect") == "final")
        g.until(lambda: {"pillar", "wall_east"} <= set(g.brain.known))  # what is ahead; robin walks behind
        modelled = {"hunger", "thirst", "energy"}  # the last one by the battery
        g.until(lambda: set(g.brain.levels) == modelled)


def test_newer_plan_replaces_the_older_which_is_closed_by_one_error():
    with graph(speed=2.0) as g:  # the walk is not over before the newer one is there
        g.join()
        g.plan("4", LONG_WALK + action("drop", 2))
        g.until(lambda: abs(g.watcher.x) > 0.1)
        g.plan("6", action("say", 1, SAY))
        g.until(lambda: ("6", 1, "say", "done") in g.reports)
        assert g.reports == [("4", None, "walk", "error"), ("6", 1, "say", "done")]


def test_failed_action_ends_the_plan_or_not_as_the_policy_says():
    steps = action("juggle", 1) + action("drop", 2) + action("say", 3, SAY)
    for policy, expected in (
        ("stop", [("4", 1, "juggle", "error"), ("4", None, "juggle", "error")]),
        ("continue", [("4", 1, "juggle", "error"), ("4", 2, "drop", "error"), ("4", 3, "say", "done")]),
    ):
        with graph(on_error=policy) as g:
            g.join()
            g.plan("4", steps)
            g.until(lambda g=g, expected=expected: len(g.reports) >= len(expected))
            assert g.reports == expected
            reasons = [r.params[0].value for r in list(g.brain.record.reports) if r.status == "error"]
            assert "unknown action 'juggle'" in reasons[0]


def test_plan_for_somebody_else_is_ignored():
    with graph() as g:
        g.join()
        g.plan("4", action("drop"), entity="rex")
        g.plan("5", action("say", 1, SAY))
        g.until(lambda: g.reports)
        assert g.reports == [("5", 1, "say", "done")]


def test_reports_survive_a_router_that_restarts_half_way():
    with graph() as g:
        g.join()
        g.plan("4", action("say", 1, SAY) + LONG_WALK.replace('"1"', '"2"') + action("say", 3, SAY))
        g.until(lambda: ("4", 1, "say", "done") in g.reports)
        old = g.oac.router
        g.oac.close()
        g.until(lambda: not g.ready)
        g.until(lambda: g.idle)
        router = Router("127.0.0.1", old.port)
        got = []
        router.attach("fido", got.append)

        def reported():
            router.step(0.0)
            texts = [message.payload.decode() for message in got if b"plan-id" in message.payload]
            return texts if len(texts) == 2 else None

        g.until(reported)
        texts = reported()
        assert 'sequence="2"' in texts[0]
        assert 'sequence="3"' in texts[1]
        assert any(b"<map-info" in message.payload for message in got)  # everything is told again
        router.close()


def test_feelings_demands_and_feedback_reach_topics():
    with graph() as g:
        got = {}
        for kind, topic, role in (
            (Feelings, "feelings", "latched"),
            (PsiDemands, "psi_demands", "latched"),
            (String, "brain_feedback", "events"),
        ):
            g.watcher.create_subscription(
                kind, topic, lambda m, topic=topic: got.update({topic: m}), profile(role)
            )
        g.join()
        g.until(lambda: "feelings" in got and len(got["feelings"].names) >= 3)
        g.until(lambda: {"Energy", "Certainty"} <= set(getattr(got.get("psi_demands"), "names", ())))
        g.say('fido***Fido entering "Learning Mode"', wire.MessageType.FEEDBACK)
        g.until(lambda: "Learning" in getattr(got.get("brain_feedback"), "data", ""))
        assert got["feelings"].entity_id == "fido"
        assert all(0.0 <= level <= 1.0 for level in got["feelings"].levels)


def test_what_is_heard_seen_and_needed_reaches_the_oac():
    with graph(speech="raw", peer={"heartbeat": 0.5}) as g:
        heard = g.watcher.create_publisher(HeardMessage, "heard", profile("events"))
        actions = g.watcher.create_publisher(AgentAction, "observed_actions", profile("events"))
        needs = g.watcher.create_publisher(PhysiologyLevels, "physiology", profile("state"))
        g.join()
        g.until(lambda: all(topic.get_subscription_count() for topic in (heard, actions, needs)))
        heard.publish(HeardMessage(sender="robin", text="fetch the ball & run"))
        actions.publish(
            AgentAction(agent="robin", name="kick", succeeded=True, target="ball", target_type="object")
        )
        needs.publish(PhysiologyLevels(names=["hunger"], levels=[0.75]))
        g.until(lambda: g.brain.levels.get("hunger") == 0.75)
        g.until(lambda: any(b"fetch the ball &amp; run" in text for text in list(g.brain.record.heard)))
        g.until(
            lambda: any(s.id == "robin" and s.actions[0].name == "kick" for s in list(g.brain.record.seen))
        )
        assert list(g.brain.record.problems) == []


def test_what_others_do_is_found_and_told():
    with graph() as g:
        g.join()
        levels = g.collect(PhysiologyLevels, "physiology", "state")
        world = g.world
        world.neighbour.x, world.neighbour.y = 2.0, 1.0
        world.neighbour._path = ((2.0, 1.0), (2.0, -0.4), (2.0, 1.0))
        world.neighbour._next = 1
        g.until(
            lambda: any(s.id == "robin" and s.actions[0].name == "move" for s in list(g.brain.record.seen))
        )
        (moved,) = [s for s in list(g.brain.record.seen) if s.id == "robin"][:1]
        assert [param.name for param in moved.actions[0].params] == ["startPosition", "endPosition"]
        g.until(lambda: levels and "energy" in levels[-1].names)
        told = levels[-1]
        assert set(told.names) == {"hunger", "thirst", "energy"}
        g.until(
            lambda: dict(zip(levels[-1].names, levels[-1].levels, strict=True))["hunger"] > told.levels[0]
        )
        assert list(g.brain.record.problems) == []


def test_feelings_move_the_body_and_give_way_to_plans():
    feelings = (
        '<oc:emotional-feeling xmlns:oc="' + BRAIN + '" entity-id="fido"><feeling name="{}" value="{}"/>'
    )
    with graph(feelings_to_emotions=["hate>0.6=disgusted"], emotion_rest=0.5) as g:
        shown: list[str] = []
        g.watcher.create_subscription(
            NodeEvent,
            "behavior_tree/events",
            lambda it: shown.append(f"{it.name} {it.message}"),
            profile("events"),
        )
        g.join()
        g.plan("4", LONG_WALK)
        g.until(lambda: any("walk" in text for text in shown))
        g.say((feelings + "</oc:emotional-feeling>").format("hate", 0.7))
        g.until(lambda: ("4", 1, "walk", "done") in g.reports)  # the walk is not disturbed
        g.until(lambda: any("DISGUSTED" in text.upper() for text in shown))
        g.say((feelings + "</oc:emotional-feeling>").format("hate", 0.1))
        g.until(lambda: any("NEUTRAL" in text.upper() for text in shown))


def test_rubbish_from_the_oac_disturbs_nothing():
    entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    bomb = f'{entities}<oc:action-plan id="1">&b;</oc:action-plan>'
    with graph() as g:
        g.join()
        for text in (
            bomb,
            "<oc:action-plan",
            "no XML at all",
            "<unknown/>",
            b"\xff\xfe\x00broken",
            "<a>" * 5000,
            '<oc:action-plan entity-id="fido" id="9"/>',
            '<oc:action-plan entity-id="fido" id="x"><action name="walk" sequence="-1"/></oc:action-plan>',
            "FAILED and SUCCESS LOAD of nothing",
        ):
            g.say(text)
        g.until(lambda: ("x", 1, "walk", "error") in g.reports)  # at once, and not after 90 s
        g.plan("10", action("say", 1, SAY))
        g.until(lambda: ("10", 1, "say", "done") in g.reports)
        assert g.bridge._session.status.connects == 1


def test_plan_whose_behaviour_tree_is_gone_is_reported():
    with graph() as g:
        g.join()
        g.plan("4", LONG_WALK)
        g.until(lambda: abs(g.watcher.x) > 0.1)
        assert g.call(Trigger, "behavior_tree/pause").success
        g.tree._plans._action.destroy()
        g.until(lambda: g.reports)
        assert g.reports == [("4", None, "walk", "error")]
        assert g.brain.record.reports[0].params[0].value == "the behaviour-tree node is gone"


def test_single_command_moves_the_body_after_what_runs_and_the_last_of_each_number_counts():
    names = "".join(
        f'<param name="{name}" value="{value}"/>' for name, value in (("x", 9), ("y", 0), ("x", 600))
    )
    with graph() as g:
        g.join()
        g.plan("4", action("say", 1, SAY))
        g.say(f'<single-action-command name="MoveToCoordinate">{names}</single-action-command>')
        g.until(lambda: g.watcher.x > 0.45 and g.reports)
        assert g.reports == [("4", 1, "say", "done")]


def test_two_oacs_have_a_body_each():
    with graph(peer={"oac": ""}, owner="7270", more_agents=["rex@/robot2"]) as g:
        common = {"context": g.runtime.context, "namespace": "/robot2"}
        sim = overrides(use_sim_time=True)
        g.runtime.add(mock_body(parameter_overrides=[*sim, *overrides(seed=7)], **common))
        tree = g.runtime.add(
            behavior_tree(parameter_overrides=[*sim, *overrides(plan_file=PLAN_FILE)], **common)
        )
        g.until(lambda: {"fido", "rex"} <= set(g.oac.brains) and tree.skills)
        rex = g.oac.brains["rex"]
        g.until(lambda: g.ready and {"rex", "ball"} <= set(rex.known))
        assert g.brain.known["ball"].x != rex.known["ball"].x  # worlds of their own
        text = ENVELOPE.format("rex", "4", action("say", 1, SAY))
        g.oac.do(lambda: g.oac.router.send("rex", "PROXY", 1, text.encode()))
        g.until(lambda: rex.record.reports)
        assert [(r.plan_id, r.status) for r in rex.record.reports] == [("4", "done")]
        assert g.reports == []


def test_plan_without_a_behaviour_tree_is_reported():
    with graph() as g:
        g.join()
        g.tree.trigger_deactivate()
        g.plan("4", action("say", 1, SAY))
        g.until(lambda: g.reports)
        assert g.reports == [("4", None, "say", "error")]
        assert "inactive" in g.brain.record.reports[0].params[0].value


def test_body_without_pose_and_entities_is_on_the_map_with_its_things(tmp_path):
    things = tmp_path / "things.yaml"
    things.write_text("things:\n  cup: {kind: object, position: [0.3, 0.1, 0.0], size: [0.1, 0.1, 0.12]}\n")
    with graph(body=False, own_x=1.5, things_file=str(things)) as g:
        g.until(lambda: g.ready and "cup" in g.brain.known)
        assert g.brain.record.places[0] == ("fido", 1500.0, 0.0)
        assert (g.brain.known["cup"].x, g.brain.known["cup"].y) == (300.0, 100.0)


def test_last_change_of_the_world_reaches_the_oac_however_soon_it_follows():
    with graph(body=False, map_rate=0.2) as g:
        g.until(lambda: g.ready)
        entities = g.watcher.create_publisher(EntityArray, "entities", profile("sensor"))
        g.until(lambda: entities.get_subscription_count())
        for x in (1.0, 2.0, 3.0):
            cup = Entity(id="cup", kind="object", visible=True)
            cup.pose.position.x = x
            entities.publish(EntityArray(entities=[cup]))
            g.until(lambda x=x: "cup" in g.brain.known and g.brain.known["cup"].x == 1000.0 * x)
