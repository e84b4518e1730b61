# SPDX-License-Identifier: Apache-2.0
"""The documents that the demos perform."""

from embodiment_bridge.cli.files import read_text
from embodiment_bridge.launching.shares import find_share


def own_document(name: str) -> str:
    """The text of a document of this package, ``config/bml/<name>.json``."""
    return read_text(str(find_share("embodiment_bridge") / "config" / "bml" / f"{name}.json"))
