"""``run`` and ``attach``: start the adapter, debug through it, and end everything again."""

from __future__ import annotations

import signal
import sys
import threading

from dap_dotnet.cli.arguments import DebugArguments
from dap_dotnet.cli.children import LeadingDriver, Newcomers
from dap_dotnet.cli.driver import Driver
from dap_dotnet.cli.exit_codes import BROKEN_PIPE, INTERNAL_FAILURE, TIMED_OUT
from dap_dotnet.cli.human import HumanReporter
from dap_dotnet.cli.interruptions import Interruptions, SignalError
from dap_dotnet.cli.json_lines import JsonReporter
from dap_dotnet.cli.prompt import CommandSource, Terminal, read_script
from dap_dotnet.cli.report import ErrorReport, Reporter
from dap_dotnet.cli.style import accept_any_text, discard_output
from dap_dotnet.client import ClientError, DapClient, DapRequestError, adapter_command
from dap_dotnet.startup.options import AdapterOptions

INTERRUPTED = 130
_REQUEST_TIMEOUT_S = 75.0


class _DeadlineError(Exception):
    """The time limit of ``--timeout`` is over."""


class _Interruptible:
    """A source of commands, for which a signal does not wait."""

    def __init__(self, source: CommandSource, interruptions: Interruptions) -> None:
        self._source = source
        self._interruptions = interruptions
        self.is_person = source.is_person

    def next_command(self) -> str | None:
        """See `CommandSource`."""
        with self._interruptions.raised_at_once():
            return self._source.next_command()


def debug(arguments: DebugArguments, options: AdapterOptions, command: list[str] | None = None) -> int:
    """Debug as asked and return the exit code. `command` starts the adapter; None for our own."""
    accept_any_text()
    reporter: Reporter
    if arguments.json:
        reporter = JsonReporter(sys.stdout)
    else:
        reporter = HumanReporter(sys.stdout, sys.stderr, show_stack=arguments.stack > 0)
    try:
        source = _source(arguments)
    except (OSError, UnicodeDecodeError) as error:
        reporter.error(ErrorReport("INVALID_REQUEST", f"The script cannot be read: {error}."))
        return 2
    command = command or adapter_command(options.to_arguments())
    newcomers = Newcomers(command, _REQUEST_TIMEOUT_S) if arguments.children else None
    handlers = {} if newcomers is None else {"startDebugging": newcomers.asked}
    try:
        with (
            Interruptions() as interruptions,
            DapClient.spawn(command, timeout_s=_REQUEST_TIMEOUT_S, reverse_handlers=handlers) as client,
        ):
            interruptions.interrupt(client)
            return _debug(arguments, client, reporter, source and _Interruptible(source, interruptions), newcomers)
    except (ClientError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            discard_output()
            return BROKEN_PIPE
        reporter.error(_describe(error))
        return INTERNAL_FAILURE
    except (KeyboardInterrupt, SignalError) as error:  # a second one, while the first was being handled
        return 128 + error.number if isinstance(error, SignalError) else INTERRUPTED


def _source(arguments: DebugArguments) -> CommandSource | None:
    if arguments.script is not None:
        return read_script(arguments.script)
    return Terminal() if arguments.interactive else None


def _debug(
    arguments: DebugArguments,
    client: DapClient,
    reporter: Reporter,
    source: CommandSource | None,
    newcomers: Newcomers | None,
) -> int:
    if arguments.peek is not None:
        from dap_dotnet.cli.peek import PeekDriver  # few sessions are one

        return _drive(PeekDriver(client, arguments, reporter, source, arguments.peek), arguments, client, reporter)
    if newcomers is None:
        return _drive(Driver(client, arguments, reporter, source), arguments, client, reporter)
    driver = LeadingDriver(client, arguments, reporter, source, newcomers)
    try:
        return _drive(driver, arguments, client, reporter)
    finally:
        driver.leave_children()


def _drive(driver: Driver, arguments: DebugArguments, client: DapClient, reporter: Reporter) -> int:
    deadline = None
    if arguments.timeout_s is not None:
        deadline = threading.Timer(arguments.timeout_s, client.interrupt, [_DeadlineError()])
        deadline.daemon = True
        deadline.start()
    try:
        return driver.run()
    except _DeadlineError:
        if arguments.on_timeout == "threads":
            driver.report_threads()
        reporter.error(
            ErrorReport("TIMEOUT", f"The time limit of {arguments.timeout_s:g} s is over. {driver.end_early()}")
        )
        return TIMED_OUT
    except KeyboardInterrupt:
        reporter.notice(f"Interrupted. {driver.end_early()}")
        return INTERRUPTED
    except SignalError as error:
        reporter.notice(f"{signal.Signals(error.number).name}. {driver.end_early()}")
        return 128 + error.number
    except BrokenPipeError:
        driver.end_early(silently=True)
        raise
    finally:
        if deadline is not None:
            deadline.cancel()


def _describe(error: Exception) -> ErrorReport:
    if isinstance(error, DapRequestError):
        return ErrorReport(error.code, error.text)
    if isinstance(error, ClientError):
        return ErrorReport("INTERNAL", str(error))
    return ErrorReport("INTERNAL", f"The adapter cannot be started: {error}")
