"""The program as a whole: modules, types, members, sources, input and output, timeline."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.member_search import FoundMember, Kind, MemberFilter, Visibility, find_members
from dap_dotnet.mcp.metadata_search import FoundType, find_types
from dap_dotnet.mcp.models import RunAnswer, SourceLine
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import Budget, clip, frame_id, frames_of, run_answer, source_lines
from dap_dotnet.mcp.stale_sources import stale_note
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, FrameArguments, MaxChars, SessionArguments, WaitSeconds
from dap_dotnet.protocol.wire_names import member, wire_name

_COUNT = Field(default=50, ge=1, le=1000, description="How many are shown.", examples=[50])
_START = Field(default=0, ge=0, description="The first that is shown.", examples=[50])


class ModulesArguments(SessionArguments):
    """Of `modules_get`."""

    pattern: str = Field(default="*", description="Names of modules; * and ? stand for any text.", examples=["Shop*"])
    framework: bool = Field(default=False, description="List modules without symbols too.", examples=[True])
    start: int = _START
    count: int = _COUNT
    max_chars: MaxChars = MAX_CHARS


class TypesArguments(SessionArguments):
    """Of `types_find`."""

    pattern: str = Field(description="Full or simple names of types; * and ? stand for any text.", examples=["*Order*"])
    module: str = Field(
        default="*", description="Only in modules of that name; * and ? stand for any text.", examples=["Shop*"]
    )
    framework: bool = Field(default=False, description="Search modules without symbols too.", examples=[True])
    start: int = _START
    count: int = _COUNT
    max_chars: MaxChars = MAX_CHARS


class MembersArguments(SessionArguments):
    """Of `members_get`."""

    type: str = Field(description="The full name of a type; simple when only one has it.", examples=["Shop.Cart"])
    pattern: str = Field(default="*", description="Names of members; * and ? stand for any text.", examples=["Add*"])
    kinds: list[Kind] | None = Field(default=None, description="Only these kinds.", examples=[["property", "method"]])
    visibility: list[Visibility] | None = Field(default=None, description="Only these.", examples=[["public"]])
    inherited: bool = Field(
        default=False,
        description="Members of the base types too, but for their constructors; what is overridden comes twice.",
        examples=[True],
    )
    start: int = _START
    count: int = _COUNT
    max_chars: MaxChars = MAX_CHARS


class SourceArguments(FrameArguments):
    """Of `source_get`: a file, or the source of a frame."""

    file: str | None = Field(
        default=None, description="The source file; None: that of the frame.", examples=["/src/Shop/Cart.cs"]
    )
    line: int | None = Field(
        default=None, ge=1, description="The line in the middle; None: the frame's.", examples=[27]
    )
    around: int = Field(default=10, ge=0, le=500, description="Lines before and after it.", examples=[10])
    max_chars: MaxChars = MAX_CHARS


class OutputArguments(SessionArguments):
    """Of `output_read`."""

    cursor: int = Field(default=0, ge=0, description="Where to begin: 0, or `cursor` of the last answer.", examples=[0])
    max_chars: MaxChars = MAX_CHARS
    category: Literal["stdout", "stderr"] | None = Field(
        default=None, description="Only one of the two.", examples=["stderr"]
    )


class InputArguments(SessionArguments):
    """Of `input_write`."""

    text: str = Field(
        default="", description="What the program reads, as it is: end a line with \\n.", examples=["42\n"]
    )
    end: bool = Field(default=False, description="There is no more: the input ends after the text.", examples=[True])
    wait_s: WaitSeconds = 1.0


class TimelineArguments(SessionArguments):
    """Of `timeline_get`."""

    cursor: int = Field(default=0, ge=0, description="The number of the last entry that is known.", examples=[0])
    count: int = Field(default=100, ge=1, le=2000, description="How many entries.", examples=[100])
    max_chars: MaxChars = MAX_CHARS
    kinds: list[Literal["stop", "exception", "log", "output", "important", "breakpoint", "end"]] | None = Field(
        default=None, description="Only these kinds.", examples=[["stop", "log"]]
    )


class LoadedModule(Part):
    """A module."""

    name: str
    path: str | None = None
    version: str | None = None
    is_user_code: bool | None = None
    is_optimized: bool | None = None
    symbols: str | None = None


class ModulesAnswer(Answer):
    """Modules, in load order."""

    modules: list[LoadedModule]
    total: int

    def to_text(self) -> str:
        """A line for each."""
        lines = [
            f"{one.name} {one.version or ''}: {one.symbols or ''}" + (", optimised" if one.is_optimized else "")
            for one in self.modules
        ]
        return self.joined(lines) or "No module has such a name."


class TypesAnswer(Answer):
    """Types."""

    types: list[FoundType]
    total: int

    def to_text(self) -> str:
        """A line for each."""
        lines = [one.to_text() for one in self.types] or ["No type has such a name."]
        return self.joined(lines)


class MembersAnswer(Answer):
    """Members of a type."""

    type: str
    module: str
    members: list[FoundMember]
    total: int
    missing_base: str | None = Field(
        default=None, description="The base type that no loaded module has: its members, and those above, are missing."
    )

    def to_text(self) -> str:
        """A line for each."""
        lines = [f"{self.type} [{self.module}]", *(f"  {one.to_text()}" for one in self.members)]
        if self.missing_base is not None:
            lines.append(f"No loaded module has its base {self.missing_base}: what is inherited from there is missing.")
        return self.joined(lines)


class SourceAnswer(Answer):
    """Lines of a file. `columns` of a line are where breakpoints can stand."""

    file: str
    note: str | None = Field(default=None, description="What is wrong with it: it may not be what was built.")
    lines: list[SourceLine]

    def to_text(self) -> str:
        """The lines, with a dot where a breakpoint can stand."""
        texts = [
            f"{'>' if line.is_current else ' '}{'.' if line.columns else ' '}{line.line:5} {line.text}"
            for line in self.lines
        ]
        return self.joined([self.file, *([self.note] if self.note else []), *texts])


class OutputAnswer(Answer):
    """What the program wrote. Read on with `cursor`."""

    text: str
    cursor: int
    lost: int = Field(description="Characters before that, which are no longer kept.")
    is_end: bool = Field(description="Whether that was all so far.")

    def to_text(self) -> str:
        """The text."""
        more = "" if self.is_end else f"\n(more: ask with cursor {self.cursor})"
        return (self.text or "(nothing)") + more


class TimelineEntry(Part):
    """Something that happened."""

    number: int
    time: str
    kind: str
    text: str


class TimelineAnswer(Answer):
    """What happened, in order."""

    entries: list[TimelineEntry]
    cursor: int

    def to_text(self) -> str:
        """A line for each."""
        lines = [f"{one.number} {one.time} {one.kind}: {one.text}" for one in self.entries] or ["Nothing new."]
        return self.joined(lines)


@tool(read_only=True)
def modules_get(call: Call, arguments: ModulesArguments) -> ModulesAnswer:
    """List the loaded modules: version, symbols, optimised or not, your code or not."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    import fnmatch

    every = session.request("modules", {}).get("modules") or ()
    matching = [module for module in every if fnmatch.fnmatchcase(str(module.get("name")), arguments.pattern)]
    named = arguments.framework or arguments.pattern != "*"
    found = [module for module in matching if named or member(module, "is_user_code")]
    modules = [
        LoadedModule(
            name=str(module.get("name")),
            path=module.get("path"),
            version=module.get("version"),
            is_user_code=member(module, "is_user_code"),
            is_optimized=member(module, "is_optimized"),
            symbols=clip(str(member(module, "symbol_status") or ""), 200),
        )
        for module in found[arguments.start : arguments.start + arguments.count]
    ]
    page = Budget(arguments.max_chars).fit(modules)
    left_out = _more(len(found), arguments.start + len(page))
    if len(matching) > len(found) and left_out is None:
        left_out = f"{len(matching) - len(found)} more without symbols: ask with framework: true"
    return ModulesAnswer(modules=page, total=len(found), left_out=left_out)


