# SPDX-License-Identifier: Apache-2.0
"""The type of a demo, the choice of one for a command line, and the documents that demos perform."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos import SHOWS
from embodiment_bridge.cli.files import read_text
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.launching.environment import find_share

if TYPE_CHECKING:
    from embodiment_bridge.cli.demos.stage import Stage


@dataclass(frozen=True, slots=True)
class Show:
    """One demo.

    bodies: those that it is made for, the usual one first. brain: the launch argument of that name.
    perform: performs it on the stage of a running graph and returns the exit code, 0 only if everything went well.
    words: gives further launch arguments, ``name:=value``.
    """

    summary: str
    bodies: tuple[str, ...]
    perform: "Callable[[Stage], int]"
    brain: str = "none"
    words: Callable[[], Sequence[str]] = tuple


def all_shows() -> dict[str, Show]:
    """Every show by name, in the order of ``SHOWS``."""
    here = __name__.rpartition(".")[0]
    return {name: importlib.import_module(f"{here}.{name}").SHOW for name in SHOWS}


def find_show(shows: dict[str, Show], show: str, body: str, brain: str) -> tuple[str, Show, str]:
    """The first show that fits, with its name and body; an empty argument leaves the choice open.

    Raises:
        ConfigError: no show fits; the text has the choices.
    """
    if show and show not in shows:
        raise ConfigError(unknown("show", show, shows))
    for name, one in shows.items():
        fits = not show or name == show
        if fits and (not body or body in one.bodies) and brain in ("", one.brain):
            return name, one, body or one.bodies[0]
    known = [f"{name}: body {' or '.join(one.bodies)}, brain {one.brain}" for name, one in shows.items()]
    request = _request((("show", show), ("body", body), ("brain", brain)))
    raise ConfigError(f"nothing to show with {request}; there is {'; '.join(known)}")


def _request(parts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{what} {value}" for what, value in parts if value)


def own_document(name: str) -> str:
    """The text of a document of this package, ``config/bml/<name>.json``."""
    return read_text(str(find_share("embodiment_bridge") / "config" / "bml" / f"{name}.json"))
