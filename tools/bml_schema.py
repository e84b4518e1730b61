# SPDX-License-Identifier: Apache-2.0
"""Writes the JSON Schema of BML from the types of nodes: `python tools/bml_schema.py`."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from embodiment_bridge.bml.authoring.json_form import schema  # noqa: E402 - of this checkout

FILE = ROOT / "embodiment_bridge" / "bml" / "bml.schema.json"


def text() -> str:
    """What the file has."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
