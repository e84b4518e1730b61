# SPDX-License-Identifier: Apache-2.0
"""Writing BML in Python: parts that are put together, checked when the document is built.

    from embodiment_bridge.bml.authoring.builder import body, forever, parallel, play, request, sequence

    dance = forever(sequence(body("EYE_RED", 0.5), body("EYE_BLUE", 0.5)))
    song = parallel(play("https://media.example/song.mp3"), dance).first_wins()
    text = sequence(song.named("song"), request("https://skills.example/next")).to_json()

A part is never changed: every method gives a new one, so parts can be used again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from embodiment_bridge.bml.authoring.json_form import to_data
from embodiment_bridge.bml.authoring.predicate import Predicate
from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.bml.fields.values import FOREVER
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.nodes.node_type import Skills
from embodiment_bridge.bml.reading.reader import read
from embodiment_bridge.bml.rules.checker import check
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError

Scalar = bool | int | float | str | None


class BuildError(ConfigError):
    """Reports a document that strict reading refuses; ``problems`` says why, at JSON pointers into it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class Part:
    """Holds a node with everything in it. ``data`` is its JSON; do not change it."""

    data: Mapping[str, Any]

    def named(self, name: str) -> "Part":
        """Give it a name: for people, and for the target of ``stop``."""
        return self.having(name=name)

    def loop(self, count: int) -> "Part":
        """Execute it ``count`` times in all."""
        if self.data.get("type") == "loop" or "loop" in self.data:
            return loop(count, self)
        return self.having(loop=count)

    def forever(self) -> "Part":
        """Execute it again and again."""
        return self.loop(FOREVER)

    def box(self, seconds: float) -> "Part":
        """Give each execution exactly this time, s; of a body action it is the slot."""
        return self.having(duration=seconds)

    def timeout(self, seconds: float) -> "Part":
        """Stop it as failed when it has not ended by then."""
        return self.having(timeout=seconds)

    def retry(self, times: int) -> "Part":
        """Begin it again, at most so many times, after a failure."""
        return self.having(retry=times)

    def when(self, condition: Predicate) -> "Part":
        """Leave it out unless the condition is met when its turn comes."""
        return self.having(condition=condition.data)

    def starting(self, at: str, *, mark: str | int | None = None, offset: float | None = None) -> "Part":
        """Begin it at a word (``mark``) of the sound named ``at``, and ``offset`` s later.

        For children of a parallel.
        """
        given = {"at": at, "mark": mark, "offset": offset}
        return self.having(start={key: value for key, value in given.items() if value is not None})

    def afterwards(self, cleanup: "Part") -> "Part":
        """Execute ``cleanup`` after it, however it ends (for parts with children)."""
        return self.having(**{"finally": cleanup.data})

    def policies(self, success: str, failure: str) -> "Part":
        """Set the policies: SucceedOnAll or SucceedOnOne, and FailOnOne or FailOnAll."""
        return self.having(successPolicy=success, failurePolicy=failure)

    def first_wins(self) -> "Part":
        """End when the first child succeeds; fail when one fails before that."""
        return self.policies("SucceedOnOne", "FailOnOne")

    def retrying(self) -> "Part":
        """Succeed with one success and pass over failures: a loop tries again."""
        return self.policies("SucceedOnOne", "FailOnAll")

    def having(self, **keys: Any) -> "Part":
        """Add other keys of the language, as JSON values."""
        return Part({**self.data, **keys})

    def build(
        self,
        *,
        skills: Skills | None = None,
        urls: UrlPolicy | None = None,
        subtrees: Mapping[str, str] | None = None,
        metadata: Mapping[str, Scalar] | None = None,
    ) -> Document:
        """Return the document, checked.

        Args:
            skills: of the body that performs it; then actions and URLs are checked, too.
            urls: which URLs are allowed; the usual policy when only skills are given.
            subtrees: texts of the documents that ``subtree`` parts name.
            metadata: of the envelope round the document, such as ``suspendable``.

        Raises:
            BuildError: strict reading refuses it, or the body cannot perform it. All problems are told.
        """
        result = read(self._text(), strict=True, subtrees=subtrees or {})
        # The author has not seen this text, so its lines and columns would not help.
        problems = [replace(problem, place=()) for problem in result.problems if problem.fatal]
        if result.readable is not None and (skills is not None or urls is not None):
            found = check(result.readable, skills or {}, speech=True, urls=urls or UrlPolicy())
            problems += [p for p in found if p.fatal and (skills is not None or p.code != "UNKNOWN_ACTION")]
        if result.document is None or problems:
            raise BuildError(problems)
        return replace(result.document, metadata={**result.document.metadata, **(metadata or {})})

    def to_json(self, *, indent: int | None = None, **options: Any) -> str:
        """Return the document as JSON text; ``options`` are those of ``build``, which it is checked by.

        Raises:
            BuildError: see ``build``.
        """
        return json.dumps(to_data(self.build(**options)), ensure_ascii=False, allow_nan=False, indent=indent)

    def _text(self) -> str:
        try:
            return json.dumps(self.data)
        except RecursionError as error:
            raise BuildError([Problem("", "TOO_DEEP", "parts are nested too deep to be written")]) from error
        except TypeError as error:
            raise BuildError([Problem("", "WRONG_TYPE", str(error))]) from error


