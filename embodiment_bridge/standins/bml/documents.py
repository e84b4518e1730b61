# SPDX-License-Identifier: Apache-2.0
"""The documents that the stand-in serves: a chain of songs, each announced, danced to, and followed by the next."""

import json
from typing import Any, Final

Object = dict[str, Any]

SONGS: Final = ("Little Star", "River Waltz", "Night Train")
COLOURS: Final = ("EYE_RED", "EYE_YELLOW", "EYE_GREEN", "EYE_BLUE")
STEPS: Final = ("HEAD_SHAKE", "WAIST_SHAKE")


def link(base: str, number: int, *, last: bool) -> str:
    """Document ``number`` (from 0) of the chain as JSON; ``base`` is the URL of this server for the client."""
    song = SONGS[number % len(SONGS)]
    words = f"Song number {number + 1}: {song}."
    announce = _play(f"{base}/voice?id={number}.wav", content=words, name="announce")
    dance = {
        "type": "parallel",
        "name": "dance",
        "successPolicy": "SucceedOnOne",
        "behaviors": [
            _play(f"{base}/music?id={number}.wav", content=song, name="song"),
            _for_ever([_body(colour, 0.5) for colour in COLOURS]),
            _for_ever([_body(step, 2.0) for step in STEPS]),
        ],
    }
    follows = _body("RESET", 1.0)
    if not last:
        follows = {
            "type": "request",
            "name": "next",
            "url": f"{base}/request?type=next&round={number + 1}",
        }
    root = {"type": "sequence", "name": f"song {number + 1}", "behaviors": [announce, dance, follows]}
    return json.dumps(root, ensure_ascii=False)


def _play(url: str, **more: str) -> Object:
    return {"type": "player", "action": "play", "url": url, **more}


def _body(action: str, seconds: float) -> Object:
    return {"type": "body", "action": action, "duration": seconds}


def _for_ever(behaviors: list[Object]) -> Object:
    return {"type": "loop", "loop": -1, "behavior": {"type": "sequence", "behaviors": behaviors}}
