# SPDX-License-Identifier: Apache-2.0
"""Writes, checks and reads an element by the fields of its dataclass, which are the table of the wire.

A field is an attribute if its type is a text, number or flag, and one or many child elements if it is a dataclass or a
tuple. Its name, with ``-`` for ``_``, is that of the attribute or child. A field without a default is required. What
differs is told beside the type, as ``Annotated[int | None, On(only="final")]``; see ``On`` and ``Kind``.

Writers and readers are closures that are made once for each class, because a map has thousands of elements.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from embodiment_bridge.protocols.opencog.xml.wire_values import (
    BY_TYPE,
    CONTENT,
    NUMBER,
    OFFSET,
    PROPERTIES,
    SPEECH,
    TEXT,
    BadValueError,
    Kind,
)
from embodiment_bridge.protocols.opencog.xml.xml_parse import BadElementError, Element, local_name, required

Faults = list[tuple[str, str]]  # what is wrong with a part that was left out, and the name of its element
Write = Callable[[Any], str]  # of the dataclass that has the field; the text of the field


@dataclass(frozen=True, slots=True)
class On:
    """Tells what of a field on the wire does not follow from its name and type.

    names: as written, then as other programs write it. place: ``attribute``, ``child``, ``text`` of the element,
    ``unsent`` (an attribute that is checked and read, but not written) or ``nowhere`` (checked alone). only: the
    dialect that has it. needed: the dialect that requires it. beside: the field without which it is not written.
    missing: read where the wire lacks it. or_child: an attribute that is also read from a child. lossy: what cannot
    be read is left out; of many parts, it is told. filled: empty elements are left out. measured: with the bytes of
    its text as ``length``.
    """

    names: tuple[str, ...] = ()
    place: str = ""
    only: str = ""
    needed: str = ""
    beside: str = ""
    missing: object = None
    or_child: bool = False
    lossy: bool = False
    filled: bool = False
    measured: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a document. six: numbers have six digits, and elements are indented and apart, as an OAC writes."""

    dialect: str
    six: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One field.

    names: on the wire. required: it has no default. part: the dataclass of its elements, None if it is text of a
    ``kind``. many: a tuple. pairs: name and value of the ``<property>`` elements in one element. See also ``On``.
    """

    name: str
    names: tuple[str, ...]
    place: str
    on: On
    kind: Kind
    default: object
    required: bool
    part: type | None
    many: bool
    pairs: bool


@cache
def rows(cls: type) -> tuple[Row, ...]:
    """The fields of a class, in its order."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_row(one.name, one.default, *_plain(hints[one.name])) for one in fields(cls))


def _plain(hint: object) -> tuple[object, list[On | Kind]]:
    """The type of a field where it is not None, and what is told beside it; the last one counts."""
    if get_origin(hint) is Annotated:
        inner, *told = get_args(hint)
        plain, more = _plain(inner)
        return plain, [*more, *told]
    if get_origin(hint) in (Union, UnionType):
        return _plain(get_args(hint)[0])
    return hint, []


def _row(name: str, default: object, hint: object, told: list[On | Kind]) -> Row:
    on, kind = On(), None
    for one in told:
        if isinstance(one, On):
            on = one
        else:
            kind = one
    if name == "offset":  # of the document in the stream
        on, kind = On(place="nowhere"), OFFSET
    pairs = kind is PROPERTIES
    many = get_origin(hint) is tuple and not pairs
    inner = get_args(hint)[0] if many else hint
    part = inner if kind is None and isinstance(inner, type) and is_dataclass(inner) else None
    place = on.place or ("child" if part or many or pairs else "attribute")
    usual = BY_TYPE.get(inner, TEXT) if place in ("attribute", "unsent") else CONTENT if many else SPEECH
    names = on.names or (name.replace("_", "-"),)
    return Row(name, names, place, on, kind or usual, default, default is MISSING, part, many, pairs)


# Writing


