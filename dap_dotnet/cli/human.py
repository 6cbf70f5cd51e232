"""Reports for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, TextIO

from typing_extensions import override

from dap_dotnet.cli.report import (
    Body,
    BreakpointReport,
    ErrorReport,
    EvaluationReport,
    FrameReport,
    Reporter,
    StopReport,
    ThreadReport,
)
from dap_dotnet.cli.style import Style
from dap_dotnet.protocol.wire_names import member
from dap_dotnet.source_lines import read_source_lines

_LONGEST_VALUE = 500


class HumanReporter(Reporter):
    """Writes the debugger's lines and the program's output to `out`, the program's error output to `errors`."""

    def __init__(self, out: TextIO, errors: TextIO, *, show_stack: bool) -> None:
        self._out = out
        self._errors = errors
        self._style = Style(out)
        self._show_stack = show_stack
        self._at_line_start = True
        self._breakpoints: dict[int, str] = {}
        """What was last said of each breakpoint."""
        self._places: dict[int, str] = {}
        """The place of each breakpoint that is not on a line, as it was asked for."""
        self._filters: dict[int, str] = {}
        """The exceptions of each breakpoint that stops at such, as they were asked for."""

    @override
    def for_child(self, name: str, process_id: int) -> Reporter:
        return _ChildReporter(self, f"{name} {process_id}")

    @override
    def event(self, name: str, body: Body) -> None:
        # Modules and threads are left out.
        if name == "output":
            self._output(body)
        elif name == "breakpoint":
            self._breakpoint(body.get("breakpoint") or {}, str(body.get("reason")))
        elif name == "process":
            how = "attached to" if member(body, "start_method") == "attach" else "started"
            process_id = member(body, "system_process_id")
            self._line(self._style.paint(f"{how} {body.get('name')} (process {process_id})", "dim"))
        elif name == "exited":
            code = int(member(body, "exit_code") or 0)
            self._line(self._style.paint(f"the program ended with exit code {code}", "green" if code == 0 else "red"))

    @override
    def stopped(self, stop: StopReport) -> None:
        style = self._style
        top = stop.frames[stop.focus] if stop.frames else None
        self._line(
            style.paint(f"{style.mark('■')} {_reason(stop)}", "bold", "yellow")
            + (f" in {style.paint(top.function, 'bold')}" if top else "")
            + style.paint(f", thread {stop.thread_id} ({stop.thread_name})", "dim")
        )
        text = stop.body.get("text")
        if text:
            self._line(f"  {style.paint(str(text), 'red')}")
        if stop.focus:
            self._line(f"  thrown in {stop.frames[0].function}")
        if top is not None and top.file is not None:
            self._line(f"  {style.paint(_place(top), 'cyan')}")
            self._source(top)
        if self._show_stack:
            self._line(style.paint("  call stack", "bold"))
            self.stack(stop.frames, -1)
        if stop.locals is not None:
            self._line(style.paint("  locals", "bold") + ("" if stop.locals else " none"))
            self.locals(stop.locals)
        if stop.evaluations:
            self._line(style.paint("  evaluated", "bold"))
            for evaluation in stop.evaluations:
                self.evaluation(evaluation)

    @override
    def stack(self, frames: Sequence[FrameReport], selected: int, *, first: int = 0) -> None:
        for number, frame in enumerate(frames, first):
            place = self._style.paint(f"  {_place(frame)}", "cyan") if frame.file else ""
            mark = self._style.mark("→") if number == selected else ""
            self._line(f"{mark:>3} #{number} {frame.function}{place}")
        if first == selected and frames:
            self._source(frames[0])

    @override
    def evaluation(self, evaluation: EvaluationReport) -> None:
        if isinstance(evaluation.value, ErrorReport):
            self._line(f"    {evaluation.expression}: {self._style.paint(evaluation.value.message, 'red')}")
        elif evaluation.expression.lstrip().startswith("."):  # a command, whose answer is a text, not a value
            self._line(f"    {evaluation.expression}")
            for line in str(evaluation.value.get("result")).splitlines():
                self._line(f"      {line}")
        else:
            value = evaluation.value
            self._value(evaluation.expression, str(value.get("result")), value.get("type"))

    @override
    def locals(self, variables: Sequence[Body]) -> None:
        for variable in variables:
            self._value(str(variable.get("name")), str(variable.get("value")), variable.get("type"))

    @override
    def breakpoints(self, when: Literal["set", "end", "now"], listed: Sequence[BreakpointReport]) -> None:
        title = "breakpoints at the end" if when == "end" else "breakpoints"
        self._line(self._style.paint(title, "bold") + ("" if listed else ": none"))
        width = max((len(_number(report)) for report in listed), default=0)
        for report in listed:
            for line in _listed(report, self._style, width):
                self._line(line)

    @override
    def explanation(self, breakpoint_id: int, explained: Body | ErrorReport) -> None:
        text = explained.message if isinstance(explained, ErrorReport) else str(explained.get("text"))
        self._line(self._style.paint(f"breakpoint {breakpoint_id} explained", "bold"))
        for line in text.splitlines():
            self._line(f"  {line}")

    @override
    def explained_step(self, explained: Body) -> None:
        for line in str(explained.get("text")).splitlines():
            self._line(line)

    @override
    def threads(self, threads: Sequence[ThreadReport], waiting: Body) -> None:
        for thread in threads:
            self._line(self._style.paint(f"thread {thread.id} {thread.name}", "bold"))
            for number, frame in enumerate(thread.frames):
                place = self._style.paint(f"  {_place(frame)}", "cyan") if frame.file else ""
                self._line(f"  {frame.function}{place}")
                self.locals(thread.locals.get(number) or ())
        for line in str(waiting.get("text") or "").splitlines():
            self._line(self._style.paint(line, "bold"))

    @override
    def async_tasks(self, found: Body) -> None:
        for line in str(found.get("text") or "").splitlines():
            self._line(f"  {line}")

    @override
    def heap(self, found: Body) -> None:
        objects, size = member(found, "total_objects"), member(found, "total_bytes")
        self._line(self._style.paint(f"heap: {objects:,} objects, {size:,} bytes", "bold"))
        for one in found.get("types") or ():
            self._line(f"{one['count']:>12,} {one['bytes']:>15,}  {one['name']}")

    @override
    def holders(self, found: Body) -> None:
        for line in str(found.get("text") or "").splitlines():
            self._line(line)

    @override
    def merged_stacks(self, merged: Body, tree: Iterable[tuple[int, int, str]]) -> None:
        self._line(self._style.paint(f"{merged['looks']} looks", "bold"))
        for depth, count, text in tree:
            self._line(f"{count:>6}  {'  ' * depth}{text}")

    @override
    def error(self, error: ErrorReport) -> None:
        self._out.flush()
        self._errors.write(f"{Style(self._errors).paint('error:', 'bold', 'red')} {error.message}\n")
        self._errors.flush()

    @override
    def notice(self, text: str) -> None:
        self._line(self._style.paint(text, "dim"))

    def _output(self, body: Body) -> None:
        text, category = str(body.get("output") or ""), body.get("category") or "console"
        if category == "telemetry":
            return
        if category == "stderr":
            self._out.flush()
            self._errors.write(text)
            self._errors.flush()
        elif category == "stdout":
            self._out.write(text)
            self._out.flush()
            self._at_line_start = text.endswith("\n") if text else self._at_line_start
        else:
            for line in text.splitlines():
                self._line(self._style.paint(line, *(["bold"] if category == "important" else ["dim"])))

    def _breakpoint(self, breakpoint_: Body, reason: str) -> None:
        number, style = breakpoint_.get("id"), self._style
        if breakpoint_.get("exception") and isinstance(number, int):
            self._filters[number] = str(breakpoint_["exception"])
        message = f": {breakpoint_['message']}" if breakpoint_.get("message") else ""
        exceptions = self._filters.get(number or 0) or breakpoint_.get("exception")
        if exceptions is not None:
            self._say_once(number, self._exception_filter(str(exceptions), breakpoint_, reason) + message)
            return
        name = "breakpoint" if number is None else f"breakpoint {number}"
        place = self._breakpoint_place(breakpoint_)
        if reason == "removed":
            said = f"{style.mark('○')} {name} removed"
        elif breakpoint_.get("verified"):
            said = style.paint(f"{style.mark('●')} {name} bound", "green") + f" at {place}{message}"
        elif breakpoint_.get("reason") == "pending":  # the reason is reported at the end, if it stays so
            said = style.paint(f"{style.mark('○')} {name} pending", "dim") + f" at {place}"
        else:
            said = style.paint(f"{style.mark('○')} {name} not bound", "yellow") + f" at {place}{message}"
        self._say_once(number, said)

    def _exception_filter(self, asked: str, breakpoint_: Body, reason: str) -> str:
        """Where exceptions stop: the client gives these breakpoints a number, but nobody types it."""
        style = self._style
        if reason == "removed":
            return f"{style.mark('○')} exceptions {asked} removed"
        if breakpoint_.get("verified"):
            return style.paint(f"{style.mark('●')} stops at exceptions", "green") + f": {asked}"
        return style.paint(f"{style.mark('○')} does not stop at exceptions", "yellow") + f" {asked}"

    def _say_once(self, number: object, said: str) -> None:
        """Say what is new of a breakpoint; a number of None has nothing said before."""
        if isinstance(number, int):
            if self._breakpoints.get(number) == said:
                return
            self._breakpoints[number] = said
        self._line(said)

    def _breakpoint_place(self, breakpoint_: Body) -> str:
        """Where a breakpoint is, with the name that was asked for, which events do not repeat."""
        number = int(breakpoint_.get("id") or 0)
        asked = breakpoint_.get("function") or breakpoint_.get("field")
        if not number:
            return str(asked)
        if asked is not None:
            self._places[number] = str(asked)
        path = (breakpoint_.get("source") or {}).get("path")
        place = f"{path}:{breakpoint_.get('line')}" if path else ""
        if place and breakpoint_.get("column"):
            place += f":{breakpoint_['column']}"
        name = self._places.get(number)
        if name is None:
            return place
        return f"{name} ({place})" if place else name

    def _value(self, name: str, value: str, kind: object) -> None:
        shown = value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "..."
        self._line(f"    {name} = {shown}" + (self._style.paint(f"  ({kind})", "dim") if kind else ""))

    def _source(self, frame: FrameReport) -> None:
        """The source line, with the statement's part of it marked."""
        text = _source_line(frame.file or "", frame.line)
        if text is None:
            return
        code = text.replace("\t", " ")
        margin = f"  {frame.line:>5} {self._style.mark('│')} "
        self._line(f"{margin}{code}")
        end = frame.end_column if frame.end_line == frame.line and frame.end_column else len(code) + 1
        length = max(1, min(end, len(code) + 1) - frame.column)
        if frame.column >= 1:
            mark = self._style.paint(self._style.mark("‾") * length, "yellow")
            self._line(" " * (len(margin) + frame.column - 1) + mark)

    def _line(self, text: str) -> None:
        if not self._at_line_start:  # the program's last line has not ended
            self._out.write("\n")
            self._at_line_start = True
        self._out.write(text + "\n")
        self._out.flush()


