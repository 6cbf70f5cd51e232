"""What answers are made of: places, frames, values, stops."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dap_dotnet.mcp.parts import Answer, Part

State = Literal["running", "stopped", "ended"]


class Place(Part):
    """Where code is. Lines and columns are 1-based; None where there is no source."""

    function: str | None = None
    module: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def to_text(self) -> str:
        """One line."""
        at = f" at {self.file}:{self.line}:{self.column}" if self.file and self.line else ""
        module = f" [{self.module}]" if self.module else ""
        return f"{self.function or '?'}{module}{at}"


class Frame(Place):
    """A frame of a stack; 0 is the newest."""

    index: int
    is_user_code: bool = True


class Value(Part):
    """A value as people see it."""

    name: str
    value: str
    type: str | None = None
    reference: int | None = Field(
        default=None, description="For variables_get, until the program runs; None: no children."
    )
    children: list[Value] | None = None
    more: int | None = Field(default=None, description="Children that exist beyond those shown.")

    def lines(self, indent: str = "") -> list[str]:
        """One line for it and for each child."""
        more = f" (+{self.more} more)" if self.more else ""
        found = [f"{indent}{self.name} = {self.value}{more}"]
        for child in self.children or ():
            found += child.lines(indent + "  ")
        return found


class ThrownException(Part):
    """An exception that stopped the program."""

    type: str
    message: str | None = None
    is_first_chance: bool = Field(
        alias="isFirstChance",
        description="Whether it was stopped before it is known that nothing catches it, rather than after.",
    )
    break_mode: str
    stack: list[str] = Field(default_factory=list)
    inner: list[str] = Field(default_factory=list, description="The inner exceptions: type and message of each.")


class HitBreakpoint(Part):
    """A breakpoint that was hit. `hit_count` includes this hit."""

    id: int
    hit_count: int | None = None


class SourceLine(Part):
    """A line of source. `columns` are where breakpoints can stand, when that was asked for."""

    line: int
    text: str
    is_current: bool = False
    columns: list[int] | None = None


class Change(Part):
    """A variable that is other than before; None: it was not there, or is no more."""

    name: str
    before: str | None = None
    after: str | None = None

    def to_text(self) -> str:
        """One line."""
        return f"{self.name}: {self.before if self.before is not None else '(none)'} -> {self.after or '(gone)'}"


class Stop(Part):
    """Where and why the program stopped, with what is usually asked for next."""

    number: int = Field(description="Stops of the session are counted from 1.")
    reason: str
    description: str | None = None
    text: str | None = None
    time: str = Field(description="UTC, ISO 8601.")
    thread_id: int
    thread_name: str | None = None
    place: Place
    breakpoints: list[HitBreakpoint] = Field(default_factory=list)
    exception: ThrownException | None = None
    source: list[SourceLine] = Field(default_factory=list)
    source_note: str | None = Field(default=None, description="What is wrong with it: it may not be what was built.")
    source_frame: int = Field(default=0, description="The frame of `source` and `locals`: the newest with a file.")
    frames: list[Frame] = Field(default_factory=list)
    locals: list[Value] = Field(default_factory=list)
    returned: list[Value] = Field(
        default_factory=list, description="What the calls of the statement that was stepped over have returned."
    )
    left_out: str | None = None

    def lines(self) -> list[str]:
        """Reason, place, source, locals."""
        why = self.description or self.reason
        if self.breakpoints:
            hits = ", ".join(f"{hit.id} (hit {hit.hit_count})" for hit in self.breakpoints)
            why = f"breakpoint {hits}" + (f": {self.text}" if self.text else "")
        found = [f"Stopped: {why}; thread {self.thread_id}", f"at {self.place.to_text()}"]
        if self.exception is not None:
            chance = "first chance" if self.exception.is_first_chance else "unhandled"
            found.append(f"{self.exception.type} ({chance}): {self.exception.message}")
        if self.source_frame:
            found.append(f"called by frame {self.source_frame}: {self.frames[self.source_frame].to_text()}")
        if self.source_note is not None:
            found.append(self.source_note)
        found += [f"{'>' if line.is_current else ' '} {line.line:5} {line.text}" for line in self.source]
        for value in self.locals:
            found += value.lines("  ")
        for value in self.returned:
            found += value.lines("  ")
        if self.left_out:
            found.append(f"({self.left_out})")
        return found


class RunAnswer(Answer):
    """What the program does after a wait."""

    session: str
    state: State
    timeout: bool = Field(default=False, description="True: the time was over before the program stopped or ended.")
    stop: Stop | None = None
    exit_code: int | None = None
    output: str | None = Field(
        default=None, description="What the program has written since the last answer of this kind."
    )
    changes: list[Change] | None = Field(default=None, description="Locals that the step has changed.")
    statement: str | None = Field(default=None, description="The source of the statement that runs next.")

    def to_text(self) -> str:
        """The stop, the end, or that it runs."""
        lines: list[str] = []
        if self.stop is not None:
            lines += self.stop.lines()
        elif self.state == "ended":
            code = f"exit code {self.exit_code}" if self.exit_code is not None else "exit code unknown"
            lines.append(f"The program has ended ({code}).")
        else:
            lines.append("The program runs" + ("; it did not stop in the time given." if self.timeout else "."))
        if self.changes:
            lines.append("Changed: " + "; ".join(change.to_text() for change in self.changes))
        if self.output:
            lines.append(f"Output:\n{self.output}")
        if self.left_out:
            lines.append(f"({self.left_out})")
        return "\n".join(lines)
