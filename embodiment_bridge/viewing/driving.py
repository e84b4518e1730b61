# SPDX-License-Identifier: Apache-2.0
"""The commands that the page can give to a robot; the node of the viewer carries them out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from embodiment_bridge.msg import SkillInfo


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter of a skill: a number or a text.

    start: what its field shows first; empty: it is not given unless something is entered.
    """

    name: str
    number: bool
    start: str
    unit: str
    about: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillForm:
    """A skill with its fields."""

    name: str
    about: str
    fields: tuple[Field, ...]


def skill_form(info: SkillInfo) -> SkillForm:
    """The form of a skill."""
    fields = [
        Field(
            one.name, one.type == "number", one.default_value, one.unit, one.description, tuple(one.choices)
        )
        for one in info.parameter_details
    ]
    return SkillForm(info.name, info.description, tuple(fields))


class Driver(Protocol):
    """Commands of a page to a robot; ``page``: which one, so that all it began ends with it. Called by any thread."""

    def stop(self) -> None:
        """End the document and all skills."""

    def emergency_stop(self, *, on: bool) -> None:
        """Press the emergency stop of the body where it has one, and end the document and all skills; or release it."""

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
        """The state of the document is this one now: RUNNING, PAUSED, ENDED, ..."""

    def leave(self, page: int) -> None:
        """End what this page began: it was closed, or its connection is broken."""


class Shown(Protocol):
    """The state of a robot's commands as the page shows it."""

    def tell(self, text: str, *, bad: bool = False) -> None:
        """Show the last result."""

    def steers(self, on: bool) -> None:
        """Show the controls, or not, where nothing would obey them."""

    def offer(self, skills: Sequence[SkillForm]) -> None:
        """Show these skills."""
