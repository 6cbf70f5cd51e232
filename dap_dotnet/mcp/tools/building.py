"""Builds of projects, with the compiler's errors and warnings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from dap_dotnet.mcp.long_requests import long_request
from dap_dotnet.mcp.parts import Answer, Arguments, Part
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import Budget
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars
from dap_dotnet.protocol.wire_names import member, wire_name

_TIMEOUT_S = 600.0
_LONGEST_TEXT = 1_000


class BuildArguments(Arguments):
    """Of `project_build`."""

    project: str = Field(
        description="A project, a folder or solution with one that makes a program, or a C# file.",
        examples=["/src/Shop"],
    )
    configuration: str | None = Field(
        default=None, description="The build configuration; None: the project's own.", examples=["Release"]
    )
    framework: str | None = Field(
        default=None,
        description="The target framework (targetFramework in messages), where a project has several.",
        examples=["net10.0"],
    )
    force: bool = Field(
        default=False,
        description="Compile everything anew, also what has not changed: only then all warnings are there.",
        examples=[True],
    )
    max_chars: MaxChars = MAX_CHARS


class Diagnostic(Part):
    """An error or a warning; line and column are 1-based, None where it has no place in a file."""

    severity: Literal["error", "warning"]
    code: str | None = None
    text: str
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def to_text(self) -> str:
        """As compilers write it."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        kind = f"{self.severity} {self.code}" if self.code else self.severity
        return f"{place}: {kind}: {self.text}" if place else f"{kind}: {self.text}"


class BuildAnswer(Answer):
    """A build that is over; one that failed has its errors, first of all diagnostics."""

    project: str
    succeeded: bool
    up_to_date: bool
    """Nothing was built, since nothing has changed: the warnings of the last build are not known."""
    output: str | None = None
    """The assembly that was made."""
    errors: int
    warnings: int
    diagnostics: list[Diagnostic]
    complete: bool
    """Whether all was compiled anew: else warnings of what has not changed are missing."""
    message: str

    def to_text(self) -> str:
        """The outcome, and a line for each diagnostic."""
        counts = [] if self.up_to_date else [f"Errors: {self.errors}, warnings: {self.warnings}."]
        output = [f"Output: {self.output}"] if self.output else []
        return self.joined([self.message, *counts, *output, *(one.to_text() for one in self.diagnostics)])


@tool(needs="write")
def project_build(call: Call, arguments: BuildArguments) -> BuildAnswer:
    """Build a project without starting it, and list the compiler's errors and warnings with their places.

    It needs no session. A build that fails is an answer, with succeeded: false.
    """
    call.need_writing("a build runs what the project says")
    path = allowed_path(arguments.project, call.options.folders)
    asked = {
        "project": path,
        wire_name("target_framework"): arguments.framework or "",
        wire_name("build_configuration"): arguments.configuration or "",
        "force": arguments.force,
    }
    with call.sessions.adapter() as client:
        what = f"building {os.path.basename(path)}"
        body = long_request(call, client, "dap-dotnet/build", asked, what, timeout_s=_TIMEOUT_S)
    return _answer(body, arguments.max_chars)


def _answer(body: Mapping[str, Any], max_chars: int) -> BuildAnswer:
    found = [_diagnostic(one) for one in body["diagnostics"]]
    ordered = sorted(found, key=lambda one: one.severity != "error")
    shown = Budget(max_chars).fit(ordered)
    more = len(found) - len(shown)
    errors = sum(one.severity == "error" for one in found)
    return BuildAnswer(
        project=body["project"],
        succeeded=body["succeeded"],
        up_to_date=member(body, "is_up_to_date"),
        output=body.get("output"),
        errors=errors,
        warnings=len(found) - errors,
        diagnostics=shown,
        complete=member(body, "is_complete"),
        message=_cut(body["text"]),
        left_out=f"{more} more diagnostics: ask with force: true and a larger max_chars" if more else None,
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _diagnostic(body: Mapping[str, Any]) -> Diagnostic:
    return Diagnostic(
        severity=body["severity"],
        code=body.get("code"),
        text=_cut(body["text"]),
        file=body.get("path"),
        line=body.get("line"),
        column=body.get("column"),
    )
