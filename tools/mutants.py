# SPDX-License-Identifier: Apache-2.0
"""Change one thing in the code at a time and see whether a test notices: python tools/mutants.py [NAME] [--sample N].

NAME is of ``GROUPS``; without it all are tried. A change that no test notices survives. test/mutants.txt lists those
that may, each with the reason; any other one makes the exit code 1. A mutant is a process that has this one's modules,
so pytest starts in no time; it is compiled in place of the file, which stays as it is.
"""

import argparse
import ast
import copy
import importlib.util
import os
import random
import resource
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis  # noqa: F401 - for the mutants, which are forks of this process
import pytest

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "test/mutants.txt"
LONGER = 3  # times as much CPU as the tests take with nothing changed; a mutant that takes more is noticed
LONGEST_S = 300  # s; a mutant that only waits is noticed then
WORKERS = 2
# By name: files of the package, each with the tests that must notice a change of it.
GROUPS: dict[str, list[tuple[str, list[str]]]] = {
    "wire": [
        ("wire/codec.py", ["test/wire/test_events.py", "test/wire/test_framing.py"]),
        ("wire/framing.py", ["test/wire/test_framing.py"]),
        ("wire/sexpr.py", ["test/wire/test_sexpr.py"]),
        ("wire/json_text.py", ["test/wire/test_decode.py", "test/wire/test_encode.py"]),
    ],
    "limits": [
        ("motion/joints/posture.py", ["test/motion/test_joint_limits.py"]),
        ("motion/joints/direct.py", ["test/motion/test_joint_commands.py"]),
        ("motion/joints/trajectory.py", ["test/motion/test_trajectory.py"]),
    ],
    "stop": [
        ("motion/skills/holds.py", ["test/motion/test_holds.py"]),
        ("nodes/body/keep_alive.py", ["test/nodes/test_stops.py"]),
        ("dynamixel/bus/making_safe.py", ["test/dynamixel/test_make_safe.py"]),
        ("dynamixel/bus/guardian_program.py", ["test/dynamixel/test_guardian.py"]),
    ],
    "url": [
        ("bml/rules/url_policy.py", ["test/bml/test_bml_url_policy.py"]),
        ("fetching/fetcher.py", ["test/fetching/test_replies.py", "test/fetching/test_resolving.py"]),
    ],
    "fetching": [
        ("fetching/signature.py", ["test/fetching/test_signed_documents.py"]),
        ("fetching/requests.py", ["test/fetching/test_requests_port.py"]),
        ("fetching/rules.py", ["test/fetching/test_resolving.py", "test/fetching/test_fetcher.py"]),
        (
            "fetching/connection.py",
            [
                "test/fetching/test_resolving.py",
                "test/fetching/test_replies.py",
                "test/fetching/test_https.py",
                "test/fetching/test_fetcher.py",
            ],
        ),
    ],
}
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """text: of the list; source: of the whole file."""

    module: str
    text: str
    source: str


def mutants(path: Path) -> Iterator[Mutant]:
    """All that are made of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for number, (node, where) in enumerate(places(tree)):
        copied = copy.deepcopy(tree)
        twin, _ = list(places(copied))[number]
        after = one_line(changed(twin))
        yield Mutant(
            module, f"{module} {where}: {one_line(ast.unparse(node))} -> {after}", ast.unparse(copied)
        )


def places(tree: ast.AST, where: str = "module") -> Iterator[tuple[ast.AST, str]]:
    """The nodes that can be changed; texts of errors, docstrings and types are left out."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.AnnAssign)) or (
            isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        ):
            if isinstance(child, ast.AnnAssign) and child.value is not None:
                yield from places(ast.Module([child.value], []), where)  # type: ignore[list-item]
            continue
        if changeable(child):
            yield child, where
        if isinstance(child, ast.FunctionDef):
            defaults = [one for one in (*child.args.defaults, *child.args.kw_defaults) if one is not None]
            for part in (*defaults, *child.body):
                inside = f"{where}.{child.name}".removeprefix("module.")
                yield from places(ast.Module([part], []), inside)  # type: ignore[list-item]
        else:
            name = (
                f"{where}.{child.name}".removeprefix("module.") if isinstance(child, ast.ClassDef) else where
            )
            yield from places(child, name)


