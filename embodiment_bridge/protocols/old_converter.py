# SPDX-License-Identifier: Apache-2.0
"""Converters that were written against 0.1, before there was a base class; this file goes with the next release."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from typing_extensions import override

from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp


class OldConverter(Protocol):
    """The methods that every converter of 0.1 has; it may also have ``remarks``, ``heed``, ``natives`` and ``take``."""

    def codec_options(self) -> Mapping[str, bool | int | float | str]:
        """As now."""
        ...

    def greet(self) -> Sequence[object]:
        """Now ``handshake``."""
        ...

    def body_state(self, event: object) -> BodyState | None:
        """As now."""
        ...

    def answer(self, event: object, targets: JointTargets | None) -> Sequence[object]:
        """Now of a ``Cycle``."""
        ...

    def messages(self, event: object, state: BodyState | None, stamp: Stamp) -> Iterable[tuple[str, object]]:
        """Now of a ``Cycle``."""
        ...


class AdaptedConverter(Converter[object, object]):
    """A converter of 0.1 with the methods of now."""

    def __init__(self, old: OldConverter) -> None:
        self._old = old

    @override
    def codec_options(self) -> Mapping[str, bool | int | float | str]:
        return self._old.codec_options()

    @override
    def warnings(self) -> Sequence[str]:
        remarks: Callable[[], Sequence[str]] = getattr(self._old, "remarks", tuple)
        return remarks()

    @override
    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        if hasattr(self._old, "heed"):
            self._old.heed(is_wanted)

    @override
    def native_skills(self) -> Mapping[str, Start]:
        natives: Callable[[], Mapping[str, Start]] = getattr(self._old, "natives", dict)
        return natives()

    @override
    def handshake(self) -> Sequence[object]:
        return self._old.greet()

    @override
    def body_state(self, event: object) -> BodyState | None:
        return self._old.body_state(event)

    @override
    def answer(self, cycle: Cycle[object]) -> Sequence[object]:
        return self._old.answer(cycle.event, cycle.targets)

    @override
    def messages(self, cycle: Cycle[object], stamp: Stamp) -> Messages:
        return self._old.messages(cycle.event, cycle.state, stamp)

    @override
    def handle_request(self, name: str, message: object) -> str:
        if not hasattr(self._old, "take"):
            return super().handle_request(name, message)
        note: str = self._old.take(name, message)
        return note


def adapted(converter: Converter[object, object] | OldConverter) -> Converter[object, object]:
    """The converter itself, or one of 0.1 with the methods of now."""
    if isinstance(converter, Converter):
        return converter
    place = f"{type(converter).__module__}.{type(converter).__qualname__}"
    warnings.warn(
        f"embodiment_bridge: {place} is a converter of 0.1; derive it from protocols.contract.Converter",
        DeprecationWarning,
        stacklevel=2,
    )
    return AdaptedConverter(converter)
