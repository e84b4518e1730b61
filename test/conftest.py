# SPDX-License-Identifier: Apache-2.0
"""Every test run has a ROS graph of its own, on this machine only, and leaves no thread behind."""

import gc
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from own_domain import claim

from embodiment_bridge.launching.environment import prepare

SHARED = Path(__file__).parents[2] / "shared" / "data"  # large recordings, where there are any

os.environ["ROS_DOMAIN_ID"] = str(claim())
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_LOG_DIR"] = tempfile.mkdtemp(prefix="embodiment_bridge_log_")
prepare()
for _one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if (
        signal.getsignal(_one) is signal.SIG_IGN
    ):  # by nohup, or a shell in the background; programs would inherit it
        signal.signal(_one, signal.default_int_handler if _one is signal.SIGINT else signal.SIG_DFL)

# The machine may be busy: how long an example takes says nothing. `make test` takes the same examples each time, so
# that it tells of the change and not of its luck; `make fuzz` takes random ones. Mutants need no smallest example.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, **PATIENT)
settings.register_profile("random", derandomize=False, print_blob=True, **PATIENT)
settings.register_profile(
    "quick", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate], **PATIENT
)
settings.load_profile(os.environ.get("EMBODIMENT_BRIDGE_EXAMPLES", "same"))


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of large recordings; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("the large recordings are not here")
    return SHARED


def was_there(thread: threading.Thread, before: set[threading.Thread]) -> bool:
    """Also the one thread of all links, which begins anew whenever a session that was there is joined."""
    return thread in before or (
        thread.name == "links" and any(one.name == "session" and one.is_alive() for one in before)
    )


@pytest.fixture(autouse=True)
def no_thread_left_behind():
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 30.0
    while left := [t for t in threading.enumerate() if t.is_alive() and not was_there(t, before)]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads left behind: {left}")
        time.sleep(0.01)


def pytest_collection_finish() -> None:
    """Leave the half million objects of the collected tests out of later garbage collections.

    The end of each ROS runtime is one, and took 0.36 s of processor time for these alone.
    """
    gc.collect()
    gc.freeze()


SKIPS = Path(__file__).with_name("allowed_skips.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--skipped-to", metavar="FILE", help="write what was skipped, a line each; pytest @FILE runs it"
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every skip that is not on the committed list; ``pytest_sessionfinish`` fails the run for it."""
    if file := terminalreporter.config.getoption("skipped_to"):
        skipped = {report.nodeid for report in terminalreporter.stats.get("skipped", [])}
        Path(file).write_text("".join(f"{name}\n" for name in sorted(skipped)))
    for reason in unexpected_skips(terminalreporter):
        terminalreporter.write_line(f"skip that is not in {SKIPS.name}: {reason}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter is not None and unexpected_skips(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def unexpected_skips(reporter: pytest.TerminalReporter) -> list[str]:
    """Reasons of skipped tests that do not begin with a line of the list."""
    lines = (line.partition("#")[0].strip() for line in SKIPS.read_text().splitlines())
    allowed = tuple(line for line in lines if line)
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])}
    return sorted(r for r in reasons if not r.startswith(allowed))
