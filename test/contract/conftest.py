# SPDX-License-Identifier: Apache-2.0
"""The contract tests: what every registered protocol keeps. CONTRIBUTING.md says what they need of a new one."""

import pytest

pytest.register_assert_rewrite("contract_checks", "contract_rooms")
