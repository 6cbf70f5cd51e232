"""`initialize`."""

from __future__ import annotations

from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.session import Session


def initialize(session: Session, arguments: InitializeRequestArguments) -> Capabilities:
    """Tell what we can do; `initialized` follows at once, since breakpoints may be set before there is a program."""
    session.server.after_response(lambda: session.server.send_event("initialized"))
    return session.server.capabilities()
