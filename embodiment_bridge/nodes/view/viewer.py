# SPDX-License-Identifier: Apache-2.0
"""The node that shows robots in a browser, on a page that it serves."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.clock import Clock, ClockType
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.msg import (
    BodyStatus,
    Feelings,
    HeardMessage,
    LinkState,
    PhysiologyLevels,
    PsiDemands,
    SkillList,
    SoccerField,
    TreeSnapshot,
)
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.view.robot_driver import RobotDriver
from embodiment_bridge.viewing.buttons import BUTTONS, EMERGENCY_STOP, STOP
from embodiment_bridge.viewing.controls import Controls
from embodiment_bridge.viewing.gate import TOKEN_VARIABLE, token_of_user
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.painter import Painter
from embodiment_bridge.viewing.robot_view import PLACING, RobotView

ALL: Final = "*"
# Time after which the drawing thread lets other threads run, instead of Python's 5 ms
SWITCH_S: Final = 0.0005
MOST_ROBOTS: Final = 64
LOOK_S: Final = 0.25  # between two checks for opened and closed pages
TOPICS: Final = {
    "robot_description": (String, "latched"),
    "joint_states": (JointState, "sensor"),
    "pose": (PoseStamped, "sensor"),
    "odom": (Odometry, "sensor"),
    "markers": (MarkerArray, "state"),
    "map": (OccupancyGrid, "latched"),
    "local_grid": (OccupancyGrid, "state"),
    "field": (SoccerField, "latched"),
    "behavior_tree/tree": (TreeSnapshot, "state"),
    "feelings": (Feelings, "latched"),
    "physiology": (PhysiologyLevels, "state"),
    "psi_demands": (PsiDemands, "latched"),
    "link_state": (LinkState, "latched"),
    "opencog_bridge/link_state": (LinkState, "latched"),
    "body_status": (BodyStatus, "latched"),
    "heard": (HeardMessage, "events"),
    "skills": (SkillList, "latched"),
}
PARAMETERS = (
    Parameter(
        "host",
        "127.0.0.1",
        "Address to serve on. Any other than 127.0.0.1 shows the page to other machines, which need the token.",
    ),
    Parameter("port", 8080, "TCP port of the page; 0: any free one.", 0, 65535),
    Parameter(
        "namespaces", ["."], "Namespaces of the robots to show. `.`: that of this node; `*`: of all in it."
    ),
    Parameter(
        "token_file",
        "",
        f"File with the token that a visitor must know. Empty: the variable {TOKEN_VARIABLE}.",
    ),
    Parameter("steer", True, "Show controls that move the robots, to everybody who may see the page."),
    Parameter("rate", 15.0, "Pictures per second at most, Hz.", 1.0, 60.0),
)


class Viewer(BridgeNode):
    """Subscribes while a page is open, and passes messages undecoded to the thread that draws.

    ``documents()`` gives the texts of BML documents that the page offers, by name.
    """

    def __init__(
        self, documents: Callable[[], Mapping[str, str]] = dict, **node_kwargs: Unpack[NodeOptions]
    ) -> None:
        super().__init__("viewer", PARAMETERS, **node_kwargs)
        self._documents = documents
        self._drivers: list[RobotDriver] = []
        self._page: Page | None = None
        self._painter: Painter | None = None
        self._looker: Timer | None = None
        self._looks: dict[str, list[Subscription]] = {}  # by namespace
        self._views: dict[str, RobotView] = {}  # likewise

    @property
    def url(self) -> str:
        """URL of the page; empty while it is not served."""
        page = self._page
        return "" if page is None else page.url

    def activate(self) -> None:
        """Start to serve the page."""
        values = self.values
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_S))
        token = token_of_user(values["token_file"])
        self._page = page = Page(values["host"], values["port"], token)
        self._painter = Painter(page, values["rate"])
        self._names: list[str] = []
        self._views.clear()
        self._offered = self._documents() if values["steer"] else {}
        if values["steer"]:
            page.add_buttons(self._press, self._leave_all)
        for name in values["namespaces"]:
            if name != ALL:
                self._show(self._full(name))
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._looker = self.create_timer(LOOK_S, self._look, clock=steady)
        self.get_logger().info(f"the page is at {page.url}")
        if page.entry != page.url and token is None:
            # Not by the logger, whose lines go to the graph and into files that others may read.
            sys.stderr.write(f"viewer: with its token: {page.entry}\n")
            sys.stderr.flush()

    def deactivate(self) -> None:
        """Stop serving the page."""
        if self._looker is not None:
            self.destroy_timer(self._looker)
            self._looker = None
        self._look_away()
        if self._painter is not None:
            self._painter.close()
            self._painter = None
        if self._page is not None:
            self._page.close()
            self._page = None
        for driver in self._drivers:
            driver.destroy()
        self._drivers.clear()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the URL and the number of visitors."""
        if self._page is None or self._painter is None:
            return super().diagnose()
        values = {
            "url": self._page.url,
            "visitors": self._page.visitors,
            "refused": self._page.refused,
            "pictures": self._painter.pictures,
        }
        if amiss := self._amiss():
            return DiagnosticStatus.ERROR, amiss, values
        if self._painter.error:
            return DiagnosticStatus.WARN, f"not drawn: {self._painter.error}", values
        return DiagnosticStatus.OK, "shown" if values["visitors"] else "no visitors", values

    def _full(self, name: str) -> str:
        own: str = self.get_namespace()
        if name in (".", ""):
            return own
        return name if name.startswith("/") else f"{own.rstrip('/')}/{name}"

    def _show(self, namespace: str) -> None:
        if self._page is None or self._painter is None:
            return
        if namespace not in self._names and len(self._names) < MOST_ROBOTS:
            title = namespace.strip("/") or "robot"
            controls = self._controls(self._page, namespace, title) if self.values["steer"] else None
            view = RobotView(self._page, len(self._names), title, controls)
            self._names.append(namespace)
            self._views[namespace] = view
            self._painter.add(namespace, view)

    def _controls(self, page: Page, namespace: str, title: str) -> Controls:
        driver = RobotDriver(self, namespace)
        driver.shown = controls = Controls(page, title, driver, self._offered, keys=not self._drivers)
        self._drivers.append(driver)
        return controls

    def _press(self, button: str) -> tuple[Sequence[str], str]:
        """Do what a button of the page is for, with all robots; see ``Press``. On any thread."""
        drivers = tuple(self._drivers)
        for driver in drivers:
            if button == STOP:
                driver.stop()
            elif button:
                driver.emergency_stop(on=button == EMERGENCY_STOP)
        return [name for name in BUTTONS if any(name in driver.buttons for driver in drivers)], self._amiss()

    def _amiss(self) -> str:
        """Of which robots it is not known that they obeyed their emergency stop."""
        return "; ".join(driver.amiss for driver in tuple(self._drivers) if driver.amiss)

    def _leave_all(self, page: int) -> None:
        for driver in self._drivers:
            driver.leave(page)

    def _look(self) -> None:
        """Subscribe when the first page opens, and unsubscribe after the last one closes."""
        for driver in self._drivers:
            driver.look()
        if self._page is None or not self._page.visitors:
            self._look_away()
            return
        if ALL in self.values["namespaces"]:
            for namespace in self._robots():
                self._show(namespace)
        for namespace in self._names:
            if namespace not in self._looks:
                self._looks[namespace] = [self._listen(namespace, topic) for topic in TOPICS]
            published = (topic for topic in PLACING if self.count_publishers(_topic(namespace, topic)))
            self._views[namespace].published = frozenset(published)

    def _robots(self) -> list[str]:
        """Return the namespaces below that of this node that have joint states."""
        own = self.get_namespace().rstrip("/") + "/"
        names = (name for name, _ in self.get_topic_names_and_types() if name.startswith(own))
        found = (name.removesuffix("/joint_states") for name in names if name.endswith("/joint_states"))
        return sorted(name or "/" for name in found)

    def _listen(self, namespace: str, topic: str) -> Subscription:
        kind, role = TOPICS[topic]
        take = partial(self._take, namespace, topic, kind)
        return self.create_subscription(kind, _topic(namespace, topic), take, profile(role), raw=True)

    def _look_away(self) -> None:
        for namespace, subscriptions in self._looks.items():
            for subscription in subscriptions:
                self.destroy_subscription(subscription)
            # What ran may end unseen: the next page begins without it, also without what was not drawn yet.
            if self._painter is not None:
                self._painter.take(namespace, "behavior_tree/tree", TreeSnapshot)
        self._looks.clear()

    def _take(self, namespace: str, topic: str, kind: Any, data: bytes) -> None:
        # A message may still come after the last page has gone.
        if self._painter is not None and namespace in self._looks:
            self._painter.take(namespace, topic, partial(deserialize_message, data, kind))


def _topic(namespace: str, name: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"
