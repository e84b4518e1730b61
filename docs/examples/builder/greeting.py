# SPDX-License-Identifier: Apache-2.0
"""Greets by the charge that is left in the battery."""

import sys

from embodiment_bridge.bml.authoring.builder import body, emotion, loop, parallel, selector, sequence, speak
from embodiment_bridge.bml.authoring.predicate import key

tired = sequence(emotion("SLEEPY", 2, intensity=0.5), speak("I am tired.")).when(key("battery") < 0.2)
nod = loop(2, sequence(body("HAND_PITCH", 1), body("HEAD_SHAKE", 1)))
awake = parallel(speak("Hello! Shall we dance?"), nod).timeout(20).afterwards(body("RESET", 1))

sys.stdout.write(sequence(selector(tired, awake)).named("greeting").to_json(indent=2))
