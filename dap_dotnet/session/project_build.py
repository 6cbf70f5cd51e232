"""The build of a project, for a launch or alone, as the client sees it: lines, places in sources, progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.builds import BuildLine, Built, Diagnostic, build
from dap_dotnet.launching.projects import BuildOptions, Project
from dap_dotnet.server import PendingRequest
from dap_dotnet.session.session import Session

PROGRESS = "build"
"""The id of its progress."""
_TURN = threading.Lock()
"""A launch may come while a project is built alone: two builds would write the same files."""
_POLL_S = 0.1


class ProjectBuild:
    """One build. Made on the session thread; `run` is for a thread of its own, or the one that starts the program."""

    def __init__(self, session: Session, request: PendingRequest) -> None:
        """`request` waits for it."""
        self._session = session
        self._server = session.server
        self._client_events = session.client_events
        self._request = request
        self._shows_progress = session.view.supports_progress_reporting
        self.diagnostics: list[Diagnostic] = []
        """What `run` has heard of so far."""

    def run(
        self, project: Project, options: BuildOptions, environment: Mapping[str, str], *, force: bool = False
    ) -> Built:
        """As `build` does. Raises `LaunchError`. Blocks, also until another build of this adapter is over."""
        with self._turn(project):
            self._tell(lambda: self._began(project))
            try:
                return build(project, options, environment, self._report, self._is_cancelled, force=force)
            finally:
                self._tell(self._ended)

    @contextmanager
    def _turn(self, project: Project) -> Iterator[None]:
        while not _TURN.acquire(timeout=_POLL_S):
            if self._is_cancelled():
                raise LaunchError(f"The build of {project.path.name} was cancelled.", code="CANCELLED")
        try:
            yield
        finally:
            _TURN.release()

    def _is_cancelled(self) -> bool:
        by_user = self._request.is_cancelled or self._server.interrupts.is_progress_cancelled(PROGRESS)
        return by_user or self._session.is_start_unwanted

    def _began(self, project: Project) -> None:
        self._client_events.console(f"Building {project.path}")
        if self._shows_progress:
            self._client_events.progress_began(PROGRESS, "Building", project.path.name)

    def _ended(self) -> None:
        self._server.interrupts.forget_progress(PROGRESS)
        if self._shows_progress:
            self._client_events.progress_ended(PROGRESS)

    def _report(self, line: BuildLine) -> None:
        found = line.diagnostic
        if found is not None:
            self.diagnostics.append(found)
        if found is None:
            self._tell(lambda: self._client_events.build_line(line.text, is_error=False))
        else:
            self._tell(
                lambda: self._client_events.build_line(
                    line.text,
                    is_error=found.is_error,
                    is_warning=not found.is_error,
                    path=found.path,
                    line=found.line,
                    column=found.column,
                )
            )

    def _tell(self, action: Callable[[], None]) -> None:
        self._server.post(action)
