# SPDX-License-Identifier: Apache-2.0
"""Conditions that an operator writes in one line: ``battery >= 0.15``."""

import json
import math
import re

from embodiment_bridge.bml.base.conditions import KEY, Compare, Value
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.unicode_text import is_unicode

FORM = "NAME OPERATOR VALUE, as battery >= 0.15"
_GUARD = re.compile(rf"\s*({KEY.pattern})\s*(<=|>=|==|!=|<|>)\s*(\S.{{0,199}}?)\s*")


def parse_guard(text: str) -> Compare:
    """A comparison of a named value with a number, a boolean or a text in quotes.

    Raises:
        ConfigError: it has another form.
    """
    found = _GUARD.fullmatch(text)
    value = _value(found[3]) if found else None
    if found is None or value is None:
        raise ConfigError(f"parameter guards: {text!r:.200} is not of the form {FORM}")
    return Compare(found[1], found[2], value)


def _value(text: str) -> Value:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, bool) or (isinstance(value, str) and is_unicode(value)):
        return value
    return value if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)) else None
