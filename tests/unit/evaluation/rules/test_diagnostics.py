"""The table of the compiler's texts, against the places that take from it."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import dap_dotnet.evaluation
from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import TEXTS, Diagnostic

_SOURCES = Path(dap_dotnet.evaluation.__file__).parent


def _keys(node: ast.expr) -> list[str]:
    """Those that an expression may have; none where it is not written out."""
    if isinstance(node, ast.IfExp):
        return [*_keys(node.body), *_keys(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _raised() -> Iterator[tuple[str, list[ast.expr]]]:
    """The keys, with their arguments: those of `TokenReader.diagnostic` stand behind a place."""
    for path in _SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Diagnostic":
                yield from ((key, node.args[1:]) for key in _keys(node.args[0]))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "diagnostic":
                yield from ((key, node.args[2:]) for key in _keys(node.args[1]))


def _holes(text: str) -> int:
    return len({name for _, name, _, _ in string.Formatter().parse(text) if name is not None})


def test_every_text_gets_as_many_arguments_as_it_has_holes() -> None:
    calls = [(key, given) for key, given in _raised() if not any(isinstance(one, ast.Starred) for one in given)]
    assert len(calls) > 250
    assert not [(key, len(given)) for key, given in calls if len(given) != _holes(TEXTS[key])]


def test_every_text_is_one_of_a_code_that_is_used() -> None:
    mentioned = {
        node.value
        for path in _SOURCES.rglob("*.py")
        if path.name != "diagnostics.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert not TEXTS.keys() - mentioned


def test_no_message_has_a_code_that_the_error_does_not_know() -> None:
    assert not [path for path in _SOURCES.rglob("*.py") if re.search(r"\berror CS\d", path.read_text("utf-8"))]


def test_a_diagnostic_has_its_code_its_arguments_and_its_text() -> None:
    error = Diagnostic("CS1503", 2, "int", "string", argument=1)
    assert error.message == "error CS1503: Argument 2: cannot convert from 'int' to 'string'"
    assert (error.compiler_code, error.arguments, error.argument) == ("CS1503", (2, "int", "string"), 1)
    assert Diagnostic("CS8997 lines").compiler_code == "CS8997"
    assert EvaluationError.of(error).compiler_code == "CS1503"
