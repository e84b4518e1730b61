# SPDX-License-Identifier: Apache-2.0
"""Readers of the node types that have no children: one function per type, values to a canonical node."""

import re
from collections.abc import Callable

from embodiment_bridge.bml.document import Body, Delay, Node, Player, Request, Set, Speak, Stop
from embodiment_bridge.bml.reading import spelling
from embodiment_bridge.bml.reading.condition_reader import blackboard_key, scalar
from embodiment_bridge.bml.reading.drafts import Common
from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.pointer import at
from embodiment_bridge.bml.reading.problems import short

SLOWEST, FASTEST = 0.1, 10.0  # rate of speech, 1 is the voice's own
LONGEST_FADE_S = 60.0
CHANNEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


def _delay(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    if "duration" not in raw:
        text = "a delay without 'duration' is read as 0 s"
        fields.problems.tolerated(pointer, "DURATION_MISSING", text)
    return Delay(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, "delay"),
        duration_s=common.duration_s or 0.0,
        succeed=fields.flag(raw, pointer, "return", True),
    )


def _body(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    return _body_or_emotion("body", "action", raw, pointer, common, fields)


def _emotion(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    key = fields.alias(raw, pointer, "action", "emotion", "expression")
    return _body_or_emotion("emotion", key, raw, pointer, common, fields)


def _body_or_emotion(kind: str, key: str, raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    intensity = fields.number(raw, pointer, "intensity", 0.0, 1.0) if "intensity" in raw else None
    return Body(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, kind, key),
        kind=kind,
        action=_body_action(raw, pointer, key, fields),
        duration_s=common.duration_s or 0.0,
        intensity=1.0 if intensity is None else intensity,
        action_key=key,
    )


def _body_action(raw: Raw, pointer: str, key: str, fields: Fields) -> str:
    text = fields.text(raw, pointer, key, fields.limits.max_text, required=True)
    if spelling.ACTION.fullmatch(text):
        return text.upper()
    name = spelling.body_action(text)
    if name is not None:
        message = f"the action {short(text)} is read as {name}"
        fields.problems.tolerated(at(pointer, key), "ACTION_SPELLING", message)
        return name
    if text:  # else already noted
        message = f"{short(text)} is no name of an action (a letter, then at most 63 letters, digits and '_')"
        fields.problems.error(at(pointer, key), "BAD_ACTION", message)
    return ""


def _player(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    action = _player_action(raw, pointer, fields)
    if action == "setVolume" and "volume" not in raw:
        fields.problems.error(pointer, "MISSING_KEY", "setVolume needs the key 'volume'")
    if action == "play" and "url" not in raw:
        fields.problems.error(pointer, "MISSING_KEY", "play needs the key 'url'")
    return Player(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, "player"),
        action=action,
        url=fields.text(raw, pointer, "url", fields.limits.max_url, required="url" in raw),
        volume=fields.volume(raw, pointer),
        content=fields.text(raw, pointer, "content", fields.limits.max_text),
        channel=_channel(raw, pointer, fields),
        fade_s=fields.number(raw, pointer, "fade", 0.0, LONGEST_FADE_S) if "fade" in raw else None,
        marks_url=fields.text(raw, pointer, "marks_url", fields.limits.max_url),
    )


def _channel(raw: Raw, pointer: str, fields: Fields) -> str:
    text = fields.text(raw, pointer, "channel", fields.limits.max_name)
    if text and not CHANNEL.fullmatch(text):
        message = f"{short(text)} is no channel (a letter, then at most 31 letters, digits and '_')"
        fields.problems.error(at(pointer, "channel"), "BAD_CHANNEL", message)
    return text


def _player_action(raw: Raw, pointer: str, fields: Fields) -> str:
    if "action" not in raw and spelling.bare_type(raw["type"]) == "play":
        return "play"  # the type says it (and was noted as a spelling)
    text = fields.text(raw, pointer, "action", fields.limits.max_text, required=True)
    if text in spelling.PLAYER_ACTIONS or not text:
        return text
    action = spelling.player_action(text)
    if action is None:
        message = fields.problems.unknown("player action", text, spelling.PLAYER_ACTIONS)
        fields.problems.error(at(pointer, "action"), "UNKNOWN_ACTION", message)
        return ""
    message = f"the player action {short(text)} is read as {action}"
    fields.problems.tolerated(at(pointer, "action"), "ACTION_SPELLING", message)
    return action


def _request(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    return Request(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, "request"),
        url=fields.text(raw, pointer, "url", fields.limits.max_url, required=True),
    )


def _stop(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    target = fields.text(raw, pointer, "target", fields.limits.max_name, required="target" in raw)
    return Stop(pointer=pointer, name=common.name, extra=fields.extra(raw, pointer, "stop"), target=target)


def _speak(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    key = fields.alias(raw, pointer, "content", "text")
    return Speak(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, "speak", key),
        content=fields.text(raw, pointer, key, fields.limits.max_text, required=True),
        voice=fields.text(raw, pointer, "voice", fields.limits.max_name),
        language=fields.text(raw, pointer, "language", fields.limits.max_name),
        rate=fields.number(raw, pointer, "rate", SLOWEST, FASTEST),
        volume=fields.volume(raw, pointer),
        channel=_channel(raw, pointer, fields),
    )


def _set(raw: Raw, pointer: str, common: Common, fields: Fields) -> Node:
    if "value" not in raw:
        fields.problems.error(pointer, "MISSING_KEY", "a node of type 'set' needs the key 'value'")
    return Set(
        pointer=pointer,
        name=common.name,
        extra=fields.extra(raw, pointer, "set"),
        key=blackboard_key(raw, pointer, fields),
        value=scalar(raw.get("value"), at(pointer, "value"), fields),
    )


LeafReader = Callable[[Raw, str, Common, Fields], Node]
LEAVES: dict[str, LeafReader] = {
    "delay": _delay,
    "body": _body,
    "emotion": _emotion,
    "player": _player,
    "request": _request,
    "stop": _stop,
    "speak": _speak,
    "set": _set,
}
