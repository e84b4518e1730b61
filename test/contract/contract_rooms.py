# SPDX-License-Identifier: Apache-2.0
"""Every registered protocol with its samples and its body.

Samples are in ``test/data/<protocol>/samples``; those of another package's protocols, and their ``body.yaml``, in
``<folder>/<protocol>`` where the environment variable ``EMBODIMENT_BRIDGE_TEST_DATA`` names the folder.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.protocols import registry
from embodiment_bridge.wire.json_text import read_commands

ROOT = Path(__file__).parents[2]
VARIABLE = "EMBODIMENT_BRIDGE_TEST_DATA"
FOLDERS = [ROOT / "test/data", *(Path(path) for path in [os.environ.get(VARIABLE)] if path)]

NAMES = sorted(registry.protocols())


def folder(name: str) -> Path:
    """Where the samples of a protocol are; ours must have some."""
    for place in FOLDERS:
        if (place / name / "samples").is_dir():
            return place / name
    if name in registry.OURS:
        pytest.fail(
            f"protocol {name!r} has no samples: put some into test/data/{name}/samples (see CONTRIBUTING.md)"
        )
    return pytest.skip(f"set {VARIABLE} to the folder that has {name}/samples")


def sample(protocol: str, name: str) -> bytes:
    """One byte stream as the peer would send it."""
    path = folder(protocol) / "samples" / f"{name}.bin"
    assert path.is_file(), f"{path} is missing (see CONTRIBUTING.md)"
    return path.read_bytes()


def streams(protocol: str) -> dict[str, bytes]:
    """All byte streams of a protocol by name."""
    return {path.stem: path.read_bytes() for path in sorted((folder(protocol) / "samples").glob("*.bin"))}


def commands(protocol: str) -> list[Any]:
    """The sample commands of a protocol."""
    path = folder(protocol) / "samples" / "commands.jsonl"
    assert path.is_file(), f"{path} is missing (see CONTRIBUTING.md)"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [command for _, command in read_commands(lines, resolve(registry.spec(protocol).commands))]


def with_commands() -> list[str]:
    return [name for name in NAMES if registry.spec(name).commands]


@cache
def launched() -> dict[str, dict[str, Any]]:
    """For each protocol that a launch file of a body names: the parameters that it sets."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((ROOT / "launch/body").glob("*.launch.xml")):
        for node in read_launch(path, {}, find_share=lambda _: ROOT, environment={}).nodes:
            values: dict[str, Any] = {}
            for item in node.parameters:
                values.update({} if isinstance(item, Path) else item)
            if {"protocol", "body_file"} <= set(values):  # the mock body has no protocol
                found.setdefault(values["protocol"], values)
    return found


def with_body() -> list[str]:
    """Protocols of bodies: those with a launch file, or with a ``body.yaml`` beside their samples."""
    return [name for name in NAMES if name in launched() or own_body(name)]


def own_body(name: str) -> Path | None:
    places = (place / name / "body.yaml" for place in FOLDERS)
    return next((place for place in places if place.is_file()), None)
