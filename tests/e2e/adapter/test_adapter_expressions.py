"""The expression engine on real programs: what C# gives for each expression, on every runtime."""

from __future__ import annotations

import platform

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

MAIN = {
    # names
    "captured + Fixed": "15",
    "Animal.Kind": '"animal"',
    "Animal.Rate * 4": "1.00",
    "Expressions.Deep.Dog.Size.Large": "Large",
    "Dog.Size.Small": "Small",
    "start.Year": "2020",
    "PI > 3": "true",
    "int.MaxValue": "2147483647",
    "nameof(dog.Name)": '"Name"',
    # members
    "animal.Name": '"Rex"',
    "animal.Legs": "3",
    "named.Name": '"Rex"',
    "named.Loud": '"REX"',
    'animal["abc"]': "3",
    "animal[2, 3]": "6",
    "animal.legs": "4",
    "anonymous.B.C": '"c"',
    "tuple.X": "1",
    "tuple.Y.Z": '"z"',
    "start.Day + start.Hour": "5",
    # collections
    "numbers.Count": "3",
    "numbers[1]": "6",
    "numbers[^1]": "7",
    "numbers is [5, .., 7]": "true",
    'map["bb"]': "2",
    'map.ContainsKey("zz")': "false",
    "words[1].Length": "2",
    # types
    "(long)boxed + 1": "6",
    "boxed is long held && held == 5": "true",
    "animal is Dog { Legs: 3 }": "true",
    "(animal as INamed).Name": '"Rex"',
    "numbers is IEnumerable<int>": "true",
    "numbers.GetType() == typeof(List<int>)": "true",
    "maybe + 1 ?? 0": "5",
    # operators and conversions of the user
    "(price + more).Amount": "3.5",
    "price > more": "false",
    "(decimal)price": "1.5",
    "price + 0.5m": "2.0",
    "start.AddDays(1) > start": "true",
    "(start.AddDays(1) - start).TotalHours": "24",
    # calls
    "dog.Add(1)": "12",
    'dog.Add(1, text: "abc")': "14",
    "Dog.Twice(3)": "6",
    "Dog.Twice(1.5)": "3",
    "dog.Echo(5)": "5",
    'dog.Echo<string>("a") + dog.Pats': '"a2"',
    "dog.Bark(2)": '"RexRex"',
    "dog.Price().Amount": "4",
    "numbers.Sum() + numbers.First()": "23",
    "words.Any()": "true",
    "add(2)": "9",
    'word.Replace("o", "0")': '"w0rd"',
    'word.Substring(1).Replace("o", word.ToUpper())': '"WORDrd"',
    'string.Join(",", words)': '"x,yy,zzz"',
    "Max(3, 4)": "4",
    'int.Parse("12") + 1': "13",
    '$"{price} {word,6} {captured:X2}"': '"1.5 EUR   word 03"',
    # values as objects, and computed ones as `this`
    'string.Format("{0}-{1}", captured, word)': '"3-word"',
    'string.Concat(boxed, "x")': '"5x"',
    "string.Concat(captured, maybe)": '"34"',
    'string.Format("{0} {1} {2}", price, price.Amount * 2, maybe)': '"1.5 EUR 3.0 4"',
    'string.Format("{0:X2}", 255)': '"FF"',
    "object.Equals(captured, 3)": "true",
    "object.Equals(boxed, 5)": "false",
    "boxed.Equals(5L)": "true",
    '(captured * 2).ToString("00.0")': '"06.0"',
    'price.Amount.ToString("0.000")': '"1.500"',
    '(price.Amount * 2).ToString("0.000")': '"3.000"',
    "Math.Max(price.Amount, 2m)": "2",
    "(captured + 1).CompareTo(3)": "1",
    'start.ToString("yyyy-MM")': '"2020-01"',
    "word.Split('o')[1]": '"rd"',
    # lambdas and groups of methods that the program is given
    "new Func<int, int>(x => x * captured + numbers.Count)(4)": "15",
    'new Func<Dog, string>(d => $"{d.Name}{d.legs:00}" + (d.Pats > 0 ? start.Year : 1.5m))(dog)': '"Rex042020"',
    "new Func<double, double>(Dog.Twice)(1.5)": "3",
    "(add = x => { var sum = captured; foreach (var n in numbers) if (n > x) sum += n; return sum; })(5)": "16",
    "numbers.RemoveAll(n => words.Any(w => w.Length + 4 == n)) * 10 + numbers.Count": "30",
}


def test_expressions_give_what_csharp_gives(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    found = {}
    for expression in MAIN:
        try:
            found[expression] = session.evaluate(expression).result
        except DapRequestError as error:
            found[expression] = error.text
    assert found == MAIN


@pytest.mark.parametrize(
    ("expression", "saturated", "of_x64"),
    [
        ("(int)Dog.Twice(5e9)", "2147483647", "-2147483648"),
        ("(uint)Dog.Twice(5e9)", "4294967295", "1410065408"),
        ("(ulong)Dog.Twice(-5.0)", "0", "18446744073709551606"),
        ("(byte)Dog.Twice(5e9)", "255", "0"),
        ("(long?)Dog.Twice(1e19)", "9223372036854775807", "-9223372036854775808"),
    ],
)
def test_floats_beyond_an_integer_type_become_what_the_runtime_makes_of_them(
    runtime: Runtime, session: Session, expression: str, saturated: str, of_x64: str
) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    is_saturated = int(runtime.major.partition(".")[0]) > 8 or platform.machine() != "x86_64"
    assert session.evaluate(expression).result == (saturated if is_saturated else of_x64)


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("lambda", {"inner": "4", "captured": "3", "word.Length + value": "5"}),
        ("generic", {"local": '"held"', "(int)(object)other + 1": "6", "Pair.First": '"p"', "local is T": "true"}),
        ("async", {"total": "11", "begin": "10", "label + total": '"!11"', "start.Year": "2020"}),
        ("iterator", {"doubled": "0", "index": "0", "limit * 2": "4"}),
    ],
)
def test_expressions_see_moved_variables(
    newest_runtime: Runtime, session: Session, marker: str, expected: dict[str, str]
) -> None:
    session.stop_in(programs.build("Expressions", newest_runtime), marker)
    assert {expression: session.evaluate(expression).result for expression in expected} == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("nope", "error CS0103"),
        ("dog.Nope", "error CS1061"),
        ("word - 1", "error CS0019"),
        ("dog.Fail()", "InvalidOperationException"),
        ("captured = 5L", "CS0266"),
        ("(" * 5000, "nest"),
        ("1" * (1 << 20), "8192"),
        ("-" * 5000 + "1", "nest"),
    ],
    ids=lambda value: value[:12],
)
def test_expressions_that_fail_say_why_and_the_session_goes_on(
    newest_runtime: Runtime, session: Session, expression: str, said: str
) -> None:
    session.stop_in(programs.build("Expressions", newest_runtime), "main")
    with pytest.raises(DapRequestError) as refused:
        session.evaluate(expression)
    assert said in refused.value.text
    assert session.evaluate("captured").result == "3"
    assert session.evaluate("dog.Echo(1)").result == "1"
