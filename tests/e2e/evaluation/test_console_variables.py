"""Variables of the debug console: declared with and without types, assigned, passed to the program."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

TYPED = [
    ("int x = 5", "5", "int"),
    ("x = x * 2", "10", "int"),
    ("x++; x += 5; x", "16", "int"),
    ("long wide = 3", "3", "long"),
    ("double half = 1; half / 2", "0.5", "double"),
    ("string text = null", "null", "string"),
    ('text = "n" + x; text.Length', "3", "int"),
    ("text", '"n16"', "string"),
    ("List<int> list = new List<int> { 1, 2 }; list.Count", "2", "int"),
    ("List<int> short_ = new() { 7 }; short_[0]", "7", "int"),
    ("list = null; list == null", "true", "bool"),
    ("int[] row = { 1, 2, 3 }; row[1] = 7; row.Sum()", "11", "int"),
    ('(int a, string b) = (1, "b"); b + a', '"b1"', "string"),
    ("var (c, d) = (3, 4); c * d", "12", "int"),
    ("(var e, long f) = (5, 6); f", "6", "long"),
    ("const int fixed_ = 3; fixed_ + 1", "4", "int"),
    ("Func<int, int> twice = v => v * 2; twice(x)", "32", "int"),
    ("twice = v => v + 1; twice(x)", "17", "int"),
    ("var typed = (int v) => v + 0.5; typed(1)", "1.5", "double"),
    ("var none = () => { }; none != null", "true", "bool"),
    ("object any = 5; any = words[0]; any", '"x"', "string"),
    ("int? maybe_ = null; maybe_ ?? 9", "9", "int"),
    ("maybe_ = 4; maybe_ + 1", "5", "int?"),
    ("List<int?> gaps = new List<int?> { 1, null, 3 }; gaps[2] + gaps.Count", "6", "int?"),
    ("gaps[1] == null && gaps.Contains(null)", "true", "bool"),
    (
        'Dictionary<string, int?> known = new Dictionary<string, int?> { ["a"] = 1, ["b"] = null }; known["a"]',
        "1",
        "int?",
    ),
    ('known["b"] = 4; known["a"] = null; known["b"]', "4", "int?"),
    ('known["b"] += 2; known["b"] + known.Count', "8", "int?"),
    ('var pair = (n: 1, s: "x"); pair.s = "z"; pair.s + pair.n', '"z1"', "string"),
    ("IEnumerable<int> odd = numbers.Where(n => n % 2 == 1); odd.Count() >= 0", "true", "bool"),
    ("Money paid = price; paid.Amount", "1.5", "decimal"),
    ("words[0],makeid", '"x" {$1}', "string"),
    ("$1", '"x"', "string"),
]
REFUSED = [
    ("fixed_ = 4", "CS0131"),
    ("const int no = x", "CS0133"),
    ('x = "a"', "CS0029"),
    ("int no = 1.5", "CS0266"),
    ("byte no = 300", "CS0031"),
    ("int numbers = 3", "CS0128"),
    ("var no = v => v", "CS8917"),
    ("var no = null", "CS0815"),
    ("no", "CS0103"),
]


def test_variables_of_the_console_have_types_and_are_assigned(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    wrong = []
    for text, value, kind in TYPED:
        try:
            found = session.evaluate(text)
            shown = (found.result, found.type)
        except DapRequestError as error:
            shown = (error.text, None)
        if shown != (value, kind):
            wrong.append((text, (value, kind), shown))
    assert wrong == []
    for text, code in REFUSED:
        with pytest.raises(DapRequestError, match=code):
            session.evaluate(text)
