# SPDX-License-Identifier: Apache-2.0
"""Turns text to speak into sound to play, before a document goes to a robot that cannot speak itself."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from embodiment_bridge.bml.base.problems import Problem, at
from embodiment_bridge.bml.base.texts import ARGUMENT
from embodiment_bridge.bml.nodes.node import Document, Node, preorder
from embodiment_bridge.bml.nodes.other_documents import Subtree
from embodiment_bridge.bml.nodes.sound import Player, Speak
from embodiment_bridge.media.speech.store import Speech, SpeechError, SpeechStore, Spoken

MAX_SPEAKS = 200
MAX_CHARACTERS = 20_000  # limit for all texts of a document
THREADS = 4

Link = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Holds the result of ``preprocess``.

    document: without ``speak``, except where a text failed. problems: each with its pointer. spoken: number of
    different texts that were spoken.
    """

    document: Document
    problems: tuple[Problem, ...]
    spoken: int


def preprocess(document: Document, store: SpeechStore, link: Link, *, fallback: str = "") -> Preprocessed:
    """Replace every ``speak`` by a ``player`` with the sound of its text; name, loop, duration, start and text stay.

    Each different text is spoken once. Subtrees are documents of their own and are not changed; there is a warning
    for one that has text to speak. A parameter of a template (``${who}``) is refused. A document without ``speak`` is
    returned unchanged, and the store is not used.

    Args:
        document: from ``bml.read``.
        store: speaks the texts.
        link: gives the URL by which the robot reaches a file of the store.
        fallback: URL of a sound for a text that cannot be spoken; empty: such a text is a fatal problem.
    """
    nodes = _own_nodes(document.root)
    speaks = [node for node in nodes if isinstance(node, Speak)]
    refusals = _refusals(speaks)
    if refusals:
        return Preprocessed(document, tuple(refusals), 0)
    problems = [_left_to_speak(node) for node in nodes if isinstance(node, Subtree) and _speaks(node)]
    found = _speak_all({_spoken(node) for node in speaks}, store)
    new: dict[int, Node] = {}
    for node in speaks:
        speech = found[_spoken(node)]
        if isinstance(speech, Speech):
            new[id(node)] = _player(
                node, link(speech.path), link(marks_path(speech)) if speech.marks.words else ""
            )
        elif fallback:
            new[id(node)] = _player(node, fallback, "")
            problems.append(
                Problem(node.pointer, "SPEECH_FAILED", f"{speech}; the fallback is played", fatal=False)
            )
        else:
            problems.append(Problem(node.pointer, "SPEECH_FAILED", speech))
    return Preprocessed(replace(document, root=_rebuilt(document.root, new)), tuple(problems), len(found))


def marks_path(speech: Speech) -> Path:
    """Return the file of marks beside the sound."""
    return speech.path.parent / f"{speech.key}.marks.json"


def _speaks(subtree: Subtree) -> bool:
    return any(isinstance(node, Speak) for node in preorder(subtree))


def _left_to_speak(subtree: Subtree) -> Problem:
    text = f"the subtree {subtree.ref!r} has text to speak, and is a document of its own; preprocess it too"
    return Problem(subtree.pointer, "SUBTREE_SPEAKS", text, fatal=False)


def _refusals(speaks: list[Speak]) -> list[Problem]:
    unfilled = [problem for node in speaks for problem in _parameters(node)]
    if unfilled:
        return unfilled
    if len(speaks) > MAX_SPEAKS:
        text = f"{len(speaks)} texts to speak; there may be {MAX_SPEAKS}"
        return [Problem(speaks[MAX_SPEAKS].pointer, "TOO_MUCH_SPEECH", text)]
    characters = 0
    for node in speaks:
        characters += len(node.content)
        if characters > MAX_CHARACTERS:
            text = f"the texts to speak have more than {MAX_CHARACTERS} characters"
            return [Problem(node.pointer, "TOO_MUCH_SPEECH", text)]
    return []


def _parameters(node: Speak) -> Iterator[Problem]:
    """Find the parameters of a template, as problems: their values are known only where the template is used."""
    for key, value in (("content", node.content), ("voice", node.voice), ("language", node.language)):
        found = ARGUMENT.fullmatch(value)
        if found is not None:
            text = f"the argument {found[1]!r} of this template is not known here; write the text out to preprocess it"
            yield Problem(at(node.pointer, key), "OPEN_PARAMETER", text)


def _spoken(node: Speak) -> Spoken:
    return Spoken(node.content, node.voice, node.language, 1.0 if node.rate is None else node.rate)


def _speak_all(wanted: set[Spoken], store: SpeechStore) -> Mapping[Spoken, Speech | str]:
    def speak(spoken: Spoken) -> Speech | str:
        try:
            return store.get(spoken)
        except SpeechError as error:
            return str(error)

    ordered = list(wanted)
    with ThreadPoolExecutor(THREADS, thread_name_prefix="preprocess") as pool:
        return dict(zip(ordered, pool.map(speak, ordered), strict=True))


def _player(node: Speak, url: str, marks_url: str) -> Player:
    return Player(
        pointer=node.pointer,
        name=node.name,
        extra=node.extra,
        action="play",
        url=url,
        volume=node.volume,
        content=node.content,
        channel=node.channel,
        marks_url=marks_url,
    )


def _own_nodes(root: Node) -> list[Node]:
    """Return all nodes of the document itself, without those of its subtrees."""
    nodes: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        nodes.append(node)
        if not isinstance(node, Subtree):
            todo.extend(reversed(node.below))
    return nodes


def _rebuilt(root: Node, new: dict[int, Node]) -> Node:
    """Return the tree with the nodes of ``new`` (by id) in place of the old ones, built from the leaves up."""
    for node in reversed(_own_nodes(root)):
        below = node.below
        if isinstance(node, Subtree) or not any(id(child) in new for child in below):
            continue
        new[id(node)] = node.with_below(tuple(new.get(id(child), child) for child in below))
    return new.get(id(root), root)
