# SPDX-License-Identifier: Apache-2.0
"""Checks a document against a body.

Actions, slots, URLs, text that must be spoken, and arguments ``${name}`` that are not given.
"""

from embodiment_bridge.bml.base.problems import Problem, Problems
from embodiment_bridge.bml.nodes.node import Document, Node, preorder
from embodiment_bridge.bml.nodes.node_type import NodeType, Skills, Surroundings
from embodiment_bridge.bml.nodes.registry import TYPES
from embodiment_bridge.bml.rules.url_policy import UrlPolicy, url_refusal

# What depends on other nodes, which a partial document may lack.
OF_OTHERS = frozenset({"START_OUTSIDE_PARALLEL", "UNKNOWN_MARK", "UNKNOWN_START", "UNKNOWN_TARGET"})
# Most nodes of most documents have nothing to be checked.
_CHECKED = {name: found for name, found in TYPES.items() if type(found).check is not NodeType.check}
_HEARD = {name: found for name, found in TYPES.items() if type(found).is_heard is not NodeType.is_heard}
_TOGETHER = frozenset(name for name, found in TYPES.items() if found.begins_together)


def check(
    document: Document,
    skills: Skills,
    *,
    speech: bool = False,
    urls: UrlPolicy = UrlPolicy(),  # noqa: B008 - frozen
    skip_unknown: bool = False,
) -> list[Problem]:
    """Find what a body cannot do in a document: missing arguments, then the nodes in the order of the text.

    Args:
        document: as ``read`` gives it.
        skills: what the body can do, by name; the skill of an action is its lower case.
        speech: whether text can become sound here; else it must have been replaced before.
        urls: which URLs are allowed.
        skip_unknown: an unknown action is a warning (it will be skipped), not an error.
    """
    names: set[str] = set()
    sounds: dict[str, Node] = {}
    begun_together: set[int] = set()
    looked_at: list[Node] = []
    for node in preorder(document.root):
        kind = node.type_name
        if node.name:
            names.add(node.name)
            if kind in _HEARD and _HEARD[kind].is_heard(node):
                sounds[node.name] = node
        if kind in _TOGETHER:
            begun_together.update(map(id, node.below))
        if kind in _CHECKED:
            looked_at.append(node)
    surroundings = Surroundings(
        skills=skills,
        skip_unknown=skip_unknown,
        speech=speech,
        url_refusal=lambda url: url_refusal(url, urls),
        names=names,
        sounds=sounds,
        begun_together=begun_together,
    )
    problems = Problems()
    for pointer, name in document.arguments.items():
        text = (
            f"the argument {name!r} is not given; a document with arguments is run as a subtree: "
            f'{{"type": "subtree", "ref": ..., "args": {{"{name}": ...}}}}'
        )
        problems.error(pointer, "OPEN_PARAMETER", text)
    for node in looked_at:
        _CHECKED[node.type_name].check(node, surroundings, problems)
    return [
        problem for problem in problems.listing() if not document.partial or problem.code not in OF_OTHERS
    ]
