# SPDX-License-Identifier: Apache-2.0
"""What the tests of the launch file reader share."""

from pathlib import Path

import pytest

from embodiment_bridge.launching.read import read_launch


def find_share(package):
    if package != "known":
        raise LookupError(package)
    return Path("/share/known")


@pytest.fixture
def read(tmp_path):
    """Reads the inside of a <launch> tag, which begins on line 2; given files lie beside it."""

    def read(inside, arguments=None, environment=None, **files):
        for name, content in {"main": inside, **files}.items():
            path = tmp_path / f"{name}.launch.xml"
            path.write_text(f"<launch>\n{content}\n</launch>\n", encoding="utf-8")
        return read_launch(
            tmp_path / "main.launch.xml",
            arguments or {},
            find_share=find_share,
            environment=environment or {},
        )

    return read
