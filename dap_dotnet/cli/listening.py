"""``--listen``: clients that come over TCP, each served by an adapter process of its own."""

from __future__ import annotations

import ipaddress
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import MutableMapping, Sequence

from dap_dotnet.client import adapter_command
from dap_dotnet.startup.options import REQUIRED_TOKEN_VARIABLE, TOKEN_VARIABLE, UsageError

MOST_SESSIONS = 32
"""A client beyond that is turned away: each takes a process."""
MOST_SILENT = 200
"""Connections that have sent nothing yet; beyond that the oldest goes."""
SILENCE_S = 30.0
"""How long a connection may send nothing."""
SHORTEST_TOKEN = 16
_FIRST_BYTES = b"content-"
"""How the first header of a message begins, in small letters: whatever else comes is no client."""
_POLL_S = 0.5


def take_token(environment: MutableMapping[str, str]) -> str | None:
    """The token that clients have to know, taken out of the environment; None without one.

    Raises `UsageError` for one that can be guessed.
    """
    token = environment.pop(TOKEN_VARIABLE, None)
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(
            f"{TOKEN_VARIABLE} must have {SHORTEST_TOKEN} characters or more, since anyone who guesses it can run "
            "programs as you; `openssl rand -hex 32` makes one"
        )
    return token


def parse_address(text: str, *, has_token: bool = False) -> tuple[str, int]:
    """``[HOST:]PORT``; port 0 lets the system choose.

    Raises `UsageError` for one that is not of this machine alone, unless clients have to know a token.
    """
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
    if not is_loopback and not has_token:
        raise UsageError(
            f"{host} can be reached from other machines, and anyone who reaches it can run programs as you: listen on "
            f"127.0.0.1 and use an SSH tunnel from elsewhere, or set {TOKEN_VARIABLE} to a token that clients have to "
            "send as serverToken"
        )
    return host, int(port)


def listen(address: tuple[str, int], options: Sequence[str], token: str | None = None) -> int:
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
        host, port = listener.getsockname()[:2]
        print(f"dap-dotnet listens on {host}:{port}", file=sys.stderr, flush=True)
        return _Reception(listener, options, token).serve()


class _Reception:
    """Connections until they have an adapter, which they get with the first bytes of a message: a process each is too
    much for whoever only knocks."""

    def __init__(self, listener: socket.socket, options: Sequence[str], token: str | None) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._command = adapter_command(options)
        self._environment = {**os.environ, **({REQUIRED_TOKEN_VARIABLE: token} if token is not None else {})}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self._silent: dict[socket.socket, float] = {}
        """Until when each may be silent, the oldest first."""
        self._adapters: list[subprocess.Popen[bytes]] = []

    def serve(self) -> int:
        """Serve until a signal ends this process."""
        while True:
            for key, _ in self._selector.select(_POLL_S):
                if key.fileobj is self._listener:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._silent:
                    self._first_bytes(key.fileobj)
            for connection in [one for one, until in self._silent.items() if until < time.monotonic()]:
                self._forget(connection)
            self._adapters = [adapter for adapter in self._adapters if adapter.poll() is None]

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as error:  # gone again, or no descriptor is left
            print(f"dap-dotnet: a connection was not accepted: {error.strerror}", file=sys.stderr, flush=True)
            time.sleep(_POLL_S)
            return
        connection.setblocking(False)
        self._silent[connection] = time.monotonic() + SILENCE_S
        self._selector.register(connection, selectors.EVENT_READ)
        if len(self._silent) > MOST_SILENT:
            self._forget(next(iter(self._silent)))

    def _first_bytes(self, connection: socket.socket) -> None:
        try:
            first = connection.recv(len(_FIRST_BYTES), socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            first = b""
        if first and _FIRST_BYTES.startswith(first.lower()) and len(self._adapters) < MOST_SESSIONS:
            self._serve(connection)
        self._forget(connection)  # an adapter has a copy

    def _serve(self, connection: socket.socket) -> None:
        connection.setblocking(True)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        number = connection.fileno()
        try:
            adapter = subprocess.Popen(
                self._command, stdin=number, stdout=number, env=self._environment, start_new_session=True
            )
        except OSError as error:
            print(f"dap-dotnet: no adapter could be started: {error.strerror}", file=sys.stderr, flush=True)
            return
        self._adapters.append(adapter)

    def _forget(self, connection: socket.socket) -> None:
        del self._silent[connection]
        self._selector.unregister(connection)
        connection.close()
