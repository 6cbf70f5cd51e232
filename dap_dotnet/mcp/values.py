"""Values of a stopped program: expressions, and children some levels deep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.debug_session import DebugSession, StopRecord
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import Value
from dap_dotnet.mcp.purity import first_effect, only_reads
from dap_dotnet.mcp.reports import Budget, clip, frame_id, values_within, variables_of
from dap_dotnet.protocol.wire_names import wire_name

MOST_CHILDREN = 100
"""Children of one value that are opened on the way."""


def open_values(session: DebugSession, variables: list[Mapping[str, Any]], depth: int, budget: Budget) -> list[Value]:
    """Values with their children, level by level of one branch after the other, while there is room. Runs nothing."""
    found = values_within(variables, budget)
    if depth > 1:
        for variable, value in zip(variables, found, strict=False):
            # A getter that is opened is run; a group such as "Raw View" is for who asks for it.
            if value.reference is None or budget.is_spent or not variable.get("value"):
                continue
            children = variables_of(session, value.reference, 0, MOST_CHILDREN + 1)
            value.children = open_values(session, children[:MOST_CHILDREN], depth - 1, budget)
            if len(children) > len(value.children):
                value.more = len(children) - len(value.children)
    return found


def evaluate_in(
    session: DebugSession,
    stop: StopRecord,
    at: tuple[int | None, int],
    expression: str,
    *,
    side_effects: bool,
) -> Mapping[str, Any]:
    """The response to `evaluate` in the frame `at`: thread (None: that of the stop), index. Raises `ToolError`."""
    if not side_effects:
        effect = first_effect(expression)
        if effect is not None:
            raise ToolError("SIDE_EFFECTS", f"{clip(expression, 100)} has {effect}, which runs code of the program.")
    arguments = {"expression": expression, wire_name("frame_id"): frame_id(session, stop, *at)}
    if side_effects:
        return session.request("evaluate", {**arguments, "context": "watch"})
    try:
        # A hover may not store and with ,nse not run anything, whatever the syntax looked like.
        quiet = f"{expression},nse"
        return session.request("evaluate", {**arguments, "expression": quiet, "context": "hover"})
    except DapRequestError as error:
        if error.code != "EVAL_FAILED" or not only_reads(expression):
            raise
    # What surely only reads may need a getter to be run, as in the variables view.
    return session.request("evaluate", {**arguments, "context": "watch"})
