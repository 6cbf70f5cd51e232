"""``dap-dotnet mcp --http``: streamable HTTP on this machine's own address, for who knows the token."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

import uvicorn

from dap_dotnet.mcp.options import TOKEN_VARIABLE, ServerOptions
from dap_dotnet.mcp.server import DebugServer
from dap_dotnet.startup.options import UsageError

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Gate:
    """Lets requests through that have the token, name this server as `Host`, and come from no other site's page."""

    def __init__(self, app: _App, token: str, hosts: Collection[str]) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._hosts = {host.encode() for host in hosts}
        self._origins = {f"http://{host}".encode() for host in hosts}

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """The ASGI application."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            # Named twice, a header is not to be trusted: no value matches both.
            headers[name] = value if name not in headers else b"\n"
        refusal = self._refusal(headers)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, text = refusal
        body = text.encode()
        answer = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
        if status == 401:
            answer.append((b"www-authenticate", b"Bearer"))
        await send({"type": "http.response.start", "status": status, "headers": answer})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if headers.get(b"host", b"") not in self._hosts:
            return 421, "The Host header does not name this server."
        if headers.get(b"origin") is not None and headers[b"origin"] not in self._origins:
            return 403, "Requests from other sites are not allowed."
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            return 401, "The Authorization header must be 'Bearer' followed by the server's token."
        return None


def make_server(debug_server: DebugServer, listener: socket.socket, token: str) -> uvicorn.Server:
    """A server for a bound socket; its path is ``/mcp``."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    hosts = (f"{shown}:{port}", f"localhost:{port}")
    app = debug_server.server.streamable_http_app(host=host)
    config = uvicorn.Config(
        Gate(app, token, hosts),
        log_level="warning",
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


def serve_http(options: ServerOptions) -> int:
    """Serve until a signal ends this process. Raises `UsageError` when the address is not free."""
    assert options.http is not None
    host, port = options.http
    given = os.environ.pop(TOKEN_VARIABLE, "")  # popped: programs that are debugged do not need it
    token = given or secrets.token_urlsafe(32)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        shown = f"[{host}]" if ":" in host else host
        secret = "" if given else f", token {token}"
        print(f"dap-dotnet mcp: http://{shown}:{listener.getsockname()[1]}/mcp{secret}", file=sys.stderr, flush=True)
        make_server(DebugServer(options), listener, token).run(sockets=[listener])
    return 0
