"""`completions`."""

from __future__ import annotations

from dap_dotnet.errors import NotStoppedError
from dap_dotnet.handlers.variables import context_of
from dap_dotnet.protocol.messages.variables import CompletionItem, CompletionsArguments, CompletionsResponseBody
from dap_dotnet.session.session import Session


def completions(session: Session, arguments: CompletionsArguments) -> CompletionsResponseBody:
    """What may follow in an expression; empty while the program runs."""
    from dap_dotnet.evaluation.completion import complete

    lines = arguments.text.splitlines(keepends=True) or [""]
    number = session.view.line_from_client(arguments.line) if arguments.line is not None else 1
    if not 1 <= number <= len(lines):
        return CompletionsResponseBody(targets=[])
    line = lines[number - 1]
    units = max(session.view.column_from_client(arguments.column) - 1, 0)
    cursor = len(line.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass"))
    before = "".join(lines[: number - 1])
    try:
        session.need_stopped()
        context = context_of(session, arguments.frame_id)
    except NotStoppedError:
        return CompletionsResponseBody(targets=[])
    found = complete(arguments.text, len(before) + cursor, context)
    start = _units(arguments.text[len(before) : found.start]) + 1
    length = _units(arguments.text[found.start : found.start + found.length])
    return CompletionsResponseBody(
        targets=[
            CompletionItem(
                label=item.label,
                type=item.kind,
                sort_text=f"{int(not item.is_accessible)}{item.label}",
                start=session.view.column_to_client(start),
                length=length,
            )
            for item in found.items
        ]
    )


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
