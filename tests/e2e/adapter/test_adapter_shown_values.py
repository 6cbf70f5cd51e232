"""Values as their programmer means them: the texts of types that the debugger knows, on every runtime."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.protocol.messages.variables import Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_TIMES = {
    "date": ("{02/29/2024 12:34:56}", "DateTime"),
    "first": ("{01/01/0001 00:00:00}", "DateTime"),
    "last": ("{12/31/9999 23:59:59}", "DateTime"),
    "east": ("{02/29/2024 12:34:56 +05:30}", "DateTimeOffset"),
    "west": ("{02/29/2024 12:34:56 -08:00}", "DateTimeOffset"),
    "span": ("{1.02:03:04.5000000}", "TimeSpan"),
    "negative": ("{-00:01:30}", "TimeSpan"),
    "maybe": ("{02/29/2024 12:34:56}", "DateTime?"),
    "never": ("null", "DateTime?"),
    "boxed": ("{02/29/2024 12:34:56}", "DateTime"),
}
_NUMBERS = {
    "money": ("-12.50", "decimal"),
    "small": ("-7", "BigInteger"),
    "big": ("1" + "0" * 40, "BigInteger"),
    "bigNegative": ("-1" + "0" * 40, "BigInteger"),
    "complex": ("{<1; -2.5>}", "Complex"),
    "id": ("{00112233-4455-6677-8899-aabbccddeeff}", "Guid"),
    "index": ("{3}", "Index"),
    "fromEnd": ("{^1}", "Index"),
    "range": ("{1..^2}", "Range"),
    "rune": ("{é}", "Rune"),
    "native": ("-5", "nint"),
    "letter": ("97 'a'", "char"),
    "answer": ("42", "int"),
    "word": ('"w"', "string"),
    "granted": ("Write", "Access"),
    "half": ("0.5", "double"),
}
_OBJECTS = {
    "person": ('("Ann", 42)', "(string Name, int Age)"),
    "tuples": ("Count = 1", "List<(int X, (bool Left, bool) Sides)>"),
    "maybePair": ("(1, 2)", "(int A, int B)?"),
    "nine": (
        "(1, 2, 3, 4, 5, 6, 7, (8, 9), 10)",
        "(int a, int b, int c, int d, int e, int f, int g, (int X, int Y) h, int i)",
    ),
    "nested": ("(1, (true, 120 'x'), null)", "(int, (bool, char), string)"),
    "eight": ('(1, 2, 3, 4, 5, 6, 7, "eight", 9)', "(int, int, int, int, int, int, int, string, int)"),
    "reference": ('(3, "three")', "Tuple<int, string>"),
    "anonymous": ('{ Alpha = 1, Beta = "b" }', "<anonymous type: int Alpha, string Beta>"),
    "pair": ('{["key", 5]}', "KeyValuePair<string, int>"),
    "version": ("{1.2.3}", "Version"),
    "uri": ("{https://example.org/a?b=c}", "Uri"),
    "builder": (f"{{abcdefghijklmnop{'q' * 40}}}", "StringBuilder"),
    "exception": ("{System.InvalidOperationException: broken}", "InvalidOperationException"),
    "argument": (
        "{System.ArgumentNullException: Value cannot be null. (Parameter 'text')}",
        "ArgumentNullException",
    ),
    "silent": (
        "{Shown.CustomException: Exception of type 'Shown.CustomException' was thrown.}",
        "CustomException",
    ),
    "result": ("Status = RanToCompletion, Result = 42", "Task<int>"),
    "faulted": ("Status = Faulted, Exception = {System.InvalidOperationException: lost}", "Task"),
    "canceled": ("Status = Canceled", "Task<string>"),
    "pending": ("Status = WaitingForActivation", "Task<int>"),
    "valueTask": ("Status = RanToCompletion, Result = 7", "ValueTask<int>"),
    "lazy": ("Value = 3", "Lazy<int>"),
    "inner": ("{Outer<int>.Inner<string>}", "Outer<int>.Inner<string>"),
    "some": ("5", "int?"),
    "none": ("null", "int?"),
    "matrix": ("{int[2, 3]}", "int[,]"),
    "lists": ("{List<int>[1]}", "List<int>[]"),
    "text": (r'"a\"b\\c\n\u0001"', "string"),
    "longText": (f'"{"x" * 1024}"…', "string"),
    "access": ("Read | Write", "Access"),
    "unknown": ("64", "Access"),
}
_NEWER = {
    "day": ("{02/29/2024}", "DateOnly"),
    "time": ("{12:34:56}", "TimeOnly"),
    "half": ("0.1", "Half"),
    "wide": (str(-(1 << 100)), "Int128"),
    "unsigned": (str((1 << 128) - 1), "UInt128"),
    "native": ("-3", "nint"),
    "nativeUnsigned": ("3", "nuint"),
    "span": ("{Span<int>[2]}", "Span<int>"),
    "onStack": ("{Span<byte>[2]}", "Span<byte>"),
    "characters": ('"ello"', "ReadOnlySpan<char>"),
    "noSpan": ("{Span<int>[0]}", "Span<int>"),
    "part": ('"ell"', "ReadOnlyMemory<char>"),
    "buffer": ("{Buffer[6]}", "Buffer"),
}


@pytest.mark.parametrize(
    ("mark", "expected"), [("times", _TIMES), ("numbers", _NUMBERS), ("objects", _OBJECTS), ("newer", _NEWER)]
)
def test_values_are_shown_by_what_they_mean(
    runtime: Runtime, session: Session, mark: str, expected: dict[str, tuple[str, str]]
) -> None:
    if mark == "newer" and runtime.version.startswith("3."):
        pytest.skip("the types came later")
    session.stop_in_file(programs.build("Shown", runtime), "Program.cs", mark)
    if mark == "numbers" and runtime.major == "3.1":
        expected = {**expected, "complex": ("{(1, -2.5)}", "Complex")}
    shown = {name: (entry.value, entry.type) for name, entry in session.locals().items()}
    assert {name: shown[name] for name in expected} == expected


def test_pointers_open_to_what_they_point_to(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Values", runtime), "Program.cs", "pointers")
    shown = session.locals()

    def target(pointer: Variable) -> Variable:
        (found,) = session.variables(pointer.variables_reference)
        return found

    assert (target(shown["pointer"]).name, target(shown["pointer"]).value) == ("*pointer", "77")
    assert target(target(shown["twice"])).value == "77"
    members = session.variables(target(shown["structure"]).variables_reference)
    assert (members[0].name, members[0].value, target(members[1]).value) == ("First", "1", "77")
    assert [shown[name].variables_reference for name in ("nothing", "untyped")] == [0, 0]
    assert target(shown["wild"]).value.startswith("<")
    assert target(target(shown["twice"])).evaluate_name == "(*(*twice))"
    assert members[0].evaluate_name is not None
    given = ("*pointer", "(*(*twice))", "*structure->Second + pointer[0]", "structure->First", members[0].evaluate_name)
    assert [session.evaluate(text).result for text in given] == ["77", "77", "154", "1", "1"]
    assert session.evaluate("structure->First = 5; *pointer = 78; target + pair.First").result == "83"
    refusals = {"*wild": "cannot be read", "*nothing": "null", "*untyped": "CS0242", "*target": "CS0193"}
    for refused, said in refusals.items():
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(refused)


def test_elements_of_tuples_have_the_names_of_the_source(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Program.cs", "objects")
    shown = session.locals()
    frame = session.stack(count=1)[0].id

    def opened(name: str, *path: str) -> list[tuple[str, str, str | None]]:
        variable = shown[name]
        for step in path:
            variable = next(one for one in session.variables(variable.variables_reference) if one.name == step)
        children = session.variables(variable.variables_reference)
        for child in children:
            if child.evaluate_name is not None and child.value:
                assert session.evaluate(child.evaluate_name, frame).result == child.value, child.evaluate_name
        return [(child.name, child.value, child.type) for child in children]

    assert opened("person") == [("Name", '"Ann"', "string"), ("Age", "42", "int")]
    assert opened("eight")[-2:] == [("Item8", '"eight"', "string"), ("Item9", "9", "int")]
    assert opened("nine")[-2:] == [("h", "(8, 9)", "(int X, int Y)"), ("i", "10", "int")]
    assert opened("nine", "h") == [("X", "8", "int"), ("Y", "9", "int")]
    assert opened("tuples")[0] == ("[0]", "(1, (true, false))", "(int X, (bool Left, bool) Sides)")
    assert opened("tuples", "[0]", "Sides") == [("Left", "true", "bool"), ("Item2", "false", "bool")]
    assert opened("maybePair") == [("A", "1", "int"), ("B", "2", "int")]
    assert opened("named")[:3] == [
        ("Field", '(1, "two")', "(int First, string Second)"),
        ("Automatic", "{(int, int)[1]}", "(int L, int R)[]"),
        ("Computed", '("c", (7, true))', "(string First, (int Id, bool) Inner)"),
    ]
    assert opened("named", "Computed") == [
        ("First", '"c"', "string"),
        ("Inner", "(7, true)", "(int Id, bool)"),
    ]
    assert opened("named", "Static members") == [("Static", "(3, 4)", "(int S, int)")]
    assert session.evaluate("person", frame).type == "(string Name, int Age)"


def test_spans_and_inline_arrays_open_to_their_elements(runtime: Runtime, session: Session) -> None:
    if runtime.major == "3.1":
        pytest.skip("spans are shown by their fields there")
    session.stop_in_file(programs.build("Shown", runtime), "Program.cs", "newer")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    expected = {
        "span": ["2", "3"],
        "onStack": ["7", "8"],
        "characters": ["101 'e'", "108 'l'", "108 'l'", "111 'o'"],
        "noSpan": [],
        "part": ["101 'e'", "108 'l'", "108 'l'"],
        "buffer": ["0", "42", "0", "0", "0", "0"],
    }
    for name, elements in expected.items():
        children = session.variables(shown[name].variables_reference, filter="indexed")
        assert [child.value for child in children] == elements, name
        for child in children:
            assert child.evaluate_name is not None
            assert session.evaluate(child.evaluate_name, frame).result == child.value, child.evaluate_name
    page = session.variables(shown["buffer"].variables_reference, filter="indexed", start=1, count=2)
    assert [(child.name, child.value) for child in page] == [("[1]", "42"), ("[2]", "0")]
