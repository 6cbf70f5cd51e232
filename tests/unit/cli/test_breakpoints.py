"""How the breakpoints of the command line become requests."""

from __future__ import annotations

from typing import Any, cast

from dap_dotnet.cli.breakpoint_arguments import (
    BreakpointArgument,
    ExceptionArgument,
    FieldArgument,
    FunctionArgument,
    LineArgument,
)
from dap_dotnet.cli.breakpoints import BreakpointSet
from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.initialize import Capabilities, ExceptionBreakpointsFilter


class FakeClient:
    """An adapter's registry: ids in the order of arrival, kept by breakpoints that stay."""

    capabilities: Capabilities | None = None

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.ids: dict[tuple[str | None, Any], int] = {}
        self.there: dict[str | None, list[int]] = {}
        self.knows_lists = True

    def request(self, command: str, sent: dict[str, Any] | WireModel) -> dict[str, Any]:
        arguments = sent.to_wire() if isinstance(sent, WireModel) else sent
        self.requests.append((command, arguments))
        if command == "dap-dotnet/breakpoints":
            if not self.knows_lists:
                variables = {"code": "UNKNOWN_REQUEST"}
                raise DapRequestError(command, {"body": {"error": {"format": "no", "variables": variables}}})
            wanted = arguments.get("breakpointIds")
            there = sorted(number for numbers in self.there.values() for number in numbers)
            found = [number for number in there if wanted is None or number in wanted]
            return {"breakpoints": [{"id": number, "state": "bound", "hitCount": number * 10} for number in found]}
        if command == "dap-dotnet/explainBreakpoint":
            return {"text": f"why {arguments['breakpointId']}"}
        if command == "setExceptionBreakpoints":
            wrong = [option.get("condition") == "1x" for option in arguments.get("filterOptions", ())]
            answers = [{"verified": False, "reason": "failed"} if bad else {"id": 99} for bad in wrong]
            return {"breakpoints": [{"id": 98} for _ in arguments.get("filters", ())] + answers}
        group = arguments["source"]["path"] if "source" in arguments else None
        if command == "setDataBreakpoints":
            group = "the fields"
        keys = [
            (group, entry.get("line") or entry.get("name") or entry.get("dataId")) for entry in arguments["breakpoints"]
        ]
        self.there[group] = [self.ids.setdefault(key, len(self.ids) + 1) for key in keys]
        return {"breakpoints": [{"id": number, "verified": True} for number in self.there[group]]}

    def sent(self, command: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.requests if name == command]


def line(path: str, number: int, **more: Any) -> BreakpointArgument:
    return BreakpointArgument(LineArgument(path, number, None), **more)


def make(*arguments: BreakpointArgument, **options: Any) -> tuple[FakeClient, BreakpointSet]:
    client = FakeClient()
    return client, BreakpointSet(cast(DapClient, client), arguments, options.get("exceptions"))


def test_ids_are_the_numbers_of_the_command_line_whatever_the_files():
    function = BreakpointArgument(FunctionArgument("F"))
    _, breakpoints = make(line("a", 1), line("b", 1), line("a", 2), function, line("b", 2))
    assert [answer["id"] for answer in breakpoints.set_all()] == [1, 2, 3, 4, 5]


def test_breakpoints_of_one_file_are_one_request():
    client, breakpoints = make(*(line("a", number) for number in range(1, 500)))
    breakpoints.set_all()
    assert len(client.sent("setBreakpoints")) == 1


def test_options_are_sent_as_the_protocol_has_them():
    settings = {"when": "i == 1", "hits": "% 2", "log": "{i}"}
    client, breakpoints = make(line("a", 1, **settings), BreakpointArgument(FunctionArgument("F"), **settings))
    breakpoints.set_all()
    wire = {"condition": "i == 1", "hitCondition": "% 2", "logMessage": "{i}"}
    assert client.sent("setBreakpoints") == [{"source": {"path": "a"}, "breakpoints": [{"line": 1, **wire}]}]
    assert client.sent("setFunctionBreakpoints") == [{"breakpoints": [{"name": "F", **wire}]}]


def test_trigger_is_named_by_its_id_once_that_is_known():
    client, breakpoints = make(line("a", 1), line("a", 2, after=1), line("b", 7, after=2))
    breakpoints.set_all()
    _, second = client.sent("setBreakpoints")[:2]
    assert second["breakpoints"] == [{"line": 1}, {"line": 2, "mode": "after:1"}]
    assert client.sent("setBreakpoints")[-1]["breakpoints"] == [{"line": 7, "mode": "after:2"}]


