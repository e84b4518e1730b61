# SPDX-License-Identifier: Apache-2.0
"""Keeps the module names of release 0.1 importable, for programs and protocol packages that were written for it.

The next release removes these names; each use gives a ``DeprecationWarning`` with the new name.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

PACKAGE: Final = "embodiment_bridge"
MOVED: Final = {
    "body_file": "body.body_file",
    "closing": "core.closing",
    "decode": "wire.json_events",
    "description": "body.description",
    "encode": "wire.json_commands",
    "errors": "core.errors",
    "event_link": "link.event_link",
    "framing": "wire.framing",
    "line_framing": "wire.line_framing",
    "own_thread": "core.own_thread",
    "registry": "protocols.registry",
    "rotation": "core.rotation",
    "session": "link.session",
    "sexpr": "wire.sexpr",
    "state_messages": "body.state_messages",
    "transports": "link.transports",
    "units": "core.units",
    "bml.conditions": "bml.base.conditions",
    "bml.walk": "bml.nodes.walk",
    "bml.builder": "bml.authoring.builder",
    "bml.predicate": "bml.authoring.predicate",
    "bml.script": "bml.authoring.script",
    "bml.show": "bml.authoring.show",
    "bml.writer": "bml.authoring.writer",
    "motion.native": "motion.skills.native",
}


class _Alias(Loader):
    """A loader that hands out the module at the new place and loads nothing itself."""

    def __init__(self, place: str) -> None:
        self._place = place

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, so that its classes are one and the same under both names."""
        warnings.warn(f"{spec.name} is now {self._place}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(self._place)
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which importing it by its old name has replaced."""
        module.__spec__ = self._own


class Moved(MetaPathFinder):
    """Finds a module of the table, or one inside of a folder of it, at its new place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of an old name; None for all others."""
        if not fullname.startswith(f"{PACKAGE}."):
            return None
        name = fullname.removeprefix(f"{PACKAGE}.")
        for old, new in MOVED.items():
            if name == old or name.startswith(f"{old}."):
                place = f"{PACKAGE}.{new}{name.removeprefix(old)}"
                return ModuleSpec(fullname, _Alias(place))
        return None


def install() -> None:
    """Make the old names importable; the second call does nothing."""
    if not any(isinstance(finder, Moved) for finder in sys.meta_path):
        # Before all other finders: those would find an empty folder that an update left behind as a package.
        sys.meta_path.insert(0, Moved())
