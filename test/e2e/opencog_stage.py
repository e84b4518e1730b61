# SPDX-License-Identifier: Apache-2.0
"""A mock body that lives ten times as fast, its behaviour tree, the OpenCog bridge, and the stand-in OAC."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graph_stage import Stage
from rclpy.parameter import Parameter

from embodiment_bridge.launching.executables import behavior_tree, mock_body, opencog_bridge
from embodiment_bridge.link.session import Phase
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.goal_client import PlanClient
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.oac.stand_in import OacPeer

ROOT = Path(__file__).parents[2]
PLAN_FILE = str(ROOT / "config/plans/walking.yaml")
BRAIN = "http://www.opencog.org/brain"
ENVELOPE = '<oc:action-plan xmlns:oc="' + BRAIN + '" demand="" entity-id="{}" id="{}">{}</oc:action-plan>'
SAY = '<param type="string" value="hello"/>'
LONG_WALK = (
    '<action name="walk" sequence="1"><param type="vector"><vector x="3000" y="0" z="0"/></param></action>'
)


def overrides(**values: Any) -> list[Parameter]:
    return [Parameter(name, value=value) for name, value in values.items()]


class OpenCog(Stage):
    """The nodes in one process; ``oac`` is the stand-in, ``brain`` its OAC fido."""

    def __init__(self, oac: OacPeer, *, body: bool = True, speed: float = 10.0, **parameters: Any) -> None:
        super().__init__(Runtime())
        self.oac = oac
        sim = {"use_sim_time": body}
        if body:
            self.body = self.add(mock_body, publish_clock=True, speed=speed, **sim)
        self.tree = self.add(behavior_tree, plan_file=PLAN_FILE, **sim)
        self.bridge = self.add(opencog_bridge, **{"port": oac.port, "tick_period": 0.1, **sim, **parameters})
        self.plans = PlanClient(self.watcher)
        self.ends.callback(self.plans.destroy)

    def why(self) -> Any:
        return self.bridge.diagnose()

    def join(self) -> None:
        """Until the OAC has the body on its map, and plans can be run."""
        self.until(lambda: self.ready and self.tree.skills and self.plans.server_is_there)

    @property
    def ready(self) -> bool:
        """Whether the bridge is logged in and the OAC knows where its body is."""
        there = self.bridge.active and self.bridge._session.status.phase is Phase.READY
        return there and "fido" in self.oac.brains and "fido" in self.brain.known

    @property
    def world(self) -> Any:
        """What the mock body lives in."""
        return self.body._world

    @property
    def idle(self) -> bool:
        """Whether the tree runs nothing, and nothing waits."""
        _, text, values = self.tree.diagnose()
        return text == "idle" and not values["waiting"] and not values["goals waiting"]

    @property
    def brain(self) -> Any:
        return self.oac.brains["fido"]

    @property
    def reports(self) -> list[tuple[str, int | None, str, str]]:
        """What was reported so far: plan, sequence, name, status."""
        return [(r.plan_id, r.sequence, r.name, r.status) for r in list(self.brain.record.reports)]

    def say(self, text: str | bytes, kind: int = 1) -> None:
        """The OAC sends something to the bridge."""
        payload = text.encode() if isinstance(text, str) else text
        self.oac.do(lambda: self.oac.router.send("fido", "PROXY", kind, payload))

    def plan(self, name: str, actions: str, entity: str = "fido") -> None:
        """The OAC sends a plan of its own making."""
        self.say(ENVELOPE.format(entity, name, actions))

    def close(self) -> None:
        """Leave nothing on the graph: what another test in this process would take for its own."""
        super().close()
        for node in self.runtime._nodes:
            if isinstance(node, BridgeNode):
                if node.active:
                    node.trigger_deactivate()
                # A test may end before all is configured.
                if node._state_machine.current_state[1] == "inactive":
                    node.trigger_cleanup()
        self.runtime.__exit__(None, None, None)


def action(name: str, sequence: int = 1, inside: str = "") -> str:
    return f'<action name="{name}" sequence="{sequence}">{inside}</action>'


@contextmanager
def graph(script="none", peer=None, **parameters):
    with OacPeer(script=script, **(peer or {})) as oac:
        made = OpenCog(oac, **parameters)
        try:
            yield made
        finally:
            made.close()
