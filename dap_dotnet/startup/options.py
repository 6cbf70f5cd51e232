"""The options that the adapter itself takes; they stand before a subcommand."""

from __future__ import annotations

from typing import NamedTuple  # not `dataclasses`, which imports a lot more

SERVER_PORT = "4711"
"""The port of ``--server`` without one, as in other .NET debug adapters."""
TOKEN_VARIABLE = "DAP_DOTNET_TOKEN"
"""The environment variable that has the token of ``--listen``."""
REQUIRED_TOKEN_VARIABLE = "DAP_DOTNET_REQUIRED_TOKEN"
"""That by which ``--listen`` tells its adapters what their clients have to know."""
DEFECTS_VARIABLE = "DAP_DOTNET_DEFECTS"
"""With the value ``raise``, defects that the adapter could go around are raised, for tests; without, only logged."""
LOG_LEVELS = ("error", "warning", "info", "debug")


class UsageError(Exception):
    """The command line is not valid; the message says what is."""


class AdapterOptions(NamedTuple):
    """What the adapter was started with. `log_file` None: warnings go to standard error."""

    log_file: str | None = None
    log_level: str | None = None
    """None: everything with a log file, warnings without one."""
    listen: str | None = None
    """``[HOST:]PORT`` to wait for clients on; None: standard input and output."""

    def to_arguments(self) -> list[str]:
        """The command line arguments that say the same."""
        arguments = []
        if self.log_file is not None:
            arguments.append(f"--log={self.log_file}")
        if self.log_level is not None:
            arguments.append(f"--log-level={self.log_level}")
        return arguments


def parse_adapter_options(arguments: list[str]) -> tuple[AdapterOptions, list[str]]:
    """Take the leading options; return them and the rest, from the first word that is not an option.

    ``--help`` and ``--version`` are not taken. ``--interpreter=…``, which editors pass to other .NET adapters, is
    ignored. ``--server[=PORT]`` is their ``--listen``. Raises `UsageError`.
    """
    # Not argparse: the adapter's start-up is measured in milliseconds.
    log_file = log_level = listen = None
    rest = list(arguments)
    while rest and rest[0].startswith("--") and rest[0] not in ("--help", "--version"):
        name, has_value, value = rest.pop(0).partition("=")
        if name == "--server":
            listen = value or SERVER_PORT
            continue
        if name not in ("--log", "--listen", "--log-level", "--interpreter"):
            raise UsageError(f"unknown option {name}; dap-dotnet --help lists the options")
        if not has_value:
            if not rest:
                raise UsageError(f"{name} needs a value")
            value = rest.pop(0)
        if name == "--listen":
            listen = value
        elif name == "--log":
            log_file = value
        elif name == "--log-level":
            if value not in LOG_LEVELS:
                raise UsageError(f"--log-level must be one of {', '.join(LOG_LEVELS)}, not {value!r}")
            log_level = value
    return AdapterOptions(log_file, log_level, listen), rest
