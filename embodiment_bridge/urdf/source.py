# SPDX-License-Identifier: Apache-2.0
"""Reads XML elements from a file or text and numbers from their attributes; errors name the place.

It takes the XML that TinyXML-2, the reader of urdfdom, takes: prefixes that are not declared, ``--`` in comments, a
default namespace, any XML declaration.
"""

import math
import re
from pathlib import Path

from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.core.rotation import IDENTITY, Vector, rpy_from_quaternion
from embodiment_bridge.core.unicode_text import NotUtf8Error

MAX_BYTES = 4 * 1024 * 1024  # the longest published humanoid description is a tenth of this
MAX_DEPTH = 32  # URDF itself nests 5 deep, <ros2_control> and <gazebo> not much deeper
TEXT_NAME = "robot description"  # what errors call a description that came as text
MAX_NAME = 1024  # characters of a name, so that comparing names for hints stays quick
QUOTE_LIMIT = 60  # characters of a bad value that an error quotes
SHORTEST = 1e-9  # an axis or a quaternion shorter than this has no direction

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECLARATION = re.compile(r"<\?xml\s[^>]{0,200}\?>")  # wrong in many files: of a version 0.0, below a comment
_HYPHENS = re.compile(r"-(?=-)|-$")
_DECLARED = re.compile(r"""(<\?xml[^>]*?)\sencoding\s*=\s*["']([\w.-]{1,40})["']""", re.ASCII)
_ENCODING = re.compile(r"iso-8859-\d+|latin-?1|windows-\d+|cp\d+|gb\w+|shift_jis|euc-\w+|big5", re.IGNORECASE)


def load(source: str | Path) -> etree._Element:
    """Parse a description without its comments; its name for errors is kept with the tree (see ``source_name``).

    A document type declaration is refused: it could expand entities or name files, and URDF needs none.

    Raises:
        ConfigError: not readable, too long, not in its encoding, not well-formed, or nested too deep.
    """
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        name, text = TEXT_NAME, source
    else:
        name, text = str(source), read_description(Path(source))
    if "<!DOCTYPE" in text:
        raise ConfigError(f"{name}: has a <!DOCTYPE ...>, which is refused (entities are not expanded)")
    root = parse(text, name)
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    return root


def read_description(path: Path, what: str = "") -> str:
    """The text of a description: UTF-8, or else in the encoding that it declares; ``what`` begins the errors.

    The text declares no encoding, so that it may be written as UTF-8.

    Raises:
        ConfigError: it cannot be read, is too long, or not in its encoding.
    """
    data = read_bytes(path, MAX_BYTES, what)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        declared = _DECLARED.match(data[:200].decode("ascii", "replace"))
        encoding = declared[2] if declared is not None and _ENCODING.fullmatch(declared[2]) else ""
        try:
            text = data.decode(encoding or "ascii")
        except (UnicodeDecodeError, LookupError):
            raise ConfigError(f"{what} {path}: {NotUtf8Error(data, error.start)}".strip()) from None
    return _DECLARED.sub(r"\1", text, count=1)


def parse(text: str, name: str = TEXT_NAME) -> etree._Element:
    """The elements and comments of a description, as all readers of this package understand it.

    What other readers of URDF do not know is said in their words: a ``quat_xyzw`` as ``rpy``.

    Raises:
        ConfigError: not Unicode, too long, not well-formed, or nested too deep.
    """
    try:
        text = _DECLARATION.sub(lambda declaration: "\n" * declaration[0].count("\n"), text)
        data = _with_plain_comments(text).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{name}: not Unicode text: {error.reason} at character {error.start}") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{name}: more than {MAX_BYTES} bytes")
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(data, parser, base_url=name)
    wrong = [entry for entry in parser.error_log if entry.domain != etree.ErrorDomains.NAMESPACE]
    if wrong or root is None:
        line, message = (wrong[0].line, wrong[0].message) if wrong else (1, "there is no element")
        raise ConfigError(f"{name}:{line}: not well-formed XML: {message}")
    _check_depth(root)
    for element in root.iter(etree.Element):
        if element.prefix is None and "}" in str(element.tag):
            element.tag = str(element.tag).rpartition("}")[2]
        if element.tag == "origin" and element.get("quat_xyzw") is not None:
            turn = numbers(element, "quat_xyzw", IDENTITY)
            if not SHORTEST < math.hypot(*turn) < 1.0 / SHORTEST:
                raise problem(element, f"quat_xyzw {quote(element.get('quat_xyzw'))} gives no rotation")
            x, y, z, w = turn
            element.set("rpy", " ".join(map(repr, rpy_from_quaternion((x, y, z, w)))))
            del element.attrib["quat_xyzw"]
    return root


