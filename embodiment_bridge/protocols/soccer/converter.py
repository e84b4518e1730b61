# SPDX-License-Identifier: Apache-2.0
"""Holds what the converter of a soccer player has in every simulator: its view, memory, camera and requests."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from typing_extensions import override

from embodiment_bridge.body.surroundings import FixedFrames
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.soccer.convert import Posts, TeamView
from embodiment_bridge.protocols.soccer.messages import LeftOut, PlayerMessages
from embodiment_bridge.protocols.soccer.requests import Requests
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory, Known
from embodiment_bridge.scene.sight import Camera
from embodiment_bridge.scene.soccer import goals
from embodiment_bridge.urdf import read_urdf

Event = TypeVar("Event")
Command = TypeVar("Command")
Action = TypeVar("Action")


class PlayerConverter(Converter[Event, Command], Generic[Event, Command, Action]):
    """One robot on the agent port; a subclass sets ``_messages`` and ``_requests``.

    Args:
        parameters: those of the protocol.
        robot: its name in the codec, which allows only the motors of this robot.
        joints: names, in the order of the body.
        mirrored: the name that a landmark has for a player who looks from the right.
        posts: those of the goals at -x and at +x.
        without: topics that nothing comes on where it is not known where the camera is.

    Raises:
        ConfigError: the URDF cannot be read.
    """

    _messages: PlayerMessages
    _requests: Requests[Action]

    def __init__(
        self,
        parameters: ParameterValues,
        robot: str,
        joints: Sequence[str],
        mirrored: Callable[[str], str],
        posts: tuple[Posts, Posts],
        without: str,
    ) -> None:
        self._codec_options = {"robot": robot}
        self._left_out = LeftOut()
        self._view = TeamView(relative=bool(parameters.get("team_frame", False)), mirrored=mirrored)
        self._memory = EntityMemory(
            float(parameters.get("entity_memory", DEFAULT_KEEP)),
            derived=lambda known: goals(known, self._view.goals(*posts)),
        )
        self._camera: Camera | None = None
        self._warnings: list[str] = []
        self._description = str(parameters.get("robot_description_file", ""))
        self._drawn = read_urdf(Path(self._description)) if self._description else None
        unknown = f"no {without}: it is not known where the camera is"
        if self._drawn is None:
            self._warnings.append(f"{unknown} without robot_description_file")
            return
        try:
            self._camera = Camera(self._drawn, joints)
        except ConfigError as error:
            self._warnings.append(f"{unknown}: {error}")

    @override
    def codec_options(self) -> Mapping[str, str]:
        return self._codec_options

    @override
    def warnings(self) -> Sequence[str]:
        return self._warnings

    @override
    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        self._messages.is_wanted = is_wanted

    @override
    def native_skills(self) -> Mapping[str, Start]:
        return {"say": self._requests.begin_saying, "beam": self._requests.begin_beaming}

    @override
    def things(self) -> Mapping[str, Known]:
        return self._memory.things

    @override
    def handshake(self) -> Sequence[Command]:
        """Forget the last connection: the world may be another one."""
        self._messages.restart()
        self._requests.forget()
        self._view.settle("")
        return []

    @override
    def handle_request(self, name: str, message: object) -> str:
        return self._requests.handle(name, message)

    @override
    def fixed_frames(self) -> FixedFrames:
        return self._view.frames

    @override
    def left_out(self) -> Sequence[str]:
        return self._left_out.take()
