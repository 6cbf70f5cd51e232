"""What clients send that is not as the protocol says: every optional member of every request, with wrong values.

The members come from the protocol's schema. `NEEDED` says, independently of the models, which of them change what an
answer means: only these may be refused, and then by name. Everything else is answered, and the session goes on.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.handlers import HANDLERS
from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from tests.session.harness import SessionUnderTest, endless
from tests.support import schema
from tests.support.fake_debuggee.sample import DOCUMENT, PROCESS_ID, line_of

UNINTELLIGIBLE = {"a": [None]}
WRONG_VALUES: tuple[Any, ...] = (
    None, "", " ", "banana", "3", 3.0, -1.5, (1 << 63) - 1, True, [], [UNINTELLIGIBLE], UNINTELLIGIBLE,
)  # fmt: skip
"""Twelve; enumerated members get one of their own words in capitals as well."""

NEEDED = {
    "initialize": {"linesStartAt1", "columnsStartAt1", "pathFormat"},
    "launch": {"noDebug"},
    "disconnect": {"arguments", "terminateDebuggee"},
    "setBreakpoints": {
        "source.path",
        "breakpoints",
        "breakpoints[0].column",
        "breakpoints[0].condition",
        "breakpoints[0].hitCondition",
        "breakpoints[0].logMessage",
        "lines",
    },
    "setFunctionBreakpoints": {"breakpoints[0].condition", "breakpoints[0].hitCondition"},
    "dataBreakpointInfo": {"variablesReference", "frameId", "bytes", "asAddress"},
    "setDataBreakpoints": {"breakpoints[0].accessType", "breakpoints[0].condition", "breakpoints[0].hitCondition"},
    "setInstructionBreakpoints": {"breakpoints[0].offset", "breakpoints[0].condition", "breakpoints[0].hitCondition"},
    "disassemble": {"offset", "instructionOffset"},
    "setExceptionBreakpoints": {
        "filterOptions",
        "filterOptions[0].condition",
        "exceptionOptions",
        "exceptionOptions[0].path",
        "exceptionOptions[0].path[0].negate",
    },
    "breakpointLocations": {"arguments", "source.path", "column", "endLine", "endColumn"},
    "gotoTargets": {"source.path", "column"},
    "stackTrace": {"startFrame"},
    "stepIn": {"targetId"},
    "variables": {"start"},
    "completions": {"frameId", "line"},
    "evaluate": {"frameId"},
    "setExpression": {"frameId"},
    "modules": {"startModule"},
    "readMemory": {"offset"},
    "writeMemory": {"offset"},
}
"""Command -> the optional members, by path, without which the answer would be another one and look right."""

NOT_NEEDED_ATTRIBUTES = {
    "__restart",
    "checkForDevCert",
    "consoleSize",
    "enableStepFiltering",
    "history",
    "expressionEvaluationOptions",
    "launchBrowser",
    "logging",
    "pipeTransport",
    "serverReadyAction",
    "serverToken",
    "sourceLinkOptions",
    "symbolOptions",
    "targetArchitecture",
    "terminateChildProcesses",
}
"""Of launch and attach: those that have no effect, or none on what runs and where it stops."""

OF_FILES = {"coreDumpPath", "envFile", "launchSettingsFilePath", "targetOutputLogPath", "testProject"}
"""Attributes for which almost any text is the name of a file, to be read or written."""

BASES: dict[str, dict[str, Any]] = {
    "setBreakpoints": {"source": {"path": DOCUMENT}},
    "breakpointLocations": {"source": {"path": DOCUMENT}, "line": line_of("loop")},
    "gotoTargets": {"source": {"path": DOCUMENT}, "line": line_of("loop")},
    "dataBreakpointInfo": {"name": "Sample.Point.Made"},
    "setExceptionBreakpoints": {"filters": []},
    "evaluate": {"expression": "1"},
    "completions": {"text": "tot", "column": 4},
    "setVariable": {"name": "total", "value": "1"},
    "setExpression": {"expression": "total", "value": "1"},
    "readMemory": {"memoryReference": "0x5000", "count": 4},
    "disassemble": {"memoryReference": "0x1000200000100000", "instructionCount": 4},
    "writeMemory": {"memoryReference": "0x5000", "data": ""},
}
"""What a request must have, where the smallest arguments that the schema allows make no sense."""

ENDING = {"disconnect", "terminate"}
BEGINNING = {"launch", "attach", "initialize"}
STANDING = sorted(
    {name for name in HANDLERS if not name.startswith(schema.OWN_PREFIX)} - ENDING - BEGINNING - {"restart", "source"}
    | {"cancel"}
)
"""But `restart`, which has the arguments of `launch` in it: test_restart.py; and `source`: test_sources.py."""


@dataclass(frozen=True)
class Case:
    """A request with one optional member, at `path`, that has a wrong value."""

    command: str
    path: str
    arguments: Any
    value: Any

    @property
    def is_unintelligible(self) -> bool:
        """Whether it cannot mean anything: an object where arguments are, with something unknown in it, can."""
        return self.value == ("banana" if self.path == "arguments" else UNINTELLIGIBLE)

    def check(self, error: DapRequestError | None) -> None:
        """The answer is one that is accepted."""
        is_needed = self.path in NEEDED.get(self.command, ())
        if error is None:
            assert not (is_needed and self.is_unintelligible), f"{self} was answered as if it had no such member"
            return
        assert is_needed, f"{self} was refused: {error}"
        assert "Internal error" not in str(error), f"{self}: {error}"
        subject = f"'{self.command}'" if self.path == "arguments" else f"'{self.path}"
        if error.code == "PROTOCOL" or self.is_unintelligible:
            assert subject in str(error), f"{self}: {error}"  # else it names what is not there: an earlier stop's frame


def cases(command: str, base: dict[str, Any] | None = None) -> Iterator[Case]:
    """All wrong values of all optional members of a request."""
    definition, must_have = schema.request_arguments(command)
    arguments = {**schema.smallest(definition), **(base or BASES.get(command, {}))} if definition else {}
    if not must_have:
        for value in WRONG_VALUES:
            yield Case(command, "arguments", value, value)
    yield from _cases(command, definition, arguments, [], depth=0)


def _cases(command: str, definition: schema.Schema, root: Any, keys: list[str | int], *, depth: int) -> Iterator[Case]:
    for name, (inner, is_required) in schema.properties(definition).items():
        here = [*keys, name]
        if not is_required:
            capitals = [word.upper() for word in schema.words(inner)[:1]]
            for value in (*WRONG_VALUES, *capitals):
                yield Case(command, _path(here), _with(root, here, value), value)
        if depth < 3:
            filled = root if _has(root, here) else _with(root, here, schema.smallest(inner))
            of_items = schema.items(inner)
            if of_items is None:
                yield from _cases(command, inner, filled, here, depth=depth + 1)
            elif isinstance(schema.smallest(of_items), dict):
                filled = _with(filled, here, [schema.smallest(of_items)])
                yield from _cases(command, of_items, filled, [*here, 0], depth=depth + 1)


def _has(root: Any, keys: list[str | int]) -> bool:
    for key in keys:
        if isinstance(root, dict) and key not in root:
            return False
        root = root[key]
    return True


def _with(root: Any, keys: list[str | int], value: Any) -> Any:
    copied = copy.deepcopy(root)
    owner = copied
    for key in keys[:-1]:
        owner = owner[key]
    owner[keys[-1]] = value
    return copied


def _path(keys: list[str | int]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def ask(session: SessionUnderTest, case: Case) -> DapRequestError | None:
    """Send a case; what it was refused with."""
    message = {"type": "request", "command": case.command, "arguments": case.arguments}
    try:
        session.client.send_message(message).result()
    except DapRequestError as error:
        return error
    return None


@pytest.mark.parametrize("command", STANDING)
def test_optional_members_that_are_not_needed_never_refuse_a_request(session_of, command):
    with session_of(endless, schema=False) as session:
        client = session.client
        goes_back = command in ("stepBack", "reverseContinue")
        session.launch(line_of("begin"), history=goes_back)
        stop = client.wait_for_stop()
        base = dict(BASES.get(command, {}))
        names = schema.properties(schema.request_arguments(command)[0])
        frame = client.stack()[0].id
        if "threadId" in names:
            base["threadId"] = stop.thread_id
        if names.get("frameId", ({}, False))[1]:
            base["frameId"] = frame
        asked = list(cases(command, base))
        for case in asked:
            if names.get("variablesReference", ({}, False))[1]:
                scope = client.scopes(client.stack()[0].id)[0]
                case.arguments["variablesReference"] = scope.variables_reference
            if goes_back:
                client.request("next", {"threadId": stop.thread_id})
                client.wait_for_stop()
            error = ask(session, case)
            case.check(error)
            if error is None and (goes_back or command in ("continue", "next", "stepIn", "stepOut", "pause")):
                client.wait_for_stop()
        assert client.threads()


def test_initialize_refuses_only_what_decides_places(session_of):
    remaining = list(cases("initialize"))
    while remaining:  # after one that is taken, the session cannot be asked again
        with session_of(schema=False) as session:
            while remaining:
                case = remaining.pop()
                error = ask(session, case)
                case.check(error)
                if error is None:
                    session.client.wait_for("initialized")
                    break


@pytest.mark.parametrize("command", sorted(ENDING))
def test_requests_that_end_the_session_are_refused_only_for_what_becomes_of_the_program(session_of, command):
    remaining = list(cases(command))
    while remaining:
        with session_of(endless, schema=False) as session:
            session.launch(line_of("begin"))
            session.client.wait_for_stop()
            while remaining:
                case = remaining.pop()
                error = ask(session, case)
                case.check(error)
                if error is None:
                    break
                assert session.client.threads()


@pytest.mark.parametrize("model", [LaunchArguments, AttachArguments])
def test_launch_and_attach_refuse_wrong_attributes_by_name_and_never_unknown_ones(session_of, model):
    is_launch = model is LaunchArguments
    command = "launch" if is_launch else "attach"
    needed = {"program": "/app/Sample.dll"} if is_launch else {"processId": PROCESS_ID}
    names = {field.alias for field in model.model_fields.values()} - set(needed) - NOT_NEEDED_ATTRIBUTES
    remaining = [
        Case(command, name, {**needed, name: value}, value)
        for name in sorted(names | NOT_NEEDED_ATTRIBUTES | {"preLaunchTask", "JustMyCode"})
        for value in WRONG_VALUES
        if name not in OF_FILES or not isinstance(value, str | int | float)
    ]
    while remaining:
        with session_of(endless, schema=False) as session:
            session.client.initialize()
            while remaining:
                case = remaining.pop()
                error = ask(session, case)
                if error is None:
                    assert case.path not in names or not case.is_unintelligible, f"{case} was answered"
                    break
                assert case.path in names, f"{case} was refused: {error}"
                assert f"'{case.path}" in str(error)


def test_lines_do_not_matter_beside_breakpoints(session_of):
    with session_of(endless, schema=False) as session:
        client = session.client
        session.launch()
        both = {"source": {"path": DOCUMENT}, "breakpoints": [{"line": line_of("loop")}], "lines": UNINTELLIGIBLE}
        assert len(client.request("setBreakpoints", both)["breakpoints"]) == 1


def test_what_typed_clients_send_sets_a_plain_breakpoint(session_of):
    with session_of(endless, schema=False) as session:
        session.client.initialize()
        source = {
            "path": f"file://{DOCUMENT}",
            "presentationHint": "",
            "origin": "",
            "sourceReference": 0,
            "sources": None,
            "checksums": None,
            "adapterData": None,
        }
        breakpoint = {"line": "5", "column": None, "condition": "", "hitCondition": "", "logMessage": "", "mode": ""}
        arguments = {"source": source, "breakpoints": [breakpoint], "lines": None, "sourceModified": False}
        session.client.request("setBreakpoints", arguments)
        (listed,) = session.client.request("dap-dotnet/breakpoints")["breakpoints"]
        assert (listed["source"]["path"], listed["line"]) == (DOCUMENT, 5)
        assert "condition" not in listed
        assert "column" not in listed


def test_paths_of_launch_may_be_uris(session_of):
    with session_of(endless, schema=False) as session:
        attributes = {"cwd": "file:///w%20k", "sourceFileMap": {"/build": "file:///sample"}}
        session.client.request("initialize", {})
        session.client.request("launch", {"program": "file:///app/Sample.dll", **attributes})
        assert session.backend.spec.command == ("dotnet", "/app/Sample.dll")
        assert session.backend.spec.working_directory == "/w k"


def test_what_is_ignored_or_taken_for_something_else_is_in_the_log(session_of, caplog):
    with session_of(schema=False) as session:
        caplog.set_level("INFO", "dap_dotnet.protocol")
        session.client.initialize()
        wanted = {"source": {"path": DOCUMENT, "presentationHint": "bold"}, "breakpoints": [{"line": "5", "new": 1}]}
        session.client.request("setBreakpoints", wanted)
        assert "setBreakpoints: 'breakpoints[0].line' is taken as 5, not as \"5\"" in caplog.messages
        hint = "'source.presentationHint' cannot be understood, and is ignored"
        assert f'setBreakpoints: {hint}: "bold"' in caplog.messages
        assert "setBreakpoints: 'breakpoints[0].new' is not known, and is ignored" in caplog.messages
