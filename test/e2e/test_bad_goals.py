# SPDX-License-Identifier: Apache-2.0
"""Documents that are bad in every known way, sent as goals: each is told at its place, and the node lives on."""

import json
from pathlib import Path

import pytest
from run_stage import RunStage

from embodiment_bridge.nodes.base.runtime import Runtime

INVALID = sorted((Path(__file__).parents[1] / "data/bml/invalid").glob("*.json"))
WARNED = {"b15_unreachable", "b16_busy_forever"}  # these run, and what is doubtful is in the feedback
PLACES = {
    "b01_unknown_type": ["/type: UNKNOWN_TYPE"],
    "b02_no_type_leaf": [": MISSING_TYPE"],
    "b03_unknown_action": ["/action: UNKNOWN_ACTION"],
    "b04_negative_duration": ["/duration: OUT_OF_RANGE"],
    "b05_loop_minus_two": ["/loop: OUT_OF_RANGE"],
    "b06_loop_and_repeat_differ": ["/repeat: LOOP_AND_REPEAT"],
    "b07_both_child_keys": [": BOTH_CHILD_KEYS"],
    "b08_loop_without_child": [": MISSING_KEY"],
    "b09_play_without_url": [": MISSING_KEY"],
    "b10_bad_policy": ["/successPolicy: UNKNOWN_POLICY"],
    "b11_string_duration": ["/duration: WRONG_TYPE"],
    "b12_file_url": ["/url: URL_REFUSED"],
    "b13_metadata_url": ["/url: URL_REFUSED"],
    "b14_two_errors": ["/behaviors/0/duration: OUT_OF_RANGE", "/behaviors/1/action: UNKNOWN_ACTION"],
    "b17_nan": ["/duration: NOT_FINITE"],
    "b18_infinite": ["/duration: NOT_FINITE"],
    "b19_duplicate_key": ["/duration: DUPLICATE_KEY"],
    "b20_depth_301": [": TOO_DEEP"],
}
WORSE = {
    "": "NOT_JSON",
    "[" * 100_000: "TOO_DEEP",
    '{"type": "sequence", "behaviors": [' * 60_000: "TOO_LARGE",
    '{"type": "delay", "duration": NaN}': "NOT_FINITE",
    '{"type": "delay", "duration": 1e999}': "NOT_FINITE",
    '{"type": "delay", "duration": 1, "name": "\\ud800"}': "LONE_SURROGATE",
    '{"type": "delay", "duration": ' + "9" * 5000 + "}": "NOT_FINITE",
    "null": "WRONG_TYPE",
}
SHAKE = '{"type": "body", "action": "HEAD_SHAKE", "duration": 1}'


@pytest.fixture(scope="module")
def stage():
    with Runtime() as runtime:
        made = RunStage(runtime, "/bad")
        made.join()
        yield made
        made.close()


@pytest.fixture(autouse=True)
def no_thread_left_behind():
    """Its threads live as long as the stage, which is the module's."""
    return


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_faulty_document_is_told_at_its_place(stage, path: Path) -> None:
    stage.begin(path.read_text())
    if path.stem in WARNED:
        stage.until(lambda: any(feedback.warnings for feedback in stage.feedback))
        warnings = [warning for feedback in stage.feedback for warning in feedback.warnings]
        assert any("FOREVER_WITHOUT_EXIT" in warning for warning in warnings)
        assert stage.control("stop").success
        assert stage.finish().outcome == "CANCELED"
        return
    assert stage.finish().outcome == "REJECTED"
    told, places = stage.bml.result.problems, PLACES[path.stem]
    assert [text[: len(place)] for text, place in zip(told, places, strict=True)] == places


@pytest.mark.parametrize("text", WORSE, ids=lambda text: WORSE[text])
def test_text_that_is_no_document_harms_nobody(stage, text: str) -> None:
    """A document goes on while such texts come."""
    guest = stage.guest(SHAKE)
    stage.begin(text, on_new="queue")
    assert stage.finish().outcome == "REJECTED"
    assert WORSE[text] in stage.bml.result.problems[0]
    stage.until(lambda: guest.result is not None)
    assert guest.result.outcome == "SUCCEEDED"


def test_goals_with_bad_wishes_are_refused(stage) -> None:
    for wishes, text in (
        ({"on_new": "perhaps"}, "unknown policy for a new run 'perhaps'"),
        ({"subtrees": {"x": "{"}}, ""),
    ):
        stage.begin(SHAKE, **wishes)
        result = stage.finish()
        assert text in result.reason
        assert (result.outcome == "REJECTED") == bool(text)
    args = json.dumps({"type": "subtree", "ref": "x"})
    stage.begin(args, subtrees={"x": args})
    assert "SUBTREE_CYCLE" in stage.finish().problems[0]
