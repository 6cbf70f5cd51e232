"""Who may debug, where more than this machine's user can reach the adapter: clients that know its token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_dotnet.errors import UserError

ATTRIBUTE = "serverToken"
"""Of `launch` and `attach`: what editors let their users write. No client has a place for it in `initialize`."""
ADMISSION_DEADLINE_S = 30.0
"""From the connection to the token. Editors send both in one breath."""
_BEFORE_TOKEN = frozenset({"initialize", "disconnect"})


class Admission:
    """Until the token has come, nothing is answered that reads files or starts programs. Session thread only."""

    def __init__(self, token: str) -> None:
        """`token`: what the client has to know."""
        self._token = token.encode("utf-8", "surrogateescape")
        self.is_granted = False

    def check(self, command: str, arguments: Any) -> bool:
        """Whether this request is the one that has the token. Raises `UserError` for one that may not be answered."""
        if self.is_granted or command in _BEFORE_TOKEN:
            return False
        if command not in ("launch", "attach"):
            raise UserError(
                f"'{command}' was sent before launch or attach, which must carry the token for this address.",
                code="NO_TOKEN",
            )
        given = arguments.get(ATTRIBUTE) if isinstance(arguments, Mapping) else None
        if not isinstance(given, str) or not given:
            raise UserError(
                f"This address requires a token: put it into the configuration as '{ATTRIBUTE}'. It is what "
                "DAP_DOTNET_TOKEN was where `dap-dotnet --listen` was started.",
                code="NO_TOKEN",
            )
        import hmac  # brings OpenSSL along, which other adapters go without

        if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token):
            raise UserError(
                f"'{ATTRIBUTE}' is not the token of this address, which is what DAP_DOTNET_TOKEN was where "
                "`dap-dotnet --listen` was started.",
                code="WRONG_TOKEN",
            )
        self.is_granted = True
        return True
