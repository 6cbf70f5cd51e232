"""What goes wrong on the client's side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ClientError(Exception):
    """Root of the client's errors."""


class DapRequestError(ClientError):
    """The adapter answered a request with an error."""

    def __init__(self, command: str, response: Mapping[str, Any]) -> None:
        error = (response.get("body") or {}).get("error") or {}
        variables = error.get("variables") or {}
        text = str(error.get("format") or response.get("message") or "no reason given")
        for name, value in variables.items():
            text = text.replace("{" + name + "}", str(value))
        super().__init__(f"{command}: {text}")
        self.command = command
        self.text = text
        """What to show to a user."""
        self.message = str(response.get("message") or "")
        """The response's `message`, such as ``cancelled``."""
        self.code = str(variables.get("code") or "ERROR")
        """`error.variables.code`, dap-dotnet's stable identifier; ``ERROR`` for adapters that have none."""
        self.response = response


class DapTimeoutError(ClientError):
    """Something did not arrive in time. The text has the last messages and the adapter's error output."""


class AdapterGoneError(ClientError):
    """The adapter closed its output or ended. The text has the last messages and the adapter's error output."""


class ProgramEndedError(ClientError):
    """The program ended while a stop was awaited. `exit_code` is None when the adapter sent none."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"The program ended (exit code {exit_code}) before it stopped.")
        self.exit_code = exit_code
