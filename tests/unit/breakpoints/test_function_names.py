"""Names of functions and types as people write them."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.breakpoints.functions.names import Wildcard, parse_function_name, split_type_name, suffix_matches
from dap_dotnet.breakpoints.functions.type_texts import TypeTextError, matches, parse_types
from dap_dotnet.errors import UserError


@pytest.mark.parametrize(
    ("text", "module", "parts"),
    [
        ("Ns.Type.Method", None, ["Ns", "Type", "Method"]),
        ("  Method  ", None, ["Method"]),
        ("Outer+Inner.Method", None, ["Outer", "Inner", "Method"]),
        ("global::Ns.Type.Method", None, ["Ns", "Type", "Method"]),
        ("App!Ns.Type.Method", "app", ["Ns", "Type", "Method"]),
        ("My.App.dll!Main", "my.app", ["Main"]),
        ("Type..ctor", None, ["Type", ".ctor"]),
        (".cctor", None, [".cctor"]),
        ("Type.~Type", None, ["Type", "~Type"]),
        ("Type.this[int]", None, ["Type", "this"]),
        ("Type.this[int].get", None, ["Type", "this", "get"]),
        ("Program.<Main>$", None, ["Program", "<Main>$"]),
        ("<Main>g__Local|0_0", None, ["<Main>g__Local|0_0"]),
        ("Type.Get*", None, ["Type", "Get*"]),
        ("string.Concat", None, ["System", "String", "Concat"]),
        ("@class.@event", None, ["class", "event"]),
    ],
)
def test_name_is_split(text, module, parts):
    pattern = parse_function_name(text)
    assert (pattern.module, [segment.name for segment in pattern.segments]) == (module, parts)


@pytest.mark.parametrize(
    ("text", "arities"),
    [
        ("List<T>.Add", [1, None]),
        ("List`1.Add", [1, None]),
        ("Dictionary<,>.Add", [2, None]),
        ("Dictionary<string, List<int>>.Add", [2, None]),
        ("Type.Method<T>", [None, 1]),
        ("Type.Method``2", [None, 2]),
        ("List.Add", [None, None]),
    ],
)
def test_generic_parameters_are_counted(text, arities):
    assert [segment.arity for segment in parse_function_name(text).segments] == arities


@pytest.mark.parametrize(
    ("text", "names", "count"),
    [
        ("T.operator +", ("op_Addition", "op_UnaryPlus"), None),
        ("T.operator+(T, T)", ("op_Addition", "op_UnaryPlus"), 2),
        ("operator !", ("op_LogicalNot",), None),
        ("T.operator !=(T, T)", ("op_Inequality",), 2),
        ("T.operator <(T, T)", ("op_LessThan",), 2),
        ("T.operator true", ("op_True",), None),
        ("T.operator checked -(T)", ("op_CheckedSubtraction", "op_CheckedUnaryNegation"), 1),
        ("T.operator +=", ("op_AdditionAssignment",), None),
        ("T.implicit operator List<int>(T)", ("op_Implicit",), 1),
        ("T.explicit operator", ("op_Explicit",), None),
    ],
)
def test_operator_is_called_by_its_symbol(text, names, count):
    pattern = parse_function_name(text)
    assert pattern.method_names == names
    assert (None if pattern.parameters is None else len(pattern.parameters)) == count


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the name of the method is missing"),
        ("App!", "the name of the method is missing"),
        ("Type.", "the name of the method is missing"),
        ("M(", "'(' is not closed"),
        ("M(int", "'(' is not closed"),
        ("List<T.Add", "'<' is not closed"),
        ("M(int) x", "does not belong there"),
        ("a b", "does not belong there"),
        ("Get*.Method", "only in the last part"),
        ("M(1)", "is not a type"),
        ("M(int,)", "a type is missing"),
        ("T.operator $", "there is no operator '$'"),
        ("T.operator +(T", "is not closed"),
        ("M" * 5000, "longer than 4096"),
        ("M(" + "List<" * 100 + "int" + ">" * 100 + ")", "nested too deeply"),
    ],
)
def test_what_is_no_name_is_refused_with_the_reason(text, reason):
    with pytest.raises(UserError, match="is not a valid function name") as error:
        parse_function_name(text)
    assert reason in error.value.message
    assert error.value.code == "INVALID_FUNCTION"


@given(st.text(alphabet="AbM.+<>()[]`!*?, ~operator1$|&@:", max_size=40))
def test_any_text_is_a_name_or_refused(text):
    try:
        pattern = parse_function_name(text)
    except UserError:
        return
    assert pattern.segments
    if pattern.has_wildcard:
        pattern.wildcard().matches("M" * 30)


def test_many_wildcards_are_quick():
    wildcard = parse_function_name("Type." + "*a" * 50).wildcard()
    assert not wildcard.matches("ab" * 40)
    assert wildcard.matches("ab" * 49 + "a")


@given(st.text("a*?", max_size=8), st.text("ab", max_size=10))
def test_wildcards_are_as_fnmatch_has_them(pattern, name):
    assert Wildcard(pattern).matches(name) is fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("Add", "System.Collections.Generic.List`1", True),
        ("List.Add", "System.Collections.Generic.List`1", True),
        ("List<T>.Add", "System.Collections.Generic.List`1", True),
        ("List<A, B>.Add", "System.Collections.Generic.List`1", False),
        ("Generic.List.Add", "System.Collections.Generic.List`1", True),
        ("ist.Add", "System.Collections.Generic.List`1", False),
        ("Outer.Inner.Add", "Ns.Outer`1+Inner", True),
        ("Outer<T>+Inner.Add", "Ns.Outer`1+Inner", True),
        ("A.Ns.Outer.Inner.Add", "Ns.Outer`1+Inner", False),
        ("Inner.A*", "Ns.Outer`1+Inner", True),
        ("Inner.?dd", "Ns.Outer`1+Inner", True),
        ("Inner.a*", "Ns.Outer`1+Inner", False),
    ],
)
def test_last_parts_are_enough(pattern, name, expected):
    parsed = parse_function_name(pattern)
    spelling = (*split_type_name(name), *split_type_name("Add"))
    assert suffix_matches(parsed, spelling, parsed.wildcard() if parsed.has_wildcard else None) is expected


@pytest.mark.parametrize(
    ("wanted", "actual", "expected"),
    [
        ("int", "int", True),
        ("Int32", "int", True),
        ("System.Int32", "int", True),
        ("int", "long", False),
        ("int, string", "int, string", True),
        ("int", "int, string", False),
        ("", "", True),
        ("", "int", False),
        ("List<int>", "System.Collections.Generic.List<int>", True),
        ("List", "System.Collections.Generic.List<int>", True),
        ("List<string>", "System.Collections.Generic.List<int>", False),
        ("ist<int>", "System.Collections.Generic.List<int>", False),
        ("int[]", "int[]", True),
        ("int[,]", "int[]", False),
        ("int[ , ]", "int[,]", True),
        ("int?", "int?", True),
        ("Nullable<int>", "int?", True),
        ("int?", "int", False),
        ("int", "int?", False),
        ("string?", "string", True),
        ("List<string?>?", "System.Collections.Generic.List<string>", True),
        ("ref int", "ref int", True),
        ("out int", "ref int", True),
        ("int&", "ref int", True),
        ("int", "ref int", False),
        ("(int, string)", "(int, string)", True),
        ("(int a, string b) pair", "(int, string)", True),
        ("ValueTuple<int, string>", "(int, string)", True),
        ("int count, string name", "int, string", True),
        ("params object[] all", "object[]", True),
        ("dynamic", "object", True),
        ("char*", "char*", True),
        ("Outer.Inner", "Ns.Outer.Inner", True),
        ("Outer<int>.Inner<string>", "Ns.Outer.Inner<int, string>", True),
    ],
)
def test_types_are_compared(wanted, actual, expected):
    assert matches(parse_types(wanted), parse_types(actual), {}) is expected


def test_generic_parameter_may_be_written_as_its_argument():
    (integer,) = parse_types("int")
    assert matches(parse_types("int"), parse_types("T"), {"T": integer})
    assert matches(parse_types("int[]"), parse_types("T[]"), {"T": integer})
    assert matches(parse_types("T"), parse_types("T"), {"T": integer})
    assert not matches(parse_types("string"), parse_types("T"), {"T": integer})


@pytest.mark.parametrize("text", ["int,", "<int>", "List<int", "1", "int]", "delegate*<int>"])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(TypeTextError):
        parse_types(text)
