# SPDX-License-Identifier: Apache-2.0
"""Sample documents, a table of skills, and strategies for random documents."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from embodiment_bridge.bml import Document, read
from embodiment_bridge.body.state import SkillInfo

DATA = Path(__file__).parents[1] / "data" / "bml"
VALID = sorted(DATA.glob("*.json"))
INVALID = sorted((DATA / "invalid").glob("*.json"))
EXTENDED = sorted((DATA / "extended").glob("*.json"))

ALL_CHANNELS = ("eyes", "head", "waist", "arm_l", "arm_r", "hand_l", "hand_r", "legs", "base")
CHANNELS = {
    "reset": ALL_CHANNELS,
    "head_shake": ("head",),
    "waist_shake": ("waist",),
    "hand_grip": ("hand_l", "hand_r"),
    "hand_relax": ("hand_l", "hand_r"),
    "hand_roll": ("arm_l", "arm_r"),
    "hand_pitch": ("arm_l", "arm_r"),
    "foot_yaw": ("legs",),
    "foot_pitch": ("legs",),
    "step_forward": ("legs", "base"),
    "step_backward": ("legs", "base"),
    "turn_left": ("legs", "base"),
    "turn_right": ("legs", "base"),
}
LIGHTS = ("eye_red", "eye_green", "eye_blue", "eye_yellow", "eye_open", "eye_close", "eye_wink")
SKILLS = {name: SkillInfo(name, "motion", channels, 1.0, 0.3) for name, channels in CHANNELS.items()}
SKILLS |= {name: SkillInfo(name, "light", ("eyes",), 1.0, 0.0) for name in LIGHTS}

MEDIA_S = {
    "http://media.example/tts/ok.wav": 3.0,
    "http://media.example/tts/tease.wav": 3.0,
    "http://media.example/music/evening.mp3": 20.0,
    "http://media.example/music/disco.mp3": 20.0,
    "http://media.example/alarm.wav": 1.0,
    "http://media.example/a.mp3": 20.0,
    "http://tts.example/voice?id=6f1c2ad0.wav": 3.0,
}


def document(value: Any, **options: Any) -> Document:
    """The canonical tree of JSON values that are a good document."""
    result = read(json.dumps(value), **options)
    assert result.document is not None, result.problems
    return result.document


def resolves(pointer: str, value: Any) -> bool:
    """Whether an RFC 6901 pointer names something in JSON values (a slow, plain reference)."""
    if pointer == "":
        return True
    if not pointer.startswith("/"):
        return False
    for token in pointer[1:].split("/"):
        step = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            if not step.isdecimal() or int(step) >= len(value):
                return False
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return False
    return True


# Times are quarters of a second: sums of them are exact, so expected times can be compared with ==.
_times = st.integers(0, 40).map(lambda quarters: quarters / 4)
_names = st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable())
_policies = st.fixed_dictionaries(
    {},
    optional={
        "successPolicy": st.sampled_from(["SucceedOnAll", "SucceedOnOne"]),
        "failurePolicy": st.sampled_from(["FailOnOne", "FailOnAll"]),
    },
)
_count = st.sampled_from([-1, 1, 2, 3])


_scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=3)
_compared = st.builds(
    lambda key, op, value: {"key": key, "op": op, "value": value},
    st.sampled_from(["a", "b.c"]),
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    _scalars,
)
_listed = st.builds(
    lambda v: {"key": "a", "op": "in", "value": v}, st.lists(_scalars, min_size=1, max_size=3)
)
_existing = st.booleans().map(lambda value: {"key": "d", "op": "exists", "value": value})
conditions = st.recursive(
    _compared | _listed | _existing,
    lambda inner: (
        st.builds(
            lambda kind, parts: {kind: parts},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=1, max_size=3),
        )
        | inner.map(lambda part: {"not": part})
    ),
    max_leaves=4,
).filter(lambda value: json.dumps(value).count('"not"') < 5)
_guards = st.fixed_dictionaries(
    {},
    optional={"condition": conditions, "timeout": _times.map(lambda t: t + 0.25), "retry": st.integers(1, 3)},
)


def extended(nodes: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Nodes that may have a condition and a time-out."""
    return st.tuples(_guards, nodes).map(lambda both: {**both[1], **both[0]})


