# SPDX-License-Identifier: Apache-2.0
"""Writing BML in Python with ``with`` blocks, in the order in which it happens.

with Script(name="greeting") as script:
    script.speak("Hello")
    with script.parallel().first_wins():
        script.play("https://media.example/song.mp3")
        with script.forever():
            script.body("EYE_RED", 0.5)
            script.body("EYE_BLUE", 0.5)
text = script.to_json()
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from embodiment_bridge.bml.authoring import builder
from embodiment_bridge.bml.authoring.builder import Part
from embodiment_bridge.bml.authoring.predicate import Predicate
from embodiment_bridge.bml.fields.values import FOREVER
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.core.errors import ConfigError


class Block:
    """A node whose children are what is added within its ``with``. Its methods are those of ``Part``, in place."""

    def __init__(self, script: "Script", kind: str, count: int = 1) -> None:
        self._script = script
        self._kind = kind
        self._count = count
        self._shape = Part({})
        self.children: list[Part] = []

    def __enter__(self) -> "Block":
        """From here on what is added belongs to it."""
        self._script.open(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It belongs to the block around it; left by an error it is dropped."""
        self._script.shut(self)
        if error is None:
            self._script.add(self.part())

    def part(self) -> Part:
        """The node, with what is in it so far."""
        if self._kind == "loop":
            inside = self.children[0] if len(self.children) == 1 else builder.sequence(*self.children)
            made = builder.loop(self._count, inside)
        else:
            made = Part({"type": self._kind, "behaviors": [child.data for child in self.children]})
        return made.having(**self._shape.data)

    def named(self, name: str) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.named(name))

    def box(self, seconds: float) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.box(seconds))

    def timeout(self, seconds: float) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.timeout(seconds))

    def when(self, condition: Predicate) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.when(condition))

    def afterwards(self, cleanup: Part) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.afterwards(cleanup))

    def first_wins(self) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.first_wins())

    def retrying(self) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.retrying())

    def having(self, **keys: Any) -> "Block":
        """See ``Part``."""
        return self._shaped(self._shape.having(**keys))

    def _shaped(self, shape: Part) -> "Block":
        self._shape = shape
        return self


class Script:
    """A sequence that is written from its beginning to its end; ``build`` and ``to_json`` when it is whole."""

    def __init__(self, name: str = "") -> None:
        self._root = Block(self, "sequence")
        if name:
            self._root.named(name)
        self._open = [self._root]

    def __enter__(self) -> "Script":
        """The script itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing: it may be built within the block or after it."""

    def add(self, part: Part) -> None:
        """Put a part at the end of the block that is open."""
        self._open[-1].children.append(part)

    def open(self, block: Block) -> None:
        """What is added now belongs to ``block``; called by its ``with``."""
        self._open.append(block)

    def shut(self, block: Block) -> None:
        """The ``with`` of a block ends.

        Raises:
            ConfigError: it is not the innermost one.
        """
        if self._open[-1] is not block:
            raise ConfigError("blocks of a script end in the opposite order of their beginning")
        self._open.pop()

    def sequence(self) -> Block:
        """A block of one after the other."""
        return Block(self, "sequence")

    def selector(self) -> Block:
        """A block of which the first child that succeeds is enough."""
        return Block(self, "selector")

    def parallel(self) -> Block:
        """A block of all at once."""
        return Block(self, "parallel")

    def loop(self, count: int) -> Block:
        """A block that is executed ``count`` times."""
        return Block(self, "loop", count)

    def forever(self) -> Block:
        """A block that is executed again and again."""
        return Block(self, "loop", FOREVER)

    def delay(self, seconds: float) -> None:
        """See ``builder.delay``."""
        self.add(builder.delay(seconds))

    def body(
        self,
        action: str,
        seconds: float | None = None,
        *,
        intensity: float | None = None,
        parameters: Mapping[str, float | str] | None = None,
    ) -> None:
        """See ``builder.body``."""
        self.add(builder.body(action, seconds, intensity=intensity, parameters=parameters))

    def emotion(self, action: str, seconds: float | None = None, *, intensity: float | None = None) -> None:
        """See ``builder.emotion``."""
        self.add(builder.emotion(action, seconds, intensity=intensity))

    def play(self, url: str, **how: Any) -> None:
        """See ``builder.play``."""
        self.add(builder.play(url, **how))

    def speak(self, content: str, **how: Any) -> None:
        """See ``builder.speak``."""
        self.add(builder.speak(content, **how))

    def request(self, url: str) -> None:
        """See ``builder.request``."""
        self.add(builder.request(url))

    def stop(self, target: str | None = None) -> None:
        """See ``builder.stop``."""
        self.add(builder.stop(target))

    def put(self, key: str, value: builder.Scalar) -> None:
        """See ``builder.put``."""
        self.add(builder.put(key, value))

    def part(self) -> Part:
        """Everything so far, as a part.

        Raises:
            ConfigError: a block is still open.
        """
        if len(self._open) > 1:
            raise ConfigError("a block of the script is still open")
        return self._root.part()

    def build(self, **options: Any) -> Document:
        """See ``Part.build``."""
        return self.part().build(**options)

    def to_json(self, **options: Any) -> str:
        """See ``Part.to_json``."""
        return self.part().to_json(**options)
