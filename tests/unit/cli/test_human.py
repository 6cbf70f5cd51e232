"""Lists and explanations of breakpoints for people."""

from __future__ import annotations

import io

from dap_dotnet.cli.human import HumanReporter
from dap_dotnet.cli.report import BreakpointReport, ErrorReport, EvaluationReport, FrameReport, ThreadReport


class _Utf8(io.StringIO):
    encoding = "utf-8"


def shown(act) -> str:
    out = _Utf8()
    act(HumanReporter(out, io.StringIO(), show_stack=False))
    return out.getvalue()


def test_list_shows_places_settings_hits_and_what_is_wrong():
    source = {"name": "P.cs", "path": "/src/P.cs"}
    listed = [
        BreakpointReport(
            1,
            {
                "state": "bound",
                "source": source,
                "line": 3,
                "column": 7,
                "condition": "i > 2",
                "hitCondition": "% 2",
                "logMessage": "{i}",
                "hitCount": 4,
                "locations": [{"module": "P.dll", "methodToken": "0x06000001", "ilOffset": 9, "line": 3, "column": 7}],
            },
        ),
        BreakpointReport(
            12, {"state": "pending", "function": "A.B", "after": 1, "isArmed": False, "hitCount": 0, "temporary": True}
        ),
        BreakpointReport(
            13, {"state": "pending", "filters": ["all"], "message": "No such type.", "code": "MODULE_NOT_LOADED"}
        ),
    ]
    assert shown(lambda reporter: reporter.breakpoints("end", listed)).splitlines() == [
        "breakpoints at the end",
        "  ●  1  bound     /src/P.cs:3:7  hits 4",
        "        when i > 2",
        "        hits % 2",
        "        log {i}",
        "        in P.dll 0x06000001 IL 9 3:7",
        "  ○ 12  pending   A.B  hits 0",
        "        after 1, which it waits for",
        "        temporary",
        "  ○     pending   exceptions all",
        "        No such type. (MODULE_NOT_LOADED)",
    ]


def test_empty_list_says_so():
    assert shown(lambda reporter: reporter.breakpoints("set", [])) == "breakpoints: none\n"


def test_explanation_is_indented_text_or_the_error():
    assert shown(lambda reporter: reporter.explanation(2, {"text": "one\ntwo"})) == (
        "breakpoint 2 explained\n  one\n  two\n"
    )
    error = ErrorReport("BREAKPOINT_NOT_FOUND", "It is gone.")
    assert "  It is gone.\n" in shown(lambda reporter: reporter.explanation(2, error))


def test_breakpoint_on_a_function_keeps_its_name_when_it_binds():
    def act(reporter: HumanReporter) -> None:
        asked = {"id": 1, "function": "A.B", "verified": False, "reason": "pending"}
        reporter.event("breakpoint", {"reason": "new", "breakpoint": asked})
        bound = {"id": 1, "verified": True, "source": {"path": "/src/P.cs"}, "line": 3, "column": 5}
        reporter.event("breakpoint", {"reason": "changed", "breakpoint": bound})

    assert shown(act).splitlines() == [
        "○ breakpoint 1 pending at A.B",
        "● breakpoint 1 bound at A.B (/src/P.cs:3:5)",
    ]


def test_exceptions_are_said_by_their_filter_not_by_a_number():
    def act(reporter: HumanReporter) -> None:
        def say(why: str, **body: object) -> None:
            reporter.event("breakpoint", {"reason": why, "breakpoint": body})

        say("new", id=1000001, exception="all:System.IO.IOException", verified=True)
        say("changed", id=1000001, verified=True)
        say("new", exception="all:1x", verified=False, reason="failed", message="No name.")
        say("removed", id=1000001, verified=False)

    assert shown(act).splitlines() == [
        "● stops at exceptions: all:System.IO.IOException",
        "○ does not stop at exceptions all:1x: No name.",
        "○ exceptions all:System.IO.IOException removed",
    ]


def test_threads_are_shown_with_their_frames_and_what_they_wait_for():
    frame = FrameReport("P.Add(int x)", "P.dll", "/src/P.cs", 3, 7, 3, 9)
    other = FrameReport("System.Threading.Thread.Sleep(int x)", "System.Private.CoreLib.dll", None, 0, 0, None, None)
    threads = [ThreadReport(7, "one", (frame,)), ThreadReport(8, "two", (other,))]
    waiting = {"waiting": [], "cycles": [], "text": "one (7) waits\nDeadlock: one → two → one"}
    assert shown(lambda reporter: reporter.threads(threads, waiting)).splitlines() == [
        "thread 7 one",
        "  P.Add(int x)  /src/P.cs:3:7",
        "thread 8 two",
        "  System.Threading.Thread.Sleep(int x)",
        "one (7) waits",
        "Deadlock: one → two → one",
    ]


def test_answer_of_a_command_is_shown_whole_and_a_long_value_is_cut():
    command = EvaluationReport(".asm", {"result": "M(): 4 bytes\n=> 0x1  90  nop" + "\n   0x2  90  nop" * 100})
    lines = shown(lambda reporter: reporter.evaluation(command)).splitlines()
    assert lines[:3] == ["    .asm", "      M(): 4 bytes", "      => 0x1  90  nop"]
    assert len(lines) == 103
    value = EvaluationReport("text", {"result": '"' + "a" * 1000 + '"', "type": "string"})
    (line,) = shown(lambda reporter: reporter.evaluation(value)).splitlines()
    assert line == '    text = "' + "a" * 499 + "...  (string)"