def test_exceptions_replace_the_default_filters_and_a_wrong_type_has_a_code():
    wanted = (ExceptionArgument("all", "A, B"), ExceptionArgument("unhandled", None), ExceptionArgument("all", "1x"))
    client, breakpoints = make(exceptions=wanted)
    answers = breakpoints.set_all()
    options = [{"filterId": "all", "condition": "A, B"}, {"filterId": "unhandled"}]
    assert client.sent("setExceptionBreakpoints")[0]["filterOptions"][:2] == options
    assert [answer["exception"] for answer in answers] == ["all:A, B", "unhandled", "all:1x"]
    assert [answer.get("code") for answer in answers] == [None, None, "INVALID_CONDITION"]


def test_exceptions_that_save_dumps_leave_the_default_filters():
    client, breakpoints = make(exceptions=(ExceptionArgument("dump", "A"),))
    offered = [
        ExceptionBreakpointsFilter(filter="all", label="All"),
        ExceptionBreakpointsFilter(filter="unhandled", label="Unhandled", default=True),
    ]
    client.capabilities = Capabilities(exception_breakpoint_filters=offered)
    (answer,) = breakpoints.set_all()
    (sent,) = client.sent("setExceptionBreakpoints")
    assert sent["filters"] == ["unhandled"]
    assert sent["filterOptions"] == [{"filterId": "dump", "condition": "A"}]
    assert answer["exception"] == "dump:A"


def test_temporary_breakpoint_goes_after_its_stop_and_stays_in_the_list():
    client, breakpoints = make(line("a", 1), line("a", 2, is_temporary=True))
    breakpoints.set_all()
    assert breakpoints.remove_temporary([1]) == []
    assert breakpoints.remove_temporary([1, 2]) == [2]
    assert client.sent("setBreakpoints")[-1]["breakpoints"] == [{"line": 1}]
    assert breakpoints.remove_temporary([2]) == []
    assert [(report.id, report.body["state"], report.body["hitCount"]) for report in breakpoints.listed()] == [
        (1, "bound", 10),
        (2, "removed", 20),
    ]


def test_all_are_removed_and_remembered():
    client, breakpoints = make(line("a", 1), line("b", 1), BreakpointArgument(FunctionArgument("F")))
    breakpoints.set_all()
    breakpoints.remove_all()
    assert not any(client.there.values())
    assert [report.body["state"] for report in breakpoints.listed()] == ["removed"] * 3


def test_adapter_without_lists_has_an_empty_one():
    client, breakpoints = make(line("a", 1, is_temporary=True))
    client.knows_lists = False
    breakpoints.set_all()
    assert breakpoints.listed() == []
    assert breakpoints.remove_temporary([1]) == [1]


def test_explanations_are_of_the_breakpoints_that_are_there():
    _, breakpoints = make(line("a", 1), line("a", 2, is_temporary=True))
    breakpoints.set_all()
    breakpoints.remove_temporary([2])
    assert breakpoints.explain() == [(1, {"text": "why 1"})]


def test_fields_are_one_request_of_their_own_with_all_options():
    settings = {"when": "i == 1", "hits": "% 2", "log": "{i}", "after": 1}
    client, breakpoints = make(
        line("a", 1),
        BreakpointArgument(FieldArgument("Cart.total"), **settings),
        BreakpointArgument(FieldArgument("Cart.count")),
        BreakpointArgument(FunctionArgument("F")),
    )
    answers = breakpoints.set_all()
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4]
    assert [answer.get("field") for answer in answers] == [None, "Cart.total", "Cart.count", None]
    assert client.sent("setDataBreakpoints") == [
        {
            "breakpoints": [
                {
                    "dataId": "Cart.total",
                    "accessType": "write",
                    "condition": "i == 1",
                    "hitCondition": "% 2",
                    "logMessage": "{i}",
                    "mode": "after:1",
                },
                {"dataId": "Cart.count", "accessType": "write"},
            ]
        }
    ]


def test_temporary_field_is_removed_without_the_others():
    client, breakpoints = make(
        BreakpointArgument(FieldArgument("A.b"), is_temporary=True), BreakpointArgument(FieldArgument("A.c"))
    )
    breakpoints.set_all()
    assert breakpoints.remove_temporary([1]) == [1]
    last = client.sent("setDataBreakpoints")[-1]["breakpoints"]
    assert [entry["dataId"] for entry in last] == ["A.c"]
