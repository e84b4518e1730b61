# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and every other signal that ends a process, as a question that a loop asks."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ASKED_FOR = (signal.SIGINT, signal.SIGTERM)
# Their default does not end a process, or they cannot be caught, or they say that the process itself is broken: then
# no code of ours can be relied on, and what must be done is done from outside (dynamixel/bus/guardian.py).
LEFT_ALONE = frozenset(
    getattr(signal, name)
    for name in (
        "SIGKILL", "SIGSTOP", "SIGCONT", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCHLD", "SIGURG", "SIGWINCH", "SIGINFO",
        "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "SIGABRT", "SIGEMT",
    )
    if hasattr(signal, name)
)  # fmt: skip
_at_once: list[Callable[[], None]] = []


def do_at_once(action: Callable[[], None]) -> None:
    """Call ``action`` inside the signal handler: it must take no lock and not wait."""
    _at_once.append(action)


def do_no_more(action: Callable[[], None]) -> None:
    """Take back ``do_at_once``; more than once is fine."""
    if action in _at_once:
        _at_once.remove(action)


def ending_signals() -> tuple[int, ...]:
    """SIGINT, SIGTERM, and those that would end this process now: one that is ignored (`nohup`) or used stays so."""
    others = signal.valid_signals() - LEFT_ALONE - set(ASKED_FOR)
    return (*ASKED_FOR, *sorted(one for one in others if signal.getsignal(one) == signal.SIG_DFL))


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Inside, signals that end a process make the yielded function true; a second one is taken as the first."""
    asked: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        asked.append(number)
        for action in tuple(_at_once):
            action()

    before = {number: signal.signal(number, note) for number in ending_signals()}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see ``held_back``
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Inside, SIGINT waits. It does so, too, for a program that is started inside, until its ``stop_on_signals``.

    So a node that is told to end before it has begun ends as any other: without a traceback, with exit code 0.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
