# SPDX-License-Identifier: Apache-2.0
"""``request``: fetches a document and executes it."""

from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.problems import Problems
from embodiment_bridge.bml.fields.field import Text
from embodiment_bridge.bml.nodes.node import Leaf, Node, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Surroundings
from embodiment_bridge.bml.nodes.timing import EITHER, SUCCEEDS, Lengths, Timing


@attributes
class Request(Leaf):
    """Fetch the next document from ``url`` and run it."""

    TYPE: ClassVar[str] = "request"
    url: str


class RequestType(NodeType[Request]):
    """The next document."""

    name = "request"
    meaning = "fetches a document and executes it"
    made = Request
    fields = (Text("url", required=True, longest="max_url"),)

    def label(self, node: Request) -> str:
        return f"GET {shown_url(node.url)}"

    def check(self, node: Request, around: Surroundings, problems: Problems) -> None:
        check_url(node, "url", node.url, around, problems)

    def timing(self, node: Request, below: list[Timing], lengths: Lengths) -> Timing:
        """The time of the fetched document counts, and is not known before."""
        return Timing(EITHER, EITHER, SUCCEEDS, 0.0, None, inf)


def shown_url(url: str) -> str:
    """A URL without user, query and fragment, where secrets are."""
    scheme, sign, rest = url.partition("?")[0].partition("#")[0].partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{sign}{place.rpartition('@')[2]}{slash}{path}"


def check_url(node: Node, key: str, url: str, around: Surroundings, problems: Problems) -> None:
    """Note why a URL is refused; the URL itself is not quoted: it may carry a password or a token."""
    reason = around.url_refusal(url)
    if reason:
        problems.error(f"{node.pointer}/{key}", "URL_REFUSED", f"the URL is refused: {reason}")


TYPE = RequestType()
