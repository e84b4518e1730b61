# SPDX-License-Identifier: Apache-2.0
"""The controls of one robot: pause, skills with their parameters, a drive pad, documents, joints."""

import math
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from viser import GuiButtonHandle, GuiEvent, GuiFolderHandle, GuiSliderHandle, SceneClickEvent

from embodiment_bridge.msg import SkillInfo, SkillParameter
from embodiment_bridge.urdf import JointType, Robot
from embodiment_bridge.viewing import panels
from embodiment_bridge.viewing.page import Page

PADS = {  # label: shares of the careful speed forward and to the left, and the key
    "Forward": (1.0, 0.0, "W"),
    "Back": (-1.0, 0.0, "S"),
    "Left": (0.0, 1.0, "A"),
    "Right": (0.0, -1.0, "D"),
}
REPEAT_HZ = 5.0  # rate of commands while a pad is held down
CALLS = {"Pause": "pause", "Go on": "resume", "Step": "step"}
MOST_JOINTS = 60  # with sliders
STEPS = 200  # steps of a slider
# Peaks of a joint's speed, rad/s and m/s. The end of an arm of half a metre then moves at 0.25 m/s as well, which is
# what machines are allowed with a person beside them (reduced speed), and the speed of the drive pad.
TURNING, SLIDING = 0.5, 0.25
PEAK = 1.5  # peak speed of a move from rest to rest, in mean speeds
LEAST_S = 0.4  # s of a move: a slider that is dragged sends ten a second and more
REST_S = 1.0  # in which a slider stays where a person has put it
LONGEST_DOCUMENT = 5_000_000  # bytes of a document that is sent to the page
CHOOSE = "(choose)"


class Driver(Protocol):
    """Commands of a page to a robot; ``page``: which one, so that all it began ends with it. Called by any thread."""

    def stop(self) -> None:
        """End the document and all skills."""

    def emergency_stop(self, *, on: bool) -> None:
        """Press the emergency stop of the body where it has one, and end the document and all skills.

        ``on`` false: release the stop.
        """

    def call(self, service: str) -> None:
        """Pause, resume or step the document that runs."""

    def drive(self, page: int, forward: float, turn: float) -> None:
        """Walk at shares (-1..1) of a careful speed for half a second."""

    def go_to(self, page: int, x: float, y: float) -> None:
        """Walk to a place in ``map``, m."""

    def do_skill(self, page: int, name: str, parameters: Mapping[str, str]) -> None:
        """Do a skill."""

    def run_document(self, page: int, name: str, text: str) -> None:
        """Run a BML document."""

    def move_joint(self, name: str, position: float, seconds: float) -> None:
        """Move a joint to a position (rad, or m) within so many seconds, when nothing runs."""

    def see_tree(self, state: str) -> None:
        """Note the state of the document: RUNNING, PAUSED, ENDED, ..."""

    def leave(self, page: int) -> None:
        """End what this page began: it was closed, or its connection is broken."""


