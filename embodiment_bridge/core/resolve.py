# SPDX-License-Identifier: Apache-2.0
"""Imports objects that are named as ``module:attribute`` when they are first used."""

import importlib
from typing import Any

from embodiment_bridge.core.errors import ConfigError


def resolve(place: str) -> Any:
    """The object at ``module:attribute``; parts are named so that nothing is imported before it is used.

    Raises:
        ConfigError: the module or the attribute is not there.
    """
    module, _, attribute = place.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{place}: {error}") from error
