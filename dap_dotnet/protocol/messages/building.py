"""Builds of projects without a launch, a request of our own."""

from __future__ import annotations

from typing import Literal

from dap_dotnet.protocol.messages.base import WireModel


class BuildArguments(WireModel):
    """Of `dap-dotnet/build`: what to build, as a launch names it: a project, a folder or solution with one, a C# file.

    `target_framework` and `build_configuration` are as in a launch; empty: the project's own. `force`: compile
    everything anew, also what has not changed.
    """

    project: str
    target_framework: str = ""
    build_configuration: str = ""
    force: bool = False


class BuildDiagnostic(WireModel):
    """An error or a warning. Without a place in a file `path`, or `line` and `column`, are None."""

    severity: Literal["error", "warning"]
    code: str | None = None
    """Such as CS0103."""
    text: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


class BuildResponseBody(WireModel):
    """What has become of a build. One that fails is a response, too: its errors are in `diagnostics`."""

    project: str
    """The path of the project file, or of the C# file without a project."""
    succeeded: bool
    is_up_to_date: bool
    """Nothing was built, since nothing has changed: the diagnostics of the last build are not known."""
    output: str | None = None
    """The path of the assembly that was made; None after a failure."""
    diagnostics: list[BuildDiagnostic]
    """In the order in which the build has told them."""
    is_complete: bool
    """Whether these are all: only a build with `force` that succeeds compiles everything, and repeats all warnings."""
    text: str
    """The outcome in words."""
