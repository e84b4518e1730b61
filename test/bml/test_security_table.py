# SPDX-License-Identifier: Apache-2.0
"""Every risk of docs/safety.md has tests by name; those that belong nowhere else are here.

``ROWS``: by risk, as the page words it, and by measure: the tests, as FILE::NAME below test/.
"""

import ast
import json
import re
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.bml import check, read
from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.unicode_text import one_line
from embodiment_bridge.media.channels import Loudness, quiet_hours

ROOT = Path(__file__).parents[2]
HERE = "bml/test_security_table.py"
POLICY, FETCHER, SAFETY = (
    "bml/test_bml_url_policy.py",
    "fetching/test_fetcher.py",
    "e2e/test_safety_on_graph.py",
)
HTTPS, CHAINS, LIMITS = (
    "fetching/test_https.py",
    "behaviour/test_request_chains.py",
    "behaviour/test_run_limits.py",
)
TEXT, ERRORS, PORT = "bml/test_bml_text.py", "bml/test_bml_errors.py", "fetching/test_requests_port.py"
MODEL = "mcp_server/test"
GATE, ESTOP = "nodes/test_goal_gate.py", "nodes/test_stops.py"
PLAYER, SPEECH, SOURCES = "media/test_media_player.py", "media/test_speech.py", "media/test_media_sources.py"

