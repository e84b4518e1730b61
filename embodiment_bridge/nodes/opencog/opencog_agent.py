# SPDX-License-Identifier: Apache-2.0
"""One OAC and its body: sends percepts to the OAC, and receives its plans, feelings and demands.

ROS callbacks only store the latest messages. Messages to an OAC are made when they are written, on the session's
thread, so that they have the time of that moment.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.publisher import Publisher
from std_msgs.msg import Header, String

from embodiment_bridge.msg import (
    AgentAction,
    EntityArray,
    Feelings,
    HeardMessage,
    PsiDemands,
    SkillList,
)
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.goal_client import PlanClient
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.opencog import opencog_parameters as parameters
from embodiment_bridge.nodes.opencog.opencog_feelings import OpencogMood, OpencogNeeds
from embodiment_bridge.nodes.opencog.opencog_plans import OpencogPlans
from embodiment_bridge.protocols.opencog.convert import Messages, Perceptor
from embodiment_bridge.protocols.opencog.network.outbox import Kind, Letter, Outbox
from embodiment_bridge.protocols.opencog.plans.plan_ledger import Report, action_report
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.router.wire import read_feedback
from embodiment_bridge.protocols.opencog.world.feelings import Merged, rules_of
from embodiment_bridge.protocols.opencog.world.report import Thing
from embodiment_bridge.protocols.opencog.xml import events
from embodiment_bridge.protocols.opencog.xml.wire_values import StampClock
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.wire.codec import Malformed

SATED = {
    "eat": {"hunger": -0.5},
    "drink": {"thirst": -0.5},
}  # change of the levels when such an action is done


class OpencogAgent:
    """Sends what the body senses to its OAC; the link calls ``hear``, ``met``, ``missed``, ``about_to_tick``.

    Args:
        node: configured, with the values of ``opencog_parameters``.
        name: id of the OAC.
        namespace: of the body; empty means that of the node.
        outbox: takes the messages to the OAC.
        things: objects that are always there.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self, node: BridgeNode, name: str, namespace: str, outbox: Outbox, things: tuple[Thing, ...]
    ) -> None:
        values = node.values
        self._node, self._name, self._outbox = node, name, outbox
        place = namespace or node.get_namespace()
        settings = parameters.settings(values, name, place.strip("/").rpartition("/")[2])
        self._perceptor = Perceptor(settings, things, parameters.grid(values))
        self._stamps = StampClock()
        self._feelings, self._demands = Merged(), Merged()
        self._raw = wire.MessageType.RAW if values["speech"] == "raw" else wire.MessageType.STRING
        self._period = 1.0 / values["map_rate"]
        self._next_map = 0.0
        self._map_waits = False  # true if something has changed since the last message on the map
        self._first = True
        self._life = 0  # counts restarts of the OAC: reports on plans of an earlier life are not sent
        self._entities: EntityArray | None = None
        self._pose: PoseStamped | None = None
        self._local_grid: OccupancyGrid | None = None
        self.malformed = self.unknown = 0
        prefix = f"{namespace.rstrip('/')}/" if namespace else ""
        client = PlanClient(node, f"{prefix}execute_action_plan")
        self.plans = OpencogPlans(
            client, parameters.wishes(values), f"opencog:{name}", self._report, self._note
        )
        self._needs = OpencogNeeds(node, prefix, parameters.rates(values))
        self._skills: frozenset[str] = frozenset()  # skills of the body
        self._mood = OpencogMood(
            node,
            prefix,
            rules_of(values["feelings_to_emotions"]),
            values["emotion_rest"],
            f"opencog:{name}",
            self._note,
        )
        self._join(prefix)

    def _join(self, prefix: str) -> None:
        """Create the topics."""
        create, publisher = self._node.create_subscription, self._node.create_publisher
        create(EntityArray, f"{prefix}entities", self._take_entities, profile("sensor"))
        create(PoseStamped, f"{prefix}pose", self._take_pose, profile("sensor"))
        create(HeardMessage, f"{prefix}heard", self._take_heard, profile("events"))
        create(AgentAction, f"{prefix}observed_actions", self._take_action, profile("events"))
        create(SkillList, f"{prefix}skills", self._take_skills, profile("latched"))
        create(OccupancyGrid, f"{prefix}local_grid", self._take_grid, profile("sensor"))
        self._published: dict[type, Publisher[Any]] = {
            kind: publisher(kind, prefix + topic, profile(role))
            for kind, topic, role in (
                (Feelings, "feelings", "latched"),
                (PsiDemands, "psi_demands", "latched"),
                (String, "brain_feedback", "events"),
                (AgentAction, "observed_actions", "events"),
            )
        }

    def close(self, reason: str) -> None:
        """End what the OAC has asked of the body; on the executor's thread."""
        self.plans.close(reason)
        self._mood.close()

    def forget_levels(self) -> None:
        """Forget the OAC's feelings and demands: its latched topics must not show old ones."""
        felt, self._feelings = self._feelings, Merged()
        demanded, self._demands = self._demands, Merged()
        stamp = self._node.get_clock().now().to_msg()
        if felt.names:
            self._publish(Feelings, self._feelings, stamp)
        if demanded.names:
            self._publish(PsiDemands, self._demands, stamp)

    # On the session's thread.

    def met(self, *, anew: bool) -> None:
        """Send everything, as the OAC is there. ``anew``: it has restarted and does not know earlier plans."""
        self._perceptor.refresh()
        self._first = True
        if anew:
            self._life += 1
            self._outbox.forget(self._name)
            self.forget_levels()
            self._later(partial(self.plans.forget, self._life))
            self._later(self._mood.close)
        self._put_map()

    def hear(self, message: wire.Message) -> None:
        """Handle a message of the OAC."""
        if message.type == wire.MessageType.FEEDBACK:
            self._published[String].publish(String(data=read_feedback(message.payload).text))
            return
        found = read(message.payload)
        bad = [event for event in found if isinstance(event, events.BadAction)]
        for event in found:
            if isinstance(event, events.ActionPlan):
                self._take_plan(event, bad)
            elif event not in bad:
                self._handle(event)

    def _handle(self, event: object) -> None:
        stamp = self._node.get_clock().now().to_msg()
        match event:
            case events.EmotionalFeeling():
                self._feelings.update(event.feelings)
                self._publish(Feelings, self._feelings, stamp)
            case events.PsiDemand():
                self._demands.update(event.demands)
                self._publish(PsiDemands, self._demands, stamp)
            case events.SingleActionCommand():
                self._ask(partial(self.plans.command, self._perceptor.single(event, stamp)))
            case Malformed():
                self.malformed += 1
                text = f"malformed message of OAC {self._name}: {event.reason}: {event.excerpt}"
                self._node.get_logger().warning(text, throttle_duration_sec=5.0)
            case _:
                self.unknown += 1

    def _take_plan(self, plan: events.ActionPlan, bad: list[events.BadAction]) -> None:
        if plan.entity_id not in ("", self._name):
            self._note(f"plan {plan.id} is for {plan.entity_id!r}, not for {self._name!r}; ignored")
            return
        message = self._perceptor.plan(plan, self._node.get_clock().now().to_msg())
        self._ask(partial(self.plans.take, plan, message, bad))

    def _publish(self, kind: type[Feelings] | type[PsiDemands], merged: Merged, stamp: Time) -> None:
        message = kind(header=Header(stamp=stamp), entity_id=self._name)
        message.names, message.levels = merged.names, merged.values
        self._published[kind].publish(message)

    def about_to_tick(self) -> None:
        """Send needs and the visibility map before each tick."""
        self._outbox.put(Letter(self._name, self._make_needs, Kind.STATE, topic="needs"))
        self._outbox.put(Letter(self._name, self._make_grid, Kind.STATE, topic="grid"))

    def _make_map(self) -> bytes | None:
        stamp = self._stamp()
        messages = self._perceptor.entities(self._entities, self._pose, stamp, self._node.seconds())
        if messages and self._first:
            self._first = False
            if (
                self._perceptor.settings.dialect == "final"
            ):  # an OAC of this dialect makes plans only after the end of the first scan
                messages = (*messages, events.FinishedFirstTimePerceptTerrianSignal(stamp))
        return self._xml(messages)

    def _make_needs(self) -> bytes | None:
        levels = self._needs.levels(self._node.seconds())
        names, values = [level.name for level in levels], [level.value for level in levels]
        return self._xml(self._perceptor.physiology(names, values, self._stamp()))

    def _make_grid(self) -> bytes | None:
        values = self._node.values
        if self._local_grid is None and self._pose is not None and values["fov"]:
            self._perceptor.see(self._pose, values["fov"], values["sight"])
        return self._xml(self._perceptor.grid(self._local_grid, self._pose))

    def _make_heard(self, message: HeardMessage) -> bytes | None:
        return self._xml(self._perceptor.heard(message, self._stamp())[0])

    def _make_action(self, message: AgentAction) -> bytes | None:
        return self._xml(self._perceptor.action(message, self._stamp()))

    def _make_report(self, report: Report, life: int) -> bytes | None:
        if life != self._life:
            return None
        signal = action_report(
            self._name,
            self._stamp(),
            report.plan_id,
            report.name,
            report.status,
            report.sequence,
            report.reason,
        )
        return self._xml((signal,))

    def _xml(self, messages: Messages) -> bytes | None:
        return write(messages, self._perceptor.settings.dialect) if messages else None

    def _stamp(self) -> str:
        return self._stamps.stamp(self._node.get_clock().now().nanoseconds)

    def _ask(self, job: Callable[[], None]) -> None:
        """Ask something of the body later, unless the bridge is deactivated by then."""
        self._later(lambda: job() if self._node.active else None)

    def _later(self, job: Callable[[], None]) -> None:
        """Run a function on the executor's thread."""
        executor = self._node.executor
        if executor is not None:
            executor.create_task(job)

    # On the executor's thread.

    def look_after(self) -> None:
        """Go on with plans and emotions; call it regularly."""
        self.plans.look_after()
        if not self._node.active:
            return
        if self._map_waits:  # perhaps nothing changes any more, so that no topic would have it sent
            self._put_map_if_due()
        self._mood.look_after(self._feelings.levels, self._skills)

    def _report(self, report: Report) -> None:
        if report.status == "done" and report.name in SATED:
            self._needs.act(SATED[report.name])
        about = f"plan {report.plan_id} action {report.sequence}"
        self._outbox.put(
            Letter(self._name, partial(self._make_report, report, self.plans.life), Kind.RESULT, about=about)
        )

    def _note(self, text: str) -> None:
        self._node.get_logger().warning(text)

    def _put_map(self) -> None:
        self._outbox.put(Letter(self._name, self._make_map, Kind.STATE, topic="map"))

    def _take_entities(self, message: EntityArray) -> None:
        self._entities = message
        self._put_map_if_due()
        for action in self._perceptor.seen_actions(message, self._pose, self._node.seconds()):
            self._published[AgentAction].publish(action)  # it comes back as any other observed action

    def _take_pose(self, message: PoseStamped) -> None:
        self._pose = message
        self._put_map_if_due()

    def _put_map_if_due(self) -> None:
        now = time.monotonic()
        self._map_waits = now < self._next_map
        if not self._map_waits:
            self._next_map = max(self._next_map + self._period, now)
            self._put_map()

    def _take_grid(self, message: OccupancyGrid) -> None:
        self._local_grid = message

    def _take_heard(self, message: HeardMessage) -> None:
        self._outbox.put(Letter(self._name, partial(self._make_heard, message), Kind.EVENT, self._raw))

    def _take_action(self, message: AgentAction) -> None:
        self._outbox.put(Letter(self._name, partial(self._make_action, message)))

    def _take_skills(self, message: SkillList) -> None:
        self._perceptor.ids.add_alias(message.body)  # what the body holds is owned by this name
        self._skills = frozenset(skill.name for skill in message.skills)
