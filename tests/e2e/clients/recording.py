"""Runs other people's clients against the adapter with a recorder in between."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support import recorder
from tests.support.conversation import Entry, check_conversation


def adapter_program() -> str:
    """The installed `dap-dotnet` of the environment that runs the tests."""
    program = shutil.which("dap-dotnet", path=str(Path(sys.executable).parent))
    assert program is not None, "dap-dotnet is not installed beside this Python: run `make build`"
    return program


@dataclass(frozen=True)
class RecordedAdapter:
    """A script that starts the adapter behind the recorder, and what the recorder wrote."""

    script: Path
    log: Path

    def entries(self) -> list[Entry]:
        """The messages so far."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [Entry(**json.loads(line)) for line in lines]

    def check(self, *, complete: bool) -> list[Entry]:
        """Raises SchemaError when the session was not as the protocol says; its messages."""
        entries = self.entries()
        check_conversation(entries, foreign_client=True, complete=complete)
        return entries


def record_adapter(folder: Path) -> RecordedAdapter:
    """Makes the script in `folder`; it passes its own arguments on to the adapter."""
    adapter = RecordedAdapter(folder / "dap-dotnet", folder / "session.jsonl")
    command = [sys.executable, recorder.__file__, str(adapter.log), adapter_program()]
    adapter.script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    adapter.script.chmod(0o755)
    return adapter


def named(entries: list[Entry], *, sender: str, kind: str) -> list[str]:
    """The commands or events, in order, of the messages of one kind from one sender."""
    chosen = [entry.message for entry in entries if entry.sender == sender and entry.message["type"] == kind]
    return [message.get("command") or message["event"] for message in chosen]
