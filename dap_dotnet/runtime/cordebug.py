"""`Debuggee` over the shim: a .NET process controlled through ICorDebug.

`prepare_startup` and `attach` make one. Start-up has two parts, so that the caller opens its gate in between::

    startup = prepare_startup(process_id)   # the process waits at its gate, before exec
    ...                                     # open the gate
    debuggee = startup.connect(sink, timeout_ms=10_000, is_alive=child_is_alive)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime._shim import TIMEOUT, check, ffi, lib, new_sized
from dap_dotnet.runtime.cordebug_debuggee import CordebugDebuggee
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.frozen_debuggee import FrozenDebuggee
from dap_dotnet.runtime.model import ThreadId

__all__ = ["CordebugDebuggee", "CoreDump", "Startup", "attach", "describe_core", "open_core", "prepare_startup"]

_STARTUP_SLICE_MS = 50
_NOT_IN_DUMP = "not in this dump; one of the kind Heap has it"


class Startup:
    """A process whose runtime will wait for us when it starts. One of `connect` and `abort` ends it."""

    def __init__(self, process_id: int) -> None:
        """Raises `LaunchError` when there is no such process, or another debugger waits for it."""
        self.process_id = process_id
        out = ffi.new("cds_startup **")
        check(lib.cds_startup_create(process_id, out))
        self._startup: Any = out[0]

    def connect(
        self, sink: EventSink, *, timeout_ms: int, is_alive: Callable[[], bool], temporary_folder: str | None = None
    ) -> CordebugDebuggee:
        """Wait for the runtime and take control of it; events go to `sink` at once. `temporary_folder` as in `attach`.

        Raises `LaunchError` when the process ended before (`is_alive` is asked every 50 ms) or nothing came up in
        `timeout_ms`. A process that lives after a failure may wait for a debugger for ever: the caller kills it.
        """
        try:
            deadline = time.monotonic() + timeout_ms / 1000
            while (code := lib.cds_startup_wait(self._startup, _STARTUP_SLICE_MS)) == TIMEOUT:
                if not is_alive():
                    raise LaunchError("The program ended before its .NET runtime started.", code="NO_RUNTIME")
                if time.monotonic() > deadline:
                    raise LaunchError(
                        f"No .NET runtime started within {timeout_ms / 1000:g} s. Is it a .NET program, and are "
                        "diagnostics enabled (DOTNET_EnableDiagnostics is not 0)?",
                        code="NO_RUNTIME",
                    )
            check(code)
            # The program is ours: what it may load has our rights already.
            return attach(self.process_id, sink, timeout_ms, temporary_folder=temporary_folder, trust_runtime=True)
        finally:
            self.abort()

    def abort(self) -> None:
        """Let the runtime start without a debugger, if it has not come up yet. Idempotent."""
        if self._startup is not None:
            lib.cds_startup_destroy(self._startup)
            self._startup = None


def prepare_startup(process_id: int) -> Startup:
    """Make the runtime that a process is going to start wait for `Startup.connect`. Raises `LaunchError`."""
    return Startup(process_id)


def attach(
    process_id: int,
    sink: EventSink,
    timeout_ms: int,
    *,
    temporary_folder: str | None = None,
    trust_runtime: bool = False,
) -> CordebugDebuggee:
    """Take control of a running process.

    `temporary_folder` is the process's TMPDIR, None when it is the same as ours. With `trust_runtime` the debugger
    library beside the process's runtime is loaded whoever may have written it. Raises `LaunchError` with the remedy.
    """
    out = ffi.new("cds_session **")
    options = new_sized("cds_session_options")
    options.timeout_ms = timeout_ms
    folder = ffi.NULL if temporary_folder is None else ffi.new("char[]", os.fsencode(temporary_folder))
    options.temporary_folder = folder
    options.flags = lib.CDS_SESSION_TRUST_RUNTIME if trust_runtime else 0
    check(lib.cds_session_create(process_id, options, out))
    return CordebugDebuggee(out[0], process_id, sink)


class CoreDump(Struct, frozen=True):
    """What a core dump says of its process: the signal that ended it and the thread that took that are 0 for none."""

    process_id: int
    signal: int
    thread: ThreadId
    build_id: str
    """Of the runtime's library, in hexadecimal digits; empty where the dump does not tell."""
    runtime_path: str
    """Of the runtime's library, as the process had it."""


def describe_core(path: str) -> CoreDump:
    """Look into a core dump. Raises `LaunchError` for what is none of a .NET process."""
    core = new_sized("cds_core")
    check(lib.cds_core_describe(os.fsencode(path), core))
    build_id = ffi.string(core.build_id).decode("ascii")
    return CoreDump(
        core.process_id, core.signal, ThreadId(core.thread), build_id, os.fsdecode(ffi.string(core.runtime_path))
    )


def open_core(
    path: str, dump: CoreDump, runtime_folder: str, sink: EventSink, *, trust_runtime: bool
) -> FrozenDebuggee:
    """Open a core dump with the runtime in a folder, which must be of the very build. Raises `LaunchError`."""
    out = ffi.new("cds_session **")
    flags = lib.CDS_SESSION_TRUST_RUNTIME if trust_runtime else 0
    check(lib.cds_core_open(os.fsencode(path), os.fsencode(runtime_folder), flags, out))
    return FrozenDebuggee(out[0], dump.process_id, sink, dump.thread, _NOT_IN_DUMP)
