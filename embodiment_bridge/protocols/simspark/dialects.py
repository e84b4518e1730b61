# SPDX-License-Identifier: Apache-2.0
"""The forms of rcssserver3d's percepts, and how to tell them apart: all are read, they differ in single lists."""

from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.soccer.list_fields import BadListError

CURRENT: Final = "0.7"  # (hear team time direction message), scores in GS
OLD: Final = "0.6"  # (hear time direction message), no scores: servers from before 2014
SPL: Final = "spl"  # the fork of the Standard Platform League: names in lines, three decimals

DIALECTS: Final = (CURRENT, OLD, SPL)


class Dialect:
    """The form in use on one connection: as told, or else found from what the server sends.

    When it was told, lists of another form are malformed.
    """

    def __init__(self, name: str | None = None) -> None:
        """Expect ``name``; None finds it from the stream, beginning with that of 0.7.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name is not None and name not in DIALECTS:
            raise ConfigError(unknown("dialect", name, DIALECTS))
        self.name = name or CURRENT
        self._told = name is not None

    def show(self, *possible: str) -> None:
        """Take in that a list was of a form that only these dialects have.

        Raises:
            BadListError: another one was told.
        """
        if self.name in possible:
            return
        if self._told:
            raise BadListError(f"of dialect {' or '.join(possible)}, not {self.name}")
        self.name = possible[0]
