"""Forks adapters that have imported everything: a program of its own, which `forked_adapters.py` starts and talks to.

Usage: adapter_forks.py DESCRIPTOR, that of a socket. Each message on it is JSON with what the adapter is to be
(`arguments`, `folder`, `environment`) and brings four descriptors: its standard streams, and a socket for what becomes
of it. There it sends the process id with a descriptor of the process, and when it has ended the code by which it did.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import selectors
import socket
import sys
import tempfile
from typing import Any

LARGEST = 1 << 20
PACKAGES = (
    "async_tasks", "blocking", "breakpoints", "evaluation", "handlers", "launching", "protocol", "runtime", "server",
    "session", "startup", "stepping", "symbols", "values",
)  # fmt: skip
"""Of dap_dotnet: what an adapter may import sooner or later."""
STREAMS = 3


def import_everything() -> None:
    """Import what adapters import; the first of it is what they begin with."""
    from dap_dotnet.startup.process import hasten_imports

    hasten_imports()
    importlib.import_module("dap_dotnet.adapter")
    for name in PACKAGES:
        package = importlib.import_module(f"dap_dotnet.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def serve(control: socket.socket) -> int:
    """Fork until the other end is closed. In a forked process it returns the adapter's exit code."""
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is not control:
                process_id, outcome = running.pop(key.fd)
                selector.unregister(key.fd)
                os.close(key.fd)
                report(outcome, os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]))
                continue
            message, descriptors, _, _ = socket.recv_fds(control, LARGEST, STREAMS + 1)
            if not message:
                return 0
            outcome = socket.socket(fileno=descriptors.pop())
            process_id = os.fork()
            if process_id == 0:
                selector.close()
                for other in (control, outcome, *(socket_ for _, socket_ in running.values())):
                    other.close()
                for descriptor in running:
                    os.close(descriptor)
                return become(json.loads(message), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            process = os.pidfd_open(process_id)
            socket.send_fds(outcome, [str(process_id).encode()], [process])
            running[process] = process_id, outcome
            selector.register(process, selectors.EVENT_READ)


def report(outcome: socket.socket, code: int) -> None:
    """Say how a process has ended, if anybody listens still."""
    try:
        outcome.send(str(code).encode())
    except OSError:
        pass
    outcome.close()


def become(adapter: dict[str, Any], descriptors: list[int]) -> int:
    """Be the adapter until it ends, as a process that was started anew would be; its exit code."""
    from dap_dotnet.__main__ import main
    from dap_dotnet.startup.kept_modules import KeptModules

    for unwanted in ("serve", "write"):  # all that it may import is imported
        setattr(KeptModules, unwanted, lambda _: None)
    os.setsid()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(adapter["folder"])
    os.environ.clear()
    os.environ.update(adapter["environment"])
    tempfile.tempdir = None
    sys.argv = ["dap-dotnet", *adapter["arguments"]]
    return main()


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: what adapters import is what is installed
    import_everything()
    sys.exit(serve(socket.socket(fileno=int(sys.argv[1]))))
