# SPDX-License-Identifier: Apache-2.0
"""The resources that a host may read."""

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import anyio
import mcp.types as types
from mcp.shared.exceptions import MCPError

from embodiment_bridge.bml.authoring.json_form import schema
from embodiment_bridge.core.errors import BridgeError, unknown
from embodiment_bridge.mcp_server.answers import cut
from embodiment_bridge.mcp_server.camera_picture import CameraPicture
from embodiment_bridge.mcp_server.guide import GUIDE
from embodiment_bridge.mcp_server.journal import Journal
from embodiment_bridge.mcp_server.picture import picture
from embodiment_bridge.robot.robot import Robot

JSON: Final = "application/json"


class _Kind(NamedTuple):
    name: str
    mime_type: str
    description: str
    read: Callable[[], str | Awaitable[bytes]]


class Resources:
    """The resources of one robot, by URI."""

    def __init__(self, robot: Robot, journal: Journal) -> None:
        senses = robot.senses
        self._kinds = {
            "bml://guide": _Kind(
                "BML in one page", "text/markdown", "How documents are written.", lambda: GUIDE
            ),
            "bml://schema": _Kind(
                "JSON schema of BML",
                "application/schema+json",
                "Of the documents for check_behavior and run_behavior.",
                lambda: json.dumps(schema(), indent=1),
            ),
            "robot://urdf": _Kind("URDF", "application/xml", "Links and joints.", lambda: senses.description),
            "robot://runs": _Kind("The last runs", JSON, "What happened in the last runs.", journal.text),
            "robot://scene.png": _Kind(
                "The scene",
                "image/png",
                "From above, x to the right, y up, a line each metre; the robot is blue, with its heading.",
                lambda: anyio.to_thread.run_sync(picture, senses.pose, senses.things()),
            ),
            "robot://camera.png": _Kind(
                "The camera's picture",
                "image/png",
                "What the robot's camera sees now; an error where the body has no camera.",
                CameraPicture(robot).read,
            ),
        }

    def listing(self) -> list[types.Resource]:
        """All of them."""
        return [
            types.Resource(uri=uri, name=one.name, mime_type=one.mime_type, description=one.description)
            for uri, one in self._kinds.items()
        ]

    async def read(self, uri: str) -> types.ReadResourceResult:
        """One of them.

        Raises:
            MCPError: there is no such resource, or it cannot be read now.
        """
        kind = self._kinds.get(uri)
        if kind is None:
            raise MCPError(types.INVALID_PARAMS, unknown("resource", uri[:100], self._kinds))
        found = kind.read()
        if isinstance(found, str):
            text = types.TextResourceContents(uri=uri, mime_type=kind.mime_type, text=found)
            return types.ReadResourceResult(contents=[text])
        try:
            blob = base64.b64encode(await found).decode()
        except BridgeError as error:
            raise MCPError(types.INTERNAL_ERROR, cut(str(error))) from error
        return types.ReadResourceResult(
            contents=[types.BlobResourceContents(uri=uri, mime_type=kind.mime_type, blob=blob)]
        )
