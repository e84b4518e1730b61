# SPDX-License-Identifier: Apache-2.0
"""The canonical form of a BML document: what the normaliser makes and the behaviour engine runs.

Every tolerated spelling has been rewritten before: a node-level ``loop``/``repeat`` is a ``Loop`` around the
node, ``duration`` of anything but ``delay`` and the body leaves is a ``Box``; a node of type loop has its box
inside. Round those come, where the node has the keys, a ``Timeout``, then a ``Finally``, then a ``Guard`` for
``condition``, then a ``Start``. ``pointer`` is the JSON pointer of the node in the text that was read; what was
made for a key has the pointer and the name of its node. In a subtree it is the pointer of the subtree node, ``#``,
the escaped name of the document, and the pointer there: ``/behaviors/1#greet/behaviors/0``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embodiment_bridge.bml.conditions import Condition, Value
from embodiment_bridge.bml.reading.plain import one_line

FOREVER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBase:
    """What all nodes have. ``extra`` holds keys that tolerant reading did not know."""

    pointer: str
    name: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite(NodeBase):
    """``kind`` is sequence, selector or parallel; the policies are resolved (defaults filled in per kind).

    Only for selectors: ``reactive`` looks at the conditions of higher children again while a lower one runs;
    ``random`` tries the children in an order drawn by ``weights`` (empty: all the same).
    """

    kind: str
    children: tuple["Node", ...]
    succeed_on_one: bool = False
    fail_on_all: bool = False
    reactive: bool = False
    random: bool = False
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop(NodeBase):
    """``count`` iterations of ``child``, -1 for ever."""

    count: int
    child: "Node"
    succeed_on_one: bool = False
    fail_on_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box(NodeBase):
    """``child`` for exactly ``duration_s``: success is padded, overrun is stopped as success, failure passes.

    Never round a Delay or a Body when it comes from reading: those carry their duration themselves.
    """

    duration_s: float
    child: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard(NodeBase):
    """``child`` if ``condition`` is met when its turn comes; else it is left out."""

    condition: Condition
    child: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(NodeBase):
    """``child``, from ``offset_s`` after the sound named ``at`` has come to the word ``mark`` (empty: is heard)."""

    at: str
    mark: str = ""
    offset_s: float = 0.0
    child: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout(NodeBase):
    """``child``, which is halted and fails when it has not ended after ``timeout_s``."""

    timeout_s: float
    child: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finally(NodeBase):
    """``child``, and after it, however it ended, ``cleanup``; the result is that of ``child``."""

    child: "Node"
    cleanup: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtree(NodeBase):
    """The document called ``ref``, whose root is ``child``, with ``args`` for its parameters."""

    ref: str
    args: Mapping[str, Value] = field(default_factory=dict)
    child: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay(NodeBase):
    """Waits; then success when ``succeed``."""

    duration_s: float
    succeed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Body(NodeBase):
    """One body or emotion action (``kind`` body or emotion): upper case name, slot in s (0: natural length).

    ``action_key`` is the key that named the action in the text (an emotion may use others), for pointers.
    """

    kind: str
    action: str
    duration_s: float = 0.0
    intensity: float = 1.0
    action_key: str = field(default="action", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player(NodeBase):
    """``action`` is play, pause, stop, resume or setVolume; volume in percent, None when not given.

    ``channel`` empty is the usual one. ``fade_s`` is how long a play fades in. At ``marks_url`` are the times of the
    words of ``content``, the text that is spoken in the medium.
    """

    action: str
    url: str = ""
    volume: float | None = None
    content: str = ""
    duration_s: float = 0.0
    channel: str = ""
    fade_s: float | None = None
    marks_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speak(NodeBase):
    """Text that still has to become sound, on a ``channel`` as of ``Player``."""

    content: str
    voice: str = ""
    language: str = ""
    rate: float | None = None
    volume: float | None = None
    channel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(NodeBase):
    """Fetch the next document from ``url`` and run it."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(NodeBase):
    """Ends the whole run as STOPPED, or the node named ``target`` with success."""

    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Set(NodeBase):
    """Writes a value on the blackboard; None takes the key away."""

    key: str
    value: Value


Wrapper = Loop | Box | Guard | Start | Timeout | Subtree  # round one child
Leaf = Delay | Body | Player | Speak | Request | Stop | Set
Node = Composite | Wrapper | Finally | Leaf


@dataclass(frozen=True, slots=True)
class Document:
    """A whole behaviour: the tree, and what the envelope round it said (name, suspendable, req_time, ...)."""

    root: Node
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong (``fatal``) or doubtful in a document, at a JSON pointer; ``code`` is UPPER_SNAKE."""

    pointer: str
    code: str
    message: str
    fatal: bool = True

    def __str__(self) -> str:
        return one_line(f"{self.pointer}: {self.code}: {self.message}")
