# SPDX-License-Identifier: Apache-2.0
"""Control tables: the address, unit and limits of each item of a servo model.

They are data, in the files of ``models/``. A new model is a new file, there or elsewhere (``table("my/servo.yaml")``).
"""

import re
from functools import cache
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.dynamixel.tables.control_items import ControlTable, Item, Motor
from embodiment_bridge.dynamixel.tables.table_reader import MODELS, read_table

__all__ = ["ControlTable", "Item", "Motor", "models", "table", "table_of"]


def table(name: str, firmware: int = 0) -> ControlTable:
    """The control table of a model, by name (``xm430_w350``, ``XM430-W350-T``) or by the path of a YAML file.

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
    for known in _all():
        if key in {_key(each) for each in (known.name, known.model, *known.aliases)}:
            return _read(MODELS / f"{known.name}.yaml", firmware)
    raise ConfigError(unknown("servo model", name, models()))


def models() -> tuple[str, ...]:
    """Names of the models that have a table in ``models/``."""
    return tuple(each.name for each in _all())


def table_of(number: int, firmware: int = 0) -> ControlTable:
    """The control table of the model with this model number.

    Raises:
        ConfigError: no table has this number.
    """
    for known in _all():
        if known.number == number:
            return table(known.name, firmware)
    choices = ", ".join(f"{known.number} {known.model}" for known in _all())
    raise ConfigError(f"no control table for servo model number {number} (known: {choices})")


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def _all() -> tuple[ControlTable, ...]:
    return tuple(_read(path, 0) for path in sorted(MODELS.glob("*.yaml")))


@cache
def _read(path: Path, firmware: int) -> ControlTable:
    return read_table(path, firmware)
