# SPDX-License-Identifier: Apache-2.0
"""Messages as hosts send them: calls that freeze the robot are found in any form, and each request has an answer.

Hosts add arguments of their own, write false as a text, or leave parts of JSON-RPC out. What freezes a robot never
fails for its form.
"""

import json
from collections.abc import Mapping
from typing import Final

import mcp.types as types
from pydantic import ValidationError

from embodiment_bridge.nodes.base.services import is_clear_no

FREEZES: Final = ("stop", "hold")
BOM: Final = "\ufeff"  # which some editors and shells put before a text


def lets_go(arguments: object) -> bool:
    """Whether these arguments of ``hold`` say clearly that the robot goes on."""
    return isinstance(arguments, Mapping) and is_clear_no(arguments.get("on"))


def freezing(message: object) -> str:
    """``stop`` or ``hold`` where a message calls it to freeze the robot; empty where it does not."""
    match message:
        case {"method": "tools/call", "params": {"name": str(name), **rest}}:
            arguments = rest.get("arguments")
        case {"method": "tools/call", "params": [str(name), *_]}:
            arguments = None
        case _:
            return ""
    tool = name.strip().lower()
    return tool if tool in FREEZES and not (tool == "hold" and lets_go(arguments)) else ""


def messages(text: str | bytes) -> list[object]:
    """The message of a JSON text, or those of a batch; none where it cannot be read."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) else [value]


def mended(text: str) -> list[tuple[str, str]]:
    """The lines of a line that are to be served, each with what is answered at once; either may be empty.

    A call that freezes gets its plain form. A batch becomes its messages, and what is no message only an answer.
    """
    text = text.removeprefix(BOM)
    found = messages(text)
    if len(found) == 1 and not text.lstrip().startswith("["):
        return [_mended(text, found[0])]
    return [_mended(json.dumps(one), one) for one in found] or [_mended(text, None)]


def _mended(text: str, message: object) -> tuple[str, str]:
    refusal, tool = refusal_of(text, message), freezing(message)
    if not tool:
        return "" if refusal else emptied(text, message) or text, refusal
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": tool, "arguments": {"on": True}}}
    number = _number_of(message)
    if number is None:
        return json.dumps(call), refusal
    return json.dumps({**call, "id": number}), ""


def answer_of(message: object, result: types.CallToolResult) -> str:
    """The answer to a call; empty where the call asks for none."""
    if not (isinstance(message, dict) and "id" in message):
        return ""
    content = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return json.dumps({"jsonrpc": "2.0", "id": _number_of(message), "result": content})


def refusal_of(text: str | bytes, message: object) -> str:
    """The error that answers ``text``, which is ``message``; empty where it is no request, or one in order."""
    error = None if _is_answer(message) else _error_of(text, message)
    if error is None:
        return ""
    code, why = error
    error_data = {"code": code, "message": f"no message of JSON-RPC 2.0: {why}"}
    return json.dumps({"jsonrpc": "2.0", "id": _number_of(message), "error": error_data})


def emptied(text: str | bytes, message: object) -> str:
    """An answer with nothing in it in place of one that cannot be read, so that nobody waits for it; else empty."""
    if not _is_answer(message) or _error_of(text, message) is None:
        return ""
    return json.dumps({"jsonrpc": "2.0", "id": _number_of(message), "result": {}})


def _is_answer(message: object) -> bool:
    return isinstance(message, dict) and not message.keys().isdisjoint(("result", "error"))


def _error_of(text: str | bytes, message: object) -> tuple[int, str] | None:
    """The code and the words of what is wrong in a message of JSON-RPC; None where it is in order."""
    try:
        read = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        code = types.PARSE_ERROR if first["type"] == "json_invalid" else types.INVALID_REQUEST
        return code, ": ".join(map(str, (*first["loc"][1:], first["msg"])))
    if isinstance(message, dict) and "id" in message and isinstance(read, types.JSONRPCNotification):
        return types.INVALID_REQUEST, "id: Input should be a whole number or a text"
    return None


def _number_of(message: object) -> int | str | None:
    """The id of a request; None where it has none that can be answered."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None
