# SPDX-License-Identifier: Apache-2.0
"""No two test processes share a ROS domain."""

import os
import subprocess
import sys
from pathlib import Path

from own_domain import LAST_SAFE_DOMAIN

CLAIM_AND_WAIT = "import own_domain, sys; print(own_domain.claim(), flush=True); sys.stdin.read()"


def test_processes_get_domains_of_their_own():
    started = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM_AND_WAIT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
        for _ in range(4)
    ]
    domains = [int(process.stdout.readline()) for process in started]
    for process in started:
        process.communicate("")
    assert len({*domains, int(os.environ["ROS_DOMAIN_ID"])}) == 5
    assert all(1 <= domain <= LAST_SAFE_DOMAIN for domain in domains)
