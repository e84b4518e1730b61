# SPDX-License-Identifier: Apache-2.0
"""``emotion``: an action of the body that shows an emotion."""

from typing import Any

from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.body import BodyType, action_fields


class EmotionType(BodyType):
    """As a body action."""

    name = "emotion"
    meaning = "shows an emotion"
    fields = action_fields("emotion", "expression")

    def values_in(self, raw: Raw, pointer: str, values: Values) -> dict[str, Any]:
        key = next((key for key in ("action", "emotion", "expression") if key in raw), "action")
        return {**super().values_in(raw, pointer, values), "action_key": key}


TYPE = EmotionType()
