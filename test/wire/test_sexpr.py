# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.wire.sexpr import DEFAULT_MAX_SIZE, Piece, SexprError, build, parse, split

ATOMS = st.text(st.characters(exclude_characters=" \t\n\r\f\v()", exclude_categories=["Cs"]), min_size=1)
NODES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=5), max_leaves=30)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (b"", []),
        (b" \n", []),
        (b"()", [[]]),
        (b"(syn)", [["syn"]]),
        (b"(time (now 4.01))", [["time", ["now", "4.01"]]]),
        (b"(a b)(c)", [["a", "b"], ["c"]]),
        (b"(a(b)c)", [["a", ["b"], "c"]]),
        (b" ( a\tb\r\n( c ) ) ", [["a", "b", ["c"]]]),
        (b"loose (a)", ["loose", ["a"]]),
        (b'(say "a b")', [["say", '"a', 'b"']]),
        ("(tl Bär\u00a0\u3000)".encode(), [["tl", "Bär\u00a0\u3000"]]),
    ],
)
def test_parse(text, nodes):
    assert parse(text) == nodes


@pytest.mark.parametrize(
    ("text", "reason", "position"),
    [
        (b"(a", r"'\(' without its '\)'", 0),
        (b"(a)(b(c)", r"'\(' without its '\)'", 3),
        (b"(a))", r"'\)' without its '\('", 3),
        (b")", r"'\)' without its '\('", 0),
        ("(ä))".encode(), r"'\)' without its '\('", 4),
        (b"(a \xff)", "not UTF-8", 3),
        (b"(a(b(c(d))))", "list nested deeper than 3", 6),
        (b"x" * 101, "message of 101 bytes, longer than 100", 100),
    ],
)
def test_parse_names_the_position_of_an_error(text, reason, position):
    with pytest.raises(SexprError, match=f"^{reason} at byte {position}$") as caught:
        parse(text, max_depth=3, max_size=100)
    assert caught.value.position == position


def test_limits_are_inclusive():
    assert parse(b"(a(b(c)))", max_depth=3, max_size=9) == [["a", ["b", ["c"]]]]
    assert parse(b" " * DEFAULT_MAX_SIZE) == []
    with pytest.raises(SexprError, match="message of 1048577 bytes, longer than 1048576"):
        parse(b" " * ((1 << 20) + 1))


@pytest.mark.parametrize("text", [b"(" * 500_000, b"()" * 300_000, b"(" * 300_000 + b")" * 300_000])
def test_deep_and_long_input_costs_no_stack(text):
    pieces = list(split(text))
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    if b"()" not in text[:2]:
        with pytest.raises(SexprError, match="deeper than 200 at byte 200"):
            parse(text)


@given(NODES)
def test_what_is_built_is_parsed_back(node):
    assert parse(build(node).encode()) == [node]


def test_build_spells_one_blank_between_elements():
    assert build(["a", ["b", "1"], [], "c"]) == "(a (b 1) () c)"


@pytest.mark.parametrize("atom", ["", "a b", "a\n", "(", "a)"])
def test_build_refuses_what_is_no_atom(atom):
    with pytest.raises(ValueError, match="cannot be an atom"):
        build(["a", [atom]])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (b"", []),
        (b"  ", []),
        (b"(a)(b (c))", [Piece(0, 3), Piece(3, 10)]),
        (b" (a) \n(b) ", [Piece(1, 4), Piece(6, 9)]),
        (b"x (a) y z", [Piece(0, 1, "loose"), Piece(2, 5), Piece(6, 9, "loose")]),
        (b"(a))(b)", [Piece(0, 3), Piece(3, 4, "')'"), Piece(4, 7)]),
        (
            b"(a)x)y(b)z",
            [
                Piece(0, 3),
                Piece(3, 4, "loose"),
                Piece(4, 5, "')'"),
                Piece(5, 6, "loose"),
                Piece(6, 9),
                Piece(9, 10, "loose"),
            ],
        ),
        (b"(a)(b", [Piece(0, 3), Piece(3, 5, "'('")]),
        (b"junk", [Piece(0, 4, "loose")]),
    ],
)
def test_split(text, pieces):
    full = {
        "loose": "text outside of any list",
        "')'": "')' without its '('",
        "'('": "'(' without its ')'",
        "": "",
    }
    assert list(split(text)) == [Piece(piece.start, piece.end, full[piece.problem]) for piece in pieces]


@given(st.text("() a\n", max_size=40).map(str.encode))
def test_split_finds_the_lists_that_parse_finds(text):
    pieces = list(split(text))
    try:
        lists = [node for node in parse(text) if isinstance(node, list)]
    except SexprError:
        assert any(piece.problem for piece in pieces)
        return
    assert [parse(text[piece.start : piece.end]) for piece in pieces if not piece.problem] == [
        [x] for x in lists
    ]


@given(st.text("() a\n", max_size=40).map(str.encode))
def test_split_leaves_out_nothing_but_white_space(text):
    end = 0
    for piece in split(text):
        assert not text[end : piece.start].strip()
        assert text[piece.start : piece.end].strip()
        end = piece.end
    assert not text[end:].strip()


@given(st.lists(NODES.filter(lambda node: isinstance(node, list)), max_size=4))
def test_agrees_with_the_parser_of_the_server(nodes):
    server = pytest.importorskip("rcsssmj.utils.sexpression")

    def plain(node):
        return [x.decode() if isinstance(x, bytes) else plain(x) for x in node]

    text = "".join(build(node) for node in nodes).encode()
    assert plain(server.SExpression.from_array(text)) == parse(text) == nodes
