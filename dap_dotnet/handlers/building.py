"""`dap-dotnet/build`, a request of our own: build a project, and tell its errors and warnings."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from dap_dotnet.errors import DapDotnetError, InternalError, LaunchError, ProtocolError
from dap_dotnet.launching.builds import BuildFailedError, Built, Diagnostic
from dap_dotnet.launching.projects import BuildOptions, Project, find_project
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.building import BuildArguments, BuildDiagnostic, BuildResponseBody
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest
from dap_dotnet.session.project_build import ProjectBuild
from dap_dotnet.session.session import Session

_log = logging.getLogger(__name__)
_PATIENCE_S = 4.0
"""How long the adapter's end waits for a build that it has given up."""


def build_project(session: Session, arguments: BuildArguments) -> BuildResponseBody | Deferred:
    """Build a project as a launch does, without starting it. Refused once a program is being started, or was.

    Answered when the build is over. `cancel` ends it, and so does the end of the session. What it writes comes as
    `output`, its progress as that of a launch.
    """
    if not session.is_idle:
        raise ProtocolError(
            "A project is built before a program is started or attached to, not after: use another adapter process."
        )
    path = os.path.abspath(os.path.expanduser(session.view.path_from_client(arguments.project)))
    project = find_project(Path(path)) if arguments.project and "\0" not in path else None
    if project is None:
        raise LaunchError(f"{arguments.project!r} is not a project, nor a folder or solution with one, nor a C# file.")
    _Build(session, project, arguments, session.server.current_request).start()
    return DEFERRED


class _Build:
    """A build on a thread of its own."""

    def __init__(self, session: Session, project: Project, arguments: BuildArguments, request: PendingRequest) -> None:
        self._server = session.server
        self._view = session.view
        self._project = project
        self._wanted = BuildOptions(arguments.target_framework, arguments.build_configuration)
        self._is_forced = arguments.force
        self._request = request
        self._building = ProjectBuild(session, request)
        self._thread = threading.Thread(target=self._run, name="build", daemon=True)
        session.at_close(self._give_up)

    def start(self) -> None:
        self._thread.start()

    def _give_up(self) -> None:
        self._request.mark_cancelled()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        error: DapDotnetError
        try:
            built = self._building.run(self._project, self._wanted, os.environ, force=self._is_forced)
            body = self._body(built, _success(self._project, built, self._building.diagnostics))
        except BuildFailedError as failure:
            body = self._body(None, failure.message)
        except DapDotnetError as refusal:
            error = refusal
            self._server.post(lambda: self._request.fail(error))
            return
        except Exception as defect:
            _log.exception("the build failed")
            error = InternalError(f"The build failed: {defect!r}. See the log for details (--log FILE).")
            self._server.post(lambda: self._request.fail(error))
            return
        self._server.post(lambda: self._request.respond(body))

    def _body(self, built: Built | None, text: str) -> BuildResponseBody:
        return BuildResponseBody(
            project=self._view.path_to_client(str(self._project.path)),
            succeeded=built is not None,
            is_up_to_date=built is not None and built.is_up_to_date,
            output=self._view.path_to_client(str(built.made)) if built is not None else None,
            diagnostics=[_diagnostic(self._view, found) for found in self._building.diagnostics],
            is_complete=self._is_forced and built is not None,
            text=text,
        )


def _diagnostic(view: ClientView, found: Diagnostic) -> BuildDiagnostic:
    # Those of tools have their names there (MSBUILD, CSC).
    is_placed = os.path.isabs(found.path)
    return BuildDiagnostic(
        severity="error" if found.is_error else "warning",
        code=found.code or None,
        text=found.message,
        path=view.path_to_client(found.path) if is_placed else None,
        line=view.line_to_client(found.line) if is_placed and found.line else None,
        column=view.column_to_client(found.column) if is_placed and found.line and found.column else None,
    )


def _success(project: Project, built: Built, diagnostics: Sequence[Diagnostic]) -> str:
    if built.is_up_to_date:
        return (
            f"{project.path.name} is up to date: nothing was built, so the warnings of its last build are not "
            "known. Build with force to see them."
        )
    count = len(diagnostics)
    return f"{project.path.name} was built, with {count or 'no'} warning{'s' if count != 1 else ''}."
