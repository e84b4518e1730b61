# SPDX-License-Identifier: Apache-2.0
"""Control tables: the address, unit and limits of each item of a servo model.

They are data, in the files of ``models/``. A new model is a new file, there or elsewhere (``table("my/servo.yaml")``).
"""

import re
from functools import cache
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.tables.control_items import ControlTable, Item, Motor
from embodiment_bridge.dynamixel.tables.table_reader import MODELS, ModelNames, read_names, read_table

__all__ = ["ControlTable", "Item", "Motor", "models", "table", "table_of"]

ALIKE = 2  # characters at the beginning that the models of one family share: XM, MX, YM


def table(name: str, firmware: int = 0) -> ControlTable:
    """The control table of a model, by name (``xm430_w350``, ``XM430-W350-T``) or by the path of a YAML file.

    Case, hyphens and spaces do not matter. A name that differs in anything else is refused without a guess: the
    nearest name is often another servo.

    firmware: version of the servo, where the table depends on it; 0: the version that the file is for.

    Raises:
        ConfigError: the model is unknown, or its file is wrong; the text names the choices, or file and key.
    """
    if name.endswith((".yaml", ".yml")):
        return _read(Path(name), firmware)
    direct = MODELS / f"{name}.yaml"
    if re.fullmatch("[a-z0-9_]+", name) and direct.is_file():
        return _read(direct, firmware)
    key = _key(name)
    for known in _names():
        if key in {_key(each) for each in (known.name, known.model, *known.aliases)}:
            return _read(MODELS / f"{known.name}.yaml", firmware)
    alike = [known.name for known in _names() if _key(known.name)[:ALIKE] == key[:ALIKE]]
    choices = ", ".join(alike or models())
    raise ConfigError(f"unknown servo model {name!r} (known{', of those alike' if alike else ''}: {choices})")


def models() -> tuple[str, ...]:
    """Names of the models that have a table in ``models/``."""
    return tuple(each.name for each in _names())


def table_of(number: int, firmware: int = 0) -> ControlTable:
    """The control table of the model with this model number.

    Raises:
        ConfigError: no table has this number.
    """
    for known in _names():
        if known.number == number:
            return table(known.name, firmware)
    choices = ", ".join(f"{known.number} {known.model}" for known in _names())
    raise ConfigError(f"no control table for servo model number {number} (known: {choices})")


def _key(name: str) -> str:
    return re.sub(r"[-_ ()./]", "", name.lower())


@cache
def _names() -> tuple[ModelNames, ...]:
    return tuple(read_names(path) for path in sorted(MODELS.glob("*.yaml")))


@cache
def _read(path: Path, firmware: int) -> ControlTable:
    return read_table(path, firmware)