def setters() -> st.SearchStrategy[dict[str, Any]]:
    """Nodes that write on the blackboard, wait for a value on it, or tell one."""
    return _with_common(
        st.builds(lambda value: {"type": "set", "key": "a", "value": value}, _scalars)
        | st.builds(lambda until: {"type": "wait_until", "until": until}, conditions)
        | st.sampled_from([{"type": "log", "text": "a is {a}"}, {"type": "log", "text": "{{"}])
    )


def extended_trees(leaf: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents with our extensions (but for subtrees) that strict reading takes."""

    def inner(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        clean = st.fixed_dictionaries({}, optional={"finally": children})
        kinds = st.sampled_from(
            [
                {"type": "sequence"},
                {"type": "parallel"},
                {"type": "selector"},
                {"type": "selector", "reactive": True},
                {"type": "selector", "random": True},
            ]
        )
        composite = st.tuples(kinds, st.lists(children, max_size=3), _policies, clean).map(
            lambda t: {**t[0], "behaviors": t[1], **t[2], **t[3]}
        )
        weighted = st.lists(children, min_size=1, max_size=3).map(
            lambda c: {
                "type": "selector",
                "random": True,
                "weights": [1 + i for i in range(len(c))],
                "behaviors": c,
            }
        )
        loop = st.tuples(_count, children, _policies, clean).map(
            lambda t: {"type": "loop", "loop": t[0], "behavior": t[1], **t[2], **t[3]}
        )
        return extended(_with_common(composite | weighted | loop))

    return st.recursive(extended(leaf), inner, max_leaves=6)


def _with_common(nodes: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    common = st.fixed_dictionaries({}, optional={"name": _names, "loop": _count, "duration": _times})
    return st.tuples(common, nodes).map(lambda both: {**both[0], **both[1]})


def leaves() -> st.SearchStrategy[dict[str, Any]]:
    """Nodes without children whose lengths are known."""
    delay = st.fixed_dictionaries(
        {"type": st.just("delay"), "duration": _times}, optional={"return": st.booleans()}
    )
    body = st.fixed_dictionaries(
        {
            "type": st.sampled_from(["body", "emotion"]),
            "action": st.sampled_from([n.upper() for n in SKILLS]),
        },
        optional={"intensity": st.floats(0, 1)},
    )
    play = st.fixed_dictionaries(
        {"type": st.just("player"), "action": st.just("play"), "url": st.sampled_from(sorted(MEDIA_S))},
        optional={"volume": st.integers(2, 100), "content": _names},
    )
    volume = st.just({"type": "player", "action": "setVolume", "volume": 30})
    return _with_common(delay | body | play | volume)


def other_leaves() -> st.SearchStrategy[dict[str, Any]]:
    """Nodes without children that fetch, speak, or end something."""
    request = st.just({"type": "request", "url": "http://cloud.example/next"})
    stop = st.fixed_dictionaries({"type": st.just("stop")}, optional={"target": _names})
    control = st.sampled_from(["pause", "stop", "resume"]).map(lambda a: {"type": "player", "action": a})
    speak = st.fixed_dictionaries(
        {"type": st.just("speak"), "content": _names},
        optional={"voice": _names, "language": _names, "rate": st.floats(0.1, 10), "volume": _times},
    )
    return _with_common(request | stop | control | speak)


def trees(leaf: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents that strict reading takes."""

    def inner(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        kinds = st.sampled_from(["sequence", "selector", "parallel"])
        composite = st.tuples(
            kinds, st.sampled_from(["behaviors", "children"]), st.lists(children, max_size=4), _policies
        ).map(lambda t: {"type": t[0], t[1]: t[2], **t[3]})
        loop = st.tuples(_count, children, _policies).map(
            lambda t: {"type": "loop", "loop": t[0], "behavior": t[1], **t[2]}
        )
        return _with_common(composite | loop)

    return st.recursive(leaf, inner, max_leaves=12)
