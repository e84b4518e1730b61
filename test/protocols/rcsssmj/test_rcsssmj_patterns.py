# SPDX-License-Identifier: Apache-2.0
"""The fast reader against the obvious one, on frames at and just beyond the edge of what it takes."""

import random

from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.percept_reader import Dialect, PerceptReader
from embodiment_bridge.wire.framing import frame

GOOD_NUMBERS = ("0.0", "-0.0", "33.74", "-179.99", "7", "+.5", "nan", "-inf", "1e400", "infinity")
BAD_NUMBERS = ("", "x", "1_0", "1.2.3", "--1", "٣", "\x1c1", "1\xa0", "1 2", "(1)", "0x10", "1\t", "e5")
GOOD_WORDS = ("torso", "q_hj1", "P", "pol", "See", "n", "Bär", "a.b*c+", "\xa0", "\x1c", "1")
BAD_WORDS = ("", "a b", "a\tb", "(", ")", "(a)", "a\n", "\x0b")
GOOD_INTEGERS = ("0", "-1", "+5", "999999999999999999")
BAD_INTEGERS = ("0.0", "", "x", "9999999999999999999", "1_0", "٣", "nan")
GOOD_BASE64 = ("aGk=", "aGVsbG8=", "AP8A", "////")
BAD_BASE64 = ("", "aGk", "a===", "====", "é", "!!!!", "a", "aGk= ")
GOOD_GAPS = ("", " ")
BAD_GAPS = ("  ", "\n", "\t", "x", "(y)", ")")


class FrameMaker:
    """Writes frames of the usual shape in which each choice is wrong with the probability ``wrong``."""

    def __init__(self, rng, wrong=0.0):
        self.rng = rng
        self.wrong = wrong

    def pick(self, good, bad):
        return self.rng.choice(bad) if self.rng.random() < self.wrong else self.rng.choice(good)

    def number(self):
        return self.pick(GOOD_NUMBERS, BAD_NUMBERS)

    def numbers(self, count):
        return " ".join(self.number() for _ in range(count))

    def word(self):
        return self.pick(GOOD_WORDS, BAD_WORDS)

    def integer(self):
        return self.pick(GOOD_INTEGERS, BAD_INTEGERS)

    def gap(self):
        return self.pick(GOOD_GAPS, BAD_GAPS)

    def team(self, key):
        return self.rng.choice((f"({key} {self.word()}){self.gap()}", ""))

    def points(self):
        return "".join(
            f"({self.word()}{self.gap()}(pol {self.numbers(3)})){self.gap()}"
            for _ in range(self.rng.randrange(4))
        )

    def agent(self):
        gap = self.gap
        return f"(P (team {self.word()}){gap()}(id {self.integer()}){gap()}{self.points()}){gap()}"

    def messages(self):
        one = (f"({self.number()} {self.pick(GOOD_BASE64, BAD_BASE64)}){self.gap()}" for _ in range(3))
        return "".join(message for message in one if self.rng.random() < 0.5)

    def frame(self, joints):
        gap = self.gap
        text = (
            f"(time (now {self.number()})){gap()}(GS (t {self.number()}){gap()}(pm {self.word()}){gap()}"
            f"{self.team('tl')}{self.team('tr')}(sl {self.integer()}){gap()}(sr {self.integer()})){gap()}"
            f"(quat (n {self.word()}){gap()}(q {self.numbers(4)})){gap()}"
            f"(pos (n {self.word()}){gap()}({self.rng.choice(('p', 'pos'))} {self.numbers(3)})){gap()}"
            f"(GYR (n {self.word()}){gap()}(rt {self.numbers(3)})){gap()}"
            f"(ACC (n {self.word()}){gap()}(a {self.numbers(3)})){gap()}"
        )
        for name in joints:
            text += f"(HJ (n {name}){gap()}(ax {self.number()}){gap()}(vx {self.number()})){gap()}"
        if self.rng.random() < 0.5:
            text += f"(MIC {self.word()} {self.messages()}){gap()}"
        if self.rng.random() < 0.7:
            agents = "".join(self.agent() for _ in range(self.rng.randrange(3)))
            text += f"(See {self.points()}{agents}){gap()}"
        return text


def test_patterns_and_lists_agree_wherever_patterns_have_an_answer():
    rng = random.Random(3)
    maker = FrameMaker(rng, wrong=0.002)
    answers = refusals = 0
    for _ in range(3000):
        text = maker.frame(("q_hj1", "a.b", "+*"))
        fast, slow = PerceptReader(Dialect()), PerceptReader(lists := Dialect())
        fields = fast.quick(text)
        if fields is None:
            refusals += 1
            continue
        answers += 1
        quick = Codec()
        assert repr(quick.feed(frame(text.encode()))) == repr(slow.read_lists(0, text.encode()))
        assert quick.dialect == lists.name
    assert answers > 1000
    assert refusals > 200


def test_long_frames_that_break_at_the_end_take_linear_time():
    """With anything worse than linear time this test would not end."""
    codec = Codec()
    codec.feed(frame(FrameMaker(random.Random(1)).frame(("a",)).encode()))
    head = FrameMaker(random.Random(1)).frame(("a",)).partition("(MIC")[0].partition("(See")[0]
    for tail in (
        "(See " + "(a (pol 1 1 1))" * 50_000,
        "(MIC m " + "(1 AAAA)" * 80_000,
        "(See " + "(P (team " * 80_000,
    ):
        events = codec.feed(frame((head + tail).encode()))
        assert len(events) == 2
