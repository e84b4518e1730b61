# SPDX-License-Identifier: Apache-2.0
"""Whatever is read, nothing is raised, and every problem names a place in the text."""

import json

from bml_documents import SKILLS, extended_trees, leaves, other_leaves, resolves, setters, trees
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embodiment_bridge.bml import Limits, analyse, check, read
from embodiment_bridge.bml.base.problems import CODES, ERROR, TOLERATED, WARNING
from embodiment_bridge.bml.nodes.registry import WRITTEN as TYPES

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]  # large documents, and busy machines

KEYS = [
    "type", "name", "loop", "repeat", "duration", "behaviors", "children", "behavior", "successPolicy",
    "failurePolicy", "return", "action", "url", "volume", "content", "intensity", "target", "text", "emotion",
    "condition", "timeout", "finally", "reactive", "random", "weights", "key", "op", "value", "all", "not", "in",
    "ref", "args", "start", "until", "version", "suspendable", "a/b", "~", "",
]  # fmt: skip
WORDS = [
    *TYPES,
    "SequenceBeahvior",
    "play",
    "PLAY",
    "EYE_RED",
    "eye-red",
    "SucceedOnOne",
    "failonall",
    "true",
    "set",
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=5)
)


def near_documents():
    """JSON that often looks like a document: the keys and words of the language in any place."""

    def inner(values):
        keys = st.sampled_from(KEYS) | st.text(max_size=3)
        return st.lists(values, max_size=4) | st.dictionaries(keys, values, max_size=5)

    return st.recursive(scalars, inner, max_leaves=30)


def broken_documents():
    """Good documents in which one value was replaced."""

    @st.composite
    def broken(draw):
        root = draw(trees(leaves() | other_leaves()) | extended_trees(leaves() | other_leaves() | setters()))
        node = root
        while True:
            key = draw(st.sampled_from(sorted(node)))
            value = node[key]
            below = [v for v in (value if isinstance(value, list) else [value]) if v and isinstance(v, dict)]
            if not below or draw(st.booleans()):
                node[key] = draw(near_documents())
                return root
            node = below[draw(st.integers(0, len(below) - 1))]

    return broken()


def look_at(text, value, strict):
    result = read(text, strict=strict)
    assert (result.document is None) == any(p.fatal for p in result.problems)
    problems = list(result.problems)
    if result.document is not None:
        problems += check(result.document, SKILLS)
        problems += analyse(result.document, SKILLS).warnings
    for problem in problems:
        assert resolves(problem.pointer, value), problem
        str(problem).encode()
        nature = CODES[problem.code]
        assert problem.fatal or nature != ERROR, problem
        assert not (problem.fatal and nature == WARNING), problem
        assert not strict or problem.fatal or nature != TOLERATED, problem


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(near_documents() | broken_documents(), st.booleans())
def test_any_json_is_read_without_raising(value, strict):
    look_at(json.dumps(value), value, strict)


@settings(deadline=None, suppress_health_check=SLOW)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\u0dD8etyp1. \ud800', max_size=60))
def test_any_text_is_read_without_raising(text):
    for strict in (False, True):
        result = read(text, strict=strict)
        assert result.document is not None or any(p.fatal for p in result.problems)


@settings(deadline=None, suppress_health_check=SLOW)
@given(trees(leaves() | other_leaves()) | extended_trees(leaves() | other_leaves() | setters()))
def test_good_document_has_no_problem_in_either_mode(value):
    text = json.dumps(value)
    strict, tolerant = read(text, strict=True), read(text)
    assert strict.document is not None
    assert strict == tolerant
    assert not any(p.fatal for p in strict.problems)


@settings(deadline=None, suppress_health_check=SLOW)
@given(near_documents(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_small_limits_are_kept(value, nodes, depth, problems):
    limits = Limits(max_nodes=nodes, max_depth=depth, max_problems=problems, max_pointer=4, max_name=2)
    result = read(json.dumps(value), limits=limits)
    assert len(result.problems) <= problems + 1
    if result.document is not None:
        assert nodes > 0 < depth
