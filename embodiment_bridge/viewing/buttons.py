# SPDX-License-Identifier: Apache-2.0
"""Additions to the page of viser: the buttons Stop and emergency stop, a title, and files that can be dropped on it.

They are no part of the panel, which can be folded, scrolls on a narrow page and covers the robot there. A press is a
request with a header of its own, so nothing that waits on the websocket delays it; a page of others cannot set the
header without the permission of this server, which gives none.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from embodiment_bridge.core.unicode_text import one_line

TITLE: Final = b"<title>Viser</title>"

# A dropped file goes the way of one that is chosen with the button, which is that of the first robot. On a page that
# does not steer there is no button, and nothing happens; in no case does the browser leave the page to show the file.
DROP: Final = b"""<script>
for (const kind of ["dragover", "drop"]) addEventListener(kind, event => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    const button = document.querySelector("input[type=file]");
    if (kind === "dragover" || !button || !event.dataTransfer.files.length) return;
    const first = new DataTransfer();
    first.items.add(event.dataTransfer.files[0]);
    button.files = first.files;
    button.dispatchEvent(new Event("change", {bubbles: true}));
});
</script>"""


def own(page: bytes | bytearray, title: str) -> bytes:
    """Return the HTML of viser with this title and our scripts."""
    return bytes(page).replace(TITLE, f"<title>{escape(title)}</title>".encode() + DROP + SCRIPT, 1)


STOP, EMERGENCY_STOP, RELEASE = "stop", "emergency_stop", "release"
BUTTONS: Final = (STOP, EMERGENCY_STOP, RELEASE)
PATH: Final = "/buttons"
HEADER: Final = "X-Press"
Press = Callable[[str], tuple[Sequence[str], str]]
"""Does what a button is for, or nothing where it is empty; returns those that can work now, and what is amiss."""

# Asked again and again, because services come and go. The space bar presses no button that was clicked before.
SCRIPT: Final = (
    """<script>
addEventListener("DOMContentLoaded", () => {
    const bar = document.createElement("div");
    const words = {stop: "Stop", emergency_stop: "Emergency stop", release: "Release"};
    bar.id = "buttons";
    bar.style.cssText = "position:fixed;top:8px;left:8px;z-index:100000;display:flex;flex-wrap:wrap;gap:8px";
    const amiss = document.createElement("div");
    amiss.style.cssText = "font:600 16px sans-serif;padding:10px 14px;color:#c62828;background:#fff";
    document.body.append(bar);
    const show = (names, text) => {
        amiss.textContent = text;
        amiss.hidden = !text;
        if (bar.dataset.shown === names.join()) return;
        bar.dataset.shown = names.join();
        bar.replaceChildren(...names.map(name => {
            const button = document.createElement("button");
            button.textContent = words[name];
            button.style.cssText = "font:600 16px sans-serif;padding:10px 14px;border:0;border-radius:6px;"
                + (name === "release" ? "color:#222;background:#e0e0e0" : "color:#fff;background:#c62828");
            button.onclick = () => {
                button.blur();
                if (name !== "release" || confirm("Release the emergency stop? Torque comes back at once.")) ask(name);
            };
            return button;
        }), amiss);
    };
    const ask = async press => {
        try {
            const answer = await fetch("PATH", {headers: press ? {"HEADER": press} : {}});
            if (!answer.ok) throw answer.status;
            const [names, text = ""] = (await answer.text()).split("\\n");
            show(names.split(" ").filter(Boolean), text);
            bar.style.opacity = 1;
        } catch {
            bar.style.opacity = .4;
            if (press) alert("The viewer does not answer: nothing was stopped.");
        }
    };
    ask("");
    setInterval(ask, 1000, "");
});
</script>""".replace("PATH", PATH)
    .replace("HEADER", HEADER)
    .encode()
)


def answer(press: Press, pressed: Sequence[str]) -> bytes:
    """Return the names of the buttons that can work, and a line of what is amiss, after the pressed ones are done."""
    names: Sequence[str] = ()
    amiss = ""
    for button in pressed or [""]:
        names, amiss = press(button if button in BUTTONS else "")
    return "\n".join([" ".join(names), *([one_line(amiss)] if amiss else [])]).encode()
