"""Where something is in the source, as the bodies of DAP messages say it."""

from __future__ import annotations

from typing import TypedDict

from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.symbols.spans import Span


class SpanBody(TypedDict, total=False):
    """The members of a body that say where in the source something is, in the client's conventions."""

    line: int
    column: int
    end_line: int
    end_column: int


NO_PLACE: SpanBody = {"line": 0, "column": 0}
"""What the protocol has for no source."""


def span_body(span: Span | None, view: ClientView) -> SpanBody:
    """A span's members; none where there is no span."""
    if span is None:
        return {}
    return {
        "line": view.line_to_client(span.line),
        "column": view.column_to_client(span.column),
        "end_line": view.line_to_client(span.end_line),
        "end_column": view.column_to_client(span.end_column),
    }


def span_body_or_zero(span: Span | None, view: ClientView) -> SpanBody:
    """As `span_body`; line and column are 0, which the protocol has for no source, where there is no span."""
    return span_body(span, view) or NO_PLACE
