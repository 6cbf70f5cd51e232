"""Copies of a process, as it was at a moment: forks of it that never run. The shim has them made by another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.runtime._shim import check, ffi, lib, new_sized
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.frozen_debuggee import FrozenDebuggee
from dap_dotnet.runtime.model import ThreadId


class Snapshot:
    """See `api.Snapshot`."""

    def __init__(self, snapshot: Any, info: Any, process_id: int) -> None:
        """See `Copier.snapshot`."""
        self._snapshot = snapshot
        self._process_id = process_id
        self.copy_process_id = info.process_id
        self.pause_ms = info.pause_us / 1000

    def open(self, sink: EventSink, *, trust_runtime: bool, shown_first: ThreadId | None = None) -> FrozenDebuggee:
        """See `api.Snapshot`."""
        out = ffi.new("cds_session **")
        flags = lib.CDS_SESSION_TRUST_RUNTIME if trust_runtime else 0
        check(lib.cds_snapshot_open(self._snapshot, flags, out))
        debuggee = FrozenDebuggee(out[0], self._process_id, sink, shown_first)
        debuggee.pause_ms = self.pause_ms
        return debuggee

    def memory(self) -> int:
        """See `api.Snapshot`."""
        try:
            with open(f"/proc/{self.copy_process_id}/smaps_rollup", encoding="ascii") as lines:
                return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
        except (OSError, StopIteration):
            return 0

    def close(self) -> None:
        """Idempotent."""
        snapshot, self._snapshot = self._snapshot, ffi.NULL
        lib.cds_snapshot_destroy(snapshot)


class Copier:
    """See `api.Copier`."""

    on_closed: Callable[[list[int]], None] | None = None
    """Called by `close` with the process ids of all copies."""

    def __init__(self, process_id: int, control: int) -> None:
        """`control` is the descriptor of the socket to the process that makes them; it is taken over.

        `launching.copying.start_copier` makes both. Raises `RuntimeCallError` when that process does not answer.
        """
        out = ffi.new("cds_copier **")
        check(lib.cds_copier_create(process_id, control, out))
        self._copier = out[0]
        self._process_id = process_id
        self._copies: list[int] = []

    def snapshot(self, *, runs: bool = False) -> Snapshot:
        """See `api.Copier`."""
        out = ffi.new("cds_snapshot **")
        info = new_sized("cds_snapshot_info")
        check(lib.cds_snapshot_create(self._copier, lib.CDS_SNAPSHOT_RUNNING if runs else 0, info, out))
        self._copies.append(info.process_id)
        return Snapshot(out[0], info, self._process_id)

    def close(self) -> None:
        """See `api.Copier`."""
        copier, self._copier = self._copier, ffi.NULL
        lib.cds_copier_destroy(copier)
        if self.on_closed is not None and copier != ffi.NULL:
            self.on_closed(self._copies)
