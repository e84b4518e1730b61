# SPDX-License-Identifier: Apache-2.0
"""The server of the page: viser, on one address, without what would reach outside."""

import math
import os
import socket
from collections.abc import Callable

import rich
import viser
from viser._messages import ShareUrlDisconnect, ShareUrlRequest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import Vector

GROUND = 120.0  # m, of the grid on the floor
EYE = (-1.7, -1.5, 0.7)  # m from the robot, behind it on its right, so that one sees what it sees


class Page:
    """Serves the page from construction to ``close``.

    host: an address of this machine; 127.0.0.1 is seen by this machine only. port: 0 takes any that is free.

    Raises:
        ConfigError: host or port cannot be had.
    """

    def __init__(self, host: str, port: int) -> None:
        port = _free(host, port)
        os.environ.pop("_VISER_PORT_OVERRIDE", None)
        rich.get_console().quiet = True  # viser prints a table; the node says in one line where the page is
        self._server = viser.ViserServer(host=host, port=port, verbose=False, label="embodiment_bridge")
        # A page may ask viser 1.1.1 for a tunnel through a public host; nothing here leaves the machine by itself.
        for request in (ShareUrlRequest, ShareUrlDisconnect):
            self._server._websock_server.unregister_handler(request)
        self.scene, self.gui = self._server.scene, self._server.gui
        name = f"[{host}]" if ":" in host else host
        self.url: str = f"http://{name}:{self._server.get_port()}"
        self._new: set[int] = set()  # pages that have not seen the robot yet
        self._server.on_client_connect(self._visit)
        self._furnish()

    @property
    def visitors(self) -> int:
        """How many pages are open."""
        return len(self._server.get_clients())

    def aim(self, place: Vector, *, yaw: float, far: float = 1.0) -> None:
        """Let pages that have just opened look at the robot at ``place`` (m), which looks along ``yaw`` (rad).

        far: times as far away as usual.
        """
        if not self._new:
            return
        c, s = far * math.cos(yaw), far * math.sin(yaw)
        eye = (
            place[0] + c * EYE[0] - s * EYE[1],
            place[1] + s * EYE[0] + c * EYE[1],
            place[2] + far * EYE[2],
        )
        pages = self._server.get_clients()
        while self._new:
            page = pages.get(self._new.pop())
            if page is not None:
                page.camera.position, page.camera.look_at = eye, place

    def together(self, draw: Callable[[], None]) -> None:
        """Let pages see all changes that ``draw`` makes in the same picture."""
        with self._server.atomic():
            draw()

    def close(self) -> None:
        """End the server; pages stay as they are and come back when it does.

        A page that does not answer, as a frozen tab, would hold up viser 1.1.1 for 6 s and keep its thread for 10.
        """
        connections = tuple(self._server._websock_server._live_connections.values())
        for connection in connections:
            self._server.get_event_loop().call_soon_threadsafe(connection.transport.abort)
        self._server.stop()

    async def _visit(self, page: viser.ClientHandle) -> None:
        self._new.add(page.client_id)

    def _furnish(self) -> None:
        self.gui.configure_theme(dark_mode=True, show_logo=False, show_share_button=False)
        self.gui.main_panel.dock_right()
        self.scene.configure_default_lights(enabled=True, cast_shadow=False)  # shadows cost a page much
        self.scene.add_grid(
            "/ground", GROUND, GROUND, cell_size=1.0, section_size=5.0,
            cell_color=(70, 76, 84), section_color=(96, 104, 114),
            plane_color=(52, 62, 58), plane_opacity=1.0, position=(0.0, 0.0, -0.004),
        )  # fmt: skip
        self._server.initial_camera.position = EYE
        self._server.initial_camera.look_at = (0.0, 0.0, 0.5)


def _free(host: str, port: int) -> int:
    """The port, when it can be had: viser 1.1.1 takes another when it cannot, and waits for ever on a wrong host."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            found: int = probe.getsockname()[1]
            return found
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"parameters host and port: no page on {host}:{port}: {error} (port 0 takes any that is free)"
        ) from error
