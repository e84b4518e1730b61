# SPDX-License-Identifier: Apache-2.0
"""The view of one namespace: a robot and its knowledge with its grid map, or a monitor and its field."""

import logging
import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from geometry_msgs.msg import PoseStamped, PoseWithCovariance
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from viser import GuiHtmlHandle, ImageHandle
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.msg import BodyStatus, HeardMessage, LinkState, SkillList, SoccerField, TreeSnapshot
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import FieldValues, field_lines, goal_lines
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.viewing import panels
from embodiment_bridge.viewing.controls import Controls
from embodiment_bridge.viewing.marker_board import MarkerBoard
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_shape import RobotShape, moved

LARGEST = 512  # pixels along one side; larger maps are thinned out
UNKNOWN = (88, 94, 102)
FREE = np.array((226, 229, 222), dtype=np.float32)
TAKEN = np.array((38, 42, 48), dtype=np.float32)


def picture(grid: OccupancyGrid) -> npt.NDArray[np.uint8]:
    """Return the picture of an OccupancyGrid: RGB, rows from its top (largest y) down.

    Empty if sizes and data do not fit.
    """
    width, height = grid.info.width, grid.info.height
    if not width or not height or width * height != len(grid.data):
        return np.zeros((0, 0, 3), dtype=np.uint8)
    step = -(-max(width, height) // LARGEST)
    cells = np.asarray(grid.data, dtype=np.int16).reshape(height, width)[::-step, ::step]
    taken = np.clip(cells, 0, 100).astype(np.float32)[..., np.newaxis] / 100.0
    image = (FREE + taken * (TAKEN - FREE)).astype(np.uint8)
    image[cells < 0] = UNKNOWN
    if step == 1 and max(width, height) * 8 <= LARGEST:  # a small map has lines between its cells
        image = image.repeat(8, axis=0).repeat(8, axis=1)
        image[::8, :], image[:, ::8] = (120, 124, 128), (120, 124, 128)
    return image


EACH_COUNTS = ("markers", "heard")  # on these topics a message does not replace the one before
HEARD = 8  # lines that are shown
PANEL_PERIOD = 0.2  # s between changes of the panel
LEVELS = {"feelings": ("Feelings", "#f06292"), "physiology": ("Physiology", "#4db6ac")}
LEVELS["psi_demands"] = ("Demands", "#9575cd")
PLACING = ("robot_description", "pose", "odom")
SETTLE_S = 1.5  # s in which the publishers of a robot are found
MOST_ARRAYS = 100
SECTIONS = ("status", "tree", *LEVELS, "heard")
LINE = (235, 238, 235)


class RobotView:
    """Draws the topics of one namespace; called on the drawing thread only.

    number: unique among the views. controls: those of this robot, which show its skills and joints.
    ``published``: of PLACING, the topics that have a publisher. Until each of them has come, neither the robot nor its
    markers are drawn, because their places are not known.
    """

    published: frozenset[str] = frozenset()

    def __init__(self, page: Page, number: int, title: str, controls: Controls | None = None) -> None:
        self._page, self._number = page, number
        self._controls = controls
        self._path = f"/robot{number}"
        self._base = page.scene.add_frame(self._path, show_axes=False)
        self._height = 0.0  # height of the base while its pose is unknown, m
        self._posed = False
        self._since = math.inf  # when it was first drawn, monotonic time, s
        self._missing: list[str] = []
        # Drawn pose of the base: position, then w x y z of its rotation
        self._at: tuple[float, ...] | None = None
        self._by_odometry = False
        self._shape: RobotShape | None = None
        self._positions: dict[str, float] = {}
        self._markers = MarkerBoard(page.scene, f"marker{number}_", self._node_of)
        self._arrays: deque[MarkerArray] = deque(maxlen=MOST_ARRAYS)  # marker arrays that are not drawn yet
        self._maps: dict[str, ImageHandle] = {}
        self._links: dict[str, LinkState] = {}
        self._body: BodyStatus | None = None
        self._heard: deque[HeardMessage] = deque(maxlen=HEARD)
        self._texts: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._panel_time = -math.inf
        self._take: dict[str, Callable[[Any], None]] = {
            "robot_description": self._describe, "joint_states": self._move, "pose": self._place,
            "odom": self._place_by_odometry, "field": self._draw_field, "body_status": self._take_body,
            "behavior_tree/tree": self._take_tree, "heard": self._take_heard,
            "skills": self._take_skills,
        }  # fmt: skip
        with page.gui.add_folder(title):
            self._html: dict[str, GuiHtmlHandle] = {
                name: page.gui.add_html("", visible=False) for name in SECTIONS
            }

    def take(self, topic: str, message: Any) -> None:
        """Take a message of a topic, named without the namespace."""
        self._page.loaded()
        if topic in self._take:
            self._take[topic](message)
        elif topic in LEVELS:
            title, color = LEVELS[topic]
            self._texts[topic] = panels.bars_html(title, message.names, message.levels, color)
        elif topic in ("map", "local_grid"):
            self._draw_map(topic, message)
        elif topic == "markers":
            self._arrays.append(message)
        elif topic.endswith("link_state"):
            self._links[topic.removesuffix("link_state").strip("/") or "link"] = message

    def refresh(self, now: float) -> None:
        """Draw what changes with time: markers end, and the panel is written at its period.

        now: monotonic time, s.
        """
        self._missing = self._look_for_missing(now)
        placed = not self._missing
        if self._base.visible != placed:
            self._base.visible = placed
        while placed and self._arrays:
            self._markers.take(self._arrays.popleft(), now)
        self._markers.expire(now)
        if now - self._panel_time < PANEL_PERIOD:
            return
        self._panel_time = now
        if self._controls is not None:
            self._controls.show_positions(self._positions, now)
        if self._posed and self._shape is None:
            self._draw_disc()
        self._texts["status"] = panels.status_html(self._links, self._body, self._missing)
        self._texts["heard"] = panels.heard_html(self._heard)
        for name, text in self._texts.items():
            if self._shown.get(name, "") != text:
                self._shown[name] = text
                self._html[name].content, self._html[name].visible = text, bool(text)

    def _look_for_missing(self, now: float) -> list[str]:
        """Return the topics that must come before anything is drawn.

        At first these are all topics, as not all publishers are known then.
        """
        self._since = min(self._since, now)
        awaited = PLACING if now - self._since < SETTLE_S else self.published
        there = {"robot_description": self._shape is not None, "pose": self._posed, "odom": self._posed}
        return sorted(topic for topic in awaited if not there[topic])

    def _draw_disc(self) -> None:
        """Draw a body without a description: a disc with a nose."""
        if self._page.scene.get_handle_by_name(f"{self._path}/disc") is None:
            scene, color = self._page.scene, (255, 160, 60)
            scene.add_cylinder(f"{self._path}/disc", 0.3, 0.3, color, position=(0.0, 0.0, 0.15))
            scene.add_box(f"{self._path}/nose", (60, 60, 60), (0.3, 0.1, 0.1), position=(0.3, 0.0, 0.2))

    def _describe(self, message: String) -> None:
        robot = read_urdf(message.data)
        self._markers.clear()
        self._base.remove()
        self._base, self._at = self._page.scene.add_frame(self._path, show_axes=False), None
        self._shape = RobotShape(self._page.scene, self._path, robot)
        if self._shape.left_out:
            _log_left_out(robot.name, self._shape.left_out)
        self._shape.move(self._positions)
        self._height = -self._shape.lowest()
        if self._controls is not None:
            self._controls.show_joints(robot)
        if not self._posed:
            self._base.position = (0.0, 0.0, self._height)

    def _move(self, message: JointState) -> None:
        self._positions = dict(zip(message.name, message.position, strict=False))
        if self._shape is not None:
            self._shape.move(self._positions)

    def _place(self, message: PoseStamped | PoseWithCovariance) -> None:
        place, turn = message.pose.position, message.pose.orientation
        numbers = (place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z)
        if all(map(math.isfinite, numbers)):
            self._posed = True
            if self._number == 0:
                far = 3.5 if self._maps else 1.0
                self._page.aim(
                    numbers[:3], far=far, yaw=rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
                )
            if self._at is None or moved(self._at, numbers):
                self._at = numbers
                self._base.position, self._base.wxyz = numbers[:3], numbers[3:]

    def _place_by_odometry(self, message: Odometry) -> None:
        if not self._posed or self._by_odometry:
            self._by_odometry = True
            self._place(message.pose)

    def _draw_field(self, message: SoccerField) -> None:
        numbers = {
            name: getattr(message, name)
            for name, kind in message.get_fields_and_field_types().items()
            if kind == "double"
        }
        field = FieldValues(numbers)
        left, right = goal_lines(field)
        for name, lines, thickness in (
            ("field", field_lines(field), 0.05),
            ("goals", [*left, *right], 0.08),
        ):
            if lines:
                points = np.array(lines, dtype=np.float32)
                self._page.scene.add_line_segments(f"/{name}", points, LINE, thickness=thickness)

    def _draw_map(self, topic: str, grid: OccupancyGrid) -> None:
        image = picture(grid)
        if not image.size:
            return
        resolution, origin = grid.info.resolution, grid.info.origin
        width, height = resolution * grid.info.width, resolution * grid.info.height
        turn = (origin.orientation.w, origin.orientation.x, origin.orientation.y, origin.orientation.z)
        yaw = 2.0 * math.atan2(turn[3], turn[0])
        c, s = math.cos(yaw), math.sin(yaw)
        x = origin.position.x + 0.5 * (c * width - s * height)
        y = origin.position.y + 0.5 * (s * width + c * height)
        if not math.isfinite(x + y + width + height):
            return
        layer = 0.002 if topic == "map" else 0.006  # m; the local map is above the global one
        path = f"{self._node_of(grid.header.frame_id)}/{topic}"
        # viser's pictures have y down: they are rotated about x.
        self._maps[topic] = self._page.scene.add_image(
            path, image, width, height, position=(x, y, origin.position.z + layer),
            wxyz=(0.0, math.cos(0.5 * yaw), math.sin(0.5 * yaw), 0.0), format="png", cast_shadow=False,
        )  # fmt: skip

    def _take_body(self, message: BodyStatus) -> None:
        self._body = message

    def _take_tree(self, message: TreeSnapshot) -> None:
        self._texts["tree"] = panels.tree_html(message)
        if self._controls is not None:
            # Without a run it is a pause in which nothing runs, or its end.
            self._controls.see_tree(message.state if message.run_id else "")

    def _take_skills(self, message: SkillList) -> None:
        if self._controls is not None:
            self._controls.offer([skill for skill in message.skills if skill.available])

    def _take_heard(self, message: HeardMessage) -> None:
        self._heard.append(message)

    def _node_of(self, frame: str) -> str:
        """Return the node of a frame: that of a link of this robot, with any prefix, or the world."""
        link = frame.rpartition("/")[2]
        paths = {"base_link": self._path} if self._shape is None else self._shape.paths
        return paths.get(link, "")


def _log_left_out(robot: str, parts: list[str]) -> None:
    more = f"; {len(parts) - 1} more" if len(parts) > 1 else ""
    logging.getLogger(__name__).warning("robot %s is drawn without: %s%s", robot, parts[0], more)
