# SPDX-License-Identifier: Apache-2.0
r"""Evaluates substitutions in the attributes of a launch file, such as ``$(var name)`` and ``$(eval 1 + 2)``.

The grammar is that of ROS 2 Jazzy's launch (``launch/frontend/grammar.lark``), and ``$(string-join)`` and
``$(path-join)`` of Lyrical's: the words of a substitution are separated by exactly one blank; a word is plain or in
quotes and may contain substitutions; a backslash makes the next character plain, so ``\$(var x)`` is not a
substitution.
"""

import ast
import math
import operator
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError, unknown

# ``$(eval ...)`` of whole numbers: the part of Python that counts and compares, with Python's own results.
#
# ``ros2 launch`` runs any Python there. Here the text is only taken apart by Python's parser, never run.

MAX_EXPRESSION = 200  # characters: none of the operators can then make a number that takes long

_CALCULATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_SIGNS: dict[type[ast.unaryop], Callable[[int], int]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def calculate(text: str) -> str:
    """Return the result as text: a whole number, or ``True`` or ``False``.

    Raises:
        ConfigError: it is too long, is not an expression, divides by 0, or has more than whole numbers, ``+ - * // %``,
            comparisons and brackets.
    """
    if len(text) > MAX_EXPRESSION:
        raise ConfigError(f"$(eval) of more than {MAX_EXPRESSION} characters: {text[:40]!r}...")
    try:
        return str(_value(ast.parse(text.lstrip(" \t"), mode="eval").body))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ConfigError(f"$(eval {text!r}) cannot be read: {error}") from error
    except ZeroDivisionError as error:
        raise ConfigError(f"$(eval {text!r}) divides by zero") from error


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            return _SIGNS[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=step, right=right) if type(step) in _CALCULATIONS:
            return _CALCULATIONS[type(step)](_value(left), _value(right))
        case ast.Compare(left=left, ops=[step], comparators=[right]) if type(step) in _COMPARISONS:
            return _COMPARISONS[type(step)](_value(left), _value(right))
    raise ConfigError(
        f"$(eval) knows whole numbers, + - * // %, one comparison and brackets, not {ast.unparse(node)!r}"
    )


# Characters of one attribute, before and after substitution; a variable made of itself twice would grow for ever.
MAX_TEXT = 8192
MAX_NESTING = 16
MAX_WORDS = MAX_TEXT // 2  # more do not fit into a text

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# Pattern of plain text by the kind of quote around it: in a template, and in an unquoted word.
_TEXT = {
    "": re.compile(r"(?:[^$]|\$(?!\()|(?<=\\)\$)+"),
    "'": re.compile(r"(?:[^'\\$]|\$(?!\()|(?<=\\)\$|\\'|\\)+"),
    '"': re.compile(r'(?:[^"\\$]|\$(?!\()|(?<=\\)\$|\\"|\\)+'),
}
_WORD = {
    "": re.compile(r"""(?:[^ '\\"$()]|(?<=\\)[()]|\$(?!\()|(?<=\\)\$|\\"|\\'|\\)+"""),
    "'": re.compile(r"(?:[^ '\\$()]|(?<=\\)[()]|\$(?!\()|(?<=\\)\$|\\'|\\)+"),
    '"': re.compile(r'(?:[^ "\\$()]|(?<=\\)[()]|\$(?!\()|(?<=\\)\$|\\"|\\)+'),
}


@dataclass(frozen=True, slots=True)
class Call:
    """Represents one substitution: its name and its words."""

    name: str
    words: tuple["Template", ...]


Template = tuple[str | Call, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Holds the values that substitutions refer to.

    ``find_share`` raises LookupError for a package that is not installed.
    """

    variables: Mapping[str, str]
    environment: Mapping[str, str]
    directory: Path
    find_share: Callable[[str], Path]


def unescape(text: str) -> str:
    r"""Remove each backslash that is before a character."""
    return re.sub(r"\\(.)", r"\1", text)


def parse(text: str) -> Template:
    """Parse an attribute into texts and substitutions.

    Raises:
        ConfigError: the text is too long, is not a template, or names a substitution that is not supported.
    """
    if len(text) > MAX_TEXT:
        raise ConfigError(f"the text is longer than {MAX_TEXT} characters: {text[:40]!r}...")
    template, end = _template(text, 0, "", 0)
    if end != len(text):
        raise _bad(text, end)
    return template


def evaluate(template: Template, sources: Sources) -> str:
    """Return the text of a template with its substitutions done.

    Raises:
        ConfigError: a variable, environment variable or package does not exist; a text over ``MAX_TEXT``.
    """
    parts: list[str] = []
    size = 0
    for part in template:
        parts.append(part if isinstance(part, str) else _FUNCTIONS[part.name](part.words, sources))
        size += len(parts[-1])
        if size > MAX_TEXT:
            raise ConfigError(f"the text is longer than {MAX_TEXT} characters: {parts[0][:40]!r}...")
    return "".join(parts)


def _template(text: str, start: int, quote: str, depth: int) -> tuple[Template, int]:
    """Parse text and substitutions up to the quote or the end; return the position after them (that of the quote)."""
    parts: list[str | Call] = []
    while True:
        # Not escaped: plain text includes each backslash and the character after it.
        if text.startswith("$(", start):
            call, start = _call(text, start, quote, depth + 1)
            parts.append(call)
        elif match := _TEXT[quote].match(text, start):
            parts.append(unescape(match.group()))
            start = match.end()
        else:
            break
    return tuple(parts), start


def _call(text: str, start: int, quote: str, depth: int) -> tuple[Call, int]:
    if depth > MAX_NESTING:
        raise ConfigError(f"substitutions are nested deeper than {MAX_NESTING} in {text[:60]!r}")
    name = _IDENTIFIER.match(text, start + 2)
    if name is None:
        raise _bad(text, start + 2)
    words: list[Template] = []
    end = name.end()
    while text.startswith(" ", end):
        word, end = _word(text, end + 1, quote, depth)
        words.append(word)
    if not text.startswith(")", end):
        raise _bad(text, end)
    return _checked(Call(name.group(), tuple(words))), end + 1


def _word(text: str, start: int, quote: str, depth: int) -> tuple[Template, int]:
    opening = text[start : start + 1]
    if quote == "" and opening and opening in "'\"":
        template, end = _template(text, start + 1, opening, depth)
        if not text.startswith(opening, end):
            raise _bad(text, end)
        return template, end + 1
    parts: list[str | Call] = []
    end = start
    while True:
        if text.startswith("$(", end):
            call, end = _call(text, end, quote, depth + 1)
            parts.append(call)
        elif match := _WORD[quote].match(text, end):
            parts.append(unescape(match.group()))
            end = match.end()
        else:
            break
    if not parts:
        raise _bad(text, end)
    return tuple(parts), end


def _bad(text: str, position: int) -> ConfigError:
    found = repr(text[position : position + 10]) if position < len(text) else "the end"
    return ConfigError(
        f"substitution cannot be read at character {position + 1} (found {found}) of {text[:60]!r}"
    )


def _checked(call: Call) -> Call:
    if call.name not in _WORDS:
        shown = [f"$({name})" for name in _WORDS]
        raise ConfigError(unknown("substitution", f"$({call.name})", shown))
    least, most = _WORDS[call.name]
    if not least <= len(call.words) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise ConfigError(f"$({call.name}) takes {wanted} words, not {len(call.words)}")
    if call.name == "equals" and () in call.words:
        # EqualsSubstitution of launch 3.4.3 takes the empty list of parts for the text "[]".
        raise ConfigError("$(equals) cannot compare with '': ros2 launch would not see them as equal")
    return call


def _var(words: tuple[Template, ...], sources: Sources) -> str:
    name = evaluate(words[0], sources)
    if name in sources.variables:
        return sources.variables[name]
    if len(words) > 1:
        return evaluate(words[1], sources)
    raise ConfigError(unknown("variable", name, sources.variables))


def _env(words: tuple[Template, ...], sources: Sources) -> str:
    default = evaluate(words[1], sources) if len(words) > 1 else None
    name = evaluate(words[0], sources)
    value = sources.environment.get(name, default)
    if value is None:
        raise ConfigError(f"environment variable {name!r} is not set and $(env) gives no default")
    return value


def _find_pkg_share(words: tuple[Template, ...], sources: Sources) -> str:
    package = evaluate(words[0], sources)
    try:
        return str(sources.find_share(package))
    except LookupError as error:
        raise ConfigError(f"package {package!r} is not installed") from error


def _dirname(_words: tuple[Template, ...], sources: Sources) -> str:
    return str(sources.directory)


def _equals(words: tuple[Template, ...], sources: Sources) -> str:
    left, right = (evaluate(word, sources) for word in words)
    truth = {"true": True, "1": True, "false": False, "0": False}
    if left.lower() in truth and right.lower() in truth:
        return str(truth[left.lower()] is truth[right.lower()]).lower()
    try:
        return str(math.isclose(float(left), float(right))).lower()
    except ValueError:
        return str(left == right).lower()


def _eval(words: tuple[Template, ...], sources: Sources) -> str:
    return calculate(evaluate(words[0], sources))


def _string_join(words: tuple[Template, ...], sources: Sources) -> str:
    between, *parts = (evaluate(word, sources) for word in words)
    return between.join(parts)


def _path_join(words: tuple[Template, ...], sources: Sources) -> str:
    return os.path.join(*(evaluate(word, sources) for word in words))  # noqa: PTH118 - as ros2 launch joins


_FUNCTIONS = {
    "var": _var,
    "env": _env,
    "find-pkg-share": _find_pkg_share,
    "dirname": _dirname,
    "equals": _equals,
    "eval": _eval,
    "string-join": _string_join,
    "path-join": _path_join,
}
_WORDS = {
    "var": (1, 2),
    "env": (1, 2),
    "find-pkg-share": (1, 1),
    "dirname": (0, 0),
    "equals": (2, 2),
    "eval": (1, 1),
    "string-join": (2, MAX_WORDS),
    "path-join": (1, MAX_WORDS),
}
