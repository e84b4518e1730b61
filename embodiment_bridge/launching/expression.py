# SPDX-License-Identifier: Apache-2.0
"""``$(eval ...)`` of whole numbers: the part of Python that counts and compares, with Python's own results.

``ros2 launch`` runs any Python there. Here the text is only taken apart by Python's parser, never run.
"""

import ast
import operator
from collections.abc import Callable

from embodiment_bridge.core.errors import ConfigError

MAX_TEXT = 200  # characters: none of the operators can then make a number that takes long

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
    """The result as text: a whole number, or ``True`` or ``False``.

    Raises:
        ConfigError: it is too long, is not an expression, divides by 0, or has more than whole numbers, ``+ - * // %``,
            comparisons and brackets.
    """
    if len(text) > MAX_TEXT:
        raise ConfigError(f"$(eval) of more than {MAX_TEXT} characters: {text[:40]!r}...")
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
