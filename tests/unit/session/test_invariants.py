"""What the documents promise of the code as a whole, looked up in its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import dap_dotnet

ROOT = Path(dap_dotnet.__file__).parent


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders or ("",):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def assigned(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            yield node.target


def test_only_holds_resumes_the_process():
    """`Debuggee.resume` takes an event; nothing but `Holds` calls it."""
    callers = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "resume"
        and "debuggee" in ast.unparse(node.func.value)
    }
    assert callers == {"session/holds.py"}


def test_handlers_and_reactions_write_none_of_the_sessions_fields():
    written = [
        f"{name}: {ast.unparse(target)}"
        for name, tree in (*modules("handlers"), *((n, t) for n, t in modules("session") if n.endswith("_events.py")))
        for target in assigned(tree)
        if isinstance(target, ast.Attribute) and ast.unparse(target).startswith("session.")
    ]
    assert written == []


def test_only_the_session_writes_its_phase_and_options():
    written = {
        name
        for name, tree in modules()
        for target in assigned(tree)
        if isinstance(target, ast.Attribute) and target.attr in ("_phase", "phase", "_options")
        if name.startswith(("session/", "handlers/", "adapter"))
    }
    assert written == {"session/session.py", "session/session_life.py", "session/past_session.py"}


def test_only_the_seam_and_its_implementation_name_cffi():
    names = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and "cffi" in ast.unparse(node)
    }
    assert names <= {"runtime/_shim.py"}
