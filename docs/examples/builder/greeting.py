# SPDX-License-Identifier: Apache-2.0
"""Greets by the time that is left in the battery, written from top to bottom."""

import sys

from embodiment_bridge.bml.authoring.builder import body
from embodiment_bridge.bml.authoring.predicate import key
from embodiment_bridge.bml.authoring.script import Script

script = Script(name="greeting")
with script.selector():
    with script.sequence().when(key("battery") < 0.2):
        script.emotion("SLEEPY", 2, intensity=0.5)
        script.speak("I am tired.")
    with script.parallel().timeout(20).afterwards(body("RESET", 1)):
        script.speak("Hello! Shall we dance?")
        with script.loop(2):
            script.body("HAND_PITCH", 1)
            script.body("HEAD_SHAKE", 1)

sys.stdout.write(script.to_json(indent=2))
