"""Variables of a body that are read before they have a value."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.rules.variables import check_assigned
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.syntax.statement_tree import Block


def check(body: str) -> None:
    """Raises for the body of a lambda."""
    node = parse(f"x => {{ {body} }}")
    assert isinstance(node, syntax.Lambda)
    assert isinstance(node.body, Block)
    check_assigned(node.body)


@pytest.mark.parametrize(
    "body",
    [
        "int q; q = 1; return q;",
        "int q; if (x) q = 1; else q = 2; return q;",
        "int q; if (x) return 0; else q = 2; return q;",
        "int q; if (!F(out q)) return 0; return q;",
        "int q; try { q = 1; } finally { } return q;",
        "int q; try { } finally { q = 1; } return q;",
        "int q; do { q = 1; } while (x); return q;",
        "int q; while (true) { q = 1; break; } return q;",
        "int q; switch (x) { case 1: q = 1; break; default: return 0; } return q;",
        "int q; Action a = () => F(q); q = 1; return q;",
        "int q, w; (q, w) = (1, 2); return q + w;",
        "int q; return nameof(q).Length;",
        "{ int q; } { int q = 1; return q; }",
    ],
)
def test_variable_that_has_a_value_is_read(body: str) -> None:
    check(body)


@pytest.mark.parametrize(
    "body",
    [
        "int q; return q;",
        "int q; q = q + 1; return q;",
        "int q; q += 1; return 1;",
        "int q; if (x) q = 1; return q;",
        "int q; while (x) q = 1; return q;",
        "int q; for (int i = 0; i < x; i++) q = 1; return q;",
        "int q; foreach (var i in x) q = 1; return q;",
        "int q; try { q = 1; } catch { } return q;",
        "int q; switch (x) { case 1: q = 1; break; } return q;",
        "int q; switch (x) { case 1: break; default: q = 1; break; } return q;",
        "int q; using (x) { F(q); } return 1;",
        "int q; lock (x) { } return q;",
    ],
)
def test_variable_without_a_value_is_not_read(body: str) -> None:
    with pytest.raises(EvaluationError, match="CS0165: Use of unassigned local variable 'q'"):
        check(body)
