# SPDX-License-Identifier: Apache-2.0
"""What the behaviour tests share: short ways to write documents, and a stage to run them on."""

import random
from collections import deque
from dataclasses import replace

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Loaded, Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.rehearse import EXACT, Cues, rehearse
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run, RunState
from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.bml.fields.values import FOREVER
from embodiment_bridge.bml.nodes.body import Body
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.decorators import Box, Finally, Guard, Retry, Timeout
from embodiment_bridge.bml.nodes.leaves import Delay, Set, Stop
from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.nodes.other_documents import Request
from embodiment_bridge.bml.nodes.sound import Player, Speak
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillStatus

EYES = ("RED", "GREEN", "BLUE", "YELLOW", "OPEN", "CLOSE", "WINK")
ACTIONS = [f"EYE_{word}" for word in EYES]
ACTIONS += ["RESET", "HEAD_SHAKE", "WAIST_SHAKE", "HAND_GRIP", "HAND_RELAX", "HAND_ROLL", "HAND_PITCH"]
ACTIONS += ["FOOT_YAW", "FOOT_PITCH", "STEP_FORWARD", "STEP_BACKWARD", "TURN_LEFT", "TURN_RIGHT"]
SKILLS = {
    name.lower(): SkillInfo(name.lower(), "motion", (name.partition("_")[0].lower(),), 1.0, 0.1)
    for name in ACTIONS
}
SONG = "http://media.example/song.mp3"  # 20 s
VOICE = "http://media.example/voice.wav"  # 3 s
LENGTHS = {SONG: 20.0, VOICE: 3.0}
ALL_ONE = {"succeed_on_one": False, "fail_on_all": False}
ALL_ALL = {"succeed_on_one": False, "fail_on_all": True}
ONE_ONE = {"succeed_on_one": True, "fail_on_all": False}
ONE_ALL = {"succeed_on_one": True, "fail_on_all": True}


def delay(seconds, succeed=True, name=""):
    return Delay(pointer="", name=name, duration_s=seconds, succeed=succeed)


def fail(seconds):
    return delay(seconds, succeed=False)


def body(action="HEAD_SHAKE", slot=0.0, name=""):
    return Body(pointer="", kind="body", action=action, duration_s=slot, name=name)


def play(url=SONG, name=""):
    return Player(pointer="", action="play", url=url, name=name)


def player(action, volume=None):
    return Player(pointer="", action=action, volume=volume)


def speak(content="hello"):
    return Speak(pointer="", content=content)


def request(url):
    return Request(pointer="", url=url)


def stop(target=""):
    return Stop(pointer="", target=target)


def seq(*children, name="", **policy):
    return Composite(pointer="", kind="sequence", name=name, children=children, **policy)


def sel(*children, name="", **policy):
    return Composite(pointer="", kind="selector", name=name, children=children, **(ONE_ALL | policy))


def par(*children, name="", **policy):
    return Composite(pointer="", kind="parallel", name=name, children=children, **policy)


def loop(count, child, name="", **policy):
    return Loop(pointer="", count=count, child=child, name=name, **policy)


def forever(child, **policy):
    return loop(FOREVER, child, **policy)


def guard(key, child, value=True, op="=="):
    return Guard(pointer="", condition=Compare(key, op, value), child=child)


def timeout(seconds, child, name=""):
    return Timeout(pointer="", timeout_s=seconds, child=child, name=name)


def retry(times, child):
    return Retry(pointer="", times=times, child=child)


def lastly(child, cleanup, name=""):
    return Finally(pointer="", child=child, cleanup=cleanup, name=name)


def put(key, value):
    return Set(pointer="", key=key, value=value)


def reactive(*children):
    return sel(*children, reactive=True)


def drawn(*children, weights=()):
    return sel(*children, random=True, weights=weights)


def box(seconds, child):
    return Box(pointer="", duration_s=seconds, child=child)


def document(root):
    """The document with this root; pointers are the places of the children: /0, /0/1, ..."""
    return Document(pointed(root, ""))


def pointed(node, pointer):
    if isinstance(node, Composite):
        kids = tuple(pointed(child, f"{pointer}/{i}") for i, child in enumerate(node.children))
        return replace(node, pointer=pointer, children=kids)
    if isinstance(node, Finally):
        parts = pointed(node.child, f"{pointer}/0"), pointed(node.cleanup, f"{pointer}/finally")
        return replace(node, pointer=pointer, child=parts[0], cleanup=parts[1])
    if isinstance(node, (Loop, Box, Guard, Retry, Timeout)):
        return replace(node, pointer=pointer, child=pointed(node.child, f"{pointer}/0"))
    return replace(node, pointer=pointer)


