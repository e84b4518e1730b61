# SPDX-License-Identifier: Apache-2.0
"""A body file that is like another one: it has its keys but for those that it says itself."""

from pathlib import Path

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.input_file import read_text

BY_NAME = ("skills",)  # of these the entries are replaced, of all others the whole


def with_likeness(top: Section, folder: Path | None) -> Section:
    """``top``, filled up from the file that its key ``like`` names (relative to ``folder``), if it has this key.

    Raises:
        ConfigError: the file cannot be read, or is itself like another one.
    """
    if not top.has("like"):
        return top
    if folder is None:
        raise top.wrong("like", "possible for a body that is read from a file")
    path = folder / top.text("like")
    other = parse(read_text(path, f"{top.name('like')}:"), str(path))
    if other.has("like"):
        raise top.wrong("like", "a file without the key 'like'")
    values = {key: other.value(key) for key in other.names()}
    for key in top.names():
        if key in BY_NAME and key in values:
            values[key] = {**_mapping(other, key), **_mapping(top, key)}
        elif key != "like":
            values[key] = top.value(key)
    return Section(top.name(), values)


def _mapping(section: Section, key: str) -> dict[str, object]:
    part = section.section(key)
    return {name: part.value(name) for name in part.names()}
