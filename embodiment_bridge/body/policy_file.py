# SPDX-License-Identifier: Apache-2.0
"""Reads a learned policy, a network (``walk.npz``) with its manifest (``walk.yaml``.

Docs/policies.md), and the section ``walk`` of policies and gaits.
"""

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from embodiment_bridge.body.config_section import ANGLE_LIMIT, Section, parse
from embodiment_bridge.body.description import Joint, WalkLimits
from embodiment_bridge.body.policy import (
    FIRST,
    PHASES,
    TERMS,
    Clock,
    Observe,
    Policy,
    PolicyJoint,
    Source,
    Term,
    read_network,
)
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_text


def read_walk(section: Section) -> WalkLimits:
    """The limits; see ``WalkLimits`` for the keys.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    lowest = dict.fromkeys(("coast_forward", "coast_backward", "coast_turn", "coast_left"), -1.0)
    lowest |= {"settle_forward": 0.0, "left": 0.0, "brake_turn": 0.0}
    walk = WalkLimits(
        **{
            f.name: section.number(f.name, lowest.get(f.name, 0.01), 100.0, default_of(f))
            for f in fields(WalkLimits)
        }
    )
    section.close()
    return walk


def default_of(one: "Field[Any]") -> float | None:
    """The default of a number of a dataclass; None if the file has to give it."""
    return None if one.default is MISSING else float(one.default)


AXES = ("forward", "left", "turn")
SHA256_LENGTH = 64
MAX_FRAMES = 100
GAIN_LIMIT = 1e5


def read_policy(path: Path, joints: Mapping[str, Joint]) -> Policy:
    """Read a policy for a body with ``joints``.

    Raises:
        ConfigError: manifest or network cannot be read or used. If the network is missing, the text says where it
            comes from, its hash and its licence.
    """
    manifest = path.with_suffix(".yaml")
    top = parse(read_text(manifest, f"manifest of policy {path}:"), str(manifest))
    name, source, sha256 = top.text("policy"), _source(top.section("source")), _sha256(top, "sha256")
    if not path.is_file():
        raise ConfigError(
            f"policy {path} is not there. It is made from {source.address} (sha256 {source.sha256}, licence "
            f"{source.licence}) by tools/convert_policy/convert.py; see docs/policies.md"
        )
    network = read_network(path, sha256)
    driven, clip = _joints(top, joints)
    observe = _observe(top, manifest) if top.has("observe") else None
    if observe is not None and top.has("observation"):
        raise top.wrong("observation", "possible beside observe")
    terms = _terms(top, len(driven)) if observe is None else ()
    history = top.section("history") if top.has("history") else Section(str(manifest), {}, "history")
    frames = int(history.number("frames", 1, MAX_FRAMES, 1.0))
    first = history.text("first", FIRST, "zeros")
    history.close()
    _check_widths(top, network.inputs, network.outputs, terms, frames, len(driven))
    clock = _clock(top.section("clock")) if top.has("clock") else None
    if clock is None and any(term.name in PHASES for term in terms):
        raise ConfigError(f"{top.name('clock')}: missing, but the observation has a phase")
    policy = Policy(
        name,
        source,
        network,
        top.number("rate", 10.0, 200.0),
        driven,
        terms,
        observe,
        frames,
        first,
        clip,
        clock,
        _axes(top, "feed", 1.0),
        _axes(top, "least", 0.0),
        read_walk(top.section("walk")),
        top.number("step_s", 0.05, 5.0, 0.35),
        top.number("tilt", 0.1, 1.5, 0.7),
    )
    top.close()
    return policy


def _source(section: Section) -> Source:
    source = Source(section.text("address"), _sha256(section, "sha256"), section.text("licence"))
    section.close()
    return source


def _sha256(section: Section, key: str) -> str:
    text = section.text(key)
    if len(text) != SHA256_LENGTH or set(text) - set("0123456789abcdef"):
        raise section.wrong(key, f"a sha256 of {SHA256_LENGTH} hexadecimal digits")
    return text


def _joints(top: Section, joints: Mapping[str, Joint]) -> tuple[tuple[PolicyJoint, ...], float]:
    """The joints in the order of the network, and the largest action."""
    defaults = top.section("joints")
    names = defaults.names()
    if not names:
        raise top.wrong("joints", "a mapping from at least one joint to its default angle")
    missing = top.texts("missing", names) if top.has("missing") else ()
    defaults.require([*joints, *missing])
    action = top.section("action")
    if isinstance(action.value("scale"), list):
        scales = action.numbers("scale", len(names), -ANGLE_LIMIT, ANGLE_LIMIT)
    else:
        scales = (action.number("scale", -ANGLE_LIMIT, ANGLE_LIMIT),) * len(names)
    clip = action.number("clip", 1e-3, 1e6, 100.0)
    action.close()
    here = {name: joints[name] for name in names if name not in missing}
    gains = {key: _gains(top.section(key), here) for key in ("kp", "kd")}
    driven = []
    for name, scale in zip(names, scales, strict=True):
        joint = here.get(name)
        lower, upper = (joint.lower, joint.upper) if joint else (-ANGLE_LIMIT, ANGLE_LIMIT)
        kp, kd = gains["kp"].get(name, 0.0), gains["kd"].get(name, 0.0)
        default = defaults.number(name, lower, upper)
        driven.append(PolicyJoint(name, default, scale, kp, kd, joint is not None))
    return tuple(driven), clip


def _gains(section: Section, joints: Mapping[str, Joint]) -> dict[str, float]:
    """Values by joint; the key of a joint counts before that of its channel."""
    section.require([*joints, *(joint.channel for joint in joints.values())])
    return {
        name: section.number(name if section.has(name) else joint.channel, 0.0, GAIN_LIMIT)
        for name, joint in joints.items()
    }


def _terms(top: Section, joints: int) -> tuple[Term, ...]:
    entries = top.value("observation")
    if not isinstance(entries, list) or not entries:
        raise top.wrong("observation", "a list of at least one term")
    terms = []
    for number, entry in enumerate(entries):
        data = {"term": entry} if isinstance(entry, str) else entry
        section = Section(top.name(), data, f"observation[{number}]")
        name = section.text("term", TERMS)
        count = TERMS[name] or joints
        if section.has("scale") and isinstance(section.value("scale"), list):
            scale = section.numbers("scale", count)
        else:
            scale = (section.number("scale", default=1.0),) * count
        section.close()
        terms.append(Term(name, scale))
    return tuple(terms)


def _check_widths(
    top: Section, inputs: int, outputs: int, terms: Iterable[Term], frames: int, joints: int
) -> None:
    width = sum(len(term.scale) for term in terms)
    if outputs != joints:
        raise ConfigError(f"{top.name('joints')}: {joints} joints, but the network has {outputs} outputs")
    if width and width * frames != inputs:
        raise ConfigError(
            f"{top.name('observation')}: {width} values in {frames} frames, but the network has {inputs} inputs"
        )
    if inputs % frames:
        raise ConfigError(f"{top.name('history')}: {inputs} inputs cannot be {frames} frames")


def _clock(section: Section) -> Clock:
    hz, right = section.number("hz", 0.1, 10.0), section.number("right", -6.3, 6.3, 3.141592653589793)
    a, b, c, d = section.numbers("standing", len(PHASES), -1.0, 1.0)
    section.close()
    return Clock(hz, right, (a, b, c, d))


def _axes(top: Section, key: str, default: float) -> tuple[float, float, float]:
    if not top.has(key):
        return default, default, default
    section = top.section(key)
    forward, left, turn = (section.number(axis, 0.0, 100.0, default) for axis in AXES)
    section.close()
    return forward, left, turn


def _observe(top: Section, manifest: Path) -> Observe:
    """The function ``observe`` of a Python file beside the manifest; loading it runs the file."""
    path = manifest.parent / top.text("observe")
    spec = importlib.util.spec_from_file_location(f"policy_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise top.wrong("observe", "a Python file beside the manifest")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError, NameError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(f"{top.name('observe')}: {path}: {type(error).__name__}: {error}") from error
    function = getattr(module, "observe", None)
    if not callable(function):
        raise ConfigError(f"{top.name('observe')}: {path} has no function 'observe'")
    return function  # type: ignore[no-any-return]
