# SPDX-License-Identifier: Apache-2.0
"""The brain that stands in for OpenCog's, and its mood."""

import re
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.plans.action import Action, Parameter
from embodiment_bridge.plans.plan_file import read_plan_file
from embodiment_bridge.protocols.opencog.plans.plan_ledger import action_report
from embodiment_bridge.protocols.opencog.router.wire import MessageType
from embodiment_bridge.protocols.opencog.world.feelings import USUAL, Mood, Rule, rules_of
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, EmotionalFeeling, MapInfo, PsiDemand
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Vector
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.standins.oac.brain import PLAN_TIMEOUT, Brain
from embodiment_bridge.standins.oac.router_lines import Incoming, RouterLines
from embodiment_bridge.standins.oac.scripted_plans import Known, Script
from embodiment_bridge.standins.oac.stand_in import OacPeer

VECTORS = Path(__file__).parents[2] / "data/opencog/conformance_vectors"
ROWS = [line.split("\t") for line in (VECTORS / "expected.tsv").read_text().splitlines()[1:]]
TAKEN = (
    "older",
    "left alone",
    "not pending",
    "not a message of a proxy",
)  # what is said of messages that are valid
NOW = "2011-08-20T10:00:0{}.000"


class CycledBrain:
    """A brain that is asked for a cycle of 0.5 s at a time."""

    def __init__(self, script="demo", **options):
        self.brain = Brain("fido", "PROXY", Script(script, again=options.pop("again", False)), **options)
        self.now = 0.0
        self.sent = []

    def tell(self, *messages, sender="PROXY", to="fido", kind=MessageType.STRING):
        payload = messages[0] if isinstance(messages[0], bytes) else write(messages)
        self.brain.receive(Incoming(sender, to, kind, payload))

    def tick(self, count=1):
        out = []
        for _ in range(count):
            self.now += 0.5
            self.brain.receive(Incoming("PROXY", "fido", MessageType.TICK, b"TICK_MESSAGE"))
            out += self.brain.cycle(self.now)
        self.sent += out
        return out

    def cycle(self):
        self.now += 0.5
        self.sent += self.brain.cycle(self.now)
        return self

    def appear(self, second=0):
        """The body and a ball are on the map."""
        self.tell(scene(NOW.format(second)))
        return self.cycle()

    def report(self, plan, sequence, status="done", second=1):
        self.tell(action_report("fido", NOW.format(second), plan, "x", status, sequence))
        self.cycle()

    def plans(self):
        return [event for out in self.sent for event in read(out.payload) if isinstance(event, ActionPlan)]


def scene(stamp, x=1000.0, names=("fido", "ball")):
    places = {"fido": Vector(0.0, 0.0, 0.0), "ball": Vector(x, 0.0, 0.0)}
    kinds = {"fido": "pet", "ball": "object"}
    blips = tuple(Blip(stamp, Entity(name, kinds[name]), places[name]) for name in names)
    return MapInfo(global_position_x=0, global_position_y=0, global_position_offset=10000, blips=blips)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("validating", [True, False], ids=["with schema", "without"])
def test_takes_and_drops_what_a_real_one_does(row, validating):
    stage = CycledBrain("none", dialect="final", validating=validating)
    stage.tell((VECTORS / row[0]).read_bytes())
    stage.cycle()
    rejected = any(not any(text in problem for text in TAKEN) for problem in stage.brain.record.problems)
    expected = row[2] if validating else row[3]
    if expected == "reject":
        assert rejected
    elif validating:
        assert not rejected, list(stage.brain.record.problems)


def test_thinks_only_on_ticks_and_once_for_several():
    stage = CycledBrain().appear()
    assert stage.sent == []
    for _ in range(3):
        stage.brain.receive(Incoming("PROXY", "fido", MessageType.TICK, b"TICK_MESSAGE"))
    stage.cycle()
    assert len(stage.plans()) == 1
    assert stage.brain.record.ticks == 3


