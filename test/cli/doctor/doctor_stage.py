# SPDX-License-Identifier: Apache-2.0
"""What a finding must say."""

from embodiment_bridge.cli.doctor.finding import Finding, Verdict


def expect(finding: Finding, verdict: Verdict, text: str) -> None:
    assert finding.verdict is verdict, str(finding)
    assert text in str(finding)
    assert bool(finding.advice) == (verdict is not Verdict.OK), "advice if and only if something is wrong"
