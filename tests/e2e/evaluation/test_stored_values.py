"""`setExpression` and `setVariable` for variables of all kinds: what they answer, store and refuse."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

STORED = [
    ("small", "-128", "-128"),
    ("great", "18446744073709551615", "18446744073709551615"),
    ("single", "2.5", "2.5"),
    ("letter", "98 'b'", "98 'b'"),
    ("money", "2.75", "2.75"),
    ("word", r'"q \"u\""', r'"q \"u\""'),
    ("boxed", "7.5m", "7.5"),
    ("rights", "Read | Write", "Read | Write"),
    ("maybeRights", "Write", "Write"),
    ("maybe", "null", "null"),
    ("maybePair", "other", "{Pair}"),
    ("maybePair.Value.Number", "8", "8"),
    ("pair.Number", "5", "5"),
    ("pair.Inside.Name", '"deep"', '"deep"'),
    ("tuple.Low", "4", "4"),
    ("tuple.High", '("m", 3)', '("m", 3)'),
    ("second", "20", "20"),
    ("row[0]", "(int)3.9", "3"),
    ("matrix[1, 0]", "33", "33"),
    ("pairs[1]", "other", "{Pair}"),
    ("pairs[1].Inside.Name", '"own"', '"own"'),
    ("list[1]", "22", "22"),
    ("kept.Clamped", "50", "10"),
    ("kept.Automatic", "other", "{Pair}"),
    ("kept.Automatic.Number", "6", "6"),
]
PRINTED = (
    '-128;18446744073709551615;2.5;b;2.75;q "u";7.5;Read, Write;Write;null;5;deep;8;(4, (m, 3));3,20,3;33;own;'
    "22;10;6;in;20;9;"
)
REFUSED = [
    ("small", "128", "CS0031"),
    ("great", "-1", "CS0031"),
    ("single", "1.5d * 2", "CS0266"),
    ("letter", '"a"', "CS0029"),
    ("word", "5", "CS0029"),
    ("rights", "3", "CS0266"),
    ("row.Length", "4", "CS0200"),
    ("maybePair.Value", "other", "CS0200"),
    ("row[3]", "1", "IndexOutOfRange"),
    ("list[5]", "1", "ArgumentOutOfRange"),
    ("kept.Fixed", "1", "CS0191"),
    ("kept.Throws", "1", "InvalidOperationException: never"),
    ("list.Count", "1", "CS0200"),
    ("small", "nope", "CS0103"),
    ("small", "1 + nope", r"CS0103.*\(line 1, column 5\)"),
    ("list.Count", "2 + 1", r"CS0200[^(]*$"),  # a position is in the value only
    ("small", "", "CS1733"),
]


def test_values_of_all_kinds_are_stored(runtime: Runtime, session: Session) -> None:
    program = programs.build("Members", runtime)
    session.stop_in_file(program, "Stored.cs", "stored")
    frame = session.stack(count=1)[0].id
    for target, text, shown in STORED:
        answer = session.request("setExpression", {"expression": target, "value": text, "frameId": frame})
        assert (target, answer["value"]) == (target, shown)
    for target, text, said in REFUSED:
        with pytest.raises(DapRequestError, match=said):
            session.request("setExpression", {"expression": target, "value": text, "frameId": frame})
    read = {target: session.evaluate(target).result for target, _, _ in STORED}
    assert read == {target: shown for target, _, shown in STORED}
    session.set_breakpoints(str(program.source_dir / "Stored.cs"), [program.line("change", "Stored.cs")])
    session.continue_()
    session.wait_for_stop()
    scope = session.scopes(session.stack(count=1)[0].id)[0].variables_reference
    stored = session.request("setVariable", {"variablesReference": scope, "name": "place", "value": "3"})
    assert stored["value"] == "3"
    with pytest.raises(DapRequestError, match="CS8331"):
        session.request("setVariable", {"variablesReference": scope, "name": "given", "value": "8"})
    session.continue_()
    session.wait_for_exit()
    assert session.output().splitlines()[-2:] == ["3;7;", PRINTED]
