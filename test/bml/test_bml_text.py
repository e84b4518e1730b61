# SPDX-License-Identifier: Apache-2.0
"""Text that is no document at all, or no JSON, or more than JSON allows."""

import json

import pytest
from bml_documents import resolves

from embodiment_bridge.behaviour.engine.loading import Rejected, Rules, load
from embodiment_bridge.bml import Limits, read
from embodiment_bridge.bml.reading.json_values import bracket_depth
from embodiment_bridge.body.state import SkillInfo

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
        (WAIT.encode("utf-16-le"), "NOT_UTF8"),
        (b"\xed\xa0\x80", "NOT_UTF8"),
    ],
)
def test_text_that_is_no_json(text, code):
    for strict in (False, True):
        result = read(text, strict=strict)
        assert found(result) == [("", code, True)]
        assert result.document is None


def test_syntax_error_has_line_and_column():
    assert str(read('{"type":\n"stop"\n').problems[0]) == (
        ": NOT_JSON: Expecting ',' delimiter (line 3 column 1)"
    )


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        (',"name": "x" // this says // why', 14, "JSON has no comments"),
        (',"name": "#x" # this says why', 15, "JSON has no comments"),
        (',/* this\nsays */"name": "http://x"', 2, "JSON has no comments"),
        (',\u201cname\u201d: "it\u2019s \u201cx\u201d,]"', 2, "typographic quotes"),
        (',"name": \u00abx, [1,]\u00bb', 10, "typographic quotes"),
        (',"name": "x",', 13, "a comma behind the last value"),
        (',"name": "x,]", /* why */', 17, "JSON has no comments"),
    ],
)
def test_slip_of_people_has_a_sentence_and_a_place_and_hides_no_other_problem(line, column, said):
    text = f'{{"type": "sequence", "behaviors": [{{"type": "nosuch"}}]\n{line}\n}}'
    slip, *_, other = read(text).problems
    assert (slip.code, slip.place) == ("NOT_JSON", (2, column))
    assert slip.message.startswith(said)
    assert (other.code, other.pointer, other.place) == ("UNKNOWN_TYPE", "/behaviors/0/type", (1, 37))


@pytest.mark.parametrize(
    "text", ["/*" * 200_000, '"' + '\\"' * 200_000, ",[" + "," * 200_000, "\u201c" * 200_000]
)
def test_slips_are_found_in_linear_time(text):
    """With anything worse than linear time this test would not end."""
    assert {problem.code for problem in read("[" + text).problems} <= {
        "NOT_JSON",
        "TOO_DEEP",
        "MORE_PROBLEMS",
    }


def test_brackets_behind_a_quote_in_a_comment_are_counted():
    text = '{"type": "delay", "duration": 1, "x": // "\n' + "[" * 300 + "]" * 300 + "}"
    assert [problem.code for problem in read(text).problems] == ["NOT_JSON", "TOO_DEEP"]


def test_slips_beside_the_escapes_of_a_markdown_page():
    found_ones = read(r'{"type": "body", "action": "EYE\_RED", "na\_me": 3,}').problems
    assert [problem.code for problem in found_ones] == ["NOT_JSON", "MARKDOWN_ESCAPE", "UNKNOWN_KEY"]


def test_places_are_those_of_the_keys_and_elements():
    text = """{"type": "sequence", "x\\u0041": 1,
      "behaviors": [ {"type": "delay", "duration": -1}, 3,
        {"type": "loop", "loop": 2, "behavior": {"type": "de/lay", "~a/b": 7}}]}"""
    assert {problem.pointer: problem.place for problem in read(text).problems} == {
        "/xA": (1, 22),
        "/behaviors/0/duration": (2, 40),
        "/behaviors/1": (2, 57),
        "/behaviors/2/behavior/type": (3, 50),
    }


def test_problems_of_the_body_are_found_beside_those_of_the_text():
    skills = {"walk": SkillInfo("walk", "motion", ("legs",), 1.0, 1.0)}
    text = """[{"type": "body", "action": "FLY"}, {"type": "body", "action": 3}, {"type": "nosuch", "name": "a"},
        {"type": "stop", "target": "a"}, {"type": "body", "action": "WALK"}]"""
    with pytest.raises(Rejected) as refused:
        load(f'{{"type": "sequence", "behaviors": {text}}}', Rules(skills), speech=False)
    assert [(problem.pointer, problem.code) for problem in refused.value.problems] == [
        ("/behaviors/1/action", "WRONG_TYPE"),
        ("/behaviors/2/type", "UNKNOWN_TYPE"),
        ("/behaviors/0/action", "UNKNOWN_ACTION"),
    ]
    assert all(problem.place for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("encoding", "looks"), [("gbk", "GBK"), ("utf-16", "UTF-16"), ("latin-1", "Latin-1")]
)
def test_other_encodings_are_named(encoding, looks):
    said = "Gr\u00fc\u00dfe, caf\u00e9" if encoding == "latin-1" else "\u4f60\u597d"
    (problem,) = read(f'{{"type": "speak", "content": "{said}"}}'.encode(encoding)).problems
    assert problem.code == "NOT_UTF8"
    assert problem.message.startswith("not UTF-8, at byte ")
    assert problem.message.endswith(f"(looks like {looks})")


def test_schema_may_be_named_at_the_root():
    text = '{"$schema": "bml.schema.json",' + WAIT[1:]
    assert read(text, strict=True).document == read(WAIT).document


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
