"""``--listen``: clients that come over TCP, each served by an adapter process of its own."""

from __future__ import annotations

import ipaddress
import socket
import subprocess
import sys
from collections.abc import Sequence

from dap_dotnet.client import adapter_command
from dap_dotnet.startup.options import UsageError

MOST_SESSIONS = 32
"""A client beyond that is turned away: each takes a process."""
_POLL_S = 0.5


def parse_address(text: str) -> tuple[str, int]:
    """``[HOST:]PORT``; port 0 lets the system choose. Raises `UsageError` for one that is not of this machine alone."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen needs HOST:PORT or PORT, not {text!r}")
    if host == "localhost":
        host = "127.0.0.1"
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise UsageError(f"--listen takes an address, not the name {host!r}") from None
    if not is_loopback:
        raise UsageError(
            f"{host} can be reached from other machines, and whoever reaches it runs programs as you: listen on "
            "127.0.0.1, and use an SSH tunnel from elsewhere"
        )
    return host, int(port)


def listen(address: tuple[str, int], options: Sequence[str]) -> int:
    """Serve until a signal ends this process. `options` are those of the adapters. Raises `UsageError`.

    A connection is an adapter's standard input and output: when it drops, that adapter ends as it does without its
    editor. Adapters outlive this process for as long as their clients stay.
    """
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen()
        except OSError as error:
            raise UsageError(f"cannot listen on {address[0]}:{address[1]}: {error.strerror}") from error
        listener.settimeout(_POLL_S)  # to notice adapters that have ended
        host, port = listener.getsockname()[:2]
        print(f"dap-dotnet listens on {host}:{port}", file=sys.stderr, flush=True)
        adapters: list[subprocess.Popen[bytes]] = []
        while True:
            adapters = [adapter for adapter in adapters if adapter.poll() is None]
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                if len(adapters) < MOST_SESSIONS:
                    connection.settimeout(None)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    adapters.append(_adapter(connection, options))


def _adapter(connection: socket.socket, options: Sequence[str]) -> subprocess.Popen[bytes]:
    command = adapter_command(options)
    return subprocess.Popen(command, stdin=connection.fileno(), stdout=connection.fileno(), start_new_session=True)
