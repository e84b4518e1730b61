# SPDX-License-Identifier: Apache-2.0
"""Finds message classes by their type names on the graph."""

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

from embodiment_bridge.core.errors import ConfigError

FEEDBACK = "_FeedbackMessage"


class Message(Protocol):
    """A message, or the request or response of a service."""

    def get_fields_and_field_types(self) -> Mapping[str, str]:
        """Types by the names of the fields, in their order."""
        ...


def message_class(type_name: str) -> Any:
    """The class of ``package/msg/Name``, ``package/srv/Name`` or ``package/action/Name_FeedbackMessage``.

    Raises:
        ConfigError: the interface package is not installed, or has no such message.
    """
    try:
        package, kind, name = type_name.split("/")
        module = importlib.import_module(f"{package}.{kind}")
        if kind == "action" and name.endswith(FEEDBACK):
            return getattr(module, name.removesuffix(FEEDBACK)).Impl.FeedbackMessage
        return getattr(module, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"message type {type_name!r} is not installed here: {error}") from error