class _ChildReporter(HumanReporter):
    """Writes each line behind the name of a process that the program has started."""

    def __init__(self, parent: HumanReporter, name: str) -> None:
        super().__init__(parent._out, parent._errors, show_stack=parent._show_stack)
        self._parent = parent
        self._name = name

    @override
    def event(self, name: str, body: Body) -> None:
        is_unbound = name == "breakpoint" and not (body.get("breakpoint") or {}).get("verified")
        if name == "process":
            self._line(self._style.paint("started", "dim"))
        elif not is_unbound or body.get("reason") != "new":  # what was asked for is known
            super().event(name, body)

    @override
    def error(self, error: ErrorReport) -> None:
        super().error(ErrorReport(error.code, f"{self._name}: {error.message}"))

    @override
    def _line(self, text: str) -> None:
        self._parent._line(f"{self._style.paint(f'[{self._name}]', 'blue')} {text}")


def _listed(report: BreakpointReport, style: Style, width: int) -> list[str]:
    """The lines for one breakpoint of a list."""
    body = report.body
    state = str(body.get("state"))
    mark = style.mark("●" if state == "bound" else "○")
    head = f"  {mark} {_number(report):>{width}}  {state:<8}  {_asked_place(body)}"
    if member(body, "hit_count") is not None:
        head += style.paint(f"  hits {member(body, 'hit_count')}", "dim")
    lines = [style.paint(head, "green") if state == "bound" else head]
    settings = {"condition": "when", "hit_condition": "hits", "log_message": "log"}
    details = [f"{name} {member(body, key)}" for key, name in settings.items() if member(body, key)]
    if body.get("after"):
        details.append(f"after {body['after']}" + ("" if member(body, "is_armed") else ", which it waits for"))
    if body.get("temporary"):
        details.append("temporary")
    indent = " " * (width + 6)
    lines += [indent + style.paint(text, "dim") for text in details]
    for location in body.get("locations") or ():
        span = f" {location.get('line')}:{location.get('column')}" if location.get("line") else ""
        token, il_offset = member(location, "method_token"), member(location, "il_offset")
        place = f"{location.get('module')} {token} IL {il_offset}{span}"
        lines.append(indent + style.paint(f"in {place}", "dim"))
    if body.get("message"):
        code = f" ({body['code']})" if body.get("code") else ""
        lines.append(indent + style.paint(f"{body['message']}{code}", "yellow"))
    return lines


