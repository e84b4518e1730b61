# SPDX-License-Identifier: Apache-2.0
"""The port by which trees fetch documents: threads of their own, so that no tick waits for a server."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from embodiment_bridge.behaviour.engine.ports import FetchReport, FetchStatus
from embodiment_bridge.fetching.fetcher import Reply
from embodiment_bridge.fetching.rules import FetchError

AT_ONCE: Final = 4  # fetches under way
MAX_WAITING: Final = 64  # more of them fail
GAP_S: Final = 0.5  # between the beginnings of two fetches, of whatever runs


class FetchBytes(Protocol):
    """``Fetcher.fetch_bytes``."""

    def __call__(self, url: str, *, max_bytes: int, total_s: float, cancelled: Callable[[], bool]) -> Reply:
        """Fetch, or raise FetchError."""


@dataclass(slots=True)
class _Fetch:
    """One of them. ``report`` is set by its thread, everything else by the caller's."""

    url: str
    canceled: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    report: FetchReport | None = None


class Requests:
    """A ``RequestPort`` for all runs of a robot; call it from one thread.

    Fetches begin at least ``gap_s`` apart and ``AT_ONCE`` at most are under way; others wait their turn. A canceled
    fetch reports so at once; its thread ends as soon as the socket lets it.

    Args:
        fetch: does one fetch, see ``Fetcher.fetch_bytes``.
        total_s: deadline of a fetch from its beginning, s.
        max_bytes: of a document.
        gap_s: between two beginnings, s.
        now: monotonic clock, s.
    """

    def __init__(
        self,
        fetch: FetchBytes,
        *,
        total_s: float,
        max_bytes: int,
        gap_s: float = GAP_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._total_s = total_s
        self._max_bytes = max_bytes
        self._gap_s = gap_s
        self._now = now
        self._free_at = now()
        self._all: OrderedDict[str, _Fetch] = OrderedDict()
        self._threads: list[threading.Thread] = []

    def start(self, request_id: str, url: str) -> None:
        """See ``RequestPort``."""
        waiting = sum(one.thread is None and one.report is None for one in self._all.values())
        one = self._all[request_id] = _Fetch(url)
        if waiting >= MAX_WAITING:
            reason = f"BUSY: {MAX_WAITING} fetches wait already"
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=reason)
        self._go_on()

    def report(self, request_id: str) -> FetchReport:
        """See ``RequestPort``; what has ended is forgotten."""
        self._go_on()
        one = self._all.get(request_id)
        if one is None:
            return FetchReport(request_id, FetchStatus.FAILED, reason="there is no such fetch")
        if one.canceled.is_set():
            report = FetchReport(request_id, FetchStatus.CANCELED)
        else:
            report = one.report or FetchReport(request_id, FetchStatus.RUNNING)
        if report.status.ended:
            del self._all[request_id]
        return report

    def cancel(self, request_id: str) -> None:
        """See ``RequestPort``."""
        one = self._all.get(request_id)
        if one is not None:
            one.canceled.set()

    def close(self) -> None:
        """Cancel all and wait for their threads; each ends within a tenth of a second once it is connected."""
        for one in self._all.values():
            one.canceled.set()
        self._all.clear()
        for thread in self._threads:
            thread.join(timeout=1.0)

    def _go_on(self) -> None:
        """Begin what may begin now."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for request_id, one in self._all.items():
            if len(self._threads) >= AT_ONCE or self._now() < self._free_at:
                return
            if one.thread is None and one.report is None and not one.canceled.is_set():
                self._free_at = self._now() + self._gap_s
                one.thread = threading.Thread(
                    target=self._work, args=(request_id, one), name="document fetch", daemon=True
                )
                self._threads.append(one.thread)
                one.thread.start()

    def _work(self, request_id: str, one: _Fetch) -> None:
        try:
            reply = self._fetch(
                one.url,
                max_bytes=self._max_bytes,
                total_s=self._total_s,
                cancelled=one.canceled.is_set,
            )
            text = reply.body.decode()
        except FetchError as error:
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=str(error))
        except UnicodeDecodeError as error:
            reason = f"NOT_UTF8: {error.reason} at byte {error.start}"
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=reason)
        except Exception as error:  # noqa: BLE001 - a fault in here must not leave a node waiting for ever
            reason = f"{type(error).__name__}: {error}"
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=reason)
        else:
            one.report = FetchReport(request_id, FetchStatus.DONE, text=text)
