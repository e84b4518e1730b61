# SPDX-License-Identifier: Apache-2.0
"""The thread that draws: all messages since the last picture, at a limited rate."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_view import EACH_COUNTS, RobotView

Decode = Callable[[], Any]

QUEUE = 100  # messages that are kept of a topic on which a new one does not replace the last
FAILURES = (ArithmeticError, AttributeError, BridgeError, LookupError, RuntimeError, TypeError, ValueError)
BREATH = 0.005  # s between two robots, so that a team does not block the interpreter


class Painter:
    """Draws views on ``page`` while a page is open; ``rate``: pictures per second.

    Messages come as functions that decode them, so that a replaced message is never decoded.
    """

    def __init__(self, page: Page, rate: float) -> None:
        self._page, self._period = page, 1.0 / rate
        self._views: dict[str, RobotView] = {}
        self._latest: dict[tuple[str, str], deque[Decode]] = {}
        self._lock = threading.Lock()
        self._has_messages = threading.Event()
        self._closing = threading.Event()
        self.pictures = 0
        self.error = ""  # the error in the last picture
        self._thread = threading.Thread(target=self._run, name="viewer", daemon=True)
        self._thread.start()

    def add(self, namespace: str, view: RobotView) -> None:
        """Add the view of a namespace; once for each."""
        with self._lock:
            self._views[namespace] = view

    def take(self, namespace: str, topic: str, decode: Decode) -> None:
        """Keep a message to be drawn; called by any thread, returns at once. Most topics keep only the latest one."""
        key = (namespace, topic)
        with self._lock:
            waiting = self._latest.get(key)
            if waiting is None:
                waiting = self._latest[key] = deque(maxlen=QUEUE if topic in EACH_COUNTS else 1)
            waiting.append(decode)
        self._has_messages.set()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self._has_messages.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._has_messages.wait(timeout=0.5)  # lifetimes end without new messages
            self._has_messages.clear()
            begun = time.monotonic()
            if self._page.visitors:
                self._draw()
            self._closing.wait(max(0.0, self._period - (time.monotonic() - begun)))

    def _draw(self) -> None:
        with self._lock:
            waiting = {key: list(messages) for key, messages in self._latest.items() if messages}
            for key in waiting:
                self._latest[key].clear()
            views = dict(self._views)
        for namespace, view in views.items():
            messages = {topic: many for (name, topic), many in waiting.items() if name == namespace}
            self._page.together(partial(self._draw_view, view, messages))
            self._closing.wait(BREATH)
        self.pictures += 1

    def _draw_view(self, view: RobotView, waiting: dict[str, list[Decode]]) -> None:
        for topic, messages in waiting.items():
            for decode in messages:
                with self._told(topic):
                    view.take(topic, decode())
        with self._told("picture"):
            view.refresh(time.monotonic())

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Tell an error: one bad message must not end the page."""
        try:
            yield
        except FAILURES as error:
            text = f"{what}: {type(error).__name__}: {error}"
            if text != self.error:  # logged once, not with every picture
                logging.getLogger(__name__).warning("not drawn: %s", text)
            self.error = text
