"""``peek``: one look at a running process, or many that are merged."""

from __future__ import annotations

import time
from pathlib import Path

from typing_extensions import override

from dap_dotnet.cli.arguments import DebugArguments, PeekOptions
from dap_dotnet.cli.driver import Driver
from dap_dotnet.cli.merged_stacks import MergedStacks
from dap_dotnet.cli.prompt import CommandSource
from dap_dotnet.cli.prompt_commands import END
from dap_dotnet.cli.report import Body, ErrorReport, Reporter
from dap_dotnet.client import DapClient, DapEvent, DapRequestError

_FRAMES = 50
_ALL = 0


class PeekDriver(Driver):
    """Its stops are looks."""

    def __init__(
        self,
        client: DapClient,
        arguments: DebugArguments,
        reporter: Reporter,
        source: CommandSource | None,
        options: PeekOptions,
    ) -> None:
        """As of `Driver`."""
        super().__init__(client, arguments, reporter, source)
        self._options = options
        self._merged = MergedStacks()
        self._next_s = time.monotonic()

    @override
    def handle(self, event: DapEvent) -> int | None:
        """As of `Driver`; that it is a look at which process is said with its pause."""
        return None if event.event == "process" and not self._arguments.json else super().handle(event)

    @override
    def on_stop(self, body: Body) -> str | None:
        """Report a look, and look again where that is wanted."""
        return self._sample() if self._options.looks > 1 else self._look(body)

    def _look(self, body: Body) -> str | None:
        arguments, options = self._arguments, self._options
        threads = self._reader.threads(arguments.stack or _FRAMES, with_locals=arguments.locals)
        self._reporter.threads(threads, self._reader.waiting())
        self._report_async_tasks()
        try:
            if options.heap:
                self._reporter.heap(self._reader.heap_types())
            if options.held_type is not None:
                self._reporter.holders(self._reader.holders(options.held_type))
        except DapRequestError as error:
            self._reporter.error(ErrorReport(error.code, error.text))
        if arguments.expressions or arguments.script is not None or arguments.interactive:
            return super().on_stop(body)
        return END

    def _sample(self) -> str | None:
        self._merged.add(self._reader.threads(_ALL))
        if self._merged.looks < self._options.looks:
            self._next_s = max(self._next_s + self._options.every_s, time.monotonic())
            time.sleep(self._next_s - time.monotonic() if self._next_s > time.monotonic() else 0)
            try:
                self._client.request("restart")
            except DapRequestError as error:  # it has ended meanwhile
                self._reporter.error(ErrorReport(error.code, error.text))
            else:
                return None
        self._report_merged()
        return END

    def _report_merged(self) -> None:
        options = self._options
        self._reporter.merged_stacks(self._merged.as_body(), self._merged.tree())
        if options.speedscope is not None:
            text = self._merged.speedscope(f"process {self._arguments.process_id}")
            self._write(options.speedscope, text)
        if options.folded is not None:
            self._write(options.folded, "".join(f"{line}\n" for line in self._merged.folded()))

    def _write(self, path: str, text: str) -> None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            self._reporter.error(ErrorReport("CANNOT_WRITE", f"{path} cannot be written: {error.strerror}."))
