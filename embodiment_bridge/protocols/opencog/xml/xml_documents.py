# SPDX-License-Identifier: Apache-2.0
"""Documents to messages and messages to documents, by the table of their classes.

The reader accepts the forms of all known programs and years, of which it makes those of today first, and reports what
it cannot use. The writer keeps to the schema, so that a validating OAC accepts all it writes.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from lxml import etree

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.opencog.xml.events import (
    BRAIN_MESSAGES,
    COMMANDS,
    DIALECTS,
    OF_FINAL,
    PROXY_MESSAGES,
    ActionPlan,
    AgentSensorInfo,
    AgentSignal,
    AvatarSignal,
    BadAction,
    BrainMessage,
    EmbodimentMsg,
    Event,
    Instruction,
    ProxyMessage,
    SingleActionCommand,
)
from embodiment_bridge.protocols.opencog.xml.wire_table import (
    Faults,
    Form,
    reader,
    rows,
    writer,
)
from embodiment_bridge.protocols.opencog.xml.wire_values import (
    LARGEST_SEQUENCE,
    BadValueError,
    read_whole,
    write_text,
)
from embodiment_bridge.protocols.opencog.xml.xml_parse import (
    BRAIN_URI,
    LEGACY_URI,
    BadElementError,
    Element,
    Limits,
    NotXmlError,
    children,
    local_name,
    parse,
    required,
)
from embodiment_bridge.wire.codec import Malformed, Unknown, excerpt

LIMITS: Final = Limits()
ENVELOPES: Final = ("embodiment-msg", "petaverse-msg")
MOST_SKIPPED: Final = 20  # reported names of unknown elements
MOST_FAULTS: Final = 20  # reported parts of one element

Found = tuple[Event | Malformed | Unknown, ...]
TAGS: Final[dict[type, str]] = {
    kind: re.sub(r"\B([A-Z])", r"-\1", kind.__name__).lower() for kind in COMMANDS
}
KINDS: Final[dict[str, type]] = {
    **{tag: kind for kind, tag in TAGS.items()},
    "pet-signal": AvatarSignal,
    "object-signal": AgentSignal,
    "perception": AgentSensorInfo,
}
BRAIN: Final = frozenset(TAGS[kind] for kind in BRAIN_MESSAGES)
TAGS_OF_FINAL: Final = frozenset(TAGS[kind] for kind in OF_FINAL)


def read(data: bytes, limits: Limits = LIMITS, dialect: str = "", offset: int = 0) -> Found:
    """All events of one document. It never raises on bad bytes.

    Args:
        data: the complete document.
        limits: a larger document is ``Malformed``.
        dialect: for the envelope; empty: detect it from the document.
        offset: of the document in the stream, for the events.

    Returns:
        An ``EmbodimentMsg``, then an event or a ``Malformed`` for each of its children; or the event of another root;
        or one ``Malformed`` or ``Unknown`` for all of it. An event is followed by a ``Malformed`` for each part of it
        that was left out, a plan by a ``BadAction`` for each of its lost actions.
    """
    try:
        root = parse(data, limits)
    except NotXmlError as error:
        return (Malformed(offset, str(error), excerpt(data)),)
    name = local_name(root)
    if name in ENVELOPES:
        return _envelope(root, dialect, offset)
    return _events(name, root, offset) if name in KINDS else (Unknown(offset, bytes(data)),)


def _envelope(root: Element, dialect: str, offset: int) -> Found:
    named = [(local_name(item), item) for item in root]
    names = [name for name, _ in named]
    told = dialect or _dialect(root, names)
    found: Found = tuple(
        event
        for name, item in named
        if name in KINDS and name not in BRAIN
        for event in _events(name, item, offset)
    )
    skipped = tuple(name[:80] for name in names if name not in KINDS or name in BRAIN)[:MOST_SKIPPED]
    return (EmbodimentMsg(told, root.get("request-id", ""), len(found), skipped, offset=offset), *found)


def _dialect(root: Element, names: Iterable[str]) -> str:
    """The dialect of a document by its elements, else ``seed``."""
    if local_name(root) == "petaverse-msg" or LEGACY_URI in root.tag or "pet-signal" in names:
        return "legacy-2008"
    first_time = any(item.get("is-first-time-percept-world") is not None for item in root)
    return "final" if first_time or not TAGS_OF_FINAL.isdisjoint(names) else "seed"


def _events(name: str, element: Element, offset: int) -> Found:
    faults: Faults = []
    lost: list[BadAction | Malformed] = []
    try:
        element = _of_today(element)
        kind = KINDS[local_name(element)]
        if kind is ActionPlan:
            lost += _number_actions(element, offset)
        message: ProxyMessage | BrainMessage = reader(kind)(element, faults)
    except BadElementError as error:
        return (_malformed(offset, str(error), name),)
    lost += [_malformed(offset, *fault) for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        lost.append(_malformed(offset, f"{len(faults) - MOST_FAULTS} more parts cannot be used", name))
    return (replace(message, offset=offset), *lost)


def _malformed(offset: int, reason: str, name: str) -> Malformed:
    return Malformed(offset, reason, f"<{name}>"[:80])


# Forms of other years and of the protocol's description
#
# Until July 2011 a signal was one level or one action: `pet-signal` with `pet-id` about the own body, `agent-signal`
# with `agent-id`, `avatar-signal` with `avatar-id` and `object-signal` with `object-id` about others.

_OF_REPORTS: Final = ("name", "action-plan-id", "sequence", "status")
_OLD_IDS: Final = {"agent-id": None, "avatar-id": "avatar", "object-id": "object"}


def _of_today(element: Element) -> Element:
    """An element in the form of today; it may be a new one."""
    name, get = local_name(element), element.get
    if name == "perception":  # the description prints it without the element around it
        around: Element = etree.Element("agent-sensor-info")
        around[:] = [element]
        return around
    if name == Instruction.__name__.lower() and (agent := get("pet-id")) is not None:
        element.set("from-id", get("from-id") or required(element, "avatar-id"))
        element.set("avatar-id", agent)
    if name.endswith("-signal") and get("id") is None:
        own = name == "pet-signal"
        old = next((one for one in (("pet-id",) if own else _OLD_IDS) if get(one) is not None), None)
        return element if old is None else _signal_of_today(element, old, own)
    return element


def _signal_of_today(element: Element, old: str, own: bool) -> Element:
    get = element.get
    about = {"id": get(old), "timestamp": get("timestamp")}
    if not own:
        about["type"] = get("agent-type") or _OLD_IDS[old]
    signal = _element("avatar-signal" if own else "agent-signal", about)
    params = list(children(element, "param"))
    level = next((item for item in params if item.get("name") == "level"), None)
    if own and get("action-plan-id") is not None:
        part = _element("action", {name: get(name) for name in _OF_REPORTS})
    elif own and level is not None:
        part = _element("physiology-level", {"name": get("name"), "value": level.get("value")})
    else:
        part = _element("action", {"name": required(element, "name")})
        part[:] = params
    signal[:] = [part]
    return signal


def _element(tag: str, attributes: dict[str, str | None]) -> Element:
    made: Element = etree.Element(tag, {name: told for name, told in attributes.items() if told is not None})
    return made


def _number_actions(root: Element, offset: int) -> list[BadAction]:
    """Number the actions of a plan, and remove those with a bad number, which are returned.

    Groups of parallel actions are flattened in the order of the document, as real proxies do. An action without a
    number follows the last one.
    """
    good: list[Element] = []
    bad: list[tuple[str, int, str]] = []  # name, the number that its place stands for, what is wrong
    taken: set[int] = set()
    last = 0
    for action, group in list(_actions(root)):
        try:
            last = _sequence(action, last)
        except BadElementError as error:
            last = min(last + 1, LARGEST_SEQUENCE)
            bad.append((action.get("name", ""), last, str(error)))
            continue
        action.set("sequence", str(last))
        action.set("parallel", str(group))
        taken.add(last)
        good.append(action)
    root[:] = good
    plan = root.get("id") or root.get("plan-id", "")
    return [
        BadAction(plan, name, None if place in taken else place, why, offset=offset)
        for name, place, why in bad
    ]


def _actions(root: Element) -> Iterator[tuple[Element, int]]:
    """All actions, with the number of their parallel group."""
    group = 0
    for element in root:
        name = local_name(element)
        if name == "action":
            yield element, 0
        elif name == "parallel":
            group += 1
            for member in children(element, "action"):
                yield member, group


def _sequence(action: Element, last: int) -> int:
    text = action.get("sequence")
    if text is None:
        return min(last + 1, LARGEST_SEQUENCE)
    try:
        sequence = read_whole(text)
    except ValueError as error:
        raise BadElementError(f"action: sequence={text[:40]!r} {error}") from None
    if not 1 <= sequence <= LARGEST_SEQUENCE:
        raise BadElementError(f"action: sequence={sequence} is not within 1..{LARGEST_SEQUENCE}")
    return sequence


# Writing

BRAIN_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n'
DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_XSI: Final = (
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{BRAIN_URI} BrainProxyAxon.xsd"'
)
_TYPE_BUT_INT: Final = re.compile(' type="(?!int")[a-z]+"')


def write(messages: Iterable[ProxyMessage], dialect: str = "seed", request_id: str = "") -> bytes:
    """One document with all of these messages, for an OAC. An OAC processes them in its own order.

    Raises:
        CommandError: a message cannot be written, or not in this dialect; the text names the field, its value and
            what it may be.
    """
    if dialect not in DIALECTS:
        raise CommandError(unknown("dialect", str(dialect), DIALECTS))
    lines = [_child(message, dialect) for message in messages]
    asked = f' request-id="{_checked(write_text, request_id, "request_id")}"' if request_id != "" else ""
    head = f'{DECLARATION}<oc:embodiment-msg xmlns:oc="{BRAIN_URI}"{_XSI}{asked}>'
    return "\n".join([head, *lines, "</oc:embodiment-msg>"]).encode()


def _child(message: ProxyMessage, dialect: str) -> str:
    kind = _kind(message, PROXY_MESSAGES)
    if kind in OF_FINAL and dialect != "final":
        raise CommandError(f"{kind.__name__}: the dialect {dialect!r} has no such message (only 'final' has)")
    return _checked(writer(kind, TAGS[kind], Form(dialect)), message, kind.__name__)


def write_brain(message: BrainMessage) -> bytes:
    """One document of an OAC, in the form of a real one: six digits, empty lines.

    Raises:
        CommandError: see ``write``.
    """
    kind = _kind(message, BRAIN_MESSAGES)
    single = kind is SingleActionCommand  # has the default namespace, and types for whole numbers alone
    prefix = "" if single else "oc:"
    text = _checked(writer(kind, prefix + TAGS[kind], Form("final", six=not single)), message, kind.__name__)
    head = f"<{prefix}{TAGS[kind]}"
    space = f' xmlns{prefix and ":oc"}="{BRAIN_URI}"'
    body = _TYPE_BUT_INT.sub("", text) if single else text
    return f"{BRAIN_DECLARATION}{head}{space}{body[len(head) :]}\n".encode()


def dialect_of(message: ProxyMessage) -> str:
    """The dialect of a message: ``final`` if only that has it, else ``seed``."""
    return "final" if type(message) in OF_FINAL or _is_final(message) else "seed"


def _is_final(value: object) -> bool:
    """Whether a message or part has anything that only ``final`` has."""
    kind: type = type(value)
    for row in rows(kind):
        part = getattr(value, row.name)
        if row.on.only == "final" and part not in (None, ()):
            return True
        inner = part if row.part and _has_final(row.part) and isinstance(part, tuple) else ()
        if any(_is_final(one) for one in inner if type(one) is row.part):
            return True
    return False


@cache
def _has_final(cls: type) -> bool:
    return any(row.on.only == "final" for row in rows(cls))


def _kind(message: object, kinds: tuple[type, ...]) -> type:
    if type(message) not in kinds:
        raise CommandError(unknown("command", type(message).__name__, (kind.__name__ for kind in kinds)))
    return type(message)


def _checked(write_it: Callable[[object], str], value: object, place: str) -> str:
    """The text of a value; an error names the field that cannot be written."""
    try:
        return write_it(value)
    except BadValueError as error:
        raise CommandError(error.named(place)) from None
