# SPDX-License-Identifier: Apache-2.0
"""The parameters of a skill, as a body file declares them."""

from dataclasses import dataclass
from math import inf

from embodiment_bridge.body.state import ParameterInfo

ANYTHING = "1"  # the unit of a number without one


@dataclass(frozen=True, slots=True)
class Parameter:
    """A numeric parameter of a skill: its range and, if it has one, its default."""

    name: str
    lower: float
    upper: float
    unit: str = ""
    default: float | None = None
    description: str = ""

    def info(self, description: str = "") -> ParameterInfo:
        """What clients may know of it; ``description`` counts where it has none of its own."""
        default = "" if self.default is None else f"{self.default:g}"
        text = self.description or description
        return ParameterInfo(
            self.name, text, "number", self.unit or ANYTHING, self.lower, self.upper, default=default
        )


@dataclass(frozen=True, slots=True)
class TextParameter:
    """A text parameter of a skill: at most ``longest`` characters and, if it has one, its default.

    ``is_thing``: the text is the id or the kind of an entity. ``required``: the skill is refused without it.
    """

    name: str
    longest: int
    default: str | None = None
    description: str = ""
    is_thing: bool = False
    required: bool = False

    def info(self, description: str = "") -> ParameterInfo:
        """What clients may know of it; ``description`` counts where it has none of its own."""
        text = f"{self.description or description} At most {self.longest} characters.".strip()
        kind = "thing" if self.is_thing else "text"
        return ParameterInfo(self.name, text, kind, "", -inf, inf, self.required, self.default or "")
