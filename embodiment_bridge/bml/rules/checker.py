# SPDX-License-Identifier: Apache-2.0
"""Checking a document against a body: actions, slots, URLs and text that must be spoken."""

from collections.abc import Mapping
from typing import TypeGuard

from embodiment_bridge.bml.analysis.words import place_of
from embodiment_bridge.bml.document import (
    Body,
    Composite,
    Document,
    Node,
    Player,
    Problem,
    Request,
    Speak,
    Start,
    Stop,
)
from embodiment_bridge.bml.reading.problems import Problems, short
from embodiment_bridge.bml.rules.url_policy import UrlPolicy, url_refusal
from embodiment_bridge.bml.walk import preorder
from embodiment_bridge.body.state import SkillInfo

Skills = Mapping[str, SkillInfo]


def check(
    document: Document,
    skills: Skills,
    *,
    speech: bool = False,
    urls: UrlPolicy = UrlPolicy(),  # noqa: B008 - frozen
    skip_unknown: bool = False,
) -> list[Problem]:
    """Everything in a document that a body cannot do, in the order of the text.

    Args:
        document: as ``read`` gives it.
        skills: what the body can do, by name; the skill of an action is its lower case.
        speech: whether text can become sound here; else it must have been replaced before.
        urls: which URLs are allowed.
        skip_unknown: an unknown action is a warning (it will be skipped), not an error.
    """
    nodes = preorder(document.root)
    names = {node.name for node in nodes if node.name}
    problems = Problems()
    for node in nodes:
        if isinstance(node, Body):
            _check_body(node, skills, skip_unknown, problems)
        elif isinstance(node, Speak) and not speech:
            text = "text to speak, and no speech here: the document was not preprocessed"
            problems.error(node.pointer, "UNRESOLVED_SPEAK", text)
        elif isinstance(node, Request) or (isinstance(node, Player) and node.url):
            _check_url(node, "url", node.url, urls, problems)
            if isinstance(node, Player) and node.marks_url:
                _check_url(node, "marks_url", node.marks_url, urls, problems)
        elif isinstance(node, Stop) and node.target and node.target not in names:
            text = f"no node has the name {short(node.target)}"
            problems.warning(f"{node.pointer}/target", "UNKNOWN_TARGET", text)
    _check_starts(nodes, problems)
    return problems.listing()


def _check_starts(nodes: list[Node], problems: Problems) -> None:
    sounds = {node.name: node for node in nodes if _is_sound(node) and node.name}
    begun_together = {
        id(child)
        for node in nodes
        if isinstance(node, Composite) and node.kind == "parallel"
        for child in node.children
    }
    for node in nodes:
        if not isinstance(node, Start):
            continue
        sound = sounds.get(node.at)
        if id(node) not in begun_together:
            text = (
                "only a child of a parallel begins at a word of a sound: elsewhere it would wait in its turn"
            )
            problems.error(f"{node.pointer}/start", "START_OUTSIDE_PARALLEL", text)
        elif sound is None:
            text = problems.unknown("sound to start at", node.at, sounds)
            problems.error(f"{node.pointer}/start/at", "UNKNOWN_START", text)
        elif node.mark and place_of(node.mark, sound.content) is None:
            text = f"no word of that sound is {short(node.mark)}: the node begins when the sound ends"
            problems.warning(f"{node.pointer}/start/mark", "UNKNOWN_MARK", text)


def _is_sound(node: Node) -> TypeGuard[Player | Speak]:
    return isinstance(node, Speak) or (isinstance(node, Player) and node.action == "play")


def _check_body(node: Body, skills: Skills, skip_unknown: bool, problems: Problems) -> None:
    where = f"{node.pointer}/{node.action_key}"
    skill = skills.get(node.action.lower())
    if skill is None:
        text = problems.unknown(f"{node.kind} action", node.action, [name.upper() for name in skills])
        problems.add(where, "UNKNOWN_ACTION", text, fatal=not skip_unknown)
    elif not skill.available:
        lacking = ", ".join(skill.channels) or "what it needs"
        text = f"this body lacks {lacking}: {node.action} only takes its time"
        problems.warning(where, "MISSING_CHANNEL", text)
    elif 0.0 < node.duration_s < skill.min_s:
        text = f"{node.action} takes at least {skill.min_s:g} s, its slot is {node.duration_s:g} s"
        problems.warning(f"{node.pointer}/duration", "SLOT_TOO_SHORT", text)


def _check_url(node: Node, key: str, url: str, policy: UrlPolicy, problems: Problems) -> None:
    reason = url_refusal(url, policy)
    if reason:
        # The URL itself is not quoted: it may carry a password or a token.
        problems.error(f"{node.pointer}/{key}", "URL_REFUSED", f"the URL is refused: {reason}")
