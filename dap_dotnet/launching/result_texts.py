"""Results of tests for people, in the shape of `dotnet test`."""

from __future__ import annotations

import os

from dap_dotnet.protocol.messages.tests import TestResultBody, TestRunBody

_WORDS = {"passed": "Passed", "failed": "Failed", "skipped": "Skipped", "none": "Not run"}


def result_text(result: TestResultBody) -> str:
    """What is written of a test that did not pass; empty for one that did."""
    if result.outcome == "passed":
        return ""
    lines = [f"  {_WORDS[result.outcome]} {result.display_name} [{_time(result.duration_ms)}]"]
    if result.message:
        title = ["  Error Message:"] if result.outcome == "failed" else []
        lines += [*title, _indented(result.message)]
    if result.stack_trace:
        lines += ["  Stack Trace:", result.stack_trace.rstrip()]
    if result.output and result.outcome == "failed":
        lines += ["  Standard Output Messages:", _indented(result.output)]
    return "\n".join(lines) + "\n"


def run_text(run: TestRunBody, assembly: str) -> str:
    """The line that ends a run."""
    total = run.passed + run.failed + run.skipped
    if not total and run.error is None:
        return f"No test of {os.path.basename(assembly)} matches the filter, or it has none.\n"
    word = "Failed!" if run.failed or run.error else "Passed!"
    counts = f"Failed: {run.failed:5}, Passed: {run.passed:5}, Skipped: {run.skipped:5}, Total: {total:5}"
    text = f"{word}  - {counts}, Duration: {_time(run.duration_ms)} - {os.path.basename(assembly)}\n"
    return f"{run.error}\n{text}" if run.error else text


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.rstrip().splitlines())


def _time(milliseconds: float) -> str:
    if milliseconds < 1:
        return "< 1 ms"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
