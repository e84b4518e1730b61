# SPDX-License-Identifier: Apache-2.0
"""The skills of a body as a message, and back."""

from builtin_interfaces.msg import Time

from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.msg import SkillInfo as SkillInfoMsg
from embodiment_bridge.msg import SkillList, SkillParameter


def skill_list(body: str, infos: tuple[SkillInfo, ...], stamp: Time) -> SkillList:
    """The latched message with the skills of a body."""
    message = SkillList(body=body)
    message.header.stamp = stamp
    message.skills = [
        SkillInfoMsg(
            name=info.name,
            kind=info.kind,
            channels=list(info.channels),
            parameters=list(info.parameters),
            nominal=info.nominal_s,
            minimum=info.min_s,
            available=info.available,
            description=info.description,
            parameter_details=[_parameter_message(one) for one in info.details],
        )
        for info in infos
    ]
    return message


def skill_infos(message: SkillList) -> dict[str, SkillInfo]:
    """The skills of a body by name, from its message."""
    return {
        skill.name: SkillInfo(
            skill.name,
            skill.kind,
            tuple(skill.channels),
            skill.nominal,
            skill.minimum,
            tuple(skill.parameters),
            skill.available,
            skill.description,
            tuple(_parameter_info(one) for one in skill.parameter_details),
        )
        for skill in message.skills
    }


def _parameter_message(info: ParameterInfo) -> SkillParameter:
    return SkillParameter(
        name=info.name,
        description=info.description,
        type=info.type,
        unit=info.unit,
        minimum=info.minimum,
        maximum=info.maximum,
        required=info.required,
        default_value=info.default,
        choices=list(info.choices),
    )


def _parameter_info(message: SkillParameter) -> ParameterInfo:
    return ParameterInfo(
        message.name,
        message.description,
        message.type,
        message.unit,
        message.minimum,
        message.maximum,
        message.required,
        message.default_value,
        tuple(message.choices),
    )
