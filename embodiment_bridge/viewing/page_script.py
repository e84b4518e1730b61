# SPDX-License-Identifier: Apache-2.0
"""Additions to the page of viser: a title of this package, buttons at its edge, and files that can be dropped on it."""

from html import escape
from typing import Final

from embodiment_bridge.viewing import buttons

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
    """The HTML of viser with this title and our scripts."""
    return bytes(page).replace(TITLE, f"<title>{escape(title)}</title>".encode() + DROP + buttons.SCRIPT, 1)