ROWS = {
    "links into the robot's network, other schemes": {
        "closed by default": (f"{FETCHER}::test_closed_by_default",),
        "schemes, user information, ports, length, characters": (f"{POLICY}::test_refused",),
        "files under media roots only, links followed": (
            f"{POLICY}::test_files_need_a_media_folder",
            f"{SOURCES}::test_symbolic_links_do_not_lead_out",
            f"{SOURCES}::test_dots_do_not_lead_out",
            f"{FETCHER}::test_files_are_not_fetched",
        ),
        "hosts and ports that were opened, and no others": (
            "nodes/test_fetch_parameters.py::test_still_closed",
            "nodes/test_fetch_parameters.py::test_refusal_names_what_opens",
        ),
    },
    "tricks with addresses and names": {
        "127.1, 0x7f.1, 2130706433, [::ffff:127.0.0.1]": (
            f"{FETCHER}::test_this_machine_in_all_its_spellings",
        ),
        "all addresses of a name": ("fetching/test_resolving.py::test_a_name_that_leads_inside",),
        "looked up once": ("fetching/test_resolving.py::test_a_name_is_looked_up_once",),
        "shared, multicast, NAT64, 6to4, metadata addresses": (f"{POLICY}::test_addresses",),
        "every hop of a redirect, never out of https": (
            f"{FETCHER}::test_fault",
            "fetching/test_replies.py::test_where_a_redirect_may_lead",
            f"{HTTPS}::test_a_redirect_out_of_https_is_refused",
        ),
    },
    "slow or endless replies, bombs": {
        "one deadline": (
            f"{FETCHER}::test_dripping_is_measured_against_one_deadline",
            f"{FETCHER}::test_no_first_byte",
            f"{HTTPS}::test_limits_hold_over_tls_too",
        ),
        "sizes, headers included": (f"{FETCHER}::test_fault", f"{FETCHER}::test_headers_count_too"),
        "no encodings, types": (
            f"{FETCHER}::test_a_bomb_is_never_unpacked",
            "media/test_media_sources.py::test_no_sound_comes_of_it",
        ),
        "few at once, half a second apart": (
            f"{PORT}::test_fetches_begin_half_a_second_apart",
            f"{PORT}::test_few_at_once_and_few_waiting",
        ),
    },
    "files that are a pipe or a device, or become huge when they are read": {
        "regular files of a limited size": (
            "core/test_input_file.py::test_pipes_devices_and_folders_are_refused",
            "core/test_input_file.py::test_files_of_a_terabyte_are_refused",
            "core/test_input_file.py::test_commands_refuse_devices_and_pipes",
        ),
        "what is unpacked": (
            "bags/test_bag_files.py::test_chunks_that_become_huge_are_refused",
            "bags/test_bag_files.py::test_a_message_that_becomes_huge_is_refused",
            "bags/test_bag_files.py::test_a_file_that_becomes_huge_is_refused",
        ),
        "copied or included": ("physics/test_model_limits.py::test_models_that_become_huge_are_refused",),
    },
    "web pages that use the preprocessing service": {
        "Host and Origin": ("media/test_preprocess.py::test_pages_of_others_are_refused",),
        "one deadline": ("media/test_preprocess.py::test_head_and_body_have_one_deadline",),
        "bounded connections": ("media/test_preprocess.py::test_connections_are_bounded",),
    },
    "deep or huge JSON": {
        "bytes and brackets, before reading": (
            f"{TEXT}::test_ten_megabytes_are_refused_before_anything_is_read",
            f"{TEXT}::test_deep_brackets_are_refused_before_parsing",
        ),
        "depth, nodes, children": (
            f"{ERRORS}::test_depth_of_nodes_is_limited",
            f"{ERRORS}::test_number_of_nodes_is_limited",
            f"{ERRORS}::test_number_of_children_is_limited",
        ),
        "strings": (f"{HERE}::test_texts_of_a_document_have_a_bound",),
        "numbers, keys": (
            f"{TEXT}::test_number_that_is_not_finite_is_told_at_its_place",
            f"{TEXT}::test_repeated_keys_are_told_at_their_place",
        ),
    },
    "floods of goals, documents that take long to read": {
        "goal_rate, goal_queue": (
            f"{GATE}::test_a_flood_of_ten_seconds_begins_what_the_rate_allows",
            f"{GATE}::test_goals_on_the_graph_wait_or_are_rejected_with_the_reason",
        ),
        "a thread": (f"{GATE}::test_the_executor_goes_on_while_a_large_document_is_read",),
        "the driver's own process": (
            "launching/test_driver_aside.py::test_the_driver_shares_neither_executor_nor_interpreter_with_the_tree",
        ),
    },
    "a stop that comes late, or is not heard": {
        "a way of its own": (
            f"{ESTOP}::test_the_service_is_answered_while_the_node_is_not_spun",
            f"{ESTOP}::test_any_publisher_is_heard_once",
            "dynamixel/test_stop_comes_first.py"
            "::test_a_stop_while_servos_get_their_torque_comes_after_the_answer_that_is_waited_for",
        ),
    },
    "a message that ends a process": {
        "caught per callback": (
            "nodes/test_callback_guard.py::test_whatever_raises_the_process_goes_on_and_diagnostics_count_it",
        ),
        "checked clock": (
            "nodes/test_clock.py::test_a_node_with_simulated_time_survives_a_negative_one_and_goes_on",
        ),
    },
    "behaviour without end": {
        "warned of": ("bml/test_bml_analysis.py::test_what_cannot_be_reached_and_what_never_ends",),
        "max_run_time": (
            f"{LIMITS}::test_a_run_is_ended_when_its_time_is_up",
            f"{SAFETY}::test_a_run_has_its_time_and_its_rate",
        ),
        "max_starts": (
            f"{LIMITS}::test_a_busy_loop_does_not_flood_the_body",
            f"{LIMITS}::test_no_branch_starves_another",
        ),
        "rules of chains": (
            f"{CHAINS}::test_a_document_that_takes_no_time_and_names_itself_is_ended",
            f"{CHAINS}::test_the_length_of_a_chain_can_be_limited",
            "behaviour/test_requests.py::test_replacements_are_half_a_second_apart",
        ),
        "stop always works": (
            "e2e/test_performance_control.py::test_stop_works_while_paused",
            f"{LIMITS}::test_a_halt_does_not_wait_for_those_in_the_queue",
        ),
    },
    "physical harm": {
        "names of actions, never values of joints": (f"{HERE}::test_a_document_has_no_values_of_joints",),
        "limits of the body": (
            "motion/test_recorded_motion.py::test_it_takes_its_slot_and_no_joint_goes_faster_than_it_may",
            "motion/test_skill_requests.py::test_wrong_request_is_refused_and_disturbs_nothing",
        ),
        "on_stop": ("motion/test_skill_life.py::test_cancel_ends_as_the_skill_says_and_only_at_rest",),
        "dead_man": (
            "nodes/test_stops.py::test_who_falls_silent_is_held_until_he_is_back",
            "e2e/test_dead_man.py::test_the_body_stands_while_its_brain_is_stopped_or_dead",
            f"{SAFETY}::test_a_pause_is_no_silence",
        ),
        "time-outs of commands, of servos and of links": (
            "motion/test_walk_skills.py::test_velocity_command_walks_turns_and_times_out",
            "e2e/test_body_topics.py::test_joint_command_holds_after_it_stops_coming",
            "dynamixel/test_driver_safety.py::test_the_watchdog_is_armed_where_a_joint_would_run_on_and_nowhere_else",
            "e2e/test_real_server.py::test_killed_server_ends_the_goal_and_a_new_one_is_joined",
        ),
        "guards": (
            f"{SAFETY}::test_a_guard_refuses_and_ends_performances",
            f"{SAFETY}::test_what_starts_by_itself_waits_for_its_guards_and_comes_back",
        ),
    },
    "loud noise": {
        "cap": (f"{PLAYER}::test_the_cap_holds_whatever_a_document_says",),
        "fade-in": (f"{PLAYER}::test_every_sound_fades_in",),
        "quiet hours": (f"{PLAYER}::test_quiet_hours", f"{HERE}::test_quiet_hours_do_not_make_louder"),
    },
    "a language model that errs, or does what a text from the world says": {
        "only looks, or moves its channels only": (
            f"{MODEL}_safety.py::test_it_only_looks_where_it_may_only_look",
            f"{MODEL}_safety.py::test_channels_that_are_not_given_are_not_moved",
            f"{MODEL}_hostile_host.py::test_hostile_calls_do_not_move_forbidden_channels",
        ),
        "asks first": (
            f"{MODEL}_approval.py::test_the_user_of_the_host_is_asked",
            f"{MODEL}_approval.py::test_an_operator_is_asked",
        ),
        "so many calls": (f"{MODEL}_hostile_host.py::test_a_flood_is_refused_and_the_robot_still_answers",),
        "its host gone": (
            f"{MODEL}_safety.py::test_a_host_that_does_not_answer_pings_is_gone",
            f"{MODEL}_processes.py::test_the_body_holds_when_the_server_is_killed",
        ),
        "lines that are no calls": (f"{MODEL}_hostile_wire.py::test_a_hostile_line_does_not_end_the_server",),
        "names and speech are data": (
            f"{MODEL}_safety.py::test_text_from_the_world_is_cut_quoted_and_marked",
        ),
    },
    "injection": {
        "conditions are data": (f"{HERE}::test_conditions_are_no_expressions",),
        "texts to speak are texts": (
            f"{SPEECH}::test_markup_is_text_and_no_order",
            f"{SPEECH}::test_piper_gets_the_text_on_its_input",
            f"{SPEECH}::test_the_cloud_gets_a_quoted_url_and_the_key",
        ),
        "names and contents in logs and on pages": (
            f"{HERE}::test_problems_are_one_line_whatever_the_names",
            f"{HERE}::test_no_text_works_a_terminal",
            "viewing/test_panels.py::test_texts_stay_texts",
        ),
    },
    "who sends": {
        "signatures": (
            "fetching/test_signed_documents.py::test_without_a_signature_it_is_refused",
            "fetching/test_signed_documents.py::test_another_key_is_refused",
            f"{SAFETY}::test_documents_must_be_signed_where_there_is_a_key",
        ),
        "channels of a source": (
            "bml/test_bml_capabilities.py::test_a_denied_channel_is_refused_where_it_is_used",
            f"{SAFETY}::test_a_source_has_its_channels",
        ),
        "certificates": (
            f"{HTTPS}::test_an_authority_that_nobody_trusts",
            f"{HTTPS}::test_the_name_is_checked_whatever_the_address",
            f"{HTTPS}::test_an_expired_certificate",
        ),
    },
    "secrets in URLs": {
        "told without user, query and fragment": (
            f"{SAFETY}::test_secrets_of_urls_are_in_no_event_and_no_result",
            "fetching/test_resolving.py::test_what_is_shown_of_a_url",
            f"{SOURCES}::test_urls_are_shown_without_secrets",
            "behaviour/test_plan.py::test_kind_and_label",
        ),
    },
    "copies and confusion": {
        "run id and hash in events": (f"{SAFETY}::test_events_tell_which_text_they_are_about",),
        "max_age": (
            "bml/test_bml_subtrees.py::test_age",
            f"{SAFETY}::test_a_stale_goal_is_refused",
            "fetching/test_signed_documents.py::test_an_old_document_is_refused_by_its_time",
        ),
    },
}
MEASURES = [
    (risk, measure, test) for risk, row in ROWS.items() for measure, tests in row.items() for test in tests
]


