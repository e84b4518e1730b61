# SPDX-License-Identifier: Apache-2.0
"""The text of the panel as HTML. Every text from the graph is escaped and cut."""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from embodiment_bridge.msg import BodyStatus, HeardMessage, LinkState, TreeNode, TreeSnapshot

MOST_NODES = 300  # limit of the drawn tree
MOST_BARS = 40
MOST_NEWS = 12  # lines
MOST_TEXT = 160  # characters of one text
DEEPEST = 24  # levels that are indented

MARKS = {"RUNNING": "▶", "SUCCESS": "✔", "FAILURE": "✘", "INVALID": "·"}
COLORS = {"RUNNING": "#ffb74d", "SUCCESS": "#81c784", "FAILURE": "#e57373", "INVALID": "#8a929c"}
LINKS = ("closed", "connecting", "handshake", "ready", "backoff")
POSTURES = ("unknown", "standing", "fallen", "walking")
GOOD, BAD, PLAIN = "#81c784", "#e57373", "#cfd4da"


def text_of(value: object) -> str:
    """Return any value as a text, escaped for HTML and limited in length."""
    text = str(value)
    return escape(text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…")


def tree_html(tree: TreeSnapshot) -> str:
    """Return the HTML of a tree: one line per node, the running path in bold."""
    nodes = list(tree.nodes)[:MOST_NODES]
    if not nodes:
        paused = tree.state == "PAUSED" and not tree.run_id
        text = "paused: nothing begins before Go on" if paused else "nothing runs"
        return _block("Behaviour tree", _line(text, COLORS["INVALID"]))
    depths: list[int] = []
    for index, node in enumerate(nodes):
        depths.append(depths[node.parent] + 1 if 0 <= node.parent < index else 0)
    lines = [_node(node, depth) for node, depth in zip(nodes, depths, strict=True)]
    if len(tree.nodes) > MOST_NODES:
        lines.append(_line(f"… and {len(tree.nodes) - MOST_NODES} more", COLORS["INVALID"]))
    return _block(f"Behaviour tree: {text_of(tree.state.lower())}, {tree.elapsed:.1f} s", "".join(lines))


def _node(node: TreeNode, depth: int) -> str:
    color = COLORS.get(node.status, PLAIN)
    words = " ".join(text_of(word) for word in (node.type, node.label, node.name) if word)
    weight = 700 if node.status == "RUNNING" else 400
    return (
        f'<div style="padding-left:{min(depth, DEEPEST) * 0.9:.1f}em;color:{color};font-weight:{weight}">'
        f"{MARKS.get(node.status, '?')} {words}</div>"
    )


def bars_html(title: str, names: Sequence[str], levels: Sequence[float], color: str) -> str:
    """Return the HTML of levels, 0 to 1, as bars."""
    rows = [_bar(name, level, color) for name, level in list(zip(names, levels, strict=False))[:MOST_BARS]]
    return _block(title, "".join(rows)) if rows else ""


def _bar(name: str, level: float, color: str) -> str:
    percent = 100.0 * min(max(level, 0.0), 1.0) if math.isfinite(level) else 0.0
    return (
        '<div style="display:flex;align-items:center;gap:.5em">'
        f'<span style="width:7.5em;overflow:hidden;text-overflow:ellipsis">{text_of(name)}</span>'
        '<span style="flex:1;background:#3a4149;border-radius:3px;height:.7em">'
        f'<span style="display:block;width:{percent:.0f}%;height:100%;border-radius:3px;background:{color}"></span>'
        f'</span><span style="width:2.6em;text-align:right">{level:.2f}</span></div>'
    )


def status_html(links: Mapping[str, LinkState], body: BodyStatus | None, missing: Sequence[str] = ()) -> str:
    """Return the HTML of the links by name, of the body where it is known, and of the topics that have not come."""
    rows = [_link(name, link) for name, link in links.items()]
    if body is not None:
        posture = _word(POSTURES, body.posture)
        words = [posture, "torque on" if body.torque else "limp", *(["stopped"] if body.stopped else [])]
        bad = posture == "fallen" or body.stopped or body.reason
        color = BAD if bad else GOOD if body.torque else COLORS["INVALID"]
        rows.append(_line(f"body: {', '.join(words)} {text_of(body.reason)}", color))
    if missing:
        rows.append(_line(f"not drawn: nothing has come on {' and '.join(missing)}", COLORS["INVALID"]))
    return _block("Status", "".join(rows)) if rows else ""


def _link(name: str, link: LinkState) -> str:
    state = _word(LINKS, link.state)
    color = GOOD if state == "ready" else COLORS["INVALID"] if state == "closed" else BAD
    return _line(f"{text_of(name)}: {state} {text_of(link.peer)} {text_of(link.reason)}", color)


def heard_html(heard: Iterable[HeardMessage]) -> str:
    """Return the HTML of what was heard, newest last."""
    rows = [f"<div>{text_of(one.sender or 'unknown')}: <i>{text_of(one.text)}</i></div>" for one in heard]
    return _block("Heard", "".join(rows)) if rows else ""


def news_html(text: str, *, bad: bool = False) -> str:
    """Return the HTML of a line of news; empty for none."""
    lines = [_line(text_of(line), BAD if bad else PLAIN) for line in text.splitlines()[:MOST_NEWS]]
    return (
        f'<div style="font-size:.8em;line-height:1.45;padding:.2em .8em">{"".join(lines)}</div>'
        if lines
        else ""
    )


def _block(title: str, body: str) -> str:
    return (
        '<div style="font-size:.8em;line-height:1.45;padding:.2em .8em .5em">'
        f'<div style="opacity:.65;margin-bottom:.15em">{title}</div>{body}</div>'
    )


def _line(text: str, color: str) -> str:
    return f'<div style="color:{color}">{text}</div>'


def _word(words: Sequence[str], number: int) -> str:
    return words[number] if 0 <= number < len(words) else "unknown"
