"""Plays the adapter in a process of its own: launches or attaches through LocalBackend, one JSON line an event.

Usage: player.py launch COMMAND... | player.py resolve PROGRAM ARGS... | player.py attach PID. Each holding event is
resumed at once. Commands come on standard input, one word a line: terminate, close, detach, leave (end unclosed),
hold (do not resume any more), stop-at-breakpoint (hold at the next one). With PLAYER_DELAY_TAKING set, output is taken
only when the word take comes; with PLAYER_BREAK set to an assembly's name and a method token, there is a breakpoint.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.backend import LocalBackend
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.launching.programs import resolve_program
from dap_dotnet.runtime.events import (
    BreakpointHit,
    ModuleLoaded,
    OutputWritten,
    ProcessExited,
    ProcessReaped,
    RuntimeEvent,
    StopCompleted,
    StopTimedOut,
)
from dap_dotnet.runtime.model import BreakpointLocation, LaunchSpec, MethodToken

TIMEOUT_MS = int(os.environ.get("PLAYER_TIMEOUT_MS", "20000"))
inbox: queue.Queue[RuntimeEvent | str] = queue.Queue()


def say(kind: str, **what: object) -> None:
    print(json.dumps({"kind": kind, **what}), flush=True)


def tell_start() -> None:
    """Say the debuggee's id as soon as it exists, before anything can go wrong with it."""
    original = Launcher.start.__func__

    def start(cls, *arguments, **options):
        launcher = original(cls, *arguments, **options)
        say("forked", process_id=launcher.process_id, start_time=launcher.start_time)
        return launcher

    Launcher.start = classmethod(start)


def read_commands() -> None:
    for line in sys.stdin:
        inbox.put(line.strip())
    inbox.put("leave")


def begin(mode: str, arguments: list[str]):
    backend = LocalBackend()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PLAYER_")}
    if mode == "attach":
        return backend.attach(int(arguments[0]), inbox.put, timeout_ms=TIMEOUT_MS)
    environment.update(json.loads(os.environ.get("PLAYER_ENV", "{}")))
    if mode == "resolve":
        spec = resolve_program(arguments[0], arguments[1:], None, environment)
    else:
        spec = LaunchSpec(tuple(arguments), os.getcwd(), environment)
    return backend.launch(spec, inbox.put, timeout_ms=TIMEOUT_MS)


def play(debuggee) -> None:
    held: list[OutputWritten] = []
    holding = False
    detaching = False
    stopping = False
    assembly, _, token = os.environ.get("PLAYER_BREAK", "").partition(" ")
    while True:
        item = inbox.get()
        if isinstance(item, OutputWritten):
            say("output", text=item.text, is_error=item.is_error)
            if "PLAYER_DELAY_TAKING" in os.environ:
                held.append(item)
            else:
                item.taken()
        elif isinstance(item, ProcessReaped):
            say("reaped", exit_code=item.exit_code, signal=item.signal)
        elif isinstance(item, RuntimeEvent):
            say(type(item).__name__)
            if isinstance(item, ModuleLoaded) and assembly and item.module.path.endswith(assembly):
                location = BreakpointLocation(item.module.module, MethodToken(int(token, 16)), 0)
                say("bound", result=repr(debuggee.create_breakpoints([location])))
            if stopping and isinstance(item, BreakpointHit):
                holding = True
                say("holding")
            if detaching and isinstance(item, StopCompleted):
                try:
                    debuggee.detach()
                except DapDotnetError as error:
                    say("not-detached", message=error.message)
                else:
                    say("detached")
            elif detaching and isinstance(item, (StopTimedOut, ProcessExited)):
                say("not-detached", message=type(item).__name__)
            elif not holding and not isinstance(item, ProcessExited):
                debuggee.resume(item)
        elif item == "take":
            while held:
                held.pop(0).taken()
        elif item == "hold":
            holding = True
            say("holding")
        elif item == "stop-at-breakpoint":
            stopping = True
        elif item == "terminate":
            debuggee.terminate()
        elif item == "detach":
            detaching = True
            debuggee.request_stop(5000)
        elif item == "close":
            debuggee.close()
            names = sorted(
                thread.name for thread in threading.enumerate() if thread.name not in ("MainThread", "commands")
            )
            say("closed", threads=names)
        elif item in ("", "leave"):
            os._exit(0)


def main() -> None:
    tell_start()
    threading.Thread(target=read_commands, name="commands", daemon=True).start()
    try:
        debuggee = begin(sys.argv[1], sys.argv[2:])
    except DapDotnetError as error:
        while not inbox.empty():
            item = inbox.get()
            if isinstance(item, OutputWritten):
                say("output", text=item.text, is_error=item.is_error)
        say("failed", error=type(error).__name__, code=error.code, message=error.message)
        threads = sorted(
            thread.name for thread in threading.enumerate() if thread.name not in ("MainThread", "commands")
        )
        say("left", threads=threads, descriptors=len(os.listdir("/proc/self/fd")))
        return
    say("connected", runtime=debuggee.runtime_version, process_id=debuggee.process_id)
    play(debuggee)


if __name__ == "__main__":
    main()
