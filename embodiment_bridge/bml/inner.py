# SPDX-License-Identifier: Apache-2.0
"""Readers of the nodes that have children: composites and loops, with their policies."""

from collections.abc import Mapping

from embodiment_bridge.bml import children, spelling
from embodiment_bridge.bml.children import CHILD_KEYS, Child
from embodiment_bridge.bml.drafts import Common, Draft
from embodiment_bridge.bml.fields import Fields, Raw
from embodiment_bridge.bml.pointer import at
from embodiment_bridge.bml.problems import short


def composite(raw: Raw, pointer: str, kind: str, common: Common, fields: Fields) -> tuple[Draft, list[Child]]:
    """A sequence, selector or parallel, and its children in order."""
    draft = _draft(raw, pointer, kind, common, fields, fields.extra(raw, pointer, kind))
    inner = children.find(raw, pointer, kind, fields)
    _note_if_empty(raw, pointer, kind, fields)
    return draft, inner


def loop(raw: Raw, pointer: str, common: Common, fields: Fields) -> tuple[Draft, list[Child]]:
    """A loop and its child, or its children where several were given."""
    draft = _draft(raw, pointer, "loop", common, fields, fields.extra(raw, pointer, "loop", *CHILD_KEYS))
    several = [key for key in CHILD_KEYS if key in raw]
    if "behavior" in raw:
        if several:
            text = f"'behavior' and '{several[0]}' exclude each other"
            fields.problems.error(pointer, "BOTH_CHILD_KEYS", text)
        return draft, [Child(at(pointer, "behavior"), raw["behavior"])]
    if not several:
        fields.problems.error(pointer, "MISSING_KEY", "a loop needs the key 'behavior'")
        return draft, []
    text = f"a loop has one 'behavior'; '{several[0]}' is read as a sequence"
    fields.problems.tolerated(at(pointer, several[0]), "LOOP_CHILDREN", text)
    draft.implied_sequence = True
    inner = children.find(raw, pointer, "loop", fields)
    _note_if_empty(raw, pointer, "sequence", fields)
    return draft, inner


def _draft(raw: Raw, pointer: str, kind: str, common: Common, fields: Fields, extra: Raw) -> Draft:
    usual = kind == "selector"  # a selector wants one success, everything else wants all
    one = _policy(raw, pointer, "successPolicy", spelling.SUCCESS_POLICIES, usual, fields)
    every = _policy(raw, pointer, "failurePolicy", spelling.FAILURE_POLICIES, usual, fields)
    if kind == "selector":
        _note_unusual(pointer, one, every, fields)
    return Draft(kind, pointer, common, one, every, extra)


def _policy(
    raw: Raw, pointer: str, key: str, names: Mapping[str, bool], default: bool, fields: Fields
) -> bool:
    if key not in raw:
        return default
    text = raw[key]
    if not isinstance(text, str):
        fields.wrong_type(pointer, key, text, "the name of a policy")
        return default
    if text in names:
        return names[text]
    name = spelling.policy(text)
    if name is None or name not in names:
        message = fields.problems.unknown(key, text, names)
        fields.problems.error(at(pointer, key), "UNKNOWN_POLICY", message)
        return default
    message = f"the policy {short(text)} is read as {name}"
    fields.problems.tolerated(at(pointer, key), "POLICY_SPELLING", message)
    return names[name]


def _note_unusual(pointer: str, one: bool, every: bool, fields: Fields) -> None:
    if not one:
        text = "a selector with SucceedOnAll needs the success of all children, as a sequence does"
        fields.problems.warning(at(pointer, "successPolicy"), "SELECTOR_POLICY", text)
    if not every:
        text = "a selector with FailOnOne tries only its first child that may run"
        fields.problems.warning(at(pointer, "failurePolicy"), "SELECTOR_POLICY", text)


def _note_if_empty(raw: Raw, pointer: str, kind: str, fields: Fields) -> None:
    outcome = "fails" if kind == "selector" else "succeeds"
    for key in CHILD_KEYS:
        if raw.get(key) in ([], {}):
            text = f"a {kind} without children {outcome} at once"
            fields.problems.warning(at(pointer, key), "EMPTY_COMPOSITE", text)