def changeable(node: ast.AST) -> bool:
    """Whether ``changed`` knows what to do with a node."""
    if isinstance(node, (ast.Compare, ast.BoolOp, ast.BinOp)):
        op = node.ops[0] if isinstance(node, ast.Compare) else node.op
        return type(op) in SWAPS
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (bool, int, float))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Continue, ast.Break))


def changed(node: ast.AST) -> str:
    """Change a node in place; how it reads then."""
    match node:
        case ast.Compare():
            node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[assignment]
        case ast.BoolOp() | ast.BinOp():
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant():
            node.value += 1  # type: ignore[operator]
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Continue():
            node.__class__ = ast.Break  # type: ignore[assignment]
        case ast.Break():
            node.__class__ = ast.Continue  # type: ignore[assignment]
    return ast.unparse(ast.fix_missing_locations(node))


def one_line(text: str) -> str:
    """Its beginning."""
    return text.splitlines()[0][:90]


class Instead:
    """Finds the changed module before any other finder."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """The spec of the changed module, None for any other."""
        return importlib.util.spec_from_loader(name, self) if name == self._mutant.module else None

    def create_module(self, spec: object) -> None:
        """As usual."""

    def exec_module(self, module: object) -> None:
        """Run the changed source."""
        exec(compile(self._mutant.source, self._mutant.module, "exec"), vars(module))


def begin(mutant: Mutant, tests: list[str], cpu_s: int) -> int:
    """Start the tests on a mutant; returns the process."""
    process = os.fork()
    if process:
        return process
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    signal.alarm(LONGEST_S)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.meta_path.insert(0, Instead(mutant))  # type: ignore[arg-type]
    code = 1
    try:
        code = int(
            pytest.main(
                [
                    "-q",
                    "-x",
                    "-n",
                    "0",
                    "-p",
                    "no:cacheprovider",
                    "-p",
                    "no:faulthandler",
                    "--assert=plain",
                    *tests,
                ]
            )
        )
    finally:
        os._exit(code)


def usual_cpu(path: Path, tests: list[str]) -> int:
    """Seconds of CPU that a mutant may take; 0 where the tests fail although nothing is changed."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    begin(Mutant(module, "", path.read_text(encoding="utf-8")), tests, 600)
    _, status, usage = os.wait4(-1, 0)
    return 0 if status else int(LONGER * (usage.ru_utime + usage.ru_stime)) + 2


def survivors(todo: list[Mutant], tests: list[str], cpu_s: int) -> list[Mutant]:
    """Those that no test notices."""
    running: dict[int, Mutant] = {}
    left, found = list(todo), []
    while left or running:
        while left and len(running) < WORKERS:
            mutant = left.pop()
            running[begin(mutant, tests, cpu_s)] = mutant
        process, status = os.wait()
        mutant = running.pop(process)
        if status == 0:
            found.append(mutant)
            print(f"survives: {mutant.text}", flush=True)  # a run may be ended early
    return found


def main() -> int:
    """Try them; exit code 1 if one survives that is not on the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("group", nargs="?", choices=[*GROUPS], help="without it all are tried")
    parser.add_argument(
        "--sample", type=int, default=0, help="try so many of a file, chosen by chance; 0: all"
    )
    words = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["EMBODIMENT_BRIDGE_EXAMPLES"] = "quick"
    listed = {line.partition("  # ")[0].strip() for line in LIST.read_text(encoding="utf-8").splitlines()}
    unknown = 0
    for group in [words.group] if words.group else GROUPS:
        for place, tests in GROUPS[group]:
            file = ROOT / "embodiment_bridge" / place
            cpu_s = usual_cpu(file, tests)
            if not cpu_s:
                print(f"{place}: the tests fail although nothing is changed", file=sys.stderr)
                return 1
            every = list(mutants(file))
            tried = random.sample(every, words.sample) if 0 < words.sample < len(every) else every
            found = survivors(tried, tests, cpu_s)
            fresh = [mutant for mutant in found if mutant.text not in listed]
            unknown += len(fresh)
            counts = (
                f"{len(tried)} of {len(every)} mutants, {len(found)} survive, {len(fresh)} without a reason"
            )
            print(f"{group}, {place}: {counts}", flush=True)
    return int(unknown > 0)


if __name__ == "__main__":
    sys.exit(main())
