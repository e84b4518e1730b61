# SPDX-License-Identifier: Apache-2.0
"""Gets the text and hash of a message type from the files that rosidl installs with each interface package."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from embodiment_bridge.core.errors import ConfigError

FindShare = Callable[[str], Path]  # gives the share folder of a package; raises LookupError if there is none
SEPARATOR = "=" * 80
FEEDBACK = "_FeedbackMessage"
GOAL_ID = "unique_identifier_msgs/UUID goal_id"


class Definition(NamedTuple):
    """text: the definition with all referenced types, in the form ``ros2msg`` of MCAP; rihs01: hash of REP-2011."""

    text: str
    rihs01: str


def definition(type_name: str, find_share: FindShare) -> Definition:
    """The definition of ``package/msg/Name``, or of action feedback, ``package/action/Name_FeedbackMessage``.

    Raises:
        ConfigError: the files of that type do not exist, or have wrong content.
    """
    package, _, name = type_name.split("/") if type_name.count("/") == 2 else ("", "", "")
    try:
        if "/action/" in type_name and name.endswith(FEEDBACK):
            return _feedback(package, name.removesuffix(FEEDBACK), find_share)
        described = _described(type_name, find_share)
        return Definition(_with_references(_text(type_name, find_share), described, find_share), described[0])
    except (LookupError, OSError, ValueError, TypeError) as error:
        raise ConfigError(f"message type {type_name!r}: no definition is installed: {error}") from error


def _feedback(package: str, action: str, find_share: FindShare) -> Definition:
    full = f"{package}/action/{action}{FEEDBACK}"
    hashed, references = _described(full, find_share)
    parts = (find_share(package) / "action" / f"{action}.action").read_text(encoding="utf-8").split("\n---\n")
    own = f"{package}/action/{action}_Feedback"
    texts = {own: parts[2] if len(parts) == 3 else ""}
    text = f"{GOAL_ID}\n{action}_Feedback feedback\n"
    return Definition(_with_references(text, (hashed, references), find_share, texts), hashed)


def _described(type_name: str, find_share: FindShare) -> tuple[str, list[str]]:
    """The hash of a type, and the types that it refers to directly or indirectly."""
    package, kind, name = type_name.split("/")
    stem = name.partition("_")[0] if kind == "action" else name
    content = json.loads((find_share(package) / kind / f"{stem}.json").read_text(encoding="utf-8"))
    hashes = {entry["type_name"]: entry["hash_string"] for entry in content["type_hashes"]}
    return hashes[type_name], _references(content, type_name)


def _references(content: dict[str, Any], type_name: str) -> list[str]:
    described = content["type_description_msg"]
    known = {one["type_name"]: one for one in described["referenced_type_descriptions"]}
    known[described["type_description"]["type_name"]] = described["type_description"]
    found: list[str] = []
    waiting = [type_name]
    while waiting:
        for field in known[waiting.pop()]["fields"]:
            nested = field["type"]["nested_type_name"]
            if nested and nested not in found:
                found.append(nested)
                waiting.append(nested)
    return found


def _with_references(
    text: str,
    described: tuple[str, list[str]],
    find_share: FindShare,
    texts: dict[str, str] | None = None,
) -> str:
    parts = [text.rstrip("\n") + "\n"]
    for name in described[1]:
        package, _, message = name.split("/")
        own = (texts or {}).get(name)
        parts.append(f"MSG: {package}/{message}\n" + (own or _text(name, find_share)).rstrip("\n") + "\n")
    return f"{SEPARATOR}\n".join(parts)


def _text(type_name: str, find_share: FindShare) -> str:
    package, kind, name = type_name.split("/")
    return (find_share(package) / kind / f"{name}.msg").read_text(encoding="utf-8")
