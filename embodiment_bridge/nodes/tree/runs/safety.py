# SPDX-License-Identifier: Apache-2.0
"""The parameters that bound what documents may do, beside what they may fetch; and guards over values of topics."""

from collections.abc import Callable, Mapping, Sequence

from embodiment_bridge.bml.base.conditions import Compare, Value, describe, holds
from embodiment_bridge.bml.rules.operator_rules import CHANNELS_FORM as CHANNEL_FORM
from embodiment_bridge.bml.rules.operator_rules import CHANNELS_FORM as GUARD_FORM
from embodiment_bridge.bml.rules.operator_rules import parse_guard
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter

MAX_GUARDS = 20
VETOED = "VETOED"
PARAMETERS = (
    Parameter(
        "max_run_time",
        0.0,
        "The longest that a document or plan may take on its clock, s; then it is ended. 0: any time.",
        0.0,
        1e9,
    ),
    Parameter(
        "max_starts",
        50.0,
        "How many leaves of a run may begin something in a second (Hz); more wait their turn. 0: any number.",
        0.0,
        10_000.0,
    ),
    Parameter(
        "dead_man",
        0.5,
        "So long without a tick of this node, the body holds what was begun by it, s; 0: never.",
        0.0,
        60.0,
    ),
    Parameter(
        "guards",
        [""],
        f"What must hold for documents and plans to run: {GUARD_FORM}. Names are those of blackboard.",
    ),
    Parameter("source_channels", [""], f"What the documents of a source may drive: {CHANNEL_FORM}."),
    Parameter(
        "max_age",
        0.0,
        "A document whose req_time is further from now is refused, s; 0: none is.",
        0.0,
        1e9,
    ),
)


def parse_guards(texts: list[str], known: list[str]) -> list[Compare]:
    """Return the parameter ``guards``; empty texts are left out.

    Args:
        texts: as ``battery >= 0.15``.
        known: names that the parameter ``blackboard`` gives values to.

    Raises:
        ConfigError: one has another form, or speaks of no such value; or there are too many.
    """
    guards = [parse_guard(text) for text in texts if text]
    if len(guards) > MAX_GUARDS:
        raise ConfigError(f"parameter guards has {len(guards)} entries; there may be {MAX_GUARDS}")
    for guard in guards:
        if guard.key not in known:
            text = unknown("value of the parameter blackboard", guard.key, known)
            raise ConfigError(f"parameter guards: {text}")
    return guards


class Guards:
    """Holds the conditions of all runs. A guard whose value is not known does not hold."""

    def __init__(
        self,
        guards: Sequence[Compare],
        values: Callable[[], Mapping[str, Value]],
        troubles: Callable[[], Mapping[str, str]],
    ) -> None:
        self._guards, self._values, self._troubles = guards, values, troubles

    def unknown(self) -> bool:
        """Return whether the value of a guard is not known."""
        values = self._values() if self._guards else {}
        return any(values.get(guard.key) is None for guard in self._guards)

    def refusal(self) -> str:
        """Return why no run may begin or go on now; empty if one may."""
        if not self._guards:
            return ""
        values = self._values()
        for guard in self._guards:
            if holds(guard, values.get):
                continue
            now = values.get(guard.key)
            why = self._troubles().get(guard.key) or "no message of late"
            found = f"it is {now!r}" if now is not None else f"it is not known ({why})"
            return f"{VETOED}: parameter guards wants {describe(guard)}; {found}"
        return ""