@cache
def functions_in(file):
    tree = ast.parse((ROOT / "test" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("risk", "measure", "test"), MEASURES)
def test_the_measure_has_its_test(risk, measure, test):
    file, name = test.split("::")
    assert name in functions_in(file), f"{risk}: {measure}"


def test_the_page_has_the_same_risks():
    page = (ROOT / "docs/safety.md").read_text(encoding="utf-8").partition("## Every risk")[2]
    risks = re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE)
    assert risks[1:] == list(ROWS)
    for file in re.findall(r"`(test/[a-z0-9_/]+(?:\.py)?)`", page):
        assert (ROOT / file).exists(), file


SKILLS = {"head_shake": SkillInfo("head_shake", "motion", ("head",), 1.0, 0.5)}


@pytest.mark.parametrize(
    "extra",
    [
        {"joints": {"head_yaw": 9.0}},
        {"position": [9.0]},
        {"velocity": 99.0},
        {"keyframes": []},
        {"effort": 9.0},
    ],
)
def test_a_document_has_no_values_of_joints(extra):
    """Whatever is written beside the name of an action does not reach the body; strict reading refuses it."""
    text = json.dumps({"type": "body", "action": "HEAD_SHAKE", **extra})
    root = read(text).document.root
    assert (root.action, root.duration_s, root.intensity) == ("HEAD_SHAKE", 0.0, 1.0)
    assert read(text, strict=True).document is None
    unknown = json.dumps({"type": "body", "action": "JOINT_HEAD_YAW"})
    assert [problem.code for problem in check(read(unknown).document, SKILLS)] == ["UNKNOWN_ACTION"]


