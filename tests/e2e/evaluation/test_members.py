"""Which member, overload or conversion an expression means, in hierarchies that make it hard: as in C#, everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_members_are_those_that_the_program_takes(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    wrong = differences("Members", runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(300)
def test_expressions_of_newest_csharp_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Newer", newest_runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(300)
def test_expressions_of_new_csharp_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Modern", newest_runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)
    for expression, value in OF_THE_DEBUGGER.items():
        try:
            found: str | None = session.evaluate(expression).result
        except DapRequestError:
            found = None
        assert found == value, expression


@pytest.mark.timeout(300)
def test_expressions_of_latest_csharp_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Latest", newest_runtime, session, tmp_path, has_nullables=True)
    assert not wrong, "\n".join(wrong)
    for path, value in STORED_IN_TREE.items():
        assert _stored(session, path.split("/"), value) == value, path
        assert session.evaluate(path.replace("/[", "[").replace("/", ".")).result == value, path
    for expression, value in OF_THE_CONSOLE.items():
        assert session.evaluate(expression).result == value, expression
    for expression, said in REFUSED_IN_THE_CONSOLE.items():
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(expression)
    for path, said in REFUSED_IN_TREE.items():
        with pytest.raises(DapRequestError, match=said):
            _stored(session, path.split("/"), "1")


@pytest.mark.timeout(300)
def test_forms_of_expressions_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    wrong = differences("Latest", newest_runtime, session, tmp_path, has_nullables=True, listed="forms")
    assert not wrong, "\n".join(wrong)


def _stored(session: Session, path: list[str], value: str) -> str:
    """What the view of variables answers when a value is typed at the end of a path."""
    reference = session.scopes(session.stack(count=1)[0].id)[0].variables_reference
    for name in path[:-1]:
        reference = next(one for one in session.variables(reference) if one.name == name).variables_reference
    answer = session.request("setVariable", {"variablesReference": reference, "name": path[-1], "value": value})
    return str(answer["value"])


OF_THE_CONSOLE = {
    "var twice = holder.Twice; twice(4)": "12",
    "var odd = IsOdd; odd(4)": "false",
    "Func<int, int> typed = holder.Twice; typed(2)": "6",
    "Delegate any = holder.Twice; any.Method.Name": '"Twice"',
    "gauged = (2, new Gauge { V = 5 })": "(2, {G5})",
    "(gauged.Item2, gauged.Item1) = (new Gauge { V = 6 }, 3)": "({G6}, 3)",
}
REFUSED_IN_THE_CONSOLE = {
    "var write = Console.WriteLine": "CS8917",
    "var over = holder.Over": "CS8917",
    "var generic = Holder.Gen": "CS8917",
    "var none = holder.Nobody": "CS1061",
    "(i, j) += (1, 2)": "CS0131",
}
STORED_IN_TREE = {
    "sp/[1]": "41",
    "cs/[0]": "98 'b'",
    "ps/[0]/A": "44",
    "stk/[0]": "45",
    "four/[2]": "42",
    "fix/buf/[1]": "43",
    "keeps/Four/[0]": "46",
    "keeps/Fix/raw/[1]": "47",
}
REFUSED_IN_TREE = {"ro/[0]": "CS8331", "ros/[0]": "CS8331|CS0266|CS0029", "keeps/Ro/[0]": "CS8331"}


FIRST_OF_CSHARP_14 = 10
OF_THE_DEBUGGER = {
    # Its display runs the program's ToString.
    "ann,makeid": "{Person { Name = Ann, Age = 30, Nick = A, Role = p, Pair = (Ann, 30), Boss =  }} {$1}",
    "$1.Name": '"Ann"',
    "nby,b": "0b0000_0111",
    "i128,h": "0x7fffffffffffffffffffffffffffffff",
    "(Int128)(-1),x": "0x" + "f" * 32,
    "u128,b": "0b" + "_".join(["0000"] * 31 + ["0101"]),
    "bi,h": "0x1" + "0" * 25,
    "-bi,h": "-0x1" + "0" * 25,
    "bi,d": str(1 << 100),
    "n2,b": "null",
    "list[^1] = 80; list.Last()": "80",
    "list[^1]--; list[^1]": "79",
    "t,results": None,
    "i,results": None,
    "[1, 2] = 3": None,
    "var span = arr.AsSpan()": None,
}
"""What the compiler does not know, or does not allow here. None: refused."""
