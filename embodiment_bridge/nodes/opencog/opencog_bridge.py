# SPDX-License-Identifier: Apache-2.0
"""The node that connects bodies to OpenCog OACs: the proxy in an OpenCog network."""

import time
from collections.abc import Mapping
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from typing_extensions import override

from embodiment_bridge.link.session import Phase, Session
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.body.status_publishers import LinkPublisher
from embodiment_bridge.nodes.opencog import opencog_parameters as parameters
from embodiment_bridge.nodes.opencog.opencog_agent import OpencogAgent
from embodiment_bridge.protocols.opencog.network.element import Element
from embodiment_bridge.protocols.opencog.network.outbox import Kind, Outbox
from embodiment_bridge.protocols.opencog.network.proxy import Oac, Presence, Proxy, ProxyListener
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.world.report import read_things

LOOK_AFTER = 0.5  # s of wall time
LEAVE_WITHIN = 1.5  # s in which nothing else is served, not even the end of what runs


class OpencogBridge(BridgeNode, ProxyListener):
    """Connects one element of the network, with one body per OAC."""

    def __init__(self, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("opencog_bridge", parameters.PARAMETERS, **node_kwargs)
        self._element: Element | None = None
        self._agents: dict[str, OpencogAgent] = {}

    def configure(self) -> None:
        """Create the proxy, and the topics of each agent."""
        values = self.values
        things = read_things(values["things_file"]) if values["things_file"] else ()
        self._outbox = Outbox()
        for name, namespace in parameters.agents(values).items():
            self._agents[name] = OpencogAgent(self, name, namespace, self._outbox, things)
        self._link = LinkPublisher(self, "~/link_state")
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_AFTER, self._look_after, clock=steady)

    def activate(self) -> None:
        """Listen, and log in to the Router as soon as it is reachable."""
        values = self.values
        address = parameters.address(values)
        element = Element(address, acks=values["acks"], silence=values["silence"])
        self._outbox.wake = element.wake
        loading = parameters.loading(values)
        oacs = [Oac(name, loading) for name in self._agents]
        habits = parameters.habits(values)
        self._proxy = Proxy(element, self._outbox, oacs, self, habits, time.perf_counter)
        peer = f"tcp://{address.router_host}:{address.router_port}"
        self._session = Session(element.open_link, self._proxy, self._link.publish, peer=peer)
        self._element = element
        self._session.start()

    def deactivate(self) -> None:
        """End running plans, report that, and log out."""
        for agent in self._agents.values():
            agent.close("the OpenCog bridge was deactivated")
        if self._session.status.phase is Phase.READY:
            self._proxy.leave()
            self._proxy.left.wait(LEAVE_WITHIN)
        self._session.stop()
        lost = self._outbox.waiting(Kind.RESULT)
        if lost:
            self.get_logger().warning(f"{lost} reports could not be sent before the end")
        for name, agent in self._agents.items():
            # An OAC that is loaded later would take what is left for reports of its own plans.
            self._outbox.forget(name)
            agent.forget_levels()  # only now that the session cannot hear another feeling
        if self._element is not None:
            self._element.close()
            self._element = None

    def cleanup(self) -> None:
        """Let the session's thread publish no more."""
        self._agents = {}
        self._link.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the state of the link and of the OACs."""
        if not self.active:
            return super().diagnose()
        status, counters, outbox = self._session.status, self._session.counters, self._outbox
        oacs = {f"oac {oac.id}": oac.presence.value for oac in self._proxy.oacs.values()}
        values: dict[str, object] = {
            "link": status.phase.name,
            "peer": status.peer,
            "connects": status.connects,
            **oacs,
            "plans": sum(agent.plans.running for agent in self._agents.values()),
            "reports_waiting": outbox.waiting(Kind.RESULT),
            "sent": self._proxy.sent,
            "dropped": outbox.dropped,
            "refused": self._proxy.refused + counters.refused_commands,
            "malformed": counters.malformed + sum(agent.malformed for agent in self._agents.values()),
            "unknown": counters.unknown + sum(agent.unknown for agent in self._agents.values()),
            "bytes_in": counters.bytes_in,
            "bytes_out": counters.bytes_out,
            "last_error": self._proxy.last_error or counters.last_error,
        }
        if status.phase is not Phase.READY:
            return DiagnosticStatus.WARN, f"{status.phase.name}: {status.reason}".strip(": "), values
        absent = [oac.id for oac in self._proxy.oacs.values() if oac.presence is not Presence.PRESENT]
        if absent:
            return DiagnosticStatus.WARN, f"waiting for OAC {', '.join(absent)}", values
        return DiagnosticStatus.OK, "the OAC perceives", values

    @override
    def hear(self, message: wire.Message) -> None:
        self._agents[message.sender].hear(message)

    @override
    def met(self, oac: str, *, anew: bool) -> None:
        self.get_logger().info(f"OAC {oac} is there{', anew' if anew else ''}")
        self._agents[oac].met(anew=anew)

    @override
    def missed(self, oac: str) -> None:
        self.get_logger().warning(f"OAC {oac} cannot be reached")

    @override
    def about_to_tick(self, oac: str) -> None:
        self._agents[oac].about_to_tick()

    def _look_after(self) -> None:
        for agent in self._agents.values():
            agent.look_after()