@pytest.mark.parametrize(
    "condition",
    [
        "battery < 20",
        "__import__('os').system('true')",
        {"key": "__import__('os')", "op": "==", "value": 1},
        {"key": "a", "op": "eval", "value": "1"},
        {"key": "a", "op": "==", "value": {"$expr": 1}},
    ],
)
def test_conditions_are_no_expressions(condition):
    assert read(json.dumps({"type": "delay", "duration": 1, "condition": condition})).document is None


@pytest.mark.parametrize(
    "node", [{"type": "speak", "content": "a" * 4001}, {"type": "delay", "name": "a" * 4001}]
)
def test_texts_of_a_document_have_a_bound(node):
    assert read(json.dumps(node)).document is None


MEAN = "a\n[ERROR] all is lost\x1b[2J\x9b2J\r\u2028\u202e\x00"


def test_problems_are_one_line_whatever_the_names():
    """Keys of children become names and steps of pointers, so they are in every text about such a node."""
    value = {"type": "sequence", "behaviors": {MEAN: {"type": "body", "action": MEAN}}}
    result = read(json.dumps(value))
    problems = [*result.problems, *([] if result.document is None else check(result.document, SKILLS))]
    assert problems
    for problem in problems:
        assert str(problem).isprintable(), repr(str(problem))


def test_the_pointer_itself_stays_as_it_is():
    assert Problem("/behaviors/a\n", "CODE", "text").pointer == "/behaviors/a\n"


@given(st.text())
def test_no_text_works_a_terminal(text):
    line = one_line(text)
    assert len(line) == len(text)
    assert line.splitlines() == ([line] if line else [])
    assert not set(line) & {chr(code) for code in (*range(32), *range(127, 160), *range(0x202A, 0x202F))}


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(0.0, 100.0))
def test_quiet_hours_do_not_make_louder(cap, quiet_cap, wanted):
    night = Loudness(cap, quiet_cap, quiet_hours("22:00-07:00"), lambda: datetime(2026, 1, 1, 23))  # noqa: DTZ001 - local time is meant
    assert night.heard(wanted) == min(cap, quiet_cap, wanted)
