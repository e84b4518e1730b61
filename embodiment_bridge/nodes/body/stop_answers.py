# SPDX-License-Identifier: Apache-2.0
"""Answers stops and holds once the body is seen to have followed them, or says what was not seen."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, TypeAlias

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body.skill_queue import SkillQueue

# s of wall time after which a stop is answered in any case; a walk comes to a stand in 1 to 2 s
ANSWER_S: Final = 3.0
STILL: Final = 0.02  # rad, m: the most that a body at rest moves in ``STILL_S``
STILL_S: Final = 0.2  # s of the body's own time
UNHEARD: Final = "nothing was heard of the body since"


class Stillness:
    """Looks whether joints and base of a body have been still for ``STILL_S``, by what it senses."""

    def __init__(self) -> None:
        self._reference: Sequence[float] = ()
        self._since = 0.0

    def look(self, state: BodyState) -> bool:
        """Look at the newest state."""
        place = (*state.position, *(state.base_position if state.has_base else ()))
        now = [value if isfinite(value) else 0.0 for value in place]
        moved = len(now) != len(self._reference) or any(
            abs(here - there) > STILL for here, there in zip(now, self._reference, strict=True)
        )
        if moved:
            self._reference, self._since = now, state.time
        return not moved and state.time - self._since >= STILL_S


Check: TypeAlias = Callable[[MotionRunner, BodyState], str]
"""Says after a step what is missing until a request has been followed; empty: nothing."""


def begun(runner: MotionRunner, state: BodyState) -> str:
    """Nothing is missing once the request has reached the motion of the body."""
    return ""


def stopped(runner: MotionRunner) -> str:
    """Say what a stop has not ended yet."""
    if runner.at_rest:
        return ""
    return "not everything has come to rest" if runner.stopped else "something new was asked of the body"


def held(runner: MotionRunner) -> str:
    """Say what a hold has not frozen yet."""
    return "" if runner.held else "not everything has come to rest"


def at_rest(over: Callable[[MotionRunner], str]) -> Check:
    """The check that ``over(runner)`` finds nothing, and that the body is still."""
    stillness = Stillness()

    def check(runner: MotionRunner, state: BodyState) -> str:
        still = stillness.look(state)
        return over(runner) or ("" if still else "the body still moves")

    return check


@dataclass(eq=False)
class _Asked:
    check: Check
    done: str
    reply: Callable[[bool, str], None]
    ends: float
    missing: str = UNHEARD
    lock: threading.Lock = field(default_factory=threading.Lock)
    answered: bool = False


class StopAnswers:
    """Hands requests to the queue of a body, and calls each ``reply(success, text)`` once.

    ``refusal()`` says why the body cannot be reached now; empty if it can. Steps of the queue come on the session's
    thread, all else on the executor's. Call ``look`` regularly while ``waiting``.
    """

    def __init__(
        self,
        queue: SkillQueue,
        refusal: Callable[[], str],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue, self._refusal, self._monotonic = queue, refusal, monotonic
        self._asked: list[_Asked] = []

    @property
    def waiting(self) -> bool:
        """Whether a request has not been answered."""
        return bool(self._asked)

    def ask(
        self,
        begin: Callable[[MotionRunner], object],
        check: Check,
        done: str,
        reply: Callable[[bool, str], None],
    ) -> None:
        """Do ``begin`` at the next step, and reply ``done`` once ``check`` misses nothing.

        It is noted for later where the body cannot be reached, and answered so at once.
        """
        asked = _Asked(check, done, reply, self._monotonic() + ANSWER_S)
        self._asked = [one for one in self._asked if not one.answered]
        if refusal := self._refusal():
            self._queue.ask(begin, lambda runner, state: True, lambda reason: None)
            reply(False, f"asked, but {refusal}: whether the body moves is not known")
            return
        self._asked.append(asked)
        self._queue.ask(
            begin,
            lambda runner, state: self._stepped(asked, runner, state),
            lambda reason: self._answer(asked, f"not seen: {reason}"),
        )

    def look(self) -> None:
        """Answer what has waited for too long."""
        now = self._monotonic()
        for asked in self._asked:
            if now >= asked.ends:
                self._answer(asked, f"asked, but not seen within {ANSWER_S:g} s: {asked.missing}")
        self._asked = [one for one in self._asked if not one.answered]

    def _stepped(self, asked: _Asked, runner: MotionRunner, state: BodyState) -> bool:
        asked.missing = asked.check(runner, state)
        if not asked.missing:
            self._answer(asked, "")
        return asked.answered

    def _answer(self, asked: _Asked, problem: str) -> None:
        with asked.lock:
            if asked.answered:
                return
            asked.answered = True
        asked.reply(not problem, problem or asked.done)
