# SPDX-License-Identifier: Apache-2.0
"""Nodes in a few words, for journals and drawings."""

from embodiment_bridge.bml import document as bml


def kind_of(node: bml.Node) -> str:
    """The node's type as people know it: sequence, loop, box, delay, body, emotion, player, ..."""
    return node.kind if isinstance(node, (bml.Composite, bml.Body)) else type(node).__name__.lower()


def label_of(node: bml.Node) -> str:
    """What a leaf does, in a few words. A URL is shown without user, query and fragment, where secrets are."""
    if isinstance(node, bml.Body):
        return node.action
    if isinstance(node, bml.Player):
        volume = f"{node.volume:g} %" if node.volume is not None and node.action == "setVolume" else ""
        return " ".join(filter(None, (node.action, _shown(node.url), volume)))
    if isinstance(node, bml.Request):
        return f"GET {_shown(node.url)}"
    if isinstance(node, bml.Speak):
        return f"speak {node.content}"
    if isinstance(node, bml.Set):
        return f"{node.key} = {'null' if node.value is None else repr(node.value)}"
    return f"target {node.target}" if isinstance(node, bml.Stop) and node.target else ""


def _shown(url: str) -> str:
    scheme, sign, rest = url.partition("?")[0].partition("#")[0].partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{sign}{place.rpartition('@')[2]}{slash}{path}"