def dry_run(text, skills, *, urls=None, strict=False, subtrees=None, missing_channel="skip", **cues):
    """The lines of a rehearsal; ``cues`` are those of ``Cues``."""
    rules = Rules(skills, urls or UrlPolicy(), strict, subtrees=subtrees or {})
    return rehearse(text, rules, Cues(**cues), Settings(missing_channel=missing_channel))


def lines(root, **options):
    """All lines of a dry run on the usual body."""
    options = {"media": LENGTHS} | options
    return list(dry_run(document(root), SKILLS, **options))


def outcome(root, **options):
    """Outcome and time of a dry run."""
    last = lines(root, **options)[-1]
    return last["outcome"], last["t"]


class Script:
    """A skill port in which the test decides what happens; what was called is in ``calls``."""

    def __init__(self):
        self.calls = []
        self.status = {}
        self.held = False
        self.obedient = True  # to cancel and hold

    def start(self, request):
        self.calls.append(("start", request.name, request.slot_s))
        self.status[request.id] = (request.name, SkillStatus.RUNNING, "")

    def report(self, request_id):
        _, status, reason = self.status[request_id]
        return SkillReport(request_id, status, held=self.held, reason=reason)

    def cancel(self, request_id):
        name, status, _ = self.status[request_id]
        self.calls.append(("cancel", name))
        if self.obedient and status is SkillStatus.RUNNING:
            self.status[request_id] = (name, SkillStatus.CANCELED, "")

    def hold(self, on):
        self.calls.append(("hold", on))
        self.held = on and self.obedient

    def end(self, name, status=SkillStatus.SUCCEEDED, reason=""):
        """End all running skills of that name."""
        for request_id, (one, now, _) in list(self.status.items()):
            if one == name and now is SkillStatus.RUNNING:
                self.status[request_id] = (name, status, reason)


class Foretold(VirtualSkills):
    """A virtual body whose skills end one after the other as foretold."""

    def __init__(self, statuses):
        super().__init__(SKILLS)
        self.statuses = deque(statuses)

    def report(self, request_id):
        report = super().report(request_id)
        if report.status is SkillStatus.SUCCEEDED:
            return replace(report, status=self.statuses.popleft(), reason="as foretold")
        return report


class VirtualRun:
    """A run on virtual ports (or given ones), ticked by the test. ``known``: the body's skills."""

    def __init__(
        self,
        root,
        *,
        skills=None,
        media=None,
        requests=None,
        settings=EXACT,
        board=None,
        seed=0,
        known=SKILLS,
        **rules,
    ):
        self.skills = skills or VirtualSkills(SKILLS)
        self.media = media or VirtualMedia(LENGTHS)
        self.requests = requests or VirtualRequests({})
        self.board = Blackboard(board)
        source = root if isinstance(root, str | Document | Loaded) else document(root)
        ports = Ports(self.skills, self.media, self.requests)
        self.run = Run(
            source, ports, Rules(known, **rules), settings=settings, blackboard=self.board, seed=seed
        )
        self.events = []
        self.now = 0.0

    def tick(self, now):
        """One tick of everything at outside time ``now``."""
        self.now = now
        for port in (self.skills, self.media, self.requests):
            if hasattr(port, "advance_to"):
                port.advance_to(now)
        state = self.run.tick(now)
        self.events += self.run.take_events()
        return state

    def to(self, now, step=0.5):
        """Tick every ``step`` s up to and with ``now``; the first tick is at 0."""
        if self.run.state is RunState.LOADING:
            self.tick(0.0)
        while self.now + step < now - 1e-9:
            self.tick(self.now + step)
        return self.tick(now)

    def to_end(self, period, jitter=0.0, seed=0, until=1e4):
        """Tick with a jittered period until the run ends; return the time of the last tick."""
        rng = random.Random(seed)
        now = self.now
        while self.tick(now) is not RunState.ENDED:
            assert now < until, "does not end"
            now += period * (1 + rng.uniform(-jitter, jitter))
        return now

    def seen(self, *events):
        """What was journaled, as 'event pointer' in order; all but warnings when no events are named."""
        wanted = events or ("start", "success", "failure", "halted", "skipped", "replaced")
        return [f"{e.event} {e.origin.pointer}" for e in self.events if e.event in wanted]

    @property
    def ended(self):
        ending = self.run.ending
        return None if ending is None else (ending.outcome.value, round(ending.t, 6))
