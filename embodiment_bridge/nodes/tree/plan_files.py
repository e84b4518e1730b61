# SPDX-License-Identifier: Apache-2.0
"""Which table from actions of plans to skills a body gets: the one of the parameters, its own, or the default."""

import re
from collections.abc import Callable
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import NodeValues
from embodiment_bridge.plans.plan_file import PlanFile, read_plan_file

OWN_FILES = Path("config/plans")  # <body>.yaml where there is one, else walking.yaml
NAME = re.compile(r"[A-Za-z0-9_-]+")


class PlanFiles:
    """``share()`` gives the folder of the package's files, or raises LookupError; ``warn(text)`` tells people.

    Raises:
        ConfigError: the table of the parameter ``plan_file`` cannot be read.
    """

    def __init__(self, values: NodeValues, share: Callable[[], Path], warn: Callable[[str], object]) -> None:
        self._turn: str = values["plan_turn"]
        self._share, self._warn = share, warn
        path = values["plan_file"]
        self._file = self._read(Path(path)) if path else None  # else that of the body, when it is needed
        self._of_body: dict[str, PlanFile] = {}

    def of(self, body: str) -> PlanFile:
        """The table for the body of that name.

        Raises:
            ConfigError: there is none, or it cannot be read.
        """
        if self._file is not None:
            return self._file
        if body not in self._of_body:
            self._of_body[body] = self._read(self._place(body))
        return self._of_body[body]

    def _place(self, body: str) -> Path:
        try:
            folder = self._share() / OWN_FILES
        except LookupError as error:
            raise ConfigError(f"parameter plan_file is needed: {error}") from error
        own = folder / f"{body}.yaml"
        return own if NAME.fullmatch(body) and own.is_file() else folder / "walking.yaml"

    def _read(self, path: Path) -> PlanFile:
        file = read_plan_file(path)
        if file.void:
            self._warn(
                f"{path}: gait: {', '.join(file.void)}: without effect, the skill go_to walks; remove it"
            )
        return file if self._turn == "file" else file.with_turn(self._turn)
