# SPDX-License-Identifier: Apache-2.0
"""Reads the XML of a launch file into checked, typed elements; unknown tags and attributes are refused.

The table ``TAGS`` is the whole language. A key with a slash is a tag inside another one, where its form differs.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.launching.substitutions import parse

MAX_BYTES = 1 << 20  # a launch file has some kilobytes
MAX_NESTING = 32  # groups, includes and nested parameters inside one another


class PlacedError(ConfigError):
    """Reports a ConfigError whose text begins with the file and the line."""


@dataclass(frozen=True, slots=True)
class Element:
    """Represents one element; ``children`` are without comments, ``line`` is that of the start tag."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple["Element", ...]
    file: Path
    line: int

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"

    def named(self, tag: str) -> Iterator["Element"]:
        """Return the children with one tag."""
        return (child for child in self.children if child.tag == tag)


@dataclass(frozen=True, slots=True)
class Tag:
    """Lists attributes and children of one tag; ``conditional`` tags may have if or unless."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    conditional: bool = True
    plain: tuple[str, ...] = ()  # attributes without substitutions, or in which they are done later

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that the tag may have."""
        return self.required + self.optional + (("if", "unless") if self.conditional else ())


LOG_TAGS = ("log_debug", "log_info", "log_warning", "log_error")  # only from Lyrical on, as level of log
ACTIONS = (
    "arg",
    "let",
    "group",
    "push-ros-namespace",
    "push_ros_namespace",
    "node",
    "include",
    "set_env",
    "unset_env",
    "set_parameter",
    "executable",
    "log",
    *LOG_TAGS,
)
TAGS = {
    "launch": Tag(children=ACTIONS, conditional=False),
    "arg": Tag(("name",), ("default", "description"), ("choice",), plain=("name", "description")),
    "choice": Tag(("value",), conditional=False, plain=("value",)),
    "let": Tag(("name", "value")),
    "group": Tag((), ("scoped",), ACTIONS, plain=("scoped",)),
    "push-ros-namespace": Tag(("namespace",)),
    "push_ros_namespace": Tag(("namespace",)),
    "node": Tag(
        ("pkg", "exec"),
        ("name", "namespace", "args", "output", "on_exit"),
        ("param", "remap", "env"),
        plain=("on_exit",),
    ),
    "param": Tag((), ("name", "value", "type", "from"), ("param",), False, ("value", "type")),
    "remap": Tag(("from", "to"), conditional=False),
    "env": Tag(("name", "value"), conditional=False),
    "include": Tag(("file",), (), ("include/arg", "include/let")),
    "include/arg": Tag(("name", "value"), conditional=False),
    "include/let": Tag(("name", "value"), conditional=False),
    "set_env": Tag(("name", "value")),
    "unset_env": Tag(("name",)),
    "set_parameter": Tag(("name", "value")),
    "executable": Tag(("cmd",), ("name", "cwd", "output", "on_exit"), ("env",), plain=("on_exit",)),
    "log": Tag(("message",), ("level",)),
    **dict.fromkeys(LOG_TAGS, Tag(("message",))),
}


@contextmanager
def placed(element: Element) -> Iterator[None]:
    """Put file, line and tag before the text of a ConfigError that does not have them yet."""
    try:
        yield
    except PlacedError:
        raise
    except ConfigError as error:
        raise PlacedError(f"{element.place}: <{element.tag}>: {error}") from error


def load(path: Path) -> Element:
    """Read one launch file and check it against ``TAGS``.

    Raises:
        ConfigError: no file, too large, not UTF-8, not XML, or a tag, attribute or text not in ``TAGS``.
    """
    root = _parse(path, _read(path))
    if root.tag != "launch":
        raise PlacedError(f"{path}:{root.sourceline}: the root tag is <{root.tag!s}>, not <launch>")
    return _convert(root, "launch", path, 0)


def _read(path: Path) -> bytes:
    text = read_text(path, "launch file", most=MAX_BYTES)
    if "<!DOCTYPE" in text:  # before the parser sees it: entities can expand to gigabytes
        line = text[: text.index("<!DOCTYPE")].count("\n") + 1
        raise PlacedError(f"{path}:{line}: a document type (<!DOCTYPE>) is not supported")
    return text.encode()


def _parse(path: Path, data: bytes) -> etree._Element:
    # lxml rather than the standard library because its elements know their line.
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or 1
        raise PlacedError(f"{path}:{line}: not well-formed XML: {error.msg}") from error


def _convert(source: etree._Element, key: str, path: Path, depth: int) -> Element:
    tag, line = str(source.tag), source.sourceline or 0
    allowed = TAGS[key]
    attributes = {str(name): str(value) for name, value in source.attrib.items()}
    if depth > MAX_NESTING:
        raise PlacedError(f"{path}:{line}: <{tag}> is nested deeper than {MAX_NESTING}")
    own = Element(tag, attributes, (), path, line)
    with placed(own):
        _check_attributes(attributes, allowed)
        _check_text(source, path)
        keys = {child.rpartition("/")[2]: child for child in allowed.children}
        children = []
        for child in source:
            if child.tag not in keys:
                raise PlacedError(
                    f"{path}:{child.sourceline}: in <{tag}>: {unknown('tag', str(child.tag), keys)}"
                )
            children.append(_convert(child, keys[child.tag], path, depth + 1))
    return Element(tag, attributes, tuple(children), path, line)


def _check_attributes(attributes: Mapping[str, str], allowed: Tag) -> None:
    for name in attributes:
        if name not in allowed.attributes:
            raise ConfigError(unknown("attribute", name, allowed.attributes))
    for name in allowed.required:
        if name not in attributes:
            raise ConfigError(f"attribute {name!r} is missing")
    if "if" in attributes and "unless" in attributes:
        raise ConfigError("'if' and 'unless' cannot both be given")
    for name, value in attributes.items():
        if name not in allowed.plain:
            parse(value)  # so that mistakes are found even in elements that a condition leaves out


def _check_text(source: etree._Element, path: Path) -> None:
    for before, text in ((source, source.text), *((child, child.tail) for child in source)):
        if text and text.strip():
            raise PlacedError(f"{path}:{before.sourceline}: text {text.strip()[:40]!r} has no meaning here")
