# SPDX-License-Identifier: Apache-2.0
"""Cleans texts from outside for XML."""

import re
from typing import Final

LONGEST: Final = 1000  # characters
_ILLEGAL: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str, longest: int = LONGEST) -> str:
    """The text without characters that XML does not allow, cut to ``longest``."""
    return _ILLEGAL.sub("", text[:longest])
