"""A running program `Flood` whose progress can be seen from outside."""

from __future__ import annotations

import struct
import subprocess
import threading
import time
from pathlib import Path

from tests.support import programs
from tests.support.dotnet import Runtime

PATIENCE_S = 20.0
_ROUNDS = struct.Struct("<q")


class Flood:
    """One process; `kind` is what it floods its debugger with."""

    def __init__(self, runtime: Runtime, kind: str, folder: Path, *, seconds: int = 300) -> None:
        program = programs.build("Flood", runtime)
        self._rounds = folder / "rounds"
        self._rounds.write_bytes(bytes(_ROUNDS.size))
        self._command = [*program.command, kind, str(folder / "stop"), str(self._rounds), str(seconds)]
        self._environment = program.environment()
        self.start()

    def start(self) -> None:
        """Start it; anew, after `close`."""
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith(b"READY")
        self._reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def rounds(self) -> int:
        """How many rounds its main thread has made."""
        return int(_ROUNDS.unpack(self._rounds.read_bytes())[0])

    def runs(self, patience_s: float = PATIENCE_S) -> bool:
        """Whether the main thread makes a few rounds more before the time is over."""
        enough = self.rounds() + 3
        deadline = time.monotonic() + patience_s
        while self.rounds() < enough:
            if time.monotonic() > deadline or self.process.poll() is not None:
                return False
            time.sleep(0.01)
        return True

    def close(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()
