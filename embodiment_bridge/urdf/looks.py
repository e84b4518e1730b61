# SPDX-License-Identifier: Apache-2.0
"""Reads what a robot looks like: materials and visuals. Looks never refuse a robot.

What cannot be drawn is left out and a colour that is not known is grey, with a warning.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from lxml import etree

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.urdf.model import Box, Capsule, Cylinder, Link, Mesh, Origin, Shape, Sphere, Visual
from embodiment_bridge.urdf.source import attribute, child, named, number, numbers, problem, quote, vector

Rgba = tuple[float, float, float, float]

DEFAULT_RGBA: Rgba = (0.7, 0.7, 0.7, 1.0)  # of a visual without a material, or with only a texture
ROUND: Final[Mapping[str, type[Cylinder | Capsule]]] = {"cylinder": Cylinder, "capsule": Capsule}


def mend_shapes(root: etree._Element) -> list[str]:
    """Make the shapes and colours of a description such that every reader takes them; return warnings.

    Visuals and collisions whose shape cannot be read are removed, a colour that cannot be read becomes grey.
    """
    warnings = []
    for shape in [*root.iterfind("link/visual"), *root.iterfind("link/collision")]:
        try:
            read_shape(child(shape, "geometry"))
            read_origin(shape)
        except ConfigError as error:
            warnings.append(f"{error}; this {shape.tag} is left out")
            shape.getparent().remove(shape)
    for color in [*root.iterfind("material/color"), *root.iterfind("link/visual/material/color")]:
        try:
            r, g, b, a = numbers(color, "rgba", DEFAULT_RGBA, minimum=0.0)
        except ConfigError as error:
            warnings.append(f"{error}; it is grey")
            r, g, b, a = DEFAULT_RGBA
        if max(r, g, b, a) > 1.0:
            text = f"rgba {quote(color.get('rgba'))} is above 1: taken as of 255"
            warnings.append(str(problem(color, text)))
            most = 255.0 if max(r, g, b) > 1.0 else 1.0
            r, g, b, a = (min(part, 1.0) for part in (r / most, g / most, b / most, a))
        color.set("rgba", f"{r:g} {g:g} {b:g} {a:g}")
    known = {name for material in _materials(root) if (name := _name(material)) and len(material)}
    known.update(map(_name, root.iterfind("material")))
    for material in root.iterfind("link/visual/material"):
        name = _name(material)
        if name and not len(material) and name not in known:
            warnings.append(f"{problem(material, unknown('material', name, known))}; it is grey")
            known.add(name)
    return warnings


def read_looks(root: etree._Element) -> dict[str, Link]:
    """The links of a mended description by name, with their visuals.

    Raises:
        ConfigError: a link has no name, or that of another.
    """
    rgba: dict[str, Rgba] = {}
    for material in _materials(root):  # one that a visual defines counts everywhere, as in urdfdom
        if len(material):
            rgba.setdefault(_name(material), _color(material))
    return {name: Link(name, tuple(_visuals(link, rgba))) for name, link in named(root, "link").items()}


def _materials(root: etree._Element) -> list[etree._Element]:
    return [*root.iterfind("material"), *root.iterfind("link/visual/material")]


def _name(material: etree._Element) -> str:
    return str(material.get("name", "")).strip()


def _color(material: etree._Element) -> Rgba:
    color = material.find("color")
    if color is None:
        return DEFAULT_RGBA
    r, g, b, a = numbers(color, "rgba", DEFAULT_RGBA)
    return r, g, b, a


def _visuals(link: etree._Element, rgba: Mapping[str, Rgba]) -> Iterator[Visual]:
    for visual in link.iterfind("visual"):
        material = visual.find("material")
        color = DEFAULT_RGBA
        if material is not None:
            own = material.find("color") is not None
            color = _color(material) if own else rgba.get(_name(material), DEFAULT_RGBA)
        yield Visual(read_shape(child(visual, "geometry")), read_origin(visual), color)


def read_shape(geometry: etree._Element) -> Shape:
    """The shape of a ``<geometry>``.

    Raises:
        ConfigError: there is not one shape, it is unknown, or a size is missing or not a number of 0 or more.
    """
    if len(geometry) != 1:
        raise problem(geometry, f"has {len(geometry)} shapes, not one")
    shape = geometry[0]
    if shape.tag == "box":
        attribute(shape, "size")
        return Box(vector(shape, "size", (0.0, 0.0, 0.0), minimum=0.0))
    if shape.tag in ROUND:
        return ROUND[shape.tag](number(shape, "radius", minimum=0.0), number(shape, "length", minimum=0.0))
    if shape.tag == "sphere":
        return Sphere(number(shape, "radius", minimum=0.0))
    if shape.tag == "mesh":
        return Mesh(attribute(shape, "filename"), vector(shape, "scale", (1.0, 1.0, 1.0)))
    raise problem(geometry, unknown("shape", shape.tag, ("box", *ROUND, "mesh", "sphere")))


def read_origin(element: etree._Element) -> Origin:
    """The place of a joint or a visual.

    Raises:
        ConfigError: its numbers are not three and three finite ones.
    """
    origin = element.find("origin")
    if origin is None:
        return Origin()
    return Origin(vector(origin, "xyz", (0.0, 0.0, 0.0)), vector(origin, "rpy", (0.0, 0.0, 0.0)))
