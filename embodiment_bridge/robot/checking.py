# SPDX-License-Identifier: Apache-2.0
"""Reads and checks a document against what the body can do, before it is sent."""

import json
import math
from collections.abc import Mapping

from embodiment_bridge.bml import Document, Problem, analyse, check, read, to_json
from embodiment_bridge.bml.nodes.node import preorder
from embodiment_bridge.bml.rules.operator_rules import Allowed, check_channels
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.robot.values import Check

Written = Document | Mapping[str, object] | str
KNOWN_TO_TREE = ("URL_REFUSED",)  # parameters of the behaviour tree say what is allowed


def text_of(document: Written) -> str:
    """A document as JSON text.

    Raises:
        CommandError: it has values that JSON does not know.
    """
    if isinstance(document, Document):
        return to_json(document)
    if isinstance(document, str):
        return document
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CommandError(f"the document is not JSON: {error}") from error


def examine(document: Written, skills: Mapping[str, SkillInfo], allowed: Allowed | None = None) -> Check:
    """All problems of a document, and its times. The tree alone knows which URLs may be fetched.

    With ``allowed`` channels a document may not fetch others, which are checked where they are run only.

    Raises:
        CommandError: see ``text_of``.
    """
    result = read(text_of(document))
    found = result.document
    if found is None:
        return Check(tuple(result.problems))
    problems = list(result.problems)
    problems += [one for one in check(found, skills, speech=True) if one.code not in KNOWN_TO_TREE]
    problems += check_channels(found, skills, allowed)
    if allowed is not None:
        problems += [
            Problem(
                node.pointer,
                "CHANNEL_NOT_ALLOWED",
                f"{allowed.source!r} has some channels only and may not fetch",
            )
            for node in preorder(found.root)
            if node.type_name == "request"
        ]
    analysis = analyse(found, skills)
    problems += analysis.warnings
    times = analysis.estimates[found.root.pointer]
    longest = math.inf if times.forever else times.max_s
    return Check(tuple(problems), times.min_s, times.expected_s, longest)
