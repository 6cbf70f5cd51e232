"""Core dumps of the program, when the user asks for one or an exception does. Session thread only."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError, FrozenError, UserError
from dap_dotnet.protocol.messages.dumps import DumpBody, DumpType
from dap_dotnet.runtime.model import SavedDump

if TYPE_CHECKING:
    from dap_dotnet.session.session import Session


def save(session: Session, path: str | None, dump_type: DumpType | None) -> SavedDump:
    """Save one in a new file or a folder (None: as the launch says), while the session does nothing else.

    Raises `NoSessionError`, `FrozenError`, `UserError`, `LaunchError`.
    """
    from dap_dotnet.session.long_work import shown_if_long  # few sessions save one

    debuggee, settings = session.need_debuggee(), session.options.dumps
    if debuggee.is_frozen:
        raise FrozenError(f"This is {debuggee.frozen_as}: save a dump of a program that is debugged.")
    chosen = os.path.expanduser(path or settings.folder or tempfile.gettempdir())
    if not os.path.isabs(chosen):
        raise UserError(f"The file or folder of a dump has to be absolute, not {chosen}.")
    if path is None:
        try:
            os.makedirs(chosen, exist_ok=True)
        except OSError as error:
            raise UserError(f"The folder {chosen} of `dumps` cannot be made: {error.strerror}.") from error
    with shown_if_long(session, session.client_events.process_name, title="Saving a core dump"):
        return session.backend.save_dump(
            debuggee.process_id,
            chosen,
            dump_type or settings.dump_type,
            is_unwanted=lambda: session.is_work_unwanted,
        )


def save_for(session: Session, exception: str) -> None:
    """Save one for an exception, unless there are enough; the user is told where, or why not."""
    most, events = session.options.dumps.most_for_exceptions, session.client_events
    session.dumped_exceptions += 1
    if session.dumped_exceptions > most:
        return
    try:
        saved = save(session, None, None)
    except DapDotnetError as error:
        events.important(f"No core dump was saved for {exception}: {error.message}")
        return
    events.dump_saved(body_of(saved, exception))
    if session.dumped_exceptions == most:
        events.console("No dumps are saved for further exceptions of this session (dumps.mostForExceptions).")


def body_of(saved: SavedDump, exception: str | None = None) -> DumpBody:
    """As the client is told of it."""
    return DumpBody(
        path=saved.path,
        dump_type=saved.dump_type,
        bytes=saved.bytes,
        seconds=round(saved.seconds, 3),
        exception=exception,
    )
