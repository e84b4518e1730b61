# SPDX-License-Identifier: Apache-2.0
"""Readers of the nodes that have children: composites and loops, with their policies."""

from collections.abc import Mapping

from embodiment_bridge.bml.reading import children, spelling
from embodiment_bridge.bml.reading.children import CHILD_KEYS, Child
from embodiment_bridge.bml.reading.drafts import Choice, Common, Draft
from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.pointer import at
from embodiment_bridge.bml.reading.problems import short

SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-6, 1e6
_CHOICE_KEYS = frozenset({"reactive", "random", "weights"})


def composite(raw: Raw, pointer: str, kind: str, common: Common, fields: Fields) -> tuple[Draft, list[Child]]:
    """A sequence, selector or parallel, and its children in order."""
    draft = _draft(raw, pointer, kind, common, fields, fields.extra(raw, pointer, kind))
    inner = children.find(raw, pointer, kind, fields)
    _note_if_empty(raw, pointer, kind, fields)
    if kind == "selector":
        draft.choice = _choice(raw, pointer, inner, fields)
    return draft, inner + cleanup(raw, pointer)


def cleanup(raw: Raw, pointer: str) -> list[Child]:
    """The node under ``finally``, if there is one."""
    return [Child(at(pointer, "finally"), raw["finally"], cleanup=True)] if "finally" in raw else []


def loop(raw: Raw, pointer: str, common: Common, fields: Fields) -> tuple[Draft, list[Child]]:
    """A loop and its child, or its children where several were given."""
    draft = _draft(raw, pointer, "loop", common, fields, fields.extra(raw, pointer, "loop", *CHILD_KEYS))
    several = [key for key in CHILD_KEYS if key in raw]
    if "behavior" in raw:
        if several:
            text = f"'behavior' and '{several[0]}' exclude each other"
            fields.problems.error(pointer, "BOTH_CHILD_KEYS", text)
        return draft, [Child(at(pointer, "behavior"), raw["behavior"]), *cleanup(raw, pointer)]
    if not several:
        fields.problems.error(pointer, "MISSING_KEY", "a loop needs the key 'behavior'")
        return draft, cleanup(raw, pointer)
    text = f"a loop has one 'behavior'; '{several[0]}' is read as a sequence"
    fields.problems.tolerated(at(pointer, several[0]), "LOOP_CHILDREN", text)
    draft.implied_sequence = True
    inner = children.find(raw, pointer, "loop", fields)
    _note_if_empty(raw, pointer, "sequence", fields)
    return draft, inner + cleanup(raw, pointer)


def _choice(raw: Raw, pointer: str, inner: list[Child], fields: Fields) -> Choice:
    if not _CHOICE_KEYS.intersection(raw):
        return Choice()
    reactive = fields.flag(raw, pointer, "reactive", False)
    random = fields.flag(raw, pointer, "random", False)
    if reactive and random:
        text = "a selector that draws the order of its children has no higher ones to look at again"
        fields.problems.error(pointer, "REACTIVE_AND_RANDOM", text)
    if reactive and not any(
        isinstance(child.value, dict) and "condition" in child.value for child in inner[:-1]
    ):
        text = "no child but the last has a condition: there is nothing to look at again"
        fields.problems.warning(at(pointer, "reactive"), "REACTIVE_WITHOUT_CONDITION", text)
    weights = _weights(raw, pointer, len(inner), fields) if "weights" in raw else ()
    return Choice(reactive, random, weights)


def _weights(raw: Raw, pointer: str, count: int, fields: Fields) -> tuple[float, ...]:
    value, where = raw["weights"], at(pointer, "weights")
    if "random" not in raw:
        fields.problems.error(pointer, "MISSING_KEY", "'weights' needs the key 'random'")
    if not isinstance(value, list):
        fields.wrong_type(pointer, "weights", value, "an array of numbers")
        return ()
    if len(value) != count:
        text = f"there are {len(value)} weights for {count} children"
        fields.problems.error(where, "BAD_WEIGHTS", text)
        return ()
    for place, weight in enumerate(value):
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
            text = f"a weight is a number from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}, not {short(weight)}"
            fields.problems.error(f"{where}/{place}", "BAD_WEIGHTS", text)
            return ()
    return tuple(float(weight) for weight in value)


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
