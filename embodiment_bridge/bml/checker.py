# SPDX-License-Identifier: Apache-2.0
"""Checking a document against a body: actions, slots, URLs and text that must be spoken."""

from collections.abc import Mapping

from embodiment_bridge.bml.document import Body, Document, Node, Player, Problem, Request, Speak, Stop
from embodiment_bridge.bml.problems import Problems, short
from embodiment_bridge.bml.url_policy import UrlPolicy, url_refusal
from embodiment_bridge.bml.walk import preorder
from embodiment_bridge.body import SkillInfo

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
            _check_url(node, node.url, urls, problems)
        elif isinstance(node, Stop) and node.target and node.target not in names:
            text = f"no node has the name {short(node.target)}"
            problems.warning(f"{node.pointer}/target", "UNKNOWN_TARGET", text)
    return problems.listing()


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


def _check_url(node: Node, url: str, policy: UrlPolicy, problems: Problems) -> None:
    reason = url_refusal(url, policy)
    if reason:
        # The URL itself is not quoted: it may carry a password or a token.
        problems.error(f"{node.pointer}/url", "URL_REFUSED", f"the URL is refused: {reason}")
