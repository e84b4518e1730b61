# SPDX-License-Identifier: Apache-2.0
import pytest
from driver_stage import DrivenServos


@pytest.fixture
def stages(tmp_path):
    """Makes stages, which are not started, and closes them."""
    made: list[DrivenServos] = []

    def make(*args, **options) -> DrivenServos:
        made.append(DrivenServos(tmp_path, *args, **options))
        return made[-1]

    yield make
    for stage in made:
        stage.close()
