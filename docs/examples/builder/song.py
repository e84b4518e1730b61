# SPDX-License-Identifier: Apache-2.0
"""Announces a song, dances to it, and asks for the next one: three parts, put together."""

import sys

from embodiment_bridge.bml.authoring.builder import body, forever, parallel, play, request, sequence, speak

BASE = "https://skills.example"

eyes = forever(sequence(*(body(colour, 0.5) for colour in ("EYE_RED", "EYE_YELLOW", "EYE_GREEN"))))
steps = forever(sequence(body("WAIST_SHAKE", 2), body("HEAD_SHAKE", 2)))
dance = parallel(play(f"{BASE}/song.mp3"), eyes, steps).first_wins().named("dance")

sys.stdout.write(
    sequence(speak("Little Star"), dance, body("RESET", 1), request(f"{BASE}/next")).to_json(indent=2)
)
