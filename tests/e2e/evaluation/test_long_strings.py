"""A string of fifty million characters: what is looked at of it is read, and no more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.values.rendering import MOST_WHOLE
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, Session

pytestmark = pytest.mark.e2e
SOURCE = """
using System;
class Program
{

    static void Main()
    {
        var huge = new string('x', 49999990) + "0123456789";
        object asObject = huge;
        IComparable asInterface = huge;
        string text = "short";
        Console.WriteLine(text); // @here
        GC.KeepAlive(huge);
        GC.KeepAlive(asObject);
        GC.KeepAlive(asInterface);
    }
}
"""
EVALUATED = {
    "huge.Length": "50000000",
    "huge[49999999]": "57 '9'",
    "huge[^3..]": '"789"',
    "huge == text": "false",
    "huge.Substring(49999995)": '"56789"',
    "text": '"short"',
    "huge.ToString().Length": "50000000",
    "huge.Contains('z')": "false",
    "huge.IndexOf('9')": "49999999",
    "huge.Trim().Length": "50000000",
    "string.IsNullOrEmpty(huge)": "false",
    "((string)asObject).Length": "50000000",
    "((string)asInterface)[^3..]": '"789"',
}
MOST_MORE_MB = 300
"""A copy has 100 MB; there were two for each evaluation."""
MOST_FOR_A_WHILE_MB = 40


def adapter_memory_mb(place: Place) -> int:
    """The resident memory of all adapters of a place, in MB."""
    total = 0
    for process_id in place.processes():
        if b"dap-dotnet" in Path(f"/proc/{process_id}/cmdline").read_bytes():
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process_id}/status").read_text())
            total += int(found.group(1)) // 1024 if found else 0
    return total


def peak_memory_mb(session: Session, expression: str, expected: str) -> int:
    """How much more memory an evaluation takes for a while, in MB."""
    assert session.process is not None
    adapter = session.process.process_id
    Path(f"/proc/{adapter}/clear_refs").write_text("5")  # begins the high-water mark anew

    def peak() -> int:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{adapter}/status").read_text())
        assert found is not None
        return int(found.group(1)) // 1024

    before = peak()
    assert session.evaluate(expression).result == expected
    return peak() - before


def test_long_string_is_read_in_parts(runtime: Runtime, session: Session, place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "Long"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(SOURCE)
    program = programs.build(folder, runtime)
    lines = [markers.line_of(source, "here")]
    session.launch(str(program.dll), breakpoints={str(source): lines}, env=dict(program.env))
    session.wait_for_stop()
    before = adapter_memory_mb(place)
    assert before > 0
    for _ in range(5):
        for expression, expected in EVALUATED.items():
            assert (expression, session.evaluate(expression).result) == (expression, expected)
    made = 'huge.IndexOf("z" + text, StringComparison.Ordinal)'  # a string is made in the program meanwhile
    assert session.evaluate(made).result == "-1"
    assert peak_memory_mb(session, made, "-1") < MOST_FOR_A_WHILE_MB
    values = session.values()
    assert values["huge"].startswith('"xxx')
    assert values["asObject"] == values["asInterface"] == values["huge"]
    with pytest.raises(DapRequestError, match="50,000,000 characters"):
        session.evaluate("huge + 1")
    copied = session.evaluate("huge", context="clipboard").result
    assert len(copied) == MOST_WHOLE + 1
    assert copied.endswith("x…")
    assert session.evaluate('string.CompareOrdinal(huge, (huge = "a" + text))').result == "23"  # the string that it was
    assert session.evaluate('(huge = "gone").Length').result == "4"
    assert session.evaluate("huge").result == '"gone"'
    assert adapter_memory_mb(place) - before < MOST_MORE_MB
