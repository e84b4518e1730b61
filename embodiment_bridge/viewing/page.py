# SPDX-License-Identifier: Apache-2.0
"""The server of the page, on one address and behind the gate, and the floor, sky and light of its scene."""

import math
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import numpy as np
import rich
import viser
from viser import SceneApi
from viser._messages import ShareUrlDisconnect, ShareUrlRequest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.core.same_origin import own_names
from embodiment_bridge.viewing import panels
from embodiment_bridge.viewing.buttons import STOP, Press
from embodiment_bridge.viewing.gate import Gate, guarded

GROUND: Final = 120.0  # m, of the grid on the floor
SKY_LINES: Final = 64  # lines of the picture of the sky, from top to bottom
HORIZON: Final = 0.45  # share of the picture above which there is sky

Color = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """Holds colours of a time of day, and the strength of its lights."""

    floor: Color
    cell: Color
    section: Color
    zenith: Color
    horizon: Color
    sun: float
    sky: float


DAY: Final = Look(
    (148, 160, 148), (128, 141, 130), (108, 122, 112), (112, 158, 206), (222, 232, 238), 2.2, 1.3
)
NIGHT: Final = Look((38, 46, 46), (56, 64, 70), (80, 90, 100), (8, 10, 22), (40, 46, 66), 0.7, 0.5)


def paint(scene: SceneApi, *, night: bool) -> None:
    """Draw the floor and the sky, and set the lights; the sun casts shadows."""
    look = NIGHT if night else DAY
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere(
        "/light/sky", sky_color=look.horizon, ground_color=look.floor, intensity=look.sky
    )
    scene.add_light_directional("/light/sun", intensity=look.sun, cast_shadow=True, position=(-4.0, 3.0, 9.0))
    scene.add_grid(
        "/ground", GROUND, GROUND, cell_size=1.0, section_size=5.0, cell_color=look.cell,
        section_color=look.section, plane_color=look.floor, plane_opacity=1.0, shadow_opacity=0.35,
        position=(0.0, 0.0, -0.004),
    )  # fmt: skip
    scene.set_background_image(_sky(look), format="png")


def _sky(look: Look) -> np.ndarray:
    share = np.clip(np.linspace(0.0, 1.0 / HORIZON, SKY_LINES), 0.0, 1.0)[:, None, None]
    colors = (1.0 - share) * np.array(look.zenith) + share * np.array(look.horizon)
    return np.repeat(colors, 2, axis=1).astype(np.uint8)


LOADING = "loading: nothing has come from the robot yet"
EYE = (-1.7, -1.5, 0.7)  # m from the robot, behind it on its right, so that the view shows what it sees


