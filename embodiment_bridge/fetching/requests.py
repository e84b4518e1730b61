# SPDX-License-Identifier: Apache-2.0
"""The port by which behaviour trees fetch and read documents, on threads, so that no tick waits or takes long."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from typing_extensions import override

from embodiment_bridge.behaviour.engine.ports import FetchReport, FetchStatus, Read, RequestPort
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded
from embodiment_bridge.fetching.fetcher import Reply
from embodiment_bridge.fetching.rules import FetchError

AT_ONCE: Final = 4  # fetches that run at the same time
MAX_WAITING: Final = 64  # fetches that wait; further ones fail
GAP_S: Final = 0.5  # between the starts of two fetches, of all runs together


class FetchBytes(Protocol):
    """The signature of ``Fetcher.fetch_bytes``."""

    def __call__(self, url: str, *, max_bytes: int, total_s: float, cancelled: Callable[[], bool]) -> Reply:
        """Fetch, or raise FetchError."""


@dataclass(slots=True)
class _Fetch:
    """One fetch. ``report`` is set by its thread, everything else by the thread of the caller."""

    url: str
    read: Read
    canceled: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    report: FetchReport | None = None


class Requests(RequestPort):
    """A ``RequestPort`` for all runs of a robot; call it on one thread.

    Fetches start at least ``gap_s`` apart, and at most ``AT_ONCE`` run; others wait their turn. A canceled
    fetch is reported as such at once; its thread ends as soon as the socket returns. What comes is read on its thread.

    Args:
        fetch: fetches one document, see ``Fetcher.fetch_bytes``.
        total_s: deadline of a fetch, s from its start.
        max_bytes: of a document.
        gap_s: between two starts, s.
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

    @override
    def start(self, request_id: str, url: str, read: Read) -> None:
        waiting = sum(one.thread is None and one.report is None for one in self._all.values())
        one = self._all[request_id] = _Fetch(url, read)
        if waiting >= MAX_WAITING:
            reason = f"BUSY: {MAX_WAITING} fetches are waiting already"
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=reason)
        self._start_waiting()

    @override
    def report(self, request_id: str) -> FetchReport:
        """The state of a fetch. A fetch that has ended is forgotten after this call."""
        self._start_waiting()
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

    @override
    def cancel(self, request_id: str) -> None:
        one = self._all.get(request_id)
        if one is not None:
            one.canceled.set()

    def close(self) -> None:
        """Cancel all fetches and wait for their threads; each ends soon once it is connected."""
        for one in self._all.values():
            one.canceled.set()
        self._all.clear()
        for thread in self._threads:
            thread.join(timeout=1.0)

    def _start_waiting(self) -> None:
        """Start the waiting fetches that may start now."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for request_id, one in self._all.items():
            if len(self._threads) >= AT_ONCE or self._now() < self._free_at:
                return
            if one.thread is None and one.report is None and not one.canceled.is_set():
                self._free_at = self._now() + self._gap_s
                one.thread = threading.Thread(
                    target=self._run, args=(request_id, one), name="document fetch", daemon=True
                )
                self._threads.append(one.thread)
                one.thread.start()

    def _run(self, request_id: str, one: _Fetch) -> None:
        try:
            reply = self._fetch(
                one.url,
                max_bytes=self._max_bytes,
                total_s=self._total_s,
                cancelled=one.canceled.is_set,
            )
            text = decoded(reply.body)
            document = one.read(text)
        except FetchError as error:
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=str(error))
        except NotUtf8Error as error:
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=f"NOT_UTF8: {error}")
        except Exception as error:  # noqa: BLE001 - a fault here must not leave a node waiting for ever
            reason = f"{type(error).__name__}: {error}"
            one.report = FetchReport(request_id, FetchStatus.FAILED, reason=reason)
        else:
            one.report = FetchReport(request_id, FetchStatus.DONE, text, document=document)