@cache
def writer(cls: type, tag: str, form: Form, depth: int = 0) -> Callable[[object], str]:
    """The writer of an element, with its attributes in the order of the alphabet. It raises BadValueError."""
    apart = "\n" if form.six and any(row.part for row in rows(cls) if row.many) else ""
    margin = "  " * depth if form.six else ""
    before, after, close = f"\n{margin}{'  ' if form.six else ''}", apart, f"\n{margin}</{tag}>"
    ordered = sorted(rows(cls), key=lambda row: row.names[0])
    heads = [(f".{row.name}", _attribute(row, form)) for row in ordered if row.place not in ("child", "text")]
    inner = [
        (f".{row.name}", _children(row, form, before, after, depth))
        for row in rows(cls)
        if row.place == "child"
    ]
    texts = [(f".{row.name}", _text(row)) for row in rows(cls) if row.place == "text"]
    needed = [row.name for row in rows(cls) if row.on.needed == form.dialect]
    fits = hasattr(cls, "fitting")

    def write(given: Any) -> str:
        if type(given) is not cls:
            raise BadValueError(given, cls.__name__)
        value: Any = given
        if fits:
            value = value.fitting(form)
        head, body, end = f"<{tag}", "", close
        step = heads[0] if heads else inner[0]
        try:
            for step in heads:
                head += step[1](value)
            for step in inner:
                body += step[1](value)
            for step in texts:
                body, end = step[1](value), f"</{tag}>"
        except BadValueError as error:
            raise error.within(step[0]) from None
        for name in needed:  # after the values that are wrong in any dialect
            if getattr(value, name) in (None, ()):
                raise BadValueError(
                    getattr(value, name), f"given in this dialect ({form.dialect!r})", f".{name}"
                )
        return f"{head}>{apart}{body}{end}" if body or texts else f"{head}/>"

    return write


def _attribute(row: Row, form: Form) -> Write:
    get, on, write = attrgetter(row.name), row.on, row.kind.write
    start = f' {row.names[0]}="'
    left_out: tuple[object, ...] = (None,) if row.default is None else ()
    if row.kind is TEXT and row.default in (None, ""):
        left_out += ("",)
    if on.only not in ("", form.dialect):
        return _nothing(row, form)
    if row.kind.number and form.six:  # an OAC is not held to the range
        return lambda owner: f'{start}{float(NUMBER.write(get(owner))):g}"'
    if row.required and not on.place:
        return lambda owner: f'{start}{write(get(owner))}"'

    def put(owner: object) -> str:
        value = get(owner)
        if value in left_out:
            return ""
        return f'{start}{write(value)}"'

    if on.place in ("unsent", "nowhere"):
        return lambda owner: put(owner)[:0]
    if on.beside:  # checked in any case
        beside = attrgetter(on.beside)
        return lambda owner: put(owner) if beside(owner) is not None else put(owner)[:0]
    return put


def _nothing(row: Row, form: Form) -> Write:
    get = attrgetter(row.name)

    def put(owner: object) -> str:
        value = get(owner)
        if value == row.default:
            return ""
        raise BadValueError(value, f"{'empty' if row.many else 'None'} in this dialect ({form.dialect!r})")

    return put


def _children(row: Row, form: Form, before: str, after: str, depth: int) -> Write:
    get, on, tag = attrgetter(row.name), row.on, row.names[0]
    if on.only not in ("", form.dialect):
        return _nothing(row, form)
    write = (
        writer(row.part, tag, form, depth + 1) if row.part else _element_of_text(row.kind, tag, on.measured)
    )

    def put(owner: object) -> str:
        value = get(owner)
        if value is None and row.default is None:
            return ""
        return f"{before}{write(value)}{after}"

    def put_many(owner: object) -> str:
        values = get(owner)
        if not isinstance(values, tuple):
            raise BadValueError(values, "a tuple")
        if row.required and not values:
            raise BadValueError(values, f"a tuple with at least one {tag}")
        place, text = 0, ""
        try:
            for place in range(len(values)):
                text += f"{before}{write(values[place])}{after}"
        except BadValueError as error:
            raise error.within(f"[{place}]") from None
        return text

    return put_many if row.many else put


