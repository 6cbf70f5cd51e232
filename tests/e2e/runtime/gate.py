"""Starts a program behind a gate and outlives it: what the real launcher does, as far as these tests need it.

Usage: gate.py COMMAND... Writes "pid N" as soon as the child is there; the child starts COMMAND when a byte comes on
standard input. Writes "exit N" with the wait status when it ended. The debugger's library waits for the debuggee,
so that the test process must not be its parent.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    child = os.fork()
    if child == 0:
        opened = os.read(0, 1)
        if not opened:
            os._exit(99)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        out = os.open(os.environ["SHIM_TEST_OUTPUT"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.execvp(sys.argv[1], sys.argv[1:])
    print(f"pid {child}", flush=True)
    _, status = os.waitpid(child, 0)
    try:
        print(f"exit {status}", flush=True)
    except BrokenPipeError:
        os._exit(0)  # the test is gone or does not care


if __name__ == "__main__":
    main()
