# SPDX-License-Identifier: Apache-2.0
"""The thread that draws: what came since the last picture, at most so many times a second."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_view import EACH_COUNTS, Decode, RobotView

QUEUE = 100  # messages of a topic of which each one counts
FAILURES = (ArithmeticError, AttributeError, BridgeError, LookupError, RuntimeError, TypeError, ValueError)
BREATH = 0.005  # s between two robots, so that a team does not hold the interpreter in one piece


class Painter:
    """Draws views on ``page`` while somebody looks; ``rate`` pictures a second.

    Messages come as functions that decode them, so that those which a newer one replaces are never decoded.
    """

    def __init__(self, page: Page, rate: float) -> None:
        self._page, self._period = page, 1.0 / rate
        self._views: dict[str, RobotView] = {}
        self._latest: dict[tuple[str, str], deque[Decode]] = {}
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._closing = threading.Event()
        self.pictures = 0
        self.error = ""  # what the last picture failed with
        self._thread = threading.Thread(target=self._run, name="viewer", daemon=True)
        self._thread.start()

    def add(self, namespace: str, view: RobotView) -> None:
        """Draw what comes from a namespace; once for each."""
        with self._lock:
            self._views[namespace] = view

    def take(self, namespace: str, topic: str, decode: Decode) -> None:
        """A message; from any thread, returns at once. Of most topics only the latest is kept."""
        key = (namespace, topic)
        with self._lock:
            waiting = self._latest.get(key)
            if waiting is None:
                waiting = self._latest[key] = deque(maxlen=QUEUE if topic in EACH_COUNTS else 1)
            waiting.append(decode)
        self._news.set()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._news.wait(timeout=0.5)  # what has a lifetime ends without news
            self._news.clear()
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
            news = {topic: many for (name, topic), many in waiting.items() if name == namespace}
            self._page.together(_drawing(view, news, self._failed))
            self._closing.wait(BREATH)
        self.pictures += 1

    def _failed(self, topic: str, error: Exception) -> None:
        text = f"{topic}: {type(error).__name__}: {error}"
        if text != self.error:  # once, not with every picture
            logging.getLogger(__name__).warning("not drawn: %s", text)
        self.error = text


def _drawing(
    view: RobotView, news: dict[str, list[Decode]], failed: Callable[[str, Exception], None]
) -> Callable[[], None]:
    def draw() -> None:
        for topic, messages in news.items():
            for decode in messages:
                _show(view, topic, decode, failed)
        view.refresh(time.monotonic())

    return draw


def _show(view: RobotView, topic: str, decode: Decode, failed: Callable[[str, Exception], None]) -> None:
    try:
        view.take(topic, decode())
    except FAILURES as error:  # one strange message must not end the page
        failed(topic, error)
