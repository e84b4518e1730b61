# SPDX-License-Identifier: Apache-2.0
"""The only YAML reader of the package: plain values, within limits that are checked while reading.

PyYAML's own safe loader has no limits: nested brackets take it minutes, and a few hundred bytes of aliases or
merges (``<<``) expand to gigabytes.
"""

from collections.abc import Hashable
from typing import Any, Final

import yaml
from yaml._yaml import Mark
from yaml.composer import Composer

from embodiment_bridge.core.errors import ConfigError

MAX_CHARACTERS: Final = 1_000_000  # a body file has some ten thousand
MAX_DEPTH: Final = 50  # a body file has 6
MAX_VALUES: Final = 50_000  # keys count too, and an aliased value counts at each use; a body file has 2,000
MAX_DIGITS: Final = 40  # of an integer
# What PyYAML's safe loader raises on odd text (``!!int ''``, ``!!bool x``, 2001-99-99) beside its own errors.
_ERRORS: Final = (
    yaml.YAMLError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    TypeError,
    RecursionError,
)


class _Loader(Composer, yaml.CSafeLoader):
    """SafeLoader with limits. It refuses a key given twice, of which SafeLoader would use the last.

    libyaml finds the events, three times as fast as PyYAML, and Python composes them, so that they can be counted.
    """

    base_60 = True

    def __init__(self, text: str) -> None:
        Composer.__init__(self)
        yaml.CSafeLoader.__init__(self, text)
        self._depth = self._values = 0
        self._sizes: dict[int, int] = {}  # values in each node that is complete, by id

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        mark = event.start_mark if event is not None else None
        alias = self.check_event(yaml.AliasEvent)
        self._depth += 1
        self._count(0 if alias else 1, mark)
        before = self._values
        node = super().compose_node(parent, index)
        self._depth -= 1
        if alias:
            if id(node) not in self._sizes:
                raise _problem("an alias refers to a value that contains it", mark)
            self._count(self._sizes[id(node)], mark)
        elif node is not None:
            self._sizes[id(node)] = 1 + self._values - before
        return node

    def _count(self, values: int, mark: yaml.Mark | Mark | None) -> None:
        self._values += values
        if self._depth > MAX_DEPTH:
            raise _problem(f"nested more than {MAX_DEPTH} deep", mark)
        if self._values > MAX_VALUES:
            raise _problem(f"more than {MAX_VALUES} values", mark)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                raise _problem(f"key {key.value!r} given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """An int or a float, depending on the tag of the node."""
        text = str(self.construct_scalar(node))
        if ":" in text and not self.base_60:
            raise _problem(
                f"{text[:40]!r} is a number to the base 60 in YAML; quote it if it is a text", node.start_mark
            )
        if len(text) > MAX_DIGITS and (":" in text or node.tag.endswith(":int")):
            raise _problem(f"a number of more than {MAX_DIGITS} digits", node.start_mark)
        as_int = node.tag.endswith(":int")
        number: int | float = self.construct_yaml_int(node) if as_int else self.construct_yaml_float(node)
        return number


class _FileLoader(_Loader):
    base_60 = False


for _loader in (_Loader, _FileLoader):
    _loader.add_constructor("tag:yaml.org,2002:int", _loader.construct_number)
    _loader.add_constructor("tag:yaml.org,2002:float", _loader.construct_number)


def load(text: str, *, base_60: bool = False) -> Any:
    """The value of YAML text: dicts, lists, texts, numbers, truth values, dates and None.

    base_60: whether 12:30 is 750, as YAML 1.1 and ROS's launch have it; else it is refused.

    Raises:
        ConfigError: not YAML, over one of the limits, a key given twice, or a lone surrogate; one line that says where.
    """
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(f"{len(text)} characters are more than the limit of {MAX_CHARACTERS}")
    try:
        return yaml.load(text, _Loader if base_60 else _FileLoader)
    except _ERRORS as error:
        raise ConfigError(" ".join(str(error).split()) or type(error).__name__) from error


def _problem(text: str, mark: yaml.Mark | Mark | None) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=text, problem_mark=mark)  # type: ignore[arg-type]  # libyaml has marks of its own
