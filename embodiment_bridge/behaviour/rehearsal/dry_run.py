# SPDX-License-Identifier: Apache-2.0
"""A document run without a body: what would happen when, computed on a virtual clock."""

from collections.abc import Iterator, Mapping

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules, Source
from embodiment_bridge.behaviour.rehearsal.rehearse import DEFAULT_UNTIL_S, EXACT, Cues, Line, rehearse
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo

__all__ = ["DEFAULT_UNTIL_S", "EXACT", "dry_run"]


def dry_run(
    document: Source,
    skills: Mapping[str, SkillInfo],
    *,
    media: Mapping[str, float] | None = None,
    speech: float | None = None,
    replies: Mapping[str, str] | None = None,
    until: float = DEFAULT_UNTIL_S,
    strict: bool = False,
    urls: UrlPolicy | None = None,
    subtrees: Mapping[str, str | bytes] | None = None,
    values: Mapping[str, Value] | None = None,
    seed: int = 0,
    missing_channel: str = "skip",
) -> Iterator[Line]:
    """Run a document without body, player or network, as fast as the machine can.

    Body actions take their slot but not less than ``min_s``, without a slot ``nominal_s``; a fetch takes
    0.2 s.

    Args:
        document: JSON text, or a document that was read before.
        skills: of the body, by lower-case name.
        media: lengths in s by URL; a play of any other URL fails with MEDIA_LENGTH_UNKNOWN.
        speech: length in s of a spoken text; None: a document with ``speak`` is REJECTED.
        replies: text of fetched documents by URL; a request of any other URL fails.
        until: virtual s after which a run that has not ended is given up with the outcome ERROR.
        strict: refuse the tolerated spellings.
        urls: which URLs are allowed.
        subtrees: texts of the documents that ``subtree`` nodes may name.
        values: what is on the blackboard at the beginning.
        seed: of all that is drawn at random.
        missing_channel: see ``Settings``.

    Yields:
        One line per event, ``{"t": s, "event": ..., "node": JSON pointer, "type": ..., ...}`` with ``name``,
        ``message`` and ``code`` where there are such, and ``document`` (a running number) for fetched ones;
        for a rejected document one ``problem`` line each. Last ``{"outcome": ..., "t": s}``, with ``reason``
        and ``node`` unless it is SUCCEEDED. ``t`` is scheduled time.

    Raises:
        ConfigError: a length is not a finite number, 0 or more.
        CommandError: a value cannot be on a blackboard.
    """
    cues = Cues(
        media={} if media is None else media,
        speech=speech,
        replies={} if replies is None else replies,
        until=until,
        values=values,
        seed=seed,
    )
    rules = Rules(skills, urls or UrlPolicy(), strict, subtrees=subtrees or {})
    return rehearse(document, rules, cues, Settings(missing_channel=missing_channel))
