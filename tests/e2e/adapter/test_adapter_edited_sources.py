"""A source that is edited while the program runs: breakpoints keep their statements, frames show where those are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.protocol.messages.breakpoints import Breakpoint
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = """\
using System;

namespace Edited
{
    public static class Program
    {
        public static int Count;

        public static void Step()
        {
            Count++;
            Count += 2;
            Console.WriteLine(Count);
        }

        public static void Main()
        {
            for (int round = 0; round < 20; round++)
            {
                Step();
            }
        }
    }
}
"""
LINES = SOURCE.splitlines()
NOTICE = "The program runs the code of before your change of Program.cs: restart it to run the new code.\n"


def line_of(text: str, of: str = SOURCE) -> int:
    return next(number for number, line in enumerate(of.splitlines(), 1) if text in line)


class Edited:
    """A program stopped in Step, and its source."""

    def __init__(self, session: Session, program: Program, source: Path) -> None:
        self.session = session
        self.program = program
        self.source = source

    def begin(self, *lines: int, **attributes: Any) -> list[Breakpoint]:
        made = self.session.launch(
            str(self.program.dll), breakpoints={str(self.source): list(lines)}, env=dict(self.program.env), **attributes
        )
        if lines:
            self.session.wait_for_stop()
            self.session.stack()
        return made

    def write(self, text: str) -> None:
        self.source.write_text(text, encoding="utf-8")

    def set(self, *lines: int) -> list[Breakpoint]:
        return self.session.set_breakpoints(str(self.source), list(lines))

    def go_on(self) -> int:
        self.session.continue_()
        self.session.wait_for_stop()
        return self.session.stack()[0].line

    def notices(self) -> int:
        return self.session.output("console").count(NOTICE)


@pytest.fixture
def edited(runtime: Runtime, session: Session, tmp_path: Path) -> Edited:
    folder = tmp_path / "Edited"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(SOURCE, encoding="utf-8")
    return Edited(session, programs.build(folder, runtime), source)


def test_breakpoint_keeps_its_statement_its_id_and_its_hits(edited: Edited) -> None:
    first, second = line_of("Count++;"), line_of("Count += 2;")
    before = edited.begin(first, second)
    assert edited.go_on() == second
    moved = SOURCE.replace("            Count++;", "            // a comment\n            Count++;")
    edited.write(moved)
    after = edited.set(first + 1, second + 1)
    assert [one.id for one in after] == [one.id for one in before]
    assert [(one.verified, one.line) for one in after] == [(True, first + 1), (True, second + 1)]
    assert [edited.go_on() for _ in range(3)] == [first + 1, second + 1, first + 1]
    assert edited.notices() == 1
    edited.write(SOURCE)
    again = edited.set(first, second)
    assert [(one.id, one.line) for one in again] == [(one.id, one.line) for one in before]
    assert edited.go_on() == second


def test_line_that_is_not_in_the_program_has_no_breakpoint_and_says_so(edited: Edited) -> None:
    edited.begin(line_of("Count++;"))
    text = SOURCE.replace("            Count += 2;", "            Count += 3;\n            Count += 4;")
    edited.write(text)
    made = edited.set(line_of("Count += 3;", text), line_of("Count += 4;", text), line_of("WriteLine", text))
    assert [one.verified for one in made] == [False, False, True]
    for one in made[:2]:
        assert "is not in the program that runs, whose code is of before your change: restart it" in (one.message or "")
    asked = {"source": {"path": str(edited.source)}, "line": line_of("WriteLine", text)}
    explained = edited.session.request("dap-dotnet/explainBreakpoint", asked)["text"]
    assert (
        "the file was edited since, so that its checksum differs now, and lines are followed; 1 place there"
        in explained
    )
    assert edited.go_on() == line_of("WriteLine", text)
    assert edited.session.here()[1] == line_of("WriteLine", text)


def test_frame_whose_line_was_changed_shows_the_text_that_runs(edited: Edited) -> None:
    edited.begin(line_of("Count++;"))
    edited.write(SOURCE.replace("Count += 2;", "Count += 3;").replace("using System;", "// new\nusing System;"))
    edited.session.step_over()
    top, caller = edited.session.stack()[:2]
    assert (top.line, caller.line) == (
        line_of("Count += 2;"),
        line_of("Step();", SOURCE.partition("Main")[0]) + 12 if False else caller.line,
    )
    assert top.source is not None
    assert top.source.source_reference
    assert top.source.name == "Program (before the change).cs"
    assert edited.session.request("source", {"sourceReference": top.source.source_reference})["content"] == SOURCE
    assert caller.source is not None
    assert (caller.source.path, caller.source.source_reference) == (str(edited.source), None)
    assert caller.line == LINES.index("                Step();") + 2
    (scope,) = edited.session.scopes(caller.id)
    assert (scope.line, scope.end_line) == (line_of("Main()") + 2, line_of("Main()") + 7)
    (variable,) = edited.session.request("dap-dotnet/variableRanges", {"frameId": caller.id})["variables"]
    assert [one["line"] for one in variable["ranges"]] == [line_of("for (int") + 1]


def test_source_that_was_edited_before_the_debugger_saw_it_is_told(edited: Edited) -> None:
    edited.write(SOURCE + "// new\n")
    edited.session.launch(str(edited.program.dll), stopAtEntry=True, env=dict(edited.program.env))
    edited.session.wait_for_stop()
    edited.session.stack()
    edited.session.request("threads")
    assert "has not seen the file as it was, so that lines may be others" in edited.session.output("console")
    (refused,) = edited.set(line_of("Count++;"))
    assert not refused.verified
    assert "checksum differs" in (refused.message or "")


def test_restart_sets_breakpoints_where_the_new_program_has_their_lines(
    edited: Edited, runtime: Runtime, tmp_path: Path
) -> None:
    edited.begin(line_of("Count++;"))
    text = SOURCE.replace("            Count++;", "            Count--;\n            Count++;\n            Count += 9;")
    edited.write(text)
    made = edited.set(line_of("Count++;", text), line_of("Count += 9;", text))
    assert [one.verified for one in made] == [True, False]
    new = programs.build(edited.source.parent, runtime)
    arguments = {"program": str(new.dll), "env": dict(new.env)}
    edited.session.sends_invalid = True  # by the schema the request is of launch and of attach at once
    edited.session.request("restart", {"arguments": arguments})
    edited.session.wait_for_stop()
    assert edited.session.stack()[0].line == line_of("Count++;", text)
    assert edited.go_on() == line_of("Count += 9;", text)
