# SPDX-License-Identifier: Apache-2.0
"""Reads control tables by the name or number of a servo model.

They are data, in the YAML files of ``models/``. A new model is a new file, there or elsewhere
(``table("my/servo.yaml")``). Every key must be known; an error names file, key, value and choices.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item, Motor

MODELS: Final = Path(__file__).with_name("models")
LAYOUTS: Final = MODELS / "layouts"
EEPROM_END: Final = 64  # first address of RAM in the X and MX series
HIGHEST_ADDRESS: Final = 1023
RPM: Final = 2 * math.pi / 60
UNITS: Final = {  # of the manuals: (SI unit, value of 1 in it); a pulse depends on the model
    "rev/min": ("rad/s", RPM),
    "rev/min2": ("rad/s2", RPM / 60),
    "mA": ("A", 1e-3),
    "V": ("V", 1.0),
    "mV/ms": ("V/s", 1.0),
    "%": ("share", 0.01),
    "degC": ("degC", 1.0),
    "us": ("s", 1e-6),
    "ms": ("s", 1e-3),
}
PULSE: Final = "pulse"
AREAS: Final = ("eeprom", "ram")
ITEM_KEYS: Final = ("address", "size", "access", "area", "signed", "initial", "lower", "upper", "unit")
LAYOUT_KEYS: Final = (
    "layout", "leave_out", "items", "change", "indirect", "before", "eeprom_end", "keeps_turns", "watchdog_stops",
)  # fmt: skip
HEAD: Final = re.compile(r"(?:model|aliases|number):")
SIZES: Final = (1, 2, 4)
Indirect = tuple[tuple[int, int, int, int], ...]


class ModelNames(NamedTuple):
    """Holds the names of a model: its number, ``name`` (of its file), ``model`` (of the manual), and aliases."""

    name: str
    model: str
    aliases: tuple[str, ...]
    number: int


def read_names(path: Path) -> ModelNames:
    """Return the names of the model of a file, without the rest of it, which takes longer to read.

    Raises:
        ConfigError: the file cannot be read, or has no model or number.
    """
    head = "\n".join(line for line in read_text(path).splitlines() if HEAD.match(line))
    top = parse(head, str(path))
    return ModelNames(path.stem, top.text("model"), _texts(top, "aliases"), _whole(top, "number", 0, 65535))


def read_table(path: Path, firmware: int = 0) -> ControlTable:
    """Read the file of one model.

    Raises:
        ConfigError: the file cannot be read, or has a wrong key or value.
    """
    top = parse(read_text(path), str(path))
    chain = _chain(path, top)
    pulses = top.number("ticks_per_turn", 1, 1e7)
    indirect = _indirect_of(chain, firmware)
    keeps, stops = _first(chain, "keeps_turns"), _first(chain, "watchdog_stops")
    found = ControlTable(
        name=path.stem,
        model=top.text("model"),
        aliases=_texts(top, "aliases"),
        number=_whole(top, "number", 0, 65535),
        protocol=_whole(top, "protocol", 1, 2),
        manual=top.text("manual"),
        firmware=firmware or _whole(top, "firmware", 1, 255),
        fast_read_firmware=_whole(top, "fast_read_firmware", 0, 255),
        modes=_modes(top),
        ticks_per_turn=pulses,
        centre=_whole(top, "centre", 0, 1 << 20),
        motor=_motor(top.section("motor")),
        items={item.name: item for item in _items(chain, indirect, pulses)},
        indirect=indirect,
        keeps_turns=keeps is not None and keeps.flag("keeps_turns"),
        watchdog_stops=stops is None or stops.flag("watchdog_stops"),
    )
    top.has("firmware")
    top.close()
    return found


@cache
def _layout_data(path: Path) -> object:
    """Return the content of a layout, which many models share."""
    try:
        return safe_yaml.load(read_text(path))
    except ConfigError as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from error


def _chain(path: Path, top: Section) -> list[Section]:
    """Return the file of a model, the layout that it names, the layout which that names, and so on.

    A layout is in the folder of the model's file, or in ``layouts/``.
    """
    chain, names = [top], set[str]()
    while chain[-1].has("layout"):
        last = chain[-1]
        name = last.text("layout")
        found = [folder / f"{name}.yaml" for folder in (path.parent, LAYOUTS)]
        file = next((each for each in found if each.is_file()), None)
        if file is None or name in names:
            known = sorted({each.stem for each in LAYOUTS.glob("*.yaml")} - names)
            raise ConfigError(f"{last.name('layout')}: {unknown('layout', name, known)}")
        names.add(name)
        layout = Section(str(file), _layout_data(file))
        layout.require(LAYOUT_KEYS)
        chain.append(layout)
    return chain


def _first(chain: Sequence[Section], key: str) -> Section | None:
    """Return the nearest of the files that has a key."""
    return next((section for section in chain if section.has(key)), None)


def _indirect_of(chain: Sequence[Section], firmware: int) -> Indirect:
    section = _first(chain, "indirect")
    if section is None:
        return ()
    indirect = _indirect(section)
    if section.has("before"):
        before = section.section("before")
        first = _whole(before, "firmware", 1, 255)
        older = _indirect(before)
        before.close()
        indirect = older if 0 < firmware < first else indirect
    return indirect


def _items(chain: Sequence[Section], indirect: Indirect, pulses: float) -> list[Item]:
    top = chain[0]
    described: dict[str, dict[str, object]] = {}
    for section in reversed(chain):
        for name in _texts(section, "leave_out"):
            if name not in described:
                raise ConfigError(
                    f"{section.name('leave_out')}: {unknown('item of the layout', name, described)}"
                )
            del described[name]
        for key in ("items", "change"):
            for name, values in _described(section, key):
                described[name] = described.get(name, {}) | values
    ends = _first(chain, "eeprom_end")
    eeprom_end = _whole(ends, "eeprom_end", 0, HIGHEST_ADDRESS) if ends else EEPROM_END
    described |= _indirect_items(indirect)
    items = [
        _item(Section(top.name(), values, name), name, eeprom_end, pulses)
        for name, values in described.items()
    ]
    items.sort(key=lambda item: item.address)
    for one, other in pairwise(items):
        if one.end > other.address:
            raise ConfigError(f"{top.name()}: {one.name} and {other.name} overlap at address {other.address}")
    return items


def _described(section: Section, key: str) -> Iterator[tuple[str, dict[str, object]]]:
    if not section.has(key):
        return
    inner = section.section(key)
    for name in inner.names():
        if not re.fullmatch("[a-z][a-z0-9_]*", name):
            raise ConfigError(f"{inner.name(name)}: a name of an item has the form of goal_position")
        part = inner.section(name)
        part.require(ITEM_KEYS)
        yield name, {field: part.value(field) for field in part.names()}


def _item(section: Section, name: str, eeprom_end: int, pulses: float) -> Item:
    address = _whole(section, "address", 0, HIGHEST_ADDRESS)
    size = _whole(section, "size", 1, 4)
    if size not in SIZES:
        raise section.wrong("size", "1, 2 or 4")
    signed = section.flag("signed")
    least, most = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
    lower = _whole(section, "lower", least, most, least)
    upper = _whole(section, "upper", lower, most, most)
    initial = _whole(section, "initial", least, most, 0)
    unit, factor = _unit(section, pulses)
    access = section.text("access", ("r", "rw"))
    area = section.text("area", AREAS, AREAS[address >= eeprom_end])
    return Item(name, address, size, access, area == "eeprom", signed, unit, factor, lower, upper, initial)


def _unit(section: Section, pulses: float) -> tuple[str, float]:
    text = section.text("unit", default="")
    if not text:
        return "", 1.0
    number, _, word = text.partition(" ")
    units = UNITS | {PULSE: ("rad", 2 * math.pi / pulses)}
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", number) or word not in units:
        raise section.wrong("unit", f"a number and one of: {', '.join(units)}")
    si, factor = units[word]
    return si, float(number) * factor


def _indirect(section: Section) -> Indirect:
    runs: list[tuple[int, int, int, int]] = []
    for run in section.sections("indirect"):
        run.require(("first", "count", "address", "data"), all_of=True)
        first, count = _whole(run, "first", 1, 128), _whole(run, "count", 1, 128)
        address, data = (_whole(run, key, 0, HIGHEST_ADDRESS) for key in ("address", "data"))
        runs.append((first, count, address, data))
    return tuple(runs)


def _indirect_items(runs: Indirect) -> dict[str, dict[str, object]]:
    items: dict[str, dict[str, object]] = {}
    for first, count, address, data in runs:
        for k in range(count):
            place: dict[str, object] = {
                "address": address + 2 * k,
                "size": 2,
                "access": "rw",
                "initial": data + k,
            }
            items[f"indirect_address_{first + k}"] = place
            items[f"indirect_data_{first + k}"] = {"address": data + k, "size": 1, "access": "rw"}
    return items


def _motor(section: Section) -> Motor:
    motor = Motor(
        stall_torque_nm=section.number("stall_torque_nm", 0.001, 1000),
        stall_current_a=section.number("stall_current_a", 0.001, 1000),
        rated_voltage_v=section.number("rated_voltage_v", 1, 100),
        no_load_speed_rad_s=section.number("no_load_speed_rpm", 0.1, 10000) * RPM,
        gear_ratio=section.number("gear_ratio", 1, 10000),
    )
    section.close()
    return motor


def _modes(top: Section) -> tuple[int, ...]:
    modes = top.value("modes")
    if (
        not isinstance(modes, list)
        or not modes
        or not all(type(mode) is int and 0 <= mode <= 255 for mode in modes)
    ):
        raise top.wrong("modes", "a list of values of operating_mode")
    return tuple(modes)


def _texts(top: Section, key: str) -> tuple[str, ...]:
    if not top.has(key):
        return ()
    values = top.value(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise top.wrong(key, "a list of names")
    return tuple(values)


def _whole(section: Section, key: str, lower: int, upper: int, default: int | None = None) -> int:
    value = section.number(key, lower, upper, None if default is None else float(default))
    if value != int(value):
        raise section.wrong(key, "a whole number")
    return int(value)


ALIKE = 2  # characters at the beginning that the models of one family share: XM, MX, YM


def table(name: str, firmware: int = 0) -> ControlTable:
    """Return the control table of a model, by name (``xm430_w350``, ``XM430-W350-T``) or by the path of a YAML file.

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
    """Return the names of the models that have a table in ``models/``."""
    return tuple(each.name for each in _names())


def table_of(number: int, firmware: int = 0) -> ControlTable:
    """Return the control table of the model with this model number.

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
