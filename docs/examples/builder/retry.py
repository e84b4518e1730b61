# SPDX-License-Identifier: Apache-2.0
"""Fetches a story, tries again twice, and plays an excuse when there is none."""

import sys

from embodiment_bridge.bml.authoring.builder import delay, loop, play, request, selector, sequence

BASE = "https://skills.example"

attempt = selector(request(f"{BASE}/story"), sequence(delay(1), delay(0, succeed=False)))
story = loop(3, attempt).retrying().named("three attempts")

sys.stdout.write(selector(story, play(f"{BASE}/offline.mp3")).to_json(indent=2))
