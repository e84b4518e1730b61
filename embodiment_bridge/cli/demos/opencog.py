# SPDX-License-Identifier: Apache-2.0
"""A stand-in for an OpenCog OAC moves a body: its plans, the reports on them, and what it sees of the ball."""

import sys
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.bodies import BODIES, free_ports
from embodiment_bridge.cli.demos.show import Show
from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Stage
from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.cli.terminal import say

if TYPE_CHECKING:
    from embodiment_bridge.standins.oac.brain import Brain

AGENT = "fido"
EVERYTHING = ""
SCRIPTS = {  # script, its number of plans, and the action that has to be done; a soccer robot cannot grab
    "mock": ("demo", 2, EVERYTHING),
    "rcsssmj": ("visit", 1, "walk"),
    "simspark": ("visit", 1, "walk"),
    "maeden": ("round", 1, EVERYTHING),
    "virtual_servos": ("greet", 1, EVERYTHING),
}
PATIENCE_S = 240.0  # s of wall time for all plans


class OpencogShow:
    """One show; it knows the port of the Router between launching and performing."""

    def __init__(self) -> None:
        self._port = 0

    def words(self) -> list[str]:
        """Launch arguments: the Router of the stand-in at a free port."""
        self._port = free_ports(1)[0]
        return [f"router_port:={self._port}", f"agent:={AGENT}", "on_error:=continue"]

    def perform(self, stage: Stage) -> int:
        """Exit code 0 if each action of each plan was reported once and those that the body can do were done."""
        from embodiment_bridge.standins.oac.stand_in import OacPeer

        script, plans, least = next(SCRIPTS[name] for name in SCRIPTS if BODIES[name] is stage.body)
        if not stage.wait(lambda: stage.watcher.link == "ready" and stage.placed, JOIN_TIMEOUT):
            say(f"the body did not come within {JOIN_TIMEOUT:g} s: link {stage.watcher.link}")
            return OTHER
        peer = OacPeer(port=self._port, oac=AGENT, script=script, verbose=True)
        brain = stage.afterwards.enter_context(peer).brains[AGENT]
        stage.wait(lambda: len(brain.record.outcomes) >= plans, PATIENCE_S)
        stage.status.end()
        sys.stdout.writelines(f"{line}\n" for line in _summary(brain))
        sys.stdout.flush()
        return 0 if len(brain.record.outcomes) >= plans and _went_well(brain, least) else 1


def _reported(brain: "Brain") -> tuple[int, int]:
    """Number of actions of all plans, and of those that were reported exactly once.

    Whatever is gone through here is copied first: the brain goes on on a thread of its own.
    """
    planned = [(plan.id, action.sequence) for plan in list(brain.record.plans) for action in plan.actions]
    told = [(report.plan_id, report.sequence) for report in list(brain.record.reports)]
    return len(planned), sum(told.count(one) == 1 for one in planned)


def _went_well(brain: "Brain", least: str) -> bool:
    planned, told = _reported(brain)
    done = {report.name for report in list(brain.record.reports) if report.status == "done"}
    everything = all(outcome == "done" for outcome in list(brain.record.outcomes.values()))
    return (
        planned == told
        and (everything if least == EVERYTHING else least in done)
        and not brain.record.problems
    )


def _summary(brain: "Brain") -> list[str]:
    planned, told = _reported(brain)
    done = sum(report.status == "done" for report in list(brain.record.reports))
    ball = [(x, y) for name, x, y in list(brain.record.places) if "ball" in name]
    places = len(dict.fromkeys(ball))
    outcomes = ", ".join(f"{name}: {outcome}" for name, outcome in list(brain.record.outcomes.items()))
    lines = [
        f"plans              {outcomes or 'none ended'}",
        f"actions            {planned}, reported once {told}, done {done}",
        f"the OAC was told   {brain.record.messages} messages, {len(brain.record.problems)} of them dropped",
        f"it knows           {', '.join(sorted(brain.known))}",
    ]
    if ball:
        (x0, y0), (x1, y1) = ball[0], ball[-1]
        moved = f"from {x0:.0f}, {y0:.0f} to {x1:.0f}, {y1:.0f} mm"
        lines.append(f"the ball           seen at {places} places, {moved}")
    return lines


_SHOW = OpencogShow()
SHOW = Show(
    "an OpenCog OAC (stand-in) walks a body to the ball, or moves it as far as it can",
    tuple(SCRIPTS),
    _SHOW.perform,
    "opencog",
    _SHOW.words,
)
