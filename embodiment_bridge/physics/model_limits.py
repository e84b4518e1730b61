# SPDX-License-Identifier: Apache-2.0
"""Limits of models that come from outside, checked in their XML before MuJoCo reads it.

MuJoCo 3.5.0 has none: some hundred bytes can ask for a billion bodies or a texture of many gigabytes.
"""

import re
import struct
from math import prod
from pathlib import Path
from typing import Final

from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import exists, read_bytes
from embodiment_bridge.urdf.meshes import check_asset

MAX_XML: Final = 16 << 20  # bytes of all files of a model; that of a humanoid has 30,000
MAX_INCLUDES: Final = 30  # files inside one another, and folders that a model names
MAX_BODIES: Final = 3_000  # MuJoCo takes 8 s to read so many
MAX_ELEMENTS: Final = 12_000  # bodies, geoms, joints and all others; MuJoCo takes 6 s to read so many geoms
MAX_MEMORY: Final = 512 << 20  # bytes of textures and height fields
MAX_SIZE: Final = 100_000  # limit of a number in <size>, and of the size of a sensor or a made mesh
BODIES: Final = ("body", "composite", "flexcomp")
COPIES: Final = ("replicate", "composite", "flexcomp")
ARENA: Final = ("memory", "njmax", "nconmax", "nstack")  # MuJoCo itself refuses more than there is
FOLDERS: Final = ("meshdir", "texturedir", "assetdir")
POINT: Final = 60  # bytes in a file for each point of a soft body, which becomes a body
PNG: Final = b"\x89PNG\r\n\x1a\n"
_DECLARATION: Final = re.compile(rb"<!(?!--|\[CDATA\[)")


def check_model(path: Path) -> None:
    """Refuse an MJCF model that is over the limits, with all files that it includes or attaches.

    Raises:
        ConfigError: it cannot be read, or is over a limit; the text names the file, the value and the limit.
    """
    model = _Model(path)
    model.add(model.read(path), 1)


class _Model:
    """Counts what MuJoCo would make of a model."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._xml = self._bodies = self._elements = self._memory = 0
        self._within = [path.resolve()]
        self._read: dict[Path, etree._Element] = {}
        self._folders: set[str] = {""}

    def read(self, path: Path) -> etree._Element:
        """Return the root of a file. What MuJoCo could read in another way than we do is refused."""
        what = "model" if path == self._path else f"model {self._path}:"
        text = read_bytes(path, MAX_XML, what)
        self._xml += len(text)
        self._hold(self._xml, MAX_XML, "bytes of XML")
        if _DECLARATION.search(text):
            raise ConfigError(f"{what} {path}: has a <!DOCTYPE ...> or another declaration, which is refused")
        try:
            root = etree.fromstring(text, etree.XMLParser(encoding="utf-8", resolve_entities=False))
        except etree.XMLSyntaxError as error:
            raise ConfigError(f"{what} {path}:{error.lineno}: not well-formed XML: {error.msg}") from None
        for compiler in root.iter("{*}compiler"):
            self._folders.update(filter(None, map(compiler.get, FOLDERS)))
        self._hold(len(self._folders), MAX_INCLUDES, "folders of files")
        return root

    def add(self, element: etree._Element, times: int) -> None:
        """Count an element that is there ``times``, with all below it."""
        if not isinstance(element.tag, str):  # a comment
            return
        tag = etree.QName(element).localname
        if tag in COPIES:
            times *= max(prod(_whole(word) for word in element.get("count", "1").split()), 1)
        self._elements += times
        self._hold(self._elements, MAX_ELEMENTS, "elements, copies included")
        self._bodies += times if tag in BODIES else 0
        self._memory += times * _memory(element, tag)
        self._add_files(element, tag, times)
        self._hold(self._bodies, MAX_BODIES, "bodies, copies included")
        self._hold(self._memory, MAX_MEMORY, "bytes of textures and height fields")
        for name, number in _sizes(element, tag):
            self._hold(number, MAX_SIZE, f"as {name} of <{tag}>")
        for child in element:
            self.add(child, times)

    def _add_files(self, element: etree._Element, tag: str, times: int) -> None:
        # fileup, ... of a texture
        names = {value for key, value in element.items() if key.startswith("file")}
        if tag == "attach":
            models = element.getroottree().xpath("//asset/model[@name=$name]", name=element.get("model", ""))
            names = {model.get("file", "") for model in models}
        for path in self._places(names - {""}):
            if tag in ("include", "model", "attach"):
                self._add_model(path, times)
                continue
            size = check_asset(path, f"model {self._path}:")
            self._memory += _pixels(path) * (16 if tag == "hfield" else 3)
            self._bodies += times * size // POINT if tag == "flexcomp" else 0

    def _add_model(self, path: Path, times: int) -> None:
        if path in self._within:
            raise ConfigError(f"model {self._path}: {path} includes itself")
        self._hold(len(self._within), MAX_INCLUDES, "files inside one another")
        self._within.append(path)
        if path not in self._read:
            self._read[path] = self.read(path)
        self.add(self._read[path], times)
        self._within.pop()

    def _places(self, names: set[str]) -> set[Path]:
        """Return the files that MuJoCo may mean by some names."""
        bases = {self._path.parent, *(path.parent for path in self._within)}
        names = names | {Path(name).name for name in names}  # for compiler strippath
        places = {base / folder / name for base in bases for folder in self._folders for name in names}
        return {place.resolve() for place in places if exists(place)}

    def _hold(self, number: int, most: int, what: str) -> None:
        if number > most:
            raise ConfigError(f"model {self._path}: it has {number} {what}; {most} are the most")


def _whole(word: str) -> int:
    """Return a number of the XML as a whole one; 0 for what is none, which MuJoCo refuses."""
    try:
        return int(min(max(float(word), 0.0), 1e18))
    except ValueError:  # also for nan
        return 0


def _memory(element: etree._Element, tag: str) -> int:
    """Return the bytes of a texture that MuJoCo paints, or of a height field, as measured."""
    if tag == "hfield":
        return 16 * _whole(element.get("nrow", "")) * _whole(element.get("ncol", ""))
    if tag == "texture":
        faces = 1 if element.get("type") == "2d" else 6
        width = _whole(element.get("width", ""))
        return 3 * faces * width * (_whole(element.get("height", "")) or width)
    return 0


def _sizes(element: etree._Element, tag: str) -> list[tuple[str, int]]:
    """Return the numbers of an element that MuJoCo would make as many of something of, by attribute."""
    if tag == "size":
        return [(name, _whole(value)) for name, value in element.items() if name not in ARENA]
    if tag == "user":
        return [("dim", _whole(element.get("dim", "")))]
    if tag == "mesh":
        return [("params", max((_whole(word) ** 2 for word in element.get("params", "").split()), default=0))]
    return []


def _pixels(path: Path) -> int:
    """Return the size of a PNG picture; 0 for another file."""
    with path.open("rb") as file:
        head = file.read(24)
    if len(head) < 24 or not head.startswith(PNG):
        return 0
    width, height = struct.unpack(">II", head[16:])
    return int(width * height)
