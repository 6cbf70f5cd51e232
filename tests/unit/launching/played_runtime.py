"""A process that does nothing, with the pipes of a runtime, whose half of the conversation is played here."""

from __future__ import annotations

import os
import select
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.processes import start_time

HEADER = struct.Struct("<12I")
REQUEST, ACCEPT, REJECT, RESYNC, CLOSE, EVENT, READ_MEMORY = 0, 1, 2, 3, 4, 5, 6
HIT, SYNC_COMPLETE, ASYNC_BREAK, CONTINUE, REMOVE, DETACH = 0x100, 0x102, 0x200, 0x201, 0x20A, 0x22F
SET_ALL_THREADS, THREADS_ARE_SET = 0x232, 0x124
BREAKPOINT_AT = 48
"""Where an event of a breakpoint has the runtime's name for it; 8 bytes."""
VERSION, OTHER_VERSION = 2, 3
HAS_DEBUGGER = 1
EXIT_CANNOT_START = 71
MOST_BREAKPOINTS = 64


class PlayedRuntime:
    """The pipes of a process that does nothing, and the runtime's half of the conversation."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            # Has the pipe of its second line open until the third.
            [
                "/bin/sh",
                "-c",
                'read pipe; [ "$pipe" ] || while :; do :; done; '
                'if [ "$pipe" = later ]; then sleep 0.03; '
                "while [ $((i=i+1)) -lt 1500 ]; do :; done; exec sleep 60; fi; "
                'if [ "$pipe" = half ]; then read pipe; exec 3<"$pipe"; echo open; '
                'read other; exec 4>"$other"; exec 3<&- 4>&-; echo closed; exec sleep 60; fi; '
                'exec 3<"$pipe"; echo open; read done; exec 3<&-; exec sleep 60',
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stem = f"clr-debug-pipe-{self.process.pid}-{start_time(self.process.pid)}"
        self._paths = [folder / f"{stem}-in", folder / f"{stem}-out"]
        self._made: list[Path] = []
        self.make_pipes()
        self._in = self._out = -1
        self._is_resumed = False
        self.id = 0
        self.data = b""

    def make_pipes(self) -> None:
        """New ones in the place of the old, as a runtime does that has lost its debugger."""
        for path in self._paths:
            scratch = path.with_suffix(".new")
            os.mkfifo(scratch)
            if path.exists():
                path.rename(path.with_suffix(f".old{len(self._made)}"))  # so that its inode is not given out again
            scratch.rename(path)
            self._made.append(path)

    def open_pipe(self) -> int:
        """Have the process open its pipe, as a runtime does that a debugger has come to; returns the debugger's end."""
        self.process.stdin.write(f"{self._paths[0]}\n".encode())
        self.process.stdin.flush()
        ours = os.open(self._paths[0], os.O_WRONLY)
        assert self.process.stdout.readline() == b"open\n"
        return ours

    def be_met_by_half(self) -> None:
        """As when a debugger comes to the first pipe and ends: have the process wait for somebody at the second."""
        self.process.stdin.write(f"half\n{self._paths[0]}\n{self._paths[1]}\n".encode())
        self.process.stdin.flush()
        os.close(os.open(self._paths[0], os.O_WRONLY))
        assert self.process.stdout.readline() == b"open\n"

    def notice(self) -> None:
        """Wait until somebody has come to the second pipe, and make new ones, since there is nobody at the first."""
        assert self.process.stdout.readline() == b"closed\n"
        self.make_pipes()

    def close_pipe(self) -> None:
        """Have the process close it, as a runtime does that notices its debugger's end."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def keep_busy(self) -> None:
        """Have the process work from now on, and no longer do nothing; instead of `open_pipe`."""
        self.close_pipe()

    def run_for_a_moment(self) -> None:
        """Have the process work a little, a little later, and do nothing again; instead of `open_pipe`."""
        self.process.stdin.write(b"later\n")
        self.process.stdin.flush()

    def accept(self) -> None:
        """Wait for a debugger."""
        self._in = os.open(self._paths[0], os.O_RDONLY)
        self._out = os.open(self._paths[1], os.O_WRONLY)

    def hang_up(self) -> None:
        """As when the session has been closed; the next debugger finds new pipes."""
        self.make_pipes()
        os.close(self._in)
        os.close(self._out)

    def read(self) -> tuple[int, int, int]:
        """A message's type, major version and event; what comes with it is in `data`, its number in `id`."""
        header = HEADER.unpack(self._read(HEADER.size))
        self.id = header[2]
        self.data = self._read(header[1])
        return header[0], header[6], header[7]

    def says_something(self, seconds: float) -> bool:
        """Whether the farewell sends anything in this time."""
        return bool(select.select([self._in], [], [], seconds)[0])

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = os.read(self._in, size - len(data))
            assert part, "the farewell hung up"
            data += part
        return data

    def write(self, kind: int, *, detail: int = 0, event: int = 0, data: bytes = b"", reply_id: int = 0) -> None:
        os.write(self._out, HEADER.pack(kind, len(data), 0, reply_id, 0, 0, detail, event, 0, 0, 0, 0) + data)

    def refuse(self, version: int = VERSION) -> None:
        """Meet whoever comes with the word that there is a session, which has lost its debugger, and hang up."""
        self.accept()
        self.write(RESYNC)
        assert self.read() == (REQUEST, VERSION, 0)
        self.write(REJECT, detail=HAS_DEBUGGER, event=version)
        self.hang_up()

    def resume(self, *said: Callable[[], None]) -> None:
        """Go on with the session, and say once more what the lost debugger has not confirmed."""
        self.accept()
        assert self.read() == (RESYNC, 0, 0)
        self.write(RESYNC)
        for say in said:
            say()
        assert self.read() == (READ_MEMORY, 0, 0)
        self.write(READ_MEMORY, reply_id=self.id)
        self._is_resumed = True

    def begin(self, version: int = VERSION) -> None:
        """Begin a new session."""
        self.accept()
        assert self.read() == (REQUEST, VERSION, 0)
        self.write(ACCEPT, detail=version)
        self._is_resumed = False

    def stop(self, *hits: int) -> None:
        """Report breakpoints that were hit, and that all threads stand."""
        for breakpoint in hits:
            self.write(EVENT, event=HIT, data=bytes(BREAKPOINT_AT) + struct.pack("<Q", breakpoint) + bytes(56))
        self.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))

    def thaw(self) -> None:
        """Be asked to let all threads run."""
        assert self.read() == (EVENT, 0, SET_ALL_THREADS)
        self._thawed()

    def _thawed(self) -> None:
        assert self.data[48:] == bytes(16), "some threads stay"
        self.write(EVENT, event=THREADS_ARE_SET, data=bytes(48))

    def run_on(self) -> None:
        """Run for a moment in which nothing is hit, and be stopped."""
        assert self.read() == (EVENT, 0, CONTINUE)
        assert self.read() == (EVENT, 0, ASYNC_BREAK)
        self.stop()

    def run_into(self, *stops: tuple[int, ...]) -> list[int]:
        """Run into one stop after the other, each time that it may, up to the request to detach.

        A stop has the breakpoints that were hit. Returns those that were removed.
        """
        left, removed, is_stopped = list(stops), list[int](), True
        while (event := self.read()[2]) != DETACH:
            if event == SET_ALL_THREADS:
                self._thawed()
            elif event == REMOVE:
                removed += struct.unpack_from("<Q", self.data, BREAKPOINT_AT)
            elif event == CONTINUE or not is_stopped:
                is_stopped = event == ASYNC_BREAK or bool(left)
                if is_stopped:
                    self.stop(*(left.pop(0) if event == CONTINUE else ()))
        return removed

    def say_goodbye(self) -> None:
        """Answer the stop and the detach, and see the session closed."""
        assert self.read() == (EVENT, 0, ASYNC_BREAK)
        self.stop()
        if self._is_resumed:
            self.thaw()
            self.run_on()
        assert self.read() == (EVENT, 0, DETACH)
        self.be_left()

    def be_left(self) -> None:
        """Answer a detach that was read, and see the session closed."""
        self.write(EVENT, event=DETACH, data=bytes(48))
        assert self.read() == (CLOSE, 0, 0)
        self.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))  # nobody may have hung up, or the session would go on
        self.hang_up()
