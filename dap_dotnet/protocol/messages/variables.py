"""Variables and expressions."""

from typing import Annotated, Literal

from dap_dotnet.protocol.bulk import BulkModel
from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.sources import Source


class ValueFormat(WireModel):
    """How values are written."""

    hex: bool | None = None


class VariablePresentationHint(BulkModel, kw_only=True):
    """What the client may show next to a variable."""

    kind: str | None = None
    attributes: list[str] | None = None
    visibility: str | None = None
    lazy: bool | None = None


class VariablesArguments(WireModel):
    """The children of a reference; `filter` picks named or indexed ones, `start` and `count` a page of them."""

    variables_reference: int
    filter: Literal["indexed", "named"] | None = None
    start: Annotated[int | None, NEEDED] = None
    count: int | None = None
    """None or 0: all."""
    format: ValueFormat | None = None


class Variable(BulkModel, kw_only=True):
    """A variable. `variables_reference` is 0 when it has no children."""

    name: str
    value: str
    type: str | None = None
    presentation_hint: VariablePresentationHint | None = None
    evaluate_name: str | None = None
    variables_reference: int
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None
    declaration_location_reference: int | None = None
    value_location_reference: int | None = None


class LocationsArguments(WireModel):
    """A location reference of a variable, of the present stop."""

    location_reference: int


class LocationsResponseBody(WireModel):
    """A place in a source file, in the client's base."""

    source: Source
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class VariablesResponseBody(BulkModel, kw_only=True):
    """A page of variables."""

    variables: list[Variable]


class EvaluateArguments(WireModel):
    """An expression, in the scope of a frame. Line and column are in the client's base."""

    expression: str
    frame_id: Annotated[int | None, NEEDED] = None
    line: int | None = None
    column: int | None = None
    source: Source | None = None
    context: str | None = None
    """``watch``, ``repl``, ``hover``, ``clipboard``, ``variables`` or the client's own."""
    format: ValueFormat | None = None


class EvaluateResponseBody(BulkModel, kw_only=True):
    """The value of an expression."""

    result: str
    type: str | None = None
    presentation_hint: VariablePresentationHint | None = None
    variables_reference: int
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None
    value_location_reference: int | None = None


class SetVariableArguments(WireModel):
    """A new value, as an expression, for the child `name` of a reference."""

    variables_reference: int
    name: str
    value: str
    format: ValueFormat | None = None


class SetVariableResponseBody(WireModel):
    """The variable's new value."""

    value: str
    type: str | None = None
    variables_reference: int | None = None
    named_variables: int | None = None
    indexed_variables: int | None = None


class SetExpressionArguments(WireModel):
    """A new value, as an expression, for what another expression stands for."""

    expression: str
    value: str
    frame_id: Annotated[int | None, NEEDED] = None
    format: ValueFormat | None = None


class SetExpressionResponseBody(SetVariableResponseBody):
    """The new value."""


class CompletionsArguments(WireModel):
    """What is typed, and where the cursor is in it. Line and column are in the client's base."""

    frame_id: Annotated[int | None, NEEDED] = None
    text: str
    column: int
    line: Annotated[int | None, NEEDED] = None


class CompletionItem(WireModel):
    """A text that may replace `length` UTF-16 units from `start`, which is in the client's base."""

    label: str
    sort_text: str | None = None
    type: str | None = None
    start: int | None = None
    length: int | None = None


class CompletionsResponseBody(WireModel):
    """What may follow."""

    targets: list[CompletionItem]
