# SPDX-License-Identifier: Apache-2.0
"""Text that is no document at all, or no JSON, or more than JSON allows."""

import json

import pytest
from bml_documents import resolves

from embodiment_bridge.bml import Limits, read
from embodiment_bridge.bml.reading.json_values import bracket_depth

WAIT = '{"type":"delay","duration":1}'


def found(result):
    return [(p.pointer, p.code, p.fatal) for p in result.problems]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "NOT_JSON"),
        ("", "NOT_JSON"),
        ("   ", "NOT_JSON"),
        ("{", "NOT_JSON"),
        ("]", "NOT_JSON"),
        (WAIT + WAIT, "NOT_JSON"),
        ("{'type':'stop'}", "NOT_JSON"),
        ('{"type":"stop",}', "NOT_JSON"),
        ('{"type":"st\nop"}', "NOT_JSON"),
        (r'{"type":"st\qop"}', "NOT_JSON"),
        (r'{"type":"st\_op", "name": "\q"}', "NOT_JSON"),
        (b'{"type":"st\xffop"}', "NOT_UTF8"),
        (WAIT.encode("utf-16"), "NOT_UTF8"),
        (WAIT.encode("utf-16-le"), "NOT_JSON"),
        (b"\xed\xa0\x80", "NOT_UTF8"),
    ],
)
def test_text_that_is_no_json(text, code):
    for strict in (False, True):
        result = read(text, strict=strict)
        assert found(result) == [("", code, True)]
        assert result.document is None


def test_syntax_error_has_line_and_column():
    assert "line 3 column 1" in read('{"type":\n"stop"\n').problems[0].message


def test_byte_order_mark_is_tolerated():
    for text in ("\ufeff" + WAIT, ("\ufeff" + WAIT).encode()):
        assert found(read(text)) == [("", "BYTE_ORDER_MARK", False)]
        assert read(text).document == read(WAIT).document
        assert found(read(text, strict=True)) == [("", "BYTE_ORDER_MARK", True)]


def test_underscores_as_a_markdown_page_shows_them_are_tolerated():
    text = r'{"type":"body","action":"EYE\_RED","name":"a \\_ \" b"}'
    assert found(read(text)) == [("", "MARKDOWN_ESCAPE", False)]
    root = read(text).document.root
    assert (root.action, root.name) == ("EYE_RED", 'a \\_ " b')
    assert read(text, strict=True).document is None


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400, "9" * 5000]
)
@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"type":"delay","duration":%s}', "/duration"),
        ('{"type":"delay","duration":1,"loop":%s}', "/loop"),
        ('{"type":"sequence","behaviors":[{"type":"delay","duration":1,"extra":{"a/b":[0,%s]}}]}',
         "/behaviors/0/extra/a~1b/1"),
        ("[1,%s]", "/1"),
        ("%s", ""),
    ],
)  # fmt: skip
def test_number_that_is_not_finite_is_told_at_its_place(text, pointer, number):
    result = read(text % number)
    assert (pointer, "NOT_FINITE", True) in found(result)
    assert result.document is None


def test_bad_numbers_are_told_in_text_order():
    text = '{"type":"stop","a":[NaN,{"b":NaN}],"c":NaN}'
    assert [p.pointer for p in read(text).problems if p.fatal] == ["/a/0", "/a/1/b", "/c"]


def test_longest_integer_is_only_out_of_range():
    result = read('{"type":"delay","duration":%s}' % ("9" * 400))
    assert found(result) == [("/duration", "OUT_OF_RANGE", True)]


def test_repeated_keys_are_told_at_their_place():
    text = '{"type":"sequence","behaviors":[{"type":"stop","name":"a","x":1,"name":"b","x":2,"x":3}]}'
    assert found(read(text))[:2] == [
        ("/behaviors/0/name", "DUPLICATE_KEY", True),
        ("/behaviors/0/x", "DUPLICATE_KEY", True),
    ]


def test_lone_surrogates_are_told_at_their_place():
    text = r'{"type":"speak","content":"a\ud800b","name":"\ud83d\ude00"}'
    assert found(read(text)) == [("/content", "LONE_SURROGATE", True)]
    assert found(read('{"type":"stop","name":"a\udc80"}')) == [("/name", "LONE_SURROGATE", True)]


def test_surrogate_in_a_key_gives_a_pointer_that_can_be_printed():
    for problem in read(r'{"type":"stop","\udc00":{"\ud800":1}}').problems:
        str(problem).encode()
        assert problem.pointer == ""


def test_surrogate_pair_is_a_character():
    assert read(r'{"type":"stop","name":"\ud83d\ude00"}').document.root.name == "😀"


def test_size_is_limited_in_bytes():
    filler = " " * ((1 << 20) - len(WAIT))
    assert read(WAIT + filler).document is not None
    assert found(read(WAIT + filler + " ")) == [("", "TOO_LARGE", True)]
    wide = '{"type":"stop","name":"%s"}' % ("音" * 100)
    assert found(read(wide, limits=Limits(max_bytes=300))) == [("", "TOO_LARGE", True)]


@pytest.mark.parametrize("text", [b"[" * 10_000_000, "é" * 10_000_000, b"\xff" * 10_000_000])
def test_ten_megabytes_are_refused_before_anything_is_read(text):
    assert found(read(text)) == [("", "TOO_LARGE", True)]


@pytest.mark.parametrize("levels", [69, 301, 5000])
def test_deep_brackets_are_refused_before_parsing(levels):
    text = '{"type":"sequence","behaviors":[' * levels + "]}" * levels
    assert found(read(text)) == [("", "TOO_DEEP", True)]


@pytest.mark.parametrize("text", ["[" * 1_000_000, '{"a":' * 200_000, "]" * 1_000_000])
def test_unbalanced_brackets_are_refused(text):
    assert read(text).document is None


def test_deep_brackets_that_a_wide_limit_lets_through_do_not_raise():
    text = "[" * 100_000 + "]" * 100_000
    assert found(read(text, limits=Limits(max_brackets=10**6))) == [("", "TOO_DEEP", True)]


def test_brackets_in_strings_do_not_count():
    name = "[{" * 90
    assert read(json.dumps({"type": "stop", "name": name})).document is not None
    assert read(json.dumps({"type": "stop", "name": '\\"[' * 50})).document is not None


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (b"", 0),
        (b"1", 0),
        (b"[[],[[]]]", 3),
        (b'{"a":[{"b":{}}]}', 4),
        (b'["[[[[", "]]"]', 1),
        (rb'["\"[[", [1]]', 2),
        (rb'["\\", [1]]', 2),
        (b"{},[[]],[]", 2),
        (b"[[", 2),
    ],
)
def test_bracket_depth(text, depth):
    assert bracket_depth(text) == depth


def test_a_document_full_of_bad_numbers_ends_soon():
    text = "[" * 100 + ",".join(["NaN"] * 250_000) + "]" * 100
    result = read(text)
    assert len(result.problems) <= 1002
    assert all(p.fatal for p in result.problems)


def test_pointers_stay_short_when_keys_are_long():
    key = "k" * 300_000
    text = '{"type":"stop","KEY":{"KEY":[NaN,NaN]},"a":{"KEY":1,"KEY":2}}'.replace("KEY", key)
    result = read(text)
    assert result.document is None
    assert all(len(p.pointer) < 10 and resolves(p.pointer, json.loads(text)) for p in result.problems)
    assert all(len(str(p)) < 1000 for p in result.problems)