def test_makes_no_plan_before_its_body_is_on_the_map():
    stage = CycledBrain()
    stage.tell(scene(NOW.format(0), names=("ball",)))
    stage.tick(2)
    assert stage.plans() == []
    stage.tell(scene(NOW.format(0)))
    stage.tick()
    assert [plan.id for plan in stage.plans()] == ["0"]


def test_older_things_are_dropped():
    stage = CycledBrain().appear(5)
    stage.tell(scene(NOW.format(3), x=5.0))
    stage.cycle()
    assert stage.brain.known["ball"].x == 1000.0
    stage.tell(scene(NOW.format(5), x=7.0))  # equal stamps are fine
    stage.cycle()
    assert stage.brain.known["ball"].x == 7.0


def test_messages_of_others_are_not_heard():
    stage = CycledBrain()
    stage.tell(scene(NOW.format(0)), sender="MALLORY")
    stage.tell(scene(NOW.format(0)), to="rex")
    stage.cycle()
    assert stage.brain.known == {}


def test_plans_look_as_those_of_a_real_one():
    stage = CycledBrain(again=True).appear()
    ids = []
    for _ in range(4):
        stage.tick()
        plan = stage.plans()[-1]
        ids.append(plan.id)
        stage.report(plan.id, None)
    assert ids == ["0", "2", "3", "5"]  # some ids are never sent
    text = stage.sent[1].payload.decode()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n')
    assert re.search(r'<oc:action-plan xmlns:oc="[^"]+" demand="Energy" entity-id="fido" id="0">\n\n', text)
    assert re.search(r'<vector x="650" y="0" z="0"/>', text)


def test_single_actions_follow_each_report():
    stage = CycledBrain(single_actions=True).appear()
    stage.tick()
    stage.report("0", 1)
    stage.report("0", 2, "error")
    sent = [[(a.sequence, a.name) for a in plan.actions] for plan in stage.plans()]
    assert sent == [[(1, "walk")], [(2, "look_at")], [(3, "grab")]]
    stage.report("0", None, "error")
    assert stage.brain.record.outcomes == {0: "failed"}


def test_report_of_the_whole_plan_fills_in_what_is_open():
    stage = CycledBrain().appear()
    stage.tick()
    stage.report("0", 1)
    stage.report("0", None, "error")
    assert stage.brain.record.outcomes == {0: "failed"}
    assert stage.brain.pending is None


def test_reports_that_fit_nothing_are_noted_and_ignored():
    stage = CycledBrain().appear()
    stage.tick()
    stage.report("77", 1)
    stage.report("0", 99)
    assert stage.brain.pending is not None
    problems = list(stage.brain.record.problems)
    assert problems == ["report for plan 77, which is not pending", "plan 0 has no action 99"]


def test_plan_that_nobody_reports_is_given_up_silently():
    stage = CycledBrain().appear()
    stage.tick()
    sent = len(stage.sent)
    stage.now += PLAN_TIMEOUT + 1.0
    stage.brain.cycle(stage.now)
    assert stage.brain.pending is not None  # no tick
    stage.tick()
    assert stage.brain.record.outcomes == {0: "timeout"}
    assert len(stage.sent) > sent


def test_feelings_come_in_parts_with_a_cut_name_and_demands_come_too():
    stage = CycledBrain("none").appear()
    stage.tick(15)
    found = [event for out in stage.sent if out.type == 1 for event in read(out.payload)]
    feelings = [event for event in found if isinstance(event, EmotionalFeeling)]
    assert {event.entity_id for event in feelings} == {"o"}
    assert {len(event.feelings) for event in feelings} == {2}
    assert len({level.name for event in feelings for level in event.feelings}) == 4
    assert [d.name for event in found if isinstance(event, PsiDemand) for d in event.demands][:1] == [
        "Energy"
    ]
    assert [out.payload for out in stage.sent if out.type == 9] == [b'fido***fido entering "Playing Mode"']


