# SPDX-License-Identifier: Apache-2.0
"""Limits of the size of a document. Documents come from servers, so every number has a bound before it is used."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds the size of one document; a value over a bound is a problem, never an exception.

    max_bytes: UTF-8 length of the text; 1 MiB is twice a document of 10,000 nodes.
    max_brackets: nesting of JSON brackets, looked at before parsing, because ``json`` gives up at some depth
        of its own (RecursionError below 1,000 brackets in CPython 3.11). A level of BML takes two.
    max_depth: nesting of BML nodes; 64 levels tick and stop far from Python's recursion limit even when
        each has a loop and a box round it.
    max_nodes, max_children: nodes of a document, children of one node.
    max_name, max_text, max_url: characters of a name or key, of spoken text, of a URL.
    max_pointer: characters of a JSON pointer; keys may become part of it (children in an object).
    max_duration_s: s; one day.
    max_loop: iterations; -1 (for ever) is always allowed.
    max_condition_depth, max_condition_parts: nesting of one condition, comparisons and groups in it (also
        values of an ``in``).
    max_args: arguments of a subtree.
    max_expanded_bytes: text of all subtrees, each as often as it is used.
    max_problems: how many problems are listed one by one; the rest is counted in a last one.
    """

    max_bytes: int = 1 << 20
    max_brackets: int = 136
    max_depth: int = 64
    max_nodes: int = 10_000
    max_children: int = 1000
    max_name: int = 200
    max_text: int = 4000
    max_url: int = 2048
    max_pointer: int = 2048
    max_duration_s: float = 86_400.0
    max_loop: int = 1_000_000_000
    max_condition_depth: int = 8
    max_condition_parts: int = 100
    max_args: int = 50
    max_expanded_bytes: int = 8 << 20
    max_problems: int = 1000