def _more(total: int, shown: int) -> str | None:
    return f"{total - shown} more: ask with start: {shown}" if total > shown else None


@tool(read_only=True)
def types_find(call: Call, arguments: TypesArguments) -> TypesAnswer:
    """Find types of the loaded modules by a pattern of their names, from metadata."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    modules = session.request("modules", {}).get("modules") or []
    found = find_types(call, modules, arguments.pattern, arguments.module, framework=arguments.framework)
    page = Budget(arguments.max_chars).fit(found[arguments.start : arguments.start + arguments.count])
    return TypesAnswer(types=page, total=len(found), left_out=_more(len(found), arguments.start + len(page)))


@tool(read_only=True)
def members_get(call: Call, arguments: MembersArguments) -> MembersAnswer:
    """List the members of a type of a loaded module, and of its base types if asked, by kind and visibility."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    modules = session.request("modules", {}).get("modules") or []
    wanted = MemberFilter(arguments.pattern, arguments.kinds or (), arguments.visibility or ())
    found = find_members(call, modules, arguments.type, wanted, inherited=arguments.inherited)
    page = Budget(arguments.max_chars).fit(found.members[arguments.start : arguments.start + arguments.count])
    return MembersAnswer(
        type=found.type.name,
        module=found.type.module,
        members=page,
        total=len(found.members),
        missing_base=found.missing_base,
        left_out=_more(len(found.members), arguments.start + len(page)),
    )


