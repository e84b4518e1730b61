# SPDX-License-Identifier: Apache-2.0
"""Readers of S-expressions to nested lists, to measure beside: they know nothing of what the lists mean."""

import importlib
import json
import re
import sys
from collections.abc import Callable
from importlib.metadata import version

WORD = re.compile(r"[^\s()]+")


def untyped(payloads: list[bytes]) -> dict[str, Callable[[], None]]:
    """Readers to nested lists, where they are installed."""
    found: dict[str, Callable[[], None]] = {}
    try:
        sexpdata = importlib.import_module("sexpdata")
        texts = [f"({payload.decode()})" for payload in payloads]
        found[f"sexpdata {version('sexpdata')}"] = lambda: [sexpdata.parse(text) for text in texts] and None
    except ImportError:
        print("sexpdata is not installed", file=sys.stderr)
    try:
        orjson = importlib.import_module("orjson")
        arrays = [_json(payload.decode()) for payload in payloads]
        found[f"orjson {version('orjson')}, translated"] = lambda: (
            [orjson.loads(text) for text in arrays] and None
        )
    except ImportError:
        print("orjson is not installed", file=sys.stderr)
    return found


def _json(text: str) -> str:
    quoted = WORD.sub(lambda word: json.dumps(word[0]) + " ", f"({text})")
    spaced = re.sub(r"\s*\)", "] ", quoted.replace("(", "["))
    return re.sub(r"([\]\"])\s+(?=[\[\"])", r"\1,", spaced)
