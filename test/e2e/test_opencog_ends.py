# SPDX-License-Identifier: Apache-2.0
"""What an OAC has asked of its body ends with the bridge, and with the OAC."""

from embodiment_bridge.msg import Feelings, NodeEvent, PsiDemands
from opencog_stage import BRAIN, LONG_WALK, SAY, action, graph

from embodiment_bridge.nodes.opencog.opencog_bridge import LOOK_AFTER


def test_oac_that_begins_anew_is_told_everything_and_owed_nothing():
    with graph() as g:
        g.join()
        g.plan("4", LONG_WALK)
        g.until(lambda: abs(g.watcher.x) > 0.1)
        g.oac.do(lambda: g.oac.restart_oac("fido"))
        g.until(lambda: {"fido", "ball", "wall_east"} <= set(g.brain.known))
        g.until(lambda: g.idle)
        g.plan("4", action("say", 1, SAY))
        g.until(lambda: g.reports)
        assert g.reports == [("4", 1, "say", "done")]


def test_deactivated_bridge_closes_its_plan_and_logs_out():
    with graph() as g:
        g.join()
        g.plan("4", LONG_WALK)
        g.until(lambda: abs(g.watcher.x) > 0.1)
        g.bridge.trigger_deactivate()
        g.until(lambda: g.reports)
        assert g.reports == [("4", None, "walk", "error")]
        g.until(lambda: "LOGOUT PROXY" in g.oac.router.log)
        g.bridge.trigger_activate()
        g.plan("6", action("say", 1, SAY))
        g.until(lambda: ("6", 1, "say", "done") in g.reports)


def test_single_commands_end_with_the_bridge_also_one_that_waits():
    there = (
        '<single-action-command name="MoveToCoordinate"><param name="x" value="9000"/>'
        '<param name="y" value="0"/></single-action-command>'
    )
    with graph() as g:
        g.join()
        g.say(there)
        g.until(lambda: g.watcher.x > 0.1)
        g.say(there)
        g.until(lambda: g.tree.diagnose()[2]["waiting"])
        g.bridge.trigger_deactivate()
        g.until(lambda: g.idle)


def test_feelings_move_nothing_once_the_bridge_is_deactivated():
    feeling = (
        f'<oc:emotional-feeling xmlns:oc="{BRAIN}" entity-id="fido"><feeling name="hate" value="0.9"/>'
        "</oc:emotional-feeling>"
    )
    with graph(feelings_to_emotions=["hate>0.6=disgusted"], emotion_rest=0.1) as g:
        g.join()
        g.plan("4", LONG_WALK)
        g.until(lambda: abs(g.watcher.x) > 0.1)
        felt = g.collect(Feelings, "feelings", "latched")
        g.say(feeling)
        g.until(lambda: any("hate" in message.names for message in felt))
        g.bridge.trigger_deactivate()
        g.until(lambda: g.idle)
        begun = g.collect(NodeEvent, "behavior_tree/events", "events")
        g.spin(3 * LOOK_AFTER)
        assert g.idle
        assert not any("DISGUSTED" in f"{it.name} {it.message}".upper() for it in begun), begun


def test_who_comes_after_the_brain_is_not_told_what_it_felt():
    with graph() as g:
        g.join()
        topics = {"feelings": Feelings, "psi_demands": PsiDemands}
        felt = [g.collect(kind, topic, "latched") for topic, kind in topics.items()]
        g.until(lambda: all(told and told[-1].names for told in felt))
        g.bridge.trigger_deactivate()
        after = [g.collect(kind, topic, "latched") for topic, kind in topics.items()]
        g.until(lambda: all(after))
        assert [list(told[-1].names) for told in after] == [[], []]
