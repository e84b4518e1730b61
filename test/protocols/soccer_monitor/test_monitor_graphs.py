# SPDX-License-Identifier: Apache-2.0
"""Texts of scene graphs and what is read in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from monitor_stage import SHORT, UNIT, payloads, slt

from embodiment_bridge.protocols.soccer.list_fields import BadListError
from embodiment_bridge.protocols.soccer_monitor.graph_reader import read_by_tokens, read_graph, read_quickly
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Matrices
from embodiment_bridge.wire.sexpr import DEFAULT_MAX_DEPTH, parse

BOX = Detail("SMN", "StdUnitBox", (), (1.0, 51.0, 1.0), True, None, ("matGrey",))
MESH = "(nd StaticMesh (load models/rlowerarm.obj) (sSc 0.05 0.05 0.05)(resetMaterials matLeft naowhite))"
LIGHT = "(nd Light (setDiffuse 1 1 1 1) (setAmbient 0.8 0.8 0.8 1) (setSpecular 0.1 0.1 0.1 1))"
NODES = {
    "(nd SMN (setVisible 1) (load StdUnitBox) (sSc 1 51 1) (sMat matGrey))": BOX,
    "(nd SMN (load StdUnitBox) (sSc 1 51 1) (setVisible 1)(sMat matGrey))": BOX,
    MESH: Detail(
        "StaticMesh", "models/rlowerarm.obj", (), (0.05, 0.05, 0.05), materials=("matLeft", "naowhite")
    ),
    LIGHT: Detail("Light", lights=(1, 1, 1, 1, 0.8, 0.8, 0.8, 1, 0.1, 0.1, 0.1, 1)),
    "(nd SMN (setVisible 0) (setTransparent) (load StdUnitCylinder 1 2))": Detail(
        "SMN", "StdUnitCylinder", (1.0, 2.0), visible=False, transparent=True
    ),
    "(nd SMN (load StdCapsule 0.015 0.08))": Detail("SMN", "StdCapsule", (0.015, 0.08)),
    "(nd SMN (setVisible 1)(load StdUnitSphere)(rgba 0.8 0.8 0.8 1.0)(sSc 1 1 1))": Detail(
        "SMN", "StdUnitSphere", (), (1.0, 1.0, 1.0), True, color=(0.8, 0.8, 0.8, 1.0)
    ),
    "(nd DSC(agent teamBlue 1))": Detail("DSC", words=("agent", "teamBlue", "1")),
    "(nd DSC(ball))": Detail("DSC", words=("ball",)),
    "(nd StaticMesh (setVisible 1))": Detail("StaticMesh", visible=True),
    "(nd StaticMesh)": Detail("StaticMesh"),
    "(nd FancyNode (load thing))": Detail("FancyNode", "thing", ()),
    "(nd SMN (sSc nan inf -inf))": Detail(
        "SMN", scale=pytest.approx((float("nan"), float("inf"), float("-inf")), nan_ok=True)
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", NODES)
def test_node_says(text):
    graph = read_graph(text)
    assert graph.depths == [0]
    assert graph.details == [(0, NODES[text])]
    assert graph.unknown == []


SHAPES = {
    "": [],
    "(nd)": [0],
    "(nd(nd))(nd)": [0, 1, 0],
    "( nd ( nd ) )": None,
    "(nd (nd StaticMesh) (nd(nd)(nd)))": [0, 1, 1, 2, 2],
    f"(nd BN (nd TRF {slt()}(nd BN)))": [0, 1, 2],
    f"(nd (nd) {slt()} (nd))": [0, 1, 1],
    "(nd \t\n TRF)": [0],
}


@pytest.mark.parametrize("text", [text for text, shape in SHAPES.items() if shape is not None])
def test_shape(text):
    assert read_graph(text).depths == SHAPES[text]


def test_matrix_belongs_to_the_node_it_stands_in_wherever_it_stands():
    graph = read_graph(f"(nd TRF {slt(1)}(nd(nd) {slt(2)}))(nd (SLT {UNIT}))")
    assert [(index, matrix[12]) for index, matrix in graph.matrices] == [(0, 1.0), (1, 2.0), (3, 0.0)]


BAD = {
    "(nd": "'(' without its ')'",
    "(nd))": "')' without its '('",
    ")": "')' without its '('",
    "hello": "where a node should be",
    "(hello)": "where a node should be",
    "(nd TRF (SLT 1 2 3))": "not SLT and 16 numbers",
    f"(nd TRF (SLT {UNIT} 1))": "not SLT and 16 numbers",
    f"(nd TRF (SLT x{UNIT[1:]}))": "not SLT and 16 numbers",
    f"(nd TRF (SLT 1_0{UNIT[1:]}))": "not SLT and 16 numbers",
    f"(SLT {UNIT})": "where a node should be",
    "(nd SMN (sSc 1 2))": "2 values instead of 3",
    "(nd SMN (sSc 1 2 x))": "'x' is no number",
    "(nd SMN (load))": "load has no mesh",
    "(nd SMN (setVisible 1 2))": "2 values instead of 1",
    "(nd SMN (setVisible yes))": "'yes' is no number",
    "(nd Light (setDiffuse 1 1 1))": "3 values instead of 4",
    "(nd TRF and more)": "is no node",
    "(nd (nd loose words (nd)))": "is no node",
    "(nd (nd) loose)": "where a node should be",
    "(nd (what (is (this)))": "'(' without its ')'",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_graph_is_refused(text):
    with pytest.raises(BadListError) as caught:
        read_graph(text)
    assert BAD[text] in str(caught.value)


def test_unknown_attributes_are_told_and_the_rest_is_read():
    graph = read_graph("(nd SMN (glow 1)(shade (of (grey)) 3)(load StdUnitBox)(ndx 1))(nd)")
    assert graph.unknown == ["(glow 1)", "(ndx 1)", "(shade (of (grey)) 3)"]
    assert graph.details[0][1].mesh == "StdUnitBox"
    assert graph.depths == [0, 0]


@pytest.mark.parametrize(
    "text",
    ["(nd" * 10**6, "(" * 10**6, ")" * 10**6, "(nd" * 10**5 + ")" * 10**5, "(nd (x " * 10**5, "((" * 10**5],
)
def test_a_million_levels_are_refused(text):
    with pytest.raises(BadListError):
        read_graph(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(nd " * (DEFAULT_MAX_DEPTH + 2) + ")" * (DEFAULT_MAX_DEPTH + 2), "nested deeper"),
        ("(nd SMN (shade (of grey)", "without its '\\)'"),
    ],
)
def test_graph_that_is_too_deep_or_breaks_off_is_refused(text, words):
    with pytest.raises(BadListError, match=words):
        read_graph(text)


def test_unknown_attributes_before_a_matrix_are_told():
    graph = read_graph(f"(nd SMN (glow 1)(nd TRF {slt(1)}))")
    assert (graph.unknown, graph.depths) == (["(glow 1)"], [0, 1])


def test_matrices_are_what_is_in_them():
    one, other = Matrices(), Matrices()
    one.add(3, (1.0,) * 16)
    assert (len(one), len(other), one == other, one == 3) == (1, 0, False, False)
    other.add(3, (1.0,) * 16)
    assert one == other
    assert list(one) == [(3, (1.0,) * 16)]
    assert repr(one) == repr([(3, (1.0,) * 16)])


def test_too_many_nodes_are_refused():
    assert len(read_graph("(nd)" * 20000).depths) == 20000
    for text in ("(nd)" * 20001, "(nd(nd (a (b))))" * 10001):
        with pytest.raises(BadListError, match="more than 20000 nodes"):
            read_graph(text)


def test_giant_words_are_read_or_refused_and_not_quoted_whole():
    giant = "a" * 10**6
    assert read_graph(f"(nd SMN (load {giant}))").details[0][1].mesh == giant
    with pytest.raises(BadListError) as caught:
        read_graph(f"(nd SMN (setVisible {giant}))")
    assert len(str(caught.value)) < 500


def depths_by_parsing(text):
    """The shape as the general reader of S-expressions sees it."""
    found = []
    todo = [(node, 0) for node in reversed(parse(text.encode()))]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, list) and node[:1] == ["nd"]:
            found.append(depth)
            todo += [(child, depth + 1) for child in reversed(node)]
    return found


@pytest.mark.parametrize("protocol", SHORT)
def test_recorded_graphs_have_the_shape_that_the_general_reader_sees(protocol):
    for payload in payloads(SHORT[protocol])[:20]:
        text = payload.decode()
        graph = text[text.index("(nd") : text.index("((gs") - 1 if "RSMP" in text else -1]
        assert read_graph(graph).depths == depths_by_parsing(graph)


PIECES = st.sampled_from([*"()nd STRFL1. x", "(nd", "(nd ", "(nd)", "(SLT ", "))", slt(), "(load x)"])


TREES = st.recursive(
    st.sampled_from(["(nd)", "(nd StaticMesh)", f"(nd TRF {slt()})", "(nd SMN (load StdUnitBox))"]),
    lambda inner: st.builds(
        lambda head, children, blank: head + blank.join(children) + ")",
        st.sampled_from(["(nd", "(nd ", f"(nd TRF {slt()}", "(nd BN ", "(nd DSC(ball)"]),
        st.lists(inner, max_size=4),
        st.sampled_from(["", " ", "\n"]),
    ),
    max_leaves=20,
)


def general(text):
    """What the general way reads, without looking things up."""
    try:
        return read_by_tokens(text)
    except BadListError:
        return None


@pytest.mark.parametrize("protocol", SHORT)
def test_recorded_graphs_are_read_alike_in_both_ways_and_quickly(protocol):
    for payload in payloads(SHORT[protocol]):
        text = payload.decode()
        graph = text[text.index("(nd") : text.index("((gs") - 1 if "RSMP" in text else -1]
        assert read_quickly(graph) == general(graph) is not None


@given(text=st.lists(TREES, max_size=4).map("".join) | st.lists(PIECES, max_size=40).map("".join))
def test_what_is_read_quickly_is_what_the_general_way_reads(text):
    try:
        quick = read_quickly(text)
    except BadListError:
        return
    if quick is not None:
        assert repr(quick) == repr(general(text))


@given(text=st.lists(TREES, max_size=4).map("".join))
def test_any_tree_has_the_shape_that_the_general_reader_sees(text):
    assert read_graph(text).depths == depths_by_parsing(text)


@given(text=st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_read_or_refused(text):
    try:
        graph = read_graph(text)
    except BadListError:
        return
    assert all(index < len(graph.depths) for index, _ in (*graph.matrices, *graph.details))
