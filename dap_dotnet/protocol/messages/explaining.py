"""Why a breakpoint is or is not hit."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.sources import Source


class ExplainBreakpointArguments(WireModel):
    """Of `dap-dotnet/explainBreakpoint`: one of `breakpoint_id`, `source` with `line`, `function` or `field`."""

    breakpoint_id: Annotated[int | None, NEEDED] = None
    source: Annotated[Source | None, NEEDED] = None
    line: Annotated[int | None, NEEDED] = None
    column: Annotated[int | None, NEEDED] = None
    function: Annotated[str | None, NEEDED] = None
    field: Annotated[str | None, NEEDED] = None
    """The name of a field or a `dataId`."""


class ExplainedModule(WireModel):
    """What a breakpoint found in one module. `finding` says it in words."""

    name: str
    path: str | None = None
    has_symbols: bool
    is_optimized: bool
    is_user_code: bool
    document: str | None = None
    """The document of the PDB that matched, or nearly did."""
    finding: str


class ConditionResults(WireModel):
    """What a breakpoint's condition came to since it was set."""

    tested: int
    held: int
    failed: int
    first_failure: str | None = None


class ExplainBreakpointResponseBody(WireModel):
    """Why a breakpoint is or is not hit. `text` is the whole explanation, for people."""

    text: str
    state: Literal["bound", "pending", "unbound", "disabled", "none"]
    """`none`: there is no such breakpoint, and the text says what would become of one."""
    code: str | None = None
    breakpoint_id: int | None = None
    hit_count: int | None = None
    condition: ConditionResults | None = None
    modules: list[ExplainedModule]
    """Those with something to say; `modules_looked_at` counts all."""
    modules_looked_at: int
