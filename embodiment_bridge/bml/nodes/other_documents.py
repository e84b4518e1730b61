# SPDX-License-Identifier: Apache-2.0
"""Nodes that run other documents: ``request`` fetches one by its URL, ``subtree`` names one that is given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.base.problems import Problems, at, short
from embodiment_bridge.bml.fields.field import LIMITS, Field, Object, Text
from embodiment_bridge.bml.fields.values import Raw, Values, scalar
from embodiment_bridge.bml.nodes.children import Child, Reference
from embodiment_bridge.bml.nodes.node import Leaf, Node, Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import Given, NodeType, Surroundings
from embodiment_bridge.bml.nodes.timing import EITHER, SUCCEEDS, Lengths, Timing


@attributes
class Request(Leaf):
    """Fetches the next document from ``url`` and runs it."""

    TYPE: ClassVar[str] = "request"
    url: str


class RequestType(NodeType[Request]):
    """Describes ``request``."""

    name = "request"
    meaning = "fetches a document and executes it"
    made = Request
    fields = (Text("url", required=True, longest="max_url"),)

    def label(self, node: Request) -> str:
        return f"GET {shown_url(node.url)}"

    def check(self, node: Request, around: Surroundings, problems: Problems) -> None:
        check_url(node, "url", node.url, around, problems)

    def timing(self, node: Request, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate: the time of the fetched document counts, and is not known before."""
        return Timing(EITHER, EITHER, SUCCEEDS, 0.0, None, inf)


def shown_url(url: str) -> str:
    """Return a URL without user, query and fragment, where secrets are."""
    scheme, sign, rest = url.partition("?")[0].partition("#")[0].partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{sign}{place.rpartition('@')[2]}{slash}{path}"


def check_url(node: Node, key: str, url: str, around: Surroundings, problems: Problems) -> None:
    """Note why a URL is refused; the URL itself is not quoted: it may carry a password or a token."""
    reason = around.url_refusal(url)
    if reason:
        problems.error(f"{node.pointer}/{key}", "URL_REFUSED", f"the URL is refused: {reason}")


REQUEST = RequestType()


ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class Arguments(Field):
    """Reads values by name."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> dict[str, Value]:
        args, where = raw[key], at(pointer, key)
        if not isinstance(args, dict):
            values.wrong_type(pointer, key, args, "an object of values")
            return {}
        if len(args) > values.limits.max_args:
            text = f"there are {len(args)} arguments, {values.limits.max_args} is the limit"
            values.problems.error(where, "BAD_ARGUMENT", text)
            return {}
        for name in args:
            if not ARGUMENT.fullmatch(name):
                text = f"{short(name)} is not the name of an argument (a letter or '_', then letters, digits and '_')"
                values.problems.error(where, "BAD_ARGUMENT", text)
        return {name: scalar(value, at(where, name), values) for name, value in args.items()}

    def schema(self) -> Object:
        return {
            "type": "object",
            "propertyNames": {"pattern": f"^{ARGUMENT.pattern}$"},
            "additionalProperties": {"$ref": "#/$defs/scalar"},
            "maxProperties": LIMITS.max_args,
        }


@attributes
class Subtree(Wrapper):
    """Runs the document called ``ref``, whose root is ``child``, with ``args`` for its parameters."""

    TYPE: ClassVar[str] = "subtree"
    ref: str
    args: Mapping[str, Value] = field(default_factory=dict)


class SubtreeType(NodeType[Subtree]):
    """Describes ``subtree``, which ends as its document does."""

    name = "subtree"
    meaning = "another document, by name"
    made = Subtree
    fields = (Text("ref", required=True), Arguments("args"))

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child]:
        """Return the root of the document that it names."""
        reference = Reference(found["ref"], found.get("args", {}))
        return [Child(pointer, reference)] if reference.ref else []

    def node(self, given: Given, children: tuple[Node, ...]) -> Subtree:
        return Subtree(child=children[0], **given)

    def title(self, node: Subtree) -> str:
        return node.ref

    def timing(self, node: Subtree, below: list[Timing], lengths: Lengths) -> Timing:
        return below[0]


SUBTREE = SubtreeType()
