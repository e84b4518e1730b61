# SPDX-License-Identifier: Apache-2.0
"""Turns Ctrl-C and other signals that end a process into a flag that a loop checks."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ASKED_FOR = (signal.SIGINT, signal.SIGTERM)
# Signals whose default does not end a process, that cannot be caught, or that report a broken process. After these our
# own code cannot be relied on; the guardian process makes servos safe (dynamixel/bus/making_safe.py).
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
    """Call ``action`` in the signal handler of an ending signal; it must not take a lock or wait."""
    _at_once.append(action)


def do_no_more(action: Callable[[], None]) -> None:
    """Undo ``do_at_once``; may be called more than once."""
    if action in _at_once:
        _at_once.remove(action)


def ending_signals() -> tuple[int, ...]:
    """SIGINT, SIGTERM, and all others that would end this process, but not ignored (`nohup`) or handled ones."""
    others = signal.valid_signals() - LEFT_ALONE - set(ASKED_FOR)
    return (*ASKED_FOR, *sorted(one for one in others if signal.getsignal(one) == signal.SIG_DFL))


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Let signals that end a process make the yielded function return true; further ones change nothing."""
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
def interrupted_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first signal that ends a process; further ones change nothing.

    So what a program does last (``finally``) is done after each of them, and the next one does not cut it short.
    """
    came: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt

    heard = [number for number in ending_signals() if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold SIGINT back inside the block, also for a program started inside, until its ``stop_on_signals``.

    So a node that is told to end before it has begun ends as any other: without a traceback, with exit code 0.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
