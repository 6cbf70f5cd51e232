"""Anonymous objects of members for which the compiler made no type: the program gets one, and has objects of it."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_SHOWN = {
    "new { Alone = 1 }": ("{ Alone = 1 }", "<anonymous type: int Alone>"),
    "new { Alone = 1 }.Alone": ("1", "int"),
    'string.Format("{0}", new { Alone = (string)null, Second = 2.5m })': ('"{ Alone = , Second = 2.5 }"', "string"),
    'new { Text = "t", In = new { N = 1 } }': (
        '{ Text = "t", In = { N = 1 } }',
        "<anonymous type: string Text, <anonymous type: int N> In>",
    ),
    "numbers.Select(n => new { Wide = (long)n }).ToList()[1].Wide": ("6", "long"),
    "numbers.Select(n => new { Wide = (long)n }).ToArray()[1].ToString()": ('"{ Wide = 6 }"', "string"),
    "numbers.Where(n => n > 99).Select(n => new { Wide = (long)n }).ToList()": (
        "Count = 0",
        "List<<anonymous type: long Wide>>",
    ),
    "numbers.GroupBy(n => new { Odd = n % 2 }).ToList().Count": ("2", "int"),
    "numbers.GroupBy(n => new { Odd = n % 2 }).First().Key": ("{ Odd = 1 }", "<anonymous type: int Odd>"),
    "new[] { new { Item = 1 }, new { Item = 2 } }[1].Item": ("2", "int"),
    "object.Equals(new { One = 1, Two = (string)null }, new { One = 1, Two = (string)null })": ("true", "bool"),
    'object.Equals(new { One = 1, Two = "a" }, new { One = 1, Two = "b" })': ("false", "bool"),
    "object.Equals(new { One = 1 }, new { Two = 1 })": ("false", "bool"),
    "new { One = 1 }.GetHashCode() == new { One = 1 }.GetHashCode()": ("true", "bool"),
    "new { One = 1 }.GetHashCode() == new { One = 2 }.GetHashCode()": ("false", "bool"),
    "new { One = 1 } == new { One = 1 }": ("false", "bool"),
    "new { One = 1 } == null": ("false", "bool"),
    "(numbers.Count > 0 ? new { One = 1 } : null).One": ("1", "int"),
    "new { One = 1 }.GetType().Name": ('"<>f__AnonymousType0`1"', "string"),
    "(1, 2).GetType().Name": ('"ValueTuple`2"', "string"),
    "System.Threading.Tasks.Task.Run(() => new { Late = 1 }).Result.Late": ("1", "int"),
}


def test_objects_are_of_a_type_that_the_program_gets(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    for expression, wanted in _SHOWN.items():
        found = session.evaluate(expression)
        assert (found.result, found.type) == wanted, expression
    items = session.variables(session.evaluate("numbers.Select(n => new { Wide = n }).Take(2)").variables_reference)
    assert [(item.name, item.value) for item in items][:2] == [("[0]", "{ Wide = 5 }"), ("[1]", "{ Wide = 6 }")]


def test_nothing_is_loaded_where_nothing_may_run(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", newest_runtime), "main")
    frame = session.stack(count=1)[0].id
    assert session.evaluate("new { Hovered = 1 }.Hovered", frame, context="hover").result == "1"
    assert session.evaluate("numbers.Select(n => new { Hovered = n }).Count()", frame, context="hover").result == "3"
    with pytest.raises(DapRequestError, match="not a value in the program"):
        session.evaluate("new { Hovered = 1 }", frame, context="hover")
    assert not [event for event in session.events("module") if "Anonymous" in event["module"]["name"]]
    assert session.evaluate("new { Hovered = 1 }", frame).result == "{ Hovered = 1 }"
    assert [event for event in session.events("module") if "Anonymous" in event["module"]["name"]]