def _number(report: BreakpointReport) -> str:
    """What a user calls a breakpoint by; nothing for exceptions."""
    return "" if report.body.get("filters") is not None else str(report.id)


def _asked_place(body: Body) -> str:
    """The place that was asked for."""
    if body.get("function"):
        return str(body["function"])
    if body.get("field"):
        return f"field {body['field']}"
    if body.get("filters") is not None:
        return "exceptions " + ", ".join(body["filters"])
    path = str((body.get("source") or {}).get("path"))
    return f"{path}:{body.get('line')}" + (f":{body['column']}" if body.get("column") else "")


def _reason(stop: StopReport) -> str:
    identifiers = [str(number) for number in member(stop.body, "hit_breakpoint_ids") or ()]
    if identifiers:
        plural = "s" if len(identifiers) > 1 else ""
        hits = f", hit {stop.hit_count}" if stop.hit_count else ""
        return f"stopped at breakpoint{plural} {', '.join(identifiers)}{hits}"
    names = {"step": "stopped after a step", "entry": "stopped at entry", "pause": "paused"}
    description = stop.body.get("description")
    return names.get(str(stop.body.get("reason")), f"stopped: {description or stop.body.get('reason')}")


def _place(frame: FrameReport) -> str:
    path = frame.file or ""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    shorter = path if relative.startswith("..") else relative
    return f"{shorter}:{frame.line}" + (f":{frame.column}" if frame.column else "")


_lines = lru_cache(maxsize=8)(read_source_lines)


def _source_line(path: str, line: int) -> str | None:
    lines = _lines(path)
    return lines[line - 1].rstrip() if 1 <= line <= len(lines) else None
