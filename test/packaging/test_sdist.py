# SPDX-License-Identifier: Apache-2.0
"""The source distribution: everything a wheel is made of, and metadata that say what it is."""

import os
import subprocess
import sys
import tarfile
import tomllib
import xml.etree.ElementTree as ET
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from sdist import ROOT, sdist

CMAKE = str(Path(sys.executable).with_name("cmake"))
FOLDERS = (
    "action",
    "cmake",
    "config",
    "embodiment_bridge",
    "launch",
    "msg",
    "scripts",
    "srv",
    "urdf",
    "vendor",
)
MANIFEST = ET.parse(ROOT / "package.xml").getroot()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder that the sdist unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(sdist(folder)) as tar:
        tar.extractall(folder, filter="data")
    return folder / f"embodiment_bridge-{MANIFEST.findtext('version')}"


@pytest.fixture(scope="module")
def metadata(unpacked) -> Message:
    return Parser().parsestr((unpacked / "PKG-INFO").read_text())


def files(folder: Path, *parts: str) -> set[str]:
    found = (path for part in parts for path in (folder / part).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in found if "__pycache__" not in path.parts}


def test_has_all_that_is_built_and_installed(unpacked):
    assert len(files(ROOT, *FOLDERS)) > 700
    assert files(ROOT, *FOLDERS) - files(unpacked, *FOLDERS) == set()
    for name in (
        "CMakeLists.txt",
        "package.xml",
        "setup.py",
        "pyproject.toml",
        "LICENSE",
        "tools/build_backend.py",
    ):
        assert (unpacked / name).read_bytes() == (ROOT / name).read_bytes()


def test_has_nothing_that_was_made_here(unpacked):
    assert not list(unpacked.rglob("*.pyc"))
    assert not (unpacked / "test").exists()


def test_cmake_is_content(unpacked, tmp_path):
    """A whole build takes minutes (test_wheel.py); this finds what is missing for the first seconds of one."""
    site = next(p for p in sys.path if p.endswith("-packages"))
    done = subprocess.run(
        [CMAKE, "-S", str(unpacked), "-B", str(tmp_path), f"-DPython3_EXECUTABLE={sys.executable}",
         "-DBUILD_TESTING=OFF"],
        env={**os.environ, "PYTHONPATH": site, "CMAKE_PREFIX_PATH": sys.prefix},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_metadata_say_what_it_is(metadata):
    assert metadata["Name"] == "embodiment-bridge"
    assert metadata["Version"] == MANIFEST.findtext("version")
    assert metadata["Summary"] == MANIFEST.findtext("description")
    assert metadata["License-Expression"] == MANIFEST.findtext("license")
    maintainer = MANIFEST.find("maintainer")
    assert metadata["Author-email"] == f"{maintainer.text} <{maintainer.get('email')}>"
    assert metadata.get_all("Project-URL") == [f"Homepage, {MANIFEST.findtext('url')}"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().strip() == (ROOT / "README.md").read_text().strip()


@pytest.mark.parametrize(
    ("extra", "file"),
    [
        ("ros", "jazzy.txt"),
        ("simulators", "simulators.txt"),
        ("mujoco", "mujoco.txt"),
        ("mcp", "mcp.txt"),
        ("speech", "speech.txt"),
    ],
)
def test_extras_are_the_pins_that_make_venv_installs(metadata, extra, file):
    ending = f'; extra == "{extra}"'
    found = {line.removesuffix(ending) for line in metadata.get_all("Requires-Dist") if line.endswith(ending)}
    lines = (ROOT / "requirements" / file).read_text().splitlines()
    assert found == {line for line in lines if line and not line.startswith("#")}


def test_extras_are_all(metadata):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["dynamic"]
    assert metadata.get_all("Provides-Extra") == list(project["optional-dependencies"])


def test_a_plain_installation_has_no_part_under_the_gpl(metadata):
    plain = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert {"lxml", "miniaudio"} <= set(plain)
    assert not [line for line in plain if "espeak" in line]