def from_json(text: str | bytes, subtrees: Mapping[str, str] | None = None) -> Part:
    """Return the part of a document's text, tolerated spellings made canonical; an envelope is taken off.

    Raises:
        BuildError: the text cannot be read.
    """
    result = read(text, subtrees=subtrees or {})
    if result.document is None:
        raise BuildError([problem for problem in result.problems if problem.fatal])
    return from_document(result.document)


def from_document(document: Document) -> Part:
    """Return the part of a document that was read."""
    return Part(to_data(Document(document.root)))


def sequence(*parts: Part) -> Part:
    """Run the parts one after the other, until one fails."""
    return _composite("sequence", parts)


def selector(*parts: Part) -> Part:
    """Run the parts one after the other, until one succeeds."""
    return _composite("selector", parts)


def parallel(*parts: Part) -> Part:
    """Run the parts at the same time."""
    return _composite("parallel", parts)


def _composite(kind: str, parts: Sequence[Part]) -> Part:
    return Part({"type": kind, "behaviors": [part.data for part in parts]})


def loop(count: int, part: Part) -> Part:
    """Run a part ``count`` times, as a node of its own, with policies over its iterations."""
    return Part({"type": "loop", "loop": count, "behavior": part.data})


def forever(part: Part) -> Part:
    """Run a part again and again, until it fails or is stopped."""
    return loop(FOREVER, part)


def delay(seconds: float, *, succeed: bool = True) -> Part:
    """Wait, then succeed or fail."""
    return Part({"type": "delay", "duration": seconds, **({} if succeed else {"return": False})})


def body(
    action: str,
    seconds: float | None = None,
    *,
    intensity: float | None = None,
    parameters: Mapping[str, float | str] | None = None,
) -> Part:
    """Return an action of the body, such as HEAD_SHAKE, in a slot of so many seconds; parameters are in SI units."""
    given = None if parameters is None else dict(parameters)
    return node("body", action=action, duration=seconds, intensity=intensity, parameters=given)


def emotion(action: str, seconds: float | None = None, *, intensity: float | None = None) -> Part:
    """Return an emotion, such as HAPPY."""
    return node("emotion", action=action, duration=seconds, intensity=intensity)


def play(
    url: str,
    *,
    volume: float | None = None,
    content: str | None = None,
    channel: str | None = None,
    fade: float | None = None,
) -> Part:
    """Play a medium to its end; ``content`` is the text said in it, ``fade`` s of fading in."""
    how = {"volume": volume, "content": content, "channel": channel, "fade": fade}
    return node("player", action="play", url=url, **how)


def pause() -> Part:
    """Pause the player."""
    return node("player", action="pause")


def resume() -> Part:
    """Resume the player."""
    return node("player", action="resume")


def silence() -> Part:
    """Stop the sound of the player."""
    return node("player", action="stop")


def volume(percent: float) -> Part:
    """Set the player's volume."""
    return node("player", action="setVolume", volume=percent)


def speak(
    content: str,
    *,
    voice: str | None = None,
    language: str | None = None,
    rate: float | None = None,
    volume: float | None = None,
    channel: str | None = None,
) -> Part:
    """Speak a text."""
    how = {"voice": voice, "language": language, "rate": rate, "volume": volume, "channel": channel}
    return node("speak", content=content, **how)


def request(url: str) -> Part:
    """Fetch a document and execute it."""
    return node("request", url=url)


def stop(target: str | None = None) -> Part:
    """End the run, or the part of that name."""
    return node("stop", target=target)


def put(key: str, value: Scalar) -> Part:
    """Write a value on the blackboard."""
    return Part({"type": "set", "key": key, "value": value})


def subtree(ref: str, **args: Scalar) -> Part:
    """Execute another document."""
    return node("subtree", ref=ref, args=args or None)


def node(kind: str, **keys: Any) -> Part:
    """Return a node of any type; its keys are JSON values, parts or lists of parts.

    Those that are None are left out.
    """
    return Part({"type": kind, **{key: _plain(value) for key, value in keys.items() if value is not None}})


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.data
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