def test_router_reads_messages_by_their_number_of_lines():
    lines = RouterLines()
    found = lines.feed(b"LOGIN P 127.0.0.1 1\nNEW_MESSAGE P fido 1 2\na\nb\nLOGOUT P\n")
    assert found == [["LOGIN", "P", "127.0.0.1", "1"], Incoming("P", "fido", 1, b"a\nb"), ["LOGOUT", "P"]]


def test_message_of_no_lines_wedges_a_real_router_and_too_many_swallow_commands():
    lines = RouterLines()
    assert lines.feed(b"NEW_MESSAGE P fido 1 0\nLOGOUT P\nLOGOUT P\n") == []
    lines = RouterLines()
    found = lines.feed(b"NEW_MESSAGE P fido 1 3\na\nLOGOUT P\nb\n")
    assert found == [Incoming("P", "fido", 1, b"a\nLOGOUT P\nb")]


def test_nul_cuts_a_line():
    assert RouterLines().feed(b"NEW_MESSAGE P fido 1 1\na\0b\n") == [Incoming("P", "fido", 1, b"a")]


@pytest.mark.parametrize("options", [{"script": "sing"}, {"dialect": "latin"}])
def test_unknown_script_or_dialect_is_named(options, capsys):
    name, value = next(iter(options.items()))
    with pytest.raises(ConfigError, match=f"unknown {name} '{value}'"):
        OacPeer(**options)
    assert main(["peer", "oac", "--port", "0", f"--{name}", value]) == 2
    assert f"unknown {name} '{value}'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nod", "round", "greet"])
def test_scripts_for_bodies_that_see_nothing_need_nothing_but_the_body(name):
    plans = read_plan_file(Path(__file__).parents[3] / "config/plans/walking.yaml")
    own = Known("fido", "pet", 0.0, 0.0, 0.0, 0.0)
    script = Script(name)
    actions = script.next({}, own)
    assert [action.sequence for action in actions] == list(range(1, len(actions) + 1))
    for action in actions:
        params = tuple(Parameter(param.type, param.name, param.value) for param in action.params)
        plans.find(Action(action.name, action.sequence, params))
    assert script.next({}, own) == ()


RULES = rules_of(["fear>0.5=afraid", "happiness=happy", "love=happy"])


def test_rules() -> None:
    assert dict(RULES) == {"fear": Rule("afraid", 0.5), "happiness": Rule("happy"), "love": Rule("happy")}
    assert rules_of([""]) == {}
    assert len(rules_of(["usual"])) == len(USUAL)
    assert rules_of(["usual", "fear>0.2=sad"])["fear"] == Rule("sad", 0.2)


@pytest.mark.parametrize(
    "entry", ["fear", "fear=", "=sad", "fear>2=sad", "fear>x=sad", "fear>1.1.1=sad", "a b=c", "a=B"]
)
def test_bad_rule(entry: str) -> None:
    with pytest.raises(ConfigError, match="feelings_to_emotions"):
        rules_of([entry])


@pytest.mark.parametrize(
    ("levels", "wish"),
    [
        ({}, ""),
        ({"fear": 0.4, "happiness": 0.6}, ""),
        ({"fear": 0.5}, "afraid"),
        ({"fear": 0.6, "happiness": 0.8}, "happy"),
        ({"love": 0.75, "happiness": 0.1, "fear": 0.9}, "afraid"),
        ({"hunger": 1.0}, ""),
    ],
)
def test_the_strongest_over_its_threshold(levels, wish) -> None:
    assert Mood(RULES, 5.0).wish(levels, 0.0) == wish


def test_it_rests_between_changes_and_ends_as_neutral() -> None:
    mood = Mood(RULES, 5.0)
    mood.showing("afraid", 10.0)
    assert mood.wish({"happiness": 1.0}, 14.9) == ""
    assert mood.wish({"happiness": 1.0}, 15.0) == "happy"
    assert mood.wish({"fear": 0.45}, 15.0) == ""  # a little below its threshold it is still shown
    assert mood.wish({"fear": 0.3}, 15.0) == "neutral"
    mood.showing("neutral", 15.0)
    assert mood.wish({"fear": 0.3}, 25.0) == ""
