# SPDX-License-Identifier: Apache-2.0
"""What the programs of a launch file inherit."""

from embodiment_bridge.launching.environment import of_outside_program, of_program

OURS = {"PATH": "/bin", "PYTHONPATH": "/ros", "LD_LIBRARY_PATH": "/ros/lib"}


def test_outside_program_gets_nothing_that_belongs_to_our_python():
    assert of_program("rcssservermj", OURS) == of_outside_program(OURS) == {"PATH": "/bin"}


def test_our_own_command_line_gets_all_that_we_have():
    assert of_program("embodiment_bridge", OURS) == OURS
    assert of_program("embodiment_bridge", OURS) is not OURS
