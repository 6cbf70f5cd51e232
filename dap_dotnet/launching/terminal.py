"""A program in a terminal of the client: the terminal starts the launcher process, which connects to us here."""

from __future__ import annotations

import os
import selectors
import shutil
import socket
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.environment import DEFAULT_TEMPORARY_FOLDER, temporary_folder
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.launching.spawning import launcher_path
from dap_dotnet.runtime.model import LaunchSpec, TerminalOpener

_POLL_S = 0.1


class NoTerminalError(Exception):
    """The client opened no terminal; the message is its reason."""


def launch_in_terminal(spec: LaunchSpec, terminal: TerminalOpener, program: Path | None = None) -> Launcher:
    """Start a debuggee that waits at its gate in a terminal of the client.

    `program` is the launcher program, by default the installed one. Raises NoTerminalError, and what `Launcher.adopt`
    raises. A terminal that opens too late finds nobody to connect to, and its launcher ends.
    """
    refused_read, refused_write = socket.socketpair()
    with refused_read, refused_write:
        path, listener = _listen()
        try:
            with listener:
                command = [str(program or launcher_path()), "--connect", path, "--cwd", spec.working_directory, "--"]
                terminal.open(
                    [*command, *spec.command],
                    spec.working_directory,
                    changed_variables(spec.environment),
                    lambda reason: _refuse(refused_write, reason),
                )
                control = _accept(listener, refused_read, spec, terminal)
        finally:
            terminal.wait_is_over()
            shutil.rmtree(os.path.dirname(path), ignore_errors=True)
    return Launcher.adopt(control, spec.working_directory)


def changed_variables(wanted: Mapping[str, str], own: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """What to change in a terminal, whose environment we do not know: what differs from ours, None for what is removed.

    TMPDIR is always in it: the runtime and its debugger meet in that folder.
    """
    changed: dict[str, str | None] = {name: value for name, value in wanted.items() if own.get(name) != value}
    changed.update({name: None for name in own if name not in wanted})
    changed["TMPDIR"] = temporary_folder(wanted)
    return changed


def _listen() -> tuple[str, socket.socket]:
    """The path of a new socket in a folder that nobody else may enter. TMPDIR may be too long for a socket's path."""
    problem: OSError | None = None
    for parent in (None, DEFAULT_TEMPORARY_FOLDER):
        folder = None
        listener = socket.socket(socket.AF_UNIX)
        try:
            folder = tempfile.mkdtemp(prefix="dap-dotnet-", dir=parent)
            path = os.path.join(folder, "control")
            listener.bind(path)
            listener.listen(1)
        except OSError as error:
            problem = error
            listener.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            continue
        return path, listener
    raise NoTerminalError(f"it needs a socket in a temporary folder, and none can be created: {problem}")


def _refuse(refused_write: socket.socket, reason: str) -> None:
    try:
        refused_write.sendall((reason or "no reason given").encode()[:1000])
    except OSError:
        pass  # too late: the launcher has connected, or nobody waits any more


def _accept(
    listener: socket.socket, refused: socket.socket, spec: LaunchSpec, terminal: TerminalOpener
) -> socket.socket:
    began = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for watched in (listener, refused):
            selector.register(watched, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select(_POLL_S)}
            if listener in ready:
                return listener.accept()[0]
            if refused in ready:
                raise NoTerminalError(refused.recv(1000).decode("utf-8", "replace"))
            if spec.is_unwanted is not None and spec.is_unwanted():
                raise LaunchError("The start was given up.", code="CANCELLED")
            waited = time.monotonic() - began
            if not terminal.is_waited_for(waited):
                raise NoTerminalError(f"it did not do so within {waited:.1f} s")
