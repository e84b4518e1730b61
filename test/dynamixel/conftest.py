# SPDX-License-Identifier: Apache-2.0
import pytest
from driver_stage import Stage


@pytest.fixture
def stages(tmp_path):
    """Makes stages, which are not started, and closes them."""
    made: list[Stage] = []

    def make(*args, **options) -> Stage:
        made.append(Stage(tmp_path, *args, **options))
        return made[-1]

    yield make
    for stage in made:
        stage.close()
