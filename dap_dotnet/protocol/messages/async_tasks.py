"""`dap-dotnet/asyncTasks`: the suspended async methods of the program, and who awaits whom."""

from typing import Literal

from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.sources import Source


class AsyncTasksArguments(WireModel):
    """A page of the methods. `count` limits it, 1,000 by default and at most."""

    start: int | None = None
    count: int | None = None


class AsyncTask(WireModel):
    """One call of an async method that has not come to its end, and has been left at an `await` at least once.

    `id` and the ids in `awaits` and `awaited_by` are good until the program runs, for function evaluations too.
    """

    id: int
    state: Literal["waiting", "ready", "running"]
    """At an await; at one whose task has completed, until a thread or its context resumes it; on a thread now."""
    name: str
    """The method in C# notation, as in a call stack."""
    full_name: str | None = None
    """With namespaces, where the name of the call stack has none."""
    source: Source | None = None
    line: int
    """Of the await, in the client's base; 0 if unknown, and while the method runs."""
    column: int
    end_line: int | None = None
    end_column: int | None = None
    task_id: int | None = None
    """Task.Id, where the program has asked for it: a task has none before."""
    waits_for: str | None = None
    """What it awaits, in words, such as `Task.Delay` or `Shop.Cart.LoadAsync()`; None where that is not known."""
    awaits: list[int]
    """The methods of the list that it awaits: one, or several through Task.WhenAll and the like."""
    awaited_by: list[int]
    """The methods of the list that await it. Empty: nobody does, or a thread is blocked for it."""
    frame_id: int
    """For `scopes`: the method's parameters and variables, as they stand at the await."""


class AsyncTasksResponseBody(WireModel):
    """A page of the methods, in the order of the heap.

    `total` counts all of them, `hidden` those left out because they are not the user's code. `is_complete` is False
    if the heap was too large to search in time: then the list is incomplete.
    """

    tasks: list[AsyncTask]
    total: int
    hidden: int
    is_complete: bool
    text: str
    """All of them as trees, for people; identical ones once, with their count."""