@tool(read_only=True)
def source_get(call: Call, arguments: SourceArguments) -> SourceAnswer:
    """Show the lines around a place, with the columns where breakpoints can stand."""
    session = call.sessions.get(arguments.session)
    file, line = arguments.file, arguments.line
    if file is None:
        stop = session.need_stopped()
        thread = arguments.thread_id if arguments.thread_id is not None else stop.thread_id
        frame_id(session, stop, thread, arguments.frame)
        frame = frames_of(session, stop, thread, arguments.frame, 1)[0]
        file = (frame.get("source") or {}).get("path")
        if file is None:
            raise ToolError("FILE_NOT_FOUND", f"Frame {arguments.frame} has no source.")
        line = line or frame.get("line")
    path = allowed_path(str(file), call.options.folders)
    if not os.path.isfile(path):
        raise ToolError("FILE_NOT_FOUND", f"{path} is not on this machine.")
    middle = line or 1
    lines = source_lines(path, middle - arguments.around, middle + arguments.around, line)
    if not lines:
        raise ToolError("INVALID_LINE", f"{path} has no line {middle} that can be read.", "Ask for an earlier line.")
    if session.state != "ended":
        places = session.request(
            "breakpointLocations",
            {"source": {"path": path}, "line": lines[0].line, wire_name("end_line"): lines[-1].line},
        ).get("breakpoints")
        columns: dict[int, list[int]] = {}
        for place in places or ():
            columns.setdefault(int(place["line"]), []).append(int(place.get("column") or 1))
        for shown in lines:
            shown.columns = columns.get(shown.line)
    fitting = Budget(arguments.max_chars).fit(lines)
    more = len(lines) - len(fitting)
    return SourceAnswer(
        file=path,
        note=stale_note(session, path),
        lines=fitting,
        left_out=f"{more} more lines: ask with line: {fitting[-1].line + arguments.around + 1}" if more else None,
    )


@tool(read_only=True)
def output_read(call: Call, arguments: OutputArguments) -> OutputAnswer:
    """Read what the program wrote, on from a cursor."""
    session = call.sessions.get(arguments.session)
    text, cursor, lost = session.output.read(arguments.cursor, arguments.max_chars, arguments.category)
    return OutputAnswer(text=text, cursor=cursor, lost=lost, is_end=cursor >= session.output.end)


@tool(needs="write")
def input_write(call: Call, arguments: InputArguments) -> RunAnswer:
    """Write to the standard input of a launched program, wait a little for a stop, and show what it has written.

    It may be called while the program runs or is stopped; a program that is stopped reads when it goes on.
    """
    call.need_writing("nothing may be written to the program")
    session = call.sessions.get(arguments.session)
    session.need_alive()
    if not arguments.text and not arguments.end:
        raise ToolError("INVALID_ARGUMENTS", "Give text, end, or both.")
    session.request("dap-dotnet/input", {"text": arguments.text, "end": arguments.end})
    over = not session.wait(call, arguments.wait_s) and arguments.wait_s > 0
    return run_answer(session, is_over=over)


@tool(read_only=True)
def timeline_get(call: Call, arguments: TimelineArguments) -> TimelineAnswer:
    """Show what happened in the session in order: stops, log points, exceptions, output, breakpoints, the end."""
    session = call.sessions.get(arguments.session)
    found = session.history.after(arguments.cursor)
    wanted = [entry for entry in found if arguments.kinds is None or entry.kind in arguments.kinds]
    entries = [
        TimelineEntry(
            number=entry.number,
            time=entry.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            kind=entry.kind,
            text=entry.text,
        )
        for entry in wanted[: arguments.count]
    ]
    page = Budget(arguments.max_chars).fit(entries)
    more = len(wanted) - len(page)
    cursor = page[-1].number if more else session.history.count
    return TimelineAnswer(
        entries=page, cursor=cursor, left_out=f"{more} more: ask with cursor: {cursor}" if more else None
    )