def _element_of_text(kind: Kind, tag: str, measured: bool) -> Callable[[object], str]:
    def write(value: object) -> str:
        text = kind.write(value)
        length = f' length="{len(str(value).encode())}"' if measured else ""
        return f"<{tag}{length}>{text}</{tag}>"

    return write


def _text(row: Row) -> Write:
    get, write = attrgetter(row.name), row.kind.write
    return lambda owner: write(get(owner))


# Reading


@cache
def reader(cls: type) -> Callable[[Element, Faults], Any]:
    """The reader of an element; parts that are left out are told in the faults. It raises BadElementError."""
    table = rows(cls)
    attributes = [
        (row.name, row.names[0], row.names[1:], row.kind.read)
        for row in table
        if row.place in ("attribute", "unsent")
    ]
    parts = {
        name: (row, _part_reader(row))
        for row in table
        if row.place == "child" or row.on.or_child
        for name in row.names
    }
    texts = [(row.name, row.kind.read) for row in table if row.place == "text"]
    lists = [row.name for row in table if row.many]
    own = next((row.name for row in table if row.pairs), "")
    known = {name for _, first, others, _ in attributes for name in (first, *others)}
    blank = {row.name: row.on.missing for row in table if row.on.missing is not None}
    needed = [row for row in table if row.required and row.name not in blank and row.place != "text"]
    completes = hasattr(cls, "completed")

    def read(element: Element, faults: Faults) -> Any:
        values = blank.copy()
        get = element.get
        text, shown = None, ""
        try:
            for name, shown, others, convert in attributes:
                text = get(shown)
                if text is None and others:
                    text = next((told for other in others if (told := get(other)) is not None), None)
                if text is not None:
                    values[name] = convert(text)
        except ValueError as error:
            raise BadElementError(f"{local_name(element)}: {shown}={str(text)[:40]!r} {error}") from None
        if own and len(element.attrib) > len(known):  # until 2009 properties were attributes
            values[own] = tuple((name, told) for name, told in element.items() if name not in known)
        if parts:
            read_parts(element, values, faults)
        for name, convert in texts:
            values[name] = convert("".join(element.itertext()))
        for row in needed:
            if row.name not in values:
                raise _lack(element, row)
        made = cls(**values)
        return made.completed() if completes else made

    def read_parts(element: Element, values: dict[str, Any], faults: Faults) -> None:
        for name in lists:
            values[name] = []
        for item in element:
            found = parts.get(item.tag) or parts.get(local_name(item))
            if found is None or (found[0].on.filled and not len(item)):
                continue
            row, read_part = found
            try:
                value = read_part(item, faults)
            except BadElementError as error:
                if not row.on.lossy:
                    raise
                faults.append((str(error), local_name(item)))
                continue
            if row.many:
                values[row.name].append(value)
            else:
                values[row.name] = values.get(row.name, ()) + value if row.pairs else value
        for name in lists:
            values[name] = tuple(values[name])

    return read


def _lack(element: Element, row: Row) -> BadElementError:
    name = row.names[0]
    what = f"there is no {name}" if row.place == "child" else f"attribute {name!r} is missing"
    return BadElementError(f"{local_name(element)}: {what}")


def _part_reader(row: Row) -> Callable[[Element, Faults], Any]:
    if row.part:
        return reader(row.part)
    if row.pairs:
        return lambda item, _: tuple(map(_pair, item))
    return lambda item, _: row.kind.read("".join(item.itertext()))


def _pair(item: Element) -> tuple[str, str]:
    match item.items():
        case [("name", name), ("value", value)]:
            return name, value
    return required(item, "name"), item.get("value", "")
