# SPDX-License-Identifier: Apache-2.0
"""Reads a file of things that are always there, for a body that senses none (servos on a desk).

things:
  cup: {kind: object, position: [0.3, 0.1, 0.0], yaw: 0.0, size: [0.1, 0.1, 0.12], properties: {color: blue-100%}}
"""

from pathlib import Path

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.protocols.opencog.world.world_report import FARTHEST, Thing

LARGEST = 1e4  # m


def read_things(path: Path | str) -> tuple[Thing, ...]:
    """The things of a YAML file (m, rad, in ``map``).

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key and value.
    """
    return parse_things(read_text(Path(path), "file of things"), str(path))


def parse_things(text: str, where: str) -> tuple[Thing, ...]:
    """Like ``read_things``, from a text. Error messages call its file ``where``."""
    top = parse(text, where)
    things = top.section("things")
    top.close()
    return tuple(_thing(name, things.section(name)) for name in things.names())


def _thing(name: str, section: Section) -> Thing:
    x, y, z = section.numbers("position", 3, -FARTHEST, FARTHEST)
    size = section.numbers("size", 3, 0.0, LARGEST) if section.has("size") else (0.0, 0.0, 0.0)
    own = section.section("properties") if section.has("properties") else None
    thing = Thing(
        name,
        section.text("kind", default="object"),
        (x, y, z),
        section.number("yaw", -100.0, 100.0, default=0.0),
        (size[0], size[1], size[2]),
        True,
        tuple((key, own.text(key)) for key in own.names()) if own else (),
    )
    section.close()
    return thing