class Controls:
    """Controls that call ``driver``; ``documents``: texts of the shipped documents by name. Thread-safe."""

    def __init__(
        self, page: Page, title: str, driver: Driver, documents: Mapping[str, str], *, keys: bool
    ) -> None:
        self._page, self._driver, self._documents = page, driver, documents
        self._lock = threading.Lock()
        self._skills: dict[str, SkillInfo] = {}
        self._fields: dict[str, Any] = {}  # inputs of the chosen skill
        self._joints: GuiFolderHandle | None = None
        self._sliders: dict[str, GuiSliderHandle[float]] = {}
        self._slid_at: dict[str, float] = {}  # when a person moved a slider, monotonic time, s
        self._positions: Mapping[str, float] = {}
        gui = page.gui
        self._all = gui.add_folder(f"Steer {title}", visible=False)
        with self._all:
            self._news = gui.add_html("")
            self._add_pads(keys)
            self._floor = gui.add_checkbox("Click on the floor to walk there", False)
            for label, service in CALLS.items():
                self._button(label, lambda _page, service=service: driver.call(service), color="gray")
            with gui.add_folder("Document", expand_by_default=False):
                self._add_documents()
            with gui.add_folder("Skill", expand_by_default=False) as self._skill_folder:
                self._choice = gui.add_dropdown("skill", (CHOOSE,), initial_value=CHOOSE)
                self._choice.on_update(self._chosen)
                self._about = gui.add_html("")
                self._button("Do it", self._do_skill)
            self._joint_folder = gui.add_folder("Joints", expand_by_default=False)
        page.scene.on_click()(self._clicked)

    def tell(self, text: str, *, bad: bool = False) -> None:
        """Show the last result."""
        self._news.content = panels.news_html(text, bad=bad)

    def steers(self, on: bool) -> None:
        """Show the controls, or not, where nothing would obey them."""
        if self._all.visible != on:
            self._all.visible = on

    def see_tree(self, state: str) -> None:
        """Show the state of the document."""
        self._driver.see_tree(state)

    def offer(self, skills: Sequence[SkillInfo]) -> None:
        """Show these skills."""
        with self._lock:
            found = {skill.name: skill for skill in skills}
            if found == self._skills:
                return
            self._skills = found
        self._choice.options = (CHOOSE, *sorted(found))

    def show_joints(self, robot: Robot) -> None:
        """Show a slider for each joint of a robot that has limits."""
        limited = [joint for joint in robot.movable if joint.limit is not None][:MOST_JOINTS]
        self._sliders = {}
        if self._joints is not None:
            self._joints.remove()
        with self._joint_folder:
            self._joints = self._page.gui.add_folder("they move while nothing runs")
        with self._joints:
            for joint in limited:
                if joint.limit is None or not 0.0 < joint.limit.upper - joint.limit.lower < math.inf:
                    continue
                lower, upper = joint.limit.lower, joint.limit.upper
                start = min(max(0.0, lower), upper)  # until it is known where the joint is
                slider = self._page.gui.add_slider(joint.name, lower, upper, (upper - lower) / STEPS, start)
                speed = SLIDING if joint.type is JointType.PRISMATIC else TURNING
                slider.on_update(partial(self._slid, joint.name, speed))
                self._sliders[joint.name] = slider

    def show_positions(self, positions: Mapping[str, float], now: float) -> None:
        """Move the sliders to the joints' positions (rad, or m). now: monotonic time, s.

        Else a touch would move the joint to where the slider happens to be.
        """
        self._positions = positions
        for name, slider in self._sliders.items():
            here = positions.get(name, math.nan)
            if math.isfinite(here) and now - self._slid_at.get(name, -math.inf) >= REST_S:
                within = min(max(here, slider.min), slider.max)
                slider.value = min(_on_step(within, slider), slider.max)  # type: ignore[misc]

    def _slid(self, name: str, speed: float, event: GuiEvent[Any]) -> None:
        if event.client_id is None:  # not by a person
            return
        self._slid_at[name] = time.monotonic()
        wanted, here = float(event.target.value), self._positions.get(name, math.nan)
        if math.isfinite(here):
            self._driver.move_joint(name, wanted, max(LEAST_S, PEAK * abs(wanted - here) / speed))
        else:
            self.tell(f"{name} stays: nothing says where it is", bad=True)

    def _button(self, label: str, act: Any, color: Any = None) -> GuiButtonHandle:
        button = self._page.gui.add_button(label, color=color)

        def clicked(event: GuiEvent[GuiButtonHandle]) -> None:
            if event.client_id is not None:
                act(event.client_id)

        button.on_click(clicked)
        return button

    def _add_pads(self, keys: bool) -> None:
        for label, (forward, turn, key) in PADS.items():
            words = f"{label} ({key})" if keys else label
            pad = self._page.gui.add_button(words, hint="Hold it down; the robot stops when it is released.")

            def held(event: GuiEvent[GuiButtonHandle], way: tuple[float, float] = (forward, turn)) -> None:
                if event.client_id is not None:
                    self._driver.drive(event.client_id, *way)

            pad.on_hold(held, callback_hz=REPEAT_HZ)
            if keys:
                command = self._page.gui.add_command(label, hotkey=key)  # type: ignore[arg-type]
                command.on_trigger(held)  # type: ignore[arg-type]

    def _add_documents(self) -> None:
        gui = self._page.gui
        chosen = gui.add_dropdown("document", (CHOOSE, *sorted(self._documents)), initial_value=CHOOSE)

        def start(page: int) -> None:
            if chosen.value in self._documents:
                self._driver.run_document(page, chosen.value, self._documents[chosen.value])

        self._button("Start", start)
        upload = gui.add_upload_button(
            "Start a file (or drop it here)", mime_type="application/json,.json,text/plain"
        )

        def uploaded(event: GuiEvent[Any]) -> None:
            file = upload.value
            if event.client_id is None:
                return
            if len(file.content) > LONGEST_DOCUMENT:
                self.tell(f"{file.name} has more than {LONGEST_DOCUMENT} bytes", bad=True)
                return
            self._driver.run_document(event.client_id, file.name, file.content.decode("utf-8", "replace"))

        upload.on_upload(uploaded)

    def _chosen(self, _event: object) -> None:
        with self._lock:
            skill = self._skills.get(self._choice.value)
            for handle in self._fields.values():
                handle.remove()
            self._fields = {}
            self._about.content = panels.news_html(skill.description if skill else "")
            if skill is None:
                return
            with self._skill_folder:
                self._fields = {one.name: self._field(one) for one in skill.parameter_details}

    def _field(self, field: SkillParameter) -> Any:
        gui, label = self._page.gui, f"{field.name} [{field.unit}]" if field.unit else field.name
        hint, start = field.description or None, field.default_value
        if field.choices:
            start = start if start in field.choices else field.choices[0]
            return gui.add_dropdown(label, tuple(field.choices), initial_value=start, hint=hint)
        return gui.add_text(label, start, hint=hint)

    def _do_skill(self, page: int) -> None:
        with self._lock:
            name = self._choice.value
            if name not in self._skills:
                return
            given = {key: str(handle.value).strip() for key, handle in self._fields.items()}
        self._driver.do_skill(page, name, {key: value for key, value in given.items() if value})

    def _clicked(self, event: SceneClickEvent) -> None:
        if not self._floor.value:
            return
        place = floor_under(event.ray_origin, event.ray_direction)
        if place is not None:
            self._driver.go_to(event.client_id, *place)


def _on_step(value: float, slider: GuiSliderHandle[float]) -> float:
    """Return the nearest value that a person could choose, so that noise of a joint moves no slider."""
    return slider.min + round((value - slider.min) / slider.step) * slider.step


def floor_under(
    origin: tuple[float, float, float], direction: tuple[float, float, float]
) -> tuple[float, float] | None:
    """Intersect a ray with the floor, m in ``map``; None for one that goes up, or far away."""
    if direction[2] > -1e-6 or not all(map(math.isfinite, (*origin, *direction))):
        return None
    way = -origin[2] / direction[2]
    x, y = origin[0] + way * direction[0], origin[1] + way * direction[1]
    return (x, y) if way > 0.0 and math.hypot(x, y) < 100.0 else None