class Page:
    """Serves the page from construction to ``close``.

    ``url`` is its address, ``entry`` the address to open first, which includes the token if there is one.

    host: an address or name of this machine; 127.0.0.1 is reachable from this machine only. port: 0 takes a free one.
    token: secret that a visitor needs; ``None``: none on loopback, otherwise a new one. title: of the page.

    Raises:
        ConfigError: host or port cannot be used, or the installed version of viser cannot be guarded.
    """

    def __init__(
        self, host: str, port: int, token: str | None = None, title: str = "embodiment_bridge"
    ) -> None:
        address, port = _free(host, port)
        number = ip_address(address.partition("%")[0])
        token = secrets.token_urlsafe(24) if token is None and not number.is_loopback else token or ""
        names = [] if number.is_loopback else own_names(host)
        self._gate = Gate(names, loopback=number.is_loopback, token=token, port=port)
        os.environ.pop("_VISER_PORT_OVERRIDE", None)
        rich.get_console().quiet = True  # viser prints a table; the node logs the address in one line
        self._press: Press = lambda _: ((), "")
        with ExitStack() as unwind:
            with guarded(self._gate, title, lambda button: self._press(button)):
                self._server = viser.ViserServer(host=address, port=port, verbose=False, label=title)
                unwind.callback(self._server.stop)
            unwind.pop_all()
        # A page may ask viser 1.1.1 for a tunnel through a public host: these requests are disabled.
        for request in (ShareUrlRequest, ShareUrlDisconnect):
            self._server._websock_server.unregister_handler(request)
        self.scene, self.gui = self._server.scene, self._server.gui
        port = self._server.get_port()
        self.url: str = f"http://{_in_url(host)}:{port}"
        there = _in_url(socket.gethostname() if number.is_unspecified else host)
        self.entry: str = f"http://{there}:{port}/?token={token}" if token else self.url
        self._loading: viser.GuiHtmlHandle | None = self.gui.add_html(panels.news_html(LOADING))
        self._new: set[int] = set()  # pages that have not seen the robot yet
        self._server.on_client_connect(self._visit)
        self._set_up_scene()

    @property
    def visitors(self) -> int:
        """The number of open pages."""
        return len(self._server.get_clients())

    @property
    def refused(self) -> int:
        """The number of refused requests."""
        return self._gate.refused

    def aim(self, place: Vector, *, yaw: float, far: float = 1.0) -> None:
        """Aim the camera of pages that have just opened at the robot at ``place`` (m), which faces ``yaw`` (rad).

        far: factor on the usual distance.
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
                _look_from(page, eye, place)

    def together(self, draw: Callable[[], None]) -> None:
        """Show all changes that ``draw`` makes in the same frame of the pages."""
        with self._server.atomic():
            draw()

    def close(self) -> None:
        """End the server; open pages keep their content and reconnect to a new server.

        A page that does not answer, such as a frozen tab, would block viser 1.1.1 for 6 s and keep its thread for 10 s.
        """
        connections = tuple(self._server._websock_server._live_connections.values())
        for connection in connections:
            self._server.get_event_loop().call_soon_threadsafe(connection.transport.abort)
        self._server.stop()

    def loaded(self) -> None:
        """Hide the note that the page is loading, as something of a robot is shown."""
        if self._loading is not None:
            self._loading.remove()
            self._loading = None

    def add_buttons(self, press: Press, leave: Callable[[int], None]) -> None:
        """Add the buttons at the edge, and Stop on the space bar; ``leave(page)`` is called when a page is gone."""
        self._press = press

        def stop(_: object) -> None:
            press(STOP)

        self.gui.add_command("Stop", hotkey="space").on_trigger(stop)

        async def gone(page: viser.ClientHandle) -> None:
            leave(page.client_id)

        self._server.on_client_disconnect(gone)

    async def _visit(self, page: viser.ClientHandle) -> None:
        self._new.add(page.client_id)

    def _set_up_scene(self) -> None:
        self.gui.configure_theme(dark_mode=True, show_logo=False, show_share_button=False)
        self.gui.main_panel.dock_right()
        night = self.gui.add_checkbox("Night", False)
        night.on_update(lambda _: paint(self.scene, night=night.value))
        paint(self.scene, night=False)
        self._server.initial_camera.position = EYE
        self._server.initial_camera.look_at = (0.0, 0.0, 0.5)


def _look_from(page: viser.ClientHandle, eye: Vector, place: Vector) -> None:
    """Move the camera of a page, which may be gone by now: viser 1.1.1 would warn of a message to it."""
    with page._websock_connection.get_message_buffer().sanctioned_dead_writes():
        page.camera.position, page.camera.look_at = eye, place


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _free(host: str, port: int) -> tuple[str, int]:
    """Return address and port, after a check that they are free.

    viser 1.1.1 takes another port if this one is not free, and waits for ever on a wrong host.
    """
    if not host:  # it would mean all addresses of this machine
        raise ConfigError(
            "parameter host: '' is not an address (127.0.0.1: this machine only; 0.0.0.0: all networks)"
        )
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            return str(place[0]), probe.getsockname()[1]
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"parameters host and port: no page on {host}:{port}: {error} (port 0 takes a free one)"
        ) from error
