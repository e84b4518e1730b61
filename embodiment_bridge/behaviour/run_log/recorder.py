# SPDX-License-Identifier: Apache-2.0
"""Ports that note what they answer, for the log of a run."""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TypeVar

from embodiment_bridge.behaviour.engine.ports import (
    FetchReport,
    MediaPort,
    Ports,
    Read,
    RequestPort,
    SkillPort,
    SoundReport,
    SoundRequest,
)
from embodiment_bridge.body.state import SkillReport, SkillRequest
from embodiment_bridge.core.errors import text_of

Answer = TypeVar("Answer")


class Recorder:
    """Wraps the ports of one run; ``take`` returns the answers that changed since ``begin``."""

    def __init__(self, ports: Ports) -> None:
        self._calls: Counter[str] = Counter()
        self._news: list[dict[str, object]] = []
        self._last: dict[str, object] = {}
        self.ports = Ports(
            _Skills(ports.skills, self), _Media(ports.media, self), _Requests(ports.requests, self)
        )

    def begin(self) -> None:
        """Begin a new tick, or a call from outside."""
        self._calls.clear()
        self._news = []

    def take(self) -> list[dict[str, object]]:
        """Return the answers since then that differ from the ones before."""
        return self._news

    def ask(self, call: str, do: Callable[[], Answer], usual: object = None) -> Answer:
        """Make a call; an answer other than the last one (at first: than ``usual``) is news, errors always are."""
        n = self._calls[call]
        self._calls[call] += 1
        try:
            answer = do()
        except Exception as error:
            self._news.append({"call": call, "n": n, "error": text_of(error)})
            self._last.pop(call, None)
            raise
        if self._last.get(call, usual) != answer:
            self._last[call] = answer
            self._news.append({"call": call, "n": n, "answer": _plain(answer)})
        if getattr(getattr(answer, "status", None), "ended", False):
            self._last.pop(call, None)  # it is not asked again
        return answer


def _plain(answer: object) -> object:
    if not is_dataclass(answer) or isinstance(answer, type):
        return answer
    values = {one.name: getattr(answer, one.name) for one in fields(answer) if one.compare}
    return {key: value.value if isinstance(value, Enum) else value for key, value in values.items()}


class _Skills:
    """Implements a ``SkillPort`` that records its answers."""

    def __init__(self, port: SkillPort, recorder: Recorder) -> None:
        self._port, self._ask = port, recorder.ask

    def start(self, request: SkillRequest) -> None:
        self._ask(f"skills.start {request.id}", lambda: self._port.start(request))

    def report(self, request_id: str) -> SkillReport:
        # No node looks at the progress, and a line for each step of it would be the whole log.
        return self._ask(
            f"skills.report {request_id}", lambda: replace(self._port.report(request_id), progress=0.0)
        )

    def cancel(self, request_id: str) -> None:
        self._ask(f"skills.cancel {request_id}", lambda: self._port.cancel(request_id))

    def hold(self, on: bool) -> None:
        self._ask(f"skills.hold {on}", lambda: self._port.hold(on))


class _Media:
    """Implements a ``MediaPort`` that records its answers."""

    def __init__(self, port: MediaPort, recorder: Recorder) -> None:
        self._port, self._ask = port, recorder.ask

    @property
    def speaks(self) -> bool:
        return self._port.speaks

    def start(self, request: SoundRequest) -> None:
        self._ask(f"media.start {request.id}", lambda: self._port.start(request))

    def report(self, request_id: str) -> SoundReport:
        return self._ask(f"media.report {request_id}", lambda: self._port.report(request_id))

    def cancel(self, request_id: str) -> None:
        self._ask(f"media.cancel {request_id}", lambda: self._port.cancel(request_id))

    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        return self._ask(f"media.command {action}", lambda: self._port.command(action, volume, channel), "")

    def hold(self, on: bool) -> None:
        self._ask(f"media.hold {on}", lambda: self._port.hold(on))


class _Requests:
    """Implements a ``RequestPort`` that records its answers."""

    def __init__(self, port: RequestPort, recorder: Recorder) -> None:
        self._port, self._ask = port, recorder.ask

    def start(self, request_id: str, url: str, read: Read) -> None:
        self._ask(f"requests.start {request_id}", lambda: self._port.start(request_id, url, read))

    def report(self, request_id: str) -> FetchReport:
        return self._ask(f"requests.report {request_id}", lambda: self._port.report(request_id))

    def cancel(self, request_id: str) -> None:
        self._ask(f"requests.cancel {request_id}", lambda: self._port.cancel(request_id))
