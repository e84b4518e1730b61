# SPDX-License-Identifier: Apache-2.0
"""Runs other documents: fetched by a request, or put in place as a subtree."""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.context import Replaced
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import FetchReport, FetchStatus
from embodiment_bridge.behaviour.nodes.composite import Ordered
from embodiment_bridge.behaviour.nodes.decorators import PassThrough
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.tree_builder import build_in_slices, makes
from embodiment_bridge.bml.nodes import other_documents as bml


class Request(Leaf, Composite):
    """Fetches a document, then ends as its tree does.

    In tail position (nothing of the present tree could follow or change the result) the fetched tree replaces
    the run's whole tree, so that a chain of documents runs for ever in the same memory; two replacements are
    at least ``chain_gap_s`` apart. Elsewhere the fetched tree becomes the node's child, a few levels deep at
    most.
    """

    def __init__(self, name: str, url: str, nesting: int) -> None:
        super().__init__(name)
        self.url = url
        self.nesting = nesting
        self._ahead = ""

    def reset(self) -> None:
        """Forget the last fetch."""
        self._id = ""
        self._report: FetchReport | None = None
        self._t_send = self.t_start
        self._using: Iterator[None] | None = None
        self._grown: Node | None = None

    def start(self) -> None:
        """Choose when to ask: not too soon after the last replacement."""
        last = self.context.replaced_at
        if last is not None and in_tail_position(self):
            self._t_send = max(self.t_start, last + self.context.settings.chain_gap_s)
        self._id, self._ahead = self._ahead, ""

    def look_ahead(self, before: Node) -> None:
        """Ask before it is its turn, when the turn comes soon."""
        wanted = self.context.settings.prefetch_s
        if self._ahead or wanted <= 0.0 or not self._will_be_tail() or before.left_s() > wanted + TIE_S:
            return
        self._ahead = self.context.new_id()
        try:
            self.context.ports.requests.start(self._ahead, self.url, self.context.read)
        except Exception as error:  # noqa: BLE001 - what the port does wrong must not end what runs now
            self._warn_of(error)

    def forget_ahead(self) -> None:
        """Give up what was asked for."""
        if self._ahead:
            self.context.ports.requests.cancel(self._ahead)
            self.context.ports.requests.report(self._ahead)
            self._ahead = ""

    def _will_be_tail(self) -> bool:
        above = self.parent
        return isinstance(above, Ordered) and above.last_decides and in_tail_position(above)

    def work(self) -> Iterator[Behaviour]:
        """Fetch; then run what came."""
        if self._grown is None:
            yield from super().work()
        if self._grown is not None:
            yield from self._grown.tick()
            self._end_with(self._grown)

    def _end_with(self, tree: Node) -> None:
        if not tree.running:
            failed = tree.status is Status.FAILURE
            self.finish(
                Status.FAILURE if failed else Status.SUCCESS,
                tree.t_end,
                tree.feedback_message if failed else "",
                tree.culprit,
            )

    def poll(self) -> None:
        """Ask, wait for the reply, use it."""
        if self._using is not None:
            if not self.context.starts_allowed:  # a tick may have two passes, and makes one slice
                self._go_on(self._using)
            return
        if not self.context.clock.due(self._t_send):
            return
        if not self._id:
            self._id = self.context.new_id()
            self.context.ports.requests.start(self._id, self.url, self.context.read)
        report = self._look()
        if report.status is FetchStatus.DONE:
            self._using = self._use(report)
            self._go_on(self._using)
        elif report.status.ended:
            self.finish(Status.FAILURE, self._now(), report.reason or "nothing could be fetched")

    def _now(self) -> float:
        return max(self.context.clock.seconds, self.t_start)

    def _look(self) -> FetchReport:
        """Return the newest report; the port is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self.context.ports.requests.report(self._id)
        return self._report

    def _go_on(self, using: Iterator[None]) -> None:
        """Build one more slice of the fetched tree; a reply that cannot be run is this node's failure."""
        try:
            next(using)
            self.context.slices += 1
        except StopIteration:
            pass
        except Rejected as error:
            self.finish(Status.FAILURE, self._now(), f"REPLY_REJECTED: {error}")

    def _use(self, report: FetchReport) -> Iterator[None]:
        """Build the fetched tree; then replace the run's tree by it, or let it grow below this node.

        Raises:
            Rejected: it cannot be run.
        """
        if in_tail_position(self):
            reason = self._chain_refusal(report.text)
            if reason:
                self.finish(Status.FAILURE, self._now(), reason)
                return
            tree = yield from build_in_slices(self.context.take(report), self.context)
            self.context.replaced = Replaced(tree, self._now(), self.origin)
            return
        limit = self.context.settings.max_nesting
        if self.nesting >= limit:
            reason = f"REQUEST_NESTING: {limit} fetched documents are inside each other already"
            self.finish(Status.FAILURE, self._now(), reason)
            return
        document, above = self.context.take(report), depth_of(self)
        tree = yield from build_in_slices(document, self.context, above, self.nesting + 1)
        self._grown = tree
        self.add_child(tree)
        tree.begin(self._now())

    def _chain_refusal(self, text: str) -> str:
        """Count one more link of the chain; why it is one too many, or nothing."""
        chain, settings = self.context.chain, self.context.settings
        if settings.max_chain and chain.links >= settings.max_chain:
            return f"CHAIN_TOO_LONG: {settings.max_chain} documents have followed each other already"
        chain.links += 1
        began = self.context.replaced_at
        same = began is not None and self.t_start - began <= TIE_S and hash(text) == chain.text
        chain.idle = chain.idle + 1 if same else 0
        chain.text = hash(text)
        if chain.idle >= settings.max_idle_chain:
            return f"REQUEST_LOOP: the same document that takes no time came {chain.idle + 1} times in a row"
        return ""

    def leave(self) -> None:
        """Drop the fetched tree."""
        self._using = self._grown = None
        self.remove_all_children()

    def active_children(self) -> list[Node]:
        """Return the fetched tree, once it is there."""
        return [] if self._grown is None else [self._grown]

    def cancel(self) -> None:
        """Give up the fetch."""
        if self._fetching():
            self.context.ports.requests.cancel(self._id)

    def port_released(self) -> bool:
        """Return whether no fetch is under way."""
        return not self._fetching() or self._look().status.ended

    def _fetching(self) -> bool:
        return bool(self._id) and (self._report is None or not self._report.status.ended)

    def wake_at(self) -> float:
        """Return when the request is sent; then only the port knows."""
        if self._id and self.context.clock.due(self._t_send):
            return super().wake_at()
        return self._t_send


def depth_of(node: Behaviour) -> int:
    """Count the levels from the root of the run's tree down to ``node``, itself included."""
    depth = 0
    above: Behaviour | None = node
    while above is not None:
        depth += 1
        above = above.parent
    return depth


def in_tail_position(node: Node) -> bool:
    """Return whether the run's tree, as it stands, will end at the end of ``node`` and as ``node`` does."""
    while node.parent is not None:
        parent = node.parent
        if not (isinstance(parent, Node) and parent.ends_with_child):
            return False
        node = parent
    return True


@makes("request")
def make_request(node: bml.Request, children: list[Node], nesting: int) -> Node:
    return Request(node.name, node.url, nesting)


class Subtree(PassThrough):
    """Runs the root of a document that was inserted under a name."""


@makes("subtree")
def make_subtree(node: bml.Subtree, children: list[Node], nesting: int) -> Node:
    return Subtree(node.name, children[0])
