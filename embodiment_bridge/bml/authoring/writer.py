# SPDX-License-Identifier: Apache-2.0
"""From the canonical tree back to JSON.

A loop or box that reading made for a key is written as that key again, so that a document that strict
reading takes comes back equal, pointers included. Subtrees are written as what names them.
"""

import json
from typing import Any

from embodiment_bridge.bml.conditions import to_value
from embodiment_bridge.bml.document import (
    Body,
    Box,
    Composite,
    Delay,
    Document,
    Finally,
    Guard,
    Leaf,
    Loop,
    Node,
    Player,
    Request,
    Set,
    Start,
    Stop,
    Subtree,
    Timeout,
)
from embodiment_bridge.bml.reading.spelling import COMPOSITES
from embodiment_bridge.bml.walk import preorder

Object = dict[str, Any]


def to_json(document: Document, *, indent: int | None = None) -> str:
    """The document as JSON text; ``indent`` is spaces per level, None for one line."""
    return json.dumps(to_data(document), ensure_ascii=False, allow_nan=False, indent=indent)


def to_data(document: Document) -> Object:
    """The document as JSON values, with the envelope where there is metadata besides the version."""
    written: dict[int, Object] = {}
    for node in reversed(preorder(document.root)):
        written[id(node)] = _object(node, written)
    root = written[id(document.root)]
    metadata = dict(document.metadata)
    if metadata.keys() <= {"version"}:
        return {**metadata, **root}
    return {**metadata, "action": root}


def _object(node: Node, written: dict[int, Object]) -> Object:
    """One node; a box or loop goes into the keys of what is in it where that says the same."""
    if isinstance(node, Box):
        return _box(node, written)
    if isinstance(node, Loop):
        return _loop(node, written)
    if isinstance(node, Start):
        return _start(node, written)
    if isinstance(node, (Guard, Timeout, Finally)):
        return _guarded(node, written)
    values = _composite(node, written) if isinstance(node, Composite) else _leaf(node)
    return {**_head(node, values.pop("type")), **values, **_extra(node, values)}


def _box(node: Box, written: dict[int, Object]) -> Object:
    inside = written[id(node.child)]
    # In these the key is missing, taken or means something else.
    if isinstance(node.child, (Loop, Box, Body, Delay, Guard, Start, Timeout, Finally)):
        inside = {"type": "sequence", "behaviors": [inside]}
    return {**inside, "duration": _number(node.duration_s)}


def _guarded(node: Guard | Timeout | Finally, written: dict[int, Object]) -> Object:
    """A key of what is inside, if reading would put it round that again."""
    inside = written[id(node.child)]
    taken = inside.keys() & {"start", "condition", *(() if isinstance(node, Guard) else ("finally",))}
    taken |= inside.keys() & ({"timeout"} if isinstance(node, Timeout) else set())
    childless = isinstance(node, Finally) and inside["type"] not in (*COMPOSITES, "loop")
    if taken or childless or (isinstance(node, Finally) and "finally" in inside):
        inside = {"type": "sequence", "behaviors": [inside]}
    if isinstance(node, Guard):
        return {**inside, "condition": to_value(node.condition)}
    if isinstance(node, Timeout):
        return {**inside, "timeout": _number(node.timeout_s)}
    return {**inside, "finally": written[id(node.cleanup)]}


def _start(node: Start, written: dict[int, Object]) -> Object:
    inside = written[id(node.child)]
    if "start" in inside:
        inside = {"type": "sequence", "behaviors": [inside]}
    return {**inside, "start": {"at": node.at} | _given(mark=node.mark, offset=_number(node.offset_s))}


def _loop(node: Loop, written: dict[int, Object]) -> Object:
    core = node.child.child if isinstance(node.child, Box) else node.child
    if _is_key_of(node, core):
        return {**written[id(node.child)], "loop": node.count}
    values: Object = {"loop": node.count}
    if isinstance(node.child, Box) and node.child.pointer == node.pointer:
        values["duration"] = _number(node.child.duration_s)
        values["behavior"] = written[id(core)]
    else:
        values["behavior"] = written[id(node.child)]
    values |= _policies(node, usual=False)
    return {**_head(node, "loop"), **values, **_extra(node, values)}


def _is_key_of(loop: Loop, core: Node) -> bool:
    """Whether the loop is what reading makes of the key ``loop`` of ``core``."""
    at_one_place = loop.pointer == core.pointer == loop.child.pointer and loop.name == core.name
    plain = not (loop.succeed_on_one or loop.fail_on_all or loop.extra) and loop.count != 1
    boxed = isinstance(loop.child, Box)
    wraps = isinstance(core, (Loop, Box, Guard, Start, Timeout, Finally))
    return at_one_place and plain and not wraps and not (boxed and _has_slot(core))


def _has_slot(node: Node) -> bool:
    return isinstance(node, (Body, Delay))


def _composite(node: Composite, written: dict[int, Object]) -> Object:
    values: Object = {"type": node.kind}
    values |= _policies(node, usual=node.kind == "selector")
    if node.reactive:
        values["reactive"] = True
    if node.random:
        values["random"] = True
    if node.weights:
        values["weights"] = [_number(weight) for weight in node.weights]
    values["behaviors"] = [written[id(child)] for child in node.children]
    return values


def _policies(node: Composite | Loop, *, usual: bool) -> Object:
    values: Object = {}
    if node.succeed_on_one != usual:
        values["successPolicy"] = "SucceedOnOne" if node.succeed_on_one else "SucceedOnAll"
    if node.fail_on_all != usual:
        values["failurePolicy"] = "FailOnAll" if node.fail_on_all else "FailOnOne"
    return values


def _leaf(node: Leaf | Subtree) -> Object:
    if isinstance(node, Subtree):
        return {"type": "subtree", "ref": node.ref} | _given(args=dict(node.args))
    if isinstance(node, Set):
        return {"type": "set", "key": node.key, "value": node.value}
    if isinstance(node, Delay):
        values: Object = {"type": "delay", "duration": _number(node.duration_s)}
        return values if node.succeed else {**values, "return": False}
    if isinstance(node, Request):
        return {"type": "request", "url": node.url}
    if isinstance(node, Stop):
        return _given(type="stop", target=node.target)
    if isinstance(node, Body):
        values = {"type": node.kind, "action": node.action} | _given(duration=_number(node.duration_s))
        return values if node.intensity == 1.0 else {**values, "intensity": _number(node.intensity)}
    if isinstance(node, Player):
        values = {"type": "player", "action": node.action} | _given(url=node.url, content=node.content)
        values |= _given(channel=node.channel, marks_url=node.marks_url)
        values = values if node.fade_s is None else {**values, "fade": _number(node.fade_s)}
    else:
        values = {"type": "speak", "content": node.content}
        values |= _given(
            voice=node.voice, language=node.language, rate=_number(node.rate), channel=node.channel
        )
    return values if node.volume is None else {**values, "volume": _number(node.volume)}


def _head(node: Node, kind: str) -> Object:
    return {"type": kind, "name": node.name} if node.name else {"type": kind}


def _extra(node: Node, values: Object) -> Object:
    return {
        key: value for key, value in node.extra.items() if key not in values and key not in ("type", "name")
    }


def _given(**values: Any) -> Object:
    return {key: value for key, value in values.items() if value}


def _number(value: float | None) -> float | int | None:
    """Whole numbers without ``.0``: as people write them."""
    return int(value) if value is not None and float(value).is_integer() else value
