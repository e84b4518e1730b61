# SPDX-License-Identifier: Apache-2.0
"""How legs stand that keep their balance."""

from dataclasses import dataclass

from embodiment_bridge.body.config_section import Section

STANCE_LIMITS = {"lower": 0.5, "lean": 0.8, "ahead": 0.3, "sway": 0.5}  # m, rad, m, rad


@dataclass(frozen=True, slots=True)
class Stance:
    """How the legs of a gait stand, beside their usual stance.

    lower: m that the hips are lower. lean: of the torso, rad, + forward. ahead: m that the feet are further ahead of
    the hips, which keeps the weight over them. sway: roll of both hips, rad, + brings the weight over the left foot.
    """

    lower: float = 0.0
    lean: float = 0.0
    ahead: float = 0.0
    sway: float = 0.0

    def times(self, share: float) -> "Stance":
        """``share`` of it."""
        return Stance(share * self.lower, share * self.lean, share * self.ahead, share * self.sway)

    def plus(self, other: "Stance") -> "Stance":
        """Both together."""
        return Stance(
            self.lower + other.lower,
            self.lean + other.lean,
            self.ahead + other.ahead,
            self.sway + other.sway,
        )


UPRIGHT = Stance()  # the usual stance of a gait


def read_stance(section: Section, *, has_gait: bool) -> Stance | None:
    """The ``stance`` of a section, for the legs of a gait; the usual one without the key, None without a gait.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    if not section.has("stance"):
        return Stance() if has_gait else None
    if not has_gait:
        raise section.wrong("stance", "possible without a gait")
    values = section.section("stance")
    stance = Stance(**{key: values.number(key, -most, most, 0.0) for key, most in STANCE_LIMITS.items()})
    values.close()
    return stance
