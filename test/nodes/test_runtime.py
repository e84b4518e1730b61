# SPDX-License-Identifier: Apache-2.0
"""The end of a runtime: every body is made safe, whatever another node does."""

import pytest

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import UNSAFE, Runtime


class Body(BridgeNode):
    """Notes that it was closed; ``faulty``: and raises."""

    def __init__(self, name: str, runtime: Runtime, *, faulty: bool = False) -> None:
        super().__init__(name, (), context=runtime.context)
        self.closed = False
        self._faulty = faulty

    def close(self) -> None:
        if not self.closed:
            self.closed = self.unsafe = True
            if self._faulty:
                raise RuntimeError("a mistake at the end")


def test_a_node_that_fails_at_the_end_keeps_no_other_from_being_made_safe() -> None:
    runtime = Runtime()
    first = runtime.add(Body("first", runtime))
    runtime.add(Body("second", runtime, faulty=True))
    with pytest.raises(RuntimeError, match="a mistake at the end"):
        runtime.__exit__(None, None, None)
    assert first.closed
    assert runtime.exit_code == UNSAFE
    assert not runtime.context.ok()