def _with_plain_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at : start + 4], _HYPHENS.sub("- ", text[start + 4 : end])]
        at = end
    return "".join([*parts, text[at:]])


def source_name(element: etree._Element) -> str:
    """The file that ``element`` was read from."""
    return element.getroottree().docinfo.URL or TEXT_NAME


def problem(element: etree._Element, text: str) -> ConfigError:
    """The error ``text`` about ``element``, with file, line, element and the nearest name before it."""
    named = element
    while named.get("name") is None and named.getparent() is not None:
        named = named.getparent()
    name = named.get("name")
    if name is None:
        where = f"<{element.tag}>"
    elif named is element:
        where = f"<{element.tag} name={quote(name)}>"
    else:
        where = f"<{element.tag}> of {named.tag} {quote(name)}"
    return ConfigError(f"{source_name(element)}:{element.sourceline}: {where}: {text}")


def quote(value: str) -> str:
    """A value as errors show it: quoted, unprintable characters escaped, shortened."""
    return repr(value if len(value) <= QUOTE_LIMIT else value[:QUOTE_LIMIT] + "...")


def attribute(element: etree._Element, name: str) -> str:
    """A required attribute, blanks around it removed.

    Raises:
        ConfigError: missing, empty, or longer than 1024 characters.
    """
    value = (element.get(name) or "").strip()
    if not value:
        raise problem(element, f"has no {name}")
    if len(value) > MAX_NAME:
        raise problem(element, f"{name} {quote(value)} is longer than {MAX_NAME} characters")
    return value


def named(root: etree._Element, tag: str) -> dict[str, etree._Element]:
    """The top-level elements called ``tag`` by their names, which must differ.

    Raises:
        ConfigError: one has no name, or that of another.
    """
    found: dict[str, etree._Element] = {}
    for element in root.iterfind(tag):
        name = attribute(element, "name")
        if name in found:
            raise problem(element, f"there is a {tag} of this name already, in line {found[name].sourceline}")
        found[name] = element
    return found


def child(element: etree._Element, tag: str) -> etree._Element:
    """The first child element called ``tag``.

    Raises:
        ConfigError: there is none.
    """
    found = element.find(tag)
    if found is None:
        raise problem(element, f"has no <{tag}>")
    return found


def number(
    element: etree._Element, name: str, default: float | None = None, minimum: float = -math.inf
) -> float:
    """A finite number from an attribute; required when there is no ``default``.

    Raises:
        ConfigError: missing, not a number, not finite, or below ``minimum``.
    """
    if default is not None and element.get(name) is None:
        return default
    value = _number(element, name, attribute(element, name))
    if value < minimum:
        raise problem(element, f"{name} {value:g} is below {minimum:g}")
    return value


def numbers(
    element: etree._Element, name: str, default: tuple[float, ...], minimum: float = -math.inf
) -> tuple[float, ...]:
    """Finite numbers from an attribute, as many as ``default`` has; ``default`` if there is no such attribute.

    Raises:
        ConfigError: another count, not numbers, not finite, or below ``minimum``.
    """
    text = element.get(name)
    if text is None:
        return default
    words = text.split()
    if len(words) != len(default):
        raise problem(element, f"{name} {quote(text)} has {len(words)} numbers, not {len(default)}")
    values = tuple(_number(element, name, word) for word in words)
    for value in values:
        if value < minimum:
            raise problem(element, f"{name} {value:g} is below {minimum:g}")
    return values


def vector(element: etree._Element, name: str, default: Vector, minimum: float = -math.inf) -> Vector:
    """Three finite numbers, as ``numbers``."""
    x, y, z = numbers(element, name, default, minimum)
    return x, y, z


def _number(element: etree._Element, name: str, word: str) -> float:
    # Python's float() accepts more than URDF does: nan, inf, 1_000, digits of any script.
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise problem(element, f"{name} {quote(word)} is not a finite number")
    return value


def _check_depth(root: etree._Element) -> None:
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise problem(element, f"is nested more than {MAX_DEPTH} deep")
