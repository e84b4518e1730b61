# SPDX-License-Identifier: Apache-2.0
"""Commands out: what the codec of every protocol that has commands keeps."""

import dataclasses
from functools import partial

import contract_checks as check
import pytest
from contract_rooms import NAMES, commands, with_commands

from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols import registry


@pytest.mark.parametrize("name", with_commands())
def test_commands_are_frozen_dataclasses_and_each_has_a_sample(name):
    kinds = resolve(registry.spec(name).commands)
    assert kinds
    for kind in kinds:
        assert dataclasses.is_dataclass(kind)
        assert kind.__dataclass_params__.frozen
    missing = {kind.__name__ for kind in kinds} - {type(command).__name__ for command in commands(name)}
    assert not missing, f"test/data/{name}/samples/commands.jsonl has no line for {missing}"


@pytest.mark.parametrize("name", with_commands())
def test_command_is_encoded_and_refused_with_a_wrong_field(name):
    samples = commands(name)
    for index in range(len(samples)):
        check.check_command(partial(registry.codec, name), samples, index)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_command_is_refused(name):
    check.check_no_command(partial(registry.codec, name))
