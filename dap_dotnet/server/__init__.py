"""The server: takes requests one by one, answers each exactly once, sends events.

`Server` runs on the session thread. Handlers and the session see of it what this package exports.
"""

from dap_dotnet.server.core import ServedSession, Server
from dap_dotnet.server.handlers import HandlerSpec
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.requests import DEFERRED, Deferred, PendingRequest, RequestCancelledError
from dap_dotnet.server.reverse import ReverseResponse
from dap_dotnet.server.timers import Timer

__all__ = [
    "DEFERRED",
    "Deferred",
    "HandlerSpec",
    "Interrupts",
    "PendingRequest",
    "RequestCancelledError",
    "ReverseResponse",
    "ServedSession",
    "Server",
    "Timer",
]
